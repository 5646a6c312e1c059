//! Files of their own for readers and writers. Those in the run's folder are written by the first trial that needs them.

use super::test_file::{extend, io_write_error};
use super::{BLOCK, reopened};
use measure::{Bench, Result};
use std::fs::OpenOptions;
use sys::direct::CacheMode;
use sys::temporary::TemporaryFile;

/// Bytes of a file, as in R0, 6.4.1.
pub const LENGTH: u64 = 4 << 20;

/// Bytes of a writer's file.
pub const WRITTEN: u64 = 1 << 20;

/// Bytes of the file that is written with several writes in flight, and of the writes that fill it.
pub const QUEUED: u64 = 64 << 20;
const FILL_WRITE: usize = 1 << 20;

/// The seed of their data, the same in all workers.
const SEED: u64 = 0x05c0_9e5e_ed00_0002;

/// The file of a reader, with random, synced data; the folder is removed at the end of the run.
///
/// # Errors
/// When there is no directory or no space, or the file cannot be read with O_DIRECT.
pub fn open(bench: &Bench<'_>, number: u64, direct: bool) -> Result<TemporaryFile> {
    let file = kept(bench, &format!("reader{number}"), LENGTH, LENGTH as usize)?;
    if direct { reopened(&file, CacheMode::Direct) } else { Ok(file) }
}

/// A file of the run's folder that is overwritten with several writes in flight.
///
/// # Errors
/// When there is no directory or no space.
pub fn to_overwrite_at_depth(bench: &Bench<'_>) -> Result<TemporaryFile> {
    kept(bench, "overwritten", QUEUED, FILL_WRITE)
}

/// A file of the run's folder of which blocks are overwritten: made once, since that writes all of it.
///
/// # Errors
/// When there is no directory or no space.
pub fn to_overwrite_by_blocks(bench: &Bench<'_>, name: &str, length: u64) -> Result<TemporaryFile> {
    made_once(bench, name, length, BLOCK)
}

/// A file in the run's folder with synced data, none of it cached; written if no earlier trial has done so.
fn kept(bench: &Bench<'_>, name: &str, length: u64, piece: usize) -> Result<TemporaryFile> {
    let file = made_once(bench, name, length, piece)?;
    file.drop_cache()?;
    Ok(file)
}

/// A file in the run's folder with synced data, written if no earlier trial has done so.
fn made_once(bench: &Bench<'_>, name: &str, length: u64, piece: usize) -> Result<TemporaryFile> {
    let directory = bench.directory()?;
    let path = directory.folder.join(name);
    let created = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    created.map_err(io_write_error("openat"))?;
    let mut file = TemporaryFile::reopen(&path, CacheMode::Cached, SEED)?;
    extend(&mut file, directory, length, piece, SEED)?;
    Ok(file)
}

/// A synced file to overwrite with O_DIRECT.
///
/// # Errors
/// When it cannot be written.
pub fn to_overwrite(bench: &Bench<'_>) -> Result<TemporaryFile> {
    let directory = bench.directory()?;
    let mut file = TemporaryFile::new(&directory.path)?;
    extend(&mut file, directory, WRITTEN, WRITTEN as usize, bench.seed())?;
    reopened(&file, CacheMode::Direct)
}
