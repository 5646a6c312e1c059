//! The trigger by itself, for benchmarks: looks at the core that the caller is on, waits until it is quiet, answers
//! whether it was quiet between two moments, and reads its clock.
//!
//! A virtual CPU is often one hardware thread of a core whose other thread runs another guest. No counter of this
//! kernel shows that; two loops of about a microsecond do (docs/TRIGGER.md).
//!
//! ```
//! use oscope_trigger::CoreTrigger;
//! use std::time::Duration;
//!
//! let mut trigger = CoreTrigger::new();
//! trigger.wait_quiet(Duration::from_millis(20));
//! let begin = trigger.look();
//! let sum: u64 = std::hint::black_box((0..1_000).sum());
//! let end = trigger.look();
//! if trigger.was_quiet(begin.at_ns, end.at_ns) == Some(true) {
//!     println!("{sum}: {} ns at {:?} Hz", end.at_ns - begin.end_ns, trigger.clock_hz(begin.at_ns, end.at_ns));
//! }
//! ```
//!
//! **Invariant:** pin the thread first; a look is one of the CPU that the thread is on.
#![forbid(unsafe_code)]

mod clock;
mod core_trigger;
mod probe;
mod quiet;
#[cfg(any(test, feature = "simulated"))]
pub mod simulated;

pub use clock::{Clock, MachineClock};
pub use core_trigger::{CoreTrigger, Look};
pub use probe::{COLD_LOOKS, Probe};
pub use quiet::{Pauses, QUIET, quietest, usual_chain};
