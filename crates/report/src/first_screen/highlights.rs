//! What stands out, in sentences.

use super::Named;
use crate::{View, deviations};
use analysis::{Highlight, Note};
use quantity::{Quantity, show, show_percent, show_ratio};
use record::PointId;

/// Findings at most.
const MOST: usize = 4;

/// What stands out among these rows: a sentence, and the point that it is about where its prediction explains more.
pub(crate) fn highlights(view: &View<'_>, shown: &[Named<'_>]) -> Vec<(String, Option<PointId>)> {
    let rows = shown.iter().map(|(_, row)| *row);
    let found = analysis::highlights(rows, view.machine).into_iter().take(MOST);
    let explained = |highlight: &Highlight| match highlight {
        Highlight::Deviation { id, .. } => Some(id.clone()),
        _ => None,
    };
    found
        .map(|highlight| (sentence(&highlight, shown), explained(&highlight)))
        .collect()
}

/// What a point is called on the screen.
fn name(shown: &[Named<'_>], id: &PointId) -> String {
    let found = shown.iter().find(|(_, row)| row.point.id == *id);
    found.map_or_else(|| id.to_string(), |(name, _)| name.clone())
}

fn size(bytes: f64) -> String {
    show(bytes, None, Quantity::Size)
}

/// Why a point is off its prediction, where that is known.
fn reason(shown: &[Named<'_>], id: &PointId) -> Option<String> {
    let (_, row) = shown.iter().find(|(_, row)| row.point.id == *id)?;
    row.notes.iter().find_map(|note| match note {
        Note::Deviation(deviation) => deviations::why(deviation, row.quantity()),
        _ => None,
    })
}

fn sentence(highlight: &Highlight, shown: &[Named<'_>]) -> String {
    match highlight {
        Highlight::Deviation { id, ratio } => {
            let why = reason(shown, id).map_or_else(String::new, |why| format!(", {why}"));
            format!("{}: {} its prediction{why}", name(shown, id), show_ratio(*ratio))
        }
        Highlight::CacheCapacity {
            bytes,
            reported,
            share,
        } => format!(
            "a load from {} takes {} of one from memory: less of the reported {} of cache is available",
            size(*bytes),
            show_percent(*share),
            size(*reported)
        ),
        Highlight::OtherCpu { same, other, factor } => {
            format!(
                "{} costs {} {}: the idle CPU is woken",
                name(shown, other),
                show_ratio(*factor),
                name(shown, same)
            )
        }
        Highlight::SharedBandwidth { cpus, factor } => format!(
            "{} CPUs together read memory at {} the bandwidth of one",
            show(*cpus, None, Quantity::Count),
            show_ratio(*factor)
        ),
        Highlight::SlowClock { source, ns } => format!(
            "reading the clock takes {}: clock source {source} needs a system call",
            show(*ns, None, Quantity::Latency)
        ),
    }
}
