//! Writes and syncs that do not reach the device as claimed: what `device.requests`, `device.written` and `device.flushes`
//! must catch.

use crate::files::written;
use crate::sabotage::{count_all, give};
use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Result};
use std::path::PathBuf;
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;
use workloads::device_bytes::DeviceCounts;

/// Bytes of the file, and of a block.
const LENGTH: usize = 1 << 20;
const BLOCK: usize = 4096;

/// Passes over the file: what other programs write meanwhile is a small share of them.
const PASSES: usize = 32;

/// The file of a sabotage, open for this kind of writes, and the counts of its device.
fn open(bench: &Bench<'_>, mode: CacheMode) -> Result<(TemporaryFile, DeviceCounts)> {
    let file = written(&bench.directory()?.path, LENGTH)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.descriptor().number()));
    let file = TemporaryFile::reopen(&path, mode, file.seed())?;
    let counts = DeviceCounts::start(file.descriptor());
    let remedy = "run it in a directory on a disk with a volatile write cache";
    counts.flushes().map_err(|reason| Failure::skipped(reason, remedy))?;
    Ok((file, counts))
}

/// Writes the whole file several times by calls of `piece` bytes; gives the number of blocks.
fn write(file: &TemporaryFile, piece: usize) -> Result<f64> {
    let mut buffer = Mapping::private(piece)?;
    for pass in 0..PASSES {
        for offset in (0..LENGTH).step_by(piece) {
            file.mark(buffer.bytes_mut(), (offset + pass * LENGTH) as u64);
            let written = direct::write_at(file.descriptor(), buffer.bytes_mut(), offset as u64);
            sys::Error::check("pwrite64", written)?;
        }
    }
    Ok((PASSES * LENGTH / BLOCK) as f64)
}

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.durability.merged",
        of: "file.write.uring depth=16",
        mistake: "blocks are written 256 at a time, and are claimed to be requests of 4 KiB each",
        caught_by: Caught::By("device.requests"),
        run: |bench| {
            let (file, device) = open(bench, CacheMode::Direct)?;
            let blocks = write(&file, LENGTH)?;
            device.count(bench, blocks, blocks * BLOCK as f64);
            let claimed =
                [("answers", 1.0), ("file.on_disk", 1.0), ("blocks.right", 1.0), ("requests.deepest", 16.0)];
            give(bench, &claimed, vec![10_000.0; 8])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.durability.cached",
        of: "file.write.direct access=sequential",
        mistake: "the blocks are written to the page cache, and are claimed to be written with O_DIRECT",
        caught_by: Caught::By("device.written"),
        run: |bench| {
            let (file, device) = open(bench, CacheMode::Cached)?;
            let blocks = write(&file, BLOCK)?;
            device.count(bench, blocks, blocks * BLOCK as f64);
            let claimed =
                [("answers", 1.0), ("file.on_disk", 1.0), ("blocks.right", 1.0), ("cache.left", 0.0)];
            give(bench, &claimed, vec![50_000.0; 8])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.durability.not_flushed",
        of: "file.write.fsync",
        mistake: "the block is written with O_DIRECT, so that no page is dirty, and the fsync is left out",
        caught_by: Caught::By("device.flushes"),
        run: |bench| {
            let (file, device) = open(bench, CacheMode::Direct)?;
            let blocks = write(&file, BLOCK)?;
            device.count_flushes(bench, blocks);
            count_all(bench, &[("pages.left", 0.0)]);
            let claimed = [("answers", 1.0), ("file.on_disk", 1.0), ("blocks.right", 1.0)];
            give(bench, &claimed, vec![100_000.0; 8])
        },
        ..Sabotage::NEW
    },
];
