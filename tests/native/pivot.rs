//! Two models one after the other, against one alone.
//!
//! The first one is made here and copies what it reads, so that what comes out of both should be what comes out of the second: text, sentences,
//! alignment, markup. What differs is the way through the middle.

use std::sync::OnceLock;
use wanderwort::model::{FloatTensor, MarianFiles, NamedBytes, write_npz};
use wanderwort::text::documents::{Format, Languages, ReadOptions};
use wanderwort::text::structure::Wrapped;
use wanderwort::text::vocab::Vocabulary;
use wanderwort::{
    Language, Link, LoadOptions, LoadedModels, Pivot, Precision, Repairs, RequestId, Translate, TranslateOptions,
    Translation, Translator,
};

const WIDTH: usize = 64;
const HIDDEN: usize = 8;

const CONFIG: &str = "\
type: transformer
dim-emb: 64
dim-vocabs: [WORDS, WORDS]
transformer-heads: 1
transformer-dim-ffn: 8
transformer-ffn-depth: 2
transformer-ffn-activation: relu
transformer-preprocess: \"\"
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-decoder-autoreg: rnn
transformer-guided-alignment-layer: last
dec-cell: ssru
enc-depth: 1
dec-depth: 1
tied-embeddings-all: true
";

/// Columns where the position signal changes from word to word: the highest frequencies' sines and cosines.
fn tells_position(column: usize) -> bool {
    column % (WIDTH / 2) < 8
}

/// Columns where it is next to nothing, and a word has as many ones as minus ones: their mean is what a norm has moved all columns by.
const QUIET: std::ops::Range<usize> = 24..32;

/// A model that copies: its decoder looks at the source word of its own position and says that.
fn copying_model() -> MarianFiles {
    let file = |name: &str| NamedBytes { name: name.to_owned(), bytes: crate::prototype::file(name) };
    let vocabulary = file("vocab.ende.spm");
    let words = Vocabulary::from_bytes("vocab.ende.spm", &vocabulary.bytes).expect("a vocabulary").len();
    let tensor = |rows: usize, columns: usize, value: &dyn Fn(usize, usize) -> f32| FloatTensor {
        rows,
        columns,
        values: (0..rows * columns).map(|index| value(index / columns, index % columns)).collect(),
    };
    let diagonal = |scale: f32, of_position: bool| {
        tensor(WIDTH, WIDTH, &move |row, column| match () {
            () if tells_position(column) != of_position => 0.0,
            () if row == column => scale,
            () if of_position && QUIET.contains(&row) => -scale / QUIET.len() as f32,
            () => 0.0,
        })
    };
    let zeros = |rows, columns| tensor(rows, columns, &|_, _| 0.0);
    let ones = |columns| tensor(1, columns, &|_, _| 1.0);
    let mut tensors = Vec::new();
    let mut add = |name: &str, tensor: FloatTensor| tensors.push((name.to_owned(), tensor));
    for (block, is_copy) in [("encoder_l1_self", false), ("decoder_l1_context", true)] {
        for part in ["q", "k", "v", "o"] {
            let matrix = match part {
                _ if !is_copy => zeros(WIDTH, WIDTH),
                "q" | "k" => diagonal(100.0, true),
                "v" => diagonal(1.0, false),
                // What is read outweighs the word before, which the decoder begins with.
                _ => diagonal(50.0, false),
            };
            add(&format!("{block}_W{part}"), matrix);
            add(&format!("{block}_b{part}"), zeros(1, WIDTH));
        }
        add(&format!("{block}_Wo_ln_scale"), ones(WIDTH));
        add(&format!("{block}_Wo_ln_bias"), zeros(1, WIDTH));
    }
    for stack in ["encoder", "decoder"] {
        add(&format!("{stack}_l1_ffn_W1"), zeros(WIDTH, HIDDEN));
        add(&format!("{stack}_l1_ffn_b1"), zeros(1, HIDDEN));
        add(&format!("{stack}_l1_ffn_W2"), zeros(HIDDEN, WIDTH));
        add(&format!("{stack}_l1_ffn_b2"), zeros(1, WIDTH));
        add(&format!("{stack}_l1_ffn_ffn_ln_scale"), ones(WIDTH));
        add(&format!("{stack}_l1_ffn_ffn_ln_bias"), zeros(1, WIDTH));
    }
    add("decoder_l1_rnn_W", zeros(WIDTH, WIDTH));
    add("decoder_l1_rnn_Wf", zeros(WIDTH, WIDTH));
    add("decoder_l1_rnn_bf", zeros(1, WIDTH));
    add("decoder_l1_rnn_ffn_ln_scale", ones(WIDTH));
    add("decoder_l1_rnn_ffn_ln_bias", zeros(1, WIDTH));
    add("decoder_ff_logit_out_b", zeros(1, words));
    let rows: Vec<[f32; WIDTH]> = (0..words).map(|word| signs_of(word as u64)).collect();
    add("Wemb", tensor(words, WIDTH, &|word, column| rows[word][column]));
    let config = CONFIG.replace("WORDS", &words.to_string());
    MarianFiles {
        model: NamedBytes { name: "model.npz".into(), bytes: write_npz(&config, &tensors).expect("a model") },
        source_vocabulary: vocabulary,
        target_vocabulary: None,
        shortlist: None,
        decoder: None,
        info: None,
    }
}

