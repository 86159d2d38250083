//! The languages that the engine knows, one a row.

use super::Language;
use super::english::ENGLISH;
use super::german::GERMAN;

/// By tag.
pub(super) const LANGUAGES: &[Language] = &[Language(&GERMAN), Language(&ENGLISH)];
