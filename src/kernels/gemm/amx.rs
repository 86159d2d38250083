//! Tiles: `sums[row][16] += Σ_{i<64} a[row][64k + i] · w[64k + i][16]` for up to sixteen rows with one `tdpbssd`, which multiplies
//! signed bytes and adds sixty-four products in int32 (Intel, Architecture Instruction Set Extensions Programming Reference,
//! chapter 3). It takes as many cycles as there are rows, each cycle with 1,024 multiply-adds: eight times as many as `vpdpbusd`.
//!
//! Layout: that of [`super::avx512vnni`]. Sixteen consecutive groups of k make a tile of weights, with each group one row of the tile, so
//! k is padded to whole tiles with weights of zero. Exact: nothing saturates, and both operands are used as they are.
//!
//! A product takes fifty cycles and waits for the previous one on the same sums, so four sums accumulate side by side: two tiles
//! of rows by two units of columns or, if there is only one tile of rows, one by four units.
//!
//! The compiler has no stable intrinsics for tiles and never touches them by itself; each assembly block begins with zero sums
//! and ends when these are in memory.

use super::epilogue::Epilogue;
use super::product::Product;
use crate::kernels::lanes::{Avx512, LANES, Lanes};
use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::OnceLock;

/// Groups of k in a tile.
pub(crate) const TILE_GROUPS: usize = 16;
/// Maximum number of rows in a tile.
const TILE_ROWS: usize = 16;
/// Bytes in a row of any tile.
const ROW_BYTES: usize = 64;
/// Sums that accumulate side by side.
const TOGETHER: usize = 4;

/// Whether the processor has tiles for bytes and the system lets this process use them. On a thread switch, Linux saves their eight
/// kilobytes only for processes that have asked for it, once for all their threads.
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

