//! The plots: the first ones beside the answer, and every other sweep that declares one.

use super::parts::{operation_anchor, section};
use super::svg;
use super::writer::Html;
use crate::View;
use crate::scene::{self, Predictor, Scene};
use crate::wording::many;
use analysis::{Drawing, Row};
use quantity::{Quantity, show, show_percent};

/// The plots beside the answer: memory by the size of the working set, the predictions, how quiet the run was.
pub(super) fn first(view: &View<'_>, html: &mut Html) {
    html.tag("div", &[("class", "figures")], |html| {
        let drawings = view.analysis.drawings.iter();
        drawings
            .filter(|drawing| scene::is_of_memory(drawing))
            .for_each(|drawing| sweep(drawing, view, html));
        accuracy(view, Quantity::Latency, html);
        accuracy(view, Quantity::Bandwidth, html);
        course(view, html);
        quiet(view, html);
    });
}

/// Writes the part with the others.
pub(super) fn figures(view: &View<'_>, html: &mut Html) {
    section(html, "plots", "Plots", |html| {
        clock(view, html);
        let drawings = view.analysis.drawings.iter();
        let others: Vec<&Drawing> = drawings.filter(|drawing| !scene::is_of_memory(drawing)).collect();
        let says = format!("Width of intervals; {}", many(others.len(), "sweep"));
        html.folded(&[], &says, |html| {
            html.tag("div", &[("class", "figures")], |html| {
                noise(view, html);
                others.iter().for_each(|drawing| sweep(drawing, view, html));
            });
        });
    });
}

fn clock(view: &View<'_>, html: &mut Html) {
    if let Some(hz) = view.analysis.core_hz {
        let clock = show(hz, None, Quantity::Frequency);
        let says = format!("Values on hover. In cycles, axes are at {clock}.");
        html.leaf("p", &[("class", "soft")], &says);
    }
}

/// A scene with a name and what there is to say as its caption, its legend, and what `below` writes; nothing without a scene.
fn figure(
    html: &mut Html,
    (name, says): (&str, &str),
    (scene, core_hz): (Option<Scene>, Option<f64>),
    below: impl FnOnce(&mut Html),
) {
    let Some(scene) = scene else {
        return;
    };
    html.tag("figure", &[], |html| {
        html.tag("figcaption", &[], |html| {
            html.leaf("b", &[], name);
            html.leaf("span", &[("class", "soft")], says);
        });
        svg::scene(html, &scene, core_hz);
        svg::legend(html, &scene);
        below(html);
    });
}

const OPEN_SIGNS: &str = "Open signs are noisy points.";

fn accuracy(view: &View<'_>, quantity: Quantity, html: &mut Html) {
    let (rows, core_hz) = (&view.analysis.rows, view.analysis.core_hz);
    for predictor in Predictor::ALL {
        let whose = match predictor {
            Predictor::Program => "Predicted",
            Predictor::User => "Predicted by the user",
        };
        let name = format!("{whose} against measured {}", scene::value_word(quantity));
        let says = format!(
            "Exact predictions lie on the line; the broken lines are a factor of 1.5 and of 2 off. {OPEN_SIGNS}"
        );
        let scene = Scene::accuracy(rows, quantity, predictor, core_hz, html.is_full);
        figure(html, (&name, &says), (scene, core_hz), |_| ());
    }
}

fn noise(view: &View<'_>, html: &mut Html) {
    let (asked, core_hz) = (view.plan.settings.precision, view.analysis.core_hz);
    let says = format!(
        "Half the width of each interval by the time of one iteration; the line is the target: ± {}. {OPEN_SIGNS}",
        show_percent(asked)
    );
    let scene = Scene::noise(&view.analysis.rows, asked, core_hz, html.is_full);
    figure(html, ("Noise", &says), (scene, core_hz), |_| ());
}

fn course(view: &View<'_>, html: &mut Html) {
    let asked = view.plan.settings.precision;
    let says = format!(
        "By round: the time of trials divided by that of their points in the whole run, as a bar from the first to the \
         third quartile. A round is disturbed where its bar leaves ± {}. Late rounds hold only the points that were not \
         yet narrow.",
        show_percent(asked)
    );
    let scene = Scene::course(&view.analysis.drift_by_round, asked);
    figure(html, ("Quiet and disturbed rounds", &says), (scene, None), |_| ());
}

fn quiet(view: &View<'_>, html: &mut Html) {
    let says = "Share of the time for which the core that was shared most was not shared while trials ran.";
    let scene = Scene::quiet(&view.analysis.quiet_spans);
    figure(html, ("Quiet cores over the run", says), (scene, None), |_| ());
}

fn sweep(drawing: &Drawing, view: &View<'_>, html: &mut Html) {
    let title = scene::title(drawing);
    let (of, says) = title.split_once(": ").unwrap_or((&title, ""));
    let scene = Scene::sweep(drawing, view.analysis.core_hz);
    let says = match scene.as_ref().is_some_and(Scene::has_predictions) {
        true => format!("{says}; open signs are predicted values, filled ones are measured"),
        false => says.to_owned(),
    };
    figure(html, (of, &says), (scene, view.analysis.core_hz), |html| {
        remarks(drawing, html);
        values(drawing, &view.analysis.rows, html);
    });
}

fn remarks(drawing: &Drawing, html: &mut Html) {
    if let Some(by) = &drawing.marked_by {
        let marks = scene::marked(drawing.marks.iter(), drawing);
        html.leaf("p", &[("class", "soft")], &format!("Marked by {by}: {marks}."));
    }
    if drawing.left_out > 0 {
        let more = many(drawing.left_out, "further combination");
        html.leaf("p", &[("class", "soft")], &format!("{more} of parameters not drawn."));
    }
}

/// Where the values stand as a table, for those who cannot see the drawing or want to copy them.
fn values(drawing: &Drawing, rows: &[Row], html: &mut Html) {
    let drawn = rows.iter().filter(|row| row.point.plot.is_some() && scene::is_of(row, drawing));
    let mut operations: Vec<&str> = drawn.map(|row| row.point.id.operation.as_str()).collect();
    operations.dedup();
    html.tag("p", &[("class", "soft")], |html| {
        html.say("Values: ");
        for (index, operation) in operations.iter().enumerate() {
            if index > 0 {
                html.say(", ");
            }
            html.lead(&operation_anchor(operation), "", |html| html.say(operation));
        }
    });
}
