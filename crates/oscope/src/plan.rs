//! What a run sets out to do: settings by profile, points with the needs that are not met.

use crate::actor_counts;
use crate::arguments::Run;
use crate::environments::launch::Setting;
use crate::placement::Cpus;
use crate::select::{HEADLINE, Selected, TABLE};
use measure::{Area, Path, Placement};
use quantity::{Bytes, show_bytes};
use record::{
    Machine, Need, Plan, PlannedPoint, PointId, Prediction, Profile, Settings, Skip, TailSettings, Trigger,
    UNLIMITED_S,
};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use sys::remedies::{self, Context};

/// Rounds after which a run ends whatever its budget: its record would tell nothing new.
const MOST_ROUNDS: u32 = 400;

/// Rounds of a resumption whose time the user named: a round of the few points that are left takes a tenth of a second.
const MOST_ROUNDS_IN_BUDGET: u32 = 10 * MOST_ROUNDS;

/// What a profile means: least rounds, share of the areas' time, precision.
fn defaults(profile: Profile) -> (u32, f64, f64) {
    match profile {
        Profile::Quick => (6, 0.45, 0.03),
        Profile::Standard => (12, 1.0, 0.03),
        Profile::Thorough => (24, 8.0, 0.01),
        Profile::Tail => (TAIL_ROUNDS, 1.0, 0.03),
    }
}

/// Rounds of a run in which every iteration is timed: half of them with counters around each iteration, which gives ten
/// processes to either.
const TAIL_ROUNDS: u32 = 20;

/// Time for a point of which every iteration is timed, unless the user says, in seconds.
const TAIL_SECONDS: f64 = 15.0;

/// How the iterations of a run of the profile `tail` begin: the time of the user, or the usual one of each point, over all
/// trials.
fn tail(run: &Run, selected: &[Selected]) -> Option<TailSettings> {
    let points = selected.len().max(1) as f64;
    let seconds = run.duration.map_or(TAIL_SECONDS * points, |duration| duration.as_secs_f64());
    let trials = points * f64::from(run.rounds.unwrap_or(TAIL_ROUNDS)) * (1 + run.versus.len()) as f64;
    let spend_ns = (seconds * 1e9 / trials) as u64;
    (run.profile == Profile::Tail).then_some(TailSettings { spend_ns, rate: run.rate })
}

/// Seconds in which the points of an area become narrow on a quiet machine, or never do.
fn seconds(area: Area) -> f64 {
    match area {
        Area::Cpu => 30.0,
        Area::Os => 130.0,
        Area::Memory => 90.0,
        Area::Network => 60.0,
        Area::File => 120.0,
    }
}

/// Seconds in which the points of the headline become narrow, and those of the reports' table.
const HEADLINE_SECONDS: f64 = 58.0;

/// What a trial takes besides its batches: a process, calibration, warm-up. Seen on virtual machines.
pub const BESIDES: Duration = Duration::from_millis(12);

/// Rounds without which no point has an interval, so that a shorter budget would decide nothing.
const ROUNDS_OF_AN_INTERVAL: f64 = 6.0;
/// They take this many times as long as their trials are meant to.
const SPARE: f64 = 1.1;

/// Seconds that rounds take in which every point gets an interval that this run can try.
fn seconds_of_intervals(run: &Run, selected: &[Selected]) -> f64 {
    let is_tried = |one: &&Selected| {
        (run.peer.is_some() || !needs(one, &Need::Peer))
            && (run.remote_dir.is_some() || !needs(one, &Need::RemoteDirectory))
    };
    let trials = selected.iter().filter(is_tried).map(|(operation, point)| {
        operation.settle_time_at(point) + Duration::from_nanos(operation.spend_at(point)) + BESIDES
    });
    SPARE * ROUNDS_OF_AN_INTERVAL * trials.sum::<Duration>().as_secs_f64()
}

/// Seconds more for an area whose points go to a peer, too.
const WITH_PEER: f64 = 30.0;

