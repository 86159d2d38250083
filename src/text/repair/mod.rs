//! What a reader wrote comes through whole: what the model is given in its place, and what is put right in what the model wrote.
//!
//! Small models lose and invent what no model should touch: addresses, placeholders, signs, numbers, rare names. So none of that is
//! left to them alone. [`prepare`] turns a sentence into a [`Plan`]: the pieces for the model, in which some parts are given in a form that it
//! knows or not at all, and the ranges of the source that must come through. [`finish`] turns what the model wrote into a [`Draft`]: text,
//! tokens with their alignment, and the ranges of it that are right and must stay. Everything in between is done by the passes of
//! [`TABLE`], one file each, in the table's order on the way in and in reverse on the way out. A pass may act in four places: on the source
//! ([`Preparation`]), on its pieces ([`Plan`]), on the words that the model wrote ([`Written`]) and on the draft. A draft
//! moves its tokens and kept ranges with each change, so no pass can overwrite what another one has put right. [`Repairs`] says
//! which passes act; a new one takes a file and a row.

pub mod amounts;
pub mod brackets;
pub mod capitals;
pub mod clock;
mod digits;
pub mod draft;
pub mod emphasis;
pub mod endings;
pub mod figures;
pub mod formulas;
pub mod given;
mod groups;
pub mod inline_markup;
pub mod join;
pub mod look_alikes;
pub mod loops;
pub mod marks;
pub mod names;
pub mod notation;
pub mod numbers;
pub mod prices;
pub mod short_forms;
pub mod signs;
pub mod spacing;
pub mod stand_ins;
pub mod taken_out;
pub mod verbatim;

use std::borrow::Cow;
use std::ops::Range;

use self::capitals::Capitals;
use self::draft::Draft;
use self::given::Substitutions;
use self::inline_markup::Marker;
use self::look_alikes::LookAlike;
use self::stand_ins::StandIn;
use self::taken_out::TakenOut;
use crate::text::language::Language;
use crate::text::link::overlap;
use crate::text::segment::is_translatable;
use crate::text::vocab::{Piece, Vocabulary};

/// A pass: the name by which it is switched off, and where it acts.
#[derive(Debug)]
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// What comes through because of it.
    pub about: &'static str,
    prepare: Option<fn(&mut Preparation)>,
    pieces: Option<fn(&Context, &mut Plan, &str)>,
    words: Option<fn(&Sentence, &mut Written)>,
    draft: Option<fn(&Sentence, &mut Draft)>,
}

const IDLE: Pass = Pass { name: "", about: "", prepare: None, pieces: None, words: None, draft: None };

