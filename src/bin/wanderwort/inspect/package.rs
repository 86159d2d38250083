//! What a package holds, and what its quantization cost.

use super::{architecture, grouped};
use crate::convert::Totals;
use anyhow::Result;
use std::fmt::Write;
use wanderwort::model::package::{Content, Encoding, Entry, Event, Header, Reader, Side, WeightsChecksum};
use wanderwort::model::{Config, Error};

/// Reads the package called `name` as a whole, so that damage shows, and describes it.
pub fn describe(name: &str, bytes: &[u8], options: bool, report: &mut String) -> Result<()> {
    let mut reader = Reader::new(name);
    let (mut config, mut shortlist) = (None, None);
    let mut checksum = WeightsChecksum::default();
    reader.push(bytes, |event| {
        match event {
            Event::Header(_, found) => config = Some(found.clone()),
            Event::Shortlist(found) => shortlist = Some((found.entries(), found.bytes())),
            Event::Tensor { name, tensor } => checksum.add(name, &tensor),
            Event::Vocabulary { .. } => {}
        }
        Ok::<(), Error>(())
    })?;
    reader.finish()?;
    if let (Some(header), Some(config)) = (reader.header(), &config) {
        describe_card(header, bytes.len(), report)?;
        writeln!(report, "Architecture\n{}", architecture(config))?;
        if options {
            describe_options(header, report)?;
        }
        describe_vocabularies(config, shortlist, report)?;
        describe_sections(header, bytes.len(), report)?;
        describe_tensors(header, report)?;
        writeln!(report, "  unpacked to {} values with checksum {:08x}", grouped(checksum.values()), checksum.value())?;
    }
    Ok(())
}

fn describe_card(header: &Header, length: usize, report: &mut String) -> Result<()> {
    let card = &header.card;
    let or_unknown = |text: &str| if text.is_empty() { "not stated".to_owned() } else { text.to_owned() };
    writeln!(report, "Package\n  name       {}", or_unknown(&card.name))?;
    writeln!(report, "  languages  {} to {}", or_unknown(&card.source_language), or_unknown(&card.target_language))?;
    writeln!(report, "  licence    {}", or_unknown(&card.licence))?;
    for score in &card.scores {
        writeln!(report, "  score      {} {} on {}", score.value, score.metric, score.set)?;
    }
    if let Some(signs) = &header.signs {
        writeln!(report, "  carries    {signs}")?;
    }
    let unknown = header.unknown.names().collect::<Vec<_>>().join(", ");
    if !unknown.is_empty() {
        writeln!(report, "  also has   {unknown}, which this version does not know")?;
    }
    writeln!(report, "  size       {} bytes\n", grouped(length))?;
    Ok(())
}

fn describe_options(header: &Header, report: &mut String) -> Result<()> {
    writeln!(report, "Options")?;
    header.config.lines().try_for_each(|line| writeln!(report, "  {line}"))?;
    if let Some(beam) = header.decoding.beam_size.filter(|&beam| beam > 1) {
        writeln!(report, "  {beam} hypotheses of a sentence are followed side by side")?;
        if let Some(penalty) = header.decoding.word_penalty.filter(|&penalty| penalty != 0.0) {
            writeln!(report, "  each word takes {penalty} from the log-probability of its hypothesis")?;
        }
        if let Some(power) = header.decoding.beam_threshold {
            writeln!(report, "  those less likely than the likeliest by a factor of more than e^{power} are given up")?;
        }
        if let Some(words) = header.decoding.beam_recombination.filter(|&words| words > 0) {
            writeln!(report, "  of those that end in the same {words} words, only the best goes on")?;
        }
    }
    if let Some(factor) = header.decoding.max_length_factor {
        writeln!(report, "  at most {factor} target pieces for each source piece")?;
    }
    if let Some(pieces) = header.decoding.max_length_break {
        writeln!(report, "  sentences of more than {pieces} pieces are cut")?;
    }
    if !header.card.description.is_empty() {
        writeln!(report, "\nCard")?;
        header.card.description.lines().try_for_each(|line| writeln!(report, "  {line}"))?;
    }
    writeln!(report)?;
    Ok(())
}

