//! A fault on a page that a child made by fork shares: a copy is made.

use super::anonymous::{FLUSH, page_from_facts};
use super::{COPY, POOL, Touch, fault_from_facts, operation, part, reasoned, told};
use measure::{Bench, Failure, Operation, counted};
use record::{Prediction, Witness};
use sys::memory::page_size;
use sys::pages::Pages;
use sys::pipe::{WriteEnd, pipe};
use sys::process::{Actor, Ended};

/// The declaration.
pub static OPERATION: Operation = operation::<CopyOnWrite>();

/// A child that keeps the pages as they were, and the pipe that ends it.
struct Keeper {
    child: Actor,
    end: WriteEnd,
}

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
    const ID: &'static str = "fault.copy_on_write";
    const TITLE: &'static str = "first write to a page shared with a child";
    const ITERATION: &'static str =
        "one write to a page that a child made by fork shares, which must hold it then";
    const METHOD: &'static str = "16 MiB on base pages are written and a child is made by fork, which waits. Every page is then shared and may only be read: a write makes a copy for the writer. When all pages were written the child looks at its own, which must be as they were, and ends; another is made.";
    const CONFOUNDS: &'static str = "Once the child has ended, or has executed a program, a write copies nothing: the page is given to the writer whole. The child that looks at its pages proves that it had not.";
    const SOURCES: &'static [(&'static str, &'static str)] =
        &[("perf bench", "mem, in a part"), ("redis", "latency after fork")];

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

    fn predict() -> Prediction {
        let mut from_facts = fault_from_facts();
        from_facts.extend(page_from_facts());
        from_facts.extend([
            told("4 KiB copied", COPY),
            told("old entry compared and flushed", FLUSH),
        ]);
        Prediction {
            from_facts,
            from_parts: vec![
                part("write after a read", "fault.zero_then_write", ""),
                super::copied_instead(),
                reasoned("the shared page let go", SHARED),
            ],
        }
    }

    fn more_witnesses() -> Vec<Witness> {
        counted(
            "pages.kept",
            1.0,
            1.0,
            "every child still had its pages as they were when it looked: they were copied",
        )
    }
}

/// Cycles to find out that a page is shared and to give up one's part of it.
const SHARED: (f64, f64, &str) = (
    1_200.0,
    1.7,
    "page looked at and held (2 locked), reverse map and counters less one (3 locked): 1 650 instructions more than for \
     the page of zeros, counted in an emulator (Linux 6.12), at 1.5 a cycle",
);
