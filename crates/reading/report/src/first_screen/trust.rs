//! How far a run can be trusted, in two lines.

use crate::groups::grouped;
use crate::notes::CACHED_LOOP;
use crate::style::Paint;
use crate::thresholds::{FAIR_SHARE, GOOD_SHARE, SLOWER_WHEN_SHARED};
use crate::wording::{few, many, some_joined};
use crate::{View, reasons, run_summary};
use analysis::{MoreTime, Note, Reason, Row, Verdict};
use quantity::{show_percent, show_ratio};
use record::{Settings, Trigger};

/// How far a run can be trusted, in a word and its paint, by the points that are measured, those tried, those skipped, and
/// those contradicted. A run that skipped many points is not good, however narrow the others are.
fn trusted([measured, tried, skipped, contradicted]: [usize; 4]) -> (&'static str, Paint) {
    let share_of = |all: usize| measured as f64 / all.max(1) as f64;
    if share_of(tried) < FAIR_SHARE {
        return ("poor", Paint::Bad);
    }
    match share_of(tried + skipped) < GOOD_SHARE || contradicted > 0 {
        true => ("fair", Paint::Warning),
        false => ("good", Paint::Good),
    }
}

/// The lines: how narrow the intervals are, what was not measured, how the user's own predictions did.
pub(crate) fn trust(view: &View<'_>) -> Vec<(String, Paint)> {
    let rows = &view.analysis.rows;
    let [skipped, measured, contradicted] = [Verdict::Skipped, Verdict::Measured, Verdict::Contradicted]
        .map(|verdict| rows.iter().filter(|row| row.verdict == verdict).count());
    let tried = rows.len() - skipped;
    let mut lines = Vec::new();
    if tried > 0 {
        let (trust, paint) = trusted([measured, tried, skipped, contradicted]);
        let trigger = match view.plan.settings.trigger {
            Trigger::Quiet => "",
            Trigger::Off => "; trigger off: values are of all states of the cores (mixed)",
            Trigger::Sham => "; sham trigger: values are of all states of the cores (mixed)",
        };
        let cores = cores(view).map_or_else(String::new, |cores| format!("; {cores}"));
        let asked = show_percent(view.plan.settings.precision);
        let noisy = some_joined(noisy(rows), ", ").map_or_else(String::new, |noisy| format!("; {noisy}"));
        let next = narrow_in_next_run(rows, view.plan.settings.precision);
        let text = format!(
            "trust: {trust}, {measured} of {tried} measured (± {asked} in this run, {next} in the next)\
             {noisy}{trigger}{cores}"
        );
        lines.push((text, paint));
    }
    let left = [
        contradicted_words(rows),
        not_measured(rows, Verdict::Failed, "failed"),
        not_measured(rows, Verdict::Skipped, "skipped"),
        untried(rows),
    ];
    let left = left.into_iter().flatten().chain(view.plan.left_out.iter().cloned());
    let left = some_joined(left, "; ");
    let left = more_time(view).into_iter().chain(left);
    let plain = left.chain(run_summary::user(view));
    lines.extend(plain.map(|line| (line, Paint::Plain)));
    lines.extend(lost(rows).into_iter().chain(on_cached_loop(rows)).map(|line| (line, Paint::Warning)));
    lines
}

/// Of how many measured points the value of the next run is known to be as close.
fn narrow_in_next_run(rows: &[Row], precision: f64) -> usize {
    let known = rows.iter().filter(|row| row.verdict == Verdict::Measured && row.next_run().is_some());
    known.filter(|row| row.next_run_half_width().is_some_and(|half| half <= precision)).count()
}

/// Needs that were met at first and not in later trials: which, of how many points, and what would help.
fn lost(rows: &[Row]) -> Vec<String> {
    let with_number = rows.iter().filter(|row| row.verdict.has_number());
    let found = with_number.flat_map(|row| &row.reasons).filter_map(|reason| match reason {
        Reason::Lost { need, remedy, trials, .. } => Some(((need, remedy), *trials)),
        _ => None,
    });
    let lines = grouped(found).into_iter().map(|((need, remedy), trials)| {
        let skipped = many(trials.iter().sum(), "trial");
        let remedy = remedy.as_ref().map_or_else(String::new, |remedy| format!(" → {remedy}"));
        format!("! {skipped} of {} skipped: {need}{remedy}", many(trials.len(), "point"))
    });
    lines.collect()
}

/// Points with a number that is no device's.
fn on_cached_loop(rows: &[Row]) -> Option<String> {
    let count = rows.iter().filter(|row| row.notes.contains(&Note::CachedLoop)).count();
    (count > 0).then(|| format!("! {}: {CACHED_LOOP}", many(count, "point")))
}

/// How often the cores were shared, and what that costs.
fn cores(view: &View<'_>) -> Option<String> {
    let shares = view.analysis.cpus.iter().map(|cpu| 1.0 - cpu.quiet_share);
    let least = shares.clone().min_by(f64::total_cmp)?;
    let most = shares.max_by(f64::total_cmp)?;
    let share = match (show_percent(least), show_percent(most)) {
        (least, most) if least == most => most,
        (least, most) => format!("{} to {most}", least.trim_end_matches(" %")),
    };
    let slowdown = view.analysis.slowdown.map_or_else(String::new, |factor| {
        if factor >= SLOWER_WHEN_SHARED {
            format!(" ({} slower then)", show_ratio(factor))
        } else {
            " (no slower then)".to_owned()
        }
    });
    Some(format!("cores shared with another hardware thread {share} of the time{slowdown}"))
}

