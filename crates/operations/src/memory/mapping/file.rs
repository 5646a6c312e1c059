//! lmbench's mapping of a file: mapped, touched here and there, unmapped.

use super::{MAPPING, size_of, sizes};
use crate::memory::workloads::source;
use measure::{Bench, Failure, Operation};
use sys::memory::page_size;
use sys::pages::{Pages, Sharing};

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "mapping.file",
    title: "map a cached file, touch a tenth of it, unmap it",
    one_iteration: "one mmap of a file, a read at every 16 KiB of its first tenth, and its munmap",
    method: "lmbench's lat_mmap: a file in the cache is mapped shared, touched at every 16 KiB of its first tenth, and \
             unmapped. The words that are read must be the file's random data.",
    confounds: "lmbench writes where this reads: its pages become dirty and each write is a fault. Here most touches \
                are served by fault-around, and faults.minor says how many were not.",
    sources: &[("lmbench", "lat_mmap: µs per mapping, by size")],
    points: |_| sizes(&["1MiB", "16MiB"]),
    // A tenth of the file is touched; each fault maps 64 KiB of it.
    predict: &[
        "t0 floors(2)",
        "hardware t0 exception and return = {ceil(bytes / 10 / 65536)} × exception × cycle_ns",
        "software t0 way to the page's entry = {ceil(bytes / 10 / 65536)} × find_entry × cycle_ns",
        "software t1 mapped and unmapped = [mapping.mmap_munmap bytes=4KiB]",
        "software t1 faults, one in 64 KiB = {ceil(bytes / 10 / 65536)} × [fault.file.minor stride=64KiB fill_write=4KiB]",
        "software mapped pages let go = {bytes / 10 / 4096} × 70 cycles (×1.8: entry cleared, mapped count less one, \
         counters, page let go: 70 instructions and 2 locked, in batches) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every page held its random word",
        "calls: mmap 1, munmap 1",
        "undisturbed",
        "faults.minor 0.5..200: the touches faulted",
    ],
    bounds: &["floors(2)"],
    run,
    ..MAPPING
};

/// Bytes between two touches, and the share of the file that is touched: lmbench's.
const STEP: usize = 16 << 10;
const SHARE: usize = 10;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let size = size_of(bench.point());
    let file = source::cached(page_size(), bench.seed())?;
    let once = || -> Result<u64, Failure> {
        let pages = Pages::of_file(file.descriptor(), size.min(file.length()), Sharing::Shared)?;
        let mut touches = (0..size / SHARE).step_by(STEP);
        let right = touches.all(|offset| pages.read(offset) == Some(file.word(offset as u64 / 8)));
        Ok(u64::from(right))
    };
    bench.slope(&mut |n| (0..n).try_fold(0, |right, _| Ok(right + once()?)))
}
