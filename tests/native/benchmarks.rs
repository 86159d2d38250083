//! The programs in `benches/` and `packaging/` that drive the command line, on a few lines.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_wanderwort");

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn python(script: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("python3");
    command.arg(path(script)).args(arguments).stdin(Stdio::null());
    command.output().expect("python3")
}

fn succeed(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The cells of a table's rows in Markdown, without its head.
fn rows(table: &str) -> Vec<Vec<&str>> {
    let is_row = |line: &&str| line.starts_with('|') && !line.starts_with("| ---");
    let rows = table.lines().filter(is_row).skip(1);
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

#[test]
fn the_ablation_shows_every_method() {
    let table = succeed(python(
        "benches/ablation.py",
        &["--program", PROGRAM, "--lines", "2", "--rounds", "1", "--cores", "2x1"],
    ));
    let rows = rows(&table);
    let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let expected =
        ["float32, all words", "+ shortlist", "+ int16", "+ packing once", "+ auto-tuning", "int8 instead of int16"];
    assert_eq!(names, expected, "{table}");
    for row in rows.iter().filter(|row| !row[2].is_empty()) {
        // One at a time, batches of 384 words, those of the engine, two processes.
        let numbers: Vec<f64> = row[1..].iter().map(|cell| cell.parse().expect("a number")).collect();
        assert!(numbers.len() == 5 && numbers.iter().all(|&number| number > 0.0), "{row:?}");
    }
    assert!(rows[4][1].starts_with("none here"), "{table}");
    let output =
        python("benches/ablation.py", &["--program", PROGRAM, "--source", "a", "--source", "b", "--reference", "c"]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("found 2 and 1"));
}

#[test]
fn the_frontier_is_of_what_was_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |name: &str, lines: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, lines).expect("room");
        file.to_str().expect("UTF-8").to_owned()
    };
    let (source, reference) = (text("en", "The house is big.\n"), text("de", "Das Haus ist gro\u{df}.\n"));
    let model = crate::prototype::FOLDER;
    let points = succeed(python(
        "benches/pareto.py",
        &[
            "measure",
            "--program",
            PROGRAM,
            "--model",
            model,
            "--source",
            &source,
            "--reference",
            &reference,
            "--seconds",
            "0",
            "--precision",
            "int8",
            "--precision",
            "int16",
        ],
    ));
    assert_eq!(points.lines().count(), 2, "{points}");
    // Two more whose place is known: one that is worse in all, and one that is better but slow and large.
    let point = |name: &str, rate: u32, bytes: u32, bleu: u32| {
        format!(
            "{{\"bench\":{{\"model\":\"{name}\",\"kernel\":\"k\",\"precision\":\"int8\",\"beam\":1,\"threads\":1,\"words_per_second\":{rate},\"model_bytes\":{bytes}}},\"evaluate\":\"BLEU = {bleu}.0\\nBLEU = 1.00\\nmean of 2 sets\\nBLEU = {bleu}.50\\n\"}}\n"
        )
    };
    let made =
        [point("fast", 7200, 5_000_000, 20), point("worse", 3600, 6_000_000, 10), point("good", 10, 90_000_000, 30)]
            .concat();
    let file = text("points", &made);
    let table = succeed(python("benches/pareto.py", &["report", &file, "--price", "0.5", "--ours"]));
    let found: Vec<[&str; 5]> = rows(&table).iter().map(|row| [row[1], row[3], row[4], row[5], row[6]]).collect();
    let expected =
        [["30.5", "0.1", "90.0", "x", "x"], ["20.5", "51.8", "5.0", "x", "x"], ["10.5", "25.9", "6.0", "", ""]];
    assert_eq!(found, expected, "{table}");
    // What was measured can be read, and others are marked.
    let file = text("measured", &points);
    let table = succeed(python("benches/pareto.py", &["report", &file, "--price", "1"]));
    assert!(table.contains("| en-de.prototype, ") && table.contains("int16, beam"), "{table}");
    assert!(rows(&table).iter().filter(|row| row[0].starts_with("*theirs:*")).count() >= 4, "{table}");
    let file = text("broken", "{}\n");
    let output = python("benches/pareto.py", &["report", &file, "--price", "1"]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("line 1"));
}

#[cfg(unix)]
#[test]
fn the_image_s_program_translates_in_each_of_its_ways() {
    use std::io::Write;
    for task in [&[][..], &["cpu-single"], &["cpu-multi"], &["latency"], &["--beam", "1"], &["cpu-fast"]] {
        let mut command = Command::new("sh");
        command.arg(path("packaging/run.sh")).args(task).env("WANDERWORT", PROGRAM);
        command.env("MODEL", path("models/en-de.tiny.wanderwort"));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sh");
        // Fails where nothing is read.
        let _ = child.stdin.take().expect("a pipe").write_all(b"The house is big.\n");
        let output = child.wait_with_output().expect("it ends");
        if task == ["cpu-fast"] {
            assert_eq!(output.status.code(), Some(2));
        } else if cfg!(target_os = "linux") || task != ["cpu-multi"] {
            assert!(succeed(output).contains("Haus"), "{task:?}");
        }
    }
}

#[test]
fn what_the_image_is_made_of_is_there() {
    let recipe = std::fs::read_to_string(path("packaging/Containerfile")).expect("the recipe");
    let mut copied = 0;
    for line in recipe.lines().filter_map(|line| line.strip_prefix("COPY ")).filter(|line| !line.starts_with("--from"))
    {
        let words: Vec<&str> = line.split_whitespace().collect();
        for name in &words[..words.len() - 1] {
            assert!(path(name).exists(), "{name}");
            copied += 1;
        }
    }
    assert!(copied >= 8, "{recipe}");
    // The release of Rust that is built with is the one that is asked for.
    let manifest = std::fs::read_to_string(path("Cargo.toml")).expect("the manifest");
    let version =
        manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).expect("a version").trim_matches('"');
    assert!(recipe.contains(&format!("docker.io/library/rust:{version}-slim-bookworm AS build")), "{version}");
    // Everything that cargo looks for by the manifest is copied.
    for line in manifest
        .lines()
        .skip_while(|line| !line.starts_with("[[bench]]"))
        .filter_map(|line| line.strip_prefix("name = "))
    {
        assert!(recipe.contains(&format!("benches/{}.rs", line.trim_matches('"'))), "{line}");
    }
}
