//! Calls on files: reads and writes of a file in memory, the status and the opening of a name, a duplicate of a descriptor, a lock
//! of a byte.

use super::object::{Maker, Object, object, part_of};
use measure::Result;
use std::sync::Arc;
use sys::lock::RecordLocks;
use sys::path::{self, Access, DEV_NULL};
use sys::process::gettid;
use sys::send_file::MemoryFile;
use sys::{direct, readiness};

/// What the file holds.
const CONTENT: [u8; 8] = *b"oscope-8";

fn file() -> Result<MemoryFile> {
    Ok(MemoryFile::new(&CONTENT)?)
}

/// A read at the end of a file, which gives nothing.
pub(super) fn read() -> Result<Box<dyn Object>> {
    object(file()?, |file, _| Ok(sys::Error::check("read", file.descriptor().read(&mut [0]))? == 0))
}

/// A read of eight bytes at the beginning.
pub(super) fn pread() -> Result<Box<dyn Object>> {
    object(file()?, |file, _| {
        let mut bytes = [0; CONTENT.len()];
        let read = sys::Error::check("pread64", direct::read_at(file.descriptor(), &mut bytes, 0))?;
        Ok(read == bytes.len() && bytes == CONTENT)
    })
}

/// A write of eight bytes at the beginning.
pub(super) fn pwrite() -> Result<Box<dyn Object>> {
    object(file()?, |file, _| {
        let written = sys::Error::check("pwrite64", direct::write_at(file.descriptor(), &CONTENT, 0))?;
        Ok(written == CONTENT.len())
    })
}

/// The status of one name.
pub(super) fn stat() -> Result<Box<dyn Object>> {
    object(path::stat(DEV_NULL)?.identity(), |identity, _| Ok(path::stat(DEV_NULL)?.identity() == *identity))
}

/// An open and a close of one name.
pub(super) fn open_close() -> Result<Box<dyn Object>> {
    object((), |(), _| path::open_and_close(DEV_NULL, Access::Read).map(|number| number > 2))
}

/// A duplicate of a descriptor, and its close.
pub(super) fn dup() -> Result<Box<dyn Object>> {
    object(file()?, |file, _| {
        let number = file.descriptor().duplicate_and_close()?;
        Ok(number > 2 && number as i32 != file.descriptor().number())
    })
}

/// A poll of a pipe that holds a byte.
pub(super) fn poll() -> Result<Box<dyn Object>> {
    let (reader, writer) = sys::pipe::pipe()?;
    writer.write_byte(1)?;
    object((reader, writer), |(reader, _), _| readiness::can_be_read(reader.descriptor()))
}

/// A lock of a byte that no other process locks, and its end: in a file of each actor, or in one of all.
pub(super) fn lock(is_shared: bool) -> Result<Maker> {
    let of_all = is_shared.then(RecordLocks::new).transpose()?.map(Arc::new);
    Ok(Box::new(move || {
        let file = of_all.clone().map_or_else(|| RecordLocks::new().map(Arc::new), Ok)?;
        let byte = gettid() as usize;
        part_of(file.identity()?, file, move |file, _| {
            file.lock(byte)?;
            file.unlock(byte).map(|()| true)
        })
    }))
}
