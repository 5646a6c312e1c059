//! Earlier records of a machine widen the interval of the next run, whatever else lies in their directory.

use crate::{oscope, outcome, refused, said};
use record::{Counted, End, EndReason, Evidence, Sampling, Series, Settings, Summary, SummaryRow, Witness};
use record::{Fact, FactValue, Header, Journal, Line, Machine, Plan, PlannedPoint, PointId, Role, SCHEMA};
use std::fs;
use std::path::{Path, PathBuf};

/// A run of the machine: what another one may differ in.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) day: u32,
    pub(super) cost_ns: f64,
    pub(super) model: &'static str,
    /// Its memory; empty where it is not recorded.
    pub(super) memory: &'static str,
    pub(super) kernel: &'static str,
    pub(super) commit: &'static str,
    pub(super) cpu: u32,
    /// The second of its minute in which it began.
    pub(super) second: u32,
    /// The one operation that it measured.
    pub(super) operation: &'static str,
}

pub(super) const RUN: Run = Run {
    day: 20,
    cost_ns: 40_000.0,
    model: "Maker 9000",
    memory: "",
    kernel: "6.18.1",
    commit: "abc",
    cpu: 1,
    second: 0,
    operation: "file.read.direct",
};

pub(super) fn trial(round: u32, cost_ns: f64, id: PointId) -> record::Trial {
    let cost = cost_ns * (1.0 + 0.001 * f64::from(round % 5));
    let ticks = [1, 2, 4].map(|n| (f64::from(n) * cost) as i64).repeat(20);
    record::Trial {
        round,
        id,
        started_ns: u64::from(round) * 1_000_000_000,
        clock: "tsc".to_owned(),
        ns_per_tick: 1.0,
        core_hz: None,
        clock_cost_ticks: 20.0,
        cpu_cost_ns: 0.0,
        cpu: Some(1),
        pinned: true,
        looks: None,
        waited_ns: None,
        attributes: record::Attributes::new(),
        series: vec![Series { ticks, ..Series::new(Role::Main, Sampling::Triples, 1) }],
        evidence: vec![Evidence {
            counter: "answers".to_owned(),
            counted: Counted::Count { count: 1.0, iterations: 1.0 },
        }],
    }
}

impl Run {
    pub(super) fn name(&self) -> String {
        let second = if self.second == 0 { String::new() } else { format!("-{}", self.second) };
        format!("2026-11-{:02}{second}.oscope.jsonl", self.day)
    }

    pub(super) fn id(&self) -> PointId {
        PointId::new(self.operation, "access=random")
    }

    /// Writes a record of twelve trials, which ends with its summary.
    pub(super) fn write(&self, folder: &Path) -> PathBuf {
        let path = folder.join(self.name());
        let text = |key: &str, text: &str| Fact {
            key: key.to_owned(),
            value: FactValue::Text { text: text.to_owned() },
            source: "made".to_owned(),
            within: None,
            assumed: false,
        };
        let mut facts = vec![text("processor.model", self.model), text("kernel.release", self.kernel)];
        facts.extend((!self.memory.is_empty()).then(|| text("memory.total", self.memory)));
        let header = Header {
            format: "oscope".to_owned(),
            schema: SCHEMA,
            program: "0.1.0".to_owned(),
            commit: Some(self.commit.to_owned()),
            started: format!("2026-11-{:02}T10:00:{:02}Z", self.day, self.second),
            ..Header::default()
        };
        let settings = Settings {
            budget_s: 60.0,
            precision: 0.03,
            least_rounds: 6,
            most_rounds: 12,
            cpu: Some(self.cpu),
            ..Settings::default()
        };
        let proves = "there were answers".to_owned();
        let answers = Witness {
            counter: "answers".to_owned(),
            low: 1.0,
            high: 1.0,
            positive: true,
            proves,
            ..Witness::default()
        };
        let point = PlannedPoint {
            area: "file".to_owned(),
            title: "direct reads".to_owned(),
            witnesses: vec![answers],
            ..PlannedPoint::new(self.id())
        };
        let plan = Plan { settings, points: vec![point], ..Plan::default() };
        let _ = fs::remove_file(&path);
        let mut journal = Journal::create(&path).unwrap();
        let trials = (1..=12).map(|round| Line::Trial(Box::new(trial(round, self.cost_ns, self.id()))));
        let end = End { reason: EndReason::Narrow, at_ns: 13_000_000_000, clock_drift: None };
        let lines = [Line::Header(header.clone()), Line::Machine(Machine { facts }), Line::Plan(plan)];
        for line in lines.into_iter().chain(trials).chain([Line::End(end)]) {
            journal.append(&line).unwrap();
        }
        let record = record::Record::read(&path).unwrap();
        let rows: Vec<SummaryRow> = analysis::analyse(&record).summary_rows();
        let at = journal.end().unwrap();
        journal.append(&Line::Summary(Summary::new(&header.started, at, None, rows))).unwrap();
        path
    }
}