/// Most time for the rounds, in seconds: what the user says, or that of the areas which have points.
fn budget(run: &Run, selected: &[Selected], share: f64) -> f64 {
    match (run.budget, run.rounds) {
        (Some(budget), _) => return budget.as_secs_f64(),
        (None, Some(_)) => return UNLIMITED_S,
        (None, None) if run.profile == Profile::Tail => return UNLIMITED_S,
        (None, None) => {}
    }
    let is_first_screen =
        run.selection.len() <= 1 && run.selection.iter().all(|word| word == HEADLINE || word == TABLE);
    let seconds = if is_first_screen {
        HEADLINE_SECONDS
    } else {
        let areas = Area::ALL
            .into_iter()
            .filter(|area| selected.iter().any(|(operation, _)| operation.area == *area));
        let uses_peer = run.peer.is_some()
            && selected.iter().any(|(operation, point)| {
                operation.area == Area::Network && point.path() == Some(Path::Remote)
            });
        (if uses_peer { WITH_PEER } else { 0.0 }) + areas.map(seconds).sum::<f64>()
    };
    // Each environment takes as long as what is measured natively.
    (share * seconds).max(seconds_of_intervals(run, selected)) * (1 + run.versus.len()) as f64
}

/// The settings that the command line means for these points.
pub fn settings(run: &Run, selected: &[Selected], cpus: &Cpus) -> Settings {
    let (least, share, precision) = defaults(run.profile);
    Settings {
        profile: run.profile,
        budget_s: budget(run, selected, share),
        precision: run.precision.unwrap_or(precision),
        least_rounds: run.rounds.unwrap_or(least),
        most_rounds: run.rounds.unwrap_or(if run.profile == Profile::Tail { least } else { MOST_ROUNDS }),
        seed: run.seed.unwrap_or_else(seed_from_clock),
        cpu: cpus.main,
        peer_cpu: cpus.peer(Placement::Other),
        flawed_methods: run.with_flawed_methods,
        blind: run.blind,
        // What disturbs an iteration belongs to the tail.
        trigger: if run.profile == Profile::Tail { Trigger::Off } else { run.trigger },
        directory: None,
        remote_directory: None,
        worker_settings: run.worker_settings(),
        realtime_share: run.sched.and_then(realtime_share),
        tail: tail(run, selected),
    }
}

/// The share of a CPU's time that the kernel leaves to tasks of a real-time policy; `None` where that is all of it, unknown, or
/// the policy is not one.
fn realtime_share(sched: Setting) -> Option<f64> {
    let share = kernel_number("sched_rt_runtime_us")? / kernel_number("sched_rt_period_us")?;
    (sched.is_realtime() && (0.0..1.0).contains(&share)).then_some(share)
}

fn kernel_number(name: &str) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok()?;
    text.trim().parse().ok()
}

/// The settings of a run that is resumed after this number of rounds, with what the user asks to change. A run whose rounds
/// nobody counted may have as many again, and more in a time that the user names.
pub fn changed(mut settings: Settings, run: &Run, rounds_done: u32) -> Settings {
    if let Some(budget) = run.budget {
        settings.budget_s = budget.as_secs_f64();
    }
    if let Some(rounds) = run.rounds {
        (settings.least_rounds, settings.most_rounds) = (rounds, rounds);
    } else if settings.least_rounds < settings.most_rounds {
        settings.most_rounds =
            rounds_done + if run.budget.is_some() { MOST_ROUNDS_IN_BUDGET } else { MOST_ROUNDS };
    }
    if let Some(precision) = run.precision {
        settings.precision = precision;
    }
    settings
}

/// Bits of a seed that is not asked for: a whole number of more is not exact in every reader of JSON.
const SEED_BITS: u32 = 53;

fn seed_from_clock() -> u64 {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
    nanos % (1 << SEED_BITS)
}

