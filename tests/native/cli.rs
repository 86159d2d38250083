//! The command line as its users meet it: the real program with the real model.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;
use wanderwort::kernels::Backend;

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn model() -> PathBuf {
    path("tests/data/en-de.prototype")
}

fn wanderwort(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn translate(options: &[&str]) -> Command {
    let mut command = wanderwort(&["translate", "--model"]);
    command.arg(model()).args(options);
    command
}

/// Runs to the end with `input` on standard input.
fn run(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // Fails where the program does not read its input, which the test then sees in its output.
    let writer = thread::spawn(move || stdin.write_all(&input).is_ok());
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    output
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// Standard output of a run that must succeed in silence.
fn succeed(command: Command, input: &[u8]) -> String {
    let output = run(command, input);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    stdout(&output)
}

/// A line of an n-best list: number, text, log-probability, score.
fn candidate(line: &str) -> (usize, String, f32, f32) {
    let parts: Vec<&str> = line.split(" ||| ").collect();
    let [number, text, feature, score] = parts[..] else { panic!("{line}") };
    let log_probability = feature.trim_start_matches("F0= ").parse().expect("a number");
    (number.parse().expect("a number"), text.to_owned(), log_probability, score.parse().expect("a number"))
}

#[test]
fn a_beam_gives_its_candidates() {
    let input = b"I have a dog. It barks.\n\n12.5\nThe house is big.\n";
    let output = succeed(translate(&["--beam", "3", "--n-best", "3", "--normalize", "0.5"]), input);
    let found: Vec<_> = output.lines().map(candidate).collect();
    let numbers: Vec<usize> = found.iter().map(|candidate| candidate.0).collect();
    assert_eq!(numbers, [0, 0, 0, 1, 2, 3, 3, 3]);
    assert_eq!((found[3].1.as_str(), found[4].1.as_str()), ("", "12.5"));
    for candidates in [&found[..3], &found[5..]] {
        assert!(candidates.is_sorted_by(|a, b| a.3 >= b.3), "{candidates:?}");
        assert!(candidates.iter().all(|candidate| candidate.2 < 0.0 && candidate.2 <= candidate.3));
        assert!(candidates[0].1 != candidates[1].1 && candidates[1].1 != candidates[2].1);
    }
    assert_eq!(found[5].1, "Das Haus ist gro\u{df}.");
    // Without the list, the first of it, and a line for each line.
    let best = succeed(translate(&["--beam", "3", "--normalize", "0.5"]), b"\n12.5\nThe house is big.\n");
    assert_eq!(best, "\n12.5\nDas Haus ist gro\u{df}.\n");

    let refused = run(translate(&["--beam", "2", "--n-best", "3"]), b"");
    assert!(!refused.status.success() && stderr(&refused).contains("--beam 3"), "{}", stderr(&refused));
}

#[test]
fn translations_begin_as_they_are_told() {
    let input = b"The old house has a red door.\n\nThe old house is big.\n";
    for options in [&["--prefix", "Das alte"][..], &["--prefix", "Das alte", "--latency"]] {
        let output = succeed(translate(options), input);
        let [first, between, last] = lines(&output)[..] else { panic!("{output}") };
        assert!(first.starts_with("Das alte ") && between.is_empty() && last.starts_with("Das alte "), "{output}");
    }
    let options = ["--prefix", "Das alte", "--beam", "5", "--n-best", "5", "--alternatives"];
    let output = succeed(translate(&options), b"The old house is big.\n");
    let found: Vec<String> = output.lines().map(|line| candidate(line).1).collect();
    assert!(found.len() == 5 && found.iter().all(|text| text.starts_with("Das alte")), "{found:?}");
    let mut next: Vec<&str> = found.iter().filter_map(|text| text[8..].split_whitespace().next()).collect();
    next.sort_unstable();
    next.dedup();
    assert!(next.len() >= 3, "{found:?}");

    for option in ["--processes", "--slots", "--pieces"] {
        let refused = run(translate(&["--prefix", "Das", option, "2"]), b"");
        assert!(refused.status.code() == Some(2) && stderr(&refused).contains(option), "{}", stderr(&refused));
    }
}

#[test]
fn a_document_s_sentences_are_found() {
    for document in [&["--document", "--json"][..], &["--html"], &["--format", "text"], &["README.md"]] {
        let refused = run(translate(&[document, &["--lines-as-sentences"]].concat()), b"");
        let message = stderr(&refused);
        assert!(
            refused.status.code() == Some(2) && message.contains("--lines-as-sentences"),
            "{document:?}: {message}"
        );
    }
}

#[test]
fn prices_are_the_same_whichever_way_a_document_is_printed() {
    let text = "Our prices\n\n$20.50\n\n| Bread | $2.50 |\n| Cake | $1,250.00 |\n";
    let plain = succeed(translate(&["--document"]), text.as_bytes());
    let json: serde_json::Value =
        serde_json::from_str(&succeed(translate(&["--document", "--json"]), text.as_bytes())).unwrap();
    assert_eq!(json["text"], plain.as_str());
    for price in ["\n20,50 $\n", "2,50 $", "1.250,00 $"] {
        assert!(plain.contains(price), "{plain}");
    }
}

#[test]
fn what_is_kept_changes_nothing() {
    let sources = sentences(30);
    let input = joined(&[&sources[..], &sources, &sources[5..20]].concat());
    let without = succeed(translate(&["--beam", "2"]), &input);
    assert_eq!(succeed(translate(&["--beam", "2", "--cache", "1000"]), &input), without);
    assert_eq!(succeed(translate(&["--beam", "2", "--cache", "3", "--threads", "1"]), &input), without);
}

/// English sentences of different lengths.
fn sentences(count: usize) -> Vec<String> {
    let table = std::fs::read_to_string(path("tests/data/marian-golden/golden.tsv")).expect("the golden sentences");
    let sources: Vec<String> = table.lines().map(|line| line.split('\t').next().unwrap_or("").to_owned()).collect();
    (0..count).map(|i| sources[i % sources.len()].clone()).collect()
}

fn joined(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
}

fn lines(text: &str) -> Vec<&str> {
    text.split_terminator('\n').collect()
}

#[test]
fn lines_come_out_in_order_and_do_not_depend_on_their_company() {
    let sources = sentences(60);
    let translated = succeed(translate(&[]), &joined(&sources));
    let translations: BTreeMap<&String, &str> = sources.iter().zip(lines(&translated)).collect();
    assert_eq!(lines(&translated).len(), sources.len());
    assert!(
        translations.iter().all(|(source, translation)| !translation.is_empty() && source.as_str() != *translation)
    );

    let mut shuffled = sources.clone();
    shuffled.sort_by_key(|line| (line.len() * 7919) % 101);
    shuffled.truncate(31);
    let again = succeed(translate(&["--threads", "1"]), &joined(&shuffled));
    for (source, translation) in shuffled.iter().zip(lines(&again)) {
        assert_eq!(translations[source], translation, "{source}");
    }
    let latency = succeed(translate(&["--latency"]), &joined(&shuffled[..10]));
    assert_eq!(lines(&latency), lines(&again)[..10]);
}

#[test]
fn every_kernel_and_number_of_threads_gives_the_same() {
    let input = joined(&sentences(24));
    let expected = succeed(translate(&["--kernel", "portable", "--threads", "1"]), &input);
    for backend in Backend::available() {
        for threads in ["1", "2"].into_iter().filter(|&threads| (backend.name(), threads) != ("portable", "1")) {
            let options = ["--kernel", backend.name(), "--threads", threads];
            assert_eq!(succeed(translate(&options), &input), expected, "{options:?}");
        }
    }
}

#[test]
fn line_endings_are_those_of_the_input() {
    let translated = succeed(translate(&[]), b"Hello.\r\n\nHello.\n\r\nHello.");
    let hello = lines(&translated)[2].to_owned();
    assert_eq!(translated, format!("{hello}\r\n\n{hello}\n\r\n{hello}"));
    assert_eq!(succeed(translate(&[]), b""), "");
    assert_eq!(succeed(translate(&["--latency"]), b"\n\n"), "\n\n");
}

#[test]
fn what_is_not_utf8_is_replaced_and_reported() {
    for options in [&[][..], &["--latency"]] {
        let output = run(translate(options), b"Good morning.\nGood \xff morning.\n\xc3\n");
        assert!(output.status.success());
        assert_eq!(lines(&stdout(&output)).len(), 3);
        let message = stderr(&output);
        assert!(message.contains("2 lines hold bytes that are not UTF-8 (first: line 2)"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

/// Lines that the child prints, as they come.
fn read_lines(child: &mut Child) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    receiver
}

#[test]
fn an_answer_comes_before_the_next_question() {
    // With --latency at once; without, too, since nothing more comes for a while.
    for options in [&["--latency"][..], &[]] {
        let mut child = translate(options).stdin(Stdio::piped()).spawn().expect("the program starts");
        let answers = read_lines(&mut child);
        let mut stdin = child.stdin.take().expect("a pipe");
        for source in sentences(3) {
            writeln!(stdin, "{source}").expect("it listens");
            let answer = answers.recv_timeout(Duration::from_secs(60)).expect("an answer before the next line");
            assert!(!answer.is_empty());
        }
        drop(stdin);
        assert!(child.wait().expect("it ends").success());
    }
}

/// Whether a program ended as those do whose standard output is closed by its reader.
pub fn ended_by_closed_pipe(status: ExitStatus) -> bool {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status) == Some(13);
    #[cfg(not(unix))]
    return status.code() == Some(141);
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    for options in [&["--latency"][..], &[]] {
        let mut child = translate(options).stdin(Stdio::piped()).spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let writer = thread::spawn(move || while stdin.write_all(b"1\n2\n3\nA line.\n").is_ok() {});
        let mut first = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
        assert_eq!(first, "1\n");
        // The pipe is closed now, and the program ends though its input does not.
        let status = child.wait().expect("it ends");
        let mut message = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut message).expect("UTF-8");
        assert!(ended_by_closed_pipe(status) && message.is_empty(), "{status} {message}");
        writer.join().expect("the writer ends");
    }
}

#[test]
fn reports_into_a_closed_pipe_end_quietly() {
    let model = model();
    let model = model.to_str().expect("UTF-8");
    let text = path("tests/data/metrics/short.tsv");
    let text = text.to_str().expect("UTF-8");
    for arguments in [
        &["--help"][..],
        &["inspect", model],
        &["evaluate", "--hypothesis", text, "--reference", text],
        &["bench", "--model", model, "--source", text, "--seconds", "0"],
    ] {
        let mut child = wanderwort(arguments).spawn().expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        assert!(ended_by_closed_pipe(output.status), "{arguments:?}: {}", output.status);
        assert!(stderr(&output).is_empty(), "{arguments:?}: {}", stderr(&output));
    }
}

/// The largest resident size so far of a process, in KiB.
#[cfg(target_os = "linux")]
fn peak_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it is alive");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("the field");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let peak = |lines: usize| {
        let mut child = translate(&["--threads", "2"]).stdin(Stdio::piped()).spawn().expect("the program starts");
        let answers = read_lines(&mut child);
        let mut stdin = child.stdin.take().expect("a pipe");
        // Numbers are copied, so that there can be many; sentences between them keep the engine at work.
        let sentence = sentences(1).remove(0);
        let writer = thread::spawn(move || {
            for i in 0..lines {
                let result = match i % 10_000 {
                    0 => writeln!(stdin, "{sentence}"),
                    _ => writeln!(stdin, "{i:0100}"),
                };
                result.expect("it listens");
            }
            stdin
        });
        for i in 0..lines {
            let answer = answers.recv_timeout(Duration::from_secs(120)).expect("an answer");
            assert!(i % 10_000 == 0 || answer == format!("{i:0100}"));
        }
        let peak = peak_memory(&child);
        drop(writer.join().expect("the writer ends"));
        assert!(child.wait().expect("it ends").success());
        peak
    };
    // 6 MB that fill all queues, then 36 MB.
    let (short, long) = (peak(60_000), peak(360_000));
    assert!(long < short + 8 * 1024, "{short} KiB for 6 MB of text, {long} KiB for 36 MB");
}

#[test]
fn json_tells_where_words_come_from() {
    let source = "The cat sleeps. It is 3 o'clock — naïve?";
    let text = succeed(translate(&["--json"]), format!("{source}\n7 8 9\n").as_bytes());
    let plain = succeed(translate(&[]), format!("{source}\n7 8 9\n").as_bytes());
    for (line, plain) in lines(&text).iter().zip(lines(&plain)) {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(value["text"], plain);
    }
    let value: serde_json::Value = serde_json::from_str(lines(&text)[0]).expect("JSON");
    let target = value["text"].as_str().expect("a text");
    let range = |value: &serde_json::Value| {
        let end = |i: usize| usize::try_from(value[i].as_u64().expect("a number")).expect("small");
        end(0)..end(1)
    };
    let sentences = value["sentences"].as_array().expect("sentences");
    assert_eq!(sentences.len(), 2);
    assert_eq!(&source[range(&sentences[0]["source"])], "The cat sleeps.");
    let tokens = value["tokens"].as_array().expect("tokens");
    assert!(tokens.len() > 4);
    for token in tokens {
        assert!(target.get(range(&token["target"])).is_some() && source.get(range(&token["source"])).is_some());
        assert!(token["log_probability"].as_f64().expect("a number") <= 0.0);
    }
}

#[test]
fn html_keeps_its_markup() {
    let page = "<!DOCTYPE html><html lang=\"en\"><head><title>The weather</title></head><body>\n<h1 id=\"top\">The weather</h1>\n\
        <p>I have eaten <a href=\"apple\">the red apple</a>.<br>Use <code>git commit</code> <img src=\"x\" alt=\"a dog\"> now.</p>\n\
        <pre>the code</pre><p translate=\"no\">the name</p></body></html>";
    let translated = succeed(translate(&["--html"]), page.as_bytes());
    for kept in [
        "<!DOCTYPE html><html lang=\"de\">",
        "<a href=\"apple\">",
        "<br>",
        "<code>git commit</code>",
        "<pre>the code</pre>",
        "<p translate=\"no\">the name</p>",
    ] {
        assert!(translated.contains(kept), "{kept} in {translated}");
    }
    assert!(translated.contains("Apfel</a>"), "{translated}");
    assert_eq!(translated.matches("Wetter").count(), 2, "{translated}");
    assert!(!translated.contains("The weather") && !translated.contains("a dog"), "{translated}");
    // As a fragment, in other languages than the model's: nothing is left to translate.
    assert_eq!(succeed(translate(&["--html"]), b"<p lang=\"fr\">chien</p>"), "<p lang=\"fr\">chien</p>");
}

#[test]
fn files_and_folders_are_translated() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("en/deep")).expect("folders");
    std::fs::write(at("en/a.html"), "<meta charset=iso-8859-1><p title='x'>I have a dog. Caf\u{e9}</p>")
        .expect("a file");
    std::fs::write(at("en/deep/b.txt"), "I have a dog.\n").expect("a file");
    std::fs::write(at("en/c.png"), [0x89, b'P', b'N', b'G']).expect("a file");
    let to = |from: &[&str], output: &str| {
        let mut command = translate(&[]);
        command.args(from.iter().map(|name| at(name))).arg("--output").arg(at(output));
        run(command, b"")
    };
    let output = to(&["en"], "de");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("1 of the files"), "{}", stderr(&output));
    let read = |name: &str| std::fs::read_to_string(at(name)).expect("a file");
    assert!(read("de/a.html").starts_with("<meta charset=utf-8><p title='x'>"), "{}", read("de/a.html"));
    assert!(read("de/a.html").contains("Hund"));
    assert!(read("de/deep/b.txt").contains("Hund") && read("de/deep/b.txt").ends_with(".\n"));
    assert!(!at("de/c.png").exists());
    // One file to one file, or to standard output.
    assert!(to(&["en/deep/b.txt"], "new/b.txt").status.success());
    assert_eq!(read("new/b.txt"), read("de/deep/b.txt"));
    let mut command = translate(&[]);
    command.arg(at("en/deep/b.txt"));
    assert_eq!(succeed(command, b""), read("new/b.txt"));
    // What fails leaves nothing behind, and what is good is translated all the same.
    std::fs::write(at("broken.epub"), b"PK").expect("a file");
    let output = to(&["broken.epub", "en/deep/b.txt"], "both");
    assert!(!output.status.success() && stderr(&output).contains("broken.epub"), "{}", stderr(&output));
    let left: Vec<_> =
        std::fs::read_dir(at("both")).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(left, ["b.txt"]);
    for (from, output, part) in [
        (&["en/c.png"][..], "x", "--format"),
        (&["en/a.html", "en/deep/../a.html"], "x", "two documents"),
        (&["en/a.html"], "en/a.html", "written over"),
        (&["none.html"], "x", "none.html"),
    ] {
        let output = to(from, output);
        assert!(!output.status.success() && stderr(&output).contains(part), "{}", stderr(&output));
    }
    let mut command = translate(&[]);
    command.args([at("en/a.html"), at("en/deep/b.txt")]);
    assert!(stderr(&run(command, b"")).contains("--output"));
    // A folder of translations may be in the folder: it is not translated the next time.
    for _ in 0..2 {
        assert!(to(&["en"], "en/de").status.success());
    }
    assert!(at("en/de/deep/b.txt").exists() && !at("en/de/de").exists());
}

