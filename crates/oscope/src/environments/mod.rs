//! Environments in which points are measured beside the native ones: a prefix before each worker, and the proof that it
//! does something.

pub mod launch;
mod presets;
mod probe;
mod programs;
mod versus;

pub use probe::planned;
pub use versus::Versus;

use record::{Environment, Plan};
use std::fmt::Write as _;

/// The environments of a plan in which something is measured.
pub fn measured(plan: &Plan) -> impl Iterator<Item = &Environment> {
    plan.environments.iter().filter(|environment| environment.skip.is_none())
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
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        let words = value.map(|value| shlex::split(value).unwrap_or_default());
        match words {
            _ if !is_name => Err(format!("'{name}' is not a name: use letters, digits, '-', '_' and '.'")),
            None => Err(presets::none_is(name)),
            Some(words) if words.is_empty() => Err(format!(
                "{name}: the words before the worker are missing, for example {name}='nice -n 5'"
            )),
            Some(words) => Ok(Self {
                name: name.to_owned(),
                title: format!("workers behind '{}'", value.unwrap_or_default().trim()),
                is_by_hand: true,
                words,
                ..Self::default()
            }),
        }
    }
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
    use super::*;
    use std::path::Path;

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
        assert_eq!(by_hand.prefix(Path::new("/oscope")).unwrap(), ["env", "A=b c", "nice"]);
        assert!(by_hand.is_by_hand);
    }

    #[test]
    fn what_is_no_environment_is_refused_with_those_that_are() {
        let refused = parse("bwarp").unwrap_err();
        assert!(refused.contains("did you mean bwrap") && refused.contains("strace"), "{refused}");
        for text in ["box=", "", "a b=true", "=true", "box='"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_a_reason_with_its_package() {
        let needs = Some(("no-such-program".to_owned(), "some-package"));
        let absent = Versus { name: "x".to_owned(), needs, ..Versus::default() };
        let skip = absent.prefix(Path::new("/oscope")).unwrap_err();
        assert!(skip.reason.contains("no-such-program") && skip.remedy.contains("some-package"));
    }
}
