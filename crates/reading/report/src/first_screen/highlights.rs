//! What is slow, and why, and what else stands out, in sentences.

use super::rows::Named;
use crate::thresholds::MOST_FOR_THREE_DIGITS;
use crate::wording::{count, joined, many};
use crate::{View, cells, deviations, machines, reasons};
use analysis::{Distance, Elsewhere, Highlight, LikelyReason, Note, Predicted, Reason, Row, Verdict};
use quantity::{Quantity, show, show_interval, show_ratio};
use record::{PointId, Range};

/// Findings at most.
const MOST: usize = 6;

/// What stands out.
pub(crate) struct Finding {
    pub(crate) sentence: String,
    /// The point that it is about, where its prediction explains more.
    pub(crate) explained: Option<PointId>,
    /// The points that it names.
    pub(crate) points: Vec<PointId>,
    /// Whether it is slow; otherwise it is only unlike its prediction.
    pub(crate) is_slow: bool,
}

/// What stands out among these rows: first what is slow.
pub(crate) fn highlights(view: &View<'_>, shown: &[Named<'_>]) -> Vec<Finding> {
    let rows = shown.iter().map(|(_, row)| *row);
    let corpus = machines::corpus();
    let found = analysis::highlights(rows, view.machine, |id| machines::values(id, &corpus));
    let found = found.into_iter().take(MOST);
    let found = found.map(|highlight| {
        let (explained, points) = match &highlight {
            Highlight::Distance(distance) => (Some(distance.id.clone()), vec![distance.id.clone()]),
            Highlight::OtherCpu { same, other, .. } => (None, vec![same.clone(), other.clone()]),
            Highlight::SharedBandwidth { one, all, .. } => (None, vec![one.clone(), all.clone()]),
            _ => (None, Vec::new()),
        };
        Finding { sentence: sentence(&highlight, shown), explained, points, is_slow: highlight.is_slow() }
    });
    found.collect()
}

/// The findings under their headings: what is slow, or that nothing is, and then what is only unlike its prediction. Nothing
/// where no row could be compared.
pub(crate) fn sections<'f>(
    found: &'f [Finding],
    shown: &[Named<'_>],
) -> Vec<(&'static str, Vec<&'f Finding>)> {
    let (slow, unlike): (Vec<&Finding>, Vec<&Finding>) = found.iter().partition(|finding| finding.is_slow);
    let compared = || shown.iter().map(|(_, row)| *row).filter(|row| row.ratio().is_some());
    let is_compared = !found.is_empty() || compared().next().is_some();
    let estimates = compared().filter_map(|row| row.estimate.as_ref());
    let heading = match estimates.filter(|estimate| estimate.interval.is_some()).count() {
        _ if !slow.is_empty() => "What is slow, and why",
        0 if found.is_empty() => NOTHING_DECIDED,
        some if some < compared().count() => NOTHING_SLOW_SO_FAR,
        _ => NOTHING_SLOW,
    };
    let slow = is_compared.then_some((heading, slow));
    let unlike = (!unlike.is_empty()).then_some((NOT_SLOW, unlike));
    slow.into_iter().chain(unlike).collect()
}

/// The heading of what is far from what was expected and costs no more for it.
const NOT_SLOW: &str = "Not slow, but far from the prediction or from other machines";

/// What is said where no finding is slow.
const NOTHING_SLOW: &str = "Nothing stands out as slow";

/// The same, where some points have no interval.
const NOTHING_SLOW_SO_FAR: &str = "Nothing stands out as slow; points with too few trials decide nothing";

/// What is said where no point has an interval.
const NOTHING_DECIDED: &str = "What is slow is not decided: every point has too few trials";

/// What a point is called on the screen.
fn name(shown: &[Named<'_>], id: &PointId) -> String {
    let found = shown.iter().find(|(_, row)| row.point.id == *id);
    found.map_or_else(|| id.to_string(), |(name, _)| name.clone())
}

/// The row of a point on the screen.
fn row<'a>(shown: &[Named<'a>], id: &PointId) -> Option<&'a Row> {
    shown.iter().find(|(_, row)| row.point.id == *id).map(|(_, row)| *row)
}

