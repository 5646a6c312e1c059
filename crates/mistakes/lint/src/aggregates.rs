//! Rows that belong together: the deviation of a benchmark in a row of its own, and repetitions that are not numbered.

use crate::table::{Row, grouped};

/// Fewer equal rows are not repetitions.
const FEWEST_REPETITIONS: usize = 3;

/// Joins a row that gives the deviation of another (`copy_stddev` of `copy_mean`) to that one, and takes the unit from a
/// coefficient of variation, which is a share of the mean.
pub(crate) fn join_spreads(rows: &mut [Row]) {
    let spreads: Vec<Row> = rows.iter().filter(|row| row.params.is_spread()).cloned().collect();
    for spread in &spreads {
        if spread.params.get("statistic") != Some("stddev") {
            continue;
        }
        let point = spread.params.without(&["statistic"]).essence();
        for row in rows.iter_mut() {
            let plain = row.params.is_plain() && !row.params.is_trial() && row.deviation.is_none();
            if plain && row.params.essence() == point && row.same_quantity(spread) {
                row.deviation = spread.measured;
            }
        }
    }
    for row in rows.iter_mut().filter(|row| row.params.get("statistic") == Some("cv")) {
        (row.quantity, row.unit, row.unit_text) = (None, None, String::new());
    }
}

/// Numbers the rows of one machine and operation that are equal but for their figures: they are its trials.
pub(crate) fn number_repetitions(rows: &mut [Row]) {
    let keyed = rows.iter_mut().map(|row| {
        ((row.report.clone(), row.operation.clone(), row.params.clone(), row.labels.clone()), row)
    });
    for (_, repetitions) in grouped(keyed).into_iter().filter(|(_, rows)| rows.len() >= FEWEST_REPETITIONS) {
        for (at, row) in repetitions.into_iter().enumerate() {
            row.params.insert("trial", &(at + 1).to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn deviation_in_a_row_of_its_own_is_joined_to_its_mean() {
        let text = "name,real_time,time_unit\nBM_x_mean,50,ns\nBM_x_stddev,0.4,ns\nBM_x_cv,0.008,ns\n";
        let table = read(text, Vec::new()).unwrap();
        assert_eq!(table.rows[0].deviation.map(|figure| figure.value), Some(0.4));
        assert!(!table.rows[1].is_timed() && table.rows[2].unit.is_none());
    }

    #[test]
    fn three_rows_of_one_machine_are_its_trials() {
        for (text, count) in [
            ("host,a (us),b (us)\nx,1,4\nx,2,5\nx,3,6\ny,1,2\n", 6),
            ("host,a (us),b (us)\nx,1,4\nx,2,5\ny,1,2\n", 0),
        ] {
            let rows = read(text, Vec::new()).unwrap().rows;
            assert_eq!(rows.iter().filter(|row| row.params.is_trial()).count(), count);
        }
    }
}
