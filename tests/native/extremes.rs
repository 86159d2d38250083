//! Models that load but are strange: the translator says so or copies, and never panics.

use super::architectures::{FOLDER, SETTINGS, files, load};
use super::heads::{Tensors, bin, tensors, with_model};
use wanderwort::model::MarianFiles;
use wanderwort::nn::NetworkError;
use wanderwort::{LoadError, LoadOptions, Precision, Repairs, TranslateOptions, Translator};

const TEXT: &str = "The house is big.";

/// A model whose tensors are changed.
fn changed(name: &str, change: impl Fn(&str, &mut wanderwort::model::FloatTensor)) -> MarianFiles {
    let files = files(&format!("{FOLDER}/{name}"), SETTINGS);
    let (config, mut tensors): (String, Tensors) = tensors(&files);
    tensors.iter_mut().for_each(|(name, tensor)| change(name, tensor));
    with_model(&files, "model.bin", bin(&config, &tensors))
}

#[test]
fn embeddings_have_a_vector_for_each_word_of_the_vocabulary() {
    let cases = [
        ("post-norm", "Wemb", Some("decoder_ff_logit_out_b")),
        ("separate-embeddings", "encoder_Wemb", None),
        ("separate-embeddings", "decoder_Wemb", None),
    ];
    for (model, embedding, bias) in cases {
        let half = changed(model, |name, tensor| {
            if name == embedding {
                tensor.rows /= 2;
            } else if bias == Some(name) {
                tensor.columns /= 2;
            }
            tensor.values.truncate(tensor.rows * tensor.columns);
        });
        match Translator::from_marian(&half, &LoadOptions::default()) {
            Err(LoadError::Network { source: NetworkError::Shape { name, expected, found }, .. }) => {
                assert_eq!(name, embedding);
                assert!(expected.starts_with("300 vectors") && found.starts_with("150 vectors"), "{expected}, {found}");
            }
            other => panic!("{model} {embedding}: {:?}", other.map(|_| ())),
        }
    }
}

#[test]
fn a_sentence_without_any_likely_word_is_copied() {
    // Finite weights, but what is computed with them is not.
    let overflowing = changed("post-norm", |name, tensor| {
        if name.starts_with("encoder_l1_") && name.ends_with("_ln_scale") {
            tensor.values.fill(3e38);
        }
    });
    let translator = load("post-norm", &overflowing, Precision::Float32);
    let twice = translator.ensemble(std::slice::from_ref(&translator)).unwrap();
    for translator in [&translator, &twice] {
        for (beam, scores) in [(1, false), (1, true), (3, true)] {
            let options = TranslateOptions { beam, scores, ..TranslateOptions::default() };
            assert_eq!(translator.translate(TEXT, &options).text, TEXT, "{beam}");
            let plain = TranslateOptions { repairs: Repairs::NONE, ..options };
            assert_eq!(translator.translate(TEXT, &plain).text, "", "{beam}");
        }
    }
}

#[test]
fn log_probabilities_are_given_if_they_are_asked_for() {
    let translator =
        load("post-norm", &files(&format!("{FOLDER}/post-norm"), SETTINGS), Precision::Float32).with_cache(9);
    for beam in [1, 3] {
        for scores in [false, true, false] {
            for n_best in [0, 2] {
                let options = TranslateOptions { beam, scores, n_best, ..TranslateOptions::default() };
                let translation = translator.translate(TEXT, &options);
                assert!(!translation.tokens.is_empty());
                assert!(translation.tokens.iter().any(|token| token.log_probability.is_some()) == scores);
            }
        }
    }
}
