//! `oscope run`: describe, predict, measure, and show the difference.

use crate::arguments::Run;
use crate::exit::{Ends, Exit, usage};
use crate::placement::Cpus;
use crate::select::{Selected, add_parts, add_right_ones, select};
use crate::supervisor::{Done, Interrupt, Ledger, Orders, Supervisor, Workers, progress_for};
use crate::user_predictions::Predictions;
use crate::workplace::{Chosen, Workplace};
use crate::{Operations, far, plan, records, terminal};
use analysis::{Analyst, Verdict};
use jiff::Timestamp;
use machine::Live;
use record::{
    End, EndReason, Header, Journal, JournalError, Line, Machine, PeerEnd, PeerLink, Plan, PointId,
    Prediction, Record, SCHEMA,
};
use report::{Style, View};
use std::io::Write;
use std::path::{Path, PathBuf};
use sys::clock::{Clock, Moment};

/// Everything that is decided before the first trial.
struct Prepared {
    header: Header,
    machine: Machine,
    plan: Plan,
    cpus: Cpus,
    predictions: Vec<(PointId, Prediction)>,
    ledger: Ledger,
    path: PathBuf,
    done: Done,
    link: Option<PeerLink>,
    peer: Option<PeerEnd>,
    workplace: Option<Workplace>,
}

pub fn run(operations: Operations, arguments: Run) -> anyhow::Result<Exit> {
    let interrupt =
        Interrupt::catch().map_err(|error| usage(format!("signals cannot be caught: {error}")))?;
    let live = Live::machine();
    let mut machine = machine::describe(&live);
    let allowed = sys::cpu::allowed().unwrap_or_default();
    let link = far::link(&arguments)?;
    if let Some(path) = &arguments.resume {
        let prepared = taken_up(path.clone(), &arguments, (&live, &allowed), machine, link)?;
        return measure(operations, prepared, &arguments, interrupt);
    }
    let cpus = Cpus::choose(&live, &allowed, arguments.cpu, arguments.peer_cpu)?;
    let selected = selected(operations, &arguments)?;
    let chosen = Chosen::new(arguments.dir.as_deref(), &live)?;
    let needs_directory = plan::needs_directory(&selected);
    let mut settings = plan::settings(&arguments, &selected, &cpus);
    if needs_directory {
        machine.facts.extend(chosen.facts(&live));
        settings.directory = Some(chosen.text());
    }
    let here = plan::Here {
        cpus: &cpus,
        machine: &machine,
        has_peer: link.is_some(),
    };
    let mut plan = plan::plan(&selected, settings, here);
    with_user(operations, &arguments, &mut plan)?;
    let workplace = workplace(needs_directory, &chosen, &mut plan, &selected);
    if arguments.dry_run {
        return crate::commands::dry_run::show(operations, &plan, &cpus);
    }
    let peer = link.as_ref().map(far::check).transpose()?;
    let predictions = plan::predictions(&selected, &plan);
    let path = arguments
        .output
        .clone()
        .map_or_else(|| records::new_path(Timestamp::now()), Ok)?;
    let journal = Journal::create(&path).map_err(journal_error)?;
    let mut ledger = Ledger::new(journal, Analyst::new(&plan, &machine));
    let header = header(&arguments);
    let lines = [Line::Header(header.clone()), Line::Machine(machine.clone())];
    let lines = lines.into_iter().chain(peer.clone().map(Line::Peer));
    lines
        .chain([Line::Plan(plan.clone())])
        .for_each(|line| ledger.append(&line));
    for (id, prediction) in predictions.iter().cloned() {
        ledger.append(&Line::Prediction { id, prediction });
    }
    let done = Done::default();
    let prepared = Prepared {
        header,
        machine,
        plan,
        cpus,
        predictions,
        ledger,
        path,
        done,
        link,
        peer,
        workplace,
    };
    measure(operations, prepared, &arguments, interrupt)
}

