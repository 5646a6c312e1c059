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
/// The axis reaches this multiple of the precision asked to both sides of 1, so that a quiet run looks quiet; what is further off
/// stands at its end.
const REACH: f64 = 5.0;
/// Share of the room of a round that its bar fills, and the widest bar.
const FILLED: f64 = 0.75;
const WIDEST: f64 = 10.0;
/// Half of the shortest bar.
const LEAST_BAR: f64 = 0.8;
/// A strip: lower than other drawings.
const HEIGHT: f64 = 160.0;

/// Draws the course; nothing where there are too few rounds.
pub(crate) fn course(html: &mut Html, rounds: &[RoundDrift], asked: f64) -> Option<()> {
    if rounds.len() < LEAST_ROUNDS {
        return None;
    }
    let reach = [1.0 - REACH * asked, 1.0 + REACH * asked];
    let up = Axis::over(reach.into_iter(), Scale::Linear)?;
    let along = Axis::over(rounds.iter().map(|round| f64::from(round.round)), Scale::Linear)?;
    let frame = Frame {
        height: HEIGHT,
        along: whole(Side::new(along, Quantity::Count, None, "round")),
        up: Side {
            labels: up.labels_by(10.0, |value, _| show_change(value)),
            ..Side::new(up, Quantity::Ratio, None, "time against the whole run")
        },
    };
    let says = "by round, how much longer or shorter trials took than their points did in the whole run: median and quartiles";
    frame.draw(html, says, |html, frame| inside(html, frame, rounds, asked));
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

fn inside(html: &mut Html, frame: &Frame, rounds: &[RoundDrift], asked: f64) {
    let (left, right) = frame.sides();
    html.tag("g", &[("class", "aid")], |html| {
        for (class, at) in [("off", 1.0 - asked), ("exact", 1.0), ("off", 1.0 + asked)] {
            let level = format!("M{} {}H{}", px(left), px(frame.y(at)), px(right));
            html.shape("path", &[("class", class), ("d", &level)]);
        }
    });
    let width = px(((right - left) / rounds.len() as f64 * FILLED).min(WIDEST));
    for (index, is_disturbed) in [false, true].into_iter().enumerate() {
        let (sign, of_kind) = (Sign::of(index), |one: &&RoundDrift| {
            (one.quartiles.0 < 1.0 - asked || one.quartiles.1 > 1.0 + asked) == is_disturbed
        });
        html.tag(
            "g",
            &[("class", sign.class()), ("stroke-width", &width)],
            |html| {
                let word = if is_disturbed { "disturbed" } else { "quiet" };
                rounds
                    .iter()
                    .filter(of_kind)
                    .for_each(|one| round(html, frame, one, word));
            },
        );
    }
}

/// The quartiles of a round, at least as far apart as its bar is visible.
fn round(html: &mut Html, frame: &Frame, round: &RoundDrift, word: &str) {
    let says = format!(
        "round {}, {word}: median {}, quartiles {} and {}, over {}",
        show(f64::from(round.round), None, Quantity::Count),
        show_change(round.middle),
        show_change(round.quartiles.0),
        show_change(round.quartiles.1),
        many(round.trials, "trial"),
    );
    let (top, bottom) = (frame.y(round.quartiles.1), frame.y(round.quartiles.0));
    let middle = f64::midpoint(top, bottom);
    let (top, bottom) = (top.min(middle - LEAST_BAR), bottom.max(middle + LEAST_BAR));
    let bar = format!(
        "M{} {}V{}",
        px(frame.x(f64::from(round.round))),
        px(top),
        px(bottom)
    );
    html.tag("path", &[("d", &bar)], |html| html.leaf("title", &[], &says));
}
