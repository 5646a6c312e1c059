//! Two records of simulated machines: what did not change is not said to have changed, and what did is found.

use crate::simulated::{Course, Drift, Simulated, analyst, point, settings};
use analysis::{
    Analysis, Analyst, Compare, Compared, Comparison, Decision, Limits, NoDecision, common_clock, compare,
};
use quantity::Quantity;
use record::{Fact, FactValue, Machine, Plan, PlannedPoint, Unit};

/// Rounds of a run that goes on until its points are narrow.
const ROUNDS: u32 = 20;

fn measured(planned: PlannedPoint, machine: Simulated, seed: u64) -> Analysis {
    let id = planned.id.clone();
    let mut analyst = analyst(vec![planned], settings(0.02, 12));
    let mut course = Course::new(machine, ROUNDS, seed);
    for round in 1..=ROUNDS {
        analyst.add_trial(&course.trial(&id, round));
        analyst.end_round(round);
        if analyst.may_close(&id) {
            break;
        }
    }
    analyst.analysis()
}

pub fn beside(first: &Analysis, second: &Analysis, machines: [&Machine; 2]) -> Comparison {
    let plan = Plan { settings: settings(0.02, 12), ..Plan::default() };
    let side = |analysis, machine| Compare { machine, plan: &plan, analysis, period: None };
    let [one, other] = machines;
    compare(&side(first, one), &side(second, other), &Limits::default())
}

fn only(first: &Analysis, second: &Analysis) -> Compared {
    let machine = Machine::default();
    let mut comparison = beside(first, second, [&machine, &machine]);
    assert_eq!(comparison.points.len(), 1);
    comparison.points.remove(0)
}

fn pair(before: Simulated, after: Simulated, seed: u64) -> Compared {
    only(
        &measured(point("target", ""), before, seed),
        &measured(point("target", ""), after, seed + 1_000_000),
    )
}

/// Machines on which two runs of the same thing must not differ.
fn machines() -> [Simulated; 4] {
    let quiet = Simulated { layout: 0.005, ..Simulated::default() };
    [
        quiet,
        Simulated::default(),
        Simulated { drift: Drift::Sine(0.01), ..Simulated::default() },
        Simulated { competitor: 0.3, triples: 30, ..quiet },
    ]
}

#[test]
fn false_changes_are_rare() {
    let pairs = machines().into_iter().flat_map(|machine| (0..200).map(move |seed| (machine, seed)));
    let changed = pairs.filter(|&(machine, seed)| pair(machine, machine, seed).decision.is_change());
    let changed = changed.count();
    assert!(changed <= 8, "{changed} of 800 pairs are said to differ");
}

#[test]
fn a_change_of_three_percent_is_found_on_a_quiet_machine() {
    let [quiet, ..] = machines();
    let slower = Simulated { cost_ns: quiet.cost_ns * 1.03, ..quiet };
    let found = (0..100).filter(|&seed| pair(quiet, slower, seed).decision == Decision::Slower);
    let found = found.count();
    assert!(found >= 95, "{found} of 100 changes were found");
    let found = (0..100).filter(|&seed| pair(slower, quiet, seed).decision == Decision::Faster);
    let found = found.count();
    assert!(found >= 95, "{found} of 100 changes were found");
}

#[test]
fn more_bandwidth_is_faster() {
    let planned =
        || PlannedPoint { quantity: Quantity::Bandwidth, payload_bytes: Some(4096), ..point("target", "") };
    let [quiet, ..] = machines();
    let slower = Simulated { cost_ns: quiet.cost_ns * 1.2, ..quiet };
    let compared = only(&measured(planned(), slower, 1), &measured(planned(), quiet, 2));
    assert_eq!(compared.decision, Decision::Faster);
    assert!(compared.cost().is_some_and(|cost| (0.8..0.87).contains(&cost)), "{compared:?}");
}

#[test]
fn equal_values_carry_their_limit() {
    let [quiet, ..] = machines();
    let Decision::Same { within } = pair(quiet, quiet, 3).decision else {
        panic!("two runs of one machine are the same");
    };
    assert!((0.0..0.03).contains(&within), "{within}");
}

#[test]
fn another_revision_is_refused() {
    let newer = PlannedPoint { revision: 2, ..point("target", "") };
    let [quiet, ..] = machines();
    let compared = only(&measured(point("target", ""), quiet, 1), &measured(newer, quiet, 2));
    assert_eq!(compared.decision, Decision::Incomparable);
    assert!(compared.change.is_none());
    assert!(matches!(compared.reason, Some(NoDecision::Revision(1, _))));
}

