//! Wanderwort: a neural machine translator that runs inside a web page, and the same engine natively.
//!
//! A [`Translator`] is a loaded model. It takes any text, finds its sentences, and gives back the translation with the white
//! space of the source, the places of its sentences and, for every word, where in the source it comes from.
//!
//! ```
//! use wanderwort::{LoadOptions, TranslateOptions, Translator};
//!
//! let translator = Translator::open("models/en-de.tiny.wanderwort", &LoadOptions::default())?;
//! let translation = translator.translate("The house is big.", &TranslateOptions::default());
//! assert_eq!(translation.text, "Das Haus ist groß.");
//! # Ok::<(), wanderwort::LoadError>(())
//! ```
//!
//! A batch of texts is spread over the threads of the current rayon pool, and every text's translation is the same as if it
//! were alone:
//!
//! ```
//! # use wanderwort::{LoadOptions, TranslateOptions, Translator};
//! # let translator = Translator::open("models/en-de.tiny.wanderwort", &LoadOptions::default())?;
//! let options = TranslateOptions { scores: true, ..TranslateOptions::default() };
//! let source = "I have a dog.";
//! let translations = translator.translate_batch(&[source, "Where is the station?"], &options);
//! for token in &translations[0].tokens {
//!     let word = &translations[0].text[token.link.target.clone()];
//!     println!("{word} comes from {}, ln p = {:?}", &source[token.link.source.clone()], token.log_probability);
//! }
//! # Ok::<(), wanderwort::LoadError>(())
//! ```
//!
//! Interactive programs use a [`Session`]: requests have priorities and can be cancelled, and work is done a few milliseconds at a
//! time:
//!
//! ```
//! use wanderwort::Translate;
//! # use wanderwort::{LoadOptions, TranslateOptions, Translator};
//! # let translator = Translator::open("models/en-de.tiny.wanderwort", &LoadOptions::default())?;
//! let mut session = translator.session(&TranslateOptions::default());
//! let seen = session.submit("What the reader looks at.", 1);
//! let later = session.submit("What can wait.", 0);
//! session.cancel(later);
//! while !session.is_idle() {
//!     for (request, translation) in session.step() {
//!         assert_eq!(request, seen);
//!         println!("{}", translation.text);
//!     }
//! }
//! # Ok::<(), wanderwort::LoadError>(())
//! ```
//!
//! A [`Pivot`] runs two translators one after the other and implements [`Translate`] as one.
//!
//! Data flows one way. [`text`] turns characters into sentences and pieces and back; [`model`] reads files; [`kernels`] holds the
//! arithmetic, one backend per instruction set, all giving the same bits; [`nn`] builds layers from both; the engine behind
//! [`Translator`] batches, searches and joins. With the feature `store`, `model::store` is the folder of installed models, and with
//! the feature `fetch`, `fetch` installs models there that others publish.
#![deny(missing_docs)]

mod engine;
mod error;
#[cfg(feature = "fetch")]
pub mod fetch;
pub mod kernels;
pub mod model;
pub mod nn;
pub mod text;
#[cfg(any(target_arch = "wasm32", test))]
pub mod web;

pub use engine::ensemble::EnsembleError;
pub use engine::load::{LoadError, LoadOptions};
#[cfg(not(target_arch = "wasm32"))]
pub use engine::loaded::LoadedModels;
pub use engine::marian::MarianLoader;
pub use engine::package::PackageLoader;
pub use engine::pivot::{Pivot, PivotError};
pub use engine::session::{Pace, RequestId, Session, Submission};
pub use engine::source::MarianSource;
pub use engine::target_mark::TargetToken;
pub use engine::translate::Translate;
pub use engine::translation::{Attention, Candidate, TranslatedToken, Translation};
pub use engine::translator::{Info, Sentences, TranslateOptions, Translator};
pub use engine::worker::Profile;
pub use error::in_words;
pub use nn::{ActivationStatistics, Observe, Precision, StoredScales};
pub use text::language::Language;
pub use text::link::Link;
pub use text::repair::{Repairs, UnknownRepair};
pub use text::structure::Wrapped;
