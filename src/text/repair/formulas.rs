//! Formulas in plain text: "x ≤ 5", "3 × 4 ≠ 11", "y = 2x + 1", "∀x ∈ ℝ".
//!
//! A formula is the same in every language except for the signs in its numbers, and comes through as a whole. The model reads a letter in its place.

use std::ops::Range;

use super::notation::is_raised;
use super::numbers::{number_starting, with_localized_numbers};
use super::{Kept, Preparation};
use crate::text::language::Language;

/// Signs that code has and formulas do not.
const CODE: [&str; 7] = ["&&", "||", ");", "==", "!=", "->", "=>"];

/// Keeps each formula.
pub fn prepare(preparation: &mut Preparation) {
    let languages = (preparation.context.source_language, preparation.context.target_language);
    for formula in formulas(preparation.source, languages.0) {
        preparation.release(&formula);
        let form = with_localized_numbers(&preparation.source[formula.clone()], languages);
        preparation.keep(Kept { stood_for: true, form, ..Kept::exactly(formula) });
    }
}

/// The formulas of a text: around each sign that prose does not have.
fn formulas(source: &str, language: Language) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if CODE.iter().any(|sign| source.contains(sign)) {
        return found;
    }
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let end = at + c.len_utf8();
        let shows = is_operator(c) && (matches!(c, '=' | '<' | '>') || !c.is_ascii());
        let formula = shows.then(|| formula(source, &(at..end))).flatten();
        at = formula.as_ref().map_or(end, |formula| formula.end);
        found.extend(formula.filter(|formula| !ends_in_word(source, formula, language)));
    }
    found
}

/// Whether what looks like a variable at the end is an English word: "3 × a day", "5 = I think".
fn ends_in_word(source: &str, formula: &Range<usize>, language: Language) -> bool {
    let letter = source[formula.clone()].rsplit(' ').next();
    let goes_on = source[formula.end..].strip_prefix(' ').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    language.is_capital_word("I") && goes_on && matches!(letter, Some("a" | "A" | "I"))
}

/// Signs between the parts of a formula.
fn is_operator(c: char) -> bool {
    matches!(c, '=' | '<' | '>' | '+' | '*' | '/' | '^' | '~' | '±' | '×' | '÷' | '·' | '−' | '\u{2190}'..='\u{22ff}' | '\u{27c0}'..='\u{27ef}'
        | '\u{2900}'..='\u{2aff}')
}

/// The formula around a sign: numbers and single letters with operators between them, on both sides of it.
fn formula(source: &str, sign: &Range<usize>) -> Option<Range<usize>> {
    let mut whole = term_before(source, sign.start)?.start..term_after(source, sign.end)?.end;
    // "I = 5" may be what somebody says about themselves.
    if source[whole.clone()].starts_with("I ") {
        return None;
    }
    while let Some(operator) = operator_after(source, whole.end)
        && let Some(term) = term_after(source, operator.end + sign_of_exponent(source, &operator))
    {
        whole.end = term.end;
    }
    while let Some(operator) = operator_before(source, whole.start)
        && let Some(term) = term_before(source, operator.start)
    {
        whole.start = term.start;
    }
    while let Some(prefix) = source[..whole.start].chars().next_back().filter(|c| is_prefix(*c)) {
        whole.start -= prefix.len_utf8();
    }
    Some(whole)
}

/// A number or a single letter, without signs in front, that ends at `end`, apart from one space.
fn term_before(source: &str, end: usize) -> Option<Range<usize>> {
    let text = source[..end].strip_suffix(' ').unwrap_or(&source[..end]);
    let length: usize = text.chars().rev().take_while(is_of_term).map(char::len_utf8).sum();
    let term = text[text.len() - length..].trim_start_matches(['.', ',']);
    let start = text.len() - term.len();
    let before = source[..start].chars().next_back();
    let apart = before.is_none_or(|c| c.is_whitespace() || is_operator(c) || matches!(c, '(' | '[' | '√' | '-'));
    (is_term(term) && apart).then_some(start..text.len())
}

/// The same that starts at `start`, apart from one space.
fn term_after(source: &str, start: usize) -> Option<Range<usize>> {
    let text = source[start..].strip_prefix(' ').unwrap_or(&source[start..]);
    let length: usize = text.chars().take_while(is_of_term).map(char::len_utf8).sum();
    let term = text[..length].trim_end_matches(['.', ',']);
    let start = source.len() - text.len();
    let behind = text[term.len()..].chars().next();
    (is_term(term) && behind.is_none_or(|c| !matches!(c, '_' | '\'' | '’'))).then_some(start..start + term.len())
}

fn is_of_term(c: &char) -> bool {
    c.is_alphanumeric() || is_raised(*c) || matches!(c, '.' | ',')
}

/// "5", "1.5", "x", "2x", "x²", "3a₁".
fn is_term(text: &str) -> bool {
    let letters = &text[number_starting(text).unwrap_or(0)..];
    let letters = letters.trim_end_matches(is_raised);
    !text.is_empty() && letters.chars().nth(1).is_none() && letters.chars().all(char::is_alphabetic)
}

/// Signs that stand before a term and touch it.
fn is_prefix(c: char) -> bool {
    matches!(c, '∀' | '∃' | '∄' | '√' | '∛' | '¬' | '∂' | '∇' | '∑' | '∏' | '∫' | '−' | '±' | '∓')
}

/// Length in bytes of the minus in "10^-3".
fn sign_of_exponent(source: &str, operator: &Range<usize>) -> usize {
    let minus = source[operator.end..].chars().next().filter(|c| matches!(c, '-' | '−'));
    minus.filter(|_| &source[operator.clone()] == "^").map_or(0, char::len_utf8)
}

fn operator_after(source: &str, at: usize) -> Option<Range<usize>> {
    let text = &source[at..];
    let trimmed = text.strip_prefix(' ').unwrap_or(text);
    let start = source.len() - trimmed.len();
    let c = trimmed.chars().next().filter(|c| is_operator(*c))?;
    Some(start..start + c.len_utf8())
}

fn operator_before(source: &str, at: usize) -> Option<Range<usize>> {
    let text = &source[..at];
    let trimmed = text.strip_suffix(' ').unwrap_or(text);
    let c = trimmed.chars().next_back().filter(|c| is_operator(*c))?;
    Some(trimmed.len() - c.len_utf8()..trimmed.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_whole() {
        for (text, expected) in [
            ("If x > 3, then y = 2x + 1.", vec!["x > 3", "y = 2x + 1"]),
            ("Solve x² + 3x = 10 first.", vec!["x² + 3x = 10"]),
            ("The formula is ∀x ∈ ℝ.", vec!["∀x ∈ ℝ"]),
            ("So 3 × 4 ≠ 11, and −a₁ ≤ 5", vec!["3 × 4 ≠ 11", "−a₁ ≤ 5"]),
            ("size = large", vec![]),
            ("I = 5", vec![]),
            ("Ohm: U = R · I.", vec!["U = R · I"]),
            ("It is 1.6 × 10⁻¹⁹ C or 5.3 × 10^-3 mol.", vec!["1.6 × 10⁻¹⁹", "5.3 × 10^-3"]),
            ("Take 3 × a day, 5 = I think, y = a.", vec!["y = a"]),
            ("and/or, 5 + 3", vec![]),
            ("if (x < y && y > 0) {", vec![]),
        ] {
            let found: Vec<&str> = formulas(text, Language::ENGLISH).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
