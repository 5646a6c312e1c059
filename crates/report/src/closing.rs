//! The head and the last line of a run: what was asked, what came of it.

use crate::View;
use crate::wording::many;
use analysis::Verdict;
use quantity::{duration_words, show_percent};
use record::{EndReason, Profile};
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
    }
}

/// Which program ran when, and how hard it tried.
pub(crate) fn opening(view: &View<'_>) -> String {
    let settings = &view.plan.settings;
    let commit = view.header.commit.as_ref();
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    format!(
        "{}, oscope {}{commit}, {} profile, at most {}, ± {} asked, seed {}",
        view.header.started,
        view.header.program,
        profile(settings.profile),
        seconds(settings.budget_s),
        show_percent(settings.precision),
        settings.seed,
    )
}

/// Points by verdict, rounds, trials, duration, and how it ended.
pub(crate) fn closing(view: &View<'_>) -> String {
    let rows = &view.analysis.rows;
    let verdicts = [
        Verdict::Measured,
        Verdict::Noisy,
        Verdict::Contradicted,
        Verdict::Failed,
        Verdict::Skipped,
    ];
    let counted: Vec<String> = verdicts
        .iter()
        .map(|verdict| {
            (
                rows.iter().filter(|row| row.verdict == *verdict).count(),
                verdict.word(),
            )
        })
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let trials = rows.iter().map(|row| row.trials.len()).sum();
    let (lasted, ended) = match view.end {
        Some(end) => (
            format!(" in {}", duration_words(Duration::from_nanos(end.at_ns))),
            reason(end.reason),
        ),
        None => (
            String::new(),
            "it did not end by itself: killed, or still running",
        ),
    };
    let colon = if counted.is_empty() { "" } else { ": " };
    format!(
        "{}{colon}{}; {}, {}{lasted}; {ended}",
        many(rows.len(), "point"),
        counted.join(", "),
        many(view.analysis.rounds as usize, "round"),
        many(trials, "trial"),
    )
}

fn reason(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Narrow => "it ended because every point is narrow enough",
        EndReason::Budget => "it ended because the time budget is spent",
        EndReason::Rounds => "it ended because the largest number of rounds is reached",
        EndReason::Interrupted => "it was stopped by the user",
    }
}
