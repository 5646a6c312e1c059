//! Predictions from facts and from parts, and bounds.

use crate::simulated::{add_trials, point, settings};
use analysis::{Analyst, NoValue, Reason, Row, Tier, Unpredicted, Verdict};
use record::{
    Bound, Fact, FactValue, Formula, Machine, Plan, PlannedPoint, PointId, Prediction, Term, TermSide,
    Unevaluated, Unit,
};

/// A run of two points: `part` costs 50 ns, `whole` costs 100 ns.
pub fn run(whole: PlannedPoint, prediction: Prediction) -> Row {
    let id = whole.id.clone();
    let part = point("part", "");
    let mut analyst = two(vec![whole, part.clone()]);
    analyst.predict(&id, &prediction);
    add_trials(&mut analyst, &part.id, 12, |_| ());
    add_trials(&mut analyst, &id, 12, |trial| trial.ns_per_tick *= 2.0);
    analyst.row(&id).unwrap()
}

fn two(points: Vec<PlannedPoint>) -> Analyst {
    let fact = |key: &str, value| Fact {
        key: key.to_owned(),
        value,
        source: "test".to_owned(),
        within: None,
        assumed: false,
    };
    let unknown = FactValue::Unknown { reason: "nobody can tell".to_owned() };
    let machine = Machine {
        facts: vec![
            fact("core.hz", FactValue::Number { value: 2e9, unit: Unit::Hertz }),
            fact("memory.latency", unknown),
        ],
    };
    let open = |mut point: PlannedPoint| {
        point.gate.cpu_share = None;
        point
    };
    let points = points.into_iter().map(open).collect();
    Analyst::new(&Plan { settings: settings(0.05, 6), points, ..Plan::default() }, &machine)
}

fn term(name: &str, side: TermSide, formula: Formula) -> Term {
    Term { name: name.to_owned(), side, formula }
}

pub fn from_parts(formula: Formula) -> Prediction {
    Prediction { from_facts: Vec::new(), from_parts: vec![term("it", TermSide::Software, formula)] }
}

#[test]
fn facts_and_parts_become_numbers_by_side() {
    let cycles = Formula::cited(40.0, 2.0, "a manual").times(1e9).over(Formula::fact("core.hz"));
    let prediction = Prediction {
        from_facts: vec![
            term("cycles", TermSide::Hardware, cycles),
            term("kernel", TermSide::Software, Formula::exactly(10.0)),
        ],
        from_parts: vec![term(
            "twice the part",
            TermSide::Software,
            Formula::part("part", "").by(Formula::cited(2.0, 1.0, "two of it")),
        )],
    };
    let row = run(point("whole", ""), prediction);
    let facts = row.from_facts.as_ref().unwrap();
    assert_eq!((facts.hardware.low, facts.hardware.value, facts.hardware.high), (10.0, 20.0, 40.0));
    assert_eq!((facts.software.value, facts.total.value, facts.terms.len()), (10.0, 30.0, 2));
    let parts = row.from_parts.as_ref().unwrap();
    assert_eq!(parts.tier, Tier::Parts);
    assert!(parts.total.low < parts.total.value && parts.total.value < parts.total.high);
    assert!((row.ratio().unwrap() - 1.0).abs() < 0.02 && row.residual().unwrap().abs() < 2.0);
    assert!(row.unpredicted.is_empty());
}

/// More points than results that may lie below one another: each is at the top again.
#[test]
fn all_points_of_the_live_table_are_predicted_from_a_part_that_many_share() {
    let part = point("part", "");
    let wholes: Vec<PlannedPoint> = (0..70).map(|at| point("whole", &format!("count={at}"))).collect();
    let mut analyst = two([wholes.clone(), vec![part.clone()]].concat());
    for whole in &wholes {
        analyst.predict(&whole.id, &from_parts(Formula::part("part", "").times(2.0)));
        add_trials(&mut analyst, &whole.id, 6, |trial| trial.ns_per_tick *= 2.0);
    }
    add_trials(&mut analyst, &part.id, 6, |_| ());
    let live = analyst.rows();
    let ids = live.iter().map(|row| row.point.id.clone());
    assert!(ids.eq(wholes.iter().chain([&part]).map(|planned| planned.id.clone())));
    for row in &live[..70] {
        let ratio = row.typical().unwrap() / row.from_parts.as_ref().unwrap().total.value;
        assert!((ratio - 1.0).abs() < 0.05, "{:?} {ratio}", row.point.id);
        assert_eq!(row.trials.len(), 6);
    }
    assert_eq!(live, analyst.analysis().rows, "the live table shows what the end shows");
    let needs = analyst.needs(&[0, 70, 71]);
    assert_eq!([needs[0].made, needs[1].made, needs[2].made], [6.0, 6.0, 0.0]);
}

fn unpredicted(tier: Tier, term: &str, why: NoValue) -> Unpredicted {
    let term = term.to_owned();
    Unpredicted { tier, term, why }
}