/// What stands for a word: in each group of eight columns four ones and four minus ones, in an order of its own.
fn signs_of(word: u64) -> [f32; WIDTH] {
    let mut state = (word + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut signs = [0.0; WIDTH];
    for group in signs.chunks_mut(8) {
        let mut order = [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];
        for last in (1..8).rev() {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            order.swap(last, (state >> 33) as usize % (last + 1));
        }
        group.copy_from_slice(&order);
    }
    (0..WIDTH).filter(|column| tells_position(*column)).for_each(|column| signs[column] = 0.0);
    signs
}

fn direct() -> &'static Translator {
    static DIRECT: OnceLock<Translator> = OnceLock::new();
    DIRECT.get_or_init(|| Translator::open("models/en-de.tiny.wanderwort", &LoadOptions::default()).expect("the model"))
}

fn pivot() -> &'static Pivot {
    static PIVOT: OnceLock<Pivot> = OnceLock::new();
    PIVOT.get_or_init(|| {
        let english = Some(Language::ENGLISH);
        let options = LoadOptions {
            precision: Precision::Float32,
            source_language: english,
            target_language: english,
            ..LoadOptions::default()
        };
        let first = Translator::from_marian(&copying_model(), &options).expect("the copying model");
        Pivot::new(first, direct().clone()).expect("English in the middle")
    })
}

fn lines(file: &str) -> Vec<String> {
    std::fs::read_to_string(file).expect(file).lines().map(str::to_owned).collect()
}

/// Sentences of the golden set, some of them together as a text.
fn texts() -> Vec<String> {
    let sources: Vec<String> = lines("tests/data/marian-golden/golden.tsv")
        .iter()
        .take(60)
        .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
        .collect();
    sources.chunks(3).map(|three| format!("{}  {}\n\n{}", three[0], three[1], three[2])).collect()
}

/// What must hold of every translation.
fn check(source: &str, translation: &Translation) {
    let text = &translation.text;
    let (mut source_end, mut target_end) = (0, 0);
    for sentence in &translation.sentences {
        assert!(source.get(sentence.source.clone()).is_some() && text.get(sentence.target.clone()).is_some());
        assert!(sentence.source.start >= source_end && sentence.target.start >= target_end, "{source}");
        (source_end, target_end) = (sentence.source.end, sentence.target.end);
    }
    let mut before = 0;
    for token in &translation.tokens {
        assert!(text.get(token.link.target.clone()).is_some(), "{:?} in {text:?}", token.link);
        assert!(source.get(token.link.source.clone()).is_some(), "{:?} in {source:?}", token.link);
        assert!(token.link.target.start >= before);
        before = token.link.target.start;
        let of = translation.sentences.iter().find(|sentence| {
            sentence.target.start <= token.link.target.start && token.link.target.end <= sentence.target.end
        });
        let of = of.expect("a token is of a sentence");
        assert!(of.source.start <= token.link.source.start && token.link.source.end <= of.source.end);
    }
}

