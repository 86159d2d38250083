//! The engine on the prototype: a translation depends on its own text alone.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use wanderwort::kernels::Backend;
use wanderwort::text::repair::marks::is_mark;
use wanderwort::{LoadOptions, Profile, Repairs, Sentences, Translate, TranslateOptions, Translation, Translator};

fn translator(options: &LoadOptions) -> Translator {
    Translator::open(crate::prototype::FOLDER, options).expect("the prototype loads")
}

/// English sentences of varied length.
fn sources() -> Vec<String> {
    let golden = std::fs::read_to_string("tests/data/marian-golden/golden.tsv").expect("golden sentences");
    golden.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

fn texts(translations: Vec<Translation>) -> Vec<String> {
    translations.into_iter().map(|translation| translation.text).collect()
}

#[test]
fn neighbours_order_and_threads_change_nothing() {
    let translator = translator(&LoadOptions::default());
    let sources = sources();
    let options = TranslateOptions::default();
    let together = texts(translator.translate_batch(&sources, &options));

    let reversed: Vec<&String> = sources.iter().rev().collect();
    let mut backwards = texts(translator.translate_batch(&reversed, &options));
    backwards.reverse();
    assert_eq!(together, backwards);

    for (source, expected) in sources.iter().zip(&together).step_by(9) {
        assert_eq!(&translator.translate(source, &options).text, expected);
    }

    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    let threaded = pool.install(|| translator.translate_batch(&sources, &options));
    assert_eq!(together, texts(threaded));
}

#[test]
fn a_sentence_that_is_kept_is_not_translated_again() {
    let keeping = translator(&LoadOptions { cache: 400, ..LoadOptions::default() });
    let without = translator(&LoadOptions::default());
    let sources = sources()[..40].to_vec();
    let twice = [&sources[..], &sources].concat();
    let options = TranslateOptions::default();
    let ways = [
        options,
        TranslateOptions { scores: true, attention: true, ..options },
        TranslateOptions { beam: 3, n_best: 3, ..options },
        TranslateOptions { beam: 3, n_best: 3, branches: true, ..options },
        TranslateOptions { repairs: Repairs::NONE, ..options },
    ];
    for options in ways {
        let expected = without.translate_batch(&twice, &options);
        assert_eq!(keeping.translate_batch(&twice, &options), expected);
        let mut profile = Profile::default();
        assert_eq!(keeping.translate_profiled(&twice, &options, &mut profile), expected);
        assert_eq!(profile.encode, Duration::ZERO, "{options:?}");
        // Nor in a session, where it is there at once.
        let mut session = keeping.session(&options);
        let requests: Vec<_> = sources.iter().map(|source| session.submit(source, 0)).collect();
        let gone = session.submit(&sources[3], 0);
        assert!(session.cancel(gone));
        let found: HashMap<_, _> = session.step().into_iter().collect();
        assert!(session.is_idle() && found.len() == sources.len());
        for (request, expected) in requests.iter().zip(&expected) {
            assert_eq!(&found[request], expected);
        }
    }
    // What a session finds is kept too, and another beginning is another sentence.
    let source = "The old house is big.";
    let begun = keeping.translate_from(source, "Dieses", &options);
    assert_eq!(begun, without.translate_from(source, "Dieses", &options));
    assert_eq!(keeping.translate_from(source, "Dieses", &options), begun);
    assert_eq!(keeping.translate(source, &options), without.translate(source, &options));
}

#[test]
fn who_repeats_what_is_known_keeps_nobody_waiting() {
    let translator = translator(&LoadOptions { cache: 40, ..LoadOptions::default() });
    let options = TranslateOptions::default();
    let (known, new) = ("The old house is big.", "My grandmother bakes bread every morning.");
    translator.translate(known, &options);
    let mut session = translator.session(&options);
    let waits = session.submit(new, 0);
    let is_done = |_| {
        let again = session.submit(known, 0);
        let found = session.step();
        // Nor does who repeats it wait.
        assert!(found.iter().any(|(request, _)| *request == again));
        found.iter().any(|(request, _)| *request == waits)
    };
    assert!((0..200).any(is_done));
}

#[test]
fn a_batch_ends_when_it_is_told_to() {
    let translator = translator(&LoadOptions::default());
    let sources = sources();
    let parts: Vec<(&str, &[Range<usize>])> = sources.iter().map(|source| (source.as_str(), &[][..])).collect();
    let options = TranslateOptions::default();
    let stop = AtomicBool::new(false);
    let whole = translator.translate_until(&parts, &options, &stop).expect("nobody has told it yet");
    assert_eq!(texts(whole), texts(translator.translate_batch(&sources, &options)));

    stop.store(true, Ordering::Relaxed);
    assert_eq!(translator.translate_until(&parts, &options, &stop), None);
}

#[test]
fn every_backend_translates_alike() {
    let sources = &sources()[..60];
    let mut expected: Option<Vec<Translation>> = None;
    for backend in Backend::available() {
        let translator = translator(&LoadOptions { backend, ..LoadOptions::default() });
        let options = TranslateOptions { scores: true, ..TranslateOptions::default() };
        let translations = translator.translate_batch(sources, &options);
        match &expected {
            None => expected = Some(translations),
            Some(expected) => assert_eq!(&translations, expected, "{}", backend.name()),
        }
    }
}

#[test]
fn sessions_serve_by_priority_and_drop_what_is_cancelled() {
    let translator = translator(&LoadOptions::default());
    let options = TranslateOptions::default();
    let sources = &sources()[..40];
    let expected = texts(translator.translate_batch(sources, &options));

    let mut session = translator.session(&options);
    let mut waiting = HashMap::new();
    for (index, source) in sources.iter().enumerate() {
        waiting.insert(session.submit(source, 0), index);
    }
    let urgent = session.submit("This is urgent.", 5);
    let unwanted = session.submit("Nobody wants this.", 5);
    assert_eq!(session.step(), []);
    assert!(session.cancel(unwanted));
    assert!(!session.cancel(unwanted));

    let mut order = Vec::new();
    while !session.is_idle() {
        for (id, translation) in session.step() {
            order.push(id);
            if id != urgent {
                let index = waiting.remove(&id).expect("a request of ours, once");
                assert_eq!(translation.text, expected[index]);
            }
        }
    }
    assert!(waiting.is_empty());
    let place = order.iter().position(|id| *id == urgent).expect("the urgent request is finished");
    assert!(place < sources.len() / 2, "the urgent request came {place}th");
    assert!(!order.contains(&unwanted));
}

#[test]
fn text_around_sentences_stays() {
    let translator = translator(&LoadOptions::default());
    let options = TranslateOptions::default();
    for text in ["", " ", "\n\n", "42", "😀", "\u{202e}\u{200f}", "\0\u{1}\u{7f}", "→ 3.5 %"] {
        assert_eq!(translator.translate(text, &options).text, text);
    }
    let text = "  The house is big.\r\n\r\n\tThe dog sleeps. The cat runs.  \n😀 Hello! 😀\n";
    let translation = translator.translate(text, &options);
    assert!(translation.text.starts_with("  ") && translation.text.ends_with('\n'));
    assert_eq!(translation.text.matches("\r\n\r\n\t").count(), 1);
    assert_eq!(translation.text.matches('😀').count(), 2);
    assert_eq!(translation.text.lines().count(), text.lines().count());
    for pair in &translation.sentences {
        assert!(!text[pair.source.clone()].is_empty() && !translation.text[pair.target.clone()].is_empty());
    }
}

#[test]
fn tokens_point_into_both_texts() {
    let translator = translator(&LoadOptions::default());
    let options = TranslateOptions { scores: true, ..TranslateOptions::default() };
    let text = "The weather is nice today. We are going to the zoo in Berlin.";
    let translation = translator.translate(text, &options);
    assert!(!translation.tokens.is_empty());
    let mut end = 0;
    for token in &translation.tokens {
        assert!(token.link.target.start >= end && translation.text.get(token.link.target.clone()).is_some());
        assert!(text.get(token.link.source.clone()).is_some());
        assert!(token.log_probability.is_some_and(|p| p <= 0.0 && p > -20.0), "{token:?}");
        end = token.link.target.end;
    }
    let berlin = translation.tokens.iter().find(|token| translation.text[token.link.target.clone()].contains("Berlin"));
    let berlin = berlin.expect("the name is kept");
    assert!(text[berlin.link.source.clone()].contains("Berlin"), "{:?}", &text[berlin.link.source.clone()]);
}

#[test]
fn lines_can_be_sentences() {
    let translator = translator(&LoadOptions::default());
    let text = "I see a dog. I see a cat.\n\n  I see a bird. \n";
    let options = TranslateOptions { sentences: Sentences::AreLines, ..TranslateOptions::default() };
    assert_eq!(translator.translate(text, &options).sentences.len(), 2);
    assert_eq!(translator.translate(text, &TranslateOptions::default()).sentences.len(), 3);
}

#[test]
fn a_line_without_a_space_is_not_lost() {
    let translator = translator(&LoadOptions::default());
    let text = "abcdefghij".repeat(2_000);
    let translation = translator.translate(&text, &TranslateOptions::default());
    assert!(!translation.text.is_empty());
}

#[test]
fn marks_change_no_word_and_none_is_lost() {
    let translator = translator(&LoadOptions::default());
    let options = TranslateOptions::default();
    let translate = |text: &str| translator.translate(text, &options).text;
    let sources = [
        "Hello\u{200f} world.",
        "The house \u{200e}is old and the garden\x07 is big\u{200b}, I think.",
        "The gar\0den is big and the wea\x07ther is nice.",
        "\u{202b}Good morning\u{202c}, my friend.",
        "It is big\u{200b}",
        "\u{feff}Where is the \u{2066}station\u{2069}?",
        "I can\u{fffd} see you.",
    ];
    for source in sources {
        let marks = |text: &str| text.chars().filter(|&c| is_mark(c)).collect::<Vec<char>>();
        let plain = |text: &str| text.chars().filter(|&c| !is_mark(c)).collect::<String>();
        let found = translate(source);
        assert_eq!(marks(&found), marks(source), "{source:?} became {found:?}");
        assert_eq!(plain(&found), translate(&plain(source)), "{source:?} became {found:?}");
    }
    assert_eq!(translate("Where is the \u{2066}sta\x07tion\u{2069}?"), "Wo ist der \u{2066}Bahnhof\x07\u{2069}?");
}

/// The first word after a beginning.
fn next_word<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    text.strip_prefix(prefix)?.split_whitespace().next()
}

