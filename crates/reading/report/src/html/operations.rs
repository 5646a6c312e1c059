//! A section for every operation: what one iteration is, how it is measured, and what its points gave.

use super::evidence::{Everywhere, Evidence, proved, witnesses};
use super::method::Method;
use super::number::{Number, Unit};
use super::parts::{anchor, operation_anchor, section};
use super::sources::{CYCLE_MEANS, Cited, Sources};
use super::table::{Frame, PageColumns, ROW, number_cell, verdict_cell};
use super::writer::Html;
use super::{point, svg};
use crate::groups::{OperationRows, areas};
use crate::published::Published;
use crate::wording::many;
use crate::{View, cells, cores, run_summary};
use analysis::{Estimate, Row, Verdict};

/// More points than this are closed together.
const MANY: usize = 4;
/// What is said in the place of a method that nobody here knows.
const NO_METHOD: &str =
    "The record does not describe the method, and this oscope measures another revision of the operation.";

/// Writes the part.
pub(super) fn operations(view: &View<'_>, methods: &[Method<'_>], published: &Published, html: &mut Html) {
    section(html, "operations", "Operations", |html| {
        html.tag("p", &[("class", "tools"), ("hidden", "")], |html| {
            html.leaf("button", &[("type", "button"), ("id", "open-all")], "Open all");
            html.leaf("button", &[("type", "button"), ("id", "close-all")], "Close all");
            html.say(" What is open is printed.");
        });
        let says = "T0 is the prediction from facts, T1 that from parts; evidence is counted per iteration;";
        html.leaf("p", &[("class", "soft")], &format!("{says} {CYCLE_MEANS}."));
        let areas = areas(&view.analysis.rows);
        let groups = areas.iter().flat_map(|(_, operations)| operations);
        let everywhere = Everywhere::of_operations(&groups.map(OperationRows::rows).collect::<Vec<_>>());
        everywhere.write(html);
        let cited = Cited::of_rows(view.analysis.rows.iter());
        cited.write(html);
        let known = Known { methods, published, everywhere: &everywhere, cited: &cited };
        for (area, operations) in &areas {
            let rows = operations.iter().flat_map(OperationRows::rows);
            let counted = run_summary::verdicts(rows);
            html.folded_under(
                &[("class", "area")],
                |html| {
                    html.leaf("b", &[("role", "heading"), ("aria-level", "3")], area);
                    html.leaf("span", &[("class", "soft")], &counted);
                },
                |html| {
                    for group in operations {
                        operation(group, view, known, html);
                    }
                },
            );
        }
    });
}

/// What is known besides the record, and what is said of many operations.
#[derive(Clone, Copy)]
struct Known<'a> {
    methods: &'a [Method<'a>],
    published: &'a Published,
    everywhere: &'a Everywhere<'a>,
    cited: &'a Cited<'a>,
}

fn operation(group: &OperationRows<'_>, view: &View<'_>, known: Known<'_>, html: &mut Html) {
    let Some((first, _)) = group.points.first() else {
        return;
    };
    let planned = &first.point;
    let id = operation_anchor(&planned.id.operation);
    let run_hz = view.analysis.core_hz;
    let rows = group.rows();
    let sources = Sources::of_rows(rows.iter().copied(), known.cited);
    let evidence = Evidence::of_rows(&rows);
    html.tag("article", &[("id", &id)], |html| {
        html.folded_under(
            &[],
            |html: &mut Html| {
                html.tag("b", &[("role", "heading"), ("aria-level", "4")], |html| {
                    html.leaf("code", &[], &planned.id.operation);
                });
                html.say(&format!(" {}", planned.title));
            },
            |html| {
                html.tag("p", &[("class", "iteration")], |html| {
                    html.leaf("b", &[], "One iteration: ");
                    html.say(&planned.one_iteration);
                });
                method(&rows, known, (&sources, &evidence), html);
                table(group, run_hz, html);
                stands(&rows, known.published, html);
                let says = format!("{}: prediction, evidence, notes of each", many(rows.len(), "point"));
                html.folded_if(rows.len() > MANY, &[("class", "all")], &says, |html| {
                    evidence.write_common(html);
                    for (row, own) in &group.points {
                        point::point((row, own), run_hz, &sources, &evidence, html);
                    }
                });
            },
        );
    });
}

