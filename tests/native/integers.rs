//! The integers that training emulates are those that the engine computes.
//!
//! `tests/data/integers` holds a small student and every matrix product of three sentences as PyTorch emulates it, written by
//! `train/tests/make_integers.py`, which describes the layout.

use std::collections::BTreeMap;
use wanderwort::kernels::Backend;
use wanderwort::kernels::gemm::{ActivationScale, PackedMatrix, QuantizedRows, accumulate};
use wanderwort::model::package::log4::{self, Options};
use wanderwort::model::{FloatTensor, Int8Tensor, MarianModel, Tensor, decompressed, quantize_intgemm8};

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn words<T>(&mut self, count: usize, convert: impl Fn([u8; 4]) -> T) -> Vec<T> {
        self.bytes(4 * count).as_chunks().0.iter().map(|&word| convert(word)).collect()
    }

    fn number(&mut self) -> usize {
        self.words(1, u32::from_le_bytes)[0] as usize
    }

    fn floats(&mut self, count: usize) -> Vec<f32> {
        self.words(count, f32::from_le_bytes)
    }
}

/// What PyTorch has of a product in one precision.
struct Expected {
    step: f32,
    sums: Vec<i32>,
}

struct Product {
    name: String,
    rows: usize,
    scale: ActivationScale,
    activations: Vec<f32>,
    integers: Vec<i8>,
    int8: Expected,
    log4: Expected,
}

fn student() -> BTreeMap<String, FloatTensor> {
    let model = MarianModel::open("model.npz", include_bytes!("../data/integers/model.npz")).expect("a model");
    let mut tensors = BTreeMap::new();
    let keep = |name: &str, tensor: Tensor| {
        if let Tensor::Float(tensor) = tensor {
            tensors.insert(name.to_owned(), tensor);
        }
        Ok::<_, wanderwort::model::Error>(())
    };
    model.tensors(keep).expect("tensors");
    tensors
}

fn is_embedding(name: &str) -> bool {
    name == "Wemb"
}

/// Length of a product's sums, and number of its columns.
fn shape(name: &str, tensor: &FloatTensor) -> (usize, usize) {
    if is_embedding(name) { (tensor.columns, tensor.rows) } else { (tensor.rows, tensor.columns) }
}

fn products(student: &BTreeMap<String, FloatTensor>) -> Vec<Product> {
    let bytes = decompressed("products.bin.gz", include_bytes!("../data/integers/products.bin.gz")).expect("gzip");
    let mut reader = Reader(&bytes);
    let mut products = Vec::new();
    while !reader.0.is_empty() {
        let length = reader.number();
        let name = String::from_utf8(reader.bytes(length).to_vec()).expect("a name");
        let (inner, columns) = shape(&name, &student[&name]);
        let rows = reader.number();
        let multiplier = reader.floats(1)[0];
        let scale = if multiplier == 0.0 { ActivationScale::Dynamic } else { ActivationScale::Static(multiplier) };
        let activations = reader.floats(rows * inner);
        let integers = reader.bytes(rows * inner).iter().map(|&byte| byte.cast_signed()).collect();
        let mut expected =
            || Expected { step: reader.floats(1)[0], sums: reader.words(rows * columns, i32::from_le_bytes) };
        let (int8, log4) = (expected(), expected());
        products.push(Product { name, rows, scale, activations, integers, int8, log4 });
    }
    products
}

/// The weights of a product as Marian's int8 files hold them, and as a log-4-bit package does.
fn quantize(name: &str, tensor: &FloatTensor) -> [Int8Tensor; 2] {
    let (inner, columns) = shape(name, tensor);
    let by_columns: Vec<f32> = if is_embedding(name) {
        tensor.values.clone()
    } else {
        (0..inner * columns).map(|index| tensor.values[index % inner * columns + index / inner]).collect()
    };
    let log4 = log4::quantize(&by_columns, inner, columns, &Options::default(), None).dequantize();
    [quantize_intgemm8(tensor, is_embedding(name)), log4]
}

#[test]
fn every_product_has_the_integers_of_training() {
    let student = student();
    let products = products(&student);
    let matrices =
        student.keys().filter(|name| is_embedding(name) || name.rsplit('_').next().unwrap().starts_with('W'));
    let mut named: Vec<&str> = products.iter().map(|product| product.name.as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, matrices.map(String::as_str).collect::<Vec<_>>());

    for product in &products {
        let weights = quantize(&product.name, &student[&product.name]);
        for backend in Backend::available() {
            let mut quantized = QuantizedRows::new(backend);
            quantized.quantize(&product.activations, weights[0].inner, product.scale);
            let found: Vec<i8> = (0..product.rows).flat_map(|row| quantized.row(row)).collect();
            assert_eq!(found, product.integers, "activations of {} on {}", product.name, backend.name());
            for (kind, weights, expected) in
                [("int8", &weights[0], &product.int8), ("log-4-bit", &weights[1], &product.log4)]
            {
                let place = format!("{kind} product with {} on {}", product.name, backend.name());
                assert_eq!(weights.scales, [expected.step], "{place}");
                let matrix = PackedMatrix::pack(backend, weights.inner, weights.columns, &weights.values);
                let mut sums = vec![0; product.rows * weights.columns];
                accumulate(&quantized, &matrix, &mut sums);
                assert!(sums == expected.sums, "{place}");
            }
        }
    }
}
