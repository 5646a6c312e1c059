//! The result as the paper that a student hands in: LaTeX with a section for every area, its tables and its figures.

mod codes;
mod figures;
mod operations;
mod tables;
pub(crate) mod text;

use crate::document::Block;
use crate::document::latex::write;
use crate::first_screen::{Label, trust};
use crate::groups::OperationRows;
use crate::html::Method;
use crate::published::{self, Published};
use crate::remarks::TROUBLES;
use crate::scene::{self, Predictor};
use crate::wording::{many, sentence, some_joined};
use crate::{View, cells, facts, groups, machines, pairs, remarks, run_summary, scaling, sections};
use analysis::{Finding, Row, Verdict, distinct};
use operations::{Known, Notes};
use quantity::Quantity;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};
use text::key;
use text::{PREAMBLE, plain};

/// How the numbers were made, for the reader who knows nothing of oscope.
const METHODOLOGY: &str = include_str!("methodology.tex");

/// Areas with the titles of their sections.
const AREAS: [(&str, &str); 5] = [
    ("cpu", "Processor"),
    ("os", "Services and scheduling of the operating system"),
    ("memory", "Memory"),
    ("network", "Network"),
    ("file", "File system"),
];

/// What a paper says besides what the record does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paper<'a> {
    /// How the program measures each operation; what it says of another revision than that of the record is left out.
    pub methods: &'a [Method<'a>],
    /// What the points of the headline are called.
    pub labels: &'a [Label<'a>],
    /// Who wrote it.
    pub author: Option<&'a str>,
    /// What the author writes first, in paragraphs: who did what, in how many hours, and what a record cannot hold.
    pub introduction: Option<&'a str>,
    /// How much of the run it shows.
    pub extent: Extent,
}

/// How much of a run a paper shows. Of a run of few operations it is always all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extent {
    /// Tables of the points of the headline, on some ten pages.
    Headline,
    /// Tables with a point of every operation, and a subsection for each operation of the headline.
    #[default]
    Usual,
    /// Tables of all points, and a subsection for every operation.
    All,
}

/// The number of operations up to which a run is shown whole: each has about half a page.
const FEW_OPERATIONS: usize = 40;

impl Paper<'_> {
    /// How much of this run is shown.
    fn extent(&self, view: &View<'_>) -> Extent {
        let operations = groups::areas(&view.analysis.rows);
        let operations: usize = operations.iter().map(|(_, operations)| operations.len()).sum();
        match self.extent {
            Extent::Usual if operations <= FEW_OPERATIONS => Extent::All,
            extent => extent,
        }
    }

    fn is_labelled(&self, row: &Row) -> bool {
        self.labels.iter().any(|label| label.is_of(&row.point.id))
    }

    /// The rows that the tables list: those of the headline, if the run has any; or of every operation one, of the headline
    /// where it has one there.
    fn rows<'v>(&self, view: &View<'v>, extent: Extent) -> Cow<'v, [Row]> {
        let all = &view.analysis.rows;
        let headline: Vec<&Row> = all.iter().filter(|row| self.is_labelled(row)).collect();
        match extent {
            Extent::Headline if !headline.is_empty() => Cow::Owned(headline.into_iter().cloned().collect()),
            Extent::Headline | Extent::All => Cow::Borrowed(all),
            Extent::Usual => {
                let areas = groups::areas(all);
                let operations = areas.iter().flat_map(|(_, operations)| operations);
                Cow::Owned(operations.filter_map(|group| self.chosen(group)).cloned().collect())
            }
        }
    }

    /// The point that stands for an operation: that of the headline, else the first with a number.
    fn chosen<'v>(&self, group: &OperationRows<'v>) -> Option<&'v Row> {
        let rows = group.rows();
        let labelled = rows.iter().find(|row| self.is_labelled(row));
        let measured = rows.iter().find(|row| row.estimate.is_some());
        labelled.or(measured).or(rows.first()).copied()
    }

    /// Whether an operation has a subsection.
    fn has_subsection(&self, group: &OperationRows<'_>, extent: Extent) -> bool {
        match extent {
            Extent::Headline => false,
            Extent::Usual => group.points.iter().any(|(row, _)| self.is_labelled(row)),
            Extent::All => true,
        }
    }
}

/// Writes the paper.
///
/// # Errors
/// When `out` cannot be written.
pub fn latex(view: &View<'_>, paper: &Paper<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(PREAMBLE.as_bytes())?;
    let mut text = Vec::new();
    body(view, paper, &mut text)?;
    out.write_all(&text)?;
    codes::write(&String::from_utf8_lossy(&text), out)?;
    references(view, &Published::carried(), out)?;
    writeln!(out, "\\end{{document}}")
}

