//! Unified diffs: what a program changed, line by line. They are not text.

use super::lines::{Form, Line};

/// How the lines before the first hunk of a file begin.
const HEADERS: [&str; 14] = [
    "diff --",
    "index ",
    "--- ",
    "+++ ",
    "new file mode ",
    "deleted file mode ",
    "old mode ",
    "new mode ",
    "similarity index ",
    "dissimilarity index ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
];

/// Finds hunks, as long as their first line says, and the headers above them.
pub fn mark(text: &str, lines: &mut [Line]) {
    let mut index = 0;
    // Headers above this line belong to what was found before.
    let mut done = 0;
    while index < lines.len() {
        let line = lines[index].of(text);
        if line.starts_with("diff --git ") {
            lines[index].set(Form::Structured, Vec::new());
        }
        let Some((mut old, mut new)) = hunk(line) else {
            index += 1;
            continue;
        };
        let is_header = |line: &Line| HEADERS.iter().any(|header| line.of(text).starts_with(header));
        let above = lines[done..index].iter().rev().take_while(|line| is_header(line)).count();
        let mut end = index + 1;
        while let Some(line) = lines.get(end).map(|line| line.of(text)) {
            let (from_old, from_new) = match line.as_bytes().first() {
                Some(b'-') => (1, 0),
                Some(b'+') => (0, 1),
                // The blank before an unchanged empty line is often lost.
                Some(b' ') | None => (1, 1),
                Some(b'\\') => (0, 0),
                _ => break,
            };
            if old < from_old || new < from_new || (old, new) == (0, 0) && (from_old, from_new) != (0, 0) {
                break;
            }
            (old, new) = (old - from_old, new - from_new);
            end += 1;
        }
        lines[index - above..end].iter_mut().for_each(|line| line.set(Form::Structured, Vec::new()));
        (index, done) = (end, end);
    }
}

/// How many lines of the old and of the new file a hunk has: `@@ -1,4 +1,5 @@`.
fn hunk(line: &str) -> Option<(u32, u32)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let count = |range: &str| {
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        start.parse::<u32>().ok().and(count.parse().ok())
    };
    Some((count(old)?, count(new)?))
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::text::structure::lines::{Form, split};

    #[test]
    fn hunks_are_as_long_as_they_say() {
        let text = "The change:\ndiff --git a/x b/x\nindex 83db48f..bf269f4 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@ fn main\n one\n-two\n+three\n+four\n\n\
            - an item\n@@ -9 +9 @@\n-old\n+new\n\\ No newline at end of file\nThat is all.\n@@ -x +y @@";
        let mut lines = split(text);
        mark(text, &mut lines);
        let open: Vec<&str> =
            lines.iter().filter(|line| line.form == Form::Unknown).map(|line| line.of(text)).collect();
        assert_eq!(open, ["The change:", "- an item", "That is all.", "@@ -x +y @@"]);
    }
}
