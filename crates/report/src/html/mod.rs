//! The result as one page that a browser shows: no network, no file beside it, readable without its script.

pub(crate) mod answers;
mod evidence;
mod figures;
pub(crate) mod items;
mod method;
pub(crate) mod number;
mod operations;
mod overview;
pub(crate) mod parts;
mod point;
mod sources;
mod standing_out;
pub(crate) mod summary;
pub(crate) mod svg;
pub(crate) mod table;
pub(crate) mod writer;

pub use method::Method;

use crate::document::Block;
use crate::document::html::write_inside;
use crate::first_screen::Label;
use crate::published::{MEANING, Published};
use crate::wording::sentence;
use crate::{View, describe, facts, full, machines};
use parts::{anchor, operation_anchor, section};
use std::io::{self, Write};
use table::{ROW, heading};
use writer::Html;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The script's SHA-256 in base 64: the browser runs this script and no other. A test compares the two.
const SCRIPT_SUM: &str = include_str!("page.js.sha256");
/// A wave on a round screen.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E\
    %3Ccircle cx='8' cy='8' r='8' fill='%230b5cad'/%3E%3Cpath d='M2 8c2-7 4-7 6 0s4 7 6 0' fill='none' \
    stroke='%23fff' stroke-width='1.6'/%3E%3C/svg%3E";

/// The parts of the page: anchor and name.
const PARTS: [(&str, &str); 7] = [
    ("top", "Costs"),
    ("summary", "Summary"),
    ("answers", "Answers"),
    ("standing-out", "What stands out"),
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
    let ids = || view.analysis.rows.iter().map(|row| &row.point.id);
    let operations = ids().map(|id| operation_anchor(&id.operation));
    let published = Published::carried();
    let report_anchors = published
        .machines()
        .map(|(report, _)| operations::report_anchor(report));
    let parts = PARTS.iter().map(|(anchor, _)| (*anchor).to_owned());
    let places = parts
        .chain(ids().map(anchor))
        .chain(operations)
        .chain(report_anchors.collect::<Vec<_>>());
    let title = format!("oscope: {}, {}", model(view), view.header.started);
    let page = page(&title, &PARTS, places, |html| {
        html.is_full = is_full;
        html.tag("main", &[("id", "main")], |html| {
            overview::overview(view, methods, labels, html);
            summary::summary(view, html);
            answers::answers(view, html);
            standing_out::standing_out(view, html);
            figures::figures(view, html);
            operations::operations(view, methods, &published, html);
            machine(view, html);
            reports(&published, html);
        });
        footer(view, html);
    });
    writeln!(out, "{page}")
}

/// A whole page with these parts, on which there will be these places.
pub(crate) fn page(
    title: &str,
    parts: &[(&str, &str)],
    places: impl Iterator<Item = String>,
    inside: impl FnOnce(&mut Html),
) -> String {
    let mut html = Html::with_places(places);
    html.tag("html", &[("lang", "en")], |html| {
        html.tag("head", &[], |html| head(title, html));
        html.tag("body", &[], |html| {
            header(parts, html);
            inside(html);
            html.tag("script", &[], |html| html.verbatim(SCRIPT));
        });
    });
    format!("<!DOCTYPE html>\n{}", html.into_text())
}

fn head(title: &str, html: &mut Html) {
    html.void("meta", &[("charset", "utf-8")]);
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{}'; \
         base-uri 'none'; form-action 'none'",
        SCRIPT_SUM.trim()
    );
    html.void(
        "meta",
        &[("http-equiv", "Content-Security-Policy"), ("content", &policy)],
    );
    let names = [
        ("viewport", "width=device-width, initial-scale=1"),
        ("color-scheme", "light dark"),
        ("referrer", "no-referrer"),
        ("generator", "oscope"),
    ];
    for (name, content) in names {
        html.void("meta", &[("name", name), ("content", content)]);
    }
    html.leaf("title", &[], title);
    html.void("link", &[("rel", "icon"), ("href", ICON)]);
    html.tag("style", &[], |html| html.verbatim(STYLE));
}

/// The processor's name, as far as it is known.
fn model(view: &View<'_>) -> String {
    let known = ["processor.model", "family.name", "processor.vendor"]
        .iter()
        .find_map(|key| view.machine.get(key).and_then(facts::value));
    known.unwrap_or_else(|| "an unknown processor".to_owned())
}

