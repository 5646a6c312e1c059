//! Steps that the user acknowledged: lines of a file that a repository can hold.

use crate::exit::{file_error, unusable};
use record::PointId;
use report::{PastRun, ShownStep};
use std::path::Path;

/// Longest file that is read.
const MOST_BYTES: u64 = 1 << 20;

/// A line: `2026-11-03 file.read.direct access=random  # kernel 6.18.2`. The date is that of the step or its beginning,
/// `*` any; `*` as the point is every point, and an operation alone all of its points.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    date: String,
    point: String,
    why: String,
}

/// The entries of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acknowledged(Vec<Entry>);

impl Acknowledged {
    /// Reads a file. Fails at a line that is no entry.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let length = std::fs::metadata(path).map_err(|error| file_error(path, error))?.len();
        if length > MOST_BYTES {
            return Err(unusable(path, "a file of acknowledged steps has at most 1 MiB"));
        }
        let text = std::fs::read_to_string(path).map_err(|error| file_error(path, error))?;
        let entries = text.lines().zip(1..).filter_map(|(line, number): (&str, usize)| {
            entry(line).map(|entry| {
                entry.ok_or_else(|| {
                    let why = format!("line {number} is not 'DATE POINT  # why', such as '2026-11-03 syscall.getppid  # audit'");
                    unusable(path, why)
                })
            })
        });
        Ok(Self(entries.collect::<anyhow::Result<_>>()?))
    }

    /// Why a step is expected, if an entry is of it.
    pub fn why(&self, step: &ShownStep<'_>, runs: &[PastRun<'_>]) -> Option<String> {
        let dates: Vec<&str> = runs
            .get(step.runs_between())
            .unwrap_or_default()
            .iter()
            // The first of them surely has the old level.
            .skip(1)
            .map(|run| run.header.started.as_str())
            .collect();
        let id = &step.history.point.id;
        let found = self.0.iter().find(|entry| entry.is_of(id, &dates))?;
        Some(if found.why.is_empty() { "no reason given".to_owned() } else { found.why.clone() })
    }
}

impl Entry {
    fn is_of(&self, id: &PointId, dates: &[&str]) -> bool {
        let is_point = self.point == "*" || self.point == id.operation || self.point == id.to_string();
        is_point && (self.date == "*" || dates.iter().any(|date| date.starts_with(&self.date)))
    }
}

/// What a line says: nothing where it is empty or a comment; no entry where it is wrong.
#[allow(clippy::option_option)]
fn entry(line: &str) -> Option<Option<Entry>> {
    let (entry, why) = line.split_once('#').unwrap_or((line, ""));
    let mut words = entry.split_whitespace();
    let date = words.next()?;
    let point = words.collect::<Vec<_>>().join(" ");
    let digits = date.chars().take_while(char::is_ascii_digit).count();
    let is_entry = !point.is_empty() && (date == "*" || digits == 4);
    Some(is_entry.then(|| Entry { date: date.to_owned(), point, why: why.trim().to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_a_date_a_point_and_a_reason() {
        let is = |line: &str| entry(line).flatten().map(|entry| [entry.date, entry.point, entry.why]);
        assert_eq!(
            is("2026-11-03  file.read.direct   access=random # a kernel"),
            Some(["2026-11-03", "file.read.direct access=random", "a kernel"].map(str::to_owned))
        );
        assert_eq!(is("* file.read.direct"), Some(["*", "file.read.direct", ""].map(str::to_owned)));
        for comment in ["", "   ", "# all of it"] {
            assert_eq!(entry(comment), None, "{comment}");
        }
        for wrong in ["2026-11-03", "file.read.direct 2026-11-03", "x"] {
            assert_eq!(entry(wrong), Some(None), "{wrong}");
        }
    }

    #[test]
    fn an_entry_is_of_a_point_an_operation_or_all_and_of_a_date_in_the_interval() {
        let id = PointId::new("file.read.direct", "access=random");
        let of = |line: &str| {
            entry(line).flatten().is_some_and(|entry| entry.is_of(&id, &["2026-11-02T10", "2026-11-03T10"]))
        };
        for right in
            ["2026-11-03 file.read.direct", "2026-11 file.read.direct access=random", "* *", "2026-11-02 *"]
        {
            assert!(of(right), "{right}");
        }
        for wrong in ["2026-11-04 file.read.direct", "* file.read", "* file.read.direct access=sequential"] {
            assert!(!of(wrong), "{wrong}");
        }
    }
}
