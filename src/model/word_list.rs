//! Lists of words with their numbers, in YAML, as Marian's first vocabularies were and OPUS-MT's still are.

use super::error::{Error, Fault, malformed};
use super::yaml::{self, Value};

/// The words in the order of their numbers, which are 0, 1, … without a gap. `file` is named in errors.
///
/// # Errors
/// Text that is not such YAML.
pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Vec<String>, Error> {
    let fault = |fault| malformed(file, "list of words", 0, fault);
    let text = std::str::from_utf8(bytes).map_err(|_| fault(Fault::Utf8))?;
    let numbers = yaml::parse(file, "list of words", text)?;
    let count = numbers.len();
    let mut words = vec![String::new(); count];
    for (word, number) in numbers {
        let place = match number {
            Value::Integer(number) => usize::try_from(number).ok().and_then(|number| words.get_mut(number)),
            _ => None,
        };
        match place.filter(|place| place.is_empty() && !word.is_empty()) {
            Some(place) => *place = word,
            None => {
                let expected = format!("a number below {count} that no other word has");
                return Err(fault(Fault::Parse(format!("`{word}` has `{number}`, expected {expected}"))));
            }
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_in_the_order_of_their_numbers() {
        let yaml = "\"</s>\": 0\n<unk>: 1\n▁null: 3\n\"\\\"\": 2\n'~': 4\n1: 5\n";
        assert_eq!(parse("v.yml", yaml.as_bytes()).unwrap(), ["</s>", "<unk>", "\"", "▁null", "~", "1"]);
        for wrong in ["a: 0\nb: 0\n", "a: 0\nb: 2\n", "a: b\n", "a: -1\n", "[a, b]", "\"\": 0\n", "\u{0}"] {
            assert!(matches!(parse("v.yml", wrong.as_bytes()), Err(Error::Malformed { .. })), "{wrong}");
        }
    }
}