/// Puts the user's own predictions into the plan, so that they stand in the record before the first trial.
fn with_user(operations: Operations, arguments: &Run, plan: &mut Plan) -> anyhow::Result<()> {
    let Some(path) = &arguments.predictions else {
        return Ok(());
    };
    let applied = Predictions::read(path, &now(), operations)?.apply(plan)?;
    if applied.unused > 0 {
        plan.left_out.push(format!(
            "{} of the user's predictions are of operations that this run does not measure",
            applied.unused
        ));
    }
    Ok(())
}

/// The time, RFC 3339, UTC.
fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The points that the command line means.
fn selected(operations: Operations, arguments: &Run) -> anyhow::Result<Vec<Selected>> {
    let profile = arguments.profile.into();
    let mut selected = select(
        operations,
        &arguments.selection,
        profile,
        arguments.with_reference_methods,
    )?;
    add_right_ones(operations, &mut selected, profile);
    if arguments.with_parts {
        add_parts(operations, &mut selected, profile);
    }
    Ok(selected)
}

/// The place for the files of a plan, if any of its points needs one; the points that lack it are left out.
fn workplace(needed: bool, chosen: &Chosen, plan: &mut Plan, selected: &[Selected]) -> Option<Workplace> {
    match needed.then(|| Workplace::new(chosen))? {
        Ok(workplace) => Some(workplace),
        Err(why) => {
            plan::without_directory(plan, selected, &why);
            None
        }
    }
}

fn header(arguments: &Run) -> Header {
    Header {
        format: "oscope".to_owned(),
        schema: SCHEMA,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("OSCOPE_COMMIT").map(str::to_owned),
        started: now(),
        arguments: far::without_key(std::env::args().skip(1), arguments.key.as_deref()),
    }
}

fn journal_error(error: JournalError) -> anyhow::Error {
    match error {
        JournalError::File { .. } => {
            Ends(Exit::File, format!("{error}; name another file with --output")).into()
        }
        _ => usage(error.to_string()),
    }
}

/// A record that is taken up again: its plan stands, so the machine must be the same.
fn taken_up(
    path: PathBuf,
    arguments: &Run,
    (live, allowed): (&Live, &[u32]),
    mut machine: Machine,
    link: Option<PeerLink>,
) -> anyhow::Result<Prepared> {
    let (journal, record) = Journal::resume(&path).map_err(journal_error)?;
    let Record {
        header,
        machine: before,
        plan,
        predictions,
        ..
    } = &record;
    let Some(plan) = plan.clone() else {
        return Err(usage(format!(
            "{}: it ended before its plan was written; start a new run",
            path.display()
        )));
    };
    if let Some(key) = differs(before, &machine) {
        return Err(usage(format!(
            "{}: measured on another machine ({key} differs); start a new run",
            path.display()
        )));
    }
    let peer = far::taken_up(record.peer.as_ref(), link.as_ref(), differs)?;
    let plan = Plan {
        settings: plan::changed(plan.settings, arguments),
        ..plan
    };
    let cpus = Cpus::choose(live, allowed, plan.settings.cpu, plan.settings.peer_cpu)?;
    let workplace = place_again(&plan, live, &mut machine)?;
    let mut ledger = Ledger::new(journal, Analyst::of(&record, &plan));
    ledger.append(&Line::Resumed { at: now() });
    let done = Done::in_record(&record);
    let (header, predictions) = (header.clone(), predictions.clone());
    Ok(Prepared {
        header,
        machine,
        plan,
        cpus,
        predictions,
        ledger,
        path,
        done,
        link,
        peer,
        workplace,
    })
}

/// The fact that tells two machines apart, if one does.
fn differs(before: &Machine, now: &Machine) -> Option<&'static str> {
    let value = |machine: &Machine, key: &str| machine.get(key).map(|fact| fact.value.clone());
    let keys = ["processor.model", "kernel.version", "cpus.online"];
    keys.into_iter().find(|key| value(before, key) != value(now, key))
}

