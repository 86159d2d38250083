//! Several models as one translator: against a search that is written out here and asks each model by itself.

use super::architectures::{FOLDER, SETTINGS, files, load, sources};
use wanderwort::kernels::Backend;
use wanderwort::model::{Error, MarianFiles, MarianModel, NamedBytes, Weights};
use wanderwort::nn::{Candidates, DecoderRows, Network, NetworkBuilder, Previous, Workspace};
use wanderwort::text::vocab::Vocabulary;
use wanderwort::{
    EnsembleError, Language, LoadOptions, Precision, Repairs, Sentences, TranslateOptions, Translation, Translator,
};

/// Architectures that have nothing in common but their vocabulary.
const DIFFERENT: [&str; 3] = ["post-norm", "recurrent-deep", "self-attention"];

fn path(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

fn open(name: &str, precision: Precision) -> Translator {
    load(name, &files(&path(name), SETTINGS), precision)
}

fn texts(name: &str, count: usize) -> Vec<String> {
    sources(&path(name)).into_iter().take(count).map(|(source, _)| source).collect()
}

const PLAIN: TranslateOptions = TranslateOptions {
    scores: true,
    attention: true,
    sentences: Sentences::AreLines,
    structure: true,
    wrapped: wanderwort::Wrapped::Never,
    beam: 1,
    n_best: 0,
    branches: false,
    normalize: None,
    beam_threshold: None,
    beam_recombination: None,
    repairs: Repairs::NONE,
    rows: 0,
    pieces: 0,
};

fn searches() -> [TranslateOptions; 3] {
    let beam = TranslateOptions { beam: 3, n_best: 3, normalize: Some(0.6), ..PLAIN };
    [PLAIN, TranslateOptions { scores: false, ..PLAIN }, beam]
}

#[test]
fn a_model_with_itself_is_the_model() {
    for name in DIFFERENT {
        for precision in [Precision::Float32, Precision::Int8] {
            let translator = open(name, precision);
            let twice = translator.ensemble(std::slice::from_ref(&translator)).unwrap();
            assert_eq!((twice.info().networks, twice.info().weight_bytes), (2, translator.info().weight_bytes));
            let alone = translator.ensemble(&[]).unwrap();
            for options in searches() {
                let texts = texts(name, 12);
                let own = translator.translate_batch(&texts, &options);
                assert_eq!(twice.translate_batch(&texts, &options), own, "{name}");
                assert_eq!(alone.translate_batch(&texts, &options), own, "{name}");
            }
        }
    }
    // With a shortlist, and all that is put right.
    let translator = Translator::open(crate::prototype::FOLDER, &LoadOptions::default()).unwrap();
    let twice = translator.ensemble(std::slice::from_ref(&translator)).unwrap();
    let golden = std::fs::read_to_string("tests/data/marian-golden/golden.tsv").unwrap();
    let mut texts: Vec<&str> = golden.lines().filter_map(|line| Some(line.split_once('\t')?.0)).take(30).collect();
    texts.push("She paid 1,200.50 dollars for <b>two</b> of them on 3/4/2025.");
    for beam in [1, 4] {
        let options = TranslateOptions { beam, scores: true, ..TranslateOptions::default() };
        assert_eq!(twice.translate_batch(&texts, &options), translator.translate_batch(&texts, &options));
    }
}

fn network(name: &str) -> Network {
    let file = files(&path(name), SETTINGS).model;
    let model = MarianModel::open(&file.name, &file.bytes).unwrap();
    let mut builder = NetworkBuilder::new(Precision::Float32, Backend::best());
    model.tensors::<Error>(|name, tensor| builder.add(name, tensor).map_err(|error| panic!("{error}"))).unwrap();
    builder.finish(model.config()).unwrap()
}

/// What a network by itself gives for the word behind `words`: natural-log probabilities of the whole vocabulary, computed from the beginning of
/// the sentence.
fn next_word(network: &Network, source: &[u32], words: &[u32]) -> Vec<f64> {
    let (mut workspace, mut rows) = (Workspace::new(Backend::best()), DecoderRows::new(network));
    network.encode(source, &[source.len()], &mut workspace);
    rows.admit(network, &[source.len()], &mut workspace);
    for position in 0..=words.len() {
        let word = position.checked_sub(1).map(|last| words[last]);
        network.decode(&[Previous { word, position }], &mut rows, None, &mut workspace);
    }
    let mut out = Vec::new();
    let candidates = Candidates::new(network);
    let texts = std::iter::once((&candidates, 1));
    network.log_probabilities(network.target_vocabulary(), texts, &mut workspace, &mut out);
    out.into_iter().map(f64::from).collect()
}

/// The mean of what all networks give for the word behind `words`.
fn mean(networks: &[Network], source: &[u32], words: &[u32]) -> Vec<f64> {
    let each: Vec<Vec<f64>> = networks.iter().map(|network| next_word(network, source, words)).collect();
    let mean = |word: usize| each.iter().map(|scores| scores[word]).sum::<f64>() / each.len() as f64;
    (0..each[0].len()).map(mean).collect()
}

/// Hypotheses and the sums of their words' log-probabilities, the best first by their mean over the length to the power of 0.6.
fn beam(networks: &[Network], source: &[u32], width: usize, end_mark: u32) -> Vec<(Vec<u32>, f64)> {
    let (mut live, mut done) = (vec![(Vec::new(), 0.0)], Vec::new());
    while !live.is_empty() {
        let mut next = Vec::new();
        for (words, sum) in &live {
            let words: &Vec<u32> = words;
            for (word, score) in mean(networks, source, words).into_iter().enumerate() {
                next.push(([&words[..], &[word as u32]].concat(), sum + score));
            }
        }
        next.sort_by(|a, b| b.1.total_cmp(&a.1));
        next.truncate(width - done.len());
        live.clear();
        for (words, sum) in next {
            let ends = words.last() == Some(&end_mark) || words.len() == 2 * source.len();
            if ends { &mut done } else { &mut live }.push((words, sum));
        }
    }
    let score = |(words, sum): &(Vec<u32>, f64)| sum / (words.len() as f64).powf(0.6);
    done.sort_by(|a, b| score(b).total_cmp(&score(a)));
    done
}

fn close(a: f32, b: f64) -> bool {
    (f64::from(a) - b).abs() <= 1e-4 * b.abs().max(1.0)
}

fn vocabulary() -> Vocabulary {
    let path = format!("{FOLDER}/vocab.spm");
    Vocabulary::from_bytes(&path, &std::fs::read(&path).unwrap()).unwrap()
}

fn source_ids(vocabulary: &Vocabulary, text: &str) -> Vec<u32> {
    let mut pieces = Vec::new();
    vocabulary.encode(text, &mut pieces);
    pieces.iter().map(|piece| piece.id).chain([vocabulary.end_of_sentence()]).collect()
}

#[test]
fn a_beam_ranks_by_the_mean_of_all_models() {
    let (vocabulary, networks) = (vocabulary(), DIFFERENT.map(network));
    let [first, others @ ..] = DIFFERENT.map(|name| open(name, Precision::Float32));
    let together = first.ensemble(&others).unwrap();
    assert_eq!(together.info().networks, 3);
    let texts = texts(DIFFERENT[0], 6);
    let options = TranslateOptions { beam: 3, n_best: 3, normalize: Some(0.6), ..PLAIN };
    let found = together.translate_batch(&texts, &options);
    let (mut same, mut all) = (0, 0);
    for (text, found) in texts.iter().zip(&found) {
        let expected = beam(&networks, &source_ids(&vocabulary, text), 3, vocabulary.end_of_sentence());
        assert_eq!(found.candidates[0].len(), expected.len());
        for (found, (words, sum)) in found.candidates[0].iter().zip(expected) {
            all += 1;
            let words: Vec<u32> = words.into_iter().filter(|&word| word != vocabulary.end_of_sentence()).collect();
            let equal = found.text == vocabulary.decode(&words).text && close(found.log_probability, sum);
            same += usize::from(equal);
            if !equal {
                eprintln!("{text}: {found:?}, expected {sum}");
            }
        }
    }
    // Of hypotheses whose scores differ in the last bits, either may stand first.
    assert!(all == 18 && same >= 16, "{same} of {all} equal");
    for translator in std::iter::once(&first).chain(&others) {
        let alone = translator.translate_batch(&texts, &options);
        assert!(alone.iter().zip(&found).any(|(alone, found)| alone.text != found.text));
    }
}

#[test]
fn greedy_search_takes_the_word_with_the_largest_mean() {
    let (vocabulary, names) = (vocabulary(), ["average-attention-deep", "recurrent-shallow"]);
    let networks = names.map(network);
    let [first, second] = names.map(|name| open(name, Precision::Float32));
    let together = first.ensemble(&[second]).unwrap();
    let (mut same, texts) = (0, texts(names[0], 12));
    for (text, found) in texts.iter().zip(together.translate_batch(&texts, &PLAIN)) {
        let (source, mut words, mut scores) = (source_ids(&vocabulary, text), Vec::new(), Vec::new());
        while words.len() < 2 * source.len() {
            let mean = mean(&networks, &source, &words);
            let best = (0..mean.len()).fold(0, |best, word| if mean[word] > mean[best] { word } else { best });
            if best as u32 == vocabulary.end_of_sentence() {
                break;
            }
            words.push(best as u32);
            scores.push(mean[best]);
        }
        let fits = |(token, score): (&wanderwort::TranslatedToken, &f64)| {
            token.log_probability.is_some_and(|found| close(found, *score))
        };
        let equal = found.text == vocabulary.decode(&words).text
            && found.tokens.len() == scores.len()
            && found.tokens.iter().zip(&scores).all(fits);
        same += usize::from(equal);
        if !equal {
            eprintln!("{text}: {}, expected {}", found.text, vocabulary.decode(&words).text);
        }
    }
    assert!(same >= 11, "{same} of 12 equal");
}

#[test]
fn a_translation_depends_on_its_own_text_alone() {
    let [first, others @ ..] = DIFFERENT.map(|name| open(name, Precision::Int8));
    let together = first.ensemble(&others).unwrap();
    let texts = texts(DIFFERENT[1], 12);
    for options in searches() {
        let translations = together.translate_batch(&texts, &options);
        for (text, translation) in texts.iter().zip(translations) {
            assert_eq!(together.translate(text, &options), translation);
        }
    }
}

#[test]
fn the_first_model_aligns() {
    let [first, second] = ["pre-norm", "recurrent-shallow"].map(|name| open(name, Precision::Float32));
    let text = &texts("pre-norm", 1)[0];
    let looked_at = |translator: &Translator| translator.translate(text, &PLAIN).tokens[0].attention.clone();
    // Before the first word there is only the source to look at, whatever the others say.
    assert_eq!(looked_at(&first.ensemble(std::slice::from_ref(&second)).unwrap()), looked_at(&first));
    assert_eq!(looked_at(&second.ensemble(std::slice::from_ref(&first)).unwrap()), looked_at(&second));
}

/// The prototype with a shortlist in which each word has its neighbour in the vocabulary beside itself, and no translation.
fn english_alone() -> Translator {
    let mut files = MarianFiles::read_folder(crate::prototype::FOLDER.as_ref(), Weights::Int8).unwrap();
    let file = &files.source_vocabulary;
    let vocabulary = Vocabulary::from_bytes(&file.name, &file.bytes).unwrap();
    let pieces: Vec<&str> = (2..vocabulary.len() as u32).filter_map(|id| vocabulary.piece(id)).collect();
    let is_word = |piece: &str| !piece.contains(char::is_whitespace);
    let pairs = pieces.windows(2).filter(|pair| is_word(pair[0]) && is_word(pair[1]));
    let lines: String = pairs.map(|pair| format!("{} {} 0.5\n", pair[1], pair[0])).collect();
    files.shortlist = Some(NamedBytes { name: "lex.s2t".to_owned(), bytes: lines.into_bytes() });
    let settings = "shortlist: [lex.s2t, 2, 9]\n".as_bytes().to_vec();
    files.decoder = Some(NamedBytes { name: "decoder.yml".to_owned(), bytes: settings });
    Translator::from_marian(&files, &LoadOptions::default()).unwrap()
}

#[test]
fn each_model_may_say_what_it_could_alone() {
    let whole = Translator::open(crate::prototype::FOLDER, &LoadOptions::default()).unwrap();
    let english = english_alone();
    assert!(english.info().shortlist);
    let texts = ["The cat sleeps on the roof.", "My grandmother bakes bread every morning."];
    let translate = |translator: &Translator| -> Vec<String> {
        let found: Vec<Translation> = translator.translate_batch(&texts, &TranslateOptions::default());
        found.into_iter().map(|translation| translation.text).collect()
    };
    let own = translate(&whole);
    assert!(translate(&english).iter().zip(&own).all(|(english, own)| english != own));
    assert_eq!(translate(&english.ensemble(std::slice::from_ref(&whole)).unwrap()), own);
    assert_eq!(translate(&whole.ensemble(std::slice::from_ref(&english)).unwrap()), own);
    let free = LoadOptions { shortlist: false, ..LoadOptions::default() };
    let free = Translator::open(crate::prototype::FOLDER, &free).unwrap();
    let together = english.ensemble(std::slice::from_ref(&free)).unwrap();
    assert!(!together.info().shortlist);
    assert_eq!(translate(&together), translate(&free));
}

#[test]
fn models_of_other_vocabularies_or_languages_are_refused() {
    let first = open("post-norm", Precision::Int8);
    let second = open("pre-norm", Precision::Int8);
    let prototype = Translator::open(crate::prototype::FOLDER, &LoadOptions::default()).unwrap();
    let error = first.ensemble(&[second.clone(), prototype]).unwrap_err();
    let expected = EnsembleError::VocabularySize { number: 3, side: "source", expected: 300, found: 16_000 };
    assert_eq!(error, expected);
    let message = error.to_string();
    assert!(
        message.contains("model 3") && message.contains("300") && message.contains("same vocabularies"),
        "{message}"
    );

    let mut files = files(&path("pre-norm"), SETTINGS);
    let piece = vocabulary().piece(200).unwrap().to_owned();
    let field = [&[0x0a, piece.len() as u8], piece.as_bytes()].concat();
    let bytes = &mut files.source_vocabulary.bytes;
    let place = bytes.windows(field.len()).position(|window| window == field).expect("the piece");
    bytes[place + field.len() - 1] = b'~';
    let other = load("pre-norm with another piece", &files, Precision::Int8);
    let error = first.ensemble(&[other]).unwrap_err();
    let EnsembleError::VocabularyPiece { number: 2, side: "source", id: 200, expected, found } = &error else {
        panic!("{error:?}");
    };
    assert!(*expected == piece && found.ends_with('~'), "{error}");

    let to = |tag: &str| {
        let options = LoadOptions { target_language: Language::from_tag(tag), ..LoadOptions::default() };
        Translator::from_marian(&super::architectures::files(&path("swish"), SETTINGS), &options).unwrap()
    };
    let error = to("de").ensemble(&[second.clone(), to("fr")]).unwrap_err();
    assert_eq!(error, EnsembleError::Language { number: 3, relation: "to", expected: "de", found: "fr" });
    // What nobody knows does not differ.
    assert_eq!(second.ensemble(&[to("de")]).unwrap().target_language(), Language::from_tag("de").unwrap());
}
