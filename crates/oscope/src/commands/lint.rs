//! `oscope lint`: mistakes that the figures of a table of measurements reveal.

mod sarif;

use crate::arguments::{FindingsForm, Lint};
use crate::exit::{Exit, file_error, unusable};
use crate::{output, terminal};
use lint::{Finding, Table};
use reference::mistake_name;
use report::Paint;
use std::io::{self, Read, Write};
use std::path::Path;

/// Line numbers that are listed; of more, their count.
const MOST_LINES: usize = 6;
/// What it means that nothing was found.
const NO_CONTRADICTION: &str = "the figures contradict neither each other nor what is known of the hardware";
/// The same where no rule could judge a value.
const NOTHING_JUDGED: &str = "nothing was judged: no row has a name and a figure that are known; `oscope report --format csv` writes \
    a table that is read";
/// Columns of the findings in CSV.
const COLUMNS: [&str; 6] = ["code", "mistake", "rule", "subject", "lines", "sentence"];

pub fn run(arguments: &Lint) -> anyhow::Result<Exit> {
    let Some(file) = &arguments.file else {
        print_rules(&mut io::stdout().lock())?;
        return Ok(Exit::Success);
    };
    let machines = match &arguments.machines {
        Some(path) => lint::machines(&text_of(path)?.0).map_err(|error| unusable(path, error))?,
        None => Vec::new(),
    };
    let (text, encoding) = text_of(file)?;
    let mut table = lint::read(&text, machines).map_err(|error| unusable(file, error))?;
    table.notes.extend(encoding.map(|encoding| format!("the file is not UTF-8; it was read as {encoding}")));
    let findings = lint::lint(&table);
    let mut out = output::standard();
    match arguments.format {
        FindingsForm::Text => as_text(&table, &findings, &mut out)?,
        FindingsForm::Json => {
            writeln!(out, "{}", serde_json::to_string_pretty(&as_json(&table, &findings))?)?
        }
        FindingsForm::Csv => as_csv(&findings, &mut out)?,
        FindingsForm::Sarif => {
            writeln!(out, "{}", serde_json::to_string_pretty(&sarif::document(file, &findings))?)?;
        }
    }
    Ok(if findings.is_empty() { Exit::Success } else { Exit::Findings })
}

fn print_rules(out: &mut dyn Write) -> io::Result<()> {
    for rule in lint::rules() {
        writeln!(out, "{}", rule.section(mistake_name(rule.code).unwrap_or_default()))?;
    }
    Ok(())
}

/// The text of a file, and its encoding where that is not UTF-8.
fn text_of(path: &Path) -> anyhow::Result<(String, Option<&'static str>)> {
    let mut bytes = Vec::new();
    let read = match path.as_os_str() == "-" {
        true => io::stdin().read_to_end(&mut bytes).map(|_| ()),
        false => std::fs::read(path).map(|all| bytes = all),
    };
    read.map_err(|error| file_error(path, error))?;
    Ok(lint::decoded(&bytes))
}

fn as_text(table: &Table, findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let style = terminal::style_of_output();
    let form = table.format.map(|format| format!("{format}: ")).unwrap_or_default();
    writeln!(out, "{form}{} rows; read {}", table.rows.len(), table.used.join(", "))?;
    if !table.unused.is_empty() {
        writeln!(out, "not read: {}", table.unused.join(", "))?;
    }
    writeln!(out, "{}", recognition(table))?;
    for note in &table.notes {
        writeln!(out, "note: {note}")?;
    }
    for finding in findings {
        let name = mistake_name(finding.code).unwrap_or_default();
        let possibly = if finding.is_hint() { "possibly " } else { "" };
        let heading = format!("{} {possibly}{name}: {}", finding.code, finding.subject);
        writeln!(out, "\n{}", style.paint(&heading, Paint::Strong))?;
        writeln!(out, "  {}", finding.sentence)?;
        let by = format!("  {}; rule {}", lines(finding), finding.rule);
        writeln!(out, "{}", style.paint(&by, Paint::Faint))?;
    }
    match findings.len() {
        0 if table.unrecognised().len() == table.rows.len() => writeln!(out, "\n{NOTHING_JUDGED}"),
        0 => writeln!(out, "\nno finding: {NO_CONTRADICTION}"),
        1 => writeln!(out, "\n1 finding"),
        many => writeln!(out, "\n{many} findings"),
    }
}

/// How many rows were recognised, and the first of the others with the reason.
fn recognition(table: &Table) -> String {
    let unknown = table.unrecognised();
    let recognised = table.rows.len() - unknown.len();
    let mut listed: Vec<String> = Vec::new();
    for (row, why) in &unknown {
        let text = format!("line {} '{}' ({})", row.line, row.name, why.word());
        if !listed.contains(&text) {
            listed.push(text);
        }
    }
    let more = match listed.len().saturating_sub(MOST_LINES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    listed.truncate(MOST_LINES);
    let others =
        if listed.is_empty() { String::new() } else { format!("; not: {}{more}", listed.join(", ")) };
    format!("{} rows, {recognised} recognised{others}", table.rows.len())
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
    let findings: Vec<serde_json::Value> = findings
        .iter()
        .map(|finding| {
            serde_json::json!({
                "code": finding.code,
                "mistake": mistake_name(finding.code),
                "possible": finding.is_hint(),
                "rule": finding.rule,
                "subject": finding.subject,
                "lines": finding.lines,
                "sentence": finding.sentence,
            })
        })
        .collect();
    let unrecognised = table.unrecognised();
    let unknown = unrecognised
        .iter()
        .map(|(row, why)| serde_json::json!({"line": row.line, "name": row.name, "missing": why.word()}));
    serde_json::json!({
        "format": table.format,
        "notes": table.notes,
        "rows": table.rows.len(),
        "recognised": table.rows.len() - unrecognised.len(),
        "not_recognised": unknown.collect::<Vec<_>>(),
        "columns_read": table.used,
        "columns_not_read": table.unused,
        "findings": findings,
    })
}

fn as_csv(findings: &[Finding], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for finding in findings {
        let lines: Vec<String> = finding.lines.iter().map(u64::to_string).collect();
        writer.write_record([
            finding.code,
            mistake_name(finding.code).unwrap_or_default(),
            finding.rule,
            &finding.subject,
            &lines.join(" "),
            &finding.sentence,
        ])?;
    }
    writer.flush()?;
    Ok(())
}
