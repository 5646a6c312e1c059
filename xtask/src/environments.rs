//! `cargo xtask environments`: measures the table of `docs/ENVIRONMENTS.md` on the machine at hand.

use crate::cargo::{cargo, succeed};
use anyhow::{Context, Result, anyhow, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// A row of the CSV form: the columns up to `decision` hold no commas.
struct Row<'t> {
    point: String,
    environment: &'t str,
    native: Option<f64>,
    ratio: Option<[f64; 3]>,
}

/// One operation of each kind that an environment may change: a call, a process, a path, a switch, a message.
const POINTS: [&str; 5] = [
    "syscall.getppid method=raw",
    "process.create.fork_wait resident=1MiB",
    "syscall.open_close.read",
    "switch.process.pipe cpu=same",
    "ipc.pipe.round_trip cpu=same",
];

/// Every preset that one machine can have.
const PRESETS: [&str; 21] = [
    "namespaces",
    "bwrap",
    "runc",
    "crun",
    "seccomp",
    "seccomp-arguments",
    "cgroup-quota=50%",
    "cgroup-shares=512",
    "nice=10",
    "sched=batch",
    "sched=fifo",
    "no-aslr",
    "no-thp",
    "mitigations",
    "strace",
    "strace-seccomp",
    "valgrind",
    "qemu-user",
    "proot",
    "gvisor",
    "gvisor-ptrace",
];

const ROUNDS: &str = "12";

/// The page, and the lines between which the table of the machine at hand is put.
const PAGE: &str = "docs/ENVIRONMENTS.md";
const BEGIN: &str = "<!-- begin: cargo xtask environments -->\n";
const END: &str = "<!-- end -->\n";

/// Measures the points in every preset and writes the table into the page.
///
/// # Errors
/// When nothing could be measured, or the page cannot be written.
pub fn measure(workspace: &Path) -> Result<bool> {
    succeed(cargo(workspace, &["build", "--release", "-p", "oscope"])).map_err(|why| anyhow!(why))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), Into::into);
    let oscope = target.join("release/oscope");
    let directory = tempfile::tempdir()?;
    let record = directory.path().join("record");
    let begun = Instant::now();
    let mut run = Command::new(&oscope);
    run.arg("run").args(POINTS).args(["--rounds", ROUNDS]).arg("-o").arg(&record);
    for preset in PRESETS {
        run.args(["--versus", preset]);
    }
    let status = run.status().with_context(|| oscope.display().to_string())?;
    let took = begun.elapsed().as_secs();
    ensure!(record.exists(), "the run ended with {status} and left no record");
    let csv = |words: &[&str]| -> Result<String> {
        let output = Command::new(&oscope).args(words).arg(&record).args(["--format", "csv"]).output()?;
        Ok(String::from_utf8(output.stdout)?)
    };
    let (compared, report) = (csv(&["compare"])?, csv(&["report"])?);
    let rows: Vec<Row<'_>> = compared.lines().skip(1).filter_map(row).collect();
    ensure!(!rows.is_empty(), "no point was measured in any environment");
    let text = format!("{}\n\n{}", circumstances(&record, &report, took)?, table(&rows));
    let page = workspace.join(PAGE);
    let old = std::fs::read_to_string(&page)?;
    let (before, rest) = old.split_once(BEGIN).context("the page has no place for the table")?;
    let (_, after) = rest.split_once(END).context("the place for the table has no end")?;
    std::fs::write(&page, format!("{before}{BEGIN}{text}{END}{after}"))?;
    print!("{text}");
    Ok(true)
}

