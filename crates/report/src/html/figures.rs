//! The plots: predicted against measured, how the run went, and every sweep that declares one.

use super::number::Unit;
use super::parts::{heading, number_cell, scrolled, section};
use super::svg::{self, Sign};
use super::writer::Html;
use crate::wording::{many, sentence};
use crate::{View, plot};
use analysis::{Drawing, DrawnPoint, DrawnSeries, Row};
use quantity::{Quantity, show, show_percent};

/// Writes the part.
pub(super) fn figures(view: &View<'_>, html: &mut Html) {
    section(html, "plots", "Plots", |html| {
        let (analysis, rows) = (view.analysis, &view.analysis.rows);
        clock(view, html);
        html.tag("div", &[("class", "figures")], |html| {
            for (quantity, word) in [(Quantity::Latency, "times"), (Quantity::Bandwidth, "bandwidths")] {
                let caption = format!(
                    "Predicted against measured {word}: what is exact lies on the line; the broken lines are a \
                     factor of 1.5 and of 2 off. Open signs are noisy"
                );
                figure(html, &caption, |html| {
                    svg::predicted_against_measured(html, rows, quantity, analysis.core_hz)?;
                    areas(rows, html);
                    Some(())
                });
            }
            let asked = view.plan.settings.precision;
            let caption = format!(
                "Noise: half the width of each interval by the time of one iteration; the line is the {} that was \
                 asked. Open signs are noisy",
                show_percent(asked)
            );
            figure(html, &caption, |html| {
                svg::noise(html, rows, asked, analysis.core_hz)?;
                areas(rows, html);
                Some(())
            });
            let caption = "Drift over the run: in each round, how much more or less trials took than their points in \
                the whole run; median and quartiles. Late rounds hold only the points that were not yet narrow";
            figure(html, caption, |html| svg::course(html, &analysis.course));
            analysis.drawings.iter().for_each(|drawing| sweep(drawing, view, html));
        });
    });
}

fn clock(view: &View<'_>, html: &mut Html) {
    if let Some(hz) = view.analysis.core_hz {
        let clock = show(hz, None, Quantity::Frequency);
        let says = format!("Values on hover. Where times are shown in cycles, axes are at the run's median clock, {clock}.");
        html.leaf("p", &[("class", "soft")], &says);
    }
}

/// A drawing with its caption; nothing where it cannot be drawn.
fn figure(html: &mut Html, caption: &str, inside: impl FnOnce(&mut Html) -> Option<()>) {
    let mut drawn = Html::default();
    if inside(&mut drawn).is_some() {
        html.tag("figure", &[], |html| {
            html.leaf("figcaption", &[], &sentence(caption));
            html.take(drawn);
        });
    }
}

/// The signs of the areas that the rows have.
fn areas(rows: &[Row], html: &mut Html) {
    html.tag("ul", &[("class", "legend")], |html| {
        for (index, area) in svg::AREAS.iter().enumerate() {
            if rows.iter().any(|row| row.point.area == *area) {
                html.tag("li", &[("class", "dotted")], |html| {
                    Sign::of(index).legend(html);
                    html.say(area);
                });
            }
        }
    });
}

fn sweep(drawing: &Drawing, view: &View<'_>, html: &mut Html) {
    let title = plot::title(drawing);
    figure(html, &title, |html| {
        svg::sweep(html, drawing, view.analysis.core_hz)?;
        svg::legend(html, drawing);
        remarks(drawing, html);
        values(drawing, view.analysis.core_hz, html);
        Some(())
    });
}

fn remarks(drawing: &Drawing, html: &mut Html) {
    if let Some(by) = &drawing.marked_by {
        let mark = |(at, name): &(f64, String)| {
            format!("{name} {}", show(*at, Some(at * crate::cells::TWO_DIGITS), drawing.along))
        };
        let marks: Vec<String> = drawing.marks.iter().map(mark).collect();
        html.leaf("p", &[("class", "soft")], &format!("Marked by {by}: {}.", marks.join(", ")));
    }
    if drawing.left_out > 0 {
        let more = many(drawing.left_out, "further combination");
        html.leaf("p", &[("class", "soft")], &format!("{more} of parameters not drawn."));
    }
}

/// The same values as a table, for those who cannot see the drawing or want to copy them.
fn values(drawing: &Drawing, core_hz: Option<f64>, html: &mut Html) {
    html.tag("details", &[], |html| {
        html.leaf("summary", &[], "Values");
        scrolled(html, "values of the plot", |html| {
            html.tag("table", &[], |html| {
                html.leaf("caption", &[("class", "unseen")], &plot::title(drawing));
                heading(html, &["series", &drawing.axis, "typical", "interval"]);
                html.tag("tbody", &[], |html| {
                    let all = drawing.series.iter();
                    let all = all.flat_map(|series| series.points.iter().map(move |point| (series, point)));
                    all.for_each(|(series, point)| value(drawing, series, point, core_hz, html));
                });
            });
        });
    });
}

fn value(drawing: &Drawing, series: &DrawnSeries, point: &DrawnPoint, core_hz: Option<f64>, html: &mut Html) {
    let unit = Unit::new(drawing.quantity, core_hz);
    let half = crate::cells::half(point.interval);
    html.tag("tr", &[], |html| {
        html.leaf("th", &[("scope", "row")], &series.name);
        html.leaf("td", &[("class", "number")], &show(point.at, None, drawing.along));
        number_cell(html, "number", Some(&unit.show(point.value, half)));
        let interval = point.interval.map(|(low, high)| unit.interval(low, high));
        number_cell(html, "number", interval.as_ref());
    });
}
