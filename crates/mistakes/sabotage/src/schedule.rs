//! A load that follows the answers, and a task that does not want the CPU: what the witnesses of schedulers must catch.

use crate::{Caught, Sabotage};
use workloads::os::schedule::requests::{Conduct, serve};
use workloads::os::schedule::turns::slices_of;
use workloads::os::schedule::wakeups::wake;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.schedule.closed_loop",
        of: "schedule.request load=90 time=wakeup",
        mistake: "a request is posted only after the answer to the one before: a slow worker lowers its own load",
        caught_by: Caught::By("load.offered"),
        second_cpu: true,
        run: |bench| serve(bench, Conduct::AfterAnswer),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.schedule.polling",
        of: "schedule.request load=30 time=wakeup",
        mistake: "workers poll their queues and are called woken",
        caught_by: Caught::By("sleeps"),
        second_cpu: true,
        run: |bench| serve(bench, Conduct::Polling),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.schedule.awake",
        of: "wakeup.thread cpu=other",
        mistake: "the thread polls instead of sleeping, and every post is called a wake-up",
        caught_by: Caught::By("sleeps"),
        second_cpu: true,
        run: |bench| wake(bench, !bench.is_rehearsal()),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.schedule.one_asleep",
        of: "schedule.slice tasks=8",
        mistake: "one of the tasks does not exist, and the others share its time",
        caught_by: Caught::By("tasks.working"),
        run: |bench| slices_of(bench, 7),
        ..Sabotage::NEW
    },
];
