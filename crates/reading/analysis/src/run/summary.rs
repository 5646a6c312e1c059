//! What an analysis comes to in a few numbers for each point, for whoever reads many records.

use super::analysis::Analysis;
use crate::rows::row::Row;
use record::SummaryRow;
use stats::interval::Interval;

impl Analysis {
    /// The points with their verdicts and estimates, as the end of a record has them.
    pub fn summary_rows(&self) -> Vec<SummaryRow> {
        self.rows.iter().map(summary_row).collect()
    }

    /// The share of the time in which the busiest probed core was quiet; `None` where none was probed.
    pub fn least_quiet_share(&self) -> Option<f64> {
        let shares = self.cpus.iter().map(|cpu| cpu.quiet_share);
        shares.min_by(f64::total_cmp)
    }
}

fn summary_row(row: &Row) -> SummaryRow {
    let estimate = row.estimate.as_ref();
    SummaryRow {
        id: row.point.id.clone(),
        quantity: row.quantity(),
        revision: row.point.revision,
        verdict: row.verdict.word().to_owned(),
        typical: estimate.map(|estimate| estimate.typical),
        interval: estimate.and_then(|estimate| estimate.interval).map(Interval::ends),
        trials: estimate.map_or(0, |estimate| estimate.trials as u32),
        // In whole hertz, which are shorter.
        core_hz: estimate.and_then(|estimate| estimate.core_hz).map(f64::round),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::{Estimate, Verdict};
    use quantity::Quantity;
    use record::{PlannedPoint, PointId};

    #[test]
    fn a_summary_has_what_the_rows_came_to() {
        let id = PointId::new("a.x", "");
        let planned = PlannedPoint { quantity: Quantity::Size, revision: 3, ..PlannedPoint::new(id.clone()) };
        let mut row = Row { verdict: Verdict::Noisy, ..Row::new(planned) };
        let (typical, interval, trials, core_hz) = (5.0, Some((4.0, 6.0)), 7, Some(3e9));
        row.estimate = Some(Estimate {
            typical,
            interval: Some(Interval::at_level(4.0, 6.0, 0.95)),
            trials,
            core_hz: Some(3e9 + 0.2),
            ..Estimate::default()
        });
        let analysis = Analysis { rows: vec![row, Row::default()], ..Analysis::default() };
        let (quantity, verdict) = (Quantity::Size, "noisy".to_owned());
        let typical = Some(typical);
        let expected =
            SummaryRow { id, quantity, revision: 3, verdict, typical, interval, trials: 7, core_hz };
        let rows = analysis.summary_rows();
        assert_eq!(rows.first(), Some(&expected));
        let nothing = rows.last().map(|row| (row.verdict.as_str(), row.typical, row.interval, row.trials));
        assert_eq!(nothing, Some(("skipped", None, None, 0)));
        assert_eq!(analysis.least_quiet_share(), None);
    }
}
