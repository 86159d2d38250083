//! `wanderwort models`, against a server on this machine that answers as the hosts of published models do.

use flate2::{Compression, write::GzEncoder};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use wanderwort::model::decompressed;

/// What a server does with a request.
#[derive(Clone, Default)]
struct Answer {
    body: Vec<u8>,
    /// Answered first, one request each.
    statuses: Vec<u16>,
    /// Of so many of the next requests only so many bytes are sent.
    cut: Option<(usize, usize)>,
    /// Of the requests, in turn, only so many bytes are sent.
    cuts: Vec<usize>,
    /// Whether a request for a part gets it.
    ranges: bool,
    /// Waits so long before each piece of 1,000 bytes.
    pause: Duration,
}

fn whole(body: impl Into<Vec<u8>>) -> Answer {
    Answer { body: body.into(), ranges: true, ..Answer::default() }
}

#[derive(Default)]
struct State {
    answers: HashMap<String, Answer>,
    /// Paths, with the range behind that was asked for.
    requests: Vec<String>,
    agents: Vec<String>,
}

struct Server {
    address: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        // A client that gives up closes the connection.
        for_each_connection(listener, move |stream| drop(answer(stream, &shared)));
        Server { address, state }
    }

    /// One that speaks TLS, with this certificate.
    fn start_secure(certificate: &CertifiedKey<KeyPair>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("https://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let key = PrivateKeyDer::try_from(certificate.signing_key.serialize_der()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions that it knows")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.cert.der().clone()], key)
            .expect("a certificate and its key");
        let config = Arc::new(config);
        for_each_connection(listener, move |stream| {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            let mut stream = StreamOwned::new(connection, stream);
            if answer(&mut stream, &shared).is_ok() {
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        });
        Server { address, state }
    }

    fn set(&self, path: &str, answer: Answer) {
        self.state.lock().unwrap().answers.insert(path.to_owned(), answer);
    }

    /// What was asked since the last time.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().requests)
    }
}

fn for_each_connection(listener: TcpListener, answer: impl Fn(TcpStream) + Send + Sync + 'static) {
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || answer(stream));
        }
    });
}

/// Reads a request's first line and its headers, which no body follows.
fn head(stream: impl Read) -> std::io::Result<(String, HashMap<String, String>)> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let mut headers = HashMap::new();
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    Ok((first, headers))
}