/// The place of a plan's files, made anew.
fn place_again(plan: &Plan, live: &Live, machine: &mut Machine) -> anyhow::Result<Option<Workplace>> {
    let Some(directory) = &plan.settings.directory else {
        return Ok(None);
    };
    let chosen = Chosen::new(Some(Path::new(directory)), live)?;
    machine.facts.extend(chosen.facts(live));
    let workplace = Workplace::new(&chosen);
    workplace
        .map(Some)
        .map_err(|skip| usage(format!("{}; its files cannot be measured on", skip.reason)))
}

fn measure(
    operations: Operations,
    mut prepared: Prepared,
    arguments: &Run,
    interrupt: Interrupt,
) -> anyhow::Result<Exit> {
    if !arguments.quiet {
        announce(&prepared)?;
    }
    let mut progress = progress_for(arguments.quiet);
    let mut workers = Workers::new(interrupt);
    let spend = |id: &PointId| spend_ns(operations, id);
    let clock = Clock::select();
    let born = clock.moment();
    let mut supervisor = Supervisor::new(
        Orders {
            plan: &prepared.plan,
            cpus: &prepared.cpus,
            spend_ns: &spend,
            peer: prepared.link.as_ref(),
            directory: prepared.workplace.as_ref().map(Workplace::directory),
        },
        &mut workers,
        &mut prepared.ledger,
        &mut *progress,
        std::mem::take(&mut prepared.done),
    );
    let (reason, at_ns) = supervisor.run();
    let end = End {
        reason,
        at_ns,
        clock_drift: clock_drift(prepared.ledger.first_rate(), clock, born),
    };
    prepared.ledger.append(&Line::End(end.clone()));
    // What was made is gone before the table is shown.
    prepared.workplace = None;
    conclude(&prepared, &end, arguments)
}

/// How far the counter's rate over the whole run is from the rate that the first trial found; `None` where
/// that is the kernel's clock itself.
fn clock_drift(first: Option<f64>, clock: Clock, born: Moment) -> Option<f64> {
    let over_all = clock.nanos_per_tick(born, clock.moment());
    first
        .filter(|_| clock == Clock::Counter)
        .map(|first| first / over_all - 1.0)
}

/// Time for the batches of one trial of a point.
pub fn spend_ns(operations: Operations, id: &PointId) -> u64 {
    let operation = operations.iter().find(|operation| operation.id == id.operation);
    operation.map_or(10_000_000, |operation| operation.spend_ns)
}

/// The machine and the predictions, before anything is measured.
fn announce(prepared: &Prepared) -> anyhow::Result<()> {
    let style = terminal::style_of_progress();
    let width = terminal::size().map_or(120, |(columns, _)| columns);
    let mut text = Vec::new();
    report::machine_text(&prepared.machine, width, style, &mut text)?;
    writeln!(text)?;
    report::predictions_text(
        &prepared.ledger.analyst().rows(),
        &prepared.predictions,
        width,
        style,
        &mut text,
    )?;
    writeln!(text)?;
    if let Some(line) = report::predictions_file(&prepared.plan) {
        writeln!(text, "{line}\n")?;
    }
    // Nobody may be listening; the run goes on all the same.
    let _ = std::io::stderr().write_all(&text);
    Ok(())
}

fn conclude(prepared: &Prepared, end: &End, arguments: &Run) -> anyhow::Result<Exit> {
    let analysis = prepared.ledger.analyst().analysis();
    let view = View {
        header: &prepared.header,
        machine: &prepared.machine,
        peer: prepared.peer.as_ref(),
        plan: &prepared.plan,
        analysis: &analysis,
        end: Some(end),
    };
    let (width, style): (usize, Style) = (terminal::width_of_output(), terminal::style_of_output());
    let mut out = std::io::stdout().lock();
    report::terminal(&view, width, style, &mut out)?;
    match prepared.ledger.trouble() {
        None => writeln!(out, "{}", prepared.path.display())?,
        Some(trouble) => writeln!(out, "no complete record: {trouble}")?,
    }
    let has = |wanted: &[Verdict]| analysis.rows.iter().any(|row| wanted.contains(&row.verdict));
    Ok(if prepared.ledger.trouble().is_some() {
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