/// Points whose evidence disagrees: nothing is said of what they cost.
fn contradicted_words(rows: &[Row]) -> Option<String> {
    let found = rows.iter().filter(|row| row.verdict == Verdict::Contradicted);
    let found: Vec<String> = found.map(|row| row.point.id.to_string()).collect();
    (!found.is_empty()).then(|| format!("evidence contradicts {}", few(&found, 1)))
}

/// Points without a value, with the most frequent reason.
fn not_measured(rows: &[Row], verdict: Verdict, word: &str) -> Option<String> {
    let found: Vec<&Row> = rows.iter().filter(|row| row.verdict == verdict && !is_untried(row)).collect();
    let planned = |row: &Row| row.point.skip.as_ref().map(|skip| skip.reason.clone());
    let why = |row: &Row| {
        planned(row).or_else(|| match row.reasons.first()? {
            Reason::Lost { need, .. } => Some(need.clone()),
            reason => Some(reasons::text(reason)),
        })
    };
    let reasons: Vec<String> = found.iter().filter_map(|row| why(row)).collect();
    let counted =
        reasons.iter().map(|reason| (reasons.iter().filter(|other| *other == reason).count(), reason));
    let because = match counted.max_by_key(|(count, _)| *count) {
        None => String::new(),
        Some((count, reason)) if count == found.len() => format!(" ({reason})"),
        Some((count, reason)) => format!(" ({count} of them: {reason})"),
    };
    (!found.is_empty()).then(|| format!("{} {word}{because}", many(found.len(), "point")))
}

/// Whether the run ended before the point had a trial.
pub(super) fn is_untried(row: &Row) -> bool {
    row.reasons.contains(&Reason::NotTried)
}

fn untried(rows: &[Row]) -> Option<String> {
    let count = rows.iter().filter(|row| is_untried(row)).count();
    (count > 0).then(|| format!("{} not tried: the run ended first", many(count, "point")))
}

/// A time that is proposed is this many times what the trials are likely to take.
const SPARE: f64 = 1.2;
/// Rounds below which no point has an interval.
const LEAST_ROUNDS: u32 = 6;
/// Budgets are proposed in whole steps of this many seconds.
const BUDGET_STEP: f64 = 10.0;

/// How many points are noisy and why, each by the reason that its sign names, the most frequent first.
fn noisy(rows: &[Row]) -> Vec<String> {
    let noisy = rows.iter().filter(|row| row.verdict == Verdict::Noisy);
    let mut counted = grouped(noisy.filter_map(|row| Some((reasons::brief(reasons::main_reason(row)?), ()))));
    counted.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
    counted.iter().map(|(why, rows)| format!("{} {why}", rows.len())).collect()
}

/// What it would take to make the points narrow that are not, and for how many nothing does.
fn more_time(view: &View<'_>) -> Option<String> {
    let MoreTime { points, seconds, trials, beyond } = view.analysis.more_time;
    let Settings { least_rounds, most_rounds, budget_s, .. } = view.plan.settings;
    let helped = (points > 0).then(|| {
        let mut command = "oscope run --resume RECORD".to_owned();
        let (rounds, is_counted) = (trials.ceil().max(1.0) as u32, least_rounds == most_rounds);
        let all_rounds = (view.analysis.rounds + rounds).max(LEAST_ROUNDS);
        if is_counted && all_rounds > most_rounds {
            command.push_str(&format!(" --rounds {all_rounds}"));
        }
        // A run that is resumed has the budget of its plan, whatever an earlier resumption asked for.
        let spent = view.end.map_or(0.0, |end| (end.at_ns as f64 * 1e-9).round());
        let most = seconds * SPARE;
        let budget = ((spent + most) / BUDGET_STEP).ceil() * BUDGET_STEP;
        let has_budget = !is_counted || budget > budget_s;
        if has_budget {
            command.push_str(&format!(" --budget {budget}s"));
        }
        // A record without its end says nothing of time; a budget is that of the whole run.
        let takes = match is_counted || spent == 0.0 {
            true => many((all_rounds - view.analysis.rounds) as usize, "more round"),
            false if has_budget => format!("{} more", run_summary::seconds(budget - spent)),
            false => format!("{} more", run_summary::seconds(most)),
        };
        let of_whole = match has_budget {
            true if spent > 0.0 => format!(", of which {} are spent", run_summary::seconds(spent)),
            true => ", counted from its start".to_owned(),
            false => String::new(),
        };
        let points = many(points, "point");
        format!("{points} would be narrow after about {takes} ({command}{of_whole})")
    });
    match (helped, beyond) {
        (helped, 0) => helped,
        (Some(helped), beyond) => Some(format!("{helped}; {} would not", many(beyond, "other"))),
        (None, _) => Some("more time would not make the noisy points narrow".to_owned()),
    }
}
