//! Rules for results that are the harness: the clock, the loop around, work that was optimised away.

use crate::context::Context;
use crate::finding::{Check, Finding, Rule};
use crate::statistics::median;
use crate::table::{Row, SHORTEST_PERIOD, Table};
use quantity::Quantity;

/// A loop that costs this share of a clock reading includes one.
const OF_CLOCK: f64 = 0.7;
/// A total of one iteration that is this near to a clock reading is nothing but the clock.
const SAME: f64 = 0.05;
/// Bytes that a simple loop moves per iteration, and how near to them a rate must be.
const WORDS: [f64; 2] = [4.0, 8.0];
const NEAR_WORD: f64 = 0.04;
/// Seconds, where the clock is unknown: a loop that takes less does not limit a memory.
const SLOW_LOOP: f64 = 1e-9;
/// A loop of more cycles than this is more than an addition and a branch.
const SLOW_CYCLES: f64 = 3.0;
/// The memory must be known to give this many times the rate.
const SHORT_OF: f64 = 2.0;
/// Shares of a procedure call that are the loop around it.
const MOSTLY_LOOP: std::ops::RangeInclusive<f64> = 0.8..=1.02;
/// Fewer iterations do not show what one costs in a loop.
const MANY: f64 = 100.0;

/// Operations that cannot overlap with themselves, and the fewest cycles of each. A loop ends in a taken branch, of which
/// the widest cores take two per cycle; a call and its return are two; the L1 cache answers a dependent load after three
/// cycles at least, which are half as many of a clock that runs at half the core's.
const FEWEST_CYCLES: [(&str, f64); 3] =
    [("loop.iteration", 0.45), ("call.procedure", 0.98), ("memory.latency", 1.5)];

/// Cycles. A loop with its counter in memory takes at least four: the time from a store to the load after it on every
/// processor that does not rename memory.
const STORED_COUNTER: f64 = 4.0;
/// Seconds, where the clock is unknown: four cycles at 2 GHz, six at 3 GHz.
const SLOW_COUNTER: f64 = 2e-9;
/// Fewer iterations include the start of the loop.
const SEVERAL: f64 = 10.0;

/// No core does more iterations in a cycle, where each ends in a branch.
const MOST_PER_CYCLE: f64 = 3.0;
/// A total this much below that of fewer iterations has fallen.
const FALL: f64 = 0.05;

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "harness_cost",
        code: "E04",
        what: "A loop that costs as much as reading the clock; a memory bandwidth of one word of 4 or 8 bytes per \
               iteration of a slow loop; a procedure call of which four fifths are the loop.",
        example: "operation,measured,unit\nclock.read.rdtsc,6.99,ns\nloop.iteration,5.82,ns\n",
        why: "The time is that of the harness; the operation itself is negligible beside it.",
        wrong_when: "The memory happens to give one word per iteration, at less than half of its bandwidth.",
        checks: &[Check::Table(harness_cost)],
    },
    Rule {
        id: "below_a_cycle",
        code: "E05",
        what: "A loop iteration, a procedure call or a dependent load that takes fewer cycles than any core needs.",
        example: "operation,measured,unit\ncall.procedure,0.05,ns\n",
        why: "The overhead that was subtracted is as large as the result: only noise is left.",
        wrong_when: "The operation was inlined or vectorised and kept its name.",
        checks: &[Check::Points(below_a_cycle)],
    },
    Rule {
        id: "unoptimised",
        code: "E12",
        what: "An empty loop of four or more cycles per iteration.",
        example: "operation,measured,unit\nloop.iteration,2.44,ns\n",
        why: "Its counter is in memory: the harness, and so everything that it timed, was compiled without optimisation.",
        wrong_when: "The counter is in memory on purpose, and neither name nor parameters say so; or the core ran far below \
                     the stated clock, or needs as long for a branch.",
        checks: &[Check::Reports(unoptimised)],
    },
    Rule {
        id: "removed_work",
        code: "E13",
        what: "A total for more iterations of a loop below that for fewer, or below a third of a cycle per iteration.",
        example: "operation,parameter,measured,unit\nloop.iteration,n=100 scope=total,134,ns\n\
                  loop.iteration,n=1000 scope=total,0.9,ns\n",
        why: "The work was not done: the compiler removed it, or the counter overflowed.",
        wrong_when: "The loop was unrolled or vectorised, and `n` counts elements rather than iterations.",
        checks: &[Check::Table(removed_work)],
    },
];

