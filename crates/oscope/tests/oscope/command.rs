//! The command line as a user sees it.

use crate::{measured, oscope, outcome, refused, said, text};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;

#[test]
fn the_last_line_is_the_record_and_report_finds_it_again() {
    let state = tempfile::tempdir().unwrap();
    let run = ["run", "syscall.floor", "--rounds", "6", "--quiet"];
    let (code, output, errors) = outcome(oscope(state.path()).args(run));
    assert_eq!((code, errors.as_str()), (0, ""), "quiet means nothing but the result");
    let path = output.lines().last().unwrap();
    assert!(path.starts_with(state.path().to_str().unwrap()) && Path::new(path).is_file(), "{path}");
    for form in ["terminal", "markdown", "json", "csv"] {
        let report = said(state.path(), &["report", "--format", form]);
        assert!(report.contains("syscall.floor"), "{form}");
    }
    serde_json::from_str::<Value>(&said(state.path(), &["report", "--format", "json"])).unwrap();
}

#[test]
fn progress_goes_to_standard_error_without_escape_sequences() {
    let state = tempfile::tempdir().unwrap();
    let said = refused(state.path(), &["run", "loop.known_cost", "--rounds", "2"], 0);
    assert!(said.contains("measuring 4 points, 2 rounds"), "{said}");
    assert!(!said.contains('\u{1b}'), "no escape sequences where there is no terminal");
    assert!(said.contains("predictions are written before the first trial"), "{said}");
}

#[test]
fn a_named_record_is_written_there_and_nowhere_else() {
    let (state, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let record = elsewhere.path().join("mine");
    let path = record.to_str().unwrap();
    let run = ["run", "syscall.floor", "--rounds", "1", "-q", "-o", path];
    said(state.path(), &run);
    assert!(record.is_file());
    let kept = std::fs::read_dir(state.path().join("oscope")).unwrap();
    assert_eq!(kept.count(), 1, "only the name of the newest");
    assert!(said(state.path(), &["report"]).contains("syscall.floor"));
    assert!(refused(state.path(), &run, 2).contains("--resume"));
}

#[test]
fn a_state_directory_that_cannot_be_written_is_no_obstacle() {
    let (state, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(state.path().join("oscope"), "in the way").unwrap();
    let said = |words: &[&str]| {
        let (code, said, errors) = outcome(oscope(state.path()).env("TMPDIR", temporary.path()).args(words));
        assert_eq!(code, 0, "{errors}");
        said
    };
    let output = said(&["run", "syscall.floor", "--rounds", "1", "-q"]);
    let path = output.lines().last().unwrap();
    assert!(Path::new(path).is_file() && path.starts_with(temporary.path().to_str().unwrap()), "{path}");
    assert!(said(&["report"]).contains("syscall.floor"));
}

#[test]
fn records_without_a_common_point_cannot_be_compared() {
    let state = tempfile::tempdir().unwrap();
    let record = |name: &str, operation| measured(state.path(), name, &[operation, "--rounds", "1"]);
    let (first, second) = (record("first", "syscall.floor"), record("second", "loop.known_cost"));
    let errors = refused(state.path(), &["compare", &first, &second], 4);
    assert!(errors.contains("no point that can be compared"), "{errors}");
}

#[test]
fn a_small_stack_and_numbers_of_the_environment_are_no_obstacle() {
    let state = tempfile::tempdir().unwrap();
    let record = measured(state.path(), "record", &["syscall.floor", "--rounds", "1"]);
    let limited = "ulimit -s 128; exec \"$0\" \"$@\"";
    for words in [&["--version"][..], &["--help"], &["list"], &["report", &record], &["nonsense"]] {
        let ran = programs::command("sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_oscope")])
            .args(words)
            .env("XDG_STATE_HOME", state.path())
            .env("COLUMNS", "99999999999")
            .env("LINES", "99999999999")
            .env("RUST_MIN_STACK", "99999999999")
            .output()
            .unwrap();
        let expected = if words == ["nonsense"] { 2 } else { 0 };
        assert_eq!(ran.status.code(), Some(expected), "{words:?}: {ran:?}");
    }
}

