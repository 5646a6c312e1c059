//! One JSON document with everything that a record says. Its shapes are its own, so that the analysis may
//! change without breaking who reads it.

use crate::judged::{JsonAccuracy, JsonAnswer, JsonContrast, JsonUser};
use crate::{View, cells, cores, failures, notes, reasons};
use analysis::{Analysis, CoreUse, CpuUse, Estimate, Judged, Predicted, Row, SweepLine};
use record::{Breach, End, Header, Machine, Origin, PeerEnd, PredictionsFile, Range, Settings, TermSide};
use serde::Serialize;
use std::io::{self, Write};

/// Version of the document. Fields may be added without changing it, never renamed or given another sense.
pub const SCHEMA: u32 = 1;

/// Writes the document, indented. Values are in the base unit that each row names; what is unknown is null.
///
/// # Errors
/// When `out` cannot be written.
pub fn json(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        header: view.header,
        machine: view.machine,
        peer: view.peer,
        settings: &view.plan.settings,
        user_predictions: view.plan.user_predictions.as_ref(),
        rounds: view.analysis.rounds,
        cores: JsonCores::from(view.analysis),
        end: view.end,
        rows: view.analysis.rows.iter().map(JsonRow::from).collect(),
        lines: view.analysis.lines.iter().map(JsonLine::from).collect(),
        reference_methods: view.analysis.contrasts.iter().map(JsonContrast::from).collect(),
        accuracy: JsonAccuracy::from(&view.analysis.accuracy),
        answers: view.analysis.answers.iter().map(JsonAnswer::from).collect(),
        notes: view.analysis.notes.iter().map(notes::run_note).collect(),
    };
    write_document(&document, out)
}

/// Writes an indented document and ends its last line.
pub(crate) fn write_document(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document).map_err(io::Error::from)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    header: &'a Header,
    machine: &'a Machine,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<&'a PeerEnd>,
    settings: &'a Settings,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_predictions: Option<&'a PredictionsFile>,
    rounds: u32,
    cores: JsonCores,
    end: Option<&'a End>,
    rows: Vec<JsonRow<'a>>,
    lines: Vec<JsonLine<'a>>,
    reference_methods: Vec<JsonContrast<'a>>,
    accuracy: JsonAccuracy<'a>,
    answers: Vec<JsonAnswer<'a>>,
    notes: Vec<String>,
}

/// How the cores were used over the run.
#[derive(Serialize)]
struct JsonCores {
    /// The clock to which rows with a `clock_share` are carried, in hertz.
    reference_hz: Option<f64>,
    highest_hz: Option<f64>,
    /// The 5th, 50th and 95th percentile of the clocks of the trials.
    clock_range_hz: Option<[f64; 3]>,
    /// Median over the rows of the cost while shared / while quiet.
    slowdown: Option<f64>,
    /// Share of the time spent waiting for quiet cores.
    waited: Option<f64>,
    cpus: Vec<JsonCpu>,
}

impl From<&Analysis> for JsonCores {
    fn from(analysis: &Analysis) -> Self {
        Self {
            reference_hz: analysis.reference_hz,
            highest_hz: analysis.highest_hz,
            clock_range_hz: analysis.clock_range,
            slowdown: analysis.slowdown,
            waited: analysis.waited,
            cpus: analysis.cpus.iter().map(JsonCpu::from).collect(),
        }
    }
}

#[derive(Serialize)]
struct JsonCpu {
    cpu: u32,
    quiet_share: f64,
    /// Mean lengths of the stretches in nanoseconds.
    quiet_stretch: Option<f64>,
    shared_stretch: Option<f64>,
    slowdown: Option<f64>,
}

impl From<&CpuUse> for JsonCpu {
    fn from(usage: &CpuUse) -> Self {
        Self {
            cpu: usage.cpu,
            quiet_share: usage.quiet_share,
            quiet_stretch: usage.quiet_ns,
            shared_stretch: usage.shared_ns,
            slowdown: usage.slowdown,
        }
    }
}

