//! Characters that the vocabulary lacks, in translations.

use std::path::Path;

use proptest::prelude::*;
use wanderwort::text::language::Language;
use wanderwort::text::repair::draft::Draft;
use wanderwort::text::repair::join::{join, join_foreign_words};
use wanderwort::text::repair::marks::is_mark;
use wanderwort::text::repair::{Context, Kept, Plan, Sentence, Written, finish, prepare};
use wanderwort::text::vocab::{Piece, Vocabulary};
use wanderwort::{Link, Repairs};

fn vocabulary() -> Vocabulary {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/en-de.prototype/vocab.ende.spm");
    Vocabulary::from_bytes("vocab.ende.spm", &std::fs::read(path).unwrap()).unwrap()
}

/// What sentences have in common, with these repairs alone.
fn context<'a>(vocabulary: &'a Vocabulary, repairs: &[&str]) -> Context<'a> {
    let repairs = repairs.iter().fold(Repairs::NONE, |all, name| all.with(name).expect("a repair"));
    Context {
        source_vocabulary: vocabulary,
        target_vocabulary: vocabulary,
        source_language: Language::ENGLISH,
        target_language: Language::GERMAN,
        trusted_signs: None,
        repairs,
    }
}

/// A translation given as words, each with the source word (by its first letters) it is aligned to; "?" writes an `<unk>`.
fn restore(source: &str, target: &[(&str, &str)]) -> String {
    restored(&["marks"], source, target)
}

fn restored(repairs: &[&str], source: &str, target: &[(&str, &str)]) -> String {
    let vocabulary = vocabulary();
    let context = context(&vocabulary, repairs);
    let plan = prepare(context, source, Vec::new()).expect("something to translate");
    let mut written = Written::default();
    for (text, origin) in target {
        let place = source.find(origin).expect("a part of the source");
        let is_at = |piece: &Piece| !source[piece.range()].trim_start().is_empty() && piece.start <= place;
        let piece = plan.pieces.iter().rposition(is_at).expect("a piece");
        let mut pieces = Vec::new();
        vocabulary.encode(text, &mut pieces);
        let ids: Vec<u32> =
            if *text == "?" { vec![vocabulary.unknown()] } else { pieces.iter().map(|piece| piece.id).collect() };
        written.alignment.extend(ids.iter().map(|_| piece));
        written.words.extend(ids);
    }
    let draft = finish(&Sentence { context, source, plan: &plan }, &mut written);
    check(&draft);
    draft.text().to_owned()
}

fn check(draft: &Draft) {
    let mut end = 0;
    for Link { target, .. } in draft.tokens().iter().map(|token| &token.link) {
        assert!(draft.text()[end..target.start].trim().is_empty());
        assert!(draft.text().get(target.clone()).is_some());
        end = target.end;
    }
    assert!(draft.text()[end..].is_empty());
}

/// What is left of a translation's pieces, checked to be some of them in their order, each with its alignment and log-probability.
fn collapsed(vocabulary: &Vocabulary, source: &str, target: &[u32]) -> Vec<u32> {
    let context = context(vocabulary, &["loops"]);
    let Some(plan) = prepare(context, source, Vec::new()) else { return target.to_vec() };
    let alignment: Vec<usize> = (0..target.len()).collect();
    let log_probabilities: Vec<f32> = (0..=target.len()).map(|index| index as f32).collect();
    let mut written = Written { words: target.to_vec(), alignment, attention: Vec::new(), log_probabilities };
    finish(&Sentence { context, source, plan: &plan }, &mut written);
    let Written { words, alignment, log_probabilities, .. } = written;
    assert!(alignment.is_sorted() && alignment.iter().map(|&index| target[index]).eq(words.iter().copied()));
    let ends = alignment.iter().copied().chain([target.len()]).map(|index| index as f32);
    assert!(ends.eq(log_probabilities));
    words
}

