//! Pages that are touched for the first time within a batch: what `faults.minor` must catch.

use crate::{Caught, Sabotage};
use measure::Point;
use sys::memory::{Mapping, page_size};
use sys::process;

/// Bytes of memory that can be touched, page by page: more than a trial does.
const FRESH: usize = 1 << 30;

/// Fresh pages inside the batches.
pub static FRESH_PAGES: Sabotage = Sabotage {
    id: "sabotage.faults.fresh_pages",
    of: "syscall.getppid",
    points: |_| Point::all("method=raw"),
    mistake: "every 16th iteration touches a page that was never touched (E14)",
    caught_by: Caught::By("faults.minor"),
    run: |bench| {
        let mut memory = Mapping::private(FRESH)?;
        let mut pages = memory.bytes_mut().chunks_mut(page_size());
        bench.slope(&mut |n| {
            for turn in 0..n {
                process::getppid();
                if turn % 16 == 0
                    && let Some(first) = pages.next().and_then(|page| page.first_mut())
                {
                    *first = 1;
                }
            }
            Ok(n)
        })
    },
    ..Sabotage::NEW
};
