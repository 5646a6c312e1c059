//! What a view of a comparison is given, and what all forms say of it.

use crate::cores::hertz;
use crate::facts;
use crate::first_screen::Label;
use crate::reasons;
use crate::style::Paint;
use crate::table::Cell;
use crate::thresholds::QUIET_COMMON;
use crate::wording::many;
use analysis::{Change, Compared, Comparison, Decision, FactChange, FactsCompared, NoDecision, Position};
use quantity::{Quantity, show, show_change, show_half_width, show_interval, show_ratio};
use record::{Environment, Fact, Header, Machine, Plan};

/// One of the records that are compared.
#[derive(Debug, Clone, Copy)]
pub struct ComparedRecord<'a> {
    /// How the user called it.
    pub name: &'a str,
    /// Which program, when, with which arguments.
    pub header: &'a Header,
    /// Where.
    pub machine: &'a Machine,
    /// What was decided before the first trial.
    pub plan: &'a Plan,
    /// The environment, where it is one of those of the record.
    pub environment: Option<&'a Environment>,
}

impl ComparedRecord<'_> {
    /// Whether workers saw nothing in it that native ones do not see.
    pub(super) fn is_native_by_all_signs(&self) -> bool {
        self.environment.is_some_and(|there| there.differs.is_empty())
    }
}

/// What is said of such an environment.
pub(super) const NO_ENVIRONMENT: &str =
    "workers saw no difference from native ones: this compares native workers with each other";

/// What a view of a comparison shows: the first record, and every other beside it.
#[derive(Debug, Clone, Copy)]
pub struct ComparedView<'a> {
    /// The record that the others are compared with.
    pub first: ComparedRecord<'a>,
    /// The others.
    pub others: &'a [(ComparedRecord<'a>, Comparison)],
    /// Whether points that did not change are listed too.
    pub all: bool,
    /// What the points of the headline are called, where a matrix of several records shows them alone.
    pub labels: &'a [Label<'a>],
    /// Points that are listed at most and not folded: the largest changes come first.
    pub most: usize,
}

/// What a machine's fact was: the words for it, that it is unknown, or that the machine has no such thing.
pub(super) fn known(fact: Option<&Fact>) -> String {
    match fact {
        None => "absent".to_owned(),
        Some(fact) => facts::value(fact).unwrap_or_else(|| "unknown".to_owned()),
    }
}

/// A line on a fact that differs.
pub(super) fn differs(differs: &FactChange) -> String {
    format!("{}: {} → {}", differs.key, known(differs.first.as_ref()), known(differs.second.as_ref()))
}

/// How many facts were compared, and how many differ.
pub(super) fn facts_compared(facts: &FactsCompared) -> String {
    let differ = match facts.differing.len() {
        0 => "none differs".to_owned(),
        1 => "1 differs".to_owned(),
        some => format!("{some} differ"),
    };
    let missing = [("first", facts.not_in_first), ("second", facts.not_in_second)];
    let missing = missing.into_iter().filter(|(_, count)| *count > 0);
    let missing = missing.map(|(record, count)| format!("; {count} not recorded in the {record}"));
    format!(
        "of the {} recorded in both, {differ}{}",
        many(facts.compared, "fact"),
        missing.collect::<String>()
    )
}

/// How the runs were made differently, apart from the machines.
pub(super) fn settings(first: &ComparedRecord<'_>, second: &ComparedRecord<'_>) -> Vec<String> {
    let [first, second] = [first, second].map(settings_of);
    let changed = first.into_iter().zip(second).filter(|(one, other)| one != other);
    changed.map(|(one, other)| format!("{one} → {other}")).collect()
}

/// The program, the profile and the CPUs of a run.
fn settings_of(record: &ComparedRecord<'_>) -> [String; 3] {
    let settings = &record.plan.settings;
    let commit = record.header.commit.as_deref().unwrap_or("no commit");
    let [cpu, peer_cpu] = [settings.cpu, settings.peer_cpu]
        .map(|cpu| cpu.map_or_else(|| "any".to_owned(), |cpu| cpu.to_string()));
    [
        format!("oscope {} ({commit})", record.header.program),
        format!("{} profile", crate::run_summary::profile(settings.profile)),
        format!("CPU {cpu} and {peer_cpu}"),
    ]
}

/// The typical values, as exact as the change is.
pub(super) fn value(value: Option<f64>, compared: &Compared) -> String {
    let Some(value) = value else {
        return "–".to_owned();
    };
    let half = compared.change.map(|change| match change {
        Change::Factor(factor) => (factor.high - factor.low) / 2.0 / factor.value * value.abs(),
        Change::Difference(by) => (by.high - by.low) / 2.0,
    });
    show(value, half, compared.quantity)
}

/// Factors in one unit: all as changes in percent, or all as factors where one of them reads better so.
pub(super) fn changes<const N: usize>(factors: [f64; N]) -> [String; N] {
    let texts = factors.map(show_change);
    if texts.iter().any(|text| text.ends_with('×')) { factors.map(show_ratio) } else { texts }
}

/// A point that changed, or may have: `os.x +5.1 % (+3.4 % … +6.8 %)`; or why nothing can be said of it.
pub fn compared_words(point: &Compared) -> String {
    let [change, interval] = change(point);
    match (change.is_empty(), reason(point)) {
        (false, _) => format!("{} {change} ({interval})", point.id),
        (true, Some(reason)) => format!("{} ({reason})", point.id),
        (true, None) => point.id.to_string(),
    }
}

