//! A cost on the scale of all costs: places are shares of the width, so that the scale is as wide as the page allows.

use crate::first_screen::scale::{Costs, share};
use crate::html::writer::Html;

fn percent(share: f64) -> String {
    format!("{}%", super::px(share * 100.0))
}

/// The labels of the decades. Those with a unit stay where there is little room.
pub(crate) fn decades(html: &mut Html, labels: &[&str]) {
    html.tag("svg", &[("aria-label", "scale of costs")], |html| {
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

/// The interval as a line, the predicted value as a ring, the measured one as a dot.
pub(crate) fn costs(html: &mut Html, costs: Option<Costs>, says: &str) {
    html.tag("svg", &[("role", "img")], |html| {
        html.leaf("title", &[], says);
        let Some(costs) = costs else {
            return;
        };
        if let Some((low, high)) = costs.interval {
            let (from, to) = (percent(share(low)), percent(share(high)));
            html.shape(
                "line",
                &[("x1", &from), ("x2", &to), ("y1", "50%"), ("y2", "50%")],
            );
        }
        let mut dot = |class: &'static str, ns: f64, radius: &str| {
            let place = percent(share(ns));
            let attributes = [("class", class), ("cx", &place), ("cy", "50%"), ("r", radius)];
            html.shape("circle", &attributes);
        };
        if let Some(predicted) = costs.predicted {
            dot("hollow", predicted, "5.2");
        }
        dot("", costs.measured, "3.6");
    });
}
