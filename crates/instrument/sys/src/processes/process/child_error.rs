//! The error report of a child: why an actor gave up, for the process that it belongs to.
//!
//! An actor that may not make a call ends, and all that the other side sees is that it is gone. So it writes the call
//! and the error number into a page that both share.

use crate::memory::Mapping;
use crate::{Error, Result};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words of the page that hold the name of the call.
const NAME: usize = 4;

/// The page, made before the first actor is.
static PAGE: OnceLock<Result<Mapping>> = OnceLock::new();

/// The word of the error number, one more than it, and those of the name.
fn words() -> Option<(&'static AtomicU64, &'static [AtomicU64])> {
    let page = PAGE.get_or_init(|| Mapping::shared(4096)).as_ref().ok()?;
    let (number, rest) = page.words().split_first()?;
    Some((number, rest.get(..NAME)?))
}

/// Makes the page, so that processes made later share it.
pub(crate) fn prepare() {
    words();
}

/// Reports why this process gives up. The first report of all actors counts: the errors of others follow
/// from it.
pub fn report_child_error(error: Error) {
    let Some((number, name)) = words() else { return };
    let word = u64::from(error.errno.unsigned_abs()) + 1;
    if number.compare_exchange(0, word, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
        for (word, bytes) in name.iter().zip(error.call.as_bytes().chunks(8)) {
            let mut padded = [0; 8];
            padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            word.store(u64::from_ne_bytes(padded), Ordering::SeqCst);
        }
    }
}

/// Why an actor of this process, or of one that it was made by, gave up; `None` when none has.
pub fn child_error() -> Option<Error> {
    let (number, name) = words()?;
    let errno = i32::try_from(number.load(Ordering::SeqCst).checked_sub(1)?).ok()?;
    let bytes = name.iter().flat_map(|word| word.load(Ordering::SeqCst).to_ne_bytes());
    let call: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
    // It is read once, when the process has nothing else to do.
    let call = String::from_utf8_lossy(&call).into_owned().leak();
    Some(Error { call, errno })
}

/// Nothing, or what [`child_error`] has: for who waits for an actor.
///
/// # Errors
/// When an actor gave up.
pub fn no_child_error() -> Result<()> {
    child_error().map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Actor, Ended};

    #[test]
    fn the_first_report_counts() {
        let denied = Error { call: "setsockopt", errno: libc::EPERM };
        let gone = Error { call: "read", errno: libc::EPIPE };
        // In a process of its own: the page is one for all tests.
        let nested = Actor::spawn(None, || {
            let honest = Actor::serve(None, || Ok(())).and_then(Actor::join);
            let none = child_error().is_none();
            let first = Actor::serve(None, || Err(denied)).and_then(Actor::join);
            let second = Actor::serve(None, || Err(gone)).and_then(Actor::join);
            let ended =
                (honest, first, second) == (Ok(Ended::Exited(0)), Ok(Ended::Exited(1)), Ok(Ended::Exited(1)));
            i32::from(!(none && ended && child_error() == Some(denied)))
        });
        assert_eq!(nested.unwrap().join(), Ok(Ended::Exited(0)));
    }
}
