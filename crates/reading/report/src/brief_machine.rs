//! The machine in three lines: what it is, its caches, its system, with what the run found where that differs.

use crate::facts::{caches, first, kernel, labelled, line, mitigations, number, processor};
use crate::thresholds::OTHER_SIZE;
use crate::{View, cells};
use analysis::Row;
use quantity::{Quantity, show_interval};
use record::{Machine, Range, Unit};

/// The three lines. A line of which nothing is known is absent.
pub(crate) fn in_three_lines(view: &View<'_>) -> Vec<String> {
    let machine = view.machine;
    let [model, family, frequency, ..] = processor(machine);
    let model = model.map(|model| model.replace("(R)", "").replace("(TM)", ""));
    let measured = view.analysis.core_hz.map(|hz| number(hz, Unit::Hertz));
    let frequency = match (frequency, measured) {
        (Some(nominal), Some(measured)) if nominal == measured => Some(nominal),
        (Some(nominal), Some(measured)) => Some(format!("{nominal} nominal, {measured} measured")),
        (nominal, measured) => nominal.or(labelled("", measured, " measured")),
    };
    let count = first(machine, &["cpus.allowed", "cpus.online"]).map(|count| match count.as_str() {
        "1" => "1 CPU".to_owned(),
        count => format!("{count} CPUs"),
    });
    let guest = machine.text("environment.hypervisor").map(|name| match name {
        "none" => "bare metal".to_owned(),
        name => format!("{name} guest"),
    });
    let hardware =
        vec![model, family, frequency, count, cpu_limit(machine), first(machine, &["memory.total"]), guest];
    let file_system = labelled(" (", first(machine, &["directory.file_system"]), ")").unwrap_or_default();
    let files = labelled("files in ", first(machine, &["directory.path"]), &file_system);
    let [release, preemption] = kernel(machine);
    let system = vec![
        release,
        preemption,
        mitigations(machine, false),
        labelled("clock ", first(machine, &["kernel.clocksource"]), ""),
        files,
    ];
    let mut caches = caches(machine);
    caches.extend(caches.iter().any(Option::is_some).then(|| Some("as reported".to_owned())));
    match capacity(view, 4) {
        // Which of the found levels is which of the reported ones is not known then.
        Some(_) => caches.push(Some("four levels found (oscope explain memory.levels)".to_owned())),
        None => caches.extend((1..=3).map(|level| other_size(view, level))),
    }
    let lines = [hardware, caches, system];
    lines.into_iter().map(line).filter(|line| !line.is_empty()).collect()
}

/// The limit on CPU time, where it is below that of the CPUs.
fn cpu_limit(machine: &Machine) -> Option<String> {
    let cpus = machine.number("cpus.allowed").or_else(|| machine.number("cpus.online"))?;
    let is_less = machine.number("limit.cpus")? < cpus;
    labelled("limited to ", first(machine, &["limit.cpus"]).filter(|_| is_less), " CPUs")
}

/// What the run found of a level of the caches, if it is not what the machine reports: `L3 3.0 MiB found (next run 2.6–3.9 MiB)`.
fn other_size(view: &View<'_>, level: usize) -> Option<String> {
    let keys = if level == 1 { ["cache.l1d.size", "cache.l1.size"] } else { ["cache.l2.size"; 2] };
    let keys = if level == 3 { ["cache.l3.size"; 2] } else { keys };
    let reported = keys.iter().find_map(|key| view.machine.number(key))?;
    let found = capacity(view, level)?;
    let factor = (found.value / reported).max(reported / found.value);
    // As in the row.
    let row = level_row(view, level)?;
    let (size, noisy) = (cells::typical(row), cells::mark(row.verdict));
    let interval = show_interval(found.low, found.high, Quantity::Size);
    (factor > OTHER_SIZE).then(|| format!("L{level} {noisy}{size} found (next run {interval})"))
}

/// The row of the measured capacity of a level.
fn level_row<'v>(view: &View<'v>, level: usize) -> Option<&'v Row> {
    view.analysis.rows.iter().find(|row| {
        let id = &row.point.id;
        id.operation == "memory.levels" && id.point == format!("level={level} property=capacity")
    })
}

/// The measured capacity of a level, with the interval in which the next run finds it.
fn capacity(view: &View<'_>, level: usize) -> Option<Range> {
    let row = level_row(view, level)?;
    let found = row.estimate.as_ref()?.range()?;
    let next = row.next_run().map(|next| next.ends());
    Some(next.map_or(found, |(low, high)| Range { low, high, ..found }))
}
