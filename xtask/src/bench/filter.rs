//! `cargo xtask bench filter`: a planted difference. Filters of system calls whose cost grows with their length are
//! environments of one run; the longest must cost what the others say it does.

use super::process::Oscope;
use super::table::Table;
use anyhow::{Context, Result};
use std::path::Path;

/// The call that is filtered.
const POINT: &str = "syscall.getppid method=raw";

/// Instructions of the filters: as far from one to the next as from that to the last.
const LENGTHS: [u32; 3] = [1000, 2500, 4000];

/// Measures and prints the table.
pub fn filter(root: &Path) -> Result<bool> {
    let program = crate::agree::build(root)?;
    let oscope = Oscope::new(&program);
    let environments =
        LENGTHS.map(|length| format!("filter-{length}={} launch filter={length}", program.display()));
    let mut arguments = vec![POINT, "--rounds", "40"];
    for environment in &environments {
        arguments.extend(["--versus", environment]);
    }
    let csv = oscope.compared(&oscope.recorded(&arguments)?)?;
    let [short, middle, long] = LENGTHS.map(|length| cost(&csv, &format!("filter-{length}")));
    let (short, middle, long) = (short?, middle?, long?);
    let planted = (2.0 * middle.there - short.there) / long.native;
    let mut table = Table::default();
    table.row(
        "ratio of getppid under a filter of 4000 instructions, from filters of 1000 and 2500",
        &format!("{planted:.3} within 2 %"),
        format!("{:.3} ({:+.2} %)", long.ratio, 100.0 * (long.ratio / planted - 1.0)),
    );
    let instruction = (long.there - short.there) / f64::from(LENGTHS[2] - LENGTHS[0]);
    table.row("one instruction of a filter", "one addition", format!("{instruction:.4} ns"));
    table.print();
    Ok(true)
}

/// What a call costs natively and in an environment in nanoseconds, and the ratio that `oscope compare` gives.
struct Cost {
    native: f64,
    there: f64,
    ratio: f64,
}

/// From the columns `record`, `first`, `second` and `change` of the CSV form of a comparison.
fn cost(csv: &str, environment: &str) -> Result<Cost> {
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let row = rows
        .find(|cells| cells.get(5) == Some(&environment))
        .with_context(|| format!("no row of {environment} in\n{csv}"))?;
    let number = |at: usize| {
        let cell = row.get(at).and_then(|cell| cell.parse::<f64>().ok());
        cell.with_context(|| format!("{environment} has no number: {}", row.join(",")))
    };
    Ok(Cost { native: number(6)?, there: number(7)?, ratio: number(9)? })
}
