//! Directory operations: create, unlink, stat, rename, lookup.

use super::test_file::{check_memory, io_write_error, write_error};
use measure::{Bench, Failure, Result, Work, parameters};
use quantity::Bytes;
use record::Directory;
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use sys::names::{Folder, Name};

/// Files at most, and the largest batch.
const MAX_FILES: u64 = 4096;

/// Creates files.
pub fn create_files(bench: &mut Bench<'_>) -> Result<()> {
    let files = FileSet::of_point(bench)?;
    batches(bench, &mut |n| files.reserve(n), &mut |n| files.create(n))?;
    files.clear()
}

/// Creates files before each batch and unlinks them in it.
pub fn remove_files(bench: &mut Bench<'_>) -> Result<()> {
    let files = FileSet::of_point(bench)?;
    batches(
        bench,
        &mut |n| {
            files.clear()?;
            files.create(n).map(|_| ())
        },
        &mut |n| files.remove_oldest(n),
    )?;
    files.clear()
}

/// stat of one file by its name.
pub fn stat(bench: &mut Bench<'_>) -> Result<()> {
    let files = FileSet::new(bench, 0)?;
    let name = unique("status", 0);
    files.folder.create(&name, &[1; 4096]).map_err(write_error)?;
    let (number, _) = files.folder.stat(&name)?;
    let result = bench.slope(&mut |n| {
        let mut correct = 0;
        for _ in 0..n {
            correct += u64::from(files.folder.stat(&name)? == (number, 4096));
        }
        Ok(correct)
    });
    files.folder.remove(&name)?;
    result
}

/// Renames a file alternately.
pub fn rename(bench: &mut Bench<'_>) -> Result<()> {
    let files = FileSet::new(bench, 0)?;
    let mut names = [unique("here", 0), Name::new("there", bench.seed())];
    files.folder.create(&names[0], b"").map_err(write_error)?;
    let result = bench.slope(&mut |n| {
        for _ in 0..n {
            let [from, to] = &names;
            files.folder.rename(from, to)?;
            names.rotate_left(1);
        }
        Ok(n)
    });
    let found = files.folder.stat(&names[0]).is_ok() && files.folder.stat(&names[1]).is_err();
    files.folder.remove(&names[0])?;
    Failure::unless(found, "the file does not exist under its new name")?;
    result
}

parameters! {
    /// Lookups in a directory.
    pub struct Lookup {
        /// Files in the directory.
        entries: u64,
    }
}

/// Lookups of missing names, a new one each time.
pub fn look_up_missing(bench: &mut Bench<'_>) -> Result<()> {
    let entries = bench.parameters::<Lookup>()?.entries;
    let directory = bench.directory()?;
    let path = directory.folder.join(format!("entries-{entries}"));
    let folder = filled(directory, &path, entries)?;
    let names = Cell::new(bench.seed());
    let prepared: RefCell<Vec<Name>> = RefCell::default();
    bench.batches(Work {
        before: Some(&mut |n| {
            let fresh = names.get();
            names.set(fresh.wrapping_add(n));
            prepared.replace((0..n).map(|index| Name::new("absent", fresh.wrapping_add(index))).collect());
            Ok(())
        }),
        multiple_of: 32,
        ..Work::new(&mut |n| {
            let mut correct = 0;
            for name in prepared.borrow().iter().take(n as usize) {
                correct += u64::from(folder.stat(name).is_err_and(|error| error.is_missing()));
            }
            Ok(correct)
        })
    })
}

fn batches(
    bench: &mut Bench<'_>,
    before: &mut dyn FnMut(u64) -> Result<()>,
    main: &mut dyn FnMut(u64) -> Result<u64>,
) -> Result<()> {
    // A single file may wait for the journal; batches of several average that.
    bench.batches(Work { before: Some(before), multiple_of: 8, ..Work::new(main) })
}

/// A name unique to this worker: a killed one may have left its files.
fn unique(letters: &str, number: u64) -> Name {
    Name::new(&format!("{letters}{}-", std::process::id()), number)
}