fn answer(mut stream: impl Read + Write, state: &Mutex<State>) -> std::io::Result<()> {
    let (first, headers) = head(&mut stream)?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let range = headers.get("range").cloned();
    let from = range.as_ref().and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    let (found, status, cut) = {
        let mut state = state.lock().unwrap();
        state.requests.push(format!("{path}{}", range.map_or(String::new(), |range| format!(" {range}"))));
        state.agents.push(headers.get("user-agent").cloned().unwrap_or_default());
        let Some(found) = state.answers.get_mut(&path) else {
            return write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        };
        let status = if found.statuses.is_empty() { 200 } else { found.statuses.remove(0) };
        let mut cut = None;
        if let Some((times, length)) = &mut found.cut
            && *times > 0
        {
            *times -= 1;
            cut = Some(*length);
        }
        if let Some(length) = found.cuts.first().copied() {
            found.cuts.rotate_left(1);
            cut = Some(length);
        }
        (found.clone(), status, cut)
    };
    if status != 200 {
        return write!(
            stream,
            "HTTP/1.1 {status} No\r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    }
    let start = from.filter(|_| found.ranges).unwrap_or(0).min(found.body.len());
    let body = &found.body[start..];
    let (status, range) = match start {
        0 => ("200 OK", String::new()),
        _ => (
            "206 Partial Content",
            format!("Content-Range: bytes {start}-{}/{}\r\n", found.body.len() - 1, found.body.len()),
        ),
    };
    write!(stream, "HTTP/1.1 {status}\r\n{range}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len())?;
    for piece in
        body[..cut.unwrap_or(body.len()).min(body.len())].chunks(if found.pause.is_zero() { 1 << 16 } else { 1000 })
    {
        thread::sleep(found.pause);
        stream.write_all(piece)?;
        stream.flush()?;
    }
    Ok(())
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A model with random weights, and the vocabulary of all of them.
fn weights(architecture: &str) -> Vec<u8> {
    let file = format!("tests/data/architectures/{architecture}/model.npz.gz");
    decompressed(&file, &std::fs::read(&file).expect("a model")).expect("it unpacks").into_owned()
}

fn vocabulary() -> Vec<u8> {
    std::fs::read("tests/data/architectures/vocab.spm").expect("a vocabulary")
}

/// Puts a file in the form of the records there.
fn record(server: &Server, pair: (&str, &str), kind: &str, version: &str, bytes: &[u8]) -> Value {
    let (source, target) = pair;
    let name = match kind {
        "model" => format!("model.{source}{target}.npz"),
        "vocab" => format!("vocab.{source}{target}.spm"),
        _ => format!("{kind}.{source}{target}"),
    };
    let location = format!("main-workspace/{version}/{name}.zst");
    let packed = zstd(bytes);
    server.set(&format!("/{location}"), whole(&*packed));
    json!({
        "name": name, "fileType": kind, "version": version, "architecture": "tiny",
        "sourceLanguage": source, "targetLanguage": target,
        "decompressedHash": sha256(bytes), "decompressedSize": bytes.len(),
        "attachment": {"location": location, "size": packed.len(), "mimetype": "application/zstd"},
    })
}

const RECORDS: &str = "/v1/records";

/// Models from French and to German, records of other kinds, and one of a later version.
fn records(server: &Server) {
    let mut records = Vec::new();
    for (pair, architecture) in [(("fr", "en"), "post-norm"), (("en", "de"), "pre-norm")] {
        records.push(record(server, pair, "model", "3.0", &weights(architecture)));
        records.push(record(server, pair, "vocab", "3.0", &vocabulary()));
    }
    records.push(record(server, ("fr", "en"), "quality", "3.0", b"?"));
    records.push(record(server, ("en", "de"), "model", "4.0", b"?"));
    server.set(RECORDS, whole(json!({"data": records}).to_string()));
}

struct Place {
    folder: tempfile::TempDir,
    list: String,
}

impl Place {
    fn new(server: &Server, list: &str) -> Place {
        Place { folder: tempfile::tempdir().expect("a folder"), list: format!("{}{list}", server.address) }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("WANDERWORT_MODELS", self.folder.path()).env("WANDERWORT_LISTS", &self.list);
        command.env("NO_PROXY", "127.0.0.1");
        command
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self.command(arguments).spawn().expect("the program starts");
        // Fails where the program does not read its input.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        child.wait_with_output().expect("the program ends")
    }

    /// Standard output of a run that must succeed.
    fn succeed(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run(arguments, input);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// The error of a run that must fail.
    fn fail(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, "");
        assert!(!output.status.success(), "{arguments:?}");
        text(&output.stderr)
    }

    /// The path that `--model` takes.
    fn path(&self, name: &str) -> PathBuf {
        self.succeed(&["models", "where", name], "").trim().into()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn models_of_records_are_listed_installed_used_and_removed() {
    let server = Server::start();
    records(&server);
    let place = Place::new(&server, RECORDS);
    let translate = ["translate", "--from", "fr", "--to", "de"];

    // Nothing is asked by what does not say so.
    let error = place.fail(&translate);
    assert!(error.contains("no model from fr to de is installed") && error.contains("models install fr-de"), "{error}");
    assert_eq!(place.succeed(&["models", "list", "--installed"], ""), "");
    assert_eq!(place.succeed(&["models", "where"], "").trim(), place.folder.path().display().to_string());
    assert_eq!(server.asked(), [""; 0]);

    let output = place.run(&["models", "list"], "");
    assert!(text(&output.stderr).contains("en-de.tiny: version 4.0 needs a newer version"), "{}", text(&output.stderr));
    let list = text(&output.stdout);
    assert_eq!(
        list.lines().map(|line| line.split(' ').next().unwrap()).collect::<Vec<_>>(),
        ["en-de.tiny", "fr-en.tiny"]
    );
    assert_eq!(place.succeed(&["models", "list", "--from", "fr"], "").lines().count(), 1);
    assert_eq!(server.asked(), [RECORDS, RECORDS]);
    // What the list said is known without asking.
    let error = place.fail(&translate);
    assert!(error.contains("`wanderwort models install fr-en.tiny en-de.tiny` fetches"), "{error}");
    assert_eq!(server.asked(), [""; 0]);

    // A pair without a model gets both halves.
    place.succeed(&["models", "install", "fr-de"], "");
    let file = |name: &str| format!("/main-workspace/3.0/{name}.zst");
    let files = ["model.fren.npz", "vocab.fren.spm", "model.ende.npz", "vocab.ende.spm"].map(file);
    assert_eq!(server.asked(), [&[RECORDS.to_owned()], &files[..]].concat());
    let installed = place.succeed(&["models", "list", "--installed"], "");
    assert!(installed.lines().count() == 2 && installed.contains("en-de.tiny") && installed.contains("installed"));
    assert_eq!(std::fs::read(place.path("fr-en").join("model.fren.npz")).unwrap(), weights("post-norm"));

    let lines = "La maison est grande. Où est la gare ?\n\n42\nLe chat dort.\n";
    let through = place.succeed(&translate, lines);
    assert_eq!(through.lines().count(), 4);
    assert_eq!(through.lines().skip(1).take(2).collect::<Vec<_>>(), ["", "42"]);
    let (first, second) = (place.path("fr-en"), place.path("en-de"));
    let (first, second) = (first.to_str().unwrap(), second.to_str().unwrap());
    let given = place.succeed(&["translate", "--model", first, "--pivot", second, "--from", "fr", "--to", "de"], lines);
    assert_eq!(given, through);
    let html = place.succeed(&["translate", "--from", "fr", "--to", "de", "--html"], "<p>Le <b>chat</b> dort.</p>");
    assert!(html.contains("<b>") && html.contains("</b>") && html.ends_with("</p>"), "{html}");
    let json = place.succeed(&["translate", "--from", "fr", "--to", "de", "--json"], "Le chat dort.\n");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["sentences"][0]["source"], json!([0, 13]));
    // The halves are models of their own.
    assert_eq!(place.succeed(&["translate", "--from", "en", "--to", "de"], "A cat.\n").lines().count(), 1);
    assert_eq!(server.asked(), [""; 0]);

    // What is there is not fetched again.
    assert!(text(&place.run(&["models", "install", "fr-en"], "").stderr).contains("installed already"));
    assert_eq!(server.asked(), [RECORDS]);
    // What is damaged counts as absent and is installed again: cut short, of other bytes, or without a description that can be read.
    let (file, described) = (place.path("fr-en").join("model.fren.npz"), place.path("fr-en").join("../installed.json"));
    let whole_file = std::fs::read(&file).unwrap();
    let mut other = whole_file.clone();
    other[99] ^= 1;
    for (damaged, content, told) in [
        (&file, &whole_file[1..], "installing the model again repairs it"),
        (&file, &other, "is not as it was installed"),
        (&described, b"{", "installed.json is damaged"),
    ] {
        std::fs::write(damaged, content).unwrap();
        if told != "is not as it was installed" {
            assert!(place.fail(&translate).contains("no model from fr to de"), "{told}");
        }
        let output = place.run(&["models", "install", "fr-en"], "");
        let said = text(&output.stderr);
        assert!(output.status.success() && said.contains(told) && said.contains("fr-en.tiny is installed\n"), "{said}");
        assert!(std::fs::read(&file).unwrap() == whole_file, "{told}");
    }
    std::fs::write(&described, "{").unwrap();
    place.succeed(&["models", "remove", "fr-en.tiny"], "");
    place.succeed(&["models", "install", "fr-en"], "");
    server.asked();
    place.succeed(&["models", "remove", "fr-en"], "");
    assert!(place.fail(&translate).contains("no model from fr to de"));
    assert!(place.fail(&["models", "remove", "fr-en"]).contains("no model fr-en is installed"));
    assert!(place.fail(&["models", "install", "fi-en"]).contains("no model fi-en; they have models of de, en, fr"));
    assert!(place.fail(&["translate"]).contains("--from TAG and --to TAG"));

    // Asked for together with a translation; then a list that brings a newer version.
    assert_eq!(
        place.succeed(&["translate", "--from", "fr", "--to", "en", "--install"], "Le chat.\n").lines().count(),
        1
    );
    let newer: Vec<Value> = vec![
        record(&server, ("fr", "en"), "model", "3.1", &weights("swish")),
        record(&server, ("fr", "en"), "vocab", "3.0", &vocabulary()),
    ];
    server.set(RECORDS, whole(json!({"data": newer}).to_string()));
    assert!(
        place
            .succeed(&["models", "list"], "")
            .lines()
            .any(|line| line.starts_with("fr-en.tiny") && line.ends_with("update"))
    );
    place.succeed(&["models", "install", "fr-en"], "");
    assert_eq!(std::fs::read(place.path("fr-en").join("model.fren.npz")).unwrap(), weights("swish"));
    let agents = &server.state.lock().unwrap().agents;
    assert!(agents.iter().all(|agent| agent.starts_with("wanderwort/") && !agent.contains("Chrome")), "{agents:?}");
}

/// An index with one model of Marian's files, its weights in the places given.
fn index(server: &Server, places: &[&str]) -> Value {
    let (model, vocabulary) = (weights("post-norm"), vocabulary());
    server.set("/x/vocab.fren.spm", whole(&*vocabulary));
    json!({"version": 1, "models": [{"source": "fr", "target": "en", "architecture": "tiny", "version": "3.0", "files": [
        {"role": "model", "url": places[0], "mirrors": &places[1..], "sha256": sha256(&model), "size": model.len()},
        {"role": "vocabulary", "url": "/x/vocab.fren.spm", "sha256": sha256(&vocabulary), "size": vocabulary.len()},
    ]}]})
}

#[test]
fn sources_are_tried_in_turn_and_what_was_cut_off_goes_on() {
    let server = Server::start();
    let model = weights("post-norm");
    let places = ["model.fren.npz", "/b/model.fren.npz", "/c/model.fren.npz.gz", "/d/model.fren.npz"];
    server.set("/index.json", Answer { statuses: vec![503], ..whole(index(&server, &places).to_string()) });
    server.set("/model.fren.npz", Answer { statuses: vec![406; 9], ..whole(&*model) });
    let mut wrong = model.clone();
    wrong[model.len() / 2] ^= 1;
    server.set("/b/model.fren.npz", whole(wrong));
    let packed = gzip(&model);
    server.set(
        "/c/model.fren.npz.gz",
        Answer { cut: Some((2, 15_000)), pause: Duration::from_millis(1), ..whole(&*packed) },
    );
    let place = Place::new(&server, "/index.json");
    place.succeed(&["models", "install", "fr-en"], "");
    assert_eq!(
        server.asked(),
        [
            "/index.json",
            "/index.json",
            "/model.fren.npz",
            "/b/model.fren.npz",
            "/c/model.fren.npz.gz",
            "/c/model.fren.npz.gz bytes=15000-",
            "/c/model.fren.npz.gz bytes=30000-",
            "/x/vocab.fren.spm",
        ]
    );
    assert_eq!(std::fs::read(place.path("fr-en").join("model.fren.npz")).unwrap(), model);

    // A list that cannot be reached counts as it was.
    server.set("/index.json", Answer { statuses: vec![503; 9], ..Answer::default() });
    place.succeed(&["models", "remove", "fr-en"], "");
    let output = place.run(&["models", "list"], "");
    assert!(output.status.success() && text(&output.stdout).contains("fr-en.tiny"));
    assert!(text(&output.stderr).contains("as it was the last time"), "{}", text(&output.stderr));
    server.asked();
    assert!(place.succeed(&["models", "list", "--offline"], "").contains("fr-en.tiny"));
    assert!(place.fail(&["models", "install", "fr-en", "--offline"]).contains("is not fetched: offline"));
    assert_eq!(server.asked(), [""; 0]);
}

/// A proxy that connects whoever asks for a host to this server, and what it was asked.
fn proxy(server: &Server) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (shared, target) = (Arc::clone(&asked), server.address.split_once("//").expect("a scheme").1.to_owned());
    for_each_connection(listener, move |mut client| {
        let Ok((first, _)) = head(&mut client) else { return };
        let is_tunnel = first.starts_with("CONNECT ");
        shared.lock().unwrap().push(first);
        if !is_tunnel || client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").is_err() {
            return;
        }
        let server = TcpStream::connect(&target).expect("the server is there");
        let copy = |mut from: TcpStream, mut to: TcpStream| {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        };
        let back = (server.try_clone().unwrap(), client.try_clone().unwrap());
        let returned = thread::spawn(move || copy(back.0, back.1));
        copy(client, server);
        let _ = returned.join();
    });
    (address, asked)
}

#[test]
fn the_proxy_and_the_certificates_of_the_environment_are_followed() {
    // A host that only the proxy knows, with a certificate that only the environment knows.
    let certificate = generate_simple_self_signed(["models.example".to_owned()]).expect("a certificate");
    let server = Server::start_secure(&certificate);
    let index = index(&server, &["/model.fren.npz"]);
    server.set("/index.json", whole(index.to_string()));
    server.set("/model.fren.npz", whole(weights("post-norm")));
    let (proxy, asked) = proxy(&server);
    let place = Place { list: "https://models.example/index.json".to_owned(), ..Place::new(&server, "") };
    let certificates = place.folder.path().join("certificates.pem");
    std::fs::write(&certificates, certificate.cert.pem()).unwrap();
    let install = |environment: &[(&str, &Path)]| {
        let mut command = place.command(&["models", "install", "fr-en", "--timeout", "5"]);
        for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"] {
            command.env_remove(name);
        }
        let output = command.envs(environment.iter().copied()).output().expect("the program runs");
        (output.status.success(), text(&output.stderr))
    };
    let by_proxy = ("HTTPS_PROXY", Path::new(&proxy));
    let (is_installed, error) = install(&[by_proxy]);
    assert!(!is_installed && error.contains("certificate"), "{error}");
    assert_eq!(server.asked(), [""; 0]);
    let (is_installed, error) = install(&[by_proxy, ("SSL_CERT_FILE", &certificates)]);
    assert!(is_installed, "{error}");
    assert_eq!(server.asked(), ["/index.json", "/model.fren.npz", "/x/vocab.fren.spm"]);
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    assert!(asked.iter().all(|line| line.starts_with("CONNECT models.example:443 ")), "{asked:?}");
    // Where it is not to be asked, nobody knows the host.
    place.succeed(&["models", "remove", "fr-en"], "");
    let (is_installed, _) = install(&[by_proxy, ("NO_PROXY", Path::new("models.example"))]);
    assert!(!is_installed && server.asked().is_empty());
}

/// What is in a folder and its folders, but for locks.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path.file_name().unwrap().to_string_lossy().into_owned()),
        }
    }
    found.retain(|name| !name.ends_with(".lock"));
    found
}

