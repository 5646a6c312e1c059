//! Tables of records, read back by other programs.

use crate::fleet::fleet;
use crate::{FROZEN_RECORD, oscope, outcome};
use std::fs;
use std::path::Path;

/// Where `cargo xtask test` puts the packages of Python that tests need.
const PYTHON_PACKAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/test-python");

const DOCUMENT: &str = include_str!("../../../../docs/FLEET.md");

fn export(form: &str, records: &Path, tables: &Path) {
    let mut command = oscope(records);
    let (code, said, errors) = outcome(command.args(["export", form]).arg(records).arg("-o").arg(tables));
    assert_eq!((code, said.as_str(), errors.as_str()), (0, "", ""));
}

/// A directory with records that were made, and one that was measured, under several names.
fn records() -> tempfile::TempDir {
    let folder = fleet();
    for name in ["measured", "measured.2", "other", "third"] {
        fs::copy(FROZEN_RECORD, folder.path().join(format!("{name}.jsonl"))).unwrap();
    }
    folder
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn tables_of_lines_have_every_estimate_trial_and_fact() {
    let records = records();
    let tables = records.path().join("tables");
    export("jsonl", records.path(), &tables);
    let estimates = lines(&tables.join("estimates.jsonl"));
    let of = |run: &str| estimates.iter().filter(|row| row["run"] == run).count();
    assert!(of("measured.jsonl") > 10, "{}", of("measured.jsonl"));
    assert_eq!(of("measured.jsonl"), of("measured.2.jsonl"));
    let measured = estimates.iter().find(|row| row["low"].is_f64()).unwrap();
    assert_eq!(measured["machine"], "measured");
    assert!(measured["low"].as_f64() <= measured["typical"].as_f64());
    let trials = lines(&tables.join("trials.jsonl"));
    let same =
        |row: &&serde_json::Value| ["run", "operation", "point"].iter().all(|key| row[key] == measured[key]);
    assert_eq!(trials.iter().filter(same).count() as u64, measured["trials"].as_u64().unwrap());
    let curves = lines(&tables.join("curves.jsonl"));
    assert!(curves.iter().all(|row| row["place"].is_f64() && row["value"].is_f64() && row["round"].is_u64()));
    let facts = lines(&tables.join("facts.jsonl"));
    let kernels = facts.iter().filter(|row| row["key"] == "kernel.release");
    assert_eq!(kernels.count(), 24);
}

#[test]
fn the_form_of_superbench_is_a_line_for_each_run_without_blanks_in_names() {
    let records = records();
    let tables = records.path().join("tables");
    export("superbench", records.path(), &tables);
    let all = lines(&tables.join("results-summary.jsonl"));
    // Made records have no trials, of which estimates are made again.
    assert_eq!(all.len(), 4);
    for line in &all {
        let line = line.as_object().unwrap();
        assert!(line["node"].is_string());
        let metrics = || line.iter().filter(|(name, _)| *name != "node");
        assert!(metrics().count() > 10);
        assert!(
            metrics()
                .all(|(name, value)| name.starts_with("oscope/") && !name.contains(' ') && value.is_f64())
        );
    }
}

#[test]
fn duckdb_answers_the_questions_of_the_document() {
    let records = records();
    export("parquet", records.path(), &records.path().join("tables"));
    export("jsonl", records.path(), &records.path().join("tables"));
    if !programs::installed(&["python3"]) || !Path::new(programs::PYTHON).is_file() {
        return;
    }
    if !Path::new(PYTHON_PACKAGES).join("duckdb").is_dir() {
        assert!(std::env::var_os("OSCOPE_CI").is_none(), "it needs DuckDB in {PYTHON_PACKAGES}");
        return eprintln!("left out: it needs DuckDB in {PYTHON_PACKAGES}");
    }
    let (_, queries) = DOCUMENT.split_once("```sql\n").unwrap();
    let (queries, _) = queries.split_once("```").unwrap();
    let script = "import duckdb, sys\n\
        for query in sys.stdin.read().split(';')[:-1]:\n    print(len(duckdb.sql(query).fetchall()))\n\
        for table in ('facts', 'estimates', 'trials'):\n    \
            one, other = (duckdb.sql(f\"SELECT * FROM 'tables/{table}.{form}' ORDER BY ALL\").fetchall() for form in ('parquet', 'jsonl'))\n    \
            print(len(one), len(one) == len(other))\n";
    let mut python = programs::command(programs::PYTHON);
    python.env("PYTHONPATH", PYTHON_PACKAGES).current_dir(records.path()).args(["-c", script]);
    let mut python = assert_cmd::Command::from_std(python);
    let (code, said, errors) = outcome(python.write_stdin(queries));
    assert_eq!(code, 0, "{errors}");
    let answers: Vec<&str> = said.lines().collect();
    assert_eq!(answers.len(), 13, "{said}");
    // All but those for a system call, facts, contradictions and predictions have an answer here.
    let rows = answers[..10].iter().map(|answer| answer.parse::<usize>().unwrap());
    let without: Vec<usize> =
        rows.enumerate().filter(|(_, rows)| *rows == 0).map(|(place, _)| place + 1).collect();
    assert!(without.iter().all(|question| [1, 4, 7, 8].contains(question)), "{without:?}");
    assert!(answers[10..].iter().all(|line| line.ends_with("True")), "{said}");
}
