//! Compares backends with plain loops: the same bodies run natively (`tests/native/kernels.rs`) and as WebAssembly
//! (`tests/kernels/lib.rs`).

use super::kernels::attention::{self, BFloat16, KeysValues, Number};
use super::kernels::gemm::float::{self, FloatMatrix};
use super::kernels::gemm::int16::{self, FixedMatrix, FixedRows};
use super::kernels::gemm::{self, ActivationScale, Best, Dequantize, PackedMatrix, QuantizedRows};
use super::kernels::{Backend, elementwise};
use std::fmt::Debug;

/// The backend that the others must equal.
fn reference() -> Backend {
    Backend::available()[0]
}

/// SplitMix64 (Steele et al., 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// 0 ..= most
    pub fn up_to(&mut self, most: usize) -> usize {
        (self.next() % (most as u64 + 1)) as usize
    }

    /// −1.0 .. 1.0
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Ordinary values, now and then a special one.
    fn float(&mut self) -> f32 {
        match self.up_to(200) {
            0 => 0.0,
            1 => -0.0,
            2 => f32::MAX,
            3 => -f32::MAX,
            4 => f32::INFINITY,
            5 => f32::NEG_INFINITY,
            6 => f32::NAN,
            7 => f32::MIN_POSITIVE,
            8 => 1e-42,
            9..40 => self.unit() * 100.0,
            _ => self.unit() * 3.0,
        }
    }

    fn floats(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.float()).collect()
    }

    fn tame(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.unit() * 3.0).collect()
    }
}

/// How values of a test matrix are spread.
#[derive(Clone, Copy, Debug)]
pub enum Spread {
    /// Anything in ±127.
    Any,
    /// Only ±127.
    Extreme,
    /// All 127.
    Largest,
    /// All −127.
    Smallest,
    /// Anything in ±63: log-4-bit weights.
    Narrow,
    /// Only ±63.
    NarrowExtreme,
}

pub const SPREADS: [Spread; 6] =
    [Spread::Any, Spread::Extreme, Spread::Largest, Spread::Smallest, Spread::Narrow, Spread::NarrowExtreme];

fn integers(random: &mut Random, spread: Spread, count: usize) -> Vec<i8> {
    let sign = |random: &mut Random| if random.up_to(1) == 0 { -1 } else { 1 };
    (0..count)
        .map(|_| match spread {
            Spread::Any => random.up_to(254) as i32 - 127,
            Spread::Extreme => 127 * sign(random),
            Spread::Largest => 127,
            Spread::Smallest => -127,
            Spread::Narrow => random.up_to(126) as i32 - 63,
            Spread::NarrowExtreme => 63 * sign(random),
        } as i8)
        .collect()
}

/// The shapes and values of one product.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub rows: usize,
    pub inner: usize,
    pub columns: usize,
    pub a: Spread,
    pub w: Spread,
    pub seed: u64,
}

impl Case {
    pub fn random(seed: u64) -> Case {
        let mut random = Random(seed);
        let (a, w) = (SPREADS[random.up_to(5)], SPREADS[random.up_to(5)]);
        let rows = random.up_to(40);
        let inner = 1 + if random.up_to(3) == 0 { random.up_to(1600) } else { random.up_to(150) };
        Case { rows, inner, columns: random.up_to(150), a, w, seed: random.next() }
    }
}

fn same<T: Copy + Debug>(
    what: &str,
    backend: Backend,
    actual: &[T],
    expected: &[T],
    equal: fn(T, T) -> bool,
) -> Result<(), String> {
    if actual.len() != expected.len() {
        return Err(format!("{what}, {}: {} values instead of {}", backend.name(), actual.len(), expected.len()));
    }
    match actual.iter().zip(expected).position(|(&a, &e)| !equal(a, e)) {
        None => Ok(()),
        Some(at) => Err(format!("{what}, {}: {:?} instead of {:?} at {at}", backend.name(), actual[at], expected[at])),
    }
}

