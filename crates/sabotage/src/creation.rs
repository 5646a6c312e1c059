//! Processes, threads and programs that were made otherwise than claimed: what `made.fork`, `made.vfork`,
//! `made.thread`, `made.program` and `resident.huge` must catch, and stamps that were lost.

use crate::{Caught, End, Sabotage};
use measure::{Bench, Failure, Point, Timed};
use sys::process::create::{Fork, Stack, fork_then, vfork_then};
use sys::process::{Ended, fork_exit, wait_for};

/// A fork that became a vfork.
pub static FORK_BECAME_VFORK: Sabotage = Sabotage {
    id: "sabotage.creation.fork_became_vfork",
    of: "process.create.clone3_wait",
    mistake: "the child borrows its parent's memory where a copy is claimed (E59)",
    caught_by: Caught::By("made.fork"),
    run: vforks,
    ..Sabotage::NEW
};

/// A vfork that became a fork.
pub static VFORK_BECAME_FORK: Sabotage = Sabotage {
    id: "sabotage.creation.vfork_became_fork",
    of: "process.create.vfork_wait",
    points: |_| vec![Point::only().with("resident", "0B")],
    mistake: "the child gets a copy of its parent's memory where none is claimed (E59)",
    caught_by: Caught::By("made.vfork"),
    run: |bench| bench.each(true, &mut || reap(fork_then(Fork::Clone3, || 3)?, 3)),
    ..Sabotage::NEW
};

/// A program that was never executed.
pub static NO_PROGRAM: Sabotage = Sabotage {
    id: "sabotage.creation.no_program",
    of: "process.create.vfork_exec",
    points: |_| vec![Point::only().with("program", "static")],
    mistake: "the child exits with the program's status and executes nothing",
    caught_by: Caught::By("made.program"),
    run: vforks,
    ..Sabotage::NEW
};

/// A thread that never was.
pub static NO_THREAD: Sabotage = Sabotage {
    id: "sabotage.creation.no_thread",
    of: "thread.create.raw",
    mistake: "a child process is made where a thread is claimed",
    caught_by: Caught::By("made.thread"),
    run: vforks,
    ..Sabotage::NEW
};

/// Base pages for huge ones.
pub static BASE_PAGES: Sabotage = Sabotage {
    id: "sabotage.creation.base_pages",
    of: "process.create.fork_wait_huge",
    points: |_| vec![Point::only().with("resident", "64MiB")],
    mistake: "the parent's memory is on base pages where huge ones are claimed",
    caught_by: Caught::By("resident.huge"),
    run: |bench| {
        let mut memory = sys::memory::Mapping::private(64 << 20)?;
        memory.touch(bench.seed());
        bench.each(true, &mut || reap(fork_exit(3)?, 3))?;
        bench.count("resident.huge", 0.0, memory.length() as f64);
        Ok(())
    },
    ..Sabotage::NEW
};

/// A child that is not waited for.
pub static NOT_WAITED_FOR: Sabotage = Sabotage {
    id: "sabotage.creation.not_waited_for",
    of: "process.create.fork_wait",
    points: |_| vec![Point::only().with("resident", "0B")],
    mistake: "the children are made and left to themselves",
    caught_by: Caught::By("children.faults"),
    run: |bench| {
        bench.each(true, &mut || {
            fork_exit(0)?;
            Ok(1)
        })
    },
    ..Sabotage::NEW
};

/// R4's stamp, which the child keeps to itself.
pub static PRIVATE_STAMP: Sabotage = Sabotage {
    id: "sabotage.creation.private_stamp",
    of: "process.end.exit_wait",
    mistake: "the child's stamp stays in its own copy of the memory: the parent subtracts nothing (E36)",
    end: End::Failed,
    caught_by: Caught::Words("a stamp is lost or foreign"),
    run: |bench| {
        let mut stamp = 0;
        bench.each_part(true, &mut |clock| {
            let child = fork_then(Fork::Clone, || {
                stamp = clock.stop();
                3
            })?;
            let answers = reap(child, 3)?;
            Ok(Timed { ticks: Some(clock.stop() - stamp), answers })
        })
    },
    ..Sabotage::NEW
};

fn vforks(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut stack = Stack::new()?;
    bench.each(true, &mut || reap(vfork_then(&mut stack, || 3)?, 3))
}

fn reap(child: i32, status: i32) -> Result<u64, Failure> {
    Ok(u64::from(wait_for(child)? == (child, Ended::Exited(status))))
}
