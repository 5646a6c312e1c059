//! The head and the last line of a run: what was asked, what came of it.

use crate::View;
use crate::wording::{self, joined, many, some_joined};
use analysis::{Agreement, LeftOut, Row, UserComparison, Verdict, WITHIN};
use quantity::{duration_words, show_percent, show_ratio};
use record::{EndReason, Plan, PointId, PredictionsFile, Profile, Settings, Trigger};
use std::time::Duration;

/// A time in seconds as words; nothing is said of a time that is none.
pub(crate) fn seconds(seconds: f64) -> String {
    Duration::try_from_secs_f64(seconds).map_or_else(|_| "an undefined time".to_owned(), duration_words)
}

/// The word for a profile.
pub(crate) fn profile(profile: Profile) -> &'static str {
    match profile {
        Profile::Quick => "quick",
        Profile::Standard => "standard",
        Profile::Thorough => "thorough",
        Profile::Tail => "tail",
    }
}

/// Which program ran when, and how hard it tried.
pub(crate) fn opening(view: &View<'_>) -> String {
    let settings = &view.plan.settings;
    let commit = view.header.commit.as_ref();
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    let trigger = match settings.trigger {
        Trigger::Quiet => "",
        Trigger::Off => ", trigger off",
        Trigger::Sham => ", sham trigger",
    };
    let workers = worker_settings(settings).map_or_else(String::new, |line| format!(", workers {line}"));
    let (program, started, seed) = (&view.header.program, view.header.second(), settings.seed);
    let (profile, extent) = (profile(settings.profile), extent(settings));
    let target = show_percent(settings.precision);
    format!(
        "{started}, oscope {program}{commit}, {profile} profile, {extent}, target ± {target}, seed {seed}{trigger}{workers}"
    )
}

/// How long a run may take: its rounds where they are counted, and its budget where it has one.
fn extent(settings: &Settings) -> String {
    let is_counted = settings.least_rounds == settings.most_rounds;
    let rounds = is_counted.then(|| many(settings.most_rounds as usize, "round"));
    let budget = match settings.time_limit_s() {
        Some(limit) => format!("budget {}", seconds(limit)),
        None => "no time limit".to_owned(),
    };
    joined(rounds.into_iter().chain([budget]), ", ")
}

/// What workers set for themselves, if anything, and what that may do to results.
pub fn worker_settings(settings: &Settings) -> Option<String> {
    let words = settings.worker_settings.join(" ");
    let throttled = settings.realtime_share.map_or_else(String::new, |share| {
        format!(
            " (! the kernel leaves {} of each CPU to real-time tasks and throttles them for the rest, E46: \
             sysctl kernel.sched_rt_runtime_us=-1)",
            show_percent(share)
        )
    });
    (!words.is_empty()).then(|| words + &throttled)
}

/// How many rows have which verdict, of those that some have.
pub(crate) fn counts<'r>(rows: impl Iterator<Item = &'r Row> + Clone) -> Vec<(Verdict, String)> {
    let counted =
        Verdict::ALL.map(|verdict| (verdict, rows.clone().filter(|row| row.verdict == verdict).count()));
    let some = counted.into_iter().filter(|(_, count)| *count > 0);
    some.map(|(verdict, count)| (verdict, wording::count(count as f64))).collect()
}

/// How many rows have which verdict: `40 measured, 2 noisy`.
pub(crate) fn verdicts<'r>(rows: impl Iterator<Item = &'r Row> + Clone) -> String {
    let counted = counts(rows).into_iter();
    joined(counted.map(|(verdict, count)| format!("{count} {}", verdict.word())), ", ")
}

/// What the predictions of four reports of students were off by, from the predicted and measured values of their
/// summary tables; R4 has none.
const REPORTS: &str = "the summary tables of four reports of students were off by a factor of 1.27 in the median, \
    3.9 at the ninth decile, ranges by their geometric mean";

/// How well the predictions did, a line for each tier, and those of the user.
pub(crate) fn accuracy(view: &View<'_>) -> Vec<String> {
    let mut lines = of_program(view);
    lines.extend(user(view));
    lines
}

