//! How many sentences a worker decodes side by side.
//!
//! More rows share each pass over the weights. But at each step every sentence's keys and values are read, and the weights of the words that
//! its shortlist adds: for the tiny student some 140 kB for a sentence of 33 pieces. Where they outgrow the caches, the output layer waits for memory
//! and a step takes longer than two of half as many rows (`wanderwort bench --beam 1 --slots N`).

use super::Engine;
use super::translator::TranslateOptions;
use super::worker::Job;
use std::sync::OnceLock;

/// Most rows of one worker, unless the options say otherwise.
pub const ROWS: usize = 64;

/// Rows that share the weights even if what their sentences read does not stay in the caches.
const FEWEST_ROWS: usize = 32;

/// How much the sentences may read at a step, in multiples of the second cache: beyond it the third one helps, which cores share.
const CACHES: usize = 4;

/// Bytes of the second cache where the system does not tell, as in a web page.
const USUAL_CACHE: usize = 1 << 20;

/// Sentences like `job` that a worker decodes side by side.
pub fn sentences(engine: &Engine, options: &TranslateOptions, job: &Job) -> usize {
    static CACHE: OnceLock<usize> = OnceLock::new();
    let cache = *CACHE.get_or_init(|| second_cache().unwrap_or(USUAL_CACHE));
    let read = engine.ensemble.bytes_read(job.source.len(), job.candidates.len());
    let most = engine.sentences_in(ROWS, options);
    let fewest = engine.sentences_in(FEWEST_ROWS, options);
    (CACHES * cache / read.max(1)).clamp(fewest, most)
}

/// Bytes of a core's second cache, from Linux.
fn second_cache() -> Option<usize> {
    let folder = std::path::Path::new("/sys/devices/system/cpu/cpu0/cache/index2");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    if read("level")?.trim() != "2" {
        return None;
    }
    bytes(read("size")?.trim())
}

/// "1024K" in bytes.
fn bytes(size: &str) -> Option<usize> {
    let (number, unit) = match size.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => (size.strip_suffix('M')?, 1 << 20),
    };
    number.parse::<usize>().ok()?.checked_mul(unit).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_caches() {
        assert_eq!(
            ["1024K", "2M", "0K", "", "K", "1024", "99999999999999999999K"].map(bytes),
            [Some(1 << 20), Some(2 << 20), None, None, None, None, None]
        );
    }
}
