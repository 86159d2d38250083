//! Requests in, answers out: which path belongs to which interface, tokens, origins, and limits on what comes in.

use super::error::ServeError;
use super::metrics::Counted;
use super::parameters::Parameters;
use super::{App, deepl, immersive, libretranslate};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// A path, and what it takes.
pub struct Route {
    pub path: &'static str,
    /// As `Allow` lists them; GET includes HEAD.
    pub methods: &'static [Method],
    /// Whether it is open to all.
    pub is_open: bool,
    /// Whether errors are reported as DeepL reports them.
    is_deepl: bool,
}

const fn route(path: &'static str, methods: &'static [Method]) -> Route {
    Route { path, methods, is_open: false, is_deepl: false }
}

const GET: &[Method] = &[Method::GET];
const POST: &[Method] = &[Method::POST];
const BOTH: &[Method] = &[Method::GET, Method::POST];

/// All paths.
pub const ROUTES: [Route; 11] = [
    route("/translate", POST),
    route("/detect", POST),
    route("/languages", GET),
    route("/frontend/settings", GET),
    Route { is_deepl: true, ..route("/v2/translate", POST) },
    Route { is_deepl: true, ..route("/v2/usage", BOTH) },
    Route { is_deepl: true, ..route("/v2/languages", BOTH) },
    route("/immersive", POST),
    Route { is_open: true, ..route("/health", GET) },
    route("/metrics", GET),
    Route { is_open: true, ..route("/openapi.json", GET) },
];

/// The description of all paths, for programs.
pub const OPENAPI: &str = include_str!("openapi.json");

/// A request that has been read.
pub struct Call {
    pub parameters: Parameters,
    /// Which client it comes from; clients share the engine evenly.
    pub client: u64,
    pub priority: i32,
}

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    pub address: IpAddr,
    /// Counts connections.
    pub connection: u64,
}

/// The methods of a path, in words.
fn allowed(route: &Route) -> &'static str {
    match route.methods {
        [Method::GET] => "GET, HEAD, OPTIONS",
        [Method::POST] => "POST, OPTIONS",
        _ => "GET, HEAD, POST, OPTIONS",
    }
}

impl App {
    /// Answers a request.
    pub async fn answer(&self, request: Request<Incoming>, peer: Peer) -> Response<Full<Bytes>> {
        let started = Instant::now();
        let gone = Gone { app: self, is_answered: false };
        let _active = Counted::new(&self.metrics.requests, 1);
        let origin = request.headers().get(header::ORIGIN).filter(|origin| self.allows(origin)).cloned();
        let route = ROUTES.iter().find(|route| route.path == request.uri().path());
        let is_preflight = request.method() == Method::OPTIONS;
        let is_head = request.method() == Method::HEAD;
        let mut response = match route {
            Some(route) if is_preflight => empty(route),
            _ => match timeout(self.limits.time, self.dispatch(request, route, peer)).await {
                Ok(Ok(answer)) => answer,
                Ok(Err(error)) => refusal(&error, route),
                Err(_) => refusal(&ServeError::Time(self.limits.time), route),
            },
        };
        if is_head {
            *response.body_mut() = Full::default();
        }
        self.allow(response.headers_mut(), origin, is_preflight);
        gone.answered();
        self.metrics.answered(route.map_or("other", |route| route.path), response.status(), started.elapsed());
        response
    }

    /// Whether pages of this origin may read answers.
    fn allows(&self, origin: &HeaderValue) -> bool {
        self.origins.iter().any(|allowed| allowed == "*" || allowed.as_bytes() == origin.as_bytes())
    }

