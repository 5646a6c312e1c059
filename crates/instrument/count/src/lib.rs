//! Counts what a kernel executes, without noise: the kernel boots in QEMU, whose clock advances with instructions; oscope is its
//! first process; a plugin of QEMU counts between marks around each batch.
//!
//! **Invariant:** it knows no operation; the caller names points. A count is what was executed, never a time.
//! **Invariant:** nothing is left behind: files are in memory, and the emulator ends with this process.
#![forbid(unsafe_code)]

mod boot;
mod console;
mod difference;
mod emulator;
mod error;
mod figures;
pub mod guest;
mod image;
mod initrd;
mod job;
mod processor;
mod symbols;
mod taken;
mod thresholds;
mod windows;

pub use boot::{Boot, boots};
pub use difference::{Change, ChangedPoint, Difference, difference};
pub use emulator::{Emulator, PluginUse};
pub use error::{Error, Failure, Result};
pub use figures::{Figure, PointCount, Skipped};
pub use image::{Architecture, Image};
pub use job::{Job, request};
pub use processor::missing_features;
pub use taken::{FORMAT, KernelCount, SCHEMA, counted};
pub use thresholds::GROUPS as THRESHOLDS;
