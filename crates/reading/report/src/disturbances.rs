//! What changed and what disturbed a run, a sentence each.

use crate::View;
use crate::facts::value_text;
use crate::groups::grouped;
use crate::reasons;
use crate::wording::{few, joined, many};
use analysis::{Analysis, MachineHistory, Reason, Row, Verdict};
use quantity::{duration_words, show_percent};
use record::{Disturbance, DisturbanceKind, FactChange, MachineChange, Settings};
use std::time::Duration;

/// Sentences on the first screen at most.
const MOST: usize = 4;

/// Facts that are named of a change at most: a CPU that goes offline changes several.
const MOST_FACTS: usize = 3;

/// What the first screen says: what changed, and the gravest of what disturbed the CPUs of the run.
pub(crate) fn brief(view: &View<'_>) -> Vec<String> {
    let mut found: Vec<&Disturbance> = view.analysis.disturbances.iter().collect();
    found.retain(|one| is_on_cpus(&one.kind, &view.plan.settings));
    found.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    let mut lines = changes(&view.analysis.machine_history);
    let room = MOST.saturating_sub(lines.len()).max(1);
    let more = found.len().saturating_sub(room);
    lines.extend(found.into_iter().take(room).map(disturbance));
    if more > 0 {
        lines.push(format!("and {}: oscope report noise", many(more, "other disturbance")));
    }
    lines
}

/// All of it.
pub(crate) fn all(analysis: &Analysis) -> Vec<String> {
    let mut lines = changes(&analysis.machine_history);
    lines.extend(analysis.disturbances.iter().map(disturbance));
    lines
}

/// Points that are named at most.
const MOST_POINTS: usize = 8;

/// The points that others disturbed, each by the reason that its sign names, as the trust of a run counts them.
pub(crate) fn points(rows: &[Row]) -> Vec<String> {
    let noisy = rows.iter().filter(|row| row.verdict == Verdict::Noisy);
    let disturbed = noisy.filter_map(|row| {
        let reason = reasons::main_reason(row)?;
        let is_disturbed = reason.is_of_other_programs() || matches!(reason, Reason::Noise(_));
        is_disturbed.then(|| (reasons::brief(reason), row.point.id.to_string()))
    });
    let lines = grouped(disturbed).into_iter();
    let lines = lines
        .map(|(why, points)| format!("{} {why}: {}", many(points.len(), "point"), few(&points, MOST_POINTS)));
    lines.collect()
}

/// Whether it touched a CPU of the actors, or none in particular.
fn is_on_cpus(kind: &DisturbanceKind, settings: &Settings) -> bool {
    let (DisturbanceKind::OtherProgram { cpu: Some(cpu), .. } | DisturbanceKind::Stolen { cpu, .. }) = kind
    else {
        return true;
    };
    let actors = [settings.cpu, settings.peer_cpu];
    actors == [None, None] || actors.contains(&Some(*cpu))
}

/// By what disturbances are ordered: the seconds of a CPU that they took; pauses and other runs first.
fn weight(disturbance: &Disturbance) -> f64 {
    let seconds = disturbance.to_ns.saturating_sub(disturbance.from_ns) as f64 * 1e-9;
    match disturbance.kind {
        DisturbanceKind::OtherProgram { share, .. } | DisturbanceKind::Stolen { share, .. } => {
            share * seconds
        }
        DisturbanceKind::Throttled { periods, throttled } => {
            seconds * throttled as f64 / periods.max(1) as f64
        }
        DisturbanceKind::Suspended { .. }
        | DisturbanceKind::Halted { .. }
        | DisturbanceKind::OtherRun { .. } => f64::INFINITY,
    }
}

fn disturbance(disturbance: &Disturbance) -> String {
    let span = format!("from {} to {} UTC", time(&disturbance.from), time(&disturbance.to));
    let until = format!("until {} UTC", time(&disturbance.to));
    match &disturbance.kind {
        DisturbanceKind::OtherProgram { cpu, share, name } => {
            // At the beginning of a sentence the name stays as it is.
            let who = name
                .as_ref()
                .map_or_else(|| "other programs".to_owned(), |name| format!("the program {name}"));
            let used = match cpu {
                Some(cpu) => format!("{} of CPU {cpu}", show_percent(*share)),
                // Which CPUs is not known, so that the share may be that of several.
                None if *share > 1.0 => format!("{share:.1} CPUs"),
                None => format!("{} of one CPU", show_percent(*share)),
            };
            format!("{who} used {used} {span}")
        }
        DisturbanceKind::Stolen { cpu, share } => {
            format!("the hypervisor took {} of CPU {cpu} {span} (steal time)", show_percent(*share))
        }
        DisturbanceKind::Throttled { periods, throttled } => {
            format!("a CPU quota was used up in {throttled} of {periods} periods {span}")
        }
        DisturbanceKind::Suspended { seconds } => {
            format!("the machine slept for {} {until}", lasted(*seconds))
        }
        DisturbanceKind::Halted { seconds } => {
            format!("the run was stopped, frozen or paused for {} {until}", lasted(*seconds))
        }
        DisturbanceKind::OtherRun { pid } => {
            let process = pid.map_or_else(String::new, |pid| format!(" (process {pid})"));
            format!("another run of oscope{process} measured on this machine {span}")
        }
    }
}

