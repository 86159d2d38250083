//! Fractions, powers, indices and other characters that a vocabulary's normalizer writes otherwise.
//!
//! SentencePiece reads "10⁹" as "109", "½" as "1⁄2" and "m²" as "m2" (Unicode's compatibility composition, NFKC), so no translation has the
//! source's own characters again. What is not a word comes through as it was:
//!
//! - A fraction is read as "1/2", with the whole number before it as "1 1/2", since models know that form.
//! - What has raised or lowered digits ("CO₂", "m²", "Ca²⁺") is read without raising or lowering, and is replaced by the source's form. A power
//!   of ten or another number is read as a letter, since nothing but its digits says what it is.
//! - A footnote's mark ("note¹") belongs to its word, which is translated.
//! - Units, numerals and numbers in one character ("℃", "㎏", "Ⅷ", "①") are read as their parts, letters in circles as another letter unless they touch a word.
//! - Units in micro, which small models have hardly seen, are read in milli.
//!
//! Words in such letters (ligatures, full-width and mathematical forms) are translated as words.

use std::ops::Range;

use super::taken_out::{Anchor, TakenOut, operand_after, operand_before};
use super::{Kept, Preparation};

/// Plans what becomes of each such character.
pub fn prepare(preparation: &mut Preparation) {
    let source = preparation.source;
    references(preparation);
    if source.is_ascii() {
        return;
    }
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let next = at + c.len_utf8();
        at = match plan(preparation, at, c) {
            Some(end) => end.max(next),
            None => next,
        };
    }
}

/// Takes out marks of references that touch their word: "old[5]", "know.[citation needed]".
fn references(preparation: &mut Preparation) {
    let source = preparation.source;
    for (start, _) in source.match_indices('[') {
        let rest = &source[start + 1..];
        let Some(length) = rest.find(']') else { break };
        let name = &rest[..length];
        let is_mark = (1..=3).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric())
            || name == "citation needed";
        let word = operand_before(source, start).filter(|word| word.end == start);
        if let Some(word) = word.filter(|_| is_mark) {
            let range = start..start + length + 2;
            if !preparation.is_kept(&range) && preparation.substitutions.add(range.clone(), "") {
                preparation.taken_out.push(TakenOut { range, anchor: Anchor::Behind(word) });
            }
        }
    }
}

fn plan(preparation: &mut Preparation, at: usize, c: char) -> Option<usize> {
    let source = preparation.source;
    let end = at + c.len_utf8();
    if c.is_ascii() {
        return None;
    }
    if matches!(c, 'µ' | 'μ') {
        return keep_micro(preparation, at, c);
    }
    if matches!(c, '\u{24b6}'..='\u{24e9}') {
        preparation.release(&(at..end));
        let (before, after) = (operand_before(source, at), operand_after(source, end));
        let anchor = match (before, after) {
            (Some(before), _) if before.end == at => Anchor::Behind(before),
            (_, Some(after)) if after.start == end => Anchor::InFrontOf(after),
            _ => {
                preparation.keep(Kept { stood_for: true, ..Kept::exactly(at..end) });
                return Some(end);
            }
        };
        if preparation.substitutions.add(at..end, "") {
            preparation.taken_out.push(TakenOut { range: at..end, anchor });
        }
        return Some(end);
    }
    if let Some(given) = compound(c).filter(|_| !source[end..].starts_with(char::is_alphanumeric)) {
        // Numerals count as letters, and as foreign ones they are kept already.
        preparation.release(&(at..end));
        preparation.keep(Kept { given: Some(given), ..Kept::exactly(at..end) });
        return Some(end);
    }
    if preparation.is_kept(&(at..end)) {
        return None;
    }
    if let Some(parts) = fraction(c) {
        return Some(keep_fraction(preparation, at..end, parts));
    }
    if is_raised(c) {
        return Some(keep_raised(preparation, at));
    }
    if matches!(c, '\u{ff10}'..='\u{ff19}') {
        let whole = run(source, at, |c| matches!(c, '\u{ff04}'..='\u{ff19}' | '\u{ffe0}'..='\u{ffe6}'));
        let end = whole.end;
        preparation.keep(Kept { stood_for: true, ..Kept::exactly(whole) });
        return Some(end);
    }
    None
}

/// The two numbers of a fraction in one character.
#[rustfmt::skip]
fn fraction(c: char) -> Option<&'static str> {
    Some(match c {
        '¼' => "1/4", '½' => "1/2", '¾' => "3/4", '⅐' => "1/7", '⅑' => "1/9", '⅒' => "1/10", '⅓' => "1/3", '⅔' => "2/3", '⅕' => "1/5", '⅖' => "2/5",
        '⅗' => "3/5", '⅘' => "4/5", '⅙' => "1/6", '⅚' => "5/6", '⅛' => "1/8", '⅜' => "3/8", '⅝' => "5/8", '⅞' => "7/8", '↉' => "0/3",
        _ => return None,
    })
}

/// Keeps a fraction and the whole number that it adds to.
fn keep_fraction(preparation: &mut Preparation, range: Range<usize>, parts: &str) -> usize {
    let source = preparation.source;
    let before = &source[..range.start];
    let spaces = before.len() - before.trim_end_matches([' ', '\u{a0}', '\u{202f}', '\u{2009}']).len();
    let digits = before[..before.len() - spaces].bytes().rev().take_while(u8::is_ascii_digit).count();
    let start = if digits > 0 && spaces <= 3 { range.start - spaces - digits } else { range.start };
    let number = &source[start..start + if start < range.start { digits } else { 0 }];
    let apart = !source[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ','));
    let start = if apart { start } else { range.start };
    let given = if start < range.start { format!("{number} {parts}") } else { parts.to_owned() };
    preparation.keep(Kept { given: Some(given), ..Kept::exactly(start..range.end) });
    range.end
}

