//! Tiles: `sums[row][16] += Σ_{i<64} (a[row][64k + i] + 128) · w[64k + i][16]` for up to sixteen rows with one `tdpbusd`, which
//! multiplies unsigned by signed bytes and adds sixty-four products in int32 (Intel, Architecture Instruction Set Extensions
//! Programming Reference, chapter 3). It takes as many cycles as there are rows: 1,024 multiply-adds in each, eight
//! times what `vpdpbusd` makes.
//!
//! Layout: that of [`super::avx512vnni`], whose sixteen groups of k in a row are a tile of weights, each group a row of it; so k is filled
//! up to whole tiles with weights of zero. Activations have 128 added and the sums begin, once they have left the tiles, at
//! −128 · Σ w of their column. A few rows are fewer than it takes to make up for the loading of tiles; they go the other way.
//!
//! The compiler has no stable intrinsics for tiles and never touches them by itself; each block of assembler begins with empty
//! sums and ends when these are in memory.

use super::epilogue::Epilogue;
use super::product::Product;
use crate::kernels::lanes::{Avx512, LANES, Lanes};
use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::OnceLock;

/// Groups of k in a tile.
pub(super) const TILE_GROUPS: usize = 16;
/// Rows in a tile at most.
const TILE_ROWS: usize = 16;
/// Bytes of a row of any tile.
const ROW_BYTES: usize = 64;
/// Rows for which tiles are faster.
const LEAST_ROWS: usize = 4;

/// Whether the processor has tiles for bytes and the system lets this process use them. Linux saves their eight kilobytes at a change
/// of threads only for those that have asked for it, once for all their threads.
pub(crate) fn available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        /// CPUID leaf 7, EDX.
        const TILE: u32 = 1 << 24;
        const INT8: u32 = 1 << 25;
        let has_tiles = __cpuid_count(0, 0).eax >= 7 && __cpuid_count(7, 0).edx & (TILE | INT8) == (TILE | INT8);
        has_tiles && cfg!(target_os = "linux") && permitted()
    })
}

/// Asks Linux for the tiles (`arch_prctl(2)`, Documentation/arch/x86/xstate.rst); older systems know no such request and refuse it.
fn permitted() -> bool {
    const ARCH_PRCTL: i64 = 158;
    const ARCH_REQ_XCOMP_PERM: i64 = 0x1023;
    const XFEATURE_XTILEDATA: i64 = 18;
    let result: i64;
    // SAFETY: a system call of Linux on x86-64 (the caller has seen that it is Linux), which reads and writes no memory of
    // this process and overwrites the registers named here.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => result,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XFEATURE_XTILEDATA,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    result == 0
}

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn run<E: Epilogue>(product: Product<'_>, epilogue: &mut E) {
    if product.rows.len() < LEAST_ROWS {
        return super::avx512vnni::run(product, epilogue);
    }
    // SAFETY: this function runs only where there are these instructions.
    in_tiles(&product, unsafe { Avx512::new() }, epilogue);
}

/// Two tiles of rows by two units of columns.
#[repr(align(64))]
struct Sums([[[i32; LANES]; 2]; 2 * TILE_ROWS]);

