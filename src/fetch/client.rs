//! Fetching over HTTP: a download goes on where it was cut off, and what fails temporarily is tried again.

use super::{FetchError, RequestError};
use crate::model::catalogue::LONGEST_LIST;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use ureq::tls::{RootCerts, TlsConfig};

/// How many times in a row a server that gives nothing is asked.
const ATTEMPTS: u32 = 3;

/// How many times a download may begin again from its first byte, as where a server sends no parts, although each time more comes than before.
const RESTARTS: u32 = 8;

/// The longest that a server may make us wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// Who asks: the name and version of this program.
const USER_AGENT: &str = concat!("wanderwort/", env!("CARGO_PKG_VERSION"));

/// Fetches files.
pub struct Client {
    agent: ureq::Agent,
    offline: bool,
}

/// Why a request brought nothing, and whether it is worth repeating.
struct Failure {
    cause: Cause,
    repeat: Repeat,
}

enum Cause {
    Request(RequestError),
    /// On the side of this machine or of the caller, not of the server.
    Own(FetchError),
}

enum Repeat {
    Never,
    After(Option<Duration>),
}

impl Failure {
    fn own(error: FetchError) -> Failure {
        Failure { cause: Cause::Own(error), repeat: Repeat::Never }
    }

    fn for_good(error: RequestError) -> Failure {
        Failure { cause: Cause::Request(error), repeat: Repeat::Never }
    }

    fn passing(error: RequestError) -> Failure {
        Failure { cause: Cause::Request(error), repeat: Repeat::After(None) }
    }

    fn connection(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
        Failure::passing(RequestError::Connection(error.into()))
    }

    fn of(self, url: &str) -> FetchError {
        match self.cause {
            Cause::Request(source) => FetchError::Request { url: url.to_owned(), source },
            Cause::Own(error) => error,
        }
    }
}

impl Client {
    /// A client that gives up on a server that says nothing for as long as `patience`; one that is offline sends no requests.
    pub fn new(patience: Duration, offline: bool) -> Client {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        // The system's certificates, or those that the environment names.
        let tls = TlsConfig::builder()
            .unversioned_rustls_crypto_provider(provider)
            .root_certs(RootCerts::PlatformVerifier)
            .build();
        let agent = ureq::Agent::config_builder()
            .tls_config(tls)
            .user_agent(USER_AGENT)
            .http_status_as_error(false)
            .timeout_resolve(Some(patience))
            .timeout_connect(Some(patience))
            .timeout_recv_response(Some(patience))
            .timeout_per_read(Some(patience))
            .build()
            .new_agent();
        Client { agent, offline }
    }

    /// Whether it may not send requests.
    pub fn is_offline(&self) -> bool {
        self.offline
    }

    /// A list, as a whole.
    pub(super) fn list(&self, url: &str) -> Result<Vec<u8>, FetchError> {
        self.again(url, || {
            let response = self.ask(url, 0)?;
            let mut bytes = Vec::new();
            let mut body = response.into_body().into_reader().take(LONGEST_LIST as u64 + 1);
            body.read_to_end(&mut bytes).map_err(Failure::connection)?;
            Ok((bytes, false))
        })
    }

    /// Fetches a file to `path`, where its beginning may already be from earlier. `progress` is told how many bytes are there each time some
    /// arrive, and may stop it.
    pub(super) fn file(
        &self,
        url: &str,
        path: &Path,
        limit: u64,
        mut progress: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), FetchError> {
        let there = || std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let (mut furthest, mut restarts) = (there(), 0);
        self.again(url, || {
            self.go_on(url, path, limit, &mut restarts, &mut progress).map(|()| ((), false)).or_else(|failure| {
                // As long as something comes that never came before, it is worth going on.
                let comes = there() > furthest && restarts <= RESTARTS;
                furthest = furthest.max(there());
                let goes_on = comes && matches!(failure.repeat, Repeat::After(_));
                if goes_on { Ok(((), true)) } else { Err(failure) }
            })
        })
    }

    /// Asks until there is an answer, or until there was none several times in a row. The request says whether another one is to follow.
    fn again<T>(&self, url: &str, mut request: impl FnMut() -> Result<(T, bool), Failure>) -> Result<T, FetchError> {
        if self.offline {
            return Err(FetchError::Offline { url: url.to_owned() });
        }
        let mut failed = 0;
        loop {
            let failure = match request() {
                Ok((answer, false)) => return Ok(answer),
                Ok((_, true)) => {
                    failed = 0;
                    continue;
                }
                Err(failure) => failure,
            };
            failed += 1;
            match failure.repeat {
                Repeat::After(pause) if failed < ATTEMPTS => {
                    let usual = Duration::from_millis(250 << failed);
                    thread::sleep(pause.unwrap_or(usual).min(LONGEST_PAUSE));
                }
                Repeat::Never | Repeat::After(_) => return Err(failure.of(url)),
            }
        }
    }

    /// The answer to a request for a file from byte `from` on.
    fn ask(&self, url: &str, from: u64) -> Result<ureq::http::Response<ureq::Body>, Failure> {
        let mut request = self.agent.get(url);
        if from > 0 {
            request = request.header("Range", format!("bytes={from}-"));
        }
        let response = request.call().map_err(Failure::connection)?;
        let status = response.status();
        if status.is_success() || (from > 0 && status.as_u16() == 416) {
            return Ok(response);
        }
        let error = RequestError::Status { status: status.to_string() };
        Err(match status.as_u16() {
            408 | 425 | 429 | 500..=599 => {
                let seconds = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
                Failure { repeat: Repeat::After(seconds.map(Duration::from_secs)), ..Failure::passing(error) }
            }
            _ => Failure::for_good(error),
        })
    }

    /// Asks for what is not there yet; `restarts` counts how many times what was there had to be dropped.
    fn go_on(
        &self,
        url: &str,
        path: &Path,
        limit: u64,
        restarts: &mut u32,
        progress: &mut impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let written = |error| Failure::own(FetchError::io("write", path)(error));
        let mut file = OpenOptions::new().create(true).write(true).truncate(false).open(path).map_err(written)?;
        let mut there = file.seek(SeekFrom::End(0)).map_err(written)?;
        let response = self.ask(url, there)?;
        if response.status().as_u16() == 416 {
            // Either all of it is there, or what is there is not of this file: the checksum tells.
            return Ok(());
        }
        let range = response.headers().get("content-range").and_then(|value| value.to_str().ok());
        let begins_there = range.is_some_and(|range| range.starts_with(&format!("bytes {there}-")));
        if there > 0 && !(response.status().as_u16() == 206 && begins_there) {
            start_anew(&mut file).map_err(written)?;
            there = 0;
            *restarts += 1;
        }
        let length: Option<u64> =
            response.headers().get("content-length").and_then(|value| value.to_str().ok()?.parse().ok());
        let end = length.map(|length| there + length);
        let mut body = response.into_body().into_reader();
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = match body.read(&mut buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::connection(error)),
            };
            if count == 0 {
                break;
            }
            file.write_all(&buffer[..count]).map_err(written)?;
            there += count as u64;
            if progress(there).is_break() {
                return Err(Failure::own(FetchError::Stopped));
            }
            if there > limit {
                return Err(Failure::for_good(RequestError::TooLarge { limit }));
            }
        }
        match end {
            Some(expected) if there < expected => Err(Failure::passing(RequestError::Short { found: there, expected })),
            _ => Ok(()),
        }
    }
}

fn start_anew(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0)).map(|_| ())
}
