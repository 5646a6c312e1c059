//! Runs of one name that are of two machines, and runs of one machine under several names.

use crate::machines::{Made, imports};
use fleet::{Fleet, Import, Intake, Problem};

/// Three machines with three runs each, one after the other, every machine in a boot of its own.
fn booted() -> Vec<Import> {
    let made = Made { machines: 3, ..Made::default() };
    let mut all = imports(&made, |_| None);
    all.iter_mut().for_each(|import| import.boot = Some(import.machine.as_str().into()));
    all
}

fn taken_in(imports: Vec<Import>) -> (Fleet, Vec<Problem>) {
    let mut intake = Intake::default();
    imports.into_iter().for_each(|import| intake.add(import));
    intake.finish()
}

/// The machines with their numbers of runs.
fn machines(fleet: &Fleet) -> Vec<(&str, usize)> {
    fleet.machines.iter().map(|machine| (machine.name.as_str(), machine.runs.len())).collect()
}

#[test]
fn machines_with_a_boot_each_have_no_problem() {
    let (fleet, problems) = taken_in(booted());
    assert_eq!(problems, []);
    assert_eq!(machines(&fleet), [("node0000", 3), ("node0001", 3), ("node0002", 3)]);
}

#[test]
fn two_boots_that_are_up_at_the_same_time_are_two_machines() {
    let mut all = booted();
    // The second of three runs is in another boot: that of the others was up before it and after it.
    all[1].boot = Some("another".into());
    let span = all[0].span.unwrap();
    for at in [span, all[1].span.unwrap()] {
        all[1].span = Some((at.0 + 5.0, at.1 + 5.0));
        let (fleet, problems) = taken_in(all.clone());
        assert_eq!(machines(&fleet)[..2], [("node0000", 2), ("node0000 (2)", 1)]);
        assert!(matches!(&problems[..], [Problem::OneName { renamed, fact, .. }]
            if renamed == "node0000 (2)" && fact == "boot"));
    }
}

#[test]
fn boots_one_after_the_other_count_as_one_machine_and_are_named_once() {
    let mut all = booted();
    all[2].boot = Some("later".into());
    all[5].boot = Some("later too".into());
    let (fleet, problems) = taken_in(all);
    assert_eq!(machines(&fleet)[..2], [("node0000", 3), ("node0001", 3)]);
    assert_eq!(problems, [Problem::Boots { names: vec!["node0000".to_owned(), "node0001".to_owned()] }]);
}

#[test]
fn runs_of_one_name_at_the_same_time_are_named_also_where_no_boot_is_known() {
    for (boot, is_one_boot) in [(None, false), (Some("one"), true)] {
        let mut all = booted();
        all.iter_mut().take(3).for_each(|import| import.boot = boot.map(Into::into));
        all[1].span = all[0].span.map(|(from, to)| (from + 60.0, to + 60.0));
        let (fleet, problems) = taken_in(all);
        assert_eq!(machines(&fleet)[0], ("node0000", 3));
        let files = ["node0000.0.oscope.jsonl", "node0000.1.oscope.jsonl"].map(str::to_owned);
        let name = "node0000".to_owned();
        assert_eq!(problems, [Problem::Overlap { name, files, is_one_boot }]);
    }
}

#[test]
fn names_of_one_boot_are_one_machine_unless_their_runs_say_otherwise() {
    let names = |from: usize| (from..3).map(|number| format!("node000{number}")).collect::<Vec<_>>();
    let mut all = booted();
    for (place, import) in all.iter_mut().enumerate().skip(3) {
        import.boot = Some("one".into());
        let begun = 3600.0 * place as f64;
        import.span = Some((begun, begun + 60.0));
    }
    let (fleet, problems) = taken_in(all.clone());
    assert_eq!(machines(&fleet), [("node0000", 3), ("node0001", 6)]);
    assert_eq!(problems, [Problem::OneBoot { names: names(1), is_joined: true }]);

    let mut limited = all.clone();
    for (place, import) in limited.iter_mut().enumerate().skip(3) {
        let cpu = if place < 6 { "1" } else { "2" };
        import.facts.insert("cpus.allowed".into(), cpu.into());
    }
    let mut at_once = all;
    at_once[7].span = at_once[4].span;
    for all in [limited, at_once] {
        let (fleet, problems) = taken_in(all);
        assert_eq!(machines(&fleet), [("node0000", 3), ("node0001", 3), ("node0002", 3)]);
        assert_eq!(problems, [Problem::OneBoot { names: names(1), is_joined: false }]);
    }
}
