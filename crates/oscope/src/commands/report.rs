//! `oscope report`: a record, shown again.

use crate::Operations;
use crate::arguments::{Form, Report, TableName};
use crate::commands::run::blind;
use crate::exit::{Exit, unwritable, usage};
use crate::labels::labels;
use crate::records::read;
use crate::terminal::PLAIN_WIDTH;
use crate::{records, select, terminal};
use analysis::Analysis;
use record::Record;
use report::{Extent, Method, Paper, ShownTable, Statistic, Style, Topic, View};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

pub fn run(operations: Operations, arguments: &Report) -> anyhow::Result<Exit> {
    if arguments.format != Form::Latex && (arguments.brief || arguments.author.is_some()) {
        return Err(usage("--brief and --author belong to --format latex"));
    }
    let Asked { path, topics, words } = Asked::of(&arguments.what);
    let table = table(arguments, &topics, &words)?;
    let statistics = arguments.tables.statistics();
    let path = path.map_or_else(records::newest, Ok)?;
    if let Some(file) = &arguments.tables.predictions {
        blind::predict(operations, &path, file)?;
    }
    let mut record = read(&path)?;
    if let (Some(plan), Some(trigger)) = (&mut record.plan, arguments.trigger) {
        plan.settings.trigger = trigger.into();
    }
    let mut analysis = analysis::analyse_at(&record, arguments.clock);
    if !words.is_empty() {
        select::keep(operations, &words, &mut analysis)?;
    }
    let is_whole = arguments.full || !words.is_empty();
    let parts = match (table, topics.is_empty(), is_whole) {
        (Some(table), ..) => Parts::Table(table, &statistics),
        (None, true, true) => Parts::All,
        (None, true, false) => Parts::First,
        (None, false, _) => Parts::Topics(&topics),
    };
    let shown = Shown {
        operations,
        record: &record,
        analysis: &analysis,
        parts,
        author: arguments.author.as_deref(),
        is_brief: arguments.brief,
    };
    match &arguments.output {
        None => {
            let (width, style) = (terminal::width_of_output(), terminal::style_of_output());
            shown.write(arguments.format, width, style, &mut std::io::stdout().lock())?;
        }
        Some(file) => {
            let wrap = |error: std::io::Error| unwritable(file, &error);
            let mut out = BufWriter::new(File::create(file).map_err(wrap)?);
            shown.write(arguments.format, PLAIN_WIDTH, Style::default(), &mut out).map_err(wrap)?;
            out.flush().map_err(wrap)?;
        }
    }
    Ok(Exit::Success)
}

/// The table that is asked for alone.
///
/// # Errors
/// When it does not have the form, or what else is asked for does not go with it.
fn table(arguments: &Report, topics: &[Topic], words: &[String]) -> anyhow::Result<Option<ShownTable>> {
    let tables = &arguments.tables;
    let (table, option) = match tables.table {
        Some(TableName::Reports) => (ShownTable::Reports, "--table"),
        None if tables.trials => (ShownTable::Trials, "--trials"),
        None if !tables.columns.is_empty() => (ShownTable::Statistics, "--columns"),
        None => return Ok(None),
    };
    if matches!(arguments.format, Form::Json | Form::Benchstat | Form::Openmetrics) {
        return Err(usage(format!(
            "{option} has the forms terminal, markdown, html, latex and csv; --format json holds everything"
        )));
    }
    if !topics.is_empty() {
        return Err(usage(format!("{option} shows one table alone: leave out the topic")));
    }
    if table == ShownTable::Reports && !words.is_empty() {
        return Err(usage(format!(
            "--table reports has its own rows: leave out {}; --columns shows any points",
            words.join(", ")
        )));
    }
    Ok(Some(table))
}

/// What the words of a command line mean: a record, topics, and a selection of points.
struct Asked {
    path: Option<PathBuf>,
    topics: Vec<Topic>,
    words: Vec<String>,
}

impl Asked {
    fn of(all: &[String]) -> Self {
        let mut asked = Self { path: None, topics: Vec::new(), words: Vec::new() };
        for word in all {
            if let Some(topic) = Topic::named(word) {
                asked.topics.push(topic);
            } else if asked.path.is_none() && (Path::new(word).is_file() || word.contains('/')) {
                asked.path = Some(word.into());
            } else {
                asked.words.push(word.clone());
            }
        }
        asked
    }
}

/// Which parts of a report are shown on a terminal.
#[derive(Clone, Copy)]
enum Parts<'a> {
    First,
    All,
    Topics(&'a [Topic]),
    Table(ShownTable, &'a [Statistic]),
}

/// What is shown.
struct Shown<'a> {
    operations: Operations,
    record: &'a Record,
    analysis: &'a Analysis,
    parts: Parts<'a>,
    author: Option<&'a str>,
    is_brief: bool,
}

impl Shown<'_> {
    fn write(&self, form: Form, width: usize, style: Style, out: &mut dyn Write) -> std::io::Result<()> {
        let record = self.record;
        let Some(plan) = &record.plan else {
            return writeln!(out, "the run ended before its plan was written: there is nothing to show");
        };
        let view = View {
            header: &record.header,
            machine: &record.machine,
            peer: record.peer.as_ref(),
            plan,
            analysis: self.analysis,
            end: record.end.as_ref(),
        };
        if let Parts::Table(table, statistics) = self.parts {
            let form = match form {
                Form::Markdown => report::Form::Markdown,
                Form::Html => report::Form::Html,
                Form::Latex => report::Form::Latex,
                Form::Csv => report::Form::Csv,
                _ => report::Form::Terminal(width, style),
            };
            return report::table(&view, table, statistics, form, out);
        }
        match form {
            Form::Terminal => match self.parts {
                Parts::First | Parts::Table(..) => {
                    report::first_screen(&view, &labels(self.operations), width, style, out)
                }
                Parts::All => report::terminal(&view, width, style, out),
                Parts::Topics(topics) => report::topics(&view, topics, width, style, out),
            },
            Form::Markdown => report::markdown(&view, out),
            Form::Json => report::json(&view, out),
            Form::Csv => report::csv(&view, out),
            Form::Html => {
                let (methods, labels) = (methods(self.operations), labels(self.operations));
                report::html(&view, &methods, &labels, matches!(self.parts, Parts::All), out)
            }
            Form::Latex => {
                let paper = Paper {
                    methods: &methods(self.operations),
                    labels: &labels(self.operations),
                    author: self.author,
                    extent: match self.parts {
                        _ if self.is_brief => Extent::Headline,
                        Parts::All => Extent::All,
                        _ => Extent::Usual,
                    },
                };
                report::latex(&view, &paper, out)
            }
            Form::Benchstat => report::benchstat(&view, out),
            Form::Openmetrics => report::openmetrics(&view, out),
        }
    }
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
