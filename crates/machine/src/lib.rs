//! Facts about a machine, read below a root: the live machine, another directory, or a recorded dump.
//!
//! [`describe`] turns a [`Tree`] into a [`record::Machine`]. It never fails: what cannot be read is a
//! fact whose value is unknown and says why. [`dump`] records all that a description reads, so that the
//! same description can be made elsewhere and later.
//!
//! **Invariant:** every file of a machine is read through a [`Tree`]; a module that describes a group of
//! facts touches nothing else.
#![forbid(unsafe_code)]

mod boot;
mod caches;
mod cgroup;
mod cpus;
mod derived;
mod describe;
mod directory;
mod dmi;
mod dump;
mod environment;
mod facts;
pub mod families;
mod hypervisor;
mod identifiers;
mod identity;
mod kernel;
mod limits;
mod live;
mod memory;
mod mitigations;
mod native;
mod network;
mod parse;
mod power;
mod private;
mod processor;
mod quiet;
mod storage;
mod tree;
mod uncertainty;

pub use describe::describe;
pub use directory::{Mount, Remoteness, describe_directory, describe_remote, mount_of};
pub use dump::{Dump, DumpError, SCHEMA, dump};
pub use live::Live;
pub use tree::{Absent, Tree, Why};
pub use uncertainty::typical_uncertainty;
