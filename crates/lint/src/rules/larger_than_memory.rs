//! A cache of files larger than the memory in which it is.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Quantity;

/// Sizes of memory are told by 1024 and by 1000; 7 % lie between gigabytes of the two.
const OVER: f64 = 0.08;

pub(crate) const RULE: Rule = Rule {
    id: "larger_than_memory",
    code: "E48",
    what: "A cache of files that is measured or predicted larger than the machine's memory.",
    why: "Either the machine has more memory than the inventory says, or something else than memory answered.",
    wrong_when: "A disk's controller or the host of a virtual machine keeps files too.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let larger = telling
            .rows
            .iter()
            .find_map(|row| Some((*row, judge(table, row)?)));
        findings.extend(larger.map(|(row, text)| Finding::new(&[row], text)));
    }
    findings
}

fn judge(table: &Table, row: &Row) -> Option<String> {
    let memory = table.machine(&row.report)?.memory?;
    let cache = row.operation == "file.cache_size" && row.is(Quantity::Size);
    let figure = [row.measured, row.predicted]
        .into_iter()
        .find(|figure| row.si(*figure).is_some_and(|size| size > memory * (1.0 + OVER)))?;
    cache.then(|| format!("{} in a memory of {:.1} GB", row.told(figure), memory / 1e9))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Machine, read};

    #[test]
    fn a_cache_beyond_the_memory_is_found() {
        let text = "operation,parameter,measured,unit\nfile.cache_size,,31,GB\nfile.cache_size,disk=b,16.9,GB\n\
                    file.size,,99,GB\n";
        let machine = Machine {
            memory: Some(17_179_869_184.0),
            ..Machine::default()
        };
        assert_eq!(check(&read(text, vec![machine]).unwrap()).len(), 1);
        assert!(check(&read(text, Vec::new()).unwrap()).is_empty());
    }
}
