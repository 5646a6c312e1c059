//! A write fault on a page shared with a forked child: copy-on-write.

use super::{POOL, TOUCH};
use measure::{Bench, Failure, Operation};
use std::cell::Cell;
use sys::memory::page_size;
use sys::pages::Pages;
use sys::pipe::{WriteEnd, pipe};
use sys::process::{Actor, Ended};
use workloads::memory::page_sequence::{PageSequence, write_all};

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.copy_on_write",
    title: "copy-on-write of a 4 KiB page shared with a forked child",
    one_iteration: "one write to a page shared with a forked child, read back",
    method: "16 MiB on base pages are written and a child is forked, which waits. Every page is then shared and \
             read-only: a write copies it. When all pages are written the child checks that its own are unchanged and \
             exits; another is forked.",
    confounds: "After the child has exited or called exec, a write copies nothing (fault.reuse). The child's check proves \
                that it was alive.",
    sources: &[("perf bench", "mem, in a part"), ("redis", "latency after fork")],
    predict: &[
        "t0 page fault",
        "cleared page",
        "software t0 4 KiB copied = copy_page × cycle_ns",
        "software t0 old entry compared and flushed = replace_entry × cycle_ns",
        "software t1 write after read = [fault.zero_then_write]",
        "hardware t1 copy instead of clear = page_copied − page_cleared",
        "software t1 shared page released = 1200 cycles (×1.7: page checked and pinned (2 locked), reverse map \
         and counters less one (3 locked): 1 650 instructions more than for the page of zeros, counted in an \
         emulator (Linux 6.12), at 1.5 a cycle) × cycle_ns",
    ],
    evidence: &[
        "one fault per touch",
        "calls: none",
        "pages.kept = 1: every child found its pages unchanged: they were copied",
    ],
    run,
    ..TOUCH
};

/// A child that shares the pages, and the pipe that ends it.
struct SharingChild {
    child: Actor,
    stop: WriteEnd,
}

impl SharingChild {
    /// Forks a child that shares pages with this content.
    fn spawn(pages: &Pages, value: u64) -> Result<Self, Failure> {
        let (wait, stop) = pipe()?;
        let child = Actor::spawn(None, || {
            let stopped = wait.read_byte().is_ok();
            let mut offsets = (0..pages.length()).step_by(page_size());
            i32::from(!stopped || !offsets.all(|offset| pages.read(offset) == Some(value)))
        })?;
        Ok(Self { child, stop })
    }

    /// Ends the child, which checks its pages first; whether they were unchanged.
    fn end(self) -> Result<bool, Failure> {
        self.stop.write_byte(1)?;
        Ok(self.child.join()? == Ended::Exited(0))
    }
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let pages = Pages::anonymous(POOL)?;
    let sequence = PageSequence::of(&pages);
    // The content of the pages when the child is forked.
    let value = Cell::new(1);
    let (mut sharing, mut children, mut unchanged) = (None, 0_u32, 0_u32);
    let mut refresh = || {
        unchanged += u32::from(sharing.take().map_or(Ok(false), SharingChild::end)?);
        value.set(value.get() + 1);
        write_all(&pages, 0..POOL, |_| value.get())?;
        sharing = Some(SharingChild::spawn(&pages, value.get())?);
        children += 1;
        Ok(())
    };
    let write = |offset| Ok(pages.write(offset, !value.get()));
    sequence.touch(bench, |n| sequence.reserve(n, &mut refresh), write)?;
    unchanged += u32::from(sharing.map_or(Ok(false), SharingChild::end)?);
    bench.count("pages.kept", unchanged.into(), children.into());
    Ok(())
}
