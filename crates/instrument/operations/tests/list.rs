//! What is true of every operation in the list.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use measure::{Operation, Point};
use quantity::Quantity;
use record::{Formula, Origin, PointId, Prediction, Profile, Term};
use std::collections::{BTreeMap, BTreeSet};

const PROFILES: [Profile; 3] = [Profile::Quick, Profile::Standard, Profile::Thorough];

fn points() -> impl Iterator<Item = (&'static Operation, Point)> {
    let all = flawed::all_operations().iter().copied();
    all.flat_map(|operation| {
        operation.points_of(Profile::Thorough).into_iter().map(move |point| (operation, point))
    })
}

#[test]
fn ids_are_unique_and_well_formed() {
    let mut ids = BTreeSet::new();
    for operation in flawed::all_operations() {
        assert!(ids.insert(operation.id), "{} twice", operation.id);
        let words: Vec<&str> = operation.id.split('.').collect();
        assert!(words.len() >= 2, "{}", operation.id);
        let good = |word: &&str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        assert!(words.iter().all(good), "{}", operation.id);
        assert_eq!(flawed::find(operation.id).unwrap().id, operation.id);
    }
}

#[test]
fn points_of_every_card_can_be_read() {
    let mut mistakes = Vec::new();
    for operation in flawed::all_operations() {
        for profile in PROFILES {
            let read = operation.read_points(profile);
            mistakes.extend(read.err().map(|mistake| format!("{}: {mistake}", operation.id)));
        }
    }
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}

#[test]
fn points_name_every_value_that_the_code_offers() {
    let declared = |id: &str, name: &str| -> Vec<String> {
        let points = flawed::find(id).unwrap().points_of(Profile::Standard);
        let ids = points.iter().map(|point| PointId::new(id, &point.text()));
        ids.filter_map(|id| id.parameter(name).map(str::to_owned)).collect()
    };
    let clocks = workloads::cpu::steps::CLOCKS.map(|(name, _)| name);
    assert_eq!(declared("clock.quantum", "clock"), clocks);
    assert_eq!(declared("call.procedure", "arguments"), sys::arch::ARGUMENTS.map(|count| count.to_string()));
    assert_eq!(declared("loop.known_cost", "adds"), sys::arch::KNOWN_ADDS.map(|count| count.to_string()));
}

#[test]
fn no_rate_over_a_network_passes_the_speed_of_the_link() {
    let mut count = 0;
    for (operation, point) in points() {
        let is_rate = operation.quantity_at(&point) == Quantity::Bandwidth;
        if !is_rate || point.path() != Some(measure::Path::Remote) {
            continue;
        }
        // It counts what came before its clock started.
        if operation.id == "network.bandwidth.transfer.from_first_data" {
            continue;
        }
        let speed = Formula::fact("network.peer.speed");
        let bounds = operation.bounds_at(&point);
        let bounded = bounds.iter().any(|bound| !bound.lower && bound.formula == speed);
        assert!(bounded, "{} {}", operation.id, point.text());
        count += 1;
    }
    assert!(count > 10);
}

#[test]
fn every_declaration_is_complete() {
    for operation in flawed::all_operations() {
        for (name, text) in [
            ("title", operation.title),
            ("one iteration", operation.one_iteration),
            ("method", operation.method),
            ("confounds", operation.confounds),
        ] {
            assert!(text.len() > 3, "{}: no {name}", operation.id);
            assert!(!text.contains("  "), "{}: two spaces in its {name}", operation.id);
        }
        assert!(!operation.sources.is_empty(), "{}: no sources", operation.id);
        assert!(operation.revision >= 1 && operation.spend_ns >= 1_000_000, "{}", operation.id);
    }
}

