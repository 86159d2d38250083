//! Speed of the integer products in GOP/s (a multiply-add is two operations), one thread, beside what the processor's
//! multiply-add reaches between registers: `cargo bench --bench gemm`. Each figure is the best of many short runs, so
//! that other programs on the machine disturb it little.
//!
//! `cargo bench --bench gemm -- --shape 64x256x1536 --json` measures only products of 64 rows, 256 inner and 1536 columns, and
//! prints a JSON object per line. `--shape` can be repeated.

use std::hint::black_box;
use std::time::{Duration, Instant};
use wanderwort::kernels::Backend;
use wanderwort::kernels::attention::{self, BFloat16, KeysValues, Number, Scratch};
use wanderwort::kernels::elementwise;
use wanderwort::kernels::gemm::{self, ActivationScale, Best, Dequantize, PackedMatrix, QuantizedRows};

const SHAPES: [(usize, usize); 4] = [(256, 256), (256, 1536), (1536, 256), (256, 16000)];
const ROWS: [usize; 5] = [1, 8, 16, 32, 64];

/// Rows, inner dimension, columns.
type Shape = (usize, usize, usize);

fn main() {
    // Without what cargo adds.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match given(&arguments) {
        Ok((shapes, is_json)) if !shapes.is_empty() || is_json => given_shapes(&shapes, is_json),
        Ok(_) => everything(),
        Err(message) => {
            eprintln!("gemm: {message}");
            std::process::exit(2);
        }
    }
}

/// The shapes on the command line, and whether figures are printed as JSON.
fn given(arguments: &[String]) -> Result<(Vec<Shape>, bool), String> {
    let (mut shapes, mut is_json) = (Vec::new(), false);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => is_json = true,
            "--shape" => {
                let text = arguments.next().map_or("", String::as_str);
                let numbers: Vec<usize> = text.split('x').filter_map(|number| number.parse().ok()).collect();
                match numbers[..] {
                    [rows, inner, columns] if rows > 0 && inner > 0 && columns > 0 => {
                        shapes.push((rows, inner, columns))
                    }
                    _ => {
                        return Err(format!(
                            "--shape: expected rows x inner x columns, such as 64x256x1536, found {text:?}"
                        ));
                    }
                }
            }
            other => return Err(format!("expected --shape ROWSxINNERxCOLUMNS or --json, found {other:?}")),
        }
    }
    Ok((shapes, is_json))
}

/// Products of these shapes, or of 64 rows with all usual matrices if none is given, on all kernels except the portable one, which takes minutes,
/// unless there is no other.
fn given_shapes(shapes: &[Shape], is_json: bool) {
    let usual = SHAPES.map(|(inner, columns)| (64, inner, columns));
    let backends = Backend::available();
    // The slowest comes first.
    let backends = if backends.len() > 1 { &backends[1..] } else { &backends };
    for &(rows, inner, columns) in if shapes.is_empty() { &usual } else { shapes } {
        for &backend in backends {
            for largest in [127, 63] {
                let (kernel, rate) = (backend.name(), product(backend, rows, inner, columns, largest, false));
                if is_json {
                    println!(
                        "{{\"kernel\":\"{kernel}\",\"largest_weight\":{largest},\"rows\":{rows},\"inner\":{inner},\"columns\":{columns},\"gops\":{rate:.2}}}"
                    );
                } else {
                    println!("{rows} rows, {inner} × {columns}, {kernel}, weights ±{largest}: {rate:.0} GOP/s");
                }
            }
        }
    }
}

fn everything() {
    println!("GOP/s, by rows × inner × columns");
    for backend in Backend::available() {
        for (largest, weights) in [(127, "±127"), (63, "±63")] {
            println!();
            print!("{:<25}", format!("{}, weights {weights}", backend.name()));
            for rows in ROWS {
                print!("{:>9}", format!("{rows} rows"));
            }
            println!();
            for (inner, columns) in SHAPES {
                for (what, arg_max) in [("", false), (", arg-max", true)] {
                    if arg_max && columns < 16000 {
                        continue;
                    }
                    print!("{:>25}", format!("{inner} × {columns}{what}"));
                    for rows in ROWS {
                        print!("{:>9.0}", product(backend, rows, inner, columns, largest, arg_max));
                    }
                    println!();
                }
            }
        }
        if let Some(peak) = peak::of(backend) {
            println!("{:>25}{peak:>9.0}", "between registers");
        }
    }
    println!();
    println!(
        "Nanoseconds a row of 256 (attention: a query of 8 heads over 30 positions, in turn: of 128 sentences; gather: a column)"
    );
    for backend in Backend::available() {
        rows(backend);
    }
}

