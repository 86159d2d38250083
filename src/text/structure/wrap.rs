//! Paragraphs of fixed width: mail, plain-text files, comments, subtitles. They are read as one text each and wrapped again after translation.
//!
//! A line break is taken as one that a program inserted where the next word would not have fitted into the width of the surrounding lines, or
//! where a sentence goes on with a lower-case letter; a paragraph also needs a sign that its lines are not items or verses.

use super::columns::width;
use super::edits::{Editor, Edits};
use super::labels::{label, leader};
use super::lines::{Form, Line, ends_sentence, trim};
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// Columns of the shortest and the widest lines that text is usually wrapped to.
const WIDTHS: Range<usize> = 40..101;

/// Columns of a subtitle line: what broadcasters allow.
const CUE_WIDTH: usize = 42;

/// Spaces of indent from which a line after a blank one is code in Markdown.
const CODE_INDENT: usize = 4;

/// How many spaces further in than the others the first line of a paragraph may be.
const MAX_FIRST_INDENT: usize = 8;

/// Whether line breaks inside paragraphs are read as spaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrapped {
    /// Never: every line stands on its own.
    Never,
    /// Where there is no doubt.
    #[default]
    Auto,
    /// Always, up to a blank line, an item of a list, or lines that are structure.
    Always,
}

/// Lines that are one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// Bytes from the start of the text in the first line, after its marks, to its end in the last one.
    pub range: Range<usize>,
    /// What stands between the text of one line and that of the next: white space, a line break, marks.
    pub breaks: Vec<Range<usize>>,
    /// What replaces each of these in the joined text: a space, or nothing in scripts without spaces and after hyphens.
    pub joints: Vec<&'static str>,
    /// What a new line begins with: the line break, with the space of flowed text before it, and the marks of quotations, comments and items.
    pub prefix: String,
    /// The column at which the text of the first line begins.
    pub column: usize,
    /// The column that no line goes beyond, unless a single word does.
    pub width: usize,
    /// Whether it is what is said in a subtitle: its lines become wider, up to what fits on a screen, rather than more numerous.
    pub is_cue: bool,
}

impl Paragraph {
    /// The paragraph as one text, and where its parts are in `text`, counted from the start of the paragraph's range.
    pub fn join(&self, text: &str) -> (String, Edits) {
        let mut editor = Editor::new(&text[self.range.clone()]);
        for (range, joint) in self.breaks.iter().zip(&self.joints) {
            editor.replace(range.start - self.range.start..range.end - self.range.start, joint);
        }
        editor.finish()
    }

    /// A text in lines of the paragraph's width, with its marks.
    pub fn wrap(&self, text: &str) -> String {
        let mut editor = Editor::new(text);
        self.break_at(text).into_iter().for_each(|range| editor.replace(range, &self.prefix));
        editor.finish().0
    }

    /// Where lines of `text` end: the spaces that [`Self::prefix`] replaces.
    pub(super) fn break_at(&self, text: &str) -> Vec<Range<usize>> {
        if !self.is_cue {
            return self.break_to(text, self.width);
        }
        let most = self.width.max(CUE_WIDTH);
        let fits = |width: &usize| self.break_to(text, *width).len() <= self.breaks.len();
        // Nothing so long fits at all.
        let is_long = width(text) > most * (self.breaks.len() + 1);
        let width = if is_long { None } else { (self.width..most).find(fits) };
        self.break_to(text, width.unwrap_or(most))
    }

    fn break_to(&self, text: &str, most: usize) -> Vec<Range<usize>> {
        let prefix = width(self.prefix.rsplit(crate::text::segment::is_line_break).next().unwrap_or_default());
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut column = self.column;
        let mut start = 0;
        // The last place where a line can end, and the column at which the text after it begins.
        let mut place: Option<(Range<usize>, usize)> = None;
        while start < text.len() {
            let (word, next) = next_word(text, start);
            let wide = width(&text[word.clone()]);
            if column + wide > most
                && let Some((range, begins)) = place.take()
            {
                column = prefix + column - begins;
                found.push(range);
            }
            column += wide;
            if can_begin_line(&text[next.end..]) {
                place = Some((next.clone(), column + width(&text[next.clone()])));
            }
            column += width(&text[next.clone()]);
            start = next.end;
        }
        found
    }
}