#[test]
fn the_headline_fits_on_one_screen() {
    let lines = || {
        let all = operations::ALL.iter();
        all.flat_map(|operation| operation.headline.iter().map(move |line| (operation, line)))
    };
    let (on_all, more): (Vec<_>, Vec<_>) = lines()
        .map(|(operation, _)| (operation.id, operation.headline_from_cpus))
        .partition(|(_, cpus)| *cpus == 1);
    assert!((30..=37).contains(&on_all.len()), "{on_all:?}");
    // On machines with more CPUs a row is left out where the screen has no room.
    assert!(more.len() <= 1, "{more:?}");
    let labels: BTreeSet<&str> = lines().map(|(_, (_, label))| *label).collect();
    assert_eq!(labels.len(), lines().count(), "two lines have the same label");
    // The room that 80 columns leave them.
    assert!(labels.iter().all(|label| label.chars().count() <= 25), "{labels:?}");
    for (operation, (point, _)) in lines() {
        for profile in [Profile::Standard, Profile::Thorough] {
            let points = operation.points_of(profile);
            let is_there = points.iter().any(|one| one.text() == *point);
            assert!(is_there, "{} {point} {profile:?}", operation.id);
        }
    }
}

#[test]
fn points_are_unique_and_read_back() {
    for profile in PROFILES {
        for operation in flawed::all_operations() {
            let points = operation.points_of(profile);
            assert!(!points.is_empty() || operation.is_of_the_run(), "{}", operation.id);
            let texts: BTreeSet<String> = points.iter().map(Point::text).collect();
            assert_eq!(texts.len(), points.len(), "{}", operation.id);
            assert!(points.iter().all(|point| Point::parse(&point.text()).as_ref() == Some(point)));
        }
    }
}

/// How the value of a parameter is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Written {
    /// A count.
    Number,
    /// A size with its unit.
    Size,
    /// A choice.
    Word,
}

impl Written {
    fn of(value: &str) -> Self {
        if value.parse::<f64>().is_ok() {
            return Self::Number;
        }
        match value.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.') {
            "B" | "KiB" | "MiB" | "GiB" | "TiB" => Self::Size,
            _ => Self::Word,
        }
    }
}

/// A size has a unit, the largest that divides it; a name has values of one kind in every operation, besides words such as
/// `all`; and no name holds a unit.
#[test]
fn parameters_are_written_in_one_way() {
    let mut kinds: BTreeMap<String, BTreeSet<Written>> = BTreeMap::new();
    for (operation, point) in points() {
        let text = point.text();
        for (name, value) in text.split(' ').filter_map(|pair| pair.split_once('=')) {
            let written = Written::of(value);
            kinds.entry(name.to_owned()).or_default().insert(written);
            let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
            let largest = value.ends_with("TiB")
                || !digits.parse().is_ok_and(|count: u64| count > 0 && count.is_multiple_of(1024));
            assert!(written != Written::Size || largest, "{} {text}: {value}", operation.id);
        }
    }
    for (name, kinds) in &kinds {
        let both = kinds.contains(&Written::Number) && kinds.contains(&Written::Size);
        assert!(!both, "{name} is a count in one operation and a size in another");
        let last = name.rsplit('_').next().unwrap();
        let units = ["b", "kb", "kib", "mb", "mib", "gib", "ns", "us", "ms", "s", "hz"];
        assert!(!units.contains(&last), "{name} holds a unit");
    }
    assert!(kinds["bytes"].contains(&Written::Size) && kinds["cpus"].contains(&Written::Number));
}

#[test]
fn at_least_a_hundred_and_ten_points_are_measured_by_default() {
    let default = operations::ALL.iter();
    let points: usize = default.map(|operation| operation.points_of(Profile::Standard).len()).sum();
    assert!(points >= 110, "{points}");
}

#[test]
fn every_flawed_method_stands_beside_a_right_one() {
    for method in flawed::methods() {
        let (id, point) = method.right;
        let right = operations::find(id).unwrap_or_else(|| panic!("{}: no {id}", method.card.id));
        let has_point = right.points_of(Profile::Standard).iter().any(|one| one.text() == point);
        assert!(has_point && method.wrong.len() > 40, "{}", method.card.id);
        assert!(operations::find(method.card.id).is_none(), "{}", method.card.id);
    }
    assert_eq!(flawed::all_operations().len(), operations::ALL.len() + flawed::methods().count());
}

