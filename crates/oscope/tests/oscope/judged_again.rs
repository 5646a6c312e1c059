//! Records judged anew: at another clock of the core, by another trigger, and two records at one clock.

use crate::{measured, refused, said};
use record::{CoreLooks, Line, Looks, Trial};
use std::path::Path;

const TRIALS: usize = 12;
const SAMPLES: usize = 16;
/// What an iteration costs at 3 GHz, and how many times as much while the core is shared.
const COST_NS: f64 = 50.0;
const SHARED: f64 = 1.4;

/// Makes a trial one of a core whose clock wanders up to `top` hertz, where it stays for a sixth of the run, and that is shared
/// half of the time.
fn plant(trial: &mut Trial, at: usize, top: f64) {
    let wander = 0.8 + 0.24 * (7 * at % TRIALS) as f64 / (TRIALS - 1) as f64;
    let clock = top * wander.min(1.0);
    let is_quiet = |look: usize| (look > SAMPLES / 2) == at.is_multiple_of(2);
    let cost = |sample: usize| {
        let shared = !(is_quiet(sample) && is_quiet(sample + 1));
        COST_NS * 3e9 / clock * if shared { SHARED } else { 1.0 }
    };
    let series = trial.series.first_mut().unwrap();
    let batch = |batch: usize| (cost(batch / 3) * (series.n << (batch % 3)) as f64).round() as i64;
    series.ticks = (0..3 * SAMPLES).map(batch).collect();
    series.cpu_ns = series.ticks.clone();
    series.involuntary = vec![0; 3 * SAMPLES];
    series.voluntary = vec![0; 3 * SAMPLES];
    (series.probe, series.width) = (Vec::new(), Vec::new());
    series.look = (0..SAMPLES as u32).collect();
    series.free = 4;
    let looks = 0..=SAMPLES;
    trial.looks = Some(Looks {
        at: looks.clone().map(|look| 100_000 * look as i64).collect(),
        additions: 0,
        cores: vec![CoreLooks {
            cpu: trial.cpu,
            chain: vec![1_000; SAMPLES + 1],
            width: looks.map(|look| if is_quiet(look) { 250 } else { 400 }).collect(),
        }],
    });
    trial.waited_ns = Some(100_000_000);
    (trial.ns_per_tick, trial.clock_cost_ticks, trial.cpu_cost_ns) = (1.0, 0.0, 0.0);
    (trial.core_hz, trial.started_ns) = (Some(clock), at as u64 * 1_000_000_000);
}

/// A record of one point on such a core.
fn planted(state: &Path, name: &str, top: f64) -> String {
    let path = measured(state, name, &["syscall.getppid method=raw", "--rounds", &TRIALS.to_string()]);
    let mut trials = 0;
    let line = |line: &str| {
        let mut line: Line = serde_json::from_str(line).unwrap();
        if let Line::Trial(trial) = &mut line {
            plant(trial, trials, top);
            trials += 1;
        }
        serde_json::to_string(&line).unwrap() + "\n"
    };
    let planted: String = std::fs::read_to_string(&path).unwrap().lines().map(line).collect();
    assert_eq!(trials, TRIALS);
    std::fs::write(&path, planted).unwrap();
    path
}

/// The fields of the only point in the CSV form.
fn fields(state: &Path, arguments: &[&str]) -> impl Fn(&str) -> String + use<> {
    let table = said(state, &[&["report", "--format", "csv"], arguments].concat());
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let names = reader.headers().unwrap().clone();
    let row = reader.records().next().unwrap().unwrap();
    move |name| row[names.iter().position(|other| other == name).unwrap()].to_owned()
}

#[test]
fn a_record_is_judged_at_any_clock_and_by_any_trigger() {
    let state = tempfile::tempdir().unwrap();
    let record = planted(state.path(), "record", 3.25e9);
    let number = |text: String| text.parse::<f64>().unwrap();
    let own = fields(state.path(), &[&record]);
    assert_eq!(own("state"), "quiet");
    let (clock, typical) = (number(own("core_hz")), number(own("typical")));
    assert!((3.2e9..=3.25e9).contains(&clock), "{clock}");
    assert!((typical / (COST_NS * 3e9 / clock) - 1.0).abs() < 0.005, "{typical}");
    assert!((number(own("slowdown")) - SHARED).abs() < 0.01);
    assert!((number(own("clock_share")) - 1.0).abs() < 0.02);
    let other = fields(state.path(), &[&record, "--clock", "3GHz"]);
    assert_eq!(other("core_hz"), "3000000000");
    assert!((number(other("typical")) / COST_NS - 1.0).abs() < 0.005);
    let same = fields(state.path(), &[&record, "--trigger", "quiet"]);
    assert_eq!(same("typical"), own("typical"));
    for trigger in ["off", "sham"] {
        let judged = fields(state.path(), &[&record, "--trigger", trigger]);
        assert_eq!(judged("state"), "mixed", "{trigger}");
        let page = said(state.path(), &["report", &record, "--trigger", trigger]);
        assert!(page.contains("mixed") && page.contains(trigger), "{page}");
    }
    for wrong in [["--clock", "3"], ["--clock", "3ns"], ["--trigger", "loud"]] {
        refused(state.path(), &[&["report", &record], &wrong[..]].concat(), 2);
    }
}

#[test]
fn the_use_of_the_cores_is_explained_from_a_record_and_without_one() {
    let state = tempfile::tempdir().unwrap();
    let without = said(state.path(), &["explain", "noise.shared_core"]);
    assert!(without.contains("Method") && without.contains("oscope run"), "{without}");
    let record = planted(state.path(), "record", 3.25e9);
    let with = said(state.path(), &["explain", "noise.shared_core", "--record", &record]);
    assert!(with.contains("core not shared") && with.contains("1.40×"), "{with}");
    assert!(with.contains("of the run was spent waiting"), "{with}");
    let table = said(state.path(), &["report", &record, "--format", "csv"]);
    assert_eq!(table.matches("noise.shared_core,cpu=").count(), 4, "{table}");
    let listed = said(state.path(), &["list", "noise.shared_core"]);
    assert!(listed.contains("use of the cores"), "{listed}");
    refused(state.path(), &["run", "noise.shared_core"], 2);
}

#[test]
fn two_records_are_compared_at_one_clock() {
    let state = tempfile::tempdir().unwrap();
    let first = planted(state.path(), "first", 3.25e9);
    let second = planted(state.path(), "second", 3.06e9);
    let page = said(state.path(), &["compare", &first, &second, "--all"]);
    let line = page.lines().find(|line| line.contains("ran at up to")).unwrap();
    assert!(line.starts_with("the first ran at up to 3.2"), "{line}");
    assert!(page.contains("both are compared at 3.2"), "{page}");
    assert!(page.contains("no change found") && page.contains("1 same"), "{page}");
}
