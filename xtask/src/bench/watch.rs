//! `cargo xtask bench watch`: neighbours that are planted beside a watch, and how many of them it names within ten seconds.

use super::beside::Beside;
use super::watched::{Watched, now_s};
use crate::command::program;
use crate::markdown;
use anyhow::{Context, Result};
use serde_json::Value;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// What is planted.
#[derive(clap::Args)]
pub struct Plants {
    /// Plants in all, of four kinds
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(4..=400))]
    plants: u16,
}

/// Within this time a plant must be named.
const MUST: Duration = Duration::from_secs(10);

/// Share of the plants that must be; with fewer the benchmark has failed.
const LEAST_NAMED: f64 = 0.9;

/// How long a plant stays.
const STAYS: Duration = Duration::from_secs(30);

/// Longest wait for the levels of all channels, and for the end of all events.
const SETTLES: Duration = Duration::from_secs(420);
const CALMS: Duration = Duration::from_secs(60);

/// An event ends 15 s after its condition, and a channel may be read after that only.
const REST: Duration = Duration::from_secs(25);

/// A neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbour {
    Hog,
    Quota,
    Network,
    Disk,
}

const NEIGHBOURS: [Neighbour; 4] = [Neighbour::Hog, Neighbour::Quota, Neighbour::Network, Neighbour::Disk];

impl Neighbour {
    /// What it is, its reason, and what the detail of the event must hold.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Hog => ("a program that uses 60 % of the CPU", "neighbour", "xtask"),
            Self::Quota => ("a quota of 1 % of a CPU", "throttled", ""),
            Self::Network => ("a queue on the interface: 3 ms by netem, or 256 kbit/s by tbf", "network", ""),
            Self::Disk => ("four requests of the disk in a second", "disk", ""),
        }
    }

    /// Plants it; a program ends when it is dropped.
    fn plant(self, watched: &Watched, device: &str) -> Result<Option<Beside>> {
        match self {
            Self::Hog => {
                let cpu = *sys::cpu::allowed()?.last().context("the allowed CPUs are unknown")?;
                return Beside::hog(&cpu.to_string(), 60).map(Some);
            }
            Self::Quota => watched.groups.set_quota(Some(1))?,
            Self::Network => {
                let queue = |words: &[&str]| watched.tc(&[&["add", "dev", "lo", "root"], words].concat());
                queue(&["netem", "delay", "3ms"])
                    .or_else(|_| queue(&["tbf", "rate", "256kbit", "burst", "2kb", "latency", "400ms"]))?;
            }
            Self::Disk => watched.groups.set_requests(device, Some(4))?,
        }
        Ok(None)
    }

    /// Removes what is not a program.
    fn remove(self, watched: &Watched, device: &str) -> Result<()> {
        match self {
            Self::Hog => Ok(()),
            Self::Quota => watched.groups.set_quota(None),
            Self::Network => watched.tc(&["del", "dev", "lo", "root"]),
            Self::Disk => watched.groups.set_requests(device, None),
        }
    }
}

/// What was seen of a plant: after how many seconds it was named, and the events with other names.
struct Outcome {
    kind: Neighbour,
    named_s: Option<f64>,
    others: Vec<String>,
}

impl Outcome {
    fn is_named_soon(&self) -> bool {
        self.named_s.is_some_and(|after_s| after_s <= MUST.as_secs_f64())
    }
}

/// Plants, and prints the table; whether enough were named soon.
pub fn watch(root: &Path, choice: &Plants) -> Result<bool> {
    let oscope = program(root, &["--release"])?;
    let folder = tempfile::tempdir_in(root.join("target"))?;
    let device = std::fs::metadata(folder.path())?.dev();
    let device = format!("{}:{}", device >> 8 & 0xfff, device & 0xff);
    let mut watched = Watched::start(&oscope, folder.path())?;
    let before = busy()?;
    let without = watched.settle(SETTLES)?;
    let quiet = busy()?;
    let mut kinds: Vec<Neighbour> =
        NEIGHBOURS.iter().copied().cycle().take(usize::from(choice.plants)).collect();
    fastrand::Rng::with_seed(1).shuffle(&mut kinds);
    let mut seen = Vec::new();
    for kind in kinds {
        watched.calm(REST, CALMS)?;
        let program = kind.plant(&watched, &device)?;
        let one = outcome(kind, &mut watched)?;
        drop(program);
        kind.remove(&watched, &device)?;
        let after =
            one.named_s.map_or("not named".to_owned(), |after_s| format!("named after {after_s:.1} s"));
        eprintln!("{kind:?}: {after}; others: {}", one.others.join("; "));
        seen.push(one);
    }
    print!("{}", table(&seen));
    let share = (quiet.0 - before.0) / (quiet.1 - before.1).max(1.0);
    println!("\nbefore the first plant all CPUs were busy for {:.0} % of the time", 100.0 * share);
    if !without.is_empty() {
        println!("channels without a level: {}", without.join(", "));
    }
    let soon = seen.iter().filter(|one| one.is_named_soon()).count();
    Ok(soon as f64 >= LEAST_NAMED * seen.len() as f64)
}

/// Reads events until the plant is named, or its time is over.
fn outcome(kind: Neighbour, watched: &mut Watched) -> Result<Outcome> {
    let (_, reason, detail) = kind.words();
    let (planted_s, until) = (now_s(), Instant::now() + STAYS);
    let mut seen = Outcome { kind, named_s: None, others: Vec::new() };
    while let Some(line) = watched.line(until)? {
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        let is_new = line["began_unix_s"].as_f64() >= Some(planted_s) && line["ended_unix_s"] == Value::Null;
        if text("line") != "event" || !is_new {
            continue;
        }
        if text("reason") == reason && text("detail").contains(detail) {
            seen.named_s = Some(now_s() - planted_s);
            break;
        }
        seen.others.push(format!("{}: {}", text("reason"), text("detail")));
    }
    Ok(seen)
}

fn table(seen: &[Outcome]) -> String {
    let rows = NEIGHBOURS.iter().map(|kind| {
        let own: Vec<&Outcome> = seen.iter().filter(|seen| seen.kind == *kind).collect();
        let named: Vec<f64> = own.iter().filter_map(|seen| seen.named_s).collect();
        let soon = own.iter().filter(|seen| seen.is_named_soon()).count();
        let median = stats::order::median(&named).map_or("–".to_owned(), |median| format!("{median:.1} s"));
        let others: usize = own.iter().map(|seen| seen.others.len()).sum();
        let (what, reason, _) = kind.words();
        vec![
            what.to_owned(),
            reason.to_owned(),
            format!("{soon} of {}", own.len()),
            format!("{} of {}", named.len(), own.len()),
            median,
            others.to_string(),
        ]
    });
    let titles =
        ["planted", "its reason", "named within 10 s", "within 30 s", "median", "other events before"];
    markdown::table(&titles, rows)
}

/// Ticks in which the CPUs did something, and all ticks.
fn busy() -> Result<(f64, f64)> {
    let stat = std::fs::read_to_string("/proc/stat")?;
    let ticks = stat.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let ticks: Vec<f64> = ticks.filter_map(|ticks| ticks.parse().ok()).collect();
    let all: f64 = ticks.iter().sum();
    let idle: f64 = ticks.get(3..5).unwrap_or_default().iter().sum();
    Ok((all - idle, all))
}
