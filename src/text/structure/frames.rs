//! What is drawn around text and as wide as it: tables between bars whose columns line up, and lines below and above titles.
//!
//! A table that lined up lines up again, each column as wide as its longest cell, if not as before. A line below a title is as long as the title,
//! if it was, and never too short: reStructuredText takes a shorter one for an error.

use super::columns::width;
use super::edits::Edits;
use super::lines::Line;
use std::ops::Range;

/// Fewest signs of a line below a title.
const MIN_UNDERLINE: usize = 3;

/// Signs of which lines below titles are made.
const UNDERLINES: &str = "=-~^\"'`#*+.:_<>";

/// A table or a title, in a text that is to be translated.
#[derive(Clone, Debug)]
pub enum Frame {
    /// A table between bars.
    Table(Vec<TableLine>),
    /// The bytes of a title and of the lines below and above it.
    Title(Range<usize>, Vec<Range<usize>>),
}

/// A line of a table.
#[derive(Clone, Debug)]
pub struct TableLine {
    /// The bytes between its bars.
    cells: Vec<Range<usize>>,
    is_rule: bool,
}

/// The frames of a text.
pub fn find(text: &str, lines: &[Line]) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut index = 0;
    while index < lines.len() {
        let Some((first, columns)) = table_line(text, &lines[index]) else {
            frames.extend(title(text, lines, index));
            index += 1;
            continue;
        };
        let mut table = vec![first];
        let mut lines_up = true;
        index += 1;
        while let Some((line, others)) = lines.get(index).and_then(|line| table_line(text, line)) {
            lines_up &= columns == others;
            table.push(line);
            index += 1;
        }
        if lines_up && table.len() > 1 && table.iter().any(|line| !line.is_rule) {
            frames.push(Frame::Table(table));
        }
    }
    frames
}

/// A line between bars, and the columns of the screen at which these stand.
fn table_line(text: &str, line: &Line) -> Option<(TableLine, Vec<usize>)> {
    let content = line.of(text).trim();
    let is_drawn = |c: char| matches!(c, '\u{2500}'..='\u{257f}');
    let is_horizontal = |c: char| matches!(c, '-' | '=' | '─' | '━' | '═' | '╌' | '┄');
    let is_end = |c: char| matches!(c, '|' | '+') || is_drawn(c) && !is_horizontal(c);
    if content.len() < 3 || !content.starts_with(is_end) || !content.ends_with(is_end) {
        return None;
    }
    let is_rule = content.contains(is_horizontal)
        && content.chars().all(|c| is_horizontal(c) || is_end(c) || matches!(c, ':' | ' '));
    let start = line.range.start + line.of(text).len() - line.of(text).trim_start().len();
    let mut bars: Vec<Range<usize>> = Vec::new();
    let (mut in_code, mut after_backslash) = (false, false);
    for (at, c) in content.char_indices() {
        in_code ^= c == '`';
        let is_bar = if is_rule { is_end(c) } else { is_end(c) && c != '+' && !in_code && !after_backslash };
        after_backslash = c == '\\';
        if is_bar {
            bars.push(start + at..start + at + c.len_utf8());
        }
    }
    if bars.len() < 2 || bars[0].start != start || bars[bars.len() - 1].end != start + content.len() {
        return None;
    }
    let mut from = line.range.start;
    let columns = bars.iter().scan(0, |column, bar| {
        *column += width(&text[from..bar.start]);
        from = bar.start;
        Some(*column)
    });
    let columns = columns.collect();
    let cells = bars.windows(2).map(|pair| pair[0].end..pair[1].start).collect();
    Some((TableLine { cells, is_rule }, columns))
}

