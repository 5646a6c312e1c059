//! A value on the scale of a column: places are shares of the width, so that the scale is as wide as the page allows.

use super::sign::titled;
use crate::first_screen::scale::{Costs, share};
use crate::html::writer::Html;
use crate::table::Shares;

fn percent(share: f64) -> String {
    format!("{}%", super::sign::px(share * 100.0))
}

/// The labels of the decades. Those with a unit stay where there is little room.
pub(crate) fn decades(html: &mut Html, labels: &[&str]) {
    html.tag("svg", &[("aria-label", "scale")], |html| {
        let last = labels.len().saturating_sub(1);
        for (index, label) in labels.iter().enumerate() {
            let place = percent(index as f64 / last.max(1) as f64);
            let class = match index {
                0 => "first",
                end if end == last => "last",
                _ if label.contains(' ') => "",
                _ => "minor",
            };
            html.leaf("text", &[("class", class), ("x", &place), ("y", "75%")], label);
        }
    });
}

/// The interval as a line, the predicted value as a ring, the measured one as a dot; both are squares for a bandwidth.
pub(crate) fn costs(html: &mut Html, costs: Option<Costs>, says: &str) {
    titled(html, says, |html| {
        let Some(costs) = costs else {
            return;
        };
        if let Some((low, high)) = costs.interval {
            interval(html, (share(low), share(high)));
        }
        let sign = if costs.is_transfer { square } else { dot };
        if let Some(predicted) = costs.predicted {
            sign(html, "hollow", share(predicted), 5.2);
        }
        let [low, high] = costs.measured;
        sign(html, "", share(low), 3.6);
        if low != high {
            sign(html, "", share(high), 3.6);
        }
    });
}

/// A change between the ends of its scale.
pub(crate) fn change(html: &mut Html, shares: &Shares) {
    titled(html, &shares.says, |html| {
        interval(html, shares.interval);
        dot(html, "", shares.value, 3.6);
    });
}

fn interval(html: &mut Html, (low, high): (f64, f64)) {
    let (from, to) = (percent(low), percent(high));
    html.shape("line", &[("x1", &from), ("x2", &to), ("y1", "50%"), ("y2", "50%")]);
}

fn dot(html: &mut Html, class: &'static str, at: f64, radius: f64) {
    let (at, radius) = (percent(at), super::sign::px(radius));
    let attributes = [("class", class), ("cx", &at), ("cy", "50%"), ("r", &radius)];
    html.shape("circle", &attributes);
}

fn square(html: &mut Html, class: &'static str, at: f64, half: f64) {
    let (at, side, back) = (percent(at), super::sign::px(2.0 * half), super::sign::px(-half));
    let moved = format!("translate({back} {back})");
    let attributes = [
        ("class", class),
        ("x", at.as_str()),
        ("y", "50%"),
        ("width", &side),
        ("height", &side),
        ("transform", &moved),
    ];
    html.shape("rect", &attributes);
}
