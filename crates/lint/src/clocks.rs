//! How long a cycle is, for rows that are told in cycles: from the rows that tell a time beside, or the machine.

use crate::table::Table;

/// Clocks of processors lie between these, in Hz; anything else is another mistake.
const PLAUSIBLE: std::ops::Range<f64> = 1e8..1e10;

/// Fills in the period of every report's cycles.
pub(crate) fn find(table: &mut Table) {
    let reports: Vec<String> = table.reports().into_iter().map(str::to_owned).collect();
    for report in reports {
        let period = by_rows(table, &report).or_else(|| by_machine(table, &report));
        for row in table.rows.iter_mut().filter(|row| row.report == report) {
            row.period = period;
        }
    }
}

/// The median of what rows in cycles tell in seconds, per cycle.
fn by_rows(table: &Table, report: &str) -> Option<f64> {
    let mut periods: Vec<f64> = table
        .of(report)
        .filter(|row| row.in_cycles())
        .filter_map(|row| Some(row.measured_si? / row.measured.filter(|cycles| cycles.value > 0.0)?.value))
        .filter(|period| PLAUSIBLE.contains(&(1.0 / period)))
        .collect();
    periods.sort_by(f64::total_cmp);
    periods.get(periods.len() / 2).copied()
}

fn by_machine(table: &Table, report: &str) -> Option<f64> {
    let clock = table.machine(report)?.clock_hz?;
    PLAUSIBLE.contains(&clock).then_some(1.0 / clock)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{Machine, read};

    #[test]
    fn the_rows_themselves_come_first_and_the_machine_second() {
        let rows = "report,operation,measured,unit,measured_si\nA,x,10,cycles,4e-9\nB,x,10,cycles,\nC,x,10,cycles,\n";
        let machine = Machine {
            report: "B".to_owned(),
            clock_hz: Some(2e9),
            ..Machine::default()
        };
        let table = read(rows, vec![machine]).unwrap();
        let results: Vec<Option<f64>> = table.rows.iter().map(crate::Row::result).collect();
        assert_eq!(results, [Some(4e-9), Some(5e-9), None]);
    }
}
