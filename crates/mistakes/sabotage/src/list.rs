//! Every sabotage, and the witnesses without one.

use crate::sabotage::Sabotage;
use crate::{
    answers, bandwidth, bounds, calls, children, clocks, contention, creation, durability, files, heap, idle,
    instructions, library, linearity, memory, messaging, network, noise, pages, placement, probes,
    remote_files, rings, scaling, schedule, seams, served, services, shares, shootdown, sleeps, switches,
};

/// The sabotages of each file.
static FILES: &[&[Sabotage]] = &[
    answers::ALL,
    linearity::ALL,
    calls::ALL,
    instructions::ALL,
    switches::ALL,
    idle::ALL,
    children::ALL,
    creation::ALL,
    placement::ALL,
    scaling::ALL,
    schedule::ALL,
    contention::ALL,
    shootdown::ALL,
    services::ALL,
    pages::ALL,
    served::ALL,
    files::ALL,
    durability::ALL,
    remote_files::ALL,
    clocks::ALL,
    rings::ALL,
    messaging::ALL,
    sleeps::ALL,
    noise::ALL,
    probes::ALL,
    seams::ALL,
    memory::ALL,
    library::ALL,
    heap::ALL,
    bandwidth::ALL,
    network::ALL,
    shares::ALL,
    bounds::ALL,
];

/// Every sabotage, by the witness that catches it.
pub fn all() -> impl Iterator<Item = &'static Sabotage> {
    FILES.iter().copied().flatten()
}

/// Counters of witnesses that no sabotage of today can provoke, with the reason.
pub const UNPROVOKED: &[(&str, &str)] = &[
    (
        "pages.remote",
        "its points are left out where there is one memory node, and with them any sabotage of them",
    ),
    ("windows.whole", "it proves no mistake: a busy machine lowers it, and makes the row noisy"),
    ("blocks.wrong", "it needs wrong memory or wrong loops, and the test of the loops plants wrong words"),
];
