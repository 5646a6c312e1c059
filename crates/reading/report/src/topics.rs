//! Parts of a report that can be asked for alone, for a terminal.

use crate::document::{Block, terminal::write};
use crate::first_screen::trust;
use crate::machines::machines;
use crate::page::Page;
use crate::results::{least_name, name_cell, name_column, table_of};
use crate::style::Paint;
use crate::table::{Cell, Column, Columns};
use crate::terminal::plots;
use crate::wording::joined;
use crate::{View, cells, cores, cycles, disturbances, sections, tails};
use analysis::{Judged, Row};
use std::io;

/// A part of the report that can be asked for alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// How the cores and the clock were used, and what is set aside.
    Noise,
    /// Predictions beside what was measured, furthest first.
    Predictions,
    /// The questions and their answers.
    Answers,
    /// The plots of sweeps.
    Plots,
    /// The values beside those of the machines of the corpus.
    Machines,
    /// Percentiles of iterations that were each timed, and what delayed the slowest.
    Tails,
    /// Which witnesses proved each row; and rows whose evidence disagrees, that are noisy, failed or skipped, each with its
    /// reason.
    Evidence,
}

impl Topic {
    /// Every topic with its name.
    pub const ALL: [(&'static str, Self); 7] = [
        ("noise", Self::Noise),
        ("predictions", Self::Predictions),
        ("answers", Self::Answers),
        ("plots", Self::Plots),
        ("machines", Self::Machines),
        ("tails", Self::Tails),
        ("evidence", Self::Evidence),
    ];

    /// The topic of this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, topic)| topic)
    }
}

/// Writes these topics.
///
/// # Errors
/// When the page cannot be written.
pub fn topics(view: &View<'_>, topics: &[Topic], page: &mut Page<'_>) -> io::Result<()> {
    for topic in topics {
        match topic {
            Topic::Noise => {
                for (line, paint) in trust(view) {
                    page.text("", "  ", &line, paint)?;
                }
                for points in disturbances::points(&view.analysis.rows) {
                    page.text("", "  ", &points, Paint::Plain)?;
                }
                page.blank()?;
                cores::cores_text(view.analysis, page)?;
                cores::timeline(&view.analysis.quiet_spans, page)?;
                page.blank()?;
                write(&sections::notes_on_noise(view).into_iter().collect::<Vec<_>>(), page)?;
            }
            Topic::Predictions => predictions(view, page)?,
            Topic::Answers => write(&sections::answers(view), page)?,
            Topic::Plots => write(&plots(view, page).into_iter().collect::<Vec<_>>(), page)?,
            Topic::Machines => machines(view, page)?,
            Topic::Tails => {
                let all = tails::all(view, page.width).unwrap_or_else(|| {
                    Block::text("No iteration was timed by itself: oscope run --tail [SELECTION].")
                });
                write(&[all], page)?;
            }
            Topic::Evidence => evidence(view, page)?,
        }
    }
    Ok(())
}

/// What the columns of witnesses mean.
const WITNESSES: &str = "work = witnesses that the work was done, quiet = witnesses that nothing disturbed it, each with how many held in \
    every trial; ✗ broken in a trial, – not read; what each expects and counted: oscope explain POINT";

/// Which witnesses held, at every point; then every point that is not simply measured, with its reason.
fn evidence(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let held = |row: &Row, is_positive: bool| {
        let all = row.witnesses.iter().filter(|one| one.witness.positive == is_positive);
        let held = all.clone().filter(|one| one.is_kept()).count();
        Some(all.count()).filter(|all| *all > 0).map_or_else(String::new, |all| format!("{held} of {all}"))
    };
    let not_held = |row: &Row| {
        let others = row.witnesses.iter().filter(|one| !one.is_kept());
        let sign = |one: &Judged| if one.counted.is_some() { "✗" } else { "–" };
        joined(others.map(|one| format!("{} {}", sign(one), one.witness.counter)), ", ")
    };
    let proved = |row: &Row| {
        let held = row.witnesses.iter().filter(|one| one.witness.positive && one.is_kept());
        joined(held.map(|one| one.witness.counter.as_str()), ", ")
    };
    let columns = Columns::new(name_column(page.width), name_cell)
        .with(Column::word("", 0), |(_, row)| cells::mark_cell(row))
        .with(Column::number("work", 0), |(_, row)| held(row, true))
        .with(Column::number("quiet", 0), |(_, row)| held(row, false))
        .with(Column::prose("not held", 1, 8, usize::MAX), |(_, row)| {
            Cell::new(not_held(row), Paint::Warning)
        })
        .with(Column::prose("proved by", 2, 20, usize::MAX), |(_, row)| proved(row));
    let table = table_of(&columns, &view.analysis.rows);
    write(&[Block::Table(table), Block::Text(WITNESSES.to_owned(), Paint::Faint)], page)?;
    page.blank()?;
    write(&sections::all_troubles(view), page)
}

/// Predicted and measured values, those furthest apart first, and how good the predictions were.
fn predictions(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let furthest = |row: &Row| {
        let ratios = row.factors_of(row.predicted()?.total.value).into_iter().filter(|ratio| *ratio > 0.0);
        ratios.map(|ratio| ratio.ln().abs()).max_by(f64::total_cmp)
    };
    let rows = view.analysis.rows.iter();
    let mut rows: Vec<(f64, &Row)> = rows.filter_map(|row| Some((furthest(row)?, row))).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let name = Column::name("", 0, least_name(page.width), usize::MAX);
    let columns = Columns::new(name, |row: &&Row| cells::marked(&row.point.id.to_string(), row))
        .with(Column::number("hardware", 2), |row| cells::hardware(row))
        .with(Column::number("software", 2), |row| cells::software(row))
        .with(Column::number("predicted", 0), |row| cells::total(row))
        .with(Column::word("", 1), |row| cells::tier_cell(row))
        .with(Column::number("measured", 0), |row| cells::measured_cell(row))
        .with(Column::word("", 0), |row| cells::mark_cell(row))
        .when(view.has_cycles, |columns| {
            columns.with(Column::number(cycles::TITLE, 0), |row| cycles::measured(view, row))
        })
        .with(Column::number("ratio", 0), |row| cells::ratio(row));
    let table = columns.table_of(rows.into_iter().map(|(_, row)| row));
    let mut blocks = vec![Block::Table(table), Block::Text(cells::TIERS.to_owned(), Paint::Faint)];
    blocks.extend(sections::accuracy(view));
    write(&blocks, page)
}
