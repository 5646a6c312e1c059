//! Faults on memory without a file: written, read, written after it was read, taken out and touched again.

use super::{ALLOCATION, CLEAR, POOL, Touch, fault_from_facts, fault_from_parts, operation, part};
use super::{reasoned, told, zero_page};
use measure::{Failure, Operation};
use record::{Prediction, Term};
use std::ops::Range;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

/// First write.
pub static WRITE: Operation = operation::<Write>();
/// First read.
pub static READ: Operation = operation::<Read>();
/// A write after a read.
pub static ZERO_THEN_WRITE: Operation = operation::<ZeroThenWrite>();
/// Taking a page out of the mapping and touching it.
pub static DONTNEED: Operation = Operation {
    computed_bounds: |_| super::at_least_floors(2.0),
    ..operation::<DontNeed>()
};
/// Taking a page out of the mapping.
pub static DONTNEED_CALL: Operation = operation::<DontNeedCall>();

/// What stands in a page that was written: never zero.
fn mark(offset: usize) -> u64 {
    offset as u64 | 1
}

struct Write(Pages);

impl Touch for Write {
    const ID: &'static str = "fault.anonymous.write";
    const TITLE: &'static str = "first write to a page of memory";
    const ITERATION: &'static str = "one write to a page that was never touched, which must hold it then";
    const METHOD: &'static str = "Private memory of 16 MiB on base pages (huge pages are declined), written one word per page, page after page. When all were touched, madvise(MADV_DONTNEED) gives them back between two batches. Faults are counted within the batches.";
    const CONFOUNDS: &'static str = "Pages come from the kernel's lists as the round before left them: on a machine that is short of memory, or whose hypervisor must find a page first, a fault costs many times more, once. One page table in 512 pages is in the time where it was not left from the round before.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[
        ("R2", "first touch of malloc'ed memory"),
        ("R4", "one sample (E29)"),
        ("will-it-scale", "page_fault1"),
    ];

    fn prepare(_: u64) -> Result<Self, Failure> {
        Ok(Self(Pages::anonymous(POOL)?))
    }

    fn pages(&self) -> &Pages {
        &self.0
    }

    #[inline(always)]
    fn touch(&self, offset: usize) -> sys::Result<bool> {
        Ok(self.0.write(offset, mark(offset)))
    }

    fn predict() -> Prediction {
        let mut from_facts = fault_from_facts();
        from_facts.extend(page_from_facts());
        Prediction {
            from_facts,
            from_parts: vec![
                zero_page(),
                reasoned("page had and entered", ALLOCATION),
                super::cleared(),
            ],
        }
    }
}

/// T0 of a page that is had and cleared.
pub fn page_from_facts() -> Vec<Term> {
    vec![
        told("page had and entered", ALLOCATION),
        told("page cleared", CLEAR),
    ]
}

struct Read(Pages);

impl Touch for Read {
    const ID: &'static str = "fault.anonymous.read";
    const TITLE: &'static str = "first read of a page of memory (the shared page of zeros)";
    const ITERATION: &'static str = "one read of a page that was never touched, which must give zero";
    const METHOD: &'static str = "As fault.anonymous.write, but read: the kernel maps its one page of zeros and neither takes a page nor clears one. What is left is the fault itself.";
    const CONFOUNDS: &'static str = "A kernel built or told to give huge zero pages would serve 512 touches by one fault; the count shows it.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[("will-it-scale", "page_fault3 on a file")];

    fn prepare(_: u64) -> Result<Self, Failure> {
        Ok(Self(Pages::anonymous(POOL)?))
    }

    fn pages(&self) -> &Pages {
        &self.0
    }

    #[inline(always)]
    fn touch(&self, offset: usize) -> sys::Result<bool> {
        Ok(self.0.read(offset) == Some(0))
    }

    fn predict() -> Prediction {
        Prediction {
            from_facts: fault_from_facts(),
            from_parts: fault_from_parts(),
        }
    }
}

struct ZeroThenWrite(Pages);

impl Touch for ZeroThenWrite {
    const ID: &'static str = "fault.zero_then_write";
    const TITLE: &'static str = "first write to a page that was read before";
    const ITERATION: &'static str =
        "one write to a page that shows the page of zeros, which must hold it then";
    const METHOD: &'static str = "As fault.anonymous.write; every page of a batch was read before it, so that the shared page of zeros is mapped there. The write is refused by the page table, a page is had and cleared, and the old entry is flushed.";
    const CONFOUNDS: &'static str = "The read before is not in the time: it is fault.anonymous.read.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[(
        "Linux selftests",
        "mm/cow.c: a write to the page of zeros, for its result only",
    )];
    const FAULTS: (f64, &'static str) = (1.0, "the write faults once more, after the read");

    fn prepare(_: u64) -> Result<Self, Failure> {
        Ok(Self(Pages::anonymous(POOL)?))
    }

    fn pages(&self) -> &Pages {
        &self.0
    }

    fn before(&mut self, range: Range<usize>) -> Result<(), Failure> {
        let is_zero = |offset| self.0.read(offset) == Some(0);
        if range.step_by(page_size()).all(is_zero) {
            Ok(())
        } else {
            Err(Failure::Failed(
                "a page that was never written is not zero".to_owned(),
            ))
        }
    }

    #[inline(always)]
    fn touch(&self, offset: usize) -> sys::Result<bool> {
        Ok(self.0.write(offset, mark(offset)))
    }

    fn predict() -> Prediction {
        let mut from_facts = fault_from_facts();
        from_facts.extend(page_from_facts());
        from_facts.push(told("old entry compared and flushed", FLUSH));
        Prediction {
            from_facts,
            from_parts: vec![
                part("first write", "fault.anonymous.write", ""),
                reasoned("old entry compared and flushed", FLUSH),
            ],
        }
    }
}