#[test]
fn what_is_wrong_is_not_installed() {
    let server = Server::start();
    let model = weights("post-norm");
    let list = index(&server, &["model.fren.npz"]);
    server.set("/index.json", whole(list.to_string()));
    let place = Place::new(&server, "/index.json");
    let installed = || place.succeed(&["models", "list", "--installed"], "");

    // Wrong everywhere: nothing of it stays.
    let mut wrong = model.clone();
    wrong[9] ^= 1;
    server.set("/model.fren.npz", whole(wrong));
    let error = place.fail(&["models", "install", "fr-en"]);
    assert!(error.contains("is not the file that its list tells"), "{error}");
    assert_eq!((installed().as_str(), files(&place.folder.path().join(".partial"))), ("", Vec::new()));

    // Longer than it may be, and in a form that cannot be unpacked.
    server.set("/model.fren.npz", whole([&model[..], b"more"].concat()));
    assert!(place.fail(&["models", "install", "fr-en"]).contains("at most"));
    server.set("/model.fren.npz", whole([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]));
    assert!(place.fail(&["models", "install", "fr-en"]).contains("zstd"));

    // Cut off for good by a server that sends no parts: what is there stays, and the next time goes on where it can.
    server.set("/model.fren.npz", Answer { cut: Some((99, 50_000)), ranges: false, ..whole(&*model) });
    let error = place.fail(&["models", "install", "fr-en"]);
    assert!(error.contains("fr") && !error.contains("panicked"), "{error}");
    assert_eq!(installed(), "");
    server.asked();
    server.set("/model.fren.npz", whole(&*model));
    place.succeed(&["models", "install", "fr-en"], "");
    assert_eq!(server.asked(), ["/index.json", "/model.fren.npz bytes=50000-", "/x/vocab.fren.spm"]);

    // A server that falls silent is given up.
    place.succeed(&["models", "remove", "fr-en"], "");
    server.set("/model.fren.npz", Answer { pause: Duration::from_secs(60), ..whole(&*model) });
    let start = Instant::now();
    place.fail(&["models", "install", "fr-en", "--timeout", "1"]);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());

    // The right bytes of a model that cannot be used.
    let mut list = list;
    let nonsense = b"no weights";
    list["models"][0]["files"][0]["sha256"] = sha256(nonsense).into();
    list["models"][0]["files"][0]["size"] = nonsense.len().into();
    server.set("/index.json", whole(list.to_string()));
    server.set("/model.fren.npz", whole(*nonsense));
    let error = place.fail(&["models", "install", "fr-en"]);
    assert!(error.contains("fr-en.tiny was fetched whole, but cannot be used"), "{error}");
    assert_eq!(installed(), "");

    // No list at all.
    server.set("/index.json", whole("<html>"));
    let other = Place::new(&server, "/index.json");
    assert!(other.fail(&["models", "list"]).contains("not JSON"));
}