#[test]
fn the_first_model_copies() {
    let options = TranslateOptions { repairs: Repairs::NONE, ..TranslateOptions::default() };
    let sources = lines("tests/data/marian-golden/golden.tsv");
    let sources: Vec<&str> = sources.iter().filter_map(|line| line.split('\t').next()).take(100).collect();
    let copied = pivot().first().translate_batch(&sources, &options);
    let same = copied.iter().zip(&sources).filter(|(copy, source)| copy.text == **source).count();
    assert!(same >= 97, "{same} of 100");
}

#[test]
fn prices_have_the_form_of_the_last_language() {
    let german = Translator::open("models/de-en.tiny.wanderwort", &LoadOptions::default()).expect("the model");
    let there = Pivot::new(german.clone(), direct().clone()).expect("English in the middle");
    let back = Pivot::new(direct().clone(), german).expect("German in the middle");
    for (pivot, text, price) in [
        (&there, "1.234 €", "1.234 €"),
        (&there, "20,50 €", "20,50 €"),
        (&there, "Rad | 1.234 €", " | 1.234 €"),
        (&back, "$20.50", "$20.50"),
        (&back, "Bike | $1,234", " | $1,234"),
    ] {
        let options = TranslateOptions::default();
        let mut session = pivot.session(&options);
        session.submit(text, 0);
        let mut stepped = Vec::new();
        while !session.is_idle() {
            stepped.extend(session.step().into_iter().map(|(_, translation)| translation.text));
        }
        for translated in [&[pivot.translate(text, &options).text][..], &stepped] {
            assert!(matches!(translated, [one] if one.ends_with(price)), "{text}: {translated:?}");
        }
    }
}

#[test]
fn attention_goes_through_the_middle() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().take(8).map(String::as_str).collect();
    for beam in [1, 3] {
        let options = TranslateOptions { attention: true, beam, ..TranslateOptions::default() };
        let plain = TranslateOptions { attention: false, ..options };
        let through = Translate::translate_batch(pivot(), &texts, &options);
        let alone = Translate::translate_batch(direct(), &texts, &options);
        let (mut near, mut all) = (0, 0);
        for (translation, source) in through.iter().chain(&alone).zip(texts.iter().cycle()) {
            let rows = translation.tokens.iter().map(|token| &token.attention).filter(|row| !row.is_empty());
            assert!(rows.clone().count() * 2 > translation.tokens.len(), "{source}");
            for row in rows {
                let sum: f32 = row.iter().map(|part| part.weight).sum();
                assert!((sum - 1.0).abs() < 1e-3, "{sum}: {source}");
                assert!(row.iter().all(|part| part.weight >= 0.0 && source.get(part.source.clone()).is_some()));
            }
        }
        for (through, alone) in through.iter().zip(&alone).filter(|(through, alone)| through.text == alone.text) {
            for (through, alone) in through.tokens.iter().zip(&alone.tokens) {
                // What of a piece's weight is on its bytes after the way through the middle.
                let on = |range: &std::ops::Range<usize>| -> f32 {
                    let touches = |part: &std::ops::Range<usize>| part.start < range.end && range.start < part.end;
                    let parts = through.attention.iter().filter(|part| touches(&part.source));
                    parts.map(|part| part.weight).sum()
                };
                for part in alone.attention.iter().filter(|part| part.weight > 0.5 && !part.source.is_empty()) {
                    all += 1;
                    near += usize::from((on(&part.source) - part.weight).abs() < 0.2);
                }
            }
        }
        assert!(all > 50 && near * 10 >= all * 9, "{near} of {all}");
        // Nothing else changes.
        for (with, without) in through.iter().zip(Translate::translate_batch(pivot(), &texts, &plain)) {
            assert_eq!(with.text, without.text);
            assert!(without.tokens.iter().all(|token| token.attention.is_empty()));
            let links =
                |translation: &Translation| translation.tokens.iter().map(|t| t.link.clone()).collect::<Vec<_>>();
            assert_eq!(links(with), links(&without));
        }
    }
}

