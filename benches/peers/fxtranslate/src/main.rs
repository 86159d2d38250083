//! Times the crate `fxtranslate` on the same model and text: `peer-fxtranslate MODEL_FOLDER TEXT OUTPUT BATCH`.

use fxtranslate::{engine::Engine, shortlist::Shortlist};
use rustix::time::{ClockId, clock_gettime};
use std::{env, fs, process, time::Instant};

/// Seconds of processor time so far.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The largest resident size of this process so far, in MiB; NaN where Linux's /proc is missing.
fn peak_memory() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).map_or(f64::NAN, |kib| kib / 1024.0)
}

fn main() {
    let before = peak_memory();
    let arguments: Vec<String> = env::args().collect();
    let [_, model, text, output, batch] = &arguments[..] else {
        eprintln!("usage: peer-fxtranslate MODEL_FOLDER TEXT OUTPUT BATCH");
        process::exit(2);
    };
    let batch: usize = batch.parse().expect("BATCH is a number");
    let file = |name: &str| format!("{model}/{name}");
    let vocabulary = file("vocab.ende.spm");
    let engine = Engine::load_mmapped(file("model.ende.intgemm.alphas.bin"), &vocabulary, &vocabulary)
        .expect("the model loads")
        .with_shortlist(Shortlist::load(file("lex.50.50.ende.s2t.bin")).expect("the shortlist loads"));
    let text = fs::read_to_string(text).expect("the text is there");
    let lines: Vec<&str> = text.lines().collect();
    let words = text.split_whitespace().count();

    // Batches of like length, as Marian's sorting makes them.
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|&i| lines[i].len());
    let translate = |order: &[usize]| {
        let mut translations = vec![String::new(); lines.len()];
        for batch in order.chunks(batch) {
            let sources: Vec<&str> = batch.iter().map(|&i| lines[i]).collect();
            for (&i, translation) in batch.iter().zip(engine.translate_batch(&sources)) {
                translations[i] = translation;
            }
        }
        translations
    };
    translate(&order[..order.len().min(100)]);
    let (start, processor_start) = (Instant::now(), processor_time());
    let translations = translate(&order);
    let (seconds, processor_seconds) = (start.elapsed().as_secs_f64(), processor_time() - processor_start);
    fs::write(output, translations.join("\n") + "\n").expect("the output can be written");

    let count = lines.len().min(200);
    let (mut alone, mut alone_processor): (Vec<f64>, Vec<f64>) = (0..count)
        .map(|i| {
            let (start, processor_start) = (Instant::now(), processor_time());
            std::hint::black_box(engine.translate(lines[i * lines.len() / count]));
            (start.elapsed().as_secs_f64() * 1e3, (processor_time() - processor_start) * 1e3)
        })
        .unzip();
    alone.sort_by(f64::total_cmp);
    alone_processor.sort_by(f64::total_cmp);
    println!(
        "{{\"words_per_second\": {}, \"words_per_processor_second\": {}, \"alone_median_ms\": {}, \
         \"alone_95th_percentile_ms\": {}, \"alone_median_processor_ms\": {}, \"memory_peak_mib\": {}, \
         \"memory_own_mib\": {}}}",
        words as f64 / seconds,
        words as f64 / processor_seconds,
        alone[count / 2],
        alone[count * 95 / 100],
        alone_processor[count / 2],
        peak_memory(),
        peak_memory() - before,
    );
}