#[test]
fn a_record_beyond_the_file_size_limit_is_a_reported_error() {
    let state = tempfile::tempdir().unwrap();
    let record = state.path().join("record.jsonl");
    let limited = "ulimit -f 8; exec \"$0\" run loop.known_cost --rounds 6 -q -o \"$1\"";
    let ran = programs::command("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_oscope")])
        .arg(&record)
        .env("XDG_STATE_HOME", state.path())
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(3), "{ran:?}");
    assert!(text(&ran.stdout).contains("no complete record"), "{ran:?}");
}

#[test]
fn a_directory_that_is_missing_is_named() {
    let state = tempfile::tempdir().unwrap();
    measured(state.path(), "record", &["syscall.floor", "--rounds", "1"]);
    for words in [
        &["report", "--format", "html", "-o", "/nosuch/page.html"][..],
        &["run", "syscall.floor", "-o", "/nosuch/record"],
    ] {
        let errors = refused(state.path(), words, 3);
        assert!(errors.contains("the directory /nosuch does not exist"), "{errors}");
    }
}

#[test]
fn the_name_of_the_program_alone_names_the_commands_that_matter() {
    let state = tempfile::tempdir().unwrap();
    let alone = said(state.path(), &[]);
    for command in ["run", "run all", "report", "explain", "compare"] {
        assert!(alone.contains(&format!("oscope {command}")), "{alone}");
    }
    assert!(refused(state.path(), &["benchmark"], 2).contains("'oscope run' measures"));
}

#[test]
fn the_version_says_how_the_program_was_built() {
    let state = tempfile::tempdir().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(said(state.path(), &["-V"]), format!("oscope {version}\n"));
    let mut headings =
        include_str!("../../../../CHANGELOG.md").lines().filter(|line| line.starts_with("## "));
    assert_eq!(headings.next(), Some(format!("## {version}").as_str()), "the newest heading of CHANGELOG.md");
    let verbose = said(state.path(), &["--version", "--verbose"]);
    let parts = ["commit: ", "target: ", std::env::consts::ARCH, "build: ", "\nfeatures: "];
    for part in parts.into_iter().chain(["processor features: ", "record schema: "]) {
        assert!(verbose.contains(part), "{part}: {verbose}");
    }
    refused(state.path(), &["--verbose"], 2);
}

#[test]
fn help_is_of_commands_topics_and_words() {
    let state = tempfile::tempdir().unwrap();
    let help = |word: &str| said(state.path(), &["help", word]);
    assert!(help("run").contains("--budget <TIME>"));
    assert!(help("verdicts").starts_with("VERDICTS\n"));
    assert!(help("noisy").starts_with("noisy: "));
    assert!(help("verdict").ends_with("More: oscope help verdicts.\n"));
    let all = said(state.path(), &["help"]);
    assert!(all.contains("oscope help TOPIC") && all.contains("  exit-codes "), "{all}");
    assert!(refused(state.path(), &["help", "verdcits"], 2).contains("did you mean verdicts?"));
}

#[test]
fn parts_of_a_report_can_be_asked_for() {
    let state = tempfile::tempdir().unwrap();
    measured(state.path(), "record", &["syscall.floor", "loop.known_cost", "--rounds", "6"]);
    let report = |words: &[&str]| said(state.path(), &[&["report"], words].concat());
    let one = report(&["syscall"]);
    assert!(one.contains("syscall.floor") && !one.contains("loop.known_cost"), "{one}");
    let csv = report(&["cpu", "--format", "csv"]);
    assert!(csv.contains("loop.known_cost") && !csv.contains("syscall.floor"), "{csv}");
    assert!(report(&["predictions"]).contains("hardware"));
    assert!(report(&["noise"]).contains("CPU"));
    assert!(report(&["--full"]).len() > report(&[]).len());
    assert!(refused(state.path(), &["report", "sycall"], 2).contains("did you mean syscall?"));
}

