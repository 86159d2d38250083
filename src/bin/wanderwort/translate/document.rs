//! `translate --document`: a text in, a text out.

use super::TranslationObject;
use crate::lines::Replaced;
use anyhow::{Context, Result};
use std::io::{self, Read, Write};
use wanderwort::{TranslateOptions, Translator};

pub fn run(translator: &Translator, pool: &rayon::ThreadPool, options: &TranslateOptions, json: bool) -> Result<()> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    let (text, replaced) = decode(&bytes);
    let translation = pool.install(|| translator.translate(&text, options));
    let mut output = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut output, &TranslationObject::new(&translation))?;
        output.write_all(b"\n")?;
    } else {
        output.write_all(translation.text.as_bytes())?;
    }
    output.flush()?;
    if let Some(warning) = replaced.warning() {
        eprintln!("wanderwort: standard input: {warning}");
    }
    Ok(())
}

/// The text, with U+FFFD for what is not UTF-8, and the lines in which that was.
fn decode(bytes: &[u8]) -> (String, Replaced) {
    let mut replaced = Replaced::default();
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        if std::str::from_utf8(line).is_err() {
            replaced.lines += 1;
            if replaced.lines == 1 {
                replaced.first = number;
            }
        }
    }
    (String::from_utf8_lossy(bytes).into_owned(), replaced)
}
