//! Round trips, bandwidth and connections over sockets of the internet family.
//!
//! What the other end does lies in [`far`], over descriptors that are connected or listen already; where it is and how
//! it is reached lies in `session`. Every point says by which path it goes.

pub mod acknowledge;
pub mod bandwidth;
pub mod bandwidth_cost;
pub mod bandwidth_flows;
pub mod connection;
mod echo;
pub mod far;
mod flows;
pub mod icmp;
mod limits;
mod messages;
mod option;
pub mod points;
mod remote;
pub mod round_trip;
pub mod round_trip_alone;
mod session;
pub mod transfer;
mod windows;
pub mod wrong;

pub use option::{Congestion, Options};
pub use remote::{ACCEPTS, DATAGRAMS, FLOWS, STREAMS};
pub use session::{Acceptor, Session};