#[cfg(unix)]
#[test]
fn links_lead_where_they_led_and_what_is_no_file_is_written_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("en")).expect("a folder");
    std::fs::write(at("en/a.txt"), "I have a dog.\n").expect("a file");
    std::fs::write(at("kept.txt"), "").expect("a file");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(at(to), at(name)).expect("a link");
    link("en", "en/round");
    link("kept.txt", "link.txt");
    let to = |from: &str, output: &Path| {
        let mut command = translate(&[]);
        command.arg(at(from)).arg("--output").arg(output);
        run(command, b"")
    };
    let output = to("en", &at("de"));
    assert!(output.status.success() && stderr(&output).contains("1 of the files in the folders left out: links"));
    assert!(to("en/a.txt", &at("link.txt")).status.success());
    let written = std::fs::read_to_string(at("kept.txt")).expect("a file");
    assert!(written.contains("Hund") && at("link.txt").is_symlink(), "{written}");
    let output = to("en/a.txt", Path::new("/dev/stdout"));
    assert_eq!(stdout(&output), written, "{}", stderr(&output));
    assert!(to("en/a.txt", &at("en")).status.code() == Some(1), "a file is not written over");
}

#[test]
fn a_document_keeps_its_structure() {
    let one = |text: &str| succeed(translate(&[]), text.as_bytes());
    let (house, dog) = (one("The house is big."), one("The dog sleeps."));
    assert_eq!(one("The house is big.\tThe dog sleeps."), format!("{house}\t{dog}"));

    let wrapped = "> I have seen the house in the city, and I think that it is as big\r\n> as a church.\r\n\r\n";
    let joined = one("I have seen the house in the city, and I think that it is as big as a church.");
    let document = succeed(translate(&["--document"]), wrapped.as_bytes());
    assert!(document.starts_with("> ") && document.contains("\r\n> ") && document.ends_with("\r\n\r\n"));
    assert_eq!(document.trim_end()[2..].replace("\r\n> ", " "), joined);
    assert_ne!(succeed(translate(&[]), wrapped.as_bytes()), document);
    assert_eq!(
        succeed(translate(&["--document", "--wrapped", "never"]), wrapped.as_bytes()),
        succeed(translate(&[]), wrapped.as_bytes())
    );

    // Fields that are certain only beside each other.
    let fields = "The house is big,The dog sleeps\nThe dog sleeps,red\n";
    let fields = succeed(translate(&["--document"]), fields.as_bytes());
    assert!(fields.starts_with(&format!("{},{}\n", one("The house is big"), one("The dog sleeps"))), "{fields}");

    // With where each word comes from: one object, for the text as a whole.
    let json = succeed(translate(&["--document", "--json"]), wrapped.as_bytes());
    let object: serde_json::Value = serde_json::from_str(json.strip_suffix('\n').expect("a line")).expect("JSON");
    let text = object["text"].as_str().expect("text");
    assert_eq!(text, document);
    let place = |range: &serde_json::Value| {
        let end = |index: usize| usize::try_from(range[index].as_u64().expect("a number")).expect("in memory");
        end(0)..end(1)
    };
    let of_house = |token: &&serde_json::Value| wrapped[place(&token["source"])].contains("house");
    let mut tokens = object["tokens"].as_array().expect("tokens").iter();
    assert_eq!(tokens.find(of_house).map(|token| text[place(&token["target"])].trim()), Some("Haus"));

    let output = run(translate(&["--document", "--encoding", "utf-8"]), b"The house is big.\nThe \xff house.\n");
    assert!(output.status.success() && stderr(&output).contains("U+FFFD"), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains('\u{fffd}'));
    assert!(!run(translate(&["--wrapped", "always"]), b"").status.success());
}

