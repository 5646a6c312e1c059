//! Whether the huge pages of a machine are huge for its processor, too: how many of them its first TLB reaches, beside how
//! many base pages.

use crate::answers::contrast::quotient;
use crate::answers::finding::{Finding, HugePageBacking, Numbers, Outcome, Untested, cautious, usable};
use crate::answers::questions::question::Operand;
use crate::answers::reported_size::hypervisor;
use crate::rows::row::Row;
use crate::thresholds::SAME_REACH;
use record::{Machine, Range};

/// The comparison.
pub(crate) fn outcome(huge: &Operand, base: &Operand, rows: &[Row], machine: &Machine) -> Outcome {
    let ((huge_row, huge), (base_row, base)) = (usable(huge, rows)?, usable(base, rows)?);
    let ratio = quotient(&cautious(huge_row), &cautious(base_row)).ok_or(Untested::NoReach)?;
    let backing = backing(ratio, machine);
    let is_decided = matches!(backing, HugePageBacking::Huge | HugePageBacking::Small(_));
    let numbers = Numbers::HugePageBacking { huge, base, backing };
    Ok(Finding::new(is_decided, ratio, numbers))
}

/// What the ratio of the reaches means.
fn backing(ratio: Range, machine: &Machine) -> HugePageBacking {
    if ratio.high < 1.0 / SAME_REACH || ratio.low > SAME_REACH {
        return HugePageBacking::Huge;
    }
    if ratio.value > SAME_REACH || ratio.value < 1.0 / SAME_REACH {
        return HugePageBacking::Uncertain;
    }
    // Intel's cores have fewer entries for huge pages than for base pages; others have one TLB for both.
    if machine.text("processor.vendor") != Some("GenuineIntel") {
        return HugePageBacking::Unknown;
    }
    hypervisor(machine).map_or(HugePageBacking::NotHuge, HugePageBacking::Small)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::answers::finding::Measured;
    use crate::answers::fixtures::{noisy, range, row};
    use quantity::Quantity;

    fn machine(vendor: &str, hypervisor: &str) -> Machine {
        let facts = [("processor.vendor", vendor), ("environment.hypervisor", hypervisor)];
        crate::answers::fixtures::machine(&facts, &[])
    }

    fn about(ratio: f64) -> Range {
        Range { low: ratio * 0.98, value: ratio, high: ratio * 1.02 }
    }

    #[test]
    fn one_reach_for_both_means_small_pages_only_where_the_processor_has_two_tlbs() {
        for (vendor, hypervisor, expected) in [
            ("GenuineIntel", "KVM", HugePageBacking::Small("KVM".to_owned())),
            ("AuthenticAMD", "KVM", HugePageBacking::Unknown),
            ("GenuineIntel", "none", HugePageBacking::NotHuge),
        ] {
            assert_eq!(backing(about(1.0), &machine(vendor, hypervisor)), expected, "{vendor} {hypervisor}");
        }
    }

    #[test]
    fn two_reaches_mean_huge_pages_on_every_machine() {
        for ratio in [0.33, 0.6, 1.5] {
            assert_eq!(backing(about(ratio), &machine("AuthenticAMD", "KVM")), HugePageBacking::Huge);
        }
    }

    #[test]
    fn an_uncertain_ratio_decides_nothing() {
        let wide = Range { low: 0.5, value: 0.7, high: 1.2 };
        assert_eq!(backing(wide, &machine("GenuineIntel", "KVM")), HugePageBacking::Uncertain);
    }

    #[test]
    fn reaches_that_differ_by_a_tenth_are_still_the_same() {
        for (ratio, expected) in [
            ((0.8, 0.85, 0.9), HugePageBacking::Huge),
            ((0.8, 0.85, 1.0 / SAME_REACH), HugePageBacking::Uncertain),
            ((0.8, 1.0 / SAME_REACH, 1.0), HugePageBacking::Unknown),
            ((0.93, 0.95, 0.97), HugePageBacking::Unknown),
            ((1.0, 1.05, 1.2), HugePageBacking::Unknown),
            ((1.0, SAME_REACH, 1.2), HugePageBacking::Unknown),
            ((1.0, 1.15, 1.2), HugePageBacking::Uncertain),
            ((SAME_REACH, 1.15, 1.2), HugePageBacking::Uncertain),
            ((1.11, 1.15, 1.2), HugePageBacking::Huge),
        ] {
            assert_eq!(backing(range(ratio), &machine("AuthenticAMD", "KVM")), expected, "{ratio:?}");
        }
    }

    #[test]
    fn huge_or_small_pages_are_decided_from_both_reaches() {
        const HUGE: Operand = Operand { words: "huge pages", operation: "huge", point: "" };
        const BASE: Operand = Operand { words: "base pages", operation: "base", point: "" };
        let base = row("base", "", Quantity::Count, (64.0, 64.0, 64.0));
        let (intel, amd) = (machine("GenuineIntel", "KVM"), machine("AuthenticAMD", "none"));
        for (huge, machine, is_decided, backing) in [
            ((32.0, 32.0, 32.0), &amd, true, HugePageBacking::Huge),
            ((64.0, 64.0, 64.0), &intel, true, HugePageBacking::Small("KVM".to_owned())),
            ((64.0, 64.0, 64.0), &amd, false, HugePageBacking::Unknown),
            ((32.0, 48.0, 64.0), &amd, false, HugePageBacking::Uncertain),
        ] {
            let (low, value, high) = huge;
            let ratio = range((low / 64.0, value / 64.0, high / 64.0));
            let huge = row("huge", "", Quantity::Count, huge);
            let numbers = Numbers::HugePageBacking {
                huge: Measured::from_row(&huge, "huge pages").unwrap(),
                base: Measured::from_row(&base, "base pages").unwrap(),
                backing,
            };
            let found = outcome(&HUGE, &BASE, &[huge, base.clone()], machine);
            assert_eq!(found, Ok(Finding::new(is_decided, ratio, numbers)));
        }
        let at_zero = row("huge", "", Quantity::Count, (0.0, 1.0, 2.0));
        assert_eq!(outcome(&HUGE, &BASE, &[at_zero, base.clone()], &amd), Err(Untested::NoReach));
        let wide = noisy(row("huge", "", Quantity::Count, (32.0, 32.0, 32.0)), &[16.0, 64.0]);
        let found = outcome(&HUGE, &BASE, &[wide, base], &amd);
        assert_eq!(found.map(|found| found.range()), Ok(Some(range((0.25, 0.5, 1.0)))));
    }
}
