//! Creating processes: fork, vfork, clone3, posix_spawn, and executing a program in the new one.

pub mod exec;
pub mod fork_huge;
pub mod fork_timestamps;
pub mod fork_wait;
pub mod vfork_wait;

use measure::{Actors, How, Operation, takes};
use record::{Gate, Need};
use workloads::os::children::{Parent, resident_bytes};

/// Common to the cards of task creation and exit.
pub(super) const CREATE: Operation = Operation {
    actors: Actors::Children,
    how: How::Each,
    // Part of the work of process creation is not charged to a task.
    gate: Gate { cpu_share: Some(0.9), involuntary: false, ..Operation::GATE },
    // The parent's memory, page tables and copies.
    needs: |point| match resident_bytes(point) {
        0 => Vec::new(),
        resident => vec![Need::Memory { bytes: 3 * resident }],
    },
    bounds: &["three calls"],
    parameters: takes::<Parent>,
    ..super::COMMON
};

/// The same CPU and, in the thorough profile, the other one, which the scheduler seldom chooses for a child: few
/// iterations of a trial count.
pub(super) const PLACEMENTS: &[&str] = &["cpu=same", "profile=thorough: cpu=other"];