#[test]
fn points_beginnings_and_codes_are_explained() {
    let state = tempfile::tempdir().unwrap();
    let explain = |words: &[&str]| said(state.path(), &[&["explain"], words].concat());
    assert!(explain(&["TCP connect"]).starts_with("network.connection.connect: "));
    for (words, part) in [
        (vec!["switch.process.pipe cpu=same"], "for [cpu=same]"),
        (vec!["switch.process.pipe", "cpu=other"], "for [cpu=other]"),
        (vec!["switch"], "switch.thread.futex"),
        (vec!["fork"], "process.create.fork_wait"),
        (vec!["E38"], "E38: "),
        (vec!["noisy"], "interval"),
        (vec!["memory"], "Of this machine"),
        (vec!["memory"], "[/proc/meminfo"),
        (vec!["memory"], "memory.latency"),
        (vec!["environment"], "filter=N"),
        (vec!["launch"], "cgroup-quota=PERCENT%"),
        (vec!["seccomp"], "oscope run POINT --versus seccomp"),
    ] {
        assert!(explain(&words).contains(part), "{words:?}: {part}: {}", explain(&words));
    }
    assert!(refused(state.path(), &["explain", "switch.process.pipe cpu=smae"], 2).contains("cpu=same"));
}

#[test]
fn explanation_of_a_cache_begins_with_the_answer() {
    let state = tempfile::tempdir().unwrap();
    let reports_caches = said(state.path(), &["describe", "--json"]).contains("cache.l1d.size");
    if !programs::has("report of its caches", reports_caches) {
        return;
    }
    let record =
        measured(state.path(), "record", &["memory.latency page_size=4KiB bytes=4KiB", "--rounds", "2"]);
    let explained = said(state.path(), &["explain", "L1d", "--record", &record]);
    let first = explained.lines().skip(1).find(|line| !line.is_empty());
    assert!(
        first.is_some_and(|line| line.starts_with("A load from a working set of 4 KiB takes ")),
        "{explained}"
    );
}

#[test]
fn run_under_a_filter_is_explained_with_it() {
    let state = tempfile::tempdir().unwrap();
    let record = state.path().join("record");
    let record = record.to_str().unwrap();
    let program = assert_cmd::cargo::cargo_bin("oscope");
    let program = program.to_str().unwrap();
    let run = [program, "run", "-q", "syscall.getppid method=libc", "--rounds", "2", "-o", record];
    said(state.path(), &[&["launch", "filter=600"][..], &run].concat());
    for words in [vec!["explain", "syscall.getppid method=libc"], vec!["explain", "slow"]] {
        let explained = said(state.path(), &[&words[..], &["--record", record]].concat());
        assert!(
            explained.contains("seccomp filter") && explained.contains("without"),
            "{words:?}: {explained}"
        );
    }
}

#[test]
fn more_rounds_by_resume() {
    let state = tempfile::tempdir().unwrap();
    let record = measured(state.path(), "record", &["syscall.floor", "--rounds", "2"]);
    said(state.path(), &["run", "--rounds", "5", "-q", "--resume", &record]);
    let json = said(state.path(), &["report", "--format", "json", &record]);
    serde_json::from_str::<Value>(&json).unwrap();
    let lines = std::fs::read_to_string(&record).unwrap();
    assert_eq!(lines.matches("\"line\":\"trial\"").count(), 5, "{json}");
    assert_eq!(lines.matches("\"line\":\"rehearsal\"").count(), 1, "rehearsed once");
}

