//! Results in the forms of other programs: what those read is what the record says.

use crate::history::RUN;
use crate::{refused, said};
use serde_json::Value;

/// A record, and what a report in a form holds.
fn in_form(form: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let record = RUN.write(folder.path());
    said(folder.path(), &["report", record.to_str().unwrap(), "--format", form])
}

fn json(form: &str) -> Value {
    serde_json::from_str(&in_form(form)).unwrap()
}

const POINT: &str = "file.read.direct access=random";

#[test]
fn trackers_of_benchmarks_get_values_with_their_intervals() {
    let bencher = json("bencher");
    let metric = &bencher[POINT]["latency"];
    let [value, low, high] = ["value", "lower_value", "upper_value"].map(|key| metric[key].as_f64().unwrap());
    assert!(low <= value && value <= high && (39_000.0..41_000.0).contains(&value), "{bencher:#}");
    let smaller = json("github-smaller");
    let point = &smaller[0];
    assert_eq!((&point["name"], &point["unit"]), (&POINT.into(), &"ns".into()));
    assert_eq!(point["value"].as_f64(), Some(value));
    assert!(point["range"].as_str().unwrap().starts_with("± "), "{point}");
    assert_eq!(json("github-bigger"), Value::Array(Vec::new()), "there is no bandwidth");
}

#[test]
fn comparisons_get_a_repetition_for_each_trial() {
    let google = json("google-benchmark");
    let all = google["benchmarks"].as_array().unwrap();
    assert_eq!(all.len(), 12);
    for (repetition, entry) in all.iter().enumerate() {
        assert_eq!(entry["name"], "file.read.direct/access=random");
        assert_eq!((&entry["run_type"], &entry["time_unit"]), (&"iteration".into(), &"ns".into()));
        assert_eq!(entry["repetition_index"].as_u64(), Some(repetition as u64));
        assert!((39_000.0..41_000.0).contains(&entry["real_time"].as_f64().unwrap()), "{entry}");
    }
    assert_eq!(google["context"]["date"], "2026-11-20T10:00:00Z");
    let hyperfine = json("hyperfine");
    let result = &hyperfine["results"][0];
    assert_eq!((&result["command"], result["times"].as_array().unwrap().len()), (&POINT.into(), 12));
    let seconds = ["min", "median", "max"].map(|key| result[key].as_f64().unwrap());
    assert!(seconds.is_sorted() && (3.9e-5..4.1e-5).contains(&seconds[1]), "{result}");
    assert_eq!(result["exit_codes"].as_array().unwrap().len(), 12);
}

#[test]
fn test_runners_get_a_case_for_each_point() {
    let ktap = in_form("ktap");
    let lines: Vec<&str> = ktap.lines().collect();
    assert_eq!(lines[..2], ["KTAP version 1", "1..1"]);
    assert_eq!(lines.last(), Some(&"ok 1 file.read.direct/access=random"));
    let lava = in_form("lava");
    assert!(
        lava.contains("lava-test-case file.read.direct.access.random --result pass --measurement 4"),
        "{lava}"
    );
    assert!(lava.trim_end().ends_with("--units ns"), "{lava}");
    let lkp = in_form("lkp");
    let (name, value) = lkp.trim_end().split_once(": ").unwrap();
    assert_eq!(name, "file.read.direct.access.random.ns");
    assert!((39_000.0..41_000.0).contains(&value.parse::<f64>().unwrap()), "{lkp}");
}

#[test]
fn a_trace_has_the_trials_in_their_order_and_the_gaps_between_them() {
    let trace = json("chrome-trace");
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |name: &str| events.iter().filter(|event| event["name"] == name).collect::<Vec<_>>();
    let (trials, gaps) = (of(POINT), of("no trial"));
    assert_eq!((trials.len(), gaps.len()), (12, 11));
    for (trial, gap) in trials.iter().zip(&gaps) {
        let [[start, lasted], [gap, _]] =
            [trial, gap].map(|event| ["ts", "dur"].map(|key| event[key].as_f64().unwrap()));
        assert!(lasted > 0.0 && (start + lasted - gap).abs() < 1e-3, "{trial} {gap}");
    }
    assert_eq!(trials[3]["args"]["round"], 4);
}

#[test]
fn a_form_of_another_program_has_no_table_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let record = RUN.write(folder.path());
    let words = ["report", record.to_str().unwrap(), "--trials", "--format", "bencher"];
    refused(folder.path(), &words, 2);
    let errors = refused(folder.path(), &["report", "--format", "nonsense"], 2);
    assert!(errors.contains("google-benchmark") && errors.contains("benchstat"), "{errors}");
}
