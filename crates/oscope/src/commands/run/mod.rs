//! `oscope run`: describe, predict, measure, and show the difference.

pub mod blind;
mod outline;
mod prepared;

use crate::arguments::{Compare, Run};
use crate::exit::{CliError, Exit, usage};
use crate::notice::notice;
use crate::operation_list::spend_ns;
use crate::own_operation::OwnOperation;
use crate::select::Selected;
use crate::supervisor::{Interrupt, Orders, Progress, Supervisor, Workers};
use crate::work_directory::WorkDirectory;
use crate::{Operations, environments, output, records, terminal};
use analysis::Verdict;
use outline::selected;
pub(in crate::commands) use outline::{Outline, outline};
use prepared::{PreparedRun, begin, resume, show_resumed};
pub(in crate::commands) use prepared::{boot, obstacle};
use record::{End, EndReason, Line, Plan, PointId, Profile};
use report::View;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use sys::clock::{Clock, Moment};

/// Changes that are listed of each environment after a run: those that cost most.
const MOST_CHANGES: usize = 10;

pub fn run(operations: Operations, mut arguments: Run) -> anyhow::Result<Exit> {
    if arguments.tail {
        arguments.profile = Profile::Tail;
    }
    let own = arguments.operation.as_deref().map(OwnOperation::declared_by).transpose()?;
    let operations = own.as_ref().map_or(operations, |own| own.added_to(operations));
    if let Some(own) = own.as_ref().filter(|_| arguments.selection.is_empty()) {
        arguments.selection.push(own.id());
    }
    if let Some(path) = arguments.resume.as_deref().filter(|_| arguments.dry_run) {
        return show_resumed(operations, path, &arguments);
    }
    let mut workers = Workers::new(Interrupt::catch()?);
    workers.own_operation = own.as_ref().map(OwnOperation::text).transpose()?;
    let mut prepared = if let Some(path) = &arguments.resume {
        let resumed = resume(path.clone(), &arguments)?;
        make_settings(&mut workers, &resumed.outline.plan)?;
        resumed
    } else {
        let selected = selected(operations, &arguments)?;
        let mut outline = outline(operations, &arguments, &selected)?;
        if arguments.dry_run {
            arguments.output.as_deref().map_or(Ok(()), prepared::check_output)?;
            return crate::commands::dry_run::show(
                operations,
                &arguments,
                &outline.plan,
                &outline.cpus,
                None,
            );
        }
        make_settings(&mut workers, &outline.plan)?;
        refuse_settings_elsewhere(&arguments)?;
        outline.plan.environments = environments::planned(&arguments.versus, &mut workers)?;
        let begun = begin(outline, &arguments, &selected)?;
        records::remember(&begun.path);
        begun
    };
    for environment in &prepared.outline.plan.environments {
        workers.add(environment);
    }
    if let Some(why) = prepared.done.exhausted(&prepared.outline.plan.settings, None) {
        notice!("oscope: nothing is measured: {why}");
    } else if !arguments.quiet {
        announce(&prepared);
    }
    let end = measure(operations, &mut prepared, arguments.quiet, workers);
    conclude(operations, &prepared, &end, &arguments)
}

/// Has workers make the settings of the plan.
fn make_settings(workers: &mut Workers, plan: &Plan) -> anyhow::Result<()> {
    let made = workers.set(&plan.settings.worker_settings);
    made.map_err(usage)
}

/// A setting that a worker makes before it enters an environment does not reach another machine.
fn refuse_settings_elsewhere(arguments: &Run) -> anyhow::Result<()> {
    let elsewhere = arguments.versus.iter().find(|one| one.is_elsewhere);
    match (elsewhere, arguments.worker_settings().first()) {
        (Some(versus), Some(setting)) => Err(usage(format!(
            "{setting} cannot be set on another machine: leave it out, or measure {} in a separate run",
            versus.name
        ))),
        _ => Ok(()),
    }
}

/// A record that was made for another command.
pub struct RecordedRun {
    /// Where it is.
    pub path: PathBuf,
    /// Why it is not complete, if it is not.
    pub trouble: Option<String>,
    /// Why it ended.
    pub reason: EndReason,
}

