//! Workers that end without an answer: how, why as far as it can be known, and what helps.

use record::{Reply, Skip};
use sys::out_of_memory::Killed;
use sys::process::Ended;

/// The reply in place of a worker that ended so, with the first line of its standard error; `before` is what the kernel
/// had killed when it was started.
pub fn reply(ended: Option<Ended>, stderr: &str, before: Killed) -> Reply {
    if ended == Some(Ended::BY_KILL) && before.has_grown(Killed::now()) {
        return Reply::Skipped(Skip {
            reason: "the kernel killed the worker because memory ran out".to_owned(),
            remedy: "free memory, raise the memory limit of its control group (memory.max), or leave the point out"
                .to_owned(),
        });
    }
    let how = match ended {
        Some(Ended::Killed(signal)) => format!("the worker was killed by signal {signal} before it answered"),
        Some(Ended::Exited(code)) => format!("the worker ended with status {code} and no answer"),
        None => "the worker ended without an answer".to_owned(),
    };
    Reply::Failed { reason: if stderr.is_empty() { how } else { format!("{how}: {stderr}") } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worker_that_the_kernel_killed_for_memory_is_skipped_with_a_remedy() {
        // Before the first process was killed on any machine: whatever it counts now is more, once it killed one.
        let (none, now) = (Killed::zero(), Killed::now());
        let killed = reply(Some(Ended::BY_KILL), "", none);
        let is_skipped = matches!(killed, Reply::Skipped(skip) if skip.remedy.contains("memory.max"));
        assert_eq!(is_skipped, none.has_grown(now));
        for (ended, why) in [(Ended::Killed(11), "signal 11"), (Ended::Exited(1), "status 1")] {
            assert!(matches!(reply(Some(ended), "", none), Reply::Failed { reason } if reason.contains(why)));
        }
        let other = reply(Some(Ended::BY_KILL), "out", now);
        assert!(matches!(other, Reply::Failed { reason } if reason.ends_with("before it answered: out")));
    }
}