/// The word that begins at `start`, and the spaces after it, up to where a line can end.
fn next_word(text: &str, start: usize) -> (Range<usize>, Range<usize>) {
    let rest = &text[start..];
    let mut previous = None;
    for (at, c) in rest.char_indices() {
        if c == ' ' {
            let spaces = rest[at..].len() - rest[at..].trim_start_matches(' ').len();
            return (start..start + at, start + at..start + at + spaces);
        }
        if previous.is_some_and(|previous| can_part(previous, c)) {
            return (start..start + at, start + at..start + at);
        }
        previous = Some(c);
    }
    (start..text.len(), text.len()..text.len())
}

/// Whether a character is of a script that is written without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{30ff}' | '\u{31f0}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff9f}' | '\u{1b000}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a line may end between two characters of such scripts: not before closing signs, small kana and vowel signs, not after opening signs.
fn can_part(before: char, after: char) -> bool {
    let opens = matches!(
        before,
        '（' | '「' | '『' | '【' | '《' | '〈' | '［' | '｛' | '〔' | '“' | '‘' | '(' | '[' | '$' | '￥' | '＄'
    );
    let stays = matches!(after, '）' | '」' | '』' | '】' | '》' | '〉' | '］' | '｝' | '〕' | '”' | '’' | ')' | ']' | '。' | '、' | '，' | '．' | '！' | '？' | '：' | '；'
        | '・' | 'ー' | '…' | '々' | '〜' | 'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ' | 'っ' | 'ゃ' | 'ゅ' | 'ょ' | 'ァ' | 'ィ' | 'ゥ' | 'ェ' | 'ォ' | 'ッ' | 'ャ' | 'ュ' | 'ョ' | '%' | '％'
        | '\u{e30}'..='\u{e3a}' | '\u{e45}'..='\u{e4e}');
    let leads = matches!(before, '\u{e40}'..='\u{e44}' | '\u{ec0}'..='\u{ec4}');
    (is_unspaced(before) || is_unspaced(after))
        && !opens
        && !stays
        && !leads
        && UnicodeWidthChar::width(after) != Some(0)
}

/// Whether text can begin a line without being taken for the mark of an item or quotation.
fn can_begin_line(text: &str) -> bool {
    !text.is_empty() && leader(text) == 0 && !label(text).is_some_and(|label| label.is_certain)
}

/// A line as a part of a paragraph.
#[derive(Debug)]
struct Part<'a> {
    /// Bytes of its text.
    range: Range<usize>,
    /// The marks before it, without spaces.
    marks: String,
    /// The column at which what follows the marks begins.
    indent: usize,
    /// The column at which its text begins, after a label.
    column: usize,
    /// The column at which it ends.
    end: usize,
    /// Whether its label is certain, if it may have one.
    label: Option<bool>,
    /// Whether its text reaches the line's end, so that it can go on, and whether it begins at the start, so that it can continue the line before.
    is_open: (bool, bool),
    content: &'a str,
}

impl<'a> Part<'a> {
    fn new(text: &'a str, line: &Line) -> Option<Self> {
        let [cell] = &line.cells[..] else { return None };
        if line.form != Form::Plain {
            return None;
        }
        let whole = line.of(text);
        let leader = line.range.start + leader(whole);
        let content = trim(text, leader..line.range.end);
        let marks = text[line.range.start..leader].chars().filter(|c| !c.is_whitespace()).collect();
        let label = (cell.range.start > content.start)
            .then(|| line.number > 0 || label(&text[content.clone()]).is_none_or(|label| label.is_certain));
        let column = |at: usize| width(&text[line.range.start..at]);
        Some(Part {
            marks,
            indent: column(content.start),
            column: column(cell.range.start),
            end: column(content.end),
            label,
            is_open: (
                cell.range.end == content.end,
                label != Some(true) && (cell.range.start == content.start || label == Some(false)),
            ),
            range: cell.range.start..content.end,
            content: &text[content],
        })
    }

    fn begins_small(&self) -> bool {
        self.content.starts_with(char::is_lowercase)
    }

    fn first_word(&self) -> usize {
        width(&self.content[..self.content.find(char::is_whitespace).unwrap_or(self.content.len())])
    }

