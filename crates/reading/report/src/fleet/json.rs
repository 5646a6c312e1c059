//! A fleet for programs.

use super::{problems, signs, view::FleetView};
use crate::json::{all, write_document};
use fleet::{
    DifferingFact, Machine, OddMachine, OddPoint, OddRun, Run, Spread, Suspect, TypeChange, TypeSurvey,
    designs,
};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes everything that was found out about a fleet as one JSON object.
pub(super) fn write(view: &FleetView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let fleet = json!({
        "folder": view.folder,
        "machines": all(&view.fleet.machines, machine_with_runs),
        "problems": all(view.problems, problems::sentence),
        "types": all(&view.survey.types, |of| one_type(view, of)),
    });
    write_document(&fleet, out)
}

fn machine_with_runs(machine: &Machine) -> Value {
    let runs = all(&machine.runs, |run: &Run| json!({"file": run.file, "started": run.started}));
    json!({"name": machine.name, "runs": runs})
}

fn point(view: &FleetView<'_>, column: usize) -> Value {
    view.fleet.columns.get(column).map(|column| column.id.to_string()).into()
}

fn machine(view: &FleetView<'_>, index: usize) -> Value {
    view.fleet.machines.get(index).map(|machine| machine.name.as_str()).into()
}

fn facts(facts: &[DifferingFact]) -> Vec<Value> {
    all(facts, |fact| json!({"key": fact.key, "here": fact.here, "others": fact.others}))
}

fn one_type(view: &FleetView<'_>, of: &TypeSurvey) -> Value {
    json!({
        "name": of.of.name,
        "machines": all(&of.of.machines, |index| machine(view, *index)),
        "divided_by_results": of.of.divided.as_ref().map(|(points, differing)| {
            json!({"points": points, "facts": facts(differing)})
        }),
        "judged": of.is_judged,
        "odd": all(&of.odd, |one| odd(view, one)),
        "odd_runs": all(&of.odd_runs, |one| odd_run(view, one)),
        "points": all(&of.spreads, |one| spread(view, one)),
        "against_first_type": all(&of.changes, |one| change(view, one)),
    })
}

fn odd(view: &FleetView<'_>, odd: &OddMachine) -> Value {
    let look_at = match odd.suspect {
        Suspect::Machine => "machine",
        Suspect::Measurement { .. } => "measurement",
        Suspect::Run(_) => "run",
    };
    let run = match odd.suspect {
        Suspect::Run(run) => run_file(view, odd.machine, run),
        Suspect::Machine | Suspect::Measurement { .. } => None,
    };
    json!({
        "machine": machine(view, odd.machine),
        "look_at": look_at,
        "run": run,
        "only_faster": odd.is_only_faster(),
        "points": points(view, &odd.points),
        "as_a_whole": odd.whole.map(|whole| json!({"costs": whole.ratio, "slower_share": whole.slower})),
        "facts": facts(&odd.facts),
        "signs": all(&odd.signs, |one| {
            json!({"sign": signs::sentence(one), "costs": one.ratio, "points": one.points})
        }),
    })
}

/// The file of a run of a machine.
fn run_file<'v>(view: &FleetView<'v>, machine: usize, run: usize) -> Option<&'v str> {
    Some(view.fleet.machines.get(machine)?.runs.get(run)?.file.as_str())
}

fn points(view: &FleetView<'_>, points: &[OddPoint]) -> Vec<Value> {
    all(points, |one| {
        json!({
            "point": point(view, one.column),
            "costs": one.ratio,
            "deviations_away": one.distance,
        })
    })
}

fn odd_run(view: &FleetView<'_>, odd: &OddRun) -> Value {
    json!({
        "machine": machine(view, odd.machine),
        "run": run_file(view, odd.machine, odd.run),
        "only_faster": odd.is_only_faster(),
        "points": points(view, &odd.points),
    })
}

fn spread(view: &FleetView<'_>, spread: &Spread) -> Value {
    let found = spread.components;
    let needed = found.and_then(|found| designs(&found, view.precision));
    json!({
        "point": point(view, spread.column),
        "median": spread.median,
        "least": spread.range.0,
        "most": spread.range.1,
        "machines": spread.machines,
        "between_machines": deviation(found.and_then(|found| found.between_groups)),
        "between_runs": deviation(found.and_then(|found| found.between_members)),
        "within_a_run": found.map(|found| found.within),
        "needed": needed.map(|designs| designs.map(|one| json!({"runs": one.runs, "machines": one.machines}))),
    })
}

fn deviation(found: Option<fleet::Component>) -> Option<Value> {
    found.map(|found| json!({"deviation": found.deviation, "low": found.low, "high": found.high}))
}

fn change(view: &FleetView<'_>, change: &TypeChange) -> Value {
    json!({
        "point": point(view, change.column),
        "costs": change.ratio,
        "low": change.interval.0,
        "high": change.interval.1,
    })
}
