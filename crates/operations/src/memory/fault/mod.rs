//! Page faults: what the first touch of a page costs, by what stands behind the page.
//!
//! A kind of fault is an implementation of [`Touch`]: its texts, how its pages are made ready, and one touch.
//! [`operation`] makes the declaration of it.

pub mod ahead;
pub mod anonymous;
pub mod copy_on_write;
pub mod file;
pub mod huge;
pub mod major;
pub mod major_wrong;
pub mod populate;
pub mod refused;
pub mod reuse;
pub mod source;
pub mod user;

use measure::{Area, Bench, Failure, Operation, Point, Work, calls, core_cycles, counted, linear};
use measure::{term, told_cycles, undisturbed, work_done};
use record::{Bound, Formula, Gate, Need, Prediction, Side, Term, Witness};
use std::cell::Cell;
use std::ops::Range;
use sys::memory::page_size;
use sys::pages::Pages;

/// Bytes of the pages that are touched one after another before they are all given back: four times the second
/// cache of most cores, so that what is cleared or copied is not warm from the round before.
pub const POOL: usize = 16 << 20;

/// What a pool, its copy and its page tables take at most.
const NEEDED: u64 = 4 * POOL as u64;

/// Places that are touched one after another, each once before all are made ready again.
#[derive(Debug)]
pub struct Places {
    count: usize,
    step: usize,
    next: Cell<usize>,
}

impl Places {
    /// A place every `step` bytes of so many.
    pub fn new(length: usize, step: usize) -> Self {
        let count = length / step;
        let next = Cell::new(count);
        Self { count, step, next }
    }

    /// Sees to it that `n` places are left; `refresh` makes all of them ready again when they are not.
    ///
    /// # Errors
    /// When there are not so many, or making ready fails.
    pub fn need(&self, n: u64, refresh: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        if n > self.count {
            let text = format!("a batch of {n} touches does not fit into {} places", self.count);
            return Err(Failure::Failed(text));
        }
        if n > self.count - self.next.get() {
            refresh()?;
            self.next.set(0);
        }
        Ok(())
    }

    /// The offsets of the next `n` places, which are used up.
    pub fn take(&self, n: u64) -> impl Iterator<Item = usize> + use<> {
        let (first, step) = (self.next.get(), self.step);
        let last = (first + usize::try_from(n).unwrap_or(usize::MAX)).min(self.count);
        self.next.set(last);
        (first..last).map(move |index| index * step)
    }

    /// The bytes that the next `n` places span.
    pub fn range(&self, n: u64) -> Range<usize> {
        let first = self.next.get();
        let last = (first + usize::try_from(n).unwrap_or(usize::MAX)).min(self.count);
        first * self.step..last * self.step
    }
}

/// A kind of first touch.
pub trait Touch: Sized {
    /// The operation's id.
    const ID: &'static str;
    /// What it is, in a few words.
    const TITLE: &'static str;
    /// What one iteration is.
    const ITERATION: &'static str;
    /// How, in a few sentences.
    const METHOD: &'static str;
    /// What can make the number mean something else.
    const CONFOUNDS: &'static str;
    /// Who measured it before, and how.
    const SOURCES: &'static [(&'static str, &'static str)];
    /// The system calls of one iteration.
    const CALLS: &'static [(&'static str, f64)] = &[];
    /// Minor faults of one iteration, and what they prove.
    const FAULTS: (f64, &'static str) = (1.0, "every touch is one fault, served without the disk");

    /// Pages and whatever else an iteration needs.
    ///
    /// # Errors
    /// When something cannot be had.
    fn prepare(seed: u64) -> Result<Self, Failure>;

    /// The pages.
    fn pages(&self) -> &Pages;

    /// Makes all pages ready to be touched again.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn refresh(&mut self) -> Result<(), Failure> {
        let all = 0..self.pages().length();
        Ok(self.pages().advise(all, sys::pages::Advice::DontNeed)?)
    }

    /// Makes the pages of the next batch ready.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn before(&mut self, _: Range<usize>) -> Result<(), Failure> {
        Ok(())
    }

    /// One iteration at this offset; whether the page held what it should.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn touch(&self, offset: usize) -> sys::Result<bool>;

    /// Says what was counted beside the kernel's counts, when all batches are over.
    ///
    /// # Errors
    /// When it cannot be told.
    fn finish(&mut self, _: &mut Bench<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// What it should cost.
    fn predict() -> Prediction;

    /// What must be true besides faults, calls and answers.
    fn more_witnesses() -> Vec<Witness> {
        Vec::new()
    }
}

