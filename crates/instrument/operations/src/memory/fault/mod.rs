//! Page faults: the cost of the first touch of a page, by its backing.

pub mod anonymous;
pub mod copy_on_write;
pub mod efault;
pub mod file;
pub mod huge;
pub mod major;
pub mod populate;
pub mod readahead;
pub mod reuse;
pub mod userfaultfd;

use measure::Operation;
use record::{Gate, Need};
use workloads::memory::pool::POOL;

/// Bytes of a pool, its copy and its page tables at most.
const NEEDED: u64 = 4 * POOL as u64;

/// Of operations that get a new page for each touch: their batches had a part of what the kernel does for 31 new pages, or lacked it.
const WHOLE_BATCHES: u32 = 2;

/// Common to most first touches: one fault each and no system call.
const TOUCH: Operation = Operation {
    needs: |_| vec![Need::Memory { bytes: NEEDED }],
    evidence: &["one fault per touch", "calls: none"],
    bounds: &["exceptions(1)"],
    ..super::COMMON
};

/// The gate of operations that wait for a device: the CPU is idle meanwhile.
pub const WAITS: Gate = Gate { cpu_share: None, involuntary: false, ..Operation::GATE };
