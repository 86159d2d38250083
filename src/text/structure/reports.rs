//! What programs report: log lines with time and level, stack traces, messages of compilers. They are searched for as they are, so they stay.

use super::lines::{Form, Line};

/// Words in log lines that say how severe they are.
pub(super) const LEVELS: &[&str] =
    &["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "SEVERE", "FATAL", "CRITICAL", "ALERT"];

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How many words after its time may stand before the level of a log line.
const BEFORE_LEVEL: usize = 3;

/// Finds the lines.
pub fn mark(text: &str, lines: &mut [Line]) {
    let mut index = 0;
    while index < lines.len() {
        let line = lines[index].of(text);
        let length = if is_log_line(line) || line.starts_with("thread '") && line.contains("' panicked at ") {
            1
        } else if line.trim() == "Traceback (most recent call last):" {
            traceback(text, &lines[index..])
        } else if is_frame(line) {
            // The line above says what happened.
            if let Some(above) = index.checked_sub(1)
                && is_exception(lines[above].of(text))
            {
                lines[above].set(Form::Structured, Vec::new());
            }
            1
        } else if is_position(line) {
            if let Some(above) = index.checked_sub(1)
                && is_diagnosis(lines[above].of(text))
            {
                lines[above].set(Form::Structured, Vec::new());
            }
            1 + lines[index + 1..].iter().take_while(|line| is_excerpt(line.of(text))).count()
        } else {
            0
        };
        lines[index..index + length].iter_mut().for_each(|line| line.set(Form::Structured, Vec::new()));
        index += length.max(1);
    }
}

/// Whether a text has the shape of another one, in which 0 stands for any digit.
fn has_shape(text: &str, shape: &str) -> bool {
    text.len() >= shape.len()
        && text.bytes().zip(shape.bytes()).all(|(b, form)| if form == b'0' { b.is_ascii_digit() } else { b == form })
}

/// "2024-05-01 12:30:45,123 INFO …", "May  1 12:30:45 host sshd[12]: …", `127.0.0.1 - - [01/May/2024:12:30:45 +0000] "GET …`.
fn is_log_line(line: &str) -> bool {
    let dated = ["0000-00-00 00:00:00", "0000-00-00T00:00:00", "0000/00/00 00:00:00"];
    if dated.iter().any(|shape| has_shape(line, shape)) {
        let words = line.split_whitespace().skip(1).take(BEFORE_LEVEL + 1);
        return words.map(|word| word.trim_matches(['[', ']', ':', '|', '-'])).any(|word| LEVELS.contains(&word));
    }
    if MONTHS.iter().any(|month| line.starts_with(month)) {
        let mut words = line.split_whitespace().skip(1);
        let is_day = words.next().is_some_and(|day| day.len() <= 2 && day.bytes().all(|b| b.is_ascii_digit()));
        let is_time = words.next().is_some_and(|time| has_shape(time, "00:00:00") && time.len() == 8);
        return is_day && is_time && words.nth(1).is_some_and(|program| program.ends_with(':'));
    }
    let Some((who, request)) = line.split_once(" [") else { return false };
    who.split_whitespace().count() == 3
        && request.as_bytes().get(2) == Some(&b'/')
        && request.get(6..).is_some_and(|rest| has_shape(rest, "/0000:00:00:00"))
        && request.contains("] \"")
}

/// How many lines a traceback of Python has: its first one, those that are indented, and what was raised.
fn traceback(text: &str, lines: &[Line]) -> usize {
    let indent = |line: &Line| line.of(text).len() - line.of(text).trim_start().len();
    let base = indent(&lines[0]);
    let inside = lines[1..].iter().take_while(|line| !line.is_blank(text) && indent(line) > base).count();
    let raised = lines.get(1 + inside).is_some_and(|line| is_exception(line.of(text)) || is_name(line.of(text)));
    1 + inside + usize::from(raised)
}

/// "ValueError: no such value", "Caused by: java.io.IOException", "Exception in thread "main" …".
fn is_exception(line: &str) -> bool {
    let line = line.trim();
    let line =
        ["Caused by: ", "Uncaught ", "Suppressed: "].iter().find_map(|start| line.strip_prefix(start)).unwrap_or(line);
    line.starts_with("Exception in thread ") || is_name(line.split_once(": ").map_or(line, |(name, _)| name))
}

/// The name of a kind of exceptions.
fn is_name(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let ends = ["Error", "Exception", "Warning", "Interrupt", "Exit"].iter().any(|end| last.ends_with(end));
    ends && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'$'))
}

