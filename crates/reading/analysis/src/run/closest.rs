//! Which of several records was predicted best at one point, each by its own user.

use crate::rows::row::{Row, Verdict};
use crate::run::user_accuracy::factor;
use record::Range;

/// How a user's prediction of one point did among those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closest {
    /// Nearer to what was measured there than any other, wherever in their intervals the measured values are.
    Nearest,
    /// No other is nearer beyond doubt.
    Tied,
}

/// Among rows of one point in several records, those whose users' predictions were closest; `None` for the others, for rows
/// that are not predicted, not measured or noisy, and for all where fewer than two remain.
pub fn closest(rows: &[Option<&Row>]) -> Vec<Option<Closest>> {
    let factors: Vec<Option<Range>> = rows.iter().map(|row| factors((*row)?)).collect();
    let known: Vec<&Range> = factors.iter().flatten().collect();
    let best = known.iter().min_by(|a, b| a.value.total_cmp(&b.value));
    let Some(best) = best.filter(|_| known.len() > 1) else {
        return vec![None; rows.len()];
    };
    let near = known.iter().filter(|factors| factors.low <= best.high).count();
    let word = if near > 1 { Closest::Tied } else { Closest::Nearest };
    factors.iter().map(|factors| factors.filter(|factors| factors.low <= best.high).map(|_| word)).collect()
}

/// How far a prediction is off, either way, over the interval of the measured value.
fn factors(row: &Row) -> Option<Range> {
    let (estimate, user) = (row.estimate.as_ref()?, row.point.user.as_ref()?);
    if row.verdict != Verdict::Measured {
        return None;
    }
    let (low, high) = estimate.ends();
    let all @ [_, value, _] = [low, estimate.typical, high].map(|measured| factor(measured / user.typical));
    // A prediction within the interval may be exact.
    let is_within = (low..=high).contains(&user.typical);
    let least = all.into_iter().fold(f64::INFINITY, f64::min);
    Some(Range { low: if is_within { 1.0 } else { least }, value, high: all.into_iter().fold(1.0, f64::max) })
}
