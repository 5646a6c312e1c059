//! `oscope explain`: what a record says of a point, first the answer, then its method, what confounds it, who measured it how,
//! its witnesses, and last its formula; without an operation, the questions and their answers.

mod analysed_record;
mod cache;
mod declaration;
mod facts;
mod page;
mod terms;

pub(super) use terms::term;

use crate::arguments::{Explain, HistoryFolder};
use crate::exit::{Exit, usage};
use crate::history::{Conditions, earlier_runs};
use crate::operation_list::{labelled, labelled_by_words, labelled_operations, labels_of, operation};
use crate::select::select_operations;
use crate::suggest::{meaning, nothing_is};
use crate::{Operations, records, terminal};
use analysed_record::AnalysedRecord;
use analysis::Row;
use measure::{Operation, Point};
use page::Page;
use record::renamed::meant;
use record::{Need, PointId};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub fn run(operations: Operations, arguments: &Explain) -> anyhow::Result<Exit> {
    let (width, style) = (terminal::width_of_output().min(100), terminal::style_of_output());
    match compared_records(arguments)? {
        Some((records, only)) => super::compare::explain(operations, &records, only, width)?,
        None => {
            explain(operations, arguments, &mut Page { out: &mut std::io::stdout().lock(), width, style })?
        }
    }
    Ok(Exit::Success)
}

/// The records whose differences are to be explained, and the points of which: two records that are named first, or with
/// `--versus` one that has environments.
fn compared_records(arguments: &Explain) -> anyhow::Result<Option<(Vec<PathBuf>, &[String])>> {
    if arguments.versus {
        let record = records::or_newest(arguments.record.clone())?;
        return Ok(Some((vec![record], &arguments.id)));
    }
    Ok(match arguments.id.as_slice() {
        [first, second, only @ ..] if Path::new(first).is_file() && Path::new(second).is_file() => {
            Some((vec![first.into(), second.into()], only))
        }
        _ => None,
    })
}

fn explain(operations: Operations, arguments: &Explain, page: &mut Page<'_>) -> anyhow::Result<()> {
    let record = arguments.record.as_deref();
    let typed = arguments.id.join(" ");
    // A cache is explained by its size.
    let cache =
        typed.strip_suffix(" size").filter(|name| name.to_lowercase().starts_with('l') && name.len() < 4);
    let typed = cache.unwrap_or(&typed).to_owned();
    let label = labelled(operations, &typed).or_else(|| labelled_by_words(operations, &typed));
    let text = label.map_or_else(|| meant(&typed), Cow::Owned);
    // One word that names a file and no operation is a record.
    let is_file = || Path::new(&typed).is_file() || (text == typed && is_file_that_is_missing(&typed));
    let is_record = operation(operations, &text).is_none() && is_file();
    if text.is_empty() || is_record {
        let named = is_record.then(|| Path::new(&typed)).or(record);
        return questions(AnalysedRecord::find(named, &arguments.history)?, page);
    }
    if text == SLOW {
        return what_is_slow(operations, (record, &arguments.history), page);
    }
    let environments = crate::environments::explained(&text);
    if let Some(paragraphs) = term(&text) {
        paragraphs.iter().try_for_each(|text| page.paragraph("", text))?;
        write_environments(environments, page)?;
        if TRUST.contains(&text.to_lowercase().as_str()) {
            return trusted((record, &arguments.history), page);
        }
        // A word may name operations, too: `noise`.
        return match select_operations(operations, &[text.clone().into_owned()]) {
            Ok(named) => writeln!(page.out)
                .map_err(Into::into)
                .and_then(|()| list_explained((operations, record, &arguments.history), &named, page)),
            Err(_) => Ok(()),
        };
    }
    if environments.is_some() {
        write_environments(environments, page)?;
        return named_facts(operations, (record, &arguments.history), &text, page).map(|_| ());
    }
    let has_conditions = text.contains('=');
    let several = several(operations, &text)?;
    let is_operation = has_conditions || operation(operations, &text).is_some();
    if !is_operation && named_facts(operations, (record, &arguments.history), &text, page)? {
        if !several.is_empty() {
            writeln!(page.out)?;
            list_explained((operations, record, &arguments.history), &several, page)?;
        }
        return Ok(());
    }
    match several.as_slice() {
        [] => Err(usage(nothing_is(&text, operations))),
        [(operation, points)] if has_conditions => {
            explain_points(operations, arguments, (*operation, points.as_slice(), &*text), page)
        }
        [(operation, _)] => explain_points(operations, arguments, (*operation, &[], operation.id), page),
        several => list_explained((operations, record, &arguments.history), several, page),
    }
}