#[test]
fn a_server_that_never_gets_further_is_given_up() {
    let server = Server::start();
    let model = weights("post-norm");
    server.set("/index.json", whole(index(&server, &["model.fren.npz"]).to_string()));
    let place = Place::new(&server, "/index.json");
    // It sends no parts, and stops sooner and later in turn; or a little later each time.
    let growing: Vec<usize> = (1..model.len() / 500).map(|step| 500 * step).collect();
    for (cuts, most) in [(vec![30_000, 40_000], 7), (growing, 14)] {
        server.asked();
        server.set("/model.fren.npz", Answer { cuts, ranges: false, ..whole(&*model) });
        place.fail(&["models", "install", "fr-en"]);
        let asked = server.asked().iter().filter(|path| path.starts_with("/model.fren.npz")).count();
        assert!((3..=most).contains(&asked), "{asked}");
    }
}

#[test]
fn a_disk_that_cannot_be_written_is_no_fault_of_the_bytes() {
    let server = Server::start();
    let model = weights("post-norm");
    server.set("/index.json", whole(index(&server, &["model.fren.npz", "/b/model.fren.npz"]).to_string()));
    server.set("/model.fren.npz", whole(&*model));
    server.set("/b/model.fren.npz", whole(&*model));
    let place = Place::new(&server, "/index.json");
    // A folder is where the file would be unpacked.
    let partial = place.folder.path().join(".partial/fr-en.tiny");
    let blocked = partial.join("files/model.fren.unpacked");
    std::fs::create_dir_all(&blocked).unwrap();
    let error = place.fail(&["models", "install", "fr-en"]);
    assert!(error.contains("cannot write") && error.contains("model.fren.unpacked"), "{error}");
    assert_eq!(server.asked(), ["/index.json", "/model.fren.npz"]);
    let part = files(&partial).into_iter().filter(|name| name.ends_with(".part")).count();
    assert_eq!(part, 1, "what was fetched is kept");
    std::fs::remove_dir(&blocked).unwrap();
    place.succeed(&["models", "install", "fr-en"], "");
    let again = format!("/model.fren.npz bytes={}-", model.len());
    assert_eq!(server.asked(), ["/index.json", &again, "/x/vocab.fren.spm"]);
}