#[test]
fn every_point_has_a_positive_witness_that_needs_no_tracer() {
    for (operation, point) in points() {
        let id = operation.point_id(&point);
        let witnesses = operation.witnesses_at(&point);
        assert!(witnesses.iter().any(|w| w.positive && w.origin == Origin::Trial), "{id}");
        for witness in witnesses {
            assert!(witness.low <= witness.high, "{id}: {}", witness.counter);
            assert!(witness.proves.len() > 8, "{id}: {}", witness.counter);
        }
    }
}

/// What every point measures.
fn quantities() -> BTreeMap<PointId, Quantity> {
    points().map(|(operation, point)| (operation.point_id(&point), operation.quantity_at(&point))).collect()
}

#[test]
fn every_card_can_be_read() {
    let known = quantities();
    let mistakes: Vec<String> = points()
        .filter_map(|(operation, point)| {
            let mistake = operation.check(&point, &|id| known.get(id).copied()).err()?;
            Some(format!("{}: {mistake}", operation.point_id(&point)))
        })
        .collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn lines_for_other_architectures_can_be_read() {
    let known = quantities();
    let parts = |id: &PointId| known.get(id).copied();
    for (operation, point) in points() {
        let (id, quantity) =
            (operation.point_id(&(operation.in_lines)(&point)), operation.quantity_at(&point));
        for line in operation.predict {
            if let Some((_, rest)) = line.strip_prefix("architecture=").and_then(|line| line.split_once(' '))
            {
                model::prediction(&[rest], &id, quantity, Some(&parts)).unwrap();
            }
        }
    }
}

#[test]
fn predictions_are_made_of_points_that_exist_and_never_of_themselves() {
    let known = quantities();
    for (operation, point) in points() {
        let id = operation.point_id(&point);
        let Prediction { from_facts, from_parts } = operation.prediction_at(&point);
        for term in &from_facts {
            assert!(term.formula.parts().is_empty(), "{id}: T0 uses a measured part");
        }
        let bounds = operation.bounds_at(&point);
        let formulas =
            from_parts.iter().map(|term| &term.formula).chain(bounds.iter().map(|bound| &bound.formula));
        for part in formulas.flat_map(Formula::parts) {
            assert!(known.contains_key(part), "{id} needs {part}, which does not exist");
        }
    }
}

/// The part that a point's T1 is, with nothing added and nothing taken off.
fn only_part(operation: &Operation, point: &Point) -> Option<PointId> {
    match &operation.prediction_at(point).from_parts[..] {
        [Term { formula: Formula::Part { point }, .. }] => Some(point.clone()),
        _ => None,
    }
}

#[test]
fn no_point_is_predicted_from_one_that_renames_it() {
    for (operation, point) in points() {
        let (id, Some(part)) = (operation.point_id(&point), only_part(operation, &point)) else {
            continue;
        };
        let other = flawed::find(&part.operation).unwrap();
        let does_the_same = std::ptr::fn_addr_eq(operation.run, other.run) && part.point == id.point;
        let back = only_part(other, &Point::parse(&part.point).unwrap());
        assert!(!does_the_same && back.as_ref() != Some(&id), "{id} is {part}");
    }
}

#[test]
fn every_cited_number_names_its_source() {
    fn check(formula: &Formula, id: &PointId) {
        use Formula::*;
        match formula {
            Number { source, within, .. } => assert!(*within == 1.0 || source.len() > 8, "{id}: {formula}"),
            Fact { .. } | Part { .. } => {}
            Sum { of } | Product { of } | Maximum { of } | Minimum { of } | First { of } => {
                of.iter().for_each(|f| check(f, id))
            }
            Difference { from: a, less: b } | Quotient { of: a, by: b } => {
                [a, b].iter().for_each(|f| check(f, id))
            }
        }
    }
    for (operation, point) in points() {
        let id = operation.point_id(&point);
        let Prediction { from_facts, from_parts } = operation.prediction_at(&point);
        from_facts.iter().chain(&from_parts).for_each(|term| check(&term.formula, &id));
    }
}
