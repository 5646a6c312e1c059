//! An environment, and the words before its workers.

use super::launch::Setting;
use super::programs::needs;
use record::Skip;
use std::path::Path;

/// What `--versus` names: its workers are started by a program, or by oscope itself, which makes a setting and becomes the
/// worker, or by oscope behind a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versus {
    /// The name by which results are shown.
    pub name: String,
    /// What it is, in a few words.
    pub(super) title: String,
    /// Whether its workers run on another machine.
    pub is_elsewhere: bool,
    /// Whether the user wrote the words: where they cannot be run, that is a mistake of the command line.
    pub(super) is_by_hand: bool,
    /// The words before a worker, or before oscope where there is a setting.
    pub(super) words: Vec<String>,
    /// The program that it needs, and the Debian package that holds it. It is the first of the words, if there are any.
    pub(super) needs: Option<(String, &'static str)>,
    /// The setting that oscope makes.
    pub(super) setting: Option<Setting>,
}

impl Versus {
    /// The words before the worker's own command, or what is missing here; `own` is this program.
    pub(super) fn prefix(&self, own: &Path) -> Result<Vec<String>, Skip> {
        let program = self.needs.as_ref().map(|(program, package)| needs(program, package)).transpose()?;
        let mut words = self.words.clone();
        if let (Some(first), Some(program)) = (words.first_mut(), program) {
            *first = program.display().to_string();
        }
        if let Some(setting) = self.setting {
            words.extend([own.display().to_string(), "launch".to_owned(), setting.to_string()]);
        }
        Ok(words)
    }
}
