//! Reference methods: "major" faults without a device.

use super::major::MAJOR;
use measure::{How, Operation, Rehearse};
use workloads::memory::mapped_files::{touch_cached, touch_sparse};

/// The correct point.
const RIGHT: (&str, &str) = ("fault.file.major", "access=random");

/// As R1 and R2: the file was cached.
pub static CACHED: Operation = Operation {
    id: "fault.file.major.cached",
    title: "touch of a page of a file just written, called a major fault",
    one_iteration: "one read of a page at every 64 KiB of a cached file",
    method: "A temporary file is written, mapped with MADV_RANDOM and touched every 64 KiB without dropping its page \
             cache. The kernel counts minor faults.",
    wrong: "the pages are still cached from writing the file: every fault is minor and no device is involved (E20)",
    right: RIGHT,
    how: How::Slope,
    gate: Operation::GATE,
    rehearse: Rehearse::Calls,
    parameters: Operation::NEW.parameters,
    points: Operation::NEW.points,
    predict: &["t0 page fault", "cleared page", "software t1 first write = [fault.anonymous.write]"],
    evidence: &["one fault per touch", "calls: none"],
    run: touch_cached,
    headline: &[],
    ..MAJOR
};

/// As R0: a file without data.
pub static SPARSE: Operation = Operation {
    id: "fault.file.major.sparse",
    title: "touch of a page of a sparse file, called a major fault",
    one_iteration: "one read of a page of a hole, which must return zero",
    method: "A temporary file is extended by ftruncate without data. Its pages are touched with MADV_RANDOM; the page \
             cache is dropped before each batch. The file system finds no extent and zeroes a page of the cache.",
    wrong: "a hole has no blocks on the device: the kernel zeroes pages and counts the faults as major (E21)",
    right: RIGHT,
    parameters: Operation::NEW.parameters,
    points: Operation::NEW.points,
    how: How::Slope,
    gate: Operation::GATE,
    rehearse: Rehearse::Nothing,
    predict: &["t0 page fault", "cleared page", "software t1 first write = [fault.anonymous.write]"],
    evidence: &[
        "answers = 1: every page was zero",
        "faults.major 0.99..1.01: the kernel counts a major fault: the page was not cached",
    ],
    run: touch_sparse,
    headline: &[],
    ..MAJOR
};
