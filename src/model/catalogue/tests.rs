use super::*;
use serde_json::json;
use sha2::Digest;

const RECORDS: &str =
    "https://firefox.settings.services.mozilla.com/v1/buckets/main/collections/translations-models-v2/records";
const REGISTRY: &str =
    "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/db/models.json";

fn file(name: &str) -> Vec<u8> {
    std::fs::read(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn records() -> Catalogue {
    Catalogue::read(RECORDS, &file("tests/data/registry/records.json")).expect("the records")
}

fn registry() -> Catalogue {
    Catalogue::read(REGISTRY, &file("tests/data/registry/models.json")).expect("the registry")
}

fn names(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.models.iter().map(|model| model.name.as_str()).collect()
}

fn value(url: &str, value: serde_json::Value) -> Catalogue {
    Catalogue::read(url, value.to_string().as_bytes()).expect("a list")
}

#[test]
fn an_index_is_read_with_addresses_relative_to_it() {
    let catalogue = Catalogue::read("https://models.example/all/index.json", &file("models/index.json")).expect("ours");
    assert_eq!(names(&catalogue), ["de-en.tiny", "en-de.tiny"]);
    let model = &catalogue.models[1];
    assert_eq!((model.source.as_str(), model.target.as_str()), ("en", "de"));
    let package = model.file(Part::Package).expect("a package");
    assert_eq!(package.locations[0].url, "https://models.example/all/en-de.tiny.wanderwort");
    let bytes = file("models/en-de.tiny.wanderwort");
    assert_eq!((package.size, model.download_size()), (Some(bytes.len() as u64), bytes.len() as u64));
    assert_eq!(package.sha256, Some(Sha256(sha2::Sha256::digest(&bytes).into())));

    let files = |url: &str| json!([{"role": "package", "url": url, "mirrors": ["/b/c.wanderwort", "https://c.example/c.wanderwort"]}, {"role": "poem", "url": 5}]);
    let entry = |url: &str| json!({"source": "en", "target": "fr", "version": "3.1", "files": files(url)});
    let catalogue = value(
        "http://a.example/x/index.json?y=/z",
        json!({"version": 1, "models": [entry("c.wanderwort"), entry("ftp://a/b"), {"source": "en"}]}),
    );
    let urls: Vec<&str> = catalogue.models[0].files[0].locations.iter().map(|location| location.url.as_str()).collect();
    assert_eq!(
        urls,
        ["http://a.example/x/c.wanderwort", "http://a.example/b/c.wanderwort", "https://c.example/c.wanderwort"]
    );
    assert_eq!((catalogue.models.len(), catalogue.models[0].name.as_str()), (1, "en-fr"));
    assert_eq!(catalogue.notes.len(), 2, "{:?}", catalogue.notes);
    assert!(catalogue.notes[0].to_string().contains("`url`") && catalogue.notes[1].to_string().contains("`target`"));
}

#[test]
fn records_are_put_together_to_models() {
    let catalogue = records();
    assert_eq!(catalogue.notes, []);
    assert_eq!(
        names(&catalogue),
        [
            "de-en.base-memory",
            "en-de.base-memory",
            "en-fr.base-memory",
            "en-zh-Hans.base-memory",
            "fr-en.base-memory",
            "ja-en.base-memory",
            "ja-en.base"
        ]
    );
    let french = &catalogue.models[2];
    assert_eq!(french.version.to_string(), "3.0");
    assert_eq!(french.download_size(), 22_542_574 + 1_703_263 + 348_946);
    let parts: Vec<Part> = french.files.iter().map(|file| file.part).collect();
    assert_eq!(parts, [Part::Model, Part::Shortlist, Part::Vocabulary]);
    let model = &french.files[0];
    assert_eq!((model.name.as_str(), model.size), ("model.enfr.intgemm.alphas.bin", Some(31_561_787)));
    let location = &model.locations[0];
    assert!(location.url.starts_with("https://firefox-settings-attachments.cdn.mozilla.net/main-workspace/"));
    assert_eq!(location.compression, Compression::Zstd);
    let chinese: Vec<Part> = catalogue.models[3].files.iter().map(|file| file.part).collect();
    assert_eq!(chinese, [Part::Model, Part::Shortlist, Part::SourceVocabulary, Part::TargetVocabulary]);
    // The newest version of each architecture.
    assert_eq!(catalogue.models[5].version.to_string(), "3.1");
    // A mirror of the records has the attachments too.
    let mirror = Catalogue::read("http://127.0.0.1:80/v1/records", &file("tests/data/registry/records.json")).unwrap();
    assert!(mirror.models[0].files[0].locations[0].url.starts_with("http://127.0.0.1:80/main-workspace/"));
}

#[test]
fn the_registry_is_read_and_joined_with_the_records() {
    let registry = registry();
    assert_eq!(names(&registry), ["cs-en.tiny", "en-fr.tiny", "en-fr.base-memory", "en-ko.base-memory"]);
    let locations = &registry.models[1].files[0].locations;
    assert_eq!(locations[0].compression, Compression::Gzip);
    assert!(locations[1].url.contains("/o/models%2Fen-fr%2Ftiny%2Fmodel.enfr.intgemm.alphas.bin.gz?alt=media"));
    let mut all = records();
    all.add(registry);
    let small = all.of_pair("en", "fr");
    assert_eq!(small.iter().map(|model| model.name.as_str()).collect::<Vec<_>>(), ["en-fr.tiny", "en-fr.base-memory"]);
    // The model that both lists have can be fetched from both, and its version is the records'.
    assert_eq!((small[1].files[0].locations.len(), small[1].version.to_string()), (3, "3.0".to_owned()));
    assert_eq!(small[1].files[1].locations.len(), 3);
    assert!(small[1].files.iter().all(|file| file.sha256.is_some()));
}

fn record(kind: &str, version: &str) -> serde_json::Value {
    json!({
        "name": format!("{kind}.xxyy.bin"), "fileType": kind, "version": version, "architecture": "tiny",
        "sourceLanguage": "xx", "targetLanguage": "yy", "decompressedSize": 5,
        "attachment": {"location": format!("{kind}-{version}.zst"), "size": 3, "mimetype": "application/zstd"},
    })
}

#[test]
fn the_newest_version_that_is_known_is_taken_and_others_are_said() {
    let versions = |catalogue: &Catalogue| {
        let file = |part| {
            catalogue.models[0].file(part).map(|file| file.locations[0].url.rsplit('/').next().unwrap().to_owned())
        };
        (file(Part::Model).unwrap(), file(Part::Vocabulary).unwrap(), file(Part::Shortlist))
    };
    let read = |records: &[serde_json::Value]| value("https://a.example/records", json!({"data": records}));
    // A vocabulary that did not change, an unknown kind of files, a list of a later model.
    let catalogue = read(&[
        record("model", "2.0"),
        record("vocab", "2.0"),
        record("model", "3.1"),
        record("model", "3.2a1"),
        record("quality", "3.1"),
        record("lex", "4.0"),
        record("model", "4.0"),
        record("vocab", "4.0"),
    ]);
    assert_eq!(versions(&catalogue), ("model-3.2a1.zst".into(), "vocab-2.0.zst".into(), None));
    assert_eq!(catalogue.notes.len(), 1);
    assert!(
        catalogue.notes[0].to_string().contains("xx-yy.tiny: version 4.0 needs a newer version"),
        "{}",
        catalogue.notes[0]
    );
    // A newer model that lacks its vocabulary is of no use, and an older one has its own.
    let catalogue =
        read(&[record("model", "3.1"), record("vocab", "3.2"), record("model", "3.0"), record("vocab", "3.0")]);
    assert_eq!(versions(&catalogue).1, "vocab-3.0.zst");
    let catalogue = read(&[record("model", "3.1"), record("lex", "3.0")]);
    assert_eq!((catalogue.models.len(), catalogue.notes[0].to_string().contains("Vocabulary")), (0, true));
    // A record that is only for trial is not for everybody.
    let mut nightly = record("model", "3.5");
    nightly["filter_expression"] = "env.channel == 'nightly'".into();
    let mut everybody = record("model", "3.0");
    everybody["filter_expression"] = "".into();
    assert_eq!(versions(&read(&[nightly, everybody, record("vocab", "3.0")])).0, "model-3.0.zst");
}

#[test]
fn entries_that_cannot_be_used_are_left_out_and_said() {
    for (field, wrong) in [
        ("sourceLanguage", json!("../../etc")),
        ("targetLanguage", json!(5)),
        ("architecture", json!("a/b")),
        ("version", json!("newest")),
        ("name", json!("..")),
        ("decompressedSize", json!(-1)),
        ("decompressedHash", json!("abc")),
        ("attachment", json!({"location": "http:/a b"})),
        ("fileType", json!(null)),
    ] {
        let mut record = record("model", "3.0");
        record[field] = wrong;
        let catalogue = value("https://a.example/records", json!({"data": [record]}));
        assert_eq!((catalogue.models.len(), catalogue.notes.len()), (0, 1), "{field}: {catalogue:?}");
    }
    for (list, expected) in [
        ("", "not JSON"),
        ("[]", "expected a list"),
        ("{\"data\": {}}", "expected a list"),
        ("{\"models\": [], \"version\": 2}", "version 2"),
        ("{\"models\": []}", "version null"),
    ] {
        let error = Catalogue::read("https://a.example/list", list.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("https://a.example/list") && error.contains(expected), "{error}");
    }
    assert!(Catalogue::read("file:///etc/passwd", b"{}").is_err());
}

#[test]
fn a_pair_without_a_model_goes_through_english() {
    let mut catalogue = records();
    catalogue.add(registry());
    let route = |from, to, quality| {
        let models = catalogue.route(from, to, quality).map(Route::models).unwrap_or_default();
        models.into_iter().map(|model| model.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(route("en", "fr", Quality::Good), ["en-fr.base-memory"]);
    assert_eq!(route("en", "fr", Quality::Small), ["en-fr.tiny"]);
    assert_eq!(route("ja", "en", Quality::Good), ["ja-en.base"]);
    assert_eq!(route("ja", "fr", Quality::Small), ["ja-en.base-memory", "en-fr.tiny"]);
    assert_eq!(route("fr-CA", "zh", Quality::Good), ["fr-en.base-memory", "en-zh-Hans.base-memory"]);
    for (from, to) in [("fr", "zh-Hant"), ("fr", "fr"), ("fi", "en"), ("", "en")] {
        assert_eq!(route(from, to, Quality::Good), [""; 0], "{from} to {to}");
    }
}

#[test]
fn versions_are_in_order() {
    let ordered =
        ["0.9", "1.0a1", "1.0a2", "1.0", "1.2", "1.10", "2", "10.0"].map(|text| Version::parse(text).unwrap());
    assert!(ordered.is_sorted_by(|a, b| a < b), "{ordered:?}");
    assert_eq!(Version::parse("3.1.4").map(|version| version.to_string()).as_deref(), Some("3.1"));
    for wrong in ["", "v3", ".1", "3.0 beta", "99999999999.0"] {
        assert_eq!(Version::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn damaged_lists_end_with_an_error_or_a_catalogue() {
    for (url, path) in [(RECORDS, "tests/data/registry/records.json"), (REGISTRY, "tests/data/registry/models.json")] {
        let whole = file(path);
        for at in (0..whole.len()).step_by(97) {
            for with in [&b""[..], b"\"", b"[", b"{}", b"-1", b"null", b"/../", "\u{10FFFF}".as_bytes()] {
                let damaged = [&whole[..at], with, &whole[at + 1..]].concat();
                if let Ok(catalogue) = Catalogue::read(url, &damaged) {
                    assert!(catalogue.models.iter().all(|model| model.lacks().is_none()));
                    let _ = catalogue.route("fr", "de", Quality::Small);
                }
            }
            assert!(Catalogue::read(url, &whole[..at]).is_err());
        }
    }
}

#[test]
fn a_list_as_long_as_may_be_is_read_at_once_and_a_longer_one_is_refused() {
    let entry = |number: usize| {
        // Every other one is from another language to German, so that ways through many languages are looked for.
        let language = |number: usize| {
            format!("q{}{}", (b'a' + (number / 26 % 26) as u8) as char, (b'a' + (number % 26) as u8) as char)
        };
        let (source, target) = if number.is_multiple_of(2) {
            ("fr".to_owned(), language(number))
        } else {
            (language(number), "de".to_owned())
        };
        let sha256 = format!("{number:064x}");
        let package = json!({"role": "package", "url": format!("{number}.wanderwort"), "sha256": sha256});
        json!({"name": format!("m{number}"), "source": source, "target": target, "licence": "", "files": [package]})
    };
    let list = |count: usize| json!({"version": 1, "models": (0..count).map(entry).collect::<Vec<_>>()});
    let start = std::time::Instant::now();
    let mut catalogue = value("https://a.example/index.json", list(MOST_ENTRIES));
    catalogue.add(value("https://b.example/index.json", list(MOST_ENTRIES)));
    assert_eq!(catalogue.models.len(), MOST_ENTRIES);
    assert!(catalogue.models.iter().all(|model| model.files[0].locations.len() == 2));
    // Even numbers lead from French, odd ones to German: never through the same language.
    assert_eq!(catalogue.route("fr", "de", Quality::Good), None);
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());

    let longer = list(MOST_ENTRIES + 1).to_string();
    let error = Catalogue::read("https://a.example/index.json", longer.as_bytes()).unwrap_err();
    assert!(matches!(error, CatalogueError::Entries { found, .. } if found == MOST_ENTRIES + 1), "{error}");
    let registry = json!({"baseUrl": "", "models": {"a-b": vec![0; MOST_ENTRIES], "b-a": [0]}}).to_string();
    let error = Catalogue::read("https://a.example/models.json", registry.as_bytes()).unwrap_err();
    assert!(matches!(error, CatalogueError::Entries { .. }), "{error}");
}

#[test]
fn a_file_has_no_more_locations_than_are_tried() {
    let mirrors = |host: &str| (0..100).map(|number| format!("https://{host}/{number}.wanderwort")).collect::<Vec<_>>();
    let list = |host: &str| {
        let package =
            json!({"role": "package", "url": "a.wanderwort", "mirrors": mirrors(host), "sha256": "0".repeat(64)});
        let model = json!({"source": "en", "target": "de", "files": [package]});
        value(&format!("https://{host}/index.json"), json!({"version": 1, "models": [model]}))
    };
    let mut catalogue = list("a.example");
    catalogue.add(list("b.example"));
    assert_eq!(catalogue.models[0].files[0].locations.len(), MOST_LOCATIONS);
}
