//! How well predictions did: over every row with a number, by tier and area, with what is left out and why.

use crate::simulated::point;
use analysis::{Accuracy, Agreement, KnownValue, LeftOut, Tier, Verdict, rows_of_known};
use record::{Fact, FactValue, Formula, Machine, PlannedPoint, Prediction, Term, TermSide, Unit};

fn terms(formula: Formula) -> Vec<Term> {
    vec![Term { name: "all of it".to_owned(), side: TermSide::Software, formula }]
}

/// A count of parts that may be wrong.
fn counted(part: &str, factor: f64) -> Formula {
    Formula::part(part, "").by(Formula::cited(factor, 1.1, "counted"))
}

/// A point that was measured as this, and predicted by this formula from parts.
fn known(area: &str, id: &str, typical: f64, formula: Option<Formula>) -> KnownValue {
    KnownValue {
        point: PlannedPoint { area: area.to_owned(), ..point(id, "") },
        prediction: Prediction { from_facts: Vec::new(), from_parts: formula.map_or_else(Vec::new, terms) },
        verdict: Verdict::Measured,
        typical: Some(typical),
        interval: Some((typical * 0.99, typical * 1.01)),
    }
}

fn machine() -> Machine {
    let value = FactValue::Number { value: 2.0, unit: Unit::Nanoseconds };
    let fact =
        Fact { key: "fact".to_owned(), value, source: "test".to_owned(), within: None, assumed: false };
    Machine { facts: vec![fact] }
}

fn accuracy(known: Vec<KnownValue>) -> Accuracy {
    Accuracy::from_rows(&rows_of_known(&machine(), known))
}

fn parts(known: Vec<KnownValue>) -> Agreement {
    accuracy(known).from_parts.unwrap()
}

fn near(value: f64, truth: f64) -> bool {
    (value / truth - 1.0).abs() < 1e-9
}

#[test]
fn points_with_an_assumed_fact_are_counted_apart() {
    let from_fact = |id: &str, typical, formula| {
        let prediction = Prediction { from_facts: terms(formula), from_parts: Vec::new() };
        KnownValue { prediction, ..known("os", id, typical, None) }
    };
    let points = vec![
        from_fact("cited", 2.0, Formula::fact("fact")),
        from_fact("assumed", 12.0, Formula::fact("fact").plus(Formula::fact("guess"))),
    ];
    let mut machine = machine();
    let guess = Fact { key: "guess".to_owned(), assumed: true, ..machine.facts[0].clone() };
    machine.facts.push(guess);
    let rows = rows_of_known(&machine, points);
    assert_eq!(rows[0].from_facts.as_ref().unwrap().assumed, Vec::<String>::new());
    assert_eq!(rows[1].from_facts.as_ref().unwrap().assumed, ["guess"]);
    let facts = Accuracy::from_rows(&rows).from_facts.unwrap();
    let (cited, assumed) = (facts.cited.unwrap(), facts.assumed.unwrap());
    assert_eq!((facts.all.points, cited.points, assumed.points), (2, 1, 1));
    assert!(near(cited.median, 1.0) && near(assumed.median, 3.0));
}

#[test]
fn factors_count_either_way() {
    for (predicted, factor, within) in
        [(2.0, 1.0, [1.0, 1.0]), (1.4, 2.0 / 1.4, [0.0, 1.0]), (4.0, 2.0, [0.0; 2])]
    {
        let parts = parts(vec![
            known("os", "whole", 2.0, Some(counted("part", predicted))),
            known("os", "part", 1.0, None),
        ]);
        assert_eq!((parts.all.points, parts.all.within), (1, within));
        assert!(near(parts.all.median, factor) && near(parts.all.ninth_decile, factor));
        assert_eq!(parts.worst[0].0.operation, "whole");
        assert_eq!(parts.left_out, [(LeftOut::NoFormula, 1)]);
    }
}

