//! What a run sets out to do: its points, its settings, the places and the peer that it needs.

use crate::arguments::Run;
use crate::placement::Cpus;
use crate::select::{
    ALL, HEADLINE, Selected, add_alone, add_common_parts, add_parts, add_right_ones, leave_out_of_headline,
    named, scaled, select,
};
use crate::user_predictions::Predictions;
use crate::work_directory::{ChosenDirectory, WorkDirectory};
use crate::{Operations, peer_link, plan};
use machine::Live;
use record::{Machine, Need, PeerEnd, PeerLink, Plan, Profile};

/// What a run sets out to do, before anything of it is written.
pub(in crate::commands) struct Outline {
    pub(in crate::commands) machine: Machine,
    pub(in crate::commands) plan: Plan,
    pub(in crate::commands) cpus: Cpus,
    pub(in crate::commands) link: Option<PeerLink>,
    pub(in crate::commands) peer: Option<PeerEnd>,
    pub(in crate::commands) work_directory: Option<WorkDirectory>,
    pub(in crate::commands) remote: Option<WorkDirectory>,
}

pub(in crate::commands) fn outline(
    operations: Operations,
    arguments: &Run,
    selected: &[Selected],
) -> anyhow::Result<Outline> {
    let live = Live::machine();
    let allowed = sys::cpu::allowed().unwrap_or_default();
    let mut link = peer_link::link(arguments)?;
    let cpus = Cpus::choose(&live, &allowed, (arguments.cpu, arguments.peer_cpu), arguments.cpu_class)?;
    let mut machine = machine_here(&live, cpus.main);
    if let Some(link) = &link {
        let facts = peer_link::facts(link, &live, &machine);
        machine.facts.extend(facts);
    }
    let (chosen, remote) = places(arguments, &live, selected)?;
    let peer = link.as_mut().filter(|_| !arguments.dry_run);
    let peer = peer.map(peer_link::check).transpose()?;
    let mut settings = plan::settings(arguments, selected, &cpus);
    let directories = [&chosen, &remote].into_iter().flatten();
    machine.facts.extend(directories.flat_map(|chosen| chosen.facts(&live)));
    settings.directory = chosen.as_ref().map(ChosenDirectory::text);
    settings.remote_directory = remote.as_ref().map(ChosenDirectory::text);
    let named = named(operations, &arguments.selection, selected)?;
    let here = plan::Resources {
        cpus: &cpus,
        machine: &machine,
        has_peer: link.is_some(),
        has_remote: remote.is_some(),
        drops_caches: peer.as_ref().map(|peer| peer.drops_caches),
        named: &named,
    };
    let mut plan = plan::plan(selected, settings, here);
    with_user(operations, arguments, &mut plan)?;
    let work_directory = work_directory(&Need::Directory, chosen.as_ref(), &mut plan, selected);
    let remote = self::work_directory(&Need::RemoteDirectory, remote.as_ref(), &mut plan, selected);
    Ok(Outline { machine, plan, cpus, link, peer, work_directory, remote })
}

/// The directories in which files are measured, here and on a remote file system, as far as these points need them.
fn places(
    arguments: &Run,
    live: &Live,
    selected: &[Selected],
) -> anyhow::Result<(Option<ChosenDirectory>, Option<ChosenDirectory>)> {
    let here = ChosenDirectory::new(arguments.dir.as_deref(), live)?;
    let named = arguments.remote_dir.as_deref();
    let remote = named.map(|named| ChosenDirectory::remote(named, live)).transpose()?;
    Ok((
        Some(here).filter(|_| plan::any_needs(selected, &Need::Directory)),
        remote.filter(|_| plan::any_needs(selected, &Need::RemoteDirectory)),
    ))
}

/// Puts the user's own predictions into the plan, so that they stand in the record before the first trial.
fn with_user(operations: Operations, arguments: &Run, plan: &mut Plan) -> anyhow::Result<()> {
    let Some(path) = &arguments.predictions else {
        return Ok(());
    };
    let applied = Predictions::read(path, operations)?.apply(plan)?;
    if applied.unused > 0 {
        plan.left_out.push(format!(
            "{} of the user's predictions are of operations that this run does not measure",
            applied.unused
        ));
    }
    Ok(())
}

/// The work directory of the points with this need, if there are any; where none can be made, they are left out.
fn work_directory(
    need: &Need,
    chosen: Option<&ChosenDirectory>,
    plan: &mut Plan,
    selected: &[Selected],
) -> Option<WorkDirectory> {
    match WorkDirectory::new(chosen?) {
        Ok(work_directory) => Some(work_directory),
        Err(why) => {
            plan::without(plan, selected, need, &why);
            None
        }
    }
}

/// This machine, its cores described by this CPU, and what a scheduler says of the job.
pub(super) fn machine_here(live: &Live, cpu: Option<u32>) -> Machine {
    let mut machine = machine::describe_core(live, cpu);
    machine.facts.extend(machine::describe_scheduler(&|name| std::env::var(name).ok()));
    machine
}

/// The points that the command line means.
pub(super) fn selected(operations: Operations, arguments: &Run) -> anyhow::Result<Vec<Selected>> {
    let profile = arguments.profile;
    let has_headline = operations.iter().any(|operation| !operation.headline.is_empty());
    let default = [if has_headline && profile != Profile::Tail { HEADLINE } else { ALL }.to_owned()];
    let words = match arguments.selection.as_slice() {
        [] => default.as_slice(),
        words => words,
    };
    let mut selected = select(operations, words, profile, arguments.with_flawed_methods)?;
    let cpus = sys::cpu::allowed().map_or(1, |allowed| allowed.len());
    leave_out_of_headline(operations, words, cpus, &mut selected)?;
    if arguments.scale {
        selected = scaled(operations, &selected, profile)?;
    }
    add_right_ones(operations, &mut selected, profile);
    add_alone(operations, &mut selected, profile);
    if arguments.with_parts || arguments.scale {
        add_parts(operations, &mut selected, profile);
    } else if words.iter().all(|word| word == HEADLINE) {
        add_common_parts(operations, &mut selected, profile);
    }
    Ok(selected)
}
