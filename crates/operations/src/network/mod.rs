//! Round trips, bandwidth and connections over sockets of the internet family.
//!
//! Cards only; what they run is in [`workloads`]. Every point says by which path it goes.

pub mod acknowledge;
pub mod bandwidth;
pub mod connection;
pub mod points;
pub mod round_trip;
pub mod workloads;
pub mod wrong;

pub use workloads::peer_services::{ACCEPTS, DATAGRAMS, FLOWS, STREAMS};