/// Whether a point needs this.
fn needs((operation, point): &Selected, need: &Need) -> bool {
    operation.all_needs(point).contains(need)
}

/// Whether any of these points needs this.
pub fn any_needs(selected: &[Selected], need: &Need) -> bool {
    selected.iter().any(|one| needs(one, need))
}

/// Leaves out the points that need this, for this reason.
pub fn without(plan: &mut Plan, selected: &[Selected], need: &Need, why: &Skip) {
    for point in &mut plan.points {
        let planned = selected.iter().find(|(operation, at)| operation.point_id(at) == point.id);
        if planned.is_some_and(|planned| needs(planned, need)) {
            point.skip.get_or_insert_with(|| why.clone());
        }
    }
}

/// Where a run takes place.
#[derive(Clone, Copy)]
pub struct Resources<'a> {
    /// The CPUs of the actors.
    pub cpus: &'a Cpus,
    /// What is known of the machine.
    pub machine: &'a Machine,
    /// Whether there is another end of network measurements.
    pub has_peer: bool,
    /// Whether a directory on a remote file system is named.
    pub has_remote: bool,
    /// Whether the peer may empty the cache of its machine; `None` where it was not asked.
    pub drops_caches: Option<bool>,
    /// The points that the user named, not only their area or a set.
    pub named: &'a [PointId],
}

/// The plan: the points of these operations, without placements that the machine does not have, unless the user named them, and
/// without those that go to a peer where there is none.
pub fn plan(selected: &[Selected], settings: Settings, here: Resources<'_>) -> Plan {
    let placed: Vec<&Selected> = selected
        .iter()
        .filter(|(operation, point)| match point.placement() {
            Some(placement @ (Placement::Sibling | Placement::Node)) => {
                here.cpus.peer(placement).is_some() || here.named.contains(&operation.point_id(point))
            }
            _ => true,
        })
        .filter(|one| actor_counts::is_possible(one, selected, here.machine))
        .collect();
    let lacks_peer = |(_, point): &Selected| !here.has_peer && point.path() == Some(Path::Remote);
    let lacks_remote = |one: &Selected| !here.has_remote && needs(one, &Need::RemoteDirectory);
    let notes = [
        (placed.iter().filter(|one| lacks_peer(one)).count(), "with path=remote", NO_PEER),
        (placed.iter().filter(|one| lacks_remote(one)).count(), "on a remote file system", NO_REMOTE),
    ];
    let possible = placed.into_iter().filter(|one| !lacks_peer(one) && !lacks_remote(one));
    let points = possible.map(|(operation, point)| {
        let mut planned = match settings.tail {
            Some(_) => operation.planned_for_tail(point),
            None => operation.planned(point),
        };
        planned.cpus = planned.alone.as_ref().and(actor_counts::of_point(point, here.machine));
        if let Some(method) = flawed::method(operation.id) {
            planned.flaw = Some(method.wrong.to_owned());
            planned.beside = Some(method.right_point());
        }
        if here.machine.text("directory.lies_on") == Some(machine::CACHED_LOOP) {
            name_cached_loop(&mut planned);
        }
        planned.skip = operation.all_needs(point).iter().find_map(|need| unmet(need, here));
        planned
    });
    Plan {
        points: points.collect(),
        left_out: notes.into_iter().filter_map(left_out).collect(),
        settings,
        ..Plan::default()
    }
}

/// What counters prove where files lie on a loop file that its host caches; a counter is that of a device's reads if it
/// expects some.
const ON_CACHED_LOOP: [(&str, &str); 2] = [
    ("file.on_disk", "the whole file has extents on a loop device, whose file the host of the loop caches"),
    ("device.bytes", "the loop device read the requested bytes from its file, or from the cache of its host"),
];

