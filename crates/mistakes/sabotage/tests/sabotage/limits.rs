//! Limits and places in which not every operation can be measured: each that cannot is left out with a
//! reason and a remedy, and none gives a wrong number, hangs, or leaves something behind.

use crate::common::{Bench, Row, SABOTEUR, can, every_operation, may_become, works};
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Looks before a row is believed to be wrong: one round on a busy machine is little.
const LOOKS: usize = 3;

/// A user that nobody else is, for each limit: limits on processes count those of a user, also in other tests, in other containers
/// and below other roots, where the same tests may run.
fn unused_user(limit: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    (fs::read_link("/proc/self/ns/pid").ok(), std::process::id(), limit).hash(&mut hasher);
    // Above all numbers that systems give, and below those that mean nobody.
    (1 << 30) + u32::try_from(hasher.finish() >> 34).unwrap()
}

/// Runs every operation once in a place; gives the rows.
#[track_caller]
fn rows_in(bench: &Bench, place: &[impl AsRef<OsStr>], program: &str, asked: &[String]) -> Vec<Row> {
    let mut rows = rows_once(bench, (place, program), asked, 0);
    for look in 1..LOOKS {
        let wrong = rows.iter().filter(|row| !is_honest(row)).map(Row::name);
        let wrong: Vec<String> = wrong.collect();
        if wrong.is_empty() {
            break;
        }
        for again in rows_once(bench, (place, program), &wrong, look) {
            let before = rows.iter_mut().find(|row| row.name() == again.name());
            if let Some(before) = before {
                *before = again;
            }
        }
    }
    rows
}

fn rows_once(
    bench: &Bench,
    (place, program): (&[impl AsRef<OsStr>], &str),
    asked: &[String],
    look: usize,
) -> Vec<Row> {
    let record = bench.path(&format!("record-{look}.jsonl"));
    let mut command = bench.command(&place[0]);
    command.args(&place[1..]).arg(program);
    command.args(["run", "--quiet", "--rounds", "1", "--output"]).arg(&record);
    command.args(asked);
    bench.finish(command).expect_code(if look == 0 { &[0] } else { &[0, 4] });
    bench.rows(&record)
}

