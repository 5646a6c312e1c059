//! Groups of which only a part works: what the witnesses of messages among groups must catch.

use crate::{Caught, Sabotage};
use workloads::os::messaging::exchange;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[Sabotage {
    id: "sabotage.messaging.half_the_senders",
    of: "ipc.messaging channel=pipe tasks=processes groups=1 descriptors=20 cpus=1",
    mistake: "every second sender sends twice as many messages, and the others none",
    caught_by: Caught::By("tasks.working"),
    run: |bench| exchange(bench, 2),
    ..Sabotage::NEW
}];