#[test]
fn files_that_are_no_records_end_with_the_code_for_files() {
    let state = tempfile::tempdir().unwrap();
    std::fs::write(state.path().join("empty.jsonl"), "").unwrap();
    let empty = state.path().join("empty.jsonl").display().to_string();
    for (arguments, words) in [
        (&["report", "nofile.json"][..], "no such file"),
        (&["report", "."], "is a directory: name a record in it"),
        (&["report", &empty], "not a record"),
        (&["history", "nodir/"], "no such file"),
        (&["explain", "nofile.json"], "no such file"),
        (&["explain", "syscall.floor", "--record", "nofile.json"], "no such file"),
    ] {
        let errors = refused(state.path(), arguments, 3).to_lowercase();
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
}

#[test]
fn wrong_input_is_met_with_a_sentence() {
    let state = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        (vec!["run", "nosuch"], "oscope list"),
        (vec!["run", "syscall.getpd"], "did you mean"),
        (vec!["run", "clock.read.rdtsc_cpuid"], "--with-flawed-methods"),
        (vec!["run", "--cpu", "9999"], "CPU 9999"),
        (vec!["run", "--budget", "5"], "no unit"),
        (vec!["run", "--precision", "0"], "such as 3%"),
        (vec!["run", "--rounds", "0"], "0"),
        (vec!["explain", "nosuch"], "oscope list"),
        (vec!["report", "/dev/null"], "not a record"),
        (vec!["report", "/nonexistent"], "no such file"),
        (vec!["describe", "--from", "/dev/null"], "/dev/null"),
        (vec!["report"], "oscope run"),
        (vec!["run", "--resume", "/nonexistent"], "no such file"),
        (vec!["fly"], "fly"),
    ] {
        let (code, _, errors) = outcome(oscope(state.path()).args(&arguments));
        let errors = errors.to_lowercase();
        assert!(errors.contains(&words.to_lowercase()), "{arguments:?}: {errors}");
        assert!(!errors.contains("panicked"), "{errors}");
        assert!([2, 3].contains(&code), "{arguments:?}: {code}");
    }
}

/// What `cargo run` sets would change what starting a program costs, and `--resume` without cargo would be refused.
#[test]
fn search_path_of_cargo_is_left_out_and_that_of_the_user_is_recorded() {
    let state = tempfile::tempdir().unwrap();
    let build = Path::new(env!("CARGO_BIN_EXE_oscope")).parent().unwrap().to_str().unwrap();
    for (set, is_recorded) in [(build, false), ("/opt/own/lib", true)] {
        let mut command = oscope(state.path());
        command.env("CARGO", "cargo").env("LD_LIBRARY_PATH", set).args(["describe", "--format", "json"]);
        let (code, described, _) = outcome(&mut command);
        assert_eq!((code, described.contains("LD_LIBRARY_PATH")), (0, is_recorded), "{set}");
    }
}

#[test]
fn a_dry_run_measures_nothing() {
    let state = tempfile::tempdir().unwrap();
    let dry = said(state.path(), &["run", "--dry-run"]);
    assert!(dry.contains("rounds") && dry.contains("syscall.getppid"), "{dry}");
    let parts = said(state.path(), &["run", "syscall.getppid", "--with-parts", "--dry-run"]);
    assert!(parts.contains("syscall.floor") && parts.contains("clock.frequency clock=core"), "{parts}");
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0);
}

#[test]
fn the_list_and_the_explanations_come_from_the_declarations() {
    let state = tempfile::tempdir().unwrap();
    let listed = |words: &[&str]| {
        let json = said(state.path(), &[&["list"], words].concat());
        serde_json::from_str::<Vec<Value>>(&json).unwrap().len()
    };
    assert_eq!(listed(&["--json"]), flawed::all_operations().len());
    assert!((1..flawed::all_operations().len()).contains(&listed(&["syscall", "--format", "json"])));
    let explain = said(state.path(), &["explain", "switch.process.pipe"]);
    for words in ["Method", "confounds", "T1, from parts", "Witnesses", "lmbench"] {
        assert!(explain.contains(words), "{words} is missing: {explain}");
    }
}

