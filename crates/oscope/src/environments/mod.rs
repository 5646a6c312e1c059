//! Environments in which points are measured beside the native ones: a prefix before each worker, and the proof that it
//! does something.

pub mod launch;
mod presets;
mod probe;

pub use probe::planned;

use record::Skip;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What `--versus` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versus {
    /// The name by which results are shown.
    pub name: String,
    /// What it is, in a few words.
    title: String,
    /// Whether its workers run on another machine.
    is_elsewhere: bool,
    /// What starts a worker in it.
    start: Start,
}

/// What starts a worker in an environment.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Start {
    /// The words of the user.
    Prefix(Vec<String>),
    /// A program with these words, from this Debian package; where there is a setting, oscope makes it there.
    Program(Vec<String>, &'static str, Option<launch::Setting>),
    /// oscope itself, which makes this setting and becomes the worker, by means of a program of a package.
    Setting(launch::Setting, Option<(&'static str, &'static str)>),
}

impl std::str::FromStr for Versus {
    type Err = String;

    /// The name of a preset (`bwrap`, `nice=10`), or a name and the words before the worker (`box='firejail --quiet'`).
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value)),
            None => (text.trim(), None),
        };
        if let Some(preset) = presets::find(name, value) {
            return preset;
        }
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        let words = value.map(|value| shlex::split(value).unwrap_or_default());
        match words {
            _ if !is_name => Err(format!(
                "'{name}' is no name: letters, digits, '-', '_' and '.' make one"
            )),
            None => Err(presets::none_is(name)),
            Some(words) if words.is_empty() => Err(format!(
                "{name}: the words before the worker are missing: {name}='nice -n 5'"
            )),
            Some(words) => Ok(Self {
                name: name.to_owned(),
                title: format!("workers behind '{}'", value.unwrap_or_default().trim()),
                is_elsewhere: false,
                start: Start::Prefix(words),
            }),
        }
    }
}

impl Versus {
    /// The words before the worker's own command; `own` is this program.
    ///
    /// # Errors
    /// What is missing here, and what would help.
    fn prefix(&self, own: &Path) -> Result<Vec<String>, Skip> {
        match &self.start {
            Start::Prefix(words) => Ok(words.clone()),
            Start::Program(words, package, setting) => {
                let (program, options) = words
                    .split_first()
                    .map_or(("", &[][..]), |(a, b)| (a.as_str(), b));
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
    fn is_by_hand(&self) -> bool {
        matches!(self.start, Start::Prefix(_))
    }
}

/// The words by which this program makes a setting and becomes a worker.
fn launcher(own: &Path, setting: launch::Setting) -> Vec<String> {
    vec![
        own.display().to_string(),
        "launch".to_owned(),
        setting.to_string(),
    ]
}

/// Directories of programs that are not on the `PATH` of an ordinary user: Debian's runc is there.
const SYSTEM_DIRECTORIES: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// Where a program is: on the `PATH`, or among those of the system.
fn located(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path).chain(SYSTEM_DIRECTORIES.map(PathBuf::from));
    directories
        .map(|directory| directory.join(program))
        .find(|file| file.is_file())
}

/// Where a program of this Debian package is.
fn needs(program: &str, package: &str) -> Result<PathBuf, Skip> {
    located(program).ok_or_else(|| Skip {
        reason: format!("{program} is not installed"),
        remedy: format!("install it (Debian: package {package})"),
    })
}

/// The presets with what they are, for the help.
pub fn list() -> String {
    let mut text = "Environments for --versus; any other name takes the words before the worker, \
        as in --versus box='firejail --quiet':\n"
        .to_owned();
    for (name, title) in presets::all() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {name:<22}{title}");
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parse(text: &str) -> Result<Versus, String> {
        text.parse()
    }

    #[test]
    fn a_preset_has_its_name_and_value() {
        assert_eq!(parse("bwrap").unwrap().name, "bwrap");
        assert_eq!(parse("nice=10").unwrap().name, "nice=10");
        assert!(parse("nice=far").unwrap_err().contains("nice"));
        assert!(parse("sched=none").unwrap_err().contains("fifo"));
    }

    #[test]
    fn words_by_hand_are_split_as_a_shell_does() {
        let by_hand = parse("box=env 'A=b c' nice").unwrap();
        assert_eq!(
            by_hand.prefix(Path::new("/oscope")).unwrap(),
            ["env", "A=b c", "nice"]
        );
        assert!(by_hand.is_by_hand());
    }

    #[test]
    fn what_is_no_environment_is_refused_with_those_that_are() {
        let refused = parse("bwarp").unwrap_err();
        assert!(
            refused.contains("did you mean bwrap") && refused.contains("strace"),
            "{refused}"
        );
        for text in ["box=", "", "a b=true", "=true", "box='"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_a_reason_with_its_package() {
        let absent = Versus {
            name: "x".to_owned(),
            title: String::new(),
            is_elsewhere: false,
            start: Start::Program(vec!["no-such-program".to_owned()], "some-package", None),
        };
        let skip = absent.prefix(Path::new("/oscope")).unwrap_err();
        assert!(skip.reason.contains("no-such-program") && skip.remedy.contains("some-package"));
    }
}