/// Writes runs on the days before, with these costs in microseconds.
fn earlier(folder: &Path, costs: &[f64], change: impl Fn(&mut Run)) {
    for (day, cost) in (1..).zip(costs) {
        let mut run = Run { day, cost_ns: cost * 1000.0, ..RUN };
        change(&mut run);
        run.write(folder);
    }
}

/// What the row of a record says: its value, half the interval of the next run as a share, and the number of earlier records.
fn row(state: &Path, record: &Path, more: &[&str]) -> (f64, f64, u64) {
    let words = [&["report", record.to_str().unwrap(), "--format", "json"], more].concat();
    let json: serde_json::Value = serde_json::from_str(&said(state, &words)).unwrap();
    let estimate = &json["rows"][0]["estimate"];
    assert!(!estimate.is_null(), "{json:#}");
    let [typical, low, high] =
        ["typical", "next_run_low", "next_run_high"].map(|key| estimate[key].as_f64().unwrap());
    (typical, (high - low) / 2.0 / typical, estimate["earlier_records"].as_u64().unwrap())
}

#[test]
fn earlier_records_of_the_state_directory_widen_the_interval_and_move_no_value() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().join("oscope");
    fs::create_dir(&folder).unwrap();
    let record = RUN.write(&folder);
    let (typical, by_table, records) = row(state.path(), &record, &[]);
    assert_eq!(records, 0);
    earlier(&folder, &[40.0, 60.0], |_| ());
    assert_eq!(row(state.path(), &record, &[]), (typical, by_table, 0), "two are too few");
    earlier(&folder, &[40.0, 60.0, 28.0, 41.0], |_| ());
    let (value, half, records) = row(state.path(), &record, &[]);
    assert_eq!((value, records), (typical, 4));
    assert!(half > 1.5 * by_table, "{half} {by_table}");
    // Three more within ten seconds of one of them are the same sample of what lasts for longer.
    for second in 1..4 {
        Run { day: 3, second, cost_ns: 28_000.0, ..RUN }.write(&folder);
    }
    let (_, of_a_moment, records) = row(state.path(), &record, &[]);
    assert_eq!((of_a_moment, records), (half, 4));
    // A later run says nothing of this one, and the directory that is named counts instead of the usual one.
    Run { day: 25, cost_ns: 90_000.0, ..RUN }.write(&folder);
    assert_eq!(row(state.path(), &record, &[]), (typical, half, 4));
    let empty = tempfile::tempdir().unwrap();
    let named = ["--history", empty.path().to_str().unwrap()];
    assert_eq!(row(state.path(), &record, &named), (typical, by_table, 0));
    let full = said(state.path(), &["report", record.to_str().unwrap(), "--full"]);
    assert!(full.contains("from 4 earlier records for 1 point"), "{full}");
    let explained =
        said(state.path(), &["explain", "file.read.direct", "--record", record.to_str().unwrap()]);
    assert!(explained.contains("from 4 earlier records"), "{explained}");
}

