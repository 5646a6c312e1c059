//! Read bandwidth of a working set that no cache of this machine holds much of.

use super::COMMON;
use measure::Operation;
use record::Need;
use workloads::memory::bandwidth::{BLOCK, MEMORY, beyond_caches::read};

/// Beyond the caches.
pub static READ: Operation = Operation {
    id: "memory.bandwidth.read.beyond_caches",
    title: "read bandwidth of four times the last-level cache",
    one_iteration: "one block of 256 KiB read and its words summed",
    method: "As memory.bandwidth.read with the widest vectors, over four times the last-level cache that the kernel reports, and \
             at least 128 MiB. Skipped where that is more than a quarter of the available memory.",
    confounds: "A hypervisor reports the whole cache of a processor of which the guest has a share: the set is larger than \
                necessary. If the result equals that of 128 MiB, 128 MiB exceeds the caches, too.",
    sources: &[
        ("R2, 4.2", "a chunk that was to be larger than the caches; its size is not said"),
        ("STREAM", "each array at least four times the caches, by its rules"),
    ],
    parameters: Operation::NEW.parameters,
    points: &["cpus=1"],
    payload_bytes: |_| Some(BLOCK as u64),
    needs: |_| vec![Need::Memory { bytes: MEMORY }],
    predict: &[
        "hardware t0 lines in flight = by_latency(family.memory_ns)",
        "hardware t1 as 128 MiB, if that exceeds the caches = [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
    ],
    evidence: &[
        "answers = 1: the sum of all words was correct in every batch",
        "blocks(134217728)",
        "working_set.per_cache 4..1000000: the working set is at least four times the last-level cache",
    ],
    plot: None,
    run: read,
    ..COMMON
};
