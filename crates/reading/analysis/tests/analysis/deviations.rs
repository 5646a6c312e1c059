//! Why rows are off their predictions: planted reasons are found, and none is invented.

use crate::simulated::point;
use analysis::{
    Analysis, CoreState, CoreUse, Deviation, Ingredient, KnownValue, LikelyReason, Mode, Note, Row, Verdict,
    rows_of_known,
};
use record::{Formula, Machine, PointId, Prediction, Term, TermSide};

/// A number of ns with a source.
fn cited(ns: f64, source: &str) -> Formula {
    Formula::cited(ns, 1.1, source)
}

/// A point that was measured as this, within ± 1 %, and predicted from these terms.
fn known(id: &str, typical: f64, terms: Vec<Formula>) -> KnownValue {
    let term = |(at, formula)| Term { name: format!("term {at}"), side: TermSide::Software, formula };
    KnownValue {
        point: point(id, ""),
        prediction: Prediction {
            from_facts: Vec::new(),
            from_parts: terms.into_iter().enumerate().map(term).collect(),
        },
        verdict: Verdict::Measured,
        typical: Some(typical),
        interval: Some((typical * 0.99, typical * 1.01)),
    }
}

fn rows(known: Vec<KnownValue>) -> Vec<Row> {
    rows_of_known(&Machine::default(), known)
}

fn explained(rows: Vec<Row>) -> Vec<Row> {
    Analysis::from_rows(rows, 12, Vec::new()).rows
}

fn deviation(row: &Row) -> Option<&Deviation> {
    row.notes.iter().find_map(|note| match note {
        Note::Deviation(deviation) => Some(deviation),
        _ => None,
    })
}

fn reason(row: &Row) -> LikelyReason {
    deviation(row).unwrap().reason.clone()
}

fn pace() -> Ingredient {
    Ingredient::Number("pace of the kernel".to_owned())
}

/// `count` paths of a kernel that is slower than the number says by these factors, on top of a part of 100 ns.
fn paths(factors: &[f64]) -> Vec<KnownValue> {
    let path = |(at, factor): (usize, &f64)| {
        let ns = 100.0 * (at + 2) as f64;
        let terms = vec![Formula::part("floor", ""), cited(ns, "pace of the kernel")];
        known(&format!("path.{at}"), 100.0 + ns * factor, terms)
    };
    let floor = known("floor", 100.0, Vec::new());
    std::iter::once(floor).chain(factors.iter().enumerate().map(path)).collect()
}

#[test]
fn a_planted_number_is_found_in_every_row() {
    let rows = explained(rows(paths(&[2.0, 2.1, 1.95, 2.0, 2.05])));
    assert_eq!(deviation(&rows[0]), None);
    for row in &rows[1..] {
        let LikelyReason::Shared { ingredients, factor, others, against, remaining } = reason(row) else {
            panic!("{:?}", row.notes)
        };
        assert_eq!((ingredients, others.len(), against), (vec![pace()], 4, 0));
        assert!((1.9..2.1).contains(&factor) && (0.9..1.1).contains(&remaining));
        assert!(!others.contains(&row.point.id));
    }
}

#[test]
fn a_part_that_is_off_is_found() {
    // What was measured of the part is half of what the others pay for it.
    let composite = |at: usize| {
        let own = 50.0 + at as f64;
        let terms = vec![Formula::part("wake", ""), cited(own, &format!("path number {at}"))];
        known(&format!("composite.{at}"), 400.0 + own, terms)
    };
    let all = std::iter::once(known("wake", 200.0, Vec::new())).chain((0..4).map(composite));
    let rows = explained(rows(all.collect()));
    for row in &rows[1..] {
        let LikelyReason::Shared { ingredients, factor, .. } = reason(row) else { panic!("{:?}", row.notes) };
        assert_eq!(ingredients, [Ingredient::Part(PointId::new("wake", ""))]);
        assert!((1.9..2.1).contains(&factor), "{factor}");
    }
}

#[test]
fn ingredients_of_the_same_points_are_not_kept_apart() {
    let path = |at: usize| {
        let count = Formula::exactly((at + 2) as f64);
        let terms = vec![count.by(cited(50.0, "pace of the kernel")).by(cited(1.0, "share of the kernel"))];
        known(&format!("path.{at}"), 100.0 * (at + 2) as f64, terms)
    };
    for row in explained(rows((0..5).map(path).collect())) {
        let LikelyReason::Shared { ingredients, .. } = reason(&row) else { panic!("{:?}", row.notes) };
        assert_eq!(ingredients.len(), 2, "{ingredients:?}");
    }
}

#[test]
fn what_is_as_predicted_has_no_reason() {
    for row in explained(rows(paths(&[1.0, 1.05, 0.97, 1.0, 1.02]))) {
        assert_eq!(row.notes, []);
    }
}

