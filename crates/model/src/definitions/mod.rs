//! What many cards share, in their own language: facts and their units, cited constants and formulas, groups of lines.
//!
//! A definition used by one card only stands on that card, behind `let`.

mod core;
mod exchange;
mod file;
mod kernel;
mod memory;
mod network;
mod processor;
mod tasks;

use crate::cursor::{Cursor, Mistake};
use crate::formula::arguments;
use crate::scope::{Header, Scope};

/// The facts that formulas may name, with their units; `*` stands for any words.
pub const FACTS: &[(&str, &str)] = processor::FACTS;

/// Constants and formulas: `NAME(PARAMETERS) = FORMULA`, behind `t0` or `t1` where the tiers differ. What is cited behind
/// a name is `{within}` and `{source}` in its formula.
pub const FORMULAS: &[&[&str]] = &[
    processor::FORMULAS,
    kernel::FORMULAS,
    exchange::FORMULAS,
    core::FORMULAS,
    tasks::FORMULAS,
    memory::FORMULAS,
    file::FORMULAS,
    network::FORMULAS,
];

/// A name with its parameters, and the lines that it stands for.
pub type Group = (&'static str, &'static [&'static str]);

/// Terms of predictions.
pub const TERMS: &[&[Group]] = &[
    kernel::TERMS,
    exchange::TERMS,
    core::TERMS,
    tasks::TERMS,
    memory::TERMS,
    file::TERMS,
    network::TERMS,
];

/// Evidence.
pub const EVIDENCE: &[&[Group]] = &[
    processor::EVIDENCE,
    exchange::EVIDENCE,
    core::EVIDENCE,
    tasks::EVIDENCE,
    memory::EVIDENCE,
    file::EVIDENCE,
    network::EVIDENCE,
];

/// Bounds.
pub const BOUNDS: &[&[Group]] = &[
    kernel::BOUNDS,
    exchange::BOUNDS,
    tasks::BOUNDS,
    memory::BOUNDS,
    file::BOUNDS,
    network::BOUNDS,
];

/// The lines of the group that the rest of a line names, and the scope in which they are read.
pub(crate) fn group<'a>(
    groups: &[&[Group]],
    cursor: &mut Cursor<'_>,
    scope: &Scope<'a>,
) -> Result<Option<(&'static [&'static str], Scope<'a>)>, Mistake> {
    let start = *cursor;
    let text = cursor.rest();
    let name = text.split_once('(').map_or(text, |(name, _)| name).trim();
    let all = groups.iter().copied().flatten();
    let found = all
        .map(|(header, lines)| (Header::read(header), lines))
        .find(|(header, _)| header.name == name);
    let Some((header, lines)) = found else {
        return Ok(None);
    };
    let mut given = Vec::new();
    if cursor.until("(").is_some() {
        given = arguments(cursor, scope)?;
        cursor.expect_end()?;
    }
    let bound = header.bind(given, &start)?;
    Ok(Some((lines, scope.within(bound, &start)?)))
}
