//! What is typed: the command line, as data.

mod ab;
mod at;
mod change_rule;
mod compare;
mod count;
mod fleet;
mod gate;
mod history;
mod lmbench;
mod output;
mod published;
mod report;
mod tables;
mod values;
mod watch;

use crate::environments::{Versus, launch::Setting, list_of_settings};
pub(crate) use ab::Ab;
pub(crate) use at::At;
pub(crate) use change_rule::ChangeRule;
use clap::{Args, Parser, Subcommand};
pub(crate) use compare::Compare;
pub(crate) use count::{Count, LIMITS};
pub(crate) use fleet::{
    Export, Fleet, FleetCommand, FleetKubernetes, FleetNode, FleetReport, FleetSlurm, FleetSsh, Measured,
    Toleration,
};
pub(crate) use gate::Gate;
pub(crate) use history::{History, HistoryFolder};
pub(crate) use lmbench::Lmbench;
pub(crate) use output::{Output, Replace};
pub(crate) use published::{Lint, ListReference, Museum};
use record::{FreshProcess, Profile, Trigger};
pub(crate) use report::Report;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
pub(crate) use tables::TableName;
pub(crate) use values::{CpuClass, ExportForm, FindingsForm, Form, TableForm, TextOrJson};
use values::{duration, percent, profile, rate, trigger, versus_help};
pub(crate) use watch::{LineForm, Watch};

/// An oscilloscope for the operating system: describes this machine, predicts what its basic services
/// should cost, measures what they do cost, proves that they happened, and shows the difference.
#[derive(Debug, Parser)]
#[command(name = "oscope", disable_version_flag = true, max_term_width = 100, after_help = EXIT_CODES, disable_help_subcommand = true)]
pub struct Arguments {
    /// Print the version
    #[arg(short = 'V', long)]
    pub(crate) version: bool,
    /// With --version: the commit, the target, and how it was built
    #[arg(long, requires = "version")]
    pub(crate) verbose: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

pub(crate) const EXIT_CODES: &str = "Exit codes: 0 done (noisy, skipped, failed and contradicted rows are part of a result); \
    1 with --strict, some row is contradicted or failed, with --fail-if, some point is so, or `oscope lint` found \
    something; 2 wrong arguments, or a baseline, a directory or a peer named there that cannot be used; 3 a file is \
    missing, could not be read or written, is damaged, or is not a record; 4 nothing could be measured, or compared; \
    125 with --bisect, nothing can be said of this revision; 128 with --bisect, the arguments or the first file are wrong; 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Describe, predict, measure, and show the difference
    Run(Run),
    /// List the operations
    List(List),
    /// Explain an operation and what a record says of it; without one, answer the reports' questions
    Explain(Explain),
    /// Describe the machine, each fact with its source or the reason why it is unknown
    Describe(Describe),
    /// Write a description of this machine for use elsewhere, without serial numbers and host names
    Dump(Dump),
    /// Predict what the operations should cost, without measuring anything
    Predict(Predict),
    /// Show a record again
    Report(Report),
    /// Compare records: slower, faster, same or undecided
    Compare(Compare),
    /// Watch a few points all the time, within a small share of a CPU: a screen, lines, or metrics for Prometheus
    Watch(Watch),
    /// Measure two set-ups alternately, several runs each, and compare them
    Ab(Ab),
    /// Run a benchmark of your own again and again, and keep the runs during which nothing else used its core
    Gate(Gate),
    /// The values of points over the runs of a machine, and where their level changed
    History(History),
    /// Count what a kernel executes, by boots in QEMU: two kernels, every path, the function that made the difference
    Count(Count),
    /// Many machines: find those that are not like the others
    Fleet(Fleet),
    /// Write the records of many machines as tables that other programs read
    Export(Export),
    /// Save records as a baseline for `oscope compare --baseline`; without a name, list them: date, kernel, processor, points,
    /// records
    Baseline(Baseline),
    /// List what five reports of students found, with the mistakes that make some of it suspect
    Reference(ListReference),
    /// Measure wrong methods, most of them published, next to the correct ones: how far off each is on this machine, and why
    Museum(Museum),
    /// Check a table of measurements for the mistakes that its figures alone reveal
    Lint(Lint),
    /// Answer a command line of lmbench, in its form: `oscope lmbench lat_ctx -s 16 2 8`
    Lmbench(Lmbench),
    /// Check in a few seconds whether clocks, counters, tracing, placement and witnesses work here; exit with 1 if one of
    /// these fails that a run needs
    Selftest,
    /// Explain a command, or a topic such as verdicts, predictions or the environment; without a word, list them
    Help(Help),
    /// Print completions for a shell
    Completions(Completions),
    /// Serve as the remote endpoint of network measurements: print the address and a one-time key, then wait
    Serve(Serve),
    /// Measure one point for a supervisor: reads a request, writes a trial
    #[command(hide = true)]
    Worker {
        /// Stay after the answer until standard input is closed
        #[arg(long)]
        stay: bool,
        /// Serve one request after the other, each by a process of its own that is made so
        #[arg(long)]
        several: Option<FreshProcess>,
    },
    /// Run one session for `serve`
    #[command(hide = true)]
    Session,
    /// Run a command in a setting that `run --versus` also takes: `oscope launch seccomp ./program`
    #[command(after_help = list_of_settings())]
    Launch {
        /// The setting, as for `run --versus`: `seccomp`, `filter=16`, `nice=10`
        setting: Setting,
        /// The command
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<OsString>,
    },
    /// Remove the work directory of a run when the run is over
    #[command(hide = true)]
    Cleanup {
        /// The directory
        folder: PathBuf,
    },
}