fn is_loop(row: &Row) -> bool {
    row.belongs("loop.iteration") && row.result().is_some() && !row.has_word("unoptimised")
}

/// What one iteration costs, in seconds.
fn per_iteration(row: &Row) -> Option<f64> {
    let many = row.params.iterations();
    let iterations = if row.is_total() { many? } else { 1.0 };
    Some(row.result()? / iterations)
}

fn harness_cost(context: &Context<'_>) -> Vec<Finding> {
    let table = context.table;
    let mut findings = Vec::new();
    for report in table.reports() {
        findings.extend(loop_of_clock_reads(table, report));
        if let Some((cost, row)) = loop_cost(table, report) {
            findings.extend(word_per_iteration(context, report, cost, row));
            findings.extend(call_of_loop(table, report, cost, row));
        }
    }
    findings
}

/// The loops that cost as much as reading the clock.
fn loop_of_clock_reads(table: &Table, report: &str) -> Option<Finding> {
    let (clock, read) = table.fastest(report, "clock.read")?;
    let loops = table.rows_of(report).filter(|row| is_loop(row) && !row.params.is_trial());
    let like_clock = loops.filter(|row| {
        let (time, single) = (row.time(), row.params.iterations().is_some_and(|n| n <= 1.0));
        time.is_some_and(|time| match (row.is_total(), single) {
            (true, true) => (time / clock - 1.0).abs() < SAME,
            // One iteration that is not a total, or a total of many, shows nothing.
            (true, false) | (false, true) => false,
            (false, false) => time > OF_CLOCK * clock && time < clock / OF_CLOCK,
        })
    });
    let rows: Vec<&Row> = like_clock.collect();
    let first = rows.first()?.shown();
    let text = format!("{first}, and reading the clock takes {}: the loop reads the clock", read.shown());
    Some(Finding::new(&[rows, vec![read]].concat(), text))
}

/// What an iteration costs: the median over a report's long loops, and the row nearest to it.
fn loop_cost<'t>(table: &'t Table, report: &'t str) -> Option<(f64, &'t Row)> {
    let loops = table
        .rows_of(report)
        .filter(|row| {
            let summary = row.is_time_of_one() && row.params.is_plain() && !row.params.is_trial();
            summary && row.belongs("loop.iteration") && row.params.iterations().is_none_or(|n| n >= MANY)
        })
        .filter_map(|row| Some((per_iteration(row)?, row)));
    let loops: Vec<(f64, &Row)> = loops.collect();
    let cost = median(&loops.iter().map(|(cost, _)| *cost).collect::<Vec<f64>>());
    loops.into_iter().min_by(|a, b| (a.0 - cost).abs().total_cmp(&(b.0 - cost).abs()))
}

/// Rates of memory that are a word per iteration.
fn word_per_iteration(context: &Context<'_>, report: &str, cost: f64, timed: &Row) -> Vec<Finding> {
    if cost < timed.period.map_or(SLOW_LOOP, |period| SLOW_CYCLES * period) {
        return Vec::new();
    }
    let fastest = context.table.memory_rate(report).unwrap_or(0.0);
    let of_claims = context.claims.iter().filter_map(|claim| {
        let row = claim.rows.iter().find(|row| row.report == report && row.result().is_some())?;
        let is_rate = row.is(Quantity::Bandwidth) && row.belongs("memory");
        let rate = row.result().filter(|rate| is_rate && rate * SHORT_OF < fastest)?;
        let word = WORDS.iter().find(|word| (rate * cost / **word - 1.0).abs() < NEAR_WORD)?;
        let loop_ns = cost * 1e9;
        let text = format!("{} is {word} bytes per iteration of a loop of {loop_ns:.2} ns", row.shown());
        Some(Finding::new(&[claim.rows.as_slice(), &[timed]].concat(), text))
    });
    of_claims.collect()
}

