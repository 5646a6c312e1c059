//! A run that is ready: its record begun, or resumed where it was left.

use super::outline::{Outline, machine_here};
use crate::arguments::Run;
use crate::commands::dry_run;
use crate::exit::{CliError, Exit, nothing, unusable, unwritable, usage};
use crate::history::{Conditions, earlier_runs};
use crate::placement::Cpus;
use crate::records::now;
use crate::same_machine::{OF_WORKERS, differing, of_another_machine};
use crate::select::Selected;
use crate::supervisor::{CompletedWork, MachineMonitor, Recorder};
use crate::work_directory::{ChosenDirectory, WorkDirectory};
use crate::{Operations, environments, peer_link, plan, records};
use analysis::Analyst;
use jiff::Timestamp;
use machine::{Live, Tree};
use record::{EndReason, Header, Journal, JournalError, Line, Machine, MachineChange, Plan, Record, SCHEMA};
use std::path::{Path, PathBuf};

/// Everything that is decided before the first trial.
pub(super) struct PreparedRun {
    pub(super) outline: Outline,
    pub(super) header: Header,
    pub(super) recorder: Recorder,
    pub(super) path: PathBuf,
    pub(super) done: CompletedWork,
    /// The machine as the record describes it, and what changed of it before the run was resumed.
    recorded: (Machine, Vec<MachineChange>),
}

impl PreparedRun {
    /// What watches the machine from now on.
    pub(super) fn monitor(&self) -> MachineMonitor {
        let (machine, changes) = &self.recorded;
        let elapsed_ns = u64::try_from(self.done.elapsed().as_nanos()).unwrap_or(u64::MAX);
        MachineMonitor::new(machine, self.outline.plan.settings.cpu, changes, elapsed_ns)
    }
}

/// Writes what a record begins with.
pub(super) fn begin(outline: Outline, arguments: &Run, selected: &[Selected]) -> anyhow::Result<PreparedRun> {
    let Outline { machine, plan, peer, .. } = &outline;
    let predictions = plan::predictions(selected, plan);
    let header = header(arguments);
    let conditions = Conditions::from_parts(&header, machine, peer.as_ref(), Some(plan));
    let earlier = earlier_runs(arguments.history.folder(), conditions)?;
    let (path, journal) = new_journal(arguments.output.as_deref()).map_err(journal_error)?;
    let analyst = Analyst::new(plan, machine).after(&earlier);
    let environments = analysts(plan, &analyst).collect();
    let mut recorder = Recorder::new(journal, analyst, environments);
    let lines = [Line::Header(header.clone()), Line::Machine(machine.clone())];
    let lines = lines.into_iter().chain(peer.clone().map(Line::Peer));
    lines.chain([Line::Plan(plan.clone())]).for_each(|line| recorder.append(&line));
    for (id, prediction) in predictions {
        recorder.append(&Line::Prediction { id, prediction });
    }
    let recorded = (outline.machine.clone(), Vec::new());
    Ok(PreparedRun { outline, header, recorder, path, done: CompletedWork::default(), recorded })
}

/// An analyst for each environment in which something is measured.
fn analysts(plan: &Plan, native: &Analyst) -> impl Iterator<Item = Analyst> {
    environments::measured(plan).map(|environment| native.clone().within(environment))
}

/// A new record: where the user wants it, or in the first of the usual places that can be written.
fn new_journal(named: Option<&Path>) -> Result<(PathBuf, Journal), JournalError> {
    let create = |path: PathBuf| Journal::create(&path).map(|journal| (path, journal));
    if let Some(named) = named {
        return create(named.to_owned());
    }
    let mut paths = records::new_paths(Timestamp::now());
    let first = create(paths.next().unwrap_or_default());
    first.or_else(|error| paths.find_map(|path| create(path).ok()).ok_or(error))
}

/// Whether a record can be written to this file. What was not there is not there afterwards either.
pub(super) fn check_output(path: &Path) -> anyhow::Result<()> {
    let was_there = path.symlink_metadata().is_ok();
    drop(Journal::create(path).map_err(journal_error)?);
    if !was_there {
        std::fs::remove_file(path).map_err(|error| crate::exit::file_error(path, error))?;
    }
    Ok(())
}

/// A recorded run as it would go on here: its plan with what the user asks to change, on the machine as it is now.
struct Continuation {
    live: Live,
    machine: Machine,
    plan: Plan,
    cpus: Cpus,
}