/// A point that is far from its prediction or from other machines: by how much, and why; where that is not known, which run
/// would tell.
fn distance(distance: &Distance, name: &str, row: &Row) -> String {
    let quantity = row.quantity();
    let is_undecided = !row.undecided_states().is_empty();
    let half = Some(cells::half_width(row)).filter(|half| row.verdict == Verdict::Noisy && *half != "–");
    let half = half.filter(|_| !is_undecided);
    let half = half.map_or_else(String::new, |half| match half.starts_with('>') {
        // Its lower end is below zero: what was seen says more.
        true => format!(" ({})", cells::interval(row)),
        false => format!(" ± {half}"),
    });
    let predicted = distance.ratio.zip(row.predicted()).map(|(ratio, predicted)| {
        let ratio = if is_undecided { cells::ratio(row) } else { about(ratio, row) };
        format!("{ratio} its prediction ({})", cells::range(predicted.total, quantity))
    });
    let total = row.predicted().filter(|_| distance.is_decided).map(|predicted| predicted.total);
    let machines = distance.elsewhere.map(|elsewhere| beside_machines(elsewhere, total, row));
    let far = joined(predicted.into_iter().chain(machines), ", ");
    let why = why(distance, row).map_or_else(String::new, |why| format!("; {why}"));
    format!("{name} {}{half}: {far}{why}", cells::measured(row))
}

/// A factor of the value of a row, in two digits where its interval does not hold three.
fn about(factor: f64, row: &Row) -> String {
    let half = row.next_run_half_width().unwrap_or(f64::INFINITY);
    match half > MOST_FOR_THREE_DIGITS || !row.undecided_states().is_empty() {
        true => format!("about {}", cells::factor_of_two_digits(factor)),
        false => show_ratio(factor),
    }
}

/// Why a point is far from its prediction; where that is not known, which run would tell. `None` where other machines have said
/// it all.
fn why(distance: &Distance, row: &Row) -> Option<String> {
    if let Some(reason) = row.reasons.iter().find(|reason| reason.is_of_other_programs()) {
        let because = reasons::brief(reason);
        return Some(format!("not decided ({because}) → stop other programs, and run it again"));
    }
    let is_usual = distance.elsewhere.is_some_and(|elsewhere| elsewhere.cost == 1.0);
    let reason = row.notes.iter().find_map(|note| match note {
        Note::Deviation(deviation) => Some(deviation),
        _ => None,
    });
    let of_state = reason.filter(|one| matches!(one.reason, LikelyReason::OtherState(_)));
    if of_state.is_none() && !row.undecided_states().is_empty() {
        return Some(format!("not decided (in several states) → oscope explain '{}'", row.point.id));
    }
    let known = match reason.map(|deviation| &deviation.reason) {
        // Where other machines are named, to ask them helps no more. They cost as much without what this run was under.
        Some(LikelyReason::Published { .. } | LikelyReason::RunsUnder { .. }) if is_usual => return None,
        Some(LikelyReason::Published { point, other_points })
            if distance.elsewhere.is_some() && (*other_points || point.point.is_empty()) =>
        {
            Some("a guess from facts and constants".to_owned())
        }
        _ => reason.and_then(|deviation| deviations::why(deviation, row.quantity())),
    };
    let id = &row.point.id;
    known.or_else(|| match row.predicted() {
        _ if is_usual => None,
        _ if row.verdict == Verdict::Noisy && !distance.is_decided => {
            let because = row.reasons.first().map(reasons::brief);
            let because = because.map_or_else(String::new, |because| format!(" ({because})"));
            Some(format!("not decided{because} → oscope run '{id}' --profile thorough"))
        }
        Some(Predicted { total, .. }) if !distance.is_decided => {
            let interval = show_interval(total.low, total.high, row.quantity());
            Some(format!("within the uncertainty of the prediction ({interval})"))
        }
        _ => Some(format!(
            "no contrast of this run explains it → oscope run '{id}' --with-parts --profile thorough"
        )),
    })
}

