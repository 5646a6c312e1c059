//! What is wrong with the records of a fleet, in words.

use crate::wording::{joined, many};
use fleet::Problem;

/// A problem in a sentence that also says what was done about it.
pub(super) fn sentence(problem: &Problem) -> String {
    match problem {
        Problem::Unreadable { file, why } => format!("{file}: left out: {why}"),
        Problem::Unfinished { file } => {
            format!("{file}: the run did not finish; its results are used")
        }
        Problem::Empty { file } => format!("{file}: left out: it has no result"),
        Problem::Duplicate { file, of } => format!("{file}: left out: the same run as {of}"),
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
