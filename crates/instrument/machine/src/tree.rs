//! The files that facts are read from: texts, directories and links, each present or absent for a reason.

use crate::parse;
use serde::{Deserialize, Serialize};

/// More entries of a directory are not read.
pub(crate) const MOST_ENTRIES: usize = 4096;

/// Bytes that are read of a file at most. `/proc/cpuinfo` of 512 CPUs fits.
pub(crate) const MOST_BYTES: u64 = 1 << 20;

/// A machine as named texts. Paths are absolute, `/proc/cpuinfo`; pseudo-files are
/// below `oscope/`, such as `oscope/cpuid`.
pub trait Tree {
    /// The text of a file; bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, path: &str) -> Result<String, Absent>;

    /// The names in a directory, sorted.
    ///
    /// # Errors
    /// When it cannot be listed.
    fn list(&self, path: &str) -> Result<Vec<String>, Absent>;

    /// The target of a symbolic link, as written.
    ///
    /// # Errors
    /// When it cannot be read or is not a link.
    fn link(&self, path: &str) -> Result<String, Absent>;

    /// The CPU that is described where cores are unequal; `None` for one of the most capable.
    fn described_cpu(&self) -> Option<usize> {
        None
    }
}

/// Why something is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Reason {
    /// There is no such file.
    #[error("no such file")]
    Missing,
    /// This user may not read it.
    #[error("permission denied; readable by root")]
    Denied,
    /// Reading it failed.
    #[error("{error}")]
    Failed {
        /// The kernel's error.
        error: String,
    },
    /// It was read and does not have what was looked for.
    #[error("{about}")]
    Silent {
        /// What it lacks, or has instead.
        about: String,
    },
}

/// Something absent, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{subject}: {reason}")]
pub struct Absent {
    /// A path, or a few words.
    pub subject: String,
    /// Why it is absent.
    pub reason: Reason,
}

impl Absent {
    /// There is no such file.
    pub fn missing(subject: &str) -> Self {
        Self { subject: subject.to_owned(), reason: Reason::Missing }
    }

    /// It was read and does not say what was looked for.
    pub fn silent(subject: &str, about: &str) -> Self {
        Self { subject: subject.to_owned(), reason: Reason::Silent { about: about.to_owned() } }
    }

    /// Reading it failed.
    pub(crate) fn from_error(subject: &str, error: &std::io::Error) -> Self {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Reason::Missing,
            std::io::ErrorKind::PermissionDenied => Reason::Denied,
            _ => Reason::Failed { error: error.to_string() },
        };
        Self { subject: subject.to_owned(), reason }
    }
}

/// A value, or why there is none.
pub(crate) type Found<T> = Result<T, Absent>;

/// The first line of a file that is not blank, without the spaces around it.
pub(crate) fn line(tree: &dyn Tree, path: &str) -> Found<String> {
    let text = tree.read(path)?;
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    first.map(str::to_owned).ok_or_else(|| Absent::silent(path, "is empty"))
}

/// The words of a file; `none` where it is empty.
pub(crate) fn text(tree: &dyn Tree, path: &str) -> Found<String> {
    match tree.read(path)?.split_whitespace().collect::<Vec<_>>().as_slice() {
        [] => Ok("none".to_owned()),
        words => Ok(words.join(" ")),
    }
}

/// What is made of the text of a file, or of its first line; where nothing is, `about` says what it lacks.
pub(crate) fn parsed<T>(
    text: Found<String>,
    path: &str,
    about: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Found<T> {
    parse(&text?).ok_or_else(|| Absent::silent(path, about))
}

/// A file that holds one number.
pub(crate) fn number(tree: &dyn Tree, path: &str) -> Found<f64> {
    parsed(line(tree, path), path, "is not a number", parse::number)
}

/// A file that holds 0 or another number.
pub(crate) fn flag(tree: &dyn Tree, path: &str) -> Found<bool> {
    number(tree, path).map(|value| value != 0.0)
}

/// A file that holds a list of CPUs or nodes.
pub(crate) fn cpu_list(tree: &dyn Tree, path: &str) -> Found<Vec<usize>> {
    parsed(line(tree, path), path, "is not a list such as 0-3,8", parse::cpu_list)
}

/// The selected word of a file that lists several, or its only line.
pub(crate) fn selected(tree: &dyn Tree, path: &str) -> Found<String> {
    line(tree, path).map(|text| parse::selected(&text).map_or(text.clone(), str::to_owned))
}

/// The value of `key` in a file of `key: value` lines.
pub(crate) fn value(tree: &dyn Tree, path: &str, key: &str) -> Found<String> {
    let about = format!("has no line '{key}'");
    parsed(tree.read(path), path, &about, |text| parse::value(text, key).map(str::to_owned))
}

#[cfg(test)]
pub(crate) mod testing {
    use super::{Absent, Found, Tree};
    use std::cell::Cell;

    /// A machine whose files and links are what a function says; it has no directories, and counts what is read.
    pub(crate) struct Texts<F> {
        of: F,
        pub reads: Cell<usize>,
    }

    impl<F: Fn(&str) -> Option<String>> Texts<F> {
        pub fn new(of: F) -> Self {
            Self { of, reads: Cell::new(0) }
        }
    }

    /// A machine of these files and links.
    pub(crate) fn texts<'t>(
        files: &[(&'t str, &'t str)],
    ) -> Texts<impl Fn(&str) -> Option<String> + use<'t>> {
        let files = files.to_vec();
        Texts::new(move |path| {
            let found = files.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).to_owned())
        })
    }

    impl<F: Fn(&str) -> Option<String>> Tree for Texts<F> {
        fn read(&self, path: &str) -> Found<String> {
            self.reads.set(self.reads.get() + 1);
            (self.of)(path).ok_or_else(|| Absent::missing(path))
        }

        fn list(&self, path: &str) -> Found<Vec<String>> {
            Err(Absent::missing(path))
        }

        fn link(&self, path: &str) -> Found<String> {
            self.read(path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absence_names_subject_and_reason() {
        let denied = Absent::from_error("/x", &std::io::ErrorKind::PermissionDenied.into());
        assert_eq!(denied.to_string(), "/x: permission denied; readable by root");
        assert_eq!(Absent::missing("/y").to_string(), "/y: no such file");
        assert_eq!(Absent::silent("/z", "is empty").to_string(), "/z: is empty");
    }
}
