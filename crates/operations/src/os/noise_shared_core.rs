//! Use of the cores of a run by sibling hardware threads, computed from the core states of all trials.

use measure::{Area, How, Operation, Rehearse};
use quantity::Quantity;

/// Share of quiet time, lengths of quiet and shared periods, and the slowdown while shared.
pub static OPERATION: Operation = Operation {
    id: "noise.shared_core",
    area: Area::Os,
    title: "use of the cores by sibling hardware threads",
    one_iteration: "all looks of a run at the core of one CPU: two probes of a microsecond beside every sample",
    quantity: Quantity::Ratio,
    method: "No worker measures it: every trial of every other operation looks at the cores of its actors before and \
             after each sample and while it waits. A look times as many independent additions as dependent ones; the \
             ratio rises when another hardware thread takes a part of the core's issue width. A look is shared when its \
             ratio is more than 1.08 times that of the quiet core, which is found over all trials of the run. For each \
             CPU: `property=quiet_share`, the share of the time between looks that was quiet; `property=quiet_stretch` and \
             `property=shared_stretch`, the mean lengths of stretches, each the time in the state divided by the number of \
             times it ended; `property=slowdown`, the median over points of the cost while shared divided by that while quiet.",
    confounds: "A neighbour that leaves the issue width alone is not seen: one that only takes load ports, caches, page \
                walks or memory bandwidth. Stretches shorter than the distance of two looks, some 0.1 ms, are missed or \
                joined. Workers look more often while they wait, which is while the core is shared; times are weighted, \
                not looks, but a trial ends when it has its quiet samples, so the share of all the time of the machine \
                may differ. A core that is shared from the first look to the last is taken for quiet.",
    sources: &[(
        "SMiTe (MICRO 2014)",
        "interference of hardware threads by resource, with a stressor for each: resources do not stand for each other",
    )],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| Vec::new(),
    ..Operation::NEW
};