#[test]
fn a_list_that_cannot_be_kept_is_used() {
    let server = Server::start();
    server.set("/index.json", whole(index(&server, &["model.fren.npz"]).to_string()));
    let place = Place::new(&server, "/index.json");
    std::fs::write(place.folder.path().join(".lists"), "a file where the folder would be").unwrap();
    let output = place.run(&["models", "list"], "");
    assert!(output.status.success() && text(&output.stdout).contains("fr-en.tiny"), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("not kept for later"), "{}", text(&output.stderr));
}

#[test]
fn a_mirror_serves_packages_and_a_direct_model_is_preferred() {
    let server = Server::start();
    let vocabulary = vocabulary();
    let mut models = serde_json::Map::new();
    for ((source, target), architecture) in
        [(("fr", "en"), "post-norm"), (("en", "de"), "pre-norm"), (("fr", "de"), "swish")]
    {
        let model = weights(architecture);
        let path = |name: &str| format!("models/{source}{target}/{name}.gz");
        server.set(&format!("/base/{}", path(&format!("model.{source}{target}.npz"))), whole(gzip(&model)));
        server.set(&format!("/base/{}", path(&format!("vocab.{source}{target}.spm"))), whole(gzip(&vocabulary)));
        let entry = json!({
            "sourceLanguage": source, "targetLanguage": target, "architecture": "tiny", "releaseStatus": "Release",
            "files": {
                "model": {"path": path(&format!("model.{source}{target}.npz")), "uncompressedSize": model.len(), "uncompressedHash": sha256(&model)},
                "vocab": {"path": path(&format!("vocab.{source}{target}.spm"))},
            },
        });
        models.insert(format!("{source}-{target}"), json!([entry]));
    }
    let registry = json!({"generated": "now", "baseUrl": format!("{}/base", server.address), "models": models});
    server.set("/db/models.json", whole(registry.to_string()));
    let place = Place::new(&server, "/db/models.json");
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("site");
    let mirror = ["models", "mirror", "--to", to.to_str().unwrap(), "--all"];
    place.succeed(&mirror, "");
    assert_eq!(server.asked().len(), 1 + 3 * 2);
    let index: Value = serde_json::from_slice(&std::fs::read(to.join("index.json")).unwrap()).unwrap();
    assert_eq!(index["models"].as_array().unwrap().len(), 3);
    // Once more, only the list is asked for.
    place.succeed(&mirror, "");
    assert_eq!(server.asked(), ["/db/models.json"]);

    for name in std::fs::read_dir(&to).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap()) {
        server.set(&format!("/site/{name}"), whole(std::fs::read(to.join(&name)).unwrap()));
    }
    let reader = Place::new(&server, "/site/index.json");
    reader.succeed(&["models", "install", "fr-en", "en-de"], "");
    let translate = ["translate", "--from", "fr", "--to", "de"];
    let line = "Le chat dort sur la table.\n";
    let through = reader.succeed(&translate, line);
    reader.succeed(&["models", "install", "fr-de"], "");
    let asked = ["index.json", "fr-en.tiny.wanderwort", "en-de.tiny.wanderwort", "index.json", "fr-de.tiny.wanderwort"];
    assert_eq!(server.asked(), asked.map(|name| format!("/site/{name}")));
    let path = reader.path("fr-de");
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(to.join("fr-de.tiny.wanderwort")).unwrap());
    let direct = reader.succeed(&translate, line);
    assert_eq!(direct, reader.succeed(&["translate", "--model", path.to_str().unwrap()], line));
    assert_ne!(direct, through, "random weights agree on nothing");
}
