//! Directory operations: create and unlink.

use super::COMMON;
use measure::{Operation, takes};
use workloads::file::names;
use workloads::file::names::SmallFiles;

pub(super) const NAMES: Operation = Operation {
    confounds: "Nothing is synced: changes are written seconds later, and a full journal stalls one iteration. The file system \
                dominates. ext4 without a journal does not reuse an inode number for a minute and skips such numbers one \
                by one: repeatedly creating and deleting files in one place slows down tenfold within two minutes.",
    ..COMMON
};

/// create.
pub static CREATE: Operation = Operation {
    id: "file.create",
    title: "create a file of n bytes",
    one_iteration: "one openat (O_CREAT), one write of n random bytes if n > 0, one close",
    method: "Files with short unique names are created with n random bytes each, in a directory that is empty at the start \
             of the trial and placed apart from other trials' directories where the file system supports it; nothing is \
             synced. They are deleted at the end of the trial or at 4096 files; the last one must exist with its \
             length.",
    sources: &[
        ("lmbench", "lat_fs: creat, write of 0, 1, 4, 10 KiB, close"),
        ("fio", "engine filecreate: open with O_CREAT, of an empty file"),
        ("osbench", "create_files: 65534 files of 32 bytes created, then deleted; both together"),
        ("will-it-scale", "unlink1, unlink2: open with O_CREAT, close and unlink together"),
    ],
    parameters: takes::<SmallFiles>,
    points: SIZES,
    predict: &[
        "file_size=0B: floors(2)",
        "file_size!=0B: floors(3)",
        "software inode and directory entry created, file opened and closed = kernel({18500 - 2 * counted[syscall.floor]})",
        // Names of a directory block are compared when the name is looked up and again when it is entered.
        "software t0 names of a directory block compared, twice = \
         names({counted[file.create file_size=0B] - 18500}) × cycle_ns",
        "software t1 names of a directory block compared, twice = {(counted[file.create file_size=0B] - 18500) \
         / (counted[directory.lookup entries=10000] - counted[directory.lookup entries=10])} \
         × ([directory.lookup entries=10000] − [directory.lookup entries=10])",
        "file_size!=0B: software file extended, pages of the page cache = kernel({counted[file.create file_size=1KiB] \
         - counted[file.create file_size=0B] - counted[syscall.floor] + (ceil(file_size / 4096) - 1) / 2 \
         × (counted[file.create file_size=10KiB] - counted[file.create file_size=4KiB])})",
    ],
    evidence: &[
        "answers = 1: every file was new, complete, and existed afterwards",
        "linear",
        "file_size=0B: calls: openat 1, close 1",
        "file_size!=0B: calls: openat 1, write 1, close 1",
        "undisturbed",
    ],
    bounds: &["floors(2)"],
    headline: &[("file_size=0B", "file create")],
    run: names::create_files,
    ..NAMES
};

/// unlink.
pub static DELETE: Operation = Operation {
    id: "file.delete",
    title: "unlink a file of n bytes",
    one_iteration: "one unlinkat of a file that is not open",
    method: "Files of n random bytes are created in the trial's own directory before each batch and unlinked in it; nothing \
             is synced.",
    sources: &[
        ("lmbench", "lat_fs: unlink of files of 0, 1, 4, 10 KiB"),
        ("fio", "engine filedelete"),
        ("osbench", "create_files: with the creation"),
    ],
    parameters: takes::<SmallFiles>,
    points: SIZES,
    predict: &[
        "floors(1)",
        "software directory entry and inode removed = kernel({counted[file.delete file_size=0B] - counted[syscall.floor]})",
        "file_size!=0B: software page-cache pages freed = kernel({counted[file.delete file_size=1KiB] - counted[file.delete file_size=0B] \
         + (ceil(file_size / 4096) - 1) / 2 × (counted[file.delete file_size=10KiB] - counted[file.delete file_size=4KiB])})",
    ],
    evidence: &[
        "answers = 1: every file existed and was removed",
        "linear",
        "calls: unlinkat 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: names::remove_files,
    ..NAMES
};

const SIZES: &[&str] = &["profile=quick: file_size=0B|10KiB", "profile!=quick: file_size=0B|1KiB|4KiB|10KiB"];