/// How well the program's own predictions did, a line for each tier.
pub(crate) fn of_program(view: &View<'_>) -> Vec<String> {
    let accuracy = &view.analysis.accuracy;
    let mut lines = Vec::new();
    if let Some(parts) = &accuracy.from_parts {
        lines.push(format!("T1, from parts: {} ({REPORTS})", agreement(parts)));
        lines.push(format!("furthest from their parts: {}", worst(&parts.worst)));
    }
    if let Some(facts) = &accuracy.from_facts {
        lines.push(format!("T0, from facts: {}", agreement(facts)));
    }
    lines
}

/// Why a point says nothing of a tier.
pub fn left_out(why: LeftOut) -> &'static str {
    match why {
        LeftOut::FlawedMethod => "flawed methods",
        LeftOut::NoNumber => "without a number",
        LeftOut::SameAs => "same as a part",
        LeftOut::NoFormula => "without a formula",
        LeftOut::NoValue => "with a fact or part missing",
    }
}

/// Where the user's own predictions are from; `None` where there are none.
pub fn predictions_file(plan: &Plan) -> Option<String> {
    /// Digits of a sum that are enough to recognise it.
    const DIGITS: usize = 16;
    let last = plan.user_predictions.as_ref()?;
    let before = if plan.settings.blind { "any of its results was shown" } else { "the first trial" };
    let files = last.earlier.iter().chain([last]).map(|file| {
        let PredictionsFile { name, b2sum, read, points, .. } = file;
        let sum = b2sum.get(..DIGITS).unwrap_or(b2sum);
        let points = if *points > 0 { format!(" ({})", many(*points, "point")) } else { String::new() };
        format!("{name}{points}, read at {read} before {before}, b2sum {sum}…")
    });
    Some(format!("predictions by the user: {}", joined(files, "; ")))
}

/// How well the user's own predictions did, and against the program's.
pub(crate) fn user(view: &View<'_>) -> Vec<String> {
    let mut lines: Vec<String> = predictions_file(view.plan).into_iter().collect();
    let Some(user) = &view.analysis.accuracy.user else {
        return lines;
    };
    let noisy = match user.noisy {
        0 => String::new(),
        noisy => format!("; {} left out", many(noisy, "noisy point")),
    };
    let (off, points) = (off_by(user.mean), many(user.points, "measured point"));
    lines.push(format!("the user was {off} in the geometric mean over {points}{noisy}"));
    lines.extend(user.shown.iter().map(|both| compared("", both)));
    // Where no part was measured, both are the same.
    let from_facts = user.from_facts.iter().filter(|from_facts| user.shown.as_ref() != Some(*from_facts));
    lines.extend(from_facts.map(|both| compared(", oscope from facts alone", both)));
    lines
}

fn compared(from: &str, both: &UserComparison) -> String {
    let (points, program, user) = (many(both.points, "point"), both.program_closer, both.user_closer);
    let [program_off, user_off] = [both.program, both.user].map(off_by);
    let tied = both.points - program - user;
    format!(
        "closer over {points}{from}: oscope {program} ({program_off}), the user {user} ({user_off}), tied {tied}"
    )
}

fn agreement(of: &Agreement) -> String {
    let within = WITHIN.iter().zip(of.all.within);
    let within = within.map(|(limit, share)| format!("{} within ×{limit}", show_percent(share)));
    let areas = of.areas.iter().map(|(area, factors)| format!("{area} ×{}", factor(factors.median)));
    let left_out = of.left_out.iter().map(|(why, count)| format!("{} {count}", left_out(*why)));
    let areas = some_joined(areas, ", ").map_or_else(String::new, |areas| format!("; {areas}"));
    let left_out = some_joined(left_out, ", ").map_or_else(String::new, |all| format!("; left out: {all}"));
    let ([median, ninth], within) = ([of.all.median, of.all.ninth_decile].map(factor), joined(within, ", "));
    let points = many(of.all.points, "point");
    let by_source = by_source(of);
    format!(
        "×{median} in the median over {points}, ×{ninth} at the ninth decile, {within}{areas}{by_source}{left_out}"
    )
}

