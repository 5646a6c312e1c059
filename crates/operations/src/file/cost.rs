//! What the kernel's way to a block of a file costs, as parts of predictions: counted in its source (6.1 to 6.18).

use crate::os::syscall::{Path, floors, floors_from_facts};
use measure::{core_cycles, term, told_cycles};
use record::{Formula, Side, Term};

/// From the entry of a read to its block in the cache, and back.
pub const FIND: Path = Path {
    instructions: 520.0,
    locked: 2.0,
    within: 1.6,
    source: "descriptor, access and security checks, notification, accounting (180), the file system's own entries (50), \
             vector and state of the read (100), the index of the file's pages walked (50), page held, checked, \
             marked as used and let go (55), the copy set up (50), time of access (35)",
};

/// What a page that comes into the cache costs besides.
pub const NEW_PAGE: Path = Path {
    instructions: 1100.0,
    locked: 8.0,
    within: 1.8,
    source: "page from the CPU's list and charged (280), entered into the index of the file's pages and the list of the \
             least recently used (320), unlocked and woken when its data is there (200), and taken out again later: \
             of these the share that falls into the read (300)",
};

/// Cycles to copy a block out of the cache when it lies in the second or last cache of the processor.
const COPY: (f64, f64, &str) = (
    400.0,
    1.9,
    "4 KiB at 10 bytes a cycle: rep movsb from lines of the second or last cache, between 32 (first) and 6 (memory)",
);

/// T0 of a cached read of a block.
pub fn cached_from_facts() -> Vec<Term> {
    let mut all = floors_from_facts(1.0);
    all.push(term(
        Side::Software,
        "find the page in the cache",
        told_cycles(FIND.formula()),
    ));
    let copy = Formula::cited(COPY.0, COPY.1, COPY.2);
    all.push(term(Side::Hardware, "4 KiB copied", told_cycles(copy)));
    all
}

/// Nanoseconds to move so many bytes at the rate of a part.
pub fn at_rate(bytes: f64, operation: &str, point: &str) -> Formula {
    Formula::exactly(bytes * 1e9).over(Formula::part(operation, point))
}

/// The rate at which a file of so many bytes is copied to one place, which the first cache holds: its pages come
/// from the level of the processor's caches that holds them.
pub fn copy_of(bytes: u64, file_bytes: u64) -> Formula {
    let size = if file_bytes <= 1 << 20 { "256KiB" } else { "128MiB" };
    let point = format!("method=widest size={size} cpus=1");
    at_rate(bytes as f64, "memory.bandwidth.read", &point)
}

/// T1 of a cached read of a block of a file of so many bytes.
pub fn cached_from_parts(file_bytes: u64) -> Vec<Term> {
    vec![
        floors(1.0),
        term(
            Side::Software,
            "find the page in the cache",
            core_cycles(FIND.formula()),
        ),
        term(Side::Hardware, "4 KiB copied", copy_of(4096, file_bytes)),
    ]
}

/// A read of 4 KiB from a device, one at a time.
pub fn device_read() -> Term {
    let source = "a read of 4 KiB at depth 1 from flash: 50 to 100 µs (specifications of NVMe drives of 2016 to 2024 and \
                  of clouds' local disks)";
    term(
        Side::Hardware,
        "read of the device",
        Formula::cited(70_000.0, 2.0, source),
    )
}

/// Nanoseconds of 4 KiB in a stream of large reads.
pub fn device_share() -> Formula {
    let source = "4 KiB at 1.5 GB/s: sequential reads of flash between a cloud's local disk (0.5) and a drive on PCIe 4 (7)";
    Formula::cited(2_700.0, 3.0, source)
}
