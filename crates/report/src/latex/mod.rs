//! The result as the paper that a student hands in: LaTeX with a section for every area, its tables and its figures.

mod figures;
mod operations;
mod tables;
mod text;

use crate::first_screen::Label;
use crate::html::Method;
use crate::published::{self, Published};
use crate::scene::{self, Predictor};
use crate::wording::{many, sentence};
use crate::{View, closing, cores, facts, groups, remarks};
use analysis::{Finding, Row, Verdict};
use operations::Notes;
use quantity::Quantity;
use std::borrow::Cow;
use std::io::{self, Write};
pub(crate) use text::plain;
use text::{code, key};

/// The page, its columns and its drawings.
pub(crate) const PREAMBLE: &str = include_str!("preamble.tex");
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
    /// Whether the points of the headline are all that it lists, without a subsection for every operation.
    pub is_brief: bool,
}

impl Paper<'_> {
    /// The rows that the paper lists: of a brief one those of the headline, if the run has any.
    fn rows<'v>(&self, view: &View<'v>) -> Cow<'v, [Row]> {
        let is_labelled = |row: &&Row| {
            let id = &row.point.id;
            let mut labels = self.labels.iter();
            labels.any(|label| label.operation == id.operation && label.point == id.point)
        };
        let headline = || view.analysis.rows.iter().filter(is_labelled);
        match self.is_brief && headline().next().is_some() {
            true => Cow::Owned(headline().cloned().collect()),
            false => Cow::Borrowed(&view.analysis.rows),
        }
    }
}

/// Writes the paper.
///
/// # Errors
/// When `out` cannot be written.
pub fn latex(view: &View<'_>, paper: &Paper<'_>, out: &mut dyn Write) -> io::Result<()> {
    let published = Published::carried();
    let mut notes = Notes::default();
    out.write_all(PREAMBLE.as_bytes())?;
    beginning(view, paper.author, out)?;
    machine(view, out)?;
    writeln!(out, "\\section{{Methodology}}\n{METHODOLOGY}")?;
    writeln!(out, "{}\n", plain(&sentence(published::MEANING)))?;
    let rows = paper.rows(view);
    for (area, operations) in groups::areas(&rows) {
        let title = AREAS
            .iter()
            .find(|(known, _)| *known == area)
            .map_or(area, |(_, title)| title);
        writeln!(out, "\n\\section{{{}}}\n", plain(title))?;
        let of_area = view.analysis.rows.iter().filter(|row| row.point.area == area);
        writeln!(out, "Points: {}.", plain(&closing::verdicts(of_area)))?;
        let which = if paper.is_brief {
            "the points of the headline"
        } else {
            "all results"
        };
        writeln!(out, "Table~\\ref{{table:{}}} has {which}.\n", key(area))?;
        if paper.is_brief {
            let drawings = view.analysis.drawings.iter();
            let drawings = drawings.filter(|drawing| area == "memory" && scene::is_of_memory(drawing));
            for figure in drawings.filter_map(figures::sweep) {
                out.write_all(figure.as_bytes())?;
            }
        } else {
            for group in &operations {
                operations::operation(group, view, paper.methods, &published, &mut notes, out)?;
            }
        }
        tables::results(area, title, &operations, out)?;
    }
    accuracy(view, out)?;
    answers(view, out)?;
    limits(view, paper.is_brief, out)?;
    notes.write(out)?;
    references(view, &published, out)?;
    writeln!(out, "\\end{{document}}")
}

/// The processor's name, as far as it is known.
fn model(view: &View<'_>) -> String {
    let keys = ["processor.model", "family.name", "processor.vendor"];
    let known = keys
        .iter()
        .find_map(|key| view.machine.get(key).and_then(facts::value));
    known.unwrap_or_else(|| "an unknown processor".to_owned())
}

fn beginning(view: &View<'_>, author: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\\title{{What an operating system costs on\\\\{}}}",
        plain(&model(view))
    )?;
    match author {
        Some(author) => writeln!(out, "\\author{{{}}}", plain(author))?,
        None => writeln!(
            out,
            "% Put your name here, or give it by --author.\n\
             \\author{{Name of the author\\\\\\small course, institution, address}}"
        )?,
    }
    let day = view.header.started.split('T').next().unwrap_or_default();
    writeln!(
        out,
        "\\date{{Measured on {}}}\n\\begin{{document}}\n\\maketitle",
        plain(day)
    )?;
    writeln!(out, "\\begin{{abstract}}\\noindent")?;
    writeln!(
        out,
        "The basic services of a machine and of its operating system were predicted from facts and from costs \
         measured lower down, then measured in interleaved rounds of fresh processes, and checked against what the \
         kernel counted. {}",
        plain(&sentence(&closing::closing(view)))
    )?;
    for line in closing::accuracy(view) {
        writeln!(out, "{}", plain(&sentence(&line)))?;
    }
    writeln!(out, "\\end{{abstract}}\n\\tableofcontents\n")
}