#[test]
fn an_unknown_fact_or_part_leaves_the_tier_without_a_value() {
    let known = term("kernel", TermSide::Software, Formula::exactly(10.0));
    let prediction = Prediction {
        from_facts: vec![known.clone(), term("miss", TermSide::Hardware, Formula::fact("memory.latency"))],
        from_parts: vec![known, term("gone", TermSide::Software, Formula::part("nowhere", ""))],
    };
    let row = run(point("whole", ""), prediction);
    assert_eq!((&row.from_facts, &row.from_parts), (&None, &None));
    let (fact, part) = ("memory.latency".to_owned(), PointId::new("nowhere", ""));
    assert_eq!(
        row.unpredicted,
        [
            unpredicted(Tier::Facts, "miss", NoValue::Unevaluated(Unevaluated::Fact(fact))),
            unpredicted(Tier::Parts, "gone", NoValue::Unevaluated(Unevaluated::Part(part)))
        ]
    );
}

#[test]
fn nothing_is_predicted_from_itself() {
    let formula = Formula::part("part", "").plus(Formula::part("whole", ""));
    let row = run(point("whole", ""), from_parts(formula));
    assert_eq!(row.from_parts, None);
    assert_eq!(row.unpredicted, [unpredicted(Tier::Parts, "it", NoValue::FromItself)]);
}

#[test]
fn prediction_from_facts_rejects_measured_parts() {
    let terms = vec![term("it", TermSide::Software, Formula::part("part", ""))];
    let row = run(point("whole", ""), Prediction { from_facts: terms, from_parts: Vec::new() });
    assert_eq!(row.from_facts, None);
    let part = NoValue::MeasuredPart(PointId::new("part", ""));
    assert_eq!(row.unpredicted, [unpredicted(Tier::Facts, "it", part)]);
}

#[test]
fn a_part_without_a_number_predicts_nothing() {
    let (whole, part) = (point("whole", ""), point("part", ""));
    let mut analyst = two(vec![whole.clone(), part.clone()]);
    analyst.predict(&whole.id, &from_parts(Formula::part("part", "")));
    add_trials(&mut analyst, &part.id, 12, |trial| trial.evidence.clear());
    let row = analyst.row(&whole.id).unwrap();
    assert_eq!(row.from_parts, None);
    let part = Unevaluated::Part(PointId::new("part", ""));
    assert_eq!(row.unpredicted, [unpredicted(Tier::Parts, "it", NoValue::Unevaluated(part))]);
}

fn bounded(lower: bool, formula: Formula) -> Row {
    let because = "it contains the part".to_owned();
    let whole = PlannedPoint { bounds: vec![Bound { lower, formula, because }], ..point("whole", "") };
    run(whole, Prediction::default())
}

#[test]
fn composite_cheaper_than_its_part_is_contradicted() {
    let row = bounded(true, Formula::part("part", "").times(3.0));
    assert_eq!((row.verdict, &row.estimate), (Verdict::Contradicted, &None));
    let is_bound = matches!(
        &row.reasons[..],
        [Reason::Bound { is_lower: true, limit, because, .. }]
            if (140.0..150.0).contains(limit) && because == "it contains the part"
    );
    assert!(is_bound, "{:?}", row.reasons);
}

#[test]
fn a_result_above_an_upper_bound_is_contradicted() {
    assert_eq!(bounded(false, Formula::exactly(90.0)).verdict, Verdict::Contradicted);
}

#[test]
fn bounds_leave_room_for_their_own_uncertainty_and_unknown_ones_pass() {
    for row in [
        bounded(true, Formula::part("part", "").times(2.04)),
        bounded(true, Formula::cited(150.0, 2.0, "a guess")),
        bounded(false, Formula::exactly(99.0)),
        bounded(true, Formula::fact("memory.latency")),
        bounded(true, Formula::part("whole", "").times(3.0)),
    ] {
        assert_eq!(row.verdict, Verdict::Measured, "{:?}", row.reasons);
    }
}

#[test]
fn a_part_that_its_own_bound_contradicts_bounds_nothing() {
    let bound = |formula| vec![Bound { lower: true, formula, because: "so it is".to_owned() }];
    let whole = PlannedPoint { bounds: bound(Formula::part("part", "").times(9.0)), ..point("whole", "") };
    let part = PlannedPoint { bounds: bound(Formula::exactly(1e6)), ..point("part", "") };
    let mut analyst = two(vec![whole, part]);
    for name in ["whole", "part"] {
        add_trials(&mut analyst, &PointId::new(name, ""), 12, |_| ());
    }
    let verdicts: Vec<Verdict> = analyst.rows().iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts, [Verdict::Measured, Verdict::Contradicted]);
}

#[test]
fn long_chains_and_cycles_of_bounds_terminate() {
    let name = |at: usize| format!("point.{at}");
    let link = |at: usize| {
        let formula = Formula::part(&name((at + 1) % 2000), "");
        let because = "a circle".to_owned();
        PlannedPoint { bounds: vec![Bound { lower: true, formula, because }], ..point(&name(at), "") }
    };
    let mut analyst = two((0..2000).map(link).collect());
    for at in 0..2000 {
        add_trials(&mut analyst, &PointId::new(&name(at), ""), 1, |_| ());
    }
    assert_eq!(analyst.rows().len(), 2000);
}
