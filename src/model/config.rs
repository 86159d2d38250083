//! The architecture of a model, from the options that Marian stores as `special:model.yml`.
//!
//! Marian saves only options that describe the network. An option that is unknown here and switched on could therefore
//! change every result, so it is refused by name.

mod recurrent;

use std::collections::BTreeMap;

use super::error::Error;
use super::names;
use super::yaml::{self, Value};

pub use recurrent::{EncoderKind, Recurrent};

/// The architecture of a translation model: a Transformer, or a recurrent one.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Width of embeddings and of every layer's input and output.
    pub dim: usize,
    /// Attention heads of each layer.
    pub heads: usize,
    /// Number of source words.
    pub source_words: usize,
    /// Number of target words.
    pub target_words: usize,
    /// Number of encoder layers.
    pub encoder_depth: usize,
    /// Number of decoder layers.
    pub decoder_depth: usize,
    /// For each decoder layer, the number, from 1, in its parameters' names; tied layers repeat one.
    pub decoder_layers: Vec<usize>,
    /// Feed-forward blocks of the encoder.
    pub encoder_feed_forward: FeedForward,
    /// Feed-forward blocks of the decoder.
    pub decoder_feed_forward: FeedForward,
    /// Where in a block layer normalization is applied.
    pub normalization: Normalization,
    /// Embeddings are normalized (parameters `encoder_emb_ln_scale_pre`, …).
    pub embedding_normalization: bool,
    /// The last layer's output is normalized once more (parameters `encoder_top_ln_scale`, …).
    pub top_normalization: bool,
    /// What lets the decoder see its own past.
    pub decoder: DecoderKind,
    /// Attention blocks end with a linear projection (`Wo`, `bo`).
    pub attention_projection: bool,
    /// Name of the source embedding matrix, `[source_words, dim]`.
    pub source_embedding: &'static str,
    /// Name of the target embedding matrix, `[target_words, dim]`.
    pub target_embedding: &'static str,
    /// Name of the output matrix.
    pub output: &'static str,
    /// The output matrix is an embedding, `[target_words, dim]`; otherwise it is `[dim, target_words]`.
    pub output_is_embedding: bool,
    /// The output layer adds a bias (`decoder_ff_logit_out_b`).
    pub output_bias: bool,
    /// The decoder layer, from 0, whose first cross-attention head was trained as word alignment.
    pub alignment_layer: usize,
}

/// A stack of dense layers around an activation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedForward {
    /// Width between the first and the last dense layer.
    pub dim: usize,
    /// Number of dense layers, at least 1.
    pub depth: usize,
    /// Activation after each dense layer but the last.
    pub activation: Activation,
}

/// Where layer normalization is applied relative to a block's residual connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalization {
    /// `norm(x + block(x))`, Marian's `postprocess: dan`.
    Post,
    /// `x + block(norm(x))`, Marian's `preprocess: n`, `postprocess: da`.
    Pre,
}

/// The activation within a feed-forward block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `max(x, 0)`
    Relu,
    /// `x · σ(x)`
    Swish,
}

/// What lets a decoder layer see its own past.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DecoderKind {
    /// The simpler simple recurrent unit (Kim et al., 2019, "From Research to Production and Back").
    Ssru,
    /// Average attention (Zhang, Xiong and Su, 2018).
    AverageAttention(AverageAttention),
    /// Self-attention over all earlier positions.
    SelfAttention,
    /// Gated recurrent units in a recurrent model, whose encoder is recurrent too; of the options above, only widths, depths, numbers
    /// of words and those for embeddings and output apply.
    Recurrent(Recurrent),
}

/// The parts of an average attention block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AverageAttention {
    /// The feed-forward part after the average; its last dense layer is there only if the width must change.
    pub feed_forward: FeedForward,
    /// Input and average are mixed by learnt gates.
    pub gate: bool,
}

