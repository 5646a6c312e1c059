//! The tail of a point, in the document.

use super::part::{Part, all, object};
use crate::tails;
use analysis::{PointTail, SlowIteration, TailDistribution};

/// The tail of a point. Durations are in nanoseconds.
pub(super) fn tail(tail: &PointTail) -> impl Part {
    object! {
        operation: &tail.id.operation,
        point: &tail.id.point,
        environment: tail.id.environment.as_deref(),
        service: distribution(tail, &tail.service),
        /// Iterations per second of the schedule; null in a closed loop.
        rate: tail.rate,
        response: tail.response.as_ref().map(|one| distribution(tail, one)),
        /// Iterations that were due and never began.
        unserved: tail.unserved,
        causes: tail.causes.as_ref().map(|causes| object! {
            /// The percentile beyond which iterations are explained, and its value.
            beyond: causes.share,
            beyond_ns: causes.beyond_ns,
            iterations: causes.outliers.len(),
            /// Those of which the record has no counters as well: it keeps the slowest of each trial.
            iterations_beyond: causes.beyond,
            counts: all(&causes.counts, |(cause, count)| object! { cause: tails::cause(cause), count: *count }),
            worst: all(tails::slowest(causes), |one: &SlowIteration| object! {
                at_s: one.at_s,
                ns: one.took_ns,
                cause: tails::cause(&one.cause),
            }),
            /// Median time of one reading of the counters.
            reading_ns: causes.look_ns,
        }),
    }
}

/// Percentiles that have enough iterations, each with its interval.
fn distribution(tail: &PointTail, one: &TailDistribution) -> impl Part {
    object! {
        iterations: one.samples,
        processes: one.processes,
        longest: one.longest_ns,
        percentiles: one.percentiles.iter().flatten().map(|found| object! {
            share: found.share,
            value: found.value,
            low: found.interval.map(|interval| interval.low),
            /// Null also where iterations are too few for an upper end.
            high: found.interval.and_then(|interval| interval.high),
            /// The same for the next run on this machine.
            next_run_low: tail.next_run(found).map(|interval| interval.low),
            next_run_high: tail.next_run(found).and_then(|interval| interval.high),
        }).collect::<Vec<_>>(),
    }
}
