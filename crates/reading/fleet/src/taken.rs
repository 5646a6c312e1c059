//! A run that was taken in, and the facts that tell machines apart.

use crate::table::{Run, Text};
use std::collections::BTreeMap;

/// Facts that say that it is another machine.
pub(crate) const IDENTITY: [&str; 4] =
    ["processor.model", "processor.architecture", "environment.board", "storage.devices"];
/// A run that was taken in.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) machine: String,
    pub(crate) facts: BTreeMap<Text, Text>,
    pub(crate) memory_bytes: Option<f64>,
    pub(crate) run: Run,
}

/// The first of these facts in which two runs differ, with both values. A fact that one does not know is no difference.
pub(crate) fn difference(keys: &[&str], one: &Taken, other: &Taken) -> Option<(String, String, String)> {
    keys.iter().find_map(|key| {
        let (from, to) = (one.facts.get(*key)?, other.facts.get(*key)?);
        (from != to).then(|| ((*key).to_owned(), from.to_string(), to.to_string()))
    })
}
