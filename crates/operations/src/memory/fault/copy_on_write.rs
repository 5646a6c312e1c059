//! A fault on a page that a child made by fork shares: a copy is made.

use super::{POOL, TOUCH};
use crate::memory::workloads::touches::{Places, write_all};
use measure::{Bench, Failure, Operation};
use std::cell::Cell;
use sys::memory::page_size;
use sys::pages::Pages;
use sys::pipe::{WriteEnd, pipe};
use sys::process::{Actor, Ended};

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.copy_on_write",
    title: "first write to a page shared with a child",
    one_iteration: "one write to a page that a child made by fork shares, which must hold it then",
    method: "16 MiB on base pages are written and a child is made by fork, which waits. Every page is then shared \
             and may only be read: a write makes a copy for the writer. When all pages were written the child \
             looks at its own, which must be as they were, and ends; another is made.",
    confounds: "Once the child has ended, or has executed a program, a write copies nothing: the page is given to \
                the writer whole. The child that looks at its pages proves that it had not.",
    sources: &[("perf bench", "mem, in a part"), ("redis", "latency after fork")],
    predict: &[
        "t0 page fault",
        "cleared page",
        "software t0 4 KiB copied = copy_page × cycle_ns",
        "software t0 old entry compared and flushed = replace_entry × cycle_ns",
        "software t1 write after a read = [fault.zero_then_write]",
        "hardware t1 copied instead of cleared = page_copied − page_cleared",
        "software t1 the shared page let go = 1200 cycles (×1.7: page looked at and held (2 locked), reverse map \
         and counters less one (3 locked): 1 650 instructions more than for the page of zeros, counted in an \
         emulator (Linux 6.12), at 1.5 a cycle) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every page held what it should, before or after",
        "faults.minor 0.99..1.01: every touch is one fault, served without the disk",
        "linear",
        "calls: none",
        "undisturbed",
        "pages.kept = 1: every child still had its pages as they were when it looked: they were copied",
    ],
    run,
    ..TOUCH
};

/// A child that keeps the pages as they were, and the pipe that ends it.
struct Keeper {
    child: Actor,
    end: WriteEnd,
}

impl Keeper {
    /// Of pages that all hold this.
    fn new(pages: &Pages, value: u64) -> Result<Self, Failure> {
        let (wait, end) = pipe()?;
        let child = Actor::spawn(None, || {
            let told = wait.read_byte().is_ok();
            let mut offsets = (0..pages.length()).step_by(page_size());
            i32::from(!told || !offsets.all(|offset| pages.read(offset) == Some(value)))
        })?;
        Ok(Self { child, end })
    }

    /// Ends the child, which looks at its pages first; whether they were as they had been.
    fn end(self) -> Result<bool, Failure> {
        self.end.write_byte(1)?;
        Ok(self.child.join()? == Ended::Exited(0))
    }
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let pages = Pages::anonymous(POOL)?;
    let places = Places::of(&pages);
    // What the pages hold when the child is made.
    let value = Cell::new(1);
    let (mut keeper, mut children, mut kept) = (None, 0_u32, 0_u32);
    let mut refresh = || {
        kept += u32::from(keeper.take().map_or(Ok(false), Keeper::end)?);
        value.set(value.get() + 1);
        write_all(&pages, 0..POOL, |_| value.get())?;
        keeper = Some(Keeper::new(&pages, value.get())?);
        children += 1;
        Ok(())
    };
    let write = |offset| Ok(pages.write(offset, !value.get()));
    places.touch(bench, |n| places.need(n, &mut refresh), write)?;
    kept += u32::from(keeper.map_or(Ok(false), Keeper::end)?);
    bench.count("pages.kept", kept.into(), children.into());
    Ok(())
}
