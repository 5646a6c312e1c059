//! Records of many machines, of which one is not like the others, and some are not what they seem.

use crate::{FROZEN_RECORD, oscope, outcome};
use quantity::Quantity;
use record::{
    End, EndReason, Fact, FactValue, Header, Journal, Line, Machine, PointId, Record, SCHEMA, Summarized,
    Summary, SummaryRow, Unit,
};
use std::fs;
use std::path::Path;

fn header(started: &str) -> Header {
    Header {
        format: "oscope".to_owned(),
        schema: SCHEMA,
        program: "0.1.0".to_owned(),
        started: started.to_owned(),
        ..Header::default()
    }
}

fn machine(kernel: &str) -> Machine {
    let fact = |key: &str, value: FactValue| Fact {
        key: key.to_owned(),
        value,
        source: "made".to_owned(),
        within: None,
        assumed: false,
    };
    let text = |text: &str| FactValue::Text { text: text.to_owned() };
    let memory = FactValue::Number { value: 64e9, unit: Unit::Bytes };
    Machine {
        facts: vec![
            fact("processor.model", text("Maker 9000")),
            fact("kernel.release", text(kernel)),
            fact("memory.total", memory),
        ],
    }
}

/// Writes a record that ends with a summary: 40 points that vary by machine and run, system calls times `calls`.
fn write(path: &Path, seed: u64, kernel: &str, calls: f64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut row = |number: usize| {
        let is_call = number < 20;
        let id = match is_call {
            true => PointId::new("syscall.made", &format!("number={number}")),
            false => PointId::new("arithmetic.integer", &format!("kind={number}")),
        };
        let cost = if is_call { calls } else { 1.0 };
        let typical = 100.0 * cost * (1.0 + 0.02 * (random.f64() - 0.5));
        SummaryRow {
            id,
            quantity: Quantity::Latency,
            revision: 1,
            verdict: "measured".to_owned(),
            typical: Some(typical),
            interval: Some((typical * 0.998, typical * 1.002)),
            trials: 20,
            core_hz: Some(3e9),
        }
    };
    let rows: Vec<SummaryRow> = (0..40).map(&mut row).collect();
    let header = header(&format!("2026-03-01T{:02}:{:02}:00Z", seed / 60, seed % 60));
    let mut journal = Journal::create(path).unwrap();
    journal.append(&Line::Header(header.clone())).unwrap();
    journal.append(&Line::Machine(machine(kernel))).unwrap();
    let end = End { reason: EndReason::Narrow, at_ns: 5, clock_drift: None };
    journal.append(&Line::End(end)).unwrap();
    let at = journal.end().unwrap();
    let summary = Summary::new(&header.started, at, Some(0.97), rows);
    journal.append(&Line::Summary(summary)).unwrap();
}

/// Twelve machines with two runs each; the system calls of the fourth cost more, and its kernel is another.
pub fn fleet() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..12 {
        let (kernel, calls) = if number == 3 { ("6.12.9", 1.4) } else { ("6.18.1", 1.0) };
        let name = |run: &str| folder.path().join(format!("node{number:02}{run}.oscope.jsonl"));
        write(&name(""), number * 2, kernel, calls);
        write(&name(".2"), number * 2 + 1, kernel, calls);
    }
    folder
}

fn report(folder: &Path, more: &[&str]) -> (i32, String, String) {
    let mut command = oscope(folder);
    outcome(command.env("COLUMNS", "160").args(["fleet", "report"]).arg(folder).args(more))
}

#[test]
fn the_odd_machine_is_named_with_its_sign_and_the_fact_that_differs() {
    let folder = fleet();
    let (code, said, errors) = report(folder.path(), &[]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(said.starts_with("12 machines of 1 type, 24 runs: 1 machine is odd\n"), "{said}");
    let odd: Vec<&str> = said.lines().filter(|line| line.starts_with("node")).collect();
    assert_eq!(odd.len(), 1, "{said}");
    let words = ["node03", "machine", "20", "1.4", "system calls cost more", "kernel.release"];
    assert!(words.iter().all(|word| odd[0].contains(word)), "{odd:?}");
    assert!(!said.contains("problems with"), "{said}");
    assert_eq!(report(folder.path(), &["--strict"]).0, 1);
    // Everything of it: its points beside the median machine, and the fact with both values.
    let (_, full, _) = report(folder.path(), &["--full"]);
    assert!(full.contains("kernel.release: 6.12.9 (siblings: 6.18.1)"), "{full}");
    assert!(full.contains("syscall.made number=7"), "{full}");
}

#[test]
fn every_form_says_the_same() {
    let folder = fleet();
    let (_, json, _) = report(folder.path(), &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let odd = &json["types"][0]["odd"][0];
    assert_eq!((&odd["machine"], &odd["look_at"]), (&"node03".into(), &"machine".into()));
    assert_eq!(odd["points"].as_array().unwrap().len(), 20);
    assert_eq!(json["machines"].as_array().unwrap().len(), 12);
    let (_, markdown, _) = report(folder.path(), &["--format", "markdown"]);
    assert!(markdown.contains("| node03 | machine | 20 |"), "{markdown}");
    let page = folder.path().join("page.html");
    assert_eq!(report(folder.path(), &["--format", "html", "-o", page.to_str().unwrap()]).0, 0);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<svg class=\"plot heat\"") && page.contains("node03"));
}

