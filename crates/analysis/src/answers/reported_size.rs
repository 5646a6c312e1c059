//! The measured size of a cache beside the size that the machine reports.

use crate::answers::finding::{Finding, Numbers, Outcome, Untested, cautious, usable};
use crate::answers::questions::question::ReportedSize;
use crate::rows::row::Row;
use record::Machine;

/// The comparison.
pub(crate) fn outcome(of: &ReportedSize, rows: &[Row], machine: &Machine) -> Outcome {
    let (row, measured) = usable(&of.found, rows)?;
    let key = format!("cache.{}.size", of.cache);
    let reported = machine.number(&key).filter(|reported| *reported > 0.0);
    let reported = reported.ok_or(Untested::Unreported(key))?;
    let whole = cautious(row).estimate.and_then(|estimate| estimate.range());
    let whole = measured.interval.and(whole).ok_or_else(|| Untested::NoInterval(row.point.id.clone()))?;
    let ratio = whole.map(|bytes| bytes / reported);
    let agrees = (ratio.value - 1.0).abs() <= of.close || (ratio.low <= 1.0 && ratio.high >= 1.0);
    let sharing = machine.number(&format!("cache.{}.sharing", of.cache));
    let numbers = Numbers::ReportedSize {
        noisy: measured.is_noisy.then_some((whole.low, whole.high)),
        measured,
        reported,
        hypervisor: hypervisor(machine),
        shared_by: sharing.filter(|cpus| *cpus > 1.0),
    };
    Ok(Finding::new(!agrees, ratio, numbers))
}

/// The hypervisor, where there is one.
pub(super) fn hypervisor(machine: &Machine) -> Option<String> {
    let name = machine.text("environment.hypervisor");
    name.filter(|name| *name != "none").map(str::to_owned)
}
