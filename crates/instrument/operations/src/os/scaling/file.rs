//! Calls on files by several CPUs.

use super::{SCALING, points};
use measure::Operation;

/// Calls on one file or name, or on one each.
pub static FILE: Operation = Operation {
    id: "scaling.file",
    title: "call on a file by an actor on each CPU",
    method: "Actors, one pinned to each CPU, take calls from a common counter until a batch is done; it begins when all of them \
             run. read: at the end of a file in memory, which takes the lock of its position where the file is shared; pread, \
             pwrite: 8 bytes at its beginning; dup: dup and close of a descriptor; stat, open_close: of /dev/null, which all \
             share. object=own: a file each; object=shared: one file, opened once.",
    sources: &[(
        "will-it-scale",
        "read1, 2, pread1 to 3, pwrite1 to 3: 4 KiB; open1 to 3, dup1; each task opens the shared file itself; calls per \
             second, without an interval",
    )],
    points: points!(
        quick "pread", own "read|pread|pwrite|dup", shared "read|pread|pwrite|dup",
        "profile=standard: call=stat|open_close object=shared tasks=processes cpus=1|2|4|16|64|256|all",
        "profile=thorough: call=stat|open_close object=shared tasks=processes cpus=1|2|4|8|16|32|64|128|256|512|1024|all; \
         call=stat|open_close object=shared tasks=threads cpus=2|4|8|16|32|64|128|256|512|1024|all; \
         call=read|pread|pwrite object=shared tasks=processes cpus=2|4|8|16|32|64|128|256|512|1024|all; \
         call=dup object=own tasks=threads cpus=2|4|8|16|32|64|128|256|512|1024|all"
    ),
    predict: &[
        "call=read: let handler = path(220, 2) (×1.6: descriptor, position, length of the file)",
        "call=pread: let handler = path(420, 4) (×1.6: descriptor, page found and its reference taken, copy of 8 bytes)",
        "call=pwrite: let handler = path(900, 10) (×1.6: descriptor, lock of the inode, time stamps, page found and locked, copy)",
        "call=dup: let handler = path(300, 6) (×1.6: lock of the table, number found, reference taken; then dropped)",
        "call=read|pread|pwrite: let t0 alone = (entry + dispatch + handler) × cycle_ns",
        "call=read|pread|pwrite: let t1 alone = [syscall.floor] + handler × cycle_ns",
        "call=dup: let t0 alone = (2 × (entry + dispatch) + handler) × cycle_ns",
        "call=dup: let t1 alone = 2 × [syscall.floor] + handler × cycle_ns",
        "call=stat: let t0 alone = whole(1, {counted[syscall.stat]})",
        "call=stat: let t1 alone = [syscall.stat]",
        "call=open_close: let t0 alone = whole(2, {counted[syscall.open_close.read]})",
        "call=open_close: let t1 alone = [syscall.open_close.read]",
        "call!=stat|open_close: let t1 one = [scaling.file call={call} object=own tasks=processes cpus=1]",
        "call=stat|open_close: let t1 one = [scaling.file call={call} object=shared tasks=processes cpus=1]",
        "operation of each CPU",
        "call=read: let lines = 4 (×1.5: the lock of the position and the count of references, each taken and given back)",
        "call=read: let serial = 0.7 (×1.4: what is under the lock of the position, of the whole call) × alone",
        "call=pread: let lines = 3 (×1.5: the file's and the page's count of references, each taken and given back)",
        "call=pwrite: let lines = 5 (×1.5: references, the lock of the inode, the page's lock)",
        "call=pwrite: let serial = 0.7 (×1.4: what is under the lock of the inode, of the whole call) × alone",
        "call=dup: let lines = 4 (×1.6: the lock of the table twice, the reference of the file twice)",
        "call=stat: let lines = 2 (×1.6: the reference of the name's entry, taken and given back)",
        "call=open_close: let lines = 6 (×1.7: references of the name's entry and of the device's driver, and the lock of drivers)",
        "lines of a shared object",
        "call=read|pwrite: lock of a shared object",
    ],
    evidence: &[
        "answers = 1: every call gave the bytes, the number or the inode that it must",
        "call=read: calls: read 1",
        "call=pread: calls: pread64 1",
        "call=pwrite: calls: pwrite64 1",
        "call=dup: calls: dup 1, close 1",
        "call=stat: calls: newfstatat 1",
        "call=open_close: calls: openat 1, close 1",
        "actors on their CPUs",
    ],
    bounds: &["floor"],
    ..SCALING
};
