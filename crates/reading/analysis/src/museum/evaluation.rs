//! What each exhibit comes to in a record.

use super::exhibit::{Demonstration, Exhibit};
use super::exhibits;
use super::wrong_statistics::{PointSamples, StatisticPair};
use crate::answers::contrast::{Direction, contrast, quotient_of};
use crate::rows::reason::Reason;
use crate::rows::row::{Row, Verdict};
use crate::run::analysis::Analysis;
use crate::thresholds::{NARROW_FACTOR, VISIBLE_ERROR};
use quantity::Quantity;
use record::{PointId, Range, Record};

/// What an exhibit comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The wrong method reads too high.
    High,
    /// It reads too low.
    Low,
    /// The error does not show: wrong and right agree.
    Hidden,
    /// The interval of the factor is too wide to say.
    Undecided,
    /// One of the two has no number.
    NoNumber(NoNumber),
    /// The record has not what it takes.
    Absent,
}

/// Why a result of an exhibit has no number.
#[derive(Debug, Clone, PartialEq)]
pub enum NoNumber {
    /// A row has none, because of its verdict with its reasons.
    Row(PointId, Verdict, Vec<Reason>),
    /// There are too few samples.
    TooFewSamples,
}

/// An exhibit as a record shows it.
#[derive(Debug, Clone)]
pub struct ShownExhibit {
    /// The exhibit.
    pub exhibit: &'static Exhibit,
    /// The points that were read, the wrong one first.
    pub points: Vec<PointId>,
    /// What is wrong with it.
    pub wrong: String,
    /// What is compared, where it is not the result itself: `deviation`.
    pub of: &'static str,
    /// What the wrong way gave.
    pub gave: Option<f64>,
    /// What the right way gave.
    pub right_gave: Option<f64>,
    /// The kind of both.
    pub quantity: Quantity,
    /// Wrong divided by right, with its interval.
    pub factor: Option<Range>,
    /// What it comes to.
    pub outcome: Outcome,
}

/// Every exhibit in the order of the tour, as this record shows it.
pub fn museum(record: &Record, analysis: &Analysis) -> Vec<ShownExhibit> {
    exhibits().map(|exhibit| evaluate(exhibit, record, analysis)).collect()
}

fn evaluate(exhibit: &'static Exhibit, record: &Record, analysis: &Analysis) -> ShownExhibit {
    let spots = exhibit.spots();
    let points: Vec<PointId> = spots.iter().map(|spot| PointId::new(spot.operation, spot.point)).collect();
    let rows: Option<Vec<&Row>> = points.iter().map(|id| analysis.row(id)).collect();
    let absent = ShownExhibit {
        exhibit,
        points,
        wrong: exhibit.flaw.to_owned(),
        of: "",
        gave: None,
        right_gave: None,
        quantity: Quantity::Latency,
        factor: None,
        outcome: Outcome::Absent,
    };
    match (&exhibit.demonstration, rows.as_deref()) {
        (Demonstration::Method(_), Some([row])) => {
            let wrong = row.point.flaw.clone().unwrap_or_default();
            beside(ShownExhibit { wrong, ..absent }, row, row.point.beside.clone(), analysis)
        }
        (Demonstration::Mistaken { .. }, Some([row, right])) => {
            beside(absent, row, Some(right.point.id.clone()), analysis)
        }
        (Demonstration::Read { statistic, .. }, Some(rows)) => {
            let points: Vec<PointSamples<'_>> =
                rows.iter().map(|row| PointSamples::from_record(row, record)).collect();
            read(absent, rows, statistic(&points))
        }
        _ => absent,
    }
}

/// Two points, one beside the other.
fn beside(shown: ShownExhibit, row: &Row, right: Option<PointId>, analysis: &Analysis) -> ShownExhibit {
    let made = contrast(row, &shown.wrong, right, &analysis.rows);
    let right = made.right.as_ref().and_then(|id| analysis.row(id));
    let outcome = match (made.factor, right) {
        (Some(factor), _) => judge(factor),
        (None, None) => Outcome::Absent,
        (None, Some(right)) => no_number(&[row, right]),
    };
    ShownExhibit {
        points: std::iter::once(made.method).chain(made.right).collect(),
        gave: made.gave,
        right_gave: made.right_gave,
        quantity: made.quantity,
        factor: made.factor,
        outcome,
        ..shown
    }
}

/// Batches of right points, read wrongly.
fn read(shown: ShownExhibit, rows: &[&Row], pair: Option<StatisticPair>) -> ShownExhibit {
    let Some(pair) = pair else {
        return ShownExhibit { outcome: no_number(rows), ..shown };
    };
    let factor = pair.factor.or_else(|| quotient_of(pair.wrong, pair.right));
    ShownExhibit {
        of: pair.of,
        gave: Some(pair.wrong.value),
        right_gave: Some(pair.right.value),
        quantity: pair.quantity,
        factor,
        outcome: factor.map_or_else(|| no_number(rows), judge),
        ..shown
    }
}

fn judge(factor: Range) -> Outcome {
    let off = (factor.value - 1.0).abs();
    let around = factor.low > 1.0 - NARROW_FACTOR && factor.high < 1.0 + NARROW_FACTOR;
    match Direction::from_factor(factor) {
        Direction::Above if off >= VISIBLE_ERROR => Outcome::High,
        Direction::Below if off >= VISIBLE_ERROR => Outcome::Low,
        Direction::Above | Direction::Below => Outcome::Hidden,
        Direction::Undecided if around => Outcome::Hidden,
        Direction::Undecided => Outcome::Undecided,
    }
}

/// Why there is no factor: what the first row without a number says.
fn no_number(rows: &[&Row]) -> Outcome {
    let without = rows.iter().find(|row| row.estimate.is_none());
    Outcome::NoNumber(without.map_or(NoNumber::TooFewSamples, |row| {
        NoNumber::Row(row.point.id.clone(), row.verdict, row.reasons.clone())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::fixtures::{range, row};

    #[test]
    fn error_shows_where_it_is_certain_and_large_enough() {
        for (factor, outcome) in [
            ((1.01, 1.021, 1.03), Outcome::High),
            ((1.01, 1.019, 1.03), Outcome::Hidden),
            ((0.97, 0.979, 0.99), Outcome::Low),
            ((0.97, 0.981, 0.99), Outcome::Hidden),
            ((0.91, 1.05, 1.09), Outcome::Hidden),
            ((1.0 - NARROW_FACTOR, 1.05, 1.09), Outcome::Undecided),
            ((0.91, 1.05, 1.0 + NARROW_FACTOR), Outcome::Undecided),
            ((0.5, 1.0, 1.05), Outcome::Undecided),
            ((0.95, 1.0, 2.0), Outcome::Undecided),
            ((0.5, 1.0, 2.0), Outcome::Undecided),
        ] {
            assert_eq!(judge(range(factor)), outcome, "{factor:?}");
        }
    }

    #[test]
    fn first_row_without_a_number_says_why_there_is_none() {
        let full = row("full", "", Quantity::Latency, (1.0, 2.0, 3.0));
        let [one, other] = ["one", "other"].map(|name| Row {
            estimate: None,
            verdict: Verdict::Failed,
            reasons: vec![Reason::NotTried],
            ..row(name, "", Quantity::Latency, (1.0, 2.0, 3.0))
        });
        let why = NoNumber::Row(PointId::new("one", ""), Verdict::Failed, vec![Reason::NotTried]);
        assert_eq!(no_number(&[&full, &one, &other]), Outcome::NoNumber(why));
        assert_eq!(no_number(&[&full]), Outcome::NoNumber(NoNumber::TooFewSamples));
    }
}