/// Asserts that every row has a number, or says what it lacks and what would help. What is timed may come
/// of a neighbour: one round is little.
#[track_caller]
fn are_honest(rows: &[Row]) {
    let wrong: Vec<&Row> = rows.iter().filter(|row| !is_honest(row)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn is_honest(row: &Row) -> bool {
    let is_timed = |counter: &String| counter == "linearity" || counter.starts_with("switches");
    match row.verdict.as_str() {
        "measured" | "noisy" => true,
        "skipped" => !row.reason.is_empty() && !row.remedy.is_empty(),
        "contradicted" => row.broken.iter().all(is_timed),
        _ => false,
    }
}

/// Asserts that these operations were left out because of a limit.
#[track_caller]
fn are_limited(rows: &[Row], operations: &[&str]) {
    for operation in operations {
        let row = rows.iter().find(|row| row.operation == *operation).unwrap();
        let is_limited = row.verdict == "skipped" && row.remedy.contains("limit");
        assert!(is_limited, "{row:?}");
    }
}

/// The words that run a command as another user with a limit; `None` where that is not allowed.
fn limited_user(limit: &str) -> Option<Vec<String>> {
    let user = unused_user(limit).to_string();
    if !programs::installed(&["prlimit"])
        || !can("root, to become another user by setpriv", may_become(&user))
    {
        return None;
    }
    let prlimit = programs::path("prlimit");
    let words = ["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups", &prlimit, limit];
    Some(words.map(str::to_owned).to_vec())
}

#[test]
fn a_process_limit_skips_operations_that_create_processes() {
    let bench = Bench::shared();
    // Supervisor, cleanup process of the files' directory and worker, and no other process.
    let Some(place) = limited_user("--nproc=3:3") else {
        return;
    };
    let rows = rows_in(&bench, &place, &bench.open_to_anybody(), &every_operation());
    are_honest(&rows);
    let makers = ["process.create.fork_wait", "thread.create.join", "ipc.pipe.round_trip"];
    are_limited(&rows, &makers);
}

#[test]
fn a_descriptor_limit_skips_operations_that_open_many() {
    let bench = Bench::shared();
    let Some(place) = limited_user("--nofile=24:24") else {
        return;
    };
    are_honest(&rows_in(&bench, &place, &bench.open_to_anybody(), &every_operation()));
}

/// Every point of a first look at memory, the large ones too.
fn all_of_memory() -> Vec<String> {
    let all = operations::ALL.iter().filter(|operation| operation.area == measure::Area::Memory);
    let points = all.flat_map(|operation| {
        let points = operation.points_of(record::Profile::Quick);
        points.into_iter().map(|point| operation.point_id(&point).to_string())
    });
    points.collect()
}

#[test]
fn a_small_address_space_skips_large_points() {
    let bench = Bench::shared();
    if !programs::installed(&["prlimit"]) {
        return;
    }
    let place = ["prlimit", "--as=120000000"];
    let rows = rows_in(&bench, &place, SABOTEUR, &all_of_memory());
    are_honest(&rows);
    let large = rows
        .iter()
        .find(|row| row.operation == "memory.bandwidth.read" && row.point.contains("bytes=128MiB"));
    assert_eq!(large.unwrap().verdict, "skipped");
    let small =
        rows.iter().find(|row| row.operation == "memory.latency" && row.point.contains("bytes=16KiB"));
    assert!(small.unwrap().typical.is_some());
}

#[test]
fn a_small_memory_cgroup_shrinks_large_points_without_kills() {
    let bench = Bench::shared();
    let Some(group) = Cgroup::limiting(MEMORY, 96 << 20) else {
        return;
    };
    let place = ["sh", "-c", &group.enter(), "sh"];
    let rows = rows_in(&bench, &place, SABOTEUR, &all_of_memory());
    are_honest(&rows);
    let measured = rows.iter().filter(|row| row.typical.is_some()).count();
    assert!(measured >= 10, "{measured} of {} rows", rows.len());
    let killed = fs::read_to_string(group.0.join("memory.events"))
        .or_else(|_| fs::read_to_string(group.0.join("memory.oom_control")))
        .unwrap_or_default();
    let kills = killed.lines().find_map(|line| line.strip_prefix("oom_kill "));
    assert!(kills.is_none_or(|kills| kills.trim() == "0"), "{killed}");
}

#[test]
fn files_in_memory_count_against_a_memory_cgroup() {
    let bench = Bench::shared();
    let in_memory = Path::new("/dev/shm");
    let is_tmpfs =
        sys::temporary::FileSystem::containing(in_memory).is_ok_and(|system| system.is_in_memory());
    let Some(group) = Cgroup::limiting(MEMORY, 200 << 20).filter(|_| is_tmpfs) else {
        return;
    };
    let directory = tempfile::tempdir_in(in_memory).unwrap();
    let record = bench.path("record.jsonl");
    let mut command = bench.command("sh");
    command.args([
        "-c",
        &group.enter(),
        "sh",
        SABOTEUR,
        "run",
        "--quiet",
        "--rounds",
        "1",
        "--profile",
        "quick",
    ]);
    command.arg("--output").arg(&record).arg("--dir").arg(directory.path());
    command.args(["file.read.uring", "file.read.cached", "file.create", "file.stat"]);
    bench.finish(command).expect_code(&[0]);
    let rows = bench.rows(&record);
    let uring: Vec<_> = rows.iter().filter(|row| row.operation == "file.read.uring").collect();
    assert!(!uring.is_empty());
    for row in uring {
        let is_named = row.reason.contains("of memory") && row.remedy.contains("memory limit");
        assert!(row.verdict == "skipped" && is_named, "{row:?}");
    }
    are_honest(&rows);
}

#[test]
fn a_full_or_closed_temporary_directory_skips_file_operations() {
    // What is mounted over these folders would hide the program.
    let is_elsewhere = !["/tmp", "/var/tmp"].iter().any(|folder| Path::new(SABOTEUR).starts_with(folder));
    if !programs::has("build outside of the folders for temporary files", is_elsewhere) {
        return;
    }
    let bench = Bench::shared();
    let script = "mount -t tmpfs -o size=1m none /tmp && mount -t tmpfs -o ro none /var/tmp && exec \"$@\"";
    let Some(place) = unshared(&["--mount"], script) else {
        return;
    };
    let folder = bench.path("closed");
    fs::create_dir(&folder).unwrap();
    let asked: Vec<String> = ["fault.file", "mapping.file"].map(str::to_owned).to_vec();
    // Where TMPDIR says so nothing else is tried first, and the record lies elsewhere.
    let record = PathBuf::from("/dev/shm").join(format!("oscope-full-{}.jsonl", std::process::id()));
    let mut command = bench.command(place[0]);
    command.args(&place[1..]).arg(SABOTEUR).env("TMPDIR", "/nowhere");
    command.args(["run", "--quiet", "--rounds", "1", "--output"]).arg(&record);
    command.args(&asked);
    bench.finish(command).expect_code(&[0, 4]);
    let rows = bench.rows(&record);
    let _ = fs::remove_file(&record);
    // Some have their file in the directory of the run, which is elsewhere.
    let is_temporary = |row: &&Row| {
        let operation = operations::find(&row.operation).unwrap();
        !operation.ever_needs(&record::Need::Directory)
    };
    assert!(rows.iter().any(|row| is_temporary(&row)));
    for row in rows.iter().filter(is_temporary) {
        assert!(row.verdict == "skipped" && row.remedy.contains("TMPDIR"), "{row:?}");
    }
}

/// A cgroup with a limit, removed when it is dropped.
struct Cgroup(PathBuf);

/// Where a limit is set: version 1 has a hierarchy for it; version 2 has it where the controller is switched on.
const PROCESSES: [(&str, &str); 2] = [("pids", "pids.max"), ("", "pids.max")];
const MEMORY: [(&str, &str); 2] = [("memory", "memory.limit_in_bytes"), ("", "memory.max")];

impl Cgroup {
    /// One with this limit; `None` where none may be made, as in a container, which is said.
    fn limiting(places: [(&str, &str); 2], limit: u64) -> Option<Self> {
        let name = format!("test-of-oscope-{}-{limit}", std::process::id());
        let made = places.into_iter().find_map(|(hierarchy, file)| {
            let group = Self(Path::new("/sys/fs/cgroup").join(hierarchy).join(&name));
            fs::create_dir(&group.0).ok()?;
            fs::write(group.0.join(file), limit.to_string()).ok()?;
            Some(group)
        });
        programs::has("cgroup with a limit that this process may make", made.is_some()).then_some(made)?
    }

    /// A line of shell that runs a command in it.
    fn enter(&self) -> String {
        format!("echo $$ > {}/cgroup.procs && exec \"$@\"", self.0.display())
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_small_pids_cgroup_skips_operations_that_create_processes() {
    let bench = Bench::shared();
    // Supervisor, cleanup process of the files' directory and worker, and no other process.
    let Some(group) = Cgroup::limiting(PROCESSES, 3) else {
        return;
    };
    let place = ["sh", "-c", &group.enter(), "sh"];
    let rows = rows_in(&bench, &place, SABOTEUR, &every_operation());
    are_honest(&rows);
    are_limited(&rows, &["process.create.fork_wait", "thread.create.join"]);
}

/// The words that run a command in namespaces of its own after a script.
fn unshared<'w>(kinds: &[&'w str], script: &'w str) -> Option<Vec<&'w str>> {
    let words: Vec<&str> =
        ["unshare"].iter().chain(kinds).chain(&["sh", "-c", script, "sh"]).copied().collect();
    let probe: Vec<&str> = words[1..].iter().copied().chain(["true"]).collect();
    can("the right to make namespaces and to mount", works("unshare", &probe)).then_some(words)
}

#[test]
fn a_read_only_root_is_no_obstacle() {
    let bench = Bench::shared();
    let folder = bench.folder().to_str().unwrap();
    let script = format!("mount --bind {folder} {folder} && mount -o remount,ro,bind / && exec \"$@\"");
    let Some(place) = unshared(&["--mount"], &script) else {
        return;
    };
    let rows = rows_in(&bench, &place, SABOTEUR, &every_operation());
    are_honest(&rows);
    let measured = rows.iter().filter(|row| row.typical.is_some()).count();
    assert!(2 * measured > rows.len(), "{measured} of {} rows", rows.len());
}

#[test]
fn every_operation_works_as_the_first_process_without_proc_and_sys() {
    let bench = Bench::shared();
    let script = "mount -t tmpfs none /proc && mount -t tmpfs none /sys && exec \"$@\"";
    let Some(place) = unshared(&["--pid", "--fork", "--mount"], script) else {
        return;
    };
    are_honest(&rows_in(&bench, &place, SABOTEUR, &every_operation()));
}

#[test]
fn every_operation_works_without_a_network_and_without_devices() {
    let bench = Bench::shared();
    let script = "mount -t tmpfs none /dev && exec \"$@\"";
    let Some(place) = unshared(&["--net", "--ipc", "--mount"], script) else {
        return;
    };
    are_honest(&rows_in(&bench, &place, SABOTEUR, &every_operation()));
}

#[test]
fn the_helpers_of_these_tests_apply_their_limits() {
    let limit = "--nofile=24:24";
    if let Some(place) = limited_user(limit) {
        let line = format!("ulimit -n; {} -u", programs::path("id"));
        let output = programs::command(&place[0])
            .args(&place[1..])
            .args([&programs::path("sh"), "-c", &line])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("24\n{}\n", unused_user(limit)));
    }
}
