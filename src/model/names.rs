//! What a tensor is: Marian's names for the parameters of its models, written and read in this one place.
//!
//! ```text
//! Wemb, encoder_Wemb, decoder_Wemb                  embeddings: shared, source, target
//! encoder_emb_ln_{scale,bias}_pre                   norm of the embeddings
//! encoder_l{i}_{block}_W{part}, …_b{part}           weights and bias of layer i, counted from 1
//! encoder_l{i}_{block}{stem}_ln_{scale,bias}        norm behind a block; with _pre at the end before it
//! encoder_top_ln_{scale,bias}                       norm of the last layer's output
//! decoder_ff_logit_out_{W,Wt,b}                     output layer: [width, words], [words, width], bias
//! {weights}_QuantMultA, none_QuantMultA             multiplier of what enters a product
//! ```
//!
//! Recurrent models (`type: s2s`) have other names: U for what multiplies a state, and a trailing x for what belongs to a candidate:
//!
//! ```text
//! encoder_bi_{U,Ux,W,Wx,b,bx,gamma1,gamma2}         cell that reads forwards; bi_r backwards; bi_l2_cell1, bi_cell2: further ones
//! encoder_l{i}_cell{j}_…, decoder_l{i}_cell{j}_…    cells of upper layers
//! decoder_cell{j}_…                                 cells of the decoder's lowest layer
//! decoder_{Wc,W_comb,b,U}_att, decoder_att_gamma{i} attention
//! decoder_ff_state_{W,b,gamma}                      what the decoder starts from
//! decoder_ff_logit_l1_{W,b,gamma}{i}                deep output of embedding, state and context
//! decoder_ff_logit_l2_{W,Wt,b}                      output layer
//! ```
//!
//! Files of `type: amun` and `type: nematus` have Nematus's names for the same parameters ([`nematus`]).
//!
//! The decoder's names begin with `decoder`. Blocks are `self` and `context` (attention), `ffn`, `rnn` (SSRU) and `aan` (average attention).

pub mod nematus;

use std::fmt::Display;

/// The embedding of both languages.
pub const SHARED_EMBEDDING: &str = "Wemb";
/// The embedding of the source language.
pub const SOURCE_EMBEDDING: &str = "encoder_Wemb";
/// The embedding of the target language.
pub const TARGET_EMBEDDING: &str = "decoder_Wemb";
/// The output matrix, `[width, words]`.
pub const OUTPUT_MATRIX: &str = "decoder_ff_logit_out_W";
/// The output matrix word by word, `[words, width]`, as newer versions of Marian store it.
pub const OUTPUT_MATRIX_BY_WORD: &str = "decoder_ff_logit_out_Wt";
/// The bias of the output layer.
pub const OUTPUT_BIAS: &str = "decoder_ff_logit_out_b";
/// The output matrix of a recurrent model, `[width, words]`.
pub const RECURRENT_OUTPUT_MATRIX: &str = "decoder_ff_logit_l2_W";
/// The output matrix of a recurrent model, `[words, width]`.
pub const RECURRENT_OUTPUT_MATRIX_BY_WORD: &str = "decoder_ff_logit_l2_Wt";
/// The bias of a recurrent model's output layer.
pub const RECURRENT_OUTPUT_BIAS: &str = "decoder_ff_logit_l2_b";
/// Stands for the weights in the name of the multiplier of the output product with a shortlist, which has no weights of its own.
pub const OUTPUT_PRODUCT: &str = "none";

/// What multipliers' names have after the name of the weights.
const MULTIPLIER_SUFFIX: &str = "_QuantMultA";

/// The name of the multiplier of what enters the product with `weights`.
pub fn multiplier(weights: &str) -> String {
    format!("{weights}{MULTIPLIER_SUFFIX}")
}

/// One of the two stacks of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// Reads the source.
    Encoder,
    /// Writes the target.
    Decoder,
}

impl Display for Stack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stack::Encoder => "encoder",
            Stack::Decoder => "decoder",
        })
    }
}

/// A part of a layer that has its own residual connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Attention to the layer's own side.
    SelfAttention,
    /// Attention to the encoder.
    CrossAttention,
    /// Dense layers.
    FeedForward,
    /// The simpler simple recurrent unit.
    Ssru,
    /// Average attention.
    AverageAttention,
}

