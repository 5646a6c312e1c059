//! `oscope ab`: two set-ups, alternating, each measured several times, and the change with what runs differ by.

use crate::arguments::{Ab as Arguments, Compare};
use crate::commands::compare;
use crate::exit::{CliError, Exit, unwritable, usage};
use crate::notice::notice;
use crate::supervisor::Interrupt;
use crate::{Operations, records};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub fn run(operations: Operations, arguments: Arguments) -> anyhow::Result<Exit> {
    let [before, after, words @ ..] = arguments.words.as_slice() else {
        return Err(usage("name two set-ups: oscope ab -- 'SETUP A' 'SETUP B' SELECTION"));
    };
    let folder = folder(arguments.records.clone())?;
    check(words, &folder)?;
    let interrupt = Interrupt::catch()?;
    let measured = rounds(&arguments, &folder, [before, after], words, &interrupt);
    // What was set is restored whatever happened since.
    let restored = arguments.restore.as_deref().map_or(Ok(()), set_up);
    if let Err(error) = &restored {
        notice!("oscope: not restored: {error:#}");
    }
    let Some([records, with]) = measured? else {
        notice!("oscope: interrupted; the records are in {}", folder.display());
        return Ok(Exit::Interrupted);
    };
    notice!("oscope: the records are in {}", folder.display());
    let Arguments { least, all, fail_if, format, output, .. } = arguments;
    let label = vec![before.clone(), after.clone()];
    let judged = compare::run(
        operations,
        &Compare { records, with, label, least, all, fail_if, format, output, ..Compare::default() },
    )?;
    Ok(if restored.is_ok() { judged } else { Exit::Nothing })
}

/// The directory of the records: the one that was named, or a new one beside those of other runs.
fn folder(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    if let Some(folder) = named {
        std::fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        return Ok(folder);
    }
    let state = records::folder().ok_or_else(|| {
        usage("no place for the records: neither XDG_STATE_HOME nor HOME is set; name one (--records DIR)")
    })?;
    let parent = state.join("ab");
    std::fs::create_dir_all(&parent).map_err(|error| unwritable(&parent, &error))?;
    new_folder(&parent, &records::now().replace(':', "-"))
}

/// Makes a directory that was not there. The second one of a second has a number.
fn new_folder(parent: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let numbered = (2..100).map(|again| parent.join(format!("{name}-{again}")));
    let mut folder = parent.join(name);
    for next in numbered {
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => folder = next,
            made => {
                made.map_err(|error| unwritable(&folder, &error))?;
                break;
            }
        }
    }
    Ok(folder)
}

/// The records of both sides; `None` where the user stopped. Each round has both set-ups, and every other round in the
/// other order, so that what rises steadily is the same for both.
fn rounds(
    arguments: &Arguments,
    folder: &Path,
    set_ups: [&String; 2],
    words: &[String],
    interrupt: &Interrupt,
) -> anyhow::Result<Option<[Vec<PathBuf>; 2]>> {
    let mut sides = [Vec::new(), Vec::new()];
    for round in 0..arguments.rounds {
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        for side in order {
            let (Some(name), Some(command)) = (["a", "b"].get(side), set_ups.get(side)) else { continue };
            let path = folder.join(format!("{name}{}{}", round + 1, records::SUFFIX));
            set_up(command)?;
            notice!("oscope: round {} of {}: {command}", round + 1, arguments.rounds);
            let is_whole = measure(&path, words)?;
            if interrupt.is_set() || !is_whole {
                return Ok(None);
            }
            if let Some(records) = sides.get_mut(side) {
                records.push(path);
            }
        }
    }
    Ok(Some(sides))
}

/// Runs a set-up by the shell.
fn set_up(command: &str) -> anyhow::Result<()> {
    let status = Command::new("sh").args(["-c", command]).stdin(Stdio::null()).status()?;
    match status.success() {
        true => Ok(()),
        false => Err(CliError(Exit::Nothing, format!("'{command}' failed: {status}")).into()),
    }
}

/// Whether a run takes these words: a wrong one is refused before a set-up changes anything. A program of the user's may be what a
/// set-up makes, so the first run tells.
fn check(words: &[String], folder: &Path) -> anyhow::Result<()> {
    if words.iter().any(|word| word.starts_with("--operation")) {
        return Ok(());
    }
    let status = run_of(&folder.join(format!("a1{}", records::SUFFIX)), words)?.arg("--dry-run").status()?;
    match status.code() {
        Some(code) if code == Exit::Success as i32 => Ok(()),
        Some(code) if code == Exit::Usage as i32 => Err(wrong_words()),
        _ => Err(CliError(Exit::Nothing, "no run is possible, for the reason above".to_owned()).into()),
    }
}

/// Makes a run; whether it was not interrupted.
fn measure(path: &Path, words: &[String]) -> anyhow::Result<bool> {
    let status = run_of(path, words)?.status()?;
    match status.code() {
        Some(code) if code == Exit::Usage as i32 => Err(wrong_words()),
        Some(code) if code == Exit::Success as i32 || code == Exit::Findings as i32 => Ok(true),
        None => Ok(false),
        Some(code) if code == Exit::Interrupted as i32 => Ok(false),
        Some(_) => Err(CliError(Exit::Nothing, "a run failed, for the reason above".to_owned()).into()),
    }
}

/// The command of a run.
fn run_of(path: &Path, words: &[String]) -> anyhow::Result<Command> {
    let mut run = Command::new(std::env::current_exe()?);
    run.arg("run").args(words).arg("--quiet").arg("--output").arg(path);
    run.stdin(Stdio::null()).stdout(Stdio::null());
    Ok(run)
}

fn wrong_words() -> anyhow::Error {
    usage("no run takes these arguments, for the reason above")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_comparisons_of_one_second_have_directories_of_their_own() {
        let parent = tempfile::tempdir().unwrap();
        let made = [(); 3].map(|()| new_folder(parent.path(), "2026-11-27T22-24-20Z").unwrap());
        let names = made.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
        assert_eq!(names, ["2026-11-27T22-24-20Z", "2026-11-27T22-24-20Z-2", "2026-11-27T22-24-20Z-3"]);
    }
}
