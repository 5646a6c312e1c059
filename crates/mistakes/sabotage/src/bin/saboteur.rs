//! oscope with sabotaged operations besides the right ones, for the tests.
#![forbid(unsafe_code)]

use oscope_sabotage::liar;
use std::process::ExitCode;
use sys::supervision;

/// Set to any value, it lets every worker end before it reads its request.
const DEAF: &str = "SABOTEUR_DEAF";

/// What it does as a peer: what oscope does, and what the instrument of the tests asks for.
static SERVICES: &[&peer::Service] = &[
    &workloads::network::peer_services::STREAMS,
    &workloads::network::peer_services::FLOWS,
    &workloads::network::peer_services::DATAGRAMS,
    &workloads::network::peer_services::ACCEPTS,
    &peer::services::ECHO_TCP,
];

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| word == "worker") {
        worker()
    } else {
        oscope::main_with(oscope_sabotage::operations(), SERVICES)
    }
}

/// As the worker of oscope, but where a request is to be lied to.
fn worker() -> ExitCode {
    if std::env::var_os(DEAF).is_some() {
        return ExitCode::from(9);
    }
    let served = measure::worker::listen(&mut std::io::stdin().lock()).and_then(|request| {
        if !supervision::exit_when_stdin_closes() {
            return Ok(());
        }
        let output = &mut std::io::stdout().lock();
        match liar::mode(&request) {
            Some((request, mode)) => liar::lie(&request, &mode, output),
            None => measure::worker::serve(oscope_sabotage::operations(), &request, output),
        }
    });
    if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
