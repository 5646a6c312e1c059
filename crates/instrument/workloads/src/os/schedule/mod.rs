//! What a scheduler does under load: requests that arrive at times of their own, and tasks that want the same CPU.

mod arrivals;
mod queue;
pub mod requests;
pub mod turns;
pub mod wakeups;
mod worker;

use sys::kernel_time::{KernelClock, read};

/// The monotonic clock, which the kernel's timers use.
fn now() -> sys::Result<i64> {
    read(KernelClock::Monotonic).ok_or(sys::Error { call: "clock_gettime", errno: 0 })
}
