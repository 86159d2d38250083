//! `translate --html`: a document in, a document out.

use crate::lines::count_words;
use crate::progress::Progress;
use anyhow::{Context, Result};
use std::io::{self, Read, Write};
use wanderwort::Translator;
use wanderwort::text::html::HtmlOptions;

pub fn run(translator: &Translator, pool: &rayon::ThreadPool, options: &HtmlOptions) -> Result<()> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    let html = String::from_utf8_lossy(&bytes);
    let mut progress = Progress::new(None);
    let translated = pool.install(|| {
        translator.translate_html(&html, options, |texts| {
            let bytes = texts.iter().map(|text| text.len() as u64).sum();
            progress.add(bytes, texts.iter().map(|text| count_words(text) as u64).sum());
        })
    })?;
    progress.finish();
    let mut output = io::stdout().lock();
    output.write_all(translated.as_bytes())?;
    output.flush()?;
    Ok(())
}