    fn ends_unspaced(&self) -> bool {
        self.content.ends_with(is_unspaced)
    }
}

/// The paragraphs of a text, ascending.
///
/// ```
/// # use wanderwort::text::structure::{Wrapped, unwrap};
/// let mail = "> We have looked at the house that you told us about, and\n> it is as big as you said. We would like to see the garden\n> too.";
/// let [paragraph] = &unwrap(mail, Wrapped::Auto)[..] else { panic!("one paragraph") };
/// let (joined, _) = paragraph.join(mail);
/// assert!(joined.starts_with("We have looked at the house that you told us about, and it is as big as"));
/// assert_eq!(format!("> {}", paragraph.wrap(&joined)), mail);
/// ```
pub fn unwrap(text: &str, wrapped: Wrapped) -> Vec<Paragraph> {
    find(text, &super::scan(text), wrapped).into_iter().map(|(_, paragraph)| paragraph).collect()
}

/// The paragraphs of more than one line, with the indices of their lines.
pub fn find(text: &str, lines: &[Line], wrapped: Wrapped) -> Vec<(Range<usize>, Paragraph)> {
    let mut found = Vec::new();
    if wrapped == Wrapped::Never || lines.len() < 2 {
        return found;
    }
    let parts: Vec<Option<Part>> = lines.iter().map(|line| Part::new(text, line)).collect();
    let mut index = 0;
    while index < lines.len() {
        // Lines that could continue each other.
        let mut end = index + 1;
        while end < lines.len() && goes_on(text, lines, &parts, index, end) {
            end += 1;
        }
        if end - index > 1 {
            let parts: Vec<&Part> = parts[index..end].iter().flatten().collect();
            let is_cue = lines[index].is_cue;
            let after_blank = index.checked_sub(1).is_none_or(|before| lines[before].is_blank(text));
            let is_indented = parts[..2].iter().all(|part| part.indent >= CODE_INDENT);
            let is_code = after_blank && is_indented && parts[0].label.is_none() && parts[0].marks.is_empty();
            for range in joined_runs(text, &lines[index..end], &parts, wrapped, is_cue, is_code) {
                let paragraph = paragraph(text, &lines[index..end][range.clone()], &parts[range.clone()], is_cue);
                found.push((index + range.start..index + range.end, paragraph));
            }
        }
        index = end;
    }
    found
}

/// Whether the line `next` may, judged by its marks, belong to the paragraph that begins with the line `first`.
fn goes_on(text: &str, lines: &[Line], parts: &[Option<Part>], first: usize, next: usize) -> bool {
    let (Some(start), Some(before), Some(part)) = (&parts[first], &parts[next - 1], &parts[next]) else { return false };
    let breaks = &text[lines[next - 1].range.end..lines[next - 1].next];
    if !matches!(breaks, "\n" | "\r\n") || lines[next - 1].is_cue != lines[next].is_cue {
        return false;
    }
    if !before.is_open.0 || !part.is_open.1 || before.marks != part.marks {
        return false;
    }
    // What may be an initial at the start of a line is a label if a sentence or list has just ended.
    if part.label.is_some() && ends_sentence(before.content) {
        return false;
    }
    if next > first + 1 {
        return part.indent == before.indent;
    }
    match start.label {
        Some(_) => part.indent == start.indent || (start.indent..=start.column + 2).contains(&part.indent),
        None => part.indent == start.indent || (part.indent..=part.indent + MAX_FIRST_INDENT).contains(&start.indent),
    }
}

