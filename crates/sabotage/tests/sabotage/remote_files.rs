//! Files on a real remote file system: sshfs between two network namespaces, which the test makes and which are gone
//! with the process that it starts in them.
//!
//! The server is OpenSSH's `sftp-server` behind a listener of ours, without a login, a daemon or a key; the namespaces of
//! network, mounts and processes belong to one `unshare`, so that whatever happens to it takes the servers, the mount
//! and the interfaces with it.

use crate::common::{Bench, Ended, Row, SABOTEUR, can, find, is_root, works};
use record::Record;
use std::fs;
use std::path::Path;

const SFTP_SERVER: &str = env!("CARGO_BIN_EXE_sftp_server");

/// Makes two network namespaces with a pair of interfaces, serves `$F/export` in the one, mounts it in the other, and
/// runs a command there. `$SERVE` holds options of a peer beside the server, `-` for none.
const SCRIPT: &str = r#"
ip link set lo up
unshare --net sh -c ': > "$F/far"; exec sleep 1000' & far=$!
until [ -e "$F/far" ]; do sleep 0.02; done
ip link add near0 type veth peer name far0 netns $far
ip addr add 192.0.2.1/24 dev near0 && ip link set near0 up
there() { nsenter --net=/proc/$far/ns/net "$@"; }
there ip link set lo up
there ip addr add 192.0.2.2/24 dev far0 && there ip link set far0 up
there "$SFTP_SERVER" 192.0.2.2:4022 "$SFTP" & 
if [ "$SERVE" != - ]; then
    there "$SABOTEUR" serve --listen 192.0.2.2:4000 $SERVE > "$F/peer" 2> "$F/peer.log" &
    until [ -s "$F/peer" ]; do sleep 0.02; done
fi
tries=0
until sshfs -o directport=4022 192.0.2.2:"$F/export" "$F/mount" 2> "$F/sshfs.log"; do
    tries=$((tries + 1)); [ $tries -lt 100 ] || { cat "$F/sshfs.log" >&2; exit 76; }
    sleep 0.05
done
"$@"; code=$?
tries=0
until [ -z "$(ls -A "$F/export")" ]; do
    tries=$((tries + 1)); [ $tries -lt 250 ] || { ls -lA "$F/export" >&2; exit 77; }
    sleep 0.02
done
exit $code
"#;

/// Words of the `unshare` in which everything happens.
const NAMESPACES: [&str; 6] = [
    "--net",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
];

/// The key of the peer, which nobody else can reach.
const KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Whether a remote file system can be mounted here; says what is missing if not.
fn may_mount() -> bool {
    let probe: Vec<&str> = NAMESPACES.into_iter().chain(["true"]).collect();
    can(
        "root, for namespaces of its own",
        is_root() && works("unshare", &probe),
    ) && can("/dev/fuse", Path::new("/dev/fuse").exists())
        && programs::installed(&["sshfs", "sftp-server", "ip"])
}

/// Runs a command beside a mounted remote directory; `peer` are options of `serve` on the server.
fn beside(bench: &Bench, peer: &str, words: &[&str]) -> Ended {
    for folder in ["export", "mount", "local"] {
        let _ = fs::create_dir(bench.path(folder));
    }
    let _ = fs::remove_file(bench.path("far"));
    let mut command = bench.command("unshare");
    command
        .env("F", bench.folder())
        .env("SFTP_SERVER", SFTP_SERVER)
        .env("SFTP", programs::path("sftp-server"))
        .env("SABOTEUR", SABOTEUR)
        .env("SERVE", peer)
        .env("OSCOPE_PEER_KEY", KEY)
        .args(NAMESPACES)
        .args(["sh", "-c", SCRIPT, "sh"])
        .args(words);
    bench.finish(command)
}

