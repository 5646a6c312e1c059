//! Messages and their echoes, compared.

mod content;
mod echo;
pub(crate) mod echo_requests;
pub mod round_trips;
pub(crate) mod transfers;

pub(crate) use content::Messages;
pub(crate) use echo::{Echo, Framing, receive, send};

use measure::{Bench, Failure};

/// The message size of a point in bytes.
pub(crate) fn length(bench: &Bench<'_>) -> Result<u32, Failure> {
    u32::try_from(bench.point().size("bytes")?)
        .map_err(|_| Failure::Failed("the message size exceeds 4 GiB".to_owned()))
}
