//! open and close, each without the other.

use super::CARD;
use super::files::device;
use measure::{Bench, Failure, Operation, Point, Work};
use std::cell::RefCell;
use sys::descriptor::{self, Descriptor};
use sys::path::{self, Access, DEV_NULL};

/// Descriptors that are open at once, at most: far below the usual limit of 1 024.
const MOST: u64 = 800;

const UNPAIRED: Operation = Operation {
    confounds: "The table of descriptors grows with the number of open files, up to 800 here; finding the lowest free one does \
                not become slower in Linux. File systems have an open method, which may read a disk or ask a server.",
    bounds: &["floor"],
    ..CARD
};

/// open alone.
pub static OPEN: Operation = Operation {
    id: "syscall.open",
    title: "open of /dev/null",
    one_iteration: "one open of /dev/null, which must give a new descriptor",
    method: "open of the C library with /dev/null, in a loop that keeps the descriptors; they are closed between two batches. \
             Batches have at most 800 iterations.",
    sources: &[("R4", "open for reading and for writing, 35 times apart: the second created the file")],
    points: |_| Point::all("access=read|write"),
    predict: &[
        "t0 floors(1)",
        "software t0 name looked up, file allocated, device opened = path(1900, 14) (×1.7: two components of a name, \
         permissions, a file and a descriptor allocated) × cycle_ns",
        "access=read: software t1 open and close = [syscall.open_close.read] − [syscall.close]",
        "access=write: software t1 open and close = [syscall.open_close.write] − [syscall.close]",
    ],
    evidence: &[
        "answers = 1: every open gave a descriptor that was not open",
        "linear",
        "calls: openat 1",
        "undisturbed",
    ],
    run: |bench| {
        let access = match bench.point().get("access") {
            Some("write") => Access::Write,
            _ => Access::Read,
        };
        unpaired(bench, access, true)
    },
    ..UNPAIRED
};

/// close alone.
pub static CLOSE: Operation = Operation {
    id: "syscall.close",
    title: "close of /dev/null",
    one_iteration: "one close of a descriptor of /dev/null",
    method: "Descriptors of /dev/null are opened between two batches and closed in a loop. Batches have at most 800 iterations.",
    sources: &[("R4", "close of a file")],
    predict: &[
        "floors(1)",
        "software descriptor and file released = path(700, 8) (×1.7: descriptor freed, locks and leases looked for, the file \
         given to a task's work and freed) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every descriptor was open before the batch",
        "linear",
        "calls: close 1",
        "undisturbed",
    ],
    run: |bench| unpaired(bench, Access::Read, false),
    ..UNPAIRED
};

/// Opens in batches and closes between them, or the other way round.
fn unpaired(bench: &mut Bench<'_>, access: Access, times_open: bool) -> Result<(), Failure> {
    drop(device(DEV_NULL, access)?);
    let held: RefCell<Vec<Descriptor>> = RefCell::new(Vec::with_capacity(MOST as usize));
    let open = |n: u64| -> Result<u64, Failure> {
        let mut held = held.borrow_mut();
        let before = held.len() as u64;
        for _ in 0..n {
            held.push(path::open(DEV_NULL, access)?);
        }
        Ok(held.len() as u64 - before)
    };
    let close = |n: u64| -> Result<u64, Failure> {
        let mut held = held.borrow_mut();
        let count = n.min(held.len() as u64);
        for _ in 0..count {
            // Dropping one is more than a close where the standard library checks descriptors.
            held.pop().map_or(Ok(()), descriptor::close)?;
        }
        Ok(count)
    };
    let mut before = |n: u64| {
        if n > MOST {
            return Err(Failure::Failed(format!("a batch of {n} exceeds {MOST} descriptors")));
        }
        close(u64::MAX)?;
        if times_open { Ok(()) } else { open(n).map(|_| ()) }
    };
    let mut main = |n: u64| if times_open { open(n) } else { close(n) };
    bench.batches(Work { before: Some(&mut before), ..Work::new(&mut main) })
}