#[test]
fn what_is_said_over_and_over_is_said_once() {
    let vocabulary = vocabulary();
    for (source, target, expected) in [
        (
            "the first to cross it",
            "die ersten, die zu Fuß zu Fuß zu Fuß zu Fuß zu gehen",
            "die ersten, die zu Fuß zu gehen",
        ),
        ("along the road", "an der Straße, an der Straße, an der Straße, vorbei", "an der Straße, vorbei"),
        ("with the family", "mit der Familie mit der Familie essen", "mit der Familie essen"),
        ("sugar", "Guckzzzzzzzzz", "Guckz"),
        ("a very old house", "ein sehr sehr sehr altes Haus", "ein sehr altes Haus"),
        // As often as in the source, whatever is repeated there.
        ("no no no", "nein nein nein", "nein nein nein"),
        ("very very very old", "sehr sehr sehr sehr alt", "sehr sehr sehr alt"),
        // No loops.
        ("a very old house", "ein sehr sehr altes Haus", "ein sehr sehr altes Haus"),
        ("a billion", "1.000.000.000 und 0000", "1.000.000.000 und 0000"),
        ("so much", "- - - - ... ... ...", "- - - - ... ... ..."),
        ("that this is so", "dass das das ist, das das ist", "dass das das ist, das das ist"),
    ] {
        let mut written = Vec::new();
        vocabulary.encode(target, &mut written);
        let ids: Vec<u32> = written.iter().map(|piece| piece.id).collect();
        assert_eq!(vocabulary.decode(&collapsed(&vocabulary, source, &ids)).text, expected, "{source}");
    }
    // Each of them stands for another word.
    let unknown = [vocabulary.unknown(); 5];
    assert_eq!(collapsed(&vocabulary, "a word", &unknown), unknown);
}

#[test]
fn where_the_model_wrote_nothing() {
    assert_eq!(restore("I 😀 love it", &[("Ich", "I"), ("liebe", "love"), ("es", "it")]), "Ich 😀 liebe es");
    assert_eq!(restore("😀 I love it", &[("Ich", "I"), ("liebe", "love"), ("es", "it")]), "😀 Ich liebe es");
    assert_eq!(restore("I love it 😀😀", &[("Ich", "I"), ("liebe", "love"), ("es", "it")]), "Ich liebe es 😀😀");
    assert_eq!(restore("I love😀 it", &[("Es", "it"), ("liebe", "love"), ("ich", "I")]), "Es liebe😀 ich");
    assert_eq!(
        restore(
            "the word 你好 means hello",
            &[("das", "the"), ("Wort", "word"), ("heißt", "means"), ("Hallo", "hello")]
        ),
        "das Wort 你好 heißt Hallo"
    );
}

#[test]
fn where_the_model_wrote_unknown() {
    assert_eq!(
        restore("I 😀 love it", &[("Ich", "I"), ("?", "😀"), ("liebe", "love"), ("es", "it")]),
        "Ich 😀 liebe es"
    );
    assert_eq!(restore("x 😀 y 🌞 z", &[("x", "x"), ("?", "🌞"), ("y", "y"), ("?", "😀"), ("z", "z")]), "x 🌞 y 😀 z");
    // More than the source has: nothing to copy, so nothing is shown.
    assert_eq!(restore("hello there", &[("hallo", "hello"), ("?", "there")]), "hallo");
}

/// A sentence whose unknown words and signs have letters that stand for them.
fn stood_for(vocabulary: &Vocabulary, source: &str) -> Option<Plan> {
    prepare(context(vocabulary, &["marks", "stand-ins"]), source, Vec::new())
}

#[test]
fn letters_stand_for_whole_words_and_signs() {
    let vocabulary = vocabulary();
    for (source, expected) in [
        ("In Japanese, 猫 means cat.", "In Japanese, X means cat."),
        ("from 🇩🇪 to 🇯🇵 now", "from X to Y now"),
        ("I love🙂 it", "I love X it"),
        ("press X or ⏏ twice", "press X or Y twice"),
        ("the word (你好) here", "the word (X) here"),
        ("nothing unknown here", "nothing unknown here"),
        ("a₿b", "a?b"),
    ] {
        let plan = stood_for(&vocabulary, source).expect("something to translate");
        let read = vocabulary.decode_with(&plan.source_ids(), |_| Some("?"));
        assert_eq!(read.text, expected, "{source}: {:?}", plan.stand_ins);
    }
}

