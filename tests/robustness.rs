//! The shipped model on hand-made cases: names, numbers, addresses, code, placeholders, emoji, capitals, odd input.
//!
//! `tests/data/robustness/floors.tsv` says how many cases of each category must pass.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn read(relative: &str) -> String {
    std::fs::read_to_string(path(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"))
}

/// The first English-German package that `models/index.json` lists: the one that the page loads.
fn shipped_model() -> PathBuf {
    let index: serde_json::Value = serde_json::from_str(&read("models/index.json")).expect("JSON");
    let models = index["models"].as_array().expect("a list of models");
    let model = models.iter().find(|model| model["source"] == "en" && model["target"] == "de").expect("one to German");
    path("models").join(model["files"][0]["url"].as_str().expect("a file"))
}

#[test]
fn the_shipped_model_passes_as_many_cases_as_it_did() {
    let cases = path("tests/data/robustness/en-de.tsv");
    let mut command = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
    command.args(["evaluate", "--failures", "--model"]).arg(shipped_model()).arg("--checks").arg(cases);
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = String::from_utf8(output.stdout).expect("UTF-8");

    // The table stands at the end of the report: "names   12 of   16".
    let row = |line: &str| {
        let mut fields = line.split_whitespace();
        let (name, passed) = (fields.next()?, fields.next()?.parse::<usize>().ok()?);
        (fields.next() == Some("of")).then(|| (name.to_owned(), passed))
    };
    let passed: BTreeMap<String, usize> = report.lines().rev().map_while(row).collect();
    let floors: BTreeMap<String, usize> = read("tests/data/robustness/floors.tsv")
        .lines()
        .map(|line| line.split_once('\t').expect("category, tab, floor"))
        .map(|(name, floor)| (name.to_owned(), floor.parse().expect("a number")))
        .collect();
    let names = |table: &BTreeMap<String, usize>| table.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&passed), names(&floors), "each category has a floor");
    let below: Vec<_> = floors.iter().filter(|(name, floor)| passed[*name] < **floor).collect();
    assert!(below.is_empty(), "fewer pass than these floors: {below:?}\n{report}");
}
