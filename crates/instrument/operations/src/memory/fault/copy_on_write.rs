//! A write fault on a page shared with a forked child: copy-on-write.

use super::{TOUCH, WHOLE_BATCHES};
use measure::Operation;
use workloads::memory::shared_pages::copy_on_write;

pub static COPY_ON_WRITE: Operation = Operation {
    id: "fault.copy_on_write",
    revision: WHOLE_BATCHES,
    title: "copy-on-write of a 4 KiB page shared with a forked child",
    one_iteration: "one write to a page shared with a forked child, read back",
    method: "16 MiB on base pages are written and a child is forked, which waits. Every page is then shared and \
             read-only: a write copies it. When all pages are written the child checks that its own are unchanged and \
             exits; another is forked.",
    confounds: "After the child has exited or called exec, a write copies nothing (fault.reuse). The child's check proves \
                that it was alive.",
    sources: &[
        ("vm-scalability", "case-anon-cow-seq: bytes per second of writes after a fork"),
        ("Linux selftests", "mm/cow.c, checked but not timed"),
        ("redis", "latency after fork"),
    ],
    predict: &[
        "t0 page fault",
        "cleared page",
        "software t0 4 KiB copied = copy_page × cycle_ns",
        "software t0 old entry compared and flushed = replace_entry × cycle_ns",
        "software t1 write after read = [fault.zero_then_write]",
        "hardware t1 copy instead of clear = page_copied − page_cleared",
        "software t1 shared page released = 1200 cycles (×1.7: page checked and pinned (2 locked), reverse map \
         and counters less one (3 locked): 1 650 instructions more than for the page of zeros, counted in an \
         emulator (Linux 6.12), at 1.5 a cycle) × cycle_ns",
    ],
    evidence: &[
        "one fault per touch",
        "calls: none",
        "pages.kept = 1: every child found its pages unchanged: they were copied",
    ],
    run: copy_on_write,
    ..TOUCH
};