#[derive(Debug, Args, Default)]
pub(crate) struct Run {
    /// What to measure: `headline` (some 40 points, one minute), `reports` (what the five reports measured), `all`, areas
    /// (`cpu`, `os`, `memory`, `network`, `file`), ids and their beginnings (`syscall`), globs (`'clock.*'`), each also with
    /// conditions on parameters (`'switch.* cpu=same'`) [default: headline]
    pub selection: Vec<String>,
    /// Measure an operation of your own: the command line of a program that speaks the protocol of docs/OPERATION.md. Its id is
    /// `own.NAME`. Without a selection, measure its points only
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["resume", "tail"])]
    pub operation: Option<String>,
    /// How long and how hard to try
    #[arg(long, value_parser = profile(), default_value = "standard")]
    pub profile: Profile,
    /// Time every iteration by itself, and show percentiles up to p99.99 with their intervals and the causes of the slowest
    /// iterations. Without a selection: all points of which one iteration is worth timing
    #[arg(long, conflicts_with_all = ["profile", "resume", "blind", "with_parts", "budget"])]
    pub tail: bool,
    /// With --tail: time for all iterations together, for example 10m [default: 15 s for each point]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "tail")]
    pub duration: Option<Duration>,
    /// With --tail: begin iterations by a fixed schedule, N per second (open loop), and show response time beside service time.
    /// Wake-ups by a timer keep their own schedule
    #[arg(long, value_name = "N", value_parser = rate, requires = "tail")]
    pub rate: Option<f64>,
    /// Time limit for the rounds, for example 90s or 5m; with --resume from the start of the first run. The first round is
    /// always finished [default: by area and profile; see --dry-run]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Half width of the interval at which sampling of a point stops, for example 2% [default: 3%, thorough: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub precision: Option<f64>,
    /// Measure every point exactly N times; without --budget there is no time limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub rounds: Option<u32>,
    /// CPU on which to measure [default: the last that may be used, of the most capable class]
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<u32>,
    /// On a hybrid processor: measure on the most capable class of cores, or on the least capable
    #[arg(long, value_enum, value_name = "CLASS", conflicts_with_all = ["cpu", "resume"])]
    pub cpu_class: Option<CpuClass>,
    /// CPU of the second actor at cpu=other [default: one that shares no core with the first]
    #[arg(long, value_name = "CPU")]
    pub peer_cpu: Option<u32>,
    /// Directory in which files are measured [default: the temporary one if it is on a disk, else the current one]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Directory on a mounted remote file system (nfs, cifs, sshfs, …), where files are measured as well. With --peer on
    /// the file server (`oscope serve --allow-drop-caches`), some points are measured with the server's cache cold
    #[arg(long, value_name = "DIR")]
    pub remote_dir: Option<PathBuf>,
    /// Seed of everything random [default: from the clock]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Write the record to this file; it must be new or empty, and no pipe or directory [default: a new file in the state directory]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Resume a run that was not finished, or measure more rounds
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["selection", "output", "seed", "cpu", "peer_cpu", "dir", "remote_dir"])]
    pub resume: Option<PathBuf>,
    /// Print the plan and how long it takes; measure nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result only
    #[arg(long, short)]
    pub quiet: bool,
    /// Also measure the points that predictions are made of
    #[arg(long)]
    pub with_parts: bool,
    /// Measure the selected operations on 1, 2, 4, … CPUs at once, on objects of their own and on shared ones, with the parts of
    /// the prediction: the points of `scaling` that make their calls
    #[arg(long, conflicts_with = "resume")]
    pub scale: bool,
    /// Also measure flawed methods, which are known to be wrong, beside the right ones
    #[arg(long, alias = "with-reference-methods")]
    pub with_flawed_methods: bool,
    /// Measure every point natively and in this environment, alternating: a preset (`bwrap`, `seccomp`, `strace`, `nice=10`;
    /// see --help), or a name and the words before the worker (`box='firejail --quiet'`). May be given several times
    #[arg(long, value_name = "NAME[='PREFIX …']", conflicts_with = "resume", long_help = versus_help())]
    pub versus: Vec<Versus>,
    /// Which samples count: `quiet`, those taken while nothing else used the core; `off`, all; `sham`, a control: the same
    /// number of samples as `quiet`, picked regardless of the core, which must agree with `off`
    #[arg(long, value_parser = trigger(), default_value = "quiet", conflicts_with = "resume")]
    pub trigger: Trigger,
    /// Also measure the network to this peer: the address that `oscope serve` prints on another machine
    #[arg(long, value_name = "HOST:PORT")]
    pub peer: Option<String>,
    /// The key that the peer prints. It is visible in the list of processes: see --key-file
    #[arg(long, requires = "peer", conflicts_with = "key_file")]
    pub key: Option<String>,
    /// A file that holds the peer's key [default: the environment's OSCOPE_PEER_KEY]
    #[arg(long, value_name = "FILE", requires = "peer")]
    pub key_file: Option<PathBuf>,
    /// Nice value of every worker, from -20 (as R4, 3) to 19; below 0 it needs CAP_SYS_NICE
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with = "resume",
          value_parser = clap::value_parser!(i32).range(-20..=19))]
    pub nice: Option<i32>,
    /// Scheduling policy of every worker: fifo, rr, rr:99 (with its priority, as R3, 3.5.1), batch, idle; fifo and rr need CAP_SYS_NICE
    #[arg(long, value_name = "POLICY[:N]", conflicts_with = "resume", value_parser = Setting::policy)]
    pub sched: Option<Setting>,
    /// Your own predictions, shown beside oscope's: a TOML file as `oscope predict --template` writes it
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub predictions: Option<PathBuf>,
    /// Hide every result until you have predicted it: now with --predictions, or later with `oscope report --predictions`
    #[arg(long, conflicts_with = "resume")]
    pub blind: bool,
    #[command(flatten)]
    pub history: HistoryFolder,
    /// Exit with 1 when some row is contradicted or failed
    #[arg(long)]
    pub strict: bool,
}

