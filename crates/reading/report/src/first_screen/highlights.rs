//! What stands out, in sentences.

use super::rows::Named;
use crate::wording::count;
use crate::{View, cells, deviations};
use analysis::{Highlight, Note};
use quantity::{Quantity, show, show_ratio};
use record::PointId;

/// Findings at most.
const MOST: usize = 4;

/// What stands out among these rows: a sentence, and the point that it is about where its prediction explains more.
pub(crate) fn highlights(view: &View<'_>, shown: &[Named<'_>]) -> Vec<(String, Option<PointId>)> {
    let rows = shown.iter().map(|(_, row)| *row);
    let found = analysis::highlights(rows, view.machine).into_iter().take(MOST);
    let found = found.map(|highlight| {
        let explained = match &highlight {
            Highlight::Deviation { id, .. } => Some(id.clone()),
            _ => None,
        };
        (sentence(&highlight, shown), explained)
    });
    found.collect()
}

/// What a point is called on the screen.
fn name(shown: &[Named<'_>], id: &PointId) -> String {
    let found = shown.iter().find(|(_, row)| row.point.id == *id);
    found.map_or_else(|| id.to_string(), |(name, _)| name.clone())
}

/// What was predicted of a point, and why it is off that; where that is not known, what most of the prediction is for.
fn prediction(shown: &[Named<'_>], id: &PointId) -> Option<String> {
    let (_, row) = shown.iter().find(|(_, row)| row.point.id == *id)?;
    let predicted = row.predicted()?;
    let total = cells::range(predicted.total, row.quantity());
    let known = row.notes.iter().find_map(|note| match note {
        Note::Deviation(deviation) => deviations::why(deviation, row.quantity()),
        _ => None,
    });
    let main = predicted.main_term().filter(|_| row.quantity() == Quantity::Latency);
    Some(match (known, main) {
        (Some(why), _) => format!(" of {total}: {why}"),
        (None, Some(term)) => {
            let name = term.name.split(',').next().unwrap_or_default();
            format!(" of {total}, mostly \u{201c}{name}\u{201d}: unexplained")
        }
        (None, None) => format!(" of {total}: unexplained"),
    })
}

fn sentence(highlight: &Highlight, shown: &[Named<'_>]) -> String {
    match highlight {
        Highlight::Deviation { id, ratio } => {
            let prediction = prediction(shown, id).unwrap_or_default();
            format!("{} {} its prediction{prediction}", name(shown, id), show_ratio(*ratio))
        }
        Highlight::CacheCapacity { bytes, ns, is_measured } => {
            let (size, time) = (show(*bytes, None, Quantity::Size), show(*ns, None, Quantity::Latency));
            let family = if *is_measured { "" } else { " on this family" };
            format!(
                "load from {size} costs {time}, as memory does{family}: the cache is smaller than reported"
            )
        }
        Highlight::OtherCpu { same, other, factor } => {
            let ([same, other], factor) = ([same, other].map(|id| name(shown, id)), show_ratio(*factor));
            format!("{other} costs {factor} {same}: the idle CPU is woken")
        }
        Highlight::SharedBandwidth { cpus, factor } => {
            let (cpus, factor) = (count(*cpus), show_ratio(*factor));
            format!("{cpus} CPUs together read memory at {factor} the bandwidth of one")
        }
        Highlight::SlowClock { source, ns } => {
            let time = show(*ns, None, Quantity::Latency);
            format!("reading the clock takes {time}: clock source {source} needs a system call")
        }
    }
}
