//! The result as one page that a browser shows: no network, no file beside it, readable without its script.

mod evidence;
mod figures;
mod findings;
mod method;
pub(crate) mod number;
mod operations;
mod overview;
pub(crate) mod page;
pub(crate) mod parts;
mod point;
mod sources;
pub(crate) mod summary;
pub(crate) mod svg;
pub(crate) mod table;
pub(crate) mod writer;

pub use method::Method;

use crate::document::Block;
use crate::document::html::{class, write_inside};
use crate::first_screen::Label;
use crate::published::{MEANING, Published};
use crate::wording::sentence;
use crate::{View, describe, facts, machines, sections, tails};
use page::page;
use parts::{anchor, operation_anchor, section};
use record::{Fact, Header};
use std::io::{self, Write};
use table::{Frame, PageColumns, ROW};
use writer::Html;

/// The parts of the page: anchor and name.
const PARTS: [(&str, &str); 7] = [
    ("top", "Costs"),
    ("summary", "Summary"),
    ("answers", "Answers"),
    ("standing-out", "Findings"),
    ("plots", "Plots"),
    ("operations", "Operations"),
    ("machine", "Machine"),
];

/// Writes the page. `methods` says how the program measures each operation; what it says of another revision
/// than that of the record is left out. `labels` are what the points of the headline are called. Where `is_full`,
/// nothing is folded, so that all of it is printed, and every point has its plots.
///
/// # Errors
/// When `out` cannot be written.
pub fn html(
    view: &View<'_>,
    methods: &[Method<'_>],
    labels: &[Label<'_>],
    is_full: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ids = view.analysis.rows.iter().map(|row| &row.point.id);
    let operations = ids.clone().map(|id| operation_anchor(&id.operation));
    let published = Published::carried();
    let report_anchors = published.machines().map(|(report, _)| operations::report_anchor(report));
    let parts = PARTS.iter().map(|(anchor, _)| (*anchor).to_owned());
    let places = parts.chain(ids.map(anchor)).chain(operations).chain(report_anchors.collect::<Vec<_>>());
    let title = format!("oscope: {}, {}", facts::model(view.machine), view.header.second());
    let page = page(&title, &PARTS, places, view.has_cycles, |html| {
        html.is_full = is_full;
        html.tag("main", &[("id", "main")], |html| {
            overview::overview(view, methods, labels, html);
            summary::summary(view, html);
            tails(view, html);
            answers(view, html);
            findings::findings(view, html);
            figures::figures(view, html);
            operations::operations(view, methods, &published, html);
            machine(view, html);
            reports(&published, html);
        });
        footer(view, html);
    });
    writeln!(out, "{page}")
}

/// The percentiles of iterations that were each timed, where there are any.
fn tails(view: &View<'_>, html: &mut Html) {
    if let Some(Block::Part(_, blocks)) = tails::all(view, usize::MAX) {
        section(html, "tails", "Tails", |html| write_inside(&blocks, html));
    }
}

/// The questions that belong to the run, each with its answer and the points that it rests on.
fn answers(view: &View<'_>, html: &mut Html) {
    section(html, "answers", "Answers", |html| match sections::answers(view).as_slice() {
        [] => html.leaf("p", &[("class", "soft")], "No question applies to this run."),
        found => write_inside(found, html),
    });
}

fn machine(view: &View<'_>, html: &mut Html) {
    section(html, "machine", "Machine", |html| {
        let blocks: Vec<Block> = std::iter::once(sections::machine(view))
            .chain(sections::cpus(view.analysis))
            .chain(machines::beside(view))
            .collect();
        write_inside(&blocks, html);
        html.leaf("p", &[], "Every fact with its source, or why it is unknown.");
        for (group, facts) in describe::groups(view.machine.facts.iter()) {
            html.folded(&[], group, |html| fact_table(group, &facts, html));
        }
    });
}

fn fact_table(group: &str, facts: &[&Fact], html: &mut Html) {
    let columns = PageColumns::new()
        .with("fact", |html, fact: &&&Fact| {
            html.leaf("th", &[ROW], facts::group_and_name(&fact.key).1);
        })
        .with("value", |html, fact| {
            let said = facts::said(fact);
            html.leaf("td", &[("class", class(said.paint))], &said.text);
        })
        .with("source", |html, fact| html.leaf("td", &[("class", "soft")], &fact.source));
    let caption = format!("facts: {group}");
    let frame = Frame { says: group, class: "facts", caption: &caption, is_unseen: true, ..Frame::default() };
    columns.write(frame, facts, html);
}

/// The machines of the reports whose figures stand beside ours.
fn reports(published: &Published, html: &mut Html) {
    section(html, "reports", "The five reports", |html| {
        html.leaf("p", &[], &sentence(MEANING));
        html.tag("dl", &[("class", "machine")], |html| {
            for (report, machine) in published.machines() {
                html.leaf("dt", &[("id", &operations::report_anchor(report))], report);
                html.leaf("dd", &[], &machine);
            }
        });
    });
}

fn footer(view: &View<'_>, html: &mut Html) {
    html.tag("footer", &[], |html| {
        let (Header { program, arguments, .. }, started) = (view.header, view.header.second());
        let made = format!("Made by oscope {program} from a record of {started}");
        html.leaf("p", &[], &format!("{made}; the page loads nothing and sends nothing."));
        html.leaf("p", &[], &format!("Command: oscope {}", arguments.join(" ")));
    });
}