/// All but the preamble, the legend of the codes and the references.
fn body(view: &View<'_>, paper: &Paper<'_>, out: &mut dyn Write) -> io::Result<()> {
    let published = Published::carried();
    let mut notes = Notes::default();
    beginning(view, paper, out)?;
    part("Introduction", &introduction(paper), out)?;
    machine(view, out)?;
    writeln!(out, "\\section{{Methodology}}\n{METHODOLOGY}")?;
    writeln!(out, "{}\n", plain(&sentence(published::MEANING)))?;
    summary(view, out)?;
    let extent = paper.extent(view);
    let rows = paper.rows(view, extent);
    let all = groups::areas(&view.analysis.rows);
    for (area, listed) in groups::areas(&rows) {
        let title = AREAS.iter().find(|(known, _)| *known == area).map_or(area, |(_, title)| title);
        writeln!(out, "\n\\section{{{}}}\n", plain(title))?;
        let of_area = view.analysis.rows.iter().filter(|row| row.point.area == area);
        writeln!(out, "Points: {}.", plain(&run_summary::verdicts(of_area)))?;
        let which = match extent {
            Extent::Headline => "the points of the headline",
            Extent::Usual => {
                "one point of every operation; \\texttt{oscope report --format latex --full} writes all"
            }
            Extent::All => "all results",
        };
        writeln!(out, "Table~\\ref{{table:{}}} has {which}.\n", key(area))?;
        if extent == Extent::Headline {
            let drawings = view.analysis.drawings.iter();
            let drawings = drawings.filter(|drawing| area == "memory" && scene::is_of_memory(drawing));
            for figure in drawings.filter_map(figures::sweep) {
                out.write_all(figure.as_bytes())?;
            }
        }
        let known =
            Known { view, methods: paper.methods, published: &published, is_full: extent == Extent::All };
        let of_area = all.iter().find(|(name, _)| *name == area);
        let operations = of_area.into_iter().flat_map(|(_, operations)| operations);
        for group in operations.filter(|group| paper.has_subsection(group, extent)) {
            operations::operation(group, &known, &mut notes, out)?;
        }
        tables::results(area, title, &listed, view, out)?;
    }
    accuracy(view, out)?;
    part("Pairs of CPUs", &pairs::blocks(view), out)?;
    part("Scaling", &scaling::speed_ups(view), out)?;
    part("Discussion", &discussion(view), out)?;
    part("Limits of the results", &limits(view, extent), out)?;
    notes.write(out)
}

fn beginning(view: &View<'_>, paper: &Paper<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\\title{{What an operating system costs on\\\\{}}}", plain(&facts::model(view.machine)))?;
    match paper.author {
        Some(author) => writeln!(out, "\\author{{{}}}", plain(author))?,
        None => writeln!(
            out,
            "% Put your name here, or give it by --author.\n\
             \\author{{Name of the author\\\\\\small course, institution, address}}"
        )?,
    }
    let day = view.header.started.split('T').next().unwrap_or_default();
    writeln!(out, "\\date{{Measured on {}}}\n\\begin{{document}}\n\\maketitle", plain(day))?;
    writeln!(out, "\\begin{{abstract}}\\noindent")?;
    let has_parts = view.analysis.rows.iter().any(|row| row.from_parts.is_some());
    let from =
        if has_parts { "facts, constants and costs measured lower down" } else { "facts and constants" };
    writeln!(
        out,
        "The basic services of a machine and of its operating system were predicted from {from}, then measured in \
         interleaved rounds of fresh processes, and checked against what the kernel counted. {}",
        plain(&sentence(&run_summary::outcome(view)))
    )?;
    if let Some(costs) = costs(view, paper) {
        writeln!(out, "{}", plain(&sentence(&costs)))?;
    }
    let of_program = run_summary::of_program(view).into_iter().take(1);
    let trusted = trust(view).into_iter().take(1).map(|(line, _)| line);
    for line in trusted.chain(of_program).chain(run_summary::user(view)) {
        writeln!(out, "{}", plain(&sentence(&line)))?;
    }
    writeln!(out, "\\end{{abstract}}\n\\tableofcontents\n")
}

/// The paragraphs of the author, which blank lines separate.
fn introduction(paper: &Paper<'_>) -> Vec<Block> {
    let paragraphs = paper.introduction.unwrap_or_default().split("\n\n");
    let paragraphs = paragraphs.map(|lines| lines.split_whitespace().collect::<Vec<&str>>().join(" "));
    paragraphs.filter(|paragraph| !paragraph.is_empty()).map(Block::text).collect()
}

/// Costs that an abstract names of an area and of all areas, at most.
const MOST_OF_AREA: usize = 8;
const MOST_COSTS: usize = 20;