#[test]
fn a_translation_begins_as_it_was_told() {
    let translator = translator(&LoadOptions::default());
    let greedy = TranslateOptions { beam: 1, scores: true, ..TranslateOptions::default() };
    let beam = TranslateOptions { beam: 3, n_best: 1, ..greedy };
    let mut same = 0;
    let sources = &sources()[..40];
    for source in sources {
        let own = translator.translate(source, &greedy);
        // The model goes on as it did before, as long as it wrote these words in the vocabulary's own pieces.
        let cut = own.text.find(' ').unwrap_or(own.text.len());
        let again = translator.translate_from(source, &own.text[..cut], &greedy);
        assert!(again.text.starts_with(&own.text[..cut]), "{again:?}");
        same += usize::from(again == own);
        for options in [&greedy, &beam] {
            let other = translator.translate_from(source, "Vielleicht", options);
            assert!(other.text.starts_with("Vielleicht"), "{source}: {}", other.text);
            assert!(other.tokens.iter().all(|token| token.log_probability.is_none_or(|p| p <= 0.0 && p.is_finite())));
        }
    }
    assert!(same >= sources.len() * 9 / 10, "only {same} of {} go on alike", sources.len());
    // What the vocabulary cannot write does not come in, and what is too long is no reason to write nothing after it.
    let strange = translator.translate_from("The house is big.", "Das \u{1F9FF}\u{13000}", &greedy);
    assert!(strange.text.contains("Haus"), "{strange:?}");
    let long = "sehr ".repeat(300);
    // The repairs would make one word of it.
    let plain = TranslateOptions { repairs: Repairs::NONE, ..greedy };
    let text = translator.translate_from("The house is big.", &long, &plain).text;
    assert!(text.starts_with(long.trim()), "{text}");
    assert_eq!(translator.translate_from("", "Das", &greedy).text, "");
    assert_eq!(translator.translate_from("12", "Das", &greedy).text, "12");
}

