//! System calls that another thread answers: seccomp's user notification.

use measure::{Bench, Failure, Result, Work, choice, parameters};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use sys::notice::{self, Listener};
use sys::usage::CpuClock;

choice! {
    /// How the two threads wake each other.
    pub enum Wake {
        /// As other tasks.
        Default = "default",
        /// On the CPU of the one that waits from then on.
        Synchronous = "synchronous",
    }
}

parameters! {
    /// An answered call.
    pub struct Answered {
        /// How the threads wake each other.
        wake: Wake,
    }
}

/// State shared by the two threads.
#[derive(Default)]
struct Answerer {
    answered: AtomicU64,
    clock: OnceLock<CpuClock>,
    failure: OnceLock<sys::Error>,
}

impl Answerer {
    /// Answers calls until the last one. What arrives when nobody answers any more, fails: the listener is gone.
    fn answer(&self, listener: &Receiver<Listener>) {
        self.clock.get_or_init(CpuClock::of_calling_thread);
        let Ok(listener) = listener.recv() else { return };
        loop {
            match listener.answer(&self.answered) {
                Ok(true) => {}
                Ok(false) => return,
                // A signal met the caller before its answer did: it calls again.
                Err(error) if error.is_missing() => {}
                Err(error) => {
                    self.failure.get_or_init(|| error);
                    return;
                }
            }
        }
    }
}

/// Calls of which each waits for the answer of another thread.
///
/// # Errors
/// Skipped where the kernel has no such filters or does not allow them.
pub fn call_answered(bench: &mut Bench<'_>) -> Result<()> {
    let Answered { wake } = bench.parameters()?;
    let shared = Answerer::default();
    let answerer = &shared;
    let (sender, listener) = mpsc::channel();
    let peer = bench.peer_cpu();
    let result = sys::thread::beside(
        peer,
        move || answerer.answer(&listener),
        // Without a listener the sender goes at once, and the other thread ends.
        move || {
            let listener = Listener::install(wake == Wake::Synchronous)?;
            let is_taken = sender.send(listener).is_ok();
            Failure::unless(is_taken, "the thread that answers has ended")?;
            let measured = call_all(bench, answerer);
            notice::end();
            measured
        },
    )?;
    answerer.failure.get().map_or(result, |error| Err((*error).into()))
}

fn call_all(bench: &mut Bench<'_>, answerer: &Answerer) -> Result<()> {
    // The first call is answered after the other thread has set its clock.
    Failure::unless(notice::call(0) == 1, "the first call had another answer")?;
    let clock = answerer.clock.get().copied();
    let answered = answerer.answered.load(Ordering::Acquire);
    let mut calls = 0;
    bench.batches(Work {
        cpu: std::iter::once(CpuClock::THREAD).chain(clock).collect(),
        ..Work::new(&mut |n| {
            calls += n;
            let right = (0..n as u32).filter(|&number| notice::call(number) == number as isize + 1);
            Ok(right.count() as u64)
        })
    })?;
    let answered = answerer.answered.load(Ordering::Acquire) - answered;
    bench.count("notices.answered", answered as f64, calls as f64);
    Ok(())
}
