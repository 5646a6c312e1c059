//! What a watch kept before a moment and after it, as two records.

use crate::arguments::At;
use crate::exit::{file_error, unusable, usage};
use crate::kept::{started, times_of};
use crate::records::{ring_began, ring_records};
use jiff::{SignedDuration, Timestamp};
use record::{Record, Trial};
use std::path::Path;
use std::time::Duration;

/// A record of a ring goes on for an hour; some more for its last trial.
const LONGEST: SignedDuration = SignedDuration::from_secs(3_700);

/// What was kept in a window before a moment, and in one after it.
pub(super) fn halves(folder: &Path, at: At, window: Duration) -> anyhow::Result<[(String, Record); 2]> {
    let paths = ring_records(folder).map_err(|error| file_error(folder, error))?;
    let all: Vec<_> = paths.iter().filter_map(|path| Some((ring_began(path)?, path))).collect();
    let (Some(&(oldest, _)), Some(&(newest_began, newest))) = (all.first(), all.last()) else {
        return Err(unusable(folder, "no record of a watch; 'oscope watch --keep DIR' keeps some"));
    };
    let newest = times_of(&crate::records::read(newest)?.trials, newest_began)
        .last()
        .map_or(newest_began, |(at, _)| at);
    let at = at.moment(newest);
    let window = SignedDuration::try_from(window).unwrap_or(LONGEST);
    let ends = [(at - window, at), (at, at + window)];
    let mut halves: [Option<Record>; 2] = [None, None];
    for (began, path) in
        all.iter().filter(|(began, _)| *began < at + window && *began + LONGEST > at - window)
    {
        let mut record = crate::records::read(path)?;
        let trials = std::mem::take(&mut record.trials);
        for (half, (from, to)) in halves.iter_mut().zip(ends) {
            let own = times_of(&trials, *began).filter(|(at, _)| (from..to).contains(at));
            for (at, trial) in own {
                let half = half.get_or_insert_with(|| beginning(&record, from));
                let round = half.trials.len() as u32 + 1;
                let started_ns = u64::try_from(at.duration_since(from).as_nanos()).unwrap_or_default();
                half.trials.push(Trial { round, started_ns, ..trial.clone() });
            }
        }
    }
    let [at, oldest, newest] = [at, oldest, newest].map(started);
    let [Some(before), Some(after)] = halves else {
        return Err(usage(format!(
            "nothing was kept on one side of {at}; {} has readings from {oldest} to {newest}",
            folder.display()
        )));
    };
    Ok([(format!("before {at}"), before), (format!("after {at}"), after)])
}

/// A record like this one that begins at another moment, and has no trials yet.
fn beginning(record: &Record, from: Timestamp) -> Record {
    let mut header = record.header.clone();
    header.started = started(from);
    Record {
        header,
        machine: record.machine.clone(),
        plan: record.plan.clone(),
        end: record.end.clone(),
        ..Record::default()
    }
}
