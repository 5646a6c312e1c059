//! Work done in less time than the processor needs for the least of it.

use crate::finding::{Finding, Rule};
use crate::table::{Row, SHORTEST_PERIOD, Table, grouped};

/// Operations that cannot overlap with themselves, and the fewest cycles each can take. A loop ends in a taken branch,
/// of which the widest cores take two per cycle; a call and its return are two of them; the nearest cache answers a
/// dependent load after three cycles at the least, which are half as many of a clock that runs at half the core's.
const FEWEST: [(&str, f64); 3] = [
    ("loop.iteration", 0.45),
    ("call.procedure", 0.98),
    ("memory.latency", 1.5),
];

pub(crate) const RULE: Rule = Rule {
    id: "below_a_cycle",
    code: "E05",
    what: "A loop, a procedure call or a dependent load in less time than a core needs for one.",
    why: "What was subtracted was as large as the result: what is left is noise.",
    wrong_when: "The operation was inlined or vectorised and is still called by its old name.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let found = table.rows.iter().filter(|row| too_fast(table, row));
    grouped(found.map(|row| ((&row.report, &row.operation, row.params.essence()), row)))
        .iter()
        .map(|(_, rows)| Finding::new(rows, sentence(rows)))
        .collect()
}

fn too_fast(table: &Table, row: &Row) -> bool {
    let fewest = FEWEST.iter().find(|(prefix, _)| row.belongs(prefix));
    let (Some((_, cycles)), Some(time)) = (fewest, row.result()) else {
        return false;
    };
    // A loop in seconds is the clock by which the others are judged; nothing but the fastest core judges it.
    let is_clock = row.belongs("loop.iteration") && !row.in_cycles();
    let cycle = if row.belongs("loop.iteration") {
        row.period
    } else {
        table.cycle(row)
    };
    let period = cycle.filter(|_| !is_clock).unwrap_or(SHORTEST_PERIOD);
    row.is_time_of_one() && time > 0.0 && time < cycles * period
}

fn sentence(rows: &[&Row]) -> String {
    let told = rows.first().map(|row| row.told(row.measured)).unwrap_or_default();
    format!(
        "{told} is less than the core needs for one: the overhead that was subtracted was the whole result"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn less_than_a_cycle_is_found_once_per_point() {
        let text = "operation,parameter,measured,unit,measured_si\nloop.iteration,n=1 trial=1,0.01,cycles,4e-12\n\
                    loop.iteration,n=1 trial=2,0.02,cycles,8e-12\ncall.procedure,,0.9,cycles,3.6e-10\n";
        assert_eq!(count(&RULE, text), 2);
    }

    #[test]
    fn throughputs_periods_and_slopes_are_none() {
        let text = "operation,parameter,measured,unit,measured_si\narithmetic.add,,0.25,cycles,1e-10\n\
                    clock.frequency,,1,cycles,4e-10\ncall.procedure,fit=slope per=argument,0.4,cycles,1.6e-10\n\
                    loop.iteration,,1,cycles,4e-10\nmemory.latency,level=L1,4,cycles,16e-10\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
