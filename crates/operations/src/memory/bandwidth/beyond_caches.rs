//! Read bandwidth of a working set that no cache of this machine holds much of.

use super::COMMON;
use super::single::run_single;
use super::spec::{BLOCK, MEMORY, REHEARSED};
use measure::{Bench, Failure, Operation, Point};
use quantity::{Bytes, show_bytes};
use record::Need;
use sys::bandwidth::{Action, Blocks, Content, Method};
use workloads::memory::working_set::largest;

/// A working set is at least as many times the last-level cache.
const CACHES: usize = 4;

/// Beyond the caches.
pub static READ: Operation = Operation {
    id: "memory.bandwidth.read.beyond_caches",
    title: "read bandwidth of four times the last-level cache",
    one_iteration: "one block of 256 KiB read and its words summed",
    method: "As memory.bandwidth.read with the widest vectors, over four times the last-level cache that the kernel reports, and \
             at least 128 MiB. Skipped where that is more than a quarter of the available memory.",
    confounds: "A hypervisor reports the whole cache of a processor of which the guest has a share: the set is larger than it need be. Where \
                the result is that of 128 MiB, these are memory, too.",
    sources: &[
        ("R1", "4 MB over a last-level cache of 3 MB (E16)"),
        ("STREAM", "arrays of four times the last-level cache, by its rules"),
    ],
    points: |_| Point::all("cpus=1"),
    payload_bytes: |_| Some(BLOCK as u64),
    needs: |_| vec![Need::Memory { bytes: MEMORY }],
    predict: &[
        "hardware t0 lines in flight = by_latency(family.memory_ns)",
        "hardware t1 as 128 MiB, where these are memory = [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
    ],
    evidence: &[
        "answers = 1: the sum of all words was correct in every batch",
        "blocks(134217728)",
        "working_set.per_cache 4..1000000: the working set is at least four times the last-level cache",
    ],
    plot: None,
    run,
    ..COMMON
};

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let cache = sys::memory::last_level_cache();
    let wanted = (CACHES * cache.unwrap_or(0)).max(MEMORY as usize);
    let size = match bench.is_rehearsal() {
        true => REHEARSED,
        false => largest(wanted.next_multiple_of(BLOCK), wanted)?,
    };
    let shape = (size, size.min(BLOCK));
    let made = Blocks::new(Action::Read, Method::Widest, shape, Content::Random, bench.seed())?;
    let blocks = made.ok_or_else(|| Failure::Failed("no vectors to read with".to_owned()))?;
    run_single(bench, blocks, size)?;
    match cache {
        Some(cache) => bench.count("working_set.per_cache", size as f64, cache as f64),
        None => bench.cannot_count(
            "working_set.per_cache",
            format!("the kernel reports no cache; {} were read", show_bytes(Bytes::from_bytes(size as u64))),
        ),
    }
    Ok(())
}
