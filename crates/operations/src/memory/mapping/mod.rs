//! Calls that change what is mapped: mapping, unmapping, protecting, moving; and lmbench's file mapping.

pub mod calls;
pub mod file;

use super::fault::reasoned;
use measure::{Area, Operation, Point, calls, term, undisturbed, work_done};
use quantity::Bytes;
use record::{Bound, Formula, Need, Prediction, Side, Witness};
use sys::memory::page_size;

/// What all of them have in common.
pub const MAPPING: Operation = Operation {
    area: Area::Memory,
    needs: |point| {
        vec![Need::Memory {
            bytes: 16 * size_of(point) as u64,
        }]
    },
    ..Operation::NEW
};

/// Points of these sizes.
pub fn sizes(of: &[&str]) -> Vec<Point> {
    of.iter().map(|size| Point::only().with("size", size)).collect()
}

/// The size of a point in bytes, at least a page.
pub fn size_of(point: &Point) -> usize {
    let told = point
        .get("size")
        .and_then(|text| quantity::parse_bytes(text).ok());
    let bytes = told.map_or(0, Bytes::bytes);
    usize::try_from(bytes).unwrap_or(usize::MAX).max(page_size())
}

/// Base pages of 4 KiB in a point's size.
pub fn pages_of(point: &Point) -> f64 {
    size_of(point) as f64 / 4096.0
}

/// What calls should cost that do so much besides entering the kernel: cycles once, and for every touched page.
pub fn predicted(floors: f64, parts: &[(&str, Cost)]) -> Prediction {
    let mut from_facts = crate::os::syscall::floors_from_facts(floors);
    let floor = Formula::part("syscall.floor", "").times(floors);
    let mut from_parts = vec![term(Side::Hardware, "the floors of the system calls", floor)];
    for (name, cost) in parts {
        from_facts.push(super::fault::told(name, *cost));
        from_parts.push(reasoned(name, *cost));
    }
    Prediction {
        from_facts,
        from_parts,
    }
}

/// Core cycles, how far off they may be as a factor, and what they are spent on.
pub type Cost = (f64, f64, &'static str);

/// What must be true of calls that never wait.
pub fn witnesses(answers: &str, expected: &'static [(&'static str, f64)]) -> Vec<Witness> {
    let mut all = work_done(answers);
    all.extend(calls(expected));
    all.extend(undisturbed());
    all
}

/// So many system calls are in it.
pub fn at_least(floors: f64) -> Vec<Bound> {
    vec![Bound {
        lower: true,
        formula: Formula::part("syscall.floor", "").times(floors),
        because: format!("it enters and leaves the kernel {floors} ×, as the floor does"),
    }]
}