/// Seconds that `work` takes, at best.
fn seconds(mut work: impl FnMut()) -> f64 {
    work();
    let mut best = Duration::MAX;
    let mut times = 1;
    for _ in 0..60 {
        let start = Instant::now();
        for _ in 0..times {
            work();
        }
        let took = start.elapsed();
        best = best.min(took / times);
        if took < Duration::from_micros(500) {
            times *= 2;
        }
    }
    best.as_secs_f64()
}

fn numbers(count: usize) -> impl Iterator<Item = u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761).rotate_right(15).wrapping_mul(0x85EB_CA6B) >> 8)
}

fn floats(count: usize) -> Vec<f32> {
    numbers(count).map(|x| x as f32 / (1 << 23) as f32 - 1.0).collect()
}

fn product(backend: Backend, rows: usize, inner: usize, columns: usize, largest: i32, arg_max: bool) -> f64 {
    let w: Vec<i8> =
        numbers(inner * columns).map(|x| ((x % (2 * largest as u32 + 1)) as i32 - largest) as i8).collect();
    let w = PackedMatrix::pack(backend, inner, columns, &w);
    let mut a = QuantizedRows::new(backend);
    a.quantize(&floats(rows * inner), inner, ActivationScale::Dynamic);
    let scales = floats(columns);
    let dequantize = Dequantize { column_scales: &scales, bias: &scales };
    let mut out = vec![0.0; rows * columns];
    let mut best = vec![Best::NONE; rows];
    let took = seconds(|| {
        if arg_max {
            gemm::multiply_arg_max(&a, 0..rows, &w, columns, dequantize, black_box(&mut best));
        } else {
            gemm::multiply(&a, &w, dequantize, black_box(&mut out));
        }
    });
    2.0 * (rows * inner * columns) as f64 / took / 1e9
}

fn rows(backend: Backend) {
    const WIDTH: usize = 256;
    const COUNT: usize = 16;
    /// Sixty-four rows in two layers.
    const SENTENCES: usize = 128;
    let (x, y) = (floats(WIDTH * COUNT), floats(WIDTH * COUNT));
    let (gamma, beta) = (floats(WIDTH), floats(WIDTH));
    let mut rows = x.clone();
    let mut cell = x.clone();
    let mut quantized = QuantizedRows::new(backend);
    let mut memory = KeysValues::<f32>::default();
    let (keys, values) = (floats(WIDTH * 30), floats(WIDTH * 30));
    memory.set(backend, &keys, &values, WIDTH, 8);
    let mut refilled = memory.clone();
    let floats_in_turn = vec![memory.clone(); SENTENCES];
    let mut halves = KeysValues::<BFloat16>::default();
    halves.set(backend, &keys, &values, WIDTH, 8);
    let halves_in_turn = vec![halves; SENTENCES];
    let mut scratch = Scratch::default();
    let vocabulary: Vec<i8> = numbers(WIDTH * 16000).map(|x| (x % 127) as i8).collect();
    let vocabulary = PackedMatrix::pack(backend, WIDTH, 16000, &vocabulary);
    let mut columns: Vec<u32> = (0..100).chain(numbers(500).map(|x| x % 16000)).collect();
    columns.sort_unstable();
    let mut gathered = PackedMatrix::empty(backend, WIDTH);

    let mut line = String::new();
    let mut report = |name: &str, count: usize, work: &mut dyn FnMut()| {
        line += &format!("  {name} {:.0}", seconds(work) / count as f64 * 1e9);
    };
    report("quantize", COUNT, &mut || quantized.quantize(black_box(&x), WIDTH, ActivationScale::Dynamic));
    report("add+norm", COUNT, &mut || elementwise::add_layer_norm(backend, black_box(&mut rows), &y, &gamma, &beta));
    report("relu", COUNT, &mut || elementwise::relu(backend, black_box(&mut rows)));
    report("swish", COUNT, &mut || elementwise::swish(backend, black_box(&mut rows)));
    report("ssru", COUNT, &mut || elementwise::ssru_step(backend, &y, black_box(&mut cell), &mut rows));
    report("attend", COUNT, &mut || attention::attend(backend, &x, &memory, &mut scratch, None, black_box(&mut rows)));
    report("attend alone", 1, &mut || {
        attention::attend(backend, &x[..WIDTH], &memory, &mut scratch, None, black_box(&mut rows[..WIDTH]));
    });
    report("in turn", SENTENCES, &mut || attend_in_turn(backend, &x[..WIDTH], &floats_in_turn, &mut scratch));
    report("in turn, halves", SENTENCES, &mut || attend_in_turn(backend, &x[..WIDTH], &halves_in_turn, &mut scratch));
    report("keys+values", 30, &mut || refilled.set(backend, black_box(&keys), &values, WIDTH, 8));
    report("gather", columns.len(), &mut || gathered.gather(&vocabulary, black_box(&columns)));
    println!("{:>11}{line}", backend.name());
}

