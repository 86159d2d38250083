//! What must come through a translation unharmed: addresses, placeholders, code, emoji, names with letters that the vocabulary lacks.
//!
//! Small models mostly copy such text right, but not always: a letter of a URL is lost, `%d` is left out, `{name}` is translated. So the
//! engine does not trust them with it: [`find`] marks such spans in the source, and [`place`] makes sure that each is in the
//! translation exactly. A sentence of nothing else ([`is_all`]) never goes to the model.
//!
//! What is marked is what no translator would touch. Where the same signs are ordinary text they are left alone: "and/or", "50% discount",
//! "e.g.", "file(s)", "U.S.", "$5", "#1", prices, dates, plain numbers (those are localized: "1,234.5" becomes "1.234,5").
//!
//! Time is linear in the text: every look ahead is bounded or covers what is then passed.

mod keys;
pub mod place;

use crate::text::address;
use crate::text::language::{Language, is_latin_letter};
use crate::text::segment::is_picture;
use std::ops::Range;

/// Most bytes between a pair of backticks.
const MAX_CODE: usize = 256;

/// Most bytes of an SQL statement.
const MAX_STATEMENT: usize = 1000;

/// How SQL statements begin, and words of which each contains one.
const STATEMENTS: [(&str, &[&str]); 7] = [
    ("SELECT ", &["FROM"]),
    ("INSERT ", &["INTO"]),
    ("UPDATE ", &["SET"]),
    ("DELETE ", &["FROM"]),
    ("CREATE ", &["TABLE", "INDEX", "VIEW", "DATABASE"]),
    ("ALTER ", &["TABLE", "DATABASE"]),
    ("DROP ", &["TABLE", "INDEX", "VIEW", "DATABASE"]),
];

/// Most bytes within the braces or brackets of a placeholder or tag.
const MAX_PLACEHOLDER: usize = 100;

/// The spans of a text that must come through unharmed: byte ranges, ascending, neither overlapping nor empty. They include words with
/// letters that the language does not have, where its letters are known: names.
pub fn find(text: &str, language: Language) -> Vec<Range<usize>> {
    let mut finder = Finder {
        text,
        bytes: text.as_bytes(),
        language,
        foreign_word: None,
        foreign_before: None,
        spans: Vec::new(),
        chunk_end: 0,
        last_sign: 0,
        no_path: 0,
        no_data: 0,
    };
    let mut at = 0;
    while at < text.len() {
        at = match finder.span_at(at) {
            Some(span) => {
                let end = span.end;
                finder.push(span);
                end
            }
            None => at + finder.char_at(at).map_or(1, char::len_utf8),
        };
    }
    finder.spans
}

/// The parts of spans in a range of the text, relative to that range.
pub fn within(spans: &[Range<usize>], range: Range<usize>) -> Vec<Range<usize>> {
    let first = spans.partition_point(|span| span.end <= range.start);
    let inside = spans[first..].iter().take_while(|span| span.start < range.end);
    inside.map(|span| span.start.max(range.start) - range.start..span.end.min(range.end) - range.start).collect()
}

/// Whether a text has spans, and no letter outside them.
pub fn is_all(text: &str, spans: &[Range<usize>]) -> bool {
    let starts = spans.iter().map(|span| span.end);
    let ends = spans.iter().map(|span| span.start).chain([text.len()]);
    !spans.is_empty()
        && [0].into_iter().chain(starts).zip(ends).all(|(from, to)| !text[from..to].contains(char::is_alphabetic))
}

/// Whether a span is words, of which a model that reads them makes too many: between signs, "@@count@@", "name(at)example.org", or in a file's name,
/// "My Report.docx".
pub fn reads_like_words(span: &str) -> bool {
    let is_file = span.contains(' ')
        && !span.contains('`')
        && span.rsplit_once('.').is_some_and(|(_, ending)| is_document(ending));
    is_file || ["@@", "##", "(at)", "[at]"].iter().any(|sign| span.contains(sign))
}

pub(super) fn without_genitive(word: &str) -> &str {
    let word = word.trim_end_matches(['\'', '’']);
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// Marks that belong to the letter before.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}' | '\u{93a}'..='\u{94d}')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '‟' | '«' | '»' | '‹' | '›' | '‘' | '‚' | '`')
}

/// Endings of file names, and of host names that equal no English or German word.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "ai", "apk", "app", "au", "avi", "bat", "biz", "br", "bz2", "c", "ca", "cc", "cfg", "ch", "class", "cmd", "cn", "co", "com", "conf", "cpp", "cs", "css", "csv", "cz", "de", "deb", "dev", "dk", "dll", "dmg", "doc", "docx", "edu", "env", "epub", "eu", "example", "exe", "fi", "flac", "fr", "gif", "gov", "gz", "h", "hpp", "htm", "html", "hu", "ics", "ie", "img", "info", "ini", "io", "ipynb", "iso", "jar", "java", "jp", "jpeg", "jpg", "js", "json", "jsx", "kr", "kt", "lock", "log", "lua", "md", "mjs", "mkv", "mov", "mp3", "mp4", "mx", "net", "nl", "nz", "odt", "ogg", "org", "otf", "pdf", "php", "pl", "png", "ppt", "pptx", "ps1", "pt", "py", "rb", "rpm", "rs", "rst", "rtf", "ru", "scss", "sh", "sql", "svg", "swift", "tar", "tex", "tgz", "toml", "ts", "tsv", "tsx", "ttf", "tv", "tw", "txt", "ua", "uk", "vue", "wasm", "wav", "webm", "webp", "woff", "woff2", "xls", "xlsx", "xml", "xz", "yaml", "yml", "za", "zip",
];

/// Endings of files that people name in words.
const DOCUMENTS: [&str; 23] = [
    "csv", "doc", "docx", "epub", "gif", "htm", "html", "jpeg", "jpg", "mov", "mp3", "mp4", "odt", "pdf", "png", "ppt",
    "pptx", "rtf", "txt", "wav", "xls", "xlsx", "zip",
];

