//! A system call too cheap to have entered the kernel.

use super::Rule;
use crate::table::grouped;
use crate::tellings;
use crate::{Finding, Table};

/// Seconds. Entering and leaving the kernel alone takes some 60 to 100 cycles on every processor of the last twenty
/// years; the cheapest whole calls that are published, above 5 GHz and without mitigations, take about 30 ns.
const CHEAPEST_CALL: f64 = 20e-9;

pub(crate) const RULE: Rule = Rule {
    id: "no_kernel_entry",
    code: "E01",
    what: "A system call that costs less than 20 ns.",
    why: "Entering and leaving the kernel alone costs more: a library answered from memory.",
    wrong_when: "A future processor enters its kernel in less time than any of today's.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let is_cheap = |row: &&crate::Row| {
        let time = row
            .result()
            .filter(|_| row.belongs("syscall") && row.is_time_of_one());
        time.is_some_and(|time| time > 0.0 && time < CHEAPEST_CALL)
    };
    let rows = tellings::all(table).into_iter().flat_map(|telling| telling.rows);
    let found = grouped(
        rows.filter(is_cheap)
            .map(|row| ((&row.report, &row.operation), row)),
    );
    let sentence = |rows: &[&crate::Row]| {
        let told = rows.first().map(|row| row.told(row.measured)).unwrap_or_default();
        format!("{told} is less than entering and leaving the kernel costs anywhere: the library answered")
    };
    found
        .iter()
        .map(|(_, rows)| Finding::new(rows, sentence(rows)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::count;
    use super::*;

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
                &format!("{heading}syscall.a,,54,ns\nclock.read,,12,ns\nsyscall.b,fit=slope,2,ns\n")
            ),
            0
        );
    }
}
