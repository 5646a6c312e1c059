//! Round trips, bandwidth and connections over internet sockets.
//!
//! Every point names its path.

pub mod acknowledge;
pub mod bandwidth;
pub mod connection;
pub mod loaded_round_trip;
pub mod local_connection;
pub mod new_connection;
pub mod round_trip;
pub mod shared_port;

use measure::{Area, Operation};

/// Common to operations over sockets.
pub const COMMON: Operation = Operation { area: Area::Network, ..Operation::NEW };