fn is_document(ending: &str) -> bool {
    DOCUMENTS.contains(&ending.to_ascii_lowercase().as_str())
}

/// Faces made of characters.
#[rustfmt::skip]
const EMOTICONS: &[&str] = &[
    ":)", ":-)", ":(", ":-(", ";)", ";-)", ":D", ":-D", ":P", ":-P", ":p", ":-p", ":o", ":O", ":/", ":-/", ":|", ":-|", ":'(", "<3", "</3", "^^",
    "^_^", "-_-", "xD", "XD", "=)", "=(", "=D", "8)", "8-)", ":*", ":-*", "\\o/", "o_O", "O_o", ":3", "¯\\_(ツ)_/¯",
];

/// Operators of programs, between spaces: of "&&" a model makes "&".
const OPERATORS: [&str; 7] = ["&&", "||", "==", "===", "!=", "!==", "=>"];

/// Most parts of a name with dots.
const MAX_PARTS: usize = 16;

/// What regular expressions have and prose does not; after one that ends in a letter, no other letter follows.
const REGULAR_EXPRESSIONS: [&str; 14] =
    ["]+", "]*", "]{", "[^", ")+", ")*", "(?", ".*", ".+", "\\d", "\\w", "\\s", "\\b", "\\."];

/// Longest key or suffix of a version.
const MAX_KEY: usize = 64;

/// Most letters of a word; German compounds have up to eighty.
const MAX_WORD: usize = 80;

struct Finder<'a> {
    text: &'a str,
    bytes: &'a [u8],
    language: Language,
    /// Where the last foreign word starts.
    foreign_word: Option<usize>,
    /// Where the last span of foreign words ends.
    foreign_before: Option<usize>,
    spans: Vec<Range<usize>>,
    /// End of the run of characters without white space that is being looked at.
    chunk_end: usize,
    /// Where the last sign of an address or a path in it stands (`@`, `/`, `\`, `www.`); 0 if there is none.
    last_sign: usize,
    /// Up to there, nothing is a path.
    no_path: usize,
    /// Up to there, nothing is encoded data.
    no_data: usize,
}

