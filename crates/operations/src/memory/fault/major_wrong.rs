//! Ways to measure a "major" fault that touches no disk: kept beside the right one.

use super::major::MAJOR;
use crate::memory::workloads::source::{self, LENGTH};
use crate::memory::workloads::touches::{Places, take_out};
use measure::{Bench, Failure, How, Operation, Point, Reference, Rehearse};
use sys::memory::page_size;
use sys::pages::{Advice, Pages, Sharing};
use sys::temporary::TemporaryFile;

/// The right way beside these.
const RIGHT: (&str, &str) = ("fault.file.major", "access=random");

/// R1's and R2's way: the file was in the cache.
pub static CACHED: Operation = Operation {
    id: "fault.file.major.cached",
    title: "touch of a page of a file that was just written, taken for a major fault",
    one_iteration: "one read of a page at every 64 KiB of a file that is in the cache",
    method: "A temporary file is written, mapped with MADV_RANDOM and touched at every 64 KiB, without its cache being \
             emptied. The kernel counts minor faults.",
    reference: Some(Reference {
        wrong: "the pages are still in the cache from the writing: every fault is minor, and no disk takes part (E20)",
        right: RIGHT,
    }),
    how: How::Slope,
    gate: Operation::GATE,
    rehearse: Rehearse::Calls,
    points: |_| vec![Point::only()],
    predict: &[
        "t0 page fault",
        "cleared page",
        "software t1 first write = [fault.anonymous.write]",
    ],
    evidence: &[
        "answers = 1: every page held what it should, before or after",
        "faults.minor 0.99..1.01: every touch is a minor fault, none a major one",
        "linear",
        "calls: none",
        "undisturbed",
    ],
    run: |bench| {
        let file = source::cached(page_size(), bench.seed())?;
        touch(bench, &file, 16 * page_size(), &|offset| {
            file.word(offset as u64 / 8)
        })
    },
    headline: &[],
    ..MAJOR
};

/// R0's way: a file of which nothing was ever written.
pub static SPARSE: Operation = Operation {
    id: "fault.file.major.sparse",
    title: "touch of a page of a file that is a hole, taken for a major fault",
    one_iteration: "one read of a page of a hole, which must give zero",
    method: "A temporary file is stretched and nothing is written. Its pages are touched with MADV_RANDOM; before each \
             batch the cache is emptied. The file system finds no extent and fills a page of the cache with zeros.",
    reference: Some(Reference {
        wrong: "a hole has no place on the disk: the kernel makes pages of zeros, and counts the faults as major (E21)",
        right: RIGHT,
    }),
    points: |_| vec![Point::only()],
    how: How::Slope,
    gate: Operation::GATE,
    rehearse: Rehearse::Nothing,
    predict: &[
        "t0 page fault",
        "cleared page",
        "software t1 first write = [fault.anonymous.write]",
    ],
    evidence: &[
        "answers = 1: every page was zero",
        "faults.major 0.99..1.01: the kernel calls it major: the page was not in the cache",
    ],
    run: |bench| {
        let directory = std::env::temp_dir();
        let mut file = TemporaryFile::new(&directory)?;
        file.stretch(LENGTH)?;
        touch(bench, &file, page_size(), &|_| 0)
    },
    headline: &[],
    ..MAJOR
};

/// Touches pages of a file; takes them out of the mapping, and out of the cache if they can be, when all are used.
fn touch(
    bench: &mut Bench<'_>,
    file: &TemporaryFile,
    step: usize,
    word: &dyn Fn(usize) -> u64,
) -> Result<(), Failure> {
    let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared)?;
    pages.advise(0..file.length(), Advice::Random)?;
    let places = Places::new(file.length(), step);
    let is_hole = word(0) == 0;
    let refresh = || {
        take_out(&pages)?;
        if is_hole { Ok(file.drop_cache()?) } else { Ok(()) }
    };
    let read = |offset| Ok(pages.read(offset) == Some(word(offset)));
    places.touch(bench, |n| places.need(n, refresh), read)
}
