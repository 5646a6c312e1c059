//! Tests of the whole program: sabotage that its witnesses catch, places that are unlike a developer's machine, and what is
//! left behind. One program, so that one lock keeps measurements apart.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod beside_tasks;
mod common;
mod denied;
mod directories;
mod environments;
mod interrupted_runs;
mod liars;
mod limits;
mod remote;
mod remote_files;
mod remote_servers;
mod rings;
mod selftest;
mod wire;
mod witnesses;
