//! `oscope report`: a record, shown again.

use crate::Operations;
use crate::arguments::{Form, Report, TableName};
use crate::commands::run::blind;
use crate::exit::{Exit, file_error, unusable, usage};
use crate::history::{Conditions, earlier_runs};
use crate::operation_list::labels_of;
use crate::{output, records, select, terminal};
use record::Trial;
use report::{Extent, Method, Page, Paper, ShownTable, Statistic, Topic, View};
use std::path::{Path, PathBuf};

pub fn run(operations: Operations, arguments: &Report) -> anyhow::Result<Exit> {
    let has_words = arguments.author.is_some() || arguments.introduction.is_some();
    if arguments.format != Form::Latex && (arguments.brief || has_words) {
        return Err(usage("--brief, --author and --introduction need --format latex"));
    }
    let has_no_cycles =
        matches!(arguments.format, Form::Benchstat | Form::Openmetrics | Form::Hdr | Form::Exchange(_));
    if arguments.cycles && has_no_cycles {
        return Err(usage("--cycles has the forms terminal, markdown, html, latex, csv and json"));
    }
    let Words { path, topics, words } = Words::of(&arguments.what, arguments.record.clone());
    let table = table(arguments, &topics, &words)?;
    let path = records::or_newest(path)?;
    if let Some(file) = &arguments.tables.predictions {
        blind::predict(operations, &path, file)?;
    }
    let introduction = arguments.introduction.as_deref().map(read_text).transpose()?;
    let introduction = introduction.as_deref();
    let name = records::name_of(&path);
    let mut record = records::read(&path)?;
    if let (Some(plan), Some(trigger)) = (&mut record.plan, arguments.trigger) {
        plan.settings.trigger = trigger;
    }
    let earlier = earlier_runs(arguments.history.folder(), Conditions::of_record(&record))?;
    let mut analysis = analysis::analyse_after(&record, arguments.clock, &earlier);
    if !words.is_empty() {
        select::keep(operations, &words, &mut [(&name, &mut analysis)])?;
    }
    let is_whole = arguments.full || !words.is_empty();
    let parts = match (table, topics.is_empty(), is_whole) {
        (Some(ShownPart::Curves), ..) => Parts::Curves(&record.trials),
        (Some(ShownPart::Table(table)), ..) => Parts::Table(table, &arguments.tables.columns),
        (None, true, true) => Parts::All,
        (None, true, false) => Parts::First,
        (None, false, _) => Parts::Topics(&topics),
    };
    if arguments.format == Form::Hdr && analysis.tails.is_empty() {
        return Err(unusable(&path, "no percentiles: 'oscope run --tail' measures them"));
    }
    let view = records::view(&record, &analysis);
    let view = view.map(|view| View { has_cycles: arguments.cycles, ..view });
    let height = terminal::height_of_output().filter(|_| arguments.output.output.is_none());
    output::write(&arguments.output, output::marks(arguments.format), |width, style, out| match &view {
        Some(view) => match arguments.format {
            Form::Exchange(exchange) => exchange.write(view, &record.trials, out),
            _ => write(
                operations,
                (arguments, introduction),
                (&name, view),
                parts,
                &mut Page::new(width, style, out).of_height(height),
            ),
        },
        None => writeln!(out, "the run ended before its plan was written: there is nothing to show"),
    })?;
    Ok(Exit::Success)
}