#[test]
fn errors_name_what_is_wrong_and_what_to_do() {
    let nothing = tempfile::tempdir().expect("a folder");
    let nothing = nothing.path().to_str().expect("UTF-8");
    let model = model();
    let model = model.to_str().expect("UTF-8");
    let reference = path("benches/data/flores-dev.de");
    let reference = reference.to_str().expect("UTF-8");
    let golden = path("tests/data/marian-golden/golden.tsv");
    let golden = golden.to_str().expect("UTF-8");
    let kernels = Backend::available().last().expect("a kernel").name();
    for (arguments, status, parts) in [
        (&["translate"][..], 2, &["--model"][..]),
        (&["translate", "--model", model, "--threads", "0"], 2, &["--threads"]),
        (&["translate", "--model", model, "--threads", "100000"], 2, &["--threads", "1..=1024"]),
        (&["translate", "--model", model, "--processes", "0"], 2, &["--processes", "1..=1024"]),
        (&["translate", "--model", model, "--beam", "0"], 2, &["--beam", "1..=64"]),
        (&["translate", "--model", model, "--beam", "1000000000000"], 2, &["--beam", "1..=64"]),
        (&["translate", "--model", model, "--n-best", "0"], 2, &["--n-best", "1..=64"]),
        (&["translate", "--model", model, "--slots", "18446744073709551615"], 2, &["--slots", "1..=4096"]),
        (&["translate", "--model", model, "--normalize", "NaN"], 2, &["--normalize", "from 0 to 1000"]),
        (&["translate", "--model", model, "--beam-threshold=-1"], 2, &["--beam-threshold", "from 0 to 1000"]),
        (&["bench", "--model", model, "--source", golden, "--seconds", "inf"], 2, &["--seconds", "from 0 to 86400"]),
        (&["bench", "--model", model, "--source", golden, "--sweep", "1x100000"], 2, &["--sweep", "1 to 1024"]),
        (&["convert", "--from", model, "--to", "x", "--beam-size", "65"], 2, &["--beam-size", "1..=64"]),
        (&["convert", "--from", model, "--to", "x", "--bits", "log4+rate=NaN"], 2, &["--bits", "0 to 100"]),
        (&["translate", "--model", model, "--from", "de"], 1, &[model, "from en", "--from says de"]),
        (&["translate", "--model", model, "--to", "fr"], 1, &[model, "to de", "--to says fr"]),
        (&["evaluate", "--model", model, "--tsv", golden, "--to", "en"], 1, &[model, "to de", "--to says en"]),
        (&["translate", "--model", model, "--fast"], 2, &["--fast"]),
        (&["translate", "--model", model, "--html", "--json"], 1, &["--json", "html", "--document"]),
        (&["translate", "--model", model, "--json", golden, reference], 1, &["--json", "several"]),
        (&["translate", "--model", model, "--format", "doc"], 2, &["doc", "epub", "html", "text"]),
        (&["translate", "--model", model, "--html", "--encoding", "klingon"], 1, &["klingon"]),
        (&["translate", "--model", "/no/such/model"], 1, &["/no/such/model"]),
        (&["translate", "--model", nothing], 1, &[nothing, ".bin"]),
        (&["translate", "--model", model, "--kernel", "abacus"], 1, &["abacus", "portable", kernels]),
        (&["inspect", "/no/such/model"], 1, &["/no/such/model"]),
        (&["inspect", golden], 1, &[golden, "not a packaged model"]),
        (&["convert", "--from", model], 2, &["--to"]),
        (&["convert", "--from", nothing, "--to", "/no/such/folder/x"], 1, &["/no/such/folder"]),
        (&["convert", "--from", model, "--to", nothing], 1, &[nothing, "folder"]),
        (&["convert", "--from", nothing, "--to", "x"], 1, &[nothing, ".bin"]),
        (&["convert", "--from", model, "--to", "x", "--bits", "int4"], 2, &["int4", "log4", "uniform", "int8"]),
        (&["convert", "--from", model, "--to", "x", "--card", "/no/card"], 1, &["/no/card"]),
        (&["convert", "--from", model, "--to", "x", "--rounding", "nearest"], 2, &["--calibrate"]),
        (&["evaluate", "--model", model], 2, &["--source", "--reference"]),
        (&["evaluate", "--model", model, "--source", golden, "--reference", reference], 1, &["200", "997"]),
        (&["evaluate", "--model", model, "--tsv", reference], 1, &["line 1", "tab"]),
        (&["evaluate", "--hypothesis", golden, "--reference", reference], 1, &["200", "997"]),
        (&["bench", "--model", model, "--source", "/no/such/text"], 1, &["/no/such/text"]),
        (&["translat"], 2, &["translate"]),
    ] {
        let output = run(wanderwort(arguments), b"Hello.\n");
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {message}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
        for part in parts {
            assert!(message.contains(part), "{arguments:?}: {part:?} is not in {message:?}");
        }
        assert!(!message.contains("panicked"), "{message}");
    }
}