fn lasted(seconds: f64) -> String {
    duration_words(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// The time of day in a time stamp of RFC 3339.
fn time(stamp: &str) -> &str {
    stamp.get(11..19).unwrap_or(stamp)
}

/// What changed, and of which state the values are.
fn changes(history: &MachineHistory) -> Vec<String> {
    let mut lines: Vec<String> = history.changes.iter().map(change).collect();
    if !lines.is_empty() {
        let facts = history.facts.iter().take(MOST_FACTS);
        let facts = joined(facts.map(|fact| format!("{} {}", fact.key, value_text(&fact.value))), ", ");
        let (trials, all) = (history.trials, many(history.all, "trial"));
        lines.push(format!("values are those of {trials} of {all}, with {facts}"));
    }
    lines
}

fn change(change: &MachineChange) -> String {
    let facts = change.changes.iter().take(MOST_FACTS).map(|FactChange { key, before, after }| {
        format!("{key} changed from {} to {}", value_text(before), value_text(after))
    });
    let facts = joined(facts, ", ");
    let more = match change.changes.len().saturating_sub(MOST_FACTS) {
        0 => String::new(),
        more => format!(" and {}", many(more, "other fact")),
    };
    format!("at {} UTC {facts}{more}", time(&change.at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::{Broken, StateFact};
    use record::{FactValue, Witness};

    fn text(text: &str) -> FactValue {
        FactValue::Text { text: text.to_owned() }
    }

    #[test]
    fn a_change_names_facts_and_time_and_the_state_of_the_values() {
        let changed =
            FactChange { key: "clock.source".to_owned(), before: text("tsc"), after: text("kvm-clock") };
        let at = "2026-01-01T15:23:43Z".to_owned();
        let history = MachineHistory {
            changes: vec![MachineChange { at, changes: vec![changed; 5], ..MachineChange::default() }],
            facts: vec![StateFact { key: "clock.source".to_owned(), value: text("tsc") }],
            trials: 312,
            all: 500,
        };
        let one = "clock.source changed from tsc to kvm-clock";
        assert_eq!(
            changes(&history),
            [
                format!("at 15:23:43 UTC {one}, {one}, {one} and 2 other facts"),
                "values are those of 312 of 500 trials, with clock.source tsc".to_owned()
            ]
        );
        assert_eq!(changes(&MachineHistory::default()), [""; 0]);
    }

    fn said(kind: DisturbanceKind) -> String {
        let [from, to] = ["43", "50"].map(|second| format!("2026-01-01T15:23:{second}Z"));
        disturbance(&Disturbance { from_ns: 0, to_ns: 7_000_000_000, from, to, kind })
    }

    #[test]
    fn every_disturbance_has_its_sentence() {
        let span = "from 15:23:43 to 15:23:50 UTC";
        for (kind, expected) in [
            (
                DisturbanceKind::OtherProgram {
                    cpu: Some(1),
                    share: 0.52,
                    name: Some("stress-ng".to_owned()),
                },
                format!("the program stress-ng used 52 % of CPU 1 {span}"),
            ),
            (
                DisturbanceKind::OtherProgram { cpu: None, share: 0.9, name: None },
                format!("other programs used 90 % of one CPU {span}"),
            ),
            (
                DisturbanceKind::OtherProgram { cpu: None, share: 1.33, name: None },
                format!("other programs used 1.3 CPUs {span}"),
            ),
            (
                DisturbanceKind::Stolen { cpu: 0, share: 0.25 },
                format!("the hypervisor took 25 % of CPU 0 {span} (steal time)"),
            ),
            (
                DisturbanceKind::Throttled { periods: 63, throttled: 61 },
                format!("a CPU quota was used up in 61 of 63 periods {span}"),
            ),
            (
                DisturbanceKind::Halted { seconds: 3.0 },
                "the run was stopped, frozen or paused for 3 s until 15:23:50 UTC".to_owned(),
            ),
            (
                DisturbanceKind::Suspended { seconds: 60.0 },
                "the machine slept for 1 min until 15:23:50 UTC".to_owned(),
            ),
            (
                DisturbanceKind::OtherRun { pid: Some(77) },
                format!("another run of oscope (process 77) measured on this machine {span}"),
            ),
        ] {
            assert_eq!(said(kind), expected);
        }
    }

    #[test]
    fn disturbed_points_are_listed_by_the_reason_of_their_sign() {
        let row = |id: &str, reasons| Row {
            verdict: Verdict::Noisy,
            reasons,
            ..Row::new(record::PlannedPoint::new(record::PointId::new(id, "")))
        };
        let wide = || Reason::TooWide { half: 0.1, precision: 0.03 };
        let drift = Reason::Unsteady { by: 0.1, trials: 4, all: 6 };
        let noise = Reason::Noise(Broken { witness: Witness::default(), counted: 3.0, broken: 3, read: 6 });
        let rows = [
            row("a.x", vec![wide(), Reason::OtherTasks(0.2)]),
            row("a.y", vec![wide()]),
            row("a.z", vec![drift, Reason::OtherTasks(0.2)]),
            row("a.w", vec![noise, Reason::BesidePrograms(0.4)]),
            row("a.v", vec![Reason::BesidePrograms(0.4)]),
        ];
        assert_eq!(
            points(&rows),
            ["2 points disturbed by other tasks: a.x, a.v", "1 point with a disturbed witness: a.w"]
        );
        let signs = rows.iter().filter(|row| reasons::word(row) == "tasks").count();
        assert_eq!(signs, 2, "the signs of the rows are as many");
        assert_eq!(points(&[row("a.y", vec![wide()])]), [""; 0]);
    }

    #[test]
    fn what_happens_on_other_cpus_is_not_on_the_first_screen() {
        let settings = Settings { cpu: Some(1), peer_cpu: Some(0), ..Settings::default() };
        let stolen = [0, 1, 2].map(|cpu| is_on_cpus(&DisturbanceKind::Stolen { cpu, share: 1.0 }, &settings));
        assert_eq!(stolen, [true, true, false]);
        assert!(is_on_cpus(&DisturbanceKind::OtherRun { pid: None }, &settings));
    }
}