#[test]
fn one_row_among_right_ones_is_off_by_what_its_parts_leave() {
    let rows = explained(rows(paths(&[1.0, 1.02, 3.0, 0.98, 1.0, 1.01])));
    let terms = vec!["term 1".to_owned()];
    let expected = LikelyReason::Parts { parts: 100.0, rest: 1200.0, predicted: 400.0, terms };
    assert_eq!(reason(&rows[3]), expected);
    assert_eq!(rows.iter().filter(|row| deviation(row).is_some()).count(), 1);
}

#[test]
fn no_reason_is_invented_where_there_is_none() {
    let mut random = fastrand::Rng::with_seed(18);
    let (mut off, mut invented) = (0, 0);
    for _ in 0..100 {
        // Each is off by a factor of its own, from a fifth to five times.
        let factors: Vec<f64> = (0..12).map(|_| 5f64.powf(2.0 * random.f64() - 1.0)).collect();
        for row in explained(rows(paths(&factors))) {
            off += usize::from(deviation(&row).is_some());
            let is_shared = |found: &Deviation| matches!(found.reason, LikelyReason::Shared { .. });
            invented += usize::from(deviation(&row).is_some_and(is_shared));
        }
    }
    assert!(off > 500 && invented * 100 < off, "{invented} of {off}");
}

#[test]
fn points_of_one_operation_are_one_witness() {
    let mut known = paths(&[2.0, 2.0, 2.0, 2.0]);
    for (at, one) in known.iter_mut().enumerate().skip(1) {
        one.point.id = PointId::new("path", &format!("bytes={at}"));
    }
    for row in &explained(rows(known))[1..] {
        assert!(matches!(reason(row), LikelyReason::Parts { .. }), "{:?}", row.notes);
    }
}

#[test]
fn noisy_points_that_would_decide_are_named() {
    // Nothing in them is measured.
    let path = |at: usize| {
        let ns = 100.0 * (at + 2) as f64;
        known(&format!("path.{at}"), 2.0 * ns, vec![cited(ns, "pace of the kernel")])
    };
    let mut known: Vec<KnownValue> = (0..4).map(path).collect();
    for one in known.iter_mut().skip(1) {
        (one.verdict, one.interval) = (Verdict::Noisy, one.typical.map(|value| (value * 0.5, value * 1.5)));
    }
    let LikelyReason::Untested { ingredient, run } = reason(&explained(rows(known))[0]) else { panic!() };
    let named: Vec<String> = run.iter().map(ToString::to_string).collect();
    assert_eq!((ingredient, named), (pace(), vec!["path.1".into(), "path.2".into(), "path.3".into()]));
}

/// A row that costs twice its prediction, with nothing beside it.
fn alone(change: impl Fn(&mut Row)) -> LikelyReason {
    let mut rows = rows(vec![known("alone", 200.0, vec![cited(100.0, "a count of something")])]);
    change(&mut rows[0]);
    reason(&explained(rows)[0])
}

fn shared_core(slowdown: f64) -> Option<CoreUse> {
    Some(CoreUse {
        state: CoreState::Shared,
        quiet_share: Some(0.1),
        slowdown: Some(slowdown),
        untriggered: None,
    })
}

#[test]
fn a_shared_core_explains_what_sharing_costs() {
    assert_eq!(alone(|row| row.core = shared_core(1.9)), LikelyReason::SharedCore(1.9));
    assert_eq!(alone(|row| row.core = shared_core(1.2)), LikelyReason::Unexplained);
}

#[test]
fn a_state_that_is_as_predicted_explains_the_other() {
    let modes = |at| [(at, 0.4), (200.0, 0.6)].map(|(at, share)| Mode { at, share }).to_vec();
    let expected = LikelyReason::OtherState(modes(105.0)[0]);
    assert_eq!(alone(|row| row.modes = modes(105.0)), expected);
    assert_eq!(alone(|row| row.modes = modes(150.0)), LikelyReason::Unexplained);
}

#[test]
fn switches_explain_as_much_as_was_counted() {
    let note = |counted| Note::Switches { counted, expected: 2.0 };
    let found = alone(|row| row.notes.push(note(3.9)));
    let expected = LikelyReason::Switches { counted: 3.9, expected: 2.0 };
    assert_eq!(found, expected);
    assert_eq!(alone(|row| row.notes.push(note(2.2))), LikelyReason::Unexplained);
}

#[test]
fn a_renamed_part_is_said_to_be_the_same() {
    let renamed = known("renamed", 300.0, vec![Formula::part("floor", "").times(2.0)]);
    let rows = explained(rows(vec![known("floor", 100.0, Vec::new()), renamed]));
    assert_eq!(rows[1].notes, [Note::SameAs(PointId::new("floor", ""))]);
    assert_eq!(rows[1].ratio(), None);
}