/// The declaration of a kind of touch.
pub const fn operation<T: Touch>() -> Operation {
    Operation {
        id: T::ID,
        area: Area::Memory,
        title: T::TITLE,
        one_iteration: T::ITERATION,
        method: T::METHOD,
        confounds: T::CONFOUNDS,
        sources: T::SOURCES,
        needs: |_: &Point| vec![Need::Memory { bytes: NEEDED }],
        computed_prediction: |_: &Point| T::predict(),
        computed_witnesses: |_: &Point| {
            let mut all = witnesses(T::FAULTS, T::CALLS);
            all.extend(T::more_witnesses());
            all
        },
        computed_bounds: |_: &Point| at_least_floors(1.0),
        run: run::<T>,
        ..Operation::NEW
    }
}

fn run<T: Touch>(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let kind = T::prepare(bench.seed())?;
    let places = Places::new(kind.pages().length(), page_size());
    let kind = std::cell::RefCell::new(kind);
    let busy = |_| Failure::Failed("a batch began before the last one ended".to_owned());
    let mut before = |n| {
        let mut kind = kind.try_borrow_mut().map_err(busy)?;
        places.need(n, || kind.refresh())?;
        kind.before(places.range(n))
    };
    let mut main = |n| {
        let kind = kind.try_borrow().map_err(|_| Failure::Failed(String::new()))?;
        let mut right = 0;
        for offset in places.take(n) {
            right += u64::from(kind.touch(offset)?);
        }
        Ok(right)
    };
    bench.batches(Work {
        before: Some(&mut before),
        ..Work::alone(&mut main)
    })?;
    kind.into_inner().finish(bench)
}

/// What must be true of touches: so many minor faults per iteration within 1 %, and these calls.
pub fn witnesses(
    (faults, proves): (f64, &'static str),
    expected: &'static [(&'static str, f64)],
) -> Vec<Witness> {
    let mut all = work_done("every page held what it should, before or after");
    all.extend(counted("faults.minor", faults - 0.01, faults + 0.01, proves));
    all.extend(linear());
    all.extend(calls(expected));
    all.extend(undisturbed());
    all
}

/// A fault enters and leaves the kernel by the dearer way and does more there than the cheapest call.
pub fn at_least_floors(times: f64) -> Vec<Bound> {
    vec![Bound {
        lower: true,
        formula: Formula::part("syscall.floor", "").times(times),
        because: "an exception and its return take no less than a system call that does nothing".to_owned(),
    }]
}

/// The gate of operations that wait for a device: nobody has the CPU meanwhile.
pub const WAITS: Gate = Gate {
    cpu_share: None,
    involuntary: false,
    ..Operation::GATE
};

/// A measured part.
pub fn part(name: &str, operation: &str, point: &str) -> Term {
    term(Side::Software, name, Formula::part(operation, point))
}

/// Cycles to raise a page fault and to return from it.
const EXCEPTION: (f64, f64, &str) = (
    550.0,
    1.7,
    "a page-fault exception through the descriptor table and IRET, some 200 and 150 cycles on x86-64 cores since \
     2015, registers saved and restored, the address read, the context tracked: about 150 instructions",
);

/// What the kernel does between the exception and the page: the same for every kind of fault.
pub const WALK: (f64, f64, &str) = (
    970.0,
    1.6,
    "area found under its own lock, five levels walked, the entry locked and set, counters and the memory group: 1 340 \
     instructions counted in an emulator (Linux 6.12 of Debian 13, QEMU with -icount) at 1.5 a cycle, 4 locked of 20",
);

/// Cycles to have a page from the allocator and to enter it everywhere.
pub const ALLOCATION: (f64, f64, &str) = (
    1_500.0,
    1.5,
    "page from the CPU's list, charged to the memory group, reverse map, list of the least recently used, its share of \
     a refill from the zone and of a page table: 1 590 instructions counted in an emulator (Linux 6.12) at 1.5 a cycle \
     and 6 locked of 20 are 1 200; a first write less a first read less the clear took 1 900 on a Zen 5",
);

