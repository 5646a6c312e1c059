//! What the cards say of the five reports: each is named with one of its sections, so that a reader can look it up.

use reference::names_sections;

const REPORTS: [&str; 5] = ["R0", "R1", "R2", "R3", "R4"];

#[test]
fn every_source_that_names_a_report_names_its_section() {
    let mut count = 0;
    for operation in flawed::all_operations() {
        for (who, how) in operation.sources {
            let source = format!("{}: {who}: {how}", operation.id);
            assert!(names_sections(who) && names_sections(how), "{source}");
            let is_of_a_report = REPORTS.iter().any(|report| who.contains(report));
            assert!(!is_of_a_report || points_into_a_section(who), "one report and one section: {source}");
            count += usize::from(is_of_a_report);
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn every_sentence_that_names_a_report_names_its_section() {
    for operation in flawed::all_operations() {
        let texts = [operation.title, operation.one_iteration, operation.method, operation.confounds];
        let lines = [operation.predict, operation.evidence, operation.bounds].concat();
        for text in texts.into_iter().chain(lines) {
            assert!(names_sections(text), "{}: {text}", operation.id);
        }
    }
    for method in flawed::methods() {
        assert!(names_sections(method.wrong), "{}: {}", method.card.id, method.wrong);
    }
}

/// Whether a source is a report and a section of it: `R3, 4.1.2`, or `R1, 3 Fig 7`.
fn points_into_a_section(who: &str) -> bool {
    let named = who.split_once(", ");
    named.is_some_and(|(report, pointer)| reference::section(report, pointer).is_some())
}