/// The names of one block's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    kind: BlockKind,
    prefix: String,
}

/// The names of a layer norm's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Norm {
    /// Its γ.
    pub scale: String,
    /// Its β.
    pub bias: String,
}

impl Norm {
    fn new(stem: &str, suffix: &str) -> Self {
        Self { scale: format!("{stem}_ln_scale{suffix}"), bias: format!("{stem}_ln_bias{suffix}") }
    }

    /// The norm of a stack's embeddings.
    pub fn of_embedding(stack: Stack) -> Self {
        Self::new(&format!("{stack}_emb"), "_pre")
    }

    /// The norm of the output of a stack's last layer.
    pub fn of_top(stack: Stack) -> Self {
        Self::new(&format!("{stack}_top"), "")
    }
}

impl Block {
    /// The block of layer `layer`, counted from 1.
    pub fn new(stack: Stack, layer: usize, kind: BlockKind) -> Self {
        let name = match kind {
            BlockKind::SelfAttention => "self",
            BlockKind::CrossAttention => "context",
            BlockKind::FeedForward => "ffn",
            BlockKind::Ssru => "rnn",
            BlockKind::AverageAttention => "aan",
        };
        Self { kind, prefix: format!("{stack}_l{layer}_{name}") }
    }

    /// The weights of its part `part`: `q`, `1`, …
    pub fn weights(&self, part: impl Display) -> String {
        format!("{}_W{part}", self.prefix)
    }

    /// The bias of its part `part`.
    pub fn bias(&self, part: impl Display) -> String {
        format!("{}_b{part}", self.prefix)
    }

    /// All parameters of attention heads: the projections to queries, keys and values, and the weights of the output product.
    pub fn of_heads(&self) -> [String; 7] {
        let [q, k, v] = ["q", "k", "v"].map(|part| (self.weights(part), self.bias(part)));
        [q.0, q.1, k.0, k.1, v.0, v.1, self.weights("o")]
    }

    /// The norm of its input.
    pub fn norm_before(&self) -> Norm {
        match self.kind {
            BlockKind::Ssru => Norm::new(&self.prefix, "_pre"),
            _ => Norm::new(&self.norm_stem(), "_pre"),
        }
    }

    /// The norm of the sum of its input and its output.
    pub fn norm_after(&self) -> Norm {
        Norm::new(&self.norm_stem(), "")
    }

    fn norm_stem(&self) -> String {
        let stem = match self.kind {
            BlockKind::SelfAttention | BlockKind::CrossAttention => "Wo",
            BlockKind::FeedForward | BlockKind::Ssru | BlockKind::AverageAttention => "ffn",
        };
        format!("{}_{stem}", self.prefix)
    }
}

/// Where a tensor belongs, in the order in which translation needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The embeddings.
    Embedding,
    /// Before the first layer; also tensors with a name that is not known here.
    Bottom,
    /// A layer of the encoder, from 1.
    EncoderLayer(usize),
    /// After the encoder's last layer.
    EncoderTop,
    /// A layer of the decoder, from 1.
    DecoderLayer(usize),
    /// After the decoder's last layer.
    DecoderTop,
    /// The output layer.
    Output,
}

/// What a tensor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A row for each word, to be looked up; the output product may use it too.
    Embedding,
    /// The output matrix with a row for each word.
    OutputByWord,
    /// The weights of a product, `[inner, columns]`.
    Matrix,
    /// A bias, or a part of a norm.
    Vector,
    /// The multiplier of what enters a product.
    Multiplier,
}

impl Role {
    /// Whether the rows are words, and so the columns of the output product; other matrices have a column for each output.
    pub fn has_row_for_each_word(self) -> bool {
        matches!(self, Role::Embedding | Role::OutputByWord)
    }
}

/// What a tensor's name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorName<'a> {
    /// The name.
    pub text: &'a str,
    /// Where it belongs.
    pub place: Place,
    /// What it holds.
    pub role: Role,
}