/// Cycles to clear 4 KiB that no near cache holds.
pub const CLEAR: (f64, f64, &str) = (
    350.0,
    1.8,
    "4 KiB at 12 bytes a cycle: rep stosb on lines of the last cache, between 64 (first cache) and 6 (memory)",
);

/// Cycles to copy 4 KiB from and to far caches.
pub const COPY: (f64, f64, &str) = (
    600.0,
    1.8,
    "4 KiB at 7 bytes a cycle: rep movsb between lines of the last cache",
);

/// Cycles of the kernel, for T0.
pub fn told(name: &str, (cycles, within, source): (f64, f64, &str)) -> Term {
    term(
        Side::Software,
        name,
        told_cycles(Formula::cited(cycles, within, source)),
    )
}

/// Cycles of the kernel, for T1.
pub fn reasoned(name: &str, (cycles, within, source): (f64, f64, &str)) -> Term {
    term(
        Side::Software,
        name,
        core_cycles(Formula::cited(cycles, within, source)),
    )
}

/// T0 of a fault before any page is had.
pub fn fault_from_facts() -> Vec<Term> {
    let cycles = Formula::cited(EXCEPTION.0, EXCEPTION.1, EXCEPTION.2);
    vec![
        term(Side::Hardware, "exception and return", told_cycles(cycles)),
        told("way to the page's entry", WALK),
    ]
}

/// T1 of a fault before any page is had.
fn fault_from_parts() -> Vec<Term> {
    vec![refused::exception(), reasoned("way to the page's entry", WALK)]
}

/// Bytes of a page of 4 KiB, times a second in nanoseconds.
const PAGE_SECONDS: f64 = 4096.0 * 1e9;

/// A page cleared as the kernel does it, by a string instruction, where no near cache holds it: as fast as a program
/// fills memory in the same way.
pub fn cleared() -> Term {
    let rate = Formula::part("memory.bandwidth.fill", "method=string size=128MiB cpus=1");
    let formula = Formula::exactly(PAGE_SECONDS).over(rate);
    term(
        Side::Hardware,
        "page cleared, as fast as memory is filled",
        formula,
    )
}

/// The same of a page that is copied.
pub fn copied() -> Term {
    let rate = Formula::part("memory.bandwidth.copy", "method=string size=128MiB cpus=1");
    let formula = Formula::exactly(PAGE_SECONDS).over(rate);
    term(
        Side::Hardware,
        "page copied, as fast as memory is copied",
        formula,
    )
}

/// What copying a page costs more than clearing it.
pub fn copied_instead() -> Term {
    let formula = copied().formula.minus(cleared().formula);
    term(Side::Hardware, "copied instead of cleared", formula)
}

/// What methods that reach no disk should cost: a fault, and a page of the cache.
pub fn fault_prediction() -> Prediction {
    let mut from_facts = fault_from_facts();
    from_facts.extend(anonymous::page_from_facts());
    Prediction {
        from_facts,
        from_parts: vec![part("first write", "fault.anonymous.write", "")],
    }
}

/// A fault on the page of zeros as measured, the base of all other faults.
pub fn zero_page() -> Term {
    part("fault on the page of zeros", "fault.anonymous.read", "")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_place_is_given_once_until_all_are_made_ready_again() {
        let places = Places::new(10 * 4096, 4096);
        let mut refreshed = 0;
        let mut taken = Vec::new();
        for _ in 0..4 {
            places
                .need(4, || {
                    refreshed += 1;
                    Ok(())
                })
                .unwrap();
            let range = places.range(4);
            let offsets: Vec<usize> = places.take(4).collect();
            assert_eq!((offsets.len(), offsets.first()), (4, Some(&range.start)));
            taken.extend(offsets);
        }
        // Ten places hold two batches of four.
        assert_eq!(refreshed, 2);
        assert_eq!(taken.get(..8), taken.get(8..));
        assert!(places.need(11, || Ok(())).is_err());
    }
}
