//! A loop that costs several cycles per iteration.

use crate::finding::{Finding, Rule};
use crate::statistics::median;
use crate::table::{Row, Table};

/// Cycles. An empty loop takes one; a counter in memory takes at least four, which is how long a store takes to reach
/// the load after it on every processor that does not rename memory.
const STORED_COUNTER: f64 = 4.0;
/// Seconds, where the clock is not known: four cycles at 2 GHz, six at 3 GHz.
const SLOW: f64 = 2e-9;

pub(crate) const RULE: Rule = Rule {
    id: "unoptimised",
    code: "E12",
    what: "An empty loop that takes four cycles or more per iteration.",
    why: "Its counter lives in memory: the harness was compiled without optimisation, and so was all that it timed.",
    wrong_when: "The loop was meant to have its counter in memory, and neither name nor parameters say so; or the \
                 core ran far below the clock that the table tells, or is so simple that a branch alone takes as long.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    table
        .reports()
        .into_iter()
        .filter_map(|report| judge(table, report))
        .collect()
}

fn judge(table: &Table, report: &str) -> Option<Finding> {
    let loops: Vec<&Row> = table.of(report).filter(|row| is_loop(row)).collect();
    let costs: Vec<f64> = loops.iter().filter_map(|row| per_iteration(row)).collect();
    let cost = median(&costs);
    let period = loops.first()?.period;
    let slow = period.map_or(SLOW, |period| STORED_COUNTER * period);
    let clock = table.fastest(report, "clock.read").map(|(time, _)| time);
    // A loop as dear as the clock holds the clock: that is the harness, not the compiler.
    let is_clock = clock.is_some_and(|clock| cost > 0.7 * clock);
    if costs.is_empty() || cost < slow || is_clock {
        return None;
    }
    let cycles = period.map_or_else(String::new, |period| format!(", {:.1} cycles,", cost / period));
    let text = format!(
        "an empty loop takes {:.2} ns{cycles} per iteration: its counter is in memory",
        cost * 1e9
    );
    Some(Finding::new(&loops, text))
}

/// A loop that is not declared to be slow.
fn is_loop(row: &Row) -> bool {
    row.belongs("loop.iteration")
        && !row.operation.contains("unoptimised")
        && row.params.get("counter").is_none_or(|place| place == "register")
        && row.result().is_some()
        && !row.params.is_extreme()
        // One iteration, or the first few, are not what a loop costs.
        && row.params.iterations().is_none_or(|n| n >= 10.0)
}

fn per_iteration(row: &Row) -> Option<f64> {
    let whole = row.params.get("scope") == Some("total");
    Some(row.result()? / if whole { row.params.iterations()? } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn a_counter_in_memory_is_found() {
        assert_eq!(
            count(
                &RULE,
                "operation,parameter,measured,unit\nloop.iteration,,2.44,ns\n"
            ),
            1
        );
        let total = "operation,parameter,measured,unit,measured_si\nloop.iteration,n=1000 scope=total,6554,cycles,2.9e-6\n";
        assert_eq!(count(&RULE, total), 1);
    }

    #[test]
    fn good_loops_and_declared_ones_are_none() {
        let text = "operation,parameter,measured,unit\nloop.iteration,,0.34,ns\nloop.iteration.unoptimised,,2.5,ns\n\
                    loop.iteration,counter=memory,2.5,ns\nloop.iteration,n=1,9,ns\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
