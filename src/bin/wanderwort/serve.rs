//! `serve`: translations for other programs over HTTP.
//!
//! One thread talks to clients ([`http`]), another has texts translated ([`scheduler`]) by a pool of threads. Requests of all clients share the
//! rows of the engine, and the amount of waiting text is bounded.

mod deepl;
mod error;
mod http;
mod immersive;
mod languages;
mod library;
mod libretranslate;
mod metrics;
mod parameters;
mod scheduler;
mod translate;

use crate::model::{
    CacheArgument, LanguageArguments, PrecisionArgument, RunArguments, ScalesArgument, SearchArguments, ThreadArguments,
};
use crate::models::FolderArguments;
use crate::models::resolve::{self, Found};
use crate::ranges;
use crate::streams::{self, tell};
use anyhow::{Context, Result};
use http::{Limits, Peer};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use library::Library;
use metrics::{Counted, Metrics};
use prometheus_client::metrics::gauge::Gauge;
use scheduler::Scheduler;
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::ffi::OsString;
use std::io::Write;
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use wanderwort::model::catalogue::pairs;

/// The environment variable with the token.
const TOKEN: &str = "WANDERWORT_TOKEN";

/// Answer other programs over HTTP as LibreTranslate, DeepL and servers for Immersive Translate do.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// A package or a folder of Marian files, as for `translate`, with its languages in front if it does not state them: en-de=PATH. Can be
    /// repeated [default: the models that are installed when the server starts].
    #[arg(short, long, value_name = "PATH", value_parser = model)]
    model: Vec<Found>,

    #[command(flatten)]
    folder: FolderArguments,

    /// Where to listen; port 0 takes a free port. The address is printed on standard output.
    #[arg(short, long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:5000")]
    listen: String,

    #[command(flatten)]
    threads: ThreadArguments,

    #[command(flatten)]
    search: SearchArguments,

    /// Mebibytes that the weights of loaded models may take; the least recently used models are unloaded to make room for others. A request's
    /// own models always have room.
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = ranges::count(1 << 24))]
    memory: NonZeroUsize,

    #[command(flatten)]
    cache: CacheArgument,

    /// Answer only clients that have this token [default: WANDERWORT_TOKEN; all other users of this machine can read a command line].
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,

    /// Let pages of this origin, such as https://example.org, read answers; `*` allows all. Can be repeated.
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,

    /// Tell clients apart by the last address in X-Forwarded-For, which a proxy in front must set.
    #[arg(long)]
    behind_proxy: bool,

    /// Maximum number of characters in a request, which may have a quarter as many texts.
    #[arg(long, value_name = "N", default_value = "100000", value_parser = ranges::count(1 << 28))]
    max_text: NonZeroUsize,

    /// Maximum number of bytes in a request's body.
    #[arg(long, value_name = "N", default_value = "2097152", value_parser = ranges::count(1 << 30))]
    max_body: NonZeroUsize,

    /// Maximum number of characters that may wait, over all requests; beyond that, clients are asked to come back later.
    #[arg(long, value_name = "N", default_value = "2000000", value_parser = ranges::count(1 << 30))]
    queue: NonZeroUsize,

    /// Maximum number of connections at once; others wait to be accepted.
    #[arg(long, value_name = "N", default_value = "1024", value_parser = ranges::count(1 << 20))]
    connections: NonZeroUsize,

    /// Seconds after which a request is given up.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    timeout: Duration,

    /// Seconds within which a request's head and its body must arrive, and an answer must be taken.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    patience: Duration,

    /// Seconds that running requests have to finish when the program is told to end.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    grace: Duration,
}

const EXAMPLES: &str = "\
  POST /translate, /detect, GET /languages, /frontend/settings   as LibreTranslate
  POST /v2/translate, GET /v2/languages, /v2/usage               as DeepL
  POST /immersive                                                the custom API of Immersive Translate
  GET  /health, /metrics, /openapi.json                          for who runs it

Nothing of what is translated is written anywhere. SIGINT and SIGTERM end the program when running requests are answered; a second one ends it
at once.

Examples:
  wanderwort serve --model models/en-de.tiny.wanderwort
  curl http://127.0.0.1:5000/translate -d q='Where is the station?' -d source=en -d target=de
  WANDERWORT_TOKEN=… wanderwort serve --listen 0.0.0.0:5000 --threads 8 --memory 4096";

/// A model by its path, optionally with its languages in front.
fn model(text: &str) -> Result<Found, Infallible> {
    let is_pair = |pair: &str| pair.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let languages = text.split_once('=').filter(|(pair, _)| is_pair(pair));
    let languages = languages.and_then(|(pair, path)| Some((pairs(pair).next()?, path)));
    Ok(match languages {
        Some(((from, to), path)) if !Path::new(text).exists() => {
            Found { path: path.into(), source: Some(from.to_owned()), target: Some(to.to_owned()) }
        }
        _ => Found::given(Path::new(text)),
    })
}

/// A time in seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= 86400.0);
    number.map(Duration::from_secs_f64).ok_or_else(|| "expected a number above 0, up to 86400".to_owned())
}

/// What all requests have in common.
pub struct App {
    library: Arc<Library>,
    scheduler: Scheduler,
    metrics: Arc<Metrics>,
    limits: Limits,
    /// The token's SHA-256.
    token: Option<sha2::digest::Output<Sha256>>,
    origins: Vec<String>,
    is_behind_proxy: bool,
    /// Bytes of bodies that are being read.
    bodies: Gauge,
}

