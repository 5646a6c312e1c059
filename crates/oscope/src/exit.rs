//! How the program ends: one documented list of exit codes.

use crate::notice::notice;
use crate::suggest::{did_you_mean, like};
use std::ffi::OsString;
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

/// Exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked. Rows that are noisy, skipped, failed or contradicted are part of a result.
    Success = 0,
    /// With `--strict`: some row is contradicted or failed. With `--fail-if`: some point is so. Of `oscope lint`: something
    /// was found.
    Findings = 1,
    /// The command line is not right, or a baseline, a directory or a peer named on it.
    Usage = 2,
    /// A file is missing, could not be read or written (the disk is full, say), is damaged, or is not a record. What could be shown was
    /// shown.
    File = 3,
    /// Nothing could be measured at all.
    Nothing = 4,
    /// With `--bisect`: nothing can be said of this revision, which `git bisect run` skips.
    Skip = 125,
    /// With `--bisect`: the arguments are wrong, or a file that is the same for every revision. `git bisect run` ends, where it
    /// would take each smaller code for a bad revision.
    Stop = 128,
    /// It was interrupted; the table of what had been measured was written.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error whose exit code is known.
#[derive(Debug, thiserror::Error)]
#[error("{1}")]
pub struct CliError(pub Exit, pub String);

/// An error in what the user typed.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    CliError(Exit::Usage, message.into()).into()
}

/// An error in what a file holds that the user named.
pub fn unusable(path: &Path, error: impl Display) -> anyhow::Error {
    usage(format!("{}: {error}", path.display()))
}

/// The error of a file that could not be read or written.
pub fn file_error(path: &Path, error: std::io::Error) -> anyhow::Error {
    let near = (error.kind() == ErrorKind::NotFound).then(|| nearest(path)).flatten();
    CliError(Exit::File, format!("{}: {error}{}", path.display(), did_you_mean(near))).into()
}