#[test]
fn areas_are_apart() {
    let parts = parts(vec![
        known("cpu", "part", 1.0, None),
        known("cpu", "near", 2.0, Some(counted("part", 2.0))),
        known("os", "far", 6.0, Some(counted("part", 2.0))),
    ]);
    let areas: Vec<(&str, usize, f64)> =
        parts.areas.iter().map(|(area, factors)| (area.as_str(), factors.points, factors.median)).collect();
    assert_eq!(areas, [("cpu", 1, 1.0), ("os", 1, 3.0)]);
    assert_eq!(parts.all.points, 2);
}

#[test]
fn noisy_rows_count_by_their_intervals() {
    let with_half = |half: f64| {
        let mut noisy = known("os", "far", 6.0, Some(counted("part", 2.0)));
        noisy.verdict = Verdict::Noisy;
        noisy.interval = Some((6.0 * (1.0 - half), 6.0 * (1.0 + half)));
        parts(vec![
            known("cpu", "part", 1.0, None),
            known("cpu", "near", 2.0, Some(counted("part", 2.0))),
            noisy,
        ])
    };
    assert_eq!(with_half(0.05).all.points, 2);
    let shares = [0.01, 0.05, 0.22, 1.0].map(|half| 1.0 - with_half(half).all.within[0]);
    assert!(shares.is_sorted_by(|a, b| a > b), "{shares:?}");
    assert!((0.45..=0.5).contains(&shares[1]) && shares[3] < 0.06, "{shares:?}");
}

#[test]
fn every_point_that_is_left_out_has_a_reason() {
    let mut reference = known("os", "reference", 3.0, Some(counted("part", 2.0)));
    reference.point.flaw = Some("it is wrong".to_owned());
    let mut failed = known("os", "failed", 3.0, Some(counted("part", 2.0)));
    (failed.verdict, failed.typical) = (Verdict::Failed, None);
    let all = vec![
        known("cpu", "part", 1.0, None),
        known("os", "whole", 2.0, Some(counted("part", 2.0))),
        known("os", "renamed", 2.0, Some(Formula::part("part", "").times(2.0))),
        known("os", "unknown", 2.0, Some(counted("failed", 2.0))),
        reference,
        failed,
    ];
    let points = all.len();
    let accuracy = accuracy(all);
    assert_eq!(accuracy.from_facts, None);
    let parts = accuracy.from_parts.unwrap();
    assert_eq!(
        parts.left_out,
        [
            (LeftOut::FlawedMethod, 1),
            (LeftOut::NoNumber, 1),
            (LeftOut::SameAs, 1),
            (LeftOut::NoFormula, 1),
            (LeftOut::NoValue, 1)
        ]
    );
    let left_out: usize = parts.left_out.iter().map(|(_, count)| count).sum();
    assert_eq!(parts.all.points + left_out, points);
}

#[test]
fn facts_are_judged_apart_from_parts() {
    let mut whole = known("os", "whole", 3.0, Some(counted("part", 2.0)));
    whole.prediction.from_facts = terms(Formula::fact("fact"));
    let accuracy = accuracy(vec![known("os", "part", 1.0, None), whole]);
    assert!(near(accuracy.from_facts.unwrap().all.median, 1.5));
    assert!(near(accuracy.from_parts.unwrap().all.median, 1.5));
}

#[test]
fn an_exact_multiple_of_a_part_is_compared_with_its_facts() {
    let multiple = Formula::part("part", "").times(2.0);
    let mut with_facts = known("os", "again", 3.0, Some(multiple.clone()));
    with_facts.prediction.from_facts = terms(Formula::fact("fact"));
    let rows = rows_of_known(
        &machine(),
        vec![known("os", "part", 1.0, None), known("os", "renamed", 3.0, Some(multiple)), with_facts],
    );
    assert!(rows[2].same_as().is_some() && near(rows[2].ratio().unwrap(), 1.5));
    assert_eq!(rows[2].predicted().map(|predicted| predicted.tier), Some(Tier::Facts));
    assert_eq!(rows[1].same_as().map(ToString::to_string), Some("part".to_owned()));
    assert_eq!((rows[1].ratio(), rows[1].residual(), rows[1].predicted()), (None, None, None));
    assert_eq!(rows[0].same_as(), None);
}
