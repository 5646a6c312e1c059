//! Use of the cores of a run by sibling hardware threads, computed from the core states of all trials.

use measure::{Area, Operation};
use quantity::Quantity;

/// Share of quiet time, lengths of quiet and shared periods, and the slowdown while shared.
pub static SHARED_CORE: Operation = Operation {
    id: "noise.shared_core",
    area: Area::Os,
    title: "use of the cores by sibling hardware threads",
    one_iteration: "all core-state samples of one CPU in a run: two probes of 1 µs before and after every sample",
    quantity: Quantity::Ratio,
    method: "Computed from all trials of a run; no worker measures it. Every trial samples the state of its actors' cores before \
             and after each sample and while it waits, by as many independent as dependent additions; the ratio of their \
             times rises when a sibling thread takes issue width. A core is shared when the ratio exceeds 1.08 times that \
             of the quiet core, found over all trials. For each CPU: `property=quiet_share`, the share of quiet time; \
             `property=quiet_stretch` and `property=shared_stretch`, the mean lengths of the states, each the time in the \
             state divided by the number of its ends; `property=slowdown`, the median over points of the cost while shared \
             divided by that while quiet.",
    confounds: "A sibling thread that takes load ports, caches, page walks or memory bandwidth, but no issue width, is not \
                detected. States shorter than the sampling distance of some 0.1 ms are missed or merged. Workers sample more \
                often while they wait for a quiet core; shares are weighted by time, but a trial ends with its quiet \
                samples, so they are not those of the machine's whole time. A core that is shared during the whole run is \
                taken for quiet.",
    sources: &[(
        "SMiTe (MICRO 2014)",
        "interference of hardware threads by resource, with a stressor for each",
    )],
    points: &[],
    ..Operation::VALUES
};
