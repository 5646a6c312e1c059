//! Messages and their echoes, compared.

mod content;
mod echo;
pub mod echo_requests;
pub mod loaded;
pub mod round_trips;
pub mod transfers;

pub use content::Messages;
pub use echo::{Echo, Framing, receive, send};

use crate::network::session::IpVersion;
use measure::{Bench, Failure, Result, parameters};
use quantity::Bytes;

parameters! {
    /// Round trips of messages.
    pub struct Message {
        /// Of each.
        bytes: Bytes,
        /// IPv4 without.
        ip: Option<IpVersion> = None,
    }
}

/// The message size of a point in bytes.
pub fn length(bench: &Bench<'_>) -> Result<u32> {
    u32::try_from(bench.parameters::<Message>()?.bytes.bytes())
        .map_err(|_| Failure::failed("the message size exceeds 4 GiB"))
}
