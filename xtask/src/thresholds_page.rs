//! The page of the thresholds: what decides that a row is noisy, contradicted or different, with the reason for each value.

use crate::markdown::{self, cell};
use stats::thresholds::Group;

/// The part before the tables.
const HEAD: &str = "# Thresholds

What decides what a user reads: every constant by which a row is noisy, contradicted or drifting, a core is
quiet, two values are different, or a machine is odd. [METHODOLOGY](../METHODOLOGY.md) explains the terms.
\"Choice\" means that the value was not measured but set, for the reason that follows.

`cargo xtask generate` writes this page from the `thresholds.rs` of the crates `analysis`, `fleet`, `count`,
`watch` and `report`. A change there changes verdicts, so it needs a line under
*Measurement* in the [changelog](../CHANGELOG.md).
";

/// The thresholds of each crate that has some, by what they decide about.
const CRATES: [(&str, &[Group]); 5] = [
    ("One record, or two", analysis::THRESHOLDS),
    ("A fleet", fleet::THRESHOLDS),
    ("Counted kernels", count::THRESHOLDS),
    ("A watch", watch::THRESHOLDS),
    ("Reports and screens", report::THRESHOLDS),
];

/// The page.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for (title, groups) in CRATES {
        page += &format!("\n## {title}\n");
        for group in groups {
            page += &format!("\n### {}\n\n{}", group.title, table(group));
        }
    }
    page
}

fn table(group: &Group) -> String {
    let rows = group.thresholds.iter().map(|threshold| {
        let constant = format!("`{}`", threshold.name);
        vec![cell(threshold.meaning.trim()), threshold.value.to_owned(), cell(threshold.reason), constant]
    });
    markdown::table(&["threshold", "value:", "reason", "constant"], rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_threshold_has_a_name_of_its_own_and_a_reason() {
        for (_, groups) in CRATES {
            let all: Vec<_> = groups.iter().flat_map(|group| group.thresholds).collect();
            let names: BTreeSet<&str> = all.iter().map(|threshold| threshold.name).collect();
            assert_eq!(names.len(), all.len());
            for threshold in all {
                assert!(threshold.reason.ends_with('.') && threshold.meaning.ends_with('.'), "{threshold:?}");
            }
        }
        assert!(page().contains("| 0.75 |"));
    }
}
