//! `evaluate --checks`: what must hold for individual translations, counted by category.
//!
//! A file of checks has a line for each case: category, source and one or more [`Check`]s, separated by tabs; sources and
//! checks are [`unescape`]d. `tests/data/robustness/README.md` describes the format for writers.

mod check;

use super::translate;
use crate::lines::read_all;
use crate::streams;
use anyhow::{Context, Result, anyhow, bail};
use check::Check;
use std::io::Write;
use std::path::Path;
use wanderwort::{TranslateOptions, Translator};

/// A source and what must hold for its translation.
struct Case {
    category: String,
    source: String,
    checks: Vec<Check>,
}

/// Translates the cases of the file at `path` and prints how many pass, by category and in total; with `failures`, also those
/// that fail.
pub fn run(path: &Path, translator: &Translator, options: &TranslateOptions, failures: bool) -> Result<()> {
    let cases = read(path)?;
    let sources: Vec<String> = cases.iter().map(|case| case.source.clone()).collect();
    let (translations, _) = translate(translator, &sources, options);
    let mut output = streams::output();
    // Name, passed, all; in the order of the file.
    let mut categories: Vec<(&str, usize, usize)> = Vec::new();
    for (case, translation) in cases.iter().zip(&translations) {
        let failed: Vec<&Check> = case.checks.iter().filter(|check| !check.holds(&case.source, translation)).collect();
        let index = categories.iter().position(|(name, ..)| *name == case.category).unwrap_or_else(|| {
            categories.push((&case.category, 0, 0));
            categories.len() - 1
        });
        categories[index].1 += usize::from(failed.is_empty());
        categories[index].2 += 1;
        if failures && !failed.is_empty() {
            let failed: Vec<String> = failed.iter().map(|check| check.to_string()).collect();
            writeln!(output, "{}: {}", case.category, case.source.escape_debug())?;
            writeln!(output, "  gave: {}", translation.escape_debug())?;
            writeln!(output, "  failed: {}\n", failed.join(", "))?;
        }
    }
    let sum = |(all_passed, all), (_, passed, of): &(&str, usize, usize)| (all_passed + passed, all + of);
    let (passed, of) = categories.iter().fold((0, 0), sum);
    for (name, passed, of) in categories.iter().copied().chain([("total", passed, of)]) {
        writeln!(output, "{name:<16}{passed:>4} of {of:>4}")?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Case>> {
    let lines = read_all(path)?;
    let read = |(index, line): (usize, &String)| {
        parse(line).with_context(|| format!("{}, line {}", path.display(), index + 1))
    };
    lines.iter().enumerate().map(read).collect()
}

fn parse(line: &str) -> Result<Case> {
    let mut fields = line.split('\t');
    let (Some(category), Some(source)) = (fields.next(), fields.next()) else {
        bail!("expected category, source and checks between tabs, found no tab");
    };
    let checks = fields.map(|field| unescape(field)?.parse().map_err(|error| anyhow!("{field:?}: {error}")));
    let case = Case {
        category: category.to_owned(),
        source: unescape(source)?,
        checks: checks.collect::<Result<Vec<Check>>>()?,
    };
    if case.checks.is_empty() {
        bail!("a line without a check cannot fail");
    }
    Ok(case)
}

/// Replaces `\t`, `\n`, `\\` and `\u{…}` (a code point in hexadecimal) with what they stand for.
fn unescape(text: &str) -> Result<String> {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        result.push_str(before);
        let (character, length) = match after.chars().next() {
            Some('t') => ('\t', 1),
            Some('n') => ('\n', 1),
            Some('\\') => ('\\', 1),
            Some('u') => {
                let digits =
                    after[1..].strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(digits, _)| digits);
                let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
                let (Some(digits), Some(code)) = (digits, code) else {
                    bail!("expected a code point as in \\u{{a0}}, found \\{after}");
                };
                (code, digits.len() + 3)
            }
            _ => bail!("expected \\t, \\n, \\\\ or \\u{{…}}, found \\{after}"),
        };
        result.push(character);
        rest = &after[length..];
    }
    result.push_str(rest);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::{parse, unescape};

    #[test]
    fn a_line_is_category_source_and_checks() {
        let case = parse("paths\tSee C:\\\\x\\u{a0}now.\tcontains:C:\\\\x\tdigits").unwrap();
        assert_eq!((case.category.as_str(), case.source.as_str()), ("paths", "See C:\\x\u{a0}now."));
        assert_eq!(case.checks.iter().map(ToString::to_string).collect::<Vec<_>>(), ["contains:C:\\x", "digits"]);
    }

    #[test]
    fn what_is_no_line_is_refused() {
        for line in
            ["", "category", "category\tsource", "category\tsource\tsays:x", "c\t\\x\tequal", "c\t\\u{zz}\tequal"]
        {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape("a\\tb\\nc\\\\d\\u{1f600}").unwrap(), "a\tb\nc\\d😀");
    }
}
