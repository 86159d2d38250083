//! ASCII armour (RFC 7468, RFC 9580): keys, certificates and signatures between lines of dashes. They are not text; a signed message is.

use super::lines::{Form, Line};

/// Finds armour that is closed, and the lines around a signed message.
pub fn mark(text: &str, lines: &mut [Line]) {
    let mut index = 0;
    while index < lines.len() {
        let Some((opens, label)) = border(lines[index].of(text)) else {
            index += 1;
            continue;
        };
        if !opens {
            lines[index].set(Form::Structured, Vec::new());
            index += 1;
            continue;
        }
        let mut end = index + 1;
        // The headers of a signed message end with a blank line; other armour ends with its own border.
        let is_signed = label == "PGP SIGNED MESSAGE";
        let is_end = |line: &Line| border(line.of(text)).is_some() || is_signed && line.is_blank(text);
        while end < lines.len() && !is_end(&lines[end]) {
            end += 1;
        }
        let closes = end < lines.len() && (is_signed || border(lines[end].of(text)) == Some((false, label)));
        let last = if closes { end } else { index };
        lines[index..=last].iter_mut().for_each(|line| line.set(Form::Structured, Vec::new()));
        index = if closes { end + 1 } else { end };
    }
}

/// Whether a line opens or closes armour, and of what: `-----BEGIN CERTIFICATE-----`.
fn border(line: &str) -> Option<(bool, &str)> {
    let inside = line.trim_matches([' ', '\t', '>', '\u{feff}']).strip_prefix("-----")?.strip_suffix("-----")?;
    let (verb, label) = inside.split_once(' ')?;
    let is_label = label.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ' || b == b'-');
    (matches!(verb, "BEGIN" | "END") && is_label).then_some((verb == "BEGIN", label))
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::text::structure::lines::{Form, split};

    #[test]
    fn armour_is_no_text() {
        let text = "Here:\n-----BEGIN CERTIFICATE-----\nMIID+g==\n-----END CERTIFICATE-----\nInstall it.\n\
            -----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nCome home.\n-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n\
            -----BEGIN KEY-----\nnever closed\n----- BEGIN -----";
        let mut lines = split(text);
        mark(text, &mut lines);
        let open: Vec<&str> = lines
            .iter()
            .filter(|line| line.form == Form::Unknown && !line.is_blank(text))
            .map(|line| line.of(text))
            .collect();
        assert_eq!(open, ["Here:", "Install it.", "Come home.", "never closed", "----- BEGIN -----"]);
    }
}