#[test]
fn a_damaged_model_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    crate::prototype::copy_with_cut_weights(folder.path(), |bytes| bytes / 2);
    for command in ["translate", "inspect"] {
        let mut command = wanderwort(if command == "translate" { &["translate", "--model"] } else { &["inspect"] });
        command.arg(folder.path());
        let output = run(command, b"Hello.\n");
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("model.ende.intgemm.alphas.bin"), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}

/// Converts the prototype to `to`.
fn convert(to: &Path, options: &[&str]) -> String {
    let mut command = wanderwort(&["convert", "--from"]);
    command.arg(model()).arg("--to").arg(to).args(options);
    succeed(command, b"")
}

/// The prototype as `convert` packs it when nothing else is said, for tests that need any package: packing takes seconds.
fn package() -> &'static [u8] {
    static PACKAGE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let package = folder.path().join("en-de.wanderwort");
        convert(&package, &["--licence", "CC0-1.0"]);
        std::fs::read(&package).expect("the package")
    });
    &PACKAGE
}

#[test]
fn convert_makes_a_small_package_and_inspect_shows_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let package = folder.path().join("en-de.wanderwort");
    let said = convert(&package, &["--licence", "MIT", "--bits", "log4,Wemb=log4+columns"]);
    let size = std::fs::metadata(&package).expect("the package").len();
    assert!(said.contains(&format!("{:.2} MB, from 6.71 MB", size as f64 / 1e6)), "{said}");
    assert!(size < 6_500_000, "{size}");
    let mut command = wanderwort(&["inspect", "--options"]);
    command.arg(&package);
    let report = succeed(command, b"");
    for part in [
        "name       en-de.prototype",
        "languages  en to de",
        "licence    MIT",
        "encoder     6 layers, feed-forward 1536 wide, ReLU",
        "16,000 source and 16,000 target pieces",
        "shortlist, the first 50 target words always",
        "joint vocabulary, vocab.ende.spm",
        "dec-cell: ssru",
        "at most 2 target pieces",
        "English to German, prototype",
        "encoder_l6_ffn_W2",
        "1536 × 256",
        "float16",
        "log4+columns",
        &said.lines().last().expect("the totals")[..30],
    ] {
        assert!(report.contains(part), "{part:?} is not in\n{report}");
    }
    let row = report.lines().find(|line| line.trim_start().starts_with("decoder_l2_rnn_Wf ")).expect("the tensor");
    let cells: Vec<&str> = row.split_whitespace().collect();
    let [_, rows, _, columns, kind, bytes, before, after, error] = cells[..] else { panic!("{row}") };
    assert_eq!([rows, columns, kind, before], ["256", "256", "log4", "4"]);
    let number = |text: &str| text.replace(',', "").parse::<f64>().expect("a number");
    assert!((number(bytes) * 8.0 / 65536.0 - number(after)).abs() < 0.006 && number(after) < 4.0, "{row}");
    assert!((0.01..0.06).contains(&number(error)), "{row}");
    // Nothing but the package is left in the folder.
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1);
}

