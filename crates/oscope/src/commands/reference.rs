//! `oscope reference`: what five reports published, with the mistakes that make some of it suspect.

use crate::arguments::{ListReference, TableForm};
use crate::exit::{Exit, usage};
use crate::{output, terminal};
use measure::Point;
use reference::{Figure, Method, ReferenceMachine, Shown, mistake_name};
use report::{Cell, Column, Paint, Style, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

const COLUMNS: &str = "report machine section operation parameter quantity unit hardware software predicted \
                       measured deviation minimum maximum suspect remark";

pub fn run(arguments: &ListReference) -> anyhow::Result<Exit> {
    let machines = reference::machines()?;
    let wanted = arguments.id.as_deref().unwrap_or_default();
    let mut figures = reference::figures()?;
    figures.retain(|figure| (arguments.trials || !figure.is_trial()) && is_meant(figure, wanted));
    if figures.is_empty() {
        return Err(usage(format!(
            "the reports have no figure for '{wanted}'; 'oscope reference' without an id lists what they have"
        )));
    }
    let mut out = io::stdout().lock();
    match arguments.format {
        TableForm::Text => as_text(&figures, &machines, &mut out)?,
        TableForm::Csv => as_csv(&figures, &machines, &mut out)?,
        TableForm::Json => {
            let all: Vec<serde_json::Value> =
                figures.iter().map(|figure| as_json(figure, &machines)).collect();
            writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
        }
    }
    Ok(Exit::Success)
}

/// Whether an id, or its beginning, names the published operation or the one of oscope that it stands beside.
fn is_meant(figure: &Figure, wanted: &str) -> bool {
    let begins =
        |id: &str| id.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let beside = reference::counterparts().any(|place| place.matches(figure) && begins(place.operation));
    wanted.is_empty() || begins(&figure.operation) || beside
}

fn machine<'m>(figure: &Figure, machines: &'m [ReferenceMachine]) -> Option<&'m ReferenceMachine> {
    machines.iter().find(|machine| machine.report == figure.report)
}

fn text(shown: Option<Shown>) -> String {
    shown.map(Shown::text).unwrap_or_default()
}

/// The same of a figure, or of the middle of a range where no figure is printed.
fn figure_or_middle(shown: Option<Shown>, printed: Option<f64>) -> String {
    let mark = if printed.is_none() && shown.is_some() { "≈ " } else { "" };
    format!("{mark}{}", text(shown))
}

/// Codes and names of the mistakes.
fn suspicion(figure: &Figure) -> String {
    let named = figure.codes().map(|code| format!("{code} {}", mistake_name(code).unwrap_or_default()));
    named.collect::<Vec<_>>().join("; ")
}

fn as_text(figures: &[Figure], machines: &[ReferenceMachine], out: &mut dyn Write) -> io::Result<()> {
    let style = terminal::style_of_output();
    for found in machines.iter().filter(|known| !known.cpu.is_empty() && !known.machine.starts_with("peer")) {
        let year = if found.year.is_empty() { String::new() } else { format!(", {}", found.year) };
        let line = format!("{}  {}, {}, {}{year}", found.report, found.machine, found.cpu, found.os);
        writeln!(out, "{}", style.paint(&line, Paint::Faint))?;
    }
    writeln!(out)?;
    table(figures, terminal::width_of_output(), style, out)
}

/// A table of figures; what makes each suspect is in its last column.
fn table(figures: &[Figure], width: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(vec![
        Column::word("", 0),
        Column::name("operation and method", 0, 20, 64),
        Column::number("predicted", 2),
        Column::number("measured", 0),
        Column::number("deviation", 3),
        Column::prose("suspect of", 1, 8, 200),
    ]);
    for figure in figures {
        let doubtful = if figure.suspect.is_empty() { Paint::Plain } else { Paint::Faint };
        table.row(vec![
            Cell::from(figure.report.clone()),
            Cell::from(figure.id()),
            Cell::from(figure_or_middle(figure.expectation(), figure.predicted)),
            Cell::new(figure_or_middle(figure.result(), figure.measured), doubtful),
            Cell::from(text(figure.spread())),
            Cell::from(suspicion(figure)),
        ]);
    }
    output::table(&table, width, style, out)
}

