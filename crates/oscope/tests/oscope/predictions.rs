//! A user's own predictions, from the template to the report.

use crate::{refused, said};

#[test]
fn from_the_template_to_the_report() {
    let state = tempfile::tempdir().unwrap();
    let template = said(state.path(), &["predict", "--template", "syscall.floor", "syscall.getppid"]);
    assert!(template.contains("[\"syscall.getppid method=libc\"]"));
    let mine = template.replacen("typical = \"\"", "typical = \"1.5 µs\"", 1);
    let mine = mine.replacen("because = \"\"", "because = \"a guess\"", 1);
    let file = state.path().join("mine.toml");
    std::fs::write(&file, mine).unwrap();
    let file = file.to_str().unwrap();

    let predicted = said(state.path(), &["predict", "syscall", "--predictions", file]);
    assert!(predicted.contains("user's") && predicted.contains("1.50 µs"), "{predicted}");

    let run = ["run", "syscall.floor", "--rounds", "6", "--predictions", file];
    let shown = said(state.path(), &run);
    assert!(shown.contains("predictions by the user: mine.toml (1 point), read at "), "{shown}");
    for (form, says) in [
        ("markdown", "predicted by the user"),
        ("html", "its ratio"),
        ("latex", "a guess"),
        ("json", "\"because\": \"a guess\""),
        ("csv", ",1500,"),
    ] {
        let report = said(state.path(), &["report", "--format", form]);
        assert!(report.contains(says), "{form}: {report}");
    }
}

#[test]
fn what_is_wrong_ends_before_the_run_with_a_place_and_what_helps() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("mine.toml");
    for (written, says) in [
        ("\"syscall.flor\" = \"1 ns\"", "did you mean syscall.floor?"),
        ("\"syscall.floor\" = \"1 GB/s\"", "is a rate"),
        ("\"sleep.poll\" = \"1 ms\"", "none of its predictions is of a point that is measured here"),
    ] {
        std::fs::write(&file, written).unwrap();
        let run = ["run", "syscall.floor", "--predictions", file.to_str().unwrap()];
        let errors = refused(state.path(), &run, 2);
        assert!(errors.contains(says) && errors.contains("mine.toml"), "{errors}");
    }
    let record = state.path().join("oscope");
    assert!(!record.exists() || std::fs::read_dir(record).unwrap().next().is_none(), "no record was begun");
}