impl Finder<'_> {
    fn char_at(&self, at: usize) -> Option<char> {
        self.text[at..].chars().next()
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn char_before(&self, at: usize) -> Option<char> {
        self.text[..at].chars().next_back()
    }

    /// Whether what stands before `at` could not go on there as the same word.
    fn starts_word(&self, at: usize) -> bool {
        // Where words are not spaced, those of another script begin anywhere.
        let unspaced = |c: char| !self.language.spaced && self.language.script.has(c) && self.byte(at).is_ascii();
        self.char_before(at).is_none_or(|c| !c.is_alphanumeric() && c != '_' && !is_mark(c) || unspaced(c))
    }

    /// Adjacent emoji are one span, and so are the words of a foreign name.
    fn push(&mut self, span: Range<usize>) {
        let is_emoji = |at: usize| self.emoji(at).is_some();
        let is_foreign = self.foreign_word == Some(span.start);
        let joined = self.spans.last().is_some_and(|last| match &self.text[last.end..span.start] {
            "" => is_emoji(last.start) && is_emoji(span.start),
            " " => is_foreign && self.foreign_before == Some(last.end),
            _ => false,
        });
        if is_foreign {
            self.foreign_before = Some(span.end);
        }
        match self.spans.last_mut() {
            Some(last) if joined => last.end = span.end,
            _ => self.spans.push(span),
        }
    }

    /// The span that starts at `at`, if one does.
    fn span_at(&mut self, at: usize) -> Option<Range<usize>> {
        let first = self.char_at(at)?;
        if first.is_whitespace() {
            return None;
        }
        let after_space = self.char_before(at).is_none_or(char::is_whitespace);
        if at >= self.chunk_end {
            let rest = &self.text[at..];
            let chunk = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
            self.chunk_end = at + chunk.len();
            let sign = chunk.rfind(['@', '/', '\\']).max(chunk.rfind("www."));
            self.last_sign = sign.map_or(0, |sign| at + sign);
        }
        let chunk = &self.text[at..self.chunk_end];
        if after_space && (EMOTICONS.contains(&chunk) || OPERATORS.contains(&chunk)) {
            return Some(at..self.chunk_end);
        }
        let opens = after_space || self.char_before(at).is_some_and(|c| is_quote(c) || c == '(');
        if let Some(end) = self.copied_key(at, opens) {
            return Some(at..end);
        }
        if opens
            && !matches!(first, '$' | '<' | '{')
            && !is_quote(first)
            && let Some(end) = self.regular_expression(at).or_else(|| self.disguised_mail(at))
        {
            return Some(at..end);
        }
        if self.char_before(at).is_some_and(is_quote)
            && let Some(end) = self.quoted_file(at)
        {
            return Some(at..end);
        }
        let end = match first {
            '`' => self.backticks(at),
            '{' => self.braces(at),
            '%' => self.percent(at),
            '$' => self.dollar(at),
            '<' => self.tag(at),
            '&' => self.entity(at),
            '#' => self.doubled(at).or_else(|| self.hashtag(at)).or_else(|| self.emoji(at)),
            '@' => self.doubled(at).or_else(|| self.mention(at)),
            '\\' => self.backslash(at),
            '-' => self.flag(at),
            ':' => self.picture_name(at),
            '[' => self.reference(at),
            'A'..='Z' | 'a'..='z' if after_space => self.statement(at),
            _ => None,
        };
        let end = end.or_else(|| if at <= self.last_sign { self.address(at) } else { None });
        let end = end.or_else(|| self.emoji(at));
        let end = end.or_else(|| if self.starts_word(at) { self.identifier(at) } else { None })?;
        Some(at..end)
    }

    /// A key that is copied and not read, see [`keys`].
    fn copied_key(&mut self, at: usize, opens: bool) -> Option<usize> {
        let starts = self.byte(at).is_ascii_alphanumeric() && self.starts_word(at)
            || opens && matches!(self.byte(at), b':' | b'+' | b'(');
        if !starts {
            return None;
        }
        let (before, text) = self.text.split_at(at);
        let before = &before[before.ceil_char_boundary(before.len().saturating_sub(MAX_KEY))..];
        if let Some(length) = keys::short(text).or_else(|| keys::bank(before, text)) {
            return Some(at + length);
        }
        if at < self.no_data || !(opens || self.char_before(at).is_some_and(|c| matches!(c, '=' | ':' | ',' | '\''))) {
            return None;
        }
        self.no_data = self.chunk_end;
        keys::encoded(self.chunk(at)).map(|length| at + length)
    }

    /// A file's name with spaces in it that fills quotation marks: “My Report 2024.docx”.
    fn quoted_file(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let rest = &rest[..rest.floor_char_boundary(MAX_PLACEHOLDER.min(rest.len()))];
        let name = &rest[..rest.find(is_quote)?];
        let (stem, ending) = name.rsplit_once('.')?;
        let words = stem.split(' ').count();
        let is_name = stem.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '(' | ')'))
            && stem.trim() == stem
            && !stem.contains(". ");
        (is_document(ending) && is_name && (2..=6).contains(&words)).then_some(at + name.len())
    }

    /// `` `code` ``, with as many backticks after it as before it.
    fn backticks(&self, at: usize) -> Option<usize> {
        if self.char_before(at) == Some('`') {
            return None;
        }
        let rest = &self.text[at..];
        let fence = &rest[..rest.len() - rest.trim_start_matches('`').len()];
        let limit = rest.floor_char_boundary(MAX_CODE.min(rest.len()));
        let content = rest.get(fence.len()..limit)?;
        let length = content.find(fence)?;
        let content = &content[..length];
        let padded = fence.len() == 1 && content.trim() != content;
        let is_code = fence.len() <= 3 && length > 0 && !content.contains('\n') && !padded;
        is_code.then_some(at + fence.len() * 2 + length)
    }

    /// `{name}`, `{0:.2f}`, `{}`, `{{ name }}`, `{% tag %}`.
    fn braces(&self, at: usize) -> Option<usize> {
        if self.byte(at.wrapping_sub(1)) == b'{' {
            return None;
        }
        let rest = &self.text[at..];
        let opening = rest.len() - rest.trim_start_matches('{').len();
        let limit = rest.floor_char_boundary((opening + MAX_PLACEHOLDER).min(rest.len()));
        let content = rest.get(opening..limit)?;
        let closing = "}".repeat(opening.min(3));
        let content = &content[..content.find(&closing)?];
        let trimmed = content.trim();
        let is_name = trimmed.bytes().all(|b| is_word(b) || matches!(b, b'.' | b'-' | b':' | b'$' | b'@'));
        let fits = match opening {
            1 => {
                !content.contains('{') && (!content.contains(char::is_whitespace) || is_name && !trimmed.is_empty())
                    || trimmed.len() > 1 && trimmed.starts_with('%') && trimmed.ends_with('%')
            }
            2 | 3 => !content.contains(['{', '\n']),
            _ => false,
        };
        fits.then_some(at + opening * 2 + content.len())
    }

    /// The run of characters without white space that begins here, without what may end a sentence.
    fn chunk(&self, at: usize) -> &str {
        let ends = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!') || is_quote(c);
        self.text[at..self.chunk_end].trim_end_matches(ends)
    }

    /// Whether a run of characters is a clause, as where words are not spaced.
    fn is_clause(&self, chunk: &str) -> bool {
        !self.language.spaced && chunk.contains(|c| self.language.script.has(c))
    }

    /// A regular expression: `^[a-z]+\d{3}$`. Two signs that prose does not have, in one run of characters.
    fn regular_expression(&self, at: usize) -> Option<usize> {
        let chunk = self.chunk(at);
        if chunk.len() > MAX_CODE || !chunk.contains(['[', '\\', '(', '^']) || self.is_clause(chunk) {
            return None;
        }
        let has = |sign: &&&str| {
            let is_sign = |(at, sign): (usize, &str)| {
                let rest = &chunk[at + sign.len()..];
                match sign {
                    // A footnote: "[^1]".
                    "[^" => !rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(']'),
                    _ => !sign.ends_with(char::is_alphabetic) || !rest.starts_with(char::is_alphabetic),
                }
            };
            chunk.match_indices(**sign).any(is_sign)
        };
        let signs = REGULAR_EXPRESSIONS.iter().filter(has).count();
        let anchors = usize::from(chunk.starts_with('^')) + usize::from(chunk.ends_with('$'));
        (signs > 0 && signs + anchors >= 2).then_some(at + chunk.len())
    }

    /// A mail address that robots must not find: `name(at)example.org`, `name[at]example[dot]org`.
    fn disguised_mail(&self, at: usize) -> Option<usize> {
        let chunk = self.chunk(at).trim_end_matches(['?', ')', '.', ',']);
        let signs = [("(at)", "@"), ("[at]", "@"), ("(dot)", "."), ("[dot]", "."), ("(punkt)", "."), ("[punkt]", ".")];
        if chunk.len() > MAX_PLACEHOLDER
            || self.is_clause(chunk)
            || !signs[..2].iter().any(|(sign, _)| chunk.contains(sign))
        {
            return None;
        }
        let plain = signs.iter().fold(chunk.to_owned(), |plain, (sign, meant)| plain.replace(sign, meant));
        let is_mail = mail(&plain) == Some(plain.len());
        is_mail.then_some(at + chunk.len())
    }

    /// `@@name@@`, `##name##`. "##Introduction##" is a heading.
    fn doubled(&self, at: usize) -> Option<usize> {
        let sign = self.text.get(at..at + 2).filter(|sign| matches!(*sign, "@@" | "##"))?;
        let name =
            self.bytes[at + 2..].iter().take(MAX_KEY).take_while(|b| is_word(**b) || matches!(b, b'-' | b'.')).count();
        let end = at + 2 + name;
        let mut first = self.text[at + 2..end].chars();
        let is_title = first.next().is_some_and(char::is_uppercase) && first.next().is_some_and(char::is_lowercase);
        let alone = self.char_before(at) != Some('#') && !is_title || sign == "@@";
        (name > 0 && alone && self.text[end..].starts_with(sign)).then_some(end + 2)
    }

    /// A placeholder with the `%%` that follow.
    fn percent(&self, at: usize) -> Option<usize> {
        let end = self.conversion(at)?;
        let rest = &self.text[end..];
        Some(end + (rest.len() - rest.trim_start_matches("%%").len()))
    }

    /// `%s`, `%-5.2f`, `%1$d`, `%(name)s`, `%{name}`, `%NAME%`, `%1`, `%%`.
    fn conversion(&self, at: usize) -> Option<usize> {
        let after_span = self.spans.last().is_some_and(|span| span.end == at);
        let after_digit = self.byte(at.wrapping_sub(1)).is_ascii_digit();
        if self.byte(at + 1) == b'%' {
            return Some(at + 2);
        }
        // "50%": a number.
        if !after_span && (after_digit || self.byte(at.wrapping_sub(1)) == b'%') {
            return None;
        }
        let run = |from: usize, fits: fn(u8) -> bool| {
            from + self.bytes[from.min(self.bytes.len())..]
                .iter()
                .take(MAX_PLACEHOLDER)
                .take_while(|b| fits(**b))
                .count()
        };
        if self.byte(at + 1) == b'{' {
            return self.braces(at + 1);
        }
        let mut end = at + 1;
        let named = self.byte(end) == b'(';
        if named {
            let close = run(end + 1, |b| is_word(b) || matches!(b, b'.' | b'-'));
            if close == end + 1 || self.byte(close) != b')' {
                return None;
            }
            end = close + 1;
        }
        let letters = run(end, is_word);
        let closes = self.byte(letters) == b'%' && self.byte(letters + 1) != b'%' && !is_word(self.byte(letters + 1));
        if letters > end + 1 && closes && !self.byte(end).is_ascii_digit() {
            return Some(letters + 1);
        }
        let number = run(end, |b| b.is_ascii_digit());
        if number > end && self.byte(number) == b'$' {
            end = number + 1;
        } else if number > end && number - end <= 2 && !is_word(self.byte(number)) && self.byte(number) != b'.' {
            return Some(number);
        }
        end = run(end, |b| matches!(b, b'-' | b'+' | b'0' | b'#' | b'\''));
        end = run(end, |b| b.is_ascii_digit() || b == b'*');
        if self.byte(end) == b'.' && (self.byte(end + 1).is_ascii_digit() || self.byte(end + 1) == b'*') {
            end = run(end + 1, |b| b.is_ascii_digit() || b == b'*');
        }
        let conversion = run(end, |b| matches!(b, b'h' | b'l' | b'L' | b'q' | b'j' | b'z' | b't'));
        let is_conversion = |b: u8| b"sdiufFeEgGxXoScpn@".contains(&b);
        let is_date = |b: u8| b"YmdHMSyBbAaIpjZz".contains(&b);
        if is_conversion(self.byte(conversion)) || conversion == at + 1 && is_date(self.byte(conversion)) {
            return Some(run(conversion + 1, is_word));
        }
        // `%z` and the like have no conversion after them.
        (conversion > end && !is_word(self.byte(conversion))).then_some(conversion)
    }

    /// `$name`, `${name}`, `$HOME/bin`, but not "$5" and "US$".
    fn dollar(&self, at: usize) -> Option<usize> {
        if !self.starts_word(at) {
            return None;
        }
        if let Some(end) = self.formula(at) {
            return Some(end);
        }
        match self.byte(at + 1) {
            b'{' => self.braces(at + 1),
            // $(command)
            b'(' => self.call_end_spaced(at + 1),
            b if b.is_ascii_alphabetic() || b == b'_' => {
                let end = at + 1 + self.bytes[at + 1..].iter().take_while(|b| is_word(**b)).count();
                let is_path = self.byte(end) == b'/' && is_word(self.byte(end + 1));
                Some(if is_path { self.address_end(at) } else { end })
            }
            _ => None,
        }
    }

    /// `$x^2$`, `$$…$$`: TeX between dollar signs. "$5 and $6" is not a formula.
    fn formula(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let sign = if rest.starts_with("$$") { "$$" } else { "$" };
        let inner = &rest[sign.len()..];
        let inner = &inner[..inner.floor_char_boundary(MAX_PLACEHOLDER.min(inner.len()))];
        let content = &inner[..inner.find(sign)?];
        let tight = !content.is_empty() && content.trim() == content;
        let letter = content.chars().count() == 1 && content.chars().all(char::is_alphabetic);
        let ends = !self.text[at + sign.len() * 2 + content.len()..].starts_with(char::is_alphanumeric);
        let is_formula = tight && ends && (letter || content.contains(['\\', '^', '_', '=', '{', '+']));
        is_formula.then_some(at + sign.len() * 2 + content.len())
    }

    /// The end of brackets with anything in them.
    fn call_end_spaced(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let rest = &rest[..rest.floor_char_boundary(MAX_PLACEHOLDER.min(rest.len()))];
        let mut depth = 0;
        let close = rest.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        });
        close.filter(|(length, _)| *length > 1).map(|(length, _)| at + length + 1)
    }

    /// `:name:`, as pictures are written in chats.
    fn picture_name(&self, at: usize) -> Option<usize> {
        let before = self.char_before(at);
        let name = self.bytes[at + 1..]
            .iter()
            .take(MAX_KEY)
            .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'+' | b'-'))
            .count();
        let end = at + name + 2;
        let apart = before.is_none_or(|c| c.is_whitespace() || c == ':' || c == '(');
        let ends = !self.char_at_or_none(end).is_some_and(char::is_alphanumeric);
        (apart && name >= 2 && self.byte(at + 1).is_ascii_lowercase() && self.byte(end - 1) == b':' && ends)
            .then_some(end)
    }

    fn char_at_or_none(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    /// `<b>`, `</a>`, `<br/>`, `<a href="…">`, `<%= name %>`, `<?php ?>`.
    fn tag(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at + 1..];
        let rest = &rest[..rest.floor_char_boundary(MAX_PLACEHOLDER.min(rest.len()))];
        // The time of a word in subtitles: `<00:06.000>`.
        let time = rest.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b':' | b'.')).count();
        if rest[..time].contains(':') && rest[time..].starts_with('>') {
            return Some(at + time + 2);
        }
        if let Some(sign) = rest.chars().next().filter(|c| matches!(c, '%' | '?')) {
            return rest[1..].find(&format!("{sign}>")).map(|length| at + 2 + length + 2);
        }
        let content = &rest[..rest.find(['>', '<', '\n']).filter(|&end| rest.as_bytes()[end] == b'>')?];
        let name = content.strip_prefix('/').unwrap_or(content);
        let length = name.bytes().take_while(|b| is_word(*b) || matches!(b, b'-' | b'.')).count();
        let attributes = name[length..].strip_suffix('/').unwrap_or(&name[length..]);
        // Numbers are tags of components: "Read <1>the manual</1>."
        let numbered = matches!(length, 1..=3) && name[..length].bytes().all(|b| b.is_ascii_digit());
        let fits = (numbered || name.starts_with(|c: char| c.is_ascii_alphabetic()))
            && (attributes.trim().is_empty()
                || attributes.starts_with(char::is_whitespace) && attributes.contains('='));
        fits.then_some(at + content.len() + 2)
    }

    /// An SQL statement, up to its semicolon or the line's end: `SELECT name FROM users;`. Its words in capitals tell it from a sentence, or the
    /// semicolon and a sign of programs; within a sentence it goes up to the name of its table.
    fn statement(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let starts = |(verb, _): &&(&str, &[&str])| {
            rest.get(..verb.len()).is_some_and(|start| start == *verb || start == verb.to_ascii_lowercase())
        };
        let (verb, clauses) = STATEMENTS.iter().find(starts)?;
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let line = &line[..line.floor_char_boundary(MAX_STATEMENT.min(line.len()))];
        let is_upper = line.starts_with(verb);
        let length = line.find(';').map_or(line.len(), |end| end + 1);
        let is_clause = |word: &str| {
            clauses.iter().any(|clause| *clause == word || !is_upper && clause.to_ascii_lowercase() == word)
        };
        let mut words = line[..length].split_inclusive(' ').scan(0, |end, word| {
            *end += word.len();
            Some((*end, word.trim_end()))
        });
        let (end, clause) = words.by_ref().skip(1).find(|(_, word)| is_clause(word))?;
        let start = line[..end].trim_end().len() - clause.len();
        let has_sign = line[..length].contains(['=', '*', '(']);
        if !is_upper {
            return (has_sign && line[..length].ends_with(';')).then_some(at + length);
        }
        if length < line.len() || line.ends_with(';') || has_sign {
            return Some(at + length);
        }
        // Names in lower case, with commas between them.
        let (end, _) = words.next()?;
        let names = line[..start].strip_prefix("SELECT ")?;
        let is_name =
            |name: &str| !name.is_empty() && name.bytes().all(|b| is_word(b) && !b.is_ascii_uppercase() || b == b'.');
        let are_names = names.split(',').all(|name| is_name(name.trim()));
        are_names.then(|| at + line[..end].trim_end_matches([' ', '.', ',']).len())
    }

    /// `[^note]`, `[[page]]`: a footnote with a name, and the link of a wiki, whose words are an address.
    fn reference(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let rest = &rest[..rest.floor_char_boundary(MAX_PLACEHOLDER.min(rest.len()))];
        if let Some(note) = rest.strip_prefix("[^") {
            let end = note.find(']')?;
            let is_name = note.starts_with(|c: char| c.is_ascii_alphabetic())
                && note[..end].bytes().all(|b| is_word(b) || b == b'-');
            return is_name.then_some(at + end + 3);
        }
        let page = rest.strip_prefix("[[")?;
        let end = page.find(['[', ']', '|', '\n']).filter(|&end| end > 0 && page[end..].starts_with("]]"))?;
        Some(at + end + 4)
    }

    /// `&nbsp;`, `&#8211;`.
    fn entity(&self, at: usize) -> Option<usize> {
        let name =
            self.bytes[at + 1..].iter().take(10).take_while(|b| b.is_ascii_alphanumeric() || **b == b'#').count();
        (name >= 2 && self.byte(at + 1 + name) == b';').then_some(at + name + 2)
    }

    /// `#word`, `#ff8800`, but not "#1" and "C#".
    fn hashtag(&self, at: usize) -> Option<usize> {
        let tag = &self.text[at + 1..];
        if !self.starts_word(at) || matches!(self.char_before(at), Some('#' | '&')) {
            return None;
        }
        let length = tag.find(|c: char| !c.is_alphanumeric() && c != '_' && !is_mark(c)).unwrap_or(tag.len());
        let has_letter = tag[..length].contains(char::is_alphabetic);
        let number =
            tag[length..].strip_prefix('-').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
        has_letter.then_some(at + 1 + length + if number > 0 { number + 1 } else { 0 })
    }

    /// `@name`, `@scope/package`.
    fn mention(&self, at: usize) -> Option<usize> {
        let name = &self.text[at + 1..];
        if !self.starts_word(at) || !name.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
        let name = name[..name.find(|c: char| !in_name(c)).unwrap_or(name.len())].trim_end_matches(['.', '/', '-']);
        Some(at + 1 + name.len())
    }

    /// `\n`, `\"`, `\alpha`; paths are [`address`](Self::address)es.
    fn backslash(&self, at: usize) -> Option<usize> {
        if self.byte(at + 1) == b'\\'
            && is_word(self.byte(at + 2))
            && self.char_before(at).is_none_or(char::is_whitespace)
        {
            return Some(self.address_end(at));
        }
        // \(…\) and \[…\]
        let closing = match self.byte(at + 1) {
            b'(' => "\\)",
            b'[' => "\\]",
            _ => "",
        };
        if !closing.is_empty() {
            let rest = &self.text[at + 2..];
            let rest = &rest[..rest.floor_char_boundary(MAX_PLACEHOLDER.min(rest.len()))];
            return rest.find(closing).map(|length| at + 2 + length + 2);
        }
        let letters = self.bytes[at + 1..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let after_escape = self.bytes.get(at + 2).is_none_or(|b| !b.is_ascii_lowercase());
        match self.byte(at + 1) {
            b'n' | b't' | b'r' if after_escape => Some(at + 2),
            b'"' | b'\'' | b'\\' => Some(at + 2),
            _ if letters > 0 => Some(at + 1 + letters),
            _ => None,
        }
    }

    /// `--flag`, `--flag=value`, `-x`.
    fn flag(&self, at: usize) -> Option<usize> {
        let before = self.char_before(at);
        if !before.is_none_or(|c| c.is_whitespace() || is_quote(c) || matches!(c, '(' | '[' | '/' | '|' | '\'')) {
            return None;
        }
        if self.byte(at + 1) != b'-' {
            let single = self.byte(at + 1).is_ascii_alphabetic() && !is_word(self.byte(at + 2));
            let ends = self.char_at(at + 2 - usize::from(!single)).is_none_or(|c| !c.is_alphanumeric() && c != '-');
            return (single && ends).then_some(at + 2);
        }
        if !self.byte(at + 2).is_ascii_alphabetic() {
            return None;
        }
        let end = at + 2 + self.bytes[at + 2..].iter().take_while(|b| is_word(**b) || **b == b'-').count();
        let has_value = self.byte(end) == b'=' && self.char_at(end + 1).is_some_and(|c| !c.is_whitespace());
        Some(if has_value { self.address_end(end + 1).max(end + 1) } else { end })
    }

    /// The end of an address or path that starts at `at`: white space, quotes, angle brackets and closing brackets that it did not open end it; so
    /// do the signs that end sentences, where nothing of it follows.
    fn address_end(&self, at: usize) -> usize {
        let mut depth = [0usize; 3];
        let chunk = &self.text[at..];
        let stop = chunk.char_indices().find(|&(length, c)| {
            let (bracket, opens) = match c {
                '(' => (0, true),
                ')' => (0, false),
                '[' => (1, true),
                ']' => (1, false),
                '{' => (2, true),
                '}' => (2, false),
                _ if c.is_whitespace() || is_quote(c) || matches!(c, '<' | '>' | '|') => return true,
                _ => return length > 0 && address::ends(&chunk[..length], &chunk[length..], self.language),
            };
            if opens {
                depth[bracket] += 1;
                return false;
            }
            let unopened = depth[bracket] == 0;
            depth[bracket] = depth[bracket].saturating_sub(1);
            unopened
        });
        let content = &chunk[..stop.map_or(chunk.len(), |(length, _)| length)];
        at + content.trim_end_matches(['.', ',', ';', ':', '!', '?', '…', '\'', '’', '(', '[', '*']).len()
    }

    /// Web and mail addresses and paths.
    fn address(&mut self, at: usize) -> Option<usize> {
        if !self.starts_word(at) {
            return None;
        }
        let chunk = &self.text[at..self.chunk_end];
        let scheme =
            chunk.bytes().take(20).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-')).count();
        if scheme >= 2 && chunk[scheme..].starts_with("://") && chunk.len() > scheme + 3 {
            return Some(self.address_end(at)).filter(|end| *end > at + scheme + 3);
        }
        let is_host = chunk.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
        if is_host && chunk[4..].starts_with(char::is_alphanumeric) {
            return Some(self.address_end(at));
        }
        let mailto = if chunk.starts_with("mailto:") { 7 } else { 0 };
        if let Some(end) = self.mail(at + mailto) {
            return Some(end);
        }
        // Paths: from the root or home, on a drive, or with a sign that prose does not have.
        let drive = self.bytes[at].is_ascii_alphabetic()
            && chunk[1..].starts_with([':'])
            && chunk[2..].starts_with(['\\', '/']);
        if drive && chunk.len() > 3 {
            return Some(self.address_end(at));
        }
        let dots = chunk.len() - chunk.trim_start_matches('.').len();
        let rooted = chunk.starts_with('/')
            && chunk[1..].starts_with(|c: char| c.is_alphabetic() || matches!(c, '.' | '_' | '~' | '*'))
            || chunk.starts_with("~/") && chunk.len() > 2
            || (1..=2).contains(&dots) && chunk[dots..].starts_with('/') && chunk.len() > dots + 1
            || dots == 1
                && at < self.last_sign
                && chunk.len() > 2
                && chunk[1..].starts_with(|c: char| c.is_ascii_lowercase());
        let before = self.char_before(at);
        let apart =
            before.is_none_or(|c| c.is_whitespace() || is_quote(c) || matches!(c, '(' | '[' | '=' | ':' | '\'' | ','));
        if rooted && apart {
            return Some(self.address_end(at)).filter(|end| *end > at + 1);
        }
        if !apart || at < self.no_path || !self.bytes[at].is_ascii_alphanumeric() && self.bytes[at] != b'_' {
            return None;
        }
        let end = self.address_end(at);
        let path = &self.text[at..end];
        self.no_path = end;
        let separator = if path.contains('\\') { '\\' } else { '/' };
        let ascii = path.bytes().all(|b| b.is_ascii_graphic());
        let parts: Vec<&str> = path.split(separator).collect();
        let (first, last) = (parts.first()?, parts.last()?);
        let file = last.split('#').next().and_then(|name| name.split('?').next()).unwrap_or(last);
        let host = first.rsplit_once(':').map_or(*first, |(host, _)| host);
        let is_path = ascii
            && parts.len() > 1
            && (has_known_ending(file)
                || is_host_name(host)
                || separator == '/'
                    && last.is_empty()
                    && parts.len() > 2
                    && self.text[end..].starts_with(|c: char| c.is_whitespace() || is_quote(c))
                || parts.iter().any(|part| part.starts_with('.') || part.trim_matches('_').contains('_')));
        is_path.then_some(end)
    }

    /// A mail address.
    fn mail(&self, at: usize) -> Option<usize> {
        mail(self.text.get(at..self.chunk_end)?).map(|length| at + length)
    }

    /// A word with letters that the language does not write its words with: another script, or further Latin letters ("café" and "jalapeño" are
    /// English). Small models have seen too few of them to spell them.
    fn foreign_end(&self, at: usize) -> Option<usize> {
        if self.language.letters.is_empty() {
            return None;
        }
        let rest = &self.text[at..];
        let part_end = |from: usize| {
            rest[from..].find(|c: char| !c.is_alphanumeric() && !is_mark(c)).map_or(rest.len(), |length| from + length)
        };
        let mut end = part_end(0);
        // "O'Łery's"
        for _ in 0..2 {
            let quote = rest[end..].chars().next().filter(|c| matches!(c, '\'' | '’')).map_or(0, char::len_utf8);
            let next = part_end(end + quote);
            if quote > 0 && next > end + quote {
                end = next;
            }
        }
        let word = &rest[..end];
        let is_foreign = |c: char| match c {
            '\0'..='\u{bf}' => false,
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                c.is_alphabetic() && !c.to_lowercase().all(|c| self.language.letters.contains(c))
            }
            // Further forms of Latin letters are for style.
            _ => c.is_alphabetic() && !is_latin_letter(c),
        };
        word.contains(is_foreign).then(|| at + without_genitive(word).len())
    }

    /// Names in programs, of files and hosts, versions, keys: from a letter, digit or underscore on.
    fn identifier(&mut self, at: usize) -> Option<usize> {
        if !self.char_at(at).is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        if let Some(end) = self.foreign_end(at) {
            self.foreign_word = Some(at);
            return Some(end);
        }
        // Identifiers joined by dots or colons.
        let (mut end, mut parts, mut dots, mut colons) = (at, 0, 0, false);
        loop {
            let part = self.text[end..].find(|c: char| !c.is_alphanumeric() && c != '_' && !is_mark(c));
            let part_end = part.map_or(self.text.len(), |length| end + length);
            if part_end == end {
                break;
            }
            end = part_end;
            let goes_on = |skip: usize| self.char_at(end + skip).is_some_and(|c| c.is_alphanumeric() || c == '_');
            if parts == MAX_PARTS {
                break;
            }
            parts += 1;
            if self.byte(end) == b'.' && goes_on(1) {
                (end, dots) = (end + 1, dots + 1);
            } else if self.text[end..].starts_with("::") && goes_on(2) {
                (end, colons) = (end + 2, true);
            } else {
                break;
            }
        }
        let name = &self.text[at..end];
        if name.is_empty() {
            return None;
        }
        if let Some(end) = self.version(at, name, dots).or_else(|| self.key(at)) {
            return Some(end);
        }
        // No word is as long: letters of a genome, noise.
        if self.language.spaced && name.len() > MAX_WORD && name.chars().count() > MAX_WORD {
            return Some(end);
        }
        let inner = |part: &str| part.trim_matches('_').contains('_');
        let dunder = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
        let call = self.call_end(end);
        let is_code = colons || inner(name) || dunder || call.is_some_and(|call| call == end + 2);
        if is_code || dots > 0 && call.is_some() {
            return Some(call.unwrap_or(end));
        }
        if dots == 0 && is_coupon(name) {
            return Some(end);
        }
        let camels = || name.split('.').any(is_camel_case);
        if dots > 0
            && (is_file_name(name)
                || name.split('.').next_back().is_some_and(|part| part.starts_with(char::is_lowercase)) && camels())
        {
            return Some(call.unwrap_or(end));
        }
        let first = name.split('.').next().unwrap_or(name);
        // "arXiv:2101.00001"
        let number = self.text[end..].strip_prefix(':').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let number = number
            .map_or(0, |rest| 1 + rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len());
        let numbered = end + self.text[end..end + number].trim_end_matches('.').len();
        is_camel_case(first).then(|| match dots {
            0 if number > 0 => numbered,
            0 => call.unwrap_or(end),
            _ => at + first.len(),
        })
    }

    /// The end of the brackets of a call after a name: `()`, `(x, "y")`, not "(s)" and "(in words)".
    fn call_end(&self, at: usize) -> Option<usize> {
        if self.byte(at) != b'(' {
            return None;
        }
        let rest = &self.text[at..];
        let rest = &rest[..rest.floor_char_boundary(MAX_PLACEHOLDER.min(rest.len()))];
        let mut depth = 0;
        let close = rest.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        });
        let content = &rest[1..close?.0];
        let spaced = content.replace(", ", ",").contains(char::is_whitespace);
        (content.is_empty() || !spaced && content != "s").then_some(at + content.len() + 2)
    }

    /// `1.2.3`, `v4.0`, `2.0.0-rc.1`, `192.168.0.1:80`, and "2.1" after "version".
    fn version(&self, at: usize, name: &str, dots: usize) -> Option<usize> {
        let number = name.strip_prefix(['v', 'V']).unwrap_or(name);
        let mut parts = number.split('.');
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if dots == 0
            || !parts.next().is_some_and(digits)
            || !parts.clone().all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
        {
            return None;
        }
        let before = self.text[..at].trim_end();
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let named = ["version", "release", "v"].iter().any(|name| word.eq_ignore_ascii_case(name));
        // "1.250.000" is a number, "192.168.100.200" an address.
        let is_address = dots == 3 && number.split('.').all(|part| part.parse::<u8>().is_ok());
        let grouped = parts.all(|part| part.len() == 3) && !number.starts_with('0') && !is_address;
        if number.len() == name.len() && !named && (dots < 2 || grouped) {
            return None;
        }
        let mut end = at + name.len();
        let suffix = &self.text[end..];
        let more = suffix
            .bytes()
            .take(MAX_KEY)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.' | b'~'))
            .count();
        let is_suffix =
            suffix.starts_with(['-', '+', '~']) && suffix[1..].starts_with(|c: char| c.is_ascii_lowercase());
        let port = suffix.strip_prefix(':').map_or(0, |port| port.bytes().take_while(u8::is_ascii_digit).count());
        if is_suffix && dots >= 2 {
            end += suffix[..more].trim_end_matches(['.', '-', '+']).len();
        } else if port > 0 {
            end += 1 + port;
        }
        Some(end)
    }

    /// `0x1F`, `3f9a2c7e`, `ISO-8859-1`, `x7Fq-9910`: letters and digits mixed as no word or measure mixes them.
    fn key(&self, at: usize) -> Option<usize> {
        let rest = &self.bytes[at..];
        let length = rest.iter().take(MAX_KEY).take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
        let key = self.text[at..at + length].trim_end_matches('-');
        // It must not be followed by more of a word.
        if self.text[at + length..].starts_with(|c: char| c.is_alphanumeric() || c == '_') || key.len() < 3 {
            return None;
        }
        let hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
        let count = |fits: fn(&u8) -> bool| key.bytes().filter(fits).count();
        let (digits, lower, hyphens) =
            (count(u8::is_ascii_digit), count(u8::is_ascii_lowercase), key.matches('-').count());
        let upper = key.len() - digits - lower - hyphens;
        let is_number = key.strip_prefix("0x").is_some_and(hex);
        let is_hash = hyphens == 0 && hex(key) && key.len() >= 7 && digits >= 2 && lower >= 1 && upper == 0;
        let is_uuid = hyphens == 4 && key.len() == 36 && key.split('-').all(hex);
        // "24-HOUR SERVICE", "COVID-19-PANDEMIC"
        let has_word =
            key.split('-').skip(1).any(|part| part.len() >= 4 && part.bytes().all(|b| b.is_ascii_uppercase()));
        let is_code = hyphens > 0
            && upper > 0
            && lower == 0
            && digits > 0
            && !has_word
            && key.bytes().any(|b| b.is_ascii_uppercase());
        let changes =
            key.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
        let is_mixed = hyphens == 0 && changes >= 3;
        (is_number || is_hash || is_uuid || is_code || is_mixed).then_some(at + key.len())
    }

    /// An emoji with what belongs to it (Unicode Technical Standard 51, section 1.4.9): variation, skin, keycap, tags, joined ones; a
    /// flag of two letters.
    fn emoji(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let first = rest.chars().next()?;
        if first.is_ascii() {
            let keycap = rest[1..].strip_prefix('\u{fe0f}').unwrap_or(&rest[1..]).strip_prefix('\u{20e3}');
            let is_keycap = first.is_ascii_digit() || matches!(first, '#' | '*');
            return keycap.filter(|_| is_keycap).map(|after| at + rest.len() - after.len());
        }
        let is_base =
            |c: char| is_picture(c) && !matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{20e3}' | '\u{e0020}'..='\u{e007f}');
        let is_flag = |c: char| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
        let styled = matches!(first, '©' | '®' | '™' | '‼' | '⁉' | 'ℹ' | '〰' | '〽' | '㊗' | '㊙')
            && rest[first.len_utf8()..].starts_with('\u{fe0f}');
        if !is_base(first) && !styled {
            return None;
        }
        let mut characters = rest.char_indices().skip(1).peekable();
        if is_flag(first) {
            characters.next_if(|(_, c)| is_flag(*c));
        }
        while let Some((index, c)) = characters.peek().copied() {
            let modifies = matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{20e3}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}');
            let joined = c == '\u{200d}' && rest[index + 3..].chars().next().is_some_and(is_base);
            if !modifies && !joined {
                break;
            }
            characters.next();
            if joined {
                characters.next();
            }
        }
        Some(characters.peek().map_or(self.text.len(), |(index, _)| at + index))
    }
}