/// A call without arguments that costs hardly more than the loop around it.
fn call_of_loop(table: &Table, report: &str, cost: f64, timed: &Row) -> Option<Finding> {
    let (call, row) = table.fastest(report, "call.procedure")?;
    let share = cost / call;
    // A loop of one cycle beside a call of one is no harness.
    let slow = cost > 2.0 * SLOW_LOOP || timed.period.is_some_and(|period| cost > SLOW_CYCLES * period);
    let percent = share.min(1.0) * 100.0;
    let text = format!("{percent:.0} % of {} is the loop around the call", row.shown());
    (slow && MOSTLY_LOOP.contains(&share)).then(|| Finding::new(&[row, timed], text))
}

fn below_a_cycle(context: &Context<'_>, row: &Row) -> Option<String> {
    let (_, cycles) = FEWEST_CYCLES.iter().find(|(prefix, _)| row.belongs(prefix))?;
    // A loop in seconds is the clock by which other rows are judged; only the fastest core judges it.
    let period = match row.belongs("loop.iteration") {
        true => row.period.filter(|_| row.in_cycles()),
        false => context.table.cycle(row),
    };
    let time = row.time()?;
    (time < cycles * period.unwrap_or(SHORTEST_PERIOD)).then(|| {
        let shown = row.shown();
        format!(
            "{shown} is less than any core needs: the overhead that was subtracted is as large as the result"
        )
    })
}

fn unoptimised(context: &Context<'_>, report: &str) -> Option<Finding> {
    let table = context.table;
    let loops: Vec<&Row> = table
        .rows_of(report)
        .filter(|row| {
            let in_register = row.params.get("counter").is_none_or(|place| place == "register");
            let several = row.params.iterations().is_none_or(|n| n >= SEVERAL);
            is_loop(row) && in_register && several && !row.params.is_extreme()
        })
        .collect();
    let costs: Vec<f64> = loops.iter().filter_map(|row| per_iteration(row)).collect();
    let cost = median(&costs);
    let period = loops.first()?.period;
    let slow = period.map_or(SLOW_COUNTER, |period| STORED_COUNTER * period);
    // A loop that costs as much as the clock includes the clock, which has its own rule.
    let is_clock = table.fastest(report, "clock.read").is_some_and(|(clock, _)| cost > OF_CLOCK * clock);
    if costs.is_empty() || cost < slow || is_clock {
        return None;
    }
    let cycles = period.map_or_else(String::new, |period| format!(" ({:.1} cycles)", cost / period));
    let cost_ns = cost * 1e9;
    let text = format!("an empty loop takes {cost_ns:.2} ns{cycles} per iteration: its counter is in memory");
    Some(Finding::new(&loops, text))
}

