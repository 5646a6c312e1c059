//! Pages populated by one call, without an exception per page.

use measure::{Operation, Rehearse, takes};
use record::Need;
use workloads::memory::populated_pages::{Populate, populate};

pub static POPULATE: Operation = Operation {
    id: "fault.populate",
    revision: super::WHOLE_BATCHES,
    title: "one 4 KiB page, populated with others by one call",
    one_iteration: "one base page (4 KiB), populated with the others of the batch by one call",
    method: "A batch of n pages is one call: mmap with MAP_POPULATE, or madvise(MADV_POPULATE_WRITE) on mapped memory. The \
             slope over n is the cost of a page; the call itself is in the intercept. Populated memory is kept up to \
             16 MiB, so that no page is reused immediately. After each batch mincore must find every page resident.",
    confounds: "The kernel counts these pages as minor faults without taking exceptions. With transparent_hugepage=always \
                MAP_POPULATE maps huge pages: the counts then contradict the point.",
    sources: &[
        (
            "perf bench",
            "mem mmap -f populate: bytes per second of mmap and of touches after it (newer versions)",
        ),
        ("stress-ng", "--mmap: MAP_POPULATE among other flags, operations per second"),
    ],
    parameters: takes::<Populate>,
    points: &["method=madvise|mmap"],
    needs: |_| vec![Need::Memory { bytes: super::NEEDED }],
    predict: &[
        "software t0 page-table walk and VMA lookup = find_entry × cycle_ns",
        "cleared page",
        "let second_walk = 250 cycles (×1.8: levels walked without result, the fault handled, levels walked again: 250 \
         instructions, 3 locked)",
        "software t0 second walk = second_walk × cycle_ns",
        "software t1 first write = [fault.anonymous.write]",
        "software t1 second walk instead of an exception, as with EFAULT = second_walk × cycle_ns − max(0, measured_exception)",
    ],
    evidence: &[
        "answers = 1: every page was resident after the call",
        "faults.minor 0.99..1.01: the kernel counted a fault per page",
        "linear",
        "undisturbed",
    ],
    bounds: &["cleared bytes(4096)"],
    rehearse: Rehearse::Nothing,
    run: populate,
    ..crate::memory::COMMON
};
