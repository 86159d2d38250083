//! The parts of a language's data.

use super::script::Script;

/// What the engine knows about one language.
#[derive(Clone, Copy, Debug)]
pub struct LanguageData {
    /// The shortest BCP 47 tag.
    pub tag: &'static str,
    /// Other codes for it: ISO 639-2, and tags that mean nearly the same.
    pub codes: Words,
    /// The script that it is written in.
    pub script: Script,
    /// Whether there are spaces between words.
    pub spaced: bool,
    /// What separates the sentences of a paragraph: a space, or nothing.
    pub sentence_gap: &'static str,
    /// Signs that end a question here but mean something else in other languages: the Greek question mark is a semicolon.
    pub question_marks: &'static str,
    /// How numbers are written.
    pub numbers: NumberForm,
    /// Where the currency sign stands.
    pub currency: CurrencyForm,
    /// Quotation marks.
    pub quotes: Quotes,
    /// How dates are written.
    pub dates: DateForm,
    /// Whether a full stop after a number makes it an ordinal: "der 3. Mann".
    pub ordinal_stop: bool,
    /// Letters with which a sentence goes on after a quotation, where no capital tells whether it does.
    pub after_quotation: &'static str,
    /// The beginnings of the words for units of measure and currencies; see [`unit_words`](Self::unit_words).
    pub units: UnitWords,
    /// Words after a number that say how large it is, in lower case without a stop at the end: "million"; see
    /// [`is_size_word`](Self::is_size_word).
    pub size_words: Words,
    /// What is measured and counted, capitalized: words after a decimal number ("2.5 Hours"), which is then no section number.
    pub measures: Words,
    /// Words after a number that make it a time of day, in the same form: "am".
    pub clock_words: Words,
    /// Words before which a clause may start, in lower case: a long sentence may be cut there.
    pub conjunctions: Words,
    /// Short words that say little by themselves.
    pub function_words: FunctionWords,
    /// Words that end in a full stop that may not be the end of a sentence.
    pub abbreviations: Abbreviations,
    /// Short forms that are written out for a model.
    pub short_forms: ShortForms,
    /// Books of the Bible and their short forms, where a comma stands between chapter and verse: "Joh 3,16". Empty where another sign does.
    pub comma_before_verses: Words,
    /// Words that often start a sentence. After an abbreviation they tell that a new one starts.
    pub starters: Words,
    /// The letters beyond a to z that words of the language, loanwords included, have, in lower case. Empty if it has none, is not written
    /// in Latin letters, or is not known: then no word counts as foreign.
    pub letters: &'static str,
    /// A one-letter word that is always capitalized, in lower case: the English "i". Empty if there is none.
    pub capital_word: &'static str,
    /// Whether nouns are always capitalized, so that a capital does not tell the start of a sentence.
    pub capital_nouns: bool,
}

impl LanguageData {
    /// Whether a word is the one that is always capitalized, alone or with an ending after an apostrophe: "I", "I'm".
    pub fn is_capital_word(&self, word: &str) -> bool {
        let stem = word.split(['\'', '’']).next().unwrap_or(word);
        !self.capital_word.is_empty() && stem.to_lowercase() == self.capital_word
    }

    /// The beginnings of the words for the unit with this sign, in lower case. None if they are not known.
    pub fn unit_words(&self, symbol: &str) -> impl Iterator<Item = &'static str> {
        let shared = if self.script == Script::Latin { UnitWords::SHARED } else { UnitWords::NONE };
        self.units.of(symbol).chain(shared.of(symbol))
    }

    /// Whether a lower-case word after a number says how large it is, in any of its forms: "million", "millions".
    pub fn is_size_word(&self, word: &str) -> bool {
        self.size_words.iter().any(|size| word == size || size.chars().count() >= 4 && word.starts_with(size))
    }
}

/// Words separated by single spaces.
#[derive(Clone, Copy, Debug)]
pub struct Words(pub &'static str);

impl Words {
    /// No words.
    pub const NONE: Words = Words("");

    /// Whether `word` is one of them, letter for letter.
    pub fn contains(self, word: &str) -> bool {
        let ends_word = |place: usize| matches!(self.0.as_bytes().get(place), None | Some(b' '));
        let is_whole = |at: usize| (at == 0 || ends_word(at - 1)) && ends_word(at + word.len());
        !word.is_empty() && !word.contains(' ') && self.0.match_indices(word).any(|(at, _)| is_whole(at))
    }

    /// One after the other.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberForm {
    /// Between the whole part and the fraction.
    pub decimal: char,
    /// Between groups of digits.
    pub group: char,
    /// The digit for zero; the others follow it.
    pub zero: char,
    /// The fewest digits of a whole part that is written in groups: 4, or 5 where "1000" has no groups but "10 000" has.
    pub least_grouped: usize,
    /// Digits of each group but the last, which has three: 3, or 2 as in India ("12,34,567").
    pub group_size: usize,
    /// What stands between a number and the percent sign.
    pub percent_gap: &'static str,
    /// Whether that sign comes first.
    pub percent_before: bool,
}

/// Where the currency sign stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrencyForm {
    /// Before the amount, not after it.
    pub before: bool,
    /// What stands between the two.
    pub gap: &'static str,
}

