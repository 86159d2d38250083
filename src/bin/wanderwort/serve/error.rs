//! What can go wrong with a request. No message contains any of the text.

use hyper::StatusCode;
use std::time::Duration;

/// Why a request fails.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A parameter is missing.
    #[error("missing `{name}`: expected {expected}")]
    Missing { name: &'static str, expected: &'static str },
    /// A parameter is not what it should be.
    #[error("`{name}`: expected {expected}, found {found}")]
    Invalid { name: &'static str, expected: String, found: String },
    /// The body cannot be read as what it says it is.
    #[error("the body: expected {expected}, found {found}")]
    Body { expected: &'static str, found: String },
    /// The body is in another form.
    #[error("the body: expected application/json or application/x-www-form-urlencoded, found {found}")]
    MediaType { found: String },
    /// No model, and no two models together, translate between the languages.
    #[error("{source_tag} to {target_tag} is not supported: expected one of {known}")]
    Pair { source_tag: String, target_tag: String, known: String },
    /// The token is missing or wrong.
    #[error("expected the server's token in `Authorization` (Bearer or DeepL-Auth-Key) or in `api_key`, found {found}")]
    Token { found: &'static str },
    /// There is nothing at this path.
    #[error("nothing is at this path: expected one of {known}")]
    Path { known: String },
    /// The path does not take this method.
    #[error("this path takes {allowed}")]
    Method { allowed: &'static str },
    /// The body is too long.
    #[error("the body: expected at most {limit} bytes, found more")]
    BodySize { limit: usize },
    /// The text is too long.
    #[error("the text: expected at most {limit} characters, found {found}")]
    TextSize { limit: usize, found: usize },
    /// There are too many texts.
    #[error("the texts: expected at most {limit}, found {found}; send them in several requests")]
    Texts { limit: usize, found: usize },
    /// The body did not come in time.
    #[error("the body: expected all of it within {} seconds", .0.as_secs_f32())]
    BodyTime(Duration),
    /// The translation was not complete in time.
    #[error("the translation was not complete within {} seconds; shorter texts are, or the same one later", .0.as_secs_f32())]
    Time(Duration),
    /// Too much is waiting already.
    #[error("as much text waits as may: try again in {retry_after} seconds")]
    Busy { retry_after: u64 },
    /// A model cannot be loaded.
    #[error("the model from {source_tag} to {target_tag} cannot be loaded")]
    Load { source_tag: String, target_tag: String },
    /// The engine has failed.
    #[error("the engine failed at this text; other requests go on")]
    Engine,
}

impl ServeError {
    /// The answer's status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Missing { .. } | Self::Invalid { .. } | Self::Body { .. } | Self::Pair { .. } => {
                StatusCode::BAD_REQUEST
            }
            Self::MediaType { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Token { .. } => StatusCode::FORBIDDEN,
            Self::Path { .. } => StatusCode::NOT_FOUND,
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodySize { .. } | Self::TextSize { .. } | Self::Texts { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyTime(_) => StatusCode::REQUEST_TIMEOUT,
            Self::Time(_) => StatusCode::GATEWAY_TIMEOUT,
            Self::Busy { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Load { .. } | Self::Engine => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The kind of error, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "missing-parameter",
            Self::Invalid { .. } => "invalid-parameter",
            Self::Body { .. } => "malformed-body",
            Self::MediaType { .. } => "media-type",
            Self::Pair { .. } => "unsupported-languages",
            Self::Token { .. } => "token",
            Self::Path { .. } => "path",
            Self::Method { .. } => "method",
            Self::BodySize { .. } => "body-too-long",
            Self::TextSize { .. } => "text-too-long",
            Self::Texts { .. } => "too-many-texts",
            Self::BodyTime(_) => "body-too-slow",
            Self::Time(_) => "timeout",
            Self::Busy { .. } => "busy",
            Self::Load { .. } => "model",
            Self::Engine => "engine",
        }
    }
}
