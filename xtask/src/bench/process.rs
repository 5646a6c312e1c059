//! Runs of the program, watched from outside.

use super::mean;
use anyhow::{Context, Result, ensure};
use record::Record;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Ticks of the kernel's process accounting in a second, on every Linux that there is.
const TICKS_PER_SECOND: f64 = 100.0;

/// Most time for one run.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The program.
pub struct Oscope<'p> {
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

/// A row of the CSV form.
#[derive(Debug, Clone)]
pub struct Row {
    /// The operation.
    pub operation: String,
    /// The point.
    pub point: String,
    /// The verdict.
    pub verdict: String,
    /// The typical value.
    pub typical: Option<f64>,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
    /// The core clock at which the typical value holds, in hertz: the last column.
    pub core_hz: Option<f64>,
    /// The mean of all that was timed, also of what was set aside; `None` where the value is no plain time.
    pub mean_of_everything: Option<f64>,
}

impl Row {
    /// Operation and point, as they are typed.
    pub fn name(&self) -> String {
        format!("{} {}", self.operation, self.point).trim().to_owned()
    }
}

/// A record that is removed when it is dropped.
pub struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn scratch() -> Scratch {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    Scratch(std::env::temp_dir().join(format!("oscope-bench-{}-{number}.jsonl", std::process::id())))
}

impl<'p> Oscope<'p> {
    /// This program.
    pub fn new(program: &'p Path) -> Self {
        Self { program }
    }

    fn run(&self, arguments: &[&str], record: &Scratch) -> Command {
        let mut command = Command::new(self.program);
        command.arg("run").args(arguments).arg("--output").arg(&record.0);
        command
    }

    /// Runs and watches the supervisor.
    pub fn watched(&self, arguments: &[&str]) -> Result<Watched> {
        let record = scratch();
        let started = Instant::now();
        let mut child = self.run(arguments, &record).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
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

    /// Runs and gives the record.
    pub fn recorded(&self, arguments: &[&str]) -> Result<Scratch> {
        let record = scratch();
        let status = self.run(arguments, &record).arg("--quiet").stdout(Stdio::null()).status()?;
        ensure!(status.success(), "oscope run {} ended with {status}", arguments.join(" "));
        Ok(record)
    }

    /// What `oscope report` prints of a record.
    pub fn report(&self, record: &Scratch, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(self.program);
        let output = command.arg("report").args(arguments).arg(&record.0).output()?;
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The CSV form of the comparison of a record's environments.
    pub fn compared(&self, record: &Scratch) -> Result<String> {
        let mut command = Command::new(self.program);
        let output = command.args(["compare", "--format", "csv"]).arg(&record.0).output()?;
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The rows of the CSV form of a record.
    pub fn rows(&self, record: &Scratch, arguments: &[&str]) -> Result<Vec<Row>> {
        let text = self.report(record, &[&["--format", "csv"], arguments].concat())?;
        Ok(text.lines().skip(1).filter_map(row).collect())
    }

    /// Runs and gives the rows of the CSV form, with the means of everything.
    pub fn measured(&self, arguments: &[&str]) -> Result<Vec<Row>> {
        let record = self.recorded(arguments)?;
        let read = Record::read(&record.0)?;
        let points = read.plan.iter().flat_map(|plan| &plan.points);
        let means: HashMap<String, f64> = points
            .filter_map(|point| Some((point.id.to_string(), mean::of_everything(&read, point)?)))
            .collect();
        let mut rows = self.rows(&record, &[])?;
        for row in &mut rows {
            row.mean_of_everything = means.get(&row.name()).copied();
        }
        Ok(rows)
    }
}

/// The first columns hold no commas, so that they can be split as they are.
fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.split(',').collect();
    let number = |at: usize| cells.get(at)?.parse::<f64>().ok();
    Some(Row {
        operation: (*cells.first()?).to_owned(),
        point: (*cells.get(1)?).to_owned(),
        verdict: (*cells.get(6)?).to_owned(),
        typical: number(7),
        interval: number(8).zip(number(9)),
        core_hz: line.rsplit(',').next().and_then(|cell| cell.parse().ok()),
        mean_of_everything: None,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_also_without_numbers() {
        let full = row("a.b,n=1,cpu,default,latency,ns,measured,1.5,1.0,2.0,1.4,0.1,12,9,0,,,,,");
        assert_eq!(full.map(|row| (row.typical, row.interval)), Some((Some(1.5), Some((1.0, 2.0)))));
        let empty = row("a.b,,cpu,default,latency,ns,skipped,,,,,,0,,0,,,,,\"no, thanks\"");
        assert_eq!(empty.map(|row| (row.verdict, row.typical)), Some(("skipped".to_owned(), None)));
    }
}
