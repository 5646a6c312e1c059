//! lmbench's file mapping: mmap, sparse touches, munmap.

use super::{MAPPING, size_of, sizes};
use measure::{Bench, Failure, Operation};
use sys::memory::page_size;
use sys::pages::{Pages, Sharing};
use workloads::memory::test_file;

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "mapping.file",
    title: "mmap of a cached file, reads in its first tenth, munmap",
    one_iteration: "one mmap of a file, one read per 16 KiB of its first tenth, and its munmap",
    method: "As lmbench's lat_mmap: a cached file is mapped shared, read every 16 KiB in its first tenth, and unmapped. The \
             words must be the file's random data.",
    confounds: "lmbench writes: its pages become dirty and each write faults. Here fault-around serves most touches; \
                faults.minor counts the rest.",
    sources: &[("lmbench", "lat_mmap: µs per mapping, by size")],
    points: |_| sizes(&["1MiB", "16MiB"]),
    // A tenth of the file is touched; each fault maps 64 KiB.
    predict: &[
        "floors(2)",
        "hardware exception and return, one in 64 KiB touched = {ceil(bytes / 10 / 65536)} × exception × cycle_ns",
        "software mapped, faults, unmapped = kernel({counted[mapping.file bytes=1MiB] - 2 * counted[syscall.floor] \
         - (counted[mapping.file bytes=16MiB] - counted[mapping.file bytes=1MiB]) / 15})",
        "software loop over the pages = entry_loop({bytes / 1MiB / 15 × (counted[mapping.file bytes=16MiB] \
         - counted[mapping.file bytes=1MiB])})",
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

/// Bytes between two touches, and the divisor of the touched part, as in lmbench.
const STEP: usize = 16 << 10;
const FRACTION: usize = 10;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let size = size_of(bench.point());
    let file = test_file::cached(page_size(), bench.seed())?;
    let once = || -> Result<u64, Failure> {
        let pages = Pages::of_file(file.descriptor(), size.min(file.length()), Sharing::Shared)?;
        let mut touches = (0..size / FRACTION).step_by(STEP);
        let correct = touches.all(|offset| pages.read(offset) == Some(file.word(offset as u64 / 8)));
        Ok(u64::from(correct))
    };
    bench.slope(&mut |n| (0..n).try_fold(0, |correct, _| Ok(correct + once()?)))
}
