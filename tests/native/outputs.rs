//! What the command line reads and where it writes: links, pipes, devices, files that are both, and texts that are none.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use crate::processes::run as run_with;
use tempfile::TempDir;

/// The program in a folder.
fn wanderwort(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn translate(folder: &Path, arguments: &[&str]) -> Command {
    wanderwort(folder, &[&["translate", "--threads", "1", "--model", crate::prototype::FOLDER], arguments].concat())
}

fn run(mut command: Command) -> Output {
    command.output().expect("it runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with a small test set: `source`, `reference`, `set.tsv`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("source", "I have a dog.\n"),
        ("reference", "Ich habe einen Hund.\n"),
        ("set.tsv", "I have a dog.\tIch habe einen Hund.\n"),
    ] {
        fs::write(folder.path().join(name), text).expect("room");
    }
    folder
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::hard_link(at("source"), at("hard")).expect("a link");
    symlink("reference", at("soft")).expect("a link");
    fs::create_dir(at("model")).expect("room");
    crate::prototype::copy_with_cut_weights(&at("model"), |bytes| bytes);
    let names = fs::read_dir(at("model")).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let weights = names.map(|name| name.into_string().expect("UTF-8")).find(|name| name.ends_with("alphas.bin"));
    let weights = format!("model/{}", weights.expect("weights"));
    let before = fs::read(at(&weights)).expect("weights");
    let evaluate = ["evaluate", "--model", "model", "--source", "source", "--reference", "reference", "--output"];
    for output in ["source", "hard", "reference", "soft", "./reference", &weights] {
        let refused = run(wanderwort(folder.path(), &[&evaluate[..], &[output]].concat()));
        assert_eq!(refused.status.code(), Some(1), "{output}: {}", stderr(&refused));
        assert!(stderr(&refused).contains("would be written over"), "{output}: {}", stderr(&refused));
    }
    let convert = ["convert", "--from", "model", "--score", "set.tsv", "--card", "source", "--to"];
    for output in ["set.tsv", "hard", &weights] {
        let refused = run(wanderwort(folder.path(), &[&convert[..], &[output]].concat()));
        assert!(stderr(&refused).contains("would be written over"), "{output}: {}", stderr(&refused));
    }
    assert_eq!(read(&folder, "source"), "I have a dog.\n");
    assert_eq!(read(&folder, "reference"), "Ich habe einen Hund.\n");
    assert!(fs::read(at(&weights)).expect("weights") == before);
    // Beside the model there is room for translations.
    for _ in 0..2 {
        let written = run(wanderwort(folder.path(), &[&evaluate[..], &["model/translated.de"]].concat()));
        assert!(written.status.success(), "{}", stderr(&written));
    }
    assert!(read(&folder, "model/translated.de").contains("Hund"));
}

#[test]
fn no_document_is_written_over_before_it_is_translated() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for name in ["a/x.txt", "b/x.txt", "b/y.txt", "c/x.txt"] {
        fs::create_dir_all(at(name).parent().expect("a folder")).expect("room");
        fs::write(at(name), "I have a dog.\n").expect("room");
    }
    symlink("../b/y.txt", at("c/z.txt")).expect("a link");
    fs::write(at("z.txt"), "I have a dog.\n").expect("room");
    fs::hard_link(at("a/x.txt"), at("c/y.txt")).expect("a link");
    for (inputs, output) in [
        // The same folder, the folder of another input, and files that links and names lead to.
        (&["a"][..], "a"),
        (&["b", "a"], "a"),
        (&["z.txt", "b"], "c"),
        (&["b/y.txt", "a"], "c"),
    ] {
        let refused = run(translate(folder.path(), &[inputs, &["--output", output]].concat()));
        assert_eq!(refused.status.code(), Some(1), "{inputs:?}: {}", stderr(&refused));
        assert!(stderr(&refused).contains("would be written over"), "{inputs:?}: {}", stderr(&refused));
    }
    for name in ["a/x.txt", "b/x.txt", "b/y.txt", "c/x.txt", "z.txt"] {
        assert_eq!(read(&folder, name), "I have a dog.\n", "{name}");
    }
}

#[test]
fn special_files_in_folders_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("en")).expect("room");
    fs::write(at("en/a.txt"), "I have a dog.\n").expect("room");
    assert!(Command::new("mkfifo").arg(at("en/pipe.txt")).status().expect("mkfifo").success());
    let _socket = UnixListener::bind(at("en/socket.html")).expect("a socket");
    symlink("circle.txt", at("en/circle.txt")).expect("a link");
    let output = run(translate(folder.path(), &["en", "--output", "de"]));
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("2 of the files in the folders left out: pipes, sockets or devices"));
    assert!(read(&folder, "de/a.txt").contains("Hund"));
    // Those that cannot be written are told at once, and the others are translated.
    fs::write(at("en/b.txt"), "I have a dog.\n").expect("room");
    fs::set_permissions(at("de/a.txt"), fs::Permissions::from_mode(0o444)).expect("they are settable");
    let before = read(&folder, "de/a.txt");
    fs::write(at("en/a.txt"), "I have a cat.\n").expect("room");
    let output = run(translate(folder.path(), &["en", "--output", "de"]));
    assert_eq!(output.status.code(), Some(1));
    for told in ["a.txt: it is read-only", "1 of 2 documents could not be translated"] {
        assert!(stderr(&output).contains(told), "{told}: {}", stderr(&output));
    }
    assert_eq!(read(&folder, "de/a.txt"), before);
    assert!(read(&folder, "de/b.txt").contains("Hund"));
}

