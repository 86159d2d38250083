//! The kernels alone as a WebAssembly module that needs nothing from its host: `build.sh` builds it per instruction set,
//! `call.mjs` calls it.

mod compare;
#[path = "../../src/kernels/mod.rs"]
#[allow(dead_code)]
mod kernels;

use kernels::Backend;
use kernels::gemm::{self, ActivationScale, Best, Dequantize, PackedMatrix, QuantizedRows};
use std::cell::RefCell;

thread_local! {
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

fn say(message: String) {
    MESSAGE.with_borrow_mut(|held| *held = message);
}

/// Where the last message is; see [`message_length`].
#[unsafe(no_mangle)]
pub extern "C" fn message() -> *const u8 {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// Bytes of the last message, in UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn message_length() -> usize {
    MESSAGE.with_borrow(String::len)
}

/// Leaves the names of the backends in this module as the message.
#[unsafe(no_mangle)]
pub extern "C" fn backends() {
    say(Backend::available().iter().map(|backend| backend.name()).collect::<Vec<_>>().join(" "));
}

/// Compares all backends with plain loops for the seeds in a range, and with other processors; returns how many comparisons were made, or −1 and leaves a message.
#[unsafe(no_mangle)]
pub extern "C" fn check(first: u32, end: u32) -> i32 {
    std::panic::set_hook(Box::new(|info| say(info.to_string())));
    let mut count = 0;
    for backend in Backend::available() {
        let digest = compare::digest(backend, 0..40);
        if digest != compare::DIGEST {
            say(format!("{}: floats of other bits than elsewhere, {digest:x}", backend.name()));
            return -1;
        }
        for seed in first..end {
            if let Err(message) = compare::everything(backend, u64::from(seed)) {
                say(message);
                return -1;
            }
            count += 1;
        }
    }
    count
}

/// Operands of a benchmark, kept between calls.
struct Bench {
    a: QuantizedRows,
    w: PackedMatrix,
    scales: Vec<f32>,
    out: Vec<f32>,
    hidden: QuantizedRows,
}

thread_local! {
    static BENCH: RefCell<Option<Bench>> = const { RefCell::new(None) };
}

/// Makes operands of `rows × inner × columns` for the fastest backend, with weights in ± `largest`.
#[unsafe(no_mangle)]
pub extern "C" fn bench_prepare(rows: usize, inner: usize, columns: usize, largest: i32) {
    let backend = Backend::best();
    let mut random = compare::Random(1);
    let w: Vec<i8> =
        (0..inner * columns).map(|_| (random.up_to(2 * largest as usize) as i32 - largest) as i8).collect();
    let x: Vec<f32> = (0..rows * inner).map(|_| random.unit()).collect();
    let mut a = QuantizedRows::new(backend);
    a.quantize(&x, inner, ActivationScale::Dynamic);
    let w = PackedMatrix::pack(backend, inner, columns, &w);
    let (scales, out) = (vec![0.01; columns], vec![0.0; rows * columns]);
    BENCH.set(Some(Bench { a, w, scales, out, hidden: QuantizedRows::new(backend) }));
}

/// Repeats the product `times` times; `kind` 0: to floats, 1: arg-max, 2: ReLU and quantization.
#[unsafe(no_mangle)]
pub extern "C" fn bench_run(kind: u32, times: u32) {
    BENCH.with_borrow_mut(|bench| {
        let Some(Bench { a, w, scales, out, hidden }) = bench else { return };
        let dequantize = Dequantize { column_scales: scales, bias: scales };
        let mut best = [Best::NONE; 256];
        for _ in 0..times {
            match kind {
                0 => gemm::multiply(a, w, dequantize, out),
                1 => gemm::multiply_arg_max(a, 0..a.rows(), w, w.columns(), dequantize, &mut best[..a.rows()]),
                _ => gemm::multiply_relu_quantize(a, w, dequantize, 10.0, hidden),
            }
        }
        std::hint::black_box(&best);
    });
}
