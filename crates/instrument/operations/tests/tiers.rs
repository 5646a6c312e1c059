//! What the tiers of predictions must be: T1 without circles, and every cost with a source.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use record::{Formula, PointId, Prediction, Profile};
use std::collections::{BTreeMap, BTreeSet};

/// The prediction of every point of every profile.
fn predictions() -> BTreeMap<PointId, Prediction> {
    let profiles = [Profile::Quick, Profile::Standard, Profile::Thorough];
    let points = flawed::all_operations().iter().flat_map(|operation| {
        let points = profiles.into_iter().flat_map(|profile| operation.points_of(profile));
        points.map(move |point| (operation.point_id(&point), operation.prediction_at(&point)))
    });
    points.collect()
}

fn parts(prediction: &Prediction) -> BTreeSet<&PointId> {
    let formulas = prediction.from_parts.iter().map(|term| &term.formula);
    formulas.flat_map(Formula::parts).collect()
}

/// The points of a circle of T1s, each predicted from the next; empty where there is none.
fn circle(predictions: &BTreeMap<PointId, Prediction>) -> Vec<PointId> {
    fn visit<'p>(
        id: &'p PointId,
        predictions: &'p BTreeMap<PointId, Prediction>,
        path: &mut Vec<&'p PointId>,
        done: &mut BTreeSet<&'p PointId>,
    ) -> Option<Vec<PointId>> {
        if let Some(from) = path.iter().position(|one| *one == id) {
            return Some(path.iter().skip(from).map(|one| (*one).clone()).collect());
        }
        if !done.insert(id) {
            return None;
        }
        path.push(id);
        let parts = predictions.get(id).map(parts).unwrap_or_default();
        let found = parts.into_iter().find_map(|part| visit(part, predictions, path, done));
        path.pop();
        found
    }
    let (mut path, mut done) = (Vec::new(), BTreeSet::new());
    let mut all = predictions.keys();
    all.find_map(|id| visit(id, predictions, &mut path, &mut done)).unwrap_or_default()
}

fn shown(ids: &[PointId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ← ")
}

/// Every circle, each without the last prediction of those before it.
fn circles(mut predictions: BTreeMap<PointId, Prediction>) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        let next = circle(&predictions);
        let Some(last) = next.last().and_then(|id| predictions.get_mut(id)) else {
            return found;
        };
        last.from_parts.clear();
        found.push(shown(&next));
    }
}

#[test]
fn no_point_is_predicted_from_itself_by_way_of_others() {
    let found = circles(predictions());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_circle_is_found() {
    let prediction = |part: &str| Prediction {
        from_facts: Vec::new(),
        from_parts: vec![record::Term {
            name: "part".to_owned(),
            side: record::TermSide::Software,
            formula: Formula::part(part, "").times(2.0).plus(Formula::part("leaf", "")),
        }],
    };
    let of = |all: &[(&str, &str)]| {
        let all = all.iter().map(|(id, part)| (PointId::new(id, ""), prediction(part)));
        circle(&all.collect())
    };
    assert!(of(&[("a", "b"), ("b", "c"), ("c", "leaf")]).is_empty());
    let found = of(&[("a", "b"), ("b", "c"), ("c", "b")]);
    assert_eq!(shown(&found), "b ← c");
}

/// The parts of which the paces of the kernel are made, and the points that stand for a device and a hypervisor.
const PRIMITIVES: [(&str, &str); 12] = [
    ("syscall.floor", ""),
    ("syscall.fstat", ""),
    ("syscall.pipe.self", ""),
    ("syscall.unix.self", ""),
    ("syscall.poll", "type=pipe descriptors=500 ready=last"),
    ("clock.frequency", "clock=core"),
    ("trap.cpuid", ""),
    ("memory.bandwidth.fill", "method=zero_line bytes=128MiB cpus=1"),
    ("file.read.direct", "access=sequential file_size=64MiB"),
    ("file.read.uring", "depth=64"),
    ("ipc.cache_line.round_trip", "cpu=other method=cas"),
    ("switch.process.eventfd", "cpu=other"),
];

#[test]
fn no_primitive_is_predicted_from_a_composite() {
    let all = predictions();
    for (operation, point) in PRIMITIVES {
        let id = PointId::new(operation, point);
        let prediction = all.get(&id).expect("the point of a primitive");
        assert_eq!(prediction.from_parts, [], "{id}");
        let used = all.values().any(|one| parts(one).contains(&id));
        assert!(used, "nothing is predicted from {id}");
    }
}

/// Whether a cost comes from a source, a fact or a measured part other than the clock, which only converts cycles.
fn has_source(formula: &Formula) -> bool {
    match formula {
        Formula::Number { value, source, .. } => *value == 0.0 || !source.is_empty(),
        Formula::Fact { key } => key != "clock.cycle_ns",
        Formula::Part { point } => point.operation != "clock.frequency",
        Formula::Product { of } => of.iter().any(has_source),
        // A number divided by the length of a cycle is a frequency, not a cost.
        Formula::Quotient { of, by } => {
            has_source(of) || has_source(by) || matches!(**by, Formula::Fact { .. })
        }
        Formula::Difference { from, less } => has_source(from) || has_source(less),
        Formula::Sum { of } | Formula::Maximum { of } | Formula::Minimum { of } | Formula::First { of } => {
            of.iter().all(has_source)
        }
    }
}

#[test]
fn every_cost_has_a_source() {
    let mut without = BTreeSet::new();
    for (id, prediction) in predictions() {
        let terms = prediction.from_facts.iter().chain(&prediction.from_parts);
        let bare = terms.filter(|term| !has_source(&term.formula));
        without.extend(bare.map(|term| format!("{}: {} = {}", id.operation, term.name, term.formula)));
    }
    let all: Vec<String> = without.into_iter().collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn a_cost_without_a_source_is_found() {
    let clock = || Formula::fact("clock.cycle_ns");
    let sourced = || Formula::cited(5.0, 2.0, "a manual");
    for (formula, expected) in [
        (Formula::exactly(5.0).by(clock()), false),
        (Formula::exactly(5.0), false),
        (sourced().by(clock()).plus(Formula::exactly(5.0)), false),
        (Formula::exactly(0.0), true),
        (sourced().by(clock()).times(3.0), true),
        (Formula::part("syscall.floor", "").times(2.0), true),
    ] {
        assert_eq!(has_source(&formula), expected, "{formula}");
    }
}
