//! Keys that people copy and do not read: account numbers, network addresses, licences, times of machines, encoded data.
//!
//! Each function gives the length in bytes of the key that a text begins with, if it begins with one. All but [`encoded`] look at a bounded
//! number of characters.

use std::net::Ipv6Addr;

/// Most characters of an account number (ISO 13616).
const MAX_ACCOUNT: usize = 34;

/// Most characters of a network address with its zone and the length of its prefix.
const MAX_NETWORK: usize = 64;

/// How many words may stand between "BIC" and the code of a bank.
const BEFORE_BANK: usize = 4;

/// Digits of telephone numbers with what is dialled before them.
const TELEPHONE: std::ops::RangeInclusive<usize> = 7..=15;

/// Fewest decimals of coordinates; amounts have fewer.
const MIN_DECIMALS: usize = 4;

/// Fewest characters from which letters and digits without an order are data rather than a name.
const MIN_ENCODED: usize = 20;

/// A key of one of the kinds that take little room.
pub(super) fn short(text: &str) -> Option<usize> {
    let found = account(text).or_else(|| registered(text)).or_else(|| network(text)).or_else(|| time(text));
    let found = found.or_else(|| grouped(text)).or_else(|| telephone(text)).or_else(|| coordinates(text));
    found.filter(|&length| ends(text, length))
}

