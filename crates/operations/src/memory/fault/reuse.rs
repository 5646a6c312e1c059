//! A fault on a page that was shared with a child which has ended: nothing is copied.

use super::refused::exception;
use super::{POOL, Touch, WALK, fault_from_facts, operation, reasoned, told};
use measure::{Bench, Failure, Operation, counted};
use record::{Prediction, Witness};
use sys::memory::page_size;
use sys::pages::Pages;
use sys::process::{Actor, Ended};

/// The declaration.
pub static OPERATION: Operation = operation::<Reuse>();

struct Reuse {
    pages: Pages,
    value: u64,
    children: f64,
    ended: f64,
}

impl Touch for Reuse {
    const ID: &'static str = "fault.reuse";
    const TITLE: &'static str = "first write to a page whose other owner has ended";
    const ITERATION: &'static str =
        "one write to a page that a child made by fork shared until it ended, which must hold it then";
    const METHOD: &'static str = "16 MiB on base pages are written, a child is made by fork and has ended before the first touch. Every page may still only be read: a write faults, the kernel finds that nobody else has the page, and gives the right to write back. No page is had, cleared or copied: of all faults on memory that is there this is the least.";
    const CONFOUNDS: &'static str =
        "Kernels before 5.15 or so copied here when a page was held by anyone for a moment.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[(
        "Linux selftests",
        "mm/cow.c, for its result; a part of latency after fork in redis",
    )];

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

    fn predict() -> Prediction {
        let mut from_facts = fault_from_facts();
        from_facts.push(told("found to be the only owner", ALONE));
        Prediction {
            from_facts,
            from_parts: vec![
                exception(),
                reasoned("way to the page's entry", WALK),
                reasoned("found to be the only owner", ALONE),
            ],
        }
    }

    fn more_witnesses() -> Vec<Witness> {
        counted(
            "children.ended",
            1.0,
            1.0,
            "every child that shared the pages had ended before they were written",
        )
    }
}

/// Cycles to find that nobody else has a page, and to let its entry be written.
const ALONE: (f64, f64, &str) = (
    350.0,
    1.7,
    "page locked and let go, its owners counted (3 locked of 20), marked as its own, entry set and one address \
     invalidated (INVLPG, 150 to 250 cycles): 60 instructions",
);
