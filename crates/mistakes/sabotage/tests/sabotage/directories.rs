//! Directories in which files are measured: on every file system, full, forbidden, in memory; and nothing is left there,
//! however a run ends.

use crate::common::{Bench, LIMIT, NOBODY, Row, SABOTEUR, SOON, can, find, is_root, may_become, works};
use record::Record;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A cached read, one from the disk, a write to it, a name.
const CACHED: &str = "file.read.cached access=sequential file_size=64KiB";
const UNCACHED: &str = "file.read.uncached access=sequential file_size=1MiB";
const WRITTEN: &str = "file.write.direct access=random";
const MADE: &str = "file.create file_size=10KiB";
const POINTS: [&str; 4] = [CACHED, UNCACHED, WRITTEN, MADE];

fn words<'w>(record: &'w Path, directory: &'w Path, rounds: &'w str) -> Vec<&'w str> {
    let options = ["run", "--quiet", "--profile", "quick", "--rounds", rounds, "--output"];
    let places = [record.to_str().unwrap(), "--dir", directory.to_str().unwrap()];
    options.into_iter().chain(places).chain(POINTS).collect()
}

fn row<'r>(rows: &'r [Row], name: &str) -> &'r Row {
    let (operation, point) = name.split_once(' ').unwrap();
    find(rows, operation, point)
}

/// Rows of a run in a directory, in which nothing may be left; `before` is a shell command that mounts something
/// there, in a namespace of its own.
fn rows_in(bench: &Bench, before: &str) -> Vec<Row> {
    let (record, directory) = (bench.path("record.jsonl"), bench.path("directory"));
    fs::create_dir(&directory).unwrap();
    let after = "\"$@\"; code=$?; test -z \"$(ls -A \"$D\" | grep oscope)\" || exit 77; exit $code";
    let mut command = bench.command("unshare");
    command.env("D", &directory).env("F", bench.folder());
    command.args(["-m", "sh", "-c", &format!("{before} || exit 78; {after}"), "sh", SABOTEUR]);
    command.args(words(&record, &directory, "2"));
    bench.finish(command).expect_code(&[0, 4]);
    bench.rows(&record)
}

fn may_mount() -> bool {
    can("root, to mount in a namespace of its own", is_root() && works("unshare", &["-m", "true"]))
}

#[track_caller]
fn has_number(rows: &[Row], name: &str) {
    let row = row(rows, name);
    // What is timed may come of a neighbour: two rounds are little.
    let is_timed = row.verdict == "contradicted" && row.broken == ["linearity"];
    if is_timed {
        programs::note_contradiction(name);
    }
    assert!(is_timed || ["measured", "noisy"].contains(&row.verdict.as_str()), "{row:?}");
}

#[track_caller]
fn is_skipped(rows: &[Row], name: &str, words: &str) {
    let row = row(rows, name);
    let said = row.verdict == "skipped" && row.reason.contains(words) && !row.remedy.is_empty();
    assert!(said, "{words}: {row:?}");
}

#[test]
fn every_file_system_on_a_disk_is_measured() {
    if !may_mount() {
        return;
    }
    for (kind, make) in [
        ("ext4", "mkfs.ext4 -q $F/image"),
        ("xfs", "mkfs.xfs -q $F/image"),
        ("btrfs", "mkfs.btrfs -q $F/image"),
    ] {
        if !programs::installed(&[&format!("mkfs.{kind}")]) {
            continue;
        }
        let bench = Bench::new();
        let mount = format!("truncate -s 1500M $F/image && {make} && mount -o loop -t {kind} $F/image $D");
        let rows = rows_in(&bench, &mount);
        for name in POINTS {
            has_number(&rows, name);
        }
        let record = Record::read(&bench.path("record.jsonl")).unwrap();
        assert_eq!(record.machine.text("directory.file_system"), Some(kind));
        assert!(record.machine.text("directory.device").unwrap().starts_with("loop"));
        // mount(8) makes loop devices that the page cache of this machine is below.
        assert_eq!(
            record.machine.text("directory.lies_on"),
            Some("a loop file, cached by the host of the loop")
        );
        let planned = record.plan.iter().flat_map(|plan| &plan.points);
        let point = planned.into_iter().find(|point| point.id.to_string() == UNCACHED).unwrap();
        let proves = |words: &str| point.witnesses.iter().any(|witness| witness.proves.contains(words));
        assert!(point.on_cached_loop && proves("the loop device read") && !proves("the device read"));
    }
}

#[test]
fn memory_file_systems_are_not_disks() {
    if !may_mount() {
        return;
    }
    let bench = Bench::new();
    let rows = rows_in(&bench, "mount -t tmpfs -o size=1g none $D");
    has_number(&rows, CACHED);
    has_number(&rows, MADE);
    is_skipped(&rows, UNCACHED, "disk");
    is_skipped(&rows, WRITTEN, "disk");
    let record = Record::read(&bench.path("record.jsonl")).unwrap();
    assert_eq!(record.machine.text("directory.lies_on"), Some("memory, no disk"));
}

