//! Several runs on each side of a comparison.

use crate::history::{RUN, Run};
use crate::{oscope, outcome, refused, said};

#[test]
fn several_records_a_side_are_compared_with_what_they_differ_by() {
    let folder = tempfile::tempdir().unwrap();
    let side = |first: u32, costs: &[f64]| -> Vec<String> {
        let runs = (first..).step_by(2).zip(costs);
        let paths = runs.map(|(day, cost)| Run { day, cost_ns: cost * 1000.0, ..RUN }.write(folder.path()));
        paths.map(|path| path.to_str().unwrap().to_owned()).collect()
    };
    let decision = |first: &[String], second: &[String], more: &[&str]| {
        let mut words = vec!["compare", "--format", "json"];
        words.extend(more);
        words.extend(first.iter().map(String::as_str));
        words.push("--with");
        words.extend(second.iter().map(String::as_str));
        let json: serde_json::Value = serde_json::from_str(&said(folder.path(), &words)).unwrap();
        json["comparisons"][0]["points"][0]["decision"].as_str().unwrap().to_owned()
    };
    let first = side(1, &[40.0, 40.2, 39.9, 40.1]);
    assert_eq!(decision(&first, &side(2, &[52.0, 52.1, 51.8, 52.2]), &[]), "slower");
    assert_eq!(decision(&first, &side(2, &[40.0, 65.0, 33.0, 70.0]), &[]), "undecided");
    let second = side(2, &[40.1, 40.0, 40.1, 40.0]);
    assert_ne!(decision(&first, &second, &["--label", "a", "--label", "b"]), "slower");
    let words = ["compare", &first[0], "--label", "a", "--with", &second[0]];
    assert!(refused(folder.path(), &words, 2).contains("2 are needed, not 1"));
    let words = ["compare", &first[0], &first[0], "--with", &second[0]];
    assert!(refused(folder.path(), &words, 2).contains("it is named twice"));
}

#[test]
fn a_baseline_of_several_records_is_a_side() {
    let folder = tempfile::tempdir().unwrap();
    let runs = |days: &[u32], cost_ns: f64| -> Vec<String> {
        let paths = days.iter().map(|day| Run { day: *day, cost_ns, ..RUN }.write(folder.path()));
        paths.map(|path| path.to_str().unwrap().to_owned()).collect()
    };
    let (first, second) = (runs(&[1, 3, 5], 40_000.0), runs(&[2, 4, 6], 52_000.0));
    let mut words = vec!["baseline", "main"];
    words.extend(first.iter().map(String::as_str));
    let saved = said(folder.path(), &words);
    assert!(saved.contains(": 3 runs, the first of 2026-11-01T"), "{saved}");
    let list = said(folder.path(), &["baseline"]);
    assert!(list.lines().next().unwrap().trim_end().ends_with("records"), "{list}");
    assert!(list.lines().any(|line| line.starts_with("main ") && line.trim_end().ends_with(" 3")), "{list}");
    let compared = |sides: &[&[&str]]| {
        let (code, json, errors) =
            outcome(oscope(folder.path()).args(["compare", "--format", "json"]).args(sides.concat()));
        assert_eq!(code, 0, "{errors}");
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["comparisons"].clone()
    };
    let [first, second] = [&first, &second].map(|side| side.iter().map(String::as_str).collect::<Vec<_>>());
    let baseline = ["--baseline", "main"];
    let with = [&["--with"], second.as_slice()].concat();
    assert_eq!(compared(&[&baseline, &with]), compared(&[&first, &with]));
    let shown = said(folder.path(), &[&["compare"], &baseline[..], &with].concat());
    assert!(shown.contains("main (3 runs), 2026-11-01T"), "{shown}");
    assert!(shown.contains("2026-11-02 and 2 more, 2026-11-02T"), "{shown}");
    // Each of several records is compared with the whole baseline.
    let each = compared(&[&baseline, &second]);
    let alone = compared(&[&first, &["--with", second[1]]]);
    assert_eq!((each.as_array().unwrap().len(), &each[1]), (3, &alone[0]));
    // A baseline of one is a record.
    said(folder.path(), &["baseline", "main", first[0]]);
    assert_eq!(compared(&[&baseline, &second[..1]]), compared(&[&first[..1], &second[..1]]));
    let words = [&["compare", "--baseline", "main"], first.as_slice(), &with].concat();
    assert!(refused(folder.path(), &words, 2).contains("no records stand before --with"));
    let words = ["baseline", "main", first[0], first[0]];
    assert!(refused(folder.path(), &words, 2).contains("it is named twice"));
}
