//! Every section of one thread, timed from the wish for the lock until it is given back, beside threads on other CPUs that want it, too.

use super::locks::Lock;
use super::section::Section;
use crate::os::scaling::object::Object;
use crate::threads::Threads;
use measure::{Bench, Failure, Result, Work};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a thread on another CPU did, in cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
struct Done {
    sections: AtomicU64,
    right: AtomicU64,
}

impl Done {
    /// Enters the section again and again until all is over.
    fn enter_until<L: Lock>(&self, is_over: &AtomicBool, section: &Section<L>) -> sys::Result<()> {
        while !is_over.load(Ordering::Relaxed) {
            let right = section.operate(1)?;
            self.sections.fetch_add(1, Ordering::Relaxed);
            self.right.fetch_add(right, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Times every section of the calling thread, which runs on the first of these CPUs, beside a thread on each of the others.
///
/// # Errors
/// When a thread cannot be made, a lock fails, or two threads were in a section that excludes others.
pub(super) fn each_section<L: Lock>(bench: &mut Bench<'_>, cpus: &[u32], section: &Section<L>) -> Result<()> {
    let others = cpus.get(1..).unwrap_or_default();
    let threads = Threads::new(others.len());
    let is_over = AtomicBool::new(false);
    let done: Vec<Done> = others.iter().map(|_| Done::default()).collect();
    let end = || is_over.store(true, Ordering::Relaxed);
    let own = AtomicU64::new(0);
    let failed: Mutex<Option<sys::Error>> = Mutex::default();
    let contend = |index: usize, pinned: sys::Result<()>| {
        let (Some(()), Some(done)) = (threads.ready(pinned.map_err(Failure::from)), done.get(index)) else {
            return;
        };
        if let Err(error) = done.enter_until(&is_over, section) {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    };
    let lead = || {
        let result = threads.wait().and_then(|()| {
            let mut main = |n| {
                own.fetch_add(n, Ordering::Relaxed);
                Ok(section.operate(n)?)
            };
            bench.batches(Work { cpu: threads.clocks(), in_parallel: true, ..Work::new(&mut main) })
        });
        end();
        result
    };
    sys::thread::beside_all(others, contend, end, lead)??;
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)?;
    let sections: Vec<u64> = done.iter().map(|done| done.sections.load(Ordering::Acquire)).collect();
    let right: u64 = done.iter().map(|done| done.right.load(Ordering::Acquire)).sum();
    let by_others: u64 = sections.iter().sum();
    Failure::unless(right == by_others, "another thread was in a section that excludes others")?;
    let working = 1 + sections.iter().filter(|sections| **sections > 0).count();
    bench.count("cpus.working", working as f64, cpus.len() as f64);
    for (counter, count, iterations) in section.evidence(by_others + own.into_inner()) {
        bench.count(counter, count, iterations);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use sys::posix::Mutex as Lock;

    #[test]
    fn another_thread_enters_until_the_end_and_every_section_is_counted() {
        const OWN: u64 = 1_000;
        let (section, done) = (Section::new(Lock::new().unwrap(), 0), Done::default());
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| done.enter_until(&is_over, &section));
            crate::threads::wait_until(|| done.sections.load(Ordering::Acquire) > 0).unwrap();
            assert_eq!(section.operate(OWN), Ok(OWN));
            is_over.store(true, Ordering::Relaxed);
            assert_eq!(other.join().unwrap(), Ok(()));
        });
        let [sections, right] = [&done.sections, &done.right].map(|count| count.load(Ordering::Acquire));
        let evidence = section.evidence(sections + OWN);
        let (_, updates, all) = evidence.iter().find(|(counter, ..)| *counter == "updates").unwrap();
        assert_eq!((sections, updates), (right, all));
    }
}
