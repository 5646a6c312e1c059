//! What an analysis comes to in a few numbers for each point, for whoever reads many records.

use super::analysis::Analysis;
use crate::rows::row::Row;
use record::SummaryRow;

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
        interval: estimate.and_then(|estimate| estimate.interval),
        trials: estimate.map_or(0, |estimate| estimate.trials as u32),
    }
}