/// Has the witnesses of a point say what they count on a loop device that is no disk.
fn name_cached_loop(planned: &mut PlannedPoint) {
    for witness in planned.witnesses.iter_mut().filter(|witness| witness.low > 0.0) {
        if let Some((_, proves)) = ON_CACHED_LOOP.iter().find(|(counter, _)| *counter == witness.counter) {
            witness.proves = (*proves).to_owned();
            planned.on_cached_loop = true;
        }
    }
}

/// What helps where there is no peer, and where there is no directory on a remote file system.
const NO_PEER: &str = "start `oscope serve` on another machine, and name it by --peer and --key";
const NO_REMOTE: &str = "mount one, and name a directory on it by --remote-dir";

/// The note on points of a kind that are left out.
fn left_out((count, kind, remedy): (usize, &str, &str)) -> Option<String> {
    let points = match count {
        0 => return None,
        1 => format!("1 point {kind} was"),
        more => format!("{more} points {kind} were"),
    };
    Some(format!("{points} left out: {remedy}"))
}

/// What every planned point should cost.
pub fn predictions(selected: &[Selected], plan: &Plan) -> Vec<(PointId, Prediction)> {
    selected
        .iter()
        .map(|(operation, point)| (operation.point_id(point), operation.prediction_at(point)))
        .filter(|(id, _)| plan.points.iter().any(|point| point.id == *id))
        .collect()
}

/// Shares of the memory that is left, of which a point may take one.
const MEMORY_SHARES: f64 = 4.0;

