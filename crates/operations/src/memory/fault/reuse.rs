//! A fault on a page that was shared with a child which has ended: nothing is copied.

use super::{POOL, TOUCH, Touch};
use measure::{Bench, Failure, Operation};
use sys::memory::page_size;
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
    run: super::run::<Reuse>,
    ..TOUCH
};

struct Reuse {
    pages: Pages,
    value: u64,
    children: f64,
    ended: f64,
}

impl Touch for Reuse {
    fn prepare(_: u64) -> Result<Self, Failure> {
        Ok(Self {
            pages: Pages::anonymous(POOL)?,
            value: 1,
            children: 0.0,
            ended: 0.0,
        })
    }

    fn pages(&self) -> &Pages {
        &self.pages
    }

    fn refresh(&mut self) -> Result<(), Failure> {
        self.value += 1;
        let mut offsets = (0..POOL).step_by(page_size());
        if !offsets.all(|offset| self.pages.write(offset, self.value)) {
            let text = "a page does not hold what was written to it";
            return Err(Failure::Failed(text.to_owned()));
        }
        let child = Actor::spawn(None, || 0)?;
        self.children += 1.0;
        self.ended += f64::from(u8::from(child.join()? == Ended::Exited(0)));
        Ok(())
    }

    #[inline(always)]
    fn touch(&self, offset: usize) -> sys::Result<bool> {
        let was = self.pages.read(offset) == Some(self.value);
        Ok(was && self.pages.write(offset, !self.value))
    }

    fn finish(&mut self, bench: &mut Bench<'_>) -> Result<(), Failure> {
        bench.count("children.ended", self.ended, self.children);
        Ok(())
    }
}
