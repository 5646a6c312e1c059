//! Types by facts, and by results where the facts do not tell; spread, precision, and type against type.

use crate::machines::{Fault, Made, facts, fleet_of, imports};
use fleet::{designs, survey};
use record::PointId;

fn slower_calls(id: &PointId) -> f64 {
    if id.family() == "syscall" { 1.5 } else { 1.0 }
}

#[test]
fn machines_of_other_facts_are_another_type() {
    let mut all = imports(&Made::default(), |_| None);
    for import in all.iter_mut().filter(|import| import.machine.as_str() < "node0020") {
        import.facts = facts(&[("processor.model", "Maker 9100")]);
    }
    // A kernel keeps a part of the memory, not half of it.
    for import in all.iter_mut().filter(|import| import.machine.as_str() > "node0049") {
        import.memory_bytes = Some(255e9);
    }
    for import in all.iter_mut().filter(|import| import.machine.as_str() > "node0054") {
        import.memory_bytes = Some(128e9);
    }
    let survey = survey(&fleet_of(all));
    let sizes: Vec<usize> = survey.types.iter().map(|one| one.of.machines.len()).collect();
    assert_eq!(sizes, [35, 20, 5]);
    assert!(survey.types[1].of.name.starts_with("Maker 9100, 64 CPUs, "), "{}", survey.types[1].of.name);
}

#[test]
fn machines_that_cost_otherwise_are_another_type_and_the_fact_that_differs_is_named() {
    let fault = |machine: usize| machine.is_multiple_of(3).then_some(slower_calls as Fault);
    let mut all = imports(&Made::default(), fault);
    for (place, import) in all.iter_mut().enumerate() {
        let is_dear = (place / 3).is_multiple_of(3);
        let value = if is_dear { "on" } else { "off" };
        import.facts.insert("mitigation.all".into(), value.into());
    }
    let survey = survey(&fleet_of(all));
    let sizes: Vec<usize> = survey.types.iter().map(|one| one.of.machines.len()).collect();
    assert_eq!(sizes, [40, 20]);
    let dear = &survey.types[1];
    assert!(dear.of.name.ends_with("mitigation.all on"), "{}", dear.of.name);
    let (votes, differing) = dear.of.divided.as_ref().unwrap();
    assert!(*votes >= 20, "{votes}");
    assert_eq!(differing[0].others.as_deref(), Some("off"));
    // The other type against the first: only the calls differ.
    let fleet_columns = dear.changes.iter().filter(|change| change.interval.0 > 1.2);
    assert_eq!(fleet_columns.count(), 30);
    let within = dear.changes.iter().filter(|change| change.interval.0 < 1.5 && 1.5 < change.interval.1);
    assert!(within.count() >= 28);
}

#[test]
fn components_are_those_of_the_generator_and_odd_machines_do_not_widen_them() {
    let made = Made { machines: 100, ..Made::default() };
    let fleet = fleet_of(imports(&made, |machine| (machine == 0).then_some(slower_calls as Fault)));
    let survey = survey(&fleet);
    let [one] = survey.types.as_slice() else { panic!("one type") };
    let (mut right, mut all) = (0, 0);
    for spread in &one.spreads {
        let found = spread.components.unwrap();
        let (between, among) = (found.between_groups.unwrap(), found.between_members.unwrap());
        all += 2;
        right += usize::from(between.low <= 0.01 && 0.01 <= between.high);
        right += usize::from(among.low <= 0.005 && 0.005 <= among.high);
        assert!((found.within / 0.005 - 1.0).abs() < 0.01);
    }
    assert!(right * 100 >= all * 92, "{right} of {all}");
}

#[test]
fn as_many_machines_and_runs_as_are_said_give_the_precision() {
    let made = Made { machines: 200, ..Made::default() };
    let fleet = fleet_of(imports(&made, |_| None));
    let survey = survey(&fleet);
    let components = survey.types[0].spreads[0].components.unwrap();
    let [one, three, ten] = designs(&components, 0.002).unwrap();
    assert!(one.machines > three.machines && three.machines >= ten.machines);
    // The truth: (0.01² + 2 × 0.005² / r) / (0.002 / 1.96)².
    for design in [one, three, ten] {
        let truth = (1e-4 + 5e-5 / f64::from(design.runs)) / (0.002f64 / 1.96).powi(2);
        let off = f64::from(design.machines) / truth;
        assert!((0.7..1.4).contains(&off), "{design:?} {truth}");
    }
}