/// "    at com.example.Main.run(Main.java:14)", "    at main (/home/a.js:3:5)", "    ... 3 more".
fn is_frame(line: &str) -> bool {
    let content = line.trim();
    if content.len() == line.len() {
        return false;
    }
    if let Some(count) = content.strip_prefix("... ").and_then(|rest| rest.strip_suffix(" more")) {
        return count.bytes().all(|b| b.is_ascii_digit());
    }
    let Some(place) = content.strip_prefix("at ") else { return false };
    let is_numbered = |text: &str| {
        let digits = text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        digits > 0 && text[..text.len() - digits].ends_with(':')
    };
    match place.strip_suffix(')').and_then(|place| place.split_once('(')) {
        Some((name, file)) => {
            let known = matches!(file, "Native Method" | "Unknown Source" | "native" | "<anonymous>");
            name.split_whitespace().count() <= 2 && (known || is_numbered(file) || file.ends_with(".java"))
        }
        None => is_numbered(place) && !place.contains(' '),
    }
}

/// "  --> src/main.rs:4:5", where a compiler shows what it means.
fn is_position(line: &str) -> bool {
    line.trim_start().strip_prefix("--> ").is_some_and(|place| {
        let mut parts = place.rsplit(':');
        let is_number =
            |part: Option<&str>| part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
        is_number(parts.next()) && is_number(parts.next()) && parts.next().is_some() && !place.contains(' ')
    })
}

/// "error[E0425]: …", "warning: …".
fn is_diagnosis(line: &str) -> bool {
    let Some((kind, _)) = line.split_once(": ") else { return false };
    matches!(kind, "error" | "warning") || kind.starts_with("error[") && kind.ends_with(']')
}

/// "  |", "4 |     x + 1", "  = note: …": what a compiler shows below a position.
fn is_excerpt(line: &str) -> bool {
    let content = line.trim_start();
    let behind = content.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    behind == "|" || behind.starts_with("| ") || behind.starts_with("= ") && behind.len() == content.len()
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::text::structure::lines::left_open;

    fn open(text: &str) -> Vec<&str> {
        left_open(text, mark)
    }

    #[test]
    fn reports_stay() {
        for text in [
            "2024-05-01 12:30:45,123 INFO  [main] com.example.App - The server has been started",
            "2024-05-01T12:30:46Z [worker-1] ERROR: Connection lost",
            "May  1 12:30:45 myhost sshd[1234]: Failed password for root",
            "127.0.0.1 - - [01/May/2024:12:30:45 +0000] \"GET /index.html HTTP/1.1\" 200 2326",
            "Traceback (most recent call last):\n  File \"a.py\", line 12, in <module>\n    main()\nValueError: no value here",
            "Exception in thread \"main\" java.lang.Error: the name is missing\n\tat com.example.Main.run(Main.java:14)\n\t... 3 more",
            "TypeError: it is not a function\n    at main (/home/a.js:3:5)\n    at node:internal/main:17:47",
            "error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:4:5\n  |\n4 |     x + 1\n  |     ^ not found",
            "thread 'main' panicked at src/main.rs:4:5:",
        ] {
            assert_eq!(open(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn prose_is_none() {
        for text in [
            "2024-05-01 12:30:45 We met the ERROR of our lives",
            "May 1 12:30 is the time",
            "May I come in: yes",
            "  at the station (in the north)",
            "Error: the file is missing",
            "--> go there: 5",
            "... and more",
            "Traceback is a word.",
        ] {
            assert_eq!(open(text), [text], "{text}");
        }
    }
}