/// All passes, in the order in which they prepare a sentence; its draft goes through them in reverse, so that what was taken out last comes back
/// first. The order matters: what must come through is found before anything else is taken out or given in another form; a sign is back before
/// amounts are looked at, and a word's case before its numbers; what stands around words comes back when these are right.
#[rustfmt::skip]
pub const TABLE: [Pass; 20] = [
    Pass { name: "verbatim", about: "addresses, placeholders, code, emoji, foreign names", ..IDLE },
    Pass {
        name: "inline-markup",
        about: "tags, Markdown's emphasis and links inside of plain text",
        prepare: Some(inline_markup::prepare),
        draft: Some(inline_markup::repair),
        ..IDLE
    },
    Pass { name: "spacing", about: "no-break and thin spaces", draft: Some(spacing::repair), ..IDLE },
    Pass { name: "amounts", about: "units and currencies", draft: Some(amounts::repair), ..IDLE },
    Pass { name: "numbers", about: "numbers, in the target language's form", draft: Some(numbers::repair), ..IDLE },
    Pass {
        name: "clock",
        about: "times of a clock of twelve hours in languages that count to 24, and the other way round",
        prepare: Some(clock::prepare),
        draft: Some(clock::repair),
        ..IDLE
    },
    Pass { name: "short-forms", about: "abbreviations, read written out", prepare: Some(short_forms::prepare), ..IDLE },
    Pass { name: "formulas", about: "formulas in plain text", prepare: Some(formulas::prepare), ..IDLE },
    Pass { name: "figures", about: "dates, ranges, ratios, scores, telephone numbers", prepare: Some(figures::prepare), ..IDLE },
    Pass {
        name: "notation",
        about: "fractions, powers, indices and other characters that a vocabulary writes otherwise",
        prepare: Some(notation::prepare),
        ..IDLE
    },
    Pass {
        name: "capitals",
        about: "text all in capitals, or without any",
        prepare: Some(capitals::prepare),
        draft: Some(capitals::repair),
        ..IDLE
    },
    Pass {
        name: "names",
        about: "initials, and rare names with all their letters",
        prepare: Some(names::prepare),
        draft: Some(names::repair),
        ..IDLE
    },
    Pass { name: "endings", about: "a sentence's last sign", draft: Some(endings::repair), ..IDLE },
    Pass {
        name: "emphasis",
        about: "repeated exclamation and question marks",
        prepare: Some(emphasis::prepare),
        draft: Some(emphasis::repair),
        ..IDLE
    },
    Pass { name: "brackets", about: "brackets around what must stay", draft: Some(brackets::repair), ..IDLE },
    Pass {
        name: "signs",
        about: "signs that the model has not learned to say",
        prepare: Some(signs::prepare),
        draft: Some(signs::repair),
        ..IDLE
    },
    Pass {
        name: "marks",
        about: "control characters, zero-width characters and marks of direction",
        prepare: Some(marks::prepare),
        draft: Some(marks::repair),
        ..IDLE
    },
    // What the search does: the first word of a sentence is never the end mark.
    Pass { name: "first-word", about: "a word for a word: no translation without any", ..IDLE },
    Pass { name: "loops", about: "no word over and over", words: Some(loops::collapse), ..IDLE },
    Pass {
        name: "stand-ins",
        about: "words and signs that the vocabulary lacks",
        pieces: Some(stand_ins::choose),
        words: Some(stand_ins::resolve),
        ..IDLE
    },
];

/// Which passes act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repairs(u32);

/// A pass that does not exist was named.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no repair is called `{name}`; there are: {}", TABLE.map(|pass| pass.name).join(", "))]
pub struct UnknownRepair {
    /// The name.
    pub name: String,
}

impl Default for Repairs {
    fn default() -> Self {
        Self::ALL
    }
}

impl Repairs {
    /// All passes of [`TABLE`].
    pub const ALL: Repairs = Repairs((1 << TABLE.len()) - 1);
    /// None: the translation is as the model has it.
    pub const NONE: Repairs = Repairs(0);

    /// These except for one.
    ///
    /// ```
    /// use wanderwort::Repairs;
    ///
    /// let repairs = Repairs::ALL.without("capitals")?;
    /// assert!(repairs.has("numbers") && !repairs.has("capitals"));
    /// assert!(Repairs::ALL.without("grammar").is_err());
    /// # Ok::<(), wanderwort::UnknownRepair>(())
    /// ```
    ///
    /// # Errors
    /// If no pass has that name.
    pub fn without(self, name: &str) -> Result<Repairs, UnknownRepair> {
        Ok(Repairs(self.0 & !Self::bit(name)?))
    }

    /// These and one more.
    ///
    /// # Errors
    /// If no pass has that name.
    pub fn with(self, name: &str) -> Result<Repairs, UnknownRepair> {
        Ok(Repairs(self.0 | Self::bit(name)?))
    }

    fn bit(name: &str) -> Result<u32, UnknownRepair> {
        let index = TABLE.iter().position(|pass| pass.name == name);
        index.map(|index| 1 << index).ok_or_else(|| UnknownRepair { name: name.to_owned() })
    }

    /// Whether a pass acts; one that does not exist does not.
    pub fn has(self, name: &str) -> bool {
        self.passes().any(|pass| pass.name == name)
    }

