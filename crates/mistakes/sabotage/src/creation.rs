//! Processes, threads and programs that were made otherwise than claimed: what `made.fork`, `made.vfork`,
//! `made.thread`, `made.program` and `resident.huge` must catch, and stamps that were lost.

use crate::{Caught, End, Sabotage};
use measure::{Bench, CpuTime, Result, Timed};
use sys::process::create::{Fork, Stack, fork_then, vfork_then};
use sys::process::fork_exit;
use workloads::os::children::reap;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.creation.fork_became_vfork",
        of: "process.create.clone3_wait",
        mistake: "the child shares its parent's memory where a copy is claimed (E59)",
        caught_by: Caught::By("made.fork"),
        run: vforks,
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.creation.vfork_became_fork",
        of: "process.create.vfork_wait resident=0B",
        mistake: "the child gets a copy of its parent's memory where none is claimed (E59)",
        caught_by: Caught::By("made.vfork"),
        run: |bench| bench.each(CpuTime::WithChildren, &mut || reap(fork_then(Fork::Clone3, || 3)?, 3)),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.creation.no_program",
        of: "process.create.vfork_exec program=static",
        mistake: "the child exits with the program's status and executes nothing",
        caught_by: Caught::By("made.program"),
        run: vforks,
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.creation.no_thread",
        of: "thread.create.raw",
        mistake: "a child process is made where a thread is claimed",
        caught_by: Caught::By("made.thread"),
        run: vforks,
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.creation.base_pages",
        of: "process.create.fork_wait_huge resident=64MiB",
        mistake: "the parent's memory is on base pages where huge ones are claimed",
        caught_by: Caught::By("resident.huge"),
        run: |bench| {
            let mut memory = sys::memory::Mapping::private(64 << 20)?;
            memory.touch(bench.seed());
            bench.each(CpuTime::WithChildren, &mut || reap(fork_exit(3)?, 3))?;
            bench.count("resident.huge", 0.0, memory.length() as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.creation.not_waited_for",
        of: "process.create.fork_wait resident=0B",
        mistake: "the children are made and not waited for",
        caught_by: Caught::By("children.faults"),
        run: |bench| bench.each(CpuTime::WithChildren, &mut || Ok(fork_exit(0).map(|_| 1)?)),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.creation.private_stamp",
        of: "process.end.exit_wait",
        mistake: "the child's timestamp stays in its own copy of the memory: the parent subtracts zero (E36)",
        end: End::Failed,
        caught_by: Caught::Words("a timestamp is lost"),
        run: |bench| {
            let mut stamp = 0;
            bench.each_part(CpuTime::WithChildren, &mut |clock| {
                let child = fork_then(Fork::Clone, || {
                    stamp = clock.stop();
                    3
                })?;
                let answers = reap(child, 3)?;
                Ok(Timed { ticks: Some(clock.stop() - stamp), answers })
            })
        },
        ..Sabotage::NEW
    },
];

fn vforks(bench: &mut Bench<'_>) -> Result<()> {
    let mut stack = Stack::new()?;
    bench.each(CpuTime::WithChildren, &mut || reap(vfork_then(&mut stack, || 3)?, 3))
}
