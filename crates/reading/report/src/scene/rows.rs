//! Rows as places between two axes, a sign for each area, open what is noisy: predicted against measured, and the noise.

use super::{Axis, Drawn, Guide, Scene, SceneAxis, ScenePoint, Series, value_word};
use crate::html::number::Unit;
use crate::thresholds::NAMED;
use analysis::{Row, Verdict};
use quantity::{Quantity, show_percent};
use record::Scale;

/// The areas in the order of their signs.
const AREAS: [&str; 5] = ["cpu", "os", "memory", "network", "file"];
/// Fewer predicted points than this are read more easily from the table.
const LEAST_PREDICTED: usize = 3;
/// Fewer points say nothing of the noise of a machine.
const LEAST_NOISY: usize = 5;
/// The factors to which lines beside the exact one are drawn: those within which T1 and T0 should lie.
const FACTORS: [f64; 5] = [1.0 / 1.5, 1.5, 0.5, 2.0, 1.0];
/// Intervals narrower than this share stand at the lower edge.
const NARROWEST: f64 = 1e-5;

/// Whose predictions are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Predictor {
    /// oscope.
    Program,
    /// The user, by a file of predictions.
    User,
}

impl Predictor {
    pub(crate) const ALL: [Self; 2] = [Self::Program, Self::User];

    /// What was predicted for a row.
    fn value(self, row: &Row) -> Option<f64> {
        match self {
            Self::Program => Some(row.predicted()?.total.value),
            Self::User => Some(row.point.user.as_ref()?.typical),
        }
    }

    /// What the axis of predictions shows: `predicted time`.
    fn axis(self, word: &str) -> String {
        match self {
            Self::Program => format!("predicted {word}"),
            Self::User => format!("{word} predicted by the user"),
        }
    }
}

/// Rows with their places, a series for each area that has any.
fn by_area(placed: &[(&Row, ScenePoint)]) -> Vec<Series> {
    let series = AREAS.into_iter().enumerate().map(|(sign, area)| {
        let here = placed
            .iter()
            .filter(|(row, _)| AREAS.iter().position(|area| *area == row.point.area).unwrap_or(0) == sign);
        Series::new((sign, area), Drawn::Signs, here.map(|(_, place)| place.clone()))
    });
    series.filter(|series| !series.places.is_empty()).collect()
}

fn place(row: &Row, (along, up): (f64, f64), says: String) -> (&Row, ScenePoint) {
    let is_open = row.verdict == Verdict::Noisy;
    let says = match says.as_str() {
        "" => says,
        _ if is_open => format!("{says}, noisy"),
        _ => says,
    };
    let place = ScenePoint { along, up, interval: None, is_open, says };
    (row, place)
}

impl Scene {
    /// Predicted against measured of all rows of this kind: what is exact lies on the line. `None` where there are too
    /// few. Unless `is_full`, only what is off by a factor has a name.
    pub(crate) fn accuracy(
        rows: &[Row],
        quantity: Quantity,
        predictor: Predictor,
        core_hz: Option<f64>,
        is_full: bool,
    ) -> Option<Self> {
        let placed = rows.iter().filter_map(|row| {
            let both = (predictor.value(row)?, row.estimate.as_ref()?.typical);
            let drawn = row.quantity() == quantity && row.point.flaw.is_none();
            let has_place = [both.0, both.1].iter().all(|value| *value > 0.0 && value.is_finite());
            (drawn && has_place).then(|| {
                let unit = Unit::of_row(row, core_hz);
                let ratio = both.1 / both.0;
                if !is_full && ratio.max(ratio.recip()) < NAMED {
                    return place(row, both, String::new());
                }
                let (id, ratio) = (&row.point.id, crate::cells::factors(row, both.0));
                let [predicted, measured] = [both.0, both.1].map(|value| unit.show(value, None).own());
                let measured = match row.undecided_states().is_empty() {
                    true => measured,
                    false => crate::cells::typical(row),
                };
                place(row, both, format!("{id}: measured {measured}, predicted {predicted}, {ratio}"))
            })
        });
        let placed: Vec<(&Row, ScenePoint)> = placed.collect();
        if placed.len() < LEAST_PREDICTED {
            return None;
        }
        let both = placed.iter().flat_map(|(_, place)| [place.along, place.up]);
        let axis = Axis::over(both, Scale::Logarithmic)?.with_room();
        let (low, high) = axis.ends();
        let word = value_word(quantity);
        let along = SceneAxis::new(axis, quantity, predictor.axis(word));
        let up = SceneAxis::new(axis, quantity, format!("measured {word}"));
        let says = format!(
            "measured against predicted {word}, both axes logarithmic; the values are in the summary"
        );
        let guides = FACTORS
            .map(|factor| {
                let (from, to) = (low.max(low / factor), high.min(high / factor));
                let ends = [(from, from * factor), (to, to * factor)];
                (Guide::Between(ends), factor == 1.0)
            })
            .to_vec();
        Some(Self { guides, ..Self::new(says, [along, up], by_area(&placed)) })
    }

    /// How narrow the interval of every point became, by what the point costs, with what was asked as a line; `None` where
    /// there are too few. Unless `is_full`, only what is noisy has a name.
    pub(crate) fn noise(rows: &[Row], asked: f64, core_hz: Option<f64>, is_full: bool) -> Option<Self> {
        let placed = rows.iter().filter_map(|row| {
            let estimate = row.estimate.as_ref()?;
            let half = estimate.half_width().filter(|half| half.is_finite())?;
            let says = match row.verdict {
                Verdict::Measured if !is_full => String::new(),
                _ => {
                    let typical = Unit::of_row(row, core_hz).show(estimate.typical, None).own();
                    match row.undecided_states().is_empty() {
                        true => format!("{}: {typical} ± {}", row.point.id, crate::cells::half_width(row)),
                        false => format!("{}: {}", row.point.id, crate::cells::typical(row)),
                    }
                }
            };
            (row.quantity() == Quantity::Latency && estimate.typical > 0.0)
                .then(|| place(row, (estimate.typical, half.max(NARROWEST)), says))
        });
        let placed: Vec<(&Row, ScenePoint)> = placed.collect();
        if placed.len() < LEAST_NOISY {
            return None;
        }
        let times = placed.iter().map(|(_, place)| place.along);
        let halves = placed.iter().map(|(_, place)| place.up);
        let along = Axis::over(times, Scale::Logarithmic)?.with_room();
        let up = Axis::over(halves.chain([asked.max(NARROWEST)]), Scale::Logarithmic)?.with_room();
        let labels = up.labels_by(10.0, |value, _| show_percent(value));
        let says = "half the width of every interval as a share of its value, by the value; the values are in the summary";
        let along = SceneAxis::new(along, Quantity::Latency, "time of one iteration");
        let up = SceneAxis::new(up, Quantity::Ratio, "half width of the interval").labelled(labels);
        let guides = vec![(Guide::Level(asked), true)];
        Some(Self { guides, ..Self::new(says, [along, up], by_area(&placed)) })
    }
}
