//! Runs of the program, watched from outside.

use crate::command::{output, run};
use crate::mean;
use crate::report_csv::{self, Change, Row};
use anyhow::{Context, Result, ensure};
use record::Record;
use serde::Deserialize;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Ticks of the kernel's process accounting in a second, on every Linux that there is.
const TICKS_PER_SECOND: f64 = 100.0;

/// Most time for one run.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The program.
pub struct OscopeRun<'p> {
    program: &'p Path,
}

/// The resources that a run used.
#[derive(Debug, Clone, Copy)]
pub struct Watched {
    /// From start to end, in seconds.
    pub wall_s: f64,
    /// From start to the end of the first round, in seconds.
    pub first_round_s: Option<f64>,
    /// CPU time of the supervisor alone, in seconds.
    pub cpu_s: f64,
    /// Its peak memory, in KiB.
    pub peak_kib: f64,
}

/// A record that is removed when it is dropped.
pub struct Recorded(TempDir);

impl Recorded {
    /// One that is not written yet.
    pub fn new() -> Result<Self> {
        Ok(Self(tempfile::tempdir()?))
    }

    /// Its file.
    pub fn path(&self) -> PathBuf {
        self.0.path().join("record.jsonl")
    }
}

/// What is read here of `oscope report --format json`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Document {
    pub cores: Cores,
    pub tails: Vec<PointTail>,
}

/// How busy the cores were.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Cores {
    pub cpus: Vec<CpuUse>,
}

/// How busy one core was.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CpuUse {
    /// Of all looks at it, those that found it quiet.
    pub quiet_share: Option<f64>,
}

/// A point of which every iteration was timed.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PointTail {
    pub service: TailDistribution,
    pub causes: Option<TailCauses>,
}

/// What delayed its slowest iterations.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct TailCauses {
    pub worst: Vec<Worst>,
}

/// One of the slowest iterations: its time, and the words of its cause.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Worst {
    pub ns: u64,
    pub cause: String,
}

/// The distribution of its iterations.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct TailDistribution {
    pub percentiles: Vec<Percentile>,
}

impl TailDistribution {
    /// That of this share, if there are enough iterations.
    pub fn percentile(&self, share: f64) -> Option<Percentile> {
        self.percentiles.iter().copied().find(|one| (one.share - share).abs() < 1e-9)
    }
}

/// A percentile with its interval, in nanoseconds; without an upper end where iterations are too few for one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub struct Percentile {
    pub share: f64,
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl<'p> OscopeRun<'p> {
    /// This program.
    pub fn new(program: &'p Path) -> Self {
        Self { program }
    }

    /// A run whose record is left in this file.
    pub fn command(&self, arguments: &[&str], record: &Path) -> Command {
        let mut command = Command::new(self.program);
        command.arg("run").args(arguments).arg("--output").arg(record).stdout(Stdio::null());
        command
    }

    /// Runs and leaves the record in this file.
    pub fn record_into(&self, arguments: &[&str], record: &Path) -> Result<()> {
        run(self.command(arguments, record).arg("--quiet"))
    }

    /// Runs and watches the supervisor.
    pub fn watched(&self, arguments: &[&str]) -> Result<Watched> {
        let record = Recorded::new()?;
        let started = Instant::now();
        let mut child = self.command(arguments, &record.path()).stderr(Stdio::piped()).spawn()?;
        let stderr = child.stderr.take().context("no standard error")?;
        let rounds = std::thread::spawn(move || {
            let lines = BufReader::new(stderr).lines().map_while(std::result::Result::ok);
            let mut first = None;
            // Read to the end, so that the program never waits for its reader.
            for line in lines {
                if line.starts_with("round 1:") {
                    first = Some(started.elapsed().as_secs_f64());
                }
            }
            first
        });
        let (cpu_s, peak_kib) = watch(&mut child, started)?;
        let wall_s = started.elapsed().as_secs_f64();
        let first_round_s = rounds.join().ok().flatten();
        Ok(Watched { wall_s, first_round_s, cpu_s, peak_kib })
    }

    /// Runs under filters of system calls of these lengths, and leaves the record in this file.
    pub fn record_under(&self, filters: &[u32], arguments: &[&str], record: &Path) -> Result<()> {
        let mut command = Command::new(self.program);
        for length in filters {
            command.arg("launch").arg(format!("filter={length}")).arg(self.program);
        }
        command.arg("run").args(arguments).arg("--quiet").arg("--output").arg(record).stdout(Stdio::null());
        run(&mut command)
    }

    /// Runs and gives the record.
    pub fn recorded(&self, arguments: &[&str]) -> Result<Recorded> {
        let record = Recorded::new()?;
        self.record_into(arguments, &record.path())?;
        Ok(record)
    }

    /// What a report says of a record, as JSON.
    pub fn document(&self, record: &Path) -> Result<Document> {
        let text = output(Command::new(self.program).args(["report", "--format", "json"]).arg(record))?;
        serde_json::from_str(&text).context("the JSON of oscope cannot be read")
    }

    fn csv(&self, command: &str, record: &Recorded) -> Result<String> {
        output(Command::new(self.program).args([command, "--format", "csv"]).arg(record.path()))
    }

    /// The comparison of a record's environments.
    pub fn compared(&self, record: &Recorded) -> Result<Vec<Change>> {
        report_csv::read(&self.csv("compare", record)?)
    }

    /// The rows of a record.
    pub fn rows(&self, record: &Recorded) -> Result<Vec<Row>> {
        report_csv::read(&self.csv("report", record)?)
    }

    /// By point the mean of all that was timed, also of what was set aside; without points whose value is no plain time.
    pub fn means(&self, record: &Recorded) -> Result<HashMap<String, f64>> {
        let record = Record::read(&record.path())?;
        let points = record.plan.iter().flat_map(|plan| &plan.points);
        Ok(points
            .filter_map(|point| Some((point.id.to_string(), mean::of_everything(&record, point)?)))
            .collect())
    }

    /// Runs and gives the rows.
    pub fn measured(&self, arguments: &[&str]) -> Result<Vec<Row>> {
        self.rows(&self.recorded(arguments)?)
    }
}

/// CPU time and peak memory of a process alone, read until it ends.
fn watch(child: &mut Child, started: Instant) -> Result<(f64, f64)> {
    let folder = format!("/proc/{}", child.id());
    let (mut cpu_s, mut peak_kib) = (0.0, 0.0);
    while child.try_wait()?.is_none() {
        ensure!(started.elapsed() < TIMEOUT, "the run takes longer than {TIMEOUT:?}");
        if let Some((cpu, peak)) = resources(&folder) {
            (cpu_s, peak_kib) = (cpu, peak);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok((cpu_s, peak_kib))
}

fn resources(folder: &str) -> Option<(f64, f64)> {
    let stat = std::fs::read_to_string(format!("{folder}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    let status = std::fs::read_to_string(format!("{folder}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some((ticks / TICKS_PER_SECOND, peak.trim().trim_end_matches(" kB").parse().ok()?))
}
