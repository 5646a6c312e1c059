//! The programs that tests start: which Debian package holds each, and the only way to start one.
//!
//! **Invariant:** a program that no declared package holds is not found, also where it is installed: neither by a test,
//! nor by its shell lines, nor by the scripts that these start. Their `PATH` is one directory of links.
#![forbid(unsafe_code)]
#![allow(clippy::panic)]

mod contradictions;
mod permissions;
mod schema;
mod start;
mod table;

pub use contradictions::{CONTRADICTIONS, note_contradiction};
pub use permissions::{allowed, can, denial, has, may_make_containers, may_make_user_namespaces};
pub use schema::{can_validate, violations};
pub use start::{PYTHON, command, installed, links, locate, package_of, path, succeeds};
pub use table::{PACKAGES, Package, package};
