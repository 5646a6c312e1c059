//! `oscope report`: a record, shown again.

use crate::Operations;
use crate::arguments::{Form, Report};
use crate::exit::{Ends, Exit, usage};
use crate::{records, terminal};
use analysis::Analysis;
use record::{JournalError, Record};
use report::{Label, Method, Style, View};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

pub fn run(operations: Operations, arguments: &Report) -> anyhow::Result<Exit> {
    let path = arguments.record.clone().map_or_else(records::newest, Ok)?;
    let mut record = read(&path)?;
    if let (Some(plan), Some(trigger)) = (&mut record.plan, arguments.trigger) {
        plan.settings.trigger = trigger.into();
    }
    let analysis = analysis::analyse_at(&record, arguments.clock);
    match &arguments.output {
        None => {
            let (width, style) = (terminal::width_of_output(), terminal::style_of_output());
            show(
                (operations, &record, &analysis),
                (arguments.format, arguments.full),
                width,
                style,
                &mut std::io::stdout().lock(),
            )?;
        }
        Some(file) => {
            let wrap = |error: std::io::Error| Ends(Exit::File, format!("{}: {error}", file.display()));
            let mut out = BufWriter::new(File::create(file).map_err(wrap)?);
            show(
                (operations, &record, &analysis),
                (arguments.format, arguments.full),
                120,
                Style::default(),
                &mut out,
            )
            .map_err(wrap)?;
            out.flush().map_err(wrap)?;
        }
    }
    Ok(Exit::Success)
}

/// Reads a record that the user named.
///
/// # Errors
/// When it cannot be read or is no record.
pub fn read(path: &Path) -> anyhow::Result<Record> {
    Record::read(path).map_err(|error| match error {
        JournalError::File { .. } => Ends(Exit::File, error.to_string()).into(),
        _ => usage(error.to_string()),
    })
}

fn show(
    (operations, record, analysis): (Operations, &Record, &Analysis),
    (form, full): (Form, bool),
    width: usize,
    style: Style,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let Some(plan) = &record.plan else {
        return writeln!(
            out,
            "the run ended before its plan was written: there is nothing to show"
        );
    };
    let view = View {
        header: &record.header,
        machine: &record.machine,
        peer: record.peer.as_ref(),
        plan,
        analysis,
        end: record.end.as_ref(),
    };
    match form {
        Form::Terminal if full => report::terminal(&view, width, style, out),
        Form::Terminal => report::first_screen(&view, &labels(operations), width, style, out),
        Form::Markdown => report::markdown(&view, out),
        Form::Json => report::json(&view, out),
        Form::Csv => report::csv(&view, out),
        Form::Html => report::html(&view, &methods(operations), out),
        Form::Latex => report::latex(&view, &methods(operations), out),
        Form::Benchstat => report::benchstat(&view, out),
        Form::Openmetrics => report::openmetrics(&view, out),
    }
}

/// What the first screen calls the points of the headline.
pub fn labels(operations: Operations) -> Vec<Label<'static>> {
    let all = operations.iter().flat_map(|operation| {
        let headline = operation.headline.iter();
        headline.map(|&(point, label)| Label {
            operation: operation.id,
            point,
            label,
        })
    });
    all.collect()
}

/// How this program measures each operation.
fn methods(operations: Operations) -> Vec<Method<'static>> {
    let all = operations.iter();
    all.map(|operation| Method {
        operation: operation.id,
        revision: operation.revision,
        method: operation.method,
        confounds: operation.confounds,
        sources: operation.sources,
    })
    .collect()
}
