//! Threads on given CPUs that act beside the calling thread.

use crate::{Error, Result, cpu};

pub mod posix;
pub mod raw;

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
        spawned.map_err(Error::in_call("pthread_create"))?;
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
    let on_its_cpu = |index: usize| act(index, cpus.get(index).map_or(Ok(()), |&cpu| cpu::pin(cpu)));
    beside_many(cpus.len(), on_its_cpu, stop, lead)
}

/// The same for this number of threads, which may run wherever the calling thread may; `act` gets the index of its thread.
///
/// # Errors
/// When a thread cannot be made.
pub fn beside_many<T>(
    count: usize,
    act: impl Fn(usize) + Sync,
    stop: impl Fn(),
    lead: impl FnOnce() -> T,
) -> Result<T> {
    std::thread::scope(|scope| {
        let act = &act;
        for index in 0..count {
            let made = std::thread::Builder::new().spawn_scoped(scope, move || act(index));
            if let Err(error) = made {
                stop();
                return Err(Error::in_call("pthread_create")(error));
            }
        }
        Ok(lead())
    })
}