impl Continuation {
    /// The plan of a record stands, so the machine must be the same.
    fn of(path: &Path, record: &Record, arguments: &Run) -> anyhow::Result<Self> {
        let live = Live::machine();
        let Some(plan) = record.plan.clone() else {
            return Err(unusable(path, format!("{NO_PLAN}; start a new run")));
        };
        let machine = machine_here(&live, plan.settings.cpu);
        if let Some(why) = why_not_resumed(&record.machine, &machine) {
            return Err(unusable(path, format!("{why}; start a new run")));
        }
        let done = CompletedWork::in_record(record).rounds();
        let plan = Plan { settings: plan::changed(plan.settings, arguments, done), ..plan };
        let allowed = sys::cpu::allowed().unwrap_or_default();
        let cpus = Cpus::choose(&live, &allowed, (plan.settings.cpu, plan.settings.peer_cpu), None)?;
        Ok(Self { live, machine, plan, cpus })
    }
}

/// Why a run ended that is resumed with the settings that it has.
fn ended(record: &Record, arguments: &Run) -> Option<EndReason> {
    let is_changed =
        arguments.budget.is_some() || arguments.rounds.is_some() || arguments.precision.is_some();
    record.end.as_ref().map(|end| end.reason).filter(|_| !is_changed)
}

/// Resumes a record.
pub(super) fn resume(path: PathBuf, arguments: &Run) -> anyhow::Result<PreparedRun> {
    let mut link = peer_link::link(arguments)?;
    let (journal, record) = Journal::resume(&path).map_err(records::unreadable)?;
    let Continuation { live, mut machine, plan, cpus } = Continuation::of(&path, &record, arguments)?;
    let done = CompletedWork::in_record(&record);
    // A record that was cut before its end still gets one.
    if let Some(why) =
        done.exhausted(&plan.settings, ended(&record, arguments)).filter(|_| record.end.is_some())
    {
        return Err(nothing(format!("nothing is measured: {why}")));
    }
    let peer = peer_link::resumed_peer(record.peer.as_ref(), link.as_mut(), of_another_machine)?;
    let directory = plan.settings.directory.as_ref();
    let directory = directory.map(|named| ChosenDirectory::new(Some(Path::new(named)), &live)).transpose()?;
    let work_directory = new_work_directory(directory, &live, &mut machine)?;
    let remote = plan.settings.remote_directory.as_ref();
    let remote = remote.map(|named| ChosenDirectory::remote(Path::new(named), &live)).transpose()?;
    let remote = new_work_directory(remote, &live, &mut machine)?;
    let native = Analyst::new(&plan, &record.machine);
    let environments = analysts(&plan, &native).map(|analyst| analyst.with(&record)).collect();
    let earlier = earlier_runs(arguments.history.folder(), Conditions::of_record(&record))?;
    let native = Analyst::from_record(&record, &plan).after(&earlier);
    let mut recorder = Recorder::new(journal, native, environments);
    recorder.append(&Line::Resumed { at: now() });
    let Record { header, machine: before, changes, .. } = record;
    let outline = Outline { machine, plan, cpus, link, peer, work_directory, remote };
    Ok(PreparedRun { outline, header, recorder, path, done, recorded: (before, changes) })
}

/// Shows what resuming a record would do. The record is only read: nothing is measured or written.
pub(super) fn show_resumed(operations: Operations, path: &Path, arguments: &Run) -> anyhow::Result<Exit> {
    let record = Record::read(path).map_err(records::unreadable)?;
    let Continuation { plan, cpus, .. } = Continuation::of(path, &record, arguments)?;
    let done = CompletedWork::in_record(&record);
    let places: Vec<usize> = (0..plan.points.len()).collect();
    let needs = Analyst::from_record(&record, &plan).needs(&places);
    let open = plan.points.iter().zip(needs).filter(|(_, needs)| needs.to_close > 0.0);
    let progress = dry_run::Progress {
        rounds: done.rounds(),
        elapsed: done.elapsed(),
        open: open.map(|(point, _)| point.id.clone()).collect(),
    };
    let shown = dry_run::show(operations, arguments, &plan, &cpus, Some(&progress))?;
    if let Some(why) = done.exhausted(&plan.settings, ended(&record, arguments)) {
        println!("{why}");
    }
    Ok(shown)
}

/// Why a record without a plan is of no use.
const NO_PLAN: &str = "it ended before its plan was written";