/// How the cores of a row's actors were used.
#[derive(Serialize)]
struct JsonCore {
    state: &'static str,
    quiet_share: Option<f64>,
    slowdown: Option<f64>,
    untriggered: Option<f64>,
}

impl From<CoreUse> for JsonCore {
    fn from(core: CoreUse) -> Self {
        Self {
            state: core.state.word(),
            quiet_share: core.quiet_share,
            slowdown: core.slowdown,
            untriggered: core.untriggered,
        }
    }
}

#[derive(Serialize)]
struct JsonRow<'a> {
    operation: &'a str,
    point: &'a str,
    area: &'a str,
    title: &'a str,
    one_iteration: &'a str,
    revision: u32,
    method: &'a str,
    /// What is wrong with a reference method.
    method_problem: Option<&'a str>,
    quantity: &'a str,
    /// The base unit of every value of this row.
    unit: &'a str,
    verdict: &'a str,
    reason: Option<String>,
    remedy: Option<String>,
    core: Option<JsonCore>,
    estimate: Option<JsonEstimate>,
    predicted_from_facts: Option<JsonPredicted<'a>>,
    predicted_from_parts: Option<JsonPredicted<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_predicted: Option<JsonUser<'a>>,
    unpredicted: Vec<String>,
    ratio: Option<f64>,
    residual: Option<f64>,
    witnesses: Vec<JsonWitness<'a>>,
    set_aside: Vec<JsonSetAside>,
    modes: Vec<JsonMode>,
    trials: Vec<JsonTrial>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct JsonEstimate {
    typical: f64,
    low: Option<f64>,
    high: Option<f64>,
    best: f64,
    deviation: Option<f64>,
    trials: usize,
    batches: usize,
    core_hz: Option<f64>,
    /// Share of the value that scales with the clock of the core, where it was carried to a common one.
    clock_share: Option<f64>,
    /// How far that may be off, as a share of the value.
    clock_error: f64,
}

#[derive(Serialize)]
struct JsonPredicted<'a> {
    hardware: Range,
    software: Range,
    total: Range,
    terms: Vec<JsonTerm<'a>>,
}

#[derive(Serialize)]
struct JsonTerm<'a> {
    name: &'a str,
    side: TermSide,
    formula: String,
    #[serde(flatten)]
    range: Range,
}

#[derive(Serialize)]
struct JsonWitness<'a> {
    counter: &'a str,
    origin: Origin,
    low: f64,
    high: f64,
    positive: bool,
    proves: &'a str,
    /// What it means that it is broken.
    breach: Breach,
    /// Count per iteration.
    counted: Option<f64>,
    unavailable: Option<String>,
    read: usize,
    broken: usize,
}

#[derive(Serialize)]
struct JsonSetAside {
    cause: String,
    batches: usize,
}

#[derive(Serialize)]
struct JsonMode {
    at: f64,
    share: f64,
}

#[derive(Serialize)]
struct JsonTrial {
    round: u32,
    typical: f64,
    best: f64,
}

#[derive(Serialize)]
struct JsonLine<'a> {
    operation: &'a str,
    /// The parameters that the sweep holds fixed.
    fixed: &'a str,
    slope_name: &'a str,
    slope: f64,
    slope_low: Option<f64>,
    slope_high: Option<f64>,
    intercept_name: &'a str,
    intercept: f64,
    intercept_low: Option<f64>,
    intercept_high: Option<f64>,
    worst: f64,
}

