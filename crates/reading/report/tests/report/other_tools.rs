//! What other programs read, by these programs: Prometheus' own check of metrics, and a validator of JSON schemas.

use crate::fixture::{Frozen, crowded, frozen, predicted_by_user, whole};
use crate::golden::text;
use crate::pair::shown;
use report::Form;
use std::io::Write;
use std::process::{Output, Stdio};

/// Runs a program with this on its standard input.
fn given(program: &str, words: &[&str], input: &str) -> Output {
    let mut command = programs::command(program);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn prometheus_finds_nothing_wrong_with_the_metrics() {
    if !programs::installed(&["promtool"]) {
        return;
    }
    let run = crowded();
    let metrics = text(|out| report::openmetrics(&run.view(), out));
    let check = |metrics: &str| {
        let checked = given("promtool", &["check", "metrics"], metrics);
        let said = [checked.stdout, checked.stderr].concat();
        (checked.status.success(), String::from_utf8(said).unwrap())
    };
    assert_eq!(check(&metrics), (true, String::new()), "{metrics}");
    let frozen = frozen();
    let metrics = text(|out| report::openmetrics(&frozen.view(), out));
    assert_eq!(check(&metrics), (true, String::new()), "{metrics}");
    // It is a check that fails.
    let (is_right, said) = check(&metrics.replace("oscope_run_info gauge", "oscope_run_info info"));
    assert!(!is_right && said.contains("unknown metric type"), "{said}");
}

#[track_caller]
fn is_right(schema: &str, document: &str) {
    assert_eq!(programs::violations(schema, document), None, "{schema}");
}

#[test]
fn json_documents_are_as_their_schemas_say() {
    if !programs::can_validate() {
        return;
    }
    let json = |run: &Frozen| text(|out| report::json(&run.view(), out));
    for run in [frozen(), whole(), predicted_by_user(), crowded()] {
        is_right("report.schema.json", &json(&run));
    }
    let mut old = frozen();
    old.plan.settings.seed = u64::MAX;
    let document = json(&old);
    assert!(document.contains("\"seed\": \"18446744073709551615\""), "{document}");
    is_right("report.schema.json", &document);
    shown(true, |view| {
        let document = text(|out| report::comparison(view, Form::Json, out));
        is_right("compare.schema.json", &document);
        // The validator refuses what is wrong.
        for (right, wrong) in
            [("\"decision\": \"faster\"", "\"decision\": 7"), ("\"only_first\"", "\"other\"")]
        {
            let violations = programs::violations("compare.schema.json", &document.replace(right, wrong));
            assert!(document.contains(right) && violations.is_some(), "{wrong}");
        }
    });
}