/// The machine, how busy it was, and what could not be measured, in a paragraph.
fn circumstances(record: &Path, report: &str, seconds: u64) -> Result<String> {
    let record = record::Record::read(record)?;
    let fact = |key: &str| record.machine.text(key).unwrap_or("not reported").to_owned();
    let heading = report.lines().find(|line| line.starts_with("operation,"));
    let typical = heading.and_then(|line| line.split(',').position(|name| name == "typical"));
    let quiet = report.lines().find(|line| line.contains("property=quiet_share"));
    let share = quiet.zip(typical).and_then(|(line, at)| line.split(',').nth(at)?.parse::<f64>().ok());
    let share = share.map_or("not known".to_owned(), |share| format!("{:.0} %", share * 100.0));
    let planned = record.plan.iter().flat_map(|plan| &plan.environments);
    let skipped: Vec<String> = planned
        .filter_map(|one| one.skip.as_ref().map(|skip| format!("`{}` ({})", one.name, skip.reason)))
        .collect();
    let skipped = match skipped.as_slice() {
        [] => String::new(),
        all => format!(" Skipped: {}.", all.join("; ")),
    };
    Ok(format!(
        "{} ({}), Linux {}; {ROUNDS} rounds in {seconds} s; the core was quiet {share} of the time.{skipped}",
        fact("processor.model"),
        fact("family.name"),
        fact("kernel.release"),
    ))
}

fn row(line: &str) -> Option<Row<'_>> {
    let cells: Vec<&str> = line.split(',').collect();
    let number = |at: usize| cells.get(at)?.parse::<f64>().ok();
    // A cost less that of a control can come out below zero: no ratio says anything then.
    let interval = number(10).filter(|low| *low > 0.0).zip(number(11));
    Some(Row {
        point: format!("{} {}", cells.first()?, cells.get(1)?).trim().to_owned(),
        environment: cells.get(5)?,
        native: number(6),
        ratio: number(9).zip(interval).map(|(ratio, (low, high))| [ratio, low, high]),
    })
}

/// One line for each environment, one column for each point.
fn table(rows: &[Row<'_>]) -> String {
    let mut points: Vec<&str> = Vec::new();
    let mut lines: Vec<(&str, BTreeMap<&str, String>)> = Vec::new();
    let mut native = BTreeMap::new();
    for row in rows {
        if !points.contains(&row.point.as_str()) {
            points.push(&row.point);
        }
        if let Some(ns) = row.native {
            native.insert(row.point.as_str(), quantity::show(ns, None, quantity::Quantity::Latency));
        }
        let cell = row.ratio.map_or_else(
            || "–".to_owned(),
            |[ratio, low, high]| format!("{} ({} … {})", short(ratio), short(low), short(high)),
        );
        match lines.iter_mut().find(|(name, _)| *name == row.environment) {
            Some((_, cells)) => drop(cells.insert(&row.point, cell)),
            None => lines.push((row.environment, BTreeMap::from([(row.point.as_str(), cell)]))),
        }
    }
    let line = |name: &str, cells: &BTreeMap<&str, String>| {
        let cells: Vec<&str> =
            points.iter().map(|point| cells.get(point).map_or("–", String::as_str)).collect();
        format!("| {name} | {} |\n", cells.join(" | "))
    };
    let mut text = format!("| environment | {} |\n", points.join(" | "));
    text += &format!("| --- |{}\n", " --- |".repeat(points.len()));
    text += &line("native", &native);
    lines.iter().for_each(|(name, cells)| text += &line(name, cells));
    text
}

/// Three digits.
fn short(value: f64) -> String {
    let digits = if value < 10.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_lines_and_points_are_columns() {
        let csv = [
            "syscall.getppid,method=raw,os,latency,ns,box,100,125,factor,1.25,1.2,1.3,slower,,",
            "switch,,os,latency,ns,box,2000,,,,,,not comparable,,\"failed, there\"",
            "switch,,os,latency,ns,cage,2000,-9,factor,-8.1,-9.5,3.2,undecided,,",
            "syscall.getppid,method=raw,os,latency,ns,cage,100,12345,factor,123.45,99.5,150.2,slower,,",
        ];
        let rows: Vec<Row<'_>> = csv.iter().filter_map(|line| row(line)).collect();
        let text = table(&rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "| environment | syscall.getppid method=raw | switch |");
        assert_eq!(lines[3], "| box | 1.25 (1.20 … 1.30) | – |");
        assert_eq!(lines[4], "| cage | 123 (99.5 … 150) | – |");
    }
}
