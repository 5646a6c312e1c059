//! The lines of docs/RECIPES.md are run as they stand; `recipes.sh` shortens what they measure.

use crate::{oscope, outcome, text};
use programs::command;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines that are not run, by how they begin, and why.
const LEFT_OUT: [(&str, &str); 2] = [
    ("git bisect", "needs a repository with a change; `git bisect run` is answered by the tests of --bisect"),
    ("oscope run table --blind", "what a person fills in; the tests of predictions do"),
];

/// Programs that stand for those of the user, and what they print.
const PROGRAMS_OF_USER: [(&str, &str); 2] = [("perf", "1.5 usecs/op"), ("my-benchmark", "done")];

/// Files that a recipe reads and no line writes.
const STEPS: &str = "2026-11-03 syscall.getppid  # audit enabled\n";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The commands of each indented block: a line, or several that a quote or a backslash joins.
fn blocks(page: &str) -> Vec<Vec<String>> {
    let mut blocks = vec![Vec::new()];
    for line in page.lines() {
        match line.strip_prefix("    ") {
            Some(line) => {
                let line = line.trim_start_matches("a$").trim_start_matches("b$").trim_start();
                let block = blocks.last_mut().unwrap();
                match block.last_mut().filter(|before: &&mut String| is_open(before)) {
                    Some(before) => *before = format!("{before}\n{line}"),
                    None => block.push(line.to_owned()),
                }
            }
            None => blocks.push(Vec::new()),
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// Whether a command goes on in the next line. A comment may have an apostrophe.
fn is_open(line: &str) -> bool {
    let code = line.split(" #").next().unwrap();
    code.ends_with('\\') || code.matches('\'').count() % 2 == 1
}

/// The records that a block reads, and that no line writes that is run.
fn records(block: &[String]) -> Vec<&str> {
    let words = block.iter().flat_map(|line| line.split_whitespace());
    let named = words.filter(|word| word.ends_with(".oscope") && !word.contains('$'));
    let run = block.iter().filter(|line| !LEFT_OUT.iter().any(|(begin, _)| line.starts_with(begin)));
    let written: Vec<&str> = run.flat_map(|line| outputs(line)).collect();
    named.filter(|name| !written.iter().any(|begin| name.starts_with(begin))).collect()
}

/// The files that a line writes, up to what the shell fills in.
fn outputs(line: &str) -> Vec<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let outputs = words.windows(2).filter(|two| ["-o", "--output"].contains(&two[0]));
    outputs.filter_map(|two| two[1].split('$').next()).collect()
}

/// What a line may end with: a rule may find something, and a core may be shared all the time.
fn expected(line: &str) -> &'static [i32] {
    match line {
        _ if line.contains("--fail-if") => &[0, 1, 4],
        _ if line.starts_with("oscope gate") || line.starts_with("oscope compare") => &[0, 4],
        _ => &[0],
    }
}

fn write_program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn recipes_run_as_they_stand() {
    let page = fs::read_to_string(repository().join("docs/RECIPES.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (own, state) = (folder.path().join("bin"), folder.path().join("state"));
    let measured = folder.path().join("measured");
    fs::create_dir(&own).unwrap();
    write_program(&own.join("oscope"), include_str!("recipes.sh"));
    for (name, said) in PROGRAMS_OF_USER {
        write_program(&own.join(name), &format!("#!/bin/sh\necho '{said}'\n"));
    }
    let run = ["run", "syscall.floor", "--rounds", "6", "--quiet", "--output"];
    let (code, _, errors) = outcome(oscope(folder.path()).args(run).arg(&measured));
    assert_eq!(code, 0, "{errors}");
    let mut left_out = LEFT_OUT.map(|(begin, _)| (begin, 0));
    for block in blocks(&page) {
        let place = tempfile::tempdir_in(folder.path()).unwrap();
        std::os::unix::fs::symlink(repository().join("contrib"), place.path().join("contrib")).unwrap();
        fs::copy(own.join("my-benchmark"), place.path().join("my-benchmark")).unwrap();
        fs::write(place.path().join("steps.txt"), STEPS).unwrap();
        for record in records(&block) {
            fs::copy(&measured, place.path().join(record)).unwrap();
        }
        for line in &block {
            if let Some((_, times)) = left_out.iter_mut().find(|(begin, _)| line.starts_with(*begin)) {
                *times += 1;
                continue;
            }
            let mut shell = command("sh");
            let paths = format!("{}:{}", own.display(), programs::links().display());
            shell.args(["-c", line]).current_dir(place.path()).env("PATH", paths);
            shell.env("OSCOPE", env!("CARGO_BIN_EXE_oscope")).env("XDG_STATE_HOME", &state);
            let ended = shell.output().unwrap();
            let code = ended.status.code().unwrap();
            assert!(expected(line).contains(&code), "{line}\n{code}: {}", text(&ended.stderr));
        }
    }
    assert!(left_out.iter().all(|(_, times)| *times > 0), "no line begins so: {left_out:?}");
}
