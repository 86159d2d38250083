//! From a model's named tensors to a [`Network`].

use super::Network;
use super::attention::{MultiHead, NoHeads};
use super::average_attention::AverageAttention;
use super::decoder::{Decoder, DecoderLayer, TransformerDecoder};
use super::embedding::{Embedding, MAX_DIM, Positions};
use super::encoder::{Encoder, EncoderAttention, EncoderLayer, TransformerEncoder};
use super::feed_forward::FeedForward;
use super::linear::{Int8Weights, Weights};
use super::norm::{LayerNorm, Residual};
use super::output::{OutputLayer, UNKNOWN_WORD};
use super::past::Past;
use super::recurrent::{RecurrentDecoder, RecurrentEncoder};
use super::self_attention::SelfAttention;
use super::ssru::Ssru;
use super::statistics::Observe;
use super::tensors::{Tensors, check_shape};
use crate::kernels::gemm::float::FloatMatrix;
use crate::kernels::gemm::int16::{FixedMatrix, OutOfRange};
use crate::kernels::gemm::{ActivationScale, PackedMatrix};
use crate::kernels::{Backend, elementwise};
use crate::model::names::{self, Block, BlockKind, Norm, Role, Stack, TensorName};
use crate::model::{self, Config, DecoderKind, FloatTensor, Int8Tensor, Normalization, Tensor};
use std::collections::BTreeMap;

/// The arithmetic of the products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Precision {
    /// int8 weights and activations, int32 accumulators. Float weights are quantized as they are loaded.
    #[default]
    Int8,
    /// 16-bit fixed point with ten bits after the point, int32 accumulators, see [`int16`](crate::kernels::gemm::int16). Quantized weights are
    /// expanded as they are loaded. Nothing has to be calibrated, and stored activation multipliers are not used.
    Int16,
    /// 32-bit floats, for reference. Quantized weights are expanded as they are loaded.
    Float32,
}

/// Why a model's tensors do not make a network.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum NetworkError {
    /// The architecture needs a tensor that the model does not have.
    #[error("the model has no tensor `{name}`, which its architecture needs; is the file complete?")]
    Missing {
        /// The tensor's name.
        name: String,
    },
    /// A tensor occurs twice.
    #[error("tensor `{name}` occurs twice")]
    Duplicate {
        /// The tensor's name.
        name: String,
    },
    /// A tensor's dimensions are not those that the architecture needs.
    #[error("tensor `{name}`: expected {expected}, found {found}")]
    Shape {
        /// The tensor's name.
        name: String,
        /// What the architecture needs.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// A tensor holds something that is not a finite number.
    #[error("tensor `{name}`: value {index} is not a finite number")]
    NotFinite {
        /// The tensor's name.
        name: String,
        /// Where in the tensor.
        index: usize,
    },
    /// Weights that 16-bit fixed point cannot hold, or whose 32-bit sums could overflow.
    #[error("tensor `{name}`: {source}")]
    FixedPoint {
        /// The tensor's name.
        name: String,
        /// What is out of range.
        source: OutOfRange,
    },
    /// The model has a tensor that the architecture does not use, so the engine would not compute what the model means.
    #[error("the engine does not know what tensor `{name}` is for; it may belong to a newer architecture")]
    Unknown {
        /// The tensor's name.
        name: String,
    },
    /// A dimension of the architecture is outside the range that the engine runs.
    #[error("`{option}` is {value}; the engine runs {supported}")]
    Dimension {
        /// The option of the model's configuration.
        option: &'static str,
        /// Its value.
        value: usize,
        /// What is supported.
        supported: String,
    },
}

/// Which products use the activation multipliers that a model stores; the others scale every row by its own largest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StoredScales {
    /// All, as Marian does, and as training that emulates int8 expects.
    #[default]
    All,
    /// Only those after a ReLU, whose input is quantized while it is still in registers. Elsewhere each row has a scale of its own, which
    /// clips nothing and so suits models better that were not tuned to their stored scales.
    Hidden,
    /// None.
    Ignored,
}

