//! The events of a run as Chrome's trace format, which Perfetto and chrome://tracing show as tracks.
//!
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>

use crate::View;
use crate::thresholds::QUIET_SPAN;
use record::{Sampling, Trial};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The tracks, besides one for each CPU, whose number is that of the CPU.
const GAPS: u64 = 100_001;
const SHARED: u64 = 100_002;

/// Time between two trials that is a track of its own, in nanoseconds: starting a worker takes about as long.
const LEAST_GAP_NS: f64 = 1e6;

/// Writes trials, the stretches in which a core was shared, and the gaps between trials.
///
/// # Errors
/// When `out` cannot be written.
pub fn chrome_trace(view: &View<'_>, trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
    let mut trials: Vec<&Trial> = trials.iter().collect();
    trials.sort_by_key(|trial| trial.started_ns);
    let mut events: Vec<Value> = Vec::new();
    let mut ended = None;
    for trial in &trials {
        let (start, lasted) = (trial.started_ns as f64, lasted_ns(trial));
        if let Some(ended) = ended.filter(|ended| start - ended > LEAST_GAP_NS) {
            events.push(span("no trial", GAPS, ended, start - ended, json!({})));
        }
        ended = Some(start + lasted);
        let about = json!({ "round": trial.round, "waited_ms": trial.waited_ns.unwrap_or(0) as f64 / 1e6 });
        events.push(span(&trial.id.to_string(), trial.cpu.map_or(0, u64::from), start, lasted, about));
    }
    for shared in view.analysis.quiet_spans.iter().filter(|span| span.quiet_share < QUIET_SPAN) {
        let (start, lasted) = (shared.from_s * 1e9, (shared.to_s - shared.from_s) * 1e9);
        events.push(span("shared core", SHARED, start, lasted, json!({ "quiet_share": shared.quiet_share })));
    }
    let mut cpus: Vec<u64> = trials.iter().map(|trial| trial.cpu.map_or(0, u64::from)).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let named = cpus.into_iter().map(|cpu| (cpu, format!("trials on CPU {cpu}")));
    for (track, name) in named.chain([(GAPS, "gaps".to_owned()), (SHARED, "shared core".to_owned())]) {
        events.push(
            json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": track, "args": { "name": name } }),
        );
    }
    let about =
        json!({ "program": format!("oscope {}", view.header.program), "started": view.header.started });
    let document = json!({ "traceEvents": events, "displayTimeUnit": "ns", "otherData": about });
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

/// An event that lasts; times in nanoseconds become microseconds.
fn span(name: &str, track: u64, start: f64, lasted: f64, about: Value) -> Value {
    json!({
        "name": name, "cat": "oscope", "ph": "X", "pid": 1, "tid": track,
        "ts": start / 1e3, "dur": lasted / 1e3, "args": about,
    })
}

/// How long a trial lasted, as far as its worker read its clock: until its last look, or as long as its batches and its waits.
fn lasted_ns(trial: &Trial) -> f64 {
    let last_look = trial.looks.as_ref().and_then(|looks| looks.at.last()).copied().unwrap_or(0);
    let timed = trial.series.iter().filter(|series| series.sampling != Sampling::Values);
    let batches: i64 = timed.flat_map(|series| &series.ticks).sum();
    let waited = trial.waited_ns.unwrap_or(0) as f64;
    (last_look as f64 * trial.ns_per_tick).max(batches as f64 * trial.ns_per_tick + waited)
}
