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
    /// Read the records of many machines: group them by type, list outliers and the points that make them so, show the
    /// spread between machines and between runs, and how many of each a precision needs
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
    /// Give up a host that does not answer within this time
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub connect_timeout: Duration,
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
    /// The namespace of the jobs [default: that of kubectl's context]
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub namespace: Option<String>,
    /// CPUs that a pod requests
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub cpus: u32,
    /// Memory that a pod requests, and its limit: files that are read and written count
    #[arg(long, value_name = "QUANTITY", value_parser = memory, default_value = "2Gi")]
    pub memory: String,
    /// Limit a pod to the CPUs it requests: where the kubelet's CPU manager is static it then has them for itself; elsewhere it
    /// is throttled beyond them
    #[arg(long)]
    pub guaranteed: bool,
    /// A taint that is no obstacle: KEY, KEY=VALUE, either with :EFFECT; `all` for every taint. May be repeated
    #[arg(long, value_name = "TAINT", value_parser = Toleration::parse)]
    pub tolerate: Vec<Toleration>,
    /// The user, by number, that a pod runs as and that owns the records; 0 for root, which a restricted namespace refuses
    #[arg(long, value_name = "UID", default_value_t = 65532, value_parser = clap::value_parser!(i64).range(0..=2_147_483_647))]
    pub user: i64,
    /// A capability for root, such as PERFMON for the counters of the processor; all others are dropped. May be repeated
    #[arg(long, value_name = "NAME", value_parser = capability)]
    pub capability: Vec<String>,
    /// How long a finished job is kept, with the log of its pods
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "24h")]
    pub keep: Duration,
}

/// A taint of nodes that a pod tolerates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toleration {
    /// Its key; `None` for all.
    pub key: Option<String>,
    /// Its value; `None` for any.
    pub value: Option<String>,
    /// Its effect; `None` for any.
    pub effect: Option<String>,
}

impl Toleration {
    /// The effects of a taint (core/v1, Taint).
    const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

    fn parse(text: &str) -> Result<Self, String> {
        let (taint, effect) = match text.split_once(':') {
            Some((taint, effect)) => (taint, Some(effect.to_owned())),
            None => (text, None),
        };
        if effect.as_ref().is_some_and(|effect| !Self::EFFECTS.contains(&effect.as_str())) {
            return Err(format!("the effect of a taint is one of {}", Self::EFFECTS.join(", ")));
        }
        let (key, value) = match taint.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (taint, None),
        };
        let is_plain =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte));
        if key.is_empty() || !is_plain(key) || !value.is_none_or(is_plain) {
            return Err("a taint is KEY, KEY=VALUE, either with :EFFECT, or `all`".to_owned());
        }
        let key = Some(key.to_owned()).filter(|key| key != "all" || value.is_some());
        Ok(Self { key, value: value.map(str::to_owned), effect })
    }
}

/// A name as those of namespaces are (RFC 1123, label).
fn label(text: &str) -> Result<String, String> {
    let is_label = (1..=63).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    match is_label && !text.starts_with('-') && !text.ends_with('-') {
        true => Ok(text.to_owned()),
        false => Err("at most 63 small letters, digits and '-'".to_owned()),
    }
}

/// A size as Kubernetes writes it.
fn memory(text: &str) -> Result<String, String> {
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let is_number = !digits.starts_with('0') && digits.parse::<u64>().is_ok();
    match is_number && ["", "Ki", "Mi", "Gi", "Ti", "k", "M", "G", "T"].contains(&unit) {
        true => Ok(text.to_owned()),
        false => Err("a whole number with a unit, such as 512Mi or 4Gi".to_owned()),
    }
}

/// The name of a capability as Kubernetes writes it: without CAP_.
fn capability(text: &str) -> Result<String, String> {
    let name = text.strip_prefix("CAP_").unwrap_or(text);
    match !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') {
        true => Ok(name.to_owned()),
        false => Err("capital letters and '_', such as PERFMON".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taints_are_keys_values_and_effects() {
        for (text, expected) in [
            ("all", ["", "", ""]),
            ("all:NoExecute", ["", "", "NoExecute"]),
            ("gpu", ["gpu", "", ""]),
            ("example.org/gpu=a100:NoSchedule", ["example.org/gpu", "a100", "NoSchedule"]),
        ] {
            let found = Toleration::parse(text).unwrap();
            assert_eq!([found.key, found.value, found.effect].map(Option::unwrap_or_default), expected);
        }
        for wrong in ["", ":NoSchedule", "gpu:Never", "a b", "=x"] {
            assert!(Toleration::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn namespaces_sizes_and_capabilities_are_as_kubernetes_writes_them() {
        for (right, wrong) in [("fleet-1", "Fleet"), ("a", "-a"), ("0", "a.b")] {
            assert!(label(right).is_ok() && label(wrong).is_err(), "{right} {wrong}");
        }
        for (right, wrong) in [("512Mi", "0"), ("4Gi", "4GiB"), ("1000000", "1.5Gi"), ("2G", "Gi")] {
            assert!(memory(right).is_ok() && memory(wrong).is_err(), "{right} {wrong}");
        }
        assert_eq!(capability("CAP_SYS_PTRACE").unwrap(), "SYS_PTRACE");
        assert!(capability("perfmon").is_err());
    }
}