impl<'a> TensorName<'a> {
    /// Reads a name. A name that no model here has still tells a matrix, whose last part begins with `W`, from a vector.
    pub fn parse(text: &'a str) -> Self {
        let mut parts = text.rsplit('_');
        let last = parts.next().unwrap_or_default();
        let role = match last {
            _ if text.ends_with(MULTIPLIER_SUFFIX) => Role::Multiplier,
            _ if text == OUTPUT_MATRIX_BY_WORD || text == RECURRENT_OUTPUT_MATRIX_BY_WORD => Role::OutputByWord,
            "Wemb" => Role::Embedding,
            "U" | "Ux" => Role::Matrix,
            "att" if parts.any(|part| part.starts_with('W')) => Role::Matrix,
            _ if last.starts_with('W') => Role::Matrix,
            _ => Role::Vector,
        };
        Self { text, place: place(text, role), role }
    }

    /// Whether it is a parameter of the heads of an encoder layer's self-attention: all but the bias of the output product, and the norms. If
    /// all heads were pruned away, such a tensor is empty or absent.
    pub fn belongs_to_encoder_heads(&self) -> bool {
        let Place::EncoderLayer(layer) = self.place else { return false };
        let block = Block::new(Stack::Encoder, layer, BlockKind::SelfAttention);
        block.of_heads().iter().any(|name| name == self.text)
    }

    /// The weights, or [`OUTPUT_PRODUCT`], that a multiplier belongs to.
    pub fn product(&self) -> Option<&'a str> {
        self.text.strip_suffix(MULTIPLIER_SUFFIX)
    }
}

