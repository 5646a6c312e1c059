//! One JSON document with everything that a record says. Its fields are listed here, so that the analysis may
//! change without breaking who reads it.

use crate::{View, answers, cells, cores, cycles, failures, notes, reasons, run_summary};
use analysis::{
    Agreement, Analysis, Answer, BetweenRuns, Closer, Contrast, CpuUse, Direction, Estimate, Factors,
    Finding, Interval, Judged, Predicted, Row, ScalingCurve, SweepLine, UserAccuracy, UserComparison,
};
use quantity::Quantity;
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(crate) mod part;
mod tail;

#[cfg(feature = "schema")]
pub(crate) use part::schema_of;
pub(crate) use part::{Part, all, object, write_document};
use tail::tail;

/// Version of the document. Fields may be added without changing it, never renamed or given another sense.
pub const SCHEMA: u32 = 1;

/// Writes the document, indented. Values are in the base unit that each row names; what is unknown is null.
///
/// # Errors
/// When `out` cannot be written.
pub fn json(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_document(&document(view), out)
}

/// The schema of the document.
#[cfg(feature = "schema")]
pub fn json_schema() -> schemars::Schema {
    let record = record::Record::default();
    let view = View {
        header: &record.header,
        machine: &record.machine,
        peer: None,
        plan: &record::Plan::default(),
        analysis: &Analysis::default(),
        end: None,
        has_cycles: false,
    };
    schema_of(&document(&view))
}

fn document(view: &View<'_>) -> impl Part {
    let View { analysis, plan, .. } = view;
    let accuracy = &analysis.accuracy;
    object! {
        schema: SCHEMA,
        header: view.header,
        machine: view.machine,
        #[serde(flatten)]
        peer: view.peer.map(|peer| object! { peer: peer }),
        settings: &plan.settings,
        #[serde(flatten)]
        user_predictions: plan.user_predictions.as_ref().map(|file| object! { user_predictions: file }),
        rounds: analysis.rounds,
        cores: cores_of(analysis),
        end: view.end,
        changes: &analysis.machine_history.changes,
        disturbances: &analysis.disturbances,
        rows: all(&analysis.rows, |each| row(each, analysis.core_hz)),
        /// Points of which every iteration was timed.
        tails: all(&analysis.tails, tail),
        lines: all(&analysis.lines, line),
        scaling: all(&analysis.scaling, scaling),
        flawed_methods: all(&analysis.contrasts, contrast),
        accuracy: object! {
            from_parts: accuracy.from_parts.as_ref().map(agreement),
            from_facts: accuracy.from_facts.as_ref().map(agreement),
            #[serde(flatten)]
            user: accuracy.user.as_ref().map(|user| object! { user: user_accuracy(user) }),
        },
        answers: all(&analysis.answers, answer),
        notes: all(&analysis.notes, notes::run_note),
    }
}

/// How the cores were used over the run.
fn cores_of(analysis: &Analysis) -> impl Part {
    object! {
        /// The clock to which rows with a `clock_share` are carried, in hertz.
        reference_hz: analysis.reference_hz,
        highest_hz: analysis.highest_hz,
        /// The 5th, 50th and 95th percentile of the clocks of the trials.
        clock_range_hz: analysis.clock_range,
        /// Median over the rows of the cost while shared / while quiet.
        slowdown: analysis.slowdown,
        /// Share of the time spent waiting for quiet cores.
        waited: analysis.waited,
        cpus: all(&analysis.cpus, |usage: &CpuUse| object! {
            cpu: usage.cpu,
            quiet_share: usage.quiet_share,
            /// Mean lengths of the stretches in nanoseconds.
            quiet_stretch: usage.quiet_ns,
            shared_stretch: usage.shared_ns,
            slowdown: usage.slowdown,
        }),
    }
}

