//! Random bytes by one getrandom: a system call, or the vDSO's function.

use crate::repeat::repeat;
use measure::{Bench, Failure, Result, choice, parameters};
use quantity::Bytes;
use sys::random::{self, vdso::VdsoRandom};

choice! {
    /// Who makes the bytes.
    pub enum Source {
        /// The kernel, by the system-call instruction.
        Raw = "raw",
        /// The vDSO's function.
        Vdso = "vdso",
    }
}

parameters! {
    /// A request for random bytes.
    pub struct Request {
        /// Who makes them.
        method: Source,
        /// Their number, at least 16 and at most 256.
        bytes: Bytes,
    }
}

/// Most bytes of a request.
const MAX_BYTES: usize = 256;

/// Requests bytes, which must differ at both ends from those before.
///
/// # Errors
/// Skipped where the vDSO has no such function.
pub fn request(bench: &mut Bench<'_>) -> Result<()> {
    match bench.parameters::<Request>()?.method {
        Source::Raw => request_by(bench, random::fill_by_one_call),
        Source::Vdso => {
            let mut random = find()?;
            request_by(bench, |bytes| random.fill(bytes))
        }
    }
}

/// The vDSO's function.
///
/// # Errors
/// Skipped where there is none.
pub fn find() -> Result<VdsoRandom> {
    let absent = || Failure::skipped("this kernel's vDSO has no getrandom", "use Linux 6.11 or later");
    VdsoRandom::new()?.ok_or_else(absent)
}

/// The loop itself.
///
/// # Errors
/// When a request fails.
pub fn request_by(bench: &mut Bench<'_>, mut fill: impl FnMut(&mut [u8]) -> sys::Result<()>) -> Result<()> {
    let length = bench.parameters::<Request>()?.bytes.bytes() as usize;
    let mut buffer = [0_u8; MAX_BYTES];
    let outside = || Failure::failed(format!("bytes={length}: it can be 16 to {MAX_BYTES}"));
    let bytes = buffer.get_mut(..length).filter(|bytes| bytes.len() >= 16).ok_or_else(outside)?;
    fill(bytes)?;
    let mut before = ends(bytes);
    repeat(bench, |_| {
        fill(bytes)?;
        let now = ends(bytes);
        let last = std::mem::replace(&mut before, now);
        Ok(now.0 != last.0 && now.1 != last.1)
    })
}

/// The first and the last eight bytes.
#[inline(always)]
fn ends(bytes: &[u8]) -> (u64, u64) {
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_ne_bytes(*bytes));
    (word(bytes.first_chunk()), word(bytes.last_chunk()))
}
