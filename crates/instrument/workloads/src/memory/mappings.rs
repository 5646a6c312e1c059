//! Mappings of memory.

use super::WorkingSet;
use measure::{Bench, Failure, Parameters, Point, Result, Work};
use std::cell::RefCell;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

/// The mapping of a point in bytes, at least a page.
pub fn size_of(point: &Point) -> usize {
    let bytes = WorkingSet::read(point).map_or(0, |set| set.bytes.bytes());
    usize::try_from(bytes).unwrap_or(usize::MAX).max(page_size())
}

/// Unmaps touched memory from the front, part by part.
///
/// # Errors
/// When there is no memory.
pub fn unmap_touched(bench: &mut Bench<'_>) -> Result<()> {
    let size = size_of(bench.point());
    let mapped: RefCell<Option<Pages>> = RefCell::new(None);
    let (mut resident, mut expected) = (0, 0);
    bench.batches(Work {
        before: Some(&mut |n| {
            // One more page remains at the end.
            let times = usize::try_from(n).unwrap_or(usize::MAX);
            let length = times.saturating_mul(size).saturating_add(page_size());
            drop(mapped.take());
            let pages = Pages::anonymous(length)?;
            pages.advise(0..length, Advice::PopulateWrite)?;
            resident += pages.resident(0..length)?;
            expected += length / page_size();
            mapped.replace(Some(pages));
            Ok(())
        }),
        ..Work::new(&mut |n| {
            let mut mapped = mapped.borrow_mut();
            let pages = mapped.as_mut().ok_or_else(|| Failure::failed("nothing is mapped"))?;
            for _ in 0..n {
                pages.unmap_front(size)?;
            }
            Ok(n)
        })
    })?;
    bench.count("pages.resident", f64::from(resident as u32), f64::from(expected as u32));
    Ok(())
}
