//! The description being made: facts with their source, one per key.

use crate::tree::{self, Absent, Found, Tree};
use crate::{identifiers, uncertainty};
use record::{Fact, FactValue, Machine, Unit};
use std::collections::HashSet;

/// Longer texts are cut here, in characters: a fact is a line in a table.
const LONGEST_TEXT: usize = 1024;

/// Longer names of devices are cut here, in characters, when they become part of a key.
const LONGEST_NAME: usize = 32;

/// A list has no more items; the largest machines have fewer CPUs, nodes and devices.
const MOST_ITEMS: usize = 1024;

/// The facts so far, and the tree that they are read from.
pub(crate) struct Facts<'tree> {
    pub tree: &'tree dyn Tree,
    machine: Machine,
    keys: HashSet<String>,
}

impl<'tree> Facts<'tree> {
    pub fn below(tree: &'tree dyn Tree) -> Self {
        Self { tree, machine: Machine::default(), keys: HashSet::new() }
    }

    /// The facts so far.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    pub fn into_machine(self) -> Machine {
        self.machine
    }

    /// Adds a fact. A second one with the same key is dropped.
    fn put(&mut self, key: &str, source: &str, assumed: bool, value: Found<FactValue>) {
        let assumed = assumed && value.is_ok();
        let value = value.unwrap_or_else(|absent| FactValue::Unknown {
            reason: identifiers::without_identifiers(&absent.to_string()),
        });
        if self.keys.insert(key.to_owned()) {
            self.machine.facts.push(Fact {
                key: key.to_owned(),
                value,
                source: identifiers::path(source),
                within: Some(uncertainty::typical_uncertainty(key)).filter(|within| *within > 1.0),
                assumed,
            });
        }
    }

    pub fn text(&mut self, key: &str, source: &str, found: Found<String>) {
        self.put(key, source, false, found.map(|text| FactValue::Text { text: printable(&text) }));
    }

    pub fn number(&mut self, key: &str, unit: Unit, source: &str, found: Found<f64>) {
        self.derived(key, unit, (source, false), found);
    }

    /// A number that follows from constants and other facts, with whether one of them is assumed.
    pub fn derived(&mut self, key: &str, unit: Unit, (source, assumed): (&str, bool), found: Found<f64>) {
        self.put(
            key,
            source,
            assumed,
            found.and_then(|value| match value.is_finite() {
                true => Ok(FactValue::Number { value, unit }),
                false => Err(Absent::silent(source, "is not a finite number")),
            }),
        );
    }

    pub fn flag(&mut self, key: &str, source: &str, found: Found<bool>) {
        self.put(key, source, false, found.map(|set| FactValue::Flag { set }));
    }

    pub fn list(&mut self, key: &str, source: &str, found: Found<Vec<String>>) {
        let value = found.map(|items| FactValue::List {
            items: items.iter().take(MOST_ITEMS).map(|item| printable(item)).collect(),
        });
        self.put(key, source, false, value);
    }

    /// The fact that a file holds.
    pub fn file(&mut self, key: &str, path: &str, form: Form) {
        let tree = self.tree;
        match form {
            Form::Line => self.text(key, path, tree::line(tree, path)),
            Form::Selected => self.text(key, path, tree::selected(tree, path)),
            Form::Words => {
                self.list(
                    key,
                    path,
                    tree::line(tree, path).map(|line| line.split_whitespace().map(str::to_owned).collect()),
                );
            }
            Form::Flag => self.flag(key, path, tree::flag(tree, path)),
            Form::Number(unit) => self.number(key, unit, path, tree::number(tree, path)),
        }
    }

    /// Facts of a group that files of a folder hold: the rest of each key, the file, and its form.
    pub fn files(&mut self, group: &str, folder: &str, files: &[(&str, &str, Form)]) {
        for (part, file, form) in files {
            self.file(&format!("{group}.{part}"), &format!("{folder}/{file}"), *form);
        }
    }
}

/// What a file holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    /// A line of text.
    Line,
    /// A line of words, one of them in brackets, which is the one that counts.
    Selected,
    /// A line of words, all of which count.
    Words,
    /// 0 or another number.
    Flag,
    /// One number.
    Number(Unit),
}

/// One line of printable text, of bounded length.
fn printable(text: &str) -> String {
    let text: String = text
        .trim()
        .chars()
        .take(LONGEST_TEXT)
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    text.trim().to_owned()
}

/// The name of a device as a part of a key.
pub(crate) fn part_of_key(name: &str) -> String {
    identifiers::without_identifiers(name)
        .chars()
        .take(LONGEST_NAME)
        .map(|letter| match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => letter,
            _ => '_',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dump;

    #[test]
    fn keys_are_unique() {
        let dump = Dump::default();
        let mut facts = Facts::below(&dump);
        facts.flag("a.b", "first", Ok(true));
        facts.flag("a.b", "second", Ok(false));
        let machine = facts.into_machine();
        assert_eq!(machine.facts.len(), 1);
        assert_eq!(machine.flag("a.b"), Some(true));
    }

    #[test]
    fn not_a_number_is_unknown() {
        let dump = Dump::default();
        let mut facts = Facts::below(&dump);
        facts.number("a.b", Unit::One, "here", Ok(f64::NAN));
        assert!(matches!(facts.machine().get("a.b").unwrap().value, FactValue::Unknown { .. }));
    }

    #[test]
    fn texts_are_one_printable_line() {
        assert_eq!(printable("a\0b\nc"), "a b c");
        assert_eq!(printable(&"x".repeat(5000)).len(), LONGEST_TEXT);
        assert_eq!(part_of_key("eth0.5/\u{e9}"), "eth0_5__");
    }
}
