//! Probes of the core of the other actor, by a thread of this process that sleeps on its CPU between looks.

use crate::probe::{COLD_LOOKS, Probe};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread::{self, Thread};
use sys::kernel_time::raw_nanos;
use sys::usage::{self, Usage, UsageScope};

/// Longest wait for an answer, in nanoseconds: a few times what waking an idle CPU takes. Where an actor polls on that
/// CPU there is none in time.
const TIMEOUT_NS: i64 = 400_000;

/// What both threads see.
#[derive(Default)]
struct Shared {
    asked: AtomicU32,
    answered: AtomicU32,
    chain: AtomicI64,
    width: AtomicI64,
    switches: AtomicI64,
}

/// The thread on the other CPU, seen from the main actor.
pub(crate) struct OtherCore {
    cpu: u32,
    thread: Thread,
    shared: Arc<Shared>,
}

impl OtherCore {
    /// Starts the thread; `None` where that is not allowed, or where it may not be bound to its CPU.
    pub(crate) fn start(cpu: u32, probe: Probe) -> Option<Self> {
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let (bound, is_bound) = mpsc::channel();
        let spawned = thread::Builder::new().spawn(move || {
            if sys::cpu::pin(cpu).is_ok() && bound.send(()).is_ok() {
                answer(&own, probe);
            }
        });
        let thread = spawned.ok()?.thread().clone();
        // However long it takes on a busy CPU: a thread that may not be bound ends, and with it the wait.
        is_bound.recv().ok()?;
        let this = Self { cpu, thread, shared };
        // The first looks are cold there, too.
        (0..COLD_LOOKS).for_each(|_| {
            this.look();
        });
        Some(this)
    }

    /// Its CPU.
    pub(crate) fn cpu(&self) -> u32 {
        self.cpu
    }

    /// The ticks of both probes; `None` when there was no answer in time.
    pub(crate) fn look(&self) -> Option<(i64, i64)> {
        let Shared { asked, answered, .. } = &*self.shared;
        let is_free = answered.load(Ordering::Acquire) == asked.load(Ordering::Relaxed);
        if is_free {
            asked.fetch_add(1, Ordering::Release);
            self.thread.unpark();
        }
        let began = raw_nanos();
        while answered.load(Ordering::Acquire) != asked.load(Ordering::Relaxed) {
            if raw_nanos() - began > TIMEOUT_NS {
                return None;
            }
            std::hint::spin_loop();
        }
        // An answer to an earlier question is too old.
        let of = |value: &AtomicI64| value.load(Ordering::Relaxed);
        is_free.then(|| (of(&self.shared.chain), of(&self.shared.width)))
    }

    /// Switches of the thread until now, which count among those of the process.
    pub(crate) fn usage(&self) -> Usage {
        Usage { voluntary: self.shared.switches.load(Ordering::Relaxed), ..Usage::default() }
    }
}

fn answer(shared: &Shared, probe: Probe) {
    let mut done = 0;
    loop {
        while shared.asked.load(Ordering::Acquire) == done {
            thread::park();
        }
        let (chain, width) = probe.take(u64::from(done));
        shared.chain.store(chain, Ordering::Relaxed);
        shared.width.store(width, Ordering::Relaxed);
        let switches = usage::read(UsageScope::Thread).unwrap_or_default().switches();
        shared.switches.store(switches, Ordering::Relaxed);
        done = shared.asked.load(Ordering::Relaxed);
        shared.answered.store(done, Ordering::Release);
    }
}
