//! Files in the directory that the user names: reads, writes, syncs, directory operations, page cache, contention.

pub mod cache_size;
pub mod commit;
pub mod contention;
pub mod copy;
pub mod durable;
pub mod lookup;
pub mod names;
pub mod open;
pub mod queued;
pub mod read;
pub mod remote;
pub mod reread;
pub mod write;

use measure::{Area, How, Operation, Rehearse};
use record::{Gate, Need};

/// Common to operations on files.
pub const COMMON: Operation =
    Operation { area: Area::File, needs: |_| vec![Need::Directory], ..Operation::NEW };

/// Common to operations that wait for a device and are timed individually: the CPU is idle meanwhile.
pub const DEVICE: Operation = Operation {
    how: How::Values,
    gate: Gate { cpu_share: None, involuntary: false, ..Operation::GATE },
    rehearse: Rehearse::Nothing,
    bounds: &["floor"],
    ..COMMON
};
