//! One number for everything that a package's tensors unpack to, for comparing machines.

use super::super::tensor::Tensor;

/// CRC-32 (IEEE 802.3) over tensors: for each, its name, then its values. Integers are bytes, scales and floats little-endian.
#[derive(Clone, Debug, Default)]
pub struct WeightsChecksum {
    hasher: crc32fast::Hasher,
    values: usize,
}

impl WeightsChecksum {
    /// Adds the next tensor.
    pub fn add(&mut self, name: &str, tensor: &Tensor) {
        self.hasher.update(name.as_bytes());
        match tensor {
            Tensor::Float(tensor) => {
                self.values += tensor.values.len();
                self.floats(&tensor.values);
            }
            Tensor::Int8(tensor) => {
                self.values += tensor.values.len();
                self.floats(&tensor.scales);
                let bytes: Vec<u8> = tensor.values.iter().map(|&value| value as u8).collect();
                self.hasher.update(&bytes);
            }
        }
    }

    fn floats(&mut self, values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.hasher.update(&bytes);
    }

    /// The checksum of the tensors so far.
    pub fn value(&self) -> u32 {
        self.hasher.clone().finalize()
    }

    /// The number of values in them.
    pub fn values(&self) -> usize {
        self.values
    }
}