    /// The passes that act, in order.
    fn passes(self) -> impl DoubleEndedIterator<Item = &'static Pass> {
        TABLE.iter().enumerate().filter(move |(index, _)| self.0 >> index & 1 == 1).map(|(_, pass)| pass)
    }
}

/// What all sentences of a translator have in common.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The vocabulary of the source.
    pub source_vocabulary: &'a Vocabulary,
    /// The vocabulary of the target.
    pub target_vocabulary: &'a Vocabulary,
    /// The language of the source.
    pub source_language: Language,
    /// The language of the target.
    pub target_language: Language,
    /// The signs that the model was measured to carry over, in ascending order, if it was measured; [`signs::TRUSTED`] are in any case.
    pub trusted_signs: Option<&'a [char]>,
    /// Which passes act.
    pub repairs: Repairs,
}

/// A part of the source that must come through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Bytes in the source.
    pub range: Range<usize>,
    /// What must be in the translation, if that is not the source's own text.
    pub form: Option<String>,
    /// What the model reads there, if that is not the source's own text.
    pub given: Option<String>,
    /// Whether the model reads a letter instead of it.
    pub stood_for: bool,
}

impl Kept {
    /// A part that must come through as it is.
    pub fn exactly(range: Range<usize>) -> Kept {
        Kept { range, form: None, given: None, stood_for: false }
    }

    /// What must be in the translation of `source`.
    pub fn wanted<'a>(&'a self, source: &'a str) -> &'a str {
        self.form.as_deref().unwrap_or(&source[self.range.clone()])
    }
}

/// A sentence on its way to the model.
#[derive(Debug)]
pub struct Preparation<'a> {
    /// What it has in common with all sentences of its translator.
    pub context: Context<'a>,
    /// The sentence as it was written.
    pub source: &'a str,
    /// What the model is given in another form.
    pub substitutions: Substitutions,
    /// What it is not given and gets put back.
    pub taken_out: Vec<TakenOut>,
    /// What it is given a look-alike of.
    pub look_alikes: Vec<LookAlike>,
    /// What stands around parts of the sentence, and is put back around their translations.
    pub markers: Vec<Marker>,
    /// Which part of the translation is put in capitals.
    pub capitals: Capitals,
    kept: Vec<Kept>,
}

impl Preparation<'_> {
    /// What must come through, ascending, not overlapping.
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// The ranges of what must come through.
    pub fn kept_ranges(&self) -> Vec<Range<usize>> {
        self.kept.iter().map(|kept| kept.range.clone()).collect()
    }

    /// Whether any part of a range must come through.
    pub fn is_kept(&self, range: &Range<usize>) -> bool {
        self.kept.iter().any(|kept| overlap(&kept.range, range))
    }

    /// Gives up what must come through within a range, so that it can be kept in another form.
    pub fn release(&mut self, range: &Range<usize>) {
        self.kept.retain(|kept| kept.range.start < range.start || range.end < kept.range.end);
    }

    /// Makes a part come through. Returns false and changes nothing where any of it is kept already or given in another form. What the model
    /// reads for it (`given`) is substituted.
    pub fn keep(&mut self, kept: Kept) -> bool {
        if kept.range.is_empty() || self.is_kept(&kept.range) || self.substitutions.touch(&kept.range) {
            return false;
        }
        if let Some(given) = &kept.given {
            self.substitutions.add(kept.range.clone(), given.clone());
        }
        let at = self.kept.partition_point(|other| other.range.start < kept.range.start);
        self.kept.insert(at, kept);
        true
    }
}

