//! Children and threads that were not made, not once, or ended otherwise: what `children.faults`, `switches`, `calls.exit`
//! and `answers` must catch.

use crate::{Caught, Sabotage};
use measure::{CpuTime, Timed};
use sys::process::{Actor, Ended};
use sys::thread::posix::create_and_join;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.children.none",
        of: "process.create.fork_wait resident=0B",
        mistake: "no child is made, and one is claimed",
        caught_by: Caught::By("children.faults"),
        run: |bench| bench.each(CpuTime::WithChildren, &mut || Ok(1)),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.children.thread",
        of: "process.create.fork_wait resident=0B",
        mistake: "a thread is made where a process is declared",
        caught_by: Caught::By("children.faults"),
        run: |bench| bench.each(CpuTime::WithChildren, &mut || Ok(create_and_join(&|| (), || 1)?)),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.children.no_thread",
        of: "thread.create.join",
        mistake: "no thread is made: its creator does the work itself, and claims one",
        caught_by: Caught::By("switches"),
        run: |bench| {
            // As long as a thread takes: the clock of CPU time is too coarse for less, and the gate would leave nothing.
            bench.each(CpuTime::Process, &mut || {
                (0..500).for_each(|_| std::hint::spin_loop());
                Ok(1)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.children.two_threads",
        of: "thread.create.join",
        mistake: "two threads are made where one is declared",
        caught_by: Caught::By("calls.exit"),
        run: |bench| {
            bench.each(CpuTime::Process, &mut || {
                create_and_join(&|| (), || ())?;
                Ok(create_and_join(&|| (), || 1)?)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.children.not_killed",
        of: "process.end.kill_wait",
        mistake: "the child exits by itself before the signal comes",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let cpu = bench.cpu();
            bench.each_part(CpuTime::WithChildren, &mut |clock| {
                let child = Actor::spawn(cpu, || 0)?;
                let before = clock.start();
                let ended = child.join()?;
                Ok(Timed { ticks: Some(clock.stop() - before), answers: u64::from(ended == Ended::BY_KILL) })
            })
        },
        ..Sabotage::NEW
    },
];
