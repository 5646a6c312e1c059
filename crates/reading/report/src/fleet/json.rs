//! A fleet as one JSON document.

use super::{problems, signs, view::FleetView};
#[cfg(feature = "schema")]
use crate::json::schema_of;
use crate::json::{Part, all, object, write_document};
use fleet::{
    DifferingFact, Machine, OddMachine, OddPoint, OddRun, Run, Spread, Suspect, TypeChange, TypeSurvey,
    designs,
};
use std::io::{self, Write};

/// Version of the document. Fields may be added without changing it, never renamed or given another sense.
const SCHEMA: u32 = 1;

/// Writes everything that was found out about a fleet, indented. Costs are ratios to the median machine; what is unknown is null.
pub(super) fn write(view: &FleetView<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_document(&document(view), out)
}

/// The schema of the document.
#[cfg(feature = "schema")]
pub fn fleet_schema() -> schemars::Schema {
    let (fleet, survey) = (fleet::Fleet::default(), fleet::Survey { types: Vec::new() });
    schema_of(&document(&FleetView {
        folder: "",
        fleet: &fleet,
        survey: &survey,
        problems: &[],
        labels: &[],
        class: &[],
        is_full: true,
        precision: 0.0,
    }))
}

fn document(view: &FleetView<'_>) -> impl Part {
    object! {
        schema: SCHEMA,
        folder: view.folder,
        machines: all(&view.fleet.machines, machine_with_runs),
        /// What is wrong with the records.
        problems: all(view.problems, problems::sentence),
        /// Machines that should cost the same, the largest type first.
        types: all(&view.survey.types, |of| one_type(view, of)),
    }
}

fn machine_with_runs(machine: &Machine) -> impl Part {
    object! {
        name: &machine.name,
        runs: all(&machine.runs, |run: &Run| object! { file: &run.file, started: &run.started }),
    }
}

fn point(view: &FleetView<'_>, column: usize) -> Option<String> {
    view.fleet.columns.get(column).map(|column| column.id.to_string())
}

fn machine<'v>(view: &FleetView<'v>, index: usize) -> Option<&'v str> {
    view.fleet.machines.get(index).map(|machine| machine.name.as_str())
}

fn facts(facts: &[DifferingFact]) -> impl Part {
    all(facts, |fact| object! { key: &fact.key, here: &fact.here, others: &fact.others })
}

fn one_type(view: &FleetView<'_>, of: &TypeSurvey) -> impl Part {
    object! {
        name: &of.of.name,
        machines: all(&of.of.machines, |index| machine(view, *index)),
        /// The facts in which this part of a type differs, where its results divide it.
        divided_by_results: of.of.divided.as_ref().map(|(points, differing)| object! {
            points: points,
            facts: facts(differing),
        }),
        /// Whether there are enough machines to find odd ones.
        judged: of.is_judged,
        odd: all(&of.odd, |one| odd(view, one)),
        odd_runs: all(&of.odd_runs, |one| odd_run(view, one)),
        points: all(&of.spreads, |one| spread(view, one)),
        against_first_type: all(&of.changes, |one| change(view, one)),
    }
}

fn odd(view: &FleetView<'_>, odd: &OddMachine) -> impl Part {
    let look_at = match odd.suspect {
        Suspect::Machine => "machine",
        Suspect::Measurement { .. } => "measurement",
        Suspect::Run(_) => "run",
    };
    let run = match odd.suspect {
        Suspect::Run(run) => run_file(view, odd.machine, run),
        Suspect::Machine | Suspect::Measurement { .. } => None,
    };
    object! {
        machine: machine(view, odd.machine),
        look_at: look_at,
        run: run,
        only_faster: odd.is_only_faster(),
        points: points(view, &odd.points),
        as_a_whole: odd.whole.map(|whole| object! { costs: whole.ratio, slower_share: whole.slower }),
        facts: facts(&odd.facts),
        signs: all(&odd.signs, |one| object! {
            sign: signs::sentence(one),
            costs: one.ratio,
            points: one.points,
        }),
    }
}

/// The file of a run of a machine.
fn run_file<'v>(view: &FleetView<'v>, machine: usize, run: usize) -> Option<&'v str> {
    Some(view.fleet.machines.get(machine)?.runs.get(run)?.file.as_str())
}

fn points(view: &FleetView<'_>, points: &[OddPoint]) -> impl Part {
    all(points, |one| {
        object! {
            point: point(view, one.column),
            /// The cost here by that of the median machine.
            costs: one.ratio,
            deviations_away: one.distance,
        }
    })
}

fn odd_run(view: &FleetView<'_>, odd: &OddRun) -> impl Part {
    object! {
        machine: machine(view, odd.machine),
        run: run_file(view, odd.machine, odd.run),
        only_faster: odd.is_only_faster(),
        points: points(view, &odd.points),
    }
}

fn spread(view: &FleetView<'_>, spread: &Spread) -> impl Part {
    let found = spread.components;
    let needed = found.and_then(|found| designs(&found, view.precision));
    object! {
        point: point(view, spread.column),
        median: spread.median,
        least: spread.range.0,
        most: spread.range.1,
        machines: spread.machines,
        between_machines: deviation(found.and_then(|found| found.between_groups)),
        between_runs: deviation(found.and_then(|found| found.between_members)),
        within_a_run: found.map(|found| found.within),
        /// Machines and runs of each that are needed for the precision.
        needed: needed.map(|designs| {
            designs.iter().map(|one| object! { runs: one.runs, machines: one.machines }).collect::<Vec<_>>()
        }),
    }
}

fn deviation(found: Option<fleet::Component>) -> impl Part {
    found.map(|found| object! { deviation: found.deviation, low: found.low, high: found.high })
}

fn change(view: &FleetView<'_>, change: &TypeChange) -> impl Part {
    object! {
        point: point(view, change.column),
        costs: change.ratio,
        low: change.interval.0,
        high: change.interval.1,
    }
}
