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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::answers::finding::Measured;
    use crate::answers::fixtures::{machine, noisy, range, row, without_interval};
    use crate::answers::questions::question::Operand;
    use quantity::Quantity;
    use record::PointId;

    const FOUND: Operand = Operand { words: "the cache", operation: "levels", point: "level=1" };
    const OF: ReportedSize = ReportedSize { found: FOUND, cache: "l1d", close: 0.25 };

    /// A row of this size.
    fn found(size: (f64, f64, f64)) -> Row {
        row("levels", "level=1", Quantity::Size, size)
    }

    #[test]
    fn sizes_agree_within_the_accuracy_or_the_interval() {
        let machine = machine(&[("environment.hypervisor", "KVM")], &[("cache.l1d.size", 64.0)]);
        for (size, differs, ratio) in [
            ((72.0, 80.0, 88.0), false, (1.125, 1.25, 1.375)),
            ((72.0, 81.0, 88.0), true, (1.125, 1.265_625, 1.375)),
            ((64.0, 96.0, 128.0), false, (1.0, 1.5, 2.0)),
            ((65.0, 96.0, 128.0), true, (1.015_625, 1.5, 2.0)),
            ((40.0, 48.0, 56.0), false, (0.625, 0.75, 0.875)),
            ((40.0, 47.0, 56.0), true, (0.625, 0.734_375, 0.875)),
            ((16.0, 32.0, 64.0), false, (0.25, 0.5, 1.0)),
            ((16.0, 32.0, 63.0), true, (0.25, 0.5, 0.984_375)),
        ] {
            let finding = outcome(&OF, &[found(size)], &machine).unwrap();
            assert_eq!(matches!(finding, Finding::Decided(_)), differs, "{size:?}");
            assert_eq!(finding.range(), Some(range(ratio)), "{size:?}");
        }
    }

    #[test]
    fn numbers_hold_what_the_machine_says_of_the_cache() {
        let measured = found((62.0, 64.0, 66.0));
        let noisy_row = noisy(measured.clone(), &[32.0, 96.0]);
        for (row, reported_by, sharing, noisy, hypervisor, shared_by) in [
            (&measured, "KVM", 2.0, None, Some("KVM"), Some(2.0)),
            (&measured, "none", 1.0, None, None, None),
            (&noisy_row, "none", 0.0, Some((32.0, 96.0)), None, None),
        ] {
            let sizes = [("cache.l1d.size", 64.0), ("cache.l1d.sharing", sharing)];
            let machine = machine(&[("environment.hypervisor", reported_by)], &sizes);
            let found = outcome(&OF, std::slice::from_ref(row), &machine).unwrap();
            let Finding::Undecided(answered) = found else { unreachable!("{found:?}") };
            let expected = Numbers::ReportedSize {
                measured: Measured::from_row(row, "the cache").unwrap(),
                noisy,
                reported: 64.0,
                hypervisor: hypervisor.map(str::to_owned),
                shared_by,
            };
            assert_eq!(answered.numbers, expected);
        }
    }

    #[test]
    fn nothing_is_compared_with_a_size_that_is_missing() {
        let measured = found((1.0, 2.0, 3.0));
        let without = without_interval(measured.clone());
        let noisy = without_interval(noisy(measured.clone(), &[1.0, 3.0]));
        let unreported = Untested::Unreported("cache.l1d.size".to_owned());
        let no_interval = Untested::NoInterval(PointId::new("levels", "level=1"));
        for (row, size, why) in [
            (measured.clone(), 0.0, &unreported),
            (measured, -1.0, &unreported),
            (without, 64.0, &no_interval),
            (noisy, 64.0, &no_interval),
        ] {
            let found = outcome(&OF, &[row], &machine(&[], &[("cache.l1d.size", size)]));
            assert_eq!(found.unwrap_err(), *why);
        }
    }
}
