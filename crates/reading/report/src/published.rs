//! Where this machine stands: what five reports published of an operation, beside what it came to here.

use crate::cells;
use crate::groups::grouped;
use crate::scene::ends;
use crate::wording::{self, joined};
use analysis::Row;
use quantity::show;
use reference::{Counterpart, Figure, Method, ReferenceMachine, beside, counterparts, mistake_name};

/// What a reader must know of these figures.
pub(crate) const MEANING: &str = "Figures marked R0 to R4 are those of five reports of students who measured a \
    machine; reasons to doubt a figure follow it in brackets. Their methods are not always ours, so only the order of magnitude compares";
/// More points or figures than this are shown as a range.
const FEW: usize = 3;

/// The figures of the reports and their machines.
#[derive(Debug, Default)]
pub(crate) struct Published {
    figures: Vec<Figure>,
    machines: Vec<ReferenceMachine>,
}

/// What is known of one operation.
#[derive(Debug)]
pub(crate) struct Standing {
    /// What it came to here.
    pub(crate) here: String,
    /// What each report says, from small to large.
    pub(crate) others: Vec<PublishedFigures>,
}

/// The figures of one report.
#[derive(Debug)]
pub(crate) struct PublishedFigures {
    /// Which report.
    pub(crate) report: String,
    /// Its figure, or the ends of several.
    pub(crate) figures: String,
    /// The names of the mistakes that make them suspect, without repetition.
    pub(crate) suspect: Vec<&'static str>,
}

impl PublishedFigures {
    /// Behind the figures: what makes them suspect.
    pub(crate) fn doubt(&self) -> String {
        if self.suspect.is_empty() {
            String::new()
        } else {
            format!(" (suspect: {})", self.suspect.join(", "))
        }
    }
}

impl Published {
    /// The figures that the program carries; a test of theirs shows that they can be read.
    pub(crate) fn carried() -> Self {
        Self {
            figures: reference::figures().unwrap_or_default(),
            machines: reference::machines().unwrap_or_default(),
        }
    }

    /// What the reports say of the operation of these rows; `None` where they say nothing.
    pub(crate) fn standing(&self, rows: &[&Row]) -> Option<Standing> {
        let operation = &rows.first()?.point.id.operation;
        let here: Vec<&Counterpart> = counterparts()
            .filter(|place| place.operation == *operation && rows.iter().any(|row| is_at(row, place)))
            .collect();
        let points: Vec<&str> = rows.iter().map(|row| row.point.id.point.as_str()).collect();
        let placed = beside(&self.figures, operation).into_iter().filter_map(|figure| {
            let place = here.iter().find(|place| place.matches(figure) && is_alike(figure, rows))?;
            let method = Method::new(figure, operation, &points);
            Some(((place.with, &figure.report, &figure.operation, method), figure))
        });
        let groups = grouped(placed);
        let compared = rows.iter().copied().filter(|row| here.iter().any(|place| is_at(row, place)));
        (!groups.is_empty()).then(|| Standing {
            here: self::here(&compared.collect::<Vec<&Row>>()),
            others: groups
                .iter()
                .map(|((with, _, _, method), group)| {
                    published_figures(&label(with, group, &here), method, group)
                })
                .collect(),
        })
    }

    /// The machine of each report, in a line.
    pub(crate) fn machines(&self) -> impl Iterator<Item = (&str, String)> {
        // Whatever is not known is empty, and the peers of a network follow the machine of their report.
        let known =
            self.machines.iter().filter(|known| !known.cpu.is_empty() && !known.machine.starts_with("peer"));
        known.map(|known| {
            let words = [&known.machine, &known.cpu, &known.os, &known.year];
            (known.report.as_str(), joined(words.into_iter().filter(|word| !word.is_empty()), ", "))
        })
    }
}

/// Whether a place is that of this row's point.
fn is_at(row: &Row, place: &Counterpart) -> bool {
    place.is_of(&row.point.id.point)
}

/// With what parameters figures were measured, and of what where the operation stands beside several.
fn label(with: &str, figures: &[&Figure], places: &[&Counterpart]) -> String {
    let of = figures.first().map_or("", |figure| figure.operation.as_str());
    let shown: Vec<&str> = with.split(' ').filter(|word| !word.starts_with('!')).collect();
    let with = &shown.join(" ");
    if !with.is_empty() && places.iter().any(|place| place.published != of) {
        format!("{of} {with}")
    } else {
        with.to_owned()
    }
}

/// Whether a figure is of the kind that the rows are: some reports tell a transfer by its time and by its rate.
fn is_alike(figure: &Figure, rows: &[&Row]) -> bool {
    let kind = figure.result().map(|shown| shown.quantity);
    rows.iter().any(|row| Some(row.quantity()) == kind)
}

/// The figures of one report for these parameters, by this method.
fn published_figures(with: &str, method: &Method, figures: &[&Figure]) -> PublishedFigures {
    let texts: Vec<String> = figures.iter().filter_map(|figure| Some(figure.result()?.text())).collect();
    let mut suspect: Vec<&str> =
        figures.iter().flat_map(|figure| figure.codes()).filter_map(mistake_name).collect();
    suspect.sort_unstable();
    suspect.dedup();
    let said = match (texts.as_slice(), texts.first(), texts.last()) {
        (many, Some(first), Some(last)) if many.len() > FEW => {
            let figures = wording::many(many.len(), "figure");
            if first == last {
                format!("{first} ({figures})")
            } else {
                format!("{first} to {last} ({figures})")
            }
        }
        _ => texts.join(", "),
    };
    let of = if with.is_empty() { String::new() } else { format!(" for {with}") };
    let by = match method {
        Method::Own => String::new(),
        Method::Probable => " probably by this method".to_owned(),
        Method::Other(Some(own)) => format!(" by another method ({own})"),
        Method::Other(None) => " by another method".to_owned(),
    };
    PublishedFigures {
        report: figures.first().map(|figure| figure.report.clone()).unwrap_or_default(),
        figures: said + &of + &by,
        suspect,
    }
}

/// What the operation came to here: its points, or the ends of many.
fn here(rows: &[&Row]) -> String {
    let measured: Vec<&Row> = rows.iter().copied().filter(|row| row.estimate.is_some()).collect();
    match measured.as_slice() {
        [] => "no number".to_owned(),
        [one] => cells::typical(one),
        few if few.len() <= FEW => {
            joined(few.iter().map(|row| format!("{} ({})", cells::typical(row), row.point.id.point)), ", ")
        }
        [first, ..] => {
            let same = measured.iter().filter(|row| row.quantity() == first.quantity());
            let same: Vec<f64> = same.filter_map(|row| Some(row.estimate.as_ref()?.typical)).collect();
            let (low, high) = ends(same.iter().copied());
            let [low, high] = [low, high].map(|value| show(value, None, first.quantity()));
            let points = wording::many(same.len(), "point");
            if low == high { format!("{low} ({points})") } else { format!("{low} to {high} ({points})") }
        }
    }
}
