//! What is right and wrong with what a machine sent.

use super::machines::Machine;
use crate::report_csv::{self, Row};
use anyhow::{Context, Result};
use record::{FactValue, Record};
use std::collections::BTreeMap;
use std::path::Path;

/// Rows that are contradicted or without a number for a known reason: the beginning of the machine's name, that of its
/// points, and why.
///
/// An emulator runs the instructions of a program and of the kernel in order, but has no caches, no branch predictor and
/// no parallel execution.
const EXPLAINED: &[(&str, &str, &str)] = &[
    (
        "",
        "memory.latency",
        "a load takes as long as an addition, which is how the length of a cycle is found",
    ),
    (
        "realtime",
        "thread.create.join",
        "interrupts and what they put off are tasks there, which take the CPU within most batches",
    ),
];

/// What came of a machine.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Facts that are known, and all facts.
    pub facts: (usize, usize),
    /// Rows by verdict.
    pub verdicts: BTreeMap<String, usize>,
    /// What is wrong.
    pub findings: Vec<String>,
    /// What looks wrong and has a known reason.
    pub explained: Vec<String>,
}

impl Outcome {
    /// Takes down a known reason, once for all points that it holds for.
    fn explain(&mut self, (_, points, why): &(&str, &str, &str)) {
        let line = format!("{points}: {why}");
        if !self.explained.contains(&line) {
            self.explained.push(line);
        }
    }
}

/// Judges what a machine sent into a folder.
///
/// # Errors
/// When a file is missing or not as oscope writes it.
pub fn judge(machine: &Machine, results: &Path) -> Result<Outcome> {
    let read = |name: &str| {
        std::fs::read_to_string(results.join(name)).with_context(|| format!("{name} of {}", machine.name))
    };
    let mut outcome = Outcome::default();
    for name in ["setup.errors", "describe.errors", "errors", "processes"] {
        let text = read(name)?;
        if let Some(line) = text.lines().next() {
            outcome.findings.push(format!("{name}: {line}"));
        }
    }
    match serde_json::from_str(&read("machine.json")?) {
        Ok(described) => {
            // Facts about the directories of a run are in its record only.
            let recorded = Record::read(&results.join("record.oscope")).map(|record| record.machine);
            facts(machine, &described, &recorded.unwrap_or_default(), &mut outcome);
        }
        Err(error) => outcome.findings.push(format!("oscope describe: {error}")),
    }
    let exit = read("exit")?;
    if exit.trim() != "0" {
        outcome.findings.push(format!("oscope run: exit code {}", exit.trim()));
    }
    rows(machine, &report_csv::read(&read("rows.csv")?)?, &mut outcome);
    leftovers(&read("before")?, &read("after")?, &mut outcome);
    Ok(outcome)
}

fn facts(machine: &Machine, described: &record::Machine, recorded: &record::Machine, outcome: &mut Outcome) {
    let all = described.facts.len();
    outcome.facts = (
        all - described.facts.iter().filter(|fact| matches!(fact.value, FactValue::Unknown { .. })).count(),
        all,
    );
    for (key, expected) in machine.facts.split("; ").filter_map(|fact| fact.split_once('=')) {
        let found = described
            .get(key)
            .or_else(|| recorded.get(key))
            .map_or_else(|| "missing".to_owned(), |fact| text(&fact.value));
        let is_number = expected.parse::<f64>().is_ok();
        if !(found == expected || !is_number && found.contains(expected)) {
            outcome.findings.push(format!("{key} is {found}, not {expected}"));
        }
    }
}

fn text(value: &FactValue) -> String {
    match value {
        FactValue::Text { text } => text.clone(),
        FactValue::Number { value, .. } => value.to_string(),
        FactValue::List { items } => items.join(", "),
        FactValue::Flag { set } => set.to_string(),
        FactValue::Unknown { reason } => format!("unknown ({reason})"),
    }
}

