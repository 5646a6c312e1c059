//! `oscope lint`: what the figures of a table reveal by themselves.

use crate::arguments::{Lint, TableForm};
use crate::exit::{Ends, Exit, usage};
use crate::terminal;
use lint::{Finding, Table};
use reference::mistake;
use report::Paint;
use std::io::{self, Write};
use std::path::Path;

/// Lines that are named one by one; of more, their number.
const MOST_LINES: usize = 6;
/// Words of a rule's table in CSV.
const COLUMNS: [&str; 6] = ["code", "mistake", "rule", "subject", "lines", "sentence"];

pub fn run(arguments: &Lint) -> anyhow::Result<Exit> {
    let machines = match &arguments.machines {
        Some(path) => lint::machines(&text_of(path)?).map_err(|error| named(path, &error))?,
        None => Vec::new(),
    };
    let table =
        lint::read(&text_of(&arguments.file)?, machines).map_err(|error| named(&arguments.file, &error))?;
    let findings = lint::lint(&table);
    let mut out = io::stdout().lock();
    match arguments.format {
        TableForm::Text => as_text(&table, &findings, &mut out)?,
        TableForm::Json => writeln!(
            out,
            "{}",
            serde_json::to_string_pretty(&as_json(&table, &findings))?
        )?,
        TableForm::Csv => as_csv(&findings, &mut out)?,
    }
    Ok(if findings.is_empty() {
        Exit::Success
    } else {
        Exit::Findings
    })
}

fn text_of(path: &Path) -> anyhow::Result<String> {
    let bytes = if path.as_os_str() == "-" {
        io::read_to_string(io::stdin()).map(String::into_bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|error| Ends(Exit::File, format!("{}: {error}", path.display())))?;
    // A stray byte of another encoding is no reason to check nothing.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn named(path: &Path, error: &lint::LintError) -> anyhow::Error {
    usage(format!("{}: {error}", path.display()))
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
        0 => writeln!(out, "\nno finding: nothing in these figures contradicts itself"),
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
    let found: Vec<serde_json::Value> = findings
        .iter()
        .map(|finding| {
            serde_json::json!({
                "code": finding.code,
                "mistake": mistake(finding.code),
                "rule": finding.rule,
                "subject": finding.subject,
                "lines": finding.lines,
                "sentence": finding.sentence,
            })
        })
        .collect();
    serde_json::json!({
        "rows": table.rows.len(),
        "columns_read": table.used,
        "columns_not_read": table.unused,
        "findings": found,
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