#[test]
fn questions_are_answered_from_a_record_and_without_one_it_is_said_how_to_get_one() {
    let state = tempfile::tempdir().unwrap();
    let explain = |words: &[&str]| said(state.path(), &[&["explain"], words].concat());
    let nothing = explain(&[]);
    assert!(nothing.contains("procedure call") && nothing.contains("oscope run"), "{nothing}");
    assert!(explain(&["syscall.floor"]).contains("oscope run syscall.floor"));
    // On a busy machine a row may be contradicted, and then there is no answer: not twice in a row.
    let (mut answers, mut record) = (String::new(), String::new());
    for _ in 0..4 {
        // It may never have been made.
        let _ = std::fs::remove_file(&record);
        let points = ["syscall.getppid method=libc", "call", "--rounds", "7"];
        record = measured(state.path(), "record.jsonl", &points);
        answers = explain(&["--record", &record]);
        if answers.contains("A system call takes") {
            break;
        }
    }
    assert_eq!(explain(&[&record]), answers);
    assert!(answers.contains("A system call takes"), "{answers}");
    assert!(answers.contains("Untested: "), "{answers}");
    let row = explain(&["syscall.getppid", "--record", &record]);
    for words in ["Method", "typical", "✓ calls.getppid", "T0, from facts", "7 trials"] {
        assert!(row.contains(words), "{words} is missing: {row}");
    }
    let listed = explain(&["syscall", "--record", &record]);
    let of_libc = listed.lines().find(|line| line.contains("one getppid") && line.contains("(method=libc)"));
    assert!(of_libc.is_some_and(|line| line.contains(" ns ")), "{listed}");
    let point = explain(&["call.procedure", "arguments=3", "--record", &record]);
    assert!(point.contains("call.procedure arguments=3\n"), "{point}");
}

#[test]
fn a_machine_is_described_here_and_elsewhere() {
    let state = tempfile::tempdir().unwrap();
    let dump = state.path().join("dump.json");
    let dump = dump.to_str().unwrap();
    said(state.path(), &["dump", "-o", dump]);
    for words in [&["describe", "--json"][..], &["describe", "--json", "--from", dump]] {
        let described: Value = serde_json::from_str(&said(state.path(), words)).unwrap();
        assert!(described.to_string().contains("processor"), "{words:?}");
    }
    assert!(said(state.path(), &["predict", "--from", dump]).contains("syscall.floor"));
}

#[test]
fn shown_tables_fit_the_terminal() {
    let state = tempfile::tempdir().unwrap();
    measured(state.path(), "record", &["syscall", "loop.known_cost", "--rounds", "2"]);
    for columns in [40, 80, 200] {
        for arguments in [vec!["report"], vec!["describe"], vec!["list"], vec!["predict", "syscall"]] {
            let mut command = oscope(state.path());
            let (_, shown, _) = outcome(command.args(&arguments).env("COLUMNS", columns.to_string()));
            let widest = shown.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns, "{arguments:?} at {columns}: {widest}");
        }
    }
}

#[test]
fn completions_for_every_shell() {
    let state = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        assert!(said(state.path(), &["completions", shell]).contains("describe"), "{shell}");
    }
}

/// Measures one point several times into a record of this name.
fn record(state: &Path, name: &str, seed: &str) -> String {
    measured(state, name, &["loop.known_cost", "--rounds", "8", "--seed", seed])
}

#[test]
fn two_records_are_compared() {
    let state = tempfile::tempdir().unwrap();
    let (first, second) =
        (record(state.path(), "first.jsonl", "1"), record(state.path(), "second.jsonl", "2"));
    for form in ["terminal", "markdown", "json", "csv"] {
        let compared = said(state.path(), &["compare", &first, &second, "--all", "--format", form]);
        assert!(compared.contains("loop.known_cost"), "{form}");
    }
    // A record is the same as itself, whatever the rule.
    said(state.path(), &["compare", &first, &first, "--fail-if", "changed"]);
}