/// Where to go on the page, and the switches. They work without the script.
fn header(parts: &[(&str, &str)], html: &mut Html) {
    html.leaf("a", &[("class", "skip"), ("href", "#main")], "Skip to the page");
    html.tag("header", &[("class", "top")], |html| {
        html.tag("nav", &[("aria-label", "Parts of the page")], |html| {
            if parts.is_empty() {
                return;
            }
            html.tag("ul", &[], |html| {
                for (anchor, name) in parts {
                    let target = format!("#{anchor}");
                    html.tag("li", &[], |html| html.leaf("a", &[("href", &target)], name));
                }
            });
        });
        html.tag("div", &[("class", "switches")], |html| {
            let units = [("unit-ns", "ns"), ("unit-cycles", "cycles")];
            switch(html, "unit", "Times in", &units);
            let themes = [
                ("theme-auto", "auto"),
                ("theme-light", "light"),
                ("theme-dark", "dark"),
            ];
            switch(html, "theme", "Colours", &themes);
        });
    });
}

/// One choice of several; the first is taken.
fn switch(html: &mut Html, name: &str, says: &str, choices: &[(&str, &str)]) {
    html.tag("fieldset", &[], |html| {
        html.leaf("legend", &[], says);
        for (index, (id, label)) in choices.iter().enumerate() {
            let mut attributes = vec![("type", "radio"), ("name", name), ("id", *id)];
            if index == 0 {
                attributes.push(("checked", ""));
            }
            html.void("input", &attributes);
            html.leaf("label", &[("for", id)], label);
        }
    });
}

fn machine(view: &View<'_>, html: &mut Html) {
    section(html, "machine", "Machine", |html| {
        let blocks: Vec<Block> = std::iter::once(full::machine(view))
            .chain(full::cpus(view.analysis))
            .chain(machines::beside(view))
            .collect();
        write_inside(&blocks, html);
        html.leaf("p", &[], "Every fact with its source, or why it is unknown.");
        for (group, facts) in describe::groups(view.machine.facts.iter()) {
            html.folded(
                &[],
                |html| html.say(group),
                |html| fact_table(group, &facts, html),
            );
        }
    });
}

fn fact_table(group: &str, facts: &[&record::Fact], html: &mut Html) {
    parts::scrolled(html, group, |html| {
        html.tag("table", &[("class", "facts")], |html| {
            html.leaf("caption", &[("class", "unseen")], &format!("facts: {group}"));
            heading(html, ["fact", "value", "source"]);
            html.tag("tbody", &[], |html| {
                facts.iter().for_each(|fact| fact_row(fact, html));
            });
        });
    });
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

fn fact_row(fact: &record::Fact, html: &mut Html) {
    html.tag("tr", &[], |html| {
        html.leaf("th", &[ROW], facts::group_and_name(&fact.key).1);
        match (&fact.value, facts::value(fact)) {
            (_, Some(value)) => html.leaf("td", &[], &value),
            (record::FactValue::Unknown { reason }, _) => {
                html.leaf("td", &[("class", "soft")], &format!("unknown: {reason}"));
            }
            (_, None) => html.leaf("td", &[], ""),
        }
        html.leaf("td", &[("class", "soft")], &fact.source);
    });
}

fn footer(view: &View<'_>, html: &mut Html) {
    html.tag("footer", &[], |html| {
        let program = format!(
            "Made by oscope {} from a record of {}; the page loads nothing and sends nothing.",
            view.header.program, view.header.started
        );
        html.leaf("p", &[], &program);
        html.leaf(
            "p",
            &[],
            &format!("Command: oscope {}", view.header.arguments.join(" ")),
        );
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use std::path::Path;

    #[test]
    fn the_policy_allows_the_script_that_is_there() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/html");
        let script = folder.join("page.js");
        assert!(SCRIPT.len() < 8 << 10, "the script is no longer small");
        let output = programs::command("sha256sum").arg(&script).output().unwrap();
        let hex = String::from_utf8(output.stdout).unwrap();
        let byte = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
        let sum = base64(&(0..32).map(byte).collect::<Vec<u8>>());
        let kept = folder.join("page.js.sha256");
        if std::env::var_os("OSCOPE_BLESS").is_some() {
            std::fs::write(&kept, format!("{sum}\n")).unwrap();
        }
        let kept = std::fs::read_to_string(kept).unwrap();
        assert_eq!(
            kept.trim(),
            sum,
            "write it anew by OSCOPE_BLESS=1 cargo test -p oscope-report"
        );
    }

    /// RFC 4648, section 4.
    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let three = |three: &[u8]| {
            let all = (0..3).fold(0_usize, |all, at| {
                all << 8 | usize::from(three.get(at).copied().unwrap_or(0))
            });
            let letter = |at: usize| match at <= three.len() {
                true => char::from(LETTERS[all >> (18 - 6 * at) & 63]),
                false => '=',
            };
            (0..4).map(letter).collect::<String>()
        };
        bytes.chunks(3).map(three).collect()
    }
}
