//! An environment, and the words before its workers.

use super::launch;
use super::programs::needs;
use record::Skip;
use std::path::Path;

/// What `--versus` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versus {
    /// The name by which results are shown.
    pub name: String,
    /// What it is, in a few words.
    pub(super) title: String,
    /// Whether its workers run on another machine.
    pub(super) is_elsewhere: bool,
    /// What starts a worker in it.
    pub(super) start: Start,
}

/// What starts a worker in an environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// The words of the user.
    Prefix(Vec<String>),
    /// A program with these words, from this Debian package; where there is a setting, oscope makes it there.
    Program(Vec<String>, &'static str, Option<launch::Setting>),
    /// oscope itself, which makes this setting and becomes the worker, by means of a program of a package.
    Setting(launch::Setting, Option<(&'static str, &'static str)>),
}

impl Versus {
    /// The words before the worker's own command; `own` is this program.
    ///
    /// # Errors
    /// What is missing here, and what would help.
    pub(super) fn prefix(&self, own: &Path) -> Result<Vec<String>, Skip> {
        match &self.start {
            Start::Prefix(words) => Ok(words.clone()),
            Start::Program(words, package, setting) => {
                let (program, options) = words.split_first().map_or(("", &[][..]), |(a, b)| (a.as_str(), b));
                let program = needs(program, package)?.display().to_string();
                let then = setting.map(|setting| launcher(own, setting)).unwrap_or_default();
                Ok([vec![program], options.to_vec(), then].concat())
            }
            Start::Setting(setting, helper) => {
                if let Some((program, package)) = helper {
                    needs(program, package)?;
                }
                Ok(launcher(own, *setting))
            }
        }
    }

    /// Whether its workers run on another machine.
    pub fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    /// Whether the user wrote the words: where they cannot be run, that is a mistake of the command line.
    pub(super) fn is_by_hand(&self) -> bool {
        matches!(self.start, Start::Prefix(_))
    }
}

/// The words by which this program makes a setting and becomes a worker.
fn launcher(own: &Path, setting: launch::Setting) -> Vec<String> {
    vec![own.display().to_string(), "launch".to_owned(), setting.to_string()]
}