/// Raised and lowered digits and signs.
pub(super) fn is_raised(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | '\u{2070}'..='\u{209c}')
}

/// A raised or lowered character as it is on the line.
fn lowered(c: char) -> char {
    match c {
        '²' => '2',
        '³' => '3',
        '¹' => '1',
        '\u{2070}' | '\u{2074}'..='\u{2079}' => char::from(b'0' + (c as u32 - 0x2070) as u8),
        '\u{2080}'..='\u{2089}' => char::from(b'0' + (c as u32 - 0x2080) as u8),
        '⁺' | '₊' => '+',
        '⁻' | '₋' => '-',
        '⁼' | '₌' => '=',
        '⁽' | '₍' => '(',
        '⁾' | '₎' => ')',
        'ⁿ' => 'n',
        'ⁱ' => 'i',
        _ => c,
    }
}

/// Keeps the unit, formula or number that a raised or lowered character is part of; a footnote's mark goes with its word.
fn keep_raised(preparation: &mut Preparation, at: usize) -> usize {
    let source = preparation.source;
    let is_part = |c: char| c.is_alphanumeric() || is_raised(c) || matches!(c, '/' | '·' | '⋅');
    let whole = run(source, at, is_part);
    let text = &source[whole.clone()];
    let base = text.trim_end_matches(is_raised);
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_word = base.chars().all(char::is_alphabetic)
        && base.chars().skip(1).all(char::is_lowercase)
        && base.chars().count() > 3;
    if is_word || base.is_empty() {
        let range = whole.start + base.len()..whole.end;
        let anchor = Anchor::Behind(whole.start..range.start);
        if preparation.substitutions.add(range.clone(), "") {
            preparation.taken_out.push(TakenOut { range, anchor });
        }
        return whole.end;
    }
    let stood_for = number(base);
    let given = (!stood_for).then(|| text.chars().map(lowered).collect());
    let end = whole.end;
    preparation.keep(Kept { given, stood_for, ..Kept::exactly(whole) });
    end
}

/// Has a unit in micro read as one in milli, unless the sentence has that one as well.
fn keep_micro(preparation: &mut Preparation, at: usize, c: char) -> Option<usize> {
    let source = preparation.source;
    let rest = &source[at + c.len_utf8()..];
    let unit = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
    let apart = !source[..at].ends_with(char::is_alphabetic);
    let milli = format!("m{unit}");
    let known = matches!(
        unit,
        "m" | "g" | "s" | "l" | "L" | "A" | "V" | "W" | "F" | "H" | "M" | "mol" | "Sv" | "T" | "Pa" | "J" | "C"
    );
    if !known || !apart {
        return None;
    }
    let range = at..at + c.len_utf8() + unit.len();
    let end = range.end;
    let taken = source
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| word.trim_start_matches(|c: char| c.is_ascii_digit()) == milli);
    preparation.release(&range);
    let kept = if taken {
        Kept { stood_for: true, ..Kept::exactly(range) }
    } else {
        Kept { given: Some(milli), ..Kept::exactly(range) }
    };
    preparation.keep(kept);
    Some(end)
}

/// What a single character that stands for several, but not for a word, is read as.
#[rustfmt::skip]
fn compound(c: char) -> Option<String> {
    let text = match c {
        '℃' => "°C", '℉' => "°F", 'Ω' => "Ω", '㏄' => "cc", '㎏' => "kg", '㎎' => "mg", '㎍' => "mg", '㎜' => "mm", '㎝' => "cm", '㎞' => "km",
        '㎟' => "mm2", '㎠' => "cm2", '㎡' => "m2", '㎢' => "km2", '㎣' => "mm3", '㎤' => "cm3", '㎥' => "m3", '㎖' => "ml", '㎗' => "dl", 'ℓ' => "l", '㎘' => "kl",
        '㎾' => "kW", '㎿' => "MW", '㎐' => "Hz", '㎑' => "kHz", '㎒' => "MHz", '㎓' => "GHz", '㏈' => "dB", '㎅' => "KB", '㎆' => "MB", '㎇' => "GB",
        '①'..='⑳' => return Some((c as u32 - '①' as u32 + 1).to_string()),
        '⑴'..='⒇' => return Some(format!("({})", c as u32 - '⑴' as u32 + 1)),
        '⒈'..='⒛' => return Some(format!("{}.", c as u32 - '⒈' as u32 + 1)),
        'Ⅰ'..='Ⅻ' => NUMERALS[c as usize - 'Ⅰ' as usize],
        'ⅰ'..='ⅻ' => return Some(NUMERALS[c as usize - 'ⅰ' as usize].to_lowercase()),
        _ => return None,
    };
    Some(text.to_owned())
}

const NUMERALS: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

/// The run of such characters around a place.
fn run(source: &str, at: usize, such: impl Fn(char) -> bool) -> Range<usize> {
    let before: usize = source[..at].chars().rev().take_while(|c| such(*c)).map(char::len_utf8).sum();
    let after: usize = source[at..].chars().take_while(|c| such(*c)).map(char::len_utf8).sum();
    at - before..at + after
}