#[test]
fn a_word_is_linked_to_what_it_looked_at_most_as_in_a_direct_translation() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for beam in [1, 3] {
        let options = TranslateOptions { attention: true, beam, ..TranslateOptions::default() };
        let shares = [pivot() as &dyn Translate, direct()].map(|translator| {
            let translations = Translate::translate_batch(translator, &texts, &options);
            let (mut most, mut all) = (0_u32, 0_u32);
            for token in translations.iter().flat_map(|translation| &translation.tokens) {
                let Some(largest) = token.attention.iter().map(|part| part.weight).reduce(f32::max) else { continue };
                let mut first = token.attention.iter().filter(|part| part.weight == largest);
                all += 1;
                most += u32::from(first.any(|part| part.source == token.link.source));
            }
            assert!(all > 500, "{all}");
            f64::from(most) / f64::from(all)
        });
        println!("beam {beam}: through the middle {:.4}, directly {:.4}", shares[0], shares[1]);
        // The others are those that repairs have linked.
        assert!(shares[1] > 0.97 && shares[0] > shares[1] - 0.01, "{shares:?}");
    }
}

#[test]
fn a_direct_pair_and_a_half_are_one_model_in_memory() {
    let models = LoadedModels::new();
    let options = LoadOptions::default();
    let path = "models/en-de.tiny.wanderwort";
    let first = pivot().first().clone();
    let half =
        Pivot::new(first.clone(), models.open(path, &options).expect("the model")).expect("English in the middle");
    let direct = models.open("models/../models/en-de.tiny.wanderwort", &options).expect("the model");
    assert_eq!(models.len(), 1);
    assert_eq!(half.second().trusted_signs().map(<[char]>::as_ptr), direct.trusted_signs().map(<[char]>::as_ptr));
    // Options that make another model of it.
    let float = models.open(path, &LoadOptions { precision: Precision::Float32, ..options }).expect("the model");
    assert_eq!(models.len(), 2);
    drop((half, float));
    assert_eq!(models.len(), 1);
    let text = "The house is big.";
    assert_eq!(
        direct.translate(text, &TranslateOptions::default()).text,
        self::direct().translate(text, &TranslateOptions::default()).text
    );
    drop(direct);
    assert!(models.is_empty());
    // A file that was replaced is another model.
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("model.wanderwort");
    std::fs::copy(path, &copy).expect("a copy");
    let before = models.open(&copy, &options).expect("the model");
    let file = std::fs::File::options().write(true).open(&copy).expect("the copy");
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(10)).expect("another time");
    let after = models.open(&copy, &options).expect("the model");
    assert_eq!(models.len(), 2);
    drop((before, after));
    assert!(models.open(folder.path().join("nothing"), &options).is_err() && models.is_empty());
}