#[test]
fn few_records_without_predictions_of_users_are_no_class() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(FROZEN_RECORD, folder.path().join("anna.jsonl")).unwrap();
    fs::copy(FROZEN_RECORD, folder.path().join("ben.jsonl")).unwrap();
    // The same run is left out.
    let (_, said, _) = report(folder.path(), &[]);
    assert!(said.contains("the same run as"), "{said}");
    let text = fs::read_to_string(FROZEN_RECORD).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let started = first.split_once("\"started\":\"").unwrap().1.split_once('"').unwrap().0;
    let later = first.replace(started, "2026-04-01T00:00:00Z");
    fs::write(folder.path().join("ben.jsonl"), format!("{later}\n{rest}")).unwrap();
    let (_, said, _) = report(folder.path(), &[]);
    assert!(said.starts_with("2 machines of 1 type, 2 runs: too few machines"), "{said}");
    // The table of a class says who predicted best.
    assert!(!said.contains("the reports' table"), "{said}");
}

#[test]
fn records_that_are_not_what_they_seem_are_named_and_nothing_else_is_lost() {
    let folder = fleet();
    let file = |name: &str| folder.path().join(name);
    fs::copy(file("node01.oscope.jsonl"), file("node99.oscope.jsonl")).unwrap();
    fs::write(file("foreign.jsonl"), "{\"a\": 1}\n").unwrap();
    fs::write(file("notes.txt"), "no record").unwrap();
    // Torn in the middle of its summary: the whole of it is read, and has no trial.
    let whole = fs::read(file("node02.oscope.jsonl")).unwrap();
    fs::write(file("torn.oscope.jsonl"), &whole[..whole.len() - 40]).unwrap();
    let (code, said, _) = report(folder.path(), &["--full"]);
    assert_eq!(code, 0);
    assert!(said.starts_with("12 machines of 1 type, 24 runs: 1 machine is odd\n"), "{said}");
    for problem in [
        "node99.oscope.jsonl: left out: the same run as node01.oscope.jsonl",
        "foreign.jsonl: left out: not a record of oscope",
        "torn.oscope.jsonl: left out: it has no result",
    ] {
        let plain = said.replace("\n      ", " ");
        assert!(plain.contains(problem), "{problem}: {said}");
    }
    assert!(!said.contains("notes.txt"), "{said}");
}

#[test]
fn a_directory_without_records_and_one_of_foreign_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, errors) = report(folder.path(), &[]);
    assert!(code == 2 && errors.contains("no record in it"), "{errors}");
    fs::write(folder.path().join("a.jsonl"), "x\n").unwrap();
    let (code, said, _) = report(folder.path(), &[]);
    assert!(code == 4 && said.contains("left out"), "{said}");
    assert_eq!(report(&folder.path().join("none"), &[]).0, 2);
}

#[test]
fn a_run_ends_its_record_with_a_summary_and_a_blind_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("node.oscope.jsonl");
    let run = |more: &[&str], path: &Path| {
        let mut command = oscope(folder.path());
        command.args(["run", "arithmetic.integer", "--rounds", "6", "--quiet", "-o"]);
        assert_eq!(outcome(command.arg(path).args(more)).0, 0);
    };
    run(&[], &path);
    let read = Summarized::read(&path).unwrap().unwrap();
    let record = Record::read(&path).unwrap();
    assert_eq!(read.header, record.header);
    // The same as the analysis of the whole record says.
    let rows = analysis::analyse(&record).summary_rows();
    assert_eq!(read.summary.rows, rows);
    assert!(rows.iter().any(|row| row.typical.is_some()));
    let blind = folder.path().join("blind.oscope.jsonl");
    run(&["--blind"], &blind);
    assert_eq!(Summarized::read(&blind).unwrap(), None);
}
