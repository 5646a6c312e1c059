//! A fault that a thread of the program serves: userfaultfd.

use super::POOL;
use crate::memory::workloads::touches::Places;
use measure::{Actors, Area, Bench, Failure, Operation, Point, Rehearse, Work};
use record::Need;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::memory::page_size;
use sys::pages::{Advice, Pages};
use sys::usage::CpuClock;
use sys::userfault::Watched;

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.userfaultfd",
    area: Area::Memory,
    title: "fault that a thread of the program serves (userfaultfd)",
    revision: 2,
    one_iteration: "one read of a missing page, which another thread is told of and gives; it must hold that thread's word",
    method: "16 MiB are watched by userfaultfd for missing pages. The reader faults and sleeps; the thread that serves \
             reads the message, copies a page there (UFFDIO_COPY), which wakes the reader. When all pages have been \
             given, MADV_DONTNEED takes them out between two batches. What live migration and lazily restored \
             snapshots pay for every page that they have not brought yet.",
    confounds: "Most of it is two hand-offs between threads. The thread serves one fault at a time; with many at once \
                it would be told of several by one read.",
    sources: &[
        ("Linux selftests", "mm/uffd-stress"),
        ("stress-ng", "--userfaultfd"),
    ],
    actors: Actors::TwoThreads,
    rehearse: Rehearse::Nothing,
    points: |_| Point::placements().into_iter().collect(),
    needs: |_| vec![Need::Memory { bytes: super::NEEDED }],
    // On two CPUs each hand-off wakes a CPU that sleeps.
    predict: &[
        "hardware t0 exception and return = exception × cycle_ns",
        "hardware t1 exception and return, as on a bad address = measured_exception",
        "software way to the page's entry = find_entry × cycle_ns",
        "cpu=same: software t0 two hand-offs = 2 × 2500 cycles (×1.8: two hand-offs by a wait queue on one CPU: 0.55 µs \
         each on a Zen 5 at 4.5 GHz) × cycle_ns",
        "cpu!=same: software t0 two hand-offs = 60000 ns (×2: two wake-ups of a halted virtual CPU, 30 µs each; 3 µs on \
         bare metal)",
        "software t1 two hand-offs = 2 × [switch.thread.futex cpu={cpu}]",
        "hardware t1 read and request entered = 2 × [syscall.floor]",
        "software message and waking = 1500 cycles (×1.8: message made, queued and read (400 instructions, 8 locked), area \
         looked up and locked twice (400, 6 locked), queue of waiters searched and woken (300, 6 locked), fault tried \
         again from its start: 1 800 instructions at 1.5 a cycle and 20 locked of 20 cycles, less what is part of a \
         hand-off) × cycle_ns",
        "software page had and entered = new_page × cycle_ns",
        "software t0 page copied = copy_page × cycle_ns",
        "hardware t1 page copied, as fast as memory is copied = page_copied",
    ],
    evidence: &[
        "answers = 1: every page held the word of the thread that gave it",
        "faults.served 0.99..1.01: the thread was told of every fault and gave a page for it",
    ],
    bounds: &["> 3 × [syscall.floor]: an exception, a read and a request enter and leave the kernel"],
    run,
    spend_ns: 15_000_000,
    ..Operation::NEW
};

/// What the two threads share.
#[derive(Default)]
struct Served {
    faults: AtomicU64,
    clock: Mutex<Option<CpuClock>>,
    failure: Mutex<Option<sys::Error>>,
}

impl Served {
    /// Serves faults until that of the page behind the pool, which ends it.
    fn serve(&self, watched: &Watched<'_>, content: &[u8]) {
        if let Ok(mut clock) = self.clock.lock() {
            *clock = Some(CpuClock::of_calling_thread());
        }
        let one = || -> sys::Result<usize> {
            let offset = watched.next()?;
            watched.give(offset, content)?;
            Ok(offset)
        };
        loop {
            match one() {
                Ok(POOL) => return,
                Ok(_) => self.faults.fetch_add(1, Ordering::AcqRel),
                Err(error) => {
                    if let Ok(mut failure) = self.failure.lock() {
                        *failure = Some(error);
                    }
                    // Whoever waits for a page must not wait for ever.
                    let _ = watched.end();
                    return;
                }
            };
        }
    }
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    // One page more ends the thread that serves.
    let pages = Pages::anonymous(POOL + page_size())?;
    let watched = Watched::new(&pages).map_err(denied)?;
    let word = bench.seed() | 1;
    let content: Vec<u8> = word.to_ne_bytes().into_iter().cycle().take(page_size()).collect();
    let served = Served::default();
    let peer = bench.peer_cpu();
    let result = sys::thread::beside(
        peer,
        || served.serve(&watched, &content),
        || {
            let result = touch(bench, &pages, &served, word);
            std::hint::black_box(pages.read(POOL));
            result
        },
    )?;
    let failure = served.failure.lock().ok().and_then(|failure| *failure);
    failure.map_or(result, |error| Err(error.into()))
}

fn touch(bench: &mut Bench<'_>, pages: &Pages, served: &Served, word: u64) -> Result<(), Failure> {
    // The first fault is served when the other thread has its clock.
    let _ = pages.read(0);
    let places = Places::new(POOL, page_size());
    let helper = served.clock.lock().ok().and_then(|clock| *clock);
    let mut before = |n| places.need(n, || Ok(pages.advise(0..POOL, Advice::DontNeed)?));
    let mut touched = 0;
    let mut main = |n| {
        let right = places.take(n).filter(|offset| pages.read(*offset) == Some(word));
        let right = right.count() as u64;
        touched += n;
        Ok(right)
    };
    let faults = served.faults.load(Ordering::Acquire);
    bench.batches(Work {
        before: Some(&mut before),
        cpu: std::iter::once(CpuClock::THREAD).chain(helper).collect(),
        ..Work::alone(&mut main)
    })?;
    let faults = served.faults.load(Ordering::Acquire) - faults;
    bench.count("faults.served", faults as f64, touched as f64);
    Ok(())
}

fn denied(error: sys::Error) -> Failure {
    if error.is_denied() || error.is_missing() {
        return Failure::skipped(
            format!("faults cannot be watched here ({error})"),
            "allow it: sysctl vm.unprivileged_userfaultfd=1, and let seccomp pass userfaultfd",
        );
    }
    error.into()
}
