//! What is asked of facts, formulas, points and trials that were read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use quantity::Quantity;
use record::*;

/// A plan of no points.
const PLAN: &str = r#"{"settings":{"profile":"quick","budget_s":1,"precision":0.03,"least_rounds":4,"most_rounds":5,
    "seed":1,"cpu":0,"peer_cpu":1,"reference_methods":false},"points":[]}"#;

fn machine() -> Machine {
    let fact = |key: &str, value: FactValue, within: Option<f64>| Fact {
        key: key.to_owned(),
        value,
        source: "test".to_owned(),
        within,
        assumed: false,
    };
    let number = |value: f64| FactValue::Number { value, unit: Unit::Hertz };
    Machine {
        facts: vec![
            fact("clock.nominal", number(3e9), None),
            fact("clock.guess", number(2e9), Some(1.25)),
            fact("processor.model", FactValue::Text { text: "made up".to_owned() }, None),
            fact("processor.smt", FactValue::Flag { set: true }, None),
            fact("machine.guest", FactValue::Flag { set: false }, None),
        ],
    }
}

#[test]
fn fact_is_found_by_key_and_read_in_its_own_shape_only() {
    let machine = machine();
    assert_eq!(machine.get("clock.guess").unwrap().within, Some(1.25));
    assert_eq!(machine.get("clock"), None);
    assert_eq!(machine.number("clock.nominal"), Some(3e9));
    assert_eq!(machine.text("processor.model"), Some("made up"));
    assert_eq!(machine.flag("processor.smt"), Some(true));
    assert_eq!(machine.flag("machine.guest"), Some(false));
    assert_eq!(machine.number("processor.model"), None);
    assert_eq!(machine.text("processor.smt"), None);
    assert_eq!(machine.flag("clock.nominal"), None);
}

#[test]
fn range_of_a_fact_is_its_uncertainty() {
    let machine = machine();
    assert_eq!(machine.range("clock.nominal"), Some(Range::exactly(3e9)));
    let expected = Range { low: 1.6e9, value: 2e9, high: 2.5e9 };
    assert_eq!(machine.range("clock.guess"), Some(expected));
    assert_eq!(machine.range("processor.model"), None);
}