fn describe_vocabularies(config: &Config, shortlist: Option<(usize, usize)>, report: &mut String) -> Result<()> {
    let (source, target) = (grouped(config.source_words), grouped(config.target_words));
    writeln!(report, "Vocabulary\n  {source} source and {target} target pieces\n")?;
    match shortlist {
        None => writeln!(report, "Shortlist\n  none: every target word is considered at every step\n")?,
        Some((entries, bytes)) => writeln!(
            report,
            "Shortlist\n  {:.1} target words for each source word on average; {} bytes in memory\n",
            entries as f64 / config.source_words.max(1) as f64,
            grouped(bytes)
        )?,
    }
    Ok(())
}

fn describe_sections(header: &Header, length: usize, report: &mut String) -> Result<()> {
    writeln!(report, "Sections\n  {:>11}  checksum  content", "bytes")?;
    let sections: u64 = header.sections.iter().map(|section| section.length).sum();
    let before = length as u64 - sections;
    writeln!(report, "  {:>11}            header", grouped(usize::try_from(before)?))?;
    for section in &header.sections {
        let content = match &section.content {
            Content::Vocabulary { side, name } => {
                let side = match side {
                    Side::Source => "source",
                    Side::Target => "target",
                    Side::Joint => "joint",
                };
                format!("{side} vocabulary, {name}")
            }
            Content::Shortlist { first, .. } => format!("shortlist, the first {first} target words always"),
            Content::Tensors(entries) => match entries.as_slice() {
                [] => "nothing".to_owned(),
                [only] => only.name.clone(),
                [first, .., last] => format!("{} tensors, {} … {}", entries.len(), first.name, last.name),
            },
            Content::Other(unknown) => {
                format!("not known to this version: {}", unknown.names().collect::<Vec<_>>().join(", "))
            }
        };
        let length = grouped(usize::try_from(section.length)?);
        writeln!(report, "  {length:>11}  {:08x}  {content}", section.checksum)?;
    }
    writeln!(report)?;
    Ok(())
}

fn describe_tensors(header: &Header, report: &mut String) -> Result<()> {
    let width = header.tensors().map(|entry| entry.name.len()).max().unwrap_or(0);
    writeln!(
        report,
        "Tensors\n  {:<width$}  {:>13}  {:<21}  {:>11}  {:>11}  {:>6}  {:>8}",
        "name", "shape", "stored as", "bytes", "bits before", "after", "error"
    )?;
    let mut totals = Totals::default();
    for entry in header.tensors() {
        totals.add(entry);
        let (kind, before) = stored_as(entry);
        let count = (entry.rows * entry.columns).max(1);
        writeln!(
            report,
            "  {:<width$}  {:>13}  {kind:<21}  {:>11}  {before:>11}  {:>6.2}  {:>8}",
            entry.name,
            format!("{} × {}", entry.rows, entry.columns),
            grouped(usize::try_from(entry.length)?),
            entry.length as f64 * 8.0 / count as f64,
            entry.error.map_or(String::new(), |error| format!("{error:.5}")),
        )?;
    }
    writeln!(report)?;
    let mut totals_text = Vec::new();
    totals.print(&mut totals_text)?;
    report.push_str(&String::from_utf8(totals_text)?);
    Ok(())
}

/// The encoding in words, and the bits per value without entropy coding.
fn stored_as(entry: &Entry) -> (String, u32) {
    let (name, bits) = match entry.encoding {
        Encoding::Float32 => return ("float32".to_owned(), 32),
        Encoding::Float16 => return ("float16".to_owned(), 16),
        Encoding::Int8 => ("int8", 8),
        Encoding::Log4(wanderwort::model::package::log4::Codebook::Zero) => ("log4", 4),
        Encoding::Log4(wanderwort::model::package::log4::Codebook::NoZero) => ("log4+no-zero", 4),
    };
    (if entry.scales > 1 { format!("{name}+columns") } else { name.to_owned() }, bits)
}
