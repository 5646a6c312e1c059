//! The drift over the run: in each round, how far trials lay from what their points came out as.

use super::frame::{Frame, Side};
use super::{Sign, px};
use crate::html::writer::Html;
use crate::plot::axis::Axis;
use crate::wording::many;
use analysis::RoundDrift;
use quantity::{Quantity, show, show_change};
use record::Scale;

/// Fewer rounds have no course.
const LEAST_ROUNDS: usize = 3;
/// The axis reaches at least so far to both sides of 1, so that a quiet run looks quiet.
const LEAST_REACH: f64 = 1.02;

/// Draws the course; nothing where there are too few rounds.
pub(crate) fn course(html: &mut Html, rounds: &[RoundDrift]) -> Option<()> {
    if rounds.len() < LEAST_ROUNDS {
        return None;
    }
    let ends = rounds
        .iter()
        .flat_map(|round| [round.quartiles.0, round.quartiles.1, round.middle]);
    let reach = [LEAST_REACH, LEAST_REACH.recip()];
    let up = Axis::over(ends.chain(reach), Scale::Linear)?.with_margin();
    let along = Axis::over(rounds.iter().map(|round| f64::from(round.round)), Scale::Linear)?;
    let frame = Frame {
        along: whole(Side::new(along, Quantity::Count, None, "round")),
        up: Side {
            labels: up.labels_by(10.0, |value, _| show_change(value)),
            ..Side::new(up, Quantity::Ratio, None, "time against the whole run")
        },
    };
    let says = "by round, how much longer or shorter trials took than their points did in the whole run: median and quartiles";
    frame.draw(html, says, |html, frame| inside(html, frame, rounds));
    Some(())
}

/// Rounds between rounds have no name.
fn whole(side: Side) -> Side {
    let labels = side.labels.iter().filter(|(round, _)| round.fract() == 0.0);
    let labels = labels.map(|(round, _)| (*round, show(*round, None, Quantity::Count)));
    Side {
        labels: labels.collect(),
        ..side
    }
}

fn inside(html: &mut Html, frame: &Frame, rounds: &[RoundDrift]) {
    let (left, right) = frame.sides();
    let level = format!("M{} {}H{}", px(left), px(frame.y(1.0)), px(right));
    html.tag("g", &[("class", "aid")], |html| {
        html.shape("path", &[("class", "exact"), ("d", &level)]);
    });
    let there = rounds.iter().map(|round| (round.round, round.quartiles.1));
    let back = rounds.iter().rev().map(|round| (round.round, round.quartiles.0));
    let place =
        |(round, value): (u32, f64)| format!("{} {}", px(frame.x(f64::from(round))), px(frame.y(value)));
    let band: Vec<String> = there.chain(back).map(place).collect();
    let middle: Vec<String> = rounds
        .iter()
        .map(|round| place((round.round, round.middle)))
        .collect();
    html.tag("g", &[("class", "s1")], |html| {
        html.shape(
            "path",
            &[("class", "band"), ("d", &format!("M{}z", band.join("L")))],
        );
        html.shape(
            "path",
            &[("class", "line"), ("d", &format!("M{}", middle.join("L")))],
        );
    });
    html.tag("g", &[("class", "s1")], |html| {
        rounds.iter().for_each(|one| round(html, frame, one));
    });
}

/// The median of a round.
fn round(html: &mut Html, frame: &Frame, round: &RoundDrift) {
    let says = format!(
        "round {}: median {}, quartiles {} and {}, over {}",
        show(f64::from(round.round), None, Quantity::Count),
        show_change(round.middle),
        show_change(round.quartiles.0),
        show_change(round.quartiles.1),
        many(round.trials, "trial"),
    );
    let at = (frame.x(f64::from(round.round)), frame.y(round.middle));
    Sign::of(0).draw(html, "", at, &says);
}
