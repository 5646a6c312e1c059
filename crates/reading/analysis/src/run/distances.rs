//! What is slow in a run: the points furthest from their predictions, or from the same points on other machines.

use crate::rows::reason::Reason;
use crate::rows::row::Row;
use crate::thresholds::{HIGHLIGHTED_RATIO, LEAST_MACHINES, NOTICED_RATIO};
use quantity::Quantity;
use record::{PointId, Range};

/// A point that is far from its prediction, or from what it costs on other machines.
#[derive(Debug, Clone, PartialEq)]
pub struct Distance {
    /// The point.
    pub id: PointId,
    /// Measured divided by predicted, where it is predicted.
    pub ratio: Option<f64>,
    /// How it stands to other machines, where enough of them have it.
    pub elsewhere: Option<Elsewhere>,
    /// Whether the whole interval of the point is on one side of what it is far from. Otherwise more trials would tell.
    pub is_decided: bool,
    /// Whether it costs more than on other machines, or, where too few of them have it, than predicted. Otherwise the prediction
    /// is off, or the point is fast. Of undecided states it is said of the furthest.
    pub is_slow: bool,
}

/// A point on other machines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elsewhere {
    /// How many have it.
    pub machines: usize,
    /// The least and the largest value there, in the base unit.
    pub range: (f64, f64),
    /// The cost here divided by that of the slowest of them, or by that of the fastest; 1 between them, and where it is
    /// hardly beyond them.
    pub cost: f64,
}

/// Distances at least, as far as there are any that can be noticed, and at most.
const LEAST: usize = 3;
const MOST: usize = 5;

/// The largest distances of these rows: first what is slow, then what is slower than predicted, then what is faster; of each the
/// largest first, decided or not. `elsewhere` gives what a point came to on each of the other machines.
pub(crate) fn distances(rows: &[&Row], elsewhere: impl Fn(&PointId) -> Vec<f64>) -> Vec<Distance> {
    let mut found: Vec<Found> = rows.iter().filter_map(|row| find(row, &elsewhere(&row.point.id))).collect();
    found.sort_by(|one, other| {
        let slow_first = other.distance.is_slow.cmp(&one.distance.is_slow);
        let costly_first = slow_first.then_with(|| other.is_costly.cmp(&one.is_costly));
        costly_first.then_with(|| other.factor.total_cmp(&one.factor))
    });
    let far = found.iter().filter(|one| one.factor >= HIGHLIGHTED_RATIO).count();
    found.retain(|one| one.factor >= if far < LEAST { NOTICED_RATIO } else { HIGHLIGHTED_RATIO });
    let most = if far < LEAST { LEAST } else { MOST };
    found.into_iter().take(most).map(|one| one.distance).collect()
}

/// A distance, its factor either way, and whether it is one of a higher cost.
struct Found {
    distance: Distance,
    factor: f64,
    is_costly: bool,
}

fn find(row: &Row, there: &[f64]) -> Option<Found> {
    if !matches!(row.quantity(), Quantity::Latency | Quantity::Bandwidth) {
        return None;
    }
    let (typical, range) = (row.typical()?, row.range()?);
    // Too few trials for an interval decide nothing.
    let has_interval = row.estimate.as_ref().is_some_and(|estimate| estimate.interval.is_some());
    if row.point.flaw.is_some() || typical <= 0.0 || !has_interval {
        return None;
    }
    // A median that lies between two states is a value that nothing has: one of them, or the most frequent, must be as far.
    let states = row.undecided_states();
    let of_states = states.iter().map(|state| Ratios::new(row, *state, there));
    let furthest = of_states.max_by(|one, other| one.distance().abs().total_cmp(&other.distance().abs()));
    let (in_most, ratios) = match furthest {
        Some(furthest) => (furthest.distance(), furthest),
        None => {
            let most = Ratios::new(row, most_frequent(row, typical), there);
            (most.distance(), Ratios::new(row, typical, there))
        }
    };
    let (distance, by_machines) = (ratios.distance(), ratios.is_by_machines());
    let Ratios { ratio, elsewhere, from_prediction, .. } = ratios;
    if in_most.abs() < NOTICED_RATIO.ln() || in_most.signum() != distance.signum() {
        return None;
    }
    let apart_from = |(low, high): (f64, f64)| is_apart(range, (low, high)) && row.trials_agree();
    let is_disturbed = row.reasons.iter().any(Reason::is_of_other_programs);
    let is_decided = match (by_machines, elsewhere, row.predicted()) {
        // The value is that of the programs that ran beside it, or of one state today and of another tomorrow.
        _ if is_disturbed || !states.is_empty() => false,
        (true, Some(elsewhere), _) => apart_from(elsewhere.range),
        (_, _, Some(predicted)) => apart_from((predicted.total.low, predicted.total.high)),
        _ => false,
    };
    let is_costly = distance > 0.0;
    let is_slow = is_costly && elsewhere.map_or(from_prediction > 0.0, |elsewhere| elsewhere.cost > 1.0);
    let id = row.point.id.clone();
    Some(Found {
        distance: Distance { id, ratio, elsewhere, is_decided, is_slow },
        factor: distance.abs().exp(),
        is_costly,
    })
}

/// A value of a point divided by its prediction and by those of other machines; as logarithms above 0 where it costs more.
struct Ratios {
    ratio: Option<f64>,
    elsewhere: Option<Elsewhere>,
    from_prediction: f64,
    from_machines: f64,
}

impl Ratios {
    fn new(row: &Row, value: f64, there: &[f64]) -> Self {
        let is_bandwidth = row.quantity() == Quantity::Bandwidth;
        let as_cost = |ratio: f64| if is_bandwidth { ratio.recip() } else { ratio };
        let ratio = row.predicted().map(|predicted| value / predicted.total.value);
        let ratio = ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0);
        let elsewhere = stands(value, there, is_bandwidth);
        let from_prediction = ratio.map_or(0.0, |ratio| as_cost(ratio).ln());
        let from_machines = elsewhere.map_or(0.0, |elsewhere| elsewhere.cost.ln());
        Self { ratio, elsewhere, from_prediction, from_machines }
    }

    /// The larger of both.
    fn distance(&self) -> f64 {
        if self.is_by_machines() { self.from_machines } else { self.from_prediction }
    }

    fn is_by_machines(&self) -> bool {
        self.from_machines.abs() > self.from_prediction.abs()
    }
}

/// The value of the most frequent state of a point's samples; that of the point where they have one.
fn most_frequent(row: &Row, typical: f64) -> f64 {
    let most = row.modes.iter().max_by(|one, other| one.share.total_cmp(&other.share));
    most.map_or(typical, |mode| mode.at)
}

/// How a value stands to those of other machines; `None` where they are too few.
fn stands(typical: f64, there: &[f64], is_bandwidth: bool) -> Option<Elsewhere> {
    let low = there.iter().copied().filter(|value| *value > 0.0).reduce(f64::min)?;
    let high = there.iter().copied().reduce(f64::max)?;
    let beyond = if typical > high {
        typical / high
    } else if typical < low {
        typical / low
    } else {
        1.0
    };
    let cost = match beyond {
        beyond if beyond.max(beyond.recip()) < NOTICED_RATIO => 1.0,
        beyond if is_bandwidth => beyond.recip(),
        beyond => beyond,
    };
    (there.len() >= LEAST_MACHINES).then_some(Elsewhere { machines: there.len(), range: (low, high), cost })
}

/// Whether two ranges have nothing in common.
fn is_apart(range: Range, (low, high): (f64, f64)) -> bool {
    range.low > high || range.high < low
}