#[test]
fn what_the_newest_record_did_not_measure_is_explained_from_the_one_that_did() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().join("oscope");
    fs::create_dir(&folder).unwrap();
    Run { model: "Maker 9001", day: 18, ..RUN }.write(&folder);
    let explain = || said(state.path(), &["explain", "file.read.direct access=random"]);
    let record = RUN.write(&folder);
    let newest = Run { day: 25, operation: "file.read.cached", ..RUN }.write(&folder);
    let explained = explain();
    assert!(
        explained.starts_with("In the record of 2026-11-20") && explained.contains("40.0"),
        "{explained}"
    );
    let named = ["explain", "file.read.direct", "--record", newest.to_str().unwrap()];
    assert!(said(state.path(), &named).contains("it was not measured there"));
    // Records of other machines do not stand for this one.
    fs::remove_file(record).unwrap();
    assert!(explain().contains("it was not measured there"), "{}", explain());
}

#[test]
fn quiet_earlier_records_narrow_the_component() {
    let folder = tempfile::tempdir().unwrap();
    let record = RUN.write(folder.path());
    let named = ["--history", folder.path().to_str().unwrap()];
    let (typical, by_table, _) = row(folder.path(), &record, &named);
    earlier(folder.path(), &[40.0, 40.1, 39.9, 40.0, 40.1], |_| ());
    let (value, half, records) = row(folder.path(), &record, &named);
    assert_eq!((value, records), (typical, 5));
    assert!(half < by_table / 1.5, "{half} {by_table}");
}

#[test]
fn records_of_other_machines_kernels_programs_and_settings_do_not_count() {
    for change in [
        (|run| run.model = "Maker 9001") as fn(&mut Run),
        |run| run.kernel = "6.18.2",
        |run| run.commit = "def",
        |run| run.cpu = 0,
    ] {
        let folder = tempfile::tempdir().unwrap();
        let record = RUN.write(folder.path());
        earlier(folder.path(), &[40.0, 60.0, 28.0, 41.0], change);
        let named = ["--history", folder.path().to_str().unwrap()];
        assert_eq!(row(folder.path(), &record, &named).2, 0);
    }
}

#[test]
fn damaged_and_foreign_files_are_left_out_with_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let record = RUN.write(folder.path());
    earlier(folder.path(), &[40.0, 60.0, 28.0, 41.0], |_| ());
    let torn = folder.path().join(Run { day: 1, ..RUN }.name());
    let text = fs::read_to_string(&torn).unwrap();
    fs::write(&torn, &text[..text.len() - 40]).unwrap();
    fs::write(folder.path().join("poem.jsonl"), "a poem\n").unwrap();
    fs::write(folder.path().join("notes.txt"), "no record").unwrap();
    fs::create_dir(folder.path().join("folder.jsonl")).unwrap();
    let words = ["report", record.to_str().unwrap(), "--format", "json", "--history"];
    let (code, json, errors) = outcome(oscope(folder.path()).args(words).arg(folder.path()));
    assert_eq!(code, 0, "{errors}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["rows"][0]["estimate"]["earlier_records"], 3);
    assert!(
        errors.contains("2026-11-01") && errors.contains("poem") && !errors.contains("notes"),
        "{errors}"
    );
    let nowhere = folder.path().join("nowhere");
    let (code, _, errors) = outcome(oscope(folder.path()).args(words).arg(&nowhere));
    assert_eq!(code, 3, "{errors}");
}