fn removed_work(context: &Context<'_>) -> Vec<Finding> {
    let totals = context.first_of_claims(|row| {
        row.is_total() && row.is_time_of_one() && row.params.is_plain() && row.result().is_some()
    });
    let totals: Vec<(f64, f64, &Row)> =
        totals.into_iter().filter_map(|row| Some((row.params.iterations()?, row.result()?, row))).collect();
    let wrong = totals.iter().filter_map(|(n, time, row)| {
        let point = row.params.essence().without(&["n", "iterations"]);
        let shorter = totals.iter().find(|(fewer, longer, other)| {
            let same =
                row.same_quantity(other) && other.params.essence().without(&["n", "iterations"]) == point;
            same && fewer < n && *time < longer * (1.0 - FALL)
        });
        if let Some((fewer, _, other)) = shorter {
            let text = format!("{} for {n} iterations and {} for {fewer}", row.shown(), other.shown());
            return Some(Finding::new(&[row, other], text));
        }
        let least = n * context.table.cycle(row).unwrap_or(SHORTEST_PERIOD) / MOST_PER_CYCLE;
        let text = format!("{} for {n} iterations is less than a third of a cycle each", row.shown());
        (*time < least && *time > 0.0).then(|| Finding::new(&[row], text))
    });
    wrong.collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{HEADING, expect, expect_count};

    #[test]
    fn clock_word_and_loop_are_found_in_results() {
        let found = [
            "clock.read.x,,6.99,ns,\nloop.iteration,,5.818,ns,\n",
            "clock.read.x,,44,ns,\nloop.iteration,n=1 scope=total,45,ns,\n",
            "loop.iteration,,2.44,ns,\nmemory.bandwidth.read,,1.64,GB/s,12.8\n",
            "loop.iteration,,2.44,ns,\ncall.procedure,arguments=0,2.9,ns,\n",
        ];
        let right = [
            "clock.read.x,,20,ns,\nloop.iteration,,0.33,ns,\ncall.procedure,,0.9,ns,\nmemory.bandwidth.read,,12,GB/s,25\n\
             loop.iteration,n=10 scope=total,22,ns,\n",
            // A fast memory beside a slow loop.
            "loop.iteration,,2.44,ns,\nmemory.bandwidth.read,,1.64,GB/s,1.7\n",
        ];
        expect("harness_cost", "operation,parameter,measured,unit,predicted\n", &found, &right);
    }

    #[test]
    fn less_than_a_cycle_is_found_once_per_point() {
        let heading = "operation,parameter,measured,unit,measured_si\n";
        let text = "loop.iteration,n=1 trial=1,0.01,cycles,4e-12\nloop.iteration,n=1 trial=2,0.02,cycles,8e-12\n\
                    call.procedure,,0.9,cycles,3.6e-10\n";
        expect_count("below_a_cycle", 2, heading, text);
        let right = "arithmetic.add,,0.25,cycles,1e-10\nclock.frequency,,1,cycles,4e-10\n\
                     call.procedure,fit=slope per=argument,0.4,cycles,1.6e-10\nloop.iteration,,1,cycles,4e-10\n\
                     memory.latency,level=L1,4,cycles,16e-10\n";
        expect_count("below_a_cycle", 0, heading, right);
    }

    #[test]
    fn counter_in_memory_is_found_unless_stated() {
        let right = "loop.iteration,,0.34,ns\nloop.iteration.unoptimised,,2.5,ns\nloop.iteration,counter=memory,2.5,ns\n\
                     loop.iteration,n=1,9,ns\n";
        expect("unoptimised", HEADING, &["loop.iteration,,2.44,ns\n"], &[right]);
        let total = "loop.iteration,n=1000 scope=total,6554,cycles,2.9e-6\n";
        expect_count("unoptimised", 1, "operation,parameter,measured,unit,measured_si\n", total);
    }

    #[test]
    fn totals_that_do_not_grow_are_found() {
        let text = "loop.iteration,n=100 scope=total,134,ns\nloop.iteration,n=1000 scope=total,1.4,ns\n\
                    loop.iteration,iterations=10000 scope=total,1.4,ns\n";
        expect_count("removed_work", 2, HEADING, text);
        let right = "loop.iteration,n=1 scope=total,44,ns\nloop.iteration,n=10 scope=total,44,ns\n\
                     loop.iteration,n=1000 scope=total,334,ns\nloop.iteration,n=10000,0.3,ns\n";
        expect_count("removed_work", 0, HEADING, right);
    }
}
