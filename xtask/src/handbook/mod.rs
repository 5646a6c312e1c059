//! The handbook: one page per operation and an index, from the declarations alone.

mod page;
mod prediction;
mod words;

use crate::markdown;
use measure::{Area, Operation};
use page::page;
use record::Profile;
use std::fmt::Write;
use words::{HEAD, area_title, quantity};

/// Every file of the handbook: its name and its text.
pub fn pages(operations: &[&Operation]) -> Vec<(String, String)> {
    let index = ("README.md".to_owned(), index(operations));
    let primitives = prediction::primitives(operations);
    let pages = operations.iter().map(|operation| (file_name(operation), page(operation, &primitives)));
    std::iter::once(index).chain(pages).collect()
}

fn file_name(operation: &Operation) -> String {
    format!("{}.md", operation.id)
}

fn index(operations: &[&Operation]) -> String {
    let mut out = format!(
        "{HEAD}# Handbook\n\nEvery operation that oscope measures, by area. A *flawed method* is shown for \
         comparison only: its page says what is wrong with it. *Points* are those of the standard profile. \
         [METHODOLOGY](../../METHODOLOGY.md) explains batch, gate, witness and T0; [MISTAKES](../MISTAKES.md) lists \
         the reports R0 to R4 and the mistakes E01 to E63 that the pages cite; a source such as `R3, 4.1.2` names a section.\n"
    );
    for area in Area::ALL {
        let here: Vec<&&Operation> = operations.iter().filter(|operation| operation.area == area).collect();
        if here.is_empty() {
            continue;
        }
        let _ = write!(
            out,
            "\n## {}\n\n| operation | what it is | quantity | points |\n| --- | --- | --- | ---: |\n",
            area_title(area)
        );
        here.into_iter().for_each(|operation| out.push_str(&row(operation)));
    }
    out
}

fn row(operation: &Operation) -> String {
    let reference = if flawed::method(operation.id).is_some() { " (flawed method)" } else { "" };
    format!(
        "| [`{}`]({}) | {}{reference} | {} | {} |\n",
        operation.id,
        file_name(operation),
        markdown::cell(operation.title),
        quantity(operation.quantity),
        operation.points_of(Profile::Standard).len()
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_operation_has_a_page_and_a_line_in_the_index() {
        let pages = pages(flawed::all_operations());
        assert_eq!(pages.len(), flawed::all_operations().len() + 1);
        let index = &pages.iter().find(|(name, _)| name == "README.md").unwrap().1;
        for (name, text) in pages.iter().filter(|(name, _)| name != "README.md") {
            assert_eq!(index.matches(&format!("]({name})")).count(), 1, "{name}");
            assert!(text.starts_with(HEAD) && text.ends_with('\n'), "{name}");
        }
    }

    #[test]
    fn tables_are_well_formed() {
        for (name, text) in pages(flawed::all_operations()) {
            let mut columns = 0;
            for line in text.lines() {
                let bars = line.replace("\\|", "").matches('|').count();
                assert!(bars == 0 || columns == 0 || bars == columns, "{name}: {line}");
                columns = bars;
            }
        }
    }

    #[test]
    fn nothing_is_empty_under_its_heading() {
        for (name, text) in pages(flawed::all_operations()) {
            let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
            for pair in lines.windows(2) {
                let both = pair.iter().all(|line| line.starts_with("## "));
                assert!(!both, "{name}: nothing below {}", pair[0]);
            }
        }
    }
}