/// What five reports published, beside what it came to here.
fn stands(rows: &[&Row], published: &Published, html: &mut Html) {
    let Some(standing) = published.standing(rows) else {
        return;
    };
    html.tag("p", &[("class", "stands")], |html| {
        html.leaf("b", &[], "Published figures: ");
        html.say(&format!("here {}", standing.here));
        for by_report in &standing.others {
            html.say("; ");
            html.lead(&report_anchor(&by_report.report), "", |html| html.say(&by_report.report));
            html.say(&format!(" {}", by_report.figures));
            if !by_report.suspect.is_empty() {
                html.leaf("span", &[("class", "soft")], &by_report.doubt());
            }
        }
    });
}

/// The anchor of the machine of a report.
pub(super) fn report_anchor(report: &str) -> String {
    format!("report-{report}")
}

/// How it is measured and what is the same for all its points, collapsed at first.
fn method(
    rows: &[&Row],
    known: Known<'_>,
    (sources, evidence): (&Sources<'_>, &Evidence<'_>),
    html: &mut Html,
) {
    let Some(first) = rows.first() else {
        return;
    };
    let prose = known.methods.iter().find(|method| method.is_of(first));
    let title = "Method, confounds, witnesses, terms";
    html.folded(&[("class", "method")], title, |html| {
        match prose {
            Some(method) => method.write(html),
            None => html.leaf("p", &[("class", "soft")], NO_METHOD),
        }
        proved(&witnesses(rows.iter().copied()), evidence, known.everywhere, html);
        sources.write(html);
    });
}

fn table(group: &OperationRows<'_>, run_hz: Option<f64>, html: &mut Html) {
    let is_folded = group.points.len() > MANY;
    let is_drawn = html.is_full || group.points.iter().any(|(row, _)| is_remarkable(row));
    let unit = |row: &Row| Unit::of_row(row, run_hz);
    let columns = PageColumns::new()
        .with("point", |html, (row, own): &&(&Row, String)| {
            let name = cells::marked(if own.is_empty() { "all of it" } else { own }, row);
            html.tag("th", &[ROW], |html| {
                // The sections of few points stand right below.
                match is_folded {
                    true => html.lead(&anchor(&row.point.id), "", |html| html.say(&name)),
                    false => html.say(&name),
                }
            });
        })
        .with("measured", |html, (row, _)| number_cell(html, unit(row).typical(row)))
        .with("interval", |html, (row, _)| number_cell(html, interval(row, unit(row))))
        .with("predicted", |html, (row, _)| number_cell(html, unit(row).predicted(row)))
        .with("ratio", |html, (row, _)| html.leaf("td", &[], &cells::ratio(row)))
        .with("verdict", |html, (row, _)| verdict_cell(html, row.verdict, &cores::brief(row)))
        .when(is_drawn, |columns| {
            columns
                .with("samples", |html, (row, _)| {
                    drawn_cell(row, html, |html, estimate| {
                        let is_wanted = html.is_full || is_mixed(row);
                        if let Some(all) = row.distribution.as_ref().filter(|_| is_wanted) {
                            svg::distribution(html, all, estimate, unit(row));
                        }
                    });
                })
                .with("trials by round", |html, (row, _)| {
                    drawn_cell(row, html, |html, estimate| {
                        if row.trials.len() > 1 {
                            svg::trials(html, &row.trials, estimate, unit(row));
                        }
                    });
                })
        });
    let frame = Frame { says: &group.name, class: "results", ..Frame::default() };
    columns.write(frame, &group.points, html);
}

/// Whether the trials of a row show more than its value says: there are enough of them for an interval, and it is not
/// narrow, its core was not quiet, or it has several modes.
fn is_remarkable(row: &Row) -> bool {
    let interval = row.estimate.as_ref().and_then(|estimate| estimate.interval);
    interval.is_some() && (row.verdict != Verdict::Measured || is_mixed(row))
}

/// Whether the samples of a row show more than its trials: they are of several modes, or of cores in several states.
fn is_mixed(row: &Row) -> bool {
    !cores::state(row).is_empty() || !row.modes.is_empty()
}

/// The interval, or why there is none.
fn interval(row: &Row, unit: Unit) -> Option<Number> {
    Some(match row.estimate.as_ref()?.interval {
        Some(interval) => unit.interval(interval.low, interval.high),
        None => Number::plain("too few trials".to_owned()),
    })
}

/// A cell with a drawing; none where the trials show no more than the value.
fn drawn_cell(row: &Row, html: &mut Html, inside: impl FnOnce(&mut Html, &Estimate)) {
    if html.is_full || is_remarkable(row) {
        html.tag("td", &[], |html| {
            if let Some(estimate) = &row.estimate {
                inside(html, estimate);
            }
        });
    }
}
