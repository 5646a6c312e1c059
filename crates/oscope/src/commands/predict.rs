//! `oscope predict`: what everything should cost, before anything is measured.

use crate::Operations;
use crate::arguments::Predict;
use crate::commands::describe::read_dump;
use crate::exit::Exit;
use crate::plan;
use crate::select::select;
use crate::terminal;
use analysis::Analyst;
use machine::Live;
use record::{Plan, Profile, Settings};

pub fn run(operations: Operations, arguments: &Predict) -> anyhow::Result<Exit> {
    let machine = match &arguments.from {
        Some(file) => machine::describe(&read_dump(file)?),
        None => machine::describe(&Live::machine()),
    };
    let profile = Profile::Standard;
    let selected = select(
        operations,
        &arguments.selection,
        profile,
        arguments.with_reference_methods,
    )?;
    let points = selected
        .iter()
        .map(|(operation, point)| operation.planned(point))
        .collect();
    let plan = Plan {
        settings: nothing_measured(profile),
        points,
    };
    let predictions = plan::predictions(&selected, &plan);
    let mut analyst = Analyst::new(&plan, &machine);
    for (id, prediction) in &predictions {
        analyst.predict(id, prediction);
    }
    report::predictions_text(
        &analyst.rows(),
        &predictions,
        terminal::width_of_output(),
        terminal::style_of_output(),
        &mut std::io::stdout().lock(),
    )?;
    Ok(Exit::Success)
}

/// Settings of a plan that is never carried out.
fn nothing_measured(profile: Profile) -> Settings {
    Settings {
        profile,
        budget_s: 0.0,
        precision: 0.03,
        least_rounds: 0,
        most_rounds: 0,
        seed: 0,
        cpu: None,
        peer_cpu: None,
        reference_methods: true,
    }
}