/// Collects tensors in any order, packing each for the kernels at once, and puts the layers together at the end.
#[derive(Debug)]
pub struct NetworkBuilder {
    tensors: Tensors,
}

impl NetworkBuilder {
    /// A builder without tensors.
    pub fn new(precision: Precision, backend: Backend) -> Self {
        let (scales, matrices, vectors) = (StoredScales::default(), BTreeMap::new(), BTreeMap::new());
        let (observe, observers) = (Observe::Nothing, Vec::new());
        Self { tensors: Tensors { backend, precision, scales, observe, observers, matrices, vectors } }
    }

    /// Chooses which stored activation multipliers to use.
    pub fn scales(mut self, scales: StoredScales) -> Self {
        self.tensors.scales = scales;
        self
    }

    /// Chooses what to record of the inputs of each int8 product, see [`Network::activation_statistics`] and [`Network::second_moments`].
    /// Static activation scales hide the inputs of hidden layers' last products, so none are used if anything is recorded.
    pub fn observe(mut self, observe: Observe) -> Self {
        self.tensors.observe = observe;
        if observe == Observe::Nothing { self } else { self.scales(StoredScales::Ignored) }
    }

    /// Takes over one tensor.
    ///
    /// # Errors
    /// If the tensor occurs twice or holds values that are not finite.
    pub fn add(&mut self, name: &str, tensor: Tensor) -> Result<(), NetworkError> {
        if self.tensors.matrices.contains_key(name) || self.tensors.vectors.contains_key(name) {
            return Err(NetworkError::Duplicate { name: name.to_owned() });
        }
        match tensor {
            Tensor::Float(tensor) => {
                if let Some(index) = tensor.values.iter().position(|value| !value.is_finite()) {
                    return Err(NetworkError::NotFinite { name: name.to_owned(), index });
                }
                if matches!(TensorName::parse(name).role, Role::Vector | Role::Multiplier) {
                    if tensor.rows > 1 && tensor.columns > 1 {
                        let expected = "one row or one column".to_owned();
                        let found = format!("{} × {}", tensor.rows, tensor.columns);
                        return Err(NetworkError::Shape { name: name.to_owned(), expected, found });
                    }
                    self.tensors.vectors.insert(name.to_owned(), tensor.values);
                } else {
                    let weights = self.pack_float(name, tensor)?;
                    self.tensors.matrices.insert(name.to_owned(), weights);
                }
            }
            Tensor::Int8(tensor) => {
                if let Some(index) = tensor.scales.iter().position(|scale| !scale.is_finite() || *scale <= 0.0) {
                    return Err(NetworkError::NotFinite { name: format!("{name} (scales)"), index });
                }
                let weights = self.pack_int8(name, tensor)?;
                self.tensors.matrices.insert(name.to_owned(), weights);
            }
        }
        Ok(())
    }

    fn pack_float(&self, name: &str, tensor: FloatTensor) -> Result<Weights, NetworkError> {
        // A matrix with a row for each word already holds the columns of the output product one after another.
        let (inner, columns, values) = if TensorName::parse(name).role.has_row_for_each_word() {
            (tensor.columns, tensor.rows, tensor.values)
        } else {
            let mut transposed = vec![0.0; tensor.values.len()];
            for (k, row) in tensor.values.chunks_exact(tensor.columns).enumerate() {
                for (n, &value) in row.iter().enumerate() {
                    transposed[n * tensor.rows + k] = value;
                }
            }
            (tensor.rows, tensor.columns, transposed)
        };
        match self.tensors.precision {
            Precision::Int8 => self.pack_int8(name, Int8Tensor::quantize(inner, columns, &values)),
            Precision::Int16 | Precision::Float32 => self.pack_columns(name, inner, columns, &values),
        }
    }

