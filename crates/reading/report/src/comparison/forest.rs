//! A drawing of one change among those that are listed: one logarithmic scale around no change.

use super::view::changes;
use crate::table::{Cell, Shares};
use crate::wording::put;
use analysis::{Change, Compared};
use record::Range;

/// The scale of the changes of a table.
pub(crate) struct Forest {
    /// The logarithm of the change at the ends.
    reach: f64,
    /// Whether none of them is a factor.
    is_empty: bool,
    ascii: bool,
}

/// Columns of a drawing on a terminal: the middle is no change.
const COLUMNS: usize = 25;
/// The scale reaches at least so far, and at most.
const REACH: (f64, f64) = (0.02, 1.4);

impl Forest {
    /// A scale that reaches to the furthest of these changes.
    pub(crate) fn over<'c>(points: impl Iterator<Item = &'c Compared>, ascii: bool) -> Self {
        let reaches =
            points.filter_map(factor).map(|factor| factor.low.ln().abs().max(factor.high.ln().abs()));
        let furthest =
            reaches.fold(None, |furthest: Option<f64>, reach| Some(furthest.unwrap_or(0.0).max(reach)));
        let reach = furthest.unwrap_or(0.0).clamp(REACH.0, REACH.1);
        Self { reach, is_empty: furthest.is_none(), ascii }
    }

    /// Both ends of the scale, with no change between them.
    pub(crate) fn scale(&self) -> [String; 3] {
        let [low, high] = changes([(-self.reach).exp(), self.reach.exp()]);
        [low, "no change".to_owned(), high]
    }

    /// The scale in words, behind the intervals that it has; nothing where no change is drawn.
    pub(crate) fn words(&self) -> String {
        let [low, _, high] = self.scale();
        if self.is_empty { String::new() } else { format!(", drawn from {low} to {high}") }
    }

    fn share(&self, factor: f64) -> f64 {
        ((factor.ln() / self.reach + 1.0) / 2.0).clamp(0.0, 1.0)
    }

    /// The cell of a point, which says this; empty where its change is no factor.
    pub(crate) fn cell(&self, compared: &Compared, says: String) -> Cell {
        let Some(factor) = factor(compared) else {
            return Cell::default();
        };
        let shares = Shares {
            interval: (self.share(factor.low), self.share(factor.high)),
            value: self.share(factor.value),
            says,
        };
        Cell { text: format!("{:COLUMNS$}", self.line(&shares)), drawn: Some(shares), ..Cell::default() }
    }

    fn line(&self, shares: &Shares) -> String {
        let [axis, interval, value] = if self.ascii { ['|', '-', '*'] } else { ['│', '─', '●'] };
        let mut line = vec![' '; COLUMNS];
        put(&mut line, COLUMNS / 2, axis);
        (column(shares.interval.0)..=column(shares.interval.1)).for_each(|at| put(&mut line, at, interval));
        put(&mut line, column(shares.value), value);
        line.into_iter().collect::<String>().trim_end().to_owned()
    }
}

/// The column of the line at which a share of the scale lies.
fn column(share: f64) -> usize {
    (share * (COLUMNS - 1) as f64).round() as usize
}

/// The change of the cost as a factor that has a logarithm.
fn factor(compared: &Compared) -> Option<Range> {
    match compared.of_cost()? {
        Change::Factor(factor) if factor.low > 0.0 => Some(factor),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_named_where_a_change_is_drawn_and_no_change_is_one_too() {
        let nothing = Compared {
            id: record::PointId::new("a.b", ""),
            area: "os".to_owned(),
            quantity: quantity::Quantity::Latency,
            first: None,
            second: None,
            change: None,
            decision: analysis::Decision::Incomparable,
            reason: None,
            noisy: false,
            between: 0.0,
        };
        assert_eq!(Forest::over([&nothing].into_iter(), false).words(), "");
        let same = Compared { change: Some(Change::Factor(Range::exactly(1.0))), ..nothing };
        assert_eq!(Forest::over([&same].into_iter(), false).words(), ", drawn from \u{2212}2 % to +2 %");
    }
}
