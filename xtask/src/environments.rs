//! `cargo xtask environments`: measures the table of `docs/ENVIRONMENTS.md` on the machine at hand.

use crate::command::program;
use crate::markdown;
use crate::oscope_run::OscopeRun;
use crate::report_csv::{Change, Row};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::time::Instant;

/// One operation of each kind that an environment may change: a call, a process, a path, a switch, a message.
const POINTS: [&str; 5] = [
    "syscall.getppid method=raw",
    "process.create.fork_wait resident=1MiB",
    "syscall.open_close.read",
    "switch.process.pipe cpu=same",
    "ipc.pipe.round_trip cpu=same",
];

/// Every preset that one machine can have.
const PRESETS: &str = "
    namespaces bwrap runc crun seccomp seccomp-arguments cgroup-quota=50% cgroup-shares=512 nice=10 sched=batch sched=fifo
    no-aslr no-thp mitigations strace strace-seccomp valgrind qemu-user proot gvisor gvisor-ptrace";

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
    let program = program(workspace, &["--release"])?;
    let oscope = OscopeRun::new(&program);
    let begun = Instant::now();
    let versus = PRESETS.split_whitespace().flat_map(|preset| ["--versus", preset]);
    let arguments: Vec<&str> = POINTS.into_iter().chain(["--rounds", ROUNDS]).chain(versus).collect();
    let record = oscope.recorded(&arguments)?;
    let took = begun.elapsed().as_secs();
    let changes = oscope.compared(&record)?;
    ensure!(!changes.is_empty(), "no point was measured in any environment");
    let circumstances = circumstances(&record.path(), &oscope.rows(&record)?, took)?;
    let text = format!("{circumstances}\n\n{}", table(&changes));
    let page = workspace.join(PAGE);
    let old = std::fs::read_to_string(&page)?;
    let (before, rest) = old.split_once(BEGIN).context("the page has no place for the table")?;
    let (_, after) = rest.split_once(END).context("the place for the table has no end")?;
    std::fs::write(&page, format!("{before}{BEGIN}{text}{END}{after}"))?;
    print!("{text}");
    Ok(true)
}

/// The machine, how busy it was, and what could not be measured, in a paragraph.
fn circumstances(record: &Path, rows: &[Row], seconds: u64) -> Result<String> {
    let record = record::Record::read(record)?;
    let [processor, family, kernel] = ["processor.model", "family.name", "kernel.release"]
        .map(|key| record.machine.text(key).unwrap_or("not reported"));
    let share =
        rows.iter().find(|row| row.point.contains("property=quiet_share")).and_then(|row| row.typical);
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
        "{processor} ({family}), Linux {kernel}; {ROUNDS} rounds in {seconds} s; the core was quiet {share} of the time.{skipped}"
    ))
}

/// One line for each environment, one column for each point.
fn table(changes: &[Change]) -> String {
    let (mut points, mut environments): (Vec<String>, Vec<&str>) = Default::default();
    for change in changes {
        if !points.contains(&change.name()) {
            points.push(change.name());
        }
        if !environments.contains(&change.record.as_str()) {
            environments.push(&change.record);
        }
    }
    let row = |name: &str, cell: &dyn Fn(&Change) -> Option<String>| {
        let cells = points.iter().map(|point| {
            let mut of_point = changes.iter().filter(|change| change.name() == *point);
            of_point.find_map(cell).unwrap_or_else(|| "–".to_owned())
        });
        std::iter::once(name.to_owned()).chain(cells).collect::<Vec<_>>()
    };
    let native =
        row("native", &|change| change.first.map(|ns| quantity::show(ns, None, quantity::Quantity::Latency)));
    let others = environments.iter().map(|environment| {
        row(environment, &|change| ratio(change).filter(|_| change.record == *environment))
    });
    let rows: Vec<Vec<String>> = std::iter::once(native).chain(others).collect();
    let titles: Vec<&str> = std::iter::once("environment").chain(points.iter().map(String::as_str)).collect();
    markdown::table(&titles, rows)
}

/// A ratio with its interval. A cost less that of a control can come out below zero: no ratio says anything then.
fn ratio(change: &Change) -> Option<String> {
    let low = change.low.filter(|low| *low > 0.0)?;
    Some(format!("{} ({} … {})", short(change.change?), short(low), short(change.high?)))
}

/// Three digits.
fn short(value: f64) -> String {
    let digits = [10.0, 100.0].iter().filter(|limit| value < **limit).count();
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn environments_are_lines_and_points_are_columns() {
        let csv = [
            "operation,point,area,quantity,unit,record,first,second,is,change,low,high,decision,within,reason",
            "syscall.getppid,method=raw,os,latency,ns,box,100,125,factor,1.25,1.2,1.3,slower,,",
            "switch,,os,latency,ns,box,2000,,,,,,not comparable,,\"failed, there\"",
            "switch,,os,latency,ns,cage,2000,-9,factor,-8.1,-9.5,3.2,undecided,,",
            "syscall.getppid,method=raw,os,latency,ns,cage,100,12345,factor,123.45,99.5,150.2,slower,,",
        ];
        let text = table(&crate::report_csv::read::<Change>(&csv.join("\n")).unwrap());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "| environment | syscall.getppid method=raw | switch |");
        assert_eq!(lines[3], "| box | 1.25 (1.20 … 1.30) | – |");
        assert_eq!(lines[4], "| cage | 123 (99.5 … 150) | – |");
    }
}
