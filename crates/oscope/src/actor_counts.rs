//! How many CPUs have an actor at points that compare several with one, and which of these points a machine has.

use crate::select::Selected;
use measure::Point;
use measure::value::Cpus;
use record::{Machine, PointId};

/// How many CPUs this process may use.
fn allowed(machine: &Machine) -> u32 {
    machine.number("cpus.allowed").map_or(1, |allowed| allowed as u32)
}

/// How many CPUs have an actor at a point of this machine.
pub fn of_point(point: &Point, machine: &Machine) -> Option<u32> {
    match point.cpus()? {
        Cpus::Count(count) => Some(count),
        Cpus::All => Some(allowed(machine)),
    }
}

/// Whether there are CPUs for the actors of a point, and no other point of its operation has the same number of them. Points of
/// two CPUs are always possible: where there is one, they are skipped with this reason.
pub fn is_possible((operation, point): &Selected, selected: &[Selected], machine: &Machine) -> bool {
    if operation.alone.is_none() {
        return true;
    }
    let allowed = allowed(machine);
    let id = operation.point_id(point);
    let has_number = |other: &PointId, number: &str| {
        other.parameter("cpus") == Some(number) && other.without("cpus") == id.without("cpus")
    };
    match point.cpus() {
        Some(Cpus::Count(count)) => count <= allowed.max(2),
        Some(Cpus::All) => {
            let number = allowed.to_string();
            let mut same = selected.iter().filter(|(other, _)| other.id == operation.id);
            allowed > 2 && !same.any(|(other, at)| has_number(&other.point_id(at), &number))
        }
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::Operation;
    use record::{Fact, FactValue, Profile, Unit};

    static SCALING: Operation = Operation {
        id: "test.scaling",
        points: &["object=own|shared cpus=1|2|4|16|64|256|1024|all"],
        parameters: |_| Ok(()),
        alone: Some(|_| Point::only().with("object", "own").with("cpus", 1)),
        ..Operation::NEW
    };

    fn machine(cpus: u32) -> Machine {
        let value = FactValue::Number { value: f64::from(cpus), unit: Unit::One };
        let (key, source) = ("cpus.allowed".to_owned(), String::new());
        Machine { facts: vec![Fact { key, value, source, within: None, assumed: false }] }
    }

    fn counts(cpus: u32) -> Vec<u32> {
        let points = SCALING.points_of(Profile::Standard).into_iter();
        let selected: Vec<Selected> = points.map(|point| (&SCALING, point)).collect();
        let machine = machine(cpus);
        let possible = selected.iter().filter(|one| is_possible(one, &selected, &machine));
        possible.filter_map(|(_, point)| of_point(point, &machine)).collect()
    }

    #[test]
    fn a_machine_has_the_points_of_its_cpus_and_one_of_all() {
        for (cpus, expected) in [
            (1, &[1, 2][..]),
            (2, &[1, 2]),
            (3, &[1, 2, 3]),
            (6, &[1, 2, 4, 6]),
            (64, &[1, 2, 4, 16, 64]),
            (576, &[1, 2, 4, 16, 64, 256, 576]),
            (1024, &[1, 2, 4, 16, 64, 256, 1024]),
            (4096, &[1, 2, 4, 16, 64, 256, 1024, 4096]),
        ] {
            assert_eq!(counts(cpus), [expected, expected].concat(), "{cpus}");
        }
    }
}
