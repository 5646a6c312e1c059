//! lmbench's mapping of a file: mapped, touched here and there, unmapped.

use super::{Cost, MAPPING, at_least, predicted, size_of, sizes, witnesses};
use crate::memory::fault::source;
use measure::{Bench, Failure, Operation, Point, counted, term};
use record::{Formula, Prediction, Side};
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
    computed_prediction: predict,
    computed_witnesses: |_| {
        let mut all = witnesses(
            "every page held its random word",
            &[("mmap", 1.0), ("munmap", 1.0)],
        );
        all.extend(counted("faults.minor", 0.5, 200.0, "the touches faulted"));
        all
    },
    computed_bounds: |_| at_least(2.0),
    run,
    ..MAPPING
};

/// Bytes between two touches, and the share of the file that is touched: lmbench's.
const STEP: usize = 16 << 10;
const SHARE: usize = 10;

/// What a mapped page of the cache costs when it goes.
const PAGE: Cost = (
    70.0,
    1.8,
    "entry cleared, mapped count less one, counters, page let go: 70 instructions and 2 locked, in batches",
);

fn predict(point: &Point) -> Prediction {
    // Each fault maps 64 KiB; page tables are made for each 2 MiB.
    let touched = (size_of(point) / SHARE) as f64;
    let (faults, pages) = ((touched / 65_536.0).ceil(), touched / 4096.0);
    let gone = (pages * PAGE.0, PAGE.1, PAGE.2);
    let mut all = predicted(0.0, &[("mapped pages let go", gone)]);
    let map = Formula::part("mapping.mmap_munmap", "size=4KiB");
    all.from_parts
        .push(term(Side::Software, "mapped and unmapped", map));
    let fault = Formula::part("fault.file.minor", "stride=64KiB written=4KiB").times(faults);
    all.from_parts
        .push(term(Side::Software, "faults, one in 64 KiB", fault));
    let facts = crate::memory::fault::fault_from_facts();
    let each = facts.into_iter().map(|term| record::Term {
        formula: term.formula.times(faults),
        ..term
    });
    all.from_facts.extend(each);
    all.from_facts.extend(crate::os::syscall::floors_from_facts(2.0));
    all
}

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
