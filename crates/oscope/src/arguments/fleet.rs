//! What is typed behind `oscope fleet` and `oscope export`.

use super::output::{Output, Replace};
use super::values::{ExportForm, Form, duration, percent};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// Many machines.
#[derive(Debug, Args)]
pub(crate) struct Fleet {
    #[command(subcommand)]
    pub command: FleetCommand,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The form
    #[arg(value_enum)]
    pub form: ExportForm,
    /// The directory of the records, as for `oscope fleet report`
    pub folder: PathBuf,
    /// The directory of the tables
    #[arg(long, short, value_name = "DIR", default_value = "oscope-tables")]
    pub output: PathBuf,
    #[command(flatten)]
    pub replace: Replace,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    /// Read the records of many machines: which are of one type, which are not like the others and in what, how far
    /// machines and runs lie apart, and how many of them a precision needs
    Report(FleetReport),
    /// Write a script that has Slurm measure every node, or submit it
    Slurm(FleetSlurm),
    /// Write a script that measures hosts over ssh and brings their records here
    Ssh(FleetSsh),
    /// Write a manifest of one Kubernetes job for each node
    Kubernetes(FleetKubernetes),
    /// Write which pairs of nodes are measured at a time
    #[command(hide = true)]
    Rounds {
        /// The nodes
        nodes: Vec<String>,
    },
    /// Measure this node into a shared directory: resume a partial record, keep a finished one
    Node(FleetNode),
}

/// The forms of a fleet.
const FORMS: [Form; 4] = [Form::Terminal, Form::Markdown, Form::Html, Form::Json];

#[derive(Debug, Args)]
pub(crate) struct FleetReport {
    /// The directory of the records: MACHINE.oscope.jsonl, MACHINE.2.oscope.jsonl, …, or a directory for each machine
    pub folder: PathBuf,
    /// The form
    #[arg(long, value_parser = Form::among(FORMS), default_value = "terminal")]
    pub format: Form,
    /// All points, machines and problems
    #[arg(long)]
    pub full: bool,
    /// Half width of a mean for which machines and runs are counted
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "1%")]
    pub precision: f64,
    /// Exit with 1 when a machine is not like the others
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub output: Output,
}

/// What is measured on every node.
#[derive(Debug, Args)]
pub(crate) struct Measured {
    /// What to measure, as for `oscope run`
    pub selection: Vec<String>,
    /// Options of `oscope run`, such as `--profile quick`
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<String>,
}

impl Measured {
    /// The words behind `oscope fleet node`, but for its own options.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let dashes = (!self.options.is_empty()).then_some("--");
        let selection = self.selection.iter().map(String::as_str);
        selection.chain(dashes).chain(self.options.iter().map(String::as_str))
    }
}

#[derive(Debug, Args)]
pub(crate) struct FleetNode {
    #[command(flatten)]
    pub measured: Measured,
    /// The directory of the records
    #[arg(long, value_name = "DIR")]
    pub shared: PathBuf,
    /// Name of this node [default: that of the scheduler, else the host name]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Which repetition this is: the record of the second is NAME.2.oscope.jsonl [default: 1, or the index of a Kubernetes
    /// job's pod, from 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: Option<u32>,
}

/// How often, and where the records go.
#[derive(Debug, Args)]
pub(crate) struct Launch {
    #[command(flatten)]
    pub measured: Measured,
    /// The directory of the records, as the nodes reach it
    #[arg(long, value_name = "DIR")]
    pub shared: PathBuf,
    /// Runs per node
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeats: u32,
}

#[derive(Debug, Args)]
pub(crate) struct FleetSlurm {
    #[command(flatten)]
    pub launch: Launch,
    /// The nodes, as Slurm writes them: 'n[1-8,12]' [default: all of the partition]
    #[arg(long, value_name = "NODES")]
    pub nodelist: Option<String>,
    /// Features that a node must have; nodes without them are named and left out
    #[arg(long, value_name = "FEATURES")]
    pub constraint: Option<String>,
    /// The partition [default: Slurm's]
    #[arg(long, value_name = "NAME")]
    pub partition: Option<String>,
    /// With --repeats: time between the starts of two runs of a node, for example 6h [default: one after the other]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "repeats")]
    pub every: Option<Duration>,
    /// Path of oscope on every node [default: this program is copied to DIR, and from there to the nodes]
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Measure the network between all pairs of nodes, no node in two pairs at a time, into DIR/pairs; without a selection:
    /// network
    #[arg(long, conflicts_with_all = ["repeats", "every"])]
    pub pairs: bool,
    /// Submit the script instead of printing it; SBATCH_ACCOUNT, SBATCH_TIMELIMIT, … are honoured
    #[arg(long)]
    pub submit: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FleetSsh {
    /// A file of hosts, one a line, as ssh knows them; `-` for standard input
    #[arg(value_name = "HOSTFILE")]
    pub hosts: PathBuf,
    #[command(flatten)]
    pub launch: Launch,
    /// Hosts measured concurrently
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub at_once: u32,
}

#[derive(Debug, Args)]
pub(crate) struct FleetKubernetes {
    /// A file of nodes, one a line, as `kubectl get nodes -o name` lists them; `-` for standard input
    #[arg(value_name = "NODEFILE")]
    pub nodes: PathBuf,
    #[command(flatten)]
    pub launch: Launch,
    /// The image, whose entry point is oscope: see contrib/Containerfile
    #[arg(long, value_name = "IMAGE")]
    pub image: String,
    /// The persistent volume claim that all nodes write to; it is mounted at DIR
    #[arg(long, value_name = "NAME")]
    pub claim: String,
}
