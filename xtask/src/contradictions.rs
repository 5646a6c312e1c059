//! How often right operations were contradicted in looks that tests repeat or forgive: a bound on the sum of all tests of a run.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Times that one point may be contradicted in all tests together. A neighbour disturbs any point; what breaks the same one again
/// and again is a mistake of its card, though a test that repeats its look up to eight times passes.
const MOST_OF_ONE: usize = 4;

/// Times in all. The tests look at some four thousand rows, most of them for one round, which a busy machine breaks now and then.
const MOST_IN_ALL: usize = 60;

/// The file that the tests append to, and that is empty now.
///
/// # Errors
/// When it cannot be removed.
pub fn begin(root: &Path) -> Result<PathBuf> {
    let path = crate::command::target(root).join("tmp/contradictions");
    if path.exists() {
        std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    std::fs::create_dir_all(path.with_file_name("")).with_context(|| path.display().to_string())?;
    Ok(path)
}

/// What the tests noted there, in words. No file is no contradiction.
///
/// # Errors
/// When it is more than is believed of neighbours.
pub fn judge(path: &Path) -> Result<String> {
    judge_lines(&std::fs::read_to_string(path).unwrap_or_default())
}

fn judge_lines(lines: &str) -> Result<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    lines.lines().for_each(|point| *times.entry(point).or_default() += 1);
    let often: Vec<String> = times
        .iter()
        .filter(|(_, times)| **times > MOST_OF_ONE)
        .map(|(point, times)| format!("`{point}` {times} times"))
        .collect();
    let sum: usize = times.values().sum();
    let counted = format!("right operations were contradicted {sum} times, at {} points", times.len());
    ensure!(
        often.is_empty(),
        "{counted}; more than {MOST_OF_ONE} times is no neighbour: {}",
        often.join(", ")
    );
    ensure!(sum <= MOST_IN_ALL, "{counted}; more than {MOST_IN_ALL} times is no neighbour");
    Ok(counted)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn one_point_and_all_together_are_bounded() {
        assert!(judge_lines("").unwrap().contains("0 times"));
        assert!(
            judge_lines(&"a cpu=same\nb\n".repeat(MOST_OF_ONE)).unwrap().contains("8 times, at 2 points")
        );
        let often = judge_lines(&"a cpu=same\n".repeat(MOST_OF_ONE + 1)).unwrap_err().to_string();
        assert!(often.contains("`a cpu=same` 5 times"), "{often}");
        let many: String = (0..=MOST_IN_ALL).map(|point| format!("p{point}\n")).collect();
        assert!(judge_lines(&many).unwrap_err().to_string().contains("61 times"));
    }

    #[test]
    fn notes_of_an_earlier_run_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = begin(folder.path()).unwrap();
        std::fs::write(&path, "a\n").unwrap();
        assert_eq!(begin(folder.path()).unwrap(), path);
        assert!(judge(&path).unwrap().contains("0 times"));
    }
}
