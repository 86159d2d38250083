//! Translating files, cut short by signals and by outputs that take no more: whatever was written is whole, and what was there before stays.

use std::fs::{self, File};
use std::io::{Cursor, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// With their numbers, which are the same on every Unix.
const SIGNALS: [(&str, i32); 3] = [("INT", 2), ("TERM", 15), ("HUP", 1)];

/// `wanderwort translate` in a folder.
fn translate(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
    command.current_dir(folder).args(["translate", "--threads", "1", "--model"]);
    command.arg(crate::prototype::FOLDER);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn send(child: &Child, signal: &str) {
    let status = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().expect("kill");
    assert!(status.success(), "it has ended before SIG{signal}");
}

/// The names of all files in a folder and its folders, in order.
fn names(folder: &Path) -> Vec<String> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).expect("inside").to_str().expect("UTF-8").to_owned());
            }
        }
    }
    found.sort();
    found
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Waits until something is so.
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(120), "no {what}");
        sleep(Duration::from_millis(1));
    }
}

/// A book of one chapter with a picture of so many bytes, and in front of it what an earlier translation left: `out.epub`.
fn folder_with_book(text: &str, picture: usize) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let container = "<container><rootfiles><rootfile full-path=\"book.opf\"/></rootfiles></container>";
    let package = "<package><manifest><item id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"/></manifest></package>";
    let chapter = format!("<html xmlns=\"http://www.w3.org/1999/xhtml\"><body>{text}</body></html>");
    for (name, content) in [
        ("mimetype", b"application/epub+zip".to_vec()),
        ("META-INF/container.xml", container.into()),
        ("book.opf", package.into()),
        ("a.xhtml", chapter.into_bytes()),
        ("picture.jpg", vec![7; picture]),
    ] {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        archive.start_file(name, options).expect("room");
        archive.write_all(&content).expect("room");
    }
    fs::write(folder.path().join("in.epub"), archive.finish().expect("room").into_inner()).expect("room");
    fs::write(folder.path().join("out.epub"), "from before").expect("room");
    folder
}

/// So many sentences, each of its own.
fn sentences(count: usize) -> String {
    (1..=count).map(|day| format!("<p>On day {day} I have seen the house in the city.</p>\n")).collect()
}

#[test]
fn a_signal_while_a_book_is_written_leaves_the_one_before() {
    for (signal, number) in SIGNALS {
        let folder = folder_with_book("<p>I have a dog.</p>", 128 << 20);
        let writes = || names(folder.path()).iter().any(|name| name.ends_with(".part"));
        // Stopped while it writes, so that there is a part for certain when the signal comes. That it is too quick for that is rare.
        for attempt in 1.. {
            let mut child = translate(folder.path(), &["in.epub", "--output", "out.epub"]).spawn().expect("it starts");
            wait_for("writing", || writes() || read_is_new(folder.path()));
            let _ = Command::new("kill").args(["-s", "STOP", &child.id().to_string()]).status();
            if writes() {
                send(&child, signal);
                send(&child, "CONT");
                let status = child.wait().expect("it ends");
                assert_eq!(status.signal(), Some(number), "SIG{signal}: {status}");
                break;
            }
            let _ = child.kill();
            child.wait().expect("it ends");
            fs::write(folder.path().join("out.epub"), "from before").expect("room");
            assert!(attempt < 20, "it is never seen writing");
        }
        assert_eq!(names(folder.path()), ["in.epub", "out.epub"], "SIG{signal}");
        assert_eq!(read(folder.path(), "out.epub"), "from before", "SIG{signal}");
    }
}

/// Whether the earlier translation was replaced.
fn read_is_new(folder: &Path) -> bool {
    fs::metadata(folder.join("out.epub")).is_ok_and(|found| found.len() > 100)
}

#[test]
fn a_signal_while_a_book_is_translated_leaves_the_one_before() {
    for (signal, number) in SIGNALS {
        let folder = folder_with_book(&sentences(20_000), 100);
        let mut child = translate(folder.path(), &["in.epub", "--output", "out.epub"]).spawn().expect("it starts");
        sleep(Duration::from_millis(700));
        send(&child, signal);
        assert_eq!(child.wait().expect("it ends").signal(), Some(number));
        assert_eq!(names(folder.path()), ["in.epub", "out.epub"]);
        assert_eq!(read(folder.path(), "out.epub"), "from before");
    }
}

