//! Drawings the size of a word: how samples are distributed, how trials went over the rounds.

use super::sign::titled;
use crate::html::number::Unit;
use crate::html::writer::Html;
use crate::scene::{Axis, ends};
use crate::wording::many;
use analysis::{Distribution, Estimate, TrialValue};
use record::Scale;

/// Width and height, which the page's style gives to both kinds.
const SIZE: (f64, f64) = (132.0, 34.0);
/// Bars of a distribution: more are narrower than its outline.
const MOST_BARS: usize = 16;
/// Trials further from the typical value than this many half widths of the interval stand at the edge.
const FAR: f64 = 8.0;

/// A place in such a drawing: a whole number of its units is exact enough.
fn whole(value: f64) -> i32 {
    value.round() as i32
}

/// Samples counted in bars, with the typical value as a line.
pub(crate) fn distribution(html: &mut Html, all: &Distribution, estimate: &Estimate, unit: Unit) {
    let [low, high] = [all.low, all.high].map(|value| unit.show(value, None).own());
    let outside = match (all.below, all.above) {
        (0, 0) => String::new(),
        (below, above) => format!("; {below} below, {above} above"),
    };
    let says = format!("{} from {low} to {high}{outside}", many(all.samples(), "sample"));
    let of_bar = all.counts.len().div_ceil(MOST_BARS).max(1);
    let counts: Vec<usize> = all.counts.chunks(of_bar).map(|counts| counts.iter().sum()).collect();
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let tops = counts.iter().map(|count| SIZE.1 - *count as f64 / most * (SIZE.1 - 2.0));
    let width = SIZE.0 * of_bar as f64 / all.counts.len().max(1) as f64;
    let path = outline(tops.map(whole), width);
    let axis = Axis::over([all.low, all.high].into_iter(), Scale::Linear);
    // The style tells the shapes by their order: the bars, and the typical value.
    titled(html, &says, |html| {
        html.shape("path", &[("d", &path)]);
        if let Some(axis) = axis.filter(|axis| axis.holds(estimate.typical)) {
            let x = axis.share(estimate.typical) * SIZE.0;
            html.shape("path", &[("d", &format!("M{} 0V{}", whole(x), SIZE.1))]);
        }
    });
}

/// The outline of bars of this width with these tops, from the ground to the ground; equal neighbours are one. Steps
/// are shorter than places.
fn outline(tops: impl Iterator<Item = i32>, width: f64) -> String {
    let ground = whole(SIZE.1);
    let mut path = format!("M0 {ground}");
    let (mut x, mut y) = (0, ground);
    for (bar, top) in tops.enumerate() {
        if top == y {
            continue;
        }
        let here = whole(bar as f64 * width);
        if here != x {
            path.push_str(&format!("h{}", here - x));
        }
        path.push_str(&format!("v{}", top - y));
        (x, y) = (here, top);
    }
    if y != ground {
        path.push_str(&format!("h{}v{}", whole(SIZE.0) - x, ground - y));
    }
    path
}

/// Dots at these places as one shape: a closed line of no length whose ends are round is a dot (SVG 2, 9.6.2). Steps
/// from dot to dot are shorter than places.
fn dots(places: impl Iterator<Item = (i32, i32)>) -> String {
    let (mut path, mut before) = (String::new(), (0, 0));
    for place in places {
        let (right, down) = (place.0 - before.0, place.1 - before.1);
        let between = if down < 0 { "" } else { " " };
        path.push_str(&format!("m{right}{between}{down}z"));
        before = place;
    }
    path
}

/// Every trial by its round, with the interval as a band and the typical value as a line.
pub(crate) fn trials(html: &mut Html, all: &[TrialValue], estimate: &Estimate, unit: Unit) {
    let values = all.iter().map(|trial| trial.typical);
    let rounds = Axis::over(all.iter().map(|trial| f64::from(trial.round)), Scale::Linear);
    let band = estimate.ends();
    let reach =
        estimate.interval.map_or(f64::INFINITY, |interval| (interval.high - interval.low) / 2.0 * FAR);
    let near = values.clone().filter(|value| (value - estimate.typical).abs() <= reach);
    let axis = Axis::over(near.chain([band.0, band.1]), Scale::Linear);
    let (Some(rounds), Some(axis)) = (rounds, axis) else {
        return;
    };
    let (low, high) = ends(values);
    let [low, high] = [low, high].map(|value| unit.show(value, None).own());
    let says = format!("{} from {low} to {high}", many(all.len(), "trial"));
    let y = |value: f64| SIZE.1 - 3.0 - axis.share(value) * (SIZE.1 - 6.0);
    // The interval, the typical value, and the trials.
    titled(html, &says, |html| {
        let band = format!("M0 {}H{}V{}H0z", whole(y(band.1)), SIZE.0, whole(y(band.0)));
        html.shape("path", &[("d", &band)]);
        let level = format!("M0 {}H{}", whole(y(estimate.typical)), SIZE.0);
        html.shape("path", &[("d", &level)]);
        let places = all.iter().map(|trial| {
            let x = 3.0 + rounds.share(f64::from(trial.round)) * (SIZE.0 - 6.0);
            (whole(x), whole(y(trial.typical)))
        });
        html.shape("path", &[("d", &dots(places))]);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(tops: &[i32]) -> String {
        outline(tops.iter().copied(), 4.4)
    }

    #[test]
    fn an_outline_goes_up_and_down_and_ends_on_the_ground() {
        assert_eq!(path(&[34, 34, 10, 10, 34]), "M0 34h9v-24h9v24");
        assert_eq!(path(&[2, 34]), "M0 34v-32h4v32");
        assert_eq!(path(&[34, 2]), "M0 34h4v-32h128v32");
        assert_eq!(path(&[34, 34]), "M0 34");
    }

    #[test]
    fn dots_are_steps_from_dot_to_dot() {
        let places = [(3, 22), (14, 12), (14, 12), (26, 31)];
        assert_eq!(dots(places.into_iter()), "m3 22zm11-10zm0 0zm12 19z");
    }
}
