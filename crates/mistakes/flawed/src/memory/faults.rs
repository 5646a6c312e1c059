//! Page faults of another kind than reported.

use crate::method::FlawedMethod;
use measure::{How, Operation, Rehearse};
use operations::bases::{MAJOR_FAULT, MINOR_FAULT};
use workloads::memory::mapped_files::{touch_cached, touch_sparse};

/// The correct point.
const RIGHT: (&str, &str) = ("fault.file.major", "access=random");

/// The file is cached: probably as in R1, 3 Fig 11.
pub static CACHED: FlawedMethod = FlawedMethod {
    wrong: "the pages are still cached from writing the file: every fault is minor and no device is involved (E20)",
    right: RIGHT,
    card: Operation {
        id: "fault.file.major.cached",
        title: "touch of a page of a file just written, called a major fault",
        one_iteration: "one read of a page at every 64 KiB of a cached file",
        method: "A temporary file is written, mapped with MADV_RANDOM and touched every 64 KiB without dropping its page \
                 cache. The kernel counts minor faults.",
        sources: &[(
            "R1, 3 Fig 11",
            "a character at every 1 MB of a mapped file: perhaps minor faults only, it says (E20)",
        )],
        how: How::Slope,
        gate: Operation::GATE,
        rehearse: Rehearse::Calls,
        parameters: Operation::NEW.parameters,
        points: Operation::NEW.points,
        predict: &["t0 page fault", "cleared page", "software t1 first write = [fault.anonymous.write]"],
        evidence: &["one fault per touch", "calls: none"],
        run: touch_cached,
        headline: &[],
        ..MAJOR_FAULT
    },
};

/// A file made by ftruncate, as in R0, 4.4.1, here without blocks on the disk.
pub static SPARSE: FlawedMethod = FlawedMethod {
    wrong: "a hole has no blocks on the device: the kernel zeroes pages and counts the faults as major (E21)",
    right: RIGHT,
    card: Operation {
        id: "fault.file.major.sparse",
        title: "touch of a page of a sparse file, called a major fault",
        one_iteration: "one read of a page of a hole, which must return zero",
        method: "A temporary file is extended by ftruncate without data. Its pages are touched with MADV_RANDOM; the page \
                 cache is dropped before each batch. The file system finds no extent and zeroes a page of the cache.",
        sources: &[("R0, 4.4.1", "strides through 1 GB made by ftruncate, mapped, after purge")],
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
        ..MAJOR_FAULT
    },
};
/// Each touch counted as a fault, as in lmbench.
pub static FAULT_AROUND: FlawedMethod = FlawedMethod {
    wrong: "one fault maps 16 pages or more: the time is a fraction of a fault, and no page comes from a device (E20)",
    right: ("fault.file.minor", "stride=64KiB fill_write=4KiB"),
    card: Operation {
        id: "fault.file.fault_around",
        title: "touch of every page of a cached file under fault-around, counted as faults",
        method: "As fault.file.minor stride=4KiB; the time per touch is reported as the time of a page fault.",
        sources: &[
            (
                "R2, 4.3",
                "1000 pages of 4 KB, each counted as a fault; the machine's are probably larger (E20)",
            ),
            ("lmbench", "lat_pagefault: per page under fault-around"),
        ],
        points: &["stride=4KiB fill_write=4KiB"],
        ..MINOR_FAULT
    },
};
