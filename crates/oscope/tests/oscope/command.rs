//! The command line as a user sees it.

use crate::{oscope, text};
use std::path::Path;

#[test]
fn the_last_line_is_the_record_and_report_finds_it_again() {
    let state = tempfile::tempdir().unwrap();
    let run =
        oscope(state.path()).args(["run", "syscall.floor", "--rounds", "6", "--quiet"]).assert().code(0);
    let output = text(&run.get_output().stdout);
    let path = output.lines().last().unwrap();
    assert!(path.starts_with(state.path().to_str().unwrap()) && Path::new(path).is_file(), "{path}");
    assert!(run.get_output().stderr.is_empty(), "quiet means nothing but the result");
    for form in ["terminal", "markdown", "json", "csv"] {
        let report = oscope(state.path()).args(["report", "--format", form]).assert().code(0);
        assert!(text(&report.get_output().stdout).contains("syscall.floor"), "{form}");
    }
    let json = oscope(state.path()).args(["report", "--format", "json"]).output().unwrap();
    serde_json::from_slice::<serde_json::Value>(&json.stdout).unwrap();
}

#[test]
fn progress_goes_to_standard_error_without_escape_sequences() {
    let state = tempfile::tempdir().unwrap();
    let run = oscope(state.path()).args(["run", "loop.known_cost", "--rounds", "2"]).assert().code(0);
    let said = text(&run.get_output().stderr);
    assert!(said.contains("measuring 4 points, 2 rounds"), "{said}");
    assert!(!said.contains('\u{1b}'), "no escape sequences where there is no terminal");
    assert!(said.contains("predictions are written before the first trial"), "{said}");
}

#[test]
fn a_named_record_is_written_there_and_nowhere_else() {
    let state = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let record = elsewhere.path().join("mine");
    oscope(state.path())
        .args(["run", "syscall.floor", "--rounds", "1", "-q", "-o"])
        .arg(&record)
        .assert()
        .code(0);
    assert!(record.is_file());
    let kept = state.path().join("oscope");
    assert_eq!(std::fs::read_dir(&kept).unwrap().count(), 1, "only the name of the newest");
    let report = oscope(state.path()).arg("report").assert().code(0);
    assert!(text(&report.get_output().stdout).contains("syscall.floor"));
    let again = oscope(state.path()).args(["run", "syscall.floor", "-o"]).arg(&record).assert().code(2);
    assert!(text(&again.get_output().stderr).contains("--resume"));
}

#[test]
fn a_state_directory_that_cannot_be_written_is_no_obstacle() {
    let state = tempfile::tempdir().unwrap();
    std::fs::write(state.path().join("oscope"), "in the way").unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let run = oscope(state.path())
        .env("TMPDIR", temporary.path())
        .args(["run", "syscall.floor", "--rounds", "1", "-q"])
        .assert()
        .code(0);
    let output = text(&run.get_output().stdout);
    let path = output.lines().last().unwrap();
    assert!(Path::new(path).is_file() && path.starts_with(temporary.path().to_str().unwrap()), "{path}");
    let report = oscope(state.path()).env("TMPDIR", temporary.path()).arg("report").assert().code(0);
    assert!(text(&report.get_output().stdout).contains("syscall.floor"));
}

#[test]
fn records_without_a_common_point_cannot_be_compared() {
    let state = tempfile::tempdir().unwrap();
    let record = |name: &str, operation: &str| {
        let path = state.path().join(name);
        let run = ["run", operation, "--rounds", "1", "-q", "-o", path.to_str().unwrap()];
        oscope(state.path()).args(run).assert().code(0);
        path
    };
    let (first, second) = (record("first", "syscall.floor"), record("second", "loop.known_cost"));
    let compared = oscope(state.path()).arg("compare").args([first, second]).assert().code(4);
    assert!(text(&compared.get_output().stderr).contains("no point that can be compared"));
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
    let record = state.path().join("record");
    let run = ["run", "syscall.floor", "--rounds", "1", "-q", "-o", record.to_str().unwrap()];
    oscope(state.path()).args(run).assert().code(0);
    let report =
        oscope(state.path()).args(["report", "--format", "html", "-o", "/nosuch/page.html"]).assert().code(3);
    assert!(text(&report.get_output().stderr).contains("the directory /nosuch does not exist"));
    let run = oscope(state.path()).args(["run", "syscall.floor", "-o", "/nosuch/record"]).assert().code(3);
    assert!(text(&run.get_output().stderr).contains("the directory /nosuch does not exist"));
}

