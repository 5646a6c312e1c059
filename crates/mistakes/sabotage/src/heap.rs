//! Blocks of the heap that are not what they are claimed to be: what `answers` and `calls.mmap` must catch.

use crate::{Caught, Sabotage};
use sys::heap::Block;
use workloads::os::heap::{Allocations, replace};

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.heap.one_block",
        of: "memory.malloc bytes=16B heap=new cpus=1",
        mistake: "two blocks that live at a time are one",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let mut block = Block::allocate(16)?;
            let mut numbers = [0, 0];
            bench.slope(&mut |n| {
                let mut right = 0;
                for turn in 1..=n {
                    let [older, newer] = numbers;
                    right += u64::from(block.has(older));
                    block.stamp(turn);
                    numbers = [newer, turn];
                }
                Ok(right)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.heap.not_mapped",
        of: "memory.malloc bytes=64MiB heap=new cpus=1",
        mistake: "the blocks are smaller than claimed: the library keeps them, and nothing is mapped",
        caught_by: Caught::By("calls.mmap"),
        run: |bench| {
            let parameters: Allocations = bench.parameters()?;
            replace(bench, parameters.of_bytes(1 << 20))
        },
        ..Sabotage::NEW
    },
];