/// A title with a line below it that is at least as long.
fn title(text: &str, lines: &[Line], index: usize) -> Option<Frame> {
    let below = underline(text, lines.get(index + 1)?)?;
    let content = lines[index].of(text);
    let wide = width(content.trim_end());
    let sign = text[below.clone()].chars().next();
    let above = index.checked_sub(1).map(|above| &lines[above]);
    let over = above.and_then(|line| underline(text, line)).filter(|over| text[over.clone()] == text[below.clone()]);
    let stands_alone = over.is_some() || above.is_none_or(|line| line.is_blank(text));
    let is_title = stands_alone
        && content.starts_with(|c: char| !c.is_whitespace() || over.is_some())
        && content.contains(char::is_alphanumeric)
        && !content.contains("  ")
        && sign.is_some()
        && width(&text[below.clone()]) >= wide;
    let title = lines[index].range.start..lines[index].range.start + content.trim_end().len();
    is_title.then(|| Frame::Title(title, over.into_iter().chain([below]).collect()))
}

/// The bytes of a line of one sign.
fn underline(text: &str, line: &Line) -> Option<Range<usize>> {
    let content = line.of(text).trim_end();
    let sign = content.chars().next().filter(|sign| UNDERLINES.contains(*sign))?;
    let is_line = content.len() >= MIN_UNDERLINE && content.chars().all(|c| c == sign);
    is_line.then(|| line.range.start..line.range.start + content.len())
}

impl Frame {
    /// Moves it to where it lies after `edits`.
    pub fn move_by(&mut self, edits: &Edits) {
        let ranges: Vec<&mut Range<usize>> = match self {
            Frame::Table(lines) => lines.iter_mut().flat_map(|line| &mut line.cells).collect(),
            Frame::Title(title, rules) => std::iter::once(title).chain(rules).collect(),
        };
        ranges.into_iter().for_each(|range| *range = edits.forward(range));
    }

    /// What makes the frame fit the translation of `text`, where `place` says where an offset of the text is now: ranges of the translation
    /// and what replaces them.
    pub fn fit(&self, text: &str, translated: &str, place: impl Fn(usize) -> usize) -> Vec<(Range<usize>, String)> {
        let of = |range: &Range<usize>| {
            let start = place(range.start);
            start..place(range.end).max(start)
        };
        match self {
            Frame::Table(lines) => fit_table(lines, text, translated, of),
            Frame::Title(title, rules) => {
                let (before, now) = (width(&text[title.clone()]), width(&translated[of(title)]));
                let fitted = |rule: &Range<usize>| {
                    let sign = text[rule.clone()].chars().next().map_or(String::new(), |c| c.to_string());
                    let length = if rule.len() == before { now } else { now.max(rule.len()) };
                    (length != rule.len()).then(|| (of(rule), sign.repeat(length.max(MIN_UNDERLINE))))
                };
                rules.iter().filter_map(fitted).collect()
            }
        }
    }
}