#[test]
fn points_of_one_record_alone_are_named() {
    let [quiet, ..] = machines();
    let (first, second) = (measured(point("one", ""), quiet, 1), measured(point("other", ""), quiet, 1));
    let machine = Machine::default();
    let comparison = beside(&first, &second, [&machine, &machine]);
    assert!(comparison.points.is_empty() && comparison.common.is_none());
    assert_eq!(comparison.only_first[0].operation, "one");
    assert_eq!(comparison.only_second[0].operation, "other");
}

fn fact(key: &str, value: FactValue) -> Fact {
    Fact { key: key.to_owned(), value, source: String::new(), within: None, assumed: false }
}

#[test]
fn volatile_facts_are_not_compared() {
    let number = |value| FactValue::Number { value, unit: Unit::One };
    let text = |text: &str| FactValue::Text { text: text.to_owned() };
    let unknown = |reason: &str| FactValue::Unknown { reason: reason.to_owned() };
    let first = Machine {
        facts: vec![
            fact("cache.l2.size", number(1.0)),
            fact("quiet.load_1min", number(1.0)),
            fact("kernel.release", text("6.1")),
            fact("power.governor", unknown("one reason")),
        ],
    };
    let second = Machine {
        facts: vec![
            fact("cache.l2.size", number(2.0)),
            fact("quiet.load_1min", number(2.0)),
            fact("kernel.release", text("6.2")),
            fact("power.governor", unknown("another")),
            fact("mitigation.new", text("Vulnerable")),
        ],
    };
    let nothing = Analysis::from_rows(Vec::new(), 0, Vec::new());
    let comparison = beside(&nothing, &nothing, [&first, &second]);
    let keys: Vec<&str> = comparison.facts.differing.iter().map(|differs| differs.key.as_str()).collect();
    assert_eq!(keys, ["kernel.release", "cache.l2.size"]);
    let facts = comparison.facts;
    assert_eq!((facts.compared, facts.not_in_first, facts.not_in_second), (2, 1, 0));
}

/// The facts of two machines, which have these in common.
fn facts_of(first: Vec<Fact>, second: Vec<Fact>) -> analysis::FactsCompared {
    let common = ["kernel.config.sum", "sysctl.vm.swappiness", "mitigation.mds"];
    let with = |own: Vec<Fact>| {
        let common = common.map(|key| fact(key, FactValue::Text { text: "same".to_owned() }));
        Machine { facts: common.into_iter().chain(own).collect() }
    };
    let nothing = Analysis::from_rows(Vec::new(), 0, Vec::new());
    beside(&nothing, &nothing, [&with(first), &with(second)]).facts
}

#[test]
fn planted_difference_of_every_family_is_found() {
    let text = |text: &str| FactValue::Text { text: text.to_owned() };
    let list =
        |items: &[&str]| FactValue::List { items: items.iter().map(|item| (*item).to_owned()).collect() };
    for (key, before, after) in [
        ("libc.variables", list(&[]), list(&["LD_PRELOAD=/lib/x.so"])),
        ("libc.variables", list(&["GLIBC_TUNABLES=a=1"]), list(&["GLIBC_TUNABLES=a=2"])),
        ("libc.preload", text("none"), text("/lib/x.so")),
        ("libc.version", text("GNU C Library 2.36"), text("GNU C Library 2.41")),
        ("sysctl.net.ipv4.tcp_timestamps", text("1"), text("0")),
        ("sysctl.kernel.sched_rr_timeslice_ms", text("100"), text("10")),
        ("sysctl.net.core.default_qdisc", text("fq"), text("pfifo_fast")),
        ("sysctl.fs.pipe-max-size", text("1048576"), text("65536")),
        ("kernel.swappiness", text("60"), text("0")),
        ("kernel.sched_base_slice_ns", text("3000000"), text("1000000")),
        ("kernel.config.hash", text("a"), text("b")),
        ("kernel.modules", text("2 loaded, names a"), text("3 loaded, names b")),
        ("kernel.command_line", list(&["mitigations=off"]), list(&[])),
        ("processor.microcode", text("0x1"), text("0x2")),
        ("limit.memory_high", text("1"), text("2")),
        ("limit.cpu_weight", text("100"), text("50")),
        ("cpus.smt", text("on"), text("off")),
        ("power.frequency_limit_max", text("2"), text("1")),
    ] {
        let found = facts_of(vec![fact(key, before.clone())], vec![fact(key, after)]);
        let keys: Vec<&str> = found.differing.iter().map(|differs| differs.key.as_str()).collect();
        assert_eq!((keys, found.compared), (vec![key], 4));
        let same = facts_of(vec![fact(key, before.clone())], vec![fact(key, before)]);
        assert_eq!((same.differing.len(), same.compared), (0, 4), "{key}");
    }
}

