//! `cargo xtask bench`: what the instrument must reach, measured on this machine, as a table in Markdown.
//!
//! None of this is a test: every figure is of one machine at one time. `docs/MEASUREMENTS.md` holds a
//! printed run.

mod area;
mod beside;
mod filter;
mod gate;
mod groups;
mod hog;
mod next_run;
mod next_tail;
mod planted;
mod power;
mod repeat;
mod runs;
mod stalls;
mod table;
mod watch;
mod watched;

pub use filter::filter;
pub use gate::{calls, gate};
pub use hog::{TURN_MS, burn};
pub use next_run::{Choice as NextRun, next_run};
pub use planted::{Choice as Planted, planted};
pub use power::{PowerChoice, power};
pub use repeat::repeat;
pub use stalls::{Stalls, stalls};
pub use watch::{Plants, watch};

use crate::command::program;
use crate::oscope_run::{OscopeRun, Watched};
use anyhow::{Context, Result};
use std::path::Path;
use table::Table;

/// Runs every measurement and prints the table.
pub fn run(root: &Path) -> Result<bool> {
    let program = program(root, &["--release"])?;
    let oscope = OscopeRun::new(&program);
    let mut table = Table::default();
    size(&program, &mut table)?;
    speed(&oscope, &mut table)?;
    known_cost(&oscope, &mut table)?;
    repeatability(&oscope, &mut table)?;
    hog::beside_hogs(&oscope, &mut table)?;
    table.print();
    Ok(true)
}

fn size(program: &Path, table: &mut Table) -> Result<()> {
    let bytes = std::fs::metadata(program).context("no release binary")?.len() as f64;
    table.add("release binary", "under 9 MiB", format!("{:.2} MiB", bytes / f64::from(1 << 20)));
    Ok(())
}

/// Start, first table, the supervisor's own appetite.
fn speed(oscope: &OscopeRun<'_>, table: &mut Table) -> Result<()> {
    let single = oscope.watched(&["syscall.floor", "--rounds", "1"])?;
    let first = format!("at most {:.0} ms (a whole run of one trial)", single.wall_s * 1e3);
    table.add("start to first measurement", "under 300 ms", first);
    let Watched { wall_s, first_round_s, cpu_s, peak_kib } = oscope.watched(&["--profile", "standard"])?;
    table.add("first complete table", "within 10 s", format!("{:.1} s", first_round_s.unwrap_or(f64::NAN)));
    let share = format!("{:.2} % of a CPU over {wall_s:.0} s", 100.0 * cpu_s / wall_s);
    table.add("supervisor", "under 2 % of a CPU", share);
    table.add("peak memory of the supervisor", "under 64 MiB", format!("{:.1} MiB", peak_kib / 1024.0));
    Ok(())
}

/// k additions more must come out as k cycles more.
fn known_cost(oscope: &OscopeRun<'_>, table: &mut Table) -> Result<()> {
    let rows = oscope.measured(&["loop.known_cost", "clock.frequency", "--budget", "20s"])?;
    let typical = |operation: &str, point: &str| {
        let found = rows.iter().find(|row| row.operation == operation && row.point == point);
        found.and_then(|row| row.typical).with_context(|| format!("{operation} {point} has no number"))
    };
    let cycle_ns = typical("loop.known_cost", "adds=0")?;
    let core_hz = typical("clock.frequency", "clock=core")?;
    for adds in [10.0, 20.0, 40.0] {
        let more = typical("loop.known_cost", &format!("adds={adds}"))? - cycle_ns;
        let cycles = more * core_hz * 1e-9;
        let off = 100.0 * (cycles / adds - 1.0);
        table.add(
            &format!("{adds} additions more"),
            "as many cycles, within 1 %",
            format!("{cycles:.3} cycles ({off:+.2} %)"),
        );
    }
    Ok(())
}

/// Two whole runs must agree.
fn repeatability(oscope: &OscopeRun<'_>, table: &mut Table) -> Result<()> {
    let (first, second) = (oscope.measured(&[])?, oscope.measured(&[])?);
    let pairs = first.iter().filter_map(|row| {
        let other = second.iter().find(|other| other.name() == row.name())?;
        let overlaps = row.low? <= other.high? && other.low? <= row.high?;
        Some((overlaps, (row.typical? / other.typical? - 1.0).abs()))
    });
    let (overlaps, differences): (Vec<bool>, Vec<f64>) = pairs.unzip();
    let (overlap, all) = (overlaps.iter().filter(|overlaps| **overlaps).count(), overlaps.len());
    let middle = stats::order::median(&differences).unwrap_or(f64::NAN);
    table.add("two runs: points whose intervals overlap", "–", format!("{overlap} of {all}"));
    table.add("two runs: median difference of a point", "–", format!("{:.2} %", 100.0 * middle));
    Ok(())
}
