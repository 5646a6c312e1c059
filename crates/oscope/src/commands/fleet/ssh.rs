//! `oscope fleet ssh`: a script that measures the hosts of a file over ssh and brings their records here.

use super::launch::{absolute, file_name, filled, host_name, hosts, program_here, quoted, run_of};
use crate::Operations;
use crate::arguments::FleetSsh;
use crate::exit::Exit;
use std::io::Write;

const MEASURE: &str = include_str!("ssh/measure.sh");

pub fn run(operations: Operations, arguments: &FleetSsh) -> anyhow::Result<Exit> {
    let launch = &arguments.launch;
    run_of(operations, &launch.measured)?;
    let words = quoted(launch.measured.words())?;
    let hosts = hosts(&arguments.hosts)?;
    let (mut calls, mut files) = (String::new(), Vec::new());
    for repeat in 1..=launch.repeats {
        for (number, host) in hosts.iter().enumerate() {
            let name = host_name(host);
            let file = file_name(name, repeat);
            let directory = format!(".oscope-fleet-{name}");
            let node = format!("fleet node --shared {directory} --name {name} --repeat {repeat} {words}");
            let call = quoted([host.as_str(), file.as_str(), directory.as_str(), node.trim_end()])?;
            calls.push_str(&format!("measure {call} &\n"));
            files.push(file);
            let is_last = number + 1 == hosts.len();
            if is_last || (number + 1).is_multiple_of(arguments.at_once as usize) {
                calls.push_str("wait\n");
            }
        }
    }
    let values = [
        ("@SHARED@", quoted([absolute(&launch.shared)?.as_str()])?),
        ("@PROGRAM@", quoted([program_here()?.as_str()])?),
        ("@CONNECT_TIMEOUT@", arguments.connect_timeout.as_secs().max(1).to_string()),
        ("@CALLS@", calls),
        ("@FILES@", quoted(files.iter().map(String::as_str))?),
    ];
    let script = filled(MEASURE, &values);
    std::io::stdout().lock().write_all(script.as_bytes())?;
    Ok(Exit::Success)
}
