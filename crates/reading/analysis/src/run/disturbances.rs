//! What disturbed a run: readings that follow each other are one span.

use crate::rows::reason::QuotaUse;
use record::{Disturbance, DisturbanceKind};

/// A gap between the time stamps of two readings is longer than that in the time of the run by more than this where the run was
/// interrupted and resumed: stamps are whole seconds.
const RESUMED_S: u64 = 2;

/// Spans that are this close are one: readings are a second apart, or a little more where trials are long.
const GAP_NS: u64 = 3_000_000_000;

/// Joins what goes on from one reading to the next.
pub(crate) fn spans(readings: &[Disturbance]) -> Vec<Disturbance> {
    let mut spans: Vec<Disturbance> = Vec::new();
    for reading in readings.iter().cloned().map(within_one_cpu) {
        let last = spans.iter_mut().rev().find(|span| is_same(&span.kind, &reading.kind));
        match last.filter(|span| follows(&reading, span)) {
            Some(span) => extend(span, &reading),
            None => spans.push(reading),
        }
    }
    spans
}

/// Whether a reading goes on where a span ends, with no pause of the run between them.
fn follows(reading: &Disturbance, span: &Disturbance) -> bool {
    let gap_ns = reading.from_ns.saturating_sub(span.to_ns);
    let stamps = second_of_day(&span.to).zip(second_of_day(&reading.from));
    let passed = stamps.map(|(to, from)| (from + 86_400 - to) % 86_400);
    gap_ns <= GAP_NS && passed.is_none_or(|passed| passed <= gap_ns / 1_000_000_000 + RESUMED_S)
}

/// The second of the day in a time stamp of RFC 3339.
fn second_of_day(stamp: &str) -> Option<u64> {
    let mut parts = stamp.get(11..19)?.split(':').map(|part| part.parse::<u64>().ok());
    Some(parts.next()?? * 3600 + parts.next()?? * 60 + parts.next()??)
}

/// A program with several threads may have had more time than the CPU on which it ran last.
fn within_one_cpu(mut reading: Disturbance) -> Disturbance {
    if let DisturbanceKind::OtherProgram { cpu: Some(_), share, .. } | DisturbanceKind::Stolen { share, .. } =
        &mut reading.kind
    {
        *share = share.min(1.0);
    }
    reading
}

/// Whether two readings are of one thing that goes on. Pauses are events of their own.
fn is_same(one: &DisturbanceKind, other: &DisturbanceKind) -> bool {
    use DisturbanceKind::{OtherProgram, OtherRun, Stolen, Throttled};
    match (one, other) {
        (OtherProgram { cpu: one, .. }, OtherProgram { cpu: other, .. }) => one == other,
        (Stolen { cpu: one, .. }, Stolen { cpu: other, .. }) => one == other,
        (OtherRun { pid: one }, OtherRun { pid: other }) => one == other || one.is_none(),
        (Throttled { .. }, Throttled { .. }) => true,
        _ => false,
    }
}

fn extend(span: &mut Disturbance, reading: &Disturbance) {
    let [before, more] = [&*span, reading].map(|one| one.to_ns.saturating_sub(one.from_ns) as f64);
    let weighted = |one: f64, other: f64| (one * before + other * more) / (before + more).max(1.0);
    use DisturbanceKind::{OtherProgram, OtherRun, Stolen, Throttled};
    match (&mut span.kind, &reading.kind) {
        (OtherProgram { share, name, .. }, OtherProgram { share: new, name: seen, .. }) => {
            *share = weighted(*share, *new);
            *name = name.take().or_else(|| seen.clone());
        }
        (Stolen { share, .. }, Stolen { share: new, .. }) => *share = weighted(*share, *new),
        (Throttled { periods, throttled }, Throttled { periods: all, throttled: more }) => {
            (*periods, *throttled) = (*periods + all, *throttled + more);
        }
        (OtherRun { pid }, OtherRun { pid: known }) => *pid = pid.or(*known),
        _ => {}
    }
    (span.to_ns, span.to) = (reading.to_ns, reading.to.clone());
}

/// Periods of quotas in which the run was stopped, and all.
pub(crate) fn quota_use(readings: &[Disturbance]) -> QuotaUse {
    let mut sum = QuotaUse::default();
    for reading in readings {
        if let DisturbanceKind::Throttled { periods, throttled } = reading.kind {
            sum.throttled += throttled;
            sum.periods += periods;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(second: u64, kind: DisturbanceKind) -> Disturbance {
        let [from, to] = [second, second + 1].map(|second| format!("2026-01-01T00:00:{second:02}Z"));
        Disturbance { from_ns: second * 1_000_000_000, to_ns: (second + 1) * 1_000_000_000, from, to, kind }
    }

    fn other(cpu: u32, share: f64, name: Option<&str>) -> DisturbanceKind {
        DisturbanceKind::OtherProgram { cpu: Some(cpu), share, name: name.map(str::to_owned) }
    }

    #[test]
    fn readings_that_follow_each_other_are_one_span() {
        let readings = [
            reading(1, other(1, 0.5, None)),
            reading(1, other(0, 0.2, None)),
            reading(2, other(1, 0.75, Some("hog"))),
            reading(9, other(1, 0.5, None)),
        ];
        let found = spans(&readings);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].kind, other(1, 0.625, Some("hog")));
        assert_eq!(
            (found[0].from.as_str(), found[0].to.as_str()),
            ("2026-01-01T00:00:01Z", "2026-01-01T00:00:03Z")
        );
        assert_eq!([found[1].from_ns, found[2].from_ns], [1_000_000_000, 9_000_000_000]);
    }

    #[test]
    fn no_span_crosses_the_pause_of_a_resumed_run() {
        let mut later = reading(2, other(1, 0.5, None));
        (later.from, later.to) = ("2026-01-01T09:30:02Z".to_owned(), "2026-01-01T09:30:03Z".to_owned());
        assert_eq!(spans(&[reading(1, other(1, 0.5, None)), later]).len(), 2);
        let [mut before, mut after] = [1, 2].map(|second| reading(second, other(1, 0.5, None)));
        (before.to, after.from) = ("2026-01-01T23:59:59Z".to_owned(), "2026-01-02T00:00:00Z".to_owned());
        assert_eq!(spans(&[before, after]).len(), 1);
    }

    #[test]
    fn nothing_uses_more_than_a_cpu_of_one() {
        let found = spans(&[reading(1, other(1, 1.17, None)), reading(2, other(1, 1.0, None))]);
        assert_eq!(found[0].kind, other(1, 1.0, None));
    }

    #[test]
    fn periods_of_a_quota_add_up_and_pauses_do_not() {
        let pause = DisturbanceKind::Halted { seconds: 2.0 };
        let readings = [
            reading(1, DisturbanceKind::Throttled { periods: 10, throttled: 4 }),
            reading(2, DisturbanceKind::Throttled { periods: 10, throttled: 10 }),
            reading(2, pause.clone()),
            reading(3, pause),
        ];
        let found = spans(&readings);
        let expected = QuotaUse { throttled: 14, periods: 20 };
        assert_eq!((found.len(), quota_use(&readings), quota_use(&found)), (3, expected, expected));
    }
}
