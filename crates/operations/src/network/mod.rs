//! Round trips, bandwidth and connections over internet sockets.
//!
//! Every point names its path.

pub mod acknowledge;
pub mod bandwidth;
pub mod connection;
pub mod new_connection;
pub mod reference;
pub mod round_trip;