/// The runs of lines that are paragraphs, among lines that may be one.
fn joined_runs(
    text: &str,
    lines: &[Line],
    parts: &[&Part],
    wrapped: Wrapped,
    is_cue: bool,
    is_code: bool,
) -> Vec<Range<usize>> {
    let widest =
        parts.iter().filter(|part| part.content.contains(' ') || part.ends_unspaced()).map(|part| part.end).max();
    let widest = widest.unwrap_or(0);
    let trailing = |index: usize| &text[parts[index].range.end..lines[index].range.end];
    // Two spaces or a backslash at the end of a line break it in Markdown.
    let is_hard = |index: usize| trailing(index).len() > 1 || parts[index].content.ends_with('\\');
    let is_flowed = |index: usize| trailing(index) == " " && parts[index].content != "--";
    let is_full = |index: usize| {
        let next = parts[index + 1];
        let first = if parts[index].ends_unspaced() { 2 } else { 1 + next.first_word() };
        parts[index].end + first > widest
    };
    let goes_on_small = |index: usize| {
        let next = parts[index + 1].content;
        !ends_sentence(parts[index].content)
            && (parts[index + 1].begins_small()
                || next.starts_with(['(', '„', '“', '"']) && next[1..].contains(char::is_lowercase) && is_full(index))
    };
    let is_soft = |index: usize| match wrapped {
        Wrapped::Always => !is_hard(index),
        _ if is_cue => {
            let begins = parts[index + 1].content.starts_with(['-', '–', '—', '[', '(', '♪', '>', '"', '“', '„', '«']);
            !ends_sentence(parts[index].content) && !begins && !parts[index].content.ends_with(['♪', ']', ')'])
        }
        _ => {
            !is_hard(index)
                && (is_flowed(index) || is_full(index) || goes_on_small(index) && parts[index].end * 5 >= widest * 3)
        }
    };
    let is_paragraph = |run: &Range<usize>| {
        if wrapped == Wrapped::Always || is_cue {
            return true;
        }
        if is_code || !WIDTHS.contains(&widest) {
            return false;
        }
        let breaks = || run.start..run.end - 1;
        let part = &parts[run.clone()];
        let unspaced = part.iter().all(|part| part.content.contains(is_unspaced));
        let full = breaks().filter(|&index| is_full(index)).count();
        // Items that begin with lower-case letters and have no full stops are not sentences.
        let is_prose = part.iter().any(|part| ends_sentence(part.content) || part.content.contains(". "));
        let small = breaks().any(|index| goes_on_small(index) && (is_full(index) || parts[index].end >= WIDTHS.start));
        let flowed = breaks().filter(|&index| is_flowed(index)).count() * 2 > run.len() - 1;
        let columns = unspaced
            && run.len() > 2
            && full == run.len() - 1
            && breaks().any(|index| !ends_sentence(parts[index].content));
        small && is_prose || columns || flowed && breaks().any(|index| !ends_sentence(parts[index].content))
    };
    let mut runs = Vec::new();
    let mut start = 0;
    for index in 0..parts.len() {
        if index + 1 == parts.len() || !is_soft(index) {
            runs.push(start..index + 1);
            start = index + 1;
        }
    }
    runs.retain(|run| run.len() > 1 && is_paragraph(run));
    runs
}

fn paragraph(text: &str, lines: &[Line], parts: &[&Part], is_cue: bool) -> Paragraph {
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    let (mut breaks, mut joints) = (Vec::new(), Vec::new());
    for pair in parts.windows(2) {
        let (before, after) = (pair[0], pair[1]);
        // The text of a line that goes on begins at its content, whatever looks like a label in it.
        let start = after.range.end - after.content.len();
        let soft_hyphen = before.content.ends_with('\u{ad}');
        let hyphen = before.content.strip_suffix('-').is_some_and(|word| word.ends_with(char::is_alphabetic))
            && after.begins_small();
        let unspaced = before.ends_unspaced() && after.content.starts_with(is_unspaced);
        breaks.push(before.range.end - if soft_hyphen { '\u{ad}'.len_utf8() } else { 0 }..start);
        joints.push(if soft_hyphen || hyphen || unspaced { "" } else { " " });
    }
    let second = &breaks[0];
    let line_break = &text[lines[0].range.end..lines[0].next];
    let flowed = text[..lines[0].range.end].ends_with(' ');
    let marks = &text[lines[1].range.start..second.end];
    // A cue's last line may end before a tag.
    let end = if is_cue {
        lines[lines.len() - 1].cells.last().map_or(last.range.end, |cell| cell.range.end)
    } else {
        last.range.end
    };
    Paragraph {
        range: first.range.start..end,
        prefix: format!("{}{line_break}{marks}", if flowed { " " } else { "" }),
        column: first.column,
        width: parts.iter().map(|part| part.end).max().unwrap_or(0),
        is_cue,
        breaks,
        joints,
    }
}