#[test]
fn the_name_of_the_program_alone_names_the_commands_that_matter() {
    let state = tempfile::tempdir().unwrap();
    let alone = oscope(state.path()).assert().code(0);
    let said = text(&alone.get_output().stdout);
    for command in ["run", "run all", "report", "explain", "compare"] {
        assert!(said.contains(&format!("oscope {command}")), "{said}");
    }
    let wrong = oscope(state.path()).arg("benchmark").assert().code(2);
    assert!(text(&wrong.get_output().stderr).contains("'oscope run' measures"));
}

#[test]
fn the_version_says_how_the_program_was_built() {
    let state = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| {
        let ran = oscope(state.path()).args(arguments).assert().code(0);
        text(&ran.get_output().stdout)
    };
    assert_eq!(said(&["-V"]), format!("oscope {}\n", env!("CARGO_PKG_VERSION")));
    let verbose = said(&["--version", "--verbose"]);
    for part in [
        "commit: ",
        "target: ",
        std::env::consts::ARCH,
        "build: ",
        "\nfeatures: ",
        "processor features: ",
        "record schema: ",
    ] {
        assert!(verbose.contains(part), "{part}: {verbose}");
    }
    oscope(state.path()).arg("--verbose").assert().code(2);
}

#[test]
fn help_is_of_commands_topics_and_words() {
    let state = tempfile::tempdir().unwrap();
    let said = |word: &str| {
        let ran = oscope(state.path()).args(["help", word]).assert().code(0);
        text(&ran.get_output().stdout)
    };
    assert!(said("run").contains("--budget <TIME>"));
    assert!(said("verdicts").starts_with("VERDICTS\n"));
    assert!(said("noisy").starts_with("noisy: "));
    assert!(said("verdict").ends_with("More: oscope help verdicts.\n"));
    let all = oscope(state.path()).arg("help").assert().code(0);
    let all = text(&all.get_output().stdout);
    assert!(all.contains("oscope help TOPIC") && all.contains("  exit-codes "), "{all}");
    let wrong = oscope(state.path()).args(["help", "verdcits"]).assert().code(2);
    assert!(text(&wrong.get_output().stderr).contains("did you mean verdicts?"));
}

#[test]
fn parts_of_a_report_can_be_asked_for() {
    let state = tempfile::tempdir().unwrap();
    oscope(state.path())
        .args(["run", "syscall.floor", "loop.known_cost", "--rounds", "6", "-q"])
        .assert()
        .code(0);
    let said = |words: &[&str]| {
        let report = oscope(state.path()).arg("report").args(words).assert().code(0);
        text(&report.get_output().stdout)
    };
    let one = said(&["syscall"]);
    assert!(one.contains("syscall.floor") && !one.contains("loop.known_cost"), "{one}");
    let csv = said(&["cpu", "--format", "csv"]);
    assert!(csv.contains("loop.known_cost") && !csv.contains("syscall.floor"), "{csv}");
    assert!(said(&["predictions"]).contains("hardware"));
    assert!(said(&["noise"]).contains("CPU"));
    assert!(said(&["--full"]).len() > said(&[]).len());
    let nothing = oscope(state.path()).args(["report", "sycall"]).assert().code(2);
    assert!(text(&nothing.get_output().stderr).contains("did you mean syscall?"));
}

#[test]
fn points_beginnings_and_codes_are_explained() {
    let state = tempfile::tempdir().unwrap();
    let said = |words: &[&str]| {
        let explained = oscope(state.path()).arg("explain").args(words).assert().code(0);
        text(&explained.get_output().stdout)
    };
    assert!(said(&["switch.process.pipe cpu=same"]).contains("for [cpu=same]"));
    assert!(said(&["switch.process.pipe", "cpu=other"]).contains("for [cpu=other]"));
    assert!(said(&["TCP connect"]).starts_with("network.connection.connect: "));
    assert!(said(&["switch"]).contains("switch.thread.futex"));
    assert!(said(&["fork"]).contains("process.create.fork_wait"));
    assert!(said(&["E38"]).contains("E38: "));
    assert!(said(&["noisy"]).contains("interval"));
    let memory = said(&["memory"]);
    assert!(memory.contains("Of this machine") && memory.contains("[/proc/meminfo"), "{memory}");
    assert!(memory.contains("memory.latency"), "{memory}");
    let wrong = oscope(state.path()).args(["explain", "switch.process.pipe cpu=smae"]).assert().code(2);
    assert!(text(&wrong.get_output().stderr).contains("cpu=same"));
}