/// The table that is asked for alone.
/// Fails when it does not have the form, or what else is asked for does not go with it.
fn table(arguments: &Report, topics: &[Topic], words: &[String]) -> anyhow::Result<Option<ShownPart>> {
    let tables = &arguments.tables;
    let (table, option) = match tables.table {
        Some(TableName::Reports) => (ShownPart::Table(ShownTable::Reports), "--table"),
        None if tables.curves => (ShownPart::Curves, "--curves"),
        None if tables.trials => (ShownPart::Table(ShownTable::Trials), "--trials"),
        None if !tables.columns.is_empty() => (ShownPart::Table(ShownTable::Statistics), "--columns"),
        None => return Ok(None),
    };
    match arguments.format {
        Form::Json if table == ShownPart::Curves => (),
        Form::Benchstat | Form::Openmetrics | Form::Hdr | Form::Exchange(_) if table == ShownPart::Curves => {
            return Err(usage(format!(
                "{option} has the forms terminal, markdown, html, latex, csv and json"
            )));
        }
        Form::Json | Form::Benchstat | Form::Openmetrics | Form::Hdr | Form::Exchange(_) => {
            return Err(usage(format!(
                "{option} has the forms terminal, markdown, html, latex and csv; --format json holds everything"
            )));
        }
        _ => (),
    }
    if !topics.is_empty() {
        return Err(usage(format!("{option} shows one table alone: leave out the topic")));
    }
    if table == ShownPart::Table(ShownTable::Reports) && !words.is_empty() {
        return Err(usage(format!(
            "--table reports has its own rows: leave out {}; --columns shows any points",
            words.join(", ")
        )));
    }
    Ok(Some(table))
}

/// What is shown alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownPart {
    Table(ShownTable),
    Curves,
}

/// What the words of a command line mean: a record, topics, and a selection of points.
struct Words {
    path: Option<PathBuf>,
    topics: Vec<Topic>,
    words: Vec<String>,
}

impl Words {
    fn of(all: &[String], record: Option<PathBuf>) -> Self {
        let mut asked = Self { path: record, topics: Vec::new(), words: Vec::new() };
        for word in all {
            if let Some(topic) = Topic::named(word) {
                asked.topics.push(topic);
            } else if asked.path.is_none() && records::is_named(word) {
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
    Curves(&'a [Trial]),
}

fn write(
    operations: Operations,
    (arguments, introduction): (&Report, Option<&str>),
    (name, view): (&str, &View<'_>),
    parts: Parts<'_>,
    page: &mut Page<'_>,
) -> std::io::Result<()> {
    let form = arguments.format.on(page.width, page.style);
    match parts {
        Parts::Table(table, statistics) => return report::table(view, table, statistics, form, page.out),
        Parts::Curves(trials) => return report::curves(view, trials, form, page.out),
        _ => (),
    }
    let labels = labels_of(view.plan, operations);
    match arguments.format {
        Form::Terminal | Form::Github | Form::Junit | Form::Exchange(_) => match parts {
            Parts::First | Parts::Table(..) | Parts::Curves(_) => report::first_screen(view, &labels, page),
            Parts::All => report::terminal(view, page),
            Parts::Topics(topics) => report::topics(view, topics, page),
        },
        Form::Markdown => report::markdown(view, page.out),
        Form::Json => report::json(view, page.out),
        Form::Csv => report::csv(view, name, page.out),
        Form::Html => {
            report::html(view, &methods(operations), &labels, matches!(parts, Parts::All), page.out)
        }
        Form::Latex => {
            let paper = Paper {
                methods: &methods(operations),
                labels: &labels,
                author: arguments.author.as_deref(),
                introduction,
                extent: match parts {
                    _ if arguments.brief => Extent::Headline,
                    Parts::All => Extent::All,
                    _ => Extent::Usual,
                },
            };
            report::latex(view, &paper, page.out)
        }
        Form::Benchstat => report::benchstat(view, page.out),
        Form::Openmetrics => report::openmetrics(view, page.out),
        Form::Hdr => report::hdr(view, page.out),
    }
}

fn read_text(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).map_err(|error| file_error(file, error))
}

/// How this program measures each operation.
fn methods(operations: Operations) -> Vec<Method<'static>> {
    operations
        .iter()
        .map(|operation| Method {
            operation: operation.id,
            revision: operation.revision,
            method: operation.method,
            confounds: operation.confounds,
            sources: operation.sources,
        })
        .collect()
}