#[test]
fn several_models_are_an_ensemble() {
    let (model, folder) = (model().display().to_string(), tempfile::tempdir().expect("a folder"));
    let lines = joined(&sentences(8));
    let expected = succeed(translate(&[]), &lines);
    assert_eq!(succeed(translate(&["--model", &model]), &lines), expected);
    assert_eq!(
        succeed(translate(&["--model", &model, "--model", &model, "--beam", "1", "--latency"]), &lines),
        expected
    );

    let other = folder.path().join("small");
    std::fs::create_dir(&other).expect("room");
    let architectures = path("tests/data/architectures");
    std::fs::copy(architectures.join("post-norm/model.npz.gz"), other.join("model.npz.gz")).expect("room");
    std::fs::copy(architectures.join("vocab.spm"), other.join("vocab.spm")).expect("room");
    let other = other.display().to_string();
    let refused = run(translate(&["--model", &other, "--from", "en", "--to", "de"]), &lines);
    assert!(!refused.status.success());
    let told = stderr(&refused);
    for part in [model.as_str(), &other, "model 2 of the ensemble has 300 source pieces", "16000", "same vocabularies"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }

    let set = golden_set(folder.path(), 4);
    let set = set.to_str().expect("UTF-8");
    let evaluate = ["evaluate", "--model", &model, "--model", &model, "--tsv", set];
    let table = succeed(wanderwort(&evaluate), b"");
    assert!(table.contains(", 2 models\n"), "{table}");
    let refused = run(wanderwort(&[&evaluate[..], &["--compare"]].concat()), b"");
    assert!(!refused.status.success() && stderr(&refused).contains("give --model once"), "{}", stderr(&refused));
}

#[test]
fn every_command_takes_a_package() {
    let folder = tempfile::tempdir().expect("a folder");
    let package = folder.path().join("en-de.wanderwort");
    convert(&package, &["--bits", "int8"]);
    let input = joined(&sentences(200));
    let mut command = wanderwort(&["translate", "--model"]);
    command.arg(&package);
    // The integers are those of the files, and so is every word.
    assert_eq!(succeed(command, &input), succeed(translate(&[]), &input));

    let source = folder.path().join("text");
    std::fs::write(&source, joined(&sentences(6))).expect("room");
    for command in [&["evaluate", "--reference"][..], &["bench", "--seconds", "0", "--json", "--source"]] {
        let mut command = wanderwort(command);
        command.arg(&source).arg("--model").arg(&package);
        if command.get_args().next().is_some_and(|name| name == "evaluate") {
            command.arg("--source").arg(&source);
        }
        let report = succeed(command, b"");
        assert!(report.contains("BLEU = ") || report.contains("words_per_second"), "{report}");
    }
}

#[test]
fn options_choose_words_scales_and_sentences() {
    let input = joined(&sentences(40));
    let plain = succeed(translate(&[]), &input);
    for options in [&["--no-shortlist"][..], &["--scales", "hidden"], &["--scales", "ignored"]] {
        let other = succeed(translate(options), &input);
        assert_eq!(lines(&other).len(), 40);
        // Other arithmetic, other choices here and there, but the same language.
        let same = lines(&plain).iter().zip(lines(&other)).filter(|(a, b)| **a == *b).count();
        assert!((10..40).contains(&same), "{options:?}: {same} of 40 alike");
    }
    let two = "I see a dog. I see a cat.\n";
    let sentences = |options: &[&str]| {
        let options = [&["--json"], options].concat();
        let line = succeed(translate(&options), two.as_bytes());
        let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        value["sentences"].as_array().expect("sentences").len()
    };
    assert_eq!((sentences(&[]), sentences(&["--lines-as-sentences"])), (2, 1));
}

/// The first golden sentences with Marian's translations, as a test set.
fn golden_set(folder: &Path, count: usize) -> PathBuf {
    let golden = std::fs::read_to_string(path("tests/data/marian-golden/golden.tsv")).expect("the golden sentences");
    let path = folder.join("golden.tsv");
    std::fs::write(&path, golden.lines().take(count).map(|row| format!("{row}\n")).collect::<String>()).expect("room");
    path
}

#[test]
fn calibrated_packages_carry_scales_scores_and_enter_the_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text");
    std::fs::write(&text, joined(&sentences(60))).expect("room");
    let set = golden_set(folder.path(), 40);
    let package = folder.path().join("en-de.wanderwort");
    let (text, set) = (text.to_str().expect("UTF-8"), set.to_str().expect("UTF-8"));
    convert(&package, &["--bits", "int8", "--calibrate", text, "--score", set, "--licence", "MIT", "--name", "small"]);

    let mut command = wanderwort(&["inspect", "--options"]);
    command.arg(&package);
    let report = succeed(command, b"");
    let multipliers: Vec<&str> = report.lines().filter(|line| line.contains("_QuantMultA")).collect();
    // A product has one; the model's own Wemb_QuantMultA, which no product uses, is gone.
    assert!(multipliers.iter().any(|line| line.contains(" none_QuantMultA ")), "{multipliers:?}");
    assert!(!report.contains(" Wemb_QuantMultA "), "{report}");
    assert!(report.contains("BLEU nrefs:1|case:mixed") && report.contains("on golden"), "{report}");

    let input = joined(&sentences(40));
    let mut command = wanderwort(&["translate", "--model"]);
    command.arg(&package);
    let calibrated = succeed(command, &input);
    let mut command = wanderwort(&["translate", "--scales", "ignored", "--model"]);
    command.arg(&package);
    assert_ne!(calibrated, succeed(command, &input));
    let same =
        lines(&calibrated).iter().zip(lines(&succeed(translate(&[]), &input))).filter(|(a, b)| **a == *b).count();
    assert!(same > 10, "{same} of 40 as with the model's own scales");

    let index = folder.path().join("index.json");
    let enter = |options: &[&str]| {
        let mut command = wanderwort(&["index", "--index"]);
        command.arg(&index).arg(&package).args(options);
        succeed(command, b"");
        let text = std::fs::read_to_string(&index).expect("the list");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    enter(&["--note", "Expect mistakes."]);
    let list = enter(&["--url", "https://models.example/x"]);
    let models = list["models"].as_array().expect("models");
    let entry = &models[0];
    assert_eq!((models.len(), &list["version"]), (1, &serde_json::json!(1)));
    assert_eq!(entry["name"], "small");
    assert_eq!((&entry["source"], &entry["target"]), (&serde_json::json!("en"), &serde_json::json!("de")));
    assert_eq!(
        (&entry["licence"], &entry["note"]),
        (&serde_json::json!("MIT"), &serde_json::json!("Expect mistakes."))
    );
    let file = &entry["files"][0];
    assert_eq!(
        (&file["role"], &file["url"]),
        (&serde_json::json!("package"), &serde_json::json!("https://models.example/x"))
    );
    assert_eq!(file["size"], std::fs::metadata(&package).expect("the package").len());
    assert_eq!(file["sha256"].as_str().expect("a checksum").len(), 64);
    // Marian's own translations are the references.
    assert!(entry["scores"]["golden"]["bleu"].as_f64().expect("a score") > 60.0, "{entry}");
    assert!(entry["scores"]["golden"]["chrf"].as_f64().expect("a score") > 60.0, "{entry}");
}

#[test]
fn packages_enter_an_index_side_by_side() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = folder.path().join("index.json");
    let packages: Vec<PathBuf> = (0..6).map(|number| folder.path().join(format!("{number}.wanderwort"))).collect();
    for (number, path) in packages.iter().enumerate() {
        std::fs::write(path, package()).expect("room");
        let mut command = wanderwort(&["relabel", "--name", &number.to_string()]);
        command.arg(path);
        succeed(command, b"");
    }
    for round in 0..3 {
        let entering: Vec<Child> = packages
            .iter()
            .map(|path| {
                let mut command = wanderwort(&["index", "--index"]);
                command.arg(&index).arg(path).spawn().expect("it starts")
            })
            .collect();
        for child in entering {
            let output = child.wait_with_output().expect("it ends");
            assert!(output.status.success(), "{}", stderr(&output));
        }
        let list: serde_json::Value = serde_json::from_slice(&std::fs::read(&index).expect("the list")).expect("JSON");
        assert_eq!(list["models"].as_array().map(Vec::len), Some(6), "round {round}");
        std::fs::remove_file(&index).expect("it is there");
    }
}

