//! Idle states that are not what the point says: what `idle.halted`, `idle.spun` and `idle.polled` must catch.

use crate::{Caught, Sabotage};
use measure::Failure;
use sys::{cpu, idle_state};
use workloads::exchange::{pipes, round_trips};

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.idle.stopped",
        of: "ipc.pipe.round_trip cpu=other idle=busy",
        mistake: "the spinning tasks are stopped: the CPUs halt while their actors wait",
        caught_by: Caught::By("idle.spun"),
        second_cpu: true,
        run: |bench| {
            idle_state::spinners().into_iter().try_for_each(idle_state::stop)?;
            round_trips(bench, pipes)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.idle.wrong_cpu",
        of: "ipc.pipe.round_trip cpu=other idle=busy",
        mistake: "both spinning tasks are on the CPU of one actor: that of the other halts",
        caught_by: Caught::By("idle.halted"),
        second_cpu: true,
        run: |bench| {
            let own = bench.cpu().ok_or_else(|| Failure::failed("the main actor has no CPU of its own"))?;
            idle_state::spinners().into_iter().try_for_each(|spinner| cpu::pin_task(spinner, own))?;
            round_trips(bench, pipes)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.idle.limit_taken_back",
        of: "ipc.pipe.round_trip cpu=other idle=polling",
        mistake: "the latency limit is taken back before the first batch: the CPUs halt",
        caught_by: Caught::By("idle.polled"),
        second_cpu: true,
        run: |bench| {
            idle_state::take_limit_back();
            round_trips(bench, pipes)
        },
        ..Sabotage::NEW
    },
];
