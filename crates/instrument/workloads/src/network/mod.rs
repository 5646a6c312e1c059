//! Workloads of the network, independent of operations.
//!
//! The server's part is in [`services`], over connected or listening descriptors; what a peer offers in [`peer_services`];
//! where the server runs and how to reach it in [`session`].

pub mod acknowledgements;
pub mod connections;
pub mod local_connections;
pub mod messages;
pub mod options;
pub mod peer_services;
pub mod points;
pub mod services;
pub mod session;
pub mod shared_port;
pub mod streams;

use peer_services::{ACCEPTS, DATAGRAMS, FLOWS, STREAMS};

/// What a peer does for clients that measure the network to it.
pub static PEER_SERVICES: &[&peer::Service] = &[&STREAMS, &FLOWS, &DATAGRAMS, &ACCEPTS];