#[test]
fn what_comes_out_is_what_a_direct_translation_has() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let options = TranslateOptions { scores: true, ..TranslateOptions::default() };
    let through = Translate::translate_batch(pivot(), &texts, &options);
    let alone = Translate::translate_batch(direct(), &texts, &options);
    assert_eq!(through.len(), texts.len());
    let (mut same, mut links, mut right) = (0, 0, 0);
    for ((source, through), alone) in texts.iter().zip(&through).zip(&alone) {
        check(source, through);
        // They are the source's. One that is too long for a model is cut before it, so either may have it in parts.
        let is_within = |inner: &Link, outer: &Link| {
            outer.source.start <= inner.source.start && inner.source.end <= outer.source.end
        };
        assert!(
            !through.sentences.is_empty() && through.sentences.len().abs_diff(alone.sentences.len()) <= 1,
            "{source}"
        );
        for one in &through.sentences {
            let fits = |other: &Link| is_within(one, other) || is_within(other, one);
            assert!(alone.sentences.iter().any(fits), "{source}");
        }
        assert!(!through.tokens.is_empty() && through.tokens.iter().any(|token| token.log_probability.is_some()));
        if through.text == alone.text && through.tokens.len() == alone.tokens.len() {
            same += 1;
            links += alone.tokens.len();
            let overlaps =
                |a: &std::ops::Range<usize>, b: &std::ops::Range<usize>| a == b || a.start < b.end && b.start < a.end;
            right += through
                .tokens
                .iter()
                .zip(&alone.tokens)
                .filter(|(a, b)| overlaps(&a.link.source, &b.link.source))
                .count();
        }
    }
    println!("{same} of {} texts are the same, and of their {links} links {right}", texts.len());
    assert!(same * 100 >= texts.len() * 80 && right * 100 >= links * 98);
}

#[test]
fn markup_stands_on_the_words_where_a_direct_translation_has_it() {
    let lines = lines("tests/data/markup/sources.txt");
    let html: String = lines.iter().map(|line| format!("<p>{line}</p>\n")).collect();
    let options =
        ReadOptions { languages: Languages { source: "en", target: "de" }, encoding: None, wrapped: Wrapped::Never };
    let document = Format::named("html").expect("a format").read(html.into_bytes(), &options).expect("a document");
    let translated = |translator: &dyn Translate| {
        let mut seen = 0;
        let bytes = translator
            .translate_document(&*document, &TranslateOptions::default(), &mut |texts| seen += texts.len())
            .expect("a document");
        assert!(seen >= 200);
        String::from_utf8(bytes).expect("UTF-8")
    };
    let (through, alone) = (translated(pivot()), translated(direct()));
    let words = |line: &str| {
        let mut text = String::new();
        line.split('<').for_each(|part| text.push_str(part.split_once('>').map_or(part, |(_, text)| text)));
        text
    };
    let (mut comparable, mut same, mut all) = (0, 0, 0);
    for (through, alone) in through.lines().zip(alone.lines()) {
        let tags = |line: &str| {
            let mut tags: Vec<String> =
                line.split('<').skip(1).filter_map(|part| Some(part.split_once('>')?.0.to_owned())).collect();
            tags.sort();
            tags
        };
        all += 1;
        assert_eq!(tags(through), tags(alone), "no element is lost");
        if words(through) == words(alone) {
            comparable += 1;
            same += usize::from(through == alone);
            if through != alone {
                println!("direct  {alone}\nthrough {through}\n");
            }
        }
    }
    println!("of {all} lines {comparable} have the same words, and {same} of these the same markup");
    assert!(comparable * 100 >= all * 85 && same * 100 >= comparable * 99);
}

#[test]
fn what_stays_stays_through_both() {
    let text = "He shouted \"tout va bien\" and opened https://example.com/a?b=c at 3.5 km. C'est vrai. Write {name}!";
    let foreign = ["tout va bien", "C'est vrai."].map(|part| {
        let start = text.find(part).expect("it is there");
        start..start + part.len()
    });
    let translation = pivot().translate_except(text, &foreign, &TranslateOptions::default());
    check(text, &translation);
    for kept in ["tout va bien", "https://example.com/a?b=c", "3,5\u{a0}km", "C'est vrai.", "{name}"] {
        let found = translation.text.replace("3,5 km", "3,5\u{a0}km");
        assert!(found.contains(kept), "{kept:?} in {:?}", translation.text);
    }
    // A kept part comes from itself.
    let at = translation.text.find("https://").expect("it is kept");
    let token = translation.tokens.iter().find(|token| token.link.target.start <= at && at < token.link.target.end);
    assert!(text[token.expect("a token").link.source.clone()].contains("https"), "{token:?}");
    for empty in ["", "\n \n", "42", "😀 🎉"] {
        assert_eq!(Translate::translate(pivot(), empty, &TranslateOptions::default()).text, empty);
    }
}

