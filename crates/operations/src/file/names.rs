//! Names of files: made and removed.

use super::stock::refused;
use super::{COMMON, size_of};
use measure::{Bench, Failure, Operation, Point, Work};
use record::Profile;
use std::cell::Cell;
use std::path::PathBuf;
use sys::names::{Folder, Name};

/// Files at once at most: a batch is not longer.
const MOST: u64 = 4096;

pub(super) const NAMES: Operation = Operation {
    confounds: "Nothing waits for the disk: what changes is written seconds later, and a journal that fills up in \
                the middle makes one iteration wait for many. The file system decides most of it. An ext4 without a \
                journal gives no file's number away again for a minute and passes over all such numbers one by one: \
                programs that make and remove files again and again in one place get slower with every turn, tenfold \
                within two minutes.",
    ..COMMON
};

/// A new file.
pub static CREATE: Operation = Operation {
    id: "file.create",
    title: "making a file of so many bytes",
    one_iteration: "one openat of a new name, one write of random bytes if there are any, one close",
    method: "Files with short names of their own are made, each with so many random bytes, in a directory that is \
             empty before the trial and that the file system is asked to put far from those of other trials; nothing \
             is synced. They are removed when the trial is over or 4096 are there, and one that was made is found and \
             has its length.",
    sources: &[("lmbench", "lat_fs: creat, write of 0, 1, 4, 10 KiB, close")],
    points: sizes,
    predict: &[
        "bytes=0B: t0 floors(2)",
        "bytes!=0B: t0 floors(3)",
        "software t1 opened and closed = [syscall.open_close.read]",
        "bytes!=0B: t1 floors(1)",
        "software a name and a file made = path(11500, 80) (×2: a name looked for and not found (1200), \
         transaction begun and ended (700), a free number found and taken (1400), a file's description made, \
         filled in and marked (1900), name entered into its directory (1000), security label and default \
         rights looked for (300), six blocks of the disk's structure claimed for the journal (2500), \
         checksums of four of them, some 8 KiB (2500)) × cycle_ns",
        // The first page makes the file longer, which its description tells.
        "bytes!=0B: software the file made longer = path(2500, 20) (×2: transaction (700), description \
         claimed for the journal, filled in, its checksum (1500), time of change (300)) × cycle_ns",
        "bytes!=0B: software its pages = {ceil(bytes / 4096)} × path(3500, 30) (×2: a page had, charged, \
         entered into the file's index (900), buffers made (300), room promised (600), transaction (500), 4 \
         KiB copied and cleared (500), marked as to be written (500), shared by calls of the layers (200)) × \
         cycle_ns",
    ],
    evidence: &[
        "answers = 1: every file was new, took its bytes, and was found afterwards",
        "linear",
        "bytes=0B: calls: openat 1, close 1",
        "bytes!=0B: calls: openat 1, write 1, close 1",
        "undisturbed",
    ],
    bounds: &["floors(2)"],
    run: |bench| {
        let shelf = Shelf::new(bench)?;
        let mut before = |n| shelf.make_room(n);
        let mut main = |n| shelf.make(n);
        batches(bench, &mut before, &mut main)?;
        shelf.clear()
    },
    ..NAMES
};

/// A file less.
pub static DELETE: Operation = Operation {
    id: "file.delete",
    title: "removing a file of so many bytes",
    one_iteration: "one unlinkat of a file that nobody has open",
    method: "Files are made in a directory of the trial's own before each batch, each with so many random bytes, and removed \
             in the batch; nothing is synced.",
    sources: &[("lmbench", "lat_fs: unlink of files of 0, 1, 4, 10 KiB")],
    points: sizes,
    predict: &[
        "floors(1)",
        "software name and file taken away = path(10500, 80) (×2: a name looked for and found (500), taken \
         out of its directory (900), transaction begun and ended twice (1400), description taken from all \
         lists (1200), its number given back (1400), its memory given back later (600), six blocks of the \
         disk's structure claimed for the journal (2500), checksums of three of them (2000)) × cycle_ns",
        "bytes!=0B: software its pages given back = {ceil(bytes / 4096)} × path(1200, 14) (×2: a page found, \
         locked, no longer to be written, taken out of the index, its buffers and itself given back, \
         promised room given back) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every file was there and is no more",
        "linear",
        "calls: unlinkat 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: |bench| {
        let shelf = Shelf::new(bench)?;
        let mut before = |n| {
            shelf.clear()?;
            shelf.make(n).map(|_| ())
        };
        let mut main = |n| shelf.take(n);
        batches(bench, &mut before, &mut main)?;
        shelf.clear()
    },
    ..NAMES
};

fn sizes(profile: Profile) -> Vec<Point> {
    let all: &[&str] = match profile {
        Profile::Quick => &["0B", "10KiB"],
        _ => &["0B", "1KiB", "4KiB", "10KiB"],
    };
    all.iter()
        .map(|bytes| Point::only().with("bytes", bytes))
        .collect()
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
pub(super) fn own(letters: &str, number: u64) -> Name {
    Name::new(&format!("{letters}{}-", std::process::id()), number)
}

/// A directory with files whose names are known.
pub(super) struct Shelf {
    pub(super) folder: Folder,
    path: PathBuf,
    names: Vec<Name>,
    bytes: Vec<u8>,
    /// The files that are there: the first taken ones are gone, the last not made yet.
    there: Cell<(usize, usize)>,
}

impl Shelf {
    pub(super) fn new(bench: &Bench<'_>) -> Result<Self, Failure> {
        let length = size_of(bench.point(), "bytes").unwrap_or(0);
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