/// The code of a bank (ISO 9362), which only the word before tells from other words in capitals.
pub(super) fn bank(before: &str, text: &str) -> Option<usize> {
    let length = run(text, 12, is_capital_or_digit);
    let mut words = before.rsplit(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(BEFORE_BANK);
    let is_code = matches!(length, 8 | 11) && run(text, 6, |b| b.is_ascii_uppercase()) == 6 && ends(text, length);
    (is_code && words.any(|word| matches!(word, "BIC" | "SWIFT"))).then_some(length)
}

/// Whether no more of a word follows.
fn ends(text: &str, length: usize) -> bool {
    !text[length..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

fn run(text: &str, most: usize, fits: impl Fn(u8) -> bool) -> usize {
    text.bytes().take(most).take_while(|b| fits(*b)).count()
}

fn is_capital_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

/// An international bank account number, in groups of four or in one word: `DE89 3704 0044 0532 0130 00`. Check digits or the groups themselves
/// tell it from other words.
fn account(text: &str) -> Option<usize> {
    let [a, b, c, d, ..] = text.as_bytes() else { return None };
    if !(a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_digit() && d.is_ascii_digit()) {
        return None;
    }
    let (mut end, mut number, mut figures) = (4, text[..4].to_owned(), 0);
    let (mut checked, mut shaped) = (None, None);
    loop {
        let space = text[end..].chars().next().filter(|c| matches!(c, ' ' | '\u{a0}' | '\u{202f}'));
        let start = end + space.map_or(0, char::len_utf8);
        let most = if space.is_some() { 4 } else { MAX_ACCOUNT };
        let length = run(&text[start..], most, is_capital_or_digit);
        let group = &text[start..start + length];
        if group.is_empty() || number.len() + length > MAX_ACCOUNT || !ends(text, start + length) {
            break;
        }
        end = start + length;
        number += group;
        figures += usize::from(space.is_some() && length == 4 && group.bytes().all(|b| b.is_ascii_digit()));
        if number.len() >= 15 {
            if is_checked(&number) {
                checked = Some(end);
            }
            if figures >= 2 && group.contains(|c: char| c.is_ascii_digit()) {
                shaped = Some(end);
            }
        }
        if length < 4 {
            break;
        }
    }
    checked.or(shaped)
}

/// Whether a number's check digits are right (ISO 7064, MOD 97-10).
fn is_checked(number: &str) -> bool {
    let (head, body) = number.split_at(4);
    let digits = body.chars().chain(head.chars()).filter_map(|c| c.to_digit(36));
    digits.fold(0, |rest, value| (rest * if value < 10 { 10 } else { 100 } + value) % 97) == 1
}

/// Two letters of a country and a number: `DE123456789`.
fn registered(text: &str) -> Option<usize> {
    let letters = run(text, 3, |b| b.is_ascii_uppercase());
    let digits = run(&text[letters..], 13, |b| b.is_ascii_digit());
    (letters == 2 && (7..=12).contains(&digits)).then_some(letters + digits)
}

/// Addresses of networks and devices: `2001:db8::1/64`, `fe80::1%eth0`, `10.0.0.0/8`, `00:1B:44:11:3A:B7`.
fn network(text: &str) -> Option<usize> {
    let all = run(text, MAX_NETWORK, |b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.'));
    let address = text[..all].trim_end_matches('.');
    let address = if address.ends_with("::") { address } else { address.trim_end_matches(':') };
    let is_short = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit());
    if address.matches(':').count() >= 5 && address.split(':').all(is_short) {
        return Some(address.len());
    }
    if address.parse::<Ipv6Addr>().is_ok() && address.contains(|c: char| c.is_ascii_hexdigit()) {
        let zone =
            text[address.len()..].strip_prefix('%').map_or(0, |zone| run(zone, 16, |b| b.is_ascii_alphanumeric()));
        let end = address.len() + if zone > 0 { zone + 1 } else { 0 };
        return Some(end + prefix(&text[end..]));
    }
    let pairs = run(text, MAX_NETWORK, |b| b.is_ascii_hexdigit() || b == b'-');
    let pairs = &text[..pairs];
    if pairs.matches('-').count() == 5 && pairs.split('-').all(is_short) {
        return Some(pairs.len());
    }
    let parts = address.split('.').filter(|part| part.parse::<u8>().is_ok()).count();
    let length = prefix(&text[address.len()..]);
    (parts == 4 && address.matches('.').count() == 3 && length > 0).then_some(address.len() + length)
}

/// The length of a network's prefix, with its slash; 0 if there is none.
fn prefix(text: &str) -> usize {
    let digits = text.strip_prefix('/').map_or(0, |text| run(text, 3, |b| b.is_ascii_digit()));
    if digits > 0 { digits + 1 } else { 0 }
}

/// A date and a time in one word (ISO 8601): `2024-05-01T12:30:45.123Z`.
fn time(text: &str) -> Option<usize> {
    let shape = |text: &str, shape: &str| {
        text.len() >= shape.len()
            && text
                .bytes()
                .zip(shape.bytes())
                .all(|(b, form)| if form == b'0' { b.is_ascii_digit() } else { b == form })
    };
    if !shape(text, "0000-00-00T00:00") {
        return None;
    }
    let mut end = 16;
    if shape(&text[end..], ":00") {
        end += 3;
        let digits = text[end..].strip_prefix(['.', ',']).map_or(0, |text| run(text, 9, |b| b.is_ascii_digit()));
        end += if digits > 0 { digits + 1 } else { 0 };
    }
    let zones = ["Z", "+00:00", "-00:00", "+0000", "-0000"];
    Some(end + zones.iter().find(|zone| shape(&text[end..], zone)).map_or(0, |zone| zone.len()))
}

/// Groups of the same length: licences (`ABCD-EFGH-IJKL-MNOP`) and cards (`4111 1111 1111 1111`).
fn grouped(text: &str) -> Option<usize> {
    let first = run(text, 9, is_capital_or_digit);
    let separator = text[first..].chars().next().filter(|c| matches!(c, '-' | ' ' | '\u{a0}'))?;
    let (mut end, mut groups) = (first, 1);
    while let Some(rest) = text[end..].strip_prefix(separator)
        && run(rest, first + 1, is_capital_or_digit) == first
        && groups < 10
    {
        end += separator.len_utf8() + first;
        groups += 1;
    }
    let key = &text[..end];
    let (digits, letters) =
        (key.contains(|c: char| c.is_ascii_digit()), key.contains(|c: char| c.is_ascii_uppercase()));
    let fits = match (separator, digits, letters) {
        // Words in capitals may be of one length too.
        ('-', false, _) => groups >= 4 && (4..=8).contains(&first),
        ('-', true, true) => groups >= 3 && (4..=8).contains(&first),
        (_, true, false) => groups >= 4 && first == 4,
        _ => false,
    };
    fits.then_some(end)
}

/// A telephone number that begins with a country or, in brackets, with an area: `+49 30 1234567`, `(030) 123 45 67`.
fn telephone(text: &str) -> Option<usize> {
    if !(text.starts_with("(0") || text.starts_with('+') && text[1..].starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    let number =
        &text[..run(text, MAX_ACCOUNT, |b| b.is_ascii_digit() || matches!(b, b' ' | b'-' | b'/' | b'(' | b')' | b'+'))];
    let number = number.trim_end_matches(|c: char| !c.is_ascii_digit());
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    let is_balanced = number.matches('(').count() == number.matches(')').count();
    (TELEPHONE.contains(&digits) && is_balanced && !number.contains("  ")).then_some(number.len())
}

/// Degrees of latitude and longitude: `52.520008, 13.404954`.
fn coordinates(text: &str) -> Option<usize> {
    let degrees = |text: &str| {
        let whole = run(text, 4, |b| b.is_ascii_digit());
        let decimals = text[whole..].strip_prefix('.').map_or(0, |rest| run(rest, 16, |b| b.is_ascii_digit()));
        (matches!(whole, 1..=3) && decimals >= MIN_DECIMALS).then_some(whole + 1 + decimals)
    };
    let first = degrees(text)?;
    let rest = text[first..].strip_prefix(',')?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    Some(text.len() - rest.len() + degrees(rest)?)
}

/// Data written with letters and digits (base64), tokens and the addresses that hold data: `data:image/png;base64,iVBORw0KGgo=`.
pub(super) fn encoded(chunk: &str) -> Option<usize> {
    if let Some(rest) = chunk.strip_prefix("data:") {
        let (kind, data) = rest.split_once(',')?;
        let is_kind = kind.len() <= MAX_NETWORK && kind.contains('/') && kind.is_ascii();
        return is_kind.then(|| chunk.len() - data.len() + data.find(['"', '\'', ')', '>', '<']).unwrap_or(data.len()));
    }
    let is_digit_of = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_');
    let length = run(chunk, chunk.len(), is_digit_of);
    let data = chunk[..length].trim_end_matches(['-', '/', '_']);
    let equals = run(&chunk[data.len()..], 3, |b| b == b'=');
    let whole = data.len() + equals;
    // A token of three parts (RFC 7519).
    if data.starts_with("eyJ") && chunk[data.len()..].starts_with('.') {
        let token = run(chunk, chunk.len(), |b| is_digit_of(b) || b == b'.');
        return Some(chunk[..token].trim_end_matches('.').len());
    }
    if !ends(chunk, whole) {
        return None;
    }
    let bytes = data.as_bytes();
    let kind = |b: &u8| (b.is_ascii_digit(), b.is_ascii_uppercase());
    let letters = |pair: &&[u8]| pair.iter().all(u8::is_ascii_alphanumeric);
    let changes = bytes.windows(2).filter(letters).filter(|pair| kind(&pair[0]) != kind(&pair[1])).count();
    let has = |fits: fn(&u8) -> bool| bytes.iter().any(fits);
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let padded = (1..=2).contains(&equals) && whole.is_multiple_of(4) && data.len() >= 6;
    let is_data = mixed
        && (padded && changes >= 2
            || data.len() >= MIN_ENCODED && has(u8::is_ascii_digit) && changes * 3 >= data.len());
    is_data.then_some(if padded { whole } else { data.len() })
}

#[cfg(test)]
mod tests {
    use super::{bank, encoded, short};

    #[test]
    fn keys_end_where_they_end() {
        for (key, behind) in [
            ("DE89 3704 0044 0532 0130 00", " by Friday"),
            ("GB29 NWBK 6016 1331 9268 19", " at the bank"),
            ("FR14 2004 1010 0505 0001 3M02 606", "."),
            ("DE89370400440532013000", ","),
            ("DE12 3456 7890 1234 5678 90", " in 2024"),
            ("DE123456789", "."),
            ("2001:0db8:85a3:0000:0000:8a2e:0370:7334", " is"),
            ("2001:db8::/32", ","),
            ("fe80::1%eth0", " or"),
            ("::1", "."),
            ("10.0.0.0/8", " is private"),
            ("00:1B:44:11:3A:B7", "."),
            ("00-1b-44-11-3a-b7", " is"),
            ("2024-05-01T12:30:45.250+02:00", " and"),
            ("2024-05-01T12:30Z", "."),
            ("ABCD-EFGH-IJKL-MNOP", "."),
            ("4111 1111 1111 1111", " and"),
            ("4111-1111-1111-1111", " and"),
            ("+49 30 1234567", " or"),
            ("(030) 123 45 67", " an."),
            ("+1 (555) 010-9999", ")"),
            ("52.520008, -13.404954", "."),
        ] {
            assert_eq!(short(&format!("{key}{behind}")), Some(key.len()), "{key}");
        }
        for text in [
            "AB12 cd",
            "12:30:45",
            "a:b",
            "::",
            "1.5/2",
            "LIVE-LOVE-LIFE",
            "1990 1991 1992",
            "192.168.0.1",
            "USA 2024",
            "DE12",
        ] {
            assert_eq!(short(text), None, "{text}");
        }
        assert_eq!(bank("BIC lautet ", "DEUTDEDB110."), Some(11));
        assert_eq!(bank("for your ", "INFORMATION."), None);
    }

    #[test]
    fn data_is_no_name() {
        for (key, behind) in [
            ("SGVsbG8gV29ybGQhIFRoaXMgaXMgYSB0ZXN0Lg==", " and"),
            ("MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ", ""),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U", "."),
            ("data:image/png;base64,iVBORw0KGgo=", ")"),
        ] {
            assert_eq!(encoded(&format!("{key}{behind}")), Some(key.len()), "{key}");
        }
        for text in [
            "Donaudampfschifffahrtsgesellschaft",
            "internationalization",
            "docs/API/v2/GettingStarted",
            "Width=",
            "data:",
            "JavaScriptApplicationServer2",
            "IPv4-und-IPv6-Adressen",
        ] {
            assert_eq!(encoded(text), None, "{text}");
        }
    }
}
