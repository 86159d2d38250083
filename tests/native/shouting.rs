//! A translator that shouts.

use wanderwort::Link;
use wanderwort::text::documents::{AlignedText, Languages};
use wanderwort::text::language::Language;
use wanderwort::text::markup::stand_in_index;
use wanderwort::text::segment::{LineBreaks, segment};

pub const LANGUAGES: Languages = Languages { source: "en", target: "de" };

/// Upper case, each word from itself; if `backwards`, the words of a sentence in reverse order.
pub fn shout(text: &str, backwards: bool) -> AlignedText {
    let mut result = AlignedText::default();
    let mut end = 0;
    for range in segment(text, Language::ENGLISH, LineBreaks::EndSentences) {
        result.text.push_str(&text[end..range.start]);
        end = range.end;
        let start = result.text.len();
        let sentence = &text[range.clone()];
        let core = sentence.trim_end_matches('.');
        let mut words: Vec<&str> = core.split(' ').filter(|word| !word.is_empty()).collect();
        if backwards {
            words.reverse();
        }
        for (index, mut word) in words.into_iter().enumerate() {
            if index > 0 {
                result.text.push(' ');
            }
            // A token for each run of letters and for each other character, as a tokenizer would; what it does not know is such a character.
            let mut from = word.as_ptr() as usize - text.as_ptr() as usize;
            while !word.is_empty() {
                let length =
                    word.find(|c: char| !c.is_alphanumeric() || stand_in_index(c).is_some()).unwrap_or(word.len());
                let length = if length == 0 { word.chars().next().map_or(0, char::len_utf8) } else { length };
                let (token, rest) = word.split_at(length);
                let to = result.text.len();
                result.text.push_str(&token.to_uppercase());
                result.tokens.push(Link { target: to..result.text.len(), source: from..from + length });
                from += length;
                word = rest;
            }
        }
        let to = result.text.len();
        result.text.push_str(&sentence[core.len()..]);
        result.tokens.push(Link { target: to..result.text.len(), source: range.start + core.len()..range.end });
        result.sentences.push(Link { target: start..result.text.len(), source: range });
    }
    result.text.push_str(&text[end..]);
    result
}
