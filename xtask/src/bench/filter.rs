//! `cargo xtask bench filter`: a planted difference. Filters of system calls whose cost grows with their length are
//! environments of one run; the longest must cost what the others say it does.

use super::table::Table;
use crate::command::program;
use crate::oscope_run::OscopeRun;
use crate::report_csv::Change;
use anyhow::{Context, Result};
use std::path::Path;

/// The call that is filtered.
const POINT: &str = "syscall.getppid method=raw";

/// Instructions of the filters: as far from one to the next as from that to the last.
const LENGTHS: [u32; 3] = [1000, 2500, 4000];

/// Measures and prints the table.
pub fn filter(root: &Path) -> Result<bool> {
    let program = program(root, &["--release"])?;
    let oscope = OscopeRun::new(&program);
    let environments =
        LENGTHS.map(|length| format!("filter-{length}={} launch filter={length}", program.display()));
    let mut arguments = vec![POINT, "--rounds", "40"];
    for environment in &environments {
        arguments.extend(["--versus", environment]);
    }
    let changes = oscope.compared(&oscope.recorded(&arguments)?)?;
    let [short, middle, long] = LENGTHS.map(|length| cost(&changes, &format!("filter-{length}")));
    let ((_, short, _), (_, middle, _), (native, long, ratio)) = (short?, middle?, long?);
    let planted = (2.0 * middle - short) / native;
    let mut table = Table::default();
    table.add(
        "ratio of getppid under a filter of 4000 instructions, from filters of 1000 and 2500",
        &format!("{planted:.3} within 2 %"),
        format!("{ratio:.3} ({:+.2} %)", 100.0 * (ratio / planted - 1.0)),
    );
    let instruction = (long - short) / f64::from(LENGTHS[2] - LENGTHS[0]);
    table.add("one instruction of a filter", "one addition", format!("{instruction:.4} ns"));
    table.print();
    Ok(true)
}

/// What a call costs natively and in an environment in nanoseconds, and the ratio that `oscope compare` gives.
fn cost(changes: &[Change], environment: &str) -> Result<(f64, f64, f64)> {
    let found = changes.iter().find(|change| change.record == environment);
    let numbers = found.and_then(|change| Some((change.first?, change.second?, change.change?)));
    numbers.with_context(|| format!("no numbers of {environment}: {found:?}"))
}
