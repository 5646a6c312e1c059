//! Facts about a machine, read below a root: the live machine, another directory, or a recorded dump.
//!
//! [`describe`] turns a [`Tree`] into a [`record::Machine`]. It never fails: what cannot be read is a
//! fact whose value is unknown, with the reason. [`dump`] records all files that a description reads, so that the
//! same description can be made elsewhere and later.
//!
//! **Invariant:** every file of a machine is read through a [`Tree`]; a module that describes a group of
//! facts reads nothing else.
#![forbid(unsafe_code)]

mod activity;
mod caches;
mod cgroup;
mod checksum;
mod command_line;
mod constant;
mod costs;
mod cpus;
mod describe;
mod directory;
mod dmi;
mod dump;
mod environment;
mod facts;
mod families;
mod hypervisor;
mod identifiers;
mod identity;
mod io_bus;
mod kernel;
mod limits;
mod live;
mod load;
mod loader;
mod memory;
mod mitigations;
mod mounts;
mod network;
mod parse;
mod peer_route;
mod power;
mod processor;
mod pseudo_files;
mod redaction;
mod remote_protocol;
mod scheduler;
mod storage;
mod surroundings;
mod sysctl;
mod tree;
mod uncertainty;

pub use activity::{Activity, OtherUse, Periods};
pub use cgroup::cpu_groups;
pub use cpus::cpu_classes;
pub use describe::{describe, describe_changeable, describe_core};
pub use directory::{
    CACHED_LOOP, Medium, Mount, Remoteness, describe_directory, describe_remote, medium_of, mount_of,
};
pub use dump::{Dump, DumpError, dump};
pub use live::Live;
pub use peer_route::describe_peer_link;
pub use scheduler::describe_scheduler;
pub use surroundings::{DiskActivity, Surroundings};
pub use tree::{Absent, Reason, Tree};
