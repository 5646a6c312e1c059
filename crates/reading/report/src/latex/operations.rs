//! A subsection for every operation: methodology, prediction, result, discussion.

use super::figures;
use super::text::{code, key, plain};
use crate::document::Block;
use crate::document::latex::{without_advice, write};
use crate::groups::OperationRows;
use crate::html::Method;
use crate::published::Published;
use crate::remark::Remark;
use crate::remarks;
use crate::scene::is_of;
use crate::wording::{capital, joined, many, sentence};
use crate::{View, cells, cores, cycles, sections};
use analysis::{Predicted, Row, Tier, Verdict};
use record::{Term, TermSide};
use std::io::{self, Write};

/// Up to this number of points, each has a paragraph; more have the table alone.
const FEW: usize = 3;

/// Why the numbers of formulas are what they are, in the order in which they are first used: most are counts of steps,
/// and so they are notes and no references.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    /// The notes on the numbers of a term.
    fn refer(&mut self, term: &Term) -> String {
        let mut numbers = Vec::new();
        for source in term.formula.sources() {
            let known = self.0.iter().position(|note| note == source);
            let index = known.unwrap_or_else(|| {
                self.0.push(source.to_owned());
                self.0.len() - 1
            });
            numbers.push(format!("\\ref{{note:{index}}}"));
        }
        match numbers.as_slice() {
            [] => String::new(),
            [one] => format!(" (note~{one})"),
            several => format!(" (notes~{})", several.join(", ")),
        }
    }

    /// Writes the section of the notes.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n\\section{{Notes on the numbers of the formulas}}\n\\begin{{enumerate}}")?;
        for (index, note) in self.0.iter().enumerate() {
            writeln!(out, "\\item\\label{{note:{index}}} {}", plain(&sentence(note)))?;
        }
        writeln!(out, "\\end{{enumerate}}")
    }
}

/// What is known besides the rows of an operation.
pub(super) struct Known<'a> {
    pub(super) view: &'a View<'a>,
    /// How the program measures each operation.
    pub(super) methods: &'a [Method<'a>],
    pub(super) published: &'a Published,
    /// Whether what may be mistaken for it, who measured it before, and what is said of single points is said, too.
    pub(super) is_full: bool,
}

/// Writes the subsection of an operation.
pub(super) fn operation(
    group: &OperationRows<'_>,
    known: &Known<'_>,
    notes: &mut Notes,
    out: &mut dyn Write,
) -> io::Result<()> {
    let view = known.view;
    let rows = group.rows();
    let rows: Vec<&Row> = rows.into_iter().filter(|row| !view.plan.hides(&row.point.id)).collect();
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let id = &first.point.id.operation;
    // A heading is in one script.
    let title = first.point.title.replace('`', "");
    writeln!(out, "\\subsection{{{}}}\n{}\n", plain(&capital(&title)), code(id))?;
    methodology(first, known, out)?;
    prediction(&rows, notes, out)?;
    result(&rows, view, out)?;
    for drawing in &view.analysis.drawings {
        let drawn_by = view.analysis.rows.iter().find(|row| is_of(row, drawing) && row.estimate.is_some());
        if drawn_by.is_some_and(|row| row.point.id.operation == *id)
            && let Some(figure) = figures::sweep(drawing)
        {
            out.write_all(figure.as_bytes())?;
        }
    }
    discussion(&rows, known, out)
}

fn methodology(first: &Row, known: &Known<'_>, out: &mut dyn Write) -> io::Result<()> {
    let point = &first.point;
    write!(out, "\\step{{Methodology.}} One iteration: {}.", plain(&point.one_iteration))?;
    if let Some(method) = known.methods.iter().find(|method| method.is_of(first)) {
        write!(out, " {}", plain(method.method))?;
        if known.is_full && !method.confounds.is_empty() {
            write!(out, " \\emph{{Confounds:}} {}", plain(method.confounds))?;
        }
        let sources: Vec<String> = method.sources.iter().map(|(who, how)| format!("{who}: {how}")).collect();
        if known.is_full && !sources.is_empty() {
            let sources = plain(sources.join("; ").trim_end_matches('.'));
            write!(out, " \\emph{{Measured before by}} {sources}.")?;
        }
    }
    if let Some(wrong) = &point.flaw {
        write!(out, " \\emph{{This method is known to be wrong:}} {}", plain(wrong))?;
    }
    writeln!(out, "\n")
}

/// The parts of the first point that has any; the other points follow the same formula with other numbers.
fn prediction(rows: &[&Row], notes: &mut Notes, out: &mut dyn Write) -> io::Result<()> {
    let Some((row, predicted)) = rows.iter().find_map(|row| Some((row, row.predicted()?))) else {
        return writeln!(out, "\\step{{Prediction.}} None: it is a part of other predictions.\n");
    };
    let of = if rows.len() > 1 { format!(", for {}", code(&row.point.id.point)) } else { String::new() };
    let tier = match predicted.tier {
        Tier::Facts => "From facts and constants",
        Tier::Parts => "From parts measured in this run",
    };
    writeln!(out, "\\step{{Prediction.}} {tier}{of}: {}.", plain(&total(predicted, row)))?;
    writeln!(out, "\\begin{{points}}")?;
    let (zero, terms): (Vec<_>, Vec<_>) =
        predicted.terms.iter().partition(|(_, range)| cells::is_nothing(*range));
    for (term, range) in terms {
        let side = match term.side {
            TermSide::Hardware => "base hardware",
            TermSide::Software => "software overhead",
            TermSide::Both => "hardware and software, as its parts",
        };
        let [name, value] =
            [capital(&term.name), cells::range(*range, row.quantity())].map(|text| plain(&text));
        let (formula, cited) = (code(&term.formula.to_string()), notes.refer(term));
        writeln!(out, "\\item {name} ({side}): {value} = {formula}{cited}")?;
    }
    if !zero.is_empty() {
        writeln!(out, "\\item left out: {} of value 0", many(zero.len(), "term"))?;
    }
    writeln!(out, "\\end{{points}}")
}

