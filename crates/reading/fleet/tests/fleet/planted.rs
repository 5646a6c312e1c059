//! Faults that were planted are found, with the right points, and little else is.

use crate::machines::{Fault, Made, fleet_of, imports};
use fleet::{OddMachine, Survey, Suspect, TypeSurvey, survey};
use record::PointId;
use std::collections::BTreeSet;

fn is_large_memory(id: &PointId) -> bool {
    ["256MiB", "512MiB", "1GiB"].contains(&id.parameter("bytes").unwrap_or_default())
}

fn channel_missing(id: &PointId) -> f64 {
    match id.operation.as_str() {
        bandwidth if bandwidth.starts_with("memory.bandwidth.") && is_large_memory(id) => 2.0,
        "memory.latency" if is_large_memory(id) => 1.2,
        _ => 1.0,
    }
}

fn mitigation(id: &PointId) -> f64 {
    if id.family() == "syscall" { 1.3 } else { 1.0 }
}

fn power_cap(id: &PointId) -> f64 {
    match id.family() {
        "arithmetic" | "syscall" | "switch" => 1.1,
        _ => 1.0,
    }
}

fn slow_disk(id: &PointId) -> f64 {
    if id.family() == "file" { 1.5 } else { 1.0 }
}

fn clock_source(id: &PointId) -> f64 {
    if id.family() == "clock" { 20.0 } else { 1.0 }
}

fn slower(_: &PointId) -> f64 {
    1.01
}

/// Each fault with the beginning of what it is a sign of.
const FAULTS: [(&str, Fault, &str); 6] = [
    ("a memory channel less", channel_missing, "memory bandwidth is lower"),
    ("another mitigation", mitigation, "system calls cost more"),
    ("a power cap", power_cap, "work of a single core is slower"),
    ("a slow disk", slow_disk, "storage is slower"),
    ("another clock source", clock_source, "reading the clock takes longer"),
    ("1 % slower everywhere", slower, ""),
];

fn only(survey: &Survey) -> &TypeSurvey {
    match survey.types.as_slice() {
        [one] => one,
        more => panic!("{} types", more.len()),
    }
}

fn found(survey: &Survey, machine: usize) -> Option<&OddMachine> {
    only(survey).odd.iter().find(|odd| odd.machine == machine)
}

#[test]
fn planted_faults_are_found_with_their_points_and_signs() {
    let (mut planted, mut seen, mut signed) = (0, 0, 0);
    let (mut points, mut named, mut wrong) = (0, 0, 0);
    for seed in 0..20 {
        let made = Made { seed, ..Made::default() };
        // One machine in ten has a fault.
        let fault = |machine: usize| machine.is_multiple_of(10).then(|| FAULTS[machine / 10].1);
        let fleet = fleet_of(imports(&made, fault));
        let survey = survey(&fleet);
        for (index, (_, fault, sign)) in FAULTS.iter().enumerate() {
            planted += 1;
            let Some(odd) = found(&survey, index * 10) else {
                continue;
            };
            seen += 1;
            signed += usize::from(sign.is_empty() || odd.signs.iter().any(|one| one.says.starts_with(sign)));
            let named_points: BTreeSet<usize> = odd.points.iter().map(|point| point.column).collect();
            for (place, column) in fleet.columns.iter().enumerate() {
                let is_planted = fault(&column.id) > 1.05;
                points += usize::from(is_planted);
                named += usize::from(is_planted && named_points.contains(&place));
                wrong += usize::from(fault(&column.id) == 1.0 && named_points.contains(&place));
            }
        }
    }
    assert!(seen * 100 >= planted * 95, "{seen} of {planted} found");
    assert!(signed * 100 >= planted * 95, "{signed} of {planted} with their sign");
    assert!(named * 100 >= points * 95, "{named} of {points} points named");
    assert!(wrong * 100 <= points, "{wrong} of {points} points wrongly named");
}

#[test]
fn hardly_any_machine_is_called_odd_where_none_is() {
    let (mut machines, mut wrong) = (0, 0);
    for seed in 100..120 {
        let made = Made { seed, ..Made::default() };
        let fleet = fleet_of(imports(&made, |_| None));
        machines += made.machines;
        wrong += only(&survey(&fleet)).odd.len();
    }
    assert!(wrong * 100 <= machines, "{wrong} of {machines}");
}

#[test]
fn of_the_odd_machines_of_a_large_fleet_few_are_so_by_chance() {
    let made = Made { machines: 2000, runs: 1, ..Made::default() };
    let fault = |machine: usize| machine.is_multiple_of(40).then_some(power_cap as Fault);
    let fleet = fleet_of(imports(&made, fault));
    let survey = survey(&fleet);
    let odd = &only(&survey).odd;
    let wrong = odd.iter().filter(|odd| !odd.machine.is_multiple_of(40)).count();
    assert_eq!(odd.len() - wrong, 50);
    assert!(wrong <= 3, "{wrong} of {}", odd.len());
}