#[test]
fn calibration_rounds_weights_by_what_enters_their_products() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text");
    std::fs::write(&text, joined(&sentences(30))).expect("room");
    let set = golden_set(folder.path(), 60);
    let text = text.to_str().expect("UTF-8");
    // Against Marian's translations with the weights in floats.
    let score = |rounding: &[&str]| {
        let mut command = wanderwort(&["evaluate", "--compare", "--bits", "log4", "--bits", "uniform+step=0.5"]);
        command.args(["--calibrate", text]).args(rounding).arg("--model").arg(model()).arg("--tsv").arg(&set);
        let report = succeed(command, b"");
        let rows = report.lines().filter(|line| line.starts_with("| log4") || line.starts_with("| uniform"));
        let scores: Vec<f64> =
            rows.map(|row| row.split('|').nth(6).and_then(|score| score.trim().parse().ok()).expect("BLEU")).collect();
        assert_eq!(scores.len(), 2, "{report}");
        scores
    };
    let (compensated, nearest) = (score(&[]), score(&["--rounding", "nearest"]));
    assert!(compensated[0] > nearest[0] + 3.0, "log-4-bit: {} against {}", compensated[0], nearest[0]);
    assert!(compensated[1] > nearest[1], "steps: {} against {}", compensated[1], nearest[1]);

    // Nearest is what there is without calibration, and compensation is the same every time.
    let path = folder.path().join("weights.wanderwort");
    let inspected = || {
        let mut command = wanderwort(&["inspect"]);
        command.arg(&path);
        let report = succeed(command, b"");
        let sections = report.lines().skip_while(|line| !line.contains("  Wemb"));
        sections.take_while(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect::<String>()
    };
    let weights = |options: &[&str]| {
        convert(&path, &[&["--licence", "MIT", "--calibrate", text], options].concat());
        inspected()
    };
    std::fs::write(&path, package()).expect("room");
    let nearest = inspected();
    assert!(nearest.contains("encoder_l1_ffn_W2"));
    assert_eq!(nearest, weights(&["--rounding", "nearest"]));
    let compensated = weights(&[]);
    assert_ne!(compensated, nearest);
    assert_eq!(compensated, weights(&[]));
}

#[test]
fn evaluate_compares_ways_to_store_a_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = golden_set(folder.path(), 20);
    let mut command = wanderwort(&["evaluate", "--compare", "--model"]);
    command.arg(model()).arg("--tsv").arg(&set);
    let report = succeed(command, b"");
    let rows: Vec<Vec<&str>> = report
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let weights: Vec<&str> = rows.iter().map(|row| row[1]).collect();
    assert_eq!(weights, ["weights", "---", "float32", "float16", "float32", "int8", "log4", "log4", "uniform"]);
    let number = |row: usize, column: usize| {
        rows[row][column].trim_end_matches(" MB").parse::<f64>().unwrap_or_else(|_| panic!("{report}"))
    };
    let products: Vec<&str> = rows.iter().skip(2).map(|row| row[2]).collect();
    assert_eq!(products, ["float32", "float32", "int16", "int8", "float32", "int8", "int8"]);
    assert!((2..9).all(|row| number(row, 8) > 0.0), "{report}");
    // Of these weights xz leaves no less than the package's own coding.
    assert!(number(6, 4) <= number(6, 5) && number(6, 3) < 6.1 && number(5, 3) > number(6, 3), "{report}");
    // By chrF: of twenty sentences a single other one changes BLEU by points.
    assert!((number(4, 7) - number(2, 7)).abs() < 2.0, "{report}");
    assert!(number(2, 6) >= number(6, 6) && number(7, 6) > 20.0 && number(8, 6) > number(7, 6), "{report}");
}

/// The shipped model has a column whose sums could overflow in 16-bit fixed point: the other ways are compared all the same.
#[test]
fn evaluate_compares_what_16_bits_cannot_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = golden_set(folder.path(), 3);
    let package = path("models/en-de.tiny.wanderwort");
    let mut command = wanderwort(&["evaluate", "--compare", "--model"]);
    command.arg(&package).arg("--tsv").arg(&set);
    let output = run(command, b"");
    let (report, said) = (stdout(&output), stderr(&output));
    assert!(output.status.success(), "{said}");
    assert_eq!(report.lines().filter(|line| line.starts_with("| as stored")).count(), 3, "{report}");
    assert!(report.contains("| as stored | int16 |") && report.contains("| out of range |"), "{report}");
    let mut command = wanderwort(&["translate", "--precision", "int16", "--model"]);
    command.arg(&package);
    let refused = stderr(&run(command, b"Hello.\n"));
    // Why, and once.
    for said in [said, refused] {
        assert_eq!(said.matches("so that no sum of 32 bits overflows").count(), 1, "{said}");
    }
}

#[test]
fn a_failed_conversion_leaves_what_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let damaged = folder.path().join("damaged");
    std::fs::create_dir(&damaged).expect("room");
    crate::prototype::copy_with_cut_weights(&damaged, |bytes| bytes - 1000);
    let package = folder.path().join("en-de.wanderwort");
    std::fs::write(&package, "good").expect("room");
    let mut command = wanderwort(&["convert", "--from"]);
    command.arg(&damaged).arg("--to").arg(&package);
    let output = run(command, b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("model.ende.intgemm.alphas.bin"), "{}", stderr(&output));
    assert_eq!(std::fs::read(&package).expect("what was there"), b"good");
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 2);
}

