//! `cargo xtask`: the one command for what CI checks, and for what is generated.
//!
//! **Invariant:** what is generated depends on the declarations alone: the same bytes on every machine.
#![forbid(unsafe_code)]

mod aarch64;
mod agree;
mod bench;
mod command;
mod contradictions;
mod corpus;
mod dependencies;
mod environments;
mod fresh;
mod fuzz;
mod generate;
mod handbook;
mod house;
mod kernels;
mod lab;
mod lint_page;
mod markdown;
mod mean;
mod mistakes_page;
mod mutants;
mod oscope_run;
mod package;
mod packages;
mod peers_page;
mod report_csv;
mod reports_page;
mod sabotage_page;
mod schema;
mod static_program;
mod step;
mod steps;
mod test;
mod test_counts;
mod test_programs;
mod thresholds_page;
mod toolchain;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What CI checks, and what is generated or measured by hand
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Check all that CI checks; stop at the first step that fails
    Test {
        /// Do the other steps, too
        #[arg(long)]
        keep_going: bool,
    },
    /// Write the handbook, the record's schema, and docs/LINT.md, MISTAKES.md, PEERS.md, PREDICTIONS.md, REPORTS.md, SABOTAGE.md and
    /// THRESHOLDS.md
    Generate {
        /// Only compare them
        #[arg(long)]
        check: bool,
    },
    /// How far today's predictions are from the machines of the corpus, or from every point of one
    #[command(args_conflicts_with_subcommands = true)]
    Corpus {
        machine: Option<String>,
        #[command(subcommand)]
        change: Option<CorpusChange>,
    },
    /// Check the rules of CONTRIBUTING that no lint knows
    House {
        /// Show the findings of this crate only
        name: Option<String>,
    },
    /// Compare with other tools, interleaved, and print the ratios (five minutes per area)
    Agree { areas: Vec<String> },
    /// Fuzz the protocol of two machines
    Fuzz {
        minutes: f64,
        #[arg(default_value_t = 1)]
        seed: u64,
    },
    /// Run mutation tests (an hour)
    Mutants(mutants::Choice),
    /// Run the README's two commands on a new, bare Debian below a root of its own (half an hour)
    Fresh,
    /// Make a Debian package and a tarball below target/package
    Package,
    /// Make the static program and its bill of materials below target/package (five minutes)
    Static {
        /// Build a clone, too, which must give the same bytes
        #[arg(long)]
        twice: bool,
    },
    /// Count neighbouring kernels of Debian for docs/KERNELS.md (half an hour)
    Kernels {
        /// Build a small kernel instead, plant patches of known size, and count what is found of them (half an hour)
        #[arg(long)]
        planted: bool,
        /// Write the table of instructions that predictions are made of instead (five minutes)
        #[arg(long, conflicts_with = "planted")]
        counts: bool,
    },
    /// Measure the table of docs/ENVIRONMENTS.md on this machine (a minute or two)
    Environments,
    /// Test the libraries on AArch64, in an emulator of its programs (two minutes)
    Aarch64,
    /// Boot small emulated machines, and judge what oscope does there (two minutes each)
    Lab(lab::Choice),
    /// Measure what the instrument must reach on this machine (ten minutes)
    Bench {
        #[command(subcommand)]
        part: Option<BenchPart>,
    },
    /// Make system calls in a loop, and print what one took
    #[command(hide = true)]
    Calls { count: u64 },
    /// Load a CPU by a given share
    #[command(hide = true)]
    Burn {
        percent: f64,
        /// Length of a turn
        #[arg(long, default_value_t = bench::TURN_MS)]
        turn_ms: u64,
    },
}

#[derive(Subcommand)]
enum CorpusChange {
    /// Add a machine
    Add {
        name: String,
        /// A record, or what `report --format csv` wrote
        results: String,
        /// What `dump` wrote
        dump: String,
    },
}

