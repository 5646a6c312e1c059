//! Workloads of the network, independent of operations.
//!
//! The server's part is in [`services`], over connected or listening descriptors; what a peer offers in [`peer_services`];
//! where the server runs and how to reach it in [`session`].

pub(super) mod acknowledgements;
pub(super) mod connections;
pub mod messages;
pub mod options;
pub mod peer_services;
pub mod services;
pub mod session;
pub mod streams;
