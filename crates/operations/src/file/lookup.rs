//! Names of files: asked for, changed, and looked for in directories of several sizes.

use super::names::{NAMES, Shelf, own, witnesses};
use super::stock::refused;
use crate::os::syscall::{Path, at_least_floors, floors, floors_from_facts};
use measure::{Failure, Operation, Point, Work, core_cycles, term, told_cycles};
use quantity::Quantity;
use record::{Formula, Plot, Prediction, Profile, Side};
use std::cell::{Cell, RefCell};
use sys::names::{Folder, Name};

/// What a file is.
pub static STAT: Operation = Operation {
    id: "file.stat",
    title: "status of a file by its name, which was asked for before",
    one_iteration: "one newfstatat, which must tell the file's number and length",
    method: "A file of 4 KiB in a directory of the run is asked for by its name there, time and again: the name is \
             in the kernel's cache of names.",
    sources: &[("lmbench", "lat_syscall stat, of a file with a longer name")],
    computed_prediction: |_| Prediction {
        from_facts: {
            let mut all = floors_from_facts(1.0);
            all.push(term(
                Side::Software,
                "name found, status told",
                told_cycles(FOUND.formula()),
            ));
            all
        },
        from_parts: vec![term(
            Side::Software,
            "status of a device by a name of two parts",
            Formula::part("syscall.stat", ""),
        )],
    },
    computed_witnesses: |_| {
        witnesses(
            "the kernel told number and length every time",
            &[("newfstatat", 1.0)],
        )
    },
    computed_bounds: |_| at_least_floors(1.0),
    run: |bench| {
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
    },
    ..NAMES
};

/// Another name.
pub static RENAME: Operation = Operation {
    id: "file.rename",
    title: "another name for a file in its directory",
    one_iteration: "one renameat2 to a name that is free",
    method: "A file in a directory of the run is renamed to and fro between two names, in which one of both is \
             always free; nothing is synced. After each batch it must be found by the right one.",
    sources: &[
        ("fio, lmbench", "none"),
        ("filebench", "rename in its file server's mix"),
    ],
    computed_prediction: |_| {
        let mut from_facts = floors_from_facts(1.0);
        from_facts.push(term(
            Side::Software,
            "two names changed",
            told_cycles(RENAMED.formula()),
        ));
        Prediction {
            from_facts,
            from_parts: vec![
                floors(1.0),
                term(
                    Side::Software,
                    "two names changed",
                    core_cycles(RENAMED.formula()),
                ),
            ],
        }
    },
    computed_witnesses: |_| {
        witnesses(
            "every rename succeeded, and the file had the right name",
            &[("renameat2", 1.0)],
        )
    },
    computed_bounds: |_| at_least_floors(1.0),
    run: |bench| {
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
    },
    ..NAMES
};

/// A name that nobody has.
pub static LOOKUP: Operation = Operation {
    id: "directory.lookup",
    title: "looking for a name that is not there in a directory of so many names",
    one_iteration: "one newfstatat of a name that was never asked for, which must not be there",
    method: "A directory of the run holds so many empty files, made once for the run. Names that are not there are \
             asked for, a new one each time, so that the kernel's cache of names cannot answer and the file system \
             must look.",
    sources: &[
        ("will-it-scale", "lookups of names in the cache"),
        ("fio, lmbench", "none"),
    ],
    points: |profile| {
        let counts: &[u64] = match profile {
            Profile::Quick => &[10, 1_000],
            Profile::Standard => &[10, 1_000, 10_000],
            Profile::Thorough => &[10, 100, 1_000, 10_000, 100_000],
        };
        counts
            .iter()
            .map(|count| Point::only().with("entries", count))
            .collect()
    },
    plot: Some(|| Plot::logarithmic("entries", "names in the directory", Quantity::Count)),
    computed_prediction: |point| {
        let mut from_facts = floors_from_facts(1.0);
        from_facts.push(term(
            Side::Software,
            "name looked for",
            told_cycles(LOOKED.formula()),
        ));
        from_facts.push(term(
            Side::Software,
            "names of a block compared",
            told_cycles(compared(point)),
        ));
        Prediction {
            from_facts,
            from_parts: vec![
                term(
                    Side::Software,
                    "status by a name in the cache",
                    Formula::part("file.stat", ""),
                ),
                term(
                    Side::Software,
                    "looked for, absence noted",
                    core_cycles(LOOKED.formula()),
                ),
                term(
                    Side::Software,
                    "names of a block compared",
                    core_cycles(compared(point)),
                ),
            ],
        }
    },
    computed_witnesses: |_| witnesses("the name was not there every time", &[("newfstatat", 1.0)]),
    computed_bounds: |_| at_least_floors(1.0),
    run: |bench| {
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
    },
    ..NAMES
};

const FOUND: Path = Path {
    instructions: 750.0,
    locked: 2.0,
    within: 1.6,
    source: "the name copied (150), hashed and found (160), references (120), attributes gathered, put into the old \
             shape and copied (320)",
};

const RENAMED: Path = Path {
    instructions: 6000.0,
    locked: 50.0,
    within: 2.0,
    source: "two names copied and looked for (1700), locks of both (300), transaction (700), entered under the new \
             (1000) and taken out under the old name (900), times of three descriptions (900), caches of names \
             changed (500)",
};

const LOOKED: Path = Path {
    instructions: 1600.0,
    locked: 14.0,
    within: 2.0,
    source: "a slot of the cache of names made and charged (500), locks (150), the name hashed as the directory does \
             (400), its index walked (350), absence noted (200)",
};

/// Names in a block of a directory, three quarters full of short ones; all of them are compared.
const IN_A_BLOCK: f64 = 150.0;

/// Cycles to compare a name and to go on to the next.
const COMPARED: (f64, f64, &str) = (
    13.0,
    2.0,
    "an entry of a directory's block: lengths compared, first letters, checks of the entry: 12 instructions at 1.5 a \
     cycle; a line of 64 bytes for three entries from the last cache",
);

/// Names that are compared before one is known to be absent.
fn compared(point: &Point) -> Formula {
    let entries = point.number("entries").unwrap_or(0) as f64;
    let (cycles, within, source) = COMPARED;
    Formula::cited(cycles, within, source).times(entries.min(IN_A_BLOCK))
}

/// A directory with so many empty files, which the first worker that needs it makes, and all others find.
fn filled(path: &std::path::Path, entries: u64) -> Result<Folder, Failure> {
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
