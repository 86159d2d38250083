//! `bench --sweep`: how the rate and the memory grow with processes and threads, as in Klein et al., 2020, figure 2.

use crate::lines::{Ending, Line};
use crate::processes::{Plan, Team};
use crate::queue::LineQueue;
use crate::ranges::MAX_THREADS;
use crate::streams;
use crate::translate::window_bytes;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Write;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Processes, and threads of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Combination {
    processes: NonZeroUsize,
    threads: NonZeroUsize,
}

impl FromStr for Combination {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = text.split_once('x').and_then(|(processes, threads)| {
            Some(Self { processes: processes.parse().ok()?, threads: threads.parse().ok()? })
        });
        let is_possible = |found: &Self| found.processes.max(found.threads).get() <= MAX_THREADS;
        found
            .filter(is_possible)
            .ok_or_else(|| format!("expected processes x threads, each from 1 to {MAX_THREADS}, such as 24x2, or all"))
    }
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct Choice(Option<Combination>);

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" { Ok(Self(None)) } else { text.parse().map(|combination| Self(Some(combination))) }
    }
}

/// How to measure.
pub struct Sweep<'a> {
    /// What was asked for.
    pub choices: &'a [Choice],
    /// Processes stay on processors of their own.
    pub pin: bool,
    /// One thread a core.
    pub physical: bool,
    /// Seconds during which lines are fed in.
    pub seconds: f64,
}

/// One combination's figures.
#[derive(Serialize)]
pub struct Row {
    processes: usize,
    threads: usize,
    pinned: bool,
    load_ms: f64,
    words: usize,
    words_per_second: f64,
    /// Relative to the first combination.
    speed_up: f64,
    /// The peak sizes of all processes together.
    memory_mib: Option<f64>,
}

/// The most bytes of text that wait for each thread: a few batches.
const THREAD_BYTES: usize = 16 << 10;

impl Sweep<'_> {
    /// The combinations, fewest threads first: those that were named, or all divisors of the number of processors as threads, each with
    /// powers of two of processes and as many as fill the machine.
    fn combinations(&self, processors: usize) -> Vec<Combination> {
        let mut found = BTreeSet::new();
        for choice in self.choices {
            match choice.0 {
                Some(combination) => {
                    found.insert(combination);
                }
                None => {
                    for threads in (1..=processors).filter(|&threads| processors.is_multiple_of(threads)) {
                        let most = processors / threads;
                        let powers = std::iter::successors(Some(1), |count| Some(count * 2));
                        let combination = |processes| {
                            let (processes, threads) = (NonZeroUsize::new(processes)?, NonZeroUsize::new(threads)?);
                            Some(Combination { processes, threads })
                        };
                        found.extend(powers.take_while(|&count| count < most).chain([most]).filter_map(combination));
                    }
                }
            }
        }
        let mut found: Vec<Combination> = found.into_iter().collect();
        found.sort_by_key(|each| (each.processes.get() * each.threads.get(), each.threads));
        found
    }

    /// Measures each combination, and prints a row for it unless `is_silent`.
    pub fn run(&self, lines: &[String], is_silent: bool) -> Result<Vec<Row>> {
        let any = NonZeroUsize::MIN;
        let whole = Plan { processes: any, threads: None, pin: false, physical: self.physical }.parts()?;
        let processors = whole.iter().map(|part| part.threads.get()).sum();
        let mut output = streams::output();
        if !is_silent {
            writeln!(output, "processes x threads      words/s   speed-up   memory, MiB   load, ms")?;
        }
        let mut rows: Vec<Row> = Vec::new();
        for combination in self.combinations(processors) {
            let mut row = self.measure(combination, lines).with_context(|| {
                format!("cannot measure {} processes of {} threads", combination.processes, combination.threads)
            })?;
            row.speed_up = row.words_per_second / rows.first().map_or(row.words_per_second, |row| row.words_per_second);
            if !is_silent {
                let memory = row.memory_mib.map_or("?".to_owned(), |memory| format!("{memory:.0}"));
                writeln!(
                    output,
                    "{:>9} x {:<7} {:>12.0} {:>10.2} {:>13} {:>10.0}",
                    row.processes, row.threads, row.words_per_second, row.speed_up, memory, row.load_ms
                )?;
                output.flush()?;
            }
            rows.push(row);
        }
        Ok(rows)
    }

    fn measure(&self, Combination { processes, threads }: Combination, lines: &[String]) -> Result<Row> {
        let plan = Plan { processes, threads: Some(threads), pin: self.pin, physical: self.physical };
        let parts = plan.parts()?;
        let start = Instant::now();
        let team = Team::start(&parts)?;
        let load = start.elapsed();
        // No more text waits than keeps all threads busy, since everything that went in must come out before the clock stops.
        let text: usize = lines.iter().map(|line| line.len()).sum();
        let queue = Arc::new(LineQueue::new(text.max(THREAD_BYTES * processes.get() * threads.get())));
        // The text again and again, whole, until the time is up.
        let (feed, lines, seconds) = (queue.clone(), lines.to_vec(), Duration::from_secs_f64(self.seconds));
        let start = Instant::now();
        thread::spawn(move || {
            while {
                lines.iter().for_each(|text| feed.push(Line { text: text.clone(), ending: Ending::LineFeed }));
                start.elapsed() < seconds
            } {}
            feed.close();
        });
        let mut words = 0;
        let memory = team.translate(&queue, window_bytes(threads.get()), |answer| {
            words += answer.words;
            Ok(())
        })?;
        let took = start.elapsed().as_secs_f64();
        Ok(Row {
            processes: processes.get(),
            threads: threads.get(),
            pinned: self.pin,
            load_ms: super::milliseconds(load),
            words,
            words_per_second: words as f64 / took,
            speed_up: 1.0,
            memory_mib: memory.map(|bytes| bytes as f64 / super::MIB),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, Sweep};

    fn combinations(choices: &[&str], processors: usize) -> Vec<String> {
        let choices: Vec<Choice> = choices.iter().map(|choice| choice.parse().expect("a choice")).collect();
        let sweep = Sweep { choices: &choices, pin: false, physical: false, seconds: 0.0 };
        let name = |each: super::Combination| format!("{}x{}", each.processes, each.threads);
        sweep.combinations(processors).into_iter().map(name).collect()
    }

    #[test]
    fn a_sweep_reaches_the_whole_machine() {
        assert_eq!(combinations(&["all"], 1), ["1x1"]);
        assert_eq!(combinations(&["all"], 2), ["1x1", "2x1", "1x2"]);
        let many = combinations(&["all"], 48);
        assert!(
            ["1x1", "16x1", "48x1", "24x2", "8x4", "1x48"].iter().all(|name| many.iter().any(|found| found == name))
        );
        assert!(many.len() < 50, "{many:?}");
        assert_eq!(combinations(&["24x2", "1x1"], 2), ["1x1", "24x2"]);
        assert!(["24", "x", "0x1", "1x0"].iter().all(|text| text.parse::<Choice>().is_err()));
    }
}
