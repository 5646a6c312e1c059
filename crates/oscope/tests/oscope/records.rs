//! Records are neither written over, nor read where they are damaged, nor taken from others; what they hold stays text.

use crate::{FROZEN_RECORD as RECORD, measured, oscope, outcome, refused, said, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A copy of the frozen record in a directory of its own.
fn copy() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.jsonl");
    fs::copy(RECORD, &path).unwrap();
    (folder, path)
}

#[test]
fn no_command_writes_over_a_record_or_the_work_of_others() {
    let (folder, path) = copy();
    let before = fs::read(&path).unwrap();
    let poem = folder.path().join("poem");
    fs::write(&poem, "a poem").unwrap();
    for command in [&["report", RECORD][..], &["compare", RECORD, RECORD], &["dump"]] {
        for (there, why) in [(&path, "it is a record"), (&poem, "it is not empty")] {
            let words = [command, &["-o", there.to_str().unwrap()]].concat();
            let errors = refused(folder.path(), &words, 2);
            assert!(errors.contains(why) && errors.contains("--force"), "{words:?}: {errors}");
        }
    }
    // The form that was read as an input.
    let errors = refused(folder.path(), &["dump", path.to_str().unwrap()], 2);
    assert!(errors.contains("it is a record") && errors.contains("oscope report"), "{errors}");
    let errors = refused(folder.path(), &["dump", "new.json"], 2);
    assert!(errors.contains("'oscope dump -o new.json'"), "{errors}");
    assert_eq!((fs::read(&path).unwrap(), fs::read(&poem).unwrap()), (before, b"a poem".to_vec()));
    said(folder.path(), &["report", RECORD, "-o", poem.to_str().unwrap(), "--force"]);
    assert!(fs::read_to_string(&poem).unwrap().contains("trust"));
}

#[test]
fn every_form_is_replaced_by_itself_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result");
    let path = path.to_str().unwrap();
    let write = |command: &[&str], form: &str, force: &[&str]| {
        outcome(oscope(folder.path()).args(command).args(["--format", form, "-o", path]).args(force)).0
    };
    let report = &["report", RECORD][..];
    let compare = &["compare", RECORD, RECORD][..];
    let table = &["report", RECORD, "--columns", "sd"][..];
    let forms = ["markdown", "html", "latex", "json", "csv"];
    let all = [report, compare].into_iter().flat_map(|command| forms.map(|form| (command, form)));
    let marked = ["benchstat", "openmetrics", "junit", "google-benchmark", "chrome-trace"];
    let others = marked.map(|form| (report, form)).into_iter().chain([(table, "csv"), (compare, "junit")]);
    for (command, form) in all.chain(others) {
        assert_eq!(write(command, form, &["--force"]), 0, "{command:?} {form}");
        assert_eq!(write(command, form, &[]), 0, "{command:?} {form}: its own is replaced");
        let other = if form == "csv" { "json" } else { "csv" };
        assert_eq!(write(report, other, &[]), 2, "{command:?} {form}: {other} does not replace it");
    }
    let dump = folder.path().join("dump.json");
    let dump = ["dump", "-o", dump.to_str().unwrap()];
    said(folder.path(), &dump);
    said(folder.path(), &dump);
}

#[test]
fn an_export_replaces_an_export_and_nothing_else() {
    let (folder, _) = copy();
    let tables = folder.path().join("tables");
    let export = |form: &str, force: &[&str]| {
        outcome(
            oscope(folder.path())
                .args(["export", form])
                .arg(folder.path())
                .arg("-o")
                .arg(&tables)
                .args(force),
        )
        .0
    };
    let files =
        [("jsonl", "trials.jsonl"), ("superbench", "results-summary.jsonl"), ("parquet", "trials.parquet")];
    for (form, file) in files {
        assert_eq!((export(form, &[]), export(form, &[])), (0, 0), "{form}");
        fs::write(tables.join(file), "a poem").unwrap();
        assert_eq!(
            (export(form, &[]), fs::read(tables.join(file)).unwrap()),
            (2, b"a poem".to_vec()),
            "{form}"
        );
        assert_eq!(export(form, &["--force"]), 0, "{form}");
    }
}

