//! `translate --processes`, `--pin` and the sweep of `bench`: the same bytes as one process, in order, and nobody left behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn command(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
    command.arg(name).arg("--model").arg(crate::prototype::FOLDER).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a program with `input` on standard input.
pub fn run(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // Fails where the program does not read its input, which the test then sees in its output.
    let writer = thread::spawn(move || stdin.write_all(&input).is_ok());
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("the writer ends");
    output
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn translate(arguments: &[&str], input: &[u8]) -> String {
    let output = run(command("translate", arguments), input);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// So many lines of a newspaper, more than one window of the smallest size.
fn lines(count: usize) -> String {
    let text = std::fs::read_to_string(path("benches/data/flores-dev.en")).expect("the text");
    text.lines().cycle().take(count).flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn several_processes_print_what_one_prints() {
    let input = [lines(300).as_bytes(), b"Hello.\r\n\n \xff.\r\nHello."].concat();
    let (one, several) =
        (run(command("translate", &[]), &input), run(command("translate", &["--processes", "3"]), &input));
    assert!(one.status.success() && several.status.success(), "{}", stderr(&several));
    assert_eq!(String::from_utf8_lossy(&one.stdout), String::from_utf8_lossy(&several.stdout));
    // What is not UTF-8 is reported once, with its line.
    assert!(stderr(&one).contains("line 303") && stderr(&one) == stderr(&several), "{}", stderr(&several));
    assert_eq!(translate(&["--processes", "2"], b""), "");
}

#[test]
fn numbers_of_candidates_and_objects_go_on_over_windows() {
    let input = lines(150);
    for options in [&["--beam", "2", "--n-best", "2"][..], &["--json"]] {
        let several = [options, &["--processes", "2", "--threads", "1"]].concat();
        let printed = translate(&several, input.as_bytes());
        assert_eq!(printed, translate(options, input.as_bytes()));
        assert!(!options.contains(&"--n-best") || printed.contains("\n149 ||| "));
    }
}

#[test]
fn slots_and_pieces_change_nothing_but_the_speed() {
    let input = lines(30);
    let expected = translate(&["--threads", "1"], input.as_bytes());
    for options in
        [&["--slots", "1"][..], &["--slots", "16", "--pieces", "384"], &["--pieces", "1"], &["--slots", "500"]]
    {
        assert_eq!(translate(options, input.as_bytes()), expected, "{options:?}");
    }
}

#[test]
fn an_answer_comes_while_input_is_open() {
    let mut child = command("translate", &["--processes", "2", "--threads", "1"]).spawn().expect("it starts");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let (sender, answers) = mpsc::channel();
    thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let mut stdin = child.stdin.take().expect("a pipe");
    for source in ["Good morning.", "I have a dog."] {
        writeln!(stdin, "{source}").expect("it listens");
        let answer = answers.recv_timeout(Duration::from_secs(60)).expect("an answer before the next line");
        assert!(!answer.is_empty());
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_closed_pipe_ends_them_quietly() {
    let mut child = command("translate", &["--processes", "2", "--threads", "1"]).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = thread::spawn(move || while stdin.write_all(b"1\n2\n3\nA line.\n").is_ok() {});
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
    assert_eq!(first, "1\n");
    let status = child.wait().expect("it ends");
    let mut message = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut message).expect("UTF-8");
    assert!(crate::cli::ended_by_closed_pipe(status) && message.is_empty(), "{status} {message}");
    writer.join().expect("the writer ends");
}

#[test]
fn what_cannot_be_is_said() {
    let mut no_model = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
    no_model.args(["translate", "--model", "does/not/exist", "--processes", "2"]);
    no_model.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = run(no_model, b"Hello.\n");
    let message = stderr(&output);
    assert!(!output.status.success() && output.stdout.is_empty());
    // Once, though there are two.
    assert_eq!(message.matches("cannot load does/not/exist").count(), 1, "{message}");
    assert!(
        message.contains("of 2 ended before it had loaded the model") && message.contains("nothing was printed"),
        "{message}"
    );
    for arguments in [&["--processes", "2", "--latency"][..], &["--processes", "2", "--html"], &["--processes", "0"]] {
        assert_eq!(run(command("translate", arguments), b"").status.code(), Some(2), "{arguments:?}");
    }
    #[cfg(not(target_os = "linux"))]
    {
        let message = stderr(&run(command("translate", &["--pin"]), b""));
        assert!(message.contains("only Linux"), "{message}");
    }
}

#[test]
fn several_test_sets_have_a_mean() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut arguments = Vec::new();
    for (name, text) in [("a", "The house is big.\n"), ("b", "I have a dog.\nHe sleeps.\n")] {
        for language in ["en", "de"] {
            let file = folder.path().join(format!("{name}.{language}"));
            let text = if language == "en" { text.to_owned() } else { translate(&[], text.as_bytes()) };
            // Right but for the second set, of which nothing is.
            let text =
                if (name, language) == ("b", "de") { "Unfug ohne Sinn.\nNoch mehr davon.\n".to_owned() } else { text };
            std::fs::write(&file, text).expect("room");
            let option = if language == "en" { "--source" } else { "--reference" };
            arguments.extend([option.to_owned(), file.to_str().expect("UTF-8").to_owned()]);
        }
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = run(command("evaluate", &arguments), b"");
    let report = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    let scores: Vec<f64> = report
        .lines()
        .filter_map(|line| line.strip_prefix("chrF2 = "))
        .map(|score| score.parse().expect("a number"))
        .collect();
    let [first, second, mean] = scores[..] else { panic!("{report}{}", stderr(&output)) };
    assert!(first == 100.0 && second < 50.0 && (mean - (first + second) / 2.0).abs() < 0.011, "{report}");
    assert!(report.contains("mean of 2 sets\nBLEU = "), "{report}");
    let output = run(command("evaluate", &arguments[..6]), b"");
    assert!(stderr(&output).contains("found 2 of --source and 1 of --reference"), "{}", stderr(&output));
}

#[test]
fn a_sweep_measures_what_it_is_told() {
    let source = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(source.path(), lines(5)).expect("room");
    let source = source.path().to_str().expect("UTF-8");
    let output = run(command("bench", &["--source", source, "--seconds", "0.1", "--sweep", "1x1,2x1"]), b"");
    assert!(output.status.success(), "{}", stderr(&output));
    let report = String::from_utf8(output.stdout).expect("UTF-8");
    let figures: serde_json::Value = serde_json::from_str(report.lines().last().expect("a line")).expect("JSON");
    let rows = figures["sweep"].as_array().expect("rows");
    let words = lines(5).split_whitespace().count() as u64;
    for (row, processes) in rows.iter().zip([1, 2]) {
        assert_eq!((row["processes"].as_u64(), row["threads"].as_u64()), (Some(processes), Some(1)));
        let found = row["words"].as_u64().expect("a number");
        assert!(found >= words && found % words == 0, "{found} is not {words} again and again");
        assert!(row["words_per_second"].as_f64() > Some(0.0) && row["speed_up"].as_f64() > Some(0.0));
        #[cfg(target_os = "linux")]
        assert!(row["memory_mib"].as_f64() > Some(5.0 * processes as f64), "{row}");
    }
    assert!(
        rows.len() == 2 && rows[0]["speed_up"] == 1.0 && figures["model_bytes"].as_u64() > Some(1 << 20),
        "{figures}"
    );
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn children(process: u32) -> Vec<u32> {
    let parent = |id: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    let entries = std::fs::read_dir("/proc").expect("processes").flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|&id| parent(id) == Some(process)).collect()
}

#[cfg(target_os = "linux")]
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {what}");
        sleep(Duration::from_millis(5));
    }
}

#[cfg(target_os = "linux")]
fn kill(signal: &str, process: u32) {
    assert!(Command::new("kill").args(["-s", signal, &process.to_string()]).status().expect("kill").success());
}

/// Two processes that are at work, with an input that goes on, and the first line of what they printed.
#[cfg(target_os = "linux")]
fn at_work() -> (Child, Vec<u32>) {
    let mut child = command("translate", &["--processes", "2", "--threads", "1"]).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    writeln!(stdin, "Good morning.").expect("it listens");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    output.read_line(&mut first).expect("a line");
    assert!(first.starts_with("Gut"), "{first}");
    // Half a minute's work and more, and no end.
    let input = lines(3000);
    thread::spawn(move || {
        let _ = stdin.write_all(input.as_bytes());
        sleep(Duration::from_secs(600));
    });
    thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    sleep(Duration::from_millis(300));
    let processes = children(child.id());
    assert_eq!(processes.len(), 2);
    (child, processes)
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_dies_is_an_error_that_says_how_far_it_went() {
    let (child, processes) = at_work();
    kill("KILL", processes[0]);
    let output = child.wait_with_output().expect("it ends");
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("of 2 ended while it translated lines") && message.contains("SIGKILL"), "{message}");
    assert!(message.contains("only the first"), "{message}");
    wait_for("end of the other process", || !Path::new(&format!("/proc/{}", processes[1])).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_all_of_them() {
    use std::os::unix::process::ExitStatusExt;
    // No program can catch the last one.
    for (signal, number) in [("INT", 2), ("TERM", 15), ("KILL", 9)] {
        let (mut child, processes) = at_work();
        kill(signal, child.id());
        assert_eq!(child.wait().expect("it ends").signal(), Some(number));
        for process in processes {
            let is_gone = || match std::fs::read_to_string(format!("/proc/{process}/stat")) {
                Err(_) => true,
                // Ended, and nobody has asked yet.
                Ok(stat) => stat.contains(") Z "),
            };
            wait_for("end of all processes", is_gone);
        }
    }
}

/// The processors that the threads of a process may run on.
#[cfg(target_os = "linux")]
fn allowed(process: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).expect("threads").flatten();
    let list = |entry: std::fs::DirEntry| {
        let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
        Some(status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim().to_owned())
    };
    let mut found: Vec<String> = tasks.filter_map(list).collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(target_os = "linux")]
#[test]
fn pinned_processes_have_processors_of_their_own() {
    let processors = thread::available_parallelism().expect("a number").get();
    let processes = processors.min(2);
    let count = processes.to_string();
    let input = lines(20);
    let expected = translate(&[], input.as_bytes());
    let options = ["--processes", &count, "--threads", "1", "--pin"];
    assert_eq!(translate(&options, input.as_bytes()), expected);
    assert_eq!(translate(&["--pin", "--physical", "--threads", "1"], input.as_bytes()), expected);

    let mut child = command("translate", &options).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    writeln!(stdin, "Good morning.").expect("it listens");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    output.read_line(&mut String::new()).expect("a line");
    let places: Vec<Vec<String>> = children(child.id()).into_iter().map(allowed).collect();
    // All threads of a process on one processor, and each process on another.
    assert!(places.len() == processes && places.iter().all(|place| place.len() == 1), "{places:?}");
    assert!(places.iter().all(|place| place[0].parse::<usize>().is_ok()), "{places:?}");
    assert!(processes == 1 || places[0] != places[1], "{places:?}");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());

    let more = (processors + 1).to_string();
    let output = run(command("translate", &["--processes", &more, "--threads", "1", "--pin"]), b"");
    let message = stderr(&output);
    assert!(!output.status.success() && message.contains(&format!("need {more} processors")), "{message}");
}