/// The same bits, whatever a NaN carries.
fn same_bits(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn same_floats(what: &str, backend: Backend, actual: &[f32], expected: &[f32]) -> Result<(), String> {
    same(what, backend, actual, expected, same_bits)
}

#[inline(never)]
fn quantize_one(x: f32, multiplier: f32) -> i8 {
    let v = x * multiplier;
    let v = if v < 127.0 { v } else { 127.0 };
    let v = if v > -127.0 { v } else { -127.0 };
    v.round_ties_even() as i8
}

/// Every integer product of a backend against triple loops.
pub fn integer_products(backend: Backend, case: Case) -> Result<(), String> {
    let Case { rows, inner, columns, .. } = case;
    let mut random = Random(case.seed);
    let a_values = integers(&mut random, case.a, rows * inner);
    let w_values = integers(&mut random, case.w, columns * inner);
    let floats: Vec<f32> = a_values.iter().map(|&x| f32::from(x)).collect();
    let mut a = QuantizedRows::new(backend);
    a.quantize(&floats, inner, ActivationScale::Static(1.0));
    for row in 0..rows {
        same("quantized row", backend, &a.row(row), &a_values[row * inner..][..inner], |a, b| a == b)?;
    }
    let w = PackedMatrix::pack(backend, inner, columns, &w_values);
    let mut column_values = vec![0; inner];
    for column in 0..columns {
        w.unpack_column(column, &mut column_values);
        same("unpacked column", backend, &column_values, &w_values[column * inner..][..inner], |a, b| a == b)?;
    }

    let exact = |row: usize, column: usize| -> i32 {
        let (a, w) = (&a_values[row * inner..][..inner], &w_values[column * inner..][..inner]);
        a.iter().zip(w).map(|(&a, &w)| i32::from(a) * i32::from(w)).sum()
    };
    let expected: Vec<i32> = (0..rows).flat_map(|row| (0..columns).map(move |column| exact(row, column))).collect();
    let mut sums = vec![0; rows * columns];
    gemm::accumulate(&a, &w, &mut sums);
    same("accumulators", backend, &sums, &expected, |a, b| a == b)?;

    // Real scales from here on.
    let floats = random.tame(rows * inner);
    let scale = if random.up_to(1) == 0 { ActivationScale::Dynamic } else { ActivationScale::Static(40.0) };
    a.quantize(&floats, inner, scale);
    let column_scales: Vec<f32> = (0..columns).map(|_| random.unit().abs() * 0.02).collect();
    let mut bias = random.tame(columns);
    if columns > 3 {
        // A tie.
        bias[columns - 1] = 1e6;
        bias[columns / 2] = 1e6;
    }
    let dequantize = Dequantize { column_scales: &column_scales, bias: &bias };
    gemm::accumulate(&a, &w, &mut sums);
    let expected: Vec<f32> = (0..rows * columns)
        .map(|i| sums[i] as f32 * (a.scale(i / columns) * column_scales[i % columns]) + bias[i % columns])
        .collect();
    let mut out = vec![0.0; rows * columns];
    gemm::multiply(&a, &w, dequantize, &mut out);
    same_floats("dequantized product", backend, &out, &expected)?;

    if columns > 0 {
        let mut hidden = QuantizedRows::new(backend);
        gemm::multiply_relu_quantize(&a, &w, dequantize, 17.0, &mut hidden);
        for row in 0..rows {
            let expected: Vec<i8> =
                expected[row * columns..][..columns].iter().map(|&x| quantize_one(x.max(0.0), 17.0)).collect();
            same("hidden layer", backend, &hidden.row(row), &expected, |a, b| a == b)?;
        }
        // A product of what is known to be non-negative.
        let next_values = integers(&mut random, case.w, columns * 19);
        let next = PackedMatrix::pack(backend, columns, 19, &next_values);
        let mut sums = vec![0; rows * 19];
        gemm::accumulate(&hidden, &next, &mut sums);
        let expected: Vec<i32> = (0..rows)
            .flat_map(|row| {
                let hidden = hidden.row(row);
                let dot = move |w: &[i8]| hidden.iter().zip(w).map(|(&a, &w)| i32::from(a) * i32::from(w)).sum::<i32>();
                next_values.chunks_exact(columns).map(dot).collect::<Vec<_>>()
            })
            .collect();
        same("product of a hidden layer", backend, &sums, &expected, |a, b| a == b)?;
    }

    let first = random.up_to(rows);
    let range = first..first + random.up_to(rows - first);
    let prefix = random.up_to(columns);
    let stride = prefix + random.up_to(3);
    let mut part = vec![7.0; range.end * stride];
    let mut wanted = part.clone();
    for row in range.clone() {
        wanted[row * stride..][..prefix].copy_from_slice(&expected[row * columns..][..prefix]);
    }
    gemm::multiply_columns(&a, range.clone(), &w, prefix, dequantize, stride, &mut part);
    same_floats("some columns", backend, &part, &wanted)?;

    let mut best = vec![Best::NONE; range.len()];
    gemm::multiply_arg_max(&a, range.clone(), &w, prefix, dequantize, &mut best);
    let arg_max = |row: usize| {
        let mut best = Best::NONE;
        for (column, &logit) in expected[row * columns..][..prefix].iter().enumerate() {
            if logit > best.logit {
                best = Best { logit, column: column as u32 };
            }
        }
        best
    };
    let expected: Vec<Best> = range.map(arg_max).collect();
    same("arg-max", backend, &best, &expected, |a, b| a == b)?;

    if columns > 0 {
        let chosen: Vec<u32> = (0..random.up_to(40)).map(|_| random.up_to(columns - 1) as u32).collect();
        let mut gathered = PackedMatrix::empty(backend, inner);
        // Reuse after something larger.
        gathered.gather(&w, &[0; 50]);
        gathered.gather(&w, &chosen);
        let mut some = vec![0; rows * chosen.len()];
        gemm::accumulate(&a, &gathered, &mut some);
        let expected: Vec<i32> = (0..rows)
            .flat_map(|row| chosen.iter().map(|&c| sums[row * columns + c as usize]).collect::<Vec<_>>())
            .collect();
        same("gathered columns", backend, &some, &expected, |a, b| a == b)?;
    }
    Ok(())
}

/// Quantization of any floats.
pub fn quantization(backend: Backend, seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    let (rows, inner) = (random.up_to(5), 1 + random.up_to(200));
    let values = random.floats(rows * inner);
    let mut actual = QuantizedRows::new(backend);
    for scale in [ActivationScale::Dynamic, ActivationScale::Static(0.5 + random.unit().abs() * 100.0)] {
        actual.quantize(&values, inner, scale);
        for (row, values) in values.chunks_exact(inner).enumerate() {
            let multiplier = match scale {
                ActivationScale::Static(multiplier) => multiplier,
                ActivationScale::Dynamic => {
                    let largest = values.iter().fold(0f32, |a, x| if x.abs() > a { x.abs() } else { a });
                    if largest > 0.0 { 127.0 / largest } else { 1.0 }
                }
            };
            let expected: Vec<i8> = values.iter().map(|&x| quantize_one(x, multiplier)).collect();
            same("quantization", backend, &actual.row(row), &expected, |a, b| a == b)?;
            same_floats("scale of a row", backend, &[actual.scale(row)], &[1.0 / multiplier])?;
        }
    }
    Ok(())
}

/// Products in 16-bit fixed point: exact sums, also where they nearly fill 32 bits.
pub fn fixed_products(backend: Backend, case: Case) -> Result<(), String> {
    let Case { rows, inner, columns, .. } = case;
    let mut random = Random(case.seed);
    // Magnitudes in a column add up to 250 at most.
    let widest = (250.0 / inner as f32).min(31.9);
    let most = [widest, widest / 40.0][random.up_to(1)];
    let weight = |random: &mut Random| match case.w {
        Spread::Largest => most,
        Spread::Smallest => -most,
        _ => random.unit() * most,
    };
    let w_values: Vec<f32> = (0..columns * inner).map(|_| weight(&mut random)).collect();
    let a = match case.a {
        Spread::Largest => vec![1e3; rows * inner],
        Spread::Smallest => vec![-1e3; rows * inner],
        _ => random.floats(rows * inner),
    };
    let bias = random.tame(columns);
    let w = FixedMatrix::pack(backend, inner, columns, &w_values).map_err(|error| error.to_string())?;
    let integer = |x: f32| (x * 1024.0).round_ties_even();
    let sum = |w: &[f32]| w.iter().map(|&w| integer(w).abs() as i64).sum::<i64>();
    let largest = w_values.chunks_exact(inner).map(sum).max().unwrap_or(0);
    let limit = (i64::from(i32::MAX).checked_div(largest).unwrap_or(i64::MAX)).min(32767);
    same("limit of activations", backend, &[i64::from(w.limit())], &[limit], |a, b| a == b)?;
    let clipped = |x: f32| if x.is_nan() { limit } else { integer(x).clamp(-limit as f32, limit as f32) as i64 };
    let integers: Vec<i64> = a.iter().map(|&x| clipped(x)).collect();
    let mut fixed = FixedRows::new(backend);
    fixed.quantize(&a, inner, w.limit());
    for (row, integers) in integers.chunks_exact(inner).enumerate() {
        let row: Vec<i64> = fixed.row(row).into_iter().map(i64::from).collect();
        same("fixed point", backend, &row, integers, |a, b| a == b)?;
    }

    let dot = |row: usize, column: usize| {
        let (a, w) = (&integers[row * inner..][..inner], &w_values[column * inner..][..inner]);
        let sum: i64 = a.iter().zip(w).map(|(a, &w)| a * integer(w) as i64).sum();
        i32::try_from(sum).expect("a sum of 32 bits") as f32 * (1.0 / (1024.0 * 1024.0)) + bias[column]
    };
    let expected: Vec<f32> = (0..rows * columns).map(|i| dot(i / columns, i % columns)).collect();
    let mut out = vec![0.0; rows * columns];
    int16::multiply(&fixed, &w, &bias, &mut out);
    same_floats("fixed-point product", backend, &out, &expected)?;

    let first = random.up_to(rows);
    let range = first..first + random.up_to(rows - first);
    let prefix = random.up_to(columns);
    let stride = prefix + random.up_to(3);
    let mut part = vec![7.0; range.end * stride];
    let mut wanted = part.clone();
    for row in range.clone() {
        wanted[row * stride..][..prefix].copy_from_slice(&expected[row * columns..][..prefix]);
    }
    int16::multiply_columns(&fixed, range.clone(), &w, prefix, &bias, stride, &mut part);
    same_floats("some fixed-point columns", backend, &part, &wanted)?;

    let mut best = vec![Best::NONE; range.len()];
    int16::multiply_arg_max(&fixed, range.clone(), &w, prefix, &bias, &mut best);
    let arg_max = |row: usize| {
        let mut best = Best::NONE;
        for (column, &logit) in expected[row * columns..][..prefix].iter().enumerate() {
            best.merge(Best { logit, column: column as u32 });
        }
        best
    };
    let expected: Vec<Best> = range.map(arg_max).collect();
    same("fixed-point arg-max", backend, &best, &expected, |a, b| a == b)?;

    if columns > 0 {
        let chosen: Vec<u32> = (0..random.up_to(40)).map(|_| random.up_to(columns - 1) as u32).collect();
        let mut gathered = FixedMatrix::empty(backend, inner);
        gathered.gather(&w, &chosen);
        same("limit of gathered columns", backend, &[gathered.limit()], &[w.limit()], |a, b| a == b)?;
        let mut column = vec![0.0; inner];
        for (i, &from) in chosen.iter().enumerate() {
            gathered.unpack_column(i, &mut column);
            let wanted: Vec<f32> =
                w_values[from as usize * inner..][..inner].iter().map(|&w| integer(w) as i64 as f32 / 1024.0).collect();
            same_floats("gathered fixed-point column", backend, &column, &wanted)?;
        }
    }
    Ok(())
}

/// Float products: each backend sums in ascending order of k.
pub fn float_products(backend: Backend, case: Case) -> Result<(), String> {
    let Case { rows, inner, columns, .. } = case;
    let mut random = Random(case.seed);
    let a = random.tame(rows * inner);
    let w_values = random.tame(columns * inner);
    let mut bias = random.tame(columns);
    if columns > 3 {
        bias[columns - 1] = 1e9;
        bias[columns / 2] = 1e9;
    }
    let w = FloatMatrix::pack(backend, inner, columns, &w_values);
    let dot = |row: usize, column: usize| {
        let (a, w) = (&a[row * inner..][..inner], &w_values[column * inner..][..inner]);
        a.iter().zip(w).fold(0.0, |sum, (a, w)| sum + a * w) + bias[column]
    };
    let expected: Vec<f32> = (0..rows * columns).map(|i| dot(i / columns, i % columns)).collect();
    let mut out = vec![0.0; rows * columns];
    float::multiply(&a, &w, &bias, &mut out);
    same_floats("float product", backend, &out, &expected)?;

    let first = random.up_to(rows);
    let range = first..first + random.up_to(rows - first);
    let prefix = random.up_to(columns);
    let stride = prefix + random.up_to(3);
    let mut part = vec![7.0; range.end * stride];
    let mut wanted = part.clone();
    for row in range.clone() {
        wanted[row * stride..][..prefix].copy_from_slice(&expected[row * columns..][..prefix]);
    }
    float::multiply_columns(&a, range.clone(), &w, prefix, &bias, stride, &mut part);
    same_floats("some float columns", backend, &part, &wanted)?;

    let mut best = vec![Best::NONE; range.len()];
    float::multiply_arg_max(&a, range.clone(), &w, prefix, &bias, &mut best);
    let arg_max = |row: usize| {
        let mut best = Best::NONE;
        for (column, &logit) in expected[row * columns..][..prefix].iter().enumerate() {
            if logit > best.logit {
                best = Best { logit, column: column as u32 };
            }
        }
        best
    };
    let expected: Vec<Best> = range.map(arg_max).collect();
    same("float arg-max", backend, &best, &expected, |a, b| a == b)?;

    if columns > 0 {
        let chosen: Vec<u32> = (0..random.up_to(40)).map(|_| random.up_to(columns - 1) as u32).collect();
        let mut gathered = FloatMatrix::empty(backend, inner);
        gathered.gather(&w, &chosen);
        let mut column = vec![0.0; inner];
        for (i, &from) in chosen.iter().enumerate() {
            gathered.unpack_column(i, &mut column);
            same_floats("gathered float column", backend, &column, &w_values[from as usize * inner..][..inner])?;
        }
    }
    Ok(())
}

/// Norms, gates and activations: the same bits as the portable ones, specials included.
pub fn elementwise(backend: Backend, seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    let width = 1 + random.up_to(300);
    let count = width * random.up_to(4);
    let (gamma, beta) = (random.floats(width), random.floats(width));
    let (x, y, z) = (random.floats(count), random.floats(count), random.floats(count));
    type Step<'a> = (&'a str, &'a dyn Fn(Backend) -> Vec<f32>);
    let on_x = |step: &dyn Fn(&mut [f32])| {
        let mut x = x.clone();
        step(&mut x);
        x
    };
    let rows = count / width;
    let (input, recurrent) = (random.floats(3 * count), random.floats(3 * count));
    let steps: [Step; 10] = [
        ("layer_norm", &|b| on_x(&|x| elementwise::layer_norm(b, x, &gamma, &beta, 1e-6))),
        ("add_layer_norm", &|b| on_x(&|x| elementwise::add_layer_norm(b, x, &y, &gamma, &beta))),
        ("add", &|b| on_x(&|x| elementwise::add(b, x, &y))),
        ("relu", &|b| on_x(&|x| elementwise::relu(b, x))),
        ("swish", &|b| on_x(&|x| elementwise::swish(b, x))),
        ("ssru_step", &|b| {
            let (mut cell, mut input) = (y.clone(), z.clone());
            elementwise::ssru_step(b, &x, &mut cell, &mut input);
            cell.extend(input);
            cell
        }),
        ("tanh", &|b| on_x(&|x| elementwise::tanh_in_place(b, x))),
        ("gru_step", &|b| on_x(&|x| elementwise::gru_step(b, &input, &recurrent, x, width))),
        ("gru_step without input", &|b| {
            on_x(&|x| elementwise::gru_step(b, &input[..3 * width.min(count)], &recurrent, x, width.min(count.max(1))))
        }),
        ("log_sum_exp", &|b| vec![elementwise::log_sum_exp(b, &x)]),
    ];
    for (name, step) in steps {
        same_floats(name, backend, &step(backend), &step(reference()))?;
    }

    // The unit against its formula in double precision.
    let (before, input, recurrent) = (random.tame(count), random.tame(3 * count), random.tame(3 * count));
    let mut states = before.clone();
    elementwise::gru_step(backend, &input, &recurrent, &mut states, width);
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    for (index, (&state, &before)) in states.iter().zip(&before).enumerate() {
        let part =
            |from: &[f32], part: usize| f64::from(from[index / width * 3 * width + part * width + index % width]);
        let reset = sigmoid(part(&input, 0) + part(&recurrent, 0));
        let keep = sigmoid(part(&input, 1) + part(&recurrent, 1));
        let candidate = (part(&input, 2) + reset * part(&recurrent, 2)).tanh();
        let exact = (1.0 - keep) * candidate + keep * f64::from(before);
        if (f64::from(state) - exact).abs() > 1e-5 {
            return Err(format!("gru_step, {rows} rows: {state} instead of {exact}"));
        }
    }
    Ok(())
}

/// Attention: the same bits as the portable one, whether keys come together or one by one, in either precision.
pub fn attention(backend: Backend, seed: u64) -> Result<(), String> {
    attention_to::<f32>(backend, seed)?;
    attention_to::<BFloat16>(backend, seed)?;
    additive_attention(backend, seed)
}

fn additive_attention(backend: Backend, seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    let (width, length) = (1 + random.up_to(90), 1 + random.up_to(70));
    let (keys, values) = (random.tame(length * width), random.tame(length * width));
    let (query, w) = (random.tame(width), random.tame(width));
    let run = |backend: Backend| {
        let mut memory = KeysValues::<f32>::default();
        memory.set(backend, &[7.0; 5 * 40], &[7.0; 5 * 40], 40, 2);
        memory.set(backend, &keys, &values, width, 1);
        let (mut out, mut weights) = (vec![0.0; width], vec![0.0; length]);
        let mut scratch = attention::Scratch::default();
        attention::attend_additive(backend, &query, &w, &memory, &mut scratch, Some(&mut weights), &mut out);
        out.extend(weights);
        out
    };
    let actual = run(backend);
    same_floats("additive attention", backend, &actual, &run(reference()))?;
    let score = |position: usize| {
        let term = |d: usize| f64::from(w[d]) * (f64::from(query[d]) + f64::from(keys[position * width + d])).tanh();
        (0..width).map(term).sum::<f64>()
    };
    let scores: Vec<f64> = (0..length).map(score).collect();
    let largest = scores.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    let sum: f64 = scores.iter().map(|s| (s - largest).exp()).sum();
    for (d, &actual) in actual[..width].iter().enumerate() {
        let weighted = |p: usize| (scores[p] - largest).exp() / sum * f64::from(values[p * width + d]);
        let exact = (0..length).map(weighted).sum::<f64>();
        if (f64::from(actual) - exact).abs() > 1e-4 {
            return Err(format!("additive attention: {actual} instead of {exact}"));
        }
    }
    Ok(())
}

fn attention_to<N: Number>(backend: Backend, seed: u64) -> Result<(), String>
where
    f32: From<N>,
{
    let mut random = Random(seed);
    let heads = 1 + random.up_to(3);
    let head_width = 1 + random.up_to(70);
    let (width, length, queries) = (heads * head_width, 1 + random.up_to(70), random.up_to(9));
    let (keys, values) = (random.tame(length * width), random.tame(length * width));
    let query = random.tame(queries * width);
    let head = random.up_to(heads - 1);
    let run = |backend: Backend, together: bool| {
        let mut memory = KeysValues::<N>::default();
        // Memory that has held something else.
        memory.set(backend, &[7.0; 5 * 40], &[7.0; 5 * 40], 40, 2);
        if together {
            memory.set(backend, &keys, &values, width, heads);
        } else {
            memory.clear(width, heads);
            for (keys, values) in keys.chunks_exact(width).zip(values.chunks_exact(width)) {
                memory.append(keys, values);
            }
        }
        let (mut out, mut weights) = (vec![0.0; query.len()], vec![0.0; queries * length]);
        let mut scratch = attention::Scratch::default();
        attention::attend(backend, &query, &memory, &mut scratch, Some((head, &mut weights)), &mut out);
        out.extend(weights);
        out
    };
    let expected = run(reference(), true);
    same_floats("attention", backend, &run(backend, true), &expected)?;
    same_floats("attention over appended keys", backend, &run(backend, false), &expected)?;

    // The portable one against a plain loop in double precision.
    let kept = |rows: &[f32]| rows.iter().map(|&x| f32::from(N::nearest(x))).collect::<Vec<_>>();
    let (keys, values) = (kept(&keys), kept(&values));
    for (i, query) in query.chunks_exact(width).enumerate() {
        for h in 0..heads {
            let part = |rows: &[f32], position: usize, d: usize| f64::from(rows[position * width + h * head_width + d]);
            let score = |position| {
                (0..head_width).map(|d| f64::from(query[h * head_width + d]) * part(&keys, position, d)).sum::<f64>()
                    / (head_width as f64).sqrt()
            };
            let scores: Vec<f64> = (0..length).map(score).collect();
            let largest = scores.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            let sum: f64 = scores.iter().map(|s| (s - largest).exp()).sum();
            for d in 0..head_width {
                let weighted = |p: usize| (scores[p] - largest).exp() / sum * part(&values, p, d);
                let exact = (0..length).map(weighted).sum::<f64>();
                let actual = expected[i * width + h * head_width + d];
                if (f64::from(actual) - exact).abs() > 1e-4 {
                    return Err(format!("attention: {actual} instead of {exact}"));
                }
            }
        }
    }
    Ok(())
}

/// Halves of floats are the nearest ones: no other half is nearer, and of two equally near the even one.
pub fn halves(seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    let bits = (random.next() as u32) & if seed.is_multiple_of(2) { u32::MAX } else { 0xFFFF_8000 };
    let (x, half) = (f32::from_bits(bits), BFloat16::from(f32::from_bits(bits)));
    let back = f32::from(half);
    let told = || format!("{x:e} ({bits:#010x}) became {back:e}");
    if BFloat16::from(back) != half && !back.is_nan() {
        return Err(told());
    }
    if !x.is_finite() || !back.is_finite() {
        // Beyond the largest half lies infinity.
        let same = x.is_nan() == back.is_nan() && (!x.is_infinite() || x == back);
        return if same && (!x.is_finite() || x.abs() > 3.389e38) { Ok(()) } else { Err(told()) };
    }
    let distance = |other: f32| (f64::from(other) - f64::from(x)).abs();
    for neighbour in [back.to_bits().wrapping_sub(1 << 16), back.to_bits().wrapping_add(1 << 16)] {
        let other = f32::from_bits(neighbour);
        if other.is_finite() && other.is_sign_positive() == back.is_sign_positive() {
            let even = back.to_bits() >> 16 & 1 == 0;
            if distance(other) < distance(back) || distance(other) == distance(back) && !even {
                return Err(told());
            }
        }
    }
    Ok(())
}

/// What [`digest`] gives for the seeds 0 .. 40 on every backend, processor and engine.
pub const DIGEST: u64 = 0xDD1E_62E0_4F37_7144;

/// A number made of all bits that the float functions and the quantizer give, for comparing processors.
pub fn digest(backend: Backend, seeds: std::ops::Range<u64>) -> u64 {
    let mut digest = 0xCBF2_9CE4_8422_2325;
    for seed in seeds {
        let mut random = Random(seed);
        let (rows, width) = (random.up_to(9), 1 + random.up_to(300));
        let count = rows * width;
        let (gamma, beta) = (random.floats(width), random.floats(width));
        let (mut x, y, mut z) = (random.floats(count), random.floats(count), random.floats(count));
        let mut results = Vec::new();
        elementwise::add_layer_norm(backend, &mut x, &y, &gamma, &beta);
        results.extend_from_slice(&x);
        let mut cell = random.floats(count);
        elementwise::ssru_step(backend, &y, &mut cell, &mut z);
        results.extend_from_slice(&cell);
        elementwise::swish(backend, &mut z);
        results.extend_from_slice(&z);
        results.push(elementwise::log_sum_exp(backend, &y));
        let mut memory = KeysValues::<f32>::default();
        let (keys, values, queries) = (random.tame(count + width), random.tame(count + width), random.tame(count));
        let mut halves = KeysValues::<BFloat16>::default();
        memory.set(backend, &keys, &values, width, 1);
        halves.set(backend, &keys, &values, width, 1);
        let mut scratch = attention::Scratch::default();
        let mut out = vec![0.0; count];
        attention::attend(backend, &queries, &memory, &mut scratch, None, &mut out);
        results.extend_from_slice(&out);
        attention::attend(backend, &queries, &halves, &mut scratch, None, &mut out);
        results.extend(out);
        let w = FloatMatrix::pack(backend, width, rows, &values[..count]);
        let mut out = vec![0.0; rows * rows];
        float::multiply(&queries, &w, &vec![0.5; rows], &mut out);
        results.extend(out);
        let mut quantized = QuantizedRows::new(backend);
        quantized.quantize(&y, width, ActivationScale::Dynamic);
        let quantized = (0..rows).flat_map(|row| quantized.row(row));
        let results = results.into_iter().map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() });
        for word in results.chain(quantized.map(|x| x as u32)) {
            // Fowler, Noll and Vo, by words.
            digest = (digest ^ u64::from(word)).wrapping_mul(0x100_0000_01B3);
        }
    }
    digest
}

/// Everything above for one backend and one seed.
pub fn everything(backend: Backend, seed: u64) -> Result<(), String> {
    let case = Case::random(seed);
    let told = |error: String| format!("{error}\n{case:?}, seed {seed}");
    integer_products(backend, case).map_err(told)?;
    fixed_products(backend, case).map_err(told)?;
    float_products(backend, Case { columns: case.columns.min(60), inner: case.inner.min(200), ..case })
        .map_err(told)?;
    quantization(backend, seed).map_err(told)?;
    elementwise(backend, seed).map_err(told)?;
    attention(backend, seed).map_err(told)?;
    halves(seed)
}