/// What the model is given for a sentence, and what its translation is to get.
#[derive(Debug)]
pub struct Plan {
    /// Pieces with their ranges in the source; those that stand-ins stand for have the id of `<unk>`.
    pub pieces: Vec<Piece>,
    /// The letters that the model reads for some of them.
    pub stand_ins: Vec<StandIn>,
    /// What must come through, ascending, not overlapping.
    pub kept: Vec<Kept>,
    /// What the model is not given.
    pub taken_out: Vec<TakenOut>,
    /// What the model is given a look-alike of.
    pub look_alikes: Vec<LookAlike>,
    /// What stands around parts of the sentence, in order.
    pub markers: Vec<Marker>,
    /// Which part of the translation is put in capitals.
    pub capitals: Capitals,
    /// The sentence as the model is given it.
    pub given: String,
}

impl Plan {
    /// The ids that the model reads, without an end mark.
    pub fn source_ids(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = self.pieces.iter().map(|piece| piece.id).collect();
        self.stand_ins.iter().for_each(|letter| ids[letter.piece] = letter.source);
        ids
    }

    /// The ranges of what must come through.
    pub fn kept_ranges(&self) -> Vec<Range<usize>> {
        self.kept.iter().map(|kept| kept.range.clone()).collect()
    }
}

/// A sentence on its way back.
#[derive(Clone, Copy, Debug)]
pub struct Sentence<'a> {
    /// What it has in common with all sentences of its translator.
    pub context: Context<'a>,
    /// The sentence as it was written.
    pub source: &'a str,
    /// What the model was given for it.
    pub plan: &'a Plan,
}

impl Sentence<'_> {
    /// Whether a piece reaches into something longer that must come through, so that this part comes back with it.
    fn is_part_of_kept(&self, piece: &Piece) -> bool {
        let length = self.source[piece.range()].trim().len();
        self.plan.kept.iter().any(|kept| overlap(&kept.range, &piece.range()) && kept.range.len() > length)
    }
}

/// What the model wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// Target pieces without the end mark.
    pub words: Vec<u32>,
    /// For each word, the index of the source piece that it is aligned to; past the end for the end mark.
    pub alignment: Vec<usize>,
    /// For each word, a weight for each source piece and the end mark; empty if not asked for.
    pub attention: Vec<Vec<f32>>,
    /// For each word and the end mark, the log-probability; empty if not asked for.
    pub log_probabilities: Vec<f32>,
}

/// Plans a sentence. `kept` are parts that must come through, ascending, not overlapping, in addition to what the passes find: those found in
/// the text that the sentence is from ([`verbatim::find`]), and what its caller knows. None if there is nothing to translate in it: it is copied.
pub fn prepare(context: Context<'_>, source: &str, kept: Vec<Kept>) -> Option<Plan> {
    let vocabulary = context.source_vocabulary;
    if !is_translatable(source, context.source_language) {
        return None;
    }
    let mut preparation = Preparation {
        context,
        source,
        substitutions: Substitutions::default(),
        taken_out: Vec::new(),
        look_alikes: Vec::new(),
        markers: Vec::new(),
        capitals: Capitals::None,
        kept,
    };
    for prepare in context.repairs.passes().filter_map(|pass| pass.prepare) {
        prepare(&mut preparation);
    }
    let Preparation { substitutions, kept, taken_out, look_alikes, markers, capitals, .. } = preparation;
    let given = substitutions.apply(source);
    let mut pieces = Vec::new();
    vocabulary.encode(given.text(), &mut pieces);
    join::join_foreign_words(given.text(), &mut pieces, vocabulary.unknown());
    given.to_source(&mut pieces);
    let unknown = pieces.iter().filter(|piece| piece.id == vocabulary.unknown()).count();
    // Mostly characters that the model has never seen: another script.
    let foreign = pieces.is_empty() || unknown * 2 > pieces.len();
    let ranges: Vec<Range<usize>> = kept.iter().map(|kept| kept.range.clone()).collect();
    if foreign || verbatim::is_all(source, &ranges) {
        return None;
    }
    let given = given.text().to_owned();
    let mut plan = Plan { pieces, stand_ins: Vec::new(), kept, taken_out, look_alikes, markers, capitals, given };
    for act in context.repairs.passes().filter_map(|pass| pass.pieces) {
        act(&context, &mut plan, source);
    }
    Some(plan)
}

