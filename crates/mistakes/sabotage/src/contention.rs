//! Locks that do not lock, locks that nobody else wants, and waiters that are absent or not moved: what the witnesses of contention
//! must catch.

use crate::{Caught, Sabotage};
use sys::futex::{Scope, wake_all};
use sys::posix::Mutex;
use workloads::os::contention::futex::{Round, Waker, wake};
use workloads::os::contention::queue::{Delivery, hand_off};
use workloads::os::contention::{Lock, contend};

/// A lock that locks nothing.
struct Nothing;

impl Lock for Nothing {
    fn lock(&self) -> sys::Result<()> {
        Ok(())
    }

    fn unlock(&self) -> sys::Result<()> {
        Ok(())
    }
}

/// Wakes all waiters of a round, however many there are, and counts those of the point.
const WAKE_ALL: Waker = Waker {
    timed: |round: &Round<'_>| {
        sys::Error::check("futex", wake_all(round.futex, Scope::Private)).map(|_| round.waiters)
    },
    release: |_| Ok(0),
};

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.contention.no_lock",
        of: "contention.lock lock=mutex critical=0 cpus=2",
        mistake: "the lock locks nothing, and updates are lost",
        caught_by: Caught::By("updates"),
        second_cpu: true,
        run: |bench| contend(bench, true, || Ok(Nothing)),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.contention.own_locks",
        of: "contention.lock lock=mutex critical=0 cpus=2",
        mistake: "each thread has a lock of its own, and nobody waits",
        caught_by: Caught::By("hand_offs"),
        second_cpu: true,
        run: |bench| contend(bench, false, || Ok(Mutex::new()?)),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.contention.half_the_waiters",
        of: "contention.futex call=wake_all waiters=16 cpus=all",
        mistake: "half of the waiters do not exist, and the time is divided by all",
        caught_by: Caught::By("waiters.woken"),
        second_cpu: true,
        run: |bench| wake(bench, 8, &WAKE_ALL),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.contention.not_moved",
        of: "contention.futex call=requeue waiters=16 cpus=all",
        mistake: "waiters that should be moved are woken",
        caught_by: Caught::By("waiters.moved"),
        second_cpu: true,
        run: |bench| wake(bench, 16, &WAKE_ALL),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.contention.item_twice",
        of: "contention.queue producers=1 consumers=4 capacity=16 cpus=all",
        mistake: "every second item is delivered as a copy of the one before, and lost",
        caught_by: Caught::By("answers"),
        second_cpu: true,
        run: |bench| {
            // A rehearsal with a wrong answer is an error.
            let delivery: Delivery = if bench.is_rehearsal() { |item| item } else { |item| item & !1 };
            hand_off(bench, delivery)
        },
        ..Sabotage::NEW
    },
];
