//! Several processes that translate, and this one, which shares out the lines and merges the results in order.
//!
//! Bogoychev et al., 2020, translate on many cores with several processes, each of which keeps to its own processors. A process has its model in
//! its own memory, next to its processors, and none waits for another. Here the input is not split beforehand: whichever process is free gets
//! the next window of lines, so that all finish at about the same time and translations come out while input is still arriving.

pub mod child;
mod frame;
mod part;

pub use part::{Part, PartArgument};

use crate::lines::count_words;
use crate::processors::{Machine, ProcessorError};
use crate::queue::LineQueue;
use crate::resources::peak_memory_of;
use crate::streams::tell;
use anyhow::{Context, Result};
use frame::{Window, read_bytes};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, BufWriter};
use std::num::NonZeroUsize;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use thiserror::Error;

/// How many processes and threads, and where.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Processes.
    pub processes: NonZeroUsize,
    /// Threads of each; none: the processors, shared evenly.
    pub threads: Option<NonZeroUsize>,
    /// Each is pinned to processors of its own.
    pub pin: bool,
    /// One thread per core.
    pub physical: bool,
}

impl Plan {
    /// What each process is told.
    pub fn parts(&self) -> Result<Vec<Part>, ProcessorError> {
        let processes = self.processes.get();
        let machine = if self.pin || self.physical { Some(Machine::here()?) } else { None };
        let machine = machine.map(|machine| if self.physical { machine.physical() } else { machine });
        let all = match &machine {
            Some(machine) => machine.len(),
            None => thread::available_parallelism().map_or(1, NonZeroUsize::get),
        };
        let share = NonZeroUsize::new(all / processes).unwrap_or(NonZeroUsize::MIN);
        let threads = self.threads.unwrap_or(share);
        Ok(match machine.filter(|_| self.pin) {
            Some(machine) => {
                let sets = machine.share_out(processes, threads.get())?;
                sets.into_iter().map(|processors| Part { threads, processors }).collect()
            }
            None => vec![Part { threads, processors: Vec::new() }; processes],
        })
    }
}

/// A process that did not do its work.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// It could not be started.
    #[error("cannot start process {number} of {count}: {error}")]
    Start {
        /// Which, counted from 1.
        number: usize,
        /// Of how many.
        count: usize,
        /// Why.
        error: std::io::Error,
    },
    /// It ended before its work did.
    #[error("process {number} of {count} ended {when} ({how}); {}", printed_lines(*printed))]
    Ended {
        /// Which, counted from 1.
        number: usize,
        /// Of how many.
        count: usize,
        /// At which work.
        when: String,
        /// Its exit status or the signal, in the system's words.
        how: String,
        /// How many lines were translated and printed, from the first on.
        printed: usize,
    },
}

fn printed_lines(count: usize) -> String {
    match count {
        0 => "nothing was printed".to_owned(),
        1 => "only the first line was printed".to_owned(),
        _ => format!("only the first {count} lines were printed"),
    }
}

/// What is printed for some lines.
#[derive(Debug)]
pub struct Answer {
    first: usize,
    lines: usize,
    /// Bytes of the input.
    pub source_bytes: usize,
    /// Words of the input.
    pub words: usize,
    /// The bytes to print.
    pub printed: Vec<u8>,
}

/// What the thread that deals with a process reports.
enum Message {
    Answer(Answer),
    Failed(ProcessError),
    /// No more lines; the peak size of the process, if the system tells it.
    Finished(Option<u64>),
}

/// Processes that have loaded the model and wait for lines.
pub struct Team {
    members: Vec<Member>,
    running: Running,
}