#[test]
fn alternatives_part_at_the_place_that_was_asked_for() {
    let translator = translator(&LoadOptions::default());
    let options = TranslateOptions { beam: 6, n_best: 6, branches: true, ..TranslateOptions::default() };
    let source = "The old house has a red door and a small garden.";
    for prefix in ["", "Das alte", "Das alte Haus hat eine rote"] {
        let translation = translator.translate_from(source, prefix, &options);
        let candidates: Vec<&str> = translation.candidates[0].iter().map(|candidate| candidate.text.as_str()).collect();
        assert_eq!(candidates.len(), 6, "{candidates:?}");
        assert_eq!(candidates[0], translation.text);
        assert!(candidates.iter().all(|text| text.starts_with(prefix)), "{candidates:?}");
        let mut words: Vec<_> = candidates.iter().filter_map(|text| next_word(text, prefix)).collect();
        words.sort_unstable();
        words.dedup();
        // Two pieces may begin the same word, and one may lengthen the last word of the beginning.
        assert!(words.len() >= 3, "{candidates:?}");
    }
}

/// Text that breaks programs: nothing panics, each line stays a line, and nothing becomes empty, a replacement character or a question mark.
#[test]
fn hostile_lines_stay_lines() {
    let translator = Translator::open("models/en-de.tiny.wanderwort", &LoadOptions::default()).unwrap();
    let marks: String = ('\u{300}'..='\u{36f}').collect();
    let zalgo: String = "Come here".chars().flat_map(|c| std::iter::once(c).chain(marks.chars().take(12))).collect();
    let long = "very ".repeat(400) + "long";
    let lines = [
        zalgo.as_str(),
        long.as_str(),
        "\u{feff}The start",
        "\u{202e}backwards\u{202c} and on",
        "\u{1}\u{2}\u{7f}\u{80}\u{9f} control",
        "\u{fdd0} \u{ffff} \u{10ffff} no characters",
        "\u{e000}private\u{f8ff} use",
        "a\u{301}\u{301}\u{301}\u{301} e\u{20dd}",
        "ÅÍÎÏ˝ÓÔ\u{f8ff}ÒÚÆ☃",
        "¸˛Ç◊ı˜Â¯˘¿",
        "Ω≈ç√∫˜µ≤≥÷ åß∂ƒ©˙∆˚¬…æ",
        "👨\u{200d}👩\u{200d}👧\u{200d}👦 🇺🇳 1️⃣ ❤️\u{200d}🔥 came home",
        "田中さんにあげて下さい 𠜎𠜱 사회과학원",
        "ثم نفس سقطت وبالتحديد، the end",
        "<script>alert(1)</script> and <img src=x onerror=alert(1)>",
        "'; DROP TABLE guests; -- and \" OR 1=1",
        "$(rm -rf x) `id` ${HOME} %n%n%n %s{}{{}} \\x41\\u0041",
        "../../../etc/passwd C:\\con\\con file:///dev/null",
        "NaN null undefined true -0 1e400 0x7fffffff 1/0 ١٢٣",
        "((((((((((((((((((((]]]]]]]]]]]]]]]]]]]]]}}}}}}}}}}}",
        "**__~~``[[(({{<<>>}}))]]``~~__**",
        "\u{202a}\u{202a}test\u{202a} \u{2066}test\u{2067} \u{2028}",
        "\u{200b} \u{200c}\u{200d}\u{feff} \u{2060}",
        "ﷺ ﷽ ꧅ 𒐫 ⸻",
        "⁰⁴⁵₀₁₂ ½⅐⅒ ㎏㍿ ①Ⓐ ﬁﬀ ＡＢＣ",
    ];
    for repairs in [Repairs::ALL, Repairs::NONE] {
        let options = TranslateOptions { repairs, structure: repairs == Repairs::ALL, ..TranslateOptions::default() };
        for (line, translation) in lines.iter().zip(translator.translate_batch(&lines, &options)) {
            let text = translation.text;
            assert!(!text.contains('\n') && !text.contains('\u{fffd}'), "{line:?} became {text:?}");
            if repairs == Repairs::ALL {
                assert_eq!(text.trim().is_empty(), line.trim().is_empty(), "{line:?} became {text:?}");
                assert!(!text.contains('?'), "{line:?} became {text:?}");
            }
        }
    }
}
