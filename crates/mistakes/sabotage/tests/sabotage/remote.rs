//! A whole run with a peer: what is in its record, and what becomes of it when the peer goes.

use crate::common::Turn;
use oscope_sabotage::remote::ID;
use record::Record;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_saboteur");

/// A peer, killed when dropped.
struct Serve {
    _turn: Turn,
    child: Child,
    address: String,
    key: String,
}

impl Serve {
    fn new() -> Self {
        let turn = Turn::exclusive();
        let mut child = programs::command(PROGRAM)
            .arg("serve")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let last = |line: String| line.rsplit(' ').next().unwrap().to_owned();
        let address = last(lines.next().unwrap());
        let key = last(lines.next().unwrap());
        Self { _turn: turn, child, address, key }
    }

    /// A run to this peer, with the key in the environment.
    fn run(&self, record: &Path, more: &[&str]) -> Command {
        let mut command = programs::command(PROGRAM);
        command
            .args(["run", ID, "--quiet", "--peer", &self.address, "-o"])
            .arg(record)
            .args(more)
            .env("OSCOPE_PEER_KEY", &self.key);
        command
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn record_in(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("run.jsonl")
}

fn report(record: &Path, form: &str) -> String {
    let shown =
        programs::command(PROGRAM).arg("report").arg(record).args(["--format", form]).output().unwrap();
    text(&shown.stdout)
}

#[test]
fn a_run_with_a_peer_keeps_both_machines_and_no_key() {
    let (serve, folder) = (Serve::new(), tempfile::tempdir().unwrap());
    let path = record_in(&folder);
    let mut command = serve.run(&path, &["--rounds", "3", "--key", &serve.key]);
    let run = command.output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let record = Record::read(&path).unwrap();
    let peer = record.peer.as_ref().unwrap();
    assert_eq!(peer.address, serve.address);
    assert!(peer.program.starts_with("oscope "));
    assert_eq!(peer.machine.text("kernel.release"), record.machine.text("kernel.release"));
    assert_eq!((record.trials.len(), record.failures.len()), (3, 0), "{:?}", record.failures);
    assert!(record.header.arguments.contains(&"HIDDEN".to_owned()));
    assert!(!std::fs::read_to_string(&path).unwrap().contains(&serve.key));
    for form in ["terminal", "markdown", "json"] {
        let shown = report(&path, form);
        assert!(shown.contains(&serve.address) && !shown.contains(&serve.key), "{form}: {shown}");
    }
}

#[test]
fn a_lost_peer_fails_its_rows_only() {
    let (mut serve, folder) = (Serve::new(), tempfile::tempdir().unwrap());
    let path = record_in(&folder);
    let mut command = serve.run(&path, &["syscall.floor", "--rounds", "40"]);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while !Record::read(&path).is_ok_and(|record| record.rounds.len() >= 2) {
        assert!(Instant::now() < end && run.try_wait().unwrap().is_none(), "no round is over");
        std::thread::sleep(Duration::from_millis(10));
    }
    serve.child.kill().unwrap();
    serve.child.wait().unwrap();
    let Output { status, stdout, .. } = run.wait_with_output().unwrap();
    assert_eq!(status.code(), Some(0), "{}", text(&stdout));
    let record = Record::read(&path).unwrap();
    assert!(record.end.is_some());
    let reasons: Vec<_> = record.failures.iter().map(|failure| failure.reason.as_str()).collect();
    // The trial that was in flight may have been cut off in the middle of an answer.
    let names_it = |reason: &&str| reason.contains("peer") || reason.contains("ended early");
    assert!(!reasons.is_empty() && reasons.iter().all(names_it), "{reasons:?}");
    let floors = record.trials.iter().filter(|trial| trial.id.operation == "syscall.floor");
    assert_eq!(floors.count(), 40);
}

#[test]
fn an_unusable_peer_is_an_error_before_the_first_trial() {
    let (serve, folder) = (Serve::new(), tempfile::tempdir().unwrap());
    let path = record_in(&folder);
    let refused = |command: &mut Command, words: &str| {
        let run = command.output().unwrap();
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
        assert!(!said.contains(&serve.key), "{said}");
        assert!(!path.exists());
    };
    let wrong = "12".repeat(32);
    refused(serve.run(&path, &[]).env("OSCOPE_PEER_KEY", &wrong), "the key is not the peer's");
    refused(serve.run(&path, &[]).env("OSCOPE_PEER_KEY", "short"), "64 hexadecimal digits");
    refused(serve.run(&path, &[]).env_remove("OSCOPE_PEER_KEY"), "the peer's key is missing");
    refused(&mut serve.run(&path, &["--key-file", "/nonexistent"]), "/nonexistent");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut gone = programs::command(PROGRAM);
    gone.args(["run", ID, "-o"]).arg(&path).args(["--peer", &port.to_string(), "--key", &serve.key]);
    refused(&mut gone, "cannot be reached");
}

#[test]
fn without_a_peer_its_points_are_skipped_with_a_reason() {
    let _turn = Turn::exclusive();
    let folder = tempfile::tempdir().unwrap();
    let path = record_in(&folder);
    let mut command = programs::command(PROGRAM);
    command.args(["run", ID, "syscall.floor", "--rounds", "2", "--quiet", "-o"]).arg(&path);
    let run = command.output().unwrap();
    assert_eq!(run.status.code(), Some(0));
    assert!(text(&run.stdout).contains("1 point with path=remote was left out"), "{}", text(&run.stdout));
    let plan = Record::read(&path).unwrap().plan.unwrap();
    assert_eq!(plan.points.len(), 1);
}

#[test]
fn a_run_resumes_with_the_same_peer_only() {
    let (serve, folder) = (Serve::new(), tempfile::tempdir().unwrap());
    let path = record_in(&folder);
    assert!(serve.run(&path, &["--rounds", "2"]).status().unwrap().success());
    let resumed = |more: &[&str]| {
        let mut command = programs::command(PROGRAM);
        command.args(["run", "--quiet", "--rounds", "4", "--resume"]).arg(&path).args(more);
        command.env("OSCOPE_PEER_KEY", &serve.key).output().unwrap()
    };
    let alone = resumed(&[]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(text(&alone.stderr).contains("name it again by --peer"), "{}", text(&alone.stderr));
    let together = resumed(&["--peer", &serve.address]);
    assert_eq!(together.status.code(), Some(0), "{}", text(&together.stderr));
    assert_eq!(Record::read(&path).unwrap().trials.len(), 4);
}

#[test]
fn a_peer_stops_on_signals_and_leaves_nothing() {
    for signal in ["-INT", "-TERM"] {
        let mut serve = Serve::new();
        let folder = tempfile::tempdir().unwrap();
        assert!(serve.run(&record_in(&folder), &["--rounds", "1"]).status().unwrap().success());
        let id = serve.child.id().to_string();
        assert!(programs::command("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(serve.child.wait().unwrap().code(), Some(0));
        assert!(std::net::TcpStream::connect(&serve.address).is_err());
    }
}

#[test]
fn a_peer_that_is_given_its_key_does_not_print_it() {
    let folder = tempfile::tempdir().unwrap();
    let (file, key) = (folder.path().join("key"), "ab".repeat(32));
    std::fs::write(&file, format!("{key}\n")).unwrap();
    let serve =
        programs::command(PROGRAM).args(["serve", "--for", "1s", "--key-file"]).arg(&file).output().unwrap();
    assert!(serve.status.success());
    let said = text(&serve.stdout);
    assert!(said.starts_with("listening on 127.0.0.1:") && !said.contains(&key), "{said}");
}