#[test]
fn letters_in_a_translation_give_way() {
    let vocabulary = vocabulary();
    let source = "from 🇩🇪 to 🇯🇵 now";
    let plan = stood_for(&vocabulary, source).expect("something to translate");
    let translated = |target: &str| {
        let mut pieces = Vec::new();
        vocabulary.encode(target, &mut pieces);
        let words: Vec<u32> = pieces.iter().map(|piece| piece.id).collect();
        let mut written = Written { alignment: vec![0; words.len()], words, ..Written::default() };
        let context = context(&vocabulary, &["marks", "stand-ins"]);
        let draft = finish(&Sentence { context, source, plan: &plan }, &mut written);
        check(&draft);
        draft.text().to_owned()
    };
    assert_eq!(translated("jetzt nach Y von X"), "jetzt nach 🇯🇵 von 🇩🇪");
    assert_eq!(translated("von X nach Y und Y jetzt"), "von 🇩🇪 nach 🇯🇵 und jetzt", "each is there once");
    assert_eq!(translated("von X nach Yen"), "von 🇩🇪 🇯🇵 nach Yen", "a word that begins so is a word");
}

#[test]
fn foreign_words_are_one_unknown() {
    let vocabulary = vocabulary();
    let joined = |text: &str| {
        let mut pieces = Vec::new();
        vocabulary.encode(text, &mut pieces);
        join_foreign_words(text, &mut pieces, vocabulary.unknown());
        let unknown = pieces.iter().filter(|piece| piece.id == vocabulary.unknown());
        unknown.map(|piece| text[piece.range()].trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(joined("say Привет, my friend"), ["Привет"]);
    assert_eq!(joined("नमस्ते дважды 😀"), ["नमस्ते", "дважды", "😀"]);
    assert_eq!(joined("Jiří 😀! Hello"), ["😀"]);
    assert!(joined("Hello, über naïve").is_empty());
}

#[test]
fn marks_stand_where_they_stood() {
    let hello = [("Hallo", "Hello"), ("Welt", "world"), (".", ".")];
    assert_eq!(restore("Hello\u{200f} world.", &hello), "Hallo\u{200f} Welt .");
    assert_eq!(restore("Hello \u{200e}world.", &hello), "Hallo \u{200e}Welt .");
    assert_eq!(restore("Hello \u{200e} world.", &hello), "Hallo \u{200e} Welt .");
    assert_eq!(restore("\u{202b}Hello\u{202c} world.", &hello), "\u{202b}Hallo\u{202c} Welt .");
    let broken = [("Hallo", "Hel"), ("Welt", "world"), (".", ".")];
    assert_eq!(restore("Hel\x07lo world\u{200b}.\0", &broken), "Hallo\x07 Welt\u{200b} .\0");
    // They go with their words.
    let swapped = [("Hunde", "dogs"), ("liebe", "love"), ("ich", "I")];
    assert_eq!(restore("I\x01 love \u{2067}dogs\u{2069}", &swapped), "\u{2067}Hunde\u{2069} liebe ich\x01");
    // Where the word was left out, behind the one before it.
    assert_eq!(restore("I do\x01 love dogs", &[("ich", "I"), ("Hunde", "dogs")]), "ich\x01 Hunde");
    assert_eq!(restore("do\x01 it", &[("es", "it")]), "\x01es");
    // Soft hyphens do not come back.
    assert_eq!(restore("Hel\u{ad}lo world.", &broken), "Hallo Welt .");
    // Part of a joined emoji, not put in twice.
    let doctor = "a \u{1f469}\u{200d}\u{1f4bb} b";
    assert_eq!(restore(doctor, &[("x", "a"), ("y", "b")]), doctor.replace('a', "x").replace('b', "y"));
    assert_eq!(restore("a\u{fffd} \u{2581}b", &[("x", "a"), ("y", "b")]), "x\u{fffd} \u{2581}y");
}

/// Whatever else the normalizer drops is white space.
#[test]
fn the_normalizer_drops_nothing_but_marks() {
    let vocabulary = vocabulary();
    let lost: Vec<char> = ('\0'..='\u{ffff}')
        .filter(|c| !c.is_whitespace() && !is_mark(*c))
        .filter(|c| {
            let mut pieces = Vec::new();
            vocabulary.encode(&c.to_string(), &mut pieces);
            pieces.iter().all(|piece| vocabulary.piece(piece.id) == Some("\u{2581}"))
        })
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn names_get_their_letters_back() {
    let repaired = |source: &str, target: &[(&str, &str)]| restored(&["marks", "names"], source, target);
    let said = [("Herr", "Mr"), ("Herlitsch", "Herl"), ("sagt", "says")];
    assert_eq!(repaired("Mr Herlitschke says", &said), "Herr Herlitschke sagt");
    // Aligned to another word.
    let elsewhere = [("Herr", "Mr"), ("Herlitsch", "says"), ("sagt", "says")];
    assert_eq!(repaired("Mr Herlitschke says", &elsewhere), "Herr Herlitsch sagt");
    // Each where it stands, and what is right stays.
    let twice = [("Kokkinakis", "Kokkinakis and"), ("und", "and"), ("Kokinakis", "Kokkinakis P")];
    assert_eq!(repaired("Kokkinakis and Kokkinakis P", &twice), "Kokkinakis und Kokkinakis");
    // A word of the source itself, the target language's own form, and a word that the vocabulary knows in lower case.
    let both = [("Wucherpfenn", "Wucherpfenning"), ("Wucherpfenn", "Wucherpfenn ")];
    assert_eq!(repaired("Wucherpfenning Wucherpfenn x", &both), "Wucherpfenn Wucherpfenn");
    assert_eq!(repaired("in Slovenia", &[("in", "in"), ("Slowenien", "Slov")]), "in Slowenien");
    assert_eq!(repaired("Frequently", &[("Frequent", "Freq")]), "Frequent");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn after_loops_are_out_none_is_left(
        source in "([ab] ){0,6}", parts in prop::collection::vec((prop::collection::vec(20u32..60, 1..5), 1usize..5), 0..5)
    ) {
        let vocabulary = vocabulary();
        let target: Vec<u32> = parts.iter().flat_map(|(block, copies)| block.repeat(*copies)).collect();
        let once = collapsed(&vocabulary, &source, &target);
        prop_assert_eq!(collapsed(&vocabulary, &source, &once), once);
    }

    #[test]
    fn each_mark_is_there_once(
        source in "([a-z ]|[😀你\u{200d}\u{200f}\u{200b}\u{1}\u{7}\u{fffd}]|[a-z]{3}| ){0,30}", ids in prop::collection::vec(0u32..3000, 0..20), alignment in prop::collection::vec(0usize..40, 0..20)
    ) {
        let vocabulary = vocabulary();
        let context = context(&vocabulary, &["marks"]);
        let translated = |source: &str| {
            let plan = prepare(context, source, Vec::new())?;
            let mut written = Written { words: ids.clone(), alignment: alignment.clone(), ..Written::default() };
            let draft = finish(&Sentence { context, source, plan: &plan }, &mut written);
            check(&draft);
            Some(draft.text().to_owned())
        };
        let marks = |text: &str| { let mut found: Vec<char> = text.chars().filter(|c| is_mark(*c)).collect(); found.sort_unstable(); found };
        let found = translated(&source);
        prop_assume!(found.is_some());
        let found = found.expect("assumed");
        prop_assert_eq!(marks(&source), marks(&found));
        // No word changes.
        let plain: String = source.chars().filter(|c| !is_mark(*c)).collect();
        let letters = |text: &str| text.chars().filter(|c| !is_mark(*c) && !c.is_whitespace() && !"😀你".contains(*c)).collect::<String>();
        prop_assert_eq!(Some(letters(&found)), translated(&plain).map(|text| letters(&text)));
    }

    #[test]
    fn each_unknown_character_is_there_once(
        source in "([a-z ]|[😀🌞你好]|[a-z]{3}| ){0,30}", ids in prop::collection::vec(0u32..3000, 0..20), alignment in prop::collection::vec(0usize..40, 0..20)
    ) {
        let vocabulary = vocabulary();
        let mut pieces = Vec::new();
        vocabulary.encode(&source, &mut pieces);
        let draft = join(&vocabulary, &ids, &source, &pieces, vocabulary.unknown(), &alignment);
        check(&draft);
        let foreign = |text: &str| { let mut found: Vec<char> = text.chars().filter(|c| "😀🌞你好".contains(*c)).collect(); found.sort_unstable(); found };
        prop_assert_eq!(foreign(&source), foreign(draft.text()));
        prop_assert_eq!(draft.tokens().iter().filter(|token| token.id.is_some_and(|id| ids[id] != vocabulary.unknown())).count(),
            ids.iter().filter(|id| **id != vocabulary.unknown()).count());
    }

    #[test]
    fn with_letters_too_each_unknown_character_is_there_once(
        source in "([a-zXY ]|[😀🌞你好ŋ]|[(.,]|[a-z]{3}| ){0,30}", ids in prop::collection::vec(0u32..3000, 0..20), alignment in prop::collection::vec(0usize..40, 0..20), places in prop::collection::vec(0usize..20, 0..9)
    ) {
        let vocabulary = vocabulary();
        let plan = stood_for(&vocabulary, &source);
        prop_assume!(plan.is_some());
        let plan = plan.expect("assumed");
        prop_assert!(plan.pieces.windows(2).all(|pair| pair[0].end <= pair[1].start));
        let mut words = ids;
        for (letter, place) in plan.stand_ins.iter().zip(places) {
            prop_assert_eq!(plan.pieces[letter.piece].id, vocabulary.unknown());
            if let Some(id) = words.get_mut(place) {
                *id = letter.source;
            }
        }
        let context = context(&vocabulary, &["marks", "stand-ins"]);
        let mut written = Written { words, alignment, ..Written::default() };
        let draft = finish(&Sentence { context, source: &source, plan: &plan }, &mut written);
        check(&draft);
        let foreign = |text: &str| { let mut found: Vec<char> = text.chars().filter(|c| "😀🌞你好ŋ".contains(*c)).collect(); found.sort_unstable(); found };
        prop_assert_eq!(foreign(&source), foreign(draft.text()));
    }

    /// Whatever the model writes, all repairs together leave a draft whose tokens are in order and in which what must come through is.
    #[test]
    fn all_repairs_keep_tokens_in_order(
        source in "([A-Z]?[a-zé]{1,9}|[0-9]{1,4}[.,]?[0-9]{0,2}|[ $€¥%,.!?©≤²½]| kg| km/h|\\{[a-z]\\}|😀|[a-z]{2}| ){1,14}", ids in prop::collection::vec(0u32..3000, 0..24), alignment in prop::collection::vec(0usize..40, 0..24)
    ) {
        let vocabulary = vocabulary();
        let context = Context { repairs: Repairs::ALL, ..context(&vocabulary, &[]) };
        let kept = wanderwort::text::repair::verbatim::find(&source, Language::ENGLISH);
        if let Some(plan) = prepare(context, &source, kept.iter().cloned().map(Kept::exactly).collect()) {
            let mut written = Written { words: ids, alignment, ..Written::default() };
            let draft = finish(&Sentence { context, source: &source, plan: &plan }, &mut written);
            check(&draft);
            for span in kept {
                prop_assert!(draft.text().contains(&source[span]));
            }
        }
    }
}

/// What was taken out comes back although its piece reaches into something that comes back as a whole: "0" and the emoji are one piece.
#[test]
fn a_sign_in_the_piece_of_a_kept_figure_comes_back() {
    let vocabulary = vocabulary();
    let source = "0≤0,0😀 kg";
    let context = Context { repairs: Repairs::ALL, ..context(&vocabulary, &[]) };
    let kept = wanderwort::text::repair::verbatim::find(source, Language::ENGLISH);
    let plan = prepare(context, source, kept.into_iter().map(Kept::exactly).collect()).expect("a plan");
    let straddles = |piece: &Piece| piece.start < 7 && piece.end > 7 && piece.id == vocabulary.unknown();
    assert!(plan.pieces.iter().any(straddles), "{plan:?} shows nothing");
    let draft = finish(&Sentence { context, source, plan: &plan }, &mut Written::default());
    check(&draft);
    assert!(draft.text().contains("0≤0,0😀"), "{:?}", draft.text());
}

/// Two unknown words that the model wrote nothing for stand side by side without the comma between them, each there once.
#[test]
fn an_unknown_word_that_is_also_the_end_of_another_is_there_once() {
    let vocabulary = vocabulary();
    let source = "ŋ,ŋŋ";
    let plan = stood_for(&vocabulary, source).expect("a plan");
    let word = vocabulary.id("▁happy").expect("a word");
    let context = context(&vocabulary, &["marks", "stand-ins"]);
    for aligned in 0..=plan.pieces.len() {
        let mut written = Written { words: vec![word], alignment: vec![aligned], ..Written::default() };
        let draft = finish(&Sentence { context, source, plan: &plan }, &mut written);
        check(&draft);
        assert_eq!(draft.text().matches('ŋ').count(), 3, "{:?} aligned to {aligned}", draft.text());
    }
}