    fn pack_int8(&self, name: &str, tensor: Int8Tensor) -> Result<Weights, NetworkError> {
        let scales: Vec<f32> = (0..tensor.columns).map(|column| tensor.scale(column)).collect();
        match self.tensors.precision {
            Precision::Int8 => Ok(Weights::Int8(Int8Weights {
                matrix: PackedMatrix::pack(self.tensors.backend, tensor.inner, tensor.columns, &tensor.values),
                scales,
                activation: ActivationScale::Dynamic,
                observer: None,
            })),
            Precision::Int16 | Precision::Float32 => {
                let columns = tensor.values.chunks_exact(tensor.inner).zip(&scales);
                let values: Vec<f32> =
                    columns.flat_map(|(column, scale)| column.iter().map(move |&w| f32::from(w) * scale)).collect();
                self.pack_columns(name, tensor.inner, tensor.columns, &values)
            }
        }
    }

    /// Packs floats, stored column by column, for products that are not int8.
    fn pack_columns(&self, name: &str, inner: usize, columns: usize, values: &[f32]) -> Result<Weights, NetworkError> {
        let backend = self.tensors.backend;
        if self.tensors.precision != Precision::Int16 {
            return Ok(Weights::Float(FloatMatrix::pack(backend, inner, columns, values)));
        }
        match FixedMatrix::pack(backend, inner, columns, values) {
            Ok(matrix) => Ok(Weights::Int16(matrix)),
            Err(source) => Err(NetworkError::FixedPoint { name: name.to_owned(), source }),
        }
    }

    /// Puts the layers of a model of architecture `config` together.
    ///
    /// # Errors
    /// If a tensor is missing, has the wrong shape, or is not part of the architecture.
    pub fn finish(self, config: &Config) -> Result<Network, NetworkError> {
        Assembly { parts: self.tensors, config }.network()
    }
}

/// Puts layers together, from tensors and the architecture.
struct Assembly<'a> {
    parts: Tensors,
    config: &'a Config,
}

