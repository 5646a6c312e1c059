//! Page faults: what the first touch of a page costs, by what stands behind the page.

pub mod ahead;
pub mod anonymous;
pub mod copy_on_write;
pub mod file;
pub mod huge;
pub mod major;
pub mod major_wrong;
pub mod populate;
pub mod refused;
pub mod reuse;
pub mod user;

use measure::{Area, Operation};
use record::{Gate, Need};

/// Bytes of the pages that are touched one after another before they are all given back: four times the second
/// cache of most cores, so that what is cleared or copied is not warm from the round before.
pub const POOL: usize = 16 << 20;

/// What a pool, its copy and its page tables take at most.
const NEEDED: u64 = 4 * POOL as u64;

/// What most first touches have in common: one fault each, and no call.
const TOUCH: Operation = Operation {
    area: Area::Memory,
    needs: |_| vec![Need::Memory { bytes: NEEDED }],
    evidence: &[
        "answers = 1: every page held what it should, before or after",
        "faults.minor 0.99..1.01: every touch is one fault, served without the disk",
        "linear",
        "calls: none",
        "undisturbed",
    ],
    bounds: &["exceptions(1)"],
    ..Operation::NEW
};

/// The gate of operations that wait for a device: nobody has the CPU meanwhile.
pub const WAITS: Gate = Gate {
    cpu_share: None,
    involuntary: false,
    ..Operation::GATE
};
