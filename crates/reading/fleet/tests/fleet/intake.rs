//! Whatever is wrong with records is named, and nothing else is lost.

use crate::machines::{Made, imports};
use fleet::{Import, Intake, Problem};

fn three() -> Vec<Import> {
    let made = Made { machines: 3, ..Made::default() };
    imports(&made, |_| None)
}

fn problems(imports: Vec<Import>) -> (fleet::Fleet, Vec<Problem>) {
    let mut intake = Intake::default();
    imports.into_iter().for_each(|import| intake.add(import));
    intake.finish()
}

#[test]
fn records_without_fault_have_no_problem() {
    let (fleet, problems) = problems(three());
    assert_eq!(problems, []);
    assert_eq!(fleet.machines.len(), 3);
    assert!(fleet.machines.iter().all(|machine| machine.runs.len() == 3));
}

#[test]
fn a_duplicate_counts_once() {
    let mut all = three();
    let copy = Import { file: "copy of it".to_owned(), ..all[0].clone() };
    all.push(copy);
    let (fleet, problems) = problems(all);
    let of = "node0000.0.oscope.jsonl".to_owned();
    assert_eq!(problems, [Problem::Duplicate { file: "copy of it".to_owned(), of }]);
    assert_eq!(fleet.machines[0].runs.len(), 3);
}

#[test]
fn two_machines_of_one_name_get_two_names() {
    let mut all = three();
    all[1].facts.insert("processor.model".into(), "Other".into());
    let (fleet, problems) = problems(all);
    let names: Vec<&str> = fleet.machines.iter().map(|machine| machine.name.as_str()).collect();
    assert_eq!(names, ["node0000", "node0000 (2)", "node0001", "node0002"]);
    assert!(matches!(&problems[..], [Problem::OneName { renamed, fact, .. }]
        if renamed == "node0000 (2)" && fact == "processor.model"));
}

#[test]
fn runs_before_a_change_of_the_machine_do_not_count() {
    let mut all = three();
    all[5].facts.insert("kernel.release".into(), "6.19.0".into());
    let (fleet, problems) = problems(all);
    assert_eq!(fleet.machines[1].runs.len(), 1);
    let changed = Problem::Changed {
        name: "node0001".to_owned(),
        fact: "kernel.release".to_owned(),
        from: "6.18.1".to_owned(),
        to: "6.19.0".to_owned(),
        runs: 2,
    };
    assert_eq!(problems, [changed]);
}

#[test]
fn numbers_of_the_rarer_revision_are_left_out() {
    let mut all = three();
    all[2].rows[7].revision = 2;
    let id = all[2].rows[7].id.to_string();
    let (fleet, problems) = problems(all);
    assert_eq!(problems, [Problem::Revision { point: id.clone(), runs: 1 }]);
    let column = fleet.columns.iter().position(|column| column.id.to_string() == id).unwrap();
    assert_eq!(fleet.machines[0].runs[2].values[column], None);
    assert!(fleet.machines[0].runs[1].values[column].is_some());
}

#[test]
fn unfinished_runs_wrong_clocks_empty_records_and_mixed_versions_are_named() {
    let mut all = three();
    all[0].has_ended = false;
    all[1].is_clock_right = false;
    all[2].program = "0.2.0".to_owned();
    all[3].rows.clear();
    let (fleet, problems) = problems(all);
    assert_eq!(fleet.machines[0].runs.len(), 3);
    assert_eq!(fleet.machines[1].runs.len(), 2);
    assert!(matches!(problems[0], Problem::Unfinished { .. }));
    assert!(matches!(problems[1], Problem::Clock { .. }));
    assert!(matches!(problems[2], Problem::Empty { .. }));
    assert!(matches!(&problems[3], Problem::Programs { versions }
        if versions[0] == ("0.1.0".to_owned(), 7) && versions[1] == ("0.2.0".to_owned(), 1)));
    assert_eq!(problems.len(), 4);
}