/// Quotation marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotes {
    /// Opens a quotation.
    pub open: char,
    /// Closes it.
    pub close: char,
    /// Opens one within another.
    pub inner_open: char,
    /// Closes that.
    pub inner_close: char,
    /// What stands between the marks and what they enclose.
    pub gap: &'static str,
}

/// The order of the parts of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// 31.12.2024
    DayMonthYear,
    /// 12/31/2024
    MonthDayYear,
    /// 2024-12-31
    YearMonthDay,
}

/// How dates are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateForm {
    /// In numbers: which comes first.
    pub order: DateOrder,
    /// In numbers: what stands between.
    pub separator: &'static str,
    /// In numbers: whether the 1st of a month is "01".
    pub padded: bool,
    /// What directly follows the day before or after the month's name: the stop of "3. Oktober", the word in "3 de octubre".
    pub day_suffix: &'static str,
}

/// The beginnings of the words for units, in lower case: `kg: kilo; °C: grad, celsius`. Those that most languages with Latin letters share
/// are not repeated.
#[derive(Clone, Copy, Debug)]
pub struct UnitWords(pub &'static str);

impl UnitWords {
    /// None: nothing is known about the language's words.
    pub const NONE: UnitWords = UnitWords("");

    /// International words.
    const SHARED: UnitWords = UnitWords(
        "kg: kilo; g: gram; mg: milligram, miligram; ml: millilit, mililit; cl: centilit; km: kilomet; cm: centimet, centimèt; mm: millimet, milimet; \
        GHz: gigahertz, gigaherc; MHz: megahertz, megaherc; kHz: kilohertz, kiloherc; Hz: hertz, herc; TB: terabyte, terabajt; GB: gigabyte, gigabajt, \
        gbyte; MB: megabyte, megabajt, mbyte; kB: kilobyte, kilobajt; kW: kilowatt, kilovat; mAh: milliamp, miliamp; mA: milliamp, miliamp; mW: \
        milliwatt, milivat; MW: megawatt, megavat; °C: celsius; °F: fahrenheit; %: procent, prosent; €: euro, eur; $: dollar, dolar, usd, us$; £: gbp; \
        ¥: yen, yuan, jpy",
    );

    fn of(self, symbol: &str) -> impl Iterator<Item = &'static str> {
        let rows = self.0.split("; ").filter_map(|row| row.split_once(": "));
        let words = rows.filter(move |(unit, _)| *unit == symbol).map(|(_, words)| words).next();
        words.unwrap_or_default().split(", ").filter(|word| !word.is_empty())
    }

    /// Whether nothing is known about the language's words.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

/// Short words that say little by themselves, in lower case.
#[derive(Clone, Copy, Debug)]
pub struct FunctionWords {
    /// "the"
    pub articles: Words,
    /// "of"
    pub prepositions: Words,
    /// "and"
    pub conjunctions: Words,
}

impl FunctionWords {
    /// No words.
    pub const NONE: FunctionWords =
        FunctionWords { articles: Words::NONE, prepositions: Words::NONE, conjunctions: Words::NONE };
}

/// Short forms, with their stops and spaces, and what they are short for.
#[derive(Clone, Copy, Debug)]
pub struct ShortForms {
    /// Only before a number: "S. 12".
    pub before_number: &'static [(&'static str, &'static str)],
    /// Only after a number: "im 19. Jh.".
    pub after_number: &'static [(&'static str, &'static str)],
    /// Anywhere: "inkl.".
    pub anywhere: &'static [(&'static str, &'static str)],
}

impl ShortForms {
    /// None at all.
    pub const NONE: ShortForms = ShortForms { before_number: &[], after_number: &[], anywhere: &[] };
}

/// Words that end in a full stop that may not be the end of a sentence, without that stop.
#[derive(Clone, Copy, Debug)]
pub struct Abbreviations {
    /// Something always follows in the same sentence: "Dr".
    pub always: Words,
    /// An abbreviation before a number, otherwise an ordinary word: "No".
    pub before_number: Words,
    /// In the middle of a sentence or at its end: "Inc".
    pub doubtful: Words,
    /// Of several words, with the stops, always followed by something: "z. B.".
    pub spaced: &'static [&'static str],
    /// Ends of words that are doubtful: "Hauptstr".
    pub suffixes: Words,
}

impl Abbreviations {
    /// None at all.
    pub const NONE: Abbreviations = Abbreviations {
        always: Words::NONE,
        before_number: Words::NONE,
        doubtful: Words::NONE,
        spaced: &[],
        suffixes: Words::NONE,
    };
}
