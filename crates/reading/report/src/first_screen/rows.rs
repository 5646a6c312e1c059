//! The rows of the screen: which, what they are called, and what stands on the scale for each.

use super::scale::Costs;
use super::trust;
use crate::{View, cells};
use analysis::Interval;
use analysis::Row;
use quantity::Quantity;
use record::PointId;
use std::collections::{HashMap, HashSet};

/// A point of the headline and what the first screen calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label<'a> {
    /// The operation.
    pub operation: &'a str,
    /// Its point.
    pub point: &'a str,
    /// What it is called.
    pub label: &'a str,
}

impl Label<'_> {
    /// Whether it is the label of this point.
    pub(crate) fn is_of(&self, id: &PointId) -> bool {
        self.operation == id.operation && self.point == id.point
    }
}

/// Rows of costs at most, and at least, however much else there is to say.
const MOST_ROWS: usize = 36;
pub(super) const LEAST_ROWS: usize = 12;

/// Bytes whose time stands on the scale for a bandwidth.
const TRANSFER_BYTES: f64 = 4096.0;

/// A row with what it is called.
pub(crate) type Named<'a> = (String, &'a Row);

/// The rows that the screen shows: those of the headline, or all, where there are few of either. And how
/// many others the run has.
pub(crate) fn shown<'a>(view: &View<'a>, labels: &[Label<'_>]) -> (Vec<Named<'a>>, usize) {
    let rows: &'a [Row] = &view.analysis.rows;
    // What a blind run hides has nothing to show.
    let tried = rows.iter().filter(|row| !trust::is_untried(row) && !view.plan.hides(&row.point.id));
    let headline = tried.clone().filter_map(|row| {
        let label = labels.iter().find(|label| label.is_of(&row.point.id))?;
        Some((label.label.to_owned(), row))
    });
    let headline: Vec<Named<'a>> = headline.collect();
    let count = tried.clone().count();
    let is_other = headline.len() < count && (count <= MOST_ROWS || headline.len() < LEAST_ROWS);
    let shown = if is_other {
        let all = tried.map(|row| (cells::marked(&row.point.id.to_string(), row), row)).collect();
        most_important(all, MOST_ROWS, |_| false)
    } else {
        headline
    };
    let more = count - shown.len();
    (shown, more)
}

/// Rows of each area that stay before any area has more.
const OF_AREA: usize = 2;

/// At most this number of rows, in their order: those that are named elsewhere, two of each area, and then as many of one operation
/// as of another.
pub(super) fn most_important<'a>(
    rows: Vec<Named<'a>>,
    most: usize,
    is_named: impl Fn(&PointId) -> bool,
) -> Vec<Named<'a>> {
    let (mut of_areas, mut of_operations) = (HashMap::new(), HashMap::new());
    let mut nth = |row: &'a Row| {
        let count = |counts: &mut HashMap<&'a str, usize>, key| {
            let before = counts.entry(key).or_insert(0_usize);
            *before += 1;
            *before
        };
        let of_operation = count(&mut of_operations, row.point.id.operation.as_str());
        (count(&mut of_areas, row.point.area.as_str()), of_operation)
    };
    let ranked = rows.iter().enumerate().map(|(place, (_, row))| match nth(row) {
        _ if is_named(&row.point.id) => (0, 0, place),
        (of_area, _) if of_area <= OF_AREA => (1, of_area, place),
        (_, of_operation) => (2, of_operation, place),
    });
    let mut ranked: Vec<(u8, usize, usize)> = ranked.collect();
    ranked.sort_unstable();
    let kept: HashSet<usize> = ranked.into_iter().take(most).map(|(.., place)| place).collect();
    let rows = rows.into_iter().enumerate();
    rows.filter(|(place, _)| kept.contains(place)).map(|(_, row)| row).collect()
}

/// What stands on the scale for a row: times, and for a bandwidth those of 4 KiB.
pub(crate) fn costs_of(row: &Row) -> Option<Costs> {
    let estimate = row.estimate.as_ref()?;
    let ns: fn(f64) -> f64 = match row.quantity() {
        Quantity::Latency => |value| value,
        Quantity::Bandwidth => |value| TRANSFER_BYTES / value * 1e9,
        _ => return None,
    };
    let states = row.undecided_states();
    let ends = states.first().copied().zip(states.last().copied());
    let (low, high) = ends.unwrap_or((estimate.typical, estimate.typical));
    Some(Costs {
        measured: [low, high].map(ns),
        interval: estimate
            .interval
            .map(|Interval { low, high, .. }| (ns(low).min(ns(high)), ns(low).max(ns(high)))),
        predicted: row.predicted().map(|predicted| ns(predicted.total.value)),
        by_user: row.point.user.as_ref().map(|user| ns(user.typical)),
        is_transfer: row.quantity() == Quantity::Bandwidth,
    })
}
