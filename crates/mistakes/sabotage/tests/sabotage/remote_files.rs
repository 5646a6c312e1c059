//! Files on real remote file systems: SFTP, NFS and SMB between two network namespaces.

use crate::common::{Bench, Row, SABOTEUR, find};
use crate::remote_servers::{NFS, RemoteFileSystem, SFTP, SMB};
use crate::witnesses::is_seen;
use oscope_sabotage::Sabotage;
use record::Record;
use std::fs;
use std::path::Path;

/// The words of a run over some points with both directories.
fn run<'w>(record: &'w str, remote: &'w str, local: &'w str, points: &[&'w str]) -> Vec<&'w str> {
    let options = [SABOTEUR, "run", "--quiet", "--profile", "quick", "--rounds", "3"];
    let places = ["--output", record, "--remote-dir", remote, "--dir", local];
    options.into_iter().chain(places).chain(points.iter().copied()).collect()
}

/// Rows of such a run.
fn rows(of: &RemoteFileSystem, bench: &Bench, peer: &str, points: &[&str]) -> Vec<Row> {
    let path = |name: &str| bench.path(name).to_str().unwrap().to_owned();
    let (record, remote, local) = (path("record.jsonl"), path("mount"), path("local"));
    let mut words = run(&record, &remote, &local, points);
    if peer != "-" {
        words.extend(["--peer", "192.0.2.2:4000"]);
    }
    of.beside(bench, peer, &words).expect_code(&[0, 4]);
    bench.rows(Path::new(&record))
}

const WARM: &str = "access=random file_size=16MiB server_cache=warm";
const EMPTIED: &str = "access=random file_size=16MiB server_cache=cold";

/// Measures all operations on remote files: their evidence holds, and nothing is left on the server.
fn check_all_operations(of: &RemoteFileSystem) {
    if !of.may_mount() {
        return;
    }
    let bench = Bench::new();
    let rows = rows(of, &bench, "-", &["file.remote"]);
    for row in &rows {
        // What is timed may come of a neighbour: three rounds are little.
        let is_timed = row.verdict == "contradicted" && row.broken == ["linearity"];
        let is_right = ["measured", "noisy"].contains(&row.verdict.as_str());
        match row.point.contains("server_cache=cold") {
            true => assert!(row.verdict == "skipped" && row.reason.contains("no peer"), "{row:?}"),
            false => assert!(is_timed || is_right && row.proofs.0 >= 2, "{row:?}"),
        }
    }
    assert!(rows.len() >= 10, "{rows:?}");
    let record = Record::read(&bench.path("record.jsonl")).unwrap();
    let fact = |key: &str| record.machine.text(key).unwrap_or_default();
    let kind = fact("remote.file_system");
    assert!(of.kinds.contains(&kind), "{kind}");
    assert_eq!(fact("remote.protocol"), of.protocol);
    assert_eq!(fact("remote.lies_on"), "another machine");
    // GVfs and smbnetfs name the server in paths below their mount only.
    let named = [fact("remote.source"), fact("remote.path")];
    assert!(named.iter().any(|name| name.contains("192.0.2.2")), "{named:?}");
    let settings = record.plan.as_ref().map(|plan| &plan.settings);
    assert!(settings.unwrap().remote_directory.is_some());
    let words = ["explain", "file.remote.open", "--record"];
    let mut explained = bench.saboteur(&words);
    explained.arg(bench.path("record.jsonl"));
    let page = bench.finish(explained).expect_code(&[0]).stdout;
    assert!(page.contains("remote files") && page.contains(kind) && page.contains(of.protocol), "{page}");
}

#[test]
fn files_over_sftp_are_measured_and_nothing_is_left_there() {
    check_all_operations(&SFTP);
}

#[test]
fn files_over_nfs_are_measured_and_nothing_is_left_there() {
    check_all_operations(&NFS);
}

#[test]
fn files_over_smb_are_measured_and_nothing_is_left_there() {
    check_all_operations(&SMB);
}

/// A server that may not empty its cache is a reason to skip, and one that did not is caught.
fn check_server_cache(of: &RemoteFileSystem) {
    if !of.may_mount() {
        return;
    }
    let bench = Bench::new();
    let denied = rows(of, &bench, " ", &["file.remote.read.direct"]);
    let row = find(&denied, "file.remote.read.direct", EMPTIED);
    assert!(row.verdict == "skipped" && row.reason.contains("not allowed"), "{row:?}");
    let warm = find(&denied, "file.remote.read.direct", WARM);
    assert!(["measured", "noisy"].contains(&warm.verdict.as_str()), "{warm:?}");
    drop(bench);
    // The peer tells what its devices read. Nothing is emptied here: those who forget it are what is tested.
    let bench = Bench::new();
    let sabotages: Vec<&Sabotage> = oscope_sabotage::all().filter(|sabotage| sabotage.remote).collect();
    let names: Vec<String> = sabotages.iter().map(|sabotage| sabotage.name()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let caught = rows(of, &bench, "--allow-drop-caches", &names);
    assert_eq!(caught.len(), 3);
    for sabotage in sabotages {
        let row = find(&caught, sabotage.id, sabotage.right().1);
        // Neighbours on the disk can hide what broke this one in some trials: then the row has no narrow number either.
        let is_refused = match sabotage.id {
            "sabotage.remote_files.other_disk" => ["contradicted", "noisy"].contains(&row.verdict.as_str()),
            _ => row.verdict == "contradicted",
        };
        assert!(is_refused && is_seen(sabotage, row), "{row:?}");
    }
}

#[test]
fn sftp_server_that_did_not_empty_its_cache_is_caught() {
    check_server_cache(&SFTP);
}

#[test]
fn nfs_server_that_did_not_empty_its_cache_is_caught() {
    check_server_cache(&NFS);
}

#[test]
fn smb_server_that_did_not_empty_its_cache_is_caught() {
    check_server_cache(&SMB);
}

/// Set to any value, it lets a test empty the page cache of this machine.
const MAY_DROP: &str = "OSCOPE_DROP_CACHES";

/// A server whose cache is emptied reads from its devices.
fn check_emptied_server(of: &RemoteFileSystem) {
    let in_ci = std::env::var_os("OSCOPE_CI").is_some();
    if !in_ci && std::env::var_os(MAY_DROP).is_none() {
        eprintln!("left out: it empties the page cache of this machine; set {MAY_DROP}=1 to let it");
        return;
    }
    if !of.may_mount() {
        return;
    }
    let bench = Bench::new();
    let points = [
        format!("file.remote.read.direct {EMPTIED}"),
        "file.remote.penalty block=4KiB server_cache=cold".to_owned(),
    ];
    let points: Vec<&str> = points.iter().map(String::as_str).collect();
    let rows = rows(of, &bench, "--allow-drop-caches", &points);
    assert_eq!(rows.len(), 2);
    for row in rows {
        // A directory of the test that lies in memory has no device to read from.
        let in_memory = ["skipped", "contradicted"].contains(&row.verdict.as_str()) && is_in_memory(&bench);
        let is_right = ["measured", "noisy"].contains(&row.verdict.as_str());
        assert!(in_memory || is_right && row.proofs.0 >= 3, "{row:?}");
    }
}

#[test]
fn emptied_sftp_server_reads_from_its_devices() {
    check_emptied_server(&SFTP);
}

#[test]
fn emptied_nfs_server_reads_from_its_devices() {
    check_emptied_server(&NFS);
}

#[test]
fn emptied_smb_server_reads_from_its_devices() {
    check_emptied_server(&SMB);
}

fn is_in_memory(bench: &Bench) -> bool {
    let found = programs::command("stat").args(["-f", "-c", "%T"]).arg(bench.folder()).output();
    found.is_ok_and(|found| found.stdout.starts_with(b"tmpfs"))
}

/// Nothing is left on the server when the supervisor is killed.
fn check_killed_supervisor(of: &RemoteFileSystem) {
    if !of.may_mount() {
        return;
    }
    let bench = Bench::new();
    let path = |name: &str| bench.path(name).to_str().unwrap().to_owned();
    let (record, remote, local) = (path("record.jsonl"), path("mount"), path("local"));
    let mut words = vec!["timeout", "--foreground", "--signal", "KILL", "4"];
    words.extend(run(&record, &remote, &local, &["file.remote"]));
    let rounds = words.iter().position(|word| *word == "3").unwrap();
    words[rounds] = "400";
    // The script waits until nothing is left, and says so otherwise.
    of.beside(&bench, "-", &words).expect_code(&[137]);
    let record = Record::read(Path::new(&record)).unwrap();
    assert!(record.end.is_none() && !record.trials.is_empty());
}

#[test]
fn killed_supervisor_leaves_nothing_on_an_sftp_server() {
    check_killed_supervisor(&SFTP);
}

#[test]
fn killed_supervisor_leaves_nothing_on_an_nfs_server() {
    check_killed_supervisor(&NFS);
}

#[test]
fn killed_supervisor_leaves_nothing_on_an_smb_server() {
    check_killed_supervisor(&SMB);
}

#[test]
fn a_directory_of_this_machine_is_no_remote_one() {
    let bench = Bench::new();
    let (record, local) = (bench.path("record.jsonl"), bench.path("local"));
    fs::create_dir(&local).unwrap();
    let (record, local) = (record.to_str().unwrap(), local.to_str().unwrap());
    // Below a chroot the root directory need not be a mount point: then nothing tells what a directory of it lies on.
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let is_shown = mounts.lines().any(|mount| mount.split(' ').nth(4) == Some("/"));
    let directories = [Some("/proc"), is_shown.then_some(local)];
    for directory in directories.into_iter().flatten() {
        let words = run(record, directory, local, &["file.remote"]);
        let ended = bench.finish(bench.saboteur(&words[1..])).expect_code(&[2]);
        assert!(ended.stderr.contains("no remote file system, but "), "{ended:?}");
    }
    let words = ["run", "--quiet", "--rounds", "1", "--output", record, "file.remote"];
    let ended = bench.finish(bench.saboteur(&words)).expect_code(&[4]);
    assert!(ended.stdout.contains("--remote-dir"), "{ended:?}");
}
