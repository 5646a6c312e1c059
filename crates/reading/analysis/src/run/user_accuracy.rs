//! A user's own predictions beside those of the program: who was closer.

use crate::rows::row::{Predicted, Row, Verdict};
use stats::spread::mean;
use std::cmp::Ordering;

/// The factor either way. What has the other sign, or is nothing, is infinitely far off.
pub(crate) fn factor(ratio: f64) -> f64 {
    if ratio > 0.0 { ratio.max(ratio.recip()) } else { f64::INFINITY }
}

/// Who was closer at one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closer {
    /// The user, wherever in its interval the measured value is.
    User,
    /// The program, likewise.
    Program,
    /// It depends on where in its interval the measured value is, or both are as far off.
    Neither,
}

impl Closer {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Program => "oscope",
            Self::Neither => "tied",
        }
    }
}

/// The user's and the program's predictions over the points of which both are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UserComparison {
    /// How many points.
    pub points: usize,
    /// Geometric mean of the factors between measured and the user's prediction, either way; 1 is exact.
    pub user: f64,
    /// The same of the program's.
    pub program: f64,
    /// Points at which the user was closer.
    pub user_closer: usize,
    /// Points at which the program was closer.
    pub program_closer: usize,
}

/// How well a user did, over the points whose verdict is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UserAccuracy {
    /// Points that the user predicted and that were measured.
    pub points: usize,
    /// Points that the user predicted and that have a number which does not count, because it is noisy.
    pub noisy: usize,
    /// Geometric mean over them of the factor between measured and predicted.
    pub mean: f64,
    /// Against what the tables show: T1 where there is one, else T0.
    pub shown: Option<UserComparison>,
    /// Against T0 alone, which knows no measurement either.
    pub from_facts: Option<UserComparison>,
}

impl Row {
    /// Measured divided by what the user predicted.
    pub fn user_ratio(&self) -> Option<f64> {
        Some(self.typical()? / self.point.user.as_ref()?.typical)
    }

    /// Whose prediction was closer to what was measured; `None` where one of the two is missing, or the number is noisy.
    pub fn closer(&self) -> Option<Closer> {
        closer(self, self.predicted()?).filter(|_| self.verdict == Verdict::Measured)
    }
}

fn closer(row: &Row, predicted: &Predicted) -> Option<Closer> {
    let (estimate, user) = (row.estimate.as_ref()?, row.point.user.as_ref()?);
    let (low, high) = estimate.ends();
    let at_all = [low, estimate.typical, high].map(|measured| {
        let (own, other) = (factor(measured / user.typical), factor(measured / predicted.total.value));
        own.total_cmp(&other)
    });
    Some(match at_all {
        [Ordering::Less, Ordering::Less, Ordering::Less] => Closer::User,
        [Ordering::Greater, Ordering::Greater, Ordering::Greater] => Closer::Program,
        _ => Closer::Neither,
    })
}

/// The user's accuracy over these rows; `None` where the user predicted nothing that was measured.
pub(crate) fn user_accuracy(rows: &[Row]) -> Option<UserAccuracy> {
    let predicted = rows.iter().filter(|row| row.user_ratio().is_some());
    let (rows, others): (Vec<&Row>, Vec<&Row>) = predicted.partition(|row| row.verdict == Verdict::Measured);
    let mean = geometric_mean(rows.iter().filter_map(|row| row.user_ratio()))?;
    Some(UserAccuracy {
        points: rows.len(),
        noisy: others.len(),
        mean,
        shown: comparison(&rows, Row::predicted),
        from_facts: comparison(&rows, |row| row.from_facts.as_ref()),
    })
}

fn comparison<'r>(rows: &[&'r Row], of: impl Fn(&'r Row) -> Option<&'r Predicted>) -> Option<UserComparison> {
    let both: Vec<(&Row, &Predicted)> = rows.iter().filter_map(|row| Some((*row, of(row)?))).collect();
    let count =
        |who: Closer| both.iter().filter(|(row, predicted)| closer(row, predicted) == Some(who)).count();
    Some(UserComparison {
        points: both.len(),
        user: geometric_mean(both.iter().filter_map(|(row, _)| row.user_ratio()))?,
        program: geometric_mean(both.iter().filter_map(|(row, predicted)| predicted.ratio(row)))?,
        user_closer: count(Closer::User),
        program_closer: count(Closer::Program),
    })
}

/// The geometric mean of factors either way; `None` without any.
fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    mean(ratios.map(|ratio| factor(ratio).ln())).map(f64::exp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_either_way_and_of_another_sign_infinite() {
        for (ratio, expected) in
            [(4.0, 4.0), (0.25, 4.0), (1.0, 1.0), (0.0, f64::INFINITY), (-2.0, f64::INFINITY)]
        {
            assert_eq!(factor(ratio), expected, "{ratio}");
        }
        assert!(
            geometric_mean([4.0, 0.25, 1.0, 1.0].into_iter()).is_some_and(|mean| (mean - 2.0).abs() < 1e-12)
        );
        assert_eq!(geometric_mean(std::iter::empty()), None);
    }

    #[test]
    fn words_of_who_was_closer() {
        let words = [Closer::User, Closer::Program, Closer::Neither].map(Closer::word);
        assert_eq!(words, ["user", "oscope", "tied"]);
    }
}
