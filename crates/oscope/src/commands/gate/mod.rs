//! `oscope gate`: the trigger for benchmarks of others. A command runs again and again; what counts is the runs during
//! which nothing else used its core.

mod core_choice;
mod executor;
mod judgement;
mod view;

use crate::arguments::{Form, Gate as Arguments};
use crate::exit::{Exit, nothing, unwritable, usage};
use crate::output;
use crate::supervisor::Interrupt;
use executor::{CommandRun, Executor};
use judgement::{Judgement, LEAST_RUNS, Limits};
use oscope_trigger::CoreTrigger;
use std::io::ErrorKind;
use std::time::Instant;
use view::View;

pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let allowed = sys::cpu::allowed()?;
    let cpu = match arguments.cpu {
        Some(cpu) if !allowed.contains(&cpu) => {
            return Err(usage(format!("CPU {cpu} is not among those that this process may use")));
        }
        Some(cpu) => cpu,
        None => core_choice::quietest_cpu(&allowed)?,
    };
    sys::cpu::pin(cpu)?;
    if arguments.wait_only {
        return wait_only(arguments, cpu);
    }
    if let Some(path) = &arguments.output.output {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(unwritable(path, &ErrorKind::NotFound.into()).into());
        }
    }
    let interrupt = Interrupt::catch()?;
    let runs = measure(arguments, cpu, &interrupt)?;
    let limits = Limits { shared: arguments.shared };
    let quantity = arguments.unit.as_ref().map(|unit| unit.meaning.quantity);
    let judgement = Judgement::new(&runs, limits, quantity.or(implied_quantity(arguments)));
    let view = View { arguments, cpu, runs: &runs, judgement: &judgement };
    output::write(&arguments.output, view::marks(arguments.format), |_, _, out| match arguments.format {
        Form::Json => view.json(out),
        Form::Csv => view.csv(out),
        _ => view.text(out),
    })?;
    if interrupt.is_set() {
        return Ok(Exit::Interrupted);
    }
    match judgement.gated {
        Some(_) => Ok(Exit::Success),
        None => Err(nothing(refusal(&judgement))),
    }
}

/// What is measured where no unit says it: the wall time, unless the value is one that the command prints.
fn implied_quantity(arguments: &Arguments) -> Option<quantity::Quantity> {
    arguments.value.is_none().then_some(quantity::Quantity::Latency)
}

/// Why there is no gated value, and what to do.
fn refusal(judgement: &Judgement) -> String {
    let all = judgement.verdicts.len();
    let quiet = judgement.verdicts.iter().filter(|verdict| verdict.is_none()).count();
    let help = match quiet * 3 < all {
        true => {
            "choose another CPU (--cpu), stop other programs, or make the command shorter than the quiet stretches"
        }
        false => "give more time (--budget), or make the command shorter",
    };
    format!("{quiet} of {} quiet, {LEAST_RUNS} are needed: {help}", report::many(all, "run"))
}

/// Waits until the core is quiet, and runs nothing.
fn wait_only(arguments: &Arguments, cpu: u32) -> anyhow::Result<Exit> {
    match CoreTrigger::new().wait_quiet(arguments.wait) {
        true => Ok(Exit::Success),
        false => {
            let waited = quantity::duration_words(arguments.wait);
            Err(nothing(format!("the core of CPU {cpu} was shared for {waited}")))
        }
    }
}

/// Runs of the command until enough of them were quiet, the time is over, or the user stopped.
fn measure(arguments: &Arguments, cpu: u32, interrupt: &Interrupt) -> anyhow::Result<Vec<CommandRun>> {
    let mut executor = Executor::new(arguments, cpu, interrupt)?;
    let mut runs: Vec<CommandRun> = Vec::new();
    let limits = Limits { shared: arguments.shared };
    let began = Instant::now();
    for number in 0.. {
        let is_warm_up = number < arguments.warm_up;
        let Some(run) = executor.run()? else { break };
        if !is_warm_up {
            runs.push(run);
        }
        let quiet = judgement::verdicts(&runs, limits).iter().filter(|verdict| verdict.is_none()).count();
        if quiet >= arguments.rounds as usize || began.elapsed() >= arguments.budget {
            break;
        }
        if runs.len() >= MOST_RUNS {
            break;
        }
    }
    Ok(runs)
}

/// Runs that are kept at most: a bound for memory, and for the work after each run.
const MOST_RUNS: usize = 20_000;
