//! A system call too cheap to have entered the kernel.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table, grouped};
use crate::tellings;

/// Cycles. Entering and leaving the kernel takes some 60 to 100 on every processor of the last twenty years, and what is
/// done there comes on top.
const CHEAPEST_CALL: f64 = 65.0;
/// Seconds, where the clock is not known: as many cycles at 4 GHz.
const USUAL: f64 = 16e-9;
/// Of what the same report says that the kernel takes for the same call, a library takes less than this.
const OF_THE_KERNELS: f64 = 0.5;

pub(crate) const RULE: Rule = Rule {
    id: "no_kernel_entry",
    code: "E01",
    what: "A system call that costs less than 65 cycles, or than 16 ns where the clock is not known; or a library's call \
           that costs less than half of the same call made raw.",
    why: "Entering and leaving the kernel alone costs more: a library answered from memory.",
    wrong_when: "A future processor enters its kernel in less time than any of today's.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let is_cheap = |row: &&Row| {
        let time = row
            .result()
            .filter(|_| row.belongs("syscall") && row.is_time_of_one() && !is_answered_by_a_library(row));
        time.is_some_and(|time| time > 0.0 && (time < cheapest(table, row) || raw(table, row) > time))
    };
    let rows = tellings::all(table).into_iter().flat_map(|telling| telling.rows);
    let found = grouped(
        rows.filter(is_cheap)
            .map(|row| ((&row.report, &row.operation), row)),
    );
    let sentence = |rows: &[&Row]| {
        let told = rows.first().map(|row| row.told(row.measured)).unwrap_or_default();
        format!("{told} is less than entering and leaving the kernel costs anywhere: the library answered")
    };
    found
        .iter()
        .map(|(_, rows)| Finding::new(rows, sentence(rows)))
        .collect()
}

/// What no system call takes on the machine of a row, in seconds.
pub(super) fn cheapest(table: &Table, row: &Row) -> f64 {
    table.cycle(row).map_or(USUAL, |cycle| CHEAPEST_CALL * cycle)
}

/// Calls that are meant to be answered without the kernel, and say so.
pub(super) fn is_answered_by_a_library(row: &Row) -> bool {
    row.operation.split('.').any(|word| word == "vdso")
}

/// Half of what the kernel takes, by the same report, for what a library's call does; 0 where it does not say.
fn raw(table: &Table, row: &Row) -> f64 {
    if !row.is_by_libc() {
        return 0.0;
    }
    let call = row.operation.trim_end_matches(".libc");
    let raw = table.fastest_of(&row.report, |other| {
        other.operation.strip_prefix(call) == Some(".raw")
            || other.operation == call && other.params.get("method") == Some("raw")
    });
    raw.map_or(0.0, |(time, _)| OF_THE_KERNELS * time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn a_library_faster_than_the_kernel_is_found() {
        let text = "operation,measured,unit\nsyscall.getpid.raw,430,ns\nsyscall.getpid.libc,25,ns\n";
        assert_eq!(count(&RULE, text), 1);
    }

    #[test]
    fn a_cached_answer_is_found_once_and_a_call_is_none() {
        let heading = "operation,parameter,measured,unit\n";
        assert_eq!(
            count(
                &RULE,
                &format!("{heading}syscall.a,,12,ns\nsyscall.a,statistic=mean,12.3,ns\n")
            ),
            1
        );
        assert_eq!(
            count(
                &RULE,
                &format!(
                    "{heading}syscall.a,,54,ns\nclock.read,,12,ns\nsyscall.b,fit=slope,2,ns\nsyscall.c.vdso,,9,ns\n\
                     syscall.d.raw,,18.4,ns\nsyscall.d.libc,,18.1,ns\n"
                )
            ),
            0
        );
    }
}
