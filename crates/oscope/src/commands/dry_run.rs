//! `oscope run --dry-run`: the plan and how long it will take.

use crate::Operations;
use crate::exit::Exit;
use crate::operation_list::settle_and_spend;
use crate::placement::Cpus;
use quantity::duration_words;
use record::Plan;
use std::io::Write;
use std::time::Duration;

/// What a trial takes besides its batches: a process, calibration, warm-up. Seen on virtual machines.
const BESIDES: Duration = Duration::from_millis(12);

pub fn show(operations: Operations, plan: &Plan, cpus: &Cpus) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout().lock();
    let mut round = Duration::ZERO;
    for point in &plan.points {
        match &point.skip {
            Some(skip) => writeln!(out, "  {:<44} skipped: {}", point.id.to_string(), skip.reason)?,
            None => {
                let each = settle_and_spend(operations, &point.id) + BESIDES;
                round += each;
                writeln!(out, "  {:<44} about {} a trial", point.id.to_string(), duration_words(each))?;
            }
        }
    }
    for note in &plan.left_out {
        writeln!(out, "{note}")?;
    }
    let settings = &plan.settings;
    let open = plan.points.iter().filter(|point| point.skip.is_none()).count();
    let least = round * settings.least_rounds;
    let budget = Duration::try_from_secs_f64(settings.budget_s).unwrap_or(Duration::MAX);
    writeln!(out, "{}, about {} per round", report::many(open, "point"), duration_words(round))?;
    let rounds = report::many(settings.least_rounds as usize, "round");
    if settings.least_rounds == settings.most_rounds {
        writeln!(out, "{rounds}: about {}", duration_words(least.min(budget)))?;
    } else {
        let words = (duration_words(least.min(budget)), duration_words(budget));
        writeln!(out, "at least {rounds}: between {} and {}", words.0, words.1)?;
    }
    if let Some(main) = cpus.main {
        writeln!(out, "main actor on CPU {main}")?;
    }
    for (placement, cpu) in &cpus.peers {
        writeln!(out, "second actor with cpu={placement} on CPU {cpu}")?;
    }
    Ok(Exit::Success)
}