fn fit_table(
    lines: &[TableLine],
    text: &str,
    translated: &str,
    of: impl Fn(&Range<usize>) -> Range<usize>,
) -> Vec<(Range<usize>, String)> {
    let spaces_before = |cell: &str| cell.len() - cell.trim_start_matches(' ').len();
    let spaces_after = |cell: &str| cell.len() - cell.trim_end_matches(' ').len();
    // At most one space stays on each side of a cell that needs the room.
    let least = |cell: &str| (spaces_before(cell).min(1), spaces_after(cell).min(1));
    let columns = lines[0].cells.len();
    let wanted: Vec<usize> = (0..columns)
        .map(|column| {
            let of_line = |line: &TableLine| {
                let cell = &text[line.cells[column].clone()];
                let (before, after) = least(cell);
                let needed = before + width(translated[of(&line.cells[column])].trim_matches(' ')) + after;
                if line.is_rule || cell.trim().is_empty() { 0 } else { needed }
            };
            lines.iter().map(of_line).fold(width(&text[lines[0].cells[column].clone()]), usize::max)
        })
        .collect();
    let mut changes = Vec::new();
    for line in lines {
        for (range, &wanted) in line.cells.iter().zip(&wanted) {
            let (cell, target) = (&text[range.clone()], of(range));
            let now = &translated[target.clone()];
            if width(now) == wanted && now.starts_with(' ') == cell.starts_with(' ') && now.trim() == cell.trim() {
                continue;
            }
            if line.is_rule {
                let sign = cell.chars().find(|c| !matches!(c, ':' | ' ')).unwrap_or(' ');
                let at = target.start + now.find(sign).unwrap_or(0);
                changes.push((at..at, sign.to_string().repeat(wanted.saturating_sub(width(now)))));
                continue;
            }
            let content = now.trim_matches(' ');
            let room = wanted.saturating_sub(width(content));
            let (before, after) = least(cell);
            let is_right = spaces_after(cell) <= 1 && spaces_before(cell) > 1;
            let left = if is_right {
                room.saturating_sub(after)
            } else {
                spaces_before(cell).min(room.saturating_sub(after)).max(before.min(room))
            };
            let start = target.start + spaces_before(now);
            changes.push((target.start..start, " ".repeat(left)));
            changes.push((start + content.len()..target.end, " ".repeat(room - left)));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::text::structure::lines::split;

    /// The text with one word replaced, and what its frames make of that.
    fn fitted(text: &str, word: &str, by: &str) -> String {
        let lines = split(text);
        let at = text.find(word).expect("it is in there");
        let translated = text.replacen(word, by, 1);
        let place = |offset: usize| if offset >= at + word.len() { offset + by.len() - word.len() } else { offset };
        let mut changes: Vec<_> =
            find(text, &lines).iter().flat_map(|frame| frame.fit(text, &translated, place)).collect();
        changes.sort_by_key(|(range, _)| range.start);
        let mut result = translated;
        changes.into_iter().rev().for_each(|(range, with)| result.replace_range(range, &with));
        result
    }

    #[test]
    fn tables_line_up_again() {
        let table = "| Fruit | Price |\n|:------|------:|\n| Pear  |  2.50 |";
        assert_eq!(
            fitted(table, "Pear", "Zwetschge"),
            "| Fruit     | Price |\n|:----------|------:|\n| Zwetschge |  2.50 |"
        );
        assert_eq!(fitted(table, "Pear", "Ei"), table.replace("Pear", "Ei  "));
        assert_eq!(
            fitted(table, "Price", "Kaufpreis"),
            "| Fruit | Kaufpreis |\n|:------|----------:|\n| Pear  |      2.50 |"
        );
        let grid = "+------+---+\n| Tree | 1 |\n+======+===+\n| Oak  |   |\n+------+---+";
        assert_eq!(
            fitted(grid, "Oak", "Eichen"),
            "+--------+---+\n| Tree   | 1 |\n+========+===+\n| Eichen |   |\n+--------+---+"
        );
        let drawn = "┌────┐\n│ Ei │\n└────┘";
        assert_eq!(fitted(drawn, "Ei", "egg"), "┌─────┐\n│ egg │\n└─────┘");
        let loose = "| Fruit | Price |\n|---|---|\n| Pear | 2 |";
        assert_eq!(fitted(loose, "Pear", "Birne"), loose.replace("Pear", "Birne"));
    }

    #[test]
    fn lines_below_titles_are_long_enough() {
        assert_eq!(fitted("Trees\n=====\n", "Trees", "Bäume und"), "Bäume und\n=========\n");
        assert_eq!(fitted("=====\nTrees\n=====", "Trees", "Wald"), "====\nWald\n====");
        assert_eq!(fitted("Trees\n---------", "Trees", "Baum"), "Baum\n---------");
        for text in ["Trees\n---", "a\nTrees\n=====", "Trees\n== =="] {
            assert_eq!(fitted(text, "Trees", "Tannenbäume"), text.replace("Trees", "Tannenbäume"));
        }
    }
}