    fn allow(&self, headers: &mut HeaderMap, origin: Option<HeaderValue>, is_preflight: bool) {
        if self.origins.is_empty() {
            return;
        }
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
        let Some(origin) = origin else { return };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        // A page that is told to come back later has to be able to read when.
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("retry-after"));
        if is_preflight {
            let methods = HeaderValue::from_static("GET, POST");
            headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
            let names = HeaderValue::from_static("authorization, content-type, priority");
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
        }
    }

    async fn dispatch(
        &self,
        request: Request<Incoming>,
        route: Option<&Route>,
        peer: Peer,
    ) -> Result<Response<Full<Bytes>>, ServeError> {
        let Some(route) = route else {
            return Err(ServeError::Path { known: ROUTES.map(|route| route.path).join(", ") });
        };
        let (head, body) = request.into_parts();
        let method = if head.method == Method::HEAD { Method::GET } else { head.method };
        if !route.methods.contains(&method) {
            return Err(ServeError::Method { allowed: allowed(route) });
        }
        let authorization = head.headers.get(header::AUTHORIZATION);
        let mut is_known = route.is_open || self.is_token(authorization.and_then(|value| token_of(value.as_bytes())));
        // A wrong token in the head is refused before a body is read.
        if !is_known && authorization.is_some() {
            return Err(ServeError::Token { found: "another one" });
        }
        let mut parameters = Parameters::of_query(head.uri.query());
        // Some clients send a form with GET too.
        if !body.is_end_stream() {
            let media_type =
                head.headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or("other bytes"));
            let body = self.read(body).await?;
            parameters.add_body(media_type, &body)?;
        }
        for name in ["api_key", "auth_key"] {
            if !is_known {
                is_known = self.is_token(parameters.text(name)?.map(str::as_bytes));
            }
        }
        if !is_known {
            return Err(ServeError::Token { found: "none, or another one" });
        }
        let call = Call { parameters, client: self.client(&head.headers, peer), priority: priority(&head.headers) };
        let value = match route.path {
            "/translate" => libretranslate::translation(self, &call).await?,
            "/detect" => libretranslate::detection(self, &call.parameters)?,
            "/languages" => libretranslate::languages(self),
            "/frontend/settings" => libretranslate::settings(self),
            "/v2/translate" => deepl::translation(self, &call).await?,
            "/v2/usage" => deepl::usage(self),
            "/v2/languages" => deepl::languages(self, &call.parameters)?,
            "/immersive" => immersive::translation(self, &call).await?,
            "/health" => json!({ "status": "ok" }),
            "/metrics" => {
                let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
                return Ok(response(StatusCode::OK, media_type, self.metrics.text()));
            }
            _ => return Ok(response(StatusCode::OK, "application/json", OPENAPI.to_owned())),
        };
        Ok(json_response(StatusCode::OK, &value))
    }

    /// Whether a token gives access to the server, which may not need one.
    fn is_token(&self, found: Option<&[u8]>) -> bool {
        let Some(token) = &self.token else { return true };
        // How long comparing digests takes tells nothing of the token.
        found.is_some_and(|found| Sha256::digest(found) == *token)
    }

    /// Reads a body within the limits for one body, and for all that are being read.
    async fn read(&self, mut body: Incoming) -> Result<Vec<u8>, ServeError> {
        let limit = self.limits.body;
        let announced = body.size_hint().lower();
        if announced > limit as u64 {
            return Err(ServeError::BodySize { limit });
        }
        let mut bytes = Vec::new();
        let mut counted = Counted::new(&self.bodies, 0);
        let read = async {
            while let Some(frame) = body.frame().await {
                let broken = |_| ServeError::Body { expected: "all of it", found: "an early end".to_owned() };
                let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
                if bytes.len() + data.len() > limit {
                    return Err(ServeError::BodySize { limit });
                }
                if self.bodies.get() as usize + data.len() > self.limits.bodies {
                    return Err(ServeError::Busy { retry_after: 1 });
                }
                counted.add(data.len() as i64);
                bytes.extend_from_slice(&data);
            }
            Ok(())
        };
        let time = self.limits.body_time;
        timeout(time, read).await.map_err(|_| ServeError::BodyTime(time))??;
        Ok(bytes)
    }

    /// The client of a request: an address or, on loopback, where all have the same address, a connection.
    fn client(&self, headers: &HeaderMap, peer: Peer) -> u64 {
        let forwarded = headers.get_all("x-forwarded-for").iter().next_back().filter(|_| self.is_behind_proxy);
        let forwarded =
            forwarded.and_then(|value| value.to_str().ok()?.rsplit(',').next()?.trim().parse::<IpAddr>().ok());
        let address = forwarded.unwrap_or(peer.address);
        if forwarded.is_none() && address.is_loopback() {
            return peer.connection;
        }
        // Whoever has one IPv6 address has 2^64 of them.
        let bits = match address {
            IpAddr::V4(address) => u64::from(address.to_bits()),
            IpAddr::V6(address) => (address.to_bits() >> 64) as u64,
        };
        bits | 1 << 63
    }
}

