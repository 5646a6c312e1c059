//! Whether the huge pages of a machine are huge for its processor, too: by how many of them its first translation
//! cache reaches, beside how many base pages.

use crate::answers::contrast::quotient;
use crate::answers::finding::{Finding, Outcome, cautious, typical, usable};
use crate::answers::questions::question::Side;
use crate::rows::row::Row;
use record::{Machine, Range};

/// Reaches that differ by less than this factor are one and the same.
const SAME: f64 = 1.1;

/// The comparison in a sentence.
///
/// # Errors
/// Why there is none.
pub(crate) fn outcome(huge: &Side, base: &Side, rows: &[Row], machine: &Machine) -> Outcome {
    let (huge, base) = (usable(huge, rows)?, usable(base, rows)?);
    let range = quotient(&cautious(huge), &cautious(base))
        .ok_or_else(|| "TLB reach not found: latency does not rise".to_owned())?;
    let numbers = format!(
        "The first translation cache reaches {} huge pages and {} base pages",
        typical(huge),
        typical(base)
    );
    let (decided, meaning) = meaning(range, machine);
    let finding = if decided {
        Finding::Decided(range)
    } else {
        Finding::Undecided(range)
    };
    Ok((finding, format!("{numbers}: {meaning}")))
}

/// What the ratio of the reaches means, and whether it decides.
fn meaning(range: Range, machine: &Machine) -> (bool, String) {
    if range.high < 1.0 / SAME || range.low > SAME {
        let all = "it keeps huge pages as such, so they are huge for the processor, too";
        return (true, all.to_owned());
    }
    if range.value > SAME || range.value < 1.0 / SAME {
        return (
            false,
            "too uncertain to tell whether these are one and the same".to_owned(),
        );
    }
    // Intel's cores have fewer entries for huge pages than for base pages; others have one cache for both.
    let apart = machine.text("processor.vendor") == Some("GenuineIntel");
    let hypervisor = machine
        .text("environment.hypervisor")
        .filter(|name| *name != "none");
    match (apart, hypervisor) {
        (true, Some(name)) => (
            true,
            format!(
                "no, this processor has fewer places for huge pages, so {name} has small pages behind those of its \
                 guest, and what huge pages save is a step of the guest's own walk"
            ),
        ),
        (true, None) => (
            false,
            "this processor should have fewer places for huge pages, so these may not have been huge"
                .to_owned(),
        ),
        (false, _) => (
            false,
            "this family may have one cache for both, so it says nothing of what is behind them".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Fact, FactValue};

    fn machine(vendor: &str, hypervisor: &str) -> Machine {
        let fact = |(key, text): (&str, &str)| Fact {
            key: key.to_owned(),
            value: FactValue::Text {
                text: text.to_owned(),
            },
            source: "fixture".to_owned(),
            within: None,
        };
        let facts = [
            ("processor.vendor", vendor),
            ("environment.hypervisor", hypervisor),
        ];
        Machine {
            facts: facts.map(fact).to_vec(),
        }
    }

    fn about(ratio: f64) -> Range {
        Range {
            low: ratio * 0.98,
            value: ratio,
            high: ratio * 1.02,
        }
    }

    #[test]
    fn one_reach_for_both_means_small_pages_behind_only_where_the_processor_has_two_caches() {
        let (decided, words) = meaning(about(1.0), &machine("GenuineIntel", "KVM"));
        assert!(decided && words.contains("KVM has small pages behind"), "{words}");
        assert!(!meaning(about(1.0), &machine("AuthenticAMD", "KVM")).0);
        assert!(!meaning(about(1.0), &machine("GenuineIntel", "none")).0);
    }

    #[test]
    fn two_reaches_mean_huge_pages_on_every_machine() {
        for ratio in [0.33, 0.6, 1.5] {
            let (decided, words) = meaning(about(ratio), &machine("AuthenticAMD", "KVM"));
            assert!(decided && words.contains("huge for the processor"), "{words}");
        }
    }

    #[test]
    fn an_uncertain_ratio_decides_nothing() {
        let wide = Range {
            low: 0.5,
            value: 0.7,
            high: 1.2,
        };
        assert!(!meaning(wide, &machine("GenuineIntel", "KVM")).0);
    }
}
