//! `oscope worker`: measures one point for a supervisor, and dies with it.

use crate::Operations;
use crate::exit::Exit;
use sys::lifeline;

pub fn run(operations: Operations) -> anyhow::Result<Exit> {
    lifeline::die_with_standard_input();
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    measure::worker::serve(operations, &mut input, &mut output)?;
    Ok(Exit::Success)
}
