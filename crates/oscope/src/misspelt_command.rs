//! What was probably meant by a command that does not exist.

use crate::arguments::Arguments;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue};

/// What to say of a command that is misspelt, or that other tools have under another name.
pub fn meant(error: &clap::Error) -> Option<String> {
    let typed = match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(typed) => typed.as_str(),
        _ => return None,
    };
    if ["bench", "benchmark", "measure", "test", "start"].contains(&typed) {
        return Some("tip: 'oscope run' measures".to_owned());
    }
    let all = Arguments::command();
    let commands = all.get_subcommands().filter(|command| !command.is_hide_set());
    let near = commands.map(|command| (slips(typed, command.get_name()), command.get_name()));
    let (slips, near) = near.min()?;
    (slips <= MOST_SLIPS).then(|| format!("tip: did you mean 'oscope {near}'?"))
}

/// Slips of the finger that a command may hold: letters in the wrong order, missing, or too many.
const MOST_SLIPS: usize = 2;

/// How many slips lie between two words; more than any where most letters of a short one would be slips.
fn slips(typed: &str, name: &str) -> usize {
    let slips = strsim::damerau_levenshtein(typed, name);
    if slips * 2 < name.len() { slips } else { usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn misspelt_commands_are_recognised() {
        for (typed, command) in
            [("rnu", Some("run")), ("reprot", Some("report")), ("comparee", Some("compare"))]
        {
            let error = Arguments::try_parse_from(["oscope", typed]).unwrap_err();
            assert_eq!(
                meant(&error),
                command.map(|command| format!("tip: did you mean 'oscope {command}'?"))
            );
        }
        assert_eq!(meant(&Arguments::try_parse_from(["oscope", "fly"]).unwrap_err()), None);
    }
}
