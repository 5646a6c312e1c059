//! Messages and their echoes, compared.

mod content;
mod echo;
pub mod echo_requests;
pub mod round_trips;
pub mod transfers;

pub use content::Messages;
pub use echo::{Echo, Framing, receive, send};

use measure::{Bench, Failure, Result};

/// The message size of a point in bytes.
pub fn length(bench: &Bench<'_>) -> Result<u32> {
    u32::try_from(bench.point().size("bytes")?).map_err(|_| Failure::failed("the message size exceeds 4 GiB"))
}