#[test]
fn more_rounds_by_resume() {
    let state = tempfile::tempdir().unwrap();
    let record = state.path().join("record");
    oscope(state.path())
        .args(["run", "syscall.floor", "--rounds", "2", "-q", "-o"])
        .arg(&record)
        .assert()
        .code(0);
    oscope(state.path()).args(["run", "--rounds", "5", "-q", "--resume"]).arg(&record).assert().code(0);
    let json = oscope(state.path()).args(["report", "--format", "json"]).arg(&record).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let lines = std::fs::read_to_string(&record).unwrap();
    assert_eq!(lines.matches("\"line\":\"trial\"").count(), 5, "{json}");
    assert_eq!(lines.matches("\"line\":\"rehearsal\"").count(), 1, "rehearsed once");
}

#[test]
fn wrong_input_is_met_with_a_sentence() {
    let state = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        (vec!["run", "nosuch"], "oscope list"),
        (vec!["run", "syscall.getpd"], "did you mean"),
        (vec!["run", "clock.read.rdtsc_cpuid"], "--with-reference-methods"),
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
        let refused = oscope(state.path()).args(&arguments).output().unwrap();
        let said = text(&refused.stderr).to_lowercase();
        assert!(said.contains(&words.to_lowercase()), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{said}");
        assert!([2, 3].contains(&refused.status.code().unwrap()), "{arguments:?}: {}", refused.status);
    }
}

#[test]
fn a_dry_run_measures_nothing() {
    let state = tempfile::tempdir().unwrap();
    let dry = oscope(state.path()).args(["run", "--dry-run"]).assert().code(0);
    let said = text(&dry.get_output().stdout);
    assert!(said.contains("rounds") && said.contains("syscall.getppid"), "{said}");
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0);
}

#[test]
fn parts_are_measured_on_demand() {
    let state = tempfile::tempdir().unwrap();
    let dry =
        oscope(state.path()).args(["run", "syscall.getppid", "--with-parts", "--dry-run"]).output().unwrap();
    let said = text(&dry.stdout);
    assert!(said.contains("syscall.floor") && said.contains("clock.frequency clock=core"), "{said}");
}

#[test]
fn the_list_and_the_explanations_come_from_the_declarations() {
    let state = tempfile::tempdir().unwrap();
    let list = oscope(state.path()).args(["list", "--json"]).output().unwrap();
    let list: Vec<serde_json::Value> = serde_json::from_slice(&list.stdout).unwrap();
    assert_eq!(list.len(), operations::ALL.len());
    let only = oscope(state.path()).args(["list", "syscall", "--format", "json"]).output().unwrap();
    let only: Vec<serde_json::Value> = serde_json::from_slice(&only.stdout).unwrap();
    assert!(!only.is_empty() && only.len() < list.len());
    let explain = oscope(state.path()).args(["explain", "switch.process.pipe"]).output().unwrap();
    let explain = text(&explain.stdout);
    for words in ["Method", "confounds", "T1, from parts", "Witnesses", "lmbench"] {
        assert!(explain.contains(words), "{words} is missing: {explain}");
    }
}

#[test]
fn questions_are_answered_from_a_record_and_without_one_it_is_said_how_to_get_one() {
    let state = tempfile::tempdir().unwrap();
    let explain = |words: &[&str]| {
        let said = oscope(state.path()).arg("explain").args(words).assert().code(0);
        text(&said.get_output().stdout)
    };
    let nothing = explain(&[]);
    assert!(nothing.contains("procedure call") && nothing.contains("oscope run"), "{nothing}");
    assert!(explain(&["syscall.floor"]).contains("oscope run syscall.floor"));
    let record = state.path().join("record.jsonl");
    let record = record.to_str().unwrap();
    // On a busy machine a row may be contradicted, and then there is no answer: not twice in a row.
    let mut answers = String::new();
    for _ in 0..4 {
        // It may never have been made.
        let _ = std::fs::remove_file(record);
        oscope(state.path())
            .args(["run", "syscall.getppid method=libc", "call", "--rounds", "7", "--output", record])
            .assert()
            .code(0);
        answers = explain(&["--record", record]);
        if answers.contains("A system call takes") {
            break;
        }
    }
    assert_eq!(explain(&[record]), answers);
    assert!(answers.contains("A system call takes"), "{answers}");
    assert!(answers.contains("Untested: "), "{answers}");
    let row = explain(&["syscall.getppid", "--record", record]);
    for words in ["Method", "typical", "✓ calls.getppid", "T0, from facts", "7 trials"] {
        assert!(row.contains(words), "{words} is missing: {row}");
    }
    let point = explain(&["call.procedure", "arguments=3", "--record", record]);
    assert!(point.contains("call.procedure arguments=3\n"), "{point}");
}