/// A record of the same point whose every trial was lost, and one that has no end.
#[test]
fn what_is_lost_is_a_finding_and_skips_a_bisection() {
    let state = tempfile::tempdir().unwrap();
    let first = record(state.path(), "first.jsonl", "1");
    let lines = std::fs::read_to_string(&first).unwrap();
    let planted = |name: &str, keep: &dyn Fn(&str) -> bool| {
        let path = state.path().join(name);
        let kept: String = lines.lines().filter(|line| keep(line)).map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, kept).unwrap();
        path.display().to_string()
    };
    let without_trials = planted("lost.jsonl", &|line| {
        !line.contains("\"ns_per_tick\"") && !line.contains("\"line\":\"summary\"")
    });
    let without_end = planted("killed.jsonl", &|line| {
        !line.contains("\"line\":\"end\"") && !line.contains("\"line\":\"summary\"")
    });
    let missing = state.path().join("missing.jsonl").display().to_string();
    for (second, rules, code, says) in [
        (&first, &["--fail-if", "lost"][..], 0, ""),
        (&without_end, &["--fail-if", "slower:3%"], 0, ""),
        (&without_end, &["--fail-if", "slower:3%", "--fail-if", "lost"], 1, "lost: the record has no end"),
        (&without_end, &["--fail-if", "lost", "--bisect"], 125, "lost: the record has no end"),
        (&without_trials, &["--fail-if", "lost"], 4, "lost: loop.known_cost"),
        (&without_trials, &["--fail-if", "slower", "--bisect"], 125, "no point that can be compared"),
        (&missing, &["--fail-if", "slower"], 3, "missing.jsonl"),
        (&missing, &["--fail-if", "slower", "--bisect"], 125, "missing.jsonl"),
        (&first, &["--bisect"], 128, "--fail-if"),
        (&first, &["--bisect", "--fail-iff", "slower"], 128, "--fail-if"),
        (&first, &["--fail-if", "slower", "--bisect", "--only", "no.such"], 128, "no.such"),
        (&first, &["--fail-if", "lost:3%"], 2, "takes no share"),
    ] {
        let words = [&["compare", &first, second], rules].concat();
        let (ended, _, errors) = outcome(oscope(state.path()).args(&words));
        assert!(ended == code && errors.contains(says), "{words:?}: {ended}, {errors}");
    }
    let (ended, _, errors) =
        outcome(oscope(state.path()).args(["compare", &missing, &first, "--fail-if", "slower", "--bisect"]));
    assert!(ended == 128 && errors.contains("missing.jsonl"), "the first record: {ended}, {errors}");
    // Nobody reads the table, as in `| head -1`: the code is that of the finding all the same.
    let mut unread = programs::command(env!("CARGO_BIN_EXE_oscope"));
    unread.args(["compare", &first, &without_end, "--fail-if", "lost"]).env("XDG_STATE_HOME", state.path());
    let mut unread = unread.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(unread.stdout.take());
    assert_eq!(unread.wait().unwrap().code(), Some(1));
}

#[test]
fn a_planted_change_ends_with_the_code_for_findings() {
    let state = tempfile::tempdir().unwrap();
    let first = record(state.path(), "first.jsonl", "1");
    let second = state.path().join("second.jsonl");
    // Every batch of the copy took twice as long.
    let slower = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        for series in line.get_mut("series").and_then(Value::as_array_mut).into_iter().flatten() {
            for times in ["ticks", "cpu_ns"] {
                let times = series.get_mut(times).and_then(Value::as_array_mut).into_iter().flatten();
                times.for_each(|time| *time = (2 * time.as_u64().unwrap()).into());
            }
        }
        format!("{line}\n")
    };
    let slower: String = std::fs::read_to_string(&first).unwrap().lines().map(slower).collect();
    std::fs::write(&second, slower).unwrap();
    let words = ["compare", &first, second.to_str().unwrap(), "--fail-if", "slower:50%"];
    let (code, table, errors) = outcome(oscope(state.path()).args(words));
    // Beside a busy hardware thread nothing is decided.
    let undecided = ["no change found", "none of 4 points is comparable", "4 points undecided"];
    if undecided.into_iter().all(|words| !table.contains(words)) {
        assert_eq!(code, 1, "{table}");
        assert!(errors.contains("shown to be slower by 50 % or more: loop.known_cost"), "{errors}");
        // Point, change, interval.
        assert!(errors.contains(" … ") && errors.contains('('), "{errors}");
    } else {
        assert!([0, 4].contains(&code), "{table}");
    }
    refused(state.path(), &["compare", &first, "--fail-if", "worse:3%"], 2);
}
