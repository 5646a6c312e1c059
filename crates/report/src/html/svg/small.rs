//! Drawings the size of a word: a ratio, how samples are distributed, how trials went over the rounds.

use super::px;
use crate::html::number::Unit;
use crate::html::writer::Html;
use crate::plot::axis::Axis;
use crate::wording::many;
use analysis::{Distribution, Estimate, TrialValue};
use record::Scale;

/// A ratio beyond this factor either way stands at the edge.
const FURTHEST: f64 = 2.0;
/// Width and height of a ratio's drawing.
const RATIO: (f64, f64) = (56.0, 10.0);
/// Width and height of the others.
const SIZE: (f64, f64) = (132.0, 34.0);
/// Trials further from the typical value than this many half widths of the interval stand at the edge.
const FAR: f64 = 8.0;

/// A place in such a drawing: a whole number of its units is exact enough.
fn whole(value: f64) -> String {
    format!("{value:.0}")
}

/// A ratio as a place to the left or to the right of 1, by ratio.
pub(crate) fn ratio(html: &mut Html, ratio: f64) {
    let Some(axis) = Axis::over([FURTHEST.recip(), FURTHEST].into_iter(), Scale::Logarithmic) else {
        return;
    };
    if !(ratio.is_finite() && ratio > 0.0) {
        return;
    }
    let (width, height) = RATIO;
    let place = |value: f64| 4.0 + axis.share(value) * (width - 8.0);
    let size = format!("0 0 {width} {height}");
    let attributes = [
        ("class", "ratio"),
        ("viewBox", size.as_str()),
        ("aria-hidden", "true"),
    ];
    html.tag("svg", &attributes, |html| {
        let (one, here, y) = (place(1.0), place(ratio), height / 2.0);
        // The place of 1, the way from there, and a dot at its end: the style tells them by their order.
        html.shape("path", &[("d", &format!("M{} 0V{height}", px(one)))]);
        html.shape("path", &[("d", &format!("M{} {y}H{}", px(one), px(here)))]);
        let off = if axis.holds(ratio) { "" } else { "beyond" };
        html.shape(
            "circle",
            &[("class", off), ("cx", &px(here)), ("cy", &px(y)), ("r", "3")],
        );
    });
}

fn drawing(html: &mut Html, (class, says): (&'static str, &str), inside: impl FnOnce(&mut Html)) {
    let size = format!("0 0 {} {}", SIZE.0, SIZE.1);
    let attributes = [("class", class), ("viewBox", size.as_str()), ("role", "img")];
    html.tag("svg", &attributes, |html| {
        html.leaf("title", &[], says);
        inside(html);
    });
}

/// Samples counted in bars, with the typical value as a line.
pub(crate) fn distribution(html: &mut Html, all: &Distribution, estimate: &Estimate, unit: Unit) {
    let (low, high) = (unit.show(all.low, None).own(), unit.show(all.high, None).own());
    let outside = match (all.below, all.above) {
        (0, 0) => String::new(),
        (below, above) => format!(
            "; {} below and {} above",
            many(below, "sample"),
            many(above, "sample")
        ),
    };
    let says = format!("{} from {low} to {high}{outside}", many(all.samples(), "sample"));
    let most = all.counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let tops = all
        .counts
        .iter()
        .map(|count| SIZE.1 - *count as f64 / most * (SIZE.1 - 2.0));
    let bars = all.counts.len().max(1);
    let path = outline(tops.map(whole), SIZE.0 / bars as f64);
    let axis = Axis::over([all.low, all.high].into_iter(), Scale::Linear);
    // The style tells the shapes by their order: the bars, and the typical value.
    drawing(html, ("small", &says), |html| {
        html.shape("path", &[("d", &path)]);
        if let Some(axis) = axis.filter(|axis| axis.holds(estimate.typical)) {
            let x = axis.share(estimate.typical) * SIZE.0;
            html.shape("path", &[("d", &format!("M{} 0V{}", px(x), SIZE.1))]);
        }
    });
}

/// The outline of bars of this width with these tops, from the ground to the ground; equal neighbours are one.
fn outline(tops: impl Iterator<Item = String>, width: f64) -> String {
    let ground = whole(SIZE.1);
    let (mut path, mut before) = (format!("M0 {ground}"), ground.clone());
    for (bar, top) in tops.enumerate() {
        if top != before {
            if bar > 0 {
                path.push_str(&format!("H{}", whole(bar as f64 * width)));
            }
            path.push_str(&format!("V{top}"));
            before = top;
        }
    }
    if before != ground {
        path.push_str(&format!("H{}V{ground}", whole(SIZE.0)));
    }
    path
}

/// Every trial by its round, with the interval as a band and the typical value as a line.
pub(crate) fn trials(html: &mut Html, all: &[TrialValue], estimate: &Estimate, unit: Unit) {
    let values = || all.iter().map(|trial| trial.typical);
    let rounds = Axis::over(all.iter().map(|trial| f64::from(trial.round)), Scale::Linear);
    let band = estimate.interval.unwrap_or((estimate.typical, estimate.typical));
    let reach = estimate
        .interval
        .map_or(f64::INFINITY, |(low, high)| (high - low) / 2.0 * FAR);
    let near = values().filter(|value| (value - estimate.typical).abs() <= reach);
    let axis = Axis::over(near.chain([band.0, band.1]), Scale::Linear);
    let (Some(rounds), Some(axis)) = (rounds, axis) else {
        return;
    };
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let says = format!(
        "{} from {} to {}",
        many(all.len(), "trial"),
        unit.show(low, None).own(),
        unit.show(high, None).own(),
    );
    let x = |round: u32| 3.0 + rounds.share(f64::from(round)) * (SIZE.0 - 6.0);
    let y = |value: f64| SIZE.1 - 3.0 - axis.share(value) * (SIZE.1 - 6.0);
    // The interval, the typical value, and the trials.
    drawing(html, ("small by-round", &says), |html| {
        let band = format!("M0 {}H{}V{}H0z", px(y(band.1)), SIZE.0, px(y(band.0)));
        html.shape("path", &[("d", &band)]);
        let level = format!("M0 {}H{}", px(y(estimate.typical)), SIZE.0);
        html.shape("path", &[("d", &level)]);
        // A line of no length with round ends is a dot, and all dots are one shape.
        let dots: String = all
            .iter()
            .map(|trial| format!("M{} {}h0", whole(x(trial.round)), whole(y(trial.typical))))
            .collect();
        html.shape("path", &[("d", &dots)]);
    });
}