/// How a point stands to other machines. The prediction that the point is surely far from is off only where no other machine
/// has such a value either.
fn beside_machines(elsewhere: Elsewhere, prediction: Option<Range>, row: &Row) -> String {
    let quantity = row.quantity();
    let Elsewhere { machines, range: (low, high), cost } = elsewhere;
    let machines = many(machines, "other machine");
    if cost == 1.0 {
        let interval = show_interval(low, high, quantity);
        let is_off = prediction.is_some_and(|total| total.value < low || total.value > high);
        let so = if is_off { ", so the prediction is off" } else { "" };
        return format!("as on {machines} ({interval}){so}");
    }
    let is_bandwidth = quantity == Quantity::Bandwidth;
    let (which, at) = match cost > 1.0 {
        true => ("slowest", if is_bandwidth { low } else { high }),
        false => ("fastest", if is_bandwidth { high } else { low }),
    };
    let ratio = about(if is_bandwidth { cost.recip() } else { cost }, row);
    format!("{ratio} the {which} of {machines} ({})", show(at, None, quantity))
}

/// What a hand-off between two CPUs costs beside one on a single CPU, and whether other programs had a part in it.
fn other_cpu([(same, of_same), (other, of_other)]: [(String, Option<&Row>); 2], factor: Range) -> String {
    let factor = between([of_same, of_other], factor);
    let ratio = of_other.map(cells::ratio).filter(|ratio| !ratio.is_empty());
    let ratio = ratio.map_or_else(String::new, |ratio| format!(" ({ratio} its prediction)"));
    let undecided = undecided([of_other, of_same]).unwrap_or_default();
    format!("{other} costs {factor} {same}{ratio}: another CPU takes over{undecided}")
}

/// The factor between two rows, as an interval where that is wide.
fn between(rows: [Option<&Row>; 2], factor: Range) -> String {
    let half = (factor.high - factor.low) / 2.0;
    if half > MOST_FOR_THREE_DIGITS * factor.value {
        return show_interval(factor.low, factor.high, Quantity::Ratio);
    }
    // The next run may find another factor.
    let half = |row: &&Row| row.next_run_half_width().unwrap_or(f64::INFINITY);
    let widest = rows.into_iter().flatten().max_by(|one, other| half(one).total_cmp(&half(other)));
    widest.map_or_else(|| show_ratio(factor.value), |row| about(factor.value, row))
}

/// Why two rows decide nothing: other programs disturbed one of them, or its value is one of several.
fn undecided(rows: [Option<&Row>; 2]) -> Option<String> {
    let mut reasons = rows.into_iter().flatten().flat_map(|row| &row.reasons);
    let undecided = reasons.find(|reason| reason.is_of_other_programs() || **reason == Reason::States)?;
    Some(format!("; not decided ({})", reasons::brief(undecided)))
}

fn sentence(highlight: &Highlight, shown: &[Named<'_>]) -> String {
    match highlight {
        Highlight::Distance(found) => match shown.iter().find(|(_, row)| row.point.id == found.id) {
            Some((name, row)) => distance(found, name, row),
            None => String::new(),
        },
        Highlight::CacheCapacity { bytes, ns, is_measured } => {
            let (size, time) = (show(*bytes, None, Quantity::Size), show(*ns, None, Quantity::Latency));
            let family = if *is_measured { "" } else { " on this family" };
            format!(
                "load from {size} costs {time}, as memory does{family}: the cache is smaller than reported"
            )
        }
        Highlight::OtherCpu { same, other, factor } => {
            other_cpu([same, other].map(|id| (name(shown, id), row(shown, id))), *factor)
        }
        Highlight::SharedBandwidth { cpus, one, all, factor, is_decided } => {
            let rows = [one, all].map(|id| row(shown, id));
            let undecided = undecided(rows).or_else(|| {
                let command = format!("oscope run '{one}' '{all}' --profile thorough");
                (!is_decided).then(|| format!("; not decided (the next run may find more) → {command}"))
            });
            let (cpus, factor) = (count(*cpus), between(rows, *factor));
            let undecided = undecided.unwrap_or_default();
            format!("{cpus} CPUs together read memory at {factor} the bandwidth of one{undecided}")
        }
        Highlight::SlowClock { source, ns } => {
            let time = show(*ns, None, Quantity::Latency);
            format!("reading the clock takes {time}: clock source {source} needs a system call")
        }
    }
}
