//! `oscope explain`: an operation's method, formula, witnesses, confounds, who measured it how, and what a
//! record says of it; without an operation, the questions and their answers.

mod facts;
mod terms;

pub(super) use terms::term;

use crate::Operations;
use crate::arguments::Explain;
use crate::exit::Exit;
use crate::exit::usage;
use crate::labels::labelled;
use crate::records;
use crate::records::read;
use crate::select::{exactly, find, select_operations};
use crate::suggest::nothing_is;
use analysis::{Analysis, Row};
use measure::{Operation, Point, Reference};
use record::renamed::meant;
use record::{Machine, Need, PointId, Profile, Term};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub fn run(operations: Operations, arguments: &Explain) -> anyhow::Result<Exit> {
    let width = crate::terminal::width_of_output().min(100);
    if let Some((records, only)) = compared_records(arguments)? {
        super::compare::explain(operations, &records, only, width)?;
        return Ok(Exit::Success);
    }
    let typed = arguments.id.join(" ");
    let text = labelled(operations, &typed).map_or_else(|| meant(&typed), Cow::Owned);
    let mut out = io::stdout().lock();
    // One word that names a file and no operation is a record.
    let is_record = exactly(operations, &text).is_err() && Path::new(&typed).is_file();
    if text.is_empty() || is_record {
        let named = is_record.then(|| PathBuf::from(&typed)).or_else(|| arguments.record.clone());
        return questions(FoundRecord::find(named.as_deref())?, width, &mut out);
    }
    if let Some(words) = term(&text) {
        Page { out: &mut out, width }.paragraph("", &words)?;
        return Ok(Exit::Success);
    }
    let (id, point) = text.split_once(' ').unwrap_or((&text, ""));
    let several = several(operations, &text)?;
    let is_operation = !point.is_empty() || exactly(operations, id).is_ok();
    if !is_operation && named_facts(arguments.record.as_deref(), id, width, &mut out)? {
        return match several.as_slice() {
            [] => Ok(Exit::Success),
            several => {
                writeln!(out)?;
                list_explained(several, &mut out)
            }
        };
    }
    let operation = match several.as_slice() {
        [] => exactly(operations, id)?,
        [one] => one,
        several => return list_explained(several, &mut out),
    };
    if !point.is_empty() && find(operations, &PointId::new(operation.id, point), Profile::Thorough).is_none()
    {
        return Err(usage(nothing_is(&text, operations)));
    }
    let found = FoundRecord::find(arguments.record.as_deref())?;
    explain(operation, point, &mut Page { out: &mut out, width })?;
    super::reference::beside(operation.id, width, &mut out)?;
    by_record(found, operation, point, width, &mut out)
}

/// Writes what the newest record, or else this machine itself, says of what has this name; whether it says anything.
fn named_facts(record: Option<&Path>, name: &str, width: usize, out: &mut dyn Write) -> anyhow::Result<bool> {
    let found = FoundRecord::find(record)?;
    let (heading, machine, answers) = match found {
        Some(found) => (found.heading(), found.machine, found.analysis.answers),
        None => ("Of this machine".to_owned(), machine::describe(&machine::Live::machine()), Vec::new()),
    };
    let facts = facts::named(&machine, name);
    if facts.is_empty() {
        return Ok(false);
    }
    writeln!(out, "{heading}\n")?;
    facts::write(&facts, (&answers, name), width, out)?;
    Ok(true)
}

/// The records whose differences are to be explained, and the points of which: two records that are named first, or with
/// `--versus` one that has environments.
fn compared_records(arguments: &Explain) -> anyhow::Result<Option<(Vec<PathBuf>, &[String])>> {
    if arguments.versus {
        let record = arguments.record.clone().map_or_else(records::newest, Ok)?;
        return Ok(Some((vec![record], &arguments.id)));
    }
    Ok(match arguments.id.as_slice() {
        [first, second, only @ ..] if Path::new(first).is_file() && Path::new(second).is_file() => {
            Some((vec![first.into(), second.into()], only))
        }
        _ => None,
    })
}

/// The operations whose ids begin or continue like this, where it is not one of them: `switch`, `fork`.
fn several(operations: Operations, text: &str) -> anyhow::Result<Vec<&'static Operation>> {
    if text.contains(' ') || operations.iter().any(|operation| operation.id == text) {
        return Ok(Vec::new());
    }
    let words = [text.to_owned()];
    if let Ok(found) = select_operations(operations, &words) {
        return Ok(found);
    }
    let holds = |operation: &&&'static Operation| text.len() >= 3 && operation.id.contains(text);
    Ok(operations.iter().filter(holds).copied().collect())
}