fn place(text: &str, role: Role) -> Place {
    if role == Role::Embedding {
        return Place::Embedding;
    }
    let layer = |prefix: &str| {
        let digits = text.strip_prefix(prefix)?.split('_').next()?;
        digits.parse::<usize>().ok()
    };
    if text.starts_with("encoder_bi_") {
        let both_ways = layer("encoder_bi_l").or_else(|| layer("encoder_bi_r_l"));
        Place::EncoderLayer(both_ways.unwrap_or(1))
    } else if text.starts_with("decoder_ff_logit_") {
        Place::Output
    } else if ["decoder_cell", "decoder_ff_state_"].iter().any(|start| text.starts_with(start)) || text.contains("_att")
    {
        Place::DecoderLayer(1)
    } else if let Some(layer) = layer("encoder_l") {
        Place::EncoderLayer(layer)
    } else if let Some(layer) = layer("decoder_l") {
        Place::DecoderLayer(layer)
    } else if text.starts_with("encoder_top_") {
        Place::EncoderTop
    } else if text.starts_with("decoder_top_") {
        Place::DecoderTop
    } else {
        Place::Bottom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        use BlockKind::*;
        let blocks = [SelfAttention, CrossAttention, FeedForward, Ssru, AverageAttention];
        for (stack, place) in [(Stack::Encoder, Place::EncoderLayer(12)), (Stack::Decoder, Place::DecoderLayer(12))] {
            for block in blocks.map(|kind| Block::new(stack, 12, kind)) {
                let told = |name: &str| {
                    let name = TensorName::parse(name);
                    assert_eq!(name.place, place, "{name:?}");
                    name.role
                };
                for part in ["q", "o", "1", "f", ""] {
                    assert_eq!(told(&block.weights(part)), Role::Matrix);
                    assert_eq!(told(&block.bias(part)), Role::Vector);
                    let multiplier = multiplier(&block.weights(part));
                    assert_eq!(told(&multiplier), Role::Multiplier);
                    assert_eq!(TensorName::parse(&multiplier).product(), Some(block.weights(part).as_str()));
                }
                for norm in [block.norm_before(), block.norm_after()] {
                    assert_eq!((told(&norm.scale), told(&norm.bias)), (Role::Vector, Role::Vector));
                }
            }
        }
        let told = |name: &str| (TensorName::parse(name).place, TensorName::parse(name).role);
        for embedding in [SHARED_EMBEDDING, SOURCE_EMBEDDING, TARGET_EMBEDDING] {
            assert_eq!(told(embedding), (Place::Embedding, Role::Embedding));
            assert_eq!(told(&multiplier(embedding)).1, Role::Multiplier);
        }
        assert_eq!(told(OUTPUT_MATRIX), (Place::Output, Role::Matrix));
        assert_eq!(told(OUTPUT_MATRIX_BY_WORD), (Place::Output, Role::OutputByWord));
        assert_eq!(told(OUTPUT_BIAS), (Place::Output, Role::Vector));
        assert_eq!(told(&Norm::of_embedding(Stack::Encoder).scale), (Place::Bottom, Role::Vector));
        assert_eq!(told(&Norm::of_top(Stack::Encoder).bias), (Place::EncoderTop, Role::Vector));
        assert_eq!(told(&Norm::of_top(Stack::Decoder).scale), (Place::DecoderTop, Role::Vector));
        for (name, place, role) in [
            ("encoder_bi_U", Place::EncoderLayer(1), Role::Matrix),
            ("encoder_bi_r_l3_cell1_Wx", Place::EncoderLayer(3), Role::Matrix),
            ("encoder_l2_cell2_gamma2", Place::EncoderLayer(2), Role::Vector),
            ("decoder_cell2_Ux", Place::DecoderLayer(1), Role::Matrix),
            ("decoder_Wc_att", Place::DecoderLayer(1), Role::Matrix),
            ("decoder_W_comb_att", Place::DecoderLayer(1), Role::Matrix),
            ("decoder_U_att", Place::DecoderLayer(1), Role::Vector),
            ("decoder_b_att", Place::DecoderLayer(1), Role::Vector),
            ("decoder_ff_state_W", Place::DecoderLayer(1), Role::Matrix),
            ("decoder_ff_logit_l1_W2", Place::Output, Role::Matrix),
            ("decoder_l3_cell1_bx", Place::DecoderLayer(3), Role::Vector),
            (RECURRENT_OUTPUT_MATRIX_BY_WORD, Place::Output, Role::OutputByWord),
            (RECURRENT_OUTPUT_BIAS, Place::Output, Role::Vector),
        ] {
            assert_eq!(told(name), (place, role), "{name}");
        }
        assert_eq!(TensorName::parse("none_QuantMultA").product(), Some(OUTPUT_PRODUCT));
    }

    #[test]
    fn what_heads_have_is_told_from_the_rest() {
        for name in ["encoder_l1_self_Wq", "encoder_l12_self_bk", "encoder_l3_self_Wo"] {
            assert!(TensorName::parse(name).belongs_to_encoder_heads(), "{name}");
        }
        for name in [
            "encoder_l1_self_bo",
            "encoder_l1_self_Wo_ln_scale",
            "encoder_l1_self_Wq_QuantMultA",
            "encoder_l01_self_Wq",
            "encoder_l1_ffn_W1",
            "decoder_l1_self_Wq",
            "decoder_l1_context_Wq",
            "Wemb",
        ] {
            assert!(!TensorName::parse(name).belongs_to_encoder_heads(), "{name}");
        }
    }

    #[test]
    fn marians_own_names_are_written() {
        let block = |kind| Block::new(Stack::Decoder, 2, kind);
        assert_eq!(block(BlockKind::CrossAttention).weights("q"), "decoder_l2_context_Wq");
        assert_eq!(block(BlockKind::CrossAttention).norm_after().scale, "decoder_l2_context_Wo_ln_scale");
        assert_eq!(block(BlockKind::FeedForward).bias(2), "decoder_l2_ffn_b2");
        assert_eq!(block(BlockKind::FeedForward).norm_before().bias, "decoder_l2_ffn_ffn_ln_bias_pre");
        assert_eq!(block(BlockKind::Ssru).weights(""), "decoder_l2_rnn_W");
        assert_eq!(block(BlockKind::Ssru).norm_before().scale, "decoder_l2_rnn_ln_scale_pre");
        assert_eq!(block(BlockKind::Ssru).norm_after().scale, "decoder_l2_rnn_ffn_ln_scale");
        assert_eq!(Norm::of_embedding(Stack::Encoder).scale, "encoder_emb_ln_scale_pre");
        assert_eq!(Norm::of_top(Stack::Decoder).bias, "decoder_top_ln_bias");
    }
}