#[test]
fn layered_file_systems_are_measured_or_skipped_with_a_reason() {
    if !may_mount() {
        return;
    }
    let bench = Bench::new();
    let mount =
        "mkdir $F/l $F/u $F/w && mount -t overlay -o lowerdir=$F/l,upperdir=$F/u,workdir=$F/w none $D";
    let rows = rows_in(&bench, mount);
    has_number(&rows, CACHED);
    has_number(&rows, MADE);
    for name in [UNCACHED, WRITTEN] {
        let row = row(&rows, name);
        assert!(["measured", "noisy", "skipped"].contains(&row.verdict.as_str()), "{row:?}");
    }
    let record = Record::read(&bench.path("record.jsonl")).unwrap();
    assert_eq!(record.machine.text("directory.lies_on"), Some("layers of other file systems"));
}

#[test]
fn a_full_directory_is_skipped() {
    if !may_mount() {
        return;
    }
    let bench = Bench::new();
    let fill = "mount -t tmpfs -o size=2m none $D && (dd if=/dev/zero of=$D/full bs=64k 2>/dev/null || true)";
    let rows = rows_in(&bench, fill);
    is_skipped(&rows, CACHED, "free");
    is_skipped(&rows, MADE, "");
}

#[test]
fn a_read_only_directory_is_skipped() {
    if !may_mount() {
        return;
    }
    let bench = Bench::new();
    let rows = rows_in(&bench, "mount -t tmpfs -o ro none $D");
    for name in POINTS {
        is_skipped(&rows, name, "directory");
    }
}

#[test]
fn a_directory_of_another_user_is_skipped() {
    let bench = Bench::new();
    if !can("root, to become nobody by setpriv", may_become(NOBODY)) {
        return;
    }
    let (record, directory) = (bench.path("r/record.jsonl"), bench.path("directory"));
    fs::create_dir(&directory).unwrap();
    fs::create_dir(bench.path("r")).unwrap();
    fs::set_permissions(&directory, Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(bench.folder(), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(bench.path("r"), Permissions::from_mode(0o777)).unwrap();
    let mut command = bench.command("setpriv");
    command.args(["--reuid", NOBODY, "--clear-groups", SABOTEUR]).args(words(&record, &directory, "2"));
    bench.finish(command).expect_code(&[0, 4]);
    is_skipped(&bench.rows(&record), CACHED, "denied");
}

#[test]
fn a_missing_directory_is_a_usage_error() {
    let bench = Bench::new();
    let record = bench.path("record.jsonl");
    let ended = bench.finish(bench.saboteur(&words(&record, &bench.path("nowhere"), "2")));
    assert!(ended.expect_code(&[2]).stderr.contains("no such directory"));
}

fn left_in(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Asserts that nothing is left in a directory, as soon as a busy disk lets it be removed.
#[track_caller]
fn is_soon_empty(directory: &Path) {
    let soon = Instant::now() + SOON;
    while !left_in(directory).is_empty() && Instant::now() < soon {
        std::thread::sleep(Duration::from_millis(10));
    }
    let left = left_in(directory);
    let groups: Vec<String> =
        left.iter().filter_map(|path| fs::read_to_string(path.join("groups")).ok()).collect();
    assert!(left.is_empty(), "{left:?} with the control groups {groups:?}");
}

#[test]
fn a_killed_or_interrupted_run_leaves_no_files() {
    for signal in ["KILL", "INT"] {
        let bench = Bench::new();
        let (record, directory) = (bench.path("record.jsonl"), bench.path("directory"));
        fs::create_dir(&directory).unwrap();
        let mut all = words(&record, &directory, "400");
        all.push("file.cache_size");
        let mut started = bench.start(bench.saboteur(&all));
        let trials = || Record::read(&record).map_or(0, |record| record.trials.len());
        started.until("trials", || trials() >= 4);
        assert!(!left_in(&directory).is_empty());
        started.signal(signal);
        started.wait(LIMIT);
        bench.no_process_is_left();
        is_soon_empty(&directory);
        bench.no_control_group_is_left();
    }
}

#[test]
fn leftovers_of_a_killed_cleanup_process_are_removed_by_the_next_run() {
    let bench = Bench::new();
    let (record, directory) = (bench.path("record.jsonl"), bench.path("directory"));
    fs::create_dir(&directory).unwrap();
    let mut started = bench.start(bench.saboteur(&words(&record, &directory, "400")));
    started.until("a directory", || !left_in(&directory).is_empty());
    let cleanups = || bench.processes().into_iter().filter(|process| process.contains(" cleanup "));
    started.until("a cleanup process", || cleanups().next().is_some());
    for process in cleanups() {
        let pid = process.split(' ').next().unwrap();
        assert!(programs::command("kill").args(["-s", "KILL", pid]).status().unwrap().success());
    }
    started.signal("KILL");
    started.wait(LIMIT);
    bench.no_process_is_left();
    let left = left_in(&directory);
    assert_eq!(left.len(), 1);
    // As if a worker had been killed while it had a group; where none can be made, nothing is left of one.
    let group = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"]
        .map(|root| PathBuf::from(format!("{root}/oscope-{}", std::process::id())))
        .into_iter()
        .find(|group| fs::create_dir(group).is_ok());
    if let Some(group) = &group {
        fs::write(left[0].join("groups"), format!("{}\n", group.display())).unwrap();
    }
    let second = bench.path("second.jsonl");
    bench.finish(bench.saboteur(&words(&second, &directory, "1"))).expect_code(&[0]);
    is_soon_empty(&directory);
    assert!(group.is_none_or(|group| !group.exists()));
}