/// Why a need is not met here, and what would help.
fn unmet(need: &Need, here: Resources<'_>) -> Option<Skip> {
    let has_no = |placement| here.cpus.peer(placement).is_none();
    let (reason, remedy) = match need {
        Need::SecondCpu if has_no(Placement::Other) => (
            "it needs a second CPU, and this process may use one",
            "run it with two CPUs (taskset, cpuset, more virtual CPUs)",
        ),
        Need::SiblingCpu if has_no(Placement::Sibling) => {
            ("no usable CPU shares a core with the first", "run it where simultaneous multithreading is on")
        }
        Need::RemoteCpu if has_no(Placement::Node) => {
            ("no usable CPU is on another memory node", "run it on a machine with several nodes")
        }
        Need::Peer if !here.has_peer => ("it needs a peer, and none was named", NO_PEER),
        Need::RemoteDirectory if !here.has_remote => {
            ("it needs a directory on a remote file system, and none was named", NO_REMOTE)
        }
        Need::ServerCache if !here.has_peer => (
            "the file server's cache cannot be emptied: there is no peer on it",
            "start `oscope serve --allow-drop-caches` on the file server as root, and name it by --peer and --key",
        ),
        Need::ServerCache if here.drops_caches == Some(false) => (
            "the file server's cache cannot be emptied: the peer was not allowed to",
            "start `oscope serve` with --allow-drop-caches, as root, on the file server",
        ),
        Need::Pinning if here.cpus.main.is_none() => {
            let known = sys::cpu::allowed().err().and_then(|error| remedies::explain(error, Context::Any));
            if let Some(known) = known {
                return Some(Skip { reason: known.reason, remedy: known.remedy });
            }
            ("the CPUs that this process may use are unknown", "run it where sched_getaffinity is allowed")
        }
        Need::Memory { bytes } => {
            let left = here.machine.number("limit.memory").or(here.machine.number("memory.available"));
            let left = left.filter(|left| *bytes as f64 > left / MEMORY_SHARES)?;
            let [needed, left] = [*bytes, left as u64].map(|bytes| show_bytes(Bytes::from_bytes(bytes)));
            return Some(Skip {
                reason: format!(
                    "it needs {needed} of memory; at most a quarter of the {left} available is used"
                ),
                remedy: "give it more memory, or raise the cgroup's limit".to_owned(),
            });
        }
        Need::Architecture { name } if name != std::env::consts::ARCH => {
            let reason = format!("it needs a processor of the kind {name}");
            return Some(Skip { reason, remedy: "run it there".to_owned() });
        }
        _ => return None,
    };
    Some(Skip { reason: reason.to_owned(), remedy: remedy.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Arguments, Command};
    use clap::Parser;
    use measure::Operation;
    use record::{Fact, FactValue, Unit};

    fn machine(left: f64) -> Machine {
        let value = FactValue::Number { value: left, unit: Unit::Bytes };
        Machine {
            facts: vec![Fact {
                key: "limit.memory".to_owned(),
                value,
                source: String::new(),
                within: None,
                assumed: false,
            }],
        }
    }

    #[test]
    fn memory_that_is_not_there_is_not_asked_for() {
        let need = Need::Memory { bytes: 100 << 20 };
        let (small, large) = (machine(64e6), machine(64e9));
        let refused = unmet(&need, here(&small, &Cpus::default())).unwrap();
        assert!(refused.reason.contains("100"), "{}", refused.reason);
        assert_eq!(unmet(&need, here(&large, &Cpus::default())), None);
    }

    #[test]
    fn another_architecture_is_a_reason() {
        let need = Need::Architecture { name: "pdp11".to_owned() };
        assert!(unmet(&need, here(&Machine::default(), &Cpus::default())).is_some());
    }

    #[test]
    fn resumed_run_may_have_as_many_rounds_again_unless_they_were_counted() {
        let settings =
            |least_rounds, most_rounds| Settings { least_rounds, most_rounds, ..Settings::default() };
        for (words, before, after) in [
            (&[][..], settings(6, 400), settings(6, 790)),
            (&[], settings(50, 50), settings(50, 50)),
            (&["--rounds", "500"], settings(6, 400), settings(500, 500)),
            (&["--budget", "9s"], settings(6, 400), Settings { budget_s: 9.0, ..settings(6, 4390) }),
        ] {
            let words = ["oscope", "run", "--resume", "record"].iter().chain(words);
            let Some(Command::Run(run)) = Arguments::try_parse_from(words).unwrap().command else {
                panic!("another command")
            };
            assert_eq!(changed(before, &run, 390), after);
        }
    }

    fn here<'a>(machine: &'a Machine, cpus: &'a Cpus) -> Resources<'a> {
        Resources { cpus, machine, has_peer: false, has_remote: false, drops_caches: None, named: &[] }
    }

    fn selected(operation: &'static Operation) -> Vec<Selected> {
        let points = operation.points_of(Profile::Quick).into_iter();
        points.map(|point| (operation, point)).collect()
    }

    static BOTH_WAYS: Operation =
        Operation { id: "test.both_ways", points: &["path=loopback|remote"], ..Operation::NEW };

    #[test]
    fn an_area_has_its_time_and_the_network_more_with_a_peer() {
        static AFAR: Operation = Operation { area: Area::Network, ..BOTH_WAYS };
        let selected = selected(&AFAR);
        for (words, seconds) in [
            (&[][..], 60.0),
            (&["--peer", "192.0.2.7:4000"], 90.0),
            (&["--peer", "192.0.2.7:4000", "--budget", "5s"], 5.0),
        ] {
            let words = ["oscope", "run", "network"].iter().chain(words);
            let Some(Command::Run(run)) = Arguments::try_parse_from(words).unwrap().command else {
                panic!("another command")
            };
            assert_eq!(budget(&run, &selected, 1.0), seconds);
        }
    }

    /// A budget that ended before every point had an interval would have measured nothing.
    #[test]
    fn many_points_have_the_time_of_six_rounds() {
        static SLOW: Operation = Operation { id: "test.slow", spend_ns: 100_000_000, ..Operation::NEW };
        let Some(Command::Run(run)) = Arguments::try_parse_from(["oscope", "run", "os"]).unwrap().command
        else {
            panic!("another command")
        };
        let many = |count: usize| selected(&SLOW).into_iter().cycle().take(count).collect::<Vec<_>>();
        let area = seconds(SLOW.area);
        assert_eq!(budget(&run, &many(10), 1.0), area);
        let all = budget(&run, &many(1000), 1.0);
        assert!((all - 1.1 * 6.0 * 1000.0 * 0.112).abs() < 1e-6, "{all}");
    }

    #[test]
    fn points_to_a_peer_are_planned_where_there_is_one() {
        let (selected, settings) = (selected(&BOTH_WAYS), Settings::default());
        let (machine, cpus) = (Machine::default(), Cpus::default());
        let alone = plan(&selected, settings.clone(), here(&machine, &cpus));
        assert_eq!(alone.points.len(), 1);
        assert!(alone.left_out.iter().any(|note| note.contains("1 point with path=remote was left out")));
        let has_peer = Resources { has_peer: true, ..here(&machine, &cpus) };
        let both = plan(&selected, settings, has_peer);
        assert!(both.points.len() == 2 && both.left_out.is_empty());
        assert!(both.points.iter().all(|point| point.skip.is_none()));
        assert!(
            unmet(&Need::Peer, here(&machine, &cpus)).is_some() && unmet(&Need::Peer, has_peer).is_none()
        );
    }

    #[test]
    fn placements_that_the_machine_lacks_are_planned_where_they_are_named() {
        static PLACED: Operation =
            Operation { id: "test.placed", points: &["cpu=sibling|node"], ..Operation::NEW };
        let (selected, machine, cpus) = (selected(&PLACED), Machine::default(), Cpus::default());
        let named = [PointId::new("test.placed", "cpu=node")];
        for (named, expected) in
            [(&[][..], vec![]), (&named, vec!["no usable CPU is on another memory node"])]
        {
            let plan = plan(&selected, Settings::default(), Resources { named, ..here(&machine, &cpus) });
            let reasons = plan.points.iter().map(|point| point.skip.as_ref().unwrap().reason.as_str());
            assert_eq!(reasons.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn witnesses_on_a_cached_loop_do_not_say_that_a_device_read() {
        static READ: Operation = Operation {
            id: "test.read",
            evidence: &["blocks from the device(1.001)"],
            needs: |_| vec![Need::Directory],
            ..Operation::NEW
        };
        for (lies_on, expected) in [
            ("a block device", &["on a device", "the device read"][..]),
            (machine::CACHED_LOOP, &["loop device", "loop device"]),
        ] {
            let value = FactValue::Text { text: lies_on.to_owned() };
            let key = "directory.lies_on".to_owned();
            let machine = Machine {
                facts: vec![Fact { key, value, source: String::new(), within: None, assumed: false }],
            };
            let plan = plan(&selected(&READ), Settings::default(), here(&machine, &Cpus::default()));
            let point = &plan.points[0];
            assert_eq!(point.on_cached_loop, lies_on == machine::CACHED_LOOP);
            let proven: Vec<&str> = point
                .witnesses
                .iter()
                .map(|witness| witness.proves.as_str())
                .filter(|words| words.contains("device"))
                .collect();
            assert_eq!(proven.len(), expected.len(), "{proven:?}");
            assert!(proven.iter().zip(expected).all(|(proven, words)| proven.contains(words)), "{proven:?}");
        }
    }

    #[test]
    fn a_server_that_may_not_be_emptied_is_a_reason() {
        let (machine, cpus) = (Machine::default(), Cpus::default());
        for (has_peer, drops_caches, said) in
            [(false, None, "no peer"), (true, Some(false), "not allowed"), (true, Some(true), "")]
        {
            let here = Resources { has_peer, drops_caches, ..here(&machine, &cpus) };
            let reason = unmet(&Need::ServerCache, here).map_or_else(String::new, |skip| skip.reason);
            assert!(reason.contains(said) && reason.is_empty() == said.is_empty(), "{reason}");
        }
        for has_remote in [false, true] {
            let here = Resources { has_remote, ..here(&machine, &cpus) };
            assert_eq!(unmet(&Need::RemoteDirectory, here).is_none(), has_remote);
        }
    }
}
