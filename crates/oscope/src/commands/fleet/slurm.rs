//! `oscope fleet slurm`: a script that submits one job for each node and repetition.
//!
//! A job array gives its tasks to whichever nodes are free, so that one node may get two and another none. Each node has
//! therefore an array of its own, whose indices are the repetitions.

use super::launch::{absolute, filled, program_here, quoted, run_of};
use crate::Operations;
use crate::arguments::FleetSlurm;
use crate::exit::{Exit, file_error, nothing};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const SUBMIT: &str = include_str!("slurm/submit.sh");
const PAIRS: &str = include_str!("slurm/pairs.sh");
/// What both begin with, and what the jobs of both begin with.
const PROGRAM: &str = include_str!("slurm/program.sh");
const JOB: &str = include_str!("slurm/job.sh");

/// The directory of the records of pairs, below that of the records of nodes.
pub const PAIRS_FOLDER: &str = "pairs";

pub fn run(operations: Operations, arguments: &FleetSlurm) -> anyhow::Result<Exit> {
    run_of(operations, &arguments.launch.measured)?;
    let script = script(arguments)?;
    if arguments.submit {
        return submit(&script);
    }
    std::io::stdout().lock().write_all(script.as_bytes())?;
    Ok(Exit::Success)
}

fn script(arguments: &FleetSlurm) -> anyhow::Result<String> {
    let launch = &arguments.launch;
    let option = |name: &str, value: &Option<String>| {
        let value = value.as_ref()?;
        Some(quoted([format!("--{name}={value}").as_str()]))
    };
    let options = [option("partition", &arguments.partition), option("constraint", &arguments.constraint)];
    let options: Vec<String> = options.into_iter().flatten().collect::<Result<_, _>>()?;
    let partition = option("partition", &arguments.partition).transpose()?;
    let nodes = match &arguments.nodelist {
        Some(list) => format!("scontrol show hostnames {}", quoted([list.as_str()])?),
        None => {
            let partition = partition.map(|option| format!(" {option}")).unwrap_or_default();
            format!("sinfo --noheader --Node --format=%N{partition} | sort -u")
        }
    };
    let (source, program) = match &arguments.program {
        Some(there) => (String::new(), quoted([absolute(there)?.as_str()])?),
        None => (quoted([program_here()?.as_str()])?, String::new()),
    };
    let (template, folder, on_each_node) = match arguments.pairs {
        true => (PAIRS, launch.shared.join(PAIRS_FOLDER), "srun --overlap --ntasks-per-node=1 --mem=0 "),
        false => (SUBMIT, launch.shared.clone(), ""),
    };
    let template = template.replace("@PROGRAM_FOR_ALL@", PROGRAM.trim_end()).replace("@JOB@", JOB.trim_end());
    let selection = launch.measured.selection.iter().map(String::as_str);
    let default = launch.measured.selection.is_empty().then_some("network");
    let values = [
        ("@SHARED@", quoted([absolute(&folder)?.as_str()])?),
        ("@SELECTION@", quoted(selection.chain(default))?),
        ("@RUN@", quoted(launch.measured.options.iter().map(String::as_str))?),
        ("@COPY@", copy_on_nodes(&folder)),
        ("@ON_EACH_NODE@", on_each_node.to_owned()),
        ("@SOURCE@", source),
        ("@PROGRAM@", program),
        ("@NODES@", nodes),
        ("@REPEATS@", launch.repeats.to_string()),
        ("@EVERY@", arguments.every.map_or(0, |every| every.as_secs()).to_string()),
        ("@OPTIONS@", options.join(" ")),
        ("@WORDS@", quoted(launch.measured.words())?),
    ];
    Ok(filled(&template, &values))
}

/// How the copies of the program on nodes begin: those of several clusters on one machine are kept apart by the directory of
/// their records.
fn copy_on_nodes(folder: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    folder.hash(&mut hasher);
    format!("/tmp/.oscope-{:x}", hasher.finish())
}

/// Has a shell run the script.
fn submit(script: &str) -> anyhow::Result<Exit> {
    let not_run = |error: std::io::Error| file_error(Path::new("sh"), error);
    let mut shell = Command::new("sh").arg("-s").stdin(Stdio::piped()).spawn().map_err(not_run)?;
    if let Some(mut input) = shell.stdin.take() {
        input.write_all(script.as_bytes()).map_err(not_run)?;
    }
    let status = shell.wait().map_err(not_run)?;
    match status.success() {
        true => Ok(Exit::Success),
        false => Err(nothing("nothing was submitted")),
    }
}
