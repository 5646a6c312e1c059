//! Other system calls than declared: what `calls` and `calls.NAME` must catch.

use crate::{Caught, Sabotage};
use measure::{Failure, Point};
use std::process::{Command, Stdio};
use sys::process;

/// An answer that was kept.
pub static CACHED: Sabotage = Sabotage {
    id: "sabotage.calls.cached",
    of: "syscall.getpid",
    points: |_| Point::all("method=raw"),
    mistake: "the number is kept and the kernel never asked (E01)",
    caught_by: Caught::By("calls.getpid"),
    run: |bench| {
        let kept = process::getpid();
        bench.slope(&mut |n| Ok((0..n).map(|_| u64::from(std::hint::black_box(kept) == kept)).sum()))
    },
    ..Sabotage::NEW
};

/// Another call, whose error is taken for an answer.
pub static ERROR_PATH: Sabotage = Sabotage {
    id: "sabotage.calls.error_path",
    of: "syscall.getppid",
    points: |_| Point::all("method=raw"),
    mistake: "another call is made, and its error is taken for an answer (E02)",
    caught_by: Caught::By("calls.getppid"),
    run: |bench| {
        bench.slope(&mut |n| {
            (0..n).for_each(|_| {
                let _ = process::unknown_call();
            });
            Ok(n)
        })
    },
    ..Sabotage::NEW
};

/// A call that nobody asked for.
pub static UNASKED: Sabotage = Sabotage {
    id: "sabotage.calls.unasked",
    of: "syscall.getppid",
    points: |_| Point::all("method=raw"),
    mistake: "every iteration makes one more call, the fallback that nobody asked for (E59)",
    caught_by: Caught::By("calls"),
    run: |bench| {
        let own = process::getpid();
        bench.slope(&mut |n| {
            Ok((0..n).map(|_| u64::from(process::getppid() > -1 && process::getpid() == own)).sum())
        })
    },
    ..Sabotage::NEW
};

/// Half of the work.
pub static EVERY_SECOND: Sabotage = Sabotage {
    id: "sabotage.calls.every_second",
    of: "syscall.getppid",
    points: |_| Point::all("method=raw"),
    mistake: "every second iteration does nothing, and is counted",
    caught_by: Caught::By("calls.getppid"),
    run: |bench| {
        bench.slope(&mut |n| {
            (0..n).filter(|turn| turn % 2 == 0).for_each(|_| {
                let _ = process::getppid();
            });
            Ok(n)
        })
    },
    ..Sabotage::NEW
};

/// A spawn that is no fork.
pub static SPAWNED: Sabotage = Sabotage {
    id: "sabotage.calls.spawned",
    of: "process.create.fork_wait",
    points: |_| vec![Point::only().with("resident", "0B")],
    mistake: "the child is made by posix_spawn, which shares the parent's memory and loads another program (E59)",
    caught_by: Caught::By("calls"),
    run: |bench| {
        bench.each(true, &mut || {
            let status = Command::new("true").stdin(Stdio::null()).status();
            let status = status.map_err(|error| Failure::Failed(format!("true: {error}")))?;
            Ok(u64::from(status.success()))
        })
    },
    ..Sabotage::NEW
};

/// A second wait.
pub static WAITED_TWICE: Sabotage = Sabotage {
    id: "sabotage.calls.waited_twice",
    of: "process.create.fork_wait",
    points: |_| vec![Point::only().with("resident", "0B")],
    mistake: "the parent waits once more for a child that is gone",
    caught_by: Caught::By("calls.wait4"),
    run: |bench| {
        bench.each(true, &mut || {
            let child = process::fork_exit(0)?;
            let reaped = process::wait_for(child)?.0 == child;
            Ok(u64::from(reaped && process::wait_for(child).is_err()))
        })
    },
    ..Sabotage::NEW
};

/// A fork with more than its own calls.
pub static FORKED_BY_LIBRARY: Sabotage = Sabotage {
    id: "sabotage.calls.forked_by_library",
    of: "process.create.fork_wait",
    points: |_| vec![Point::only().with("resident", "0B")],
    mistake: "the C library's fork is timed, and what the child does before it ends",
    caught_by: Caught::By("calls"),
    run: |bench| {
        bench.each(true, &mut || {
            let ended = process::Actor::spawn(None, || 5)?.join()?;
            Ok(u64::from(ended == process::Ended::Exited(5)))
        })
    },
    ..Sabotage::NEW
};