/// Options that do not change a Transformer's result: those of other model types, those for training, or those read elsewhere.
const IRRELEVANT: &[&str] = &[
    "bert-class-symbol",
    "bert-mask-symbol",
    "bert-masking-fraction",
    "bert-sep-symbol",
    "bert-train-type-embeddings",
    "bert-type-vocab-size",
    "char-conv-filters-num",
    "char-conv-filters-widths",
    "char-highway",
    "char-stride",
    "comet-dropout",
    "comet-mix-transformation",
    "comet-pool",
    "comet-pooler-ffn",
    "dec-cell-base-depth",
    "dec-cell-high-depth",
    "dim-rnn",
    "enc-cell",
    "enc-cell-depth",
    "enc-type",
    "factors-combine",
    "max-length",
    "separator-symbol",
    "skip",
    "transformer-depth-scaling",
    "ulr-dim-emb",
    "ulr-trainable-transformation",
    "version",
    "vocabs",
];

/// Larger numbers in a configuration are mistakes, and would only lead to absurd allocations.
const LARGEST_WIDTH: usize = 1 << 16;
const LARGEST_DEPTH: usize = 1 << 10;
const LARGEST_VOCABULARY: usize = 1 << 24;

impl Config {
    /// Reads Marian's options from `yaml`; `file` is named in errors.
    ///
    /// # Errors
    /// Text that is not such YAML, and options that this engine does not implement.
    pub fn parse(file: &str, yaml: &str) -> Result<Config, Error> {
        let mut options = Options::parse(file, yaml)?;

        let types = ["transformer", "s2s", "amun", "nematus"];
        let recurrent = match options.accept_text("type", "transformer", &types)?.as_str() {
            "transformer" => None,
            kind => Some(Recurrent::parse(&mut options, kind)?),
        };
        let dim = options.number("dim-emb", 512, LARGEST_WIDTH)?;
        let heads = options.number("transformer-heads", 8, LARGEST_WIDTH)?;
        if recurrent.is_none() && !dim.is_multiple_of(heads) {
            return Err(options.unsupported("transformer-heads", heads, &format!("a divisor of `dim-emb` ({dim})")));
        }
        let vocabularies = options.numbers("dim-vocabs", LARGEST_VOCABULARY)?;
        let &[source_words, target_words] = vocabularies.as_slice() else {
            return Err(options.unsupported("dim-vocabs", format!("{vocabularies:?}"), "a source and a target"));
        };
        let encoder_depth = options.number("enc-depth", 1, LARGEST_DEPTH)?;
        let decoder_depth = options.number("dec-depth", 1, LARGEST_DEPTH)?;
        let decoder_layers = match options.numbers("transformer-tied-layers", decoder_depth)? {
            tied if tied.is_empty() => (1..=decoder_depth).collect(),
            tied if tied.len() == decoder_depth => tied,
            tied => {
                let supported = format!("none, or one for each of {decoder_depth} decoder layers");
                return Err(options.unsupported("transformer-tied-layers", format!("{tied:?}"), &supported));
            }
        };

        let activation = options.activation("transformer-ffn-activation")?;
        let encoder_feed_forward = FeedForward {
            dim: options.number("transformer-dim-ffn", 2048, LARGEST_WIDTH)?,
            depth: options.number("transformer-ffn-depth", 2, LARGEST_DEPTH)?,
            activation,
        };
        let decoder_feed_forward = FeedForward {
            dim: options.number_or_zero("transformer-decoder-dim-ffn", encoder_feed_forward.dim, LARGEST_WIDTH)?,
            depth: options.number_or_zero(
                "transformer-decoder-ffn-depth",
                encoder_feed_forward.depth,
                LARGEST_DEPTH,
            )?,
            activation,
        };

        let before = options.operations("transformer-preprocess", "", &["", "n"])?;
        let after = match before.as_str() {
            "n" => options.operations("transformer-postprocess", "an", &["a"])?,
            _ => options.operations("transformer-postprocess", "an", &["an"])?,
        };
        let normalization = if after == "an" { Normalization::Post } else { Normalization::Pre };
        let embedding_normalization = options.operations("transformer-postprocess-emb", "", &["", "n"])? == "n";
        let top_normalization = options.operations("transformer-postprocess-top", "", &["", "n"])? == "n";

        let average_attention = AverageAttention {
            feed_forward: FeedForward {
                dim: options.number("transformer-dim-aan", 2048, LARGEST_WIDTH)?,
                depth: options.number("transformer-aan-depth", 2, LARGEST_DEPTH)?,
                activation: options.activation("transformer-aan-activation").or_else(|error| {
                    // Stored with every model, but read only by this kind of decoder.
                    if options.text("transformer-decoder-autoreg", "self-attention")? == "average-attention" {
                        Err(error)
                    } else {
                        Ok(Activation::Swish)
                    }
                })?,
            },
            gate: !options.switch("transformer-aan-nogate")?,
        };
        let recurrent_normalization = options.switch("layer-normalization")?;
        let cell = options.text("dec-cell", "gru")?;
        let kinds = ["rnn", "average-attention", "self-attention"];
        let autoregression = options.accept_text("transformer-decoder-autoreg", "self-attention", &kinds)?;
        let decoder = match (recurrent, autoregression.as_str()) {
            (Some(recurrent), _) => DecoderKind::Recurrent(recurrent),
            (_, "rnn") if cell != "ssru" => return Err(options.unsupported("dec-cell", cell, "ssru")),
            (_, "rnn") if recurrent_normalization => {
                return Err(options.unsupported("layer-normalization", true, "false"));
            }
            (_, "rnn") => DecoderKind::Ssru,
            (_, "average-attention") => DecoderKind::AverageAttention(average_attention),
            _ => DecoderKind::SelfAttention,
        };

        let tied_all = options.switch("tied-embeddings-all")?;
        let shared = options.switch("tied-embeddings-src")? || tied_all;
        let tied_output = options.switch("tied-embeddings")? || tied_all;
        let (source_embedding, target_embedding) = if shared {
            (names::SHARED_EMBEDDING, names::SHARED_EMBEDDING)
        } else {
            (names::SOURCE_EMBEDDING, names::TARGET_EMBEDDING)
        };
        if shared && source_words != target_words {
            let supported = "equal sizes, since source and target share one embedding";
            return Err(options.unsupported("dim-vocabs", format!("{vocabularies:?}"), supported));
        }
        let output_bias = !options.switch("output-omit-bias")?;
        let attention_projection = !options.switch("transformer-no-projection")?;

        let alignment_layer = match options.text("transformer-guided-alignment-layer", "last")?.as_str() {
            "last" => decoder_depth - 1,
            number => match number.parse::<usize>() {
                Ok(number) if (1..=decoder_depth).contains(&number) => number - 1,
                _ => {
                    let supported = format!("last, 1 to {decoder_depth}");
                    return Err(options.unsupported("transformer-guided-alignment-layer", number, &supported));
                }
            },
        };

        options.accept_text("transformer-attention-mask", "default", &["default"])?;
        let inputs = options.texts("input-types")?;
        if let Some(other) = inputs.iter().find(|kind| *kind != "sequence") {
            return Err(options.unsupported("input-types", other, "sequence"));
        }
        options.refuse_remaining()?;

        Ok(Config {
            dim,
            heads,
            source_words,
            target_words,
            encoder_depth,
            decoder_depth,
            decoder_layers,
            encoder_feed_forward,
            decoder_feed_forward,
            normalization,
            embedding_normalization,
            top_normalization,
            decoder,
            attention_projection,
            source_embedding,
            target_embedding,
            output: match recurrent {
                _ if tied_output => target_embedding,
                None => names::OUTPUT_MATRIX,
                Some(_) => names::RECURRENT_OUTPUT_MATRIX,
            },
            output_is_embedding: tied_output,
            output_bias,
            alignment_layer,
        })
    }
}