/// Points by whether a fact of their prediction is an assumption.
fn by_source(of: &Agreement) -> String {
    let Some(assumed) = of.assumed else { return String::new() };
    let [cited, assumed] = [of.cited, Some(assumed)].map(|factors| match factors {
        Some(of) => format!("×{} over {}", factor(of.median), many(of.points, "point")),
        None => "none".to_owned(),
    });
    format!("; published facts only {cited}, with an assumed fact {assumed}")
}

fn factor(factor: f64) -> String {
    show_ratio(factor).trim_end_matches('×').to_owned()
}

/// How far predictions are off; a prediction whose sign is not that of the measured value has no factor.
fn off_by(mean: f64) -> String {
    if mean.is_finite() {
        format!("off by ×{}", factor(mean))
    } else {
        "off by an undefined factor: the signs differ".to_owned()
    }
}

fn worst(points: &[(PointId, f64)]) -> String {
    joined(points.iter().map(|(id, ratio)| format!("{id} {}", show_ratio(*ratio))), ", ")
}

/// Points by verdict, rounds, trials, duration, and how it ended.
pub(crate) fn outcome(view: &View<'_>) -> String {
    let rows = &view.analysis.rows;
    let counted = verdicts(rows.iter());
    let trials = rows.iter().map(|row| row.trials.len()).sum();
    let lasted = duration(view).map_or_else(String::new, |duration| format!(" in {duration}"));
    let unfinished = "the run did not finish: killed, or still running";
    let ended = view.end.map_or(unfinished, |end| reason(end.reason, rows));
    let colon = if counted.is_empty() { "" } else { ": " };
    let (points, trials) = (many(rows.len(), "point"), many(trials, "trial"));
    let rounds = many(view.analysis.rounds as usize, "round");
    format!("{points}{colon}{counted}; {rounds}, {trials}{lasted}; {ended}")
}

/// How long a run lasted that has ended.
fn duration(view: &View<'_>) -> Option<String> {
    Some(duration_words(Duration::from_nanos(view.end?.at_ns)))
}

/// How long a run lasted and whether it was interrupted, and the least and the most trials of a point: late rounds try few
/// points, so that their number says little.
pub(crate) fn lasted(view: &View<'_>) -> String {
    let is_interrupted = view.end.is_some_and(|end| end.reason == EndReason::Interrupted);
    let interrupted = if is_interrupted { "interrupted after " } else { "" };
    let duration =
        duration(view).map_or_else(|| "unfinished".to_owned(), |duration| format!("{interrupted}{duration}"));
    let trials = view.analysis.rows.iter().map(|row| row.trials.len()).filter(|&trials| trials > 0);
    match (trials.clone().min(), trials.max()) {
        (Some(least), Some(most)) if least < most => {
            format!("{duration}, {least} to {} a point", many(most, "trial"))
        }
        (Some(all), _) => format!("{duration}, {} a point", many(all, "trial")),
        _ => duration,
    }
}

/// The line over a table: when it was measured, for how long, and whose predictions stand beside oscope's.
pub(crate) fn run_line(view: &View<'_>) -> String {
    let user = view.plan.user_predictions.as_ref();
    let user = user.map_or_else(String::new, |file| format!("; predictions by the user: {}", file.name));
    let trials = view.analysis.rows.iter().map(|row| row.trials.len()).sum();
    format!("measured {}, {}, {}{user}", view.header.second(), lasted(view), many(trials, "trial"))
}

/// In which environments points were measured, too; `None` where there are none. The values of a report are the native ones.
pub(crate) fn environments(plan: &Plan) -> Option<String> {
    let names = some_joined(plan.environments.iter().map(|environment| &environment.name), ", ")?;
    Some(format!("these values are native; measured in {names}, too: oscope compare RECORD"))
}

fn reason(reason: EndReason, rows: &[Row]) -> &'static str {
    match reason {
        EndReason::Narrow if rows.iter().all(|row| row.verdict == Verdict::Skipped) => {
            "no point can be measured here"
        }
        EndReason::Narrow => "ended: every point is narrow enough",
        EndReason::Budget => "ended: the time budget is spent",
        EndReason::Rounds => "ended: the maximum number of rounds is reached",
        EndReason::Interrupted => "interrupted by the user; oscope run --resume RECORD continues it",
    }
}