/// Operations with their titles, each of which can be explained.
fn list_explained(operations: &[&'static Operation], out: &mut dyn Write) -> anyhow::Result<Exit> {
    let widest = operations.iter().map(|operation| operation.id.len()).max().unwrap_or(0);
    for operation in operations {
        writeln!(out, "  {:widest$}  {}", operation.id, operation.title)?;
    }
    writeln!(out, "\nexplain one of them: oscope explain ID")?;
    Ok(Exit::Success)
}

/// A record, where it is, and its analysis.
struct FoundRecord {
    path: PathBuf,
    started: String,
    machine: Machine,
    analysis: Analysis,
    /// Where files were measured, if any were.
    directory: Option<String>,
    /// Where those on a remote file system were.
    remote: Option<String>,
}

impl FoundRecord {
    /// The named record, or the newest; `None` when there is none.
    ///
    /// # Errors
    /// When a record was named that cannot be read.
    fn find(named: Option<&Path>) -> anyhow::Result<Option<Self>> {
        let found = match named {
            Some(path) => Some((path.to_owned(), read(path)?)),
            // That the newest record is of another kind is no reason to explain nothing.
            None => records::newest().ok().and_then(|path| Some((path.clone(), read(&path).ok()?))),
        };
        Ok(found.map(|(path, record)| Self {
            path,
            started: record.header.started.clone(),
            directory: report::directory_line(&record.machine),
            remote: report::remote_line(&record.machine),
            analysis: analysis::analyse(&record),
            machine: record.machine,
        }))
    }

    fn heading(&self) -> String {
        format!("In the record of {} ({})", self.started, self.path.display())
    }
}

/// All questions with their answers.
fn questions(found: Option<FoundRecord>, width: usize, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let style = crate::terminal::style_of_output();
    match found {
        Some(found) => {
            writeln!(out, "{}\n", found.heading())?;
            report::answers_text(&found.analysis.answers, width, style, out)?;
        }
        None => {
            for question in analysis::questions() {
                writeln!(out, "  {}", question.asks)?;
            }
            writeln!(out, "\nthere is no record to answer them from; make one with 'oscope run'")?;
        }
    }
    Ok(Exit::Success)
}

/// Points of an operation that are explained one by one; of more, one line each.
const FEW: usize = 3;

/// What the record says of an operation, or of one of its points.
fn by_record(
    found: Option<FoundRecord>,
    operation: &Operation,
    point: &str,
    width: usize,
    out: &mut dyn Write,
) -> anyhow::Result<Exit> {
    let style = crate::terminal::style_of_output();
    let Some(found) = found else {
        let of = if operation.is_of_the_run() { "" } else { operation.id };
        writeln!(out, "\nNo record yet: oscope run {of} --with-parts")?;
        return Ok(Exit::Success);
    };
    let rows = found.analysis.rows.iter();
    let meant: Vec<&Row> = rows
        .filter(|row| row.point.id.operation == operation.id)
        .filter(|row| point.is_empty() || row.point.id.point == point)
        .collect();
    writeln!(out, "\n{}", found.heading())?;
    let mut page = Page { out: &mut *out, width };
    for (need, lead, place) in [
        (Need::Directory, "  files in       ", &found.directory),
        (Need::RemoteDirectory, "  remote files   ", &found.remote),
    ] {
        if let Some(place) = place.as_ref().filter(|_| operation.ever_needs(&need)) {
            page.paragraph(lead, place)?;
        }
    }
    if operation.is_of_the_run() {
        report::cores_text(&found.analysis, width, style, out)?;
    } else if meant.is_empty() {
        writeln!(
            out,
            "  it was not measured there: oscope run '{}' --with-parts",
            PointId::new(operation.id, point)
        )?;
    } else if meant.len() <= FEW {
        for row in meant {
            report::explain_row(row, width, style, out)?;
        }
    } else {
        report::explain_briefly(&meant, width, style, out)?;
        if let Some(first) = meant.first() {
            writeln!(out, "  all of one point: oscope explain '{}'", first.point.id)?;
        }
    }
    Ok(Exit::Success)
}

/// Paragraphs of a width.
struct Page<'w> {
    out: &'w mut dyn Write,
    width: usize,
}

impl Page<'_> {
    fn heading(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "\n{text}")
    }

    /// A paragraph, its first line behind `lead`, further lines indented as far.
    fn paragraph(&mut self, lead: &str, text: &str) -> io::Result<()> {
        let indent = lead.chars().count();
        for (at, line) in report::wrap(text, self.width.saturating_sub(indent)).iter().enumerate() {
            let lead = if at == 0 { lead } else { "" };
            writeln!(self.out, "{lead:indent$}{line}")?;
        }
        Ok(())
    }
}