#[inline(always)]
fn in_tiles<E: Epilogue>(product: &Product<'_>, lanes: Avx512, epilogue: &mut E) {
    let Product { a, rows, w, columns } = product;
    let (rows, columns) = (rows.clone(), *columns);
    let (units, whole) = (columns.div_ceil(LANES), columns / LANES);
    let steps = w.groups() / TILE_GROUPS;
    // What `multiply` relies on.
    assert_eq!((w.group(), w.groups() % TILE_GROUPS), (ROW_BYTES / LANES, 0));
    assert!(w.values().len() >= units * w.unit_bytes() && w.compensation().len() >= units * LANES);
    assert!(a.negative.is_empty() && a.stride >= steps * ROW_BYTES && a.rows.len() >= rows.end * a.stride);

    // The fewest tiles, all equally high; the last may begin within the one before, whose rows it does not hand on again.
    let tiles = rows.len().div_ceil(TILE_ROWS);
    let height = rows.len().div_ceil(tiles);
    let first_row = |tile: usize| (rows.start + tile * height).min(rows.end - height);
    let tile_rows = Configured::new(height);
    let mut sums = Sums([[[0; LANES]; 2]; 2 * TILE_ROWS]);
    let mut unit = 0;
    while unit < units {
        // A unit that the columns do not fill goes alone: what follows its product is slow.
        let wide = unit + 2 <= whole;
        for tile in (0..tiles).step_by(2) {
            let several = tile + 1 < tiles;
            // SAFETY: the assertions above: the rows from both beginnings, `height` of each, and the units lie within the operands, and
            // a row and a unit hold `steps` times what a tile takes of it.
            unsafe {
                let from = |tile| a.rows.as_ptr().add(first_row(tile) * a.stride);
                let weights = w.values().as_ptr().add(unit * w.unit_bytes());
                let operands = Operands {
                    a: [from(tile), from(if several { tile + 1 } else { tile })],
                    stride: a.stride,
                    w: [weights, weights.add(if wide { w.unit_bytes() } else { 0 })],
                    steps,
                };
                match (several, wide) {
                    (true, true) => tile_rows.multiply::<true, true>(operands, &mut sums),
                    (true, false) => tile_rows.multiply::<true, false>(operands, &mut sums),
                    (false, true) => tile_rows.multiply::<false, true>(operands, &mut sums),
                    (false, false) => tile_rows.multiply::<false, false>(operands, &mut sums),
                }
            }
            let column = unit * LANES;
            let compensation = w.compensation()[column..].as_chunks::<LANES>().0;
            for (part, tile) in (tile..tiles.min(tile + 2)).enumerate() {
                let first = first_row(tile);
                for row in rows.start + tile * height..first + height {
                    let found = &sums.0[part * TILE_ROWS + row - first];
                    let sums = |i: usize| {
                        lanes.add_integers(lanes.load_integers(&found[i]), lanes.load_integers(&compensation[i]))
                    };
                    if wide {
                        epilogue.whole(lanes, row, column, [sums(0), sums(1)]);
                    } else if unit < whole {
                        epilogue.whole(lanes, row, column, [sums(0)]);
                    } else {
                        let mut last = [0; LANES];
                        lanes.store_integers(sums(0), &mut last);
                        epilogue.partial(row, column, &last[..columns - column]);
                    }
                }
            }
        }
        unit += if wide { 2 } else { 1 };
    }
}

/// What [`Configured::multiply`] reads.
struct Operands {
    /// The first row of each tile of activations.
    a: [*const u8; 2],
    /// Bytes from one row to the next.
    stride: usize,
    /// The units.
    w: [*const i8; 2],
    /// Tiles along k.
    steps: usize,
}

/// This thread's tiles while they are in use: 0 to 3 of sums, 4 and 5 of activations, 6 and 7 of weights.
struct Configured;

impl Configured {
    /// Tiles of so many rows of activations and sums.
    fn new(rows: usize) -> Self {
        /// Intel's layout for `ldtilecfg`: palette 1, then bytes a row and the number of rows of each tile.
        #[repr(C, align(64))]
        struct Configuration {
            palette: u8,
            start_row: u8,
            reserved: [u8; 14],
            row_bytes: [u16; 16],
            rows: [u8; 16],
        }
        let mut configuration =
            Configuration { palette: 1, start_row: 0, reserved: [0; 14], row_bytes: [0; 16], rows: [0; 16] };
        configuration.row_bytes[..8].fill(ROW_BYTES as u16);
        configuration.rows[..6].fill(u8::try_from(rows).expect("at most sixteen rows"));
        configuration.rows[6..8].fill(TILE_GROUPS as u8);
        // SAFETY: this module's products run only where the processor has tiles and the system permits them; the instruction reads the
        // 64 bytes and changes tiles alone, which nobody else uses.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const configuration, options(nostack, readonly)) };
        Self
    }

