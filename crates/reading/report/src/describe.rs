//! The machine, fact by fact: what is known, from where, or why it is unknown.

use crate::facts::{group_and_name, said, value};
use crate::groups::grouped;
use crate::json::{object, write_document};
use crate::page::Page;
use crate::style::Paint;
use crate::wording::{cut_end, hang, many, width_of};
use record::{Fact, Machine};
use std::io::{self, Write};

/// Version of the JSON document. Fields may be added without changing it.
const SCHEMA: u32 = 1;
/// Names of facts are not given more room than this.
const WIDEST_NAME: usize = 24;
/// Below this width the value stands under the name instead of beside it.
const WIDTH_FOR_TWO_COLUMNS: usize = 60;

/// A group of hundreds of facts, which a description only counts.
const COUNTED: &str = "sysctl";

/// Writes the facts of a machine by group, and how many settings of the kernel they have.
///
/// # Errors
/// When the page cannot be written.
pub fn machine_text(machine: &Machine, page: &mut Page<'_>) -> io::Result<()> {
    facts_text(machine.facts.iter().filter(|fact| !is_counted(fact)), page)?;
    let known =
        machine.facts.iter().filter(|fact| is_counted(fact)).filter(|fact| value(fact).is_some()).count();
    if known == 0 {
        return Ok(());
    }
    page.blank()?;
    page.lines(&[page.style.paint(COUNTED, Paint::Strong)])?;
    let says = format!("{} of the kernel; `oscope explain {COUNTED}` lists them", many(known, "setting"));
    page.text("  ", "  ", &says, Paint::Plain)
}

/// Whether a fact belongs to the group that is counted and not listed.
fn is_counted(fact: &Fact) -> bool {
    group_and_name(&fact.key).0 == COUNTED
}

/// Writes facts by group: name, value, and in brackets the source.
///
/// # Errors
/// When the page cannot be written.
pub fn facts_text<'m>(facts: impl Iterator<Item = &'m Fact> + Clone, page: &mut Page<'_>) -> io::Result<()> {
    let names = facts.clone().map(|fact| width_of(group_and_name(&fact.key).1));
    let room = names.max().unwrap_or(0).min(WIDEST_NAME);
    for (index, (group, facts)) in groups(facts).into_iter().enumerate() {
        if index > 0 {
            page.blank()?;
        }
        page.lines(&[page.style.paint(&cut_end(group, page.width), Paint::Strong)])?;
        for fact in facts {
            let lines = fact_lines(fact, room, page.width).into_iter();
            let lines: Vec<String> = lines.map(|line| page.style.paint(&line, said(fact).paint)).collect();
            page.lines(&lines)?;
        }
    }
    Ok(())
}

/// The facts of each group, groups in the order in which they first come.
pub(crate) fn groups<'m>(facts: impl Iterator<Item = &'m Fact>) -> Vec<(&'m str, Vec<&'m Fact>)> {
    grouped(facts.map(|fact| (group_and_name(&fact.key).0, fact)))
}

fn fact_lines(fact: &Fact, room: usize, width: usize) -> Vec<String> {
    let name = group_and_name(&fact.key).1;
    let said = said(fact).text;
    let text = if fact.source.is_empty() { said } else { format!("{said}  [{}]", fact.source) };
    if width < WIDTH_FOR_TWO_COLUMNS || width_of(name) > room {
        let mut lines = vec![cut_end(&format!("  {name}"), width)];
        lines.extend(hang("      ", "      ", &text, width));
        return lines;
    }
    let padding = " ".repeat(room - width_of(name));
    hang(&format!("  {name}{padding}  "), &" ".repeat(room + 6), &text, width)
}

/// Writes the facts as one JSON document.
///
/// # Errors
/// When `out` cannot be written.
pub fn describe_json(machine: &Machine, out: &mut dyn Write) -> io::Result<()> {
    let document = object! {
        schema: SCHEMA,
        #[serde(flatten)]
        machine: machine,
    };
    write_document(&document, out)
}