/// What the services of each area cost that have a label, one point of each: `clock_gettime: 23.3 ns, …`.
fn costs(view: &View<'_>, paper: &Paper<'_>) -> Option<String> {
    let areas = distinct(view.analysis.rows.iter().map(|row| row.point.area.as_str()));
    let of_area = |area: &str| {
        let rows = view.analysis.rows.iter().filter(move |row| row.point.area == area);
        let mut services = HashSet::new();
        let costs = rows.filter_map(|row| {
            let label = paper.labels.iter().find(|label| label.is_of(&row.point.id))?;
            row.estimate.as_ref().filter(|_| services.insert(service(&row.point.id.operation)))?;
            let noisy = if row.verdict == Verdict::Noisy { " (noisy)" } else { "" };
            Some(format!("{}: {}{noisy}", label.label, cells::typical(row)))
        });
        costs.take(MOST_OF_AREA).collect::<Vec<String>>()
    };
    let costs: Vec<String> = areas.into_iter().flat_map(of_area).take(MOST_COSTS).collect();
    some_joined(costs, ", ").map(|costs| format!("in the median, {costs}"))
}

/// What an operation is a variant of: `switch.process` of `switch.process.pipe`.
fn service(operation: &str) -> &str {
    let end = operation.match_indices('.').nth(1).map_or(operation.len(), |(at, _)| at);
    operation.get(..end).unwrap_or(operation)
}

/// The machine, and how it was measured.
fn machine(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\\section{{The machine}}")?;
    let mut blocks = vec![sections::machine(view)];
    let command = format!("oscope {}", view.header.arguments.join(" "));
    if let Some(Block::Facts(facts)) = blocks.first_mut() {
        facts.push(("command", command.into()));
    }
    blocks.extend(sections::cpus(view.analysis));
    blocks.extend(machines::beside(view));
    let notes = crate::notes::of_run(view.analysis);
    blocks.extend(notes.into_iter().map(Block::text));
    write(&blocks, out)
}

/// The table of the reports: one row for each basic service.
fn summary(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let blocks = crate::tables::summary(view);
    if blocks.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n\\section{{Summary}}\n")?;
    write(&blocks, out)
}

fn accuracy(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let lines: Vec<Block> = sections::accuracy(view).collect();
    let quantities = [Quantity::Latency, Quantity::Bandwidth].into_iter();
    let figures = quantities
        .flat_map(|quantity| Predictor::ALL.map(|predictor| figures::accuracy(view, quantity, predictor)));
    let figures: Vec<String> = figures.flatten().collect();
    if lines.is_empty() && figures.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n\\section{{Predicted against measured}}\n")?;
    write(&lines, out)?;
    figures.iter().try_for_each(|figure| out.write_all(figure.as_bytes()))
}

/// The questions that this run answers.
fn discussion(view: &View<'_>) -> Vec<Block> {
    let mut answers = sections::answers(view);
    answers.retain(|block| match block {
        Block::Answer(answer) => !matches!(answer.finding, Finding::Untested(_)),
        _ => true,
    });
    answers
}

/// A section with these blocks; none without a block.
fn part(title: &str, blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    if blocks.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n\\section{{{title}}}\n")?;
    write(blocks, out)
}

/// What must be known before a number is believed: verdicts that are not simply measured, methods known to be wrong.
/// A paper of the whole run names the points of each verdict with their reasons; others count those that are noisy, and that of
/// the headline all.
fn limits(view: &View<'_>, extent: Extent) -> Vec<Block> {
    let rows = &view.analysis.rows;
    let trusted = trust(view).into_iter().map(|(line, _)| Block::text(line));
    let of_rows: Vec<Block> = match extent {
        Extent::Headline => TROUBLES.into_iter().filter_map(|verdict| counted(rows, verdict)).collect(),
        Extent::Usual => TROUBLES
            .into_iter()
            .filter_map(|verdict| match verdict {
                Verdict::Noisy => counted(rows, verdict),
                _ => sections::troubles(view, verdict),
            })
            .collect(),
        Extent::All => {
            sections::all_troubles(view).into_iter().chain(sections::flawed_methods(view)).collect()
        }
    };
    trusted.chain(of_rows).collect()
}

/// The number of rows with a verdict, and what it means.
fn counted(rows: &[Row], verdict: Verdict) -> Option<Block> {
    let count = rows.iter().filter(|row| row.verdict == verdict).count();
    let meaning = Block::text(remarks::meaning(rows, verdict));
    let counted = Block::text(many(count, "point"));
    (count > 0).then(|| Block::Part(verdict.word().to_owned(), vec![meaning, counted]))
}

fn references(view: &View<'_>, published: &Published, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n\\begin{{thebibliography}}{{999}}\n\\raggedright")?;
    let program = format!(
        "oscope {}, an oscilloscope for the operating system. Record of {}, seed {}",
        view.header.program,
        view.header.second(),
        view.plan.settings.seed
    );
    writeln!(out, "\\bibitem{{oscope}} {}.", plain(&program))?;
    for (report, machine) in published.machines() {
        let text = format!("report of students, who measured: {machine}");
        writeln!(out, "\\bibitem[{report}]{{report:{report}}} {}", plain(&sentence(&text)))?;
    }
    writeln!(out, "\\end{{thebibliography}}")
}