#[test]
fn what_is_no_file_is_written_into() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("log"), "before\n").expect("room");
    let inode = fs::metadata(at("log")).expect("it is there").ino();
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let mut command = translate(folder.path(), &["source", "--format", "text", "--output", name]);
        command.stdout(File::options().append(true).open(at("log")).expect("it is there"));
        let output = run(command);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
    }
    let log = read(&folder, "log");
    assert!(log.starts_with("before\n") && log.matches("Hund").count() == 3, "{log}");
    assert_eq!(fs::metadata(at("log")).expect("it is there").ino(), inode);

    let evaluate = ["evaluate", "--model", crate::prototype::FOLDER, "--tsv", "set.tsv", "--output"];
    assert!(Command::new("mkfifo").arg(at("pipe")).status().expect("mkfifo").success());
    let pipe = at("pipe");
    let reader = thread::spawn(move || {
        let mut text = String::new();
        File::open(pipe).and_then(|mut pipe| pipe.read_to_string(&mut text)).map(|_| text)
    });
    let output = run(wanderwort(folder.path(), &[&evaluate[..], &["pipe"]].concat()));
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(reader.join().expect("it ends").expect("it can be read").contains("Hund"));
    let full = run(wanderwort(folder.path(), &[&evaluate[..], &["/dev/full"]].concat()));
    assert_eq!(full.status.code(), Some(1));
    assert!(stderr(&full).contains("cannot write /dev/full: No space left"), "{}", stderr(&full));
}

#[test]
fn files_keep_their_permissions() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let text = ["source", "--format", "text", "--output"];
    fs::write(at("private"), "old").expect("room");
    fs::set_permissions(at("private"), fs::Permissions::from_mode(0o600)).expect("they are settable");
    symlink("private", at("link")).expect("a link");
    symlink("new", at("leads nowhere yet")).expect("a link");
    // A name that ends as a folder's is one.
    let output = run(translate(folder.path(), &[&text[..], &["made/"]].concat()));
    assert!(output.status.success() && read(&folder, "made/source").contains("Hund"), "{}", stderr(&output));
    for name in ["link", "leads nowhere yet"] {
        let output = run(translate(folder.path(), &[&text[..], &[name]].concat()));
        assert!(output.status.success() && at(name).is_symlink(), "{name}: {}", stderr(&output));
    }
    assert!(read(&folder, "private").contains("Hund") && read(&folder, "new").contains("Hund"));
    assert_eq!(fs::metadata(at("private")).expect("it is there").mode() & 0o777, 0o600);
    fs::set_permissions(at("private"), fs::Permissions::from_mode(0o400)).expect("they are settable");
    // Before a model is loaded, here one that is not there.
    let output = run(wanderwort(folder.path(), &[&["translate", "--model", "none"], &text[..], &["link"]].concat()));
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot write link: it is read-only"), "{}", stderr(&output));
}

#[test]
fn what_is_no_text_is_refused_with_where_and_what_to_do() {
    let folder = folder();
    let utf16: Vec<u8> = "\u{feff}I have a dog.\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (input, told) in [
        (&utf16[..], &["line 1", "UTF-16", "FF FE", "iconv", "--document"][..]),
        (b"I have a dog.\nI have\0 a cat.\n", &["line 2, byte 7", "NUL"]),
    ] {
        for options in [&[][..], &["--latency"], &["--processes", "2"]] {
            let output = run_with(translate(folder.path(), options), input);
            assert_eq!(output.status.code(), Some(1), "{options:?}");
            for told in told {
                assert!(stderr(&output).contains(told), "{told}: {}", stderr(&output));
            }
        }
    }
    // A document is read in its encoding, and binary is none.
    let output = run_with(translate(folder.path(), &["--document"]), &utf16);
    assert!(String::from_utf8_lossy(&output.stdout).contains("Hund"), "{}", stderr(&output));
    let output = run_with(translate(folder.path(), &["--document"]), b"\x7fELF\x02\x01\x01\0\0\0");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("line 1, byte 8"), "{}", stderr(&output));
}

#[test]
fn a_line_without_an_end_does_not_fill_the_memory() {
    let folder = folder();
    let input = [b"I have a dog.\n", &vec![b'a'; 17 << 20][..]].concat();
    for options in [&["--json"][..], &["--json", "--latency"]] {
        let output = run_with(translate(folder.path(), options), &input);
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        assert!(stderr(&output).contains("line 2: expected at most 16 MiB"), "{}", stderr(&output));
        // What came before is translated.
        assert!(output.stdout.starts_with(b"{\"text\":\"Ich habe einen Hund.\""), "{options:?}");
    }
    let output = run_with(translate(folder.path(), &["--json", "--document"]), &input);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("expected at most 16 MiB with --json"), "{}", stderr(&output));
}
