//! What must be true of messages that are handed over in turns.

use measure::{Placement, Point};
use measure::{counted, if_consistent, linear, placed, processes, undisturbed, work_done};
use record::{Origin, Witness};

/// What is expected of both sides together, per round trip.
pub struct Expected {
    /// System calls: name, fewest, most. The last call of one phase of the rehearsal may be counted in the next.
    pub calls: &'static [(&'static str, f64, f64)],
    /// Fewest and most switches where both sides share a CPU.
    pub switches: (f64, f64),
    /// How many processes take part.
    pub processes: usize,
    /// Whether cost must grow in proportion to the round trips where both sides share a CPU.
    pub linear: bool,
}

/// Fewest switches per round trip on two CPUs. A wake-up that finds its peer awake makes none (E54); below this
/// most of the time is not that of the few that happened.
const LEAST_ON_TWO: f64 = 0.5;

/// Most switches per round trip on two CPUs: each side may be preempted or woken twice.
const MOST_ON_TWO: f64 = 4.5;

/// Fewest switches per round trip where both sides surely sleep before they are woken. There is no narrow upper
/// limit: who waits without a call for so long is preempted by others now and then.
const LEAST_ASLEEP: f64 = 1.95;

/// The witnesses of a point.
pub fn expected(point: &Point, expected: &Expected) -> Vec<Witness> {
    let same = point.placement() == Some(Placement::Same);
    let mut all = work_done("every word came back, each after the one before");
    // A sleeping CPU that wakes late now and then makes single round trips ten times as long.
    if same && expected.linear {
        all.extend(linear());
    }
    all.extend(switches(point, expected));
    all.extend(calls(expected.calls));
    all.extend(processes(expected.processes));
    all.extend(placed(point));
    all.extend(undisturbed());
    all
}

fn switches(point: &Point, expected: &Expected) -> Vec<Witness> {
    let (low, high) = expected.switches;
    if point.placement() == Some(Placement::Same) {
        let proves = "each side gave the CPU to the other once per round trip";
        return if_consistent(counted("switches", low, high, proves));
    }
    if point.get("asleep_us").is_some() {
        let proves = "both sides slept before they were woken, every time";
        return if_consistent(counted("switches", LEAST_ASLEEP, MOST_ON_TWO, proves));
    }
    let proves = "sides slept and were woken: at least every fourth wake-up found its peer asleep";
    if_consistent(counted("switches", LEAST_ON_TWO, MOST_ON_TWO.max(high), proves))
}

fn calls(expected: &[(&'static str, f64, f64)]) -> Vec<Witness> {
    let witness = |counter: String, low: f64, high: f64, positive, proves: String| Witness {
        counter,
        origin: Origin::Rehearsal,
        low: low - 0.1,
        high: high + 0.1,
        positive,
        proves,
        breach: record::Breach::OtherWork,
    };
    let each = expected.iter().map(|(name, low, high)| {
        let often = if low == high {
            format!("{low}")
        } else {
            format!("{low} to {high}")
        };
        let proves = format!("both sides together call {name} {often} × per round trip");
        witness(format!("calls.{name}"), *low, *high, true, proves)
    });
    let (low, high) = expected
        .iter()
        .fold((0.0, 0.0), |sum, (_, low, high)| (sum.0 + low, sum.1 + high));
    let proves = "the kernel was asked for nothing else".to_owned();
    each.chain([witness("calls".to_owned(), low, high, false, proves)])
        .collect()
}
