//! Files that are opened by their names, or closed, one call without the other.

use super::test_file::{check_memory, io_write_error, write_error};
use crate::descriptors::{Timed, open_or_close};
use measure::{Bench, Failure, Result, choice, parameters};
use std::cell::Cell;
use std::path::PathBuf;
use sys::names::{Folder, Name, Opening};

choice! {
    /// For what a file is opened.
    pub enum OpenMode {
        /// To read.
        Read = "read",
        /// To write; it keeps its content.
        Write = "write",
        /// To write; its content is discarded.
        Truncate = "truncate",
        /// To write; it is new.
        Create = "create",
    }
}

impl OpenMode {
    fn opening(self) -> Opening {
        match self {
            Self::Read => Opening::Read,
            Self::Write => Opening::Write,
            Self::Truncate => Opening::Truncate,
            Self::Create => Opening::Create,
        }
    }
}

parameters! {
    /// An open file.
    pub struct OpenedFile {
        /// For what.
        access: OpenMode,
    }
}

/// Bytes of a file before it is opened: one block of most file systems.
const LENGTH: usize = 4096;

/// Opens or closes files of 4 KiB, each under a name of its own, as the point says.
///
/// # Errors
/// When the directory cannot be written to, or a file is not as it must be afterwards.
pub fn open_or_close_files(bench: &mut Bench<'_>, timed: Timed) -> Result<()> {
    let mode = bench.parameters::<OpenedFile>()?.access;
    let files = Files::new(bench, mode)?;
    open_or_close(
        bench,
        timed,
        |n| files.prepare(n),
        |number| files.folder.open_file(files.name(number), mode.opening()),
    )?;
    files.check()
}

/// Files of the trial, in a folder of their own, which is removed when dropped.
struct Files {
    mode: OpenMode,
    folder: Folder,
    path: PathBuf,
    names: Vec<Name>,
    unused: Name,
    /// The range of the files of the last batch; those before exist, too.
    batch: Cell<(u64, u64)>,
}

/// Files at most: on some file systems removing them slows down the next ones, so they stay as long as possible.
const MAX_FILES: u64 = 4096;

impl Files {
    fn new(bench: &Bench<'_>, mode: OpenMode) -> Result<Self> {
        let directory = bench.directory()?;
        check_memory(directory, MAX_FILES, LENGTH as u64)?;
        // Optional: not every file system supports this placement hint.
        let _ = Folder::open(&directory.folder)?.spread();
        let path = directory.folder.join(format!("opened-{}-{:x}", std::process::id(), bench.seed()));
        std::fs::create_dir(&path).map_err(io_write_error("mkdir"))?;
        Ok(Self {
            mode,
            folder: Folder::open(&path)?,
            path,
            names: (0..MAX_FILES).map(|number| Name::new("f", number)).collect(),
            unused: Name::new("none", 0),
            batch: Cell::new((0, 0)),
        })
    }

    /// The name of a file of this batch.
    fn name(&self, number: u64) -> &Name {
        self.names.get((self.batch.get().0 + number) as usize).unwrap_or(&self.unused)
    }

    /// Makes `n` files what they are before they are opened: 4 KiB long, or not there.
    fn prepare(&self, n: u64) -> Result<()> {
        let (_, made) = self.batch.get();
        let keeps_content = matches!(self.mode, OpenMode::Read | OpenMode::Write);
        let begin = if keeps_content { 0 } else { made };
        if begin + n > MAX_FILES {
            self.remove_all()?;
            return self.prepare(n);
        }
        for name in self.names.iter().take((begin + n) as usize).skip(made as usize) {
            if self.mode != OpenMode::Create {
                self.folder.create(name, &[1; LENGTH]).map_err(write_error)?;
            }
        }
        self.batch.set((begin, begin + n.max(made - begin)));
        Ok(())
    }

    fn remove_all(&self) -> Result<()> {
        let (_, made) = self.batch.replace((0, 0));
        self.names.iter().take(made as usize).try_for_each(|name| Ok(self.folder.remove(name)?))
    }

    /// The files have the length that their opening leaves.
    fn check(&self) -> Result<()> {
        let left = if matches!(self.mode, OpenMode::Read | OpenMode::Write) { LENGTH as u64 } else { 0 };
        for name in self.names.iter().take(self.batch.get().1 as usize) {
            let (_, length) = self.folder.stat(name)?;
            Failure::unless(length == left, "an opened file has the wrong length")?;
        }
        self.remove_all()
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // Files left after an error are removed with the run's directory.
        let _ = std::fs::remove_dir(&self.path);
    }
}
