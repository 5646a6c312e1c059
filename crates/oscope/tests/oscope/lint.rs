//! `oscope lint` and `oscope reference` as a user sees them.

use crate::{oscope, outcome};

fn output(arguments: &[&str], input: &str) -> (i32, String, String) {
    let state = tempfile::tempdir().unwrap();
    outcome(oscope(state.path()).args(arguments).write_stdin(input))
}

const WRONG: &str =
    "operation,measured,unit,suspect\nsyscall.getpid.libc,12.3,ns,\nloop.iteration,0.3,ns,E12\n";

#[test]
fn finding_is_in_every_form_and_sets_the_exit_code() {
    let (code, text, _) = output(&["lint", "-"], WRONG);
    assert_eq!(code, 1);
    for part in ["E01", "no_kernel_entry", "line 2", "1 finding", "not read: suspect"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("2 rows, 2 recognised\n"), "{text}");
    let (_, json, _) = output(&["lint", "-", "--format", "json"], WRONG);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["findings"][0]["lines"], serde_json::json!([2]));
    let (_, csv, _) = output(&["lint", "-", "--format", "csv"], WRONG);
    assert!(csv.starts_with("code,mistake,rule,subject,lines,sentence\nE01,"), "{csv}");
}

#[test]
fn no_finding_is_success_and_unreadable_tables_are_refused() {
    let (code, text, _) = output(&["lint", "-"], "operation,measured,unit\nsyscall.getpid.raw,90,ns\n");
    assert_eq!(code, 0);
    assert!(text.contains("no finding"), "{text}");
    let (code, _, error) = output(&["lint", "-"], "a,b\n1,2\n");
    assert_eq!(code, 2);
    assert!(error.contains("nothing can be checked"), "{error}");
    assert_eq!(output(&["lint", "/no/such/file"], "").0, 3);
}

#[test]
fn rows_that_are_not_recognised_are_listed_with_the_reason() {
    let table = "operation,measured,unit\nload L1,1.2,ns\nshuffle cards,5,us\nsyscall.getppid,90,parsecs\n";
    let (code, text, _) = output(&["lint", "-"], table);
    assert_eq!(code, 0);
    let line = "3 rows, 1 recognised; not: line 3 'shuffle cards' (name), line 4 'syscall.getppid' (unit)";
    assert!(text.contains(line), "{text}");
    let (_, json, _) = output(&["lint", "-", "--format", "json"], table);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["recognised"], &json["not_recognised"][1]["missing"]), (&1.into(), &"unit".into()));
}

#[test]
fn other_encodings_and_forms_are_named() {
    let state = tempfile::tempdir().unwrap();
    let mut command = oscope(state.path());
    let (code, text, _) =
        outcome(command.args(["lint", "-"]).write_stdin(b"test;mean (\xb5s)\nread;1,25\n".as_slice()));
    assert!(code == 0 && text.contains("read as Windows-1252") && text.contains("mean (µs)"), "{text}");
    let form = r#"{"results":[{"command":"./a","mean":0.25,"stddev":0.01,"min":0.24,"max":0.27}]}"#;
    let (code, text, _) = output(&["lint", "-"], form);
    assert!(code == 0 && text.starts_with("hyperfine JSON: 1 rows"), "{text}");
}

#[test]
fn rules_are_printed_with_their_examples() {
    let (code, text, _) = output(&["lint", "--rules"], "");
    assert_eq!(code, 0);
    for rule in lint::rules() {
        assert!(text.contains(&format!("### `{}`", rule.id)), "{}", rule.id);
        assert!(text.contains(rule.example.lines().last().unwrap()), "{}", rule.id);
    }
    assert_eq!(output(&["lint"], "").0, 2);
}

#[test]
fn figures_of_the_reports_can_be_listed_and_checked() {
    let (code, text, _) = output(&["reference", "switch"], "");
    assert_eq!(code, 0);
    assert!(text.contains("switch.process.pipe") && text.contains("E38"), "{text}");
    assert_eq!(output(&["reference", "nothing.such"], "").0, 2);
    let (_, json, _) = output(&["reference", "fault", "--format", "json"], "");
    assert!(serde_json::from_str::<Vec<serde_json::Value>>(&json).unwrap().len() > 5);
    let (_, csv, _) = output(&["reference", "--trials", "--format", "csv"], "");
    let (code, found, _) = output(&["lint", "-"], &csv);
    assert_eq!(code, 1);
    assert!(found.contains("not read: machine, suspect, remark"), "{found}");
}

/// Names in other tables mean operations of this program, so that rules see all tables alike.
#[test]
fn names_mean_ids_of_operations() {
    const NOT_MEASURED: [&str; 2] = ["syscall.read_write", "process.execve"];
    for id in lint::known_ids().filter(|id| !NOT_MEASURED.contains(id)) {
        let is_of = |own: &str| {
            own.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_']))
        };
        assert!(flawed::all_operations().iter().any(|operation| is_of(operation.id)), "{id}");
    }
}
