//! A fault on a page that a child made by fork shares: a copy is made.

use super::{POOL, TOUCH, Touch};
use measure::{Bench, Failure, Operation};
use sys::memory::page_size;
use sys::pages::Pages;
use sys::pipe::{WriteEnd, pipe};
use sys::process::{Actor, Ended};

/// A child that keeps the pages as they were, and the pipe that ends it.
struct Keeper {
    child: Actor,
    end: WriteEnd,
}

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
    run: super::run::<CopyOnWrite>,
    ..TOUCH
};

struct CopyOnWrite {
    pages: Pages,
    keeper: Option<Keeper>,
    /// What the pages hold when the child is made.
    value: u64,
    children: f64,
    unchanged: f64,
}

impl CopyOnWrite {
    /// Ends the child, if there is one, which looks at its pages first.
    fn release(&mut self) -> Result<(), Failure> {
        let Some(keeper) = self.keeper.take() else {
            return Ok(());
        };
        keeper.end.write_byte(1)?;
        self.unchanged += f64::from(u8::from(keeper.child.join()? == Ended::Exited(0)));
        Ok(())
    }
}

impl Touch for CopyOnWrite {
    fn prepare(_: u64) -> Result<Self, Failure> {
        let pages = Pages::anonymous(POOL)?;
        Ok(Self {
            pages,
            keeper: None,
            value: 1,
            children: 0.0,
            unchanged: 0.0,
        })
    }

    fn pages(&self) -> &Pages {
        &self.pages
    }

    fn refresh(&mut self) -> Result<(), Failure> {
        self.release()?;
        self.value += 1;
        let (value, pages) = (self.value, &self.pages);
        let offsets = || (0..pages.length()).step_by(page_size());
        if !offsets().all(|offset| pages.write(offset, value)) {
            return Err(Failure::Failed(
                "a page does not hold what was written to it".to_owned(),
            ));
        }
        let (wait, end) = pipe()?;
        let child = Actor::spawn(None, || {
            let told = wait.read_byte().is_ok();
            i32::from(!told || !offsets().all(|offset| pages.read(offset) == Some(value)))
        })?;
        self.children += 1.0;
        self.keeper = Some(Keeper { child, end });
        Ok(())
    }

    #[inline(always)]
    fn touch(&self, offset: usize) -> sys::Result<bool> {
        Ok(self.pages.write(offset, !self.value))
    }

    fn finish(&mut self, bench: &mut Bench<'_>) -> Result<(), Failure> {
        self.release()?;
        bench.count("pages.kept", self.unchanged, self.children);
        Ok(())
    }
}