#[test]
fn a_comparison_counts_with_the_runs_before_both() {
    let folder = tempfile::tempdir().unwrap();
    let first = RUN.write(folder.path());
    let second = Run { day: 21, cost_ns: 52_000.0, ..RUN }.write(folder.path());
    let decision = || {
        let words = ["compare", "--format", "json", "--history"];
        let (code, json, errors) =
            outcome(oscope(folder.path()).args(words).args([folder.path(), &first, &second]));
        assert_eq!(code, 0, "{errors}");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        json["comparisons"][0]["points"][0]["decision"].as_str().unwrap().to_owned()
    };
    earlier(folder.path(), &[40.0, 40.1, 39.9], |_| ());
    assert_eq!(decision(), "slower");
    earlier(folder.path(), &[40.0, 60.0, 28.0, 41.0], |_| ());
    assert_eq!(decision(), "undecided");
}

/// The history of the records in a directory.
fn shown(folder: &Path, more: &[&str]) -> String {
    said(folder, &[&["history", folder.to_str().unwrap()], more].concat())
}

#[test]
fn a_history_shows_the_values_of_all_runs_in_order_of_time_with_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    earlier(folder.path(), &[40.0, 41.0, 44.0, 39.0], |run| {
        run.kernel = if run.day < 3 { "6.18.1" } else { "6.18.2" };
        run.commit = if run.day < 4 { "abc" } else { "def" };
    });
    Run { day: 5, model: "Maker 9001", ..RUN }.write(folder.path());
    Run { day: 6, kernel: "6.18.2", commit: "def", ..RUN }.write(folder.path());
    let text = shown(folder.path(), &[]);
    let lines: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("2026-11-")).collect();
    assert!(text.starts_with("5 runs on this machine from 2026-11-01T10:00:00Z to 2026-11-06"), "{text}");
    for (day, words) in [
        ("01", &["40."][..]),
        ("02", &["41."]),
        ("03", &["44.", "kernel 6.18.1 → 6.18.2"]),
        ("04", &["39.", "oscope 0.1.0 (abc) → 0.1.0 (def)"]),
        ("06", &["40."]),
    ] {
        let line = lines.iter().rfind(|line| line.contains(&format!("2026-11-{day}")));
        let line = line.unwrap_or_else(|| panic!("{day}: {text}"));
        assert!(words.iter().all(|word| line.contains(word)), "{line}: {text}");
        assert_eq!(line.contains('→'), words.len() > 1, "{line}");
    }
    assert!(text.contains("not shown: 1 record of other machines"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&shown(folder.path(), &["--format", "json"])).unwrap();
    let point = &json["points"][0];
    assert_eq!((json["runs"].as_array().unwrap().len(), point["values"].as_array().unwrap().len()), (5, 5));
    assert_eq!(json["runs"][2]["changed"][0], "kernel 6.18.1 → 6.18.2");
    assert_eq!((&point["operation"], &point["earlier_records"]), (&"file.read.direct".into(), &0.into()));
    let csv = shown(folder.path(), &["--format", "csv"]);
    let rows: Vec<&str> = csv.lines().collect();
    assert!(rows[0].starts_with("operation,point,quantity,unit,started,record,verdict,typical,low,high"));
    assert_eq!(rows.len(), 6, "{csv}");
    assert!(rows[3].contains("2026-11-03T10:00:00Z,2026-11-03,measured,44"), "{csv}");
    // The machine of a record that is named, and a selection.
    let other = folder.path().join(Run { day: 5, ..RUN }.name());
    let text = shown(folder.path(), &[other.to_str().unwrap(), "file"]);
    assert!(text.starts_with("1 run on this machine, 2026-11-05"), "{text}");
}

#[test]
fn a_history_refuses_what_it_does_not_have() {
    let folder = tempfile::tempdir().unwrap();
    let named = folder.path().to_str().unwrap();
    let errors = refused(folder.path(), &["history", named], 4);
    assert!(errors.contains("no record with estimates"), "{errors}");
    RUN.write(folder.path());
    for more in [&["--format", "benchstat"][..], &["--fail-if", "undecided"], &["memory.latency"]] {
        refused(folder.path(), &[&["history", named], more].concat(), 2);
    }
}

