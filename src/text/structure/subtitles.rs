//! Subtitles (SubRip, WebVTT): numbers, names and times of cues stay, what is said is text.

use super::lines::{Form, Line};

/// Finds the lines that are not said, and marks those that are.
pub fn mark(text: &str, lines: &mut [Line]) {
    let is_web = lines.first().is_some_and(|line| {
        let first = line.of(text).trim_start_matches('\u{feff}');
        first == "WEBVTT" || first.starts_with("WEBVTT ") || first.starts_with("WEBVTT\t")
    });
    if is_web {
        mark_block(text, lines, 0);
    }
    for index in 0..lines.len() {
        if is_time_line(lines[index].of(text)) {
            // The number or name of the cue stands above.
            let is_first = |index: usize| index.checked_sub(1).is_none_or(|before| lines[before].is_blank(text));
            if let Some(above) = index.checked_sub(1)
                && is_first(above)
                && !lines[above].is_blank(text)
            {
                lines[above].set(Form::Structured, Vec::new());
            }
            lines[index].set(Form::Structured, Vec::new());
            let said =
                lines[index + 1..].iter_mut().take_while(|line| !line.is_blank(text) && !is_time_line(line.of(text)));
            said.for_each(|line| line.is_cue = true);
        } else if is_web && matches!(lines[index].of(text).split_whitespace().next(), Some("STYLE" | "REGION" | "NOTE"))
        {
            let after_blank = index.checked_sub(1).is_some_and(|before| lines[before].is_blank(text));
            if after_blank && lines[index].form == Form::Unknown {
                mark_block(text, lines, index);
            }
        }
    }
}

/// The lines up to the next blank one have no text.
fn mark_block(text: &str, lines: &mut [Line], first: usize) {
    let block = lines[first..].iter_mut().take_while(|line| !line.is_blank(text));
    block.for_each(|line| line.set(Form::Structured, Vec::new()));
}

/// "00:00:01,600 --> 00:00:04,200", with what WebVTT has after it.
fn is_time_line(line: &str) -> bool {
    let Some((start, rest)) = line.split_once("-->") else { return false };
    let is_time = |time: &str| {
        let time = time.replace(',', ".");
        let (clock, fraction) = time.split_once('.').unwrap_or((&time, "0"));
        let digits = |part: &str| matches!(part.len(), 1..=4) && part.bytes().all(|b| b.is_ascii_digit());
        (2..=3).contains(&clock.split(':').count()) && clock.split(':').all(digits) && digits(fraction)
    };
    is_time(start.trim()) && rest.split_whitespace().next().is_some_and(is_time)
}

#[cfg(test)]
mod tests {
    use super::{is_time_line, mark};
    use crate::text::structure::lines::{Form, split};

    #[test]
    fn times() {
        for line in ["00:00:01,600 --> 00:00:04,200", "01:02.5 --> 01:03.000 align:start", " 0:00:01.6-->0:00:02"] {
            assert!(is_time_line(line), "{line}");
        }
        for line in ["a --> b", "12 --> 13", "00:00:01 --> soon", "-->"] {
            assert!(!is_time_line(line), "{line}");
        }
    }

    #[test]
    fn what_is_said() {
        let text = "WEBVTT - Trees\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nfirst\n00:01.0 --> 00:02.0\nGood morning.\nHow are you?\n\n2\n00:03.0 --> 00:04.0\nFine.";
        let mut lines = split(text);
        mark(text, &mut lines);
        let said: Vec<&str> = lines.iter().filter(|line| line.is_cue).map(|line| line.of(text)).collect();
        assert_eq!(said, ["Good morning.", "How are you?", "Fine."]);
        let open = lines.iter().filter(|line| line.form == Form::Unknown && !line.is_blank(text));
        assert_eq!(open.count(), 3);
    }
}