#[test]
fn a_damaged_package_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("en-de.wanderwort");
    let good = package();
    let mut flipped = good.to_vec();
    flipped[good.len() / 2] ^= 1;
    for (bytes, part) in [(&good[..good.len() - 1], "incomplete"), (&flipped, "checksum")] {
        std::fs::write(&path, bytes).expect("room");
        let mut command = wanderwort(&["inspect"]);
        command.arg(&path);
        let output = run(command, b"");
        assert_eq!(output.status.code(), Some(1));
        let message = stderr(&output);
        assert!(message.contains("en-de.wanderwort") && message.contains(part), "{message}");
        assert_eq!(stdout(&output), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for options in [&["--latency"][..], &[]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
        let mut command = translate(options);
        command.stdout(full);
        let output = run(command, &joined(&sentences(2)));
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("No space left"), "{}", stderr(&output));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn reports_to_a_full_disk_are_an_error() {
    let model = model();
    let model = model.to_str().expect("UTF-8");
    let text = path("tests/data/metrics/short.tsv");
    let text = text.to_str().expect("UTF-8");
    for arguments in [
        &["--help"][..],
        &["translate", "--help"],
        &["inspect", model],
        &["evaluate", "--hypothesis", text, "--reference", text],
    ] {
        let mut command = wanderwort(arguments);
        command.stdout(std::fs::File::options().write(true).open("/dev/full").expect("/dev/full"));
        let output = run(command, b"");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let message = stderr(&output);
        assert!(message.contains("cannot write standard output: No space left"), "{arguments:?}: {message}");
    }
}

/// Messages that nobody gets neither end the program nor keep it from ending.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_told_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "I have a dog.\n").expect("room");
    std::fs::write(folder.path().join("b.epub"), "no book").expect("room");
    let folder = folder.path().to_str().expect("UTF-8");
    let output = format!("{folder}/de");
    let closed = || {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        Stdio::from(writer)
    };
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").expect("/dev/full"));
    for stderr in [&closed as &dyn Fn() -> Stdio, &full] {
        for (options, status) in [
            // A warning of the thread that reads.
            (&[][..], 0),
            (&["--latency"], 0),
            (&["--processes", "2"], 0),
            // The error that ends it.
            (&["--kernel", "abacus"], 1),
            // A file that fails among others.
            (&[folder, "--output", &output], 1),
        ] {
            let mut command = translate(options);
            command.stdin(Stdio::piped()).stderr(stderr());
            let mut child = command.spawn().expect("the program starts");
            let _ = child.stdin.take().expect("a pipe").write_all(b"Good \xff morning.\n");
            let (sender, receiver) = mpsc::channel();
            let id = child.id();
            thread::spawn(move || sender.send(child.wait_with_output()));
            let ended = receiver.recv_timeout(Duration::from_secs(60));
            if ended.is_err() {
                let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
            }
            let output = ended.expect("it does not hang").expect("it ends");
            assert_eq!(output.status.code(), Some(status), "{options:?}");
            if status == 0 {
                assert_eq!(stdout(&output).lines().count(), 1, "{options:?}");
            }
        }
        assert!(std::fs::read_to_string(format!("{output}/a.txt")).expect("it is written").contains("Hund"));
        std::fs::remove_dir_all(&output).expect("it is there");
    }
}

#[test]
fn an_unpacked_package_translates_as_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let (package, files) = (folder.path().join("en-de.wanderwort"), folder.path().join("files"));
    convert(&package, &["--bits", "uniform+step=0.3,Wemb=log4+columns"]);
    let unpack = || {
        let mut command = wanderwort(&["unpack"]);
        command.arg(&package).arg("--to").arg(&files);
        command
    };
    let said = succeed(unpack(), b"");
    assert!(said.contains("model.npz: 51.") && said.contains("lex.ende.s2t.bin"), "{said}");
    let translation = |model: &Path| {
        let mut command = wanderwort(&["translate", "--float", "--model"]);
        command.arg(model);
        succeed(command, &joined(&sentences(20)))
    };
    assert_eq!(translation(&files), translation(&package));

    // What is there already is not mixed with another model.
    let again = run(unpack(), b"");
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("is not empty"), "{}", stderr(&again));
}

#[test]
fn a_package_gets_another_label_and_keeps_its_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.wanderwort");
    std::fs::write(&path, package()).unwrap();
    let checksum = |text: &str| lines(text).into_iter().find(|line| line.contains("checksum")).map(str::to_owned);
    let shown = |package: &Path| succeed(wanderwort(&["inspect", "--options", package.to_str().unwrap()]), b"");
    let before = shown(&path);
    assert!(!before.contains("side by side"), "{before}");

    let card = folder.path().join("card.md");
    std::fs::write(&card, "# Another card\n").unwrap();
    let set = golden_set(folder.path(), 20);
    let relabel = |options: &[&str]| wanderwort(&[&["relabel", path.to_str().unwrap()], options].concat());
    let (card, set) = (card.to_str().unwrap(), set.to_str().unwrap());
    let settings =
        ["--beam-size", "3", "--beam-threshold", "1.5", "--beam-recombination", "2", "--max-length-break", "90"];
    succeed(relabel(&[&["--card", card, "--name", "other", "--score", set][..], &settings].concat()), b"");
    let after = shown(&path);
    for said in [
        "name       other",
        "licence    CC0-1.0",
        "# Another card",
        "3 hypotheses",
        "e^1.5",
        "same 2 words",
        "90 pieces",
        "BLEU",
    ] {
        assert!(after.contains(said), "{said}: {after}");
    }
    assert!(checksum(&before).is_some(), "{before}");
    assert_eq!(checksum(&after), checksum(&before));
    let translate = |options: &[&str]| {
        let command = [&["translate", "--model", path.to_str().unwrap()], options].concat();
        succeed(wanderwort(&command), b"The weather is nice today, and the children play in the garden.\n")
    };
    assert_eq!(translate(&[]), translate(&["--beam", "3", "--beam-threshold", "1.5", "--beam-recombination", "2"]));
    succeed(relabel(&["--beam-recombination", "0"]), b"");
    assert!(!shown(&path).contains("same 2 words") && !shown(&path).contains("same 0 words"));
    // What is not given stays.
    succeed(relabel(&["--licence", "MIT"]), b"");
    assert!(shown(&path).contains("3 hypotheses") && shown(&path).contains("# Another card"));

    // Packing has measured what the model carries over, whatever beam it is searched with; measuring again finds the same.
    let carried = |text: &str| {
        let line = lines(text).into_iter().find(|line| line.starts_with("  carries")).map(str::to_owned);
        line.expect("signs")
    };
    assert!(carried(&before).contains('+') && !carried(&before).contains('"'), "{before}");
    succeed(relabel(&["--measure-signs"]), b"");
    assert_eq!([carried(&after), carried(&shown(&path))], [carried(&before), carried(&before)]);
    assert_eq!(checksum(&shown(&path)), checksum(&before));

    let whole = std::fs::read(&path).unwrap();
    for (options, said) in [
        (&["--beam-size", "0"][..], "beam-size"),
        (&["--beam-threshold=-1"], "beam-threshold"),
        (&["--card", "missing.md"], "missing.md"),
        (&["--score", "missing.tsv"], "missing.tsv"),
    ] {
        let output = run(relabel(options), b"");
        assert!(!output.status.success() && stderr(&output).contains(said), "{options:?}: {}", stderr(&output));
        assert_eq!(std::fs::read(&path).unwrap(), whole, "{options:?}");
    }
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let output = run(relabel(&["--name", "other"]), b"");
    assert!(!output.status.success() && stderr(&output).contains("model.wanderwort"), "{}", stderr(&output));
}

