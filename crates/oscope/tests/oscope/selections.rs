//! A selection means the same points in every command that takes one.

use crate::{FROZEN_RECORD, oscope, outcome, refused, said};
use serde_json::Value;

/// The points in the rows of a CSV, whose first columns are operation and point.
fn points(csv: &str) -> Vec<String> {
    let cells = csv.lines().skip(1).map(|line| line.splitn(3, ',').take(2).collect::<Vec<_>>().join(" "));
    cells.map(|id| id.trim_end().to_owned()).collect()
}

#[test]
fn conditions_hold_in_report_and_compare() {
    let state = tempfile::tempdir().unwrap();
    for (word, expected) in [
        ("switch.* cpu=same", &["switch.process.pipe cpu=same", "switch.thread.semaphore cpu=same"][..]),
        (
            "os cpu=same|other",
            &[
                "switch.process.pipe cpu=same",
                "switch.process.pipe cpu=other",
                "switch.thread.semaphore cpu=same",
            ],
        ),
        (
            "memory.* bytes=*MiB",
            &[
                "memory.latency page_size=4KiB bytes=64MiB",
                "memory.latency.stride stride=64B access=forward bytes=64MiB",
            ],
        ),
        ("switch.process.pipe cpu=other", &["switch.process.pipe cpu=other"]),
    ] {
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        for words in [
            &["report", FROZEN_RECORD, word][..],
            &["compare", FROZEN_RECORD, FROZEN_RECORD, "--all", "--only", word],
        ] {
            // Some verdicts of the record have an exit code of their own.
            let (_, csv, errors) = outcome(oscope(state.path()).args(words).args(["--format", "csv"]));
            let mut found = points(&csv);
            found.sort_unstable();
            assert_eq!(found, expected, "{words:?}: {errors}");
        }
    }
}

#[test]
fn what_a_record_does_not_have_is_said_to_be_unmeasured_there() {
    let state = tempfile::tempdir().unwrap();
    let refused = |words: &[&str], word: &str| refused(state.path(), &[words, &[word]].concat(), 2);
    for words in [&["report", FROZEN_RECORD][..], &["compare", FROZEN_RECORD, FROZEN_RECORD, "--only"]] {
        for (word, says) in [
            ("file.stat", "'file.stat' was not measured in "),
            ("file.stat", "measure it: oscope run 'file.stat'"),
            ("switch.* cpu=node", "(no point of 'switch.*' has cpu=node (cpu is "),
            ("network.* path=remote", "'network.* path=remote' was not measured in"),
            ("switch.* cpu=nod", "no point of 'switch.*' has cpu=nod"),
            ("syscall.flor", "did you mean syscall.floor?"),
        ] {
            let said = refused(words, word);
            assert!(said.contains(says), "{words:?} {word}: {said}");
            assert!(!says.contains("not measured") || !said.contains("nothing is called"), "{said}");
        }
    }
}

#[test]
fn conditions_hold_in_run_list_predict_and_explain() {
    const WORD: &str = "network.round_trip.tcp path=loopback";
    let state = tempfile::tempdir().unwrap();
    let said = |words: &[&str]| said(state.path(), words);
    let listed: Vec<Value> = serde_json::from_str(&said(&["list", WORD, "--json"])).unwrap();
    let [operation] = listed.as_slice() else { panic!("{listed:?}") };
    let points: Vec<&str> = operation["points"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
    assert!(points.len() > 2 && points.iter().all(|point| point.contains("path=loopback")), "{points:?}");
    let dry = said(&["run", "--dry-run", WORD]);
    assert!(dry.contains(&format!("'{WORD}' selects {} points of 1 operation", points.len())), "{dry}");
    let predicted = said(&["predict", WORD]);
    assert!(predicted.contains("path=loopback") && !predicted.contains("path=remote"), "{predicted}");
    let explained = said(&["explain", WORD]);
    assert!(explained.contains("Prediction, for [path=loopback"), "{explained}");
    let explained = said(&["explain", "network.* path=remote"]);
    assert!(explained.contains("network.round_trip.tcp") && !explained.contains("udp.self"), "{explained}");
    assert!(
        refused(state.path(), &["explain", "network.* path=remot"], 2).contains("path is loopback or remote")
    );
}