impl RecordedRun {
    /// How the command that it was made for ends, by whether it has an answer.
    ///
    /// # Errors
    /// When the record is not complete.
    pub fn exit(&self, has_answer: bool) -> anyhow::Result<Exit> {
        if let Some(trouble) = &self.trouble {
            return Err(CliError(Exit::File, format!("no complete record: {trouble}")).into());
        }
        Ok(match self.reason {
            EndReason::Interrupted => Exit::Interrupted,
            _ if has_answer => Exit::Success,
            _ => Exit::Nothing,
        })
    }
}

/// Measures these points into a new record, by these settings; `on_plan` is called with the plan before the first trial.
pub fn record(
    operations: Operations,
    arguments: &Run,
    selected: &[Selected],
    on_plan: &dyn Fn(&Plan),
) -> anyhow::Result<RecordedRun> {
    let workers = Workers::new(Interrupt::catch()?);
    let mut prepared = begin(outline(operations, arguments, selected)?, arguments, selected)?;
    on_plan(&prepared.outline.plan);
    let end = measure(operations, &mut prepared, arguments.quiet, workers);
    Ok(RecordedRun {
        trouble: prepared.recorder.trouble.as_ref().map(ToString::to_string),
        path: prepared.path,
        reason: end.reason,
    })
}

/// Rounds of trials until the end.
fn measure(operations: Operations, prepared: &mut PreparedRun, quiet: bool, mut workers: Workers) -> End {
    let outline = &prepared.outline;
    if !outline.plan.environments.is_empty() {
        let directories = outline.work_directory.iter().chain(&outline.remote);
        directories.for_each(WorkDirectory::name_test_file);
    }
    let mut progress = Progress::new(quiet, outline.plan.settings.blind);
    let spend = |id: &PointId| spend_ns(operations, id);
    let clock = Clock::select();
    let born = clock.moment();
    let mut monitor = prepared.monitor();
    let mut supervisor = Supervisor::new(
        Orders {
            plan: &prepared.outline.plan,
            cpus: &prepared.outline.cpus,
            spend_ns: &spend,
            peer: prepared.outline.link.as_ref(),
            directory: prepared.outline.work_directory.as_ref().map(WorkDirectory::directory),
            remote_directory: prepared.outline.remote.as_ref().map(WorkDirectory::directory),
        },
        &mut workers,
        &mut prepared.recorder,
        &mut progress,
        &mut monitor,
        std::mem::take(&mut prepared.done),
    );
    let (reason, at_ns) = supervisor.run();
    let end = End { reason, at_ns, clock_drift: clock_drift(prepared.recorder.first_rate, clock, born) };
    prepared.recorder.append(&Line::End(end.clone()));
    // A blind record does not show what it came to.
    if !prepared.outline.plan.settings.blind {
        prepared.recorder.summarize(&prepared.header.started);
    }
    // What was made is gone before the table is shown.
    (prepared.outline.work_directory, prepared.outline.remote) = (None, None);
    end
}

/// How far the counter's rate over the whole run is from the rate that the first trial found; `None` where
/// that is the kernel's clock itself.
fn clock_drift(first: Option<f64>, clock: Clock, born: Moment) -> Option<f64> {
    let over_all = clock.nanos_per_tick(born, clock.moment());
    first.filter(|_| clock == Clock::Counter).map(|first| first / over_all - 1.0)
}