#[derive(Subcommand)]
enum BenchPart {
    /// Measure how far ten runs differ, beside other programs (five minutes)
    Repeat,
    /// Measure a planted difference between environments (half a minute)
    Filter,
    /// Measure what `oscope gate` gains beside a program that uses the CPU, and what a sham gate gains (four minutes)
    Gate,
    /// Measure how often a run says what the next one will find, or read it from records (half an hour)
    NextRun(bench::NextRun),
    /// Measure, or read from records, what a comparison of two runs can find, by area (half an hour)
    Power(bench::PowerChoice),
    /// Plant small changes between runs of a minute each, and count those that are found (two hours)
    Planted(bench::Planted),
    /// Plant a program, a quota, a slow network and a slow disk beside `oscope watch`, and count those that it names (as root;
    /// two minutes, and half a minute a plant)
    Watch(bench::Plants),
    /// Plant stops of a process and of a virtual machine, a real-time process, a quota, a storm of timers and one of frames beside runs that
    /// time every iteration, and count the causes that are right; fails below 95 % (as root; nine minutes)
    Stalls(bench::Stalls),
}

fn main() -> ExitCode {
    let task = match Task::try_parse() {
        Ok(task) => task,
        Err(said) => {
            let _ = said.print();
            return if said.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    match run(task, &root()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Does a task; gives whether all is well.
fn run(task: Task, root: &Path) -> Result<bool> {
    match task {
        Task::Test { keep_going } => Ok(test::run(root, None, keep_going)),
        Task::Aarch64 => Ok(test::run(root, Some(aarch64::NAME), false)),
        Task::Generate { check: true } => generate::check(root),
        Task::Generate { check: false } => generate::write(root).map(|()| true),
        Task::Corpus { change: Some(CorpusChange::Add { name, results, dump }), .. } => {
            corpus::add(root, &name, &results, &dump)
        }
        Task::Corpus { machine: Some(name), .. } => corpus::print_machine(&name),
        Task::Corpus { .. } => corpus::print(),
        Task::House { name } => house::report(root, name.as_deref()),
        Task::Agree { areas } => agree::run(root, &areas),
        Task::Fuzz { minutes, seed } => fuzz::run(minutes, seed),
        Task::Mutants(choice) => mutants::run(root, &choice),
        Task::Fresh => fresh::run(root),
        Task::Package => package::run(root),
        Task::Static { twice } => static_program::make(root, twice),
        Task::Kernels { planted: true, .. } => kernels::plant(root),
        Task::Kernels { counts: true, .. } => kernels::write_counts(root),
        Task::Kernels { .. } => kernels::run(root),
        Task::Environments => environments::measure(root),
        Task::Lab(choice) => lab::run(root, &choice),
        Task::Bench { part: None } => bench::run(root),
        Task::Bench { part: Some(BenchPart::Repeat) } => bench::repeat(root),
        Task::Bench { part: Some(BenchPart::Filter) } => bench::filter(root),
        Task::Bench { part: Some(BenchPart::Gate) } => bench::gate(root),
        Task::Bench { part: Some(BenchPart::NextRun(choice)) } => bench::next_run(root, &choice),
        Task::Bench { part: Some(BenchPart::Power(choice)) } => bench::power(root, &choice),
        Task::Bench { part: Some(BenchPart::Planted(choice)) } => bench::planted(root, &choice),
        Task::Bench { part: Some(BenchPart::Watch(choice)) } => bench::watch(root, &choice),
        Task::Bench { part: Some(BenchPart::Stalls(choice)) } => bench::stalls(root, &choice),
        Task::Calls { count } => {
            bench::calls(count);
            Ok(true)
        }
        Task::Burn { percent, turn_ms } => {
            bench::burn(percent, turn_ms);
            Ok(true)
        }
    }
}

/// The workspace: the folder above this crate.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn other_words_are_refused() {
        let parse =
            |line: &str| Task::try_parse_from(std::iter::once("xtask").chain(line.split_whitespace()));
        for line in
            ["test --keep-going", "corpus", "corpus one", "corpus add a b c", "fuzz 1", "lab a b", "bench"]
        {
            assert!(parse(line).is_ok(), "{line}");
        }
        for line in ["tset", "generate --chekc", "fuzz x", "lab --ci a", "mutants --shard", "bench more"] {
            assert!(parse(line).is_err_and(|said| said.use_stderr()), "{line}");
        }
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(std::fs::read_to_string(root().join("Cargo.toml")).unwrap().contains("[workspace]"));
    }
}
