//! What is wrong with the records of a fleet, in words.

use crate::wording::{joined, many};
use fleet::Problem;

/// Names that are listed before the rest is only counted.
const MOST_NAMES: usize = 5;

/// Names, the first of them where they are many.
fn first_of(names: &[String]) -> String {
    let listed = joined(names.iter().take(MOST_NAMES).cloned(), ", ");
    match names.len().saturating_sub(MOST_NAMES) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

/// A problem in a sentence that also says what was done about it.
pub(super) fn sentence(problem: &Problem) -> String {
    match problem {
        Problem::Unreadable { file, why } => format!("{file}: left out: {why}"),
        Problem::Unfinished { file } => {
            format!("{file}: the run did not finish; its results are used")
        }
        Problem::Empty { file } => format!("{file}: left out: it has no result"),
        Problem::Duplicate { file, of } => format!("{file}: left out: the same run as {of}"),
        Problem::OneName { name, renamed, fact } if fact == "boot" => format!(
            "{name}: runs of two machines: two boots were up at the same time; the second is called {renamed} here"
        ),
        Problem::OneBoot { names, is_joined: true } => format!(
            "{}: one boot, so one machine (or clones of one snapshot): its runs count as those of {}",
            first_of(names),
            names.first().map_or("", String::as_str)
        ),
        Problem::OneBoot { names, is_joined: false } => format!(
            "{}: one boot, so one machine (or clones of one snapshot); they count as several, because they ran at the \
             same time or with other settings",
            first_of(names)
        ),
        Problem::Overlap { name, files: [one, other], is_one_boot: true } => format!(
            "{name}: {one} and {other} ran at the same time in one boot, so each disturbed the other; both are used"
        ),
        Problem::Overlap { name, files: [one, other], is_one_boot: false } => format!(
            "{name}: {one} and {other} ran at the same time: two machines of one name, or two runs at a time of one \
             machine; they count as one machine. If they are two, give their records different names"
        ),
        Problem::Boots { names } => format!(
            "{}: runs of different boots: booted again between them, or two machines of one name; each name counts as one \
             machine",
            first_of(names)
        ),
        Problem::OneName { name, renamed, fact } => {
            format!(
                "{name}: runs of two machines, which differ in {fact}; the second is called {renamed} here"
            )
        }
        Problem::Clock { file, started } => {
            format!("{file}: wrong clock: the run says that it began at {started}")
        }
        Problem::Programs { versions } => {
            let versions =
                versions.iter().map(|(version, runs)| format!("{version} ({})", many(*runs, "run")));
            format!("measured by several versions of oscope: {}", joined(versions, ", "))
        }
        Problem::Revision { point, runs } => {
            let runs = many(*runs, "run");
            format!("{point}: left out in {runs}, which measured another revision of it than most")
        }
        Problem::Changed { name, fact, from, to, runs } => format!(
            "{name}: changed between its runs ({fact} from {from} to {to}); {} before that left out",
            many(*runs, "run")
        ),
    }
}
