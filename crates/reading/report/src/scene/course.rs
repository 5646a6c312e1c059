//! What happened over the run: in each round, how far trials lay from what their points came out as; over time, how quiet
//! the cores were.

use super::{Axis, Drawn, Guide, Scene, SceneAxis, ScenePoint, Series};
use crate::run_summary::seconds;
use crate::thresholds::QUIET_SPAN;
use crate::wording::many;
use analysis::{QuietSpan, RoundDrift};
use quantity::{Quantity, show, show_change, show_percent};
use record::Scale;

/// What rounds are called that leave what was asked.
const DISTURBED: &str = "disturbed";
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
        let says = "by round, how much longer or shorter trials took than their points did in the whole run: median and quartiles";
        let along = SceneAxis::new(along, Quantity::Count, "round").labelled(whole.collect());
        let up = SceneAxis::new(up, Quantity::Ratio, "time against the whole run").labelled(changes);
        let guides = [1.0 - asked, 1.0, 1.0 + asked].map(|at| (Guide::Level(at), at == 1.0)).to_vec();
        let series = bars(
            rounds,
            ["quiet", DISTURBED],
            |one: &RoundDrift| one.quartiles.0 < 1.0 - asked || one.quartiles.1 > 1.0 + asked,
            |one, word| place(one, word, reach),
        );
        Some(Self { guides, ..Self::new(says, [along, up], series) })
    }
}

/// Bars of two kinds: those that are not so, and those that are.
fn bars<T>(
    all: &[T],
    names: [&'static str; 2],
    is_so: impl Fn(&T) -> bool,
    place: impl Fn(&T, &'static str) -> ScenePoint,
) -> Vec<Series> {
    let series = names.into_iter().enumerate().map(|(sign, name)| {
        let of_kind = all.iter().filter(|one| is_so(one) == (sign == 1));
        Series::new((sign, name), Drawn::Bars, of_kind.map(|one| place(one, name)))
    });
    series.filter(|series| !series.places.is_empty()).collect()
}

/// Seconds of a minute.
const MINUTE: f64 = 60.0;
/// Fewer parts of a run show nothing.
const LEAST_SPANS: usize = 3;

impl Scene {
    /// When the cores were quiet; `None` where too little is known.
    pub(crate) fn quiet(spans: &[QuietSpan]) -> Option<Self> {
        let (first, last) = spans.first().zip(spans.last())?;
        if spans.len() < LEAST_SPANS {
            return None;
        }
        let ends = [first.from_s, last.to_s].map(|at| at / MINUTE);
        let along = Axis::over(ends.into_iter(), Scale::Linear)?;
        let up = Axis::over([0.0, 1.0].into_iter(), Scale::Linear)?;
        let shares = up.labels_by(10.0, |value, _| show_percent(value));
        let says = "over the run, for what share of the time the busiest of the probed cores was quiet";
        let along = SceneAxis::new(along, Quantity::Count, "minutes since the start");
        let up = SceneAxis::new(up, Quantity::Ratio, "time quiet").labelled(shares);
        let series = bars(spans, ["quiet", "shared"], |one| one.quiet_share < QUIET_SPAN, |one, _| span(one));
        Some(Self::new(says, [along, up], series))
    }
}

/// The share of the time that was quiet, as a bar from the ground.
fn span(one: &QuietSpan) -> ScenePoint {
    let ([from, to], quiet) = ([one.from_s, one.to_s].map(seconds), show_percent(one.quiet_share));
    ScenePoint {
        along: f64::midpoint(one.from_s, one.to_s) / MINUTE,
        up: one.quiet_share,
        interval: Some((0.0, one.quiet_share)),
        is_open: false,
        says: format!("{from} to {to}: quiet {quiet} of the time"),
    }
}

/// The quartiles of a round.
fn place(round: &RoundDrift, word: &str, reach: [f64; 2]) -> ScenePoint {
    let (along, trials) = (f64::from(round.round), many(round.trials, "trial"));
    let inside = |value: f64| value.clamp(reach[0], reach[1]);
    let number = show(along, None, Quantity::Count);
    let [low, median, high] = [round.quartiles.0, round.middle, round.quartiles.1].map(show_change);
    // Of the others there is nothing to say, and they are many.
    let says = match word {
        DISTURBED => {
            format!("round {number}, {word}: median {median}, quartiles {low} and {high}, over {trials}")
        }
        _ => String::new(),
    };
    let (low, high) = round.quartiles;
    let interval = Some((inside(low), inside(high)));
    ScenePoint { along, up: inside(round.middle), interval, is_open: false, says }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_has_a_bar_for_each_part_of_the_run_by_its_state() {
        let spans = [(1.0, 1.0), (2.0, 0.95), (3.0, 0.4)].map(|(from_s, quiet_share)| QuietSpan {
            from_s,
            to_s: from_s + 1.0,
            quiet_share,
        });
        let scene = Scene::quiet(&spans).unwrap();
        let bars = |name: &str| {
            let series = scene.series.iter().find(|series| series.name == name).unwrap();
            series.places.iter().map(|place| place.interval).collect::<Vec<_>>()
        };
        assert_eq!(bars("quiet"), [Some((0.0, 1.0)), Some((0.0, 0.95))]);
        assert_eq!(bars("shared"), [Some((0.0, 0.4))]);
        assert_eq!(scene.series[1].places[0].says, "3 s to 4 s: quiet 40 % of the time");
        assert!(Scene::quiet(&spans[..2]).is_none(), "two parts are no course");
    }
}