impl Assembly<'_> {
    fn network(mut self) -> Result<Network, NetworkError> {
        let config = self.config;
        let dim = config.dim;
        if !(4..=MAX_DIM).contains(&dim) || !dim.is_multiple_of(2) {
            let supported = format!("even numbers from 4 to {MAX_DIM}");
            return Err(NetworkError::Dimension { option: "dim-emb", value: dim, supported });
        }
        let recurrent = match config.decoder {
            DecoderKind::Recurrent(recurrent) => Some(recurrent),
            _ => None,
        };
        if recurrent.is_none() && (config.heads == 0 || !dim.is_multiple_of(config.heads)) {
            let supported = format!("divisors of dim-emb ({dim})");
            return Err(NetworkError::Dimension { option: "transformer-heads", value: config.heads, supported });
        }

        let (encoder, decoder) = match recurrent {
            Some(recurrent) => (
                Encoder::Recurrent(RecurrentEncoder::take(&mut self.parts, config, &recurrent)?),
                Decoder::Recurrent(Box::new(RecurrentDecoder::take(&mut self.parts, config, &recurrent)?)),
            ),
            None => {
                (Encoder::Transformer(self.transformer_encoder()?), Decoder::Transformer(self.transformer_decoder()?))
            }
        };

        let mut source_embedding = self.embedding(config.source_embedding, config.source_words)?;
        let mut target_embedding = if config.target_embedding == config.source_embedding {
            None
        } else {
            Some(self.embedding(config.target_embedding, config.target_words)?)
        };
        let tied = target_embedding.as_mut().unwrap_or(&mut source_embedding);
        let words = tied.len();
        let activation = self.output_activation(self.output_name())?;
        let output = self.output(words, activation)?;
        if let (None, Weights::Int8(weights)) = (&output.weights, &mut tied.weights) {
            weights.activation = activation;
            let name = config.target_embedding;
            weights.observer = self.parts.observer(names::OUTPUT_PRODUCT, name, dim);
        }

        let unknown = self
            .parts
            .matrices
            .keys()
            .chain(self.parts.vectors.keys())
            .find(|name| TensorName::parse(name).role != Role::Multiplier);
        if let Some(name) = unknown {
            return Err(NetworkError::Unknown { name: name.clone() });
        }
        Ok(Network {
            backend: self.parts.backend,
            precision: self.parts.precision,
            dim,
            positions: recurrent.is_none().then(|| Positions::new(dim, READY_POSITIONS)),
            source_embedding,
            target_embedding,
            encoder,
            decoder,
            output,
            observers: self.parts.observers,
        })
    }

    fn transformer_encoder(&mut self) -> Result<TransformerEncoder, NetworkError> {
        let config = self.config;
        let encoder_layers = (1..=config.encoder_depth)
            .map(|layer| {
                let block = |kind| Block::new(Stack::Encoder, layer, kind);
                Ok(EncoderLayer {
                    attention: self.encoder_attention(&block(BlockKind::SelfAttention))?,
                    feed_forward: self.feed_forward(&block(BlockKind::FeedForward), config.encoder_feed_forward)?,
                })
            })
            .collect::<Result<Vec<_>, NetworkError>>()?;
        Ok(TransformerEncoder {
            backend: self.parts.backend,
            dim: config.dim,
            bottom: self.bottom_norm(Stack::Encoder)?,
            layers: encoder_layers,
            top: self.top_norm(Stack::Encoder)?,
        })
    }

    fn transformer_decoder(&mut self) -> Result<TransformerDecoder, NetworkError> {
        let config = self.config;
        let numbers = &config.decoder_layers;
        let mut own = numbers.clone();
        own.sort_unstable();
        own.dedup();
        let decoder_layers = own
            .iter()
            .map(|&number| {
                let block = |kind| Block::new(Stack::Decoder, number, kind);
                Ok(DecoderLayer {
                    past: self.past(number)?,
                    attention: self.multi_head(&block(BlockKind::CrossAttention))?,
                    feed_forward: self.feed_forward(&block(BlockKind::FeedForward), config.decoder_feed_forward)?,
                })
            })
            .collect::<Result<Vec<_>, NetworkError>>()?;
        let order = numbers.iter().map(|number| own.binary_search(number).expect("every number is listed")).collect();
        Ok(TransformerDecoder {
            backend: self.parts.backend,
            dim: config.dim,
            bottom: self.bottom_norm(Stack::Decoder)?,
            layers: decoder_layers,
            order,
            top: self.top_norm(Stack::Decoder)?,
            alignment_depth: config.alignment_layer,
        })
    }

    /// What lets the decoder layer `number` see its past.
    fn past(&mut self, number: usize) -> Result<Box<dyn Past>, NetworkError> {
        let block = |kind| Block::new(Stack::Decoder, number, kind);
        Ok(match self.config.decoder {
            DecoderKind::Ssru => Box::new(self.ssru(&block(BlockKind::Ssru))?),
            DecoderKind::AverageAttention(kind) => {
                Box::new(self.average_attention(&block(BlockKind::AverageAttention), kind)?)
            }
            DecoderKind::SelfAttention => Box::new(SelfAttention(self.multi_head(&block(BlockKind::SelfAttention))?)),
            DecoderKind::Recurrent(_) => unreachable!("a recurrent decoder has no such layers"),
        })
    }

    /// The embedding of a vocabulary of so many `words`: each of them has a vector, and there are no others.
    fn embedding(&mut self, name: &str, words: usize) -> Result<Embedding, NetworkError> {
        let weights = self.parts.matrix(name)?;
        let dim = self.config.dim;
        if weights.inner() != dim || weights.columns() != words || words <= UNKNOWN_WORD {
            let words = words.max(UNKNOWN_WORD + 1);
            return Err(NetworkError::Shape {
                name: name.to_owned(),
                expected: format!("{words} vectors of {dim}"),
                found: format!("{} vectors of {}", weights.columns(), weights.inner()),
            });
        }
        // Only Transformers scale their embeddings.
        let factor = if self.is_recurrent() { 1.0 } else { (dim as f32).sqrt() };
        Ok(Embedding { weights, factor })
    }

    fn output(&mut self, words: usize, activation: ActivationScale) -> Result<OutputLayer, NetworkError> {
        let config = self.config;
        let weights = if config.output_is_embedding {
            None
        } else {
            let name = self.output_name();
            let mut weights = self.parts.matrix(name)?;
            check_shape(name, &weights, config.dim, Some(words))?;
            if let Weights::Int8(weights) = &mut weights {
                weights.activation = activation;
                weights.observer = self.parts.observer(names::OUTPUT_PRODUCT, name, config.dim);
            }
            Some(weights)
        };
        let bias = if self.is_recurrent() { names::RECURRENT_OUTPUT_BIAS } else { names::OUTPUT_BIAS };
        let mut bias = if config.output_bias { self.parts.vector(bias, words)? } else { vec![0.0; words] };
        // Marian never emits the unknown word unless told to.
        let unknown_bias = std::mem::replace(&mut bias[UNKNOWN_WORD], f32::NEG_INFINITY);
        Ok(OutputLayer { weights, bias, unknown_bias })
    }

    fn is_recurrent(&self) -> bool {
        matches!(self.config.decoder, DecoderKind::Recurrent(_))
    }

    /// The name of the output matrix in the form that this model has it in.
    fn output_name(&self) -> &'static str {
        let name =
            if self.is_recurrent() { names::RECURRENT_OUTPUT_MATRIX_BY_WORD } else { names::OUTPUT_MATRIX_BY_WORD };
        let by_word = !self.config.output_is_embedding && self.parts.matrices.contains_key(name);
        if by_word { name } else { self.config.output }
    }

    /// `none_QuantMultA` was calibrated with a shortlist, `Wemb_QuantMultA` without; the product with a shortlist is the
    /// usual one.
    fn output_activation(&mut self, weights: &str) -> Result<ActivationScale, NetworkError> {
        for name in [names::OUTPUT_PRODUCT, weights] {
            if self.parts.vectors.contains_key(&names::multiplier(name)) {
                return self.parts.activation(name, false);
            }
        }
        Ok(ActivationScale::Dynamic)
    }

    /// Self-attention of an encoder layer. If there is nothing of any head, only the output's bias, all heads were pruned away.
    fn encoder_attention(&mut self, block: &Block) -> Result<EncoderAttention, NetworkError> {
        let Tensors { matrices, vectors, .. } = &self.parts;
        let is_there = |name: &String| matrices.contains_key(name) || vectors.contains_key(name);
        if block.of_heads().iter().any(is_there) || !is_there(&block.bias("o")) {
            return Ok(EncoderAttention::Heads(Box::new(self.multi_head(block)?)));
        }
        let bias = self.parts.vector(&block.bias("o"), self.config.dim)?;
        Ok(EncoderAttention::NoHeads(NoHeads { bias, residual: self.residual(block)? }))
    }

    fn multi_head(&mut self, block: &Block) -> Result<MultiHead, NetworkError> {
        let dim = self.config.dim;
        let query = self.parts.linear(&block.weights("q"), &block.bias("q"), dim, None)?;
        let width = query.columns();
        let head_width = dim / self.config.heads;
        if !width.is_multiple_of(head_width) {
            return Err(NetworkError::Shape {
                name: block.weights("q"),
                expected: format!("a whole number of heads, {head_width} columns each"),
                found: format!("{width} columns"),
            });
        }
        Ok(MultiHead {
            query,
            key: self.parts.linear(&block.weights("k"), &block.bias("k"), dim, Some(width))?,
            value: self.parts.linear(&block.weights("v"), &block.bias("v"), dim, Some(width))?,
            output: if self.config.attention_projection || width != dim {
                Some(self.parts.linear(&block.weights("o"), &block.bias("o"), width, Some(dim))?)
            } else {
                None
            },
            heads: width / head_width,
            residual: self.residual(block)?,
        })
    }

    fn feed_forward(&mut self, block: &Block, config: model::FeedForward) -> Result<FeedForward, NetworkError> {
        let depth = config.depth;
        let mut inner = self.config.dim;
        let mut layers = Vec::with_capacity(depth);
        for layer in 1..=depth {
            let columns = (layer == depth).then_some(self.config.dim);
            let linear = self.parts.dense(&block.weights(layer), &block.bias(layer), inner, columns, layer > 1)?;
            inner = linear.columns();
            layers.push(linear);
        }
        let residual = self.residual(block)?;
        Ok(FeedForward { layers, activation: config.activation, residual })
    }

    fn ssru(&mut self, block: &Block) -> Result<Ssru, NetworkError> {
        let dim = self.config.dim;
        Ok(Ssru {
            candidate: self.parts.linear(&block.weights(""), "", dim, Some(dim))?,
            forget: self.parts.linear(&block.weights("f"), &block.bias("f"), dim, Some(dim))?,
            residual: self.residual(block)?,
        })
    }

    fn average_attention(
        &mut self,
        block: &Block,
        config: model::AverageAttention,
    ) -> Result<AverageAttention, NetworkError> {
        let (dim, depth) = (self.config.dim, config.feed_forward.depth);
        let mut layer = |number: &str, inner: usize, columns: Option<usize>| {
            self.parts.linear(&block.weights(number), &block.bias(number), inner, columns)
        };
        let mut width = dim;
        let mut hidden = Vec::new();
        for number in 1..depth {
            let next = layer(&number.to_string(), width, Some(config.feed_forward.dim))?;
            width = next.columns();
            hidden.push(next);
        }
        let last = if width == dim { None } else { Some(layer(&depth.to_string(), width, Some(dim))?) };
        let gates = if config.gate { Some((layer("i", dim, Some(dim))?, layer("f", dim, Some(dim))?)) } else { None };
        let residual = self.residual(block)?;
        Ok(AverageAttention { dim, hidden, activation: config.feed_forward.activation, last, gates, residual })
    }

    /// Norms before and after a block.
    fn residual(&mut self, block: &Block) -> Result<Residual, NetworkError> {
        Ok(match self.config.normalization {
            Normalization::Pre => Residual { before: Some(self.layer_norm(&block.norm_before())?), after: None },
            Normalization::Post => Residual { before: None, after: Some(self.layer_norm(&block.norm_after())?) },
        })
    }

    fn bottom_norm(&mut self, stack: Stack) -> Result<Option<LayerNorm>, NetworkError> {
        let norm = Norm::of_embedding(stack);
        if self.config.embedding_normalization { self.layer_norm(&norm).map(Some) } else { Ok(None) }
    }

    fn top_norm(&mut self, stack: Stack) -> Result<Option<LayerNorm>, NetworkError> {
        let norm = Norm::of_top(stack);
        if self.config.top_normalization { self.layer_norm(&norm).map(Some) } else { Ok(None) }
    }

    fn layer_norm(&mut self, norm: &Norm) -> Result<LayerNorm, NetworkError> {
        let dim = self.config.dim;
        let (gamma, beta) = (self.parts.vector(&norm.scale, dim)?, self.parts.vector(&norm.bias, dim)?);
        Ok(LayerNorm { gamma, beta, epsilon: elementwise::LAYER_NORM_EPSILON })
    }
}

/// Number of positions whose signal is kept ready, more than most sentences and translations have. Beyond them it is computed each time.
const READY_POSITIONS: usize = 512;
