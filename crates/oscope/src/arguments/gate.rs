//! Arguments of `oscope gate`.

use super::values::{duration, percent};
use super::{Form, Output};
use clap::Args;
use quantity::{PublishedUnit, Quantity, Scale};
use regex_lite::Regex;
use std::ffi::OsString;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct Gate {
    /// Quiet runs after which it ends
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(6..=10_000))]
    pub rounds: u32,
    /// Time limit for all runs together, and for each of them
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "30s")]
    pub budget: Duration,
    /// CPU on which the command runs [default: where the trigger finds the quietest core]
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<u32>,
    /// Read the value from the output of the command: the last match of this regular expression, whose one pair of
    /// parentheses holds the number [default: the wall time]
    #[arg(long, value_name = "REGEX", value_parser = value_regex)]
    pub value: Option<Regex>,
    /// Unit of that number: a time (ns, us, ms, s) or a rate (ops/s, MB/s) is normalised to one clock of the core
    #[arg(long, value_name = "UNIT", value_parser = unit, requires = "value")]
    pub unit: Option<Unit>,
    /// Runs before the first one that counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub warm_up: u32,
    /// Longest wait for a quiet core before a run
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "200ms")]
    pub wait: Duration,
    /// Time between two looks at the core while the command runs on it; a look takes some 5 µs of its CPU
    #[arg(long, value_name = "TIME", value_parser = look_every, default_value = "10ms")]
    pub look_every: Duration,
    /// Share of the looks during a run that may find the core shared
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "2%")]
    pub shared: f64,
    /// Run nothing: wait until the core of --cpu is quiet, at most --wait; exit with 4 if it is not. For the preparation of
    /// other programs: `hyperfine --prepare 'oscope gate --wait-only --cpu 1'`
    #[arg(long, requires = "cpu", conflicts_with_all = ["rounds", "budget", "value", "warm_up", "look_every", "shared", "command"])]
    pub wait_only: bool,
    /// The form
    #[arg(long, value_parser = Form::among([Form::Terminal, Form::Json, Form::Csv]), default_value = "terminal")]
    pub format: Form,
    #[command(flatten)]
    pub output: Output,
    /// The command that is run, with its arguments
    #[arg(last = true, required_unless_present = "wait_only", num_args = 1.., value_names = ["COMMAND", "ARGS"])]
    pub command: Vec<OsString>,
}

/// A unit as it was typed, and what it means.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    pub name: String,
    pub meaning: PublishedUnit,
}

impl Unit {
    /// What a number of this unit is multiplied by to have the base unit.
    pub fn scale(&self) -> f64 {
        match self.meaning.scale {
            // Times are printed in parts of a second and kept in nanoseconds.
            Scale::Times(scale) if self.meaning.quantity == Quantity::Latency => scale * 1e9,
            Scale::Times(scale) => scale,
            Scale::Cycles | Scale::Log2(_) => 1.0,
        }
    }
}

fn unit(text: &str) -> Result<Unit, String> {
    let meaning = quantity::parse_unit(text).filter(|unit| matches!(unit.scale, Scale::Times(_)));
    let meaning = meaning.ok_or("not a unit of a time, a rate or a size, such as ns, ms, ops/s or MB/s")?;
    Ok(Unit { name: text.trim().to_owned(), meaning })
}

fn value_regex(text: &str) -> Result<Regex, String> {
    let regex = Regex::new(text).map_err(|error| error.to_string())?;
    match regex.captures_len() {
        2 => Ok(regex),
        count => Err(format!(
            "it must have one pair of parentheses around the number, such as 'usecs/op: ([0-9.]+)'; it has {}",
            count - 1
        )),
    }
}

fn look_every(text: &str) -> Result<Duration, String> {
    let every = duration(text)?;
    match every < Duration::from_millis(1) {
        true => Err("looks less than 1ms apart would be a part of what is measured".to_owned()),
        false => Ok(every),
    }
}