#[test]
fn settings_that_are_not_followed_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(model()).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    let settings = folder.path().join("decoder.yml");
    let text = std::fs::read_to_string(&settings).unwrap() + "allow-unk: true\nskip-costs: true\n";
    std::fs::rename(&settings, folder.path().join("config.intgemm8bitalpha.yml")).unwrap();
    std::fs::write(folder.path().join("config.intgemm8bitalpha.yml"), text.replace("beam-size: 1", "beam-size: 99"))
        .unwrap();
    std::fs::write(folder.path().join("model_info.json"), r#"{"shortName": "en-de-small", "tokens": 3}"#).unwrap();
    let place = folder.path().to_str().unwrap();
    let told = ["beam-size", "allow-unk", "skip-costs", "tokens"];

    let output = run(wanderwort(&["translate", "--model", place]), b"The house is big.\n");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(lines(&stderr(&output)).len(), told.len());
    for name in told {
        let line = lines(&stderr(&output)).into_iter().find(|line| line.contains(name)).map(str::to_owned);
        assert!(line.is_some_and(|line| line.starts_with("wanderwort: warning: ")), "{}", stderr(&output));
    }
    assert_eq!(stdout(&output), succeed(translate(&[]), b"The house is big.\n"));

    let report = succeed(wanderwort(&["inspect", place]), b"");
    let listed = report.split("Not followed\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    assert!(listed.is_some_and(|listed| told.iter().all(|name| listed.contains(name))), "{report}");

    let package = folder.path().join("packed.wanderwort");
    let output =
        run(wanderwort(&["convert", "--from", place, "--to", package.to_str().unwrap(), "--bits", "int8"]), b"");
    assert!(output.status.success() && stderr(&output).contains("skip-costs"), "{}", stderr(&output));
    // Without a description that can be read the model is the same.
    std::fs::write(folder.path().join("model_info.json"), "[]").unwrap();
    let output = run(wanderwort(&["translate", "--model", place]), b"The house is big.\n");
    assert!(output.status.success() && stderr(&output).contains("model_info.json"), "{}", stderr(&output));
    // Of the description, the name; the package has nothing more to warn of.
    assert!(succeed(wanderwort(&["inspect", package.to_str().unwrap()]), b"").contains("name       en-de-small"));
}

#[test]
fn help_has_examples() {
    assert!(succeed(wanderwort(&["--help"]), b"").contains("wanderwort translate --model"));
    for command in ["translate", "convert", "inspect", "unpack", "relabel", "index", "evaluate", "bench"] {
        let help = succeed(wanderwort(&[command, "--help"]), b"");
        assert!(help.contains(&format!("Examples:\n  wanderwort {command}")), "{help}");
    }
    let output = run(wanderwort(&[]), b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("Usage"));
}

#[test]
fn inspect_tells_what_a_model_is() {
    let mut command = wanderwort(&["inspect", "--options"]);
    command.arg(model());
    let report = succeed(command, b"");
    for part in [
        "width       256, 8 attention heads",
        "encoder     6 layers, feed-forward 1536 wide, ReLU",
        "decoder     2 layers, SSRU",
        "16,000 pieces, shared by both languages",
        "the first 50 target words",
        "dec-cell: ssru",
        "encoder_l6_ffn_W2",
        "1536 × 256",
        "intgemm8",
        "Wemb_QuantMultA",
    ] {
        assert!(report.contains(part), "{part:?} is not in\n{report}");
    }
}

#[test]
fn evaluate_scores_as_sacrebleu_does() {
    let table = std::fs::read_to_string(path("tests/data/metrics/tatoeba.tsv")).expect("the table");
    let scores = std::fs::read_to_string(path("tests/data/metrics/sacrebleu.tsv")).expect("the scores");
    let scores = scores.lines().find(|line| line.starts_with("tatoeba.tsv\ttranslation\t")).expect("the line");
    let scores: Vec<f64> = scores.split('\t').skip(2).map(|score| score.parse().expect("a score")).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let column = |index: usize, name: &str| {
        let cells = table.lines().skip(1).map(|row| format!("{}\n", row.split('\t').nth(index).expect("a cell")));
        let path = folder.path().join(name);
        std::fs::write(&path, cells.collect::<String>()).expect("room");
        path
    };
    let mut command = wanderwort(&["evaluate", "--reference"]);
    command.arg(column(0, "reference")).arg("--hypothesis").arg(column(1, "hypothesis"));
    let report = succeed(command, b"");
    assert!(report.contains(&format!("BLEU = {:.2}", scores[0])), "{report}");
    assert!(report.contains(&format!("chrF2 = {:.2}", scores[1])), "{report}");
    assert!(report.contains("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"), "{report}");
    assert!(report.contains("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:"), "{report}");
}

#[test]
fn evaluate_translates_what_translate_translates() {
    let folder = tempfile::tempdir().expect("a folder");
    let golden = std::fs::read_to_string(path("tests/data/marian-golden/golden.tsv")).expect("the golden sentences");
    let tsv = folder.path().join("set.tsv");
    let rows: Vec<&str> = golden.lines().take(30).collect();
    std::fs::write(&tsv, rows.join("\n") + "\n").expect("room");
    let output = folder.path().join("output.de");
    let mut command = wanderwort(&["evaluate", "--model"]);
    command.arg(model()).arg("--tsv").arg(&tsv).arg("--output").arg(&output);
    let report = succeed(command, b"");
    let translated = std::fs::read_to_string(output).expect("the translations");
    assert_eq!(translated, succeed(translate(&[]), &joined(&sentences(30))));
    // Marian's float translations are the references: int8 is close to them, and not far below 100.
    let bleu = report.lines().find_map(|line| line.strip_prefix("BLEU = ")).expect("a score");
    assert!(bleu.parse::<f64>().expect("a number") > 70.0, "{report}");
}

#[test]
fn bench_ends_with_its_figures() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("text");
    std::fs::write(&source, joined(&sentences(12))).expect("room");
    let mut command = wanderwort(&["bench", "--seconds", "0", "--alone", "3", "--source"]);
    command.arg(&source).arg("--model").arg(model());
    let report = succeed(command, b"");
    assert!(report.contains("words/s"), "{report}");
    let figures: serde_json::Value = serde_json::from_str(lines(&report).last().expect("a line")).expect("JSON");
    assert_eq!(figures["kernel"], Backend::best().name());
    assert_eq!(figures["lines"], 12);
    assert!(figures["words_per_second"].as_f64().expect("a number") > 0.0);
    assert!(figures["alone_median_ms"].as_f64() <= figures["alone_95th_percentile_ms"].as_f64());
    let shares: f64 =
        figures["parts"].as_array().expect("parts").iter().filter_map(|part| part["share"].as_f64()).sum();
    assert!((shares - 1.0).abs() < 1e-6, "{shares}");
}

#[test]
fn languages_are_told_by_names_or_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in std::fs::read_dir(model()).expect("the model's folder") {
        let file = file.expect("a file").path();
        let name = file.file_name().expect("a name").to_string_lossy().replace(".ende", "");
        // The others name files.
        if !name.starts_with("model") && !name.starts_with("vocab") {
            continue;
        }
        std::fs::copy(&file, folder.path().join(name)).expect("room");
    }
    let translate = |options: &[&str]| {
        let mut command = wanderwort(&["translate", "--model"]);
        command.arg(folder.path()).args(options);
        run(command, b"He came on the 3. October was warm.\n")
    };
    let unknown = translate(&[]);
    assert!(unknown.status.success());
    assert!(stderr(&unknown).contains("--from TAG and --to TAG"), "{}", stderr(&unknown));
    let half = translate(&["--from", "en"]);
    assert!(stderr(&half).contains("--to TAG") && !stderr(&half).contains("--from TAG"), "{}", stderr(&half));
    // In German the number is an ordinal.
    for (tag, sentences) in [("en-GB", 2), ("de_AT", 1)] {
        let told = translate(&["--from", tag, "--to", "de", "--json"]);
        assert_eq!(stderr(&told), "");
        let line: serde_json::Value = serde_json::from_str(&stdout(&told)).expect("JSON");
        assert_eq!(line["sentences"].as_array().map(Vec::len), Some(sentences), "{tag}: {line}");
    }
    // Where the files state languages, another region may be told, but no other language.
    let stated = |options: &[&str]| run(self::translate(options), b"The house is big.\n");
    let told = stated(&["--from", "en-GB", "--to", "de_AT"]);
    assert!(told.status.success() && stderr(&told).is_empty(), "{}", stderr(&told));
    let html = translate(&["--html"]);
    assert!(!html.status.success() && stderr(&html).contains("--to TAG"), "{}", stderr(&html));
    let wrong = translate(&["--from", "e!"]);
    assert!(!wrong.status.success() && stderr(&wrong).contains("BCP 47"), "{}", stderr(&wrong));
}