#[test]
fn a_machine_is_odd_only_beyond_what_its_repetitions_vary() {
    // Runs vary by 5 %, and machines by nothing: no machine is odd, however far the mean of its runs is by chance.
    let made = Made { machines: 40, runs: 2, between: 0.0, among: 0.05, ..Made::default() };
    let fleet = fleet_of(imports(&made, |_| None));
    assert_eq!(only(&survey(&fleet)).odd, []);
}

#[test]
fn a_bad_measurement_is_not_a_bad_machine() {
    let fault = |machine: usize| (machine < 2).then_some(power_cap as Fault);
    let mut all = imports(&Made::default(), fault);
    for import in all.iter_mut().filter(|import| import.machine == "node0000") {
        import.quiet_share = Some(0.3);
        import.rows.iter_mut().for_each(|row| row.verdict = "noisy".to_owned());
    }
    let fleet = fleet_of(all);
    let survey = survey(&fleet);
    assert!(matches!(found(&survey, 0).unwrap().suspect, Suspect::Measurement { own, siblings }
        if own.noisy_share == 1.0 && siblings.noisy_share == 0.0));
    assert_eq!(found(&survey, 1).unwrap().suspect, Suspect::Machine);
}

#[test]
fn a_single_bad_run_is_named() {
    let mut all = imports(&Made::default(), |_| None);
    let bad = all.iter_mut().filter(|import| import.file == "node0007.1.oscope.jsonl");
    bad.for_each(|import| {
        let slow = import.rows.iter_mut().filter(|row| row.id.family() == "file");
        slow.for_each(|row| {
            row.typical = row.typical.map(|typical| typical * 3.0);
            row.interval = row.interval.map(|(low, high)| (low * 3.0, high * 3.0));
        });
    });
    let fleet = fleet_of(all);
    assert_eq!(found(&survey(&fleet), 7).unwrap().suspect, Suspect::Run(1));
}

#[test]
fn facts_in_which_an_odd_machine_differs_are_named() {
    let mut all = imports(&Made::default(), |machine| (machine == 3).then_some(mitigation as Fault));
    for import in all.iter_mut().filter(|import| import.machine == "node0003") {
        import.facts.insert("mitigation.retbleed".into(), "IBPB".into());
    }
    for import in all.iter_mut().filter(|import| import.machine != "node0003") {
        import.facts.insert("mitigation.retbleed".into(), "unret".into());
    }
    let fleet = fleet_of(all);
    let survey = survey(&fleet);
    let facts = &found(&survey, 3).unwrap().facts;
    assert_eq!(facts.len(), 1);
    assert_eq!(facts[0].here.as_deref(), Some("IBPB"));
    assert_eq!(facts[0].others.as_deref(), Some("unret"));
}

#[test]
fn a_run_that_is_unlike_the_other_runs_of_its_machine_is_named_with_its_direction() {
    for (factor, is_faster) in [(0.8, true), (1.3, false)] {
        let made = Made { machines: 1, runs: 5, ..Made::default() };
        let mut all = imports(&made, |_| None);
        for row in &mut all[3].rows {
            // A rate costs more where it is less.
            let factor = if row.quantity == quantity::Quantity::Bandwidth { 1.0 / factor } else { factor };
            row.typical = row.typical.map(|typical| typical * factor);
            row.interval = row.interval.map(|(low, high)| (low * factor, high * factor));
        }
        let survey = survey(&fleet_of(all));
        let of = only(&survey);
        assert!(!of.is_judged && of.odd.is_empty());
        let [run] = of.odd_runs.as_slice() else { panic!("{:?}", of.odd_runs) };
        assert_eq!((run.machine, run.run, run.is_only_faster()), (0, 3, is_faster));
        assert!(run.points.len() > 100, "{}", run.points.len());
    }
}

#[test]
fn a_faster_machine_is_odd_and_known_to_be_faster() {
    fn faster(_: &PointId) -> f64 {
        0.9
    }
    let fleet = fleet_of(imports(&Made::default(), |machine| (machine == 1).then_some(faster as Fault)));
    assert!(found(&survey(&fleet), 1).unwrap().is_only_faster());
    let fleet = fleet_of(imports(&Made::default(), |machine| (machine == 1).then_some(power_cap as Fault)));
    assert!(!found(&survey(&fleet), 1).unwrap().is_only_faster());
}
