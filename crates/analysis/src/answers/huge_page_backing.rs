//! Whether the huge pages of a machine are huge for its processor, too: how many of them its first TLB reaches, beside how
//! many base pages.

use crate::answers::contrast::quotient;
use crate::answers::finding::{Finding, HugePageBacking, Numbers, Outcome, Untested, cautious, usable};
use crate::answers::questions::question::Operand;
use crate::answers::reported_size::hypervisor;
use crate::rows::row::Row;
use record::{Machine, Range};

/// Reaches that differ by less than this factor are one and the same.
const SAME: f64 = 1.1;

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
    if ratio.high < 1.0 / SAME || ratio.low > SAME {
        return HugePageBacking::Huge;
    }
    if ratio.value > SAME || ratio.value < 1.0 / SAME {
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
    use super::*;
    use record::{Fact, FactValue};

    fn machine(vendor: &str, hypervisor: &str) -> Machine {
        let fact = |(key, text): (&str, &str)| Fact {
            key: key.to_owned(),
            value: FactValue::Text { text: text.to_owned() },
            source: "fixture".to_owned(),
            within: None,
        };
        let facts = [("processor.vendor", vendor), ("environment.hypervisor", hypervisor)];
        Machine { facts: facts.map(fact).to_vec() }
    }

    fn about(ratio: f64) -> Range {
        Range { low: ratio * 0.98, value: ratio, high: ratio * 1.02 }
    }

    #[test]
    fn one_reach_for_both_means_small_pages_only_where_the_processor_has_two_tlbs() {
        let of = |vendor, hypervisor| backing(about(1.0), &machine(vendor, hypervisor));
        assert_eq!(of("GenuineIntel", "KVM"), HugePageBacking::Small("KVM".to_owned()));
        assert_eq!(of("AuthenticAMD", "KVM"), HugePageBacking::Unknown);
        assert_eq!(of("GenuineIntel", "none"), HugePageBacking::NotHuge);
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
}
