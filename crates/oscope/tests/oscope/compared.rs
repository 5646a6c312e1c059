//! Baselines, labels, and more than two records.

use crate::{FROZEN_RECORD as RECORD, oscope, outcome};
use std::path::Path;

/// The output of a command that ends with this code: standard output or, where it fails, standard error.
fn said(state: &Path, arguments: &[&str], code: i32) -> String {
    let (ended, said, errors) = outcome(oscope(state).env("COLUMNS", "200").args(arguments));
    assert_eq!(ended, code, "{arguments:?}: {errors}");
    if code == 0 { said } else { errors }
}

#[test]
fn a_saved_baseline_is_compared_with_the_newest_record_or_a_named_one() {
    let state = tempfile::tempdir().unwrap();
    let missing = said(state.path(), &["compare", "--baseline", "main", RECORD], 2);
    assert!(missing.contains("no baseline 'main': none is saved"), "{missing}");
    let copy = state.path().join("copy.jsonl");
    std::fs::copy(RECORD, &copy).unwrap();
    said(state.path(), &["baseline", "main", copy.to_str().unwrap()], 0);
    std::fs::remove_file(&copy).unwrap();
    let list = said(state.path(), &["baseline"], 0);
    for part in ["baseline", "date", "kernel", "processor", "points", "main", "2026-01-01T00:00:00Z"] {
        assert!(list.contains(part), "{part}: {list}");
    }
    let again = said(state.path(), &["baseline", "main", RECORD], 0);
    assert!(again.contains("; it replaces the run of 2026-01-01T00:00:00Z, Linux "), "{again}");
    let compared = said(state.path(), &["compare", "--baseline", "main", RECORD], 0);
    assert!(compared.starts_with("first   main, ") && compared.contains("second  record, "), "{compared}");
    std::fs::write(state.path().join("oscope/newest"), RECORD).unwrap();
    assert_eq!(said(state.path(), &["compare", "--baseline", "main"], 0), compared);
    let other = said(state.path(), &["compare", "--baseline", "mian", RECORD], 2);
    assert!(other.contains("saved are main"), "{other}");
    for wrong in ["../main", ".main", ""] {
        let refused = said(state.path(), &["baseline", wrong, RECORD], 2);
        assert!(refused.contains("cannot be the name of a baseline"), "{refused}");
    }
    said(state.path(), &["baseline", "main", "/dev/null"], 3);
    assert_eq!(said(state.path(), &["baseline"], 0), list);
}

#[test]
fn a_record_is_not_compared_with_itself_unasked() {
    let state = tempfile::tempdir().unwrap();
    std::fs::create_dir(state.path().join("oscope")).unwrap();
    let copy = state.path().join("copy.jsonl");
    std::fs::copy(RECORD, &copy).unwrap();
    let copy = copy.to_str().unwrap();
    std::fs::write(state.path().join("oscope/newest"), copy).unwrap();
    let refused = said(state.path(), &["compare", copy], 2);
    assert!(
        refused.contains("it is the newest record itself") && refused.contains("compare A B"),
        "{refused}"
    );
    said(state.path(), &["compare", RECORD], 0);
    said(state.path(), &["compare", copy, copy], 0);
}

#[test]
fn records_have_labels_and_several_make_a_matrix() {
    let state = tempfile::tempdir().unwrap();
    let labels = ["--label", "old", "--label", "new", "--label", "patched"];
    let records = ["compare", RECORD, RECORD, RECORD];
    let matrix = said(state.path(), &[&records[..], &labels[..]].concat(), 0);
    assert!(matrix.contains("new vs old") && matrix.contains("patched vs old"), "{matrix}");
    assert!(!matrix.contains("what differs") && !matrix.contains("none differs"));
    // By default they are called as their files, or by their paths where these are alike.
    let unnamed = said(state.path(), &records, 0);
    assert!(unnamed.starts_with(&format!("first   {RECORD}, ")), "{unnamed}");
    let all = said(state.path(), &[&records[..], &["--all"]].concat(), 0);
    assert!(
        all.len() > matrix.len()
            && all.contains("recorded in both, none differs; the settings of both runs are the same")
    );
    let few = said(state.path(), &[&records[..], &["--label", "old"]].concat(), 2);
    assert!(few.contains("3 are needed, not 1"), "{few}");
}
