//! A fault served by a thread of the program: userfaultfd.

use measure::{Actors, Operation, Rehearse};
use record::Need;
use workloads::memory::served_faults::touch_served;

pub static USERFAULTFD: Operation = Operation {
    id: "fault.userfaultfd",
    title: "page fault served by a thread of the program (userfaultfd)",
    revision: 2,
    one_iteration: "one read of a missing page, which another thread supplies; its word must be that thread's",
    method: "16 MiB are registered with userfaultfd for missing pages. The reader faults and sleeps; the serving thread \
             reads the event and copies a page (UFFDIO_COPY), which wakes the reader. When all pages are present, \
             MADV_DONTNEED removes them between two batches. Live migration and lazily restored snapshots pay this per \
             missing page.",
    confounds: "Most of the time is two hand-offs between threads. One fault is served at a time; with several pending, one \
                read would return several events.",
    sources: &[
        ("Linux selftests", "mm/uffd-stress: faults counted and checked but not timed"),
        ("stress-ng", "--userfaultfd: nanoseconds per fault, of pages copied or zeroed"),
    ],
    actors: Actors::TwoThreads,
    rehearse: Rehearse::Nothing,
    points: crate::placements::PLACEMENTS,
    needs: |_| vec![Need::Memory { bytes: super::NEEDED }],
    // On two CPUs each hand-off wakes an idle CPU.
    predict: &[
        "fault and lookup",
        "cpu=same: software t0 two hand-offs = 2 × 2500 cycles (×1.8: two hand-offs by a wait queue on one CPU: 0.55 µs \
         each on a Zen 5 at 4.5 GHz) × cycle_ns",
        "cpu!=same: software t0 two hand-offs = 60000 ns (×2: two wake-ups of a halted virtual CPU, 30 µs each; 3 µs on \
         bare metal)",
        "software t1 two hand-offs = 2 × [switch.thread.futex {placement}]",
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
    run: touch_served,
    spend_ns: 15_000_000,
    ..crate::memory::COMMON
};