/// Facts with a range, by name.
struct Ranges(Vec<(&'static str, f64, f64, f64)>);

impl Lookup for Ranges {
    fn fact(&self, key: &str) -> Option<Range> {
        let found = self.0.iter().find(|range| range.0 == key);
        found.map(|&(_, low, value, high)| Range { low, value, high })
    }

    fn part(&self, _: &PointId) -> Option<Range> {
        None
    }
}

#[test]
fn ends_of_a_formula_are_those_of_its_operands() {
    let known = Ranges(vec![("a", 4.0, 6.0, 10.0), ("b", 1.0, 2.0, 4.0)]);
    let [a, b] = ["a", "b"].map(Formula::fact);
    let both = vec![a.clone(), b.clone()];
    for (formula, text, low, value, high) in [
        (a.clone().plus(b.clone()), "(a + b)", 5.0, 8.0, 14.0),
        (a.clone().minus(b.clone()), "(a − b)", 0.0, 4.0, 9.0),
        (a.clone().by(b.clone()), "a × b", 4.0, 12.0, 40.0),
        (a.clone().over(b.clone()), "a / b", 1.0, 3.0, 10.0),
        (b.clone().times(3.0), "3 × b", 3.0, 6.0, 12.0),
        (Formula::Maximum { of: both.clone() }, "max(a, b)", 4.0, 6.0, 10.0),
        (Formula::Minimum { of: both }, "min(a, b)", 1.0, 2.0, 4.0),
    ] {
        assert_eq!(formula.evaluate(&known), Ok(Range { low, value, high }), "{formula}");
        assert_eq!(formula.to_string(), text);
    }
}

#[test]
fn one_end_without_a_value_makes_a_formula_undefined() {
    let known = Ranges(vec![
        ("low", f64::NEG_INFINITY, 1.0, 2.0),
        ("value", 0.0, f64::NAN, 2.0),
        ("high", 0.0, 1.0, f64::INFINITY),
    ]);
    for key in ["low", "value", "high"] {
        assert_eq!(Formula::fact(key).evaluate(&known), Err(Unevaluated::Undefined), "{key}");
    }
}

#[test]
fn long_numbers_are_written_with_an_exponent_and_plain_divisors_without_brackets() {
    assert_eq!(Formula::exactly(1e6).to_string(), "1e6");
    assert_eq!(Formula::exactly(-2.5e9).to_string(), "-2.5e9");
    assert_eq!(Formula::exactly(999_999.0).to_string(), "999999");
    let [a, b, c] = ["a", "b", "c"].map(Formula::fact);
    assert_eq!(a.clone().over(b.clone()).to_string(), "a / b");
    assert_eq!(a.over(b.over(c)).to_string(), "a / (b / c)");
}

#[test]
fn sources_are_those_of_cited_numbers() {
    let formula = Formula::exactly(2.0)
        .plus(Formula::cited(1.0, 2.0, "table"))
        .minus(Formula::cited(3.0, 2.0, "manual"));
    assert_eq!(formula.sources(), ["table", "manual"]);
    assert!(Formula::exactly(2.0).sources().is_empty());
}

#[test]
fn leaves_of_every_formula_are_replaced_where_they_stand() {
    let leaf = |key: &str| Formula::fact(key);
    let all = [leaf("a").plus(leaf("b")), leaf("c").minus(leaf("d")), leaf("e").over(leaf("f"))];
    let mut formula = Formula::Maximum { of: all.to_vec() };
    let before = formula.leaves().len();
    for leaf in formula.leaves_mut() {
        *leaf = Formula::exactly(2.0);
    }
    assert_eq!((before, formula.to_string().as_str()), (6, "max((2 + 2), (2 − 2), 2 / 2)"));
}

#[test]
fn a_fresh_process_is_read_from_its_name() {
    for (process, name) in [(FreshProcess::Executed, "executed"), (FreshProcess::Forked, "forked")] {
        assert_eq!((process.to_string().as_str(), name.parse()), (name, Ok(process)));
    }
    assert!("cloned".parse::<FreshProcess>().unwrap_err().contains("executed or forked"));
}

#[test]
fn a_machine_within_an_environment_has_the_attributes_of_its_workers() {
    let environment = |name: &str, attribute: &str| Environment {
        name: name.to_owned(),
        title: String::new(),
        prefix: Vec::new(),
        differs: vec![AttributeChange {
            name: attribute.to_owned(),
            native: "0".to_owned(),
            environment: name.to_owned(),
        }],
        start_ns: None,
        started_by_round: None,
        skip: None,
    };
    let environments = vec![environment("one", "root"), environment("two", "seccomp")];
    let plan = Plan { environments, ..serde_json::from_str(PLAN).unwrap() };
    for (place, root, seccomp) in [(None, "0", "0"), (Some(0), "one", "0"), (Some(1), "0", "two")] {
        let machine = plan.machine_within(place.map(|place: usize| &plan.environments[place]), &machine());
        let seen = [machine.text("process.root"), machine.text("process.seccomp")];
        assert_eq!((seen, machine.facts.len()), ([Some(root), Some(seccomp)], 7));
    }
}

#[test]
fn a_point_within_an_environment_is_another_one() {
    let native = PointId::new("syscall.getppid", "method=libc");
    let within = native.within(Some("bwrap"));
    assert_eq!((&within.operation, &within.point), (&native.operation, &native.point));
    assert_eq!(within.environment.as_deref(), Some("bwrap"));
    assert_eq!(within.within(None), native);
    let written = serde_json::to_string(&within).unwrap();
    assert_eq!(serde_json::from_str::<PointId>(&written).unwrap(), within);
}

#[test]
fn point_is_asked_for_parameters_and_family() {
    let id = PointId::new("switch.process.pipe", "cpu=same bytes=64KiB");
    assert_eq!(id.parameter("cpu"), Some("same"));
    assert_eq!(id.parameter("bytes"), Some("64KiB"));
    assert_eq!(id.parameter("byte"), None);
    assert_eq!(id.pairs().collect::<Vec<&str>>(), ["cpu=same", "bytes=64KiB"]);
    assert!(id.has("cpu=same") && !id.has("cpu=other") && !id.has("cpu"));
    assert_eq!(id.without("cpu"), PointId::new("switch.process.pipe", "bytes=64KiB"));
    assert_eq!(id.without("cp"), id);
    assert_eq!(PointId::new("loop", "").pairs().count(), 0);
    assert_eq!(id.family(), "switch");
    assert_eq!(id.to_string(), "switch.process.pipe cpu=same bytes=64KiB");
    assert_eq!(PointId::new("loop", "").to_string(), "loop");
}

#[test]
fn evidence_is_found_by_its_counter() {
    let evidence = |counter: &str, count: f64| Evidence {
        counter: counter.to_owned(),
        counted: Counted::Count { count, iterations: 1.0 },
    };
    let all = [evidence("calls", 1.0), evidence("answers", 2.0)];
    assert_eq!(Evidence::find(&all, "answers"), Some(&all[1]));
    assert_eq!(Evidence::find(&all, "switches"), None);
}

#[test]
fn a_test_file_without_a_name_is_used_until_it_has_one() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory {
        path: folder.path().to_owned(),
        folder: folder.path().to_owned(),
        test_file: "/proc/self/fd/9".into(),
        over_network: false,
        in_memory: false,
    };
    assert_eq!(directory.by_name(), directory);
    std::fs::write(directory.named_test_file(), "").unwrap();
    assert_eq!(directory.by_name().test_file, folder.path().join("test-file"));
}

#[test]
fn count_over_no_iterations_says_nothing() {
    let per_iteration = |count: f64, iterations: f64| {
        let counted = Counted::Count { count, iterations };
        let counter = "calls".to_owned();
        Evidence { counter, counted }.per_iteration()
    };
    assert_eq!(per_iteration(6.0, 4.0), Some(1.5));
    assert_eq!(per_iteration(6.0, 0.0), None);
    assert_eq!(per_iteration(6.0, -1.0), None);
}

#[test]
fn probes_have_a_ratio_where_both_are_times() {
    let looks =
        CoreLooks { cpu: Some(1), chain: vec![100, 0, 100, -1, 100], width: vec![250, 250, 0, 250, -1] };
    let ratios: Vec<_> = (0..6).map(|look| looks.ratio(look)).collect();
    assert_eq!(ratios, [Some(2.5), None, None, None, None, None]);
}

#[test]
fn what_is_usual_is_left_out_of_a_record_and_read_again() {
    let series = Series::new(Role::Main, Sampling::Triples, 7);
    let written = serde_json::to_string(&series).unwrap();
    assert!(!written.contains("free"), "{written}");
    assert_eq!(serde_json::from_str::<Series>(&written).unwrap(), series);
    let partly = Series { free: 3, ..series };
    let written = serde_json::to_string(&partly).unwrap();
    assert_eq!(serde_json::from_str::<Series>(&written).unwrap(), partly);

    for (unit, is_written) in [(1, false), (1 << 20, true)] {
        let fit = Fit {
            parameter: "bytes".to_owned(),
            unit,
            per_unit: false,
            slope: "per MiB".to_owned(),
            intercept: "fixed".to_owned(),
        };
        let written = serde_json::to_string(&fit).unwrap();
        assert_eq!(written.contains("unit\":1048576"), is_written, "{written}");
        assert_eq!(written.contains("\"unit\""), is_written, "{written}");
        assert_eq!(serde_json::from_str::<Fit>(&written).unwrap(), fit);
    }
}

#[test]
fn key_of_a_peer_is_in_no_message() {
    let link =
        PeerLink { address: "192.0.2.7:4000".to_owned(), key: "secret".to_owned(), ..PeerLink::default() };
    assert_eq!(format!("{link:?}"), "PeerLink(192.0.2.7:4000)");
}

#[test]
fn plot_along_a_size_is_logarithmic() {
    let plot = Plot::logarithmic("bytes", "working set", Quantity::Size);
    assert_eq!((plot.along.as_str(), plot.axis.as_str()), ("bytes", "working set"));
    assert_eq!((plot.unit, plot.scale), (1, Scale::Logarithmic));
}
