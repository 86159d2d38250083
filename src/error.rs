//! Errors as text for a reader.

use std::error::Error;

/// An error and its causes, separated by colons. A cause that the text already contains is left out, since errors here may name their
/// causes themselves.
///
/// ```
/// use std::{fs, io};
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("cannot read the list")]
/// struct Unread(#[source] io::Error);
///
/// let error = Unread(fs::read("no such file").unwrap_err());
/// assert!(wanderwort::in_words(&error).starts_with("cannot read the list: No such file"));
/// ```
pub fn in_words(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !words.contains(&text) {
            words.extend([": ", &text]);
        }
        next = cause.source();
    }
    words
}
