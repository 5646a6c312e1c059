//! `cargo xtask agree [AREA…]`: oscope beside other tools in the same minutes, as ratios.
//!
//! Debian's tools, and plain C programs that share no line with oscope, take turns with it, so that what changes on
//! the machine changes for all. Each area is a table in a file of its own. None of this is a test: `docs/AGREEMENT.md`
//! holds a printed run and the reasons for what differs.

mod comparison;
mod contention;
mod distribution;
mod file;
mod memory;
mod messaging;
mod network;
mod os;
mod ratio;
mod reading;
mod scaling;
mod schedule;
mod server;
mod tail;
mod tool_runner;

use crate::command::program;
use crate::oscope_run::{Document, OscopeRun};
use crate::{markdown, packages};
use anyhow::{Result, bail};
pub use comparison::Comparison;
use comparison::Same;
pub use os::COMPARISONS as OS;
use quantity::Quantity;
use ratio::{AGREES, NO, Ratio, TURNS};
use std::path::Path;
use tail::Busy;
pub use tool_runner::ToolRunner;

/// All areas that are compared, each with a file of its own.
static AREAS: &[(&str, &[Comparison])] = &[
    ("os", os::COMPARISONS),
    ("memory", memory::COMPARISONS),
    ("network", network::COMPARISONS),
    ("file", file::COMPARISONS),
    ("scaling", scaling::COMPARISONS),
    ("contention", contention::COMPARISONS),
    ("messaging", messaging::COMPARISONS),
    ("schedule", schedule::COMPARISONS),
];

/// Rounds of oscope in one turn.
const ROUNDS: &str = "6";

/// The values of one comparison over the turns, in the base unit of the point.
#[derive(Debug, Default, Clone)]
struct Values {
    ours: Vec<f64>,
    /// The mean over everything that oscope timed, which is what most tools print.
    means: Vec<f64>,
    theirs: Vec<f64>,
}

/// Runs these areas, or all where none is named, alternating with other tools, and prints their tables; gives whether every like
/// pair agrees.
pub fn run(root: &Path, areas: &[String]) -> Result<bool> {
    let comparisons = chosen(areas)?;
    let with_tails = areas.is_empty() || areas.iter().any(|area| area == tail::AREA);
    let program = program(root, &["--release"])?;
    let runner = ToolRunner::new(root)?;
    let mut wanted: Vec<_> = comparisons.iter().filter_map(|one| one.tool.package).collect();
    if with_tails {
        wanted.extend(tail::wanted());
    }
    wanted.dedup();
    for package in wanted {
        if let Err(why) = packages::install_missing(&[package]) {
            eprintln!("left out: {why:#}");
        }
    }
    let oscope = OscopeRun::new(&program);
    let mut agrees = true;
    if !comparisons.is_empty() {
        let mut values = vec![Values::default(); comparisons.len()];
        let mut busy = Busy::default();
        for turn in 1..=TURNS {
            eprintln!("turn {turn} of {TURNS}");
            busy.add(&one_turn(&oscope, &runner, &comparisons, &mut values)?);
        }
        agrees = print(&comparisons, &values);
        println!("\n{busy}");
    }
    if with_tails {
        agrees &= tail::run(&oscope, &runner)?;
    }
    Ok(agrees)
}

/// The comparisons of these areas.
fn chosen(areas: &[String]) -> Result<Vec<&'static Comparison>> {
    let known: Vec<&str> = AREAS.iter().map(|(area, _)| *area).chain([tail::AREA]).collect();
    if let Some(unknown) = areas.iter().find(|area| !known.contains(&area.as_str())) {
        bail!("nothing is compared in `{unknown}`; name one of {}", known.join(", "));
    }
    let asked = AREAS.iter().filter(|(area, _)| areas.is_empty() || areas.iter().any(|one| one == area));
    Ok(asked.flat_map(|(_, comparisons)| *comparisons).collect())
}

/// All of oscope's points once, then every tool once; gives how busy the cores were.
fn one_turn(
    oscope: &OscopeRun<'_>,
    runner: &ToolRunner,
    comparisons: &[&Comparison],
    values: &mut [Values],
) -> Result<Document> {
    let mut points: Vec<&str> = comparisons.iter().map(|one| one.ours).collect();
    points.sort_unstable();
    points.dedup();
    let options = ["--rounds", ROUNDS, "--cpu", &runner.cpus.own, "--peer-cpu", &runner.cpus.peer];
    let record = oscope.recorded(&[&options, &points[..]].concat())?;
    let (rows, means) = (oscope.rows(&record)?, oscope.means(&record)?);
    for (one, values) in comparisons.iter().zip(values) {
        match runner.figure(one) {
            Ok(theirs) => {
                let row = rows.iter().find(|row| row.name() == one.ours);
                values.ours.extend(row.and_then(|row| row.typical));
                values.means.extend(means.get(one.ours));
                values.theirs.push(theirs);
            }
            Err(error) => eprintln!("  {} {}: {error:#}", one.tool.name, one.what),
        }
    }
    oscope.document(&record.path())
}

