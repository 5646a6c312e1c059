//! The atomic replacement of a file: a new one is written and synced, takes the name of the old one, and the directory is
//! synced.

use super::BLOCK;
use super::test_file::{check_memory, io_write_error, write_error};
use crate::device_bytes::DeviceCounts;
use measure::{Bench, CpuTime, Failure, Result, Timed};
use sys::direct;
use sys::names::{Folder, Name, Opening};
use sys::temporary::TemporaryFile;

/// Replaces a file of one block.
///
/// # Errors
/// When a call fails.
pub fn replace_file(bench: &mut Bench<'_>) -> Result<()> {
    let directory = bench.directory()?;
    check_memory(directory, 2, BLOCK as u64)?;
    let path = directory.folder.join(format!("replaced-{}-{:x}", std::process::id(), bench.seed()));
    std::fs::create_dir(&path).map_err(io_write_error("mkdir"))?;
    let result = replace_in(bench, &Folder::open(&path)?, &path);
    // After an error it is removed with the run's directory, too.
    let _ = std::fs::remove_dir_all(&path);
    result
}

/// Replaces a file in this directory repeatedly, each time with other data, which are then read by its name.
fn replace_in(bench: &mut Bench<'_>, folder: &Folder, path: &std::path::Path) -> Result<()> {
    let (new, current) = (Name::new("new", 0), Name::new("current", 0));
    let mut file = TemporaryFile::new(path)?;
    file.fill(BLOCK, BLOCK, bench.seed()).map_err(write_error)?;
    let mut block = vec![0; BLOCK];
    file.compose(&mut block, 0);
    folder.create(&current, &block).map_err(write_error)?;
    folder.sync()?;
    let device = DeviceCounts::start(folder.descriptor());
    let (mut version, mut found) = (0, vec![0; BLOCK]);
    bench.each_part(CpuTime::Process, &mut |clock| {
        version += BLOCK as u64;
        file.mark(&mut block, version);
        let start = clock.start();
        let opened = folder.open_file(&new, Opening::Create).map_err(write_error)?;
        let written = opened.write(&block);
        direct::sync_all(&opened)?;
        sys::descriptor::close(opened)?;
        folder.rename(&new, &current)?;
        folder.sync()?;
        let ticks = clock.stop() - start;
        sys::Error::check("write", written).map_err(write_error)?;
        let current = folder.open_file(&current, Opening::Read)?;
        let read = direct::read_at(&current, &mut found, 0);
        let is_new = read == BLOCK as isize && file.is_block(&found, version);
        let is_gone = folder.stat(&new).is_err_and(|error| error.is_missing());
        Ok(Timed { ticks: Some(ticks), answers: u64::from(is_new && is_gone) })
    })?;
    device.count_flushes(bench, (version / BLOCK as u64) as f64);
    Failure::unless(version > 0, "no file was replaced")
}
