//! The command line of Wanderwort: translate and serve, convert and look into models, score and time them.

// They panic where standard output or standard error cannot be written; `streams` has what does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod convert;
mod evaluate;
mod files;
mod index;
mod inspect;
mod lines;
mod metrics;
mod model;
mod models;
mod output;
mod processes;
mod processors;
mod progress;
mod queue;
mod ranges;
mod relabel;
mod resources;
#[cfg(feature = "serve")]
mod serve;
mod streams;
mod translate;
mod unpack;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;
use streams::tell;

/// A neural machine translator that runs on your own machine.
#[derive(Parser)]
#[command(version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Translate(Box<translate::Arguments>),
    Models(models::Arguments),
    Convert(convert::Arguments),
    Inspect(inspect::Arguments),
    Unpack(unpack::Arguments),
    Relabel(relabel::Arguments),
    Index(index::Arguments),
    Evaluate(evaluate::Arguments),
    Bench(bench::Arguments),
    #[cfg(feature = "serve")]
    Serve(Box<serve::Arguments>),
}

const EXAMPLES: &str = "\
Examples:
  wanderwort translate --model models/en-de.tiny.wanderwort < english.txt > german.txt
  wanderwort models install en-fr && wanderwort translate --from en --to fr < english.txt > french.txt
  wanderwort convert --from student --to en-de.wanderwort
  wanderwort inspect en-de.wanderwort
  wanderwort unpack en-de.wanderwort --to en-de
  wanderwort evaluate --model models/en-de.tiny.wanderwort --source test.en --reference test.de
  wanderwort bench --model models/en-de.tiny.wanderwort --source test.en

`wanderwort COMMAND --help` says more about each.

The exit status is 0 if all was done, 1 after an error and 2 if the command line is wrong. If the reader of standard output goes away, as
`head` does, the program ends like others that write to a closed pipe: by SIGPIPE, which is 141 in a shell.";

fn main() -> ExitCode {
    // What is still buffered is a part of the output, so that it cannot be written is an error too.
    match run().and_then(|()| Ok(streams::output().flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if streams::is_closed(&error) => streams::end_by_closed_pipe(),
        Err(error) => {
            tell!("wanderwort: {}", wanderwort::in_words(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => error.exit(),
        Err(help) => return streams::print(&help),
    };
    match arguments.command {
        Command::Translate(arguments) => translate::run(&arguments),
        Command::Models(arguments) => models::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Unpack(arguments) => unpack::run(&arguments),
        Command::Relabel(arguments) => relabel::run(&arguments),
        Command::Index(arguments) => index::run(&arguments),
        Command::Evaluate(arguments) => evaluate::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::run(&arguments),
    }
}
