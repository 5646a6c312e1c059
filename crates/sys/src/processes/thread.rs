//! POSIX threads as a C program makes them, and a partner thread pinned to a CPU.

use crate::{Error, Result, cpu};
use std::sync::atomic::{AtomicU64, Ordering};

pub mod posix;
pub mod raw;

/// How many times a thread made by [`create_and_join`] has run.
static RAN: AtomicU64 = AtomicU64::new(0);

extern "C" fn run_once(argument: *mut libc::c_void) -> *mut libc::c_void {
    RAN.fetch_add(1, Ordering::Relaxed);
    argument
}

/// Makes a thread with default attributes that does nothing, and waits for it.
///
/// # Errors
/// When no thread can be made.
#[inline(always)]
pub fn create_and_join() -> Result<()> {
    let mut thread: libc::pthread_t = 0;
    // SAFETY: `thread` is valid for writing, the function matches the signature and uses no borrowed data.
    let made =
        unsafe { libc::pthread_create(&raw mut thread, std::ptr::null(), run_once, std::ptr::null_mut()) };
    if made != 0 {
        return Err(Error { call: "pthread_create", errno: made });
    }
    // SAFETY: the thread is joinable and joined once.
    let joined = unsafe { libc::pthread_join(thread, std::ptr::null_mut()) };
    if joined == 0 { Ok(()) } else { Err(Error { call: "pthread_join", errno: joined }) }
}

/// How many threads made here have run, since the start of the process.
pub fn threads_that_ran() -> u64 {
    RAN.load(Ordering::Relaxed)
}

/// A thread that runs `act` on `cpu` while `lead` runs on the calling thread; gives what `lead` gives after
/// both have ended. `act` must end when `lead` tells it to.
///
/// # Errors
/// When no thread can be made or it cannot be pinned.
pub fn beside<T>(cpu: Option<u32>, act: impl FnOnce() + Send, lead: impl FnOnce() -> T) -> Result<T> {
    std::thread::scope(|scope| {
        let (ready, is_ready) = std::sync::mpsc::channel();
        let spawned = std::thread::Builder::new().spawn_scoped(scope, move || {
            let pinned = cpu.map_or(Ok(()), cpu::pin);
            let go_on = pinned.is_ok();
            // The receiver waits for this one message; if it is gone there is nobody to act for.
            if ready.send(pinned).is_ok() && go_on {
                act();
            }
        });
        spawned.map_err(Error::of("pthread_create"))?;
        is_ready.recv().map_err(|_| Error { call: "pthread_create", errno: 0 })??;
        Ok(lead())
    })
}

/// Threads that run `act`, one for each of these CPUs, while `lead` runs on the calling thread; gives what `lead`
/// gives after all have ended. `act` gets the index of its CPU, and whether it is on it. `lead` must end
/// the others; `stop` does when one of the threads cannot be made.
///
/// # Errors
/// When a thread cannot be made.
pub fn beside_all<T>(
    cpus: &[u32],
    act: impl Fn(usize, Result<()>) + Sync,
    stop: impl Fn(),
    lead: impl FnOnce() -> T,
) -> Result<T> {
    std::thread::scope(|scope| {
        let act = &act;
        for (index, &cpu) in cpus.iter().enumerate() {
            let made = std::thread::Builder::new().spawn_scoped(scope, move || act(index, cpu::pin(cpu)));
            if let Err(error) = made {
                stop();
                return Err(Error::of("pthread_create")(error));
            }
        }
        Ok(lead())
    })
}
