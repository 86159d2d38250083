//! The command line of Wanderwort: translate and serve, convert and look into models, score and time them.

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
mod relabel;
mod resources;
#[cfg(feature = "serve")]
mod serve;
mod translate;
mod unpack;

use clap::{Parser, Subcommand};
use std::io::ErrorKind;
use std::process::ExitCode;

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

`wanderwort COMMAND --help` says more about each.";

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
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
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output has seen enough (`wanderwort … | head`): not a failure.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wanderwort: {}", wanderwort::in_words(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