#[test]
fn a_step_is_found_named_and_fails_until_it_is_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let costs: Vec<f64> =
        (0..20).map(|night| if night < 13 { 40.0 } else { 44.0 } + 0.1 * f64::from(night % 3)).collect();
    earlier(folder.path(), &costs, |run| run.kernel = if run.day < 14 { "6.18.1" } else { "6.18.2" });
    let text = shown(folder.path(), &[]);
    let step = text.lines().find(|line| line.contains("2026-11-14T10:00:00Z")).unwrap();
    assert!(step.contains("file.read.direct") && step.contains("+10") && step.contains("step"), "{text}");
    assert!(text.contains("kernel 6.18.1 → 6.18.2") && text.contains("│"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&shown(folder.path(), &["--format", "json"])).unwrap();
    let step = &json["steps"][0];
    assert_eq!((&step["since"], &step["decision"]), (&"2026-11-14T10:00:00Z".into(), &"slower".into()));
    let [low, factor, high] = ["low", "factor", "high"].map(|key| step[key].as_f64().unwrap());
    assert!(low < 1.1 && 1.1 < high && (factor - 1.1).abs() < 0.01, "{step}");
    assert_eq!((&step["lasts"], &step["drift"]), (&true.into(), &false.into()));
    let named = folder.path().to_str().unwrap();
    let errors = refused(folder.path(), &["history", named, "--fail-if", "slower:5%"], 1);
    assert!(
        errors.contains("file.read.direct access=random +10") && errors.contains("2026-11-14"),
        "{errors}"
    );
    said(folder.path(), &["history", named, "--fail-if", "faster", "--fail-if", "slower:20%"]);
    let steps = folder.path().join("steps.txt");
    for (entry, code) in
        [("2026-11-14 file.read.direct  # new scheduler", 0), ("2026-11-10 *", 1), ("nonsense", 2)]
    {
        fs::write(&steps, entry).unwrap();
        let words = ["history", named, "--fail-if", "slower", "--acknowledged", steps.to_str().unwrap()];
        let (ended, text, errors) = outcome(oscope(folder.path()).args(words));
        assert_eq!(ended, code, "{entry}: {errors}");
        assert_eq!(text.contains("acknowledged: new scheduler"), code == 0, "{text}");
    }
}

#[test]
fn annotations_are_errors_where_a_rule_is_met() {
    let folder = tempfile::tempdir().unwrap();
    let first = RUN.write(folder.path());
    let second = Run { day: 21, cost_ns: 80_000.0, ..RUN }.write(folder.path());
    let [first, second] = [first, second].map(|path| path.to_str().unwrap().to_owned());
    let words = ["compare", &first, &second, "--format", "github"];
    let said = said(folder.path(), &words);
    assert!(said.starts_with("::warning title=oscope%3A slower in 2026-11-21::file.read.direct"), "{said}");
    let (code, said, _) = outcome(oscope(folder.path()).args(words).args(["--fail-if", "slower:20%"]));
    assert_eq!(code, 1);
    assert!(said.starts_with("::error title=oscope%3A slower"), "{said}");
    assert!(
        said.lines().last().unwrap().starts_with("::notice title=oscope%3A 2026-11-21::1 slower"),
        "{said}"
    );
    let same = Run { day: 22, ..RUN }.write(folder.path());
    let words = ["compare", &first, same.to_str().unwrap(), "--format", "github"];
    let (_, said, _) = outcome(oscope(folder.path()).args(words));
    assert!(said.starts_with("::notice ") && said.lines().count() == 1, "{said}");
    // What is the same within more than a rule allows is open, and not an error called "same".
    let (_, said, _) = outcome(oscope(folder.path()).args(words).args(["--fail-if", "undecided:0.1%"]));
    assert!(
        said.starts_with("::error title=oscope%3A undecided%3A a change of 0.1 %25 is neither"),
        "{said}"
    );
    let (_, _, errors) = outcome(oscope(folder.path()).args(["compare", &first, &first]));
    assert!(errors.contains("is compared with itself"), "{errors}");
    let history = ["history", folder.path().to_str().unwrap(), "--fail-if", "slower"];
    let (code, _, errors) = outcome(oscope(folder.path()).args(history));
    assert!(code == 0 && errors.contains("not looked for, because no point has"), "{errors}");
    let other = Run { day: 23, operation: "file.read.cached", ..RUN }.write(folder.path());
    let words = ["compare", &first, other.to_str().unwrap(), "--format", "github"];
    let (_, said, _) = outcome(oscope(folder.path()).args(words).args(["--fail-if", "lost"]));
    assert!(said.starts_with("::error title=oscope%3A lost in 2026-11-23::file.read.direct"), "{said}");
    let (_, said, _) = outcome(oscope(folder.path()).args(words));
    assert!(!said.contains("::error"), "{said}");
}