#[test]
fn a_machine_is_described_here_and_elsewhere() {
    let state = tempfile::tempdir().unwrap();
    let dump = state.path().join("dump.json");
    oscope(state.path()).arg("dump").arg(&dump).assert().code(0);
    let here = oscope(state.path()).args(["describe", "--json"]).output().unwrap();
    let there = oscope(state.path()).args(["describe", "--json", "--from"]).arg(&dump).output().unwrap();
    let model = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).unwrap().to_string();
    let name = "processor";
    assert!(model(&here.stdout).contains(name) && model(&there.stdout).contains(name));
    let predicted = oscope(state.path()).args(["predict", "--from"]).arg(&dump).assert().code(0);
    assert!(text(&predicted.get_output().stdout).contains("syscall.floor"));
}

#[test]
fn what_is_shown_fits_the_terminal() {
    let state = tempfile::tempdir().unwrap();
    oscope(state.path()).args(["run", "syscall", "loop.known_cost", "--rounds", "2", "-q"]).assert().code(0);
    for columns in [40, 80, 200] {
        for arguments in [vec!["report"], vec!["describe"], vec!["list"], vec!["predict", "syscall"]] {
            let shown =
                oscope(state.path()).args(&arguments).env("COLUMNS", columns.to_string()).output().unwrap();
            let widest = text(&shown.stdout).lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns, "{arguments:?} at {columns}: {widest}");
        }
    }
}

#[test]
fn completions_for_every_shell() {
    let state = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let completions = oscope(state.path()).args(["completions", shell]).output().unwrap();
        assert!(text(&completions.stdout).contains("describe"), "{shell}");
    }
}

/// Measures one point several times into a record of this name.
fn record(state: &Path, name: &str, seed: &str) -> String {
    let path = state.join(name).to_str().unwrap().to_owned();
    oscope(state)
        .args(["run", "loop.known_cost", "--rounds", "8", "--quiet"])
        .args(["--seed", seed, "--output", &path])
        .assert()
        .code(0);
    path
}

#[test]
fn two_records_are_compared() {
    let state = tempfile::tempdir().unwrap();
    let (first, second) =
        (record(state.path(), "first.jsonl", "1"), record(state.path(), "second.jsonl", "2"));
    for form in ["terminal", "markdown", "json", "csv"] {
        let compared = oscope(state.path())
            .args(["compare", &first, &second, "--all", "--format", form])
            .assert()
            .code(0);
        assert!(text(&compared.get_output().stdout).contains("loop.known_cost"), "{form}");
    }
    // A record is the same as itself, whatever the rule.
    oscope(state.path()).args(["compare", &first, &first, "--fail-if", "changed"]).assert().code(0);
}

#[test]
fn a_planted_change_ends_with_the_code_for_findings() {
    let state = tempfile::tempdir().unwrap();
    let first = record(state.path(), "first.jsonl", "1");
    let second = state.path().join("second.jsonl");
    // Every batch of the copy took twice as long.
    let slower: String = std::fs::read_to_string(&first)
        .unwrap()
        .lines()
        .map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(rate) = line.get_mut("ns_per_tick") {
                *rate = (2.0 * rate.as_f64().unwrap()).into();
            }
            format!("{line}\n")
        })
        .collect();
    std::fs::write(&second, slower).unwrap();
    let compared = oscope(state.path())
        .args(["compare", &first, second.to_str().unwrap(), "--fail-if", "slower:50%"])
        .output()
        .unwrap();
    let (table, said) = (text(&compared.stdout), text(&compared.stderr));
    // Beside a busy hardware thread nothing is decided.
    if table.contains("slower") {
        assert_eq!(compared.status.code(), Some(1), "{table}");
        assert!(said.contains("slower by 50 % or more: loop.known_cost"), "{said}");
    } else {
        assert!(matches!(compared.status.code(), Some(0 | 4)), "{table}");
    }
    oscope(state.path()).args(["compare", &first, "--fail-if", "worse:3%"]).assert().code(2);
}
