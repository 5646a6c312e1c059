//! Two set-ups, alternating, and the scripts for CI.

use crate::{measured, oscope, outcome, refused};
use programs::command;
use std::fs;
use std::path::Path;

/// A run that ends soon.
const QUICK: [&str; 3] = ["syscall.floor", "--rounds", "6"];

#[test]
fn set_ups_alternate_and_what_they_change_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let (log, records) = (folder.path().join("log"), folder.path().join("records"));
    let say = |word: &str| format!("echo {word} >> '{}'", log.display());
    let (a, b, restore) = (say("a"), say("b"), say("restored"));
    let words = ["ab", "--rounds", "2", "--restore", &restore, "--format", "json", "--records"];
    let (code, json, errors) =
        outcome(oscope(folder.path()).args(words).arg(&records).args(["--", &a, &b]).args(QUICK));
    assert_eq!(code, 0, "{errors}");
    let order: Vec<String> = fs::read_to_string(&log).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(order, ["a", "b", "b", "a", "restored"]);
    let mut names: Vec<_> = fs::read_dir(&records)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["a1", "a2", "b1", "b2"].map(|name| format!("{name}.oscope.jsonl")));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let point = &json["comparisons"][0]["points"][0];
    assert_eq!(point["operation"], "syscall.floor", "{json:#}");
}

/// What was measured is shown all the same: a recipe's last words cost the user its three minutes.
#[test]
fn what_cannot_be_restored_does_not_hide_the_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["ab", "--rounds", "2", "--restore", "exit 7", "--format", "json", "--", "true", "true"];
    let (code, json, errors) = outcome(oscope(folder.path()).args(words).args(QUICK));
    assert_eq!(code, 4, "{errors}");
    assert!(errors.contains("not restored: 'exit 7' failed"), "{errors}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["comparisons"][0]["points"][0]["operation"], "syscall.floor", "{json:#}");
}

#[test]
fn a_set_up_that_fails_ends_the_runs_and_restores() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let restore = format!("echo restored >> '{}'", log.display());
    let records = folder.path().join("records");
    let records = records.to_str().unwrap();
    let words = ["ab", "--restore", &restore, "--records", records, "--", "exit 3", "true", "syscall.floor"];
    let errors = refused(folder.path(), &words, 4);
    assert!(errors.contains("'exit 3' failed"), "{errors}");
    assert_eq!(fs::read_to_string(&log).unwrap(), "restored\n");
    refused(folder.path(), &["ab", "--", "true"], 2);
    // A selection that no run takes is refused before the set-up.
    let set_up = format!("echo set up >> '{}'", log.display());
    let errors =
        refused(folder.path(), &["ab", "--records", records, "--", &set_up, "true", "syscall.flor"], 2);
    assert!(errors.contains("syscall.floor"), "{errors}");
    assert_eq!(fs::read_to_string(&log).unwrap(), "restored\n");
}

/// A script of `contrib` with the program in its path.
fn script(state: &Path, name: &str) -> assert_cmd::Command {
    script_at(state, &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib").join(name))
}

fn script_at(state: &Path, path: &Path) -> assert_cmd::Command {
    let program = Path::new(env!("CARGO_BIN_EXE_oscope")).parent().unwrap();
    let paths = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut sh = assert_cmd::Command::from_std(command("sh"));
    sh.arg(path).env("XDG_STATE_HOME", state).env("PATH", paths);
    sh
}

#[test]
fn scripts_for_ci_say_what_their_runners_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let github = |baseline: &Path, run: &str| {
        let mut sh = script(folder.path(), "github/compare.sh");
        sh.env("RUNNER_TEMP", folder.path()).env("GITHUB_RUN_ID", run).env("GITHUB_RUN_ATTEMPT", "1");
        sh.env("GITHUB_OUTPUT", file("output")).env("GITHUB_STEP_SUMMARY", file("summary"));
        sh.env("OSCOPE_SELECTION", "syscall.floor --rounds 6").env("OSCOPE_FAIL_IF", "slower:100% lost");
        outcome(sh.env("OSCOPE_BASELINE", baseline))
    };
    let (code, _, errors) = github(Path::new(""), "1");
    assert_eq!(code, 0, "{errors}");
    let records = ["oscope-1-1-1", "oscope-1-1-2"].map(|name| file(&format!("{name}.oscope.jsonl")));
    let records = records.map(|record| record.display().to_string()).join(" ");
    assert_eq!(fs::read_to_string(file("output")).unwrap(), format!("records={records}\n"));
    assert!(fs::read_to_string(file("summary")).unwrap().contains("syscall.floor"));
    let (code, said, errors) = github(Path::new(&records), "2");
    assert_eq!(code, 0, "{errors}");
    assert!(said.contains("::notice title=oscope%3A oscope-2-1-1 and 1 more::"), "{said}");
    let mut lkp = script(folder.path(), "lkp/run");
    lkp.env("TMP_RESULT_ROOT", folder.path())
        .env("selection", "syscall.floor --rounds 6")
        .env("budget", "60s");
    let (code, said, errors) = outcome(&mut lkp);
    assert_eq!(code, 0, "{errors}");
    assert!(said.starts_with("syscall.floor.ns: "), "{said}");
}

/// The script of GitLab's template, as its runner hands it to a shell, with the variables of the template and of a job.
#[test]
fn template_for_gitlab_runs_again_and_again_in_a_shell() {
    let template = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contrib/gitlab/oscope.gitlab-ci.yml");
    let template = fs::read_to_string(template).unwrap();
    let (variables, script) = template.split_once("  script:\n").unwrap();
    let script = script.split_once("  artifacts:").unwrap().0;
    let lines: Vec<&str> = script.lines().map(|line| line.strip_prefix("    - ").unwrap()).collect();
    let folder = tempfile::tempdir().unwrap();
    let good = measured(folder.path(), "good1.oscope", &["syscall.floor", "--rounds", "6"]);
    fs::copy(&good, folder.path().join("good2.oscope")).unwrap();
    let job = |rules: &str| {
        let path = folder.path().join("job.sh");
        fs::write(&path, format!("set -eu\n{}\n", lines.join("\n"))).unwrap();
        let mut sh = script_at(folder.path(), &path);
        for (name, value) in variables.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": "))
        {
            sh.env(name, value);
        }
        sh.env("OSCOPE_SELECTION", "syscall.floor --rounds 6").env("OSCOPE_FAIL_IF", rules);
        outcome(sh.env("CI", "true").env("CI_PROJECT_DIR", folder.path()).current_dir(folder.path()))
    };
    // The second job finds what the first one left, where a runner does not clean up.
    for (rules, expected) in [("slower:100%", 0), ("slower:100% faster:99%", 0), ("nonsense", 2)] {
        let (code, said, errors) = job(rules);
        assert_eq!(code, expected, "{rules}: {said}{errors}");
    }
    for file in ["new1.oscope", "new2.oscope", "metrics.txt", "oscope.xml"] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
}
