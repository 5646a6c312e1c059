//! Names of files: asked for, changed, and looked for in directories of several sizes.

use super::names::NAMES;
use super::workloads::names;
use measure::{Operation, Point};
use quantity::Quantity;
use record::{Plot, Profile};

/// What a file is.
pub static STAT: Operation = Operation {
    id: "file.stat",
    title: "status of a file by its name, which was asked for before",
    one_iteration: "one newfstatat, which must tell the file's number and length",
    method: "A file of 4 KiB in a directory of the run is asked for by its name there, time and again: the name is \
             in the kernel's cache of names.",
    sources: &[("lmbench", "lat_syscall stat, of a file with a longer name")],
    predict: &[
        "t0 floors(1)",
        "software t0 name found, status told = path(750, 2) (×1.6: the name copied (150), hashed and found \
         (160), references (120), attributes gathered, put into the old shape and copied (320)) × cycle_ns",
        "software t1 status of a device by a name of two parts = [syscall.stat]",
    ],
    evidence: &[
        "answers = 1: the kernel told number and length every time",
        "linear",
        "calls: newfstatat 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: names::ask_status,
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
    predict: &[
        "floors(1)",
        "software two names changed = path(6000, 50) (×2: two names copied and looked for (1700), locks of \
         both (300), transaction (700), entered under the new (1000) and taken out under the old name (900), \
         times of three descriptions (900), caches of names changed (500)) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every rename succeeded, and the file had the right name",
        "linear",
        "calls: renameat2 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: names::rename,
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
        Point::all(match profile {
            Profile::Quick => "entries=10|1000",
            Profile::Standard => "entries=10|1000|10000",
            Profile::Thorough => "entries=10|100|1000|10000|100000",
        })
    },
    plot: Some(|| Plot::logarithmic("entries", "names in the directory", Quantity::Count)),
    predict: &[
        "t0 floors(1)",
        "let looked = path(1600, 14) (×2: a slot of the cache of names made and charged (500), locks (150), \
         the name hashed as the directory does (400), its index walked (350), absence noted (200)) × \
         cycle_ns",
        "software t0 name looked for = looked",
        "software t1 status by a name in the cache = [file.stat]",
        "software t1 looked for, absence noted = looked",
        // All names in a block of the directory, three quarters full of short ones.
        "software names of a block compared = {min(entries, 150)} × 13 cycles (×2: an entry of a directory's \
         block: lengths compared, first letters, checks of the entry: 12 instructions at 1.5 a cycle; a line \
         of 64 bytes for three entries from the last cache) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the name was not there every time",
        "linear",
        "calls: newfstatat 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: names::look_up_missing,
    ..NAMES
};
