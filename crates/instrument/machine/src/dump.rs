//! A recorded machine: exactly the files that a description reads, without what identifies the machine.

use crate::describe::describe;
use crate::identifiers;
use crate::live::Live;
use crate::redaction;
use crate::tree::{Absent, Found, Reason, Tree};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Version of the dump's schema that this program writes. It reads this and every older one.
const SCHEMA: u32 = 1;

/// The name of the format.
const FORMAT: &str = "oscope machine";

/// A recorded machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dump {
    format: String,
    schema: u32,
    /// Texts by path.
    files: BTreeMap<String, String>,
    /// Names by directory.
    directories: BTreeMap<String, Vec<String>>,
    /// Targets by path.
    links: BTreeMap<String, String>,
    /// Paths that could not be read, and why.
    absences: BTreeMap<String, Reason>,
}

/// Why a text is not a dump.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// It is not JSON of this shape.
    #[error("not a recorded machine: {0}; record one with `dump`")]
    Shape(#[from] serde_json::Error),
    /// It has another format.
    #[error("not a recorded machine: the format is '{0}', not '{FORMAT}'")]
    Format(String),
    /// A newer program wrote it.
    #[error("the recorded machine has schema {0}, this program reads up to {SCHEMA}: use a newer oscope")]
    Schema(u32),
}

impl Default for Dump {
    /// A machine without any readable file.
    fn default() -> Self {
        Self {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            files: BTreeMap::new(),
            directories: BTreeMap::new(),
            links: BTreeMap::new(),
            absences: BTreeMap::new(),
        }
    }
}

impl Dump {
    /// Reads a dump from JSON.
    ///
    /// # Errors
    /// When the text is no dump, or one of a newer schema.
    pub fn from_json(text: &str) -> Result<Self, DumpError> {
        let dump: Self = serde_json::from_str(text)?;
        if dump.format != FORMAT {
            return Err(DumpError::Format(dump.format));
        }
        if dump.schema > SCHEMA {
            return Err(DumpError::Schema(dump.schema));
        }
        Ok(dump)
    }

    /// The dump as JSON, indented, with sorted keys.
    ///
    /// # Errors
    /// When the serialiser fails, which no dump makes it do.
    pub fn to_json(&self) -> Result<String, DumpError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    fn find<T: Clone>(&self, map: &BTreeMap<String, T>, path: &str) -> Found<T> {
        map.get(path).cloned().ok_or_else(|| Absent {
            subject: path.to_owned(),
            reason: self.absences.get(path).cloned().unwrap_or(Reason::Missing),
        })
    }
}

impl Tree for Dump {
    fn read(&self, path: &str) -> Found<String> {
        self.find(&self.files, path)
    }

    fn list(&self, path: &str) -> Found<Vec<String>> {
        self.find(&self.directories, path)
    }

    fn link(&self, path: &str) -> Found<String> {
        self.find(&self.links, path)
    }
}

/// Records what a description of this machine reads.
pub fn dump(live: &Live) -> Dump {
    let recorder = Recorder::new(live);
    describe(&recorder);
    recorder.dump.into_inner()
}

/// Hands on what another tree says, and writes it down.
pub(crate) struct Recorder<'tree> {
    inner: &'tree dyn Tree,
    pub dump: RefCell<Dump>,
}

impl<'tree> Recorder<'tree> {
    pub fn new(inner: &'tree dyn Tree) -> Self {
        Self { inner, dump: RefCell::new(Dump::default()) }
    }

    fn note<T>(&self, path: &str, found: Found<T>, keep: impl FnOnce(&mut Dump, String, &T)) -> Found<T> {
        let mut dump = self.dump.borrow_mut();
        let path = identifiers::path(path);
        match &found {
            Ok(value) => keep(&mut dump, path, value),
            // A missing file is what a dump says of every path that it does not hold.
            Err(absent) if absent.reason == Reason::Missing => {}
            Err(absent) => {
                dump.absences.insert(path, absent.reason.clone());
            }
        }
        found
    }
}

impl Tree for Recorder<'_> {
    fn read(&self, path: &str) -> Found<String> {
        self.note(path, self.inner.read(path), |dump, kept, text| {
            dump.files.insert(kept, redaction::redacted(path, text));
        })
    }

    fn list(&self, path: &str) -> Found<Vec<String>> {
        self.note(path, self.inner.list(path), |dump, kept, names| {
            let names = names.iter().map(|name| identifiers::without_identifiers(name));
            dump.directories.insert(kept, names.collect());
        })
    }

    fn link(&self, path: &str) -> Found<String> {
        self.note(path, self.inner.link(path), |dump, kept, target| {
            dump.links.insert(kept, identifiers::without_identifiers(target));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dump_round_trips_through_json() {
        let recorded = dump(&Live::machine());
        let again = Dump::from_json(&recorded.to_json().unwrap()).unwrap();
        assert_eq!(recorded, again);
    }

    #[test]
    fn other_formats_and_newer_schemas_are_refused() {
        let mut newer = Dump { schema: SCHEMA + 1, ..Dump::default() };
        let error = Dump::from_json(&newer.to_json().unwrap()).unwrap_err();
        assert!(matches!(error, DumpError::Schema(schema) if schema == SCHEMA + 1));
        newer.format = "other".to_owned();
        let error = Dump::from_json(&newer.to_json().unwrap()).unwrap_err();
        assert!(matches!(error, DumpError::Format(_)));
        assert!(matches!(Dump::from_json("{").unwrap_err(), DumpError::Shape(_)));
    }

    #[test]
    fn description_of_a_dump_equals_the_recorded_one() {
        let live = Live::machine();
        let recorder = Recorder::new(&live);
        let described = describe(&recorder);
        assert_eq!(describe(&recorder.dump.into_inner()), described);
    }
}