/// Cycles to replace an entry that was there: the TLB may hold it.
pub const FLUSH: (f64, f64, &str) = (
    770.0,
    1.6,
    "entry cleared and one address invalidated (INVLPG, some 150 to 250 cycles), the walk for it made anew, notifiers \
     looked for: 380 instructions counted in an emulator (Linux 6.12) make 550; a write after a read took 1 070 more \
     than a first write on a Zen 5",
);

struct DontNeed(Pages);

impl Touch for DontNeed {
    const ID: &'static str = "fault.dontneed";
    const TITLE: &'static str = "take a page out of the mapping and write it again";
    const ITERATION: &'static str = "one madvise(MADV_DONTNEED) of a touched page and one write to it";
    const METHOD: &'static str = "All pages were touched. Each is given back by a call of its own and written at once: the page that the fault gets is the one that was just given back, warm in the caches.";
    const CONFOUNDS: &'static str = "The clear of a warm page is cheaper than in fault.anonymous.write. R2 times the sum and calls it a fault.";
    const SOURCES: &'static [(&'static str, &'static str)] =
        &[("R2", "MADV_DONTNEED and touch, called a major fault (E20)")];
    const CALLS: &'static [(&'static str, f64)] = &[("madvise", 1.0)];

    fn prepare(_: u64) -> Result<Self, Failure> {
        Ok(Self(Pages::anonymous(POOL)?))
    }

    fn pages(&self) -> &Pages {
        &self.0
    }

    fn refresh(&mut self) -> Result<(), Failure> {
        write_all(&self.0)
    }

    #[inline(always)]
    fn touch(&self, offset: usize) -> sys::Result<bool> {
        self.0.advise(offset..offset + page_size(), Advice::DontNeed)?;
        let was_empty = self.0.write(offset + 8, mark(offset)) && self.0.read(offset) == Some(0);
        Ok(was_empty)
    }

    fn predict() -> Prediction {
        let mut from_facts = fault_from_facts();
        from_facts.extend(page_from_facts());
        from_facts.push(told("the call, the page given back", CALL));
        Prediction {
            from_facts,
            from_parts: vec![
                part("the call", "fault.dontneed.call", ""),
                part("first write", "fault.anonymous.write", ""),
            ],
        }
    }
}

/// Cycles of madvise for one page that is mapped.
pub const CALL: (f64, f64, &str) = (
    2_650.0,
    1.8,
    "area found and locked, levels walked, entry cleared, one address flushed (250), page uncharged and freed: 3 290 \
     instructions counted in an emulator (Linux 6.12) at 1.5 a cycle, 10 locked of 20",
);

struct DontNeedCall(Pages);

impl Touch for DontNeedCall {
    const ID: &'static str = "fault.dontneed.call";
    const TITLE: &'static str = "take a touched page out of the mapping";
    const ITERATION: &'static str = "one madvise(MADV_DONTNEED) of one touched page";
    const METHOD: &'static str = "The pages of a batch were written before it; each is given back by a call of its own. When the batch is over the first of them must be empty.";
    const CONFOUNDS: &'static str =
        "Pages given back together cost less each: the flush and the way are shared.";
    const SOURCES: &'static [(&'static str, &'static str)] = &[("stress-ng", "madvise, among other advice")];
    const CALLS: &'static [(&'static str, f64)] = &[("madvise", 1.0)];
    const FAULTS: (f64, &'static str) = (0.0, "nothing is touched");

    fn prepare(_: u64) -> Result<Self, Failure> {
        Ok(Self(Pages::anonymous(POOL)?))
    }

    fn pages(&self) -> &Pages {
        &self.0
    }

    fn refresh(&mut self) -> Result<(), Failure> {
        let resident = self.0.resident(0..self.0.length())?;
        if resident == self.0.length() / page_size() {
            return Err(Failure::Failed(
                "the kernel took the advice and no page out".to_owned(),
            ));
        }
        Ok(())
    }

    fn before(&mut self, range: Range<usize>) -> Result<(), Failure> {
        let written = range
            .step_by(page_size())
            .all(|offset| self.0.write(offset, mark(offset)));
        if written { Ok(()) } else { Err(unwritten()) }
    }

    #[inline(always)]
    fn touch(&self, offset: usize) -> sys::Result<bool> {
        self.0.advise(offset..offset + page_size(), Advice::DontNeed)?;
        Ok(true)
    }

    fn predict() -> Prediction {
        let floor = super::Formula::part("syscall.floor", "");
        let floor = super::term(super::Side::Hardware, "the floor of a system call", floor);
        Prediction {
            from_facts: crate::os::syscall::floors_from_facts(1.0)
                .into_iter()
                .chain([told("the page taken out and given back", CALL)])
                .collect(),
            from_parts: vec![floor, reasoned("the page taken out and given back", CALL)],
        }
    }
}

/// Touches every page.
fn write_all(pages: &Pages) -> Result<(), Failure> {
    let mut offsets = (0..pages.length()).step_by(page_size());
    if offsets.all(|offset| pages.write(offset, mark(offset))) {
        Ok(())
    } else {
        Err(unwritten())
    }
}

fn unwritten() -> Failure {
    Failure::Failed("a page does not hold what was written to it".to_owned())
}
