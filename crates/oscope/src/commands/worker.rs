//! `oscope worker`: measures one point for a supervisor, and dies with it.

use crate::Operations;
use crate::exit::Exit;
use sys::supervision;

pub fn run(operations: Operations) -> anyhow::Result<Exit> {
    let request = measure::worker::listen(&mut std::io::stdin().lock())?;
    if supervision::exit_when_stdin_closes() {
        measure::worker::serve(operations, &request, &mut std::io::stdout().lock())?;
    }
    Ok(Exit::Success)
}