fn rows(machine: &Machine, all: &[Row], outcome: &mut Outcome) {
    for row in all {
        *outcome.verdicts.entry(row.verdict.clone()).or_default() += 1;
        let line = format!("{} {}: {}", row.name(), row.verdict, row.reason);
        let has_number = matches!(row.verdict.as_str(), "measured" | "noisy");
        let known = EXPLAINED
            .iter()
            .find(|(name, point, _)| machine.name.starts_with(name) && row.name().starts_with(point));
        match (row.verdict.as_str(), known) {
            ("contradicted", Some(known)) => outcome.explain(known),
            ("contradicted" | "failed", _) => outcome.findings.push(line),
            ("skipped", _) if row.reason.is_empty() => outcome.findings.push(format!("{line}no reason")),
            _ if has_number == row.typical.is_some() => {}
            (_, Some(known)) => outcome.explain(known),
            _ => outcome.findings.push(format!("{line}: its number")),
        }
    }
    for (beginning, reason) in machine.skipped {
        if !all.iter().any(|row| {
            row.name().starts_with(beginning) && row.verdict == "skipped" && row.reason.contains(reason)
        }) {
            let found = all.iter().find(|row| row.name().starts_with(beginning));
            let found = found.map_or_else(
                || "is not there".to_owned(),
                |row| format!("is {}: {}", row.verdict, row.reason),
            );
            outcome.findings.push(format!("{beginning} {found}, not skipped for want of {reason}"));
        }
    }
}

/// Files that were not there before.
fn leftovers(before: &str, after: &str, outcome: &mut Outcome) {
    let before: Vec<&str> = before.lines().collect();
    let new = after.lines().filter(|path| !before.contains(path));
    outcome.findings.extend(new.map(|path| format!("{path} was left behind")));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::lab::machines::MACHINES;

    const ROWS: &str = "operation,point,verdict,typical,reason\n";

    /// What a machine with two facts sends, if these are its rows.
    fn judged(rows: &str, processors: &str, after: &str) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let facts = [
            serde_json::json!({"key": "cpus.isolated", "kind": "text", "text": processors, "source": "here"}),
            serde_json::json!({"key": "cpus.online", "kind": "number", "value": 4.0, "unit": "one", "source": "here"}),
        ];
        write("machine.json", &serde_json::json!({ "facts": facts }).to_string());
        for name in ["setup.errors", "describe.errors", "errors", "processes", "before"] {
            write(name, "");
        }
        write("exit", "0\n");
        write("rows.csv", &format!("{ROWS}{rows}"));
        write("after", after);
        let machine = MACHINES.iter().find(|one| one.name == "isolated").unwrap();
        judge(machine, folder.path()).unwrap()
    }

    #[test]
    fn a_machine_as_configured_has_no_findings() {
        let outcome = judged("a.b,,measured,1.5,\na.c,n=1,skipped,,needs a disk\n", "2-3", "");
        assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
        assert_eq!(outcome.verdicts.get("skipped"), Some(&1));
        assert_eq!(outcome.facts, (2, 2));
    }

    #[test]
    fn everything_wrong_is_found() {
        for (rows, processors, after, found) in [
            ("a.b,,contradicted,,too fast\n", "2-3", "", "too fast"),
            ("a.b,n=1,failed,,no such call\n", "2-3", "", "a.b n=1 failed"),
            ("a.b,,skipped,,\n", "2-3", "", "no reason"),
            ("a.b,,noisy,,\n", "2-3", "", "its number"),
            ("", "none", "", "cpus.isolated is none, not 2-3"),
            ("", "2-3", "/tmp/oscope-1\n", "/tmp/oscope-1 was left behind"),
        ] {
            let outcome = judged(rows, processors, after);
            assert!(
                outcome.findings.len() == 1 && outcome.findings.concat().contains(found),
                "{found}: {:?}",
                outcome.findings
            );
        }
    }

    #[test]
    fn a_row_that_must_be_skipped_and_is_not_is_found() {
        let mut outcome = Outcome::default();
        let small = MACHINES.iter().find(|one| one.name == "small").unwrap();
        rows(small, &[], &mut outcome);
        assert!(outcome.findings.concat().contains("is not there"), "{outcome:?}");
    }
}
