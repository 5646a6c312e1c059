//! Requests to workers at a share of the capacity beside a plain C program.

use super::comparison::{Comparison, PLAIN, Tool, compare};

/// `xtask/src/agree/requests.c`: the same load on two CPUs.
static REQUESTS: Tool = Tool { command: "{requests}", ..PLAIN };

/// All of them.
pub static COMPARISONS: &[Comparison] = &[
    compare(
        &REQUESTS,
        "wake-up at 30 % of the capacity",
        "schedule.request load=30 time=wakeup",
        "30 wakeup {both}",
    ),
    compare(
        &REQUESTS,
        "wake-up at 60 % of the capacity",
        "schedule.request load=60 time=wakeup",
        "60 wakeup {both}",
    ),
    compare(
        &REQUESTS,
        "wake-up at 90 % of the capacity",
        "schedule.request load=90 time=wakeup",
        "90 wakeup {both}",
    ),
    compare(
        &REQUESTS,
        "response at 60 % of the capacity",
        "schedule.request load=60 time=response",
        "60 response {both}",
    ),
];
