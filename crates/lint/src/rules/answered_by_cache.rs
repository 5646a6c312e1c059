//! A read from storage that a cache answered.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table, grouped};

/// Seconds. The fastest storage that was ever sold for a block bus answers after 7 µs, fault and copy come on top.
const FASTEST_STORAGE: f64 = 5e-6;
/// Seconds. A disk must turn under its head: half a turn takes 2 ms at 15 000 turns a minute, and a track that was read
/// ahead is no random place.
const FASTEST_TURN: f64 = 1e-3;
/// Words in an id that say that storage must answer.
const FROM_STORAGE: [&str; 3] = ["major", "uncached", "direct"];

pub(crate) const RULE: Rule = Rule {
    id: "answered_by_cache",
    code: "E22",
    what: "An uncached or direct read in less than 5 µs; or one at a random place, alone or among competitors, in less \
           than 1 ms where the machine's storage turns.",
    why: "No storage answers so fast: a cache did, that was not dropped.",
    wrong_when: "The storage is memory itself (persistent memory mapped directly) and nothing says so, or the file is so \
                 small that a disk holds it in its own cache.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let found = table
        .rows
        .iter()
        .filter(|row| row.belongs("file") && too_fast(table, row));
    let found = grouped(found.map(|row| ((&row.report, &row.operation), row)));
    let sentence = |rows: &[&Row]| {
        let told = rows.first().map(|row| row.told(row.measured)).unwrap_or_default();
        format!("{told} is less than the storage takes: a cache answered")
    };
    found
        .iter()
        .map(|(_, rows)| Finding::new(rows, sentence(rows)))
        .collect()
}

/// Whether something that storage must answer takes less time than that.
pub(super) fn too_fast(table: &Table, row: &Row) -> bool {
    let words = row.operation.split('.');
    // `fault.file.major.cached` says itself that it is none.
    let denied = words
        .clone()
        .any(|word| ["cached", "sparse", "minor", "fault_around"].contains(&word));
    let access = row.params.get("access");
    // A block at a random place is read by one access, a byte by part of one.
    let by_block = row.unit_text.ends_with("/block") && access == Some("random");
    let per_part = row.unit.is_none_or(|unit| unit.per_part) && !by_block;
    // What comes in order is read ahead, many blocks at a time.
    let ahead = row.belongs("file") && access == Some("sequential");
    let machine = table.machine(&row.report);
    let in_memory = machine.is_some_and(|machine| machine.keeps_in_memory) || names_memory(row);
    let turns = machine.is_some_and(|machine| machine.turns) && access == Some("random");
    let competes = turns && row.belongs("file.contention");
    let stored = competes || words.clone().any(|word| FROM_STORAGE.contains(&word));
    let fastest = if turns { FASTEST_TURN } else { FASTEST_STORAGE };
    let time = row.result().filter(|&time| time > 0.0);
    let timed = row.is_time_of_one() && time.is_some_and(|time| time < fastest);
    stored && !denied && !per_part && !in_memory && !ahead && timed
}

/// Whether a parameter says that the storage is memory.
fn names_memory(row: &Row) -> bool {
    let text = row.params.text().to_ascii_lowercase();
    ["pmem", "dax", "nvdimm", "ram", "tmpfs"]
        .iter()
        .any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::rules::testing::count;
    use crate::{Machine, read};

    const HEADING: &str = "operation,parameter,measured,unit\n";

    #[test]
    fn a_random_place_on_a_disk_takes_a_turn_of_it() {
        let text = "file.read.uncached,order=random,58,us/block\nfile.contention,competitors=1 order=random,31,us\n\
                    file.read.uncached,order=sequential,0.6,us\nfile.read.uncached,order=random,9,ms\n";
        let table = format!("{HEADING}{text}");
        let machine = Machine {
            turns: true,
            ..Machine::default()
        };
        assert_eq!(check(&read(&table, vec![machine]).unwrap()).len(), 2);
        assert_eq!(count(&RULE, &table), 0);
    }

    #[test]
    fn two_microseconds_are_found_and_storage_that_is_memory_is_none() {
        assert_eq!(
            count(&RULE, &format!("{HEADING}file.read.direct,order=random,2,us\n")),
            1
        );
        assert_eq!(
            count(&RULE, &format!("{HEADING}file.read.direct,device=pmem,1,us\n")),
            0
        );
        let machine = Machine {
            keeps_in_memory: true,
            ..Machine::default()
        };
        let table = read(&format!("{HEADING}file.read.direct,,1,us\n"), vec![machine]).unwrap();
        assert!(check(&table).is_empty());
    }
}
