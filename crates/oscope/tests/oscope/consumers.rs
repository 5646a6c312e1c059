//! Results as other programs read them: those of Debian that take a form of ours.

use crate::history::{RUN, Run};
use crate::said;
use std::fs;
use std::path::Path;

/// Writes a report of a run in a form; gives its path.
fn written(run: &Run, form: &str, folder: &Path) -> String {
    let record = run.write(folder);
    let path = folder.join(format!("{}.{form}", run.name()));
    fs::write(&path, said(folder, &["report", record.to_str().unwrap(), "--format", form])).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What a script of Debian's Python prints.
fn python(words: &[&str]) -> String {
    let output = programs::command(programs::PYTHON).args(words).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn compare_of_google_benchmark_finds_the_difference_of_two_records() {
    if !programs::installed(&["python3", "compare.py", "_distributor_init.py"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let slower = Run { day: 21, cost_ns: 1.1 * RUN.cost_ns, ..RUN };
    let [before, after] = [&RUN, &slower].map(|run| written(run, "google-benchmark", folder.path()));
    let compared = |before: &str, after: &str| {
        let dump = folder.path().join("compared.json");
        let dump = dump.to_str().unwrap();
        python(&[&programs::path("compare.py"), "--no-color", "-d", dump, "benchmarks", before, after]);
        let all: serde_json::Value = serde_json::from_str(&fs::read_to_string(dump).unwrap()).unwrap();
        all.as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == "file.read.direct/access=random")
            .unwrap()
            .clone()
    };
    let changed = compared(&before, &after);
    let measurements = changed["measurements"].as_array().unwrap();
    assert_eq!(measurements.len(), 12);
    let is_tenth = |one: &serde_json::Value| (0.09..0.11).contains(&one["time"].as_f64().unwrap());
    assert!(measurements.iter().all(is_tenth), "{changed:#}");
    let p = |compared: &serde_json::Value| compared["utest"]["time_pvalue"].as_f64().unwrap();
    assert!(p(&changed) < 0.001, "{changed:#}");
    assert!(p(&compared(&before, &before)) > 0.9);
}

#[test]
fn parsers_of_tap_and_junit_count_the_cases() {
    if !programs::installed(&["python3", "parser.py", "junitparser.py"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let ktap = written(&RUN, "ktap", folder.path());
    // The first line, the version of KTAP, is unknown to a reader of TAP.
    let tests = "import sys; from tap.parser import Parser; \
        lines = list(Parser().parse_file(sys.argv[1])); \
        print([line.category for line in lines]); \
        print([(line.ok, line.description) for line in lines if line.category == 'test'])";
    assert_eq!(
        python(&["-c", tests, &ktap]),
        "['unknown', 'plan', 'diagnostic', 'test']\n[(True, 'file.read.direct/access=random')]\n"
    );
    let junit = written(&RUN, "junit", folder.path());
    let cases = "import sys; from junitparser import JUnitXml; \
        all = JUnitXml.fromfile(sys.argv[1]); stated = (all.tests, all.failures, all.errors, all.skipped); \
        all.update_statistics(); counted = (all.tests, all.failures, all.errors, all.skipped); \
        print(stated == counted, counted, [(case.classname, case.name) for suite in all for case in suite])";
    let expected = "True (1, 0, 0, 0) [('file.read.direct', 'access=random')]\n";
    assert_eq!(python(&["-c", cases, &junit]), expected);
}