fn explain(operation: &Operation, point: &str, page: &mut Page<'_>) -> io::Result<()> {
    page.paragraph("", &format!("{}: {}", operation.id, operation.title))?;
    if let Some(Reference { wrong, right }) = operation.reference {
        page.paragraph("  ", &format!("A reference method, which oscope does not stand behind. {wrong}"))?;
        page.paragraph("  right          ", &PointId::new(right.0, right.1).to_string())?;
    }
    page.paragraph("  one iteration  ", operation.one_iteration)?;
    let points = (operation.points)(Profile::Standard);
    let texts: Vec<String> = points.iter().map(|point| format!("[{}]", point.text())).collect();
    if points.len() > 1 {
        page.paragraph("  points         ", &texts.join(" "))?;
    }
    page.heading("Method")?;
    page.paragraph("  ", operation.method)?;
    page.heading("What confounds it")?;
    page.paragraph("  ", operation.confounds)?;
    let asked = points.iter().find(|one| !point.is_empty() && one.text() == point);
    if let Some(point) = asked.or_else(|| most_detailed(operation, &points)) {
        predictions(operation, point, page)?;
        witnesses(operation, point, page)?;
    }
    page.heading("Who measured it, and how")?;
    for (who, how) in operation.sources {
        page.paragraph(&format!("  {who:<12} "), how)?;
    }
    Ok(())
}

/// The first of the points whose predictions have the most terms.
fn most_detailed<'p>(operation: &Operation, points: &'p [Point]) -> Option<&'p Point> {
    let terms = |point: &Point| {
        let prediction = operation.prediction_at(point);
        prediction.from_facts.len() + prediction.from_parts.len()
    };
    points.iter().rev().max_by_key(|point| terms(point))
}

fn predictions(operation: &Operation, point: &Point, page: &mut Page<'_>) -> io::Result<()> {
    let prediction = operation.prediction_at(point);
    let of = if point.text().is_empty() { String::new() } else { format!(", for [{}]", point.text()) };
    page.heading(&format!("Prediction{of}"))?;
    if prediction.from_facts.is_empty() && prediction.from_parts.is_empty() {
        page.paragraph("  ", "none: it is a part of which others are made")?;
    }
    for (name, terms) in
        [("T0, from facts", prediction.from_facts), ("T1, from parts", prediction.from_parts)]
    {
        if !terms.is_empty() {
            writeln!(page.out, "  {name} (in ns)")?;
        }
        for term in terms {
            term_lines(&term, page)?;
        }
    }
    for bound in operation.bounds_at(point) {
        let side = if bound.lower { "at least" } else { "at most" };
        page.paragraph(&format!("  {side} "), &format!("{}: {}", bound.formula, bound.because))?;
    }
    Ok(())
}

fn term_lines(term: &Term, page: &mut Page<'_>) -> io::Result<()> {
    let side = match term.side {
        record::TermSide::Hardware => "hardware",
        record::TermSide::Software => "software",
    };
    page.paragraph(&format!("    {side}  "), &format!("{} = {}", term.name, term.formula))?;
    for source in term.formula.sources() {
        page.paragraph("              ", &format!("({source})"))?;
    }
    Ok(())
}

fn witnesses(operation: &Operation, point: &Point, page: &mut Page<'_>) -> io::Result<()> {
    page.heading("Witnesses: what must be true if it happened, per iteration")?;
    for witness in operation.witnesses_at(point) {
        let limits = if witness.low == witness.high {
            format!("= {}", witness.low)
        } else {
            format!("{} … {}", witness.low, witness.high)
        };
        let kind = if witness.positive { "proves the work" } else { "proves the quiet" };
        let text = format!(
            "{limits}: {} ({kind}; if broken: {})",
            witness.proves,
            report::consequence(witness.breach)
        );
        page.paragraph(&format!("  {:<22} ", witness.counter), &text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_operation_is_explained_within_the_width() {
        for operation in operations::ALL {
            let mut text = Vec::new();
            explain(operation, "", &mut Page { out: &mut text, width: 80 }).unwrap();
            let text = String::from_utf8(text).unwrap();
            let has_witnesses = text.contains("Witnesses") || operation.is_of_the_run();
            assert!(text.contains("Method") && has_witnesses, "{text}");
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= 96, "{}: {longest}", operation.id);
        }
    }
}