fn row(row: &Row, run_hz: Option<f64>) -> impl Part {
    let point = &row.point;
    object! {
        operation: &point.id.operation,
        point: &point.id.point,
        area: &point.area,
        title: &point.title,
        one_iteration: &point.one_iteration,
        revision: point.revision,
        method: cells::method(row),
        /// What is wrong with a flawed method.
        method_problem: point.flaw.as_ref(),
        quantity: point.quantity.contract_name(),
        /// The base unit of every value of this row.
        unit: point.quantity.contract_unit(),
        verdict: row.verdict.word(),
        reason: reasons::reason(row),
        remedy: reasons::remedy(row),
        core: cores::core_use(row).map(|core| object! {
            state: core.state.word(),
            quiet_share: core.quiet_share,
            slowdown: core.slowdown,
            untriggered: core.untriggered,
        }),
        estimate: row.estimate.as_ref().map(|known| estimate(known, row.next_run(), row.between_runs())),
        /// The typical time in cycles of the core, at the clock of the row or of the run.
        cycles: cycles::number(row, run_hz),
        predicted_from_facts: row.from_facts.as_ref().map(predicted),
        predicted_from_parts: row.from_parts.as_ref().map(predicted),
        #[serde(flatten)]
        user_predicted: user_predicted(row).map(|user| object! { user_predicted: user }),
        unpredicted: all(&row.unpredicted, failures::unpredicted),
        ratio: row.ratio(),
        residual: row.residual(),
        witnesses: all(&row.witnesses, witness),
        set_aside: all(&row.set_aside, |entry| object! {
            cause: failures::cause(&entry.cause),
            batches: entry.batches,
        }),
        modes: all(&row.modes, |mode| object! { at: mode.at, share: mode.share }),
        trials: all(&row.trials, |trial| object! {
            round: trial.round,
            typical: trial.typical,
            best: trial.best,
        }),
        notes: all(&row.notes, |note| notes::text(note, row.quantity())),
    }
}

fn estimate(estimate: &Estimate, next_run: Option<Interval>, between_runs: Option<BetweenRuns>) -> impl Part {
    object! {
        typical: estimate.typical,
        low: estimate.interval.map(|interval| interval.low),
        high: estimate.interval.map(|interval| interval.high),
        best: estimate.best,
        deviation: estimate.deviation,
        trials: estimate.trials,
        batches: estimate.batches,
        core_hz: estimate.core_hz,
        /// Share of the value that scales with the clock of the core, where it was carried to a common one.
        clock_share: estimate.clock_share,
        /// How far that may be off, as a share of the value.
        clock_error: estimate.clock_error,
        /// Round trip of a cache line between the CPUs of the actors, in nanoseconds.
        line_ns: estimate.line_ns,
        /// Lower end of the interval in which the next run on this machine finds the value.
        next_run_low: next_run.map(|interval| interval.low),
        /// Its upper end.
        next_run_high: next_run.map(|interval| interval.high),
        /// Standard deviation between runs that it counts with, as a share of the value.
        between_runs: next_run.and(between_runs).map(|between| between.deviation),
        /// Earlier records that this is estimated from; 0 where it is from the table of classes.
        earlier_records: next_run.and(between_runs).map(|between| between.records),
    }
}

fn predicted(predicted: &Predicted) -> impl Part {
    object! {
        hardware: predicted.hardware,
        software: predicted.software,
        total: predicted.total,
        terms: all(&predicted.terms, |(term, range)| object! {
            name: &term.name,
            side: term.side,
            formula: term.formula.to_string(),
            #[serde(flatten)]
            range: range,
        }),
        #[serde(flatten)]
        assumed: Some(&predicted.assumed).filter(|facts| !facts.is_empty()).map(|facts| object! {
            /// The facts in it that are assumptions.
            assumed: facts,
        }),
    }
}

/// What the user predicted of a row.
fn user_predicted(row: &Row) -> Option<impl Part> {
    Some(object! {
        #[serde(flatten)]
        predicted: row.point.user.as_ref()?,
        /// Measured divided by it.
        ratio: row.user_ratio(),
        /// `user`, `oscope` or `tied`; null where one of the two is missing, or the number is noisy.
        closer: row.closer().map(Closer::word),
    })
}

fn witness(judged: &Judged) -> impl Part {
    let witness = &judged.witness;
    object! {
        counter: &witness.counter,
        origin: witness.origin,
        low: witness.low,
        high: witness.high,
        positive: witness.positive,
        proves: &witness.proves,
        /// What it means that it is broken.
        breach: witness.breach,
        /// Count per iteration.
        counted: judged.counted,
        unavailable: judged.unavailable.as_ref().map(failures::unread),
        read: judged.read,
        broken: judged.broken,
    }
}