/// Writes what is known of an operation, or of those of its points that are asked for by this text.
fn explain_points(
    operations: Operations,
    arguments: &Explain,
    (operation, points, asked): (&'static Operation, &[Point], &str),
    page: &mut Page<'_>,
) -> anyhow::Result<()> {
    let record = arguments.record.as_deref();
    let conditions: Vec<&str> = asked.split_whitespace().skip(1).collect();
    let is_meant = |id: &PointId| {
        let has = |condition: &&str| id.point.split_whitespace().any(|one| one == *condition);
        id.operation == operation.id && conditions.iter().all(has)
    };
    let mut found = AnalysedRecord::with(record, &arguments.history, is_meant)?;
    let rows = found.as_mut().map_or_else(Vec::new, |found| found.rows(operations, asked));
    let Some(found) = found.filter(|_| !rows.is_empty() && !operation.is_of_the_run()) else {
        declared(operation, points, page)?;
        return by_record(AnalysedRecord::find(record, &arguments.history)?, operation, asked, page);
    };
    page.paragraph("", &found.heading())?;
    writeln!(page.out)?;
    if rows.len() > FEW {
        let lines: Vec<&Row> = rows.iter().collect();
        report::explain_briefly(&lines, &mut page.of_report())?;
        if let Some(first) = lines.first() {
            writeln!(page.out, "  all of one point: oscope explain '{}'\n", first.point.id)?;
        }
        directories(&found, operation, page)?;
        return declared(operation, points, page);
    }
    for row in &rows {
        report::explain_answer(row, &mut page.of_report())?;
        report::explain_run_under(row, &found.machine, &mut page.of_report())?;
        if let Some(tail) = found.analysis.tails.iter().find(|tail| tail.id == row.point.id) {
            report::explain_tail(tail, &mut page.of_report())?;
        }
    }
    writeln!(page.out)?;
    declaration::write(operation, page)?;
    directories(&found, operation, page)?;
    for row in &rows {
        page.heading(&format!("All of {}", row.point.id))?;
        report::explain_details(row, &mut page.of_report())?;
    }
    super::reference::beside(operation.id, points, page.width, page.out)
}

/// Writes what is explained of environments, and an empty line below it.
fn write_environments(lines: Option<Vec<(String, String)>>, page: &mut Page<'_>) -> anyhow::Result<()> {
    let lines = lines.unwrap_or_default();
    lines.iter().try_for_each(|(lead, text)| page.paragraph(lead, text))?;
    if lines.is_empty() { Ok(()) } else { Ok(writeln!(page.out)?) }
}

/// Whether a word names a file that is not there, and no point.
fn is_file_that_is_missing(typed: &str) -> bool {
    let is_word = !typed.contains([' ', '=']);
    is_word && records::is_named(typed)
}

/// The word for what stands out in a run.
const SLOW: &str = "slow";

/// What is slow in a record, and why.
fn what_is_slow(
    operations: Operations,
    (named, history): (Option<&Path>, &HistoryFolder),
    page: &mut Page<'_>,
) -> anyhow::Result<()> {
    let path = records::or_newest(named.map(Path::to_owned))?;
    let record = records::read(&path)?;
    let earlier = earlier_runs(history.folder(), Conditions::of_record(&record))?;
    let analysis = analysis::analyse_after(&record, None, &earlier);
    writeln!(page.out, "In the record of {} ({})", record.header.started, path.display())?;
    if let Some(view) = records::view(&record, &analysis) {
        report::what_is_slow(&view, &labels_of(view.plan, operations), &mut page.of_report())?;
    }
    if let Some(under) = report::run_under(&record.machine, None) {
        page.heading(&format!("this run was under {under}"))?;
    }
    Ok(())
}

/// The words for how far a run can be trusted.
const TRUST: [&str; 4] = ["trust", "good", "fair", "poor"];

/// How far a record can be trusted, and what disturbed it; nothing where there is none.
fn trusted((named, history): (Option<&Path>, &HistoryFolder), page: &mut Page<'_>) -> anyhow::Result<()> {
    let Ok(path) = records::or_newest(named.map(Path::to_owned)) else { return Ok(()) };
    let record = records::read(&path)?;
    let earlier = earlier_runs(history.folder(), Conditions::of_record(&record))?;
    let analysis = analysis::analyse_after(&record, None, &earlier);
    page.heading(&format!("In the record of {} ({})", record.header.started, path.display()))?;
    if let Some(view) = records::view(&record, &analysis) {
        report::trust_text(&view, &mut page.of_report())?;
    }
    Ok(())
}

/// Writes what the newest record, or else this machine itself, says of what has this name, and what was measured of it; whether
/// there is anything.
fn named_facts(
    operations: Operations,
    (record, history): (Option<&Path>, &HistoryFolder),
    name: &str,
    page: &mut Page<'_>,
) -> anyhow::Result<bool> {
    let newest = AnalysedRecord::find(record, history)?;
    let (heading, machine) = match &newest {
        Some(found) => (found.heading(), found.machine.clone()),
        None => ("Of this machine".to_owned(), machine::describe(&machine::Live::machine())),
    };
    let facts = facts::named(&machine, name);
    if facts.is_empty() {
        return Ok(false);
    }
    page.paragraph("", &heading)?;
    if !analysis::is_data_cache(&machine, name) {
        writeln!(page.out)?;
    } else {
        cache::measured(operations, (record, history), (newest.as_ref(), &machine), name, page)?;
        writeln!(page.out)?;
    }
    report::facts_text(facts.iter().copied(), &mut page.of_report())?;
    Ok(true)
}

/// An operation with those of its points that are meant.
type Meant = (&'static Operation, Vec<Point>);

/// The operations that are meant: by their ids; by what the first screen calls them; those whose ids contain the word; or those that
/// users look for by this word.
fn several(operations: Operations, text: &str) -> anyhow::Result<Vec<Meant>> {
    let unknown = match select_operations(operations, &[text.to_owned()]) {
        Ok(meant) => return Ok(meant),
        Err(error) => error,
    };
    let is_word = !text.contains(' ') && text.len() >= 3;
    let containing = operations.iter().copied().filter(|operation| is_word && operation.id.contains(text));
    let meant = meaning(text).unwrap_or_default();
    let by_meaning = operations
        .iter()
        .copied()
        .filter(|operation| meant.iter().any(|name| operation.id.starts_with(name.as_str())));
    let mut found = labelled_operations(operations, text);
    if found.is_empty() {
        found = containing.collect();
    }
    if found.is_empty() {
        found = by_meaning.collect();
    }
    match found.is_empty() && text.contains(' ') {
        true => Err(unknown),
        false => Ok(found.into_iter().map(|operation| (operation, Vec::new())).collect()),
    }
}

/// Operations with their titles and what a record has of each, all of which can be explained.
fn list_explained(
    (all, record, history): (Operations, Option<&Path>, &HistoryFolder),
    operations: &[Meant],
    page: &mut Page<'_>,
) -> anyhow::Result<()> {
    let found = AnalysedRecord::find(record, history)?;
    let rows: Vec<Option<&Row>> =
        operations.iter().map(|(one, _)| found.as_ref()?.main_row(all, one.id)).collect();
    if let Some(found) = found.as_ref().filter(|_| rows.iter().any(Option::is_some)) {
        page.paragraph("", &found.heading())?;
        writeln!(page.out)?;
    }
    let widest = operations.iter().map(|(operation, _)| operation.id.len()).max().unwrap_or(0);
    for ((operation, _), row) in operations.iter().zip(rows) {
        let value = row.map_or_else(String::new, |row| match row.point.id.point.as_str() {
            "" => format!(": {}", report::value_text(row)),
            point => format!(": {} ({point})", report::value_text(row)),
        });
        page.paragraph(&format!("  {:widest$}  ", operation.id), &format!("{}{value}", operation.title))?;
    }
    Ok(page.heading("explain one of them: oscope explain ID")?)
}

/// All questions with their answers.
fn questions(found: Option<AnalysedRecord>, page: &mut Page<'_>) -> anyhow::Result<()> {
    match found {
        Some(found) => {
            writeln!(page.out, "{}\n", found.heading())?;
            report::answers_text(&found.analysis.answers, &mut page.of_report())?;
        }
        None => {
            for question in analysis::questions() {
                writeln!(page.out, "  {}", question.asks)?;
            }
            page.heading("there is no record to answer them from; make one with 'oscope run'")?;
        }
    }
    Ok(())
}

/// Points of an operation that are explained one by one; of more, one line each.
const FEW: usize = 3;

/// What is declared of an operation, with what the reports published of it.
fn declared(operation: &Operation, asked: &[Point], page: &mut Page<'_>) -> anyhow::Result<()> {
    declaration::write(operation, page)?;
    declaration::write_expectations(operation, asked, page)?;
    super::reference::beside(operation.id, asked, page.width, page.out)
}

/// What the record says of an operation, if not of a few points: that it says nothing, or a line for each of many.
fn by_record(
    found: Option<AnalysedRecord>,
    operation: &Operation,
    asked: &str,
    page: &mut Page<'_>,
) -> anyhow::Result<()> {
    let Some(found) = found else {
        let of = if operation.is_of_the_run() { "" } else { operation.id };
        return Ok(page.heading(&format!("No record yet: oscope run {of} --with-parts"))?);
    };
    page.heading(&found.heading())?;
    directories(&found, operation, page)?;
    let page = &mut page.of_report();
    if operation.is_of_the_run() {
        return Ok(report::cores_text(&found.analysis, page)?);
    }
    Ok(writeln!(page.out, "  it was not measured there: oscope run '{asked}' --with-parts")?)
}

/// Where the files of the record lay, if the operation needs any.
fn directories(found: &AnalysedRecord, operation: &Operation, page: &mut Page<'_>) -> anyhow::Result<()> {
    for (need, lead, directory) in [
        (Need::Directory, "  files in       ", report::directory_line(&found.machine)),
        (Need::RemoteDirectory, "  remote files   ", report::remote_line(&found.machine)),
    ] {
        if let Some(directory) = directory.filter(|_| operation.ever_needs(&need)) {
            page.paragraph(lead, &directory)?;
        }
    }
    Ok(())
}
