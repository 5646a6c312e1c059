//! Results that are the clock or the loop around them.

use crate::finding::{Finding, Rule};
use crate::statistics::median;
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Quantity;

/// A loop that costs so much of a clock reading has one inside.
const OF_CLOCK: f64 = 0.7;
/// The first few iterations timed together may differ from the clock by so much when they are nothing beside it.
const SAME: f64 = 0.05;
/// Bytes that an unrolled or plain loop of simple code moves at a time, and how near the rate must come.
const WORDS: [f64; 2] = [4.0, 8.0];
const NEAR_WORD: f64 = 0.04;
/// A loop that costs less is not the limit of any memory.
const SLOW_LOOP: f64 = 1e-9;
/// The memory must be known to do more than so many times the rate.
const SHORT_OF: f64 = 2.0;
/// A call that is at least so much loop.
const MOSTLY_LOOP: f64 = 0.8;
const ALL_LOOP: f64 = 1.02;
/// A loop of more cycles than this is more than a count and a branch.
const SLOW_CYCLES: f64 = 3.0;

pub(crate) const RULE: Rule = Rule {
    id: "the_harness",
    code: "E04",
    what: "A loop that costs what reading the clock costs; a bandwidth that is one word of 4 or 8 bytes per iteration \
           of a slow loop; a procedure call that is four fifths loop.",
    why: "What was timed is the harness: the thing itself disappears beside it.",
    wrong_when: "Memory happens to give just one word in the time of a loop, at less than half of what it can.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for report in table.reports() {
        let clock = table.fastest(report, "clock.read");
        findings.extend(clock.and_then(|(time, row)| loop_is_clock(table, report, time, row)));
        let Some((cost, row)) = loop_cost(table, report) else {
            continue;
        };
        findings.extend(words(table, report, cost, row));
        findings.extend(call_is_loop(table, report, cost, row));
    }
    findings
}

/// The rows of loops, and what they take altogether when few iterations are timed.
fn loop_is_clock(table: &Table, report: &str, clock: f64, read: &Row) -> Option<Finding> {
    let loops = table.of(report).filter(|row| {
        row.belongs("loop.iteration")
            && row.is_time_of_one()
            && !row.params.is_trial()
            && !row.operation.contains("unoptimised")
    });
    let meant = loops.filter(|row| {
        let whole = row.params.get("scope") == Some("total");
        let first = row.params.iterations().is_some_and(|n| n <= 1.0);
        row.result().is_some_and(|time| match (whole, first) {
            (true, true) => (time / clock - 1.0).abs() < SAME,
            // With n = 1 and no total, or a total of many, nothing can be said.
            (true, false) | (false, true) => false,
            (false, false) => time > OF_CLOCK * clock && time < clock / OF_CLOCK,
        })
    });
    let rows: Vec<&Row> = meant.collect();
    let told = rows.first()?.told(rows.first()?.measured);
    let text = format!(
        "{told}, and reading the clock takes {}: the loop is the clock",
        read.told(read.measured)
    );
    Some(Finding::new(
        &rows.iter().copied().chain([read]).collect::<Vec<_>>(),
        text,
    ))
}

/// What an iteration costs: the median of what the report tells of many, totals divided.
fn loop_cost<'t>(table: &'t Table, report: &'t str) -> Option<(f64, &'t Row)> {
    let loops: Vec<(f64, &Row)> = table
        .of(report)
        .filter(|row| {
            row.belongs("loop.iteration")
                && row.is_time_of_one()
                && row.params.is_plain()
                && !row.params.is_trial()
        })
        .filter(|row| row.params.iterations().is_none_or(|n| n >= 100.0))
        .filter_map(|row| {
            let whole = row.params.get("scope") == Some("total");
            Some((
                row.result()? / if whole { row.params.iterations()? } else { 1.0 },
                row,
            ))
        })
        .collect();
    let cost = median(&loops.iter().map(|(cost, _)| *cost).collect::<Vec<f64>>());
    loops
        .into_iter()
        .min_by(|a, b| (a.0 - cost).abs().total_cmp(&(b.0 - cost).abs()))
}

/// Rates of memory that are a word per iteration.
fn words(table: &Table, report: &str, cost: f64, timed: &Row) -> Vec<Finding> {
    let fast = timed.period.map_or(SLOW_LOOP, |period| SLOW_CYCLES * period);
    if cost < fast {
        return Vec::new();
    }
    let rates: Vec<&Row> = table
        .of(report)
        .filter(|row| row.is(Quantity::Bandwidth) && row.belongs("memory"))
        .collect();
    let known = rates
        .iter()
        .flat_map(|row| [row.si(row.base), row.si(row.predicted), row.result()]);
    let fastest = known.flatten().fold(0.0, f64::max);
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let Some(row) = telling
            .rows
            .iter()
            .find(|row| row.report == report && row.result().is_some())
        else {
            continue;
        };
        let rate = row
            .result()
            .filter(|_| row.is(Quantity::Bandwidth) && row.belongs("memory"));
        let Some(rate) = rate.filter(|rate| rate * SHORT_OF < fastest) else {
            continue;
        };
        let word = WORDS
            .iter()
            .find(|word| (rate * cost / **word - 1.0).abs() < NEAR_WORD);
        if let Some(word) = word {
            let text = format!(
                "{} is {word} bytes per iteration of a loop of {:.2} ns",
                row.told(row.measured),
                cost * 1e9
            );
            let rows: Vec<&Row> = telling.rows.iter().copied().chain([timed]).collect();
            findings.push(Finding::new(&rows, text));
        }
    }
    findings
}

/// A call without arguments that costs hardly more than the loop around it.
fn call_is_loop(table: &Table, report: &str, cost: f64, timed: &Row) -> Option<Finding> {
    let (call, row) = table.fastest(report, "call.procedure")?;
    let share = cost / call;
    // A loop of one cycle beside a call of one is no harness.
    let slow = cost > 2.0 * SLOW_LOOP || timed.period.is_some_and(|period| cost > SLOW_CYCLES * period);
    (slow && (MOSTLY_LOOP..=ALL_LOOP).contains(&share)).then(|| {
        let text = format!(
            "{} of which {:.0} % is the loop around it",
            row.told(row.measured),
            share.min(1.0) * 100.0
        );
        Finding::new(&[row, timed], text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    const HEADING: &str = "operation,parameter,measured,unit,predicted\n";

    #[test]
    fn clock_word_and_loop_are_found() {
        for wrong in [
            "clock.read.x,,6.99,ns,\nloop.iteration,,5.818,ns,\n",
            "clock.read.x,,44,ns,\nloop.iteration,n=1 scope=total,45,ns,\n",
            "loop.iteration,,2.44,ns,\nmemory.bandwidth.read,,1.64,GB/s,12.8\n",
            "loop.iteration,,2.44,ns,\ncall.procedure,arguments=0,2.9,ns,\n",
        ] {
            assert_eq!(count(&RULE, &format!("{HEADING}{wrong}")), 1, "{wrong}");
        }
    }

    #[test]
    fn good_harnesses_are_none() {
        let text = "clock.read.x,,20,ns,\nloop.iteration,,0.33,ns,\ncall.procedure,,0.9,ns,\nmemory.bandwidth.read,,12,GB/s,25\n\
                    loop.iteration,n=10 scope=total,22,ns,\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 0);
        // A fast memory beside a slow loop.
        assert_eq!(
            count(
                &RULE,
                &format!("{HEADING}loop.iteration,,2.44,ns,\nmemory.bandwidth.read,,1.64,GB/s,1.7\n")
            ),
            0
        );
    }
}
