//! Digits of all scripts.

/// The zeros of the scripts that have digits of their own; the other nine follow each.
const ZEROS: [char; 18] = ['0', '٠', '۰', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '๐', '໐', '༠', '၀', '០', '０'];

/// What stands between the whole part and the fraction, and between groups, where the digits are Arabic.
const ARABIC_DECIMAL: char = '٫';
const ARABIC_GROUP: char = '٬';

/// The value of a digit, and the zero of its script.
fn read(c: char) -> Option<(u32, char)> {
    if c.is_ascii() {
        return c.to_digit(10).map(|value| (value, '0'));
    }
    ZEROS
        .iter()
        .find_map(|&zero| (c as u32).checked_sub(zero as u32).filter(|&value| value < 10).map(|value| (value, zero)))
}

/// Whether a character is a digit of any script.
pub(super) fn is_digit(c: char) -> bool {
    read(c).is_some()
}

/// Whether a character may stand between digits of a number.
pub(super) fn is_separator(c: char) -> bool {
    matches!(c, '.' | ',' | ARABIC_DECIMAL | ARABIC_GROUP)
}

/// The digits of a text, in ASCII.
pub(super) fn ascii_digits(text: &str) -> String {
    text.chars().filter_map(read).filter_map(|(value, _)| char::from_digit(value, 10)).collect()
}

/// A number in ASCII digits, with these signs between its groups.
pub(super) fn in_ascii(number: &str, (decimal, group): (char, char)) -> String {
    let plain = |c: char| match (c, read(c)) {
        (_, Some((value, _))) => char::from_digit(value, 10).unwrap_or(c),
        (ARABIC_DECIMAL, _) => decimal,
        (ARABIC_GROUP, _) => group,
        _ => c,
    };
    number.chars().map(plain).collect()
}

/// The signs between the groups of a number in ASCII digits in a language whose numbers have these.
pub(super) fn ascii_separators((decimal, group): (char, char)) -> (char, char) {
    if decimal == ARABIC_DECIMAL { ('.', ',') } else { (decimal, group) }
}

/// A number in ASCII digits, with these signs between its groups, written in the digits of the first number in `like`.
pub(super) fn in_digits_of(like: &str, number: &str, (decimal, group): (char, char)) -> String {
    let Some((_, zero)) = like.chars().find_map(read).filter(|(_, zero)| *zero != '0') else {
        return number.to_owned();
    };
    let is_arabic = matches!(zero, '٠' | '۰');
    let dressed = |c: char| match c.to_digit(10) {
        Some(value) => char::from_u32(zero as u32 + value).unwrap_or(c),
        None if is_arabic && c == decimal => ARABIC_DECIMAL,
        None if is_arabic && c == group => ARABIC_GROUP,
        None => c,
    };
    number.chars().map(dressed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_all_scripts_are_read_and_written() {
        for (text, plain) in [
            ("١٬٢٩٩٫٩٩", "1,299.99"),
            ("۱۲۳", "123"),
            ("१२,३४५.५", "12,345.5"),
            ("３５", "35"),
            ("๕๐", "50"),
            ("7", "7"),
        ] {
            assert_eq!(in_ascii(text, ('.', ',')), plain);
            assert_eq!(in_digits_of(text, plain, ('.', ',')), text);
            assert!(text.chars().all(|c| is_digit(c) || is_separator(c)));
            assert_eq!(ascii_digits(text), plain.replace(['.', ','], ""));
        }
        for zero in ZEROS {
            assert!(
                zero.is_numeric() && is_digit(zero) && !char::from_u32(zero as u32 - 1).is_some_and(is_digit),
                "{zero}"
            );
        }
        assert!(['½', '五', 'x', '²'].iter().all(|&c| !is_digit(c)));
    }
}
