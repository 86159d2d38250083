//! What holds where the language is not known, and what fills the gaps in other languages' data.

use super::data::{
    Abbreviations, CurrencyForm, DateForm, DateOrder, FunctionWords, LanguageData, NumberForm, Quotes, ShortForms,
    UnitWords, Words,
};
use super::script::Script;

pub(super) const UNKNOWN: LanguageData = LanguageData {
    tag: "und",
    codes: Words::NONE,
    script: Script::Any,
    spaced: true,
    sentence_gap: " ",
    question_marks: "",
    after_quotation: "",
    numbers: NumberForm {
        decimal: '.',
        group: ',',
        zero: '0',
        least_grouped: 4,
        group_size: 3,
        percent_gap: "",
        percent_before: false,
    },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::YearMonthDay, separator: "-", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords::NONE,
    size_words: Words::NONE,
    measures: Words::NONE,
    clock_words: Words::NONE,
    conjunctions: Words::NONE,
    function_words: FunctionWords::NONE,
    abbreviations: Abbreviations::NONE,
    short_forms: ShortForms::NONE,
    comma_before_verses: Words::NONE,
    starters: Words::NONE,
    letters: "",
    capital_word: "",
    capital_nouns: false,
};