fn total(predicted: &Predicted, row: &Row) -> String {
    let Predicted { hardware, software, .. } = predicted;
    let shown = |range| cells::range(range, row.quantity());
    let total = shown(predicted.total);
    match (cells::is_nothing(*hardware), cells::is_nothing(*software)) {
        (true, _) => format!("{total}, all of it software overhead"),
        (_, true) => format!("{total}, all of it base hardware"),
        _ => format!(
            "{total}, of which {} are base hardware and {} software overhead",
            shown(*hardware),
            shown(*software)
        ),
    }
}

fn result(rows: &[&Row], view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\\step{{Result.}} ")?;
    if rows.len() <= FEW {
        for row in rows {
            write!(out, "{} ", one_result(row, view))?;
        }
    } else {
        let area = rows.first().map_or("", |row| row.point.area.as_str());
        let points = many(rows.len(), "point");
        write!(out, "All {} are in Table~\\ref{{table:{}}}. ", plain(&points), key(area))?;
    }
    let id = rows.first().map(|row| &row.point.id.operation);
    for line in view.analysis.lines.iter().filter(|line| id == Some(&line.sweep.operation)) {
        let says = sentence(&remarks::sweep(line, view.analysis));
        write!(out, "A straight line through {}: {} ", code(&line.sweep.to_string()), plain(&says))?;
    }
    writeln!(out, "\n")
}

/// What a point came to, in a sentence.
fn one_result(row: &Row, view: &View<'_>) -> String {
    let name = match row.point.id.point.as_str() {
        "" => String::new(),
        point => format!("With {}: ", code(point)),
    };
    let Some(estimate) = &row.estimate else {
        let reason = crate::reasons::reason(row).unwrap_or_else(|| "no reason was recorded".to_owned());
        return format!("{name}{}: {}", row.verdict.word(), plain(&sentence(&reason)));
    };
    let interval = match cells::interval(row) {
        none if none.is_empty() => "too few trials for an interval".to_owned(),
        some => format!("interval {some}"),
    };
    let (mut typical, best, deviation) = (cells::typical(row), cells::best(row), cells::deviation(row));
    let in_cycles = Some(cycles::measured(view, row)).filter(|text| view.has_cycles && !text.is_empty());
    typical.extend(in_cycles.map(|text| format!(" = {text}")));
    let (trials, batches) = (many(estimate.trials, "trial"), many(estimate.batches, "batch"));
    let mut text = format!("{typical} ({interval}; {trials}, {batches})");
    if !best.is_empty() {
        text.push_str(&format!(", best {best}"));
    }
    if !deviation.is_empty() {
        text.push_str(&format!(", deviation {deviation}"));
    }
    let (ratio, residual) = (cells::ratio(row), cells::residual(row));
    if !ratio.is_empty() {
        text.push_str(&format!("; measured / predicted {ratio}"));
    }
    if !residual.is_empty() {
        text.push_str(&format!(", unexplained {residual}"));
    }
    format!("{name}{}.", plain(&text))
}

/// What the numbers of an operation mean, as a paragraph; what was published; what is to be said of single points.
fn discussion(rows: &[&Row], known: &Known<'_>, out: &mut dyn Write) -> io::Result<()> {
    let items = if known.is_full { items(rows, known.view) } else { Vec::new() };
    let standing = known.published.standing(rows);
    let says = crate::discussion::paragraph(rows);
    writeln!(out, "\\step{{Discussion.}}")?;
    writeln!(out, "{}", plain(&sentence(&without_advice(&says))))?;
    if let Some(standing) = standing {
        let others = standing.others.iter().map(|by_report| {
            let (report, doubt) = (&by_report.report, by_report.doubt());
            let figures = plain(&format!("{}{doubt}", by_report.figures));
            format!("\\cite{{report:{report}}} {figures}")
        });
        let others = joined(others, "; ");
        writeln!(out, "Published before: {others}; here {}.", plain(&standing.here))?;
    }
    writeln!(out)?;
    write(&items, out)
}

/// What is to be said of single points.
fn items(rows: &[&Row], view: &View<'_>) -> Vec<Block> {
    let own: Vec<Row> = rows.iter().map(|row| (*row).clone()).collect();
    let troubles = remarks::TROUBLES.into_iter();
    let troubles = troubles.filter(|verdict| rows.len() > FEW || *verdict == Verdict::Noisy);
    let mut items: Vec<Block> = troubles.flat_map(|verdict| sections::of_verdict(&own, verdict)).collect();
    for row in rows {
        items.extend(cells::user_words(row).map(|words| {
            Block::Remark(Remark {
                text: format!("the author predicted {words}"),
                remedy: None,
                points: vec![row.point.id.clone()],
            })
        }));
    }
    items.extend(cores::group(rows).into_iter().map(Block::Group));
    items.extend(remarks::notes(&own).into_iter().map(Block::Group));
    items.extend(remarks::unpredicted(&own).into_iter().map(Block::Remark));
    let wrong = remarks::flawed_methods(&view.analysis.contrasts).into_iter();
    let wrong =
        wrong.filter(|found| found.points.iter().any(|id| rows.iter().any(|row| row.point.id == *id)));
    items.extend(wrong.map(Block::Remark));
    items
}