    /// The sums of one or two tiles of rows (`SEVERAL`) by one or two units (`WIDE`).
    ///
    /// # Safety
    /// All configured rows and the units can be read, `steps` times 64 bytes of each row and 1,024 of each unit; where there is one of
    /// them, the second is not read.
    #[inline(always)]
    unsafe fn multiply<const SEVERAL: bool, const WIDE: bool>(&self, operands: Operands, sums: &mut Sums) {
        let Operands { a: [a0, a1], stride, w: [w0, w1], steps } = operands;
        macro_rules! tiles {
            ($($clear:literal)*; $($load:literal)*; $($multiply:literal)*; $($store:literal)*) => {
                // SAFETY: the caller's promise; `sums` has room for two tiles of sixteen rows of two units, each of whose rows of 64
                // bytes is written at 128 from the last; only the named registers, the flags and the tiles change.
                unsafe {
                    asm!(
                        $($clear,)*
                        "2:",
                        $($load,)*
                        $($multiply,)*
                        "add {a0}, 64", "add {a1}, 64", "add {w0}, 1024", "add {w1}, 1024",
                        "dec {steps}", "jnz 2b",
                        $($store,)*
                        a0 = inout(reg) a0 => _, a1 = inout(reg) a1 => _, w0 = inout(reg) w0 => _, w1 = inout(reg) w1 => _,
                        steps = inout(reg) steps => _,
                        stride = in(reg) stride, sixty_four = in(reg) 64usize, sums = in(reg) sums.0.as_mut_ptr(),
                        apart = in(reg) 128usize,
                        out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                        out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                        options(nostack),
                    )
                }
            };
        }
        match (SEVERAL, WIDE) {
            (true, true) => tiles! {
                "tilezero tmm0" "tilezero tmm1" "tilezero tmm2" "tilezero tmm3";
                "tileloadd tmm6, [{w0} + {sixty_four}*1]" "tileloadd tmm4, [{a0} + {stride}*1]"
                "tileloadd tmm7, [{w1} + {sixty_four}*1]" "tileloadd tmm5, [{a1} + {stride}*1]";
                "tdpbusd tmm0, tmm4, tmm6" "tdpbusd tmm1, tmm4, tmm7" "tdpbusd tmm2, tmm5, tmm6" "tdpbusd tmm3, tmm5, tmm7";
                "tilestored [{sums} + {apart}*1], tmm0" "tilestored [{sums} + {apart}*1 + 64], tmm1"
                "tilestored [{sums} + {apart}*1 + 2048], tmm2" "tilestored [{sums} + {apart}*1 + 2112], tmm3"
            },
            (true, false) => tiles! {
                "tilezero tmm0" "tilezero tmm2";
                "tileloadd tmm6, [{w0} + {sixty_four}*1]" "tileloadd tmm4, [{a0} + {stride}*1]"
                "tileloadd tmm5, [{a1} + {stride}*1]";
                "tdpbusd tmm0, tmm4, tmm6" "tdpbusd tmm2, tmm5, tmm6";
                "tilestored [{sums} + {apart}*1], tmm0" "tilestored [{sums} + {apart}*1 + 2048], tmm2"
            },
            (false, true) => tiles! {
                "tilezero tmm0" "tilezero tmm1";
                "tileloadd tmm4, [{a0} + {stride}*1]" "tileloadd tmm6, [{w0} + {sixty_four}*1]"
                "tileloadd tmm7, [{w1} + {sixty_four}*1]";
                "tdpbusd tmm0, tmm4, tmm6" "tdpbusd tmm1, tmm4, tmm7";
                "tilestored [{sums} + {apart}*1], tmm0" "tilestored [{sums} + {apart}*1 + 64], tmm1"
            },
            (false, false) => tiles! {
                "tilezero tmm0";
                "tileloadd tmm4, [{a0} + {stride}*1]" "tileloadd tmm6, [{w0} + {sixty_four}*1]";
                "tdpbusd tmm0, tmm4, tmm6";
                "tilestored [{sums} + {apart}*1], tmm0"
            },
        }
    }
}

impl Drop for Configured {
    /// Lets the system know that there is nothing to save.
    fn drop(&mut self) {
        // SAFETY: as in `new`.
        unsafe { asm!("tilerelease", options(nomem, nostack)) };
    }
}
