//! Names of files: made, removed, asked for, changed and looked for.

use super::stock::refused;
use measure::{Bench, Failure, Work};
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use sys::names::{Folder, Name};

/// Files at once at most: a batch is not longer.
const MOST: u64 = 4096;

/// Files that are new.
pub fn create_files(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let shelf = Shelf::new(bench)?;
    let mut before = |n| shelf.make_room(n);
    let mut main = |n| shelf.make(n);
    batches(bench, &mut before, &mut main)?;
    shelf.clear()
}

/// Files made before each batch, and removed in it.
pub fn remove_files(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let shelf = Shelf::new(bench)?;
    let mut before = |n| {
        shelf.clear()?;
        shelf.make(n).map(|_| ())
    };
    let mut main = |n| shelf.take(n);
    batches(bench, &mut before, &mut main)?;
    shelf.clear()
}

/// The status of one file by its name.
pub fn ask_status(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let shelf = Shelf::new(bench)?;
    let name = own("status", 0);
    shelf.folder.create(&name, &[1; 4096]).map_err(refused)?;
    let (number, _) = shelf.folder.stat(&name)?;
    let result = bench.slope(&mut |n| {
        let mut right = 0;
        for _ in 0..n {
            right += u64::from(shelf.folder.stat(&name)? == (number, 4096));
        }
        Ok(right)
    });
    shelf.folder.remove(&name)?;
    result
}

/// A file renamed to and fro.
pub fn rename(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let shelf = Shelf::new(bench)?;
    let mut names = [own("here", 0), Name::new("there", bench.seed())];
    shelf.folder.create(&names[0], b"").map_err(refused)?;
    let mut found = true;
    let mut main = |n: u64| {
        for _ in 0..n {
            let [here, there] = &names;
            shelf.folder.rename(here, there)?;
            names.rotate_left(1);
        }
        Ok(n)
    };
    let result = bench.slope(&mut main);
    found &= shelf.folder.stat(&names[0]).is_ok() && shelf.folder.stat(&names[1]).is_err();
    shelf.folder.remove(&names[0])?;
    if !found {
        return Err(Failure::Failed(
            "the file was not found by its new name".to_owned(),
        ));
    }
    result
}

/// Names that are not there, a new one each time.
pub fn look_up_missing(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let entries = bench.point().number("entries")?;
    let path = bench.directory()?.folder.join(format!("entries-{entries}"));
    let folder = filled(&path, entries)?;
    let names = Cell::new(bench.seed());
    let prepared: RefCell<Vec<Name>> = RefCell::default();
    let mut before = |n| {
        let fresh = names.get();
        names.set(fresh.wrapping_add(n));
        prepared.replace(
            (0..n)
                .map(|index| Name::new("absent", fresh.wrapping_add(index)))
                .collect(),
        );
        Ok(())
    };
    let mut main = |n| {
        let mut right = 0;
        for name in prepared.borrow().iter().take(n as usize) {
            right += u64::from(folder.stat(name).is_err_and(|error| error.is_missing()));
        }
        Ok(right)
    };
    bench.batches(Work {
        before: Some(&mut before),
        multiple_of: 32,
        ..Work::alone(&mut main)
    })
}

fn batches(
    bench: &mut Bench<'_>,
    before: &mut dyn FnMut(u64) -> Result<(), Failure>,
    main: &mut dyn FnMut(u64) -> Result<u64, Failure>,
) -> Result<(), Failure> {
    // One file alone may wait for the journal: in a batch of several it does not change what the batch is.
    bench.batches(Work {
        before: Some(before),
        multiple_of: 8,
        ..Work::alone(main)
    })
}

/// A name that no other worker gives: one may have been killed and have left its files.
fn own(letters: &str, number: u64) -> Name {
    Name::new(&format!("{letters}{}-", std::process::id()), number)
}

/// A directory with files whose names are known.
struct Shelf {
    folder: Folder,
    path: PathBuf,
    names: Vec<Name>,
    bytes: Vec<u8>,
    /// The files that are there: the first taken ones are gone, the last not made yet.
    there: Cell<(usize, usize)>,
}

impl Shelf {
    fn new(bench: &Bench<'_>) -> Result<Self, Failure> {
        let length = bench.point().size("bytes").unwrap_or(0);
        let random = |index: u64| (bench.seed() ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32;
        let run = &bench.directory()?.folder;
        // Where the file system knows no such wish, the folders lie where they lie.
        let _ = Folder::open(run)?.spread();
        let path = run.join(format!("shelf-{}-{:x}", std::process::id(), bench.seed()));
        std::fs::create_dir(&path).map_err(|error| {
            refused(sys::Error {
                call: "mkdir",
                errno: error.raw_os_error().unwrap_or_default(),
            })
        })?;
        Ok(Self {
            folder: Folder::open(&path)?,
            path,
            names: (0..MOST).map(|index| own("f", index)).collect(),
            bytes: (0..length).map(|index| random(index) as u8 | 1).collect(),
            there: Cell::new((0, 0)),
        })
    }

    /// Removes what is there if `n` more would be too many. Files that are removed between batches make the next
    /// ones slower on some file systems, so they stay as long as they can.
    fn make_room(&self, n: u64) -> Result<(), Failure> {
        let (_, last) = self.there.get();
        if last as u64 + n > MOST {
            self.clear()
        } else {
            Ok(())
        }
    }

    /// Makes `n` more files.
    fn make(&self, n: u64) -> Result<u64, Failure> {
        let (first, last) = self.there.get();
        let mut made = 0;
        for name in self.names.iter().skip(last).take(n as usize) {
            made += u64::from(self.folder.create(name, &self.bytes).map_err(refused)?);
        }
        self.there.set((first, last + made as usize));
        Ok(made)
    }

    /// Removes the `n` oldest.
    fn take(&self, n: u64) -> Result<u64, Failure> {
        let (first, last) = self.there.get();
        let mut taken = 0;
        for name in self.names.iter().take(last).skip(first).take(n as usize) {
            self.folder.remove(name)?;
            taken += 1;
        }
        self.there.set((first + taken as usize, last));
        Ok(taken)
    }

    /// Removes all, after a look at the last.
    fn clear(&self) -> Result<(), Failure> {
        let (first, last) = self.there.get();
        if let Some(name) = self.names.get(last.wrapping_sub(1)).filter(|_| last > first) {
            let (_, length) = self.folder.stat(name)?;
            if length != self.bytes.len() as u64 {
                return Err(Failure::Failed(
                    "a file that was made has another length".to_owned(),
                ));
            }
        }
        self.take(MOST)?;
        self.there.set((0, 0));
        Ok(())
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        // Files may be left after an error: they go when the run's folder does.
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// A directory with so many empty files, which the first worker that needs it makes, and all others find.
fn filled(path: &Path, entries: u64) -> Result<Folder, Failure> {
    let failed = |error: std::io::Error| Failure::Failed(format!("{}: {error}", path.display()));
    let making = path.with_extension("making");
    if !path.exists() {
        // What a worker began that was killed is of no use.
        let _ = std::fs::remove_dir_all(&making);
        std::fs::create_dir(&making).map_err(failed)?;
        let folder = Folder::open(&making)?;
        for index in 0..entries {
            folder.create(&Name::new("entry", index), b"").map_err(refused)?;
        }
        std::fs::rename(&making, path).map_err(failed)?;
    }
    Ok(Folder::open(path)?)
}
