//! The line over a table: when it was measured.

use crate::wording::many;
use crate::{View, run_summary};

/// When it was measured, for how long, and whose predictions stand beside oscope's.
pub(super) fn run_line(view: &View<'_>) -> String {
    let user = view.plan.user_predictions.as_ref();
    let user = user.map_or_else(String::new, |file| format!("; predictions by the user: {}", file.name));
    let trials = view.analysis.rows.iter().map(|row| row.trials.len()).sum();
    format!(
        "measured {}, {}, {}{user}",
        view.header.started,
        run_summary::lasted(view),
        many(trials, "trial")
    )
}
