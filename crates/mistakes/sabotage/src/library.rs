//! Functions of the C library that are not called as claimed: what `answers` and `bytes.of_calls` must catch.

use crate::{Caught, Sabotage};
use workloads::memory::library::{LibraryCalls, call_changed};

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.library.half",
        of: "memory.library function=memcpy bytes=64B alignment=0",
        mistake: "half of the bytes are copied",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let parameters = bench.parameters()?;
            call_changed(bench, parameters, |calls| calls.do_half())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.library.one_size",
        of: "memory.library function=memcpy bytes=256B alignment=0 sizes=mixed",
        mistake: "all calls have the largest size, whose branches are always predicted",
        caught_by: Caught::By("bytes.of_calls"),
        run: |bench| {
            let parameters = LibraryCalls { sizes: None, ..bench.parameters()? };
            call_changed(bench, parameters, |_| {})
        },
        ..Sabotage::NEW
    },
];