/// The token in an `Authorization` field.
fn token_of(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at(value.iter().position(|byte| *byte == b' ')?);
    let is_known = [&b"Bearer"[..], b"DeepL-Auth-Key"].iter().any(|known| known.eq_ignore_ascii_case(scheme));
    is_known.then(|| token.trim_ascii())
}

/// RFC 9218: urgency from 0, the most urgent, to 7; 3 if there is none.
fn priority(headers: &HeaderMap) -> i32 {
    let fields = headers.get("priority").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let urgency = fields.split(',').find_map(|field| field.trim().strip_prefix("u=")?.parse::<i32>().ok());
    3 - urgency.filter(|urgency| (0..=7).contains(urgency)).unwrap_or(3)
}

/// Counts a request whose client has gone: it is dropped before it is answered.
struct Gone<'a> {
    app: &'a App,
    is_answered: bool,
}

impl Gone<'_> {
    fn answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.app.metrics.cancelled.inc();
        }
    }
}

fn response(status: StatusCode, media_type: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn json_response(status: StatusCode, value: &Value) -> Response<Full<Bytes>> {
    response(status, "application/json", value.to_string())
}

/// The answer to a client that asks which methods there are.
fn empty(route: &Route) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed(route)));
    response
}

/// An error as the path's clients expect it.
fn refusal(error: &ServeError, route: Option<&Route>) -> Response<Full<Bytes>> {
    let field = if route.is_some_and(|route| route.is_deepl) { "message" } else { "error" };
    let mut response = json_response(error.status(), &json!({ field: error.to_string(), "code": error.code() }));
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    };
    match error {
        ServeError::Busy { retry_after } => set(header::RETRY_AFTER, &retry_after.to_string()),
        ServeError::Method { allowed } => set(header::ALLOW, allowed),
        // The rest of the body is not read.
        ServeError::BodySize { .. } | ServeError::BodyTime(_) => set(header::CONNECTION, "close"),
        _ => {}
    }
    response
}

/// Limits on what comes in and how long it takes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Characters of a request.
    pub text: usize,
    /// Bytes of a body.
    pub body: usize,
    /// Bytes of all bodies that are being read.
    pub bodies: usize,
    /// Characters that wait.
    pub queue: usize,
    /// Until the answer.
    pub time: Duration,
    /// Until a body is complete.
    pub body_time: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_from_both_schemes() {
        for (field, expected) in [
            ("Bearer abc", Some("abc")),
            ("bearer  abc", Some("abc")),
            ("DeepL-Auth-Key abc:fx", Some("abc:fx")),
            ("Basic abc", None),
            ("abc", None),
        ] {
            assert_eq!(token_of(field.as_bytes()), expected.map(str::as_bytes), "{field}");
        }
    }

    #[test]
    fn urgency_is_a_priority() {
        for (field, expected) in [("u=0", 3), ("i, u=7", -4), ("u=3", 0), ("u=9", 0), ("", 0), ("u=x", 0)] {
            let headers = HeaderMap::from_iter([(HeaderName::from_static("priority"), field.parse().unwrap())]);
            assert_eq!(priority(&headers), expected, "{field}");
        }
    }

    #[test]
    fn the_description_has_every_path_and_no_other() {
        let description: Value = serde_json::from_str(OPENAPI).expect("it is JSON");
        assert!(description["openapi"].as_str().is_some_and(|version| version.starts_with("3.")));
        assert_eq!(description["info"]["version"], env!("CARGO_PKG_VERSION"));
        let paths = description["paths"].as_object().expect("it has paths");
        let mut described: Vec<&str> = paths.keys().map(String::as_str).collect();
        let mut known = ROUTES.map(|route| route.path);
        described.sort_unstable();
        known.sort_unstable();
        assert_eq!(described, known);
        for route in &ROUTES {
            let mut methods: Vec<String> = paths[route.path].as_object().expect("operations").keys().cloned().collect();
            methods.sort_unstable();
            let expected: Vec<String> = route.methods.iter().map(|method| method.as_str().to_lowercase()).collect();
            assert_eq!(methods, expected, "{}", route.path);
            for method in methods {
                let operation = &paths[route.path][&method];
                let is_open = operation["security"].as_array().is_some_and(Vec::is_empty);
                assert_eq!(is_open, route.is_open, "{}: no security means that it is open", route.path);
            }
        }
    }
}
