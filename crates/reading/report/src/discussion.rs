//! What the results of one operation mean, in a paragraph: how the cost varies over its points, what makes it up, whether the
//! prediction holds and why not, whether the method succeeded. Each sentence is a finding; what was not found is not said.

use crate::thresholds::{ALIKE, HOLDS, OF_OTHER_KIND};
use crate::wording::{many, sentence};
use crate::{cells, deviations};
use analysis::{LikelyReason, Note, Row, Tier, Verdict};
use quantity::{Quantity, show_ratio};

/// The paragraph of these rows, which are of one operation.
pub(crate) fn paragraph(rows: &[&Row]) -> String {
    let measured: Vec<&Row> = rows.iter().copied().filter(|row| row.estimate.is_some()).collect();
    let Some(first) = measured.first() else {
        return "No point gave a number, and so nothing can be said of its cost.".to_owned();
    };
    let said = [range(&measured), composition(first), predictions(&measured), method(rows)];
    let said: Vec<String> = said.into_iter().flatten().map(|says| sentence(&says)).collect();
    said.join(" ")
}

fn typical(row: &Row) -> f64 {
    row.estimate.as_ref().map_or(f64::NAN, |estimate| estimate.typical)
}

/// The points with the lowest and the highest value, where points differ.
fn range(rows: &[&Row]) -> Option<String> {
    let quantity = rows.first()?.quantity();
    if !matches!(quantity, Quantity::Latency | Quantity::Bandwidth) {
        return None;
    }
    let alike = rows.iter().copied().filter(|row| row.quantity() == quantity);
    let least = alike.clone().min_by(|a, b| typical(a).total_cmp(&typical(b)))?;
    let most = alike.max_by(|a, b| typical(a).total_cmp(&typical(b)))?;
    let factor = typical(most) / typical(least);
    if !(factor.is_finite() && factor >= ALIKE) {
        return None;
    }
    let [least, most] = [least, most].map(|row| format!("{} ({})", cells::typical(row), row.point.id.point));
    let by = match factor <= OF_OTHER_KIND {
        true => format!(", a factor of {}", show_ratio(factor).trim_end_matches('×')),
        false => String::new(),
    };
    Some(format!("the least of its points is {least}, the largest {most}{by}"))
}

/// What bounds it: the limit that was counted, or the part that makes up most of a prediction that holds.
fn composition(row: &Row) -> Option<String> {
    let limit = row.notes.iter().find_map(|note| match note {
        Note::Bottleneck(_) => Some(crate::notes::text(note, row.quantity())),
        _ => None,
    });
    limit.or_else(|| {
        let predicted = row.predicted().filter(|predicted| predicted.ratio(row).is_some_and(is_near))?;
        let term = predicted
            .main_term()
            .filter(|_| row.quantity() == Quantity::Latency && predicted.terms.len() > 1)?;
        let value = predicted.terms.iter().find(|(one, _)| one == term)?.1;
        // A part that takes longer than what was measured is no part of it.
        let is_part = row.typical().is_some_and(|typical| value.value < typical);
        let [part, total] = [value, predicted.total].map(|range| cells::range(range, row.quantity()));
        let name = term.name.as_str();
        (is_part && part != total).then(|| match row.point.id.point.as_str() {
            "" => format!("most of it is \u{201c}{name}\u{201d}: {part} of the predicted {total}"),
            point => {
                format!("with {point}, most of it is \u{201c}{name}\u{201d}: {part} of the predicted {total}")
            }
        })
    })
}

fn is_near(ratio: f64) -> bool {
    ratio > 0.0 && (ratio.max(ratio.recip())) <= HOLDS
}

/// How the points compare with what this machine's own parts, or facts, let expect, and why the furthest does not.
fn predictions(rows: &[&Row]) -> Option<String> {
    let ratios = rows.iter().filter_map(|row| Some((*row, row.ratio()?)));
    let ratios: Vec<(&Row, f64)> = ratios.filter(|(_, ratio)| ratio.is_finite() && *ratio > 0.0).collect();
    let is_predicted = !ratios.is_empty();
    // Of states that are not decided no ratio is.
    let ratios: Vec<(&Row, f64)> =
        ratios.into_iter().filter(|(row, _)| row.undecided_states().is_empty()).collect();
    let near = ratios.iter().filter(|(_, ratio)| is_near(*ratio)).count();
    let furthest = ratios.iter().max_by(|a, b| a.1.ln().abs().total_cmp(&b.1.ln().abs())).copied();
    let Some((furthest, ratio)) = furthest else {
        let nothing = "nothing predicts it: it is a part of other predictions".to_owned();
        return Some(nothing).filter(|_| !is_predicted);
    };
    let from = match furthest.predicted()?.tier {
        Tier::Parts => "this machine's own parts",
        Tier::Facts => "facts and constants",
    };
    let why = furthest.notes.iter().find_map(|note| match note {
        Note::Deviation(deviation) if deviation.reason != LikelyReason::Unexplained => {
            deviations::why(deviation, furthest.quantity())
        }
        _ => None,
    });
    let point = furthest.point.id.point.as_str();
    let at = if ratios.len() > 1 && !point.is_empty() { format!(", at {point}") } else { String::new() };
    let because = match (is_near(ratio), why) {
        (true, _) => String::new(),
        (false, Some(why)) => format!(": {why}"),
        (false, None) => ", which no measurement explains".to_owned(),
    };
    let furthest = show_ratio(ratio);
    Some(match ratios.len() {
        1 => format!("it is {furthest} of what {from} predict{because}"),
        all => format!(
            "{near} of {all} predictions hold within a factor of {HOLDS}; the furthest, from {from}, is {furthest}{at}{because}"
        ),
    })
}

/// Whether the method succeeded.
fn method(rows: &[&Row]) -> Option<String> {
    let [skipped, narrow, contradicted] = [Verdict::Skipped, Verdict::Measured, Verdict::Contradicted]
        .map(|verdict| rows.iter().filter(|row| row.verdict == verdict).count());
    let all = rows.len() - skipped;
    if contradicted > 0 {
        let of = many(all, "point");
        return Some(format!("the method failed at {contradicted} of {of}: the evidence contradicts it"));
    }
    match (all, narrow) {
        // The reason of a single point stands below.
        (0 | 1, _) => None,
        (2, 2) => Some("the method succeeded at both points".to_owned()),
        (all, narrow) if all == narrow => Some(format!("the method succeeded at all {all} points")),
        _ => Some(format!("{narrow} of {all} points are measured; the others are noisy, or have no number")),
    }
}