impl Run {
    /// What every worker sets for itself.
    pub fn worker_settings(&self) -> Vec<String> {
        let all = self.nice.map(Setting::Nice).into_iter().chain(self.sched);
        all.map(|setting| setting.to_string()).collect()
    }
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Where to listen; for other machines name an address that they reach, for example 192.0.2.7:4000 or 0.0.0.0:4000
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0", value_parser = peer::listening_address)]
    pub listen: SocketAddr,
    /// A file that holds the key [default: the environment's OSCOPE_PEER_KEY, else a new one, which is printed]
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Maximum number of concurrent sessions
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub sessions: u16,
    /// How long to serve, for example 10m or 8h [default: until it is interrupted]
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub lasting: Option<Duration>,
    /// Allow clients to drop the page cache of this machine, which slows it down for a while (needs root)
    #[arg(long)]
    pub allow_drop_caches: bool,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Ids, beginnings, areas or globs, each also with conditions on parameters. All, if none is given
    pub selection: Vec<String>,
    #[command(flatten)]
    pub form: TextOrJson,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// An operation's id, or one of its points; without one, the questions and their answers. Two records, and ids: what the
    /// differences between them are made of
    pub id: Vec<String>,
    /// Explain by this record [default: the newest in the state directory]
    #[arg(long, value_name = "RECORD")]
    pub record: Option<PathBuf>,
    /// Explain the differences between the record's environments and the native points
    #[arg(long)]
    pub versus: bool,
    #[command(flatten)]
    pub history: HistoryFolder,
}

#[derive(Debug, Args)]
pub(crate) struct Describe {
    /// Describe the machine of this dump
    #[arg(long, value_name = "FILE", conflicts_with = "root")]
    pub from: Option<PathBuf>,
    /// Describe the machine whose /proc and /sys lie below this directory
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub form: TextOrJson,
}

#[derive(Debug, Args)]
pub(crate) struct Dump {
    /// Not taken: the description goes to standard output, or to the file that --output names
    #[arg(hide = true)]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Predict {
    /// Ids, beginnings, areas or globs, each also with conditions on parameters. All, if none is given
    pub selection: Vec<String>,
    /// Predict for the machine of this dump
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Check a TOML file with your own predictions, and show them without those of oscope
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
    /// Write a template for your own predictions, without those of oscope
    #[arg(long, conflicts_with = "predictions")]
    pub template: bool,
    /// Include flawed methods, which are known to be wrong
    #[arg(long, alias = "with-reference-methods")]
    pub with_flawed_methods: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Baseline {
    /// Its name; a baseline of this name is replaced, and the command says which run it was of
    pub name: Option<String>,
    /// The record, or several runs of the same selection [default: the newest]
    #[arg(value_name = "RECORD")]
    pub records: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Help {
    /// A command, a topic, or a word of the tables
    #[arg(value_name = "COMMAND|TOPIC")]
    pub word: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
