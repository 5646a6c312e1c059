//! A command that something must be removed after: it is waited for, and ended when the supervisor is gone.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;
use sys::supervision::{self, Attended};

/// Time for the command to end by itself once the supervisor is gone; less than the supervisor gives this process.
const GRACE: Duration = Duration::from_secs(1);

/// Runs a command, and ends it where the supervisor is gone and the worker does not notice.
pub(super) fn run(command: &mut Command) -> std::io::Result<ExitStatus> {
    // Of its own group: what kills the group of this process must not leave the cleanup undone.
    let mut child = command.process_group(0).spawn()?;
    match supervision::attend(child.id(), None) {
        Attended::Ended => child.wait(),
        Attended::Abandoned => end(&mut child),
    }
}

fn end(child: &mut Child) -> std::io::Result<ExitStatus> {
    if supervision::attend(child.id(), Some(GRACE)) == Attended::Abandoned {
        supervision::kill_group(child.id());
    }
    child.wait()
}