/// What a decoder's step does: the keys and values of many sentences, each for one query.
fn attend_in_turn<N: Number>(backend: Backend, query: &[f32], memories: &[KeysValues<N>], scratch: &mut Scratch) {
    let mut out = vec![0.0; query.len()];
    for memory in memories {
        attention::attend(backend, black_box(query), memory, scratch, None, black_box(&mut out));
    }
}

/// Loops of multiply-adds whose operands never leave the registers.
#[cfg(target_arch = "x86_64")]
mod peak {
    use super::seconds;
    use std::arch::asm;
    use wanderwort::kernels::Backend;

    const STEPS: u64 = 10_000;

    /// GOP/s
    pub fn of(backend: Backend) -> Option<f64> {
        let (took, operations) = match backend.name() {
            // SAFETY: the backend exists, so the processor has tiles and the system permits them.
            "amx" => (seconds(|| unsafe { amx() }), STEPS * 4 * 16 * 16 * 64 * 2),
            // SAFETY: the backend exists, so the processor has the instructions.
            "avx512vnni" => (seconds(|| unsafe { avx512vnni() }), STEPS * 12 * 64 * 2),
            // SAFETY: as above.
            "avxvnni" => (seconds(|| unsafe { avxvnni() }), STEPS * 12 * 32 * 2),
            // SAFETY: as above.
            "avx512" => (seconds(|| unsafe { avx512() }), STEPS * 6 * 64 * 2),
            // SAFETY: as above.
            "avx2" => (seconds(|| unsafe { avx2() }), STEPS * 6 * 32 * 2),
            _ => return None,
        };
        Some(operations as f64 / took / 1e9)
    }

    /// Four independent tiles of sums.
    ///
    /// # Safety
    /// The processor has tiles, and the system permits them.
    unsafe fn amx() {
        #[repr(align(64))]
        struct Configuration([u8; 64]);
        // Palette 1; from byte 16 on, the bytes in a row of each tile; from byte 48 on, its rows.
        let mut configuration = Configuration([0; 64]);
        configuration.0[0] = 1;
        for tile in 0..8 {
            configuration.0[16 + 2 * tile] = 64;
            configuration.0[48 + tile] = 16;
        }
        // SAFETY: the caller's promise; only tiles, the named register and the flags change.
        unsafe {
            asm!(
                "ldtilecfg [{configuration}]",
                "tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3", "tilezero tmm4", "tilezero tmm6",
                "2:",
                "tdpbusd tmm0, tmm4, tmm6", "tdpbusd tmm1, tmm4, tmm6", "tdpbusd tmm2, tmm4, tmm6", "tdpbusd tmm3, tmm4, tmm6",
                "dec {steps}", "jnz 2b",
                "tilerelease",
                configuration = in(reg) &raw const configuration,
                steps = inout(reg) STEPS => _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _, out("tmm4") _, out("tmm6") _,
                options(nostack, readonly),
            );
        }
    }

    /// Twelve independent sums, which hide the latency.
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn avx512vnni() {
        // SAFETY: only the named registers and the flags change.
        unsafe {
            asm!(
                "2:",
                "vpdpbusd zmm0, zmm12, zmm13", "vpdpbusd zmm1, zmm12, zmm13", "vpdpbusd zmm2, zmm12, zmm13",
                "vpdpbusd zmm3, zmm12, zmm13", "vpdpbusd zmm4, zmm12, zmm13", "vpdpbusd zmm5, zmm12, zmm13",
                "vpdpbusd zmm6, zmm12, zmm13", "vpdpbusd zmm7, zmm12, zmm13", "vpdpbusd zmm8, zmm12, zmm13",
                "vpdpbusd zmm9, zmm12, zmm13", "vpdpbusd zmm10, zmm12, zmm13", "vpdpbusd zmm11, zmm12, zmm13",
                "dec {steps}", "jnz 2b",
                steps = inout(reg) STEPS => _,
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _, out("zmm6") _,
                out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _, out("zmm12") _,
                out("zmm13") _,
                options(nomem, nostack),
            );
        }
    }