/// The change of the cost in words, and its interval.
pub(crate) fn change(compared: &Compared) -> [String; 2] {
    match compared.of_cost() {
        None => Default::default(),
        Some(Change::Factor(factor)) => {
            let [low, value, high] = changes([factor.low, factor.value, factor.high]);
            [value, format!("{low} … {high}")]
        }
        Some(Change::Difference(by)) => {
            let value = show(by.value, Some((by.high - by.low) / 2.0), compared.quantity);
            [value, show_interval(by.low, by.high, compared.quantity)]
        }
    }
}

/// What may be said of a point.
fn decision(compared: &Compared) -> String {
    match compared.decision {
        Decision::Same { within } => format!("same within {}", show_half_width(within)),
        decision => decision.word().to_owned(),
    }
}

/// What the costs have in common, where that is worth a sentence.
pub(super) fn common(
    view: &ComparedView<'_>,
    second: &ComparedRecord<'_>,
    comparison: &Comparison,
) -> Option<String> {
    let factor = comparison.common.filter(|factor| (factor - 1.0).abs() > QUIET_COMMON)?;
    let is_same = comparison.facts.differing.is_empty() && settings(&view.first, second).is_empty();
    let why = match is_same {
        true => {
            "no fact recorded of machine and settings differs: check its clock, its other guests, its hypervisor"
        }
        false => "what differs between the runs may explain it",
    };
    Some(format!("half of the costs with a decision changed by {} or more: {why}", show_change(factor)))
}

/// At which clock the records are compared, where they ran at different ones.
pub(super) fn clocks(comparison: &Comparison) -> Option<String> {
    let clocks = comparison.clocks?;
    let [first, second] = [clocks.first_hz, clocks.second_hz].map(hertz);
    let ran = format!("the first ran at up to {first}, the second at up to {second}");
    let Some(at) = clocks.at_hz else {
        return Some(format!("{ran}: the processors differ, so each has the values of its own clock"));
    };
    let rest = match clocks.points - clocks.carried {
        0 => String::new(),
        rest => format!(
            "; {} not: their cost does not scale with the clock, or not measurably",
            many(rest, "point")
        ),
    };
    Some(format!("{ran}: both are compared at {}{rest}", hertz(at)))
}

/// Points of one record alone.
pub(super) fn alone(comparison: &Comparison) -> Vec<String> {
    let sides = [(&comparison.only_first, "first"), (&comparison.only_second, "second")];
    let some = sides.into_iter().filter(|(points, _)| !points.is_empty());
    some.map(|(points, which)| format!("{} only in the {which} record", many(points.len(), "point")))
        .collect()
}

/// Whether more can be said of a point than that it is the same, that nothing can be said, or that neither record has a
/// number.
pub(super) fn is_listed(point: &Compared) -> bool {
    match point.decision {
        Decision::Same { .. } | Decision::Unclear => false,
        Decision::Incomparable => point.first.is_some() || point.second.is_some(),
        _ => true,
    }
}

/// Why nothing can be said of a point.
pub fn reason(point: &Compared) -> Option<String> {
    Some(match point.reason.as_ref()? {
        NoDecision::Revision(first, second) => format!(
            "revision {first} of the operation against revision {second}: what it measures was changed"
        ),
        NoDecision::Quantity => "the quantities differ".to_owned(),
        NoDecision::Estimator => "the estimator differs".to_owned(),
        NoDecision::Tails => "one of the runs timed every iteration and excluded nothing (--tail)".to_owned(),
        NoDecision::NoNumber(position, verdict, why) => {
            let why = reasons::line(why).unwrap_or_else(|| "no trial".to_owned());
            format!("{} in the {}: {why}", verdict.word(), which(position))
        }
        NoDecision::MachineState(position, why) => {
            format!("in the {}: {}", which(position), reasons::text(why))
        }
        NoDecision::Placements(first, second) => {
            let [first, second] = [first, second].map(|ns| show(*ns, None, Quantity::Latency));
            format!(
                "the host had the two CPUs in different placements: the round trip of a cache line took {first} in the \
                 first, {second} in the second"
            )
        }
        NoDecision::Levels(first, second) => {
            format!("{first} caches found in the first, {second} in the second: a level may be another one")
        }
        NoDecision::TooFewTrials => "too few trials for an interval".to_owned(),
        NoDecision::TooWide => "the interval of the change is too wide".to_owned(),
    })
}

fn which(position: &Position) -> &'static str {
    match position {
        Position::First => "first",
        Position::Second => "second",
    }
}

/// The change with the number by which it is sorted, and its interval.
pub(super) fn change_cells(point: &Compared) -> (Cell, Cell) {
    let by = point.of_cost().map(|change| match change {
        Change::Factor(factor) => factor.value,
        Change::Difference(by) => by.value,
    });
    let [change, interval] = change(point);
    (Cell::new(change, paint(point.decision)).sorted_by(by, point.quantity), interval.into())
}

/// What its sign means.
pub(super) const NOISY: &str = "~ noisy in one of the records";

/// The decision with the word by which it is found.
pub(super) fn decision_cell(point: &Compared) -> Cell {
    let noisy = if point.noisy { "~ " } else { "" };
    Cell {
        word: point.decision.word(),
        ..Cell::new(format!("{noisy}{}", decision(point)), paint(point.decision))
    }
}

/// The paint of a decision.
fn paint(decision: Decision) -> Paint {
    match decision {
        Decision::Slower => Paint::Bad,
        Decision::Faster => Paint::Good,
        Decision::Larger | Decision::Smaller => Paint::Warning,
        Decision::Incomparable | Decision::Unclear => Paint::Faint,
        Decision::Same { .. } => Paint::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_an_interval_and_its_value_have_one_unit() {
        assert_eq!(changes([0.42, 0.73, 0.5]), ["0.42×", "0.73×", "0.50×"]);
        assert_eq!(changes([0.97, 1.03, 1.01]), ["−3 %", "+3 %", "+1 %"]);
    }
}
