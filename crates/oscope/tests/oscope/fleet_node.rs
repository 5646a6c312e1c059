//! One node of a fleet: its record has its name when it is whole, and partial ones are resumed.

use crate::{oscope, outcome};
use record::{Line, Record};
use std::fs;
use std::path::Path;

fn node(shared: &Path, more: &[&str]) -> (i32, String, String) {
    let mut command = oscope(&shared.join("state"));
    for variable in ["SLURM_JOB_ID", "KUBERNETES_SERVICE_HOST", "JOB_COMPLETION_INDEX"] {
        command.env_remove(variable);
    }
    let words = ["fleet", "node", "syscall.getppid method=raw", "--shared"];
    let command = command.args(words).arg(shared).args(more);
    outcome(command.args(["--", "--rounds", "3"]))
}

/// The files in a directory, in order, without directories.
fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let files = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = files.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn finished_record_has_the_name_of_its_node_and_is_left_alone() {
    let shared = tempfile::tempdir().unwrap();
    let (code, said, errors) = node(shared.path(), &["--name", "n1"]);
    assert_eq!(code, 0, "{errors}");
    assert!(said.trim_end().ends_with("n1.oscope.jsonl"), "{said}");
    assert_eq!(files(shared.path()), ["n1.oscope.jsonl"]);
    let path = shared.path().join("n1.oscope.jsonl");
    let before = fs::read(&path).unwrap();
    let (code, _, errors) = node(shared.path(), &["--name", "n1"]);
    assert!(code == 0 && errors.contains("is there already: nothing to do"), "{errors}");
    assert_eq!(fs::read(&path).unwrap(), before);
    let (code, ..) = node(shared.path(), &["--name", "n1", "--repeat", "2"]);
    assert_eq!((code, files(shared.path()).len()), (0, 2), "{:?}", files(shared.path()));
    let record = Record::read(&path).unwrap();
    let is_of_scheduler = |fact: &&record::Fact| fact.key.starts_with("scheduler.");
    assert_eq!(record.machine.facts.iter().find(is_of_scheduler), None);
    let name = node(shared.path(), &["--name", "../n1"]);
    assert!(name.0 == 2 && name.2.contains("cannot be the name of a node"), "{}", name.2);
}

#[test]
fn partial_record_is_resumed_and_a_useless_one_is_kept_aside() {
    let shared = tempfile::tempdir().unwrap();
    node(shared.path(), &["--name", "n1"]);
    let (whole, partial) =
        (shared.path().join("n1.oscope.jsonl"), shared.path().join(".n1.oscope.jsonl.partial"));
    // Without its end and its last trial, and with half a line: as one that was killed.
    let text = fs::read_to_string(&whole).unwrap();
    let is_trial = |line: &&str| matches!(serde_json::from_str(line), Ok(Line::Trial(_)));
    let trials = text.lines().filter(is_trial).count();
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(is_trial).unwrap();
    let kept = &lines[..last];
    fs::write(&partial, kept.join("\n") + "\n{\"torn").unwrap();
    fs::remove_file(&whole).unwrap();
    let (code, _, errors) = node(shared.path(), &["--name", "n1"]);
    assert!(code == 0 && errors.contains("resuming"), "{errors}");
    assert_eq!(files(shared.path()), ["n1.oscope.jsonl"]);
    let again = fs::read_to_string(&whole).unwrap();
    assert!(again.starts_with(&kept.join("\n")), "what was measured is kept");
    assert_eq!(again.lines().filter(is_trial).count(), trials);
    assert!(again.lines().any(|line| matches!(serde_json::from_str(line), Ok(Line::Resumed { .. }))));

    let header: Vec<&str> = text.lines().take(1).collect();
    for useless in [header.join("\n") + "\n", "something else\n".to_owned()] {
        fs::remove_file(&whole).unwrap();
        fs::write(&partial, &useless).unwrap();
        let (code, _, errors) = node(shared.path(), &["--name", "n1"]);
        assert!(code == 0 && errors.contains("starting a new run"), "{errors}");
    }
    assert_eq!(
        files(shared.path()),
        [".n1.oscope.jsonl.set-aside-1", ".n1.oscope.jsonl.set-aside-2", "n1.oscope.jsonl"]
    );
}

#[test]
fn node_is_called_as_its_scheduler_calls_it() {
    let shared = tempfile::tempdir().unwrap();
    let mut command = oscope(&shared.path().join("state"));
    let variables =
        [("KUBERNETES_SERVICE_HOST", "192.0.2.1"), ("NODE_NAME", "worker-7"), ("JOB_COMPLETION_INDEX", "1")];
    let command = command
        .env_remove("SLURM_JOB_ID")
        .envs(variables)
        .args(["fleet", "node", "syscall.getppid method=raw", "--shared"])
        .arg(shared.path())
        .args(["--", "--rounds", "1"]);
    assert_eq!(outcome(command).0, 0);
    let record = Record::read(&shared.path().join("worker-7.2.oscope.jsonl")).unwrap();
    assert_eq!(record.machine.text("scheduler.name"), Some("Kubernetes"));
    assert_eq!(record.machine.text("scheduler.task"), Some("1"));
    let mut command = oscope(&shared.path().join("state"));
    let dumped = outcome(command.envs(variables).args(["dump", "-"]));
    assert!(dumped.0 == 0 && !dumped.1.contains("worker-7"), "a dump names no machine");
}