    /// Twelve independent sums, which hide the latency.
    #[target_feature(enable = "avx2,avxvnni")]
    fn avxvnni() {
        // SAFETY: only the named registers and the flags change.
        unsafe {
            asm!(
                "2:",
                "{{vex}} vpdpbusd ymm0, ymm12, ymm13", "{{vex}} vpdpbusd ymm1, ymm12, ymm13",
                "{{vex}} vpdpbusd ymm2, ymm12, ymm13", "{{vex}} vpdpbusd ymm3, ymm12, ymm13",
                "{{vex}} vpdpbusd ymm4, ymm12, ymm13", "{{vex}} vpdpbusd ymm5, ymm12, ymm13",
                "{{vex}} vpdpbusd ymm6, ymm12, ymm13", "{{vex}} vpdpbusd ymm7, ymm12, ymm13",
                "{{vex}} vpdpbusd ymm8, ymm12, ymm13", "{{vex}} vpdpbusd ymm9, ymm12, ymm13",
                "{{vex}} vpdpbusd ymm10, ymm12, ymm13", "{{vex}} vpdpbusd ymm11, ymm12, ymm13",
                "dec {steps}", "jnz 2b",
                steps = inout(reg) STEPS => _,
                out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _, out("ymm5") _, out("ymm6") _,
                out("ymm7") _, out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _, out("ymm12") _,
                out("ymm13") _,
                options(nomem, nostack),
            );
        }
    }

    /// The three instructions of an exact dot product of four, for weights in ±63: six independent sums.
    macro_rules! sums_of_pairs {
        ($register:literal) => {
            // SAFETY: only the named registers and the flags change.
            unsafe {
                asm!(
                    "2:",
                    concat!("vpmaddubsw ", $register, "6, ", $register, "12, ", $register, "13"),
                    concat!("vpmaddubsw ", $register, "7, ", $register, "12, ", $register, "13"),
                    concat!("vpmaddubsw ", $register, "8, ", $register, "12, ", $register, "13"),
                    concat!("vpmaddubsw ", $register, "9, ", $register, "12, ", $register, "13"),
                    concat!("vpmaddubsw ", $register, "10, ", $register, "12, ", $register, "13"),
                    concat!("vpmaddubsw ", $register, "11, ", $register, "12, ", $register, "13"),
                    concat!("vpmaddwd ", $register, "6, ", $register, "6, ", $register, "14"),
                    concat!("vpmaddwd ", $register, "7, ", $register, "7, ", $register, "14"),
                    concat!("vpmaddwd ", $register, "8, ", $register, "8, ", $register, "14"),
                    concat!("vpmaddwd ", $register, "9, ", $register, "9, ", $register, "14"),
                    concat!("vpmaddwd ", $register, "10, ", $register, "10, ", $register, "14"),
                    concat!("vpmaddwd ", $register, "11, ", $register, "11, ", $register, "14"),
                    concat!("vpaddd ", $register, "0, ", $register, "0, ", $register, "6"),
                    concat!("vpaddd ", $register, "1, ", $register, "1, ", $register, "7"),
                    concat!("vpaddd ", $register, "2, ", $register, "2, ", $register, "8"),
                    concat!("vpaddd ", $register, "3, ", $register, "3, ", $register, "9"),
                    concat!("vpaddd ", $register, "4, ", $register, "4, ", $register, "10"),
                    concat!("vpaddd ", $register, "5, ", $register, "5, ", $register, "11"),
                    "dec {steps}", "jnz 2b",
                    steps = inout(reg) STEPS => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _, out("xmm6") _,
                    out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _,
                    out("xmm13") _, out("xmm14") _,
                    options(nomem, nostack),
                );
            }
        };
    }

    #[target_feature(enable = "avx2")]
    fn avx2() {
        sums_of_pairs!("ymm");
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn avx512() {
        sums_of_pairs!("zmm");
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod peak {
    use wanderwort::kernels::Backend;

    /// Not known.
    pub fn of(_: Backend) -> Option<f64> {
        None
    }
}
