//! What the cards say of the five reports: each is named with one of its sections, so that a reader can look it up.

use reference::{has_number, names_sections, numbers};

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

/// Numbers that follow from what a section says: the source, the number, why.
const DERIVED: &[(&str, &str, &str)] = &[
    ("R0, 3.3", "33.6", "33.6437 is the mean of 3.2.1, which the source names"),
    ("R0, 3.3", "33", "the overhead of the summary, 7, which the source names"),
    ("R0, 5.2", "4", "the sizes of 5.2.3 are 2, 8, 32 KB and so on"),
    ("R0, 5.2", "144", "Mbit/s of the network card, in 2"),
    ("R1, 3 Fig 7", "500", "ns: every trial is a multiple of it"),
    ("R2, 2", "41.67", "ns: probably, as a timer of 24 MHz has; the report has no step"),
    ("R3, 4.1.1", "8", "bytes of a pointer of a processor of 64 bits"),
    ("R3, 4.1.1", "100000", "100 accesses, 1000 times"),
    ("R4, 4.2", "1000", "printed as a thousand"),
    ("R4, 4.3", "35", "525 008 cycles for writing, 14 871 for reading"),
    ("R4, 4.3", "99", "days: 1.94363e16 cycles at 2.27 GHz"),
];

#[test]
fn every_number_of_a_source_stands_in_its_section() {
    let (mut wrong, mut used) = (Vec::new(), vec![false; DERIVED.len()]);
    for operation in flawed::all_operations() {
        for (who, how) in operation.sources {
            let Some((report, pointers)) = who.split_once(", ").filter(|(name, _)| REPORTS.contains(name))
            else {
                continue;
            };
            for number in numbers(&without_sections(report, how)) {
                let derived = DERIVED.iter().position(|(source, known, _)| who == source && number == *known);
                if pointers.split(" and ").any(|pointer| has_number(report, pointer, &number)) {
                    continue;
                }
                match derived.and_then(|at| used.get_mut(at)) {
                    Some(used) => *used = true,
                    None => wrong.push(format!("{number} in {}: {who}: {how}", operation.id)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "neither a figure nor a quote of the section:\n{}", wrong.join("\n"));
    let unused = DERIVED.iter().zip(used).filter(|(_, used)| !used);
    assert_eq!(unused.map(|(known, _)| known).collect::<Vec<_>>(), Vec::<&(&str, &str, &str)>::new());
}

/// A text without the names of sections, such as `3.1`.
fn without_sections(report: &str, text: &str) -> String {
    let is_section = |word: &str| {
        let name = word.trim_matches(['(', ')', ',', ';', ':', '.']);
        name.contains('.') && reference::section(report, name).is_some()
    };
    let text = text.replace("section 1 ", "");
    text.split(' ').filter(|word| !is_section(word)).collect::<Vec<&str>>().join(" ")
}

/// Whether a source is a report and a section of it: `R3, 4.1.2`, or `R1, 3 Fig 7`.
fn points_into_a_section(who: &str) -> bool {
    let named = who.split_once(", ");
    named.is_some_and(|(report, pointer)| reference::section(report, pointer).is_some())
}