parameters! {
    /// Files that are made or removed.
    pub struct SmallFiles {
        /// Of each.
        file_size: Bytes,
    }
}

/// A directory with files of known names.
struct FileSet {
    folder: Folder,
    path: PathBuf,
    names: Vec<Name>,
    bytes: Vec<u8>,
    /// The range of existing files: removed before, not yet created after.
    existing: Cell<(usize, usize)>,
}

impl FileSet {
    /// For files of the length that the point names.
    fn of_point(bench: &Bench<'_>) -> Result<Self> {
        Self::new(bench, bench.parameters::<SmallFiles>()?.file_size.bytes())
    }

    fn new(bench: &Bench<'_>, length: u64) -> Result<Self> {
        let directory = bench.directory()?;
        check_memory(directory, MAX_FILES, length)?;
        let run = &directory.folder;
        // Optional: not every file system supports this placement hint.
        let _ = Folder::open(run)?.spread();
        let path = run.join(format!("files-{}-{:x}", std::process::id(), bench.seed()));
        std::fs::create_dir(&path).map_err(io_write_error("mkdir"))?;
        Ok(Self {
            folder: Folder::open(&path)?,
            path,
            names: (0..MAX_FILES).map(|index| unique("f", index)).collect(),
            bytes: (0..length)
                .map(|index| ((bench.seed() ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32) as u8 | 1)
                .collect(),
            existing: Cell::new((0, 0)),
        })
    }

    /// Removes all files if `n` more would be too many. On some file systems unlinking slows down later creates, so files stay as
    /// long as possible.
    fn reserve(&self, n: u64) -> Result<()> {
        let (_, last) = self.existing.get();
        if last as u64 + n > MAX_FILES { self.clear() } else { Ok(()) }
    }

    /// Creates `n` more files.
    fn create(&self, n: u64) -> Result<u64> {
        let (first, last) = self.existing.get();
        let mut created = 0;
        for name in self.names.iter().skip(last).take(n as usize) {
            created += u64::from(self.folder.create(name, &self.bytes).map_err(write_error)?);
        }
        self.existing.set((first, last + created as usize));
        Ok(created)
    }

    /// Unlinks the `n` oldest.
    fn remove_oldest(&self, n: u64) -> Result<u64> {
        let (first, last) = self.existing.get();
        let mut removed = 0;
        for name in self.names.iter().take(last).skip(first).take(n as usize) {
            self.folder.remove(name)?;
            removed += 1;
        }
        self.existing.set((first + removed as usize, last));
        Ok(removed)
    }

    /// Unlinks all, after checking the last.
    fn clear(&self) -> Result<()> {
        let (first, last) = self.existing.get();
        if let Some(name) = self.names.get(last.wrapping_sub(1)).filter(|_| last > first) {
            let (_, length) = self.folder.stat(name)?;
            Failure::unless(length == self.bytes.len() as u64, "a created file has the wrong length")?;
        }
        self.remove_oldest(MAX_FILES)?;
        self.existing.set((0, 0));
        Ok(())
    }
}

impl Drop for FileSet {
    fn drop(&mut self) {
        // Files left after an error are removed with the run's directory.
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// A directory with n empty files, created by the first worker that needs it.
fn filled(directory: &Directory, path: &Path, entries: u64) -> Result<Folder> {
    let incomplete = path.with_extension("incomplete");
    if !path.exists() {
        check_memory(directory, entries, 0)?;
        // A killed worker may have left an incomplete one.
        let _ = std::fs::remove_dir_all(&incomplete);
        std::fs::create_dir(&incomplete).map_err(io_write_error("mkdir"))?;
        let folder = Folder::open(&incomplete)?;
        for index in 0..entries {
            folder.create(&Name::new("entry", index), b"").map_err(write_error)?;
        }
        std::fs::rename(&incomplete, path)
            .map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?;
    }
    Ok(Folder::open(path)?)
}
