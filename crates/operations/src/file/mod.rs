//! Files: reads, writes and syncs, names, the kernel's cache, contention, in the directory that the user names.

pub mod cache_size;
pub mod contention;
pub mod durable;
pub mod lookup;
pub mod names;
pub mod read;
pub mod remote;
pub mod second_read;
mod workloads;
pub mod write;

use measure::{Area, How, Operation, Rehearse};
use record::{Gate, Need};

/// What the operations on files have in common.
const COMMON: Operation = Operation {
    area: Area::File,
    needs: |_| vec![Need::Directory],
    ..Operation::NEW
};

/// The same of those that wait for a device, and are timed one by one: nobody has the CPU meanwhile.
const DEVICE: Operation = Operation {
    how: How::Values,
    gate: Gate {
        cpu_share: None,
        involuntary: false,
        ..Operation::GATE
    },
    rehearse: Rehearse::Nothing,
    bounds: &["floor"],
    ..COMMON
};