/// The file of the same directory whose name is most like this one.
fn nearest(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let name = path.file_name()?.to_string_lossy();
    // The same order on every file system.
    let mut names: Vec<String> =
        files.filter_map(|file| Some(file.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    let near = like(&name, names.into_iter())?;
    Some(folder.map_or(near.clone(), |folder| folder.join(near).display().to_string()))
}

/// The error of a command that found nothing it could work with.
pub fn nothing(message: impl Into<String>) -> anyhow::Error {
    CliError(Exit::Nothing, message.into()).into()
}

/// The error of a file that could not be written: where its directory is missing, it names that.
pub fn unwritable(path: &Path, error: &std::io::Error) -> CliError {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    // Where it could not be made, the error says why.
    let missing = path.parent().filter(is_missing).filter(|_| error.kind() == ErrorKind::NotFound);
    let why = match missing {
        Some(folder) => format!("the directory {} does not exist", folder.display()),
        None => error.to_string(),
    };
    CliError(Exit::File, format!("{}: {why}", path.display()))
}

/// An error of the revision that a bisection tries; all others are the same for every revision.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
struct OfRevision(anyhow::Error);

/// Marks an error as one of the revision: under `--bisect`, `git bisect run` skips it.
pub fn of_revision(error: anyhow::Error) -> anyhow::Error {
    OfRevision(error).into()
}

/// The error under `--bisect`: one of the revision skips it, and any other ends the bisection, which would blame a revision for it.
pub fn of_bisection(error: anyhow::Error) -> anyhow::Error {
    let is_interrupted = |error: &anyhow::Error| {
        error.downcast_ref::<CliError>().is_some_and(|error| error.0 == Exit::Interrupted)
    };
    let (exit, why) = match error.downcast_ref::<OfRevision>() {
        Some(_) => (Exit::Skip, "nothing can be said of this revision"),
        None if is_interrupted(&error) => return error,
        None => (Exit::Stop, "the bisection ends, because this error is not one of the revision"),
    };
    error.context(CliError(exit, why.to_owned()))
}

/// The exit code of wrong arguments.
pub fn of_wrong_arguments(mut words: impl Iterator<Item = OsString>) -> Exit {
    if words.any(|word| word == "--bisect") { Exit::Stop } else { Exit::Usage }
}

/// The exit code of a command's result; prints the error, unless it is a reader that had enough.
pub fn conclude(result: anyhow::Result<Exit>) -> Exit {
    let error = match result {
        Ok(exit) => return exit,
        Err(error) if error.downcast_ref::<CliError>().is_some() => error,
        Err(error) => error.downcast().map_or_else(|error| error, |OfRevision(error)| error),
    };
    let broken_pipe = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == ErrorKind::BrokenPipe);
    if broken_pipe {
        return Exit::Success;
    }
    // What it quotes may be of a file.
    let text = format!("{error:#}");
    let lines: Vec<_> = text.lines().map(report::printable).collect();
    notice!("oscope: {}", lines.join("\n"));
    error.downcast_ref::<CliError>().map_or(Exit::File, |error| error.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_had_enough_is_success() {
        let error = std::io::Error::from(ErrorKind::BrokenPipe);
        assert_eq!(conclude(Err(error.into())), Exit::Success);
    }

    #[test]
    fn a_misspelt_file_is_answered_with_the_nearest_of_its_directory() {
        let folder = tempfile::tempdir().unwrap();
        let [good, other, typed] = ["nofile.jsonl", "z", "nofil.jsonl"].map(|name| folder.path().join(name));
        [&good, &other].into_iter().for_each(|path| std::fs::write(path, "").unwrap());
        let missing = || std::io::Error::from(ErrorKind::NotFound);
        let said = format!("{:#}", file_error(&typed, missing()));
        assert!(said.ends_with(&format!("; did you mean {}?", good.display())), "{said}");
        let said = format!("{:#}", file_error(&folder.path().join("qqqqqq"), missing()));
        assert!(!said.contains("did you mean"), "{said}");
        let said = format!("{:#}", file_error(&typed, ErrorKind::PermissionDenied.into()));
        assert!(!said.contains("did you mean"), "{said}");
    }

    #[test]
    fn only_an_error_of_the_revision_skips_it_in_a_bisection() {
        let error = of_bisection(of_revision(nothing("no point")));
        assert_eq!(format!("{error:#}"), "nothing can be said of this revision: no point");
        assert_eq!(conclude(Err(error)), Exit::Skip);
        assert_eq!(conclude(Err(of_revision(nothing("no point")))), Exit::Nothing, "without a bisection");
        assert_eq!(conclude(Err(of_bisection(usage("a typo")))), Exit::Stop);
        let interrupted = CliError(Exit::Interrupted, "interrupted".to_owned()).into();
        assert_eq!(conclude(Err(of_bisection(interrupted))), Exit::Interrupted);
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>().into_iter();
        assert_eq!(of_wrong_arguments(words(&["count", "--fail-iff"])), Exit::Usage);
        assert_eq!(of_wrong_arguments(words(&["count", "--fail-iff", "--bisect"])), Exit::Stop);
    }

    #[test]
    fn every_code_is_documented_once() {
        use Exit::{File, Findings, Interrupted, Nothing, Skip, Stop, Success, Usage};
        let codes = [Success, Findings, Usage, File, Nothing, Skip, Stop, Interrupted].map(|exit| exit as u8);
        assert_eq!(codes, [0, 1, 2, 3, 4, 125, 128, 130]);
        let numbers = crate::arguments::EXIT_CODES.split([' ', '\n']).filter_map(|word| word.parse().ok());
        assert_eq!(numbers.collect::<Vec<u8>>(), codes);
        let table = include_str!("../../../docs/USAGE.md").lines();
        let numbers = table.filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse().ok());
        assert_eq!(numbers.collect::<Vec<u8>>(), codes, "docs/USAGE.md");
    }
}
