//! `oscope predict`: what everything should cost, before anything is measured.

use crate::Operations;
use crate::arguments::Predict;
use crate::commands::describe::read_dump;
use crate::exit::Exit;
use crate::placement::Cpus;
use crate::plan;
use crate::select::{named, select};
use crate::terminal;
use crate::user_predictions::{Predictions, template};
use analysis::Analyst;
use machine::{Live, Tree};
use record::{Profile, Settings};
use std::io::Write;

pub fn run(operations: Operations, arguments: &Predict) -> anyhow::Result<Exit> {
    let tree: Box<dyn Tree> = match &arguments.from {
        Some(file) => Box::new(read_dump(file)?),
        None => Box::new(Live::machine()),
    };
    let machine = machine::describe(&*tree);
    let profile = Profile::Standard;
    let selected = select(operations, &arguments.selection, profile, arguments.with_flawed_methods)?;
    let allowed: Vec<u32> = (0..machine.number("cpus.allowed").unwrap_or(1.0) as u32).collect();
    let cpus = Cpus::choose(&*tree, &allowed, (None, None), None)?;
    let here = plan::Resources {
        cpus: &cpus,
        machine: &machine,
        // What goes to a peer is predicted whether there is one or not.
        has_peer: true,
        has_remote: true,
        drops_caches: None,
        named: &named(operations, &arguments.selection, &selected)?,
    };
    let mut plan = plan::plan(&selected, nothing_measured(profile), here);
    if arguments.template {
        write!(std::io::stdout().lock(), "{}", template(&plan))?;
        return Ok(Exit::Success);
    }
    if let Some(path) = &arguments.predictions {
        Predictions::read(path, operations)?.apply(&mut plan)?;
        let mut rows = Analyst::new(&plan, &machine).rows();
        rows.retain(|row| row.point.user.is_some());
        let mut out = std::io::stdout().lock();
        // Who predicts does not want to see what oscope predicts.
        report::user_predictions_text(&rows, plan.points.len(), &mut terminal::page_of_output(&mut out))?;
        return Ok(Exit::Success);
    }
    let predictions = plan::predictions(&selected, &plan);
    let mut analyst = Analyst::new(&plan, &machine);
    for (id, prediction) in &predictions {
        analyst.predict(id, prediction);
    }
    let mut out = std::io::stdout().lock();
    report::predictions_text(&analyst.rows(), &predictions, &mut terminal::page_of_output(&mut out))?;
    Ok(Exit::Success)
}

/// Settings of a plan that is never carried out.
pub fn nothing_measured(profile: Profile) -> Settings {
    Settings { profile, precision: 0.03, flawed_methods: true, ..Settings::default() }
}
