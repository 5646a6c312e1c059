//! Groups of lines, which a line names.

use crate::cursor::{Cursor, Mistake};
use crate::definitions::Group;
use crate::formula::arguments;
use crate::scope::{Header, Scope};

/// The lines of the group that the rest of a line names, and the scope in which they are read.
pub fn named<'a>(
    groups: &[&[Group]],
    cursor: &mut Cursor<'_>,
    scope: &Scope<'a>,
) -> Result<Option<(&'static [&'static str], Scope<'a>)>, Mistake> {
    let start = *cursor;
    let text = cursor.rest();
    let name = text.split_once('(').map_or(text, |(name, _)| name).trim();
    let all = groups.iter().copied().flatten();
    let found =
        all.map(|(header, lines)| (Header::read(header), lines)).find(|(header, _)| header.name == name);
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