/// Asks Linux for the tiles (`arch_prctl(2)`, Documentation/arch/x86/xstate.rst); older systems do not know the request and refuse it.
fn permitted() -> bool {
    const ARCH_PRCTL: i64 = 158;
    const ARCH_REQ_XCOMP_PERM: i64 = 0x1023;
    const XFEATURE_XTILEDATA: i64 = 18;
    let result: i64;
    // SAFETY: a Linux system call on x86-64 (the caller has checked that this is Linux), which reads and writes no memory
    // of this process and overwrites the registers named here.
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

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(super) fn run<E: Epilogue>(product: Product<'_>, epilogue: &mut E) {
    // SAFETY: this function runs only where these instructions exist.
    in_tiles(&product, unsafe { Avx512::new() }, epilogue);
}

/// Rows of the units that were multiplied together, one after the other.
#[repr(align(64))]
struct Sums([[i32; LANES]; TOGETHER * TILE_ROWS]);

#[inline(always)]
fn in_tiles<E: Epilogue>(product: &Product<'_>, lanes: Avx512, epilogue: &mut E) {
    let Product { a, rows, w, columns } = product;
    let (rows, columns) = (rows.clone(), *columns);
    let (units, whole) = (columns.div_ceil(LANES), columns / LANES);
    let steps = w.groups() / TILE_GROUPS;
    if rows.is_empty() || units == 0 {
        return;
    }
    // What the shapes below rely on.
    assert_eq!((w.group(), w.groups() % TILE_GROUPS), (ROW_BYTES / LANES, 0));
    assert!(steps > 0 && w.values().len() >= units * w.unit_bytes());
    assert!(a.negative.is_empty() && a.stride >= steps * ROW_BYTES && a.rows.len() >= rows.end * a.stride);

    // The fewest tiles, all of equal height; the last may overlap the one before, whose rows it does not hand on again.
    let tiles = rows.len().div_ceil(TILE_ROWS);
    let height = rows.len().div_ceil(tiles);
    let first_row = |tile: usize| (rows.start + tile * height).min(rows.end - height);
    let configured = Configured::new(height);
    let mut sums = Sums([[0; LANES]; TOGETHER * TILE_ROWS]);
    let mut unit = 0;
    while unit < units {
        // A unit that the columns do not fill is processed alone: what follows its product is slow.
        let most = if tiles == 1 { 4 } else { 2 };
        let width = match whole.saturating_sub(unit) {
            left if left >= most => most,
            2.. => 2,
            _ => 1,
        };
        for tile in (0..tiles).step_by(2) {
            let several = tile + 1 < tiles;
            // SAFETY: the assertions above: `height` rows from each of the two first rows, and the units, lie within the operands, and
            // each row and unit holds `steps` times what a tile takes of it.
            unsafe {
                let from = |tile| a.rows.as_ptr().add(first_row(tile) * a.stride);
                let operands = Operands {
                    a: from(tile),
                    second: from(if several { tile + 1 } else { tile }),
                    stride: a.stride,
                    w: w.values().as_ptr().add(unit * w.unit_bytes()),
                    unit_bytes: w.unit_bytes(),
                    steps,
                };
                match (several, width) {
                    (true, 2) => configured.two_by_two(operands, &mut sums),
                    (true, _) => configured.two_by_one(operands, &mut sums),
                    (false, 4) => configured.one_by_four(operands, &mut sums),
                    (false, 2) => configured.one_by_two(operands, &mut sums),
                    (false, _) => configured.one_by_one(operands, &mut sums),
                }
            }
            let column = unit * LANES;
            for (part, tile) in (tile..tiles.min(tile + 2)).enumerate() {
                let first = first_row(tile);
                for row in rows.start + tile * height..first + height {
                    let sums = &sums.0[(part * TILE_ROWS + row - first) * width..][..width];
                    let sums = |i: usize| lanes.load_integers(&sums[i]);
                    match width {
                        4 => epilogue.whole(lanes, row, column, [sums(0), sums(1), sums(2), sums(3)]),
                        2 => epilogue.whole(lanes, row, column, [sums(0), sums(1)]),
                        _ if unit < whole => epilogue.whole(lanes, row, column, [sums(0)]),
                        _ => {
                            let mut last = [0; LANES];
                            lanes.store_integers(sums(0), &mut last);
                            epilogue.partial(row, column, &last[..columns - column]);
                        }
                    }
                }
            }
        }
        unit += width;
    }
}

/// What a product of tiles reads.
#[derive(Clone, Copy)]
struct Operands {
    /// The first row of a tile of activations.
    a: *const u8,
    /// The first row of the second tile.
    second: *const u8,
    /// Bytes from one row to the next.
    stride: usize,
    /// The first unit.
    w: *const i8,
    /// Bytes from one unit to the next.
    unit_bytes: usize,
    /// Tiles along k.
    steps: usize,
}

/// This thread's tiles while they are in use: 0 to 3 of sums, 4 and 5 of activations, 6 and 7 of weights.
struct Configured;

/// A function for each shape, made of the instructions that zero the sums, those for one step along k, and those that store the sums.
/// Activations begin at `a0` and `a1`, `stride` bytes from row to row; units begin at `w0` to `w3`, one `line` from group to group.
macro_rules! shapes {
    ($(
        $(#[$attribute:meta])*
        $name:ident, $units:literal units: $($clear:literal)*; $($step:literal)*; $($store:literal)*;
    )*) => {$(
        $(#[$attribute])*
        ///
        /// # Safety
        /// As many rows as are configured can be read from `a` and, for two tiles, from `second`, and the units from `w` on: `steps` times
        /// 64 bytes of each row and 1,024 of each unit.
        #[inline(always)]
        unsafe fn $name(&self, operands: Operands, sums: &mut Sums) {
            let Operands { a, second, stride, w, unit_bytes, steps } = operands;
            // SAFETY: the caller's promise; `sums` is written within sixteen rows of four units, or twice sixteen of two; only the named
            // registers, the flags and the tiles change. Addresses that a shape does not use may lie anywhere.
            unsafe {
                asm!(
                    $($clear,)*
                    "2:",
                    $($step,)*
                    "add {a0}, 64", "add {a1}, 64",
                    "add {w0}, 1024", "add {w1}, 1024", "add {w2}, 1024", "add {w3}, 1024",
                    "dec {steps}", "jnz 2b",
                    $($store,)*
                    a0 = inout(reg) a => _, a1 = inout(reg) second => _,
                    w0 = inout(reg) w => _, w1 = inout(reg) w.wrapping_add(unit_bytes) => _,
                    w2 = inout(reg) w.wrapping_add(2 * unit_bytes) => _, w3 = inout(reg) w.wrapping_add(3 * unit_bytes) => _,
                    steps = inout(reg) steps => _,
                    stride = in(reg) stride, line = in(reg) ROW_BYTES,
                    sums = in(reg) sums.0.as_mut_ptr(), apart = in(reg) $units * ROW_BYTES,
                    out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                    out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                    options(nostack),
                )
            }
        }
    )*};
}

impl Configured {
    /// Tiles of `rows` rows of activations and sums.
    fn new(rows: usize) -> Self {
        /// Intel's layout for `ldtilecfg`: palette 1, then the bytes per row and the number of rows of each tile.
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
        // 64 bytes and changes only tiles, which nothing else uses.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const configuration, options(nostack, readonly)) };
        Self
    }

    shapes! {
        /// Two tiles of rows by two units.
        two_by_two, 2 units:
            "tilezero tmm0" "tilezero tmm1" "tilezero tmm2" "tilezero tmm3";
            "tileloadd tmm6, [{w0} + {line}*1]" "tileloadd tmm4, [{a0} + {stride}*1]" "tdpbssd tmm0, tmm4, tmm6"
            "tileloadd tmm7, [{w1} + {line}*1]" "tdpbssd tmm1, tmm4, tmm7"
            "tileloadd tmm5, [{a1} + {stride}*1]" "tdpbssd tmm2, tmm5, tmm6" "tdpbssd tmm3, tmm5, tmm7";
            "tilestored [{sums} + {apart}*1], tmm0" "tilestored [{sums} + {apart}*1 + 64], tmm1"
            "tilestored [{sums} + {apart}*1 + 2048], tmm2" "tilestored [{sums} + {apart}*1 + 2112], tmm3";
        /// Two tiles of rows by one unit.
        two_by_one, 1 units:
            "tilezero tmm0" "tilezero tmm2";
            "tileloadd tmm6, [{w0} + {line}*1]" "tileloadd tmm4, [{a0} + {stride}*1]" "tdpbssd tmm0, tmm4, tmm6"
            "tileloadd tmm5, [{a1} + {stride}*1]" "tdpbssd tmm2, tmm5, tmm6";
            "tilestored [{sums} + {apart}*1], tmm0" "tilestored [{sums} + {apart}*1 + 1024], tmm2";
        /// One tile of rows by four units.
        one_by_four, 4 units:
            "tilezero tmm0" "tilezero tmm1" "tilezero tmm2" "tilezero tmm3";
            "tileloadd tmm4, [{a0} + {stride}*1]"
            "tileloadd tmm6, [{w0} + {line}*1]" "tdpbssd tmm0, tmm4, tmm6"
            "tileloadd tmm7, [{w1} + {line}*1]" "tdpbssd tmm1, tmm4, tmm7"
            "tileloadd tmm6, [{w2} + {line}*1]" "tdpbssd tmm2, tmm4, tmm6"
            "tileloadd tmm7, [{w3} + {line}*1]" "tdpbssd tmm3, tmm4, tmm7";
            "tilestored [{sums} + {apart}*1], tmm0" "tilestored [{sums} + {apart}*1 + 64], tmm1"
            "tilestored [{sums} + {apart}*1 + 128], tmm2" "tilestored [{sums} + {apart}*1 + 192], tmm3";
        /// One tile of rows by two units.
        one_by_two, 2 units:
            "tilezero tmm0" "tilezero tmm1";
            "tileloadd tmm4, [{a0} + {stride}*1]"
            "tileloadd tmm6, [{w0} + {line}*1]" "tdpbssd tmm0, tmm4, tmm6"
            "tileloadd tmm7, [{w1} + {line}*1]" "tdpbssd tmm1, tmm4, tmm7";
            "tilestored [{sums} + {apart}*1], tmm0" "tilestored [{sums} + {apart}*1 + 64], tmm1";
        /// One tile of rows by one unit.
        one_by_one, 1 units:
            "tilezero tmm0";
            "tileloadd tmm4, [{a0} + {stride}*1]" "tileloadd tmm6, [{w0} + {line}*1]" "tdpbssd tmm0, tmm4, tmm6";
            "tilestored [{sums} + {apart}*1], tmm0";
    }
}

impl Drop for Configured {
    /// Lets the system know that there is nothing to save.
    fn drop(&mut self) {
        // SAFETY: as in `new`.
        unsafe { asm!("tilerelease", options(nomem, nostack)) };
    }
}
