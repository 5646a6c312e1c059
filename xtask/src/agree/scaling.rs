//! Calls on one and on two CPUs beside plain C that counts as will-it-scale does: operations of all actors per window of time.

use super::comparison::{Comparison, LIBRARY, PLAIN, Tool, compare};

/// `xtask/src/agree/parallel.c`, which gives the time of an operation of an actor.
static PARALLEL: Tool = Tool { command: "{parallel}", ..PLAIN };

/// All of them.
pub static COMPARISONS: &[Comparison] = &[
    compare(
        &PARALLEL,
        "getppid, one CPU",
        "scaling.task call=getppid object=own tasks=processes cpus=1",
        "getppid {own} processes",
    ),
    compare(
        &PARALLEL,
        "getppid by the C library, as in will-it-scale, one CPU",
        "scaling.task call=getppid object=own tasks=processes cpus=1",
        "getppid_library {own} processes",
    )
    .differs(LIBRARY),
    compare(
        &PARALLEL,
        "getppid, two CPUs",
        "scaling.task call=getppid object=own tasks=processes cpus=2",
        "getppid {both} processes",
    ),
    compare(
        &PARALLEL,
        "read at the end of own files, one CPU",
        "scaling.file call=read object=own tasks=processes cpus=1",
        "read {own} processes",
    ),
    compare(
        &PARALLEL,
        "read at the end of own files, two CPUs",
        "scaling.file call=read object=own tasks=processes cpus=2",
        "read {both} processes",
    ),
    compare(
        &PARALLEL,
        "open and close of /dev/null, one CPU",
        "scaling.file call=open_close object=shared tasks=processes cpus=1",
        "open_close {own} processes",
    ),
    compare(
        &PARALLEL,
        "open and close of /dev/null, two CPUs",
        "scaling.file call=open_close object=shared tasks=processes cpus=2",
        "open_close {both} processes",
    ),
    compare(
        &PARALLEL,
        "lock of a byte of own files and its end, one CPU",
        "scaling.file call=lock object=own tasks=processes cpus=1",
        "lock {own} processes",
    ),
    compare(
        &PARALLEL,
        "lock of a byte of own files and its end, two CPUs",
        "scaling.file call=lock object=own tasks=processes cpus=2",
        "lock {both} processes",
    ),
    compare(
        &PARALLEL,
        "lock of bytes of one file and its end, two CPUs",
        "scaling.file call=lock object=shared tasks=processes cpus=2",
        "lock_one {both} processes",
    ),
    compare(
        &PARALLEL,
        "poll of own pipes, two CPUs",
        "scaling.file call=poll object=own tasks=processes cpus=2",
        "poll {both} processes",
    ),
    compare(
        &PARALLEL,
        "brk and back, two CPUs",
        "scaling.memory call=brk object=own tasks=processes cpus=2",
        "brk {both} processes",
    ),
    compare(
        &PARALLEL,
        "files made and removed in own directories, one CPU",
        "scaling.file call=create_unlink object=own tasks=processes cpus=1",
        "create_unlink {own} processes",
    ),
    compare(
        &PARALLEL,
        "files made and removed in own directories, two CPUs",
        "scaling.file call=create_unlink object=own tasks=processes cpus=2",
        "create_unlink {both} processes",
    ),
    compare(
        &PARALLEL,
        "files made and removed in one directory, two CPUs",
        "scaling.file call=create_unlink object=shared tasks=processes cpus=2",
        "create_unlink_one {both} processes",
    ),
    compare(
        &PARALLEL,
        "mmap and munmap of a page, one CPU",
        "scaling.memory call=mmap object=own tasks=processes cpus=1",
        "mmap {own} processes",
    ),
    compare(
        &PARALLEL,
        "mmap and munmap of a page, two CPUs",
        "scaling.memory call=mmap object=own tasks=processes cpus=2",
        "mmap {both} processes",
    ),
    compare(
        &PARALLEL,
        "mmap and munmap of a page, two threads",
        "scaling.memory call=mmap object=shared tasks=threads cpus=2",
        "mmap {both} threads",
    ),
    compare(
        &PARALLEL,
        "MADV_DONTNEED and fault, one CPU",
        "scaling.memory call=fault object=own tasks=processes cpus=1",
        "fault {own} processes",
    ),
    compare(
        &PARALLEL,
        "MADV_DONTNEED and fault, two CPUs",
        "scaling.memory call=fault object=own tasks=processes cpus=2",
        "fault {both} processes",
    ),
    compare(
        &PARALLEL,
        "MADV_DONTNEED and fault, two threads",
        "scaling.memory call=fault object=shared tasks=threads cpus=2",
        "fault {both} threads",
    ),
    compare(
        &PARALLEL,
        "fault of an area of 4 MiB, as in will-it-scale, two CPUs",
        "scaling.memory call=fault object=own tasks=processes cpus=2",
        "fault_area {both} processes",
    )
    .differs(
        "pages of a new area, cold, and without a call for each: the area is mapped and unmapped as one",
    ),
];
