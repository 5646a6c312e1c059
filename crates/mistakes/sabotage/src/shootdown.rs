//! Pages that no TLB holds: what the witness of interrupts must catch.

use crate::{Caught, Sabotage};
use sys::memory::page_size;
use sys::pages::Pages;
use workloads::os::shootdown::beside_threads;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[Sabotage {
    id: "sabotage.shootdown.untouched",
    of: "ipi.shootdown call=mprotect others=1",
    mistake: "the page was never written: no TLB holds its entry, and nobody is interrupted",
    caught_by: Caught::By("interrupts.function_call"),
    second_cpu: true,
    run: |bench| {
        let mut page = Pages::anonymous(page_size())?;
        beside_threads(bench, &mut |_| page.protect_and_unprotect().map(|()| true))
    },
    ..Sabotage::NEW
}];