#[test]
fn a_pipe_without_a_reader_is_refused_at_once_and_one_with_a_reader_is_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(programs::command("mkfifo").arg(&pipe).status().unwrap().success());
    let path = pipe.to_str().unwrap();
    let errors = refused(folder.path(), &["run", "syscall.floor", "--rounds", "1", "-o", path], 2);
    assert!(errors.contains("a pipe, and a record needs a regular file"), "{errors}");
    let errors = refused(folder.path(), &["report", RECORD, "-o", path], 2);
    assert!(errors.contains("no program reads from this pipe"), "{errors}");
    let errors = refused(folder.path(), &["report", RECORD, "-o", folder.path().to_str().unwrap()], 2);
    assert!(errors.contains("it is a directory"), "{errors}");
    let reader = programs::command("cat").arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
    // The reader has opened the pipe when it is no longer refused.
    let mut ended = 2;
    for _ in 0..100 {
        ended = outcome(oscope(folder.path()).args(["report", RECORD, "-o", path])).0;
        if ended == 0 {
            break;
        }
    }
    assert_eq!(ended, 0);
    assert!(text(&reader.wait_with_output().unwrap().stdout).contains("trust"));
}

/// The words of a record with a digit of its first trial changed.
fn damage(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let at = text.find("\"line\":\"trial\"").unwrap();
    let digit = at + text[at..].find("\"ticks\":[").unwrap() + "\"ticks\":[".len();
    let mut bytes = text.into_bytes();
    bytes[digit] = if bytes[digit] == b'1' { b'2' } else { b'1' };
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_changed_digit_is_damage_for_every_command() {
    let state = tempfile::tempdir().unwrap();
    let record = measured(state.path(), "record", &["syscall.floor", "--rounds", "2"]);
    damage(Path::new(&record));
    let before = fs::read(&record).unwrap();
    for words in [
        &["report", &record][..],
        &["compare", &record, RECORD],
        &["explain", "syscall.floor", "--record", &record],
        &["baseline", "main", &record],
        &["museum", "--from", &record],
        &["run", "--rounds", "3", "--resume", &record],
    ] {
        let errors = refused(state.path(), words, 3);
        let names = ["damaged at line ", " (byte ", "head -n "];
        assert!(names.iter().all(|part| errors.contains(part)), "{words:?}: {errors}");
    }
    assert_eq!(fs::read(&record).unwrap(), before);
}

/// A resumption that can measure nothing leaves the end of the run as it was.
#[test]
fn run_that_is_over_is_not_ended_again() {
    let state = tempfile::tempdir().unwrap();
    let record = measured(state.path(), "record", &["syscall.floor", "--rounds", "2"]);
    let before = fs::read(&record).unwrap();
    let errors = refused(state.path(), &["run", "--rounds", "2", "--resume", &record], 4);
    assert!(errors.contains("nothing is measured") && errors.contains("--rounds 4"), "{errors}");
    assert_eq!(fs::read(&record).unwrap(), before);
    // Nor is one that spent its budget or is narrow, where nothing else is asked for.
    let record = measured(state.path(), "other", &["syscall.floor", "--budget", "1s"]);
    let before = fs::read(&record).unwrap();
    let errors = refused(state.path(), &["run", "--resume", &record], 4);
    assert!(errors.contains("nothing is measured"), "{errors}");
    assert_eq!(fs::read(&record).unwrap(), before);
}

#[test]
fn records_in_one_file_are_not_one_run() {
    let (folder, path) = copy();
    let one = fs::read_to_string(&path).unwrap();
    fs::write(&path, one.repeat(4)).unwrap();
    let record = path.to_str().unwrap();
    let place = format!("a second record begins at line {} (byte {})", one.lines().count() + 1, one.len());
    for words in [&["report", record][..], &["run", "--rounds", "99", "--resume", record]] {
        let errors = refused(folder.path(), words, 2);
        assert!(errors.contains(&place) && errors.contains("oscope compare A B"), "{errors}");
    }
}

#[test]
fn without_a_home_the_record_goes_to_the_temporary_directory() {
    let (here, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut command = oscope(here.path());
    command.env_clear().env("TMPDIR", temporary.path()).current_dir(here.path());
    let (code, output, errors) = outcome(command.args(["run", "syscall.floor", "--rounds", "1", "-q"]));
    assert_eq!(code, 0, "{errors}");
    let path = output.lines().last().unwrap();
    assert!(Path::new(path).starts_with(temporary.path()) && Path::new(path).is_file(), "{path}");
    assert_eq!(fs::read_dir(here.path()).unwrap().count(), 0, "nothing in the current directory");
    let mut report = oscope(here.path());
    report.env_clear().env("TMPDIR", temporary.path()).current_dir(here.path()).arg("report");
    assert!(outcome(&mut report).1.contains("syscall.floor"));
}

#[test]
fn names_that_are_not_utf_8_are_used_or_refused_for_that() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join(OsStr::from_bytes(b"odd\xff"));
    let run = |option: &str| {
        let mut command = oscope(folder.path());
        command.args(["run", "syscall.floor", "--rounds", "1", "-q", option]).arg(&odd);
        outcome(&mut command)
    };
    let (code, _, errors) = run("-o");
    assert_eq!(code, 0, "{errors}");
    let record = record::Record::read(&odd).unwrap();
    assert!(record.header.arguments.last().unwrap().ends_with("odd\\xff"), "{:?}", record.header.arguments);
    assert!(said(folder.path(), &["report"]).contains("syscall.floor"), "it is the newest");
    fs::remove_file(&odd).unwrap();
    fs::create_dir(&odd).unwrap();
    let (code, _, errors) = run("--dir");
    assert!(code == 2 && errors.contains("its path is not UTF-8"), "{errors}");
}

/// The frozen record with hostile facts and points.
fn hostile() -> (tempfile::TempDir, String) {
    let (folder, path) = copy();
    let text = fs::read_to_string(&path).unwrap();
    let hostile = r"=1\u001b]0;owned\u0007\u001b[2J\u009b31m\nBenchmarkOwned 1 0.1 ns/op\n# owned\r|";
    let fact =
        |key: &str| format!(r#"{{"key":"{key}","kind":"text","text":"{hostile}","source":"{hostile}"}}"#);
    let facts = ["processor.model", "kernel.release", "clock.source", "cpus.governor"].map(fact).join(",");
    let text = text.replace("\"facts\":[]", &format!("\"facts\":[{facts}]"));
    let text = text.replace("clock.read.rdtsc_lfence", r"=clock\u001b[2J.read\nx");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn what_a_record_holds_stays_text_in_every_form() {
    let (folder, record) = hostile();
    let own_lines = |shown: &str| {
        !shown.lines().any(|line| line.starts_with("# owned") || line.starts_with("BenchmarkOwned"))
    };
    let whole = [&["report", &record, "--full"][..], &["compare", &record, RECORD, "--all"]];
    let forms = ["terminal", "markdown", "csv", "html", "latex", "json"];
    let all = whole.into_iter().flat_map(|command| forms.map(|form| [command, &["--format", form]].concat()));
    let tables = ["noise", "predictions", "answers", "plots", "machines", "evidence"];
    let topics = tables.map(|topic| vec!["report", &record, topic]);
    let more = [vec!["report", &record], vec!["report", &record, "--format", "benchstat"]];
    for words in all.chain(topics).chain(more) {
        let (_, shown, errors) = outcome(oscope(folder.path()).args(&words));
        // The record has no sweep to draw.
        assert!(!shown.is_empty() || words.contains(&"plots"), "{words:?}: {errors}");
        // JSON keeps every letter, and writes those of ASCII that a terminal obeys by their numbers.
        let is_json = words.contains(&"json");
        let obeyed =
            |letter: char| letter.is_control() && !"\n\t".contains(letter) && (letter.is_ascii() || !is_json);
        assert!(!shown.contains(obeyed) && !errors.contains(obeyed), "{words:?}");
        // A line of a page begins nothing.
        assert!(words.contains(&"html") || own_lines(&shown), "{words:?}: {shown}");
    }
    let table = said(folder.path(), &["report", &record, "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let fields = reader.records().flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>());
    let fields: Vec<String> = fields.collect();
    assert!(fields.iter().any(|field| field.starts_with("'=clock")), "{table}");
    assert!(fields.iter().all(|field| !field.starts_with(['=', '@', '+'])));
    assert!(fields.iter().filter(|field| field.starts_with('-')).all(|field| field.parse::<f64>().is_ok()));
}

#[test]
fn exit_codes_stand_where_standard_error_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    for (words, code) in [
        (&["compare", RECORD, RECORD, "--fail-if", "undecided:0.001%"][..], 1),
        (&["run", "no.such.thing"], 2),
        (&["report", "/no/such/file"], 3),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let (unread, closed) = std::io::pipe().unwrap();
        drop(unread);
        for errors in [Stdio::from(full), Stdio::from(closed)] {
            let mut command = programs::command(env!("CARGO_BIN_EXE_oscope"));
            command.env("XDG_STATE_HOME", folder.path()).args(words);
            let status = command.stdout(Stdio::null()).stderr(errors).status().unwrap();
            assert_eq!(status.code(), Some(code), "{words:?}: {status}");
        }
    }
}

/// `timeout` sends its signal twice: to the command, and to the group that the command is in.
#[test]
fn a_wish_to_stop_that_comes_twice_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "syscall.floor", "--rounds", "10000", "--budget", "1h"];
    for signal in ["INT", "TERM"] {
        let mut command = programs::command("timeout");
        command.args(["--preserve-status", "-s", signal, "2", env!("CARGO_BIN_EXE_oscope")]).args(run);
        let ended = command.env("XDG_STATE_HOME", folder.path()).output().unwrap();
        let (code, shown) = (ended.status.code(), text(&ended.stdout));
        assert!(code == Some(130) && shown.contains("syscall.floor"), "{code:?}: {shown}");
    }
}