/// The draft of what the model wrote for a sentence, put right. `written` is left in the state that the draft's token ids refer to.
pub fn finish(sentence: &Sentence, written: &mut Written) -> Draft {
    let Context { repairs, source_vocabulary, target_vocabulary, .. } = sentence.context;
    for act in repairs.passes().rev().filter_map(|pass| pass.words) {
        act(sentence, written);
    }
    let unknown = source_vocabulary.unknown();
    let Written { words, alignment, .. } = written;
    let pieces = restorable(sentence, unknown);
    let mut draft = join::join(target_vocabulary, words, sentence.source, &pieces, unknown, alignment);
    verbatim::place::repair(sentence, &mut draft);
    for act in repairs.passes().rev().filter_map(|pass| pass.draft) {
        act(sentence, &mut draft);
    }
    draft
}

/// The pieces of a sentence; those that are `unknown` come back by themselves. A part of what must come through comes back with the
/// whole.
fn restorable<'a>(sentence: &Sentence<'a>, unknown: u32) -> Cow<'a, [Piece]> {
    let pieces = &sentence.plan.pieces;
    let is_part = |piece: &Piece| piece.id == unknown && sentence.is_part_of_kept(piece);
    if !pieces.iter().any(is_part) {
        return Cow::Borrowed(pieces);
    }
    let end_mark = sentence.context.source_vocabulary.end_of_sentence();
    Cow::Owned(
        pieces.iter().map(|piece| if is_part(piece) { Piece { id: end_mark, ..*piece } } else { *piece }).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each pass relies on: see [`TABLE`].
    #[test]
    fn the_order_of_the_passes() {
        let names = TABLE.map(|pass| pass.name);
        let at = |name: &str| names.iter().position(|other| *other == name).expect(name);
        for (earlier, later) in [
            // What must come through is found before anything is taken out or given in another form, and of that, markup first.
            ("verbatim", "inline-markup"),
            ("inline-markup", "signs"),
            // A time of day is not a ratio.
            ("clock", "figures"),
            // "2x" is not a number with a unit, and neither is "3m" of money.
            ("formulas", "figures"),
            ("short-forms", "figures"),
            // A fraction's bar and a power's sign are not signs by themselves.
            ("notation", "signs"),
            // Signs are read as words, or not at all, before letters stand for the rest.
            ("signs", "stand-ins"),
            ("marks", "stand-ins"),
        ] {
            assert!(at(earlier) < at(later), "{earlier} prepares before {later}");
        }
        for (earlier, later) in [
            // Letters in a row that stand for different words are not a loop.
            ("stand-ins", "loops"),
            // No unit changes its case.
            ("capitals", "numbers"),
            ("capitals", "amounts"),
            // A unit goes after the right number.
            ("numbers", "amounts"),
            // The signs of currencies are back before amounts are looked at.
            ("signs", "amounts"),
            ("amounts", "spacing"),
            // Nothing looks for words beside a tag.
            ("names", "inline-markup"),
            ("spacing", "inline-markup"),
        ] {
            assert!(at(earlier) > at(later), "{earlier} repairs before {later}");
        }
        let mut sorted = names;
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[0] != pair[1]), "each name is one pass's");
    }

    #[test]
    fn passes_are_switched_off_by_name() {
        for pass in &TABLE {
            let others = Repairs::ALL.without(pass.name).unwrap();
            assert!(!others.has(pass.name));
            assert_eq!(TABLE.iter().filter(|other| others.has(other.name)).count(), TABLE.len() - 1);
            assert!(!Repairs::NONE.has(pass.name));
        }
        let error = Repairs::ALL.without("commas").unwrap_err().to_string();
        assert!(error.contains("`commas`") && error.contains("verbatim, inline-markup"), "{error}");
    }
}