/// Prints the table; gives whether every like pair agrees.
fn print(comparisons: &[&Comparison], values: &[Values]) -> bool {
    let titles = ["what", "oscope", "tool", "ratio (range)", "mean of everything (range)", "within 5 %", ""];
    let mut all_agree = true;
    let rows = comparisons.iter().zip(values).map(|(one, values)| {
        let (what, tool) = (one.what.to_owned(), one.tool.name);
        let Some(ratio) = Ratio::between(&values.ours, &values.theirs) else {
            let not_compared = ["", tool, "not compared", "", "", ""].map(str::to_owned);
            return std::iter::once(what).chain(not_compared).collect();
        };
        let mean = Ratio::between(&values.means, &values.theirs);
        let (word, reason) = judge(one.same, &ratio, mean.as_ref());
        all_agree &= word != NO;
        let [ours, theirs] = [&values.ours, &values.theirs].map(|values| shown(values, quantity_of(one)));
        vec![
            what,
            ours,
            format!("{tool}: {theirs}"),
            ratio.to_string(),
            mean.map(|mean| mean.to_string()).unwrap_or_default(),
            word.to_owned(),
            reason.to_owned(),
        ]
    });
    print!("{}", markdown::table(&titles, rows));
    all_agree
}

/// The word for a comparison, and what explains it. A tool that prints the mean of all that it timed is compared with
/// oscope's median of what ran undisturbed; where the two differ, oscope's own mean of everything tells whether that
/// is the reason.
fn judge(same: Same, ratio: &Ratio, mean: Option<&Ratio>) -> (&'static str, &'static str) {
    let fits = |ratio: &Ratio| match same {
        Same::Yes => (ratio.median - 1.0).abs() <= AGREES,
        Same::AtLeast => ratio.median >= 1.0 - AGREES,
        Same::No(_) => false,
    };
    match same {
        Same::No(reason) => ("another thing", reason),
        Same::AtLeast if fits(ratio) => ("at least", ""),
        Same::Yes if fits(ratio) => ("yes", ""),
        _ if mean.is_some_and(fits) => {
            ("as a mean", "oscope leaves out what disturbed it and takes the median")
        }
        Same::Yes if ratio.median < 1.0 && mean.is_some_and(|mean| mean.median > 1.0) => (
            "between",
            "it lies between oscope's median, which leaves out what disturbed it, and oscope's mean of everything",
        ),
        _ => (NO, ""),
    }
}

/// What the point of a comparison measures.
fn quantity_of(one: &Comparison) -> Quantity {
    let (operation, _) = one.ours.split_once(' ').unwrap_or((one.ours, ""));
    flawed::find(operation).map_or(Quantity::Latency, |one| one.quantity)
}

/// The median of some values, in words.
fn shown(values: &[f64], quantity: Quantity) -> String {
    quantity::show(stats::order::median(values).unwrap_or(0.0), None, quantity)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_comparison_names_a_point_that_exists() {
        for one in AREAS.iter().flat_map(|(_, comparisons)| *comparisons) {
            let (operation, point) = one.ours.split_once(' ').unwrap_or((one.ours, ""));
            let points = flawed::find(operation).map(|one| one.points_of(record::Profile::Standard));
            let exists = points.is_some_and(|points| points.iter().any(|one| one.text() == point));
            assert!(exists, "{}", one.ours);
            assert!(one.tool.holds > 0.0 && !one.tool.command.is_empty());
            if let Same::No(reason) = one.same {
                assert!(reason.len() > 30, "{}: a reason is a sentence", one.what);
            }
        }
    }

    #[test]
    fn a_difference_is_explained_by_the_mean_of_everything_or_not_at_all() {
        for (same, ratio, mean, expected) in [
            (Same::Yes, 1.04, None, "yes"),
            (Same::Yes, 0.8, Some(0.97), "as a mean"),
            (Same::Yes, 0.8, Some(0.9), NO),
            (Same::Yes, 0.8, Some(1.2), "between"),
            (Same::Yes, 1.1, Some(1.3), NO),
            (Same::Yes, 0.8, None, NO),
            (Same::AtLeast, 2.0, None, "at least"),
            (Same::AtLeast, 0.9, Some(0.9), NO),
            (Same::No("reason"), 1.0, Some(1.0), "another thing"),
        ] {
            let [ratio, mean] = [Some(ratio), mean]
                .map(|median| median.map(|median| Ratio { median, least: median, most: median }));
            assert_eq!(judge(same, &ratio.unwrap(), mean.as_ref()).0, expected);
        }
    }

    #[test]
    fn areas_are_chosen_by_name() {
        assert_eq!(chosen(&["network".to_owned()]).unwrap().len(), network::COMPARISONS.len());
        assert!(chosen(&[]).unwrap().len() > 40);
        let refused = chosen(&["netwrok".to_owned()]).unwrap_err().to_string();
        assert!(
            refused.contains("os, memory, network, file, scaling, contention, messaging, schedule, tail")
        );
    }
}
