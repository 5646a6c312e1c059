//! Why rows are noisy: what is true of many is said once, with how far the figures go.

use crate::remarks::NoteGroup;
use analysis::{Figure, Reason, ReasonKind, Row, Verdict};
use quantity::{Quantity, show, show_percent};

/// The reasons of the rows with this verdict, a group for each kind.
pub(crate) fn reasons(rows: &[Row], verdict: Verdict) -> Vec<NoteGroup> {
    let here = rows.iter().filter(|row| row.verdict == verdict);
    let all: Vec<(&Row, &Reason)> = here
        .flat_map(|row| row.reasons.iter().map(move |reason| (row, reason)))
        .collect();
    let mut kinds: Vec<&ReasonKind> = all.iter().map(|(_, reason)| &reason.kind).collect();
    kinds.sort();
    kinds.dedup();
    let of_kind = |kind: &ReasonKind| {
        let found: Vec<(&Row, &Reason)> = all
            .iter()
            .filter(|(_, reason)| reason.kind == *kind)
            .copied()
            .collect();
        group(kind, &found)
    };
    kinds.into_iter().map(of_kind).collect()
}

/// The least and the largest figure in words; one where they read the same.
fn range(kind: &ReasonKind, figures: &[Figure]) -> String {
    let by_size = |one: &&Figure, other: &&Figure| size(**one).total_cmp(&size(**other));
    let (least, most) = (figures.iter().min_by(by_size), figures.iter().max_by(by_size));
    let (Some(&least), Some(&most)) = (least, most) else {
        return String::new();
    };
    let (low, high) = (text(kind, least), text(kind, most));
    match (least, most) {
        _ if low == high => low,
        (Figure::Trials { of: low, .. }, Figure::Trials { of: high, all })
            if *kind != ReasonKind::TooFew && figures.iter().all(|figure| self::all(*figure) == all) =>
        {
            format!("{} to {} of {}", number(low), number(high), number(all))
        }
        (Figure::Trials { .. }, Figure::Trials { .. }) if *kind != ReasonKind::TooFew => {
            let (low, high) = (show_percent(size(least)), show_percent(size(most)));
            format!("{low} to {high} of their")
        }
        _ => format!("{low} to {high}"),
    }
}

/// By which figures of one kind are ordered.
fn size(figure: Figure) -> f64 {
    match figure {
        Figure::Trials { of, all } => of as f64 / all.max(1) as f64,
        Figure::Share(share) => share,
    }
}

fn group(kind: &ReasonKind, found: &[(&Row, &Reason)]) -> NoteGroup {
    let figures: Vec<Figure> = found.iter().filter_map(|(_, reason)| reason.figure).collect();
    let range = range(kind, &figures);
    let several = found.iter().any(|(_, reason)| own(kind, reason) != range);
    let points = found.iter().map(|(row, reason)| {
        let own = if several { own(kind, reason) } else { String::new() };
        (row.point.id.clone(), own)
    });
    NoteGroup {
        heading: heading(kind, &range, &figures),
        points: points.collect(),
        lines: false,
        remedy: found.first().map(|(_, reason)| reason.remedy),
    }
}

/// What is said of all points with a reason of this kind, with the range of their figures.
fn heading(kind: &ReasonKind, range: &str, figures: &[Figure]) -> String {
    match kind {
        ReasonKind::TooFew => format!(
            "too few trials count for an interval, which needs {}: {range}",
            number(figures.iter().map(|figure| all(*figure)).max().unwrap_or(0))
        ),
        ReasonKind::Starved { cause } => {
            format!("no trial kept enough batches: {range} set aside, mostly: {cause}")
        }
        ReasonKind::TooWide => format!("the interval is wider than asked: {range}"),
        ReasonKind::Unsteady => {
            format!("no steady state: most trials rise (+) or fall (−) within themselves, by {range}")
        }
        ReasonKind::Disturbed { cause } => {
            format!("{range} of the batches were set aside, mostly: {cause}")
        }
        ReasonKind::Rivals => {
            format!("other tasks used this CPU for {range} of the time; switch costs under contention differ")
        }
        ReasonKind::States => {
            "there are several states, and the median may be that of any: see the modes".to_owned()
        }
        ReasonKind::Witness { counter } => {
            format!("witness {counter} failed in {range} trials, which load on the machine alone can cause")
        }
    }
}

fn number(count: usize) -> String {
    show(count as f64, None, Quantity::Count)
}

fn all(figure: Figure) -> usize {
    match figure {
        Figure::Trials { all, .. } => all,
        Figure::Share(_) => 0,
    }
}

/// What a row's reason has of its own.
fn own(kind: &ReasonKind, reason: &Reason) -> String {
    reason
        .figure
        .map_or_else(String::new, |figure| text(kind, figure))
}

fn text(kind: &ReasonKind, figure: Figure) -> String {
    match (kind, figure) {
        (ReasonKind::TooFew, Figure::Trials { of, .. }) => number(of),
        (_, Figure::Trials { of, all }) => format!("{} of {}", number(of), number(all)),
        (ReasonKind::TooWide, Figure::Share(share)) if !share.is_finite() => "around zero".to_owned(),
        (ReasonKind::TooWide, Figure::Share(share)) => format!("± {}", show_percent(share)),
        (ReasonKind::Unsteady, Figure::Share(share)) if share > 0.0 => format!("+{}", show_percent(share)),
        (_, Figure::Share(share)) => show_percent(share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_name_both_ends_and_repeat_nothing() {
        let trials = |of, all| Figure::Trials { of, all };
        let starved = |figures: &[Figure]| range(&ReasonKind::Starved { cause: String::new() }, figures);
        assert_eq!(
            starved(&[trials(5, 8), trials(3, 8), trials(8, 8)]),
            "3 to 8 of 8"
        );
        assert_eq!(starved(&[trials(5, 8), trials(5, 8)]), "5 of 8");
        assert_eq!(starved(&[trials(5, 8), trials(1, 6)]), "17 % to 62 % of their");
        assert_eq!(
            range(&ReasonKind::TooFew, &[trials(3, 6), trials(5, 6)]),
            "3 to 5"
        );
        let wide = |figures: &[f64]| {
            let figures: Vec<Figure> = figures.iter().copied().map(Figure::Share).collect();
            range(&ReasonKind::TooWide, &figures)
        };
        assert_eq!(wide(&[0.5, 0.04]), "± 4 % to ± 50 %");
        assert_eq!(wide(&[0.5, f64::INFINITY]), "± 50 % to around zero");
        assert_eq!(wide(&[]), "");
    }
}