/// Why a run cannot go on with this record here, if it cannot: it has no plan yet, is damaged, or is of another machine.
pub(in crate::commands) fn obstacle(path: &Path) -> Option<String> {
    let record = match Record::read(path) {
        Ok(record) => record,
        Err(error) => return Some(error.to_string()),
    };
    let Some(plan) = record.plan else {
        return Some(NO_PLAN.to_owned());
    };
    let now = machine_here(&Live::machine(), plan.settings.cpu);
    why_not_resumed(&record.machine, &now)
}

/// Why trials of this machine do not go into a record, if they do not.
fn why_not_resumed(before: &Machine, now: &Machine) -> Option<String> {
    if let Some(key) = of_another_machine(before, now) {
        return Some(format!("measured on another machine ({key} differs)"));
    }
    let key = differing(before, now, &OF_WORKERS)?;
    let [before, now] = [before, now]
        .map(|machine| machine.get(key).and_then(report::fact_value).unwrap_or_else(|| "unknown".to_owned()));
    Some(format!("measured with other libraries ({key}: {before} in the record, {now} now)"))
}

/// A new work directory at the place of a plan's files.
fn new_work_directory(
    chosen: Option<ChosenDirectory>,
    live: &Live,
    machine: &mut Machine,
) -> anyhow::Result<Option<WorkDirectory>> {
    let Some(chosen) = chosen else {
        return Ok(None);
    };
    machine.facts.extend(chosen.facts(live));
    WorkDirectory::new(&chosen)
        .map(Some)
        .map_err(|skip| usage(format!("{}; the run cannot be resumed there", skip.reason)))
}

/// The identity of the boot, drawn at random by the kernel.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// The digest of the identity of this boot.
pub(in crate::commands) fn boot() -> Option<String> {
    Live::machine().read(BOOT).ok().map(|identity| record::boot_digest(&identity))
}

fn header(arguments: &Run) -> Header {
    Header {
        format: "oscope".to_owned(),
        schema: SCHEMA,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("OSCOPE_COMMIT").map(str::to_owned),
        started: now(),
        arguments: peer_link::without_key(std::env::args_os().skip(1), arguments.key.as_deref()),
        boot: boot(),
    }
}

fn journal_error(error: JournalError) -> anyhow::Error {
    match error {
        JournalError::File { path, source } => {
            let CliError(exit, why) = unwritable(&path, &source);
            CliError(exit, format!("{why}; name another file with --output")).into()
        }
        _ => records::unreadable(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Fact, FactValue};

    fn machine(facts: &[(&str, FactValue)]) -> Machine {
        let facts = facts.iter().map(|(key, value)| Fact {
            key: (*key).to_owned(),
            value: value.clone(),
            source: String::new(),
            within: None,
            assumed: false,
        });
        Machine { facts: facts.collect() }
    }

    fn text(text: &str) -> FactValue {
        FactValue::Text { text: text.to_owned() }
    }

    #[test]
    fn another_machine_and_other_libraries_are_refused() {
        let preload =
            |items: &[&str]| FactValue::List { items: items.iter().map(|item| (*item).to_owned()).collect() };
        for (key, before, now, says) in [
            (
                "processor.model",
                text("a"),
                text("b"),
                "measured on another machine (processor.model differs)",
            ),
            (
                "kernel.release",
                text("6.1"),
                text("6.2"),
                "measured on another machine (kernel.release differs)",
            ),
            (
                "libc.variables",
                preload(&[]),
                preload(&["LD_PRELOAD=/x.so"]),
                "measured with other libraries (libc.variables: none in the record, LD_PRELOAD=/x.so now)",
            ),
        ] {
            let why = why_not_resumed(&machine(&[(key, before)]), &machine(&[(key, now.clone())]));
            assert_eq!(why.as_deref(), Some(says));
            let unknown = FactValue::Unknown { reason: "not read".to_owned() };
            for older in [machine(&[]), machine(&[(key, unknown)])] {
                assert_eq!(why_not_resumed(&older, &machine(&[(key, now.clone())])), None, "{key}");
            }
        }
    }

    #[test]
    fn what_changes_while_a_machine_runs_does_not_refuse_a_record() {
        for key in
            ["quiet.load_1min", "memory.free", "sysctl.vm.swappiness", "power.governor", "kernel.modules"]
        {
            let [before, now] = ["1", "2"].map(|value| machine(&[(key, text(value))]));
            assert_eq!(why_not_resumed(&before, &now), None, "{key}");
        }
    }
}
