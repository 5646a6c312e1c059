//! POSIX threads as a C program makes them, with what the maker does while they begin.

use crate::{Error, Result};

extern "C" fn act_once<F: Fn() + Sync>(act: *mut libc::c_void) -> *mut libc::c_void {
    // SAFETY: `create_and_join` gave the address of a closure that it keeps until it has joined.
    unsafe { (*act.cast::<F>())() };
    std::ptr::null_mut()
}

/// Makes a thread with default attributes that calls `act`, calls `meanwhile` as soon as pthread_create is
/// back, and joins the thread; gives what `meanwhile` gave. Neither may panic.
///
/// # Errors
/// When no thread can be made.
#[inline(always)]
pub fn create_and_join<F: Fn() + Sync, T>(act: &F, meanwhile: impl FnOnce() -> T) -> Result<T> {
    let mut thread: libc::pthread_t = 0;
    let argument = std::ptr::from_ref(act).cast_mut().cast();
    // SAFETY: `thread` is valid for writing; the closure may be shared and lives beyond the join below.
    let made = unsafe { libc::pthread_create(&raw mut thread, std::ptr::null(), act_once::<F>, argument) };
    let value = meanwhile();
    if made != 0 {
        return Err(Error { call: "pthread_create", errno: made });
    }
    // SAFETY: the thread is joinable and joined once.
    match unsafe { libc::pthread_join(thread, std::ptr::null_mut()) } {
        0 => Ok(value),
        errno => Err(Error { call: "pthread_join", errno }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn the_thread_has_run_when_it_is_joined() {
        let ran = AtomicU32::new(0);
        for turn in 1..20 {
            let joined = create_and_join(
                &|| {
                    ran.fetch_add(1, Ordering::Relaxed);
                },
                || turn,
            );
            assert_eq!(joined, Ok(turn));
            assert_eq!(ran.load(Ordering::Relaxed), turn);
        }
    }
}
