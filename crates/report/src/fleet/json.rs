//! A fleet for programs.

use super::{FleetView, problems};
use fleet::{DifferingFact, OddMachine, Spread, Suspect, TypeChange, TypeSurvey, designs};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes everything that was found out about a fleet as one JSON object.
///
/// # Errors
/// When `out` cannot be written.
pub fn fleet_json(view: &FleetView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let machines = view.fleet.machines.iter().map(|machine| {
        json!({
            "name": machine.name,
            "runs": machine.runs.iter().map(|run| json!({"file": run.file, "started": run.started})).collect::<Vec<_>>(),
        })
    });
    let all = json!({
        "folder": view.folder,
        "machines": machines.collect::<Vec<_>>(),
        "problems": view.problems.iter().map(problems::sentence).collect::<Vec<_>>(),
        "types": view.survey.types.iter().map(|of| one_type(view, of)).collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &all)?;
    writeln!(out)
}

fn point(view: &FleetView<'_>, column: usize) -> Value {
    view.fleet.columns.get(column).map(|column| column.id.to_string()).into()
}

fn machine(view: &FleetView<'_>, index: usize) -> Value {
    view.fleet.machines.get(index).map(|machine| machine.name.as_str()).into()
}

fn facts(facts: &[DifferingFact]) -> Vec<Value> {
    let fact = |fact: &DifferingFact| json!({"key": fact.key, "here": fact.here, "others": fact.others});
    facts.iter().map(fact).collect()
}

fn one_type(view: &FleetView<'_>, of: &TypeSurvey) -> Value {
    json!({
        "name": of.of.name,
        "machines": of.of.machines.iter().map(|index| machine(view, *index)).collect::<Vec<_>>(),
        "divided_by_results": of.of.divided.as_ref().map(|(points, differing)| {
            json!({"points": points, "facts": facts(differing)})
        }),
        "judged": of.is_judged,
        "odd": of.odd.iter().map(|one| odd(view, one)).collect::<Vec<_>>(),
        "points": of.spreads.iter().map(|one| spread(view, one)).collect::<Vec<_>>(),
        "against_first_type": of.changes.iter().map(|one| change(view, one)).collect::<Vec<_>>(),
    })
}

fn odd(view: &FleetView<'_>, odd: &OddMachine) -> Value {
    let look_at = match odd.suspect {
        Suspect::Machine => "machine",
        Suspect::Measurement { .. } => "measurement",
        Suspect::Run(_) => "run",
    };
    let points = odd.points.iter().map(
        |one| json!({"point": point(view, one.column), "costs": one.ratio, "deviations_away": one.distance}),
    );
    json!({
        "machine": machine(view, odd.machine),
        "look_at": look_at,
        "points": points.collect::<Vec<_>>(),
        "as_a_whole": odd.whole.map(|whole| json!({"costs": whole.ratio, "slower_share": whole.slower})),
        "facts": facts(&odd.facts),
        "signs": odd.signs.iter().map(|sign| json!({"sign": sign.says, "costs": sign.ratio, "points": sign.points})).collect::<Vec<_>>(),
    })
}

fn spread(view: &FleetView<'_>, spread: &Spread) -> Value {
    let deviation = |found: Option<fleet::Component>| {
        found.map(|found| json!({"deviation": found.deviation, "low": found.low, "high": found.high}))
    };
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

fn change(view: &FleetView<'_>, change: &TypeChange) -> Value {
    json!({
        "point": point(view, change.column),
        "costs": change.ratio,
        "low": change.interval.0,
        "high": change.interval.1,
    })
}