/// All processes; those that have not ended by themselves are ended when this is dropped.
struct Running(Vec<Arc<Mutex<Child>>>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &self.0 {
            let mut child = lock(child);
            // This fails for those that have ended already, which is no error.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Member {
    number: usize,
    count: usize,
    child: Arc<Mutex<Child>>,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Prints what it says, until it says no more.
    errors: Option<JoinHandle<()>>,
}

impl Team {
    /// Starts this program again, with the same command line, once for each part, and waits until all have loaded the model.
    pub fn start(parts: &[Part]) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        let said = Arc::new(Mutex::new(BTreeSet::new()));
        let (mut members, mut running) = (Vec::new(), Running(Vec::new()));
        for (index, part) in parts.iter().enumerate() {
            let (number, count) = (index + 1, parts.len());
            // Right after the command's name, where nothing before it can turn it into something else.
            arguments.insert(1, part.argument().into());
            let mut command = Command::new(&program);
            command.args(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            arguments.remove(1);
            // Ctrl-C is for this process; the others end with it.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let mut child = command.spawn().map_err(|error| ProcessError::Start { number, count, error })?;
            let piped = "its pipes were asked for";
            let input = BufWriter::with_capacity(1 << 16, child.stdin.take().expect(piped));
            let output = BufReader::with_capacity(1 << 16, child.stdout.take().expect(piped));
            let errors = BufReader::new(child.stderr.take().expect(piped));
            let said = said.clone();
            let errors = Some(thread::spawn(move || repeat_once(errors, &said)));
            let child = Arc::new(Mutex::new(child));
            running.0.push(child.clone());
            members.push(Member { number, count, child, input, output, errors });
        }
        let mut ready = Vec::new();
        for mut member in members {
            match read_bytes(&mut member.output) {
                Ok(_) => ready.push(member),
                Err(_) => return Err(member.ended("before it had loaded the model".to_owned()).into()),
            }
        }
        Ok(Self { members: ready, running })
    }

    /// Has all lines translated, about `window` bytes at a time, and gives `print` what is to be printed, in order. Returns the sum of the peak
    /// sizes of all processes, if the system tells them.
    pub fn translate(
        self,
        lines: &Arc<LineQueue>,
        window: usize,
        mut print: impl FnMut(Answer) -> Result<()>,
    ) -> Result<Option<u64>> {
        let Self { members, running } = self;
        // A slow process holds up the printing, not the other processes, but they do not run too far ahead either.
        let places = Arc::new(Places { free: Mutex::new(3 * members.len()), changed: Condvar::new() });
        let (sender, messages) = mpsc::channel();
        for member in members {
            let (lines, places, sender) = (lines.clone(), places.clone(), sender.clone());
            thread::spawn(move || member.work(&lines, window, &places, &sender));
        }
        drop(sender);
        let (mut next, mut waiting, mut memory) = (0, BTreeMap::new(), Some(0));
        for message in messages {
            match message {
                Message::Answer(answer) => waiting.insert(answer.first, answer),
                Message::Failed(mut error) => {
                    // Whoever reads what was printed should know how far it goes.
                    if let ProcessError::Ended { printed, .. } = &mut error {
                        *printed = next;
                    }
                    return Err(error.into());
                }
                Message::Finished(size) => {
                    memory = memory.zip(size).map(|(sum, size)| sum + size);
                    None
                }
            };
            while let Some(answer) = waiting.remove(&next) {
                next += answer.lines;
                print(answer)?;
                places.give_back();
            }
        }
        drop(running);
        Ok(memory)
    }
}

impl Member {
    fn work(mut self, lines: &LineQueue, window: usize, places: &Places, sender: &mpsc::Sender<Message>) {
        loop {
            places.take();
            let Some((first, lines)) = lines.take_share(window, self.count) else { break };
            let window = Window { first, lines };
            let printed = window.write(&mut self.input).and_then(|()| read_bytes(&mut self.output));
            let lines = window.lines.len();
            let message = match printed {
                Ok(printed) => Message::Answer(Answer {
                    first,
                    lines,
                    source_bytes: window.lines.iter().map(|line| line.text.len() + line.ending.as_str().len()).sum(),
                    words: window.lines.iter().map(|line| count_words(&line.text)).sum(),
                    printed,
                }),
                Err(_) => {
                    Message::Failed(self.ended(format!("while it translated lines {} to {}", first + 1, first + lines)))
                }
            };
            let failed = matches!(message, Message::Failed(_));
            if sender.send(message).is_err() || failed {
                return;
            }
        }
        // Lets others that wait for a place see the end too.
        places.give_back();
        let memory = peak_memory_of(lock(&self.child).id());
        let Member { number, count, child, input, output: _output, errors } = self;
        drop(input);
        let status = wait(&child);
        let _ = errors.map(JoinHandle::join);
        let _ = sender.send(match status {
            Ok(status) if status.success() => Message::Finished(memory),
            status => Message::Failed(ProcessError::Ended {
                number,
                count,
                when: "with a failure after its last line".to_owned(),
                how: describe(status),
                printed: 0,
            }),
        });
    }

    /// What became of a process that does not answer. What it said is printed first.
    fn ended(&mut self, when: String) -> ProcessError {
        // Its pipe is closed or broken, so there is nothing left that it could do.
        let _ = lock(&self.child).kill();
        let how = describe(wait(&self.child));
        let _ = self.errors.take().map(JoinHandle::join);
        ProcessError::Ended { number: self.number, count: self.count, when, how, printed: 0 }
    }
}

fn wait(child: &Mutex<Child>) -> std::io::Result<ExitStatus> {
    lock(child).wait()
}

fn describe(status: std::io::Result<ExitStatus>) -> String {
    status.map_or_else(|error| format!("its status is not known: {error}"), |status| status.to_string())
}

/// Prints what the processes say, but only once if several say the same.
fn repeat_once(errors: impl BufRead, said: &Mutex<BTreeSet<String>>) {
    /// Lines to remember: processes warn a few times at most.
    const REMEMBERED: usize = 1000;
    for line in errors.lines().map_while(Result::ok) {
        let mut said = lock(said);
        if said.len() >= REMEMBERED || said.insert(line.clone()) {
            // Under the lock, so that lines stay whole.
            tell!("{line}");
        }
    }
}

/// Windows that may be on their way at once.
struct Places {
    free: Mutex<usize>,
    changed: Condvar,
}

impl Places {
    fn take(&self) {
        let free = self.changed.wait_while(lock(&self.free), |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
    }

    fn give_back(&self) {
        *lock(&self.free) += 1;
        self.changed.notify_one();
    }
}
