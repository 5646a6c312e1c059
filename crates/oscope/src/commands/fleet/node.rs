//! `oscope fleet node`: one node's record into a shared directory. It has its name when it is finished and no earlier.

use super::launch::{check_name, file_name, run_of};
use crate::arguments::{FleetNode, Run};
use crate::commands::run;
use crate::exit::{Exit, file_error, unusable};
use crate::notice::notice;
use crate::{Operations, records};
use std::path::{Path, PathBuf};

/// Partial records that are set aside, at most: more are a node that never gets far.
const MOST_SET_ASIDE: u32 = 100;

pub fn run(operations: Operations, arguments: &FleetNode) -> anyhow::Result<Exit> {
    let run = run_of(operations, &arguments.measured)?;
    let name = arguments.name.clone().map_or_else(own_name, Ok)?;
    check_name(&name)?;
    let repeat = arguments.repeat.or_else(repeat_of_pod).unwrap_or(1);
    let shared = &arguments.shared;
    std::fs::create_dir_all(shared).map_err(|error| file_error(shared, error))?;
    let record = shared.join(file_name(&name, repeat));
    // Hidden, so that no report reads it before it is whole.
    let partial = shared.join(format!(".{}.partial", file_name(&name, repeat)));
    if record.exists() {
        notice!("oscope: {} is there already: nothing to do", record.display());
        println!("{}", record.display());
        return Ok(Exit::Success);
    }
    let ended = run::run(operations, into_partial(run, &partial)?)?;
    match ended {
        Exit::Success | Exit::Findings | Exit::Nothing => {
            std::fs::rename(&partial, &record).map_err(|error| file_error(&record, error))?;
            records::remember(&record);
            println!("{}", record.display());
        }
        _ => notice!("oscope: not finished; run the same command again to resume it"),
    }
    Ok(ended)
}

/// The run, into a new partial record or the one that is there.
fn into_partial(run: Run, partial: &Path) -> anyhow::Result<Run> {
    let length = std::fs::metadata(partial).map_or(0, |found| found.len());
    let obstacle = (length > 0).then(|| run::obstacle(partial)).flatten();
    if let Some(why) = &obstacle {
        let aside = set_aside(partial)?;
        notice!(
            "oscope: starting a new run, because the partial record cannot be resumed: {why}; it is kept as {}",
            aside.display()
        );
    }
    Ok(if length > 0 && obstacle.is_none() {
        notice!("oscope: resuming {}", partial.display());
        Run { resume: Some(partial.to_owned()), ..run }
    } else {
        Run { output: Some(partial.to_owned()), ..run }
    })
}

/// Gives a partial record a name under which nothing looks for it, and which a user finds.
fn set_aside(partial: &Path) -> anyhow::Result<PathBuf> {
    let free = (1..=MOST_SET_ASIDE)
        .map(|number| partial.with_extension(format!("set-aside-{number}")))
        .find(|path| !path.exists())
        .ok_or_else(|| unusable(partial, "too many partial records are kept beside it; remove some"))?;
    std::fs::rename(partial, &free).map_err(|error| file_error(&free, error))?;
    Ok(free)
}

/// What the scheduler calls this node, else its host name.
fn own_name() -> anyhow::Result<String> {
    let facts = machine::describe_scheduler(&|name| std::env::var(name).ok());
    let machine = record::Machine { facts };
    if let Some(node) = machine.text("scheduler.node") {
        return Ok(node.to_owned());
    }
    let path = Path::new("/proc/sys/kernel/hostname");
    let host = std::fs::read_to_string(path).map_err(|error| file_error(path, error))?;
    Ok(host.trim().to_owned())
}

/// The repetition that a pod of an indexed Kubernetes job is; its indices begin at 0.
fn repeat_of_pod() -> Option<u32> {
    let index = std::env::var("JOB_COMPLETION_INDEX").ok()?;
    index.parse::<u32>().ok()?.checked_add(1)
}
