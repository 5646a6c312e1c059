//! `oscope lint`: mistakes that the figures of a table of measurements reveal.

use crate::arguments::{Lint, TableForm};
use crate::exit::{Exit, file_error, unusable};
use crate::terminal;
use lint::{Finding, Table};
use reference::mistake;
use report::Paint;
use std::io::{self, Write};
use std::path::Path;

/// Line numbers that are listed; of more, their count.
const MOST_LINES: usize = 6;
/// What it means that nothing was found.
const NO_CONTRADICTION: &str = "the figures contradict neither each other nor what is known of the hardware";
/// Columns of the findings in CSV.
const COLUMNS: [&str; 6] = ["code", "mistake", "rule", "subject", "lines", "sentence"];

pub fn run(arguments: &Lint) -> anyhow::Result<Exit> {
    let Some(file) = &arguments.file else {
        print_rules(&mut io::stdout().lock())?;
        return Ok(Exit::Success);
    };
    let machines = match &arguments.machines {
        Some(path) => lint::machines(&text_of(path)?).map_err(|error| unusable(path, error))?,
        None => Vec::new(),
    };
    let table = lint::read(&text_of(file)?, machines).map_err(|error| unusable(file, error))?;
    let findings = lint::lint(&table);
    let mut out = io::stdout().lock();
    match arguments.format {
        TableForm::Text => as_text(&table, &findings, &mut out)?,
        TableForm::Json => writeln!(out, "{}", serde_json::to_string_pretty(&as_json(&table, &findings))?)?,
        TableForm::Csv => as_csv(&findings, &mut out)?,
    }
    Ok(if findings.is_empty() { Exit::Success } else { Exit::Findings })
}

fn print_rules(out: &mut dyn Write) -> io::Result<()> {
    for rule in lint::rules() {
        writeln!(out, "{}", rule.section(mistake(rule.code).unwrap_or_default()))?;
    }
    Ok(())
}

fn text_of(path: &Path) -> anyhow::Result<String> {
    let bytes = match path.as_os_str() == "-" {
        true => io::read_to_string(io::stdin()).map(String::into_bytes),
        false => std::fs::read(path),
    };
    let bytes = bytes.map_err(|error| file_error(path, error))?;
    // The rest can be checked where a byte is not UTF-8.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn as_text(table: &Table, findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let style = terminal::style_of_output();
    writeln!(out, "{} rows; read {}", table.rows.len(), table.used.join(", "))?;
    if !table.unused.is_empty() {
        writeln!(out, "not read: {}", table.unused.join(", "))?;
    }
    for finding in findings {
        let name = mistake(finding.code).unwrap_or_default();
        let heading = format!("{} {name}: {}", finding.code, finding.subject);
        writeln!(out, "\n{}", style.paint(&heading, Paint::Strong))?;
        writeln!(out, "  {}", finding.sentence)?;
        let by = format!("  {}; rule {}", lines(finding), finding.rule);
        writeln!(out, "{}", style.paint(&by, Paint::Faint))?;
    }
    match findings.len() {
        0 => writeln!(out, "\nno finding: {NO_CONTRADICTION}"),
        1 => writeln!(out, "\n1 finding"),
        many => writeln!(out, "\n{many} findings"),
    }
}

fn lines(finding: &Finding) -> String {
    let numbers = finding.lines.iter().take(MOST_LINES).map(u64::to_string);
    let listed = numbers.collect::<Vec<_>>().join(", ");
    let word = if finding.lines.len() == 1 { "line" } else { "lines" };
    match finding.lines.len().checked_sub(MOST_LINES) {
        Some(more) if more > 0 => format!("{word} {listed} and {more} more"),
        _ => format!("{word} {listed}"),
    }
}

fn as_json(table: &Table, findings: &[Finding]) -> serde_json::Value {
    let found = |finding: &Finding| {
        serde_json::json!({
            "code": finding.code,
            "mistake": mistake(finding.code),
            "rule": finding.rule,
            "subject": finding.subject,
            "lines": finding.lines,
            "sentence": finding.sentence,
        })
    };
    serde_json::json!({
        "rows": table.rows.len(),
        "columns_read": table.used,
        "columns_not_read": table.unused,
        "findings": findings.iter().map(found).collect::<Vec<_>>(),
    })
}

fn as_csv(findings: &[Finding], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for finding in findings {
        let lines: Vec<String> = finding.lines.iter().map(u64::to_string).collect();
        writer.write_record([
            finding.code,
            mistake(finding.code).unwrap_or_default(),
            finding.rule,
            &finding.subject,
            &lines.join(" "),
            &finding.sentence,
        ])?;
    }
    writer.flush()?;
    Ok(())
}