/// Length in bytes of the mail address that a text begins with, if it begins with one.
fn mail(text: &str) -> Option<usize> {
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    let name: usize = text.chars().take(64).take_while(|c| in_name(*c)).map(char::len_utf8).sum();
    let host = text[name..].strip_prefix('@').filter(|_| name > 0)?;
    let host = &host[..host.find(|c: char| !c.is_alphanumeric() && c != '.' && c != '-').unwrap_or(host.len())];
    let host = host.trim_end_matches(['.', '-']);
    let (domain, top) = host.rsplit_once('.')?;
    let fits = !domain.is_empty() && top.chars().count() >= 2 && top.chars().all(char::is_alphabetic);
    fits.then_some(name + 1 + host.len())
}

/// Four or more Latin capitals and then two to four digits: `SUMMER25`.
fn is_coupon(name: &str) -> bool {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_capital = |c: char| is_latin_letter(c) && c.is_uppercase();
    (2..=4).contains(&(name.len() - letters.len())) && letters.chars().count() >= 4 && letters.chars().all(is_capital)
}

/// A lower-case letter before a capital, in a word of at least four letters: `camelCase`, `JavaScript`, but not "PhD", "kHz", "TVs".
fn is_camel_case(word: &str) -> bool {
    let mut previous = None;
    let changes = |c: char| {
        let before = previous.replace(c);
        c.is_uppercase() && before.is_some_and(char::is_lowercase)
    };
    word.chars().any(changes) && word.chars().count() >= 4
}

/// A name with a known ending: `main.rs`, `example.com`.
fn is_file_name(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or("", |(stem, _)| stem);
    stem.chars().filter(|c| c.is_alphanumeric()).count() >= 2 && has_known_ending(name)
}

fn has_known_ending(name: &str) -> bool {
    let Some((_, ending)) = name.rsplit_once('.') else { return false };
    let same_case = ending.chars().all(|c| !c.is_uppercase()) || ending.chars().all(|c| !c.is_lowercase());
    same_case && ENDINGS.binary_search(&ending.to_ascii_lowercase().as_str()).is_ok()
}

/// Labels with dots between them, as of a host before a path: all in lower case.
fn is_host_name(name: &str) -> bool {
    let label = |label: &str| {
        label.len() >= 2 && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    name == "localhost"
        || name.contains('.') && name.split('.').all(label) && name.ends_with(|c: char| c.is_ascii_lowercase())
}
