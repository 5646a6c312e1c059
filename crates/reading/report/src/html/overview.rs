//! The answer before anything else: the machine, how far to trust the run, what things cost, what stands out.

use super::method::Method;
use super::number::Unit;
use super::parts::{anchor, operation_anchor};
use super::table::{Frame, PageColumns, ROW};
use super::writer::Html;
use super::{figures, svg};
use crate::first_screen::scale::LABELS;
use crate::first_screen::{Label, Named, costs_of, highlights, sections, shown, trust};
use crate::style::Paint;
use crate::wording::{many, sentence};
use crate::{View, brief_machine, cells, cores, disturbances, facts, reasons, run_summary};
use analysis::{Row, Verdict};

/// Writes the section.
pub(super) fn overview(view: &View<'_>, methods: &[Method<'_>], labels: &[Label<'_>], html: &mut Html) {
    html.tag("section", &[("id", "top"), ("class", "overview")], |html| {
        machine(view, html);
        for (line, paint) in trust(view) {
            html.leaf("p", &[("class", class(paint))], &sentence(&line));
        }
        for line in disturbances::brief(view) {
            html.leaf("p", &[("class", Verdict::Noisy.word())], &sentence(&format!("! {line}")));
        }
        let (rows, more) = shown(view, labels);
        costs(view, &rows, methods, html);
        if more > 0 {
            html.tag("p", &[("class", "soft")], |html| {
                html.lead("summary", "", |html| html.say(&many(more, "other point")));
                html.say(" in the table below.");
            });
        }
        stands_out(view, &rows, html);
        figures::first(view, html);
    });
}

/// The class of a line that is painted so on a terminal.
fn class(paint: Paint) -> &'static str {
    match paint {
        Paint::Good => "lead measured",
        Paint::Warning => "lead noisy",
        Paint::Bad => "lead contradicted",
        Paint::Plain | Paint::Strong | Paint::Faint => "",
    }
}

fn machine(view: &View<'_>, html: &mut Html) {
    let mut lines = brief_machine::in_three_lines(view).into_iter();
    html.leaf("h1", &[], &lines.next().unwrap_or_else(|| facts::model(view.machine)));
    lines.for_each(|line| html.leaf("p", &[], &line));
    let run = format!("{}; {}", run_summary::opening(view), run_summary::lasted(view));
    html.leaf("p", &[("class", "soft")], &sentence(&run));
}

/// All costs on one scale, a row each.
fn costs(view: &View<'_>, rows: &[Named<'_>], methods: &[Method<'_>], html: &mut Html) {
    if rows.is_empty() {
        return html.leaf("p", &[], "No point was planned.");
    }
    let clock = cores::at_clock(view.analysis).map_or_else(String::new, |clock| format!("; {clock}"));
    let legend = format!(
        "● measured with its interval, ○ predicted, on a logarithmic scale of times; ■ □ time of 4 KiB at that \
        bandwidth; ~ noisy; ± of the next run{clock}; ratio = measured / predicted. Each row leads to its operation."
    );
    let run_hz = view.analysis.core_hz;
    let columns = PageColumns::new()
        .with("operation", |html, (name, row): &&Named<'_>| {
            html.tag("th", &[ROW], |html| {
                html.lead(&operation_anchor(&row.point.id.operation), "", |html| html.say(name));
            });
        })
        .with("measured", |html, (_, row)| measured(view, row, html))
        .with("±", |html, (_, row)| html.leaf("td", &[], &cells::half_width(row)))
        .under(
            |html| html.tag("th", &[], |html| svg::decades(html, &LABELS)),
            |html, (_, row)| {
                let says = says(row, methods, Unit::of_row(row, run_hz));
                html.tag("td", &[], |html| svg::costs(html, costs_of(row), &says));
            },
        )
        .with("ratio", |html, (_, row)| html.leaf("td", &[], &cells::ratio(row)));
    columns.write(Frame { class: "costs", caption: &legend, ..Frame::default() }, rows, html);
}

/// The typical value, or what there is instead.
fn measured(view: &View<'_>, row: &Row, html: &mut Html) {
    let mark = format!("{} {}", cores::clock_mark(view.analysis, row), cells::mark(row.verdict));
    match Unit::of_row(row, view.analysis.core_hz).typical(row) {
        Some(typical) => html.tag("td", &[], |html| {
            typical.write(html);
            html.say(mark.trim_end());
        }),
        None => {
            let says = format!("{}{mark}", cells::measured(row));
            html.leaf("td", &[("class", row.verdict.word())], says.trim_end());
        }
    }
}

/// What a row says on hover: its values, and in a sentence how they are measured; its operation says the rest.
fn says(row: &Row, methods: &[Method<'_>], unit: Unit) -> String {
    let mut parts = vec![row.point.id.to_string()];
    if let (Some(estimate), Some(typical)) = (&row.estimate, unit.typical(row)) {
        let interval = estimate.interval.map_or_else(String::new, |interval| {
            format!(" ({})", unit.interval(interval.low, interval.high).own())
        });
        parts.push(format!("measured {}{interval}", typical.own()));
    } else if let Some(reason) = reasons::reason(row) {
        parts.push(format!("{}: {reason}", row.verdict.word()));
    }
    parts.extend(unit.predicted(row).map(|predicted| format!("predicted {}", predicted.own())));
    let of_row = methods.iter().find(|method| method.is_of(row));
    let method = of_row.map_or(row.point.one_iteration.as_str(), |method| method.method);
    let method = method.split_once(". ").map_or(method, |(first, _)| first);
    format!("{}. {}", parts.join("; "), sentence(method.trim_end_matches('.')))
}

fn stands_out(view: &View<'_>, rows: &[Named<'_>], html: &mut Html) {
    let found = highlights(view, rows);
    for (heading, found) in sections(&found, rows) {
        if found.is_empty() {
            html.leaf("p", &[], &sentence(heading));
            continue;
        }
        html.leaf("h3", &[], heading);
        html.list("highlights", found, |html, finding| {
            html.say(&sentence(&finding.sentence));
            if let Some(id) = &finding.explained {
                html.say(" ");
                html.lead(&anchor(id), "", |html| html.say("Its prediction"));
            }
        });
    }
}
