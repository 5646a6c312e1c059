//! Measured to a peer in another network namespace, over a wire whose rate and delay are known.
//!
//! Both namespaces are held by processes that the kernel kills when the test ends, in whatever way; with them go the
//! devices in them.

use crate::common::{Bench, Row, SABOTEUR, can, find, note_contradictions, works};
use record::Record;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The wire of a known delay.
const WIRE: &str = env!("CARGO_BIN_EXE_wire");

/// Ways to a network namespace: as root, and as a user who may have a namespace of users.
const WAYS: [&[&str]; 2] = [&["--net"], &["--user", "--map-root-user", "--net"]];

/// Runs before a disturbance of the machine is believed to be an effect.
const LOOKS: usize = 4;

/// Ends a child with the test. The kernel forgets the wish when credentials change: so it comes last.
const WITH_THE_TEST: [&str; 3] = ["setpriv", "--pdeathsig", "KILL"];

/// Longest life of a process that holds a namespace, should the test be killed before the wish is heard.
const LIFE_S: &str = "300";

/// A child that is killed when dropped.
struct Held(Child);

impl Held {
    fn start(words: &[&str], output: Stdio) -> Self {
        let (program, arguments) = words.split_first().unwrap();
        let mut command = programs::command(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(output);
        Self(command.spawn().unwrap_or_else(|error| panic!("{words:?}: {error}")))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A network namespace.
struct Namespace {
    holder: Held,
    /// Whether it belongs to a namespace of users.
    of_users: bool,
}

impl Namespace {
    /// A new one, or one beside another that belongs to the same users.
    fn new(way: &[&str], beside: Option<&Self>) -> Self {
        let enter = beside.map(Self::enter).unwrap_or_default();
        let enter: Vec<&str> = enter.iter().map(String::as_str).collect();
        let new = if beside.is_some() { &["--net"][..] } else { way };
        let words = [&enter[..], &["unshare"], new, &WITH_THE_TEST, &["sleep", LIFE_S]].concat();
        let holder = Held::start(&words, Stdio::null());
        let of_users = beside.map_or(way.contains(&"--user"), |other| other.of_users);
        let new = Self { holder, of_users };
        let name = format!("/proc/{}/comm", new.pid());
        let end = Instant::now() + Duration::from_secs(10);
        while std::fs::read_to_string(&name).unwrap().trim() != "sleep" {
            assert!(Instant::now() < end, "no namespace came");
            std::thread::sleep(Duration::from_millis(2));
        }
        new
    }

    fn pid(&self) -> String {
        self.holder.0.id().to_string()
    }

    /// Words before a command that is to run in it.
    fn enter(&self) -> Vec<String> {
        let users: &[&str] = match self.of_users {
            true => &["--user", "--preserve-credentials"],
            false => &[],
        };
        let pid = self.pid();
        let words = [&["nsenter", "--target", &pid, "--net"], users, &["--"]].concat();
        words.into_iter().map(str::to_owned).collect()
    }

    fn command(&self, bench: &Bench, words: &[&str]) -> Command {
        let enter = self.enter();
        let mut command = bench.command(&enter[0]);
        command.args(&enter[1..]).args(words);
        command
    }

    /// Runs `ip` or `tc` in it.
    #[track_caller]
    fn set(&self, words: &str) {
        let enter = self.enter();
        let mut command = programs::command(&enter[0]);
        command.args(&enter[1..]).args(words.split(' '));
        let ended = command.output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{words}: {said}");
    }

    fn start(&self, words: &[&str]) -> (Held, Lines<BufReader<ChildStdout>>) {
        let enter = self.enter();
        let enter: Vec<&str> = enter.iter().map(String::as_str).collect();
        let all = [&enter[..], &WITH_THE_TEST, words].concat();
        let mut held = Held::start(&all, Stdio::piped());
        let lines = BufReader::new(held.0.stdout.take().unwrap()).lines();
        (held, lines)
    }
}

/// Two namespaces; where they are not allowed the test is left out.
fn two() -> Option<(Namespace, Namespace)> {
    let probe = |way: &&&[&str]| {
        works("unshare", &[**way, &["setpriv", "--pdeathsig", "KILL", "ip", "link"]].concat())
    };
    let way = WAYS.iter().find(probe);
    if !can("network namespaces (root, and unshare, setpriv and ip)", way.is_some()) {
        return None;
    }
    let near = Namespace::new(way?, None);
    let far = Namespace::new(way?, Some(&near));
    for place in [&near, &far] {
        place.set("ip link set lo up");
    }
    Some((near, far))
}

/// Gives both ends their addresses.
fn address(near: &Namespace, far: &Namespace) {
    for (place, device, own) in [(near, "near", "10.99.0.1/24"), (far, "far", "10.99.0.2/24")] {
        place.set(&format!("ip address add {own} dev {device}"));
        place.set(&format!("ip link set {device} up"));
    }
}

/// A pair of devices that are one wire.
fn join(near: &Namespace, far: &Namespace) {
    near.set(&format!("ip link add near type veth peer name far netns {}", far.pid()));
    address(near, far);
}

/// A peer in the far namespace.
struct Serve {
    _held: Held,
    address: String,
    key: String,
}

impl Serve {
    fn new(far: &Namespace) -> Self {
        let (held, mut lines) = far.start(&[SABOTEUR, "serve", "--listen", "10.99.0.2:4000"]);
        let mut last = || {
            let line = lines.next().unwrap().unwrap();
            line.rsplit(' ').next().unwrap().to_owned()
        };
        let (address, key) = (last(), last());
        Self { _held: held, address, key }
    }

    /// Measures points from the near namespace.
    #[track_caller]
    fn measure(
        &self,
        bench: &Bench,
        near: &Namespace,
        record: &Path,
        rounds: &str,
        points: &[&str],
    ) -> Vec<Row> {
        let record_name = record.to_str().unwrap();
        let run = [SABOTEUR, "run", "--quiet", "--profile", "quick", "--rounds", rounds];
        let to = ["--peer", &self.address, "--output", record_name];
        let mut command = near.command(bench, &[&WITH_THE_TEST[..], &run, &to, points].concat());
        command.env("OSCOPE_PEER_KEY", &self.key);
        bench.start(command).wait(crate::common::LIMIT).expect_code(&[0]);
        bench.rows(record)
    }
}

/// Every point of the list that leads to a peer.
fn remote_points() -> Vec<String> {
    let all = operations::ALL.iter();
    let points = all.flat_map(|operation| {
        let points = operation.points_of(record::Profile::Standard).into_iter();
        let remote = points.filter(|point| point.path() == Some(measure::Path::Remote));
        remote.map(|point| operation.point_id(&point).to_string())
    });
    points.collect()
}

#[test]
fn every_remote_point_is_measured_and_the_key_is_nowhere() {
    let bench = Bench::new();
    let Some((near, far)) = two() else { return };
    join(&near, &far);
    let serve = Serve::new(&far);
    let mut open = remote_points();
    assert!(open.len() > 15, "{open:?}");
    for look in 0..LOOKS {
        let path = bench.path(&format!("{look}.jsonl"));
        let points: Vec<&str> = open.iter().map(String::as_str).collect();
        let rows = serve.measure(&bench, &near, &path, "2", &points);
        assert_eq!(rows.len(), open.len());
        note_contradictions(&rows);
        let record = Record::read(&path).unwrap();
        assert_eq!(record.peer.as_ref().unwrap().address, serve.address);
        let release = record.peer.as_ref().unwrap().machine.text("kernel.release");
        assert!(release.is_some() && release == record.machine.text("kernel.release"));
        for text in [std::fs::read_to_string(&path).unwrap(), format!("{rows:?}")] {
            assert!(!text.contains(&serve.key));
        }
        let is_wrong =
            |row: &&Row| !["measured", "noisy"].contains(&row.verdict.as_str()) || row.typical.is_none();
        let wrong: Vec<&Row> = rows.iter().filter(is_wrong).collect();
        if wrong.is_empty() {
            break;
        }
        assert!(look + 1 < LOOKS, "these stay without a number: {wrong:#?}");
        open = wrong.iter().map(|row| row.name()).collect();
    }
}

/// Bits in a second that the shaper lets through, headers included.
const RATE: f64 = 100e6;

/// Of a full frame of ethernet, what is the program's: 1514 bytes less headers and time stamps.
const PAYLOAD: f64 = 1448.0 / 1514.0;

/// Lets no more than [`RATE`] through, either way.
fn shape(near: &Namespace, far: &Namespace) {
    for (place, device) in [(near, "near"), (far, "far")] {
        place.set(&format!("tc qdisc add dev {device} root tbf rate 100mbit burst 64kb latency 50ms"));
    }
}

/// A stream, and four at once.
const STREAM: &str = "network.bandwidth.tcp path=remote";
const FOUR: &str = "network.bandwidth.flows path=remote flows=4";

#[test]
fn streams_reach_the_rate_of_the_wire() {
    let bench = Bench::new();
    let Some((near, far)) = two() else { return };
    join(&near, &far);
    shape(&near, &far);
    let serve = Serve::new(&far);
    let expected = RATE / 8.0 * PAYLOAD;
    let mut seen = Vec::new();
    let is_reached = (0..LOOKS).any(|look| {
        let path = bench.path(&format!("{look}.jsonl"));
        let rows = serve.measure(&bench, &near, &path, "4", &[STREAM, FOUR]);
        let ratios = [STREAM, FOUR].map(|name| {
            let row = rows.iter().find(|row| row.name() == name).unwrap();
            row.typical.unwrap_or(0.0) / expected
        });
        eprintln!("the rates are {ratios:.4?} of the wire's");
        seen.push((ratios, rows));
        ratios.iter().all(|ratio| (0.98..1.02).contains(ratio))
    });
    assert!(is_reached, "the rates are not that of the wire: {seen:?}");
}

#[test]
fn the_bottleneck_of_a_stream_is_named() {
    let bench = Bench::new();
    let Some((near, far)) = two() else { return };
    join(&near, &far);
    shape(&near, &far);
    let serve = Serve::new(&far);
    // A window that holds no more than a few segments is full all the time; both settings are the namespace's own.
    let causes = [
        ("4096 131072 6291456", "the link, or congestion control"),
        ("4096 6144 6144", "the receiver's window"),
    ];
    for (number, (window, cause)) in causes.into_iter().enumerate() {
        near.set(&format!("sysctl -q -w net.ipv4.tcp_rmem={}", window.replace(' ', "\t")));
        let wanted = format!("{STREAM}: {cause}");
        let is_said = (0..LOOKS).any(|look| {
            let path = bench.path(&format!("{number}-{look}.jsonl"));
            serve.measure(&bench, &near, &path, "2", &[STREAM]);
            let report = bench.saboteur(&["report", "--full", path.to_str().unwrap()]);
            let said = bench.finish(report).expect_code(&[0]).stdout;
            // However wide the terminal is.
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            eprintln!("{said}");
            said.contains(&wanted)
        });
        assert!(is_said, "not said: {wanted}");
    }
}

/// A wire of a known delay, in the near namespace, with its far end in the other.
struct Wire {
    _held: Held,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Wire {
    fn new(near: &Namespace, far: &Namespace) -> Self {
        let (mut held, mut answers) = near.start(&[WIRE, "near", "far"]);
        assert_eq!(answers.next().unwrap().unwrap(), "ready");
        near.set(&format!("ip link set far netns {}", far.pid()));
        address(near, far);
        Self { orders: held.0.stdin.take().unwrap(), _held: held, answers }
    }

    fn ask(&mut self, order: &str) -> String {
        writeln!(self.orders, "{order}").unwrap();
        self.answers.next().unwrap().unwrap()
    }

    /// The delays of a frame in both directions, in nanoseconds.
    fn held_ns(&mut self) -> f64 {
        let report = self.ask("report");
        let numbers: Vec<f64> = report.split(' ').map(|word| word.parse().unwrap()).collect();
        let [there, there_ns, back, back_ns] = numbers[..] else { panic!("{report}") };
        assert!(there > 10.0 && back > 10.0, "frames went past the wire: {report}");
        there_ns + back_ns
    }
}

#[test]
fn a_round_trip_is_longer_by_the_delay_of_the_wire() {
    const POINT: &str = "path=remote bytes=64B";
    let bench = Bench::new();
    let Some((near, far)) = two() else { return };
    if !can("network devices of programs (/dev/net/tun)", near_can(&near)) {
        return;
    }
    let mut wire = Wire::new(&near, &far);
    let serve = Serve::new(&far);
    let name = format!("network.round_trip.tcp {POINT}");
    // What is left of a round trip when the time on the wire is taken off, and the round trip.
    let mut beyond_the_wire = |nanos: u64, look: usize| {
        assert_eq!(wire.ask(&format!("hold {nanos}")), "ok");
        wire.ask("report");
        let path = bench.path(&format!("{nanos}-{look}.jsonl"));
        let rows = serve.measure(&bench, &near, &path, "3", &[&name]);
        let row = find(&rows, "network.round_trip.tcp", POINT);
        if row.typical.is_none() {
            eprintln!("no number at {nanos} ns: {row:?}");
        }
        let trip = row.typical.unwrap_or(0.0);
        (trip - wire.held_ns(), trip)
    };
    let mut seen = Vec::new();
    // Four programs must wake in time for it, on a machine that others may use.
    let is_longer = (0..2 * LOOKS).any(|look| {
        let (without, plain) = beyond_the_wire(0, look);
        let (with, delayed) = beyond_the_wire(5_000_000, look);
        eprintln!("{plain:.0} and {delayed:.0} ns; beyond the wire {without:.0} and {with:.0} ns");
        seen.push((without, plain, with, delayed));
        // Where others leave no time for a number there is none: both are zero then.
        plain > 0.0 && delayed > 1e7 && (with - without).abs() <= 0.03 * delayed
    });
    assert!(is_longer, "the round trip is not longer by the delay: {seen:?}");
}

/// Whether a program may make a device in this namespace.
fn near_can(near: &Namespace) -> bool {
    let enter = near.enter();
    let words = [
        &enter.iter().map(String::as_str).collect::<Vec<_>>()[1..],
        &["ip", "tuntap", "add", "probe", "mode", "tap"],
    ]
    .concat();
    works(&enter[0], &words)
}
