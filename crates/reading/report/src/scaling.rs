//! Operations on several CPUs: the table of their speed-ups.

use crate::View;
use crate::document::Block;
use crate::style::Paint;
use crate::table::{Cell, Column, Columns};
use analysis::{ScaledPoint, ScalingCurve};
use quantity::{show_half_width, show_percent, show_ratio};

/// What the columns mean.
const MEANING: &str = "speed-up = work of all CPUs in the time of one alone, ± of the next run; serial share = what each CPU waits for every other \
    one, as a share of the operation alone (Amdahl); most CPUs = where more of them do less (coherence, Gunther)";

/// A row of the table: a point of a curve, and whether it is the first.
type Line<'a> = (&'a ScalingCurve, &'a ScaledPoint, bool);

/// The speed-ups of a run under a heading; `None` without one.
pub(crate) fn scaling(view: &View<'_>) -> Option<Block> {
    Block::part("scaling", speed_ups(view))
}

/// The speed-ups of a run.
pub(crate) fn speed_ups(view: &View<'_>) -> Vec<Block> {
    let curves = view.analysis.scaling.iter();
    let lines = curves.flat_map(|curve| {
        curve.points.iter().enumerate().map(move |(index, point)| (curve, point, index == 0))
    });
    let columns = Columns::new(Column::name("operation", 0, 24, 64), |(curve, _, is_first): &Line<'_>| {
        if *is_first { Cell::point(&curve.of) } else { Cell::default() }
    })
    .with(Column::number("CPUs", 0), |(_, point, _)| point.cpus.to_string())
    .with(Column::number("speed-up", 0), |(_, point, _)| show_ratio(point.speed_up.value))
    .with(Column::number("±", 0), |(_, point, _)| {
        let range = point.speed_up;
        show_half_width((range.high - range.low) / 2.0 / range.value)
    })
    .with(Column::number("predicted", 2), |(_, point, _)| {
        point.predicted.map_or_else(String::new, show_ratio)
    })
    .with(Column::number("efficiency", 1), |(_, point, _)| show_percent(point.efficiency()))
    .with(
        Column::number("serial share", 1),
        |(curve, _, is_first)| {
            if *is_first { serial(curve) } else { String::new() }
        },
    )
    .with(
        Column::number("most CPUs", 3),
        |(curve, _, is_first)| {
            if *is_first { most(curve) } else { String::new() }
        },
    );
    let table = columns.table_of(lines).if_any().map(Block::Table);
    let meaning = table.is_some().then(|| Block::Text(MEANING.to_owned(), Paint::Faint));
    table.into_iter().chain(meaning).collect()
}

/// The serial share with its interval, where it is known to 100 % at least.
fn serial(curve: &ScalingCurve) -> String {
    let Some(share) = curve.shares.map(|shares| shares.serial).filter(|share| share.half < 1.0) else {
        return "–".to_owned();
    };
    format!("{} ± {}", show_percent(share.value), show_percent(share.half))
}

/// The number of CPUs from which more do less, with its interval.
fn most(curve: &ScalingCurve) -> String {
    let found = curve.shares.and_then(|shares| shares.most_workers());
    found.map_or_else(String::new, |[low, value, high]| format!("{value:.0} ({low:.0} to {high:.0})"))
}