impl<'a> From<&'a Row> for JsonRow<'a> {
    fn from(row: &'a Row) -> Self {
        let point = &row.point;
        Self {
            operation: &point.id.operation,
            point: &point.id.point,
            area: &point.area,
            title: &point.title,
            one_iteration: &point.one_iteration,
            revision: point.revision,
            method: cells::method(row),
            method_problem: point.reference.as_deref(),
            quantity: point.quantity.contract_name(),
            unit: point.quantity.contract_unit(),
            verdict: row.verdict.word(),
            reason: reasons::reason(row),
            remedy: reasons::remedy(row),
            core: cores::of(row).map(JsonCore::from),
            estimate: row.estimate.as_ref().map(JsonEstimate::from),
            predicted_from_facts: row.from_facts.as_ref().map(JsonPredicted::from),
            predicted_from_parts: row.from_parts.as_ref().map(JsonPredicted::from),
            user_predicted: JsonUser::of(row),
            unpredicted: row.unpredicted.iter().map(failures::unpredicted).collect(),
            ratio: row.ratio(),
            residual: row.residual(),
            witnesses: row.witnesses.iter().map(JsonWitness::from).collect(),
            set_aside: set_aside(row),
            modes: modes(row),
            trials: trials(row),
            notes: row.notes.iter().map(|note| notes::text(note, row.quantity())).collect(),
        }
    }
}

fn set_aside(row: &Row) -> Vec<JsonSetAside> {
    let entries = row.set_aside.iter();
    entries
        .map(|entry| JsonSetAside { cause: failures::cause(&entry.cause), batches: entry.batches })
        .collect()
}

fn modes(row: &Row) -> Vec<JsonMode> {
    let modes = row.modes.iter();
    modes.map(|mode| JsonMode { at: mode.at, share: mode.share }).collect()
}

fn trials(row: &Row) -> Vec<JsonTrial> {
    let trials = row.trials.iter();
    trials.map(|trial| JsonTrial { round: trial.round, typical: trial.typical, best: trial.best }).collect()
}

impl From<&Estimate> for JsonEstimate {
    fn from(estimate: &Estimate) -> Self {
        Self {
            typical: estimate.typical,
            low: estimate.interval.map(|(low, _)| low),
            high: estimate.interval.map(|(_, high)| high),
            best: estimate.best,
            deviation: estimate.deviation,
            trials: estimate.trials,
            batches: estimate.batches,
            core_hz: estimate.core_hz,
            clock_share: estimate.clock_share,
            clock_error: estimate.clock_error,
        }
    }
}

impl<'a> From<&'a Predicted> for JsonPredicted<'a> {
    fn from(predicted: &'a Predicted) -> Self {
        let terms = predicted.terms.iter().map(|(term, range)| JsonTerm {
            name: &term.name,
            side: term.side,
            formula: term.formula.to_string(),
            range: *range,
        });
        Self {
            hardware: predicted.hardware,
            software: predicted.software,
            total: predicted.total,
            terms: terms.collect(),
        }
    }
}

impl<'a> From<&'a Judged> for JsonWitness<'a> {
    fn from(judged: &'a Judged) -> Self {
        let witness = &judged.witness;
        Self {
            counter: &witness.counter,
            origin: witness.origin,
            low: witness.low,
            high: witness.high,
            positive: witness.positive,
            proves: &witness.proves,
            breach: witness.breach,
            counted: judged.counted,
            unavailable: judged.unavailable.as_ref().map(failures::unread),
            read: judged.read,
            broken: judged.broken,
        }
    }
}

impl<'a> From<&'a SweepLine> for JsonLine<'a> {
    fn from(line: &'a SweepLine) -> Self {
        Self {
            operation: &line.sweep.operation,
            fixed: &line.sweep.point,
            slope_name: &line.slope_name,
            slope: line.slope,
            slope_low: line.slope_interval.map(|(low, _)| low),
            slope_high: line.slope_interval.map(|(_, high)| high),
            intercept_name: &line.intercept_name,
            intercept: line.intercept,
            intercept_low: line.intercept_interval.map(|(low, _)| low),
            intercept_high: line.intercept_interval.map(|(_, high)| high),
            worst: line.worst,
        }
    }
}
