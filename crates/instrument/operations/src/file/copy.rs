//! Copy of a file by several system calls, and the allocation of its blocks.

use super::{COMMON, DEVICE};
use measure::{How, Operation, takes};
use workloads::file::copy::{Allocation, FileCopy, allocate_file, copy_file};

/// Copy.
pub static COPY: Operation = Operation {
    id: "file.copy",
    title: "copy of a file of n bytes over another one, both in the page cache",
    one_iteration: "one copy of a file by the declared calls; afterwards every block of the target is compared",
    how: How::Each,
    method: "Two unnamed files with different data are copied alternately over a third one of the same length; no file is synced. \
             read_write: `pread` and `pwrite` of 128 KiB. splice: 64 KiB at a time through a pipe. reflink: FICLONE. After each \
             copy, outside of its time, first and last word of every block of the target are checked.",
    confounds: "On btrfs and xfs, copy_file_range shares extents as reflink does, and copies nothing. The kernel writes back \
                seconds later. A new target would also allocate pages and blocks. The folios \
                of the files are those of writes of 128 KiB; smaller ones cost more per byte.",
    sources: &[
        ("coreutils", "cp: reflink or copy_file_range, otherwise reads and writes of 128 or 256 KiB"),
        ("lmbench", "lmdd if=A of=B bs=128k"),
        ("fio", "engine splice: through a pipe, against one file"),
    ],
    parameters: takes::<FileCopy>,
    points: &[
        "method=read_write|copy_file_range|sendfile|splice|reflink file_size=1MiB",
        "profile=thorough: method=read_write|copy_file_range|sendfile|splice|reflink file_size=64KiB|16MiB",
    ],
    predict: &[
        "method=read_write: floors({2 * max(1, file_size / 131072)})",
        "method=splice: floors({2 * file_size / 65536})",
        "method!=read_write method!=splice: floors(1)",
        // The files were filled by writes of 128 KiB: a file system with large folios (ext4 since Linux 6.16, xfs, btrfs) finds one
        // for each; others find 32 pages.
        "method!=reflink: let folios = {max(1, file_size / 131072)} (×5: large folios or pages of 4 KiB)",
        "method!=reflink: software folios of the source found = folios × find_page",
        "method!=reflink: software path to the folios of the target = folios × \
         kernel({counted[file.write.buffered access=random fill_write=4KiB] - counted[syscall.floor] - 4096})",
        "method!=read_write method!=reflink: software pages put into a pipe and taken out = {file_size / 4096} × path(100, 0) (×2: \
         reference taken and buffer of the pipe filled (50), entry of the vector that is written (20), reference dropped (30)) \
         × cycle_ns",
        "method=read_write: hardware t0 bytes copied to the buffer and out of it = {2 * file_size / 4096} × 400 cycles (×1.9: 4 KiB \
         at 10 bytes a cycle: rep movsb from L2 or the last-level cache, between 32 (L1) and 6 (memory)) × cycle_ns",
        "method=read_write: hardware t1 bytes copied to the buffer and out of it = {2 * file_size} bytes × 1e9 ns/s / \
         [memory.bandwidth.copy method=library bytes=4MiB cpus=1]",
        "method!=read_write method!=reflink: hardware t0 bytes copied once = {file_size / 4096} × 400 cycles (×1.9: 4 KiB at 10 bytes a \
         cycle) × cycle_ns",
        "method!=read_write method!=reflink: hardware t1 bytes copied once = {file_size} bytes × 1e9 ns/s / \
         [memory.bandwidth.copy method=library bytes=4MiB cpus=1]",
        "method=reflink: software extents shared = path(20000, 100) (×4: pages of the target dropped, source written back if it is \
         dirty, two transactions: extents of the target removed, those of the source entered with a reference) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every block of the target was that of the source",
        "method=read_write: calls.pwrite64 {max(1, file_size / 131072)}: the bytes were written by this number of calls",
        "method=copy_file_range: calls.copy_file_range 1..1e3: the bytes were copied by this call",
        "method=sendfile: calls.sendfile 1..1e3: the bytes were copied by this call",
        "method=splice: calls.splice {2 * file_size / 65536}..1e6: the bytes went through a pipe",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: copy_file,
    ..COMMON
};

/// Allocation.
pub static ALLOCATE: Operation = Operation {
    id: "file.allocate",
    title: "fallocate of n bytes of an empty file",
    one_iteration: "one fallocate, after which the file has n allocated bytes",
    how: How::Each,
    method: "An unnamed file is truncated to nothing and allocated again; only the fallocate is timed. Before and after it, fstat \
             counts the allocated blocks. Nothing is synced.",
    confounds: "The state of the free space counts: an old file system finds its extents in more steps. Extents may be reserved in \
                memory and reach the device later.",
    sources: &[
        ("fio", "engine falloc, and fallocate=native before a job"),
        ("lmbench", "none"),
        ("will-it-scale", "fallocate1, fallocate2: 8 KiB at a time of a file in memory, and its truncation"),
    ],
    parameters: takes::<Allocation>,
    points: &["bytes=1MiB|64MiB"],
    predict: &[
        "floors(1)",
        // The extent of 64 MiB is one of at most 128 MiB (ext4), as that of 1 MiB.
        "software extent found and entered, file extended = path(12000, 60) (×3: transaction begun and ended (3000), groups \
         searched and bitmap marked (5000), extent entered (2000), inode and quota (2000)) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every file had its bytes allocated",
        "allocated.bytes {bytes}..{1.1 * bytes}: fstat counted these bytes more than before",
    ],
    bounds: &["floor"],
    gate: DEVICE.gate,
    run: allocate_file,
    ..COMMON
};
