//! Messages that are answered, and the answers compared.

mod content;
mod echo;
pub(crate) mod echo_requests;
pub mod round_trips;
pub(crate) mod transfers;

pub(crate) use content::Messages;
pub(crate) use echo::{Echo, Kind, receive, send};

use measure::{Bench, Failure};

/// Bytes of a message of the point.
pub(crate) fn length(bench: &Bench<'_>) -> Result<u32, Failure> {
    u32::try_from(bench.point().size("bytes")?)
        .map_err(|_| Failure::Failed("no message is that long".to_owned()))
}