/// What is about to happen. The predictions are in the record by now; `oscope predict` shows them.
fn announce(prepared: &PreparedRun) {
    let planned = &prepared.outline.plan;
    let points = planned.points.iter().filter(|point| point.skip.is_none()).count();
    let settings = &planned.settings;
    let counted = (settings.least_rounds == settings.most_rounds)
        .then(|| report::many(settings.least_rounds as usize, "round"));
    let limit = settings.time_limit_s().and_then(|limit| Duration::try_from_secs_f64(limit).ok());
    let limit = limit.map(|limit| format!("at most {}", quantity::duration_words(limit)));
    let budget = counted.into_iter().chain(limit).collect::<Vec<_>>().join(", ");
    let points = report::many(points, "point");
    let mut text = format!("measuring {points}, {budget}; predictions are written before the first trial\n");
    let workers = report::worker_settings(settings).map(|line| format!("workers: {line}"));
    for line in workers.into_iter().chain(report::predictions_file(planned)) {
        text.push_str(&format!("{line}\n"));
    }
    // Nobody may be listening; the run goes on all the same.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The end of a run whose results are hidden until they are predicted.
fn conclude_blind(operations: Operations, prepared: &PreparedRun, end: &End) -> anyhow::Result<Exit> {
    let mut out = output::standard();
    if let Some(trouble) = &prepared.recorder.trouble {
        writeln!(out, "no complete record: {trouble}")?;
        return Ok(Exit::File);
    }
    blind::conclude(operations, &prepared.path, &mut out)?;
    writeln!(out, "{}", prepared.path.display())?;
    Ok(match end.reason {
        EndReason::Interrupted => Exit::Interrupted,
        _ => Exit::Success,
    })
}

/// What a user may type next.
const NEXT: [&str; 5] = [
    "oscope report --full",
    "oscope report evidence",
    "oscope explain NAME",
    "oscope run all",
    "oscope report --format html -o page.html",
];

/// These commands in lines of at most this width, none of them broken, so that each can be copied.
fn next_commands(width: usize) -> String {
    let (lead, between) = ("next: ", " | ");
    let mut lines: Vec<String> = Vec::new();
    for command in NEXT {
        let room = width.saturating_sub(lead.len() + between.len() + command.len());
        match lines.last_mut().filter(|line| line.len() <= room) {
            Some(line) => *line += &format!("{between}{command}"),
            None => lines.push(command.to_owned()),
        }
    }
    format!("{lead}{}", lines.join("\n      "))
}

fn conclude(
    operations: Operations,
    prepared: &PreparedRun,
    end: &End,
    arguments: &Run,
) -> anyhow::Result<Exit> {
    if prepared.outline.plan.settings.blind {
        return conclude_blind(operations, prepared, end);
    }
    let analysis = prepared.recorder.analyst.analysis();
    let view = View {
        header: &prepared.header,
        machine: &prepared.outline.machine,
        peer: prepared.outline.peer.as_ref(),
        plan: &prepared.outline.plan,
        analysis: &analysis,
        end: Some(end),
        has_cycles: false,
    };
    let mut out = output::standard();
    let environments = &prepared.outline.plan.environments;
    let is_native = environments::measured(&prepared.outline.plan).next().is_none();
    if is_native || prepared.recorder.trouble.is_some() {
        let labels = crate::operation_list::labels_of(view.plan, operations);
        report::first_screen(&view, &labels, &mut terminal::page_of_output(&mut out))?;
    } else {
        let (records, most) = (vec![prepared.path.clone()], Some(MOST_CHANGES));
        crate::commands::compare::run(operations, &Compare { records, most, ..Compare::default() })?;
    }
    for (environment, skip) in environments.iter().filter_map(|there| Some((there, there.skip.as_ref()?))) {
        writeln!(out, "not measured in {}: {} ({})", environment.name, skip.reason, skip.remedy)?;
    }
    match &prepared.recorder.trouble {
        None => {
            writeln!(out, "\n{}\n{}", next_commands(terminal::width_of_output()), prepared.path.display())?
        }
        Some(trouble) => writeln!(out, "no complete record: {trouble}")?,
    }
    let has = |wanted: &[Verdict]| analysis.rows.iter().any(|row| wanted.contains(&row.verdict));
    Ok(if prepared.recorder.trouble.is_some() {
        Exit::File
    } else if end.reason == EndReason::Interrupted {
        Exit::Interrupted
    } else if !has(&[Verdict::Measured, Verdict::Noisy, Verdict::Contradicted]) {
        Exit::Nothing
    } else if arguments.strict && has(&[Verdict::Contradicted, Verdict::Failed]) {
        Exit::Findings
    } else {
        Exit::Success
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_may_be_typed_next_are_not_broken() {
        for (width, count) in [(60, 3), (80, 2), (200, 1)] {
            let text = next_commands(width);
            assert_eq!(text.lines().count(), count, "{text}");
            assert!(text.lines().all(|line| line.len() <= width), "{width}: {text}");
            let commands = text.trim_start_matches("next: ").split(['|', '\n']).map(str::trim);
            assert_eq!(commands.collect::<Vec<_>>(), NEXT);
        }
    }
}
