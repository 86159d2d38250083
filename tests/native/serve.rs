//! `wanderwort serve` as programs meet it: the real server with the real model, over loopback.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};
use wanderwort::text::html::translate_html;
use wanderwort::{LoadOptions, TranslateOptions, Translator};

const MODEL: &str = "models/en-de.tiny.wanderwort";

/// Longest that a test waits for anything.
const PATIENCE: Duration = Duration::from_secs(120);

fn translator() -> &'static Translator {
    static TRANSLATOR: OnceLock<Translator> = OnceLock::new();
    TRANSLATOR.get_or_init(|| Translator::open(MODEL, &LoadOptions::default()).expect("the model"))
}

/// What the library has of a text.
fn expected(text: &str) -> String {
    translator().translate(text, &TranslateOptions::default()).text
}

/// A model whose files do not tell its languages, in a folder of its own.
fn unstated() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let prototype = std::path::Path::new("tests/data/en-de.prototype");
    for (name, unstated) in [
        ("model.ende.intgemm.alphas.bin.gz", "model.bin.gz"),
        ("vocab.ende.spm", "vocab.spm"),
        ("lex.50.50.ende.s2t.bin.gz", "lex.bin.gz"),
    ] {
        std::fs::copy(prototype.join(name), folder.path().join(unstated)).expect("a copy");
    }
    folder
}

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(options: &[&str]) -> Server {
        Server::spawn(options, &[], &[MODEL])
    }

    fn spawn(options: &[&str], environment: &[(&str, &str)], models: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(options);
        for model in models {
            command.args(["--model", model]);
        }
        command.env_remove("WANDERWORT_TOKEN").envs(environment.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("it prints");
        let address = line.trim_end().strip_prefix("http://").unwrap_or_default().to_owned();
        if address.is_empty() {
            let output = child.wait_with_output().expect("it ends");
            panic!("no address but {line:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Server { child, address }
    }

    fn connect(&self) -> Connection {
        let stream = TcpStream::connect(&self.address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        Connection { reader: BufReader::new(stream) }
    }

    fn get(&self, path: &str) -> Answer {
        self.connect().ask("GET", path, &[], b"")
    }

    fn json(&self, path: &str, body: &Value) -> Answer {
        self.connect().json(path, body)
    }

    fn form(&self, path: &str, body: &str) -> Answer {
        let headers = [("Content-Type", "application/x-www-form-urlencoded")];
        self.connect().ask("POST", path, &headers, body.as_bytes())
    }

    /// A figure by its name in the exposition format.
    fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").body;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().expect("a number")
    }

    fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(status.expect("kill is there").success());
    }

    /// Ends it in order, and gives back what it wrote.
    fn end(mut self) -> Output {
        self.signal("-TERM");
        let started = Instant::now();
        while self.child.try_wait().expect("it is a child").is_none() {
            assert!(started.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
        let mut stderr = Vec::new();
        self.child.stderr.take().expect("a pipe").read_to_end(&mut stderr).expect("it can be read");
        Output { status: self.child.wait().expect("it has ended"), stdout: Vec::new(), stderr }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that stays open.
struct Connection {
    reader: BufReader<TcpStream>,
}

#[derive(Debug)]
struct Answer {
    status: u16,
    headers: HashMap<String, String>,
    body: String,
}

impl Answer {
    fn value(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The body of an answer that must be good.
    fn good(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.value()
    }
}

impl Connection {
    fn send(&mut self, bytes: &[u8]) {
        self.reader.get_mut().write_all(bytes).expect("the server takes it");
    }

    fn ask(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.begin(method, path, headers, body);
        self.answer().expect("an answer")
    }

    fn begin(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        let request = [head.as_bytes(), b"\r\n", body].concat();
        self.send(&request);
    }

    fn json(&mut self, path: &str, body: &Value) -> Answer {
        self.begin_json(path, body);
        self.answer().expect("an answer")
    }

    fn begin_json(&mut self, path: &str, body: &Value) {
        self.begin("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes());
    }

    /// The next answer; none if the server has closed the connection.
    fn answer(&mut self) -> Option<Answer> {
        let mut first = String::new();
        match self.reader.read_line(&mut first) {
            Ok(0) => return None,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return None,
            read => read.expect("an answer in time"),
        };
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let mut headers = HashMap::new();
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).expect("a header");
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length").map_or(0, |length| length.parse().expect("a length"));
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).expect("a body");
        Some(Answer { status, headers, body: String::from_utf8(body).expect("UTF-8") })
    }
}

/// Sentences enough to keep the engine busy for a while, each different.
fn much(sentences: usize) -> String {
    let sentence = |index: usize| format!("The {index}th house at the end of the long road belongs to my old friend.");
    (0..sentences).map(sentence).collect::<Vec<_>>().join("\n")
}

/// Waits until something holds.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn libretranslate() {
    let server = Server::start(&[]);
    let text = "Where is the station?\n\nThe house is big. I have a dog.";
    let one = server.json("/translate", &json!({ "q": text, "source": "en", "target": "de" })).good();
    assert_eq!(one, json!({ "translatedText": expected(text) }));
    let form = server.form("/translate", "q=The+house+is+big.&source=EN&target=de-AT&format=text&api_key=");
    assert_eq!(form.good(), json!({ "translatedText": "Das Haus ist groß." }));

    // A list keeps its order and its length, with what needs no translation in it.
    let texts = ["I have a dog.", "", "42", "Where is the station?", "I have a dog."];
    let list = server.json("/translate", &json!({ "q": texts, "source": "en", "target": "de" })).good();
    assert_eq!(list, json!({ "translatedText": texts.map(expected) }));
    let form = server.form("/translate", "q=I+have+a+dog.&q=The+house+is+big.&source=en&target=de").good();
    assert_eq!(form["translatedText"], json!(["I have a dog.", "The house is big."].map(expected)));

    let html = "<p class='x'>The house is <b>big</b>.<br>I have a <a href=\"/d\">dog</a> &amp; a cat.</p><!-- end -->";
    let body = json!({ "q": html, "source": "en", "target": "de", "format": "html" });
    let translated = server.json("/translate", &body).good();
    let languages = wanderwort::text::documents::Languages { source: "en", target: "de" };
    let own = translate_html(html, &languages, |texts| {
        let translations = translator().translate_batch(texts, &TranslateOptions::default());
        translations.into_iter().map(Into::into).collect()
    });
    assert_eq!(translated["translatedText"], json!(own.expect("it is translated")));
    let shown = translated["translatedText"].as_str().expect("a text");
    for part in ["<p class='x'>", "<b>groß</b>", "<br>", "<a href=\"/d\">", "&amp;", "</p><!-- end -->"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }

    let body = json!({ "q": ["The house is big.", "Das Haus ist groß."], "source": "auto", "target": "de" });
    let detected = server.json("/translate", &body).good();
    assert_eq!(detected["translatedText"], json!(["Das Haus ist groß.", "Das Haus ist groß."]));
    assert_eq!(detected["detectedLanguage"][0]["language"], "en");
    assert_eq!(detected["detectedLanguage"][1]["language"], "de");

    let body = json!({ "q": "The house is big. I have a dog.", "source": "en", "target": "de", "alternatives": 3 });
    let others = server.json("/translate", &body).good();
    let alternatives = others["alternatives"].as_array().expect("a list");
    assert_eq!(alternatives.len(), 3);
    assert!(!alternatives.contains(&others["translatedText"]) && alternatives[0] != alternatives[1]);

    let body =
        json!({ "q": "The old house is big.", "source": "en", "target": "de", "prefix": "Dieses", "alternatives": 3 });
    let begun = server.json("/translate", &body).good();
    let alternatives = begun["alternatives"].as_array().expect("a list").iter();
    for text in alternatives.chain([&begun["translatedText"]]) {
        assert!(text.as_str().expect("a text").starts_with("Dieses"), "{begun}");
    }

    let detection = server.form("/detect", "q=Wo+ist+der+Bahnhof%3F").good();
    assert_eq!(detection[0]["language"], "de");
    assert!(detection[0]["confidence"].as_f64().is_some_and(|confidence| (0.0..=100.0).contains(&confidence)));
    let languages = server.get("/languages").good();
    assert_eq!(languages, json!([{ "code": "en", "name": "English", "targets": ["de"] }]));
    let settings = server.get("/frontend/settings").good();
    assert_eq!((&settings["charLimit"], &settings["keyRequired"]), (&json!(100_000), &json!(false)));
    assert_eq!(settings["language"]["target"], json!({ "code": "de", "name": "German" }));
}

#[test]
fn deepl() {
    let server = Server::start(&[]);
    let texts = ["The house is big.", "I have a dog."];
    let good: Vec<Value> =
        texts.map(|text| json!({ "detected_source_language": "EN", "text": expected(text) })).to_vec();
    let body = json!({ "text": texts, "target_lang": "DE", "source_lang": "EN", "context": "Of a friend." });
    assert_eq!(server.json("/v2/translate", &body).good(), json!({ "translations": good }));
    // Without a source it is found.
    let form = server.form("/v2/translate", "text=The+house+is+big.&text=I+have+a+dog.&target_lang=de");
    assert_eq!(form.good(), json!({ "translations": good }));
    let body = json!({ "text": ["The house is big."], "target_lang": "EN-US", "source_lang": "EN" });
    assert_eq!(server.json("/v2/translate", &body).good()["translations"][0]["text"], "The house is big.");

    let translate = |text: &str, options: Value| {
        let mut body = json!({ "text": [text], "target_lang": "DE", "source_lang": "EN" });
        body.as_object_mut().expect("an object").extend(options.as_object().expect("an object").clone());
        let answer = server.json("/v2/translate", &body).good();
        answer["translations"][0]["text"].as_str().expect("a text").to_owned()
    };
    assert_eq!(translate("The <i>house</i> is big.", json!({ "tag_handling": "html" })), "Das <i>Haus</i> ist groß.");
    // Sentences are found in markup unless it is said to be whole.
    let two = "<p>The house is big. I have a dog.</p>";
    let whole = translate(two, json!({ "tag_handling": "html", "split_sentences": "0" }));
    let options = TranslateOptions { sentences: wanderwort::Sentences::AreLines, ..TranslateOptions::default() };
    let taken_whole = translator().translate("The house is big. I have a dog.", &options).text;
    assert_eq!(whole, format!("<p>{taken_whole}</p>"));
    let xml = translate("<seg>The <x id=\"1\"/>house is <g>big</g>.</seg>", json!({ "tag_handling": "xml" }));
    assert!(xml.starts_with("<seg>") && xml.ends_with("</seg>"), "{xml}");
    assert!(xml.contains("<x id=\"1\"/>") && xml.contains("<g>groß</g>"), "{xml}");
    let options = json!({ "tag_handling": "xml", "ignore_tags": ["name"] });
    let kept = translate("<seg>The house is called <name>Big House</name>.</seg>", options);
    assert!(kept.contains("<name>Big House</name>"), "{kept}");
    // Elements that structure a text are found, or told.
    let [title, text] = ["My old", "dog is big."];
    let parts = format!("<doc><heading>{}</heading><par>{}</par></doc>", expected(title), expected(text));
    let document = format!("<doc><heading>{title}</heading><par>{text}</par></doc>");
    assert_eq!(translate(&document, json!({ "tag_handling": "xml" })), parts);
    let without = json!({ "tag_handling": "xml", "outline_detection": "0" });
    assert_ne!(translate(&document, without), parts);
    let told = json!({ "tag_handling": "xml", "outline_detection": false, "splitting_tags": "par, heading" });
    assert_eq!(translate(&document, told), parts);
    let other = json!({ "tag_handling": "xml", "ignore_tags": ["div"], "non_splitting_tags": "div" });
    assert_eq!(translate("<s>The house is big.</s>", other), "<s>Das Haus ist groß.</s>");
    let lines = "<doc>\n<g>The house</g>\n<g>is big.</g>\n</doc>";
    let whole = translate(lines, json!({ "tag_handling": "xml", "non_splitting_tags": ["g"] }));
    assert_eq!(whole, "<doc>\n<g>Das Haus</g>\n<g>ist groß.</g>\n</doc>");
    // As one sentence, as two, and as one over the end of a line.
    let as_one = TranslateOptions { sentences: wanderwort::Sentences::AreLines, ..TranslateOptions::default() };
    let text = "I have a dog. The house is big.";
    let own = translator().translate(text, &as_one).text;
    assert_eq!(translate(text, json!({ "split_sentences": "0" })), own);
    assert_eq!(translate(text, json!({ "split_sentences": true })), expected(text));
    let in_paragraphs =
        TranslateOptions { sentences: wanderwort::Sentences::InParagraphs, ..TranslateOptions::default() };
    let text = "I have a\ndog.";
    let own = translator().translate(text, &in_paragraphs).text;
    assert_eq!(translate(text, json!({ "split_sentences": "nonewlines" })), own);

    let count = server.get("/v2/usage").good()["character_count"].as_u64().expect("a count");
    server.form("/v2/translate", "text=The+house+is+big.&target_lang=de").good();
    let usage = server.form("/v2/usage", "").good();
    assert_eq!(usage["character_count"], count + "The house is big.".len() as u64);
    assert!(usage["character_limit"].as_u64().is_some_and(|limit| limit > count));
    let sources = server.get("/v2/languages?type=source").good();
    assert_eq!(sources, json!([{ "language": "EN", "name": "English" }]));
    assert_eq!(server.get("/v2/languages").good(), sources);
    let targets = server.form("/v2/languages", "type=target").good();
    assert_eq!(targets, json!([{ "language": "DE", "name": "German", "supports_formality": false }]));
}

#[test]
fn immersive_translate() {
    let server = Server::start(&[]);
    let texts = ["The house is big.", "I have a dog."];
    let good = texts.map(|text| json!({ "detected_source_lang": "en", "text": expected(text) }));
    for source in ["auto", "en"] {
        let body = json!({ "source_lang": source, "target_lang": "de", "text_list": texts });
        assert_eq!(server.json("/immersive", &body).good(), json!({ "translations": good }));
    }
}

#[test]
fn who_runs_it_can_look_into_it() {
    let server = Server::start(&[]);
    assert_eq!(server.get("/health").good(), json!({ "status": "ok" }));
    let head = server.connect().ask("HEAD", "/health", &[], b"");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    server.json("/translate", &json!({ "q": "The house is big.", "source": "en", "target": "de" })).good();
    let metrics = server.get("/metrics");
    assert!(metrics.headers["content-type"].starts_with("application/openmetrics-text"));
    assert!(metrics.body.ends_with("# EOF\n") && !metrics.body.contains("house"));
    assert_eq!(server.metric("wanderwort_requests_total{path=\"/translate\",status=\"200\"}"), 1.0);
    assert_eq!(server.metric("wanderwort_characters_total"), 17.0);
    assert_eq!((server.metric("wanderwort_models"), server.metric("wanderwort_waiting_characters")), (1.0, 0.0));
    assert!(server.metric("wanderwort_model_bytes") > 1e6);
    let description = server.get("/openapi.json").good();
    assert_eq!(description["info"]["title"], "Wanderwort");
    // All that the description says can be asked is there.
    for (path, operations) in description["paths"].as_object().expect("paths") {
        for method in operations.as_object().expect("operations").keys() {
            let answer = server.connect().ask(&method.to_uppercase(), path, &[], b"");
            assert!(!matches!(answer.status, 404 | 405 | 500..), "{method} {path}: {answer:?}");
        }
    }
}

#[test]
fn what_is_wrong_is_told() {
    let server = Server::start(&["--max-text", "50", "--max-body", "1000"]);
    let json = [("Content-Type", "application/json")];
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let long = format!("{{\"q\": \"{}\", \"source\": \"en\", \"target\": \"de\"}}", "a".repeat(51));
    let empty = json!({ "q": vec![""; 13], "source": "en", "target": "de" }).to_string();
    let huge = "x".repeat(1001);
    for (method, path, headers, body, status, code) in [
        ("POST", "/translate", &json[..], "{\"q\": \"secret", 400, "malformed-body"),
        ("POST", "/translate", &json, "[\"secret\"]", 400, "malformed-body"),
        ("POST", "/translate", &json, "", 400, "missing-parameter"),
        ("POST", "/translate", &json, "{\"q\": \"secret\", \"target\": \"de\"}", 400, "missing-parameter"),
        (
            "POST",
            "/translate",
            &json,
            "{\"q\": {\"secret\": 1}, \"source\": \"en\", \"target\": \"de\"}",
            400,
            "invalid-parameter",
        ),
        ("POST", "/translate", &form, "q=secret&source=en&target=de&format=pdf", 400, "invalid-parameter"),
        ("POST", "/translate", &form, "q=a&source=en&target=de&format=html&prefix=secret", 400, "invalid-parameter"),
        ("POST", "/translate", &form, "q=secret&source=en&target=de&alternatives=-1", 400, "invalid-parameter"),
        ("POST", "/translate", &form, "q=secret&source=en&target=de&alternatives=99", 400, "invalid-parameter"),
        ("POST", "/translate", &form, "q=secret&source=de&target=en", 400, "unsupported-languages"),
        ("POST", "/translate", &form, "q=secret&source=xx&target=tlh", 400, "unsupported-languages"),
        ("POST", "/translate", &[("Content-Type", "text/plain")], "secret", 415, "media-type"),
        ("POST", "/translate", &json, &long, 413, "text-too-long"),
        ("POST", "/translate", &json, &empty, 413, "too-many-texts"),
        ("POST", "/translate", &json, &huge, 413, "body-too-long"),
        ("GET", "/translate", &[], "", 405, "method"),
        ("POST", "/languages", &[], "", 405, "method"),
        ("GET", "/secret", &[], "", 404, "path"),
        ("POST", "/detect", &form, "", 400, "missing-parameter"),
        ("POST", "/immersive", &json, "{\"text_list\": \"secret\"}", 400, "missing-parameter"),
        ("POST", "/v2/translate", &form, "text=secret", 400, "missing-parameter"),
        ("POST", "/v2/translate", &form, "text=secret&target_lang=de&glossary_id=1", 400, "invalid-parameter"),
        ("POST", "/v2/translate", &form, "text=secret&target_lang=de&formality=more", 400, "invalid-parameter"),
        ("POST", "/v2/translate", &form, "text=secret&target_lang=de&tag_handling=md", 400, "invalid-parameter"),
        ("GET", "/v2/languages?type=both", &[], "", 400, "invalid-parameter"),
    ] {
        let answer = server.connect().ask(method, path, headers, body.as_bytes());
        let value = answer.value();
        let told = if path.starts_with("/v2/") { "message" } else { "error" };
        assert_eq!((answer.status, &value["code"]), (status, &json!(code)), "{method} {path} {body}: {value}");
        let message = value[told].as_str().expect("a message");
        assert!(message.contains("expected") || status == 405, "{message}");
        assert!(!message.contains("secret") && !message.contains("aaa"), "{message}");
        assert_eq!(answer.headers.contains_key("allow"), status == 405, "{answer:?}");
    }
    // A body that does not tell its length.
    let mut connection = server.connect();
    connection.send(b"POST /translate HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    connection.send(format!("400\r\n{}\r\n400\r\n", "x".repeat(1024)).as_bytes());
    assert_eq!(connection.answer().expect("an answer").status, 413);
    // What is no HTTP at all.
    let mut connection = server.connect();
    connection.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 secret\r\n\r\n");
    assert!(connection.answer().is_none_or(|answer| answer.status == 400));
    assert_eq!(server.get("/health").status, 200);
    let output = server.end();
    assert_eq!((output.status.success(), String::from_utf8_lossy(&output.stderr).as_ref()), (true, ""));
}

#[test]
fn a_token_opens_the_server() {
    let server = Server::spawn(&[], &[("WANDERWORT_TOKEN", "right")], &[MODEL]);
    let body = "text=I+have+a+dog.&q=I+have+a+dog.&target_lang=de&source=en&target=de";
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let ask = |path: &str, authorization: Option<&str>, body: &str| {
        let mut headers = vec![form];
        headers.extend(authorization.map(|value| ("Authorization", value)));
        server.connect().ask("POST", path, &headers, body.as_bytes()).status
    };
    for path in ["/translate", "/v2/translate"] {
        assert_eq!(ask(path, None, body), 403);
        for (authorization, status) in [
            ("Bearer right", 200),
            ("DeepL-Auth-Key right", 200),
            ("DeepL-Auth-Key wrong", 403),
            ("Bearer", 403),
            ("right", 403),
        ] {
            assert_eq!(ask(path, Some(authorization), body), status, "{path} {authorization}");
        }
    }
    assert_eq!(ask("/translate", None, &format!("{body}&api_key=right")), 200);
    assert_eq!(ask("/translate", None, &format!("{body}&api_key=rightt")), 403);
    assert_eq!(ask("/v2/translate", None, &format!("{body}&auth_key=right")), 200);
    for (path, status) in [("/health", 200), ("/openapi.json", 200), ("/metrics", 403), ("/languages", 403)] {
        assert_eq!(server.get(path).status, status, "{path}");
    }
    assert!(!server.get("/metrics").body.contains("right"));
}

#[test]
fn pages_of_other_origins_read_answers_only_if_they_are_named() {
    let named = "https://reader.example";
    let closed = Server::start(&[]);
    let open = Server::start(&["--allow-origin", named]);
    let all = Server::start(&["--allow-origin", "*"]);
    for (server, origin, allowed) in [
        (&closed, named, None),
        (&open, named, Some(named)),
        (&open, "https://other.example", None),
        (&all, "https://other.example", Some("https://other.example")),
    ] {
        let origin = [("Origin", origin)];
        for (method, status) in [("OPTIONS", 204), ("POST", 200)] {
            let body: &[u8] =
                if method == "POST" { b"{\"q\": \"I\", \"source\": \"en\", \"target\": \"de\"}" } else { b"" };
            let answer = server.connect().ask(method, "/translate", &origin, body);
            assert_eq!(answer.status, status, "{answer:?}");
            let field = |name: &str| answer.headers.get(name).map(String::as_str);
            assert_eq!(field("access-control-allow-origin"), allowed, "{method} {origin:?}");
            let is_preflight = method == "OPTIONS" && allowed.is_some();
            assert_eq!(field("access-control-allow-methods").is_some(), is_preflight, "{method} {origin:?}");
        }
    }
    // An error is for the page too.
    let error = open.connect().ask("GET", "/nothing", &[("Origin", named)], b"");
    assert_eq!((error.status, error.headers["access-control-allow-origin"].as_str()), (404, named));
}

#[test]
fn clients_share_the_engine() {
    let server = Server::start(&["--threads", "1"]);
    let large = much(400);
    let mut greedy = server.connect();
    greedy.begin_json("/translate", &json!({ "q": large, "source": "en", "target": "de" }));
    eventually("it waits", || server.metric("wanderwort_waiting_characters") > 0.0);
    let mut modest = server.connect();
    for text in ["I have a dog.", "The house is big."] {
        let answer = modest.json("/translate", &json!({ "q": text, "source": "en", "target": "de" })).good();
        assert_eq!(answer["translatedText"], expected(text));
    }
    // Both came through while the first client still had sentences in the queue.
    assert!(server.metric("wanderwort_waiting_characters") >= large.len() as f64);
    let answer = greedy.answer().expect("an answer").good();
    // Who shares it changes nothing of a translation.
    assert_eq!(answer["translatedText"], expected(&large));
}

#[test]
fn many_clients_at_once_get_their_own() {
    let server = Server::start(&["--threads", "2"]);
    let texts: Vec<String> = much(64).lines().map(str::to_owned).collect();
    let good: Vec<String> = texts.iter().map(|text| expected(text)).collect();
    thread::scope(|scope| {
        for (texts, good) in texts.chunks(4).zip(good.chunks(4)) {
            let server = &server;
            scope.spawn(move || {
                let mut connection = server.connect();
                for (text, good) in texts.iter().zip(good) {
                    let body = json!({ "q": text, "source": "en", "target": "de" });
                    assert_eq!(connection.json("/translate", &body).good()["translatedText"], **good);
                }
            });
        }
    });
    assert_eq!(server.metric("wanderwort_waiting_characters"), 0.0);
}

#[test]
fn who_leaves_is_not_worked_for() {
    let server = Server::start(&["--threads", "1"]);
    let large = much(300);
    let body = json!({ "q": large, "source": "en", "target": "de" });
    let started = Instant::now();
    server.json("/translate", &body).good();
    let whole = started.elapsed();
    let html =
        json!({ "q": format!("<p>{}", large.replace('\n', "<p>")), "source": "en", "target": "de", "format": "html" });
    for (count, body) in [(1.0, &body), (2.0, &html)] {
        let started = Instant::now();
        let mut connection = server.connect();
        connection.begin_json("/translate", body);
        eventually("it waits", || server.metric("wanderwort_waiting_characters") > 0.0);
        drop(connection);
        eventually("it is dropped", || server.metric("wanderwort_waiting_characters") == 0.0);
        // The engine is free at once: a sentence does not wait for what nobody wants.
        server.json("/translate", &json!({ "q": "I have a dog.", "source": "en", "target": "de" })).good();
        assert!(started.elapsed() < whole / 2, "{:?} of {whole:?}", started.elapsed());
        assert_eq!(server.metric("wanderwort_cancelled_requests_total"), count);
    }
}

#[test]
fn what_waits_is_bounded() {
    let server = Server::start(&["--threads", "1", "--queue", "20000"]);
    let mut first = server.connect();
    // One request always has room, however long it is.
    first.begin_json("/translate", &json!({ "q": much(300), "source": "en", "target": "de" }));
    eventually("it waits", || server.metric("wanderwort_waiting_characters") > 0.0);
    for path in ["/translate", "/v2/translate"] {
        let body = "q=I+have+a+dog.&source=en&target=de&text=I+have+a+dog.&target_lang=de";
        let busy = server.form(path, body);
        assert_eq!((busy.status, &busy.value()["code"]), (429, &json!("busy")), "{busy:?}");
        let seconds: u64 = busy.headers["retry-after"].parse().expect("seconds");
        assert!((1..=60).contains(&seconds), "{seconds}");
    }
    first.answer().expect("an answer").good();
    server.form("/translate", "q=I+have+a+dog.&source=en&target=de").good();
}

#[test]
fn what_takes_too_long_is_given_up() {
    let server = Server::start(&["--threads", "1", "--timeout", "0.2"]);
    let late = server.json("/translate", &json!({ "q": much(300), "source": "en", "target": "de" }));
    assert_eq!((late.status, &late.value()["code"]), (504, &json!("timeout")));
    eventually("it is dropped", || server.metric("wanderwort_waiting_characters") == 0.0);
    // A busy machine may need several attempts at a short one.
    let short = json!({ "q": "I have a dog.", "source": "en", "target": "de" });
    eventually("a short one is in time", || server.json("/translate", &short).status == 200);
}

#[test]
fn slow_and_silent_clients_do_no_harm() {
    let server = Server::start(&["--patience", "1"]);
    let silent: Vec<Connection> = (0..50).map(|_| server.connect()).collect();
    let mut half_head = server.connect();
    half_head.send(b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-");
    let mut half_body = server.connect();
    half_body.send(b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nq=I+have");
    let mut early_end = server.connect();
    early_end.send(b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nq=I+have");
    early_end.reader.get_ref().shutdown(std::net::Shutdown::Both).expect("it is open");
    // An answer that nobody reads.
    let mut unread = server.connect();
    unread.begin("GET", "/openapi.json", &[], b"");
    server.json("/translate", &json!({ "q": "I have a dog.", "source": "en", "target": "de" })).good();
    assert_eq!(half_body.answer().map(|answer| answer.status), Some(408));
    assert!(half_head.answer().is_none_or(|answer| answer.status == 408));
    for mut connection in silent {
        assert!(connection.answer().is_none_or(|answer| answer.status == 408), "it is closed");
    }
    eventually("all are closed", || server.metric("wanderwort_connections") <= 2.0);
}

#[test]
fn connections_are_bounded_and_wait() {
    let server = Server::start(&["--connections", "2", "--patience", "2"]);
    let mut first = server.connect();
    let second = server.connect();
    assert_eq!(first.ask("GET", "/health", &[], b"").status, 200);
    let mut third = server.connect();
    third.begin("GET", "/health", &[], b"");
    drop(second);
    assert_eq!(third.answer().map(|answer| answer.status), Some(200));
}

#[test]
fn it_ends_when_running_requests_have() {
    for signal in ["-TERM", "-INT"] {
        let mut server = Server::start(&["--threads", "1", "--grace", "100"]);
        let mut idle = server.connect();
        assert_eq!(idle.ask("GET", "/health", &[], b"").status, 200);
        let mut running = server.connect();
        let text = much(60);
        running.begin_json("/translate", &json!({ "q": text, "source": "en", "target": "de" }));
        eventually("it waits", || server.metric("wanderwort_waiting_characters") > 0.0);
        server.signal(signal);
        eventually("nobody is let in", || TcpStream::connect(&server.address).is_err());
        assert!(idle.answer().is_none(), "who asks nothing is not waited for");
        let answer = running.answer().expect("an answer").good();
        assert_eq!(answer["translatedText"].as_str().map(|text| text.lines().count()), Some(60));
        assert!(server.child.wait().expect("it ends").success());
    }
    // What does not end in time is left.
    let mut server = Server::start(&["--threads", "1", "--grace", "0.1"]);
    let mut running = server.connect();
    running.begin_json("/translate", &json!({ "q": much(300), "source": "en", "target": "de" }));
    eventually("it waits", || server.metric("wanderwort_waiting_characters") > 0.0);
    server.signal("-TERM");
    assert!(server.child.wait().expect("it ends").success());
    assert!(running.answer().is_none());
}

#[test]
fn models_come_and_go_within_their_memory() {
    // The same model under the names of several: what it makes of other languages does not matter here.
    let unstated = unstated();
    let models = ["en-de", "de-en", "fr-en"].map(|pair| format!("{pair}={}", unstated.path().display()));
    let models = models.each_ref().map(String::as_str);
    let [english, german] = ["en", "de"].map(wanderwort::Language::from_tag);
    let options = LoadOptions { source_language: english, target_language: german, ..LoadOptions::default() };
    let translator = Translator::open(unstated.path(), &options).expect("the model");
    let one = translator.info().weight_bytes;
    let mebibytes = |models: usize| (one * models + one / 2).div_ceil(1 << 20).to_string();
    let server = Server::spawn(&["--memory", &mebibytes(2)], &[], &models);
    let languages = server.get("/languages").good();
    let targets: Vec<(&Value, &Value)> =
        languages.as_array().expect("a list").iter().map(|one| (&one["code"], &one["targets"])).collect();
    assert_eq!(
        targets,
        [(&json!("en"), &json!(["de"])), (&json!("de"), &json!(["en"])), (&json!("fr"), &json!(["de", "en"]))]
    );
    // All were loaded to learn their languages, and two stayed.
    let state = || (server.metric("wanderwort_models"), server.metric("wanderwort_model_loads_total"));
    assert_eq!(state(), (2.0, 3.0));
    let ask = |from: &str, to: &str| {
        server.json("/translate", &json!({ "q": "I have a dog.", "source": from, "target": to })).good()
    };
    ask("fr", "en");
    assert_eq!(state(), (2.0, 3.0));
    ask("de", "en");
    ask("fr", "en");
    // The one that was used least recently goes.
    let expected = translator.translate("I have a dog.", &TranslateOptions::default()).text;
    assert_eq!(ask("en", "de")["translatedText"], expected);
    assert_eq!(state(), (2.0, 4.0));
    ask("fr", "en");
    assert_eq!(state(), (2.0, 4.0));
    ask("de", "en");
    assert_eq!(state(), (2.0, 5.0));
    // Two models one after the other, both at once in memory.
    ask("fr", "de");
    assert_eq!(state(), (2.0, 6.0));
    assert!(server.metric("wanderwort_model_bytes") <= (2 * one) as f64);
    // A half that is asked for directly is the same model.
    ask("fr", "en");
    ask("en", "de");
    ask("fr", "de");
    assert_eq!(state(), (2.0, 6.0));

    // Many who want different ones get them in turn.
    let small = Server::spawn(&["--memory", &mebibytes(1)], &[], &models);
    thread::scope(|scope| {
        for (from, to) in [("en", "de"), ("de", "en"), ("fr", "en"), ("fr", "de"), ("en", "de"), ("fr", "de")] {
            let small = &small;
            scope.spawn(move || {
                for _ in 0..3 {
                    small.json("/translate", &json!({ "q": "I have a dog.", "source": from, "target": to })).good();
                }
            });
        }
    });
    assert!(small.metric("wanderwort_models") <= 2.0);
}

#[test]
fn who_waits_for_a_model_holds_none() {
    let unstated = unstated();
    let french = format!("fr-de={}", unstated.path().display());
    // One model fits at a time.
    let server = Server::spawn(&["--memory", "1", "--timeout", "60"], &[], &[MODEL, &french]);
    let texts = ["Where is the station of this town?", "La maison de ma mère est grande et belle."];
    let mixed = json!({ "q": texts, "source": "auto", "target": "de" });
    let english = json!({ "q": texts[0], "source": "en", "target": "de" });
    thread::scope(|scope| {
        for body in [&mixed, &english, &mixed, &english] {
            let server = &server;
            scope.spawn(move || {
                let answer = server.json("/translate", body).good();
                let first = if body["q"].is_array() { &answer["translatedText"][0] } else { &answer["translatedText"] };
                assert_eq!(*first, expected(texts[0]));
            });
        }
    });
    assert_eq!(server.metric("wanderwort_models"), 1.0);
}

#[test]
fn a_model_that_nobody_waits_for_any_longer_serves_the_next() {
    let unstated = unstated();
    let french = format!("fr-de={}", unstated.path().display());
    let server = Server::spawn(&["--memory", "1"], &[], &[&french, MODEL]);
    let loads = || server.metric("wanderwort_model_loads_total");
    assert_eq!((loads(), server.metric("wanderwort_models")), (2.0, 1.0));
    let body = json!({ "q": "La maison est grande.", "source": "fr", "target": "de" });
    for _ in 0..20 {
        let mut gone = server.connect();
        gone.begin_json("/translate", &body);
        thread::sleep(Duration::from_millis(5));
    }
    eventually("the model is loaded", || loads() == 3.0);
    server.json("/translate", &body).good();
    assert_eq!((loads(), server.metric("wanderwort_models")), (3.0, 1.0));
}

#[test]
fn a_text_is_taken_for_one_that_can_be_translated() {
    let unstated = unstated();
    let french = format!("en-fr={}", unstated.path().display());
    let server = Server::spawn(&[], &[], &[MODEL, &french]);
    let texts = ["Home", "Contact", "Service", "Restaurant", "Cancel", "Dates"];
    for q in texts.map(|text| json!(text)).into_iter().chain([json!(texts)]) {
        let found = server.json("/translate", &json!({ "q": q, "source": "auto", "target": "de" })).good();
        let detected = &found["detectedLanguage"];
        let detected = detected.as_array().cloned().unwrap_or_else(|| vec![detected.clone()]);
        // A single word may be German, too.
        assert!(detected.iter().all(|one| one["language"] == "en" || one["language"] == "de"), "{found}");
    }
    // What cannot be translated to this language at all is an error as before.
    let body = json!({ "q": "Home", "source": "auto", "target": "es" });
    assert_eq!(server.json("/translate", &body).status, 400);
}

#[test]
fn installed_models_are_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = folder.path().join("tiny/files");
    std::fs::create_dir_all(&files).expect("a folder");
    let size = std::fs::copy(MODEL, files.join("en-de.tiny.wanderwort")).expect("a copy");
    let file = json!({ "name": "en-de.tiny.wanderwort", "size": size, "sha256": "", "package": true });
    let installed =
        json!({ "name": "tiny", "source": "en", "target": "de", "version": "1", "licence": "", "files": [file] });
    std::fs::write(folder.path().join("tiny/installed.json"), installed.to_string()).expect("a description");
    let server = Server::spawn(&["--folder", folder.path().to_str().expect("UTF-8")], &[], &[]);
    assert_eq!(server.metric("wanderwort_models"), 0.0, "none is loaded before it is wanted");
    let body = json!({ "q": "I have a dog.", "source": "en", "target": "de" });
    assert_eq!(server.json("/translate", &body).good()["translatedText"], expected("I have a dog."));
    assert_eq!(server.metric("wanderwort_models"), 1.0);

    let damaged = Server::spawn(&["--folder", folder.path().to_str().expect("UTF-8")], &[], &[]);
    std::fs::write(files.join("en-de.tiny.wanderwort"), b"nothing").expect("a file");
    let answer = damaged.json("/translate", &body);
    assert_eq!((answer.status, &answer.value()["code"]), (500, &json!("model")));
    assert_eq!(damaged.get("/health").status, 200);
}

#[test]
fn what_cannot_be_served_is_told_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().to_str().expect("UTF-8");
    let contradicted = format!("fr-de={MODEL}");
    for (options, message) in [
        (["--folder", empty, "--listen", "127.0.0.1:0"], "no model is installed"),
        (["--model", "Cargo.toml", "--listen", "127.0.0.1:0"], "cannot load Cargo.toml"),
        (["--model", MODEL, "--listen", "127.0.0.1:x"], "cannot listen on 127.0.0.1:x"),
        (["--model", &contradicted, "--listen", "127.0.0.1:0"], "translates from en, and the pair in front says fr"),
        (["--model", MODEL, "--token", " "], "the token: expected"),
        (["--model", MODEL, "--timeout", "0"], "expected a number above 0"),
        (["--model", MODEL, "--memory", "18446744073709551615"], "1..=16777216"),
        (["--model", MODEL, "--connections", "9223372036854775807"], "1..=1048576"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_wanderwort")).arg("serve").args(options).output();
        let output = output.expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && stderr.contains(message), "{stderr}");
    }
    // A server that was to have a token is not open because its token is unusable.
    for token in [&b"secret\xff"[..], b"", b" secret", b"two\nlines"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--model", MODEL]);
        command.env("WANDERWORT_TOKEN", OsStr::from_bytes(token)).stdin(Stdio::null());
        // One that starts after all would listen for ever: its first line ends the test.
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("it prints");
        let _ = if line.is_empty() { Ok(()) } else { child.kill() };
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            line.is_empty() && output.status.code() == Some(1) && stderr.contains("the token: expected"),
            "{stderr}"
        );
    }
}