/// The options of a model, and which of them have been looked at.
struct Options<'a> {
    file: &'a str,
    values: BTreeMap<String, Value>,
    seen: Vec<&'static str>,
}

impl<'a> Options<'a> {
    fn parse(file: &'a str, yaml: &str) -> Result<Self, Error> {
        let values = yaml::parse(file, "special:model.yml", yaml)?;
        Ok(Options { file, values, seen: Vec::new() })
    }

    fn get(&mut self, name: &'static str) -> Option<Value> {
        self.seen.push(name);
        self.values.get(name).cloned()
    }

    fn unsupported(&self, option: &str, value: impl std::fmt::Display, supported: &str) -> Error {
        Error::Unsupported {
            file: self.file.to_owned(),
            option: option.to_owned(),
            value: value.to_string(),
            supported: supported.to_owned(),
        }
    }

    fn switch(&mut self, name: &'static str) -> Result<bool, Error> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Switch(on)) => Ok(on),
            Some(other) => Err(self.unsupported(name, other, "true, false")),
        }
    }

    /// A whole number from 1 to `limit`.
    fn number(&mut self, name: &'static str, default: usize, limit: usize) -> Result<usize, Error> {
        let value = self.get(name).unwrap_or(Value::Integer(default as i64));
        self.whole(name, &value, limit)
    }

    /// A whole number where 0 stands for `default`.
    fn number_or_zero(&mut self, name: &'static str, default: usize, limit: usize) -> Result<usize, Error> {
        match self.get(name) {
            None | Some(Value::Integer(0)) => Ok(default),
            Some(value) => self.whole(name, &value, limit),
        }
    }

    fn numbers(&mut self, name: &'static str, limit: usize) -> Result<Vec<usize>, Error> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::List(list)) => list.iter().map(|value| self.whole(name, value, limit)).collect(),
            Some(other) => Err(self.unsupported(name, other, "a list of whole numbers")),
        }
    }

    fn whole(&self, name: &str, value: &Value, limit: usize) -> Result<usize, Error> {
        if let Value::Integer(number) = value
            && let Ok(number) = usize::try_from(*number)
            && (1..=limit).contains(&number)
        {
            return Ok(number);
        }
        Err(self.unsupported(name, value, &format!("1 to {limit}")))
    }

    fn text(&mut self, name: &'static str, default: &str) -> Result<String, Error> {
        match self.get(name) {
            None => Ok(default.to_owned()),
            Some(Value::List(list)) => Err(self.unsupported(name, Value::List(list), "a single value")),
            Some(Value::Null) => Ok(String::new()),
            Some(other) => Ok(other.to_string()),
        }
    }

    fn texts(&mut self, name: &'static str) -> Result<Vec<String>, Error> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::List(list)) => Ok(list.iter().map(Value::to_string).collect()),
            Some(other) => Err(self.unsupported(name, other, "a list")),
        }
    }

    /// A text that must be one of `accepted`.
    fn accept_text(&mut self, name: &'static str, default: &str, accepted: &[&str]) -> Result<String, Error> {
        let text = self.text(name, default)?;
        if accepted.contains(&text.as_str()) {
            return Ok(text);
        }
        Err(self.unsupported(name, text, &accepted.join(", ")))
    }

    /// A list of operations, without dropout (`d`), which does nothing outside of training.
    fn operations(&mut self, name: &'static str, default: &str, accepted: &[&str]) -> Result<String, Error> {
        let text = self.text(name, default)?;
        let operations: String = text.chars().filter(|&operation| operation != 'd').collect();
        if accepted.contains(&operations.as_str()) {
            return Ok(operations);
        }
        let accepted: Vec<String> = accepted.iter().map(|operations| format!("`{operations}`")).collect();
        Err(self.unsupported(name, text, &format!("{}, each with or without `d`", accepted.join(" or "))))
    }

    fn activation(&mut self, name: &'static str) -> Result<Activation, Error> {
        Ok(match self.accept_text(name, "swish", &["relu", "swish"])?.as_str() {
            "relu" => Activation::Relu,
            _ => Activation::Swish,
        })
    }

    /// Every option that was not asked for must be irrelevant or switched off.
    fn refuse_remaining(&self) -> Result<(), Error> {
        for (name, value) in &self.values {
            if !self.seen.contains(&name.as_str()) && !IRRELEVANT.contains(&name.as_str()) && !value.is_off() {
                return Err(self.unsupported(name, value, "absent or off"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: &str = "\
        type: transformer\ndim-emb: 256\ndim-vocabs: [16000, 16000]\nenc-depth: 6\ndec-depth: 2\n\
        tied-embeddings-all: true\ntransformer-heads: 8\ntransformer-dim-ffn: 1536\n\
        transformer-ffn-activation: relu\ntransformer-decoder-autoreg: rnn\ndec-cell: ssru\n\
        transformer-postprocess: dan\ntransformer-postprocess-emb: d\n";

    fn parse(more: &str) -> Result<Config, Error> {
        let names: Vec<&str> = more.lines().filter_map(|line| line.split(':').next()).collect();
        let kept = TINY.lines().filter(|line| !names.contains(&line.split(':').next().unwrap()));
        let text: String = kept.chain(more.lines()).map(|line| format!("{line}\n")).collect();
        Config::parse("model", &text)
    }

    #[test]
    fn architectures_are_told_apart() {
        let tiny = parse("").unwrap();
        assert_eq!((tiny.decoder, tiny.normalization), (DecoderKind::Ssru, Normalization::Post));
        assert!(!tiny.embedding_normalization && !tiny.top_normalization);

        // A bare `n` is an operation, not the `false` of YAML 1.1.
        let pre =
            parse("transformer-preprocess: n\ntransformer-postprocess: da\ntransformer-postprocess-top: n").unwrap();
        assert_eq!(pre.normalization, Normalization::Pre);
        assert!(pre.top_normalization);

        let tied = parse("dec-depth: 4\ntransformer-tied-layers: [1, 1, 2, 2]").unwrap();
        assert_eq!(tied.decoder_layers, [1, 1, 2, 2]);
        assert_eq!(tied.alignment_layer, 3);

        let separate = parse("tied-embeddings-all: false\ndim-vocabs: [8000, 9000]").unwrap();
        assert_eq!((separate.source_embedding, separate.target_embedding), ("encoder_Wemb", "decoder_Wemb"));
        assert_eq!((separate.output, separate.output_is_embedding), ("decoder_ff_logit_out_W", false));
        let tied_output = parse("tied-embeddings-all: false\ntied-embeddings: true").unwrap();
        assert_eq!((tied_output.output, tied_output.output_is_embedding), ("decoder_Wemb", true));

        let smaller = parse("transformer-decoder-dim-ffn: 512\ntransformer-decoder-ffn-depth: 3").unwrap();
        assert_eq!((smaller.decoder_feed_forward.dim, smaller.decoder_feed_forward.depth), (512, 3));
        assert_eq!(smaller.encoder_feed_forward.dim, 1536);

        let average = parse("transformer-decoder-autoreg: average-attention\ntransformer-aan-nogate: true").unwrap();
        let DecoderKind::AverageAttention(attention) = average.decoder else { panic!("{:?}", average.decoder) };
        assert_eq!((attention.gate, attention.feed_forward.activation), (false, Activation::Swish));
        assert_eq!(parse("transformer-decoder-autoreg: self-attention").unwrap().decoder, DecoderKind::SelfAttention);
        assert_eq!(parse("transformer-guided-alignment-layer: 1").unwrap().alignment_layer, 0);

        let recurrent =
            "type: s2s\ndec-cell: gru\ndim-rnn: 100\nenc-type: alternating\nskip: true\nlayer-normalization: true";
        let DecoderKind::Recurrent(recurrent) = parse(recurrent).unwrap().decoder else { panic!() };
        assert_eq!((recurrent.dim, recurrent.encoder), (100, EncoderKind::Alternating));
        assert!(recurrent.skip && recurrent.layer_normalization);
        assert_eq!((recurrent.encoder_cells, recurrent.base_cells, recurrent.high_cells), (1, 2, 1));
        let nematus =
            "type: nematus\nenc-cell: gru-nematus\ndec-cell: gru-nematus\nenc-cell-depth: 4\ndec-cell-base-depth: 8";
        let DecoderKind::Recurrent(recurrent) = parse(nematus).unwrap().decoder else { panic!() };
        assert_eq!((recurrent.encoder_cells, recurrent.base_cells, recurrent.high_cells), (4, 8, 1));
        assert!(parse("type: amun\ndec-cell: gru\nenc-depth: 1\ndec-depth: 1\nlayer-normalization: true").is_ok());
    }

    #[test]
    fn what_is_not_implemented_is_refused_by_name() {
        for (more, named) in [
            ("type: amun\ndec-cell: gru", "enc-depth"),
            ("type: amun\ndec-cell: gru\nenc-depth: 1\ndec-depth: 1\ndec-cell-base-depth: 4", "dec-cell-base-depth"),
            ("type: amun\ndec-cell: gru\nenc-depth: 1\ndec-depth: 1\nskip: true", "skip"),
            ("type: nematus\ndec-cell: gru", "dec-cell"),
            ("type: nematus\ndec-cell: gru-nematus\nenc-type: alternating", "enc-type"),
            ("type: nematus\ndec-cell: gru-nematus\ndec-cell-high-depth: 2", "dec-cell-high-depth"),
            ("type: nematus\ndec-cell: gru-nematus\nlayer-normalization: true", "layer-normalization"),
            ("type: s2s\ndec-cell: lstm", "dec-cell"),
            ("type: s2s\ndec-cell: gru\nenc-cell: gru-nematus\nlayer-normalization: true", "layer-normalization"),
            ("type: s2s\ndec-cell: gru\nenc-type: unidirectional", "enc-type"),
            ("type: s2s\ndec-cell: gru\ndec-cell-base-depth: 1", "dec-cell-base-depth"),
            ("type: s2s\ndec-cell: gru\ndec-attention-hops: 2", "dec-attention-hops"),
            ("type: multi-transformer", "type"),
            ("dec-cell: gru", "dec-cell"),
            ("layer-normalization: true", "layer-normalization"),
            ("transformer-ffn-activation: gelu", "transformer-ffn-activation"),
            ("transformer-postprocess: dhn", "transformer-postprocess"),
            ("transformer-postprocess: dar", "transformer-postprocess"),
            ("transformer-postprocess-top: an", "transformer-postprocess-top"),
            ("transformer-preprocess: n", "transformer-postprocess"),
            ("transformer-train-position-embeddings: true", "transformer-train-position-embeddings"),
            ("transformer-disable-position-embeddings: true", "transformer-disable-position-embeddings"),
            ("transformer-attention-mask: alibi", "transformer-attention-mask"),
            ("transformer-rnn-projection: true", "transformer-rnn-projection"),
            ("transformer-no-affine: true", "transformer-no-affine"),
            ("transformer-no-bias: true", "transformer-no-bias"),
            ("transformer-pool: true", "transformer-pool"),
            ("lemma-dim-emb: 64", "lemma-dim-emb"),
            ("factors-dim-emb: 8", "factors-dim-emb"),
            ("right-left: true", "right-left"),
            ("ulr: true", "ulr"),
            ("input-types: [sequence, class]", "input-types"),
            ("an-option-of-tomorrow: 3", "an-option-of-tomorrow"),
            ("transformer-tied-layers: [1]", "transformer-tied-layers"),
            ("transformer-tied-layers: [1, 3]", "transformer-tied-layers"),
            ("transformer-heads: 7", "transformer-heads"),
            ("transformer-heads: 0", "transformer-heads"),
            ("dim-emb: 99999999999", "dim-emb"),
            ("dim-emb: -256", "dim-emb"),
            ("dim-vocabs: [8000, 9000]", "dim-vocabs"),
            ("dim-vocabs: [8000]", "dim-vocabs"),
            ("transformer-guided-alignment-layer: 5", "transformer-guided-alignment-layer"),
        ] {
            match parse(more) {
                Err(Error::Unsupported { option, .. }) => assert_eq!(option, named, "{more}"),
                other => panic!("{more}: {other:?}"),
            }
        }
        assert!(matches!(Config::parse("model", "a: [1,"), Err(Error::Malformed { .. })));
        assert!(parse("an-option-of-tomorrow: false\nskip: true\nmax-length: 99").is_ok());
    }
}