/// The machine, and how it was measured, as a table.
fn machine(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\\section{{The machine}}")?;
    let own = facts::summary(view.machine);
    let peer = view
        .peer
        .map_or_else(Vec::new, |peer| facts::other_end(peer, view.machine));
    let run = [("run", closing::opening(view))];
    writeln!(out, "\\begin{{longtable}}{{@{{}}lL{{14cm}}@{{}}}}")?;
    writeln!(
        out,
        "\\caption{{The machine and the run.}}\\\\\\hline\\endfirsthead\\hline\\endhead\\hline\\endlastfoot"
    )?;
    for (label, text) in own
        .into_iter()
        .chain(peer)
        .chain(run)
        .chain(cores::run(view.analysis))
    {
        writeln!(out, "{} & {}\\\\", plain(label), plain(&text))?;
    }
    writeln!(
        out,
        "command & {}\\\\",
        code(&format!("oscope {}", view.header.arguments.join(" ")))
    )?;
    writeln!(out, "\\end{{longtable}}\n")?;
    cpus(view, out)?;
    for note in crate::notes::of_run(view.analysis) {
        writeln!(out, "{}\n", plain(&sentence(&note)))?;
    }
    Ok(())
}

/// How each CPU was used.
fn cpus(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = cores::cpu_rows(view.analysis);
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\\begin{{longtable}}{{@{{}}rrrrr@{{}}}}")?;
    writeln!(
        out,
        "\\caption{{Use of the cores: {}.}}\\\\\\hline",
        code(cores::OPERATION)
    )?;
    writeln!(
        out,
        "{}\\\\\\hline\\endhead\\hline\\endlastfoot",
        cores::CPU_COLUMNS.join(" & ")
    )?;
    for row in rows {
        writeln!(out, "{}\\\\", row.map(|text| plain(&text)).join(" & "))?;
    }
    writeln!(out, "\\end{{longtable}}\n")
}

fn accuracy(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let lines = closing::accuracy(view);
    let quantities = [Quantity::Latency, Quantity::Bandwidth].into_iter();
    let figures = quantities
        .flat_map(|quantity| Predictor::ALL.map(|predictor| figures::accuracy(view, quantity, predictor)));
    let figures: Vec<String> = figures.flatten().collect();
    if lines.is_empty() && figures.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n\\section{{Predicted against measured}}\n")?;
    for line in lines {
        writeln!(out, "{}\n", plain(&sentence(&line)))?;
    }
    figures
        .iter()
        .try_for_each(|figure| out.write_all(figure.as_bytes()))
}

fn answers(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let asked: Vec<_> = view
        .analysis
        .answers
        .iter()
        .filter(|answer| answer.asked)
        .collect();
    if asked.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n\\section{{Discussion}}\n\\begin{{description}}")?;
    for answer in asked {
        let said = plain(&sentence(&crate::answers::sentence(answer)));
        write!(out, "\\item[{{{}}}] {said}", plain(answer.question.asks))?;
        match answer.finding {
            Finding::Untested(_) => writeln!(out)?,
            _ => writeln!(out, " \\emph{{{}}}", plain(&sentence(answer.leaves_open)))?,
        }
    }
    writeln!(out, "\\end{{description}}")
}

/// What must be known before a number is believed: verdicts that are not simply measured, methods known to be wrong.
/// A brief paper counts the points of each verdict; others name them with their reasons.
fn limits(view: &View<'_>, is_brief: bool, out: &mut dyn Write) -> io::Result<()> {
    let rows = &view.analysis.rows;
    let found: Vec<(Verdict, Vec<String>)> = remarks::TROUBLES
        .into_iter()
        .map(|verdict| (verdict, operations::troubles(rows, verdict)))
        .filter(|(_, items)| !items.is_empty())
        .collect();
    let wrong = remarks::references(&view.analysis.contrasts);
    if found.is_empty() && wrong.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n\\section{{What the numbers do not say}}\n")?;
    for (verdict, items) in found {
        let meaning = sentence(remarks::meaning(verdict));
        writeln!(
            out,
            "\\step{{{}.}} {}",
            sentence(verdict.word()).trim_end_matches('.'),
            plain(&meaning)
        )?;
        if is_brief {
            let of_verdict = rows.iter().filter(|row| row.verdict == verdict);
            writeln!(out, "{}.\n", plain(&many(of_verdict.count(), "point")))?;
        } else {
            operations::list(&items, out)?;
        }
    }
    if !wrong.is_empty() && !is_brief {
        writeln!(
            out,
            "\\step{{Reference methods.}} Kept to be compared with, not to be relied upon."
        )?;
        operations::list(&wrong.iter().map(operations::remark).collect::<Vec<_>>(), out)?;
    }
    Ok(())
}

fn references(view: &View<'_>, published: &Published, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n\\begin{{thebibliography}}{{999}}\n\\raggedright")?;
    let program = format!(
        "oscope {}, an oscilloscope for the operating system. Record of {}, seed {}",
        view.header.program, view.header.started, view.plan.settings.seed
    );
    writeln!(out, "\\bibitem{{oscope}} {}.", plain(&program))?;
    for (report, machine) in published.machines() {
        let text = format!("report of students who measured their own machine: {machine}");
        writeln!(
            out,
            "\\bibitem[{report}]{{report:{report}}} {}",
            plain(&sentence(&text))
        )?;
    }
    writeln!(out, "\\end{{thebibliography}}")
}
