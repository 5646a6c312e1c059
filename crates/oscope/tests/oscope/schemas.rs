//! JSON documents of the program are as their published schemas say.

use crate::history::{RUN, Run};
use crate::{FROZEN_RECORD, fleet, said};
use std::path::Path;

/// Fails where a document of the program is not as its schema says, and where the schema would take any document.
fn check(schema: &str, state: &Path, words: &[&str]) {
    let document = said(state, &[words, &["--format", "json"]].concat());
    assert_eq!(programs::violations(schema, &document), None, "{words:?}");
    for (right, wrong) in [("\"schema\": 1,", "\"schema\": \"1\","), ("\"schema\": 1,", "")] {
        assert!(document.contains(right), "{words:?}");
        let changed = document.replacen(right, wrong, 1);
        assert!(programs::violations(schema, &changed).is_some(), "{words:?}: {wrong}");
    }
}

#[test]
fn json_of_the_program_is_as_its_schemas_say() {
    if !programs::can_validate() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    // A step of 20 % and another kernel, so that few parts of a document are empty.
    for day in 1..=20 {
        let (cost_ns, kernel) = if day < 14 { (40_000.0, "6.18.1") } else { (48_000.0, "6.18.2") };
        Run { day, cost_ns: cost_ns + f64::from(day % 3) * 100.0, kernel, ..RUN }.write(state);
    }
    let record = |day: u32| state.join(Run { day, ..RUN }.name()).to_str().unwrap().to_owned();
    let (old, new, nights) = (record(1), record(20), state.to_str().unwrap());
    check("history.schema.json", state, &["history", nights]);
    check("report.schema.json", state, &["report", &new, "--history", nights]);
    check("report.schema.json", state, &["report", FROZEN_RECORD]);
    check("compare.schema.json", state, &["compare", &old, &new]);
    check("compare.schema.json", state, &["compare", FROZEN_RECORD, FROZEN_RECORD, FROZEN_RECORD]);
    check("compare.schema.json", state, &["compare", &old, &record(2), "--with", &new, &record(19)]);
    let machines = fleet::fleet();
    std::fs::write(machines.path().join("foreign.jsonl"), "{\"a\": 1}\n").unwrap();
    check("fleet.schema.json", state, &["fleet", "report", machines.path().to_str().unwrap()]);
}