/// The words of a run over some points with both directories.
fn run<'w>(record: &'w str, remote: &'w str, local: &'w str, points: &[&'w str]) -> Vec<&'w str> {
    let options = [SABOTEUR, "run", "--quiet", "--profile", "quick", "--rounds", "3"];
    let places = ["--output", record, "--remote-dir", remote, "--dir", local];
    options
        .into_iter()
        .chain(places)
        .chain(points.iter().copied())
        .collect()
}

/// Rows of such a run.
fn rows(bench: &Bench, peer: &str, points: &[&str]) -> Vec<Row> {
    let path = |name: &str| bench.path(name).to_str().unwrap().to_owned();
    let (record, remote, local) = (path("record.jsonl"), path("mount"), path("local"));
    let mut words = run(&record, &remote, &local, points);
    if peer != "-" {
        words.extend(["--peer", "192.0.2.2:4000"]);
    }
    beside(bench, peer, &words).expect_code(&[0, 4]);
    bench.rows(Path::new(&record))
}

const WARM: &str = "access=random bytes=16MiB server_cache=warm";
const EMPTIED: &str = "access=random bytes=16MiB server_cache=cold";

#[test]
fn a_remote_file_system_is_measured_and_nothing_is_left_on_it() {
    if !may_mount() {
        return;
    }
    let bench = Bench::new();
    let rows = rows(&bench, "-", &["file.remote"]);
    for row in &rows {
        // What is timed may come of a neighbour: three rounds are little.
        let is_timed = row.verdict == "contradicted" && row.broken == ["linearity"];
        let is_right = ["measured", "noisy"].contains(&row.verdict.as_str());
        match row.point.contains("server_cache=cold") {
            true => assert!(
                row.verdict == "skipped" && row.reason.contains("no peer"),
                "{row:?}"
            ),
            false => assert!(is_timed || is_right && row.proofs.0 >= 2, "{row:?}"),
        }
    }
    assert!(rows.len() >= 10, "{rows:?}");
    let record = Record::read(&bench.path("record.jsonl")).unwrap();
    assert_eq!(record.machine.text("remote.file_system"), Some("fuse.sshfs"));
    assert_eq!(record.machine.text("remote.lies_on"), Some("another machine"));
    let source = record.machine.text("remote.source").unwrap();
    assert!(source.starts_with("192.0.2.2:/"), "{source}");
    assert!(record.plan.unwrap().settings.remote_directory.is_some());
    let words = ["explain", "file.remote.open", "--record"];
    let mut explained = bench.saboteur(&words);
    explained.arg(bench.path("record.jsonl"));
    let page = bench.finish(explained).expect_code(&[0]).stdout;
    assert!(
        page.contains("remote files") && page.contains("fuse.sshfs"),
        "{page}"
    );
}

#[test]
fn a_server_that_may_not_empty_its_cache_is_a_reason_and_one_that_did_not_is_caught() {
    if !may_mount() {
        return;
    }
    let bench = Bench::new();
    let denied = rows(&bench, " ", &["file.remote.read.direct"]);
    let row = find(&denied, "file.remote.read.direct", EMPTIED);
    assert!(
        row.verdict == "skipped" && row.reason.contains("not allowed"),
        "{row:?}"
    );
    let warm = find(&denied, "file.remote.read.direct", WARM);
    assert!(["measured", "noisy"].contains(&warm.verdict.as_str()), "{warm:?}");
    drop(bench);
    // The peer tells what its devices read. Nothing is emptied here: those who forget it are what is tested.
    let bench = Bench::new();
    let caught = rows(&bench, "--allow-drop-caches", &["sabotage.remote_files"]);
    for (id, point, counter) in [
        ("sabotage.remote_files.own_cache", WARM, "remote.bytes"),
        (
            "sabotage.remote_files.server_warm",
            EMPTIED,
            "server.device_bytes",
        ),
        (
            "sabotage.remote_files.other_disk",
            "block=4KiB server_cache=cold",
            "disk.server_per_local",
        ),
    ] {
        let row = find(&caught, id, point);
        // Neighbours on the disk can hide what broke this one in some trials: then the row has no narrow number either.
        let is_refused = match id {
            "sabotage.remote_files.other_disk" => ["contradicted", "noisy"].contains(&row.verdict.as_str()),
            _ => row.verdict == "contradicted",
        };
        assert!(
            is_refused && row.broken.iter().any(|broken| broken == counter),
            "{row:?}"
        );
    }
}

/// Set to any value, it lets a test empty the page cache of this machine.
const MAY_DROP: &str = "OSCOPE_DROP_CACHES";

#[test]
fn an_emptied_server_reads_from_its_devices() {
    let in_ci = std::env::var_os("OSCOPE_CI").is_some();
    if !in_ci && std::env::var_os(MAY_DROP).is_none() {
        eprintln!("left out: it empties the page cache of this machine; set {MAY_DROP}=1 to let it");
        return;
    }
    if !may_mount() {
        return;
    }
    let bench = Bench::new();
    let points = [
        format!("file.remote.read.direct {EMPTIED}"),
        "file.remote.penalty block=4KiB server_cache=cold".to_owned(),
    ];
    let points: Vec<&str> = points.iter().map(String::as_str).collect();
    let rows = rows(&bench, "--allow-drop-caches", &points);
    assert_eq!(rows.len(), 2);
    for row in rows {
        // A directory of the test that lies in memory has no device to read from.
        let in_memory = ["skipped", "contradicted"].contains(&row.verdict.as_str()) && is_in_memory(&bench);
        let is_right = ["measured", "noisy"].contains(&row.verdict.as_str());
        assert!(in_memory || is_right && row.proofs.0 >= 3, "{row:?}");
    }
}

fn is_in_memory(bench: &Bench) -> bool {
    let found = programs::command("stat")
        .args(["-f", "-c", "%T"])
        .arg(bench.folder())
        .output();
    found.is_ok_and(|found| found.stdout.starts_with(b"tmpfs"))
}

#[test]
fn nothing_is_left_on_it_when_the_supervisor_is_killed() {
    if !may_mount() {
        return;
    }
    let bench = Bench::new();
    let path = |name: &str| bench.path(name).to_str().unwrap().to_owned();
    let (record, remote, local) = (path("record.jsonl"), path("mount"), path("local"));
    let mut words = vec!["timeout", "--foreground", "--signal", "KILL", "2"];
    words.extend(run(&record, &remote, &local, &["file.remote"]));
    let rounds = words.iter().position(|word| *word == "3").unwrap();
    words[rounds] = "400";
    // The script waits until nothing is left, and says so otherwise.
    beside(&bench, "-", &words).expect_code(&[137]);
    let record = Record::read(Path::new(&record)).unwrap();
    assert!(record.end.is_none() && !record.trials.is_empty());
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
    let words = [
        "run",
        "--quiet",
        "--rounds",
        "1",
        "--output",
        record,
        "file.remote",
    ];
    let ended = bench.finish(bench.saboteur(&words)).expect_code(&[4]);
    assert!(ended.stdout.contains("--remote-dir"), "{ended:?}");
}