#[test]
fn facts_that_a_record_lacks_are_not_the_same() {
    let text = || FactValue::Text { text: "x".to_owned() };
    // An older program did not look for it.
    let older = facts_of(vec![], vec![fact("libc.preload", text())]);
    assert_eq!((older.differing.len(), older.compared, older.not_in_first), (0, 3, 1));
    let newer = facts_of(vec![fact("libc.preload", text())], vec![]);
    assert_eq!((newer.differing.len(), newer.compared, newer.not_in_second), (0, 3, 1));
    // It did look at settings and mitigations: the other kernel has one more.
    for key in ["sysctl.net.ipv4.tcp_new", "mitigation.new"] {
        let kernels = facts_of(vec![], vec![fact(key, text())]);
        assert_eq!((kernels.differing.len(), kernels.compared, kernels.not_in_first), (1, 4, 0), "{key}");
        assert!(kernels.differing[0].first.is_none());
    }
    // Neither knows it.
    let unknown = || vec![fact("libc.version", FactValue::Unknown { reason: "r".to_owned() })];
    let neither = facts_of(unknown(), unknown());
    assert_eq!((neither.differing.len(), neither.compared), (0, 3));
    // One does.
    let one = facts_of(unknown(), vec![fact("libc.version", text())]);
    assert_eq!((one.differing.len(), one.compared), (1, 4));
}

/// A run of an operation of which all, half or nothing follows the core's clock, which wanders up to `highest` hertz.
fn wandering(share: f64, highest: f64, seed: u64) -> Analyst {
    let planned = point("target", "");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut analyst = analyst(vec![planned.clone()], settings(0.02, 12));
    for round in 1..=40 {
        let clock = highest * (0.8 + 0.2 * random.f64());
        let cost_ns = 50.0 * (3e9 / clock).powf(share);
        let machine = Simulated { cost_ns, layout: 0.002, outliers: 0.0, ..Simulated::default() };
        let mut trial = Course::new(machine, 1, random.u64(..)).trial(&planned.id, 1);
        (trial.round, trial.core_hz) = (round, Some(clock));
        analyst.add_trial(&trial);
    }
    analyst
}

#[test]
fn records_that_differ_by_the_clock_alone_are_the_same_at_one_clock() {
    let machine = Machine::default();
    for (seed, share) in [1.0, 0.5, 0.0].into_iter().enumerate() {
        let first = wandering(share, 3.25e9, seed as u64);
        let second = wandering(share, 2.95e9, 1_000 + seed as u64);
        let common = common_clock(&[(&machine, first.clock()), (&machine, second.clock())]);
        assert_eq!(common, first.clock());
        let own = beside(&first.analysis(), &second.analysis(), [&machine, &machine]);
        let [one, other] = [first, second].map(|analyst| analyst.at_clock(common).analysis());
        let compared = beside(&one, &other, [&machine, &machine]);
        let decision = compared.points[0].decision;
        assert!(matches!(decision, Decision::Same { within } if within < 0.02), "{share}: {decision:?}");
        // Without it, what follows the clock is slower in the second by 3.25 / 2.95.
        let at_its_own = own.points[0].decision;
        assert_eq!(at_its_own == Decision::Slower, share > 0.0, "{share}: {at_its_own:?}");
        let clocks = compared.clocks.unwrap();
        assert_eq!((clocks.at_hz, clocks.points), (common, 1));
        assert_eq!(clocks.carried, 1, "{share}");
        assert_eq!(own.clocks.unwrap().at_hz, None);
    }
}

#[test]
fn records_of_other_processors_have_no_common_clock() {
    let text = |model: &str| Machine {
        facts: vec![Fact {
            key: "processor.model".to_owned(),
            value: FactValue::Text { text: model.to_owned() },
            source: "test".to_owned(),
            within: None,
            assumed: false,
        }],
    };
    let (one, other) = (text("one"), text("other"));
    assert_eq!(common_clock(&[(&one, Some(3e9)), (&one, Some(4e9))]), Some(4e9));
    assert_eq!(common_clock(&[(&one, Some(3e9)), (&one, None)]), None);
    assert_eq!(common_clock(&[(&one, Some(3e9)), (&other, Some(4e9))]), None);
    assert_eq!(common_clock(&[]), None);
}
