//! Page faults without a handler's work, pages that are still shared, calls that nobody answers: what `faults.served`,
//! `children.ended` and `notices.answered` must catch.

use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Result};
use sys::memory::page_size;
use sys::pages::Pages;
use sys::process::Actor;

/// Pages that are touched.
const COUNT: usize = 512;

/// Reads pages that are there already, one after the other; gives how many were read.
fn read_again(bench: &mut Bench<'_>) -> Result<u64> {
    let pages = Pages::anonymous(COUNT * page_size())?;
    let word = bench.seed() | 1;
    let offset = |index: u64| (index as usize % COUNT) * page_size();
    let written = (0..COUNT as u64).all(|index| pages.write(offset(index), word));
    Failure::unless(written, "a page cannot be written")?;
    let mut read = 0;
    bench.slope(&mut |n| {
        let right = (0..n).filter(|index| pages.read(offset(*index)) == Some(word));
        let right = right.count() as u64;
        read += n;
        Ok(right)
    })?;
    Ok(read)
}

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.served.no_fault",
        of: "fault.userfaultfd cpu=same",
        mistake: "the pages are present: userfaultfd gets no fault",
        caught_by: Caught::By("faults.served"),
        run: |bench| {
            let touched = read_again(bench)?;
            bench.count("faults.served", 0.0, touched as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.served.child_stays",
        of: "fault.reuse",
        mistake: "the child that shares the pages was not waited for: they are copied, not reused",
        caught_by: Caught::By("children.ended"),
        run: |bench| {
            let child = Actor::spawn(None, || {
                std::thread::sleep(std::time::Duration::from_secs(60));
                0
            })?;
            read_again(bench)?;
            bench.count("children.ended", 0.0, 1.0);
            drop(child);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.served.passed_the_filter",
        of: "syscall.answered cpu=same wake=default",
        mistake: "the filter lets the call pass: the kernel answers it, and the other thread does nothing",
        caught_by: Caught::By("notices.answered"),
        run: |bench| {
            let mut calls = 0;
            bench.slope(&mut |n| {
                calls += n;
                // As often as makes it not too cheap for what it claims.
                let pass = || (0..8).all(|_| sys::process::getppid() >= 0);
                Ok((0..n).filter(|_| pass()).count() as u64)
            })?;
            bench.count("notices.answered", 0.0, calls as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
];
