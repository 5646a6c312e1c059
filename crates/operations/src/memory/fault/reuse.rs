//! A fault on a page that was shared with a child which has ended: nothing is copied.

use super::{POOL, TOUCH};
use crate::memory::workloads::touches::{Places, write_all};
use measure::{Bench, Failure, Operation};
use std::cell::Cell;
use sys::pages::Pages;
use sys::process::{Actor, Ended};

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.reuse",
    title: "first write to a page whose other owner has ended",
    one_iteration: "one write to a page that a child made by fork shared until it ended, which must hold it then",
    method: "16 MiB on base pages are written, a child is made by fork and has ended before the first touch. Every \
             page may still only be read: a write faults, the kernel finds that nobody else has the page, and \
             gives the right to write back. No page is had, cleared or copied: of all faults on memory that is \
             there this is the least.",
    confounds: "Kernels before 5.15 or so copied here when a page was held by anyone for a moment.",
    sources: &[(
        "Linux selftests",
        "mm/cow.c, for its result; a part of latency after fork in redis",
    )],
    predict: &[
        "hardware t0 exception and return = exception × cycle_ns",
        "hardware t1 exception and return, as on a bad address = measured_exception",
        "software way to the page's entry = find_entry × cycle_ns",
        "software found to be the only owner = 350 cycles (×1.7: page locked and let go, its owners counted (3 \
         locked of 20), marked as its own, entry set and one address invalidated (INVLPG, 150 to 250 cycles): 60 \
         instructions) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every page held what it should, before or after",
        "faults.minor 0.99..1.01: every touch is one fault, served without the disk",
        "linear",
        "calls: none",
        "undisturbed",
        "children.ended = 1: every child that shared the pages had ended before they were written",
    ],
    run,
    ..TOUCH
};

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let pages = Pages::anonymous(POOL)?;
    let places = Places::of(&pages);
    let (value, mut children, mut ended) = (Cell::new(1), 0_u32, 0_u32);
    let mut refresh = || {
        value.set(value.get() + 1);
        write_all(&pages, 0..POOL, |_| value.get())?;
        let child = Actor::spawn(None, || 0)?;
        children += 1;
        ended += u32::from(child.join()? == Ended::Exited(0));
        Ok(())
    };
    let write = |offset| {
        let was = pages.read(offset) == Some(value.get());
        Ok(was && pages.write(offset, !value.get()))
    };
    places.touch(bench, |n| places.need(n, &mut refresh), write)?;
    bench.count("children.ended", ended.into(), children.into());
    Ok(())
}
