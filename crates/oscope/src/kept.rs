//! What a watch kept: the trials of a ring with their moments, and each minute of it as a run of a history.

use crate::exit::file_error;
use crate::history::PastRun;
use crate::notice::notice;
use crate::records::{read, ring_began, ring_records};
use analysis::single_trial;
use jiff::{SignedDuration, Timestamp};
use record::{PlannedPoint, Record, SummaryRow, Trial};
use stats::order::median;
use std::collections::BTreeMap;
use std::path::Path;

/// How often a watch keeps a trial of a point, in seconds.
const MINUTE_S: i64 = 60;

/// The trials of a record that began then, with their moments.
pub fn times_of(trials: &[Trial], began: Timestamp) -> impl Iterator<Item = (Timestamp, &Trial)> {
    trials.iter().map(move |trial| {
        let since = SignedDuration::from_nanos(i64::try_from(trial.started_ns).unwrap_or(i64::MAX));
        (began.checked_add(since).unwrap_or(began), trial)
    })
}

/// A moment as the header of a record has it.
pub fn started(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The minutes of all records of a ring, the oldest first, each as a run with the values of its trials. Records that cannot be
/// read are named on standard error.
///
/// # Errors
/// When the directory cannot be read.
pub fn minutes(folder: &Path, mut each: impl FnMut(PastRun)) -> anyhow::Result<()> {
    for path in ring_records(folder).map_err(|error| file_error(folder, error))? {
        let Some(began) = ring_began(&path) else { continue };
        match read(&path) {
            Ok(record) => minutes_of(&path, &record, began).for_each(&mut each),
            Err(error) => notice!("oscope: not among the minutes: {error}"),
        }
    }
    Ok(())
}

fn minutes_of<'r>(
    path: &'r Path,
    record: &'r Record,
    began: Timestamp,
) -> impl Iterator<Item = PastRun> + use<'r> {
    let points = record.plan.iter().flat_map(|plan| &plan.points);
    let points: BTreeMap<_, &PlannedPoint> = points.map(|point| (&point.id, point)).collect();
    let mut rows: BTreeMap<i64, Vec<SummaryRow>> = BTreeMap::new();
    for (at, trial) in times_of(&record.trials, began) {
        if let Some(row) = points.get(&trial.id).and_then(|point| row(point, trial)) {
            rows.entry(at.as_second().div_euclid(MINUTE_S)).or_default().push(row);
        }
    }
    rows.into_iter().map(move |(minute, rows)| {
        let mut header = record.header.clone();
        header.started = Timestamp::from_second(minute * MINUTE_S).map(started).unwrap_or_default();
        PastRun {
            path: path.to_owned(),
            header,
            machine: record.machine.clone(),
            peer: None,
            settings: record.plan.as_ref().map(|plan| plan.settings.clone()),
            rows,
        }
    })
}

/// The median of a trial; `None` where the watch showed none, either.
fn row(point: &PlannedPoint, trial: &Trial) -> Option<SummaryRow> {
    let read = single_trial(point, trial).ok()?;
    Some(SummaryRow {
        id: point.id.clone(),
        quantity: point.quantity,
        revision: point.revision,
        verdict: "measured".to_owned(),
        typical: median(&read.samples),
        interval: None,
        trials: 1,
        core_hz: read.core_hz,
    })
}
