//! Locks that do not lock, and locks that nobody else wants: what the witnesses of contention must catch.

use crate::{Caught, Sabotage};
use sys::posix::Mutex;
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
];
