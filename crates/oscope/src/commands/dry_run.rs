//! `oscope run --dry-run`: the plan and how long it will take.

use crate::Operations;
use crate::arguments::Run;
use crate::exit::Exit;
use crate::operation_list::settle_and_spend;
use crate::placement::Cpus;
use crate::plan::BESIDES;
use crate::select::select;
use quantity::duration_words;
use record::{Plan, PointId, Settings};
use std::collections::BTreeSet;
use std::io::Write;
use std::time::Duration;

/// What a run that would be resumed has done already.
pub struct Progress {
    /// Complete rounds.
    pub rounds: u32,
    /// How long they took.
    pub elapsed: Duration,
    /// The points that would be tried again; the others need no further trial.
    pub open: Vec<PointId>,
}

/// Shows the points and the time of a run, or of the rest of one.
pub fn show(
    operations: Operations,
    run: &Run,
    plan: &Plan,
    cpus: &Cpus,
    progress: Option<&Progress>,
) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout().lock();
    let (mut round, mut open) = (Duration::ZERO, 0);
    for point in &plan.points {
        let state = match &point.skip {
            Some(skip) => format!("skipped: {}", skip.reason),
            None if progress.is_some_and(|progress| !progress.open.contains(&point.id)) => {
                "needs no further trial".to_owned()
            }
            None => {
                let each = match plan.settings.tail {
                    Some(tail) => Duration::from_nanos(tail.spend_ns),
                    None => settle_and_spend(operations, &point.id),
                };
                let each = each + BESIDES;
                (round, open) = (round + each, open + 1);
                format!("about {} a trial", duration_words(each))
            }
        };
        writeln!(out, "  {:<44} {state}", point.id.to_string())?;
    }
    selected(operations, run, &mut out)?;
    for note in &plan.left_out {
        writeln!(out, "{note}")?;
    }
    if let Some(progress) = progress {
        let (rounds, elapsed) = (rounds(progress.rounds), duration_words(progress.elapsed));
        writeln!(out, "recorded so far: {rounds} in {elapsed}")?;
    }
    writeln!(out, "{}, about {} per round", report::many(open, "point"), duration_words(round))?;
    writeln!(out, "{}", time(&plan.settings, round, progress))?;
    if let Some(main) = cpus.main {
        writeln!(out, "main actor on CPU {main}")?;
    }
    for (placement, cpu) in &cpus.peers {
        writeln!(out, "second actor with cpu={placement} on CPU {cpu}")?;
    }
    Ok(Exit::Success)
}

/// How many rounds are to come, and how long they take.
fn time(settings: &Settings, round: Duration, progress: Option<&Progress>) -> String {
    let done = progress.map_or(0, |progress| progress.rounds);
    let elapsed = progress.map_or(Duration::ZERO, |progress| progress.elapsed);
    let budget = Duration::try_from_secs_f64(settings.budget_s).unwrap_or(Duration::MAX);
    let left = budget.saturating_sub(elapsed);
    let [least, most] = [settings.least_rounds, settings.most_rounds].map(|all| all.saturating_sub(done));
    let shortest = round * least;
    let (rounds, takes, limit) = (rounds(least), duration_words(shortest), duration_words(left));
    match shortest > left {
        true => format!(
            "the budget ends the run after {limit}, but not within its first round: {rounds} would take about {takes}"
        ),
        false if least == most => format!("{rounds}: about {takes}"),
        false => format!("at least {rounds}: between {takes} and {limit}"),
    }
}

fn rounds(count: u32) -> String {
    report::many(count as usize, "round")
}

/// How many points each word of the selection means, where it means more than one.
fn selected(operations: Operations, run: &Run, out: &mut dyn Write) -> anyhow::Result<()> {
    for word in &run.selection {
        let points = select(operations, std::slice::from_ref(word), run.profile, run.with_flawed_methods)?;
        let of: BTreeSet<&str> = points.iter().map(|(operation, _)| operation.id).collect();
        if points.len() > 1 {
            let (points, of) = (report::many(points.len(), "point"), report::many(of.len(), "operation"));
            writeln!(out, "'{word}' selects {points} of {of}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_that_of_the_rounds_unless_the_budget_ends_them() {
        let settings = |least_rounds, most_rounds, budget_s| Settings {
            least_rounds,
            most_rounds,
            budget_s,
            ..Settings::default()
        };
        let round = Duration::from_secs(10);
        for (least, most, budget, expected) in [
            (6, 400, 120.0, "at least 6 rounds: between 1 min and 2 min"),
            (
                6,
                400,
                50.0,
                "the budget ends the run after 50 s, but not within its first round: 6 rounds would take about 1 min",
            ),
            (3, 3, record::UNLIMITED_S, "3 rounds: about 30 s"),
            (
                3,
                3,
                20.0,
                "the budget ends the run after 20 s, but not within its first round: 3 rounds would take about 30 s",
            ),
        ] {
            assert_eq!(time(&settings(least, most, budget), round, None), expected);
        }
    }
}
