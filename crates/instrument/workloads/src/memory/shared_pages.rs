//! First writes to pages that are, or were, shared with a forked child.

use super::page_sequence::{PageSequence, write_all};
use super::pool::POOL;
use measure::{Bench, Result};
use std::cell::Cell;
use sys::memory::page_size;
use sys::pages::Pages;
use sys::pipe::{WriteEnd, pipe};
use sys::process::{Actor, Ended};

/// A child that shares the pages, and the pipe that ends it.
struct SharingChild {
    child: Actor,
    stop: WriteEnd,
}

impl SharingChild {
    /// Forks a child that shares pages with this content.
    fn spawn(pages: &Pages, value: u64) -> Result<Self> {
        let (wait, stop) = pipe()?;
        let child = Actor::spawn(None, || {
            let stopped = wait.read_byte().is_ok();
            let mut offsets = (0..pages.length()).step_by(page_size());
            i32::from(!stopped || !offsets.all(|offset| pages.read(offset) == Some(value)))
        })?;
        Ok(Self { child, stop })
    }

    /// Ends the child, which checks its pages first; whether they were unchanged.
    fn end(self) -> Result<bool> {
        self.stop.write_byte(1)?;
        Ok(self.child.join()? == Ended::Exited(0))
    }
}

/// First writes to pages that a waiting child shares.
///
/// # Errors
/// When there is no memory or no child.
pub fn copy_on_write(bench: &mut Bench<'_>) -> Result<()> {
    let pages = Pages::anonymous(POOL)?;
    let sequence = PageSequence::every_page(&pages).with_new_pages();
    // The content of the pages when the child is forked.
    let value = Cell::new(1);
    let (mut sharing, mut children, mut unchanged) = (None, 0_u32, 0_u32);
    sequence.touch(
        bench,
        |n| {
            sequence.reserve(n, &mut || {
                unchanged += u32::from(sharing.take().map_or(Ok(false), SharingChild::end)?);
                value.set(value.get() + 1);
                write_all(&pages, 0..POOL, |_| value.get())?;
                sharing = Some(SharingChild::spawn(&pages, value.get())?);
                children += 1;
                Ok(())
            })
        },
        |offset| Ok(pages.write(offset, !value.get())),
    )?;
    unchanged += u32::from(sharing.map_or(Ok(false), SharingChild::end)?);
    bench.count("pages.kept", unchanged.into(), children.into());
    Ok(())
}

/// First writes to pages that a child shared until it exited.
///
/// # Errors
/// When there is no memory or no child.
pub fn write_after_exit(bench: &mut Bench<'_>) -> Result<()> {
    let pages = Pages::anonymous(POOL)?;
    let sequence = PageSequence::every_page(&pages);
    let (value, mut children, mut ended) = (Cell::new(1), 0_u32, 0_u32);
    sequence.touch(
        bench,
        |n| {
            sequence.reserve(n, &mut || {
                value.set(value.get() + 1);
                write_all(&pages, 0..POOL, |_| value.get())?;
                let child = Actor::spawn(None, || 0)?;
                children += 1;
                ended += u32::from(child.join()? == Ended::Exited(0));
                Ok(())
            })
        },
        |offset| {
            let was = pages.read(offset) == Some(value.get());
            Ok(was && pages.write(offset, !value.get()))
        },
    )?;
    bench.count("children.ended", ended.into(), children.into());
    Ok(())
}
