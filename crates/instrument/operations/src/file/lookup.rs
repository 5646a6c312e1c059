//! Directory operations: stat, rename, and lookup in directories of several sizes.

use super::names::NAMES;
use measure::{Operation, takes};
use quantity::Quantity;
use record::Plot;
use workloads::file::names;
use workloads::file::names::Lookup;

/// stat.
pub static STAT: Operation = Operation {
    id: "file.stat",
    title: "stat of a file, name in the dentry cache",
    one_iteration: "one newfstatat, inode number and length checked",
    method: "A 4 KiB file in a directory of the run, by its name relative to the directory, repeatedly: the name is in the \
             dentry cache.",
    sources: &[
        ("lmbench", "lat_syscall stat, of a file with a longer name"),
        ("fio", "engine filestat: stat, lstat or statx"),
        ("libMicro", "stat -f: of a file in /tmp or /var/tmp"),
    ],
    predict: &["floors(1)", "handler(1)"],
    evidence: &[
        "answers = 1: inode number and length were correct every time",
        "linear",
        "calls: newfstatat 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: names::stat,
    ..NAMES
};

/// rename.
pub static RENAME: Operation = Operation {
    id: "file.rename",
    title: "rename of a file within its directory",
    one_iteration: "one renameat2 to an unused name",
    method: "A file in a directory of the run is renamed alternately between two names, without sync. Afterwards it must \
             exist under the last one only.",
    sources: &[("fio, lmbench, filebench", "none")],
    predict: &["floors(1)", "handler(1)"],
    evidence: &[
        "answers = 1: every rename succeeded, and the file had the correct name",
        "linear",
        "calls: renameat2 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: names::rename,
    ..NAMES
};

/// Lookup of a missing name.
pub static LOOKUP: Operation = Operation {
    id: "directory.lookup",
    title: "lookup of a missing name in a directory of n entries",
    one_iteration: "one newfstatat of a new missing name, which must return ENOENT",
    method: "A directory with n empty files, created once per run. Each lookup uses a new missing name, so that the dentry \
             cache misses and the file system searches the directory.",
    sources: &[
        ("will-it-scale", "none: open1 to open3 open names that exist, which the dentry cache has"),
        ("fio, lmbench", "none"),
    ],
    parameters: takes::<Lookup>,
    points: &[
        "profile=quick: entries=10|1000",
        "profile=standard: entries=10|1000|10000",
        "profile=thorough: entries=10|100|1000|10000|100000",
    ],
    plot: Some(|| Plot::logarithmic("entries", "entries in the directory", Quantity::Count)),
    predict: &[
        "floors(1)",
        "software directory search, negative dentry = cold_path({counted[directory.lookup entries=10] - counted[syscall.floor]}) \
         × cycle_ns",
        "entries!=10: software names of a directory block compared = \
         names({counted[directory.lookup entries=1000] - counted[directory.lookup entries=10]}) × cycle_ns",
    ],
    evidence: &["answers = 1: ENOENT every time", "linear", "calls: newfstatat 1", "undisturbed"],
    bounds: &["floor"],
    run: names::look_up_missing,
    ..NAMES
};
