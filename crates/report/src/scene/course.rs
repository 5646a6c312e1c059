//! The drift over the run: in each round, how far trials lay from what their points came out as.

use super::{Axis, Drawn, Guide, Place, Scene, SceneAxis, Series};
use crate::wording::many;
use analysis::RoundDrift;
use quantity::{Quantity, show, show_change};
use record::Scale;

/// Fewer rounds have no course.
const LEAST_ROUNDS: usize = 3;
/// The axis extends to this multiple of the requested precision on both sides of 1, so that a quiet run looks quiet; what
/// is further off stands at its end.
const REACH: f64 = 5.0;

impl Scene {
    /// The course; `None` where there are too few rounds.
    pub(crate) fn course(rounds: &[RoundDrift], asked: f64) -> Option<Self> {
        if rounds.len() < LEAST_ROUNDS {
            return None;
        }
        let reach = [1.0 - REACH * asked, 1.0 + REACH * asked];
        let up = Axis::over(reach.into_iter(), Scale::Linear)?;
        let along = Axis::over(rounds.iter().map(|round| f64::from(round.round)), Scale::Linear)?;
        // Rounds between rounds have no name.
        let whole = along.labels(Quantity::Count).into_iter();
        let whole = whole.filter(|(round, _)| round.fract() == 0.0);
        let whole = whole.map(|(round, _)| (round, show(round, None, Quantity::Count)));
        let changes = up.labels_by(10.0, |value, _| show_change(value));
        let is_disturbed = |one: &RoundDrift| one.quartiles.0 < 1.0 - asked || one.quartiles.1 > 1.0 + asked;
        let series = [(0, "quiet"), (1, "disturbed")].map(|(sign, word)| {
            let of_kind = rounds.iter().filter(|one| is_disturbed(one) == (sign == 1));
            Series {
                sign,
                name: word.to_owned(),
                drawn: Drawn::Bars,
                places: of_kind.map(|one| place(one, word)).collect(),
            }
        });
        let says = "by round, how much longer or shorter trials took than their points did in the whole run: median and quartiles";
        Some(Self {
            says: says.to_owned(),
            along: SceneAxis::new(along, Quantity::Count, "round").labelled(whole.collect()),
            up: SceneAxis::new(up, Quantity::Ratio, "time against the whole run").labelled(changes),
            guides: [1.0 - asked, 1.0, 1.0 + asked]
                .map(|at| (Guide::Level(at), at == 1.0))
                .to_vec(),
            marks: Vec::new(),
            series: series.into_iter().filter(|one| !one.places.is_empty()).collect(),
        })
    }
}

/// The quartiles of a round.
fn place(round: &RoundDrift, word: &str) -> Place {
    Place {
        along: f64::from(round.round),
        up: round.middle,
        interval: Some(round.quartiles),
        is_open: false,
        says: format!(
            "round {}, {word}: median {}, quartiles {} and {}, over {}",
            show(f64::from(round.round), None, Quantity::Count),
            show_change(round.middle),
            show_change(round.quartiles.0),
            show_change(round.quartiles.1),
            many(round.trials, "trial"),
        ),
    }
}
