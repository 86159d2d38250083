//! HTTP messages: request and status lines, and header fields (RFC 9110). They are not text.

use super::lines::{Form, Line};

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Fields that stand nowhere else.
#[rustfmt::skip]
const FIELDS: &[&str] = &[
    "accept-encoding", "accept-language", "access-control-allow-headers", "access-control-allow-methods", "access-control-allow-origin", "cache-control",
    "content-disposition", "content-encoding", "content-length", "content-security-policy", "content-type", "if-modified-since", "if-none-match",
    "last-modified", "set-cookie", "strict-transport-security", "transfer-encoding", "user-agent", "www-authenticate", "x-forwarded-for", "x-requested-with",
];

/// Fields whose names are words, which count beside others.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "accept", "age", "authorization", "connection", "cookie", "date", "etag", "expires", "host", "location", "origin", "pragma", "referer", "server", "upgrade",
    "vary", "via",
];

/// Finds the lines.
pub fn mark(text: &str, lines: &mut [Line]) {
    let mut index = 0;
    while index < lines.len() {
        let starts = lines[index].form == Form::Unknown && is_start(lines[index].of(text));
        let first = index + usize::from(starts);
        let fields = lines[first..].iter().take_while(|line| field(text, line).is_some()).count();
        let is_certain =
            |line: &Line| field(text, line).is_some_and(|name| FIELDS.contains(&&name[..])) || is_login(line.of(text));
        let is_message = starts || lines[first..first + fields].iter().any(is_certain);
        if starts {
            lines[index].set(Form::Structured, Vec::new());
        }
        if is_message {
            for line in &mut lines[first..first + fields] {
                let is_known = field(text, line).is_some_and(|name| {
                    FIELDS.contains(&&name[..]) || WORDS.contains(&&name[..]) || name.starts_with("x-") || starts
                });
                if is_known {
                    line.set(Form::Structured, Vec::new());
                }
            }
        }
        index = (first + fields).max(index + 1);
    }
}

/// `GET /index.html HTTP/1.1`, `HTTP/1.1 404 Not Found`.
fn is_start(line: &str) -> bool {
    let mut words = line.split(' ');
    let (first, second, third) = (words.next().unwrap_or_default(), words.next().unwrap_or_default(), words.next());
    let is_version =
        |word: &str| word.strip_prefix("HTTP/").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    METHODS.contains(&first) && third.is_some_and(is_version) && words.next().is_none()
        || is_version(first) && second.len() == 3 && second.bytes().all(|b| b.is_ascii_digit())
}

/// The name of a field, in lower case.
fn field(text: &str, line: &Line) -> Option<String> {
    let (name, _) = line.of(text).split_once(": ").filter(|_| line.form == Form::Unknown)?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (is_name && name.len() <= 40).then(|| name.to_ascii_lowercase())
}

fn is_login(line: &str) -> bool {
    ["Authorization: Bearer ", "Authorization: Basic "].iter().any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::text::structure::lines::{Form, split};

    #[test]
    fn messages_are_no_text() {
        let open = |text: &str| {
            let mut lines = split(text);
            mark(text, &mut lines);
            lines.iter().filter(|line| line.form == Form::Unknown).count()
        };
        for text in [
            "GET /index.html HTTP/1.1\nHost: www.example.org\nAccept: */*",
            "HTTP/1.1 404 Not Found\nServer: one\nX-Own-Field: two",
            "Content-Type: text/html; charset=utf-8",
            "Authorization: Bearer abc123def456",
            "Set-Cookie: id=a3fWa; Secure\nVary: Accept",
        ] {
            assert_eq!(open(text), 0, "{text}");
        }
        for text in ["Location: the old house", "Host: Ann Lee", "GET the best", "HTTP/1.1 is old", "Note: this"] {
            assert_eq!(open(text), 1, "{text}");
        }
    }
}