/// The token that clients need, if one is given. What cannot be one is an error: the server must not be open because of it.
fn token(given: Option<OsString>) -> Result<Option<String>, TokenError> {
    let Some(given) = given else { return Ok(None) };
    let token = given.into_string().map_err(|_| TokenError::NotText)?;
    match token.trim() {
        "" => Err(TokenError::Empty),
        // Those are not in a header's value, so that no client could give it.
        _ if token.contains(char::is_control) => Err(TokenError::Control),
        trimmed if trimmed != token => Err(TokenError::Spaces),
        _ => Ok(Some(token)),
    }
}

/// What keeps a token from being one.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
enum TokenError {
    #[error("the token: expected UTF-8, found other bytes; --token and {TOKEN} take letters and digits")]
    NotText,
    #[error("the token: expected some characters, found none; unset {TOKEN} to need no token")]
    Empty,
    #[error("the token: expected no spaces around it, found some; leave them out")]
    Spaces,
    #[error("the token: expected one line of characters, found a line's end or a control character")]
    Control,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let token = token(arguments.token.as_deref().map(OsString::from).or_else(|| std::env::var_os(TOKEN)))?;
    let listen = &arguments.listen;
    let listener = TcpListener::bind(listen)
        .with_context(|| format!("cannot listen on {listen}; --listen takes another address and port"))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() && token.is_none() {
        tell!("wanderwort: warning: whoever reaches {address} can have texts translated; {TOKEN} sets a token");
    }
    let metrics = Arc::new(Metrics::new());
    let scheduler = Scheduler::start(arguments.threads.pool()?, arguments.search.options())?;
    let run = RunArguments {
        languages: LanguageArguments { from: None, to: None, target_token: None },
        precision: PrecisionArgument::Int8,
        float: false,
        kernel: None,
        no_shortlist: false,
        scales: ScalesArgument::All,
        cache: arguments.cache.cache,
    };
    let budget = arguments.memory.get() as u64 * (1 << 20);
    let installed = || resolve::all_installed(&arguments.folder);
    let (for_library, counted) = (scheduler.clone(), Arc::clone(&metrics));
    let library = Library::open(&arguments.model, installed, run, budget, for_library, counted)?;
    let app = Arc::new(App {
        library: Arc::new(library),
        scheduler,
        metrics,
        limits: Limits {
            text: arguments.max_text.get(),
            body: arguments.max_body.get(),
            bodies: arguments.max_body.get().saturating_mul(64),
            queue: arguments.queue.get(),
            time: arguments.timeout,
            body_time: arguments.patience,
        },
        token: token.map(|token| Sha256::digest(token.as_bytes())),
        origins: arguments.allow_origin.clone(),
        is_behind_proxy: arguments.behind_proxy,
        bodies: Gauge::default(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start")?;
    let ended = runtime.block_on(async {
        // Before the address is printed, so that whoever has read it can end the program.
        let signals = Signals::new()?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        writeln!(streams::output(), "http://{address}")?;
        streams::output().flush()?;
        serve(arguments, &app, listener, signals).await
    });
    // Does not wait for what is still running.
    runtime.shutdown_background();
    ended
}

/// Accepts connections until a signal comes, then waits for running requests.
async fn serve(
    arguments: &Arguments,
    app: &Arc<App>,
    listener: tokio::net::TcpListener,
    mut signals: Signals,
) -> Result<()> {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(arguments.patience).max_buf_size(64 << 10);
    let places = Arc::new(Semaphore::new(arguments.connections.get()));
    let graceful = GracefulShutdown::new();
    let mut connection = 0;
    loop {
        let accept = async {
            let place = Arc::clone(&places).acquire_owned().await.expect("it is never closed");
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            accepted = accept => accepted,
            () = signals.next() => break,
        };
        let Ok((stream, address)) = accepted else {
            // Most likely out of file descriptors: some connections end soon.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        connection += 1;
        let peer = Peer { address: address.ip().to_canonical(), connection };
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(arguments.patience));
        let served = Arc::clone(app);
        let service = service_fn(move |request| {
            let app = Arc::clone(&served);
            async move { Ok::<_, Infallible>(app.answer(request, peer).await) }
        });
        let open = Counted::new(&app.metrics.connections, 1);
        let running = graceful.watch(builder.serve_connection(TokioIo::new(Box::pin(stream)), service));
        tokio::spawn(async move {
            // How a connection breaks off concerns only its client.
            let _ = running.await;
            drop((open, place));
        });
    }
    drop(listener);
    tokio::select! {
        ended = timeout(arguments.grace, graceful.shutdown()) => if ended.is_err() {
            tell!("wanderwort: some requests did not end within {} s", arguments.grace.as_secs_f32());
        },
        () = signals.next() => {}
    }
    Ok(())
}

/// What tells the program to end.
struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn new() -> Result<Signals> {
        Ok(Signals {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        // Without a handler, the program ends in the platform's own way.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_token_is_refused() {
        let of = |text: &str| token(Some(text.into()));
        assert_eq!(token(None), Ok(None));
        assert_eq!(of("gr\u{fc}n 7"), Ok(Some("gr\u{fc}n 7".to_owned())));
        assert_eq!([of(""), of("  ")], [const { Err(TokenError::Empty) }; 2]);
        assert_eq!([of(" a"), of("a ")], [const { Err(TokenError::Spaces) }; 2]);
        assert_eq!([of("a\n"), of("a\tb")], [const { Err(TokenError::Control) }; 2]);
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStringExt;
            assert_eq!(token(Some(OsString::from_vec(b"secret\xff".to_vec()))), Err(TokenError::NotText));
        }
    }
}