fn scaling(curve: &ScalingCurve) -> impl Part {
    object! {
        operation: &curve.of.operation,
        fixed: &curve.of.point,
        points: all(&curve.points, |point| object! {
            cpus: point.cpus,
            /// The low end, the value and the high end.
            speed_up: [point.speed_up.low, point.speed_up.value, point.speed_up.high],
            predicted: point.predicted,
        }),
        serial_share: curve.shares.map(|shares| shares.serial.value),
        serial_share_half: curve.shares.map(|shares| shares.serial.half),
    }
}

fn line(line: &SweepLine) -> impl Part {
    object! {
        operation: &line.sweep.operation,
        /// The parameters that the sweep holds fixed.
        fixed: &line.sweep.point,
        slope_name: &line.slope_name,
        slope: line.slope,
        slope_low: line.slope_interval.map(|interval| interval.low),
        slope_high: line.slope_interval.map(|interval| interval.high),
        intercept_name: &line.intercept_name,
        intercept: line.intercept,
        intercept_low: line.intercept_interval.map(|interval| interval.low),
        intercept_high: line.intercept_interval.map(|interval| interval.high),
        worst: line.worst,
    }
}

/// A flawed method beside the right one.
fn contrast(contrast: &Contrast) -> impl Part {
    object! {
        method: &contrast.method,
        problem: &contrast.wrong,
        /// In the base unit of both.
        gave: contrast.gave,
        right: contrast.right.as_ref(),
        right_gave: contrast.right_gave,
        /// Wrong divided by right.
        factor: contrast.factor,
        direction: match contrast.direction {
            Direction::Above => "above",
            Direction::Below => "below",
            Direction::Undecided => "undecided",
        },
        unit: contrast.quantity.contract_unit(),
    }
}

fn agreement(agreement: &Agreement) -> impl Part {
    let areas = agreement.areas.iter().map(|(area, of_area)| (area.as_str(), factors(of_area)));
    let left_out = agreement.left_out.iter().map(|(why, count)| (run_summary::left_out(*why), *count));
    object! {
        #[serde(flatten)]
        all: factors(&agreement.all),
        areas: areas.collect::<BTreeMap<_, _>>(),
        #[serde(flatten)]
        by_source: agreement.assumed.as_ref().map(|assumed| object! {
            /// Over points whose facts are all published or read, and over those with an assumed one.
            cited: agreement.cited.as_ref().map(factors),
            assumed: factors(assumed),
        }),
        worst: all(&agreement.worst, |(id, ratio)| object! {
            #[serde(flatten)]
            id: id,
            /// Measured divided by predicted.
            ratio: ratio,
        }),
        /// Points that are left out, by why.
        left_out: left_out.collect::<BTreeMap<_, _>>(),
    }
}

/// Factors either way: 1 is exact. Null where one is infinite.
fn factors(factors: &Factors) -> impl Part {
    let [within_1_25, within_1_5] = factors.within;
    object! {
        points: factors.points,
        median_factor: finite(factors.median),
        ninth_decile_factor: finite(factors.ninth_decile),
        /// Shares of the points.
        within_1_25: within_1_25,
        within_1_5: within_1_5,
    }
}

/// A factor; where one is not defined, it is unknown.
fn finite(factor: f64) -> Option<f64> {
    Some(factor).filter(|factor| factor.is_finite())
}

/// The user's own predictions: geometric means of the factors between measured and predicted, either way.
fn user_accuracy(user: &UserAccuracy) -> impl Part {
    object! {
        points: user.points,
        mean_factor: finite(user.mean),
        against_shown: user.shown.as_ref().map(against),
        against_facts: user.from_facts.as_ref().map(against),
    }
}

fn against(both: &UserComparison) -> impl Part {
    object! {
        points: both.points,
        user_mean_factor: finite(both.user),
        oscope_mean_factor: finite(both.program),
        user_closer: both.user_closer,
        oscope_closer: both.program_closer,
    }
}

/// A question with its answer.
fn answer(answer: &Answer) -> impl Part {
    object! {
        id: answer.question.id,
        question: answer.question.asks,
        /// Undecided: no measurable difference.
        finding: match answer.finding {
            Finding::Decided(_) => "decided",
            Finding::Undecided(_) => "undecided",
            Finding::Untested(_) => "untested",
        },
        sentence: answers::sentence(answer),
        remedy: answers::remedy(answer),
        leaves_open: answer.leaves_open,
        /// A ratio, or a slope in this unit per unit of the parameter.
        value: answer.finding.range(),
        unit: answer.quantity.map(Quantity::contract_unit),
        points: &answer.points,
    }
}
