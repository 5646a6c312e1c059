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
    listed(
        "Environments for --versus; any other name takes the words before the worker, as in --versus box='firejail \
         --quiet':\n",
        presets::all(),
    )
}

/// The settings of `oscope launch` with what they are, for the help.
pub fn list_of_settings() -> String {
    listed("Settings:", presets::settings())
}

fn listed(heading: &str, all: impl Iterator<Item = (String, &'static str)>) -> String {
    let mut text = heading.to_owned();
    for (name, title) in all {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {name:<22}{title}");
    }
    text
}

/// The words for all environments.
const ALL: [&str; 4] = ["environment", "environments", "launch", "versus"];

/// What a word for all environments, or the name of one, is explained with: lines, each with what stands before its text; `None`
/// of any other word.
pub fn explained(word: &str) -> Option<Vec<(String, String)>> {
    let word = word.to_lowercase();
    let word = word.trim_start_matches("--");
    if ALL.contains(&word) {
        let all = presets::all().map(|(name, title)| (format!("  {name:<22}"), title.to_owned()));
        let how = "measure in one of them: oscope run POINT --versus NAME; run a command: oscope launch NAME COMMAND";
        return Some(all.chain([(String::new(), how.to_owned())]).collect());
    }
    let name = word.split('=').next();
    let is_named = |(typed, _): &(String, &str)| typed.split('=').next() == name;
    let (typed, title) = presets::all().find(is_named)?;
    let of_launch = presets::settings().any(|one| is_named(&one));
    let launch =
        of_launch.then(|| ("  a command in it: ".to_owned(), format!("oscope launch {typed} COMMAND")));
    let costs = ("  what it costs: ".to_owned(), format!("oscope run POINT --versus {typed}"));
    let lines = [(format!("{typed}: "), title.to_owned()), costs];
    Some(lines.into_iter().chain(launch).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Result<Versus, String> {
        text.parse()
    }

    #[test]
    fn words_of_environments_are_explained_with_their_parameters() {
        let explained = |word: &str| {
            let lines = explained(word)?.into_iter().map(|(lead, text)| lead + &text);
            Some(lines.collect::<Vec<_>>().join("\n"))
        };
        let all = explained("environment").unwrap();
        for name in ["filter=N", "nice=N", "cgroup-quota=PERCENT%", "bwrap"] {
            assert!(all.contains(name), "{name}: {all}");
        }
        for word in ["environments", "launch", "--versus"] {
            assert_eq!(explained(word).unwrap(), all, "{word}");
        }
        let filter = explained("filter").unwrap();
        assert!(
            filter.contains("filter=N: ") && filter.contains("oscope launch filter=N COMMAND"),
            "{filter}"
        );
        assert_eq!(explained("filter=16"), explained("filter"));
        let tracer = explained("strace").unwrap();
        assert!(tracer.contains("--versus strace") && !tracer.contains("launch"), "{tracer}");
        assert_eq!(explained("noisy"), None);
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
