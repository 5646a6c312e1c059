//! Round trips, bandwidth and connections over internet sockets.
//!
//! Cards only; their workloads are in [`workloads`]. Every point names its path.

pub mod acknowledge;
pub mod bandwidth;
pub mod connection;
pub mod new_connection;
pub mod points;
pub mod reference;
pub mod round_trip;
pub mod workloads;

pub use workloads::peer_services::{ACCEPTS, DATAGRAMS, FLOWS, STREAMS};