#[test]
fn test_runners_get_a_case_for_each_compared_point() {
    let folder = tempfile::tempdir().unwrap();
    let first = RUN.write(folder.path());
    let slower = Run { day: 21, cost_ns: 80_000.0, ..RUN }.write(folder.path());
    let other = Run { day: 22, operation: "file.read.cached", ..RUN }.write(folder.path());
    let junit = |second: &Path, rules: &[&str]| {
        let words = ["compare", first.to_str().unwrap(), second.to_str().unwrap(), "--format", "junit"];
        outcome(oscope(folder.path()).args(words).args(rules)).1
    };
    let failed = "<testcase classname=\"file.read.direct\" name=\"access=random\" time=\"0\"><failure message=\"slower: ";
    for rules in [&[][..], &["--fail-if", "slower:20%"]] {
        let found = junit(&slower, rules);
        assert!(found.contains(failed) && found.contains("tests=\"1\" failures=\"1\""), "{found}");
    }
    let tolerated = junit(&slower, &["--fail-if", "faster:3%"]);
    assert!(
        tolerated.contains("failures=\"0\"") && tolerated.contains("<system-out>slower: "),
        "{tolerated}"
    );
    let lost =
        |rules: &[&str]| junit(&other, rules).contains("<failure message=\"not in the second record\"/>");
    assert_eq!([lost(&[]), lost(&["--fail-if", "lost"])], [false, true]);
    let undecided = junit(&Run { day: 23, cost_ns: 40_600.0, ..RUN }.write(folder.path()), &[]);
    assert!(undecided.contains("<skipped message=\"undecided: "), "{undecided}");
}

#[test]
fn fresh_machines_of_one_type_are_one_history_where_that_is_asked_for() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().join("nightly");
    fs::create_dir(&folder).unwrap();
    for (day, memory, model) in
        [(1, "8001", "Maker 9000"), (2, "8002", "Maker 9000"), (3, "8003", "Maker 7000")]
    {
        Run { day, memory, model, ..RUN }.write(&folder);
    }
    Run { day: 20, memory: "8004", ..RUN }.write(&folder);
    let runs = |more: &[&str]| {
        let words = [&["history", folder.to_str().unwrap()], more].concat();
        let json: serde_json::Value =
            serde_json::from_str(&said(state.path(), &[&words[..], &["--format", "json"]].concat())).unwrap();
        (json["runs"].as_array().unwrap().len(), said(state.path(), &words))
    };
    let (own, text) = runs(&[]);
    assert!(own == 1 && text.contains("not shown: 3 records of other machines"), "{own} {text}");
    let (of_type, text) = runs(&["--one-type"]);
    assert!(of_type == 3 && text.contains("not shown: 1 record of other machines"), "{of_type} {text}");
    assert!(text.contains("several machines of one type"), "{text}");
}
