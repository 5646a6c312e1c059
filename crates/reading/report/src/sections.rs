//! The parts of a run's report as blocks, for every form: the machine, what stands out, notes, answers.

use crate::document::Block;
use crate::plot::{self, Glyphs};
use crate::remark::Remark;
use crate::remarks::{self, TROUBLES};
use crate::style::Paint;
use crate::{View, cells, cores, facts, notes, reasons, run_summary, scene};
use analysis::{Analysis, Note, Row, Verdict};

/// The machine, the other end, and how it was measured.
pub(crate) fn machine(view: &View<'_>) -> Block {
    let peer = view.peer.into_iter();
    let peer = peer.flat_map(|peer| facts::other_end(peer, view.machine));
    let environments = run_summary::environments(view.plan).map(|line| ("versus", line));
    let run = [("run", run_summary::opening(view))].into_iter().chain(environments);
    let all = facts::summary(view.machine).into_iter().chain(peer);
    let all = all.chain(run).chain(cores::run(view.analysis));
    Block::Facts(all.map(|(label, text)| (label, text.into())).collect())
}

/// How each CPU was used.
pub(crate) fn cpus(analysis: &Analysis) -> Option<Block> {
    let table = cores::cpus(analysis)?;
    Some(Block::Part("shared cores".to_owned(), vec![Block::Table(table)]))
}

fn remarks(found: Vec<Remark>) -> impl Iterator<Item = Block> {
    found.into_iter().map(Block::Remark)
}

/// The lines through sweeps.
pub(crate) fn sweeps(view: &View<'_>) -> Option<Block> {
    let lines = view.analysis.lines.iter();
    let found = lines.map(|line| Remark {
        text: remarks::sweep(line, view.analysis),
        remedy: None,
        points: vec![line.sweep.clone()],
    });
    Block::part("sweeps", remarks(found.collect()).collect())
}

/// The plots of sweeps, where lines of this width have room for them.
pub(crate) fn plots(view: &View<'_>, width: usize, glyphs: &Glyphs) -> Option<Block> {
    let plots = view.analysis.drawings.iter().filter_map(|drawing| {
        let (lines, legend) = plot::plot(drawing, width, glyphs)?;
        Some(Block::Plot { title: scene::title(drawing), lines, legend })
    });
    Block::part("plots", plots.collect())
}

/// Items under a heading, behind what it means.
fn meant(title: String, meaning: &str, items: impl Iterator<Item = Block>) -> Option<Block> {
    let meaning = std::iter::once(Block::Text(meaning.to_owned(), Paint::Faint));
    let mut items = items.peekable();
    items.peek()?;
    Block::part(title, meaning.chain(items).collect())
}

/// Why points have this verdict, as items.
pub(crate) fn of_verdict(rows: &[Row], verdict: Verdict) -> impl Iterator<Item = Block> {
    let groups = reasons::reasons(rows, verdict).into_iter().map(Block::Group);
    groups.chain(remarks(remarks::troubles(rows, verdict)))
}

/// The points that have this verdict, each with its reason and what helps.
pub(crate) fn troubles(view: &View<'_>, verdict: Verdict) -> Option<Block> {
    let items = of_verdict(&view.analysis.rows, verdict);
    meant(cells::signed_verdict(verdict), remarks::meaning(&view.analysis.rows, verdict), items)
}

/// Every verdict that needs words, the gravest first.
pub(crate) fn all_troubles(view: &View<'_>) -> Vec<Block> {
    let found = TROUBLES.into_iter().filter_map(|verdict| troubles(view, verdict));
    found.collect()
}

/// What the flawed methods get wrong.
pub(crate) fn flawed_methods(view: &View<'_>) -> Option<Block> {
    let title = format!("{} flawed methods", cells::FLAWED_MARK);
    let found = remarks::flawed_methods(&view.analysis.contrasts);
    meant(title, "for comparison only, not to be relied upon", remarks(found))
}

/// Further remarks on the run and on its points.
pub(crate) fn notes(view: &View<'_>) -> Option<Block> {
    let rows = &view.analysis.rows;
    let items = notes::of_run(view.analysis);
    let most = items.len();
    let run = (most > 0).then_some(Block::List { items, most });
    let groups = remarks::notes(rows).into_iter().map(Block::Group);
    let all = run.into_iter().chain(groups).chain(remarks(remarks::unpredicted(rows)));
    Block::part("notes", all.collect())
}

/// The remarks on what disturbed points, without those on predictions and on what limits a stream.
pub(crate) fn notes_on_noise(view: &View<'_>) -> Option<Block> {
    let is_of_noise = |note: &Note| {
        !matches!(note, Note::Deviation(_) | Note::SameAs(_) | Note::Bottleneck(_) | Note::CachedLoop)
    };
    let rows: Vec<Row> = view
        .analysis
        .rows
        .iter()
        .map(|row| Row {
            notes: row.notes.iter().filter(|note| is_of_noise(note)).cloned().collect(),
            ..row.clone()
        })
        .collect();
    let groups = remarks::notes(&rows).into_iter().map(Block::Group);
    Block::part("notes", groups.collect())
}

/// Why points are not predicted.
pub(crate) fn unpredicted(view: &View<'_>) -> Option<Block> {
    let found = remarks(remarks::unpredicted(&view.analysis.rows));
    Block::part("notes", found.collect())
}

/// The questions that belong to this run, each with its answer and what that leaves open.
pub(crate) fn answers(view: &View<'_>) -> Vec<Block> {
    let asked = view.analysis.answers.iter().filter(|answer| answer.asked);
    asked.map(|answer| Block::Answer(Box::new(answer.clone()))).collect()
}

/// All that is said besides numbers: verdicts with their reasons, flawed methods, notes, answers.
pub(crate) fn said(view: &View<'_>) -> Vec<Block> {
    let mut blocks = all_troubles(view);
    blocks.extend(flawed_methods(view));
    blocks.extend(notes(view));
    blocks.extend(Block::part("answers", answers(view)));
    blocks
}

/// How well the predictions did.
pub(crate) fn accuracy(view: &View<'_>) -> impl Iterator<Item = Block> {
    run_summary::accuracy(view).into_iter().map(Block::text)
}