#[test]
fn a_signal_between_files_leaves_those_that_are_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("en/deep")).expect("folders");
    fs::create_dir_all(at("de/deep")).expect("folders");
    let long: String = (1..20_000).map(|day| format!("On day {day} I have seen the house.\n\n")).collect();
    for (name, text) in [("en/a.txt", "I have a dog.\n"), ("en/deep/b.txt", &long), ("en/z.html", "<p>I have a dog.")] {
        fs::write(at(name), text).expect("room");
    }
    fs::write(at("de/deep/b.txt"), "from before").expect("room");
    for (arguments, to) in [
        (&["en", "--output", "de"][..], "de/a.txt"),
        (&["en/a.txt", "en/deep/b.txt", "en/z.html", "--output", "new"], "new/a.txt"),
    ] {
        for (signal, number) in SIGNALS {
            let _ = fs::remove_file(at(to));
            let mut child = translate(folder.path(), arguments).spawn().expect("it starts");
            wait_for("first file", || at(to).exists());
            send(&child, signal);
            assert_eq!(child.wait().expect("it ends").signal(), Some(number));
            let whole = read(folder.path(), to);
            assert!(whole.contains("Hund") && whole.ends_with(".\n"), "{whole}");
        }
    }
    assert_eq!(read(folder.path(), "de/deep/b.txt"), "from before");
    assert_eq!(names(&at("de")), ["a.txt", "deep/b.txt"]);
    assert_eq!(names(&at("new")), ["a.txt"]);
}

#[test]
fn a_signal_that_it_was_started_to_ignore_is_ignored() {
    let folder = folder_with_book(&sentences(40), 100);
    fs::remove_file(folder.path().join("out.epub")).expect("it is there");
    // Two files: from the first one on the program listens for signals.
    fs::write(folder.path().join("a.txt"), "I have a dog.\n").expect("room");
    let translate = translate(folder.path(), &["a.txt", "in.epub", "--output", "de"]);
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(translate.get_program()).args(translate.get_args());
    let mut child = command.current_dir(folder.path()).spawn().expect("it starts");
    wait_for("first file", || folder.path().join("de/a.txt").exists());
    send(&child, "HUP");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(names(&folder.path().join("de")), ["a.txt", "in.epub"]);
}

/// Runs a command that may write files of so many blocks of 512 or 1024 bytes, depending on the shell.
fn limited(folder: &Path, blocks: usize, arguments: &[&str]) -> Output {
    let translate = translate(folder, arguments);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -f {blocks}; exec \"$@\""), "sh"]).arg(translate.get_program());
    command.args(translate.get_args()).current_dir(folder).stdin(Stdio::null()).output().expect("it runs")
}

#[test]
fn an_output_without_room_leaves_the_one_before() {
    let folder = folder_with_book(&sentences(3), 100_000);
    let output = limited(folder.path(), 4, &["in.epub", "--output", "out.epub"]);
    assert_eq!(output.status.code(), Some(1), "{} {}", output.status, stderr(&output));
    assert!(stderr(&output).contains("cannot write") && stderr(&output).contains("out.epub"), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["in.epub", "out.epub"]);
    assert_eq!(read(folder.path(), "out.epub"), "from before");
    // Of several files those that have room are written.
    fs::write(folder.path().join("a.txt"), "I have a dog.\n").expect("room");
    let output = limited(folder.path(), 4, &["in.epub", "a.txt", "--output", "de"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("1 of 2 documents"), "{}", stderr(&output));
    assert_eq!(names(&folder.path().join("de")), ["a.txt"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let folder = folder_with_book(&sentences(3), 100_000);
    for (arguments, is_stdout) in [(&["in.epub", "--output", "/dev/full"][..], false), (&["in.epub"], true)] {
        let mut command = translate(folder.path(), arguments);
        if is_stdout {
            command.stdout(File::options().write(true).open("/dev/full").expect("a device"));
        }
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains("No space left"), "{}", stderr(&output));
    }
    assert_eq!(names(folder.path()), ["in.epub", "out.epub"]);
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    // More than the pipe holds.
    let folder = folder_with_book(&sentences(3), 1 << 20);
    let mut child = translate(folder.path(), &["in.epub"]).spawn().expect("it starts");
    let mut pipe = child.stdout.take().expect("a pipe");
    pipe.read_exact(&mut [0; 30]).expect("the beginning of an archive");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    // SIGPIPE, as with other programs.
    assert_eq!(output.status.signal(), Some(13), "{}", output.status);
    assert!(output.stderr.is_empty(), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["in.epub", "out.epub"]);
}

#[test]
fn a_place_that_cannot_be_written_is_left_as_it_was() {
    let folder = folder_with_book("<p>I have a dog.</p>", 100);
    fs::write(folder.path().join("file"), "mine").expect("room");
    for to in ["file/out.epub", "/proc/none/out.epub"] {
        let output = translate(folder.path(), &["in.epub", "--output", to]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    }
    assert_eq!(names(folder.path()), ["file", "in.epub", "out.epub"]);
    assert_eq!(read(folder.path(), "file"), "mine");
}