/// What the reports say of an operation and some of its points, or of all, under a heading; nothing where they say nothing.
pub fn beside(operation: &str, points: &[Point], width: usize, out: &mut dyn Write) -> anyhow::Result<()> {
    let figures = reference::of_operation(operation)?;
    let points: Vec<String> = points.iter().map(Point::text).collect();
    let points: Vec<&str> = points.iter().map(String::as_str).collect();
    if !figures.is_empty() {
        writeln!(out, "\nWhat five reports measured, from small to large")?;
        table(&figures, width, terminal::style_of_output(), out)?;
        for line in methods(&figures, |figure| by_method(&Method::new(figure, operation, &points))) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// By what method a report has a figure; `None` for the operation's own.
fn by_method(method: &Method) -> Option<String> {
    match method {
        Method::Own => None,
        Method::Probable => {
            Some("probably by this operation's method, which it does not say in full".to_owned())
        }
        Method::Other(None) => Some("by another method than this operation's".to_owned()),
        Method::Other(Some(own)) => Some(format!("by another method than this operation's: see {own}")),
    }
}

/// A line for each report and method other than the operation's own. Where a report has several, it names the figures.
fn methods(figures: &[Figure], by: impl Fn(&Figure) -> Option<String>) -> BTreeSet<String> {
    let mut all: BTreeMap<&str, BTreeSet<Option<String>>> = BTreeMap::new();
    for figure in figures {
        all.entry(&figure.report).or_default().insert(by(figure));
    }
    let lines = figures.iter().filter_map(|figure| {
        let (by, report) = (by(figure)?, figure.report.as_str());
        let is_only = all.get(report).is_none_or(|methods| methods.len() == 1);
        Some(if is_only { format!("{report}  {by}") } else { format!("{report}  {}: {by}", figure.id()) })
    });
    lines.collect()
}

fn as_json(figure: &Figure, machines: &[ReferenceMachine]) -> serde_json::Value {
    let mistakes: Vec<serde_json::Value> =
        figure.codes().map(|code| serde_json::json!({"code": code, "name": mistake_name(code)})).collect();
    let kind = figure.kind();
    serde_json::json!({
        "report": figure.report,
        "machine": machine(figure, machines).map(|machine| &machine.machine),
        "cpu": machine(figure, machines).map(|machine| &machine.cpu),
        "section": figure.section,
        "operation": figure.operation,
        "parameter": figure.parameter,
        "quantity": figure.quantity,
        "unit": kind.map(quantity::Quantity::contract_unit),
        "predicted": figure.expectation().map(|shown| shown.value),
        "measured": figure.result().map(|shown| shown.value),
        "deviation": figure.spread().map(|shown| shown.value),
        "suspect": mistakes,
        "remark": figure.remark,
    })
}

/// As it was printed: the printed figures in the printed unit.
fn as_csv(figures: &[Figure], machines: &[ReferenceMachine], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS.split(' '))?;
    for figure in figures {
        writer.write_record([
            figure.report.clone(),
            machine(figure, machines).map(|machine| machine.machine.clone()).unwrap_or_default(),
            figure.section.clone(),
            figure.operation.clone(),
            figure.parameter.clone(),
            figure.quantity.clone(),
            figure.unit_published.clone(),
            number(figure.base_hardware),
            number(figure.software_overhead),
            number(figure.predicted),
            number(figure.measured),
            number(figure.deviation),
            number(figure.minimum),
            number(figure.maximum),
            figure.suspect.clone(),
            figure.remark.clone(),
        ])?;
    }
    writer.flush()?;
    Ok(())
}

/// A number of a CSV file; nothing where there is none.
fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Profile;

    #[test]
    fn every_place_names_an_operation_and_a_point_that_there_are() {
        for place in reference::counterparts() {
            let found = flawed::all_operations().iter().find(|operation| operation.id == place.operation);
            assert!(found.is_some(), "{}", place.operation);
            let profiles = [Profile::Quick, Profile::Standard, Profile::Thorough];
            let mut points = profiles.iter().flat_map(|profile| found.unwrap().points_of(*profile));
            assert!(points.any(|point| place.is_of(&point.text())), "{} {}", place.operation, place.point);
        }
    }

    #[test]
    fn an_id_means_the_published_operation_and_ours() {
        let figures = reference::figures().unwrap();
        let count = |wanted: &str| figures.iter().filter(|figure| is_meant(figure, wanted)).count();
        assert!(count("switch.process") > count("switch.process.pipe"));
        assert!(count("fault.file.dontneed") > 0 && count("switch.proc") == 0);
        assert_eq!(count(""), figures.len());
    }

    #[test]
    fn what_the_reports_say_stands_under_a_heading() {
        let mut out = Vec::new();
        beside("switch.process.pipe", &[], 100, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("five reports") && text.contains("6.62 µs"), "{text}");
        assert!(
            text.contains("\nR1  by another method than this operation's: see switch.process.pipe_full\n"),
            "{text}"
        );
        let mut own = Vec::new();
        beside("switch.process.pipe_full", &[], 100, &mut own).unwrap();
        let own = String::from_utf8(own).unwrap();
        assert!(own.contains("6.62 µs") && !own.contains("another method"), "{own}");
        // R0 has three figures by this method, and one by another.
        let mut several = Vec::new();
        beside("file.read.uncached", &[], 100, &mut several).unwrap();
        let several = String::from_utf8(several).unwrap();
        let named =
            "\nR0  file.read.uncached file=64MB order=random: by another method than this operation's\n";
        assert!(
            several.contains(named) && several.matches("\nR0  file.read.uncached").count() > 2,
            "{several}"
        );
        assert!(!several.contains("order=sequential: by"), "{several}");
        let mut none = Vec::new();
        beside("noise.gaps", &[], 100, &mut none).unwrap();
        assert!(none.is_empty());
    }
}
