//! `oscope run --operation`: programs of the user, right ones and those with a mistake.

use crate::{oscope, outcome, refused};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// How a program begins that declares itself and answers by this handler of `run`, in the language of the shell; `$n` is the
/// number of iterations.
fn program(folder: &Path, run: &str) -> String {
    let text = format!(
        "printf 'oscope-operation 1\\nname test\\nready\\n'\n\
         work() {{ i=0; while [ $i -lt $1 ]; do i=$((i + 1)); done; }}\n\
         while read -r word n; do case $word in point) echo ok ;; run) {run} ;; esac; done\n"
    );
    let path = folder.join("program.sh");
    fs::write(&path, text).unwrap();
    format!("sh '{}'", path.display())
}

/// The rows of a run of a program.
fn rows(folder: &Path, line: &str) -> Vec<Value> {
    let record = folder.join("record");
    let record = record.to_str().unwrap();
    let _ = fs::remove_file(record);
    let run = ["run", "--quiet", "--rounds", "6", "--operation", line, "--output", record];
    let (code, _, errors) = outcome(oscope(folder).args(run));
    assert!(code == 0 || code == 4, "{line}: {errors}");
    let (_, json, errors) = outcome(oscope(folder).args(["report", record, "--format", "json"]));
    let json: Value = serde_json::from_str(&json).unwrap_or_else(|_| panic!("{line}: {errors}"));
    json["rows"].as_array().or(json["points"].as_array()).unwrap().clone()
}

#[test]
fn program_of_the_user_is_measured_at_its_points() {
    let folder = tempfile::tempdir().unwrap();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contrib/operation/sum.sh");
    let rows = rows(folder.path(), &format!("sh '{example}'"));
    let points: Vec<_> = rows.iter().map(|row| (row["operation"].as_str(), row["point"].as_str())).collect();
    assert_eq!(points, [(Some("own.shell.sum"), Some("by=1")), (Some("own.shell.sum"), Some("by=1000000"))]);
    assert!(rows.iter().all(|row| row["verdict"] != "failed" && row["verdict"] != "skipped"), "{rows:#?}");
}

#[test]
fn program_with_a_mistake_has_no_measured_number() {
    let folder = tempfile::tempdir().unwrap();
    for (mistake, run, reason) in [
        ("does less for larger n", "work $((n * 300 / (n + 300))); echo done $n $n", "iterations"),
        ("caches", "echo done $n $n", "the work was not done"),
        ("sleeps", "if [ $n -gt 0 ]; then sleep 0.02; fi; echo done $n $n", "it sleeps or waits"),
        ("dies", "exit 3", "it ended (exit status: 3)"),
        ("hangs", "read -r never", "did not answer run 0 within 5 s"),
        ("prints garbage", "work $n; echo fast", "answered \"fast\" to 'run 0'"),
        ("does less and says so", "echo done $((n / 2)) 0", "was asked for 1 iterations and did 0"),
        ("is wrong", "work $n; echo done $n $((n / 2))", ""),
    ] {
        let rows = rows(folder.path(), &program(folder.path(), run));
        let [row] = rows.as_slice() else { panic!("{mistake}: {rows:#?}") };
        let verdict = row["verdict"].as_str().unwrap();
        let is_expected = if reason.is_empty() { verdict == "contradicted" } else { verdict == "failed" };
        assert!(is_expected, "{mistake}: {row:#}");
        assert!(row.to_string().replace("\\\"", "\"").contains(reason), "{mistake}: {row:#}");
    }
}

/// Compiles a program of the user in C, with the header for them; gives its command line.
fn compiled(folder: &Path, name: &str, text: &str) -> String {
    let [source, program] = [format!("{name}.c"), name.to_owned()].map(|name| folder.join(name));
    fs::write(&source, text).unwrap();
    let headers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contrib/operation");
    let mut compiler = programs::command("cc");
    let ended = compiler.args(["-O2", "-I", headers, "-o"]).args([&program, &source]).status().unwrap();
    assert!(ended.success());
    format!("'{}'", program.display())
}

#[test]
fn program_that_lies_about_n_is_contradicted_by_its_declared_calls() {
    let folder = tempfile::tempdir().unwrap();
    let honest = include_str!("../../../../contrib/operation/getppid.c");
    let lying = honest.replace("i < n;", "i < n / 2;").replace("return right;", "return n;");
    assert_ne!(honest, lying);
    let undeclared = lying.replace("\"getppid 1\"", "NULL");
    let verdict = |name: &str, text: &str| {
        let rows = rows(folder.path(), &compiled(folder.path(), name, text));
        let [row] = rows.as_slice() else { panic!("{rows:#?}") };
        let shown = crate::said(folder.path(), &["report", folder.path().join("record").to_str().unwrap()]);
        let is_own_word =
            shown.split_whitespace().collect::<Vec<_>>().join(" ").contains("the program's own word for n");
        (row["verdict"].as_str().unwrap().to_owned(), row.to_string().contains("getppid"), is_own_word)
    };
    let (honest_verdict, _, is_own_word) = verdict("honest", honest);
    assert!(honest_verdict != "contradicted" && !is_own_word, "{honest_verdict}");
    assert_eq!(verdict("lying", &lying), ("contradicted".to_owned(), true, false));
    // Nothing shows it where no calls are declared: the table says whose word n is.
    let (undeclared_verdict, _, is_own_word) = verdict("undeclared", &undeclared);
    assert!(undeclared_verdict != "contradicted" && is_own_word, "{undeclared_verdict}");
}

#[test]
fn program_that_does_not_declare_itself_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (line, reason) in [
        ("echo hi", "the first line of the program is \"hi\""),
        ("true", "did not answer its start"),
        ("no-such-program", "cannot be started"),
        ("printf 'oscope-operation 1\\nname A\\nready\\n'", "the name \"A\" is not made of"),
        (
            "printf 'oscope-operation 1\\nname a\\npoint cpu=same\\nready\\n'",
            "'cpu' has a meaning of its own",
        ),
        (
            "printf 'oscope-operation 1\\nname a\\ncalls getppid 1, getpppid 1\\nready\\n'",
            "Linux has no system call 'getpppid'",
        ),
        ("printf 'oscope-operation 1\\nspeed 3\\n'", "declares \"speed 3\""),
    ] {
        let errors = refused(folder.path(), &["run", "--operation", line], 2);
        assert!(errors.contains(reason), "{line}: {errors}");
    }
}
