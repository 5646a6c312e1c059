//! lmbench's file mapping: mmap, sparse touches, munmap.

use super::MAPPING;
use measure::{Operation, takes};
use workloads::memory::WorkingSet;
use workloads::memory::mapped_files::map_and_read;

pub static FILE: Operation = Operation {
    id: "mapping.file",
    title: "mmap of a cached file, reads in its first tenth, munmap",
    one_iteration: "one mmap of a file, one read per 16 KiB of its first tenth, and its munmap",
    method: "As lmbench's lat_mmap: a cached file is mapped shared, read every 16 KiB in its first tenth, and unmapped. The \
             words must be the file's random data.",
    confounds: "lmbench writes: its pages become dirty and each write faults. Here fault-around serves most touches; \
                faults.minor counts the rest.",
    sources: &[("lmbench", "lat_mmap: µs per mapping, by size")],
    parameters: takes::<WorkingSet>,
    points: &["bytes=1MiB|16MiB"],
    // A tenth of the file is touched; each fault maps 64 KiB.
    predict: &[
        "floors(2)",
        "hardware exception and return, one in 64 KiB touched = {ceil(bytes / 10 / 65536)} × exception × cycle_ns",
        "software mapped, faults, unmapped = kernel({counted[mapping.file bytes=1MiB] - 2 * counted[syscall.floor] \
         - (counted[mapping.file bytes=16MiB] - counted[mapping.file bytes=1MiB]) / 15})",
        "software loop over the pages = entry_loop({bytes / 1MiB / 15 × (counted[mapping.file bytes=16MiB] \
         - counted[mapping.file bytes=1MiB])})",
    ],
    evidence: &[
        "answers = 1: every page held its random word",
        "calls: mmap 1, munmap 1",
        "undisturbed",
        "faults.minor 0.5..200: the touches faulted",
    ],
    bounds: &["floors(2)"],
    run: map_and_read,
    ..MAPPING
};