#[test]
fn lists_of_candidates_are_of_the_last_step() {
    let options = TranslateOptions { beam: 3, n_best: 3, ..TranslateOptions::default() };
    let texts = ["I have a dog. It barks.", "42", "The house is big."];
    let through = Translate::translate_batch(pivot(), &texts, &options);
    let alone = Translate::translate_batch(direct(), &texts, &options);
    let counts = |translations: &[Translation]| -> Vec<Vec<usize>> {
        translations.iter().map(|translation| translation.candidates.iter().map(Vec::len).collect()).collect()
    };
    assert_eq!(counts(&through), counts(&alone));
    assert_eq!(through[2].candidates, alone[2].candidates);
}

#[test]
fn a_session_streams_and_cancels() {
    let texts = texts();
    let options = TranslateOptions::default();
    let mut session = pivot().session(&options);
    let ids: Vec<RequestId> = texts.iter().map(|text| session.submit(text, 0)).collect();
    let empty = session.submit("\n", 0);
    let (urgent, dropped) = (ids[18], [ids[0], ids[19]]);
    assert!(session.set_priority(urgent, 9) && !session.set_priority(RequestId(999), 9));
    assert!(session.cancel(dropped[1]));
    let (mut finished, mut steps) = (Vec::new(), 0);
    while !session.is_idle() {
        finished.extend(session.step());
        steps += 1;
        if steps == 3 {
            // It is with one of the models by now.
            assert!(session.cancel(dropped[0]) && !session.cancel(dropped[0]));
        }
        assert!(steps < 100_000);
    }
    assert_eq!(finished.len(), texts.len() - 2 + 1);
    assert!(!session.cancel(urgent), "it is finished");
    // What is wanted first comes before most of what was there before it.
    let place = finished.iter().position(|(id, _)| *id == urgent).expect("it is finished");
    assert!(place <= 8, "{place}");
    // Streamed or at once, it is the same.
    let expected = Translate::translate_batch(pivot(), &texts.iter().map(String::as_str).collect::<Vec<_>>(), &options);
    for (id, translation) in &finished {
        let at = ids.iter().position(|other| other == id);
        let (source, expected) = at.map_or(("\n", None), |at| (texts[at].as_str(), Some(&expected[at])));
        check(source, translation);
        assert!(expected.is_none_or(|expected| expected == translation) && (at.is_some() || *id == empty));
        assert!(!dropped.contains(id));
    }
}

#[test]
fn models_that_do_not_follow_each_other_are_refused() {
    let error = Pivot::new(direct().clone(), direct().clone()).expect_err("German is not English");
    assert_eq!(
        error.to_string(),
        "the first model translates to de, the second one from en; both must be the language in the middle"
    );
}

#[test]
fn a_translation_through_the_middle_begins_as_it_was_told() {
    let source = "I have a dog. It barks.";
    let own = Translate::translate(pivot(), source, &TranslateOptions::default());
    let cut = own.text.find(' ').expect("several words") + 1;
    let again = Translate::translate_from(pivot(), source, &own.text[..cut], &TranslateOptions::default());
    assert_eq!(again.text, own.text);
    let other = Translate::translate_from(pivot(), source, "Vielleicht", &TranslateOptions::default());
    assert!(other.text.starts_with("Vielleicht"), "{}", other.text);
    assert_eq!(other.sentences.len(), own.sentences.len());
    let options = TranslateOptions { beam: 8, n_best: 8, branches: true, ..TranslateOptions::default() };
    let several = Translate::translate_from(pivot(), source, "Vielleicht", &options);
    assert!(several.candidates[0].len() > 1, "{:?}", several.candidates);
    assert!(several.candidates[0].iter().all(|candidate| candidate.text.starts_with("Vielleicht")));
    // What has nothing to translate has no beginning either.
    assert_eq!(Translate::translate_from(pivot(), "42", "Vielleicht", &options).text, "42");
}
