//! A fault served by a thread of the program: userfaultfd.

use super::POOL;
use measure::{Actors, Area, Bench, Failure, Operation, Point, Rehearse, Work};
use record::Need;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::memory::page_size;
use sys::pages::{Advice, Pages};
use sys::usage::CpuClock;
use sys::userfault::Watched;
use workloads::memory::page_sequence::PageSequence;

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.userfaultfd",
    area: Area::Memory,
    title: "page fault served by a thread of the program (userfaultfd)",
    revision: 2,
    one_iteration: "one read of a missing page, which another thread supplies; its word must be that thread's",
    method: "16 MiB are registered with userfaultfd for missing pages. The reader faults and sleeps; the serving thread \
             reads the event and copies a page (UFFDIO_COPY), which wakes the reader. When all pages are present, \
             MADV_DONTNEED removes them between two batches. Live migration and lazily restored snapshots pay this per \
             missing page.",
    confounds: "Most of the time is two hand-offs between threads. One fault is served at a time; with several pending, one \
                read would return several events.",
    sources: &[("Linux selftests", "mm/uffd-stress"), ("stress-ng", "--userfaultfd")],
    actors: Actors::TwoThreads,
    rehearse: Rehearse::Nothing,
    points: |_| Point::placements().into_iter().collect(),
    needs: |_| vec![Need::Memory { bytes: super::NEEDED }],
    // On two CPUs each hand-off wakes an idle CPU.
    predict: &[
        "hardware t0 exception and return = exception × cycle_ns",
        "hardware t1 exception and return, as with EFAULT = measured_exception",
        "software page-table walk and VMA lookup = find_entry × cycle_ns",
        "cpu=same: software t0 two hand-offs = 2 × 2500 cycles (×1.8: two hand-offs by a wait queue on one CPU: 0.55 µs \
         each on a Zen 5 at 4.5 GHz) × cycle_ns",
        "cpu!=same: software t0 two hand-offs = 60000 ns (×2: two wake-ups of a halted virtual CPU, 30 µs each; 3 µs on \
         bare metal)",
        "software t1 two hand-offs = 2 × [switch.thread.futex cpu={cpu}]",
        "hardware t1 read and UFFDIO_COPY entered = 2 × [syscall.floor]",
        "software event and wake-up = 1500 cycles (×1.8: event made, queued and read (400 instructions, 8 locked), area \
         looked up and locked twice (400, 6 locked), queue of waiters searched and woken (300, 6 locked), fault retried \
         from its start: 1 800 instructions at 1.5 a cycle and 20 locked of 20 cycles, less the share of a \
         hand-off) × cycle_ns",
        "software page allocated and mapped = new_page × cycle_ns",
        "software t0 page copied = copy_page × cycle_ns",
        "hardware t1 page copied at copy bandwidth = page_copied",
    ],
    evidence: &[
        "answers = 1: every page held the word of the serving thread",
        "faults.served 0.99..1.01: the thread served every fault",
    ],
    bounds: &["> 3 × [syscall.floor]: an exception, a read and an ioctl enter and leave the kernel"],
    run,
    spend_ns: 15_000_000,
    ..Operation::NEW
};

/// State shared by the two threads.
#[derive(Default)]
struct FaultServer {
    faults: AtomicU64,
    clock: Mutex<Option<CpuClock>>,
    failure: Mutex<Option<sys::Error>>,
}

impl FaultServer {
    /// Serves faults until one on the page behind the pool.
    fn serve(&self, registered: &Watched<'_>, content: &[u8]) {
        if let Ok(mut clock) = self.clock.lock() {
            *clock = Some(CpuClock::of_calling_thread());
        }
        let one = || -> sys::Result<usize> {
            let offset = registered.next()?;
            registered.give(offset, content)?;
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
                    // The reader must not wait forever.
                    let _ = registered.end();
                    return;
                }
            };
        }
    }
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    // A fault on the additional page ends the serving thread.
    let pages = Pages::anonymous(POOL + page_size())?;
    let registered = Watched::new(&pages).map_err(denied)?;
    let word = bench.seed() | 1;
    let content: Vec<u8> = word.to_ne_bytes().into_iter().cycle().take(page_size()).collect();
    let server = FaultServer::default();
    let peer = bench.peer_cpu();
    let result = sys::thread::beside(
        peer,
        || server.serve(&registered, &content),
        || {
            let result = touch(bench, &pages, &server, word);
            std::hint::black_box(pages.read(POOL));
            result
        },
    )?;
    let failure = server.failure.lock().ok().and_then(|failure| *failure);
    failure.map_or(result, |error| Err(error.into()))
}

fn touch(bench: &mut Bench<'_>, pages: &Pages, server: &FaultServer, word: u64) -> Result<(), Failure> {
    // The first fault is served after the other thread has set its clock.
    let _ = pages.read(0);
    let sequence = PageSequence::new(POOL, page_size());
    let server_clock = server.clock.lock().ok().and_then(|clock| *clock);
    let mut before = |n| sequence.reserve(n, || Ok(pages.advise(0..POOL, Advice::DontNeed)?));
    let mut touched = 0;
    let mut main = |n| {
        let correct = sequence.take(n).filter(|offset| pages.read(*offset) == Some(word));
        let correct = correct.count() as u64;
        touched += n;
        Ok(correct)
    };
    let faults = server.faults.load(Ordering::Acquire);
    bench.batches(Work {
        before: Some(&mut before),
        cpu: std::iter::once(CpuClock::THREAD).chain(server_clock).collect(),
        ..Work::new(&mut main)
    })?;
    let faults = server.faults.load(Ordering::Acquire) - faults;
    bench.count("faults.served", faults as f64, touched as f64);
    Ok(())
}

fn denied(error: sys::Error) -> Failure {
    if error.is_denied() || error.is_missing() {
        return Failure::skipped(
            format!("userfaultfd is not available ({error})"),
            "allow it: sysctl vm.unprivileged_userfaultfd=1, and let seccomp pass userfaultfd",
        );
    }
    error.into()
}
