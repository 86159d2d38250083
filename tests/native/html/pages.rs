//! Whole pages: bytes outside of text are the same before and after. `WANDERWORT_PAGES=/usr/share/doc cargo test --test native
//! html::pages -- --nocapture` compares all pages of a folder as well, such as those of Debian's documentation packages, and lists all that
//! differ and all that are refused.

use std::path::{Path, PathBuf};

use wanderwort::text::documents::{self, DocumentError, Format, ReadOptions};
use wanderwort::text::structure::Wrapped;

use crate::outside::{assert_same, markup};
use crate::shouting::{LANGUAGES, shout};

/// Checks a page, unless its format is refused.
fn check(path: &Path) -> Result<(), DocumentError> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let format = Format::named("html").expect("a format");
    let options = ReadOptions { languages: LANGUAGES, encoding: None, wrapped: Wrapped::Auto };
    let document = format.read(bytes.clone(), &options)?;
    // Without translations only declarations change; with them, only texts do besides.
    let plain = documents::translate(&*document, |_| Vec::new())?;
    let shouted = documents::translate(&*document, |texts| texts.iter().map(|text| shout(text, false)).collect())?;
    let (plain, shouted) = (String::from_utf8(plain).unwrap(), String::from_utf8(shouted).unwrap());
    if let Ok(source) = std::str::from_utf8(&bytes) {
        let declares =
            |tag: &str| ["<?xml ", "<meta charset", "<meta …", "<html"].iter().any(|start| tag.starts_with(start));
        assert_same(&path.display(), &markup(source), &markup(&plain), declares);
    }
    assert_same(&path.display(), &markup(&plain), &markup(&shouted), |tag| {
        tag.starts_with("<option") || tag.starts_with("<meta …")
    });
    Ok(())
}

fn pages_in(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            let ends = |ending: &str| path.extension().is_some_and(|found| found == ending);
            match kind {
                Ok(kind) if kind.is_dir() && !path.ends_with("node_modules") => folders.push(path),
                Ok(kind) if kind.is_file() && (ends("html") || ends("htm") || ends("xhtml")) => pages.push(path),
                _ => {}
            }
        }
    }
    pages.sort();
    pages
}

#[test]
fn pages_are_the_same_outside_of_their_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = [pages_in(&root.join("www")), pages_in(&root.join("tests/browser"))].concat();
    assert!(own.len() >= 5);
    for page in &own {
        check(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    }
    if let Some(folder) = std::env::var_os("WANDERWORT_PAGES") {
        let (mut same, mut different, mut refused) = (0, Vec::new(), Vec::new());
        for page in pages_in(Path::new(&folder)) {
            match std::panic::catch_unwind(|| check(&page)) {
                Ok(Ok(())) => same += 1,
                Ok(Err(error)) => refused.push(format!("{}: {error}", page.display())),
                Err(_) => different.push(page.display().to_string()),
            }
        }
        println!("refused:\n{}\ndifferent:\n{}", refused.join("\n"), different.join("\n"));
        println!(
            "{same} pages are the same outside of their text, {} differ, {} are refused",
            different.len(),
            refused.len()
        );
        assert!(same > 0 && different.is_empty());
    }
}
