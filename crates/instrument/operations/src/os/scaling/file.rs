//! Calls on files by several CPUs.

use super::{SCALING, needs, points};
use measure::Operation;
use record::Need;
use workloads::os::scaling::Call;

/// Calls on one file or name, or on one each.
pub static FILE: Operation = Operation {
    id: "scaling.file",
    title: "call on a file by an actor on each CPU",
    method: "Actors, one pinned to each CPU, take calls from a common counter until a batch is done; it begins when all of them \
             run. read: at the end of a file in memory, which takes the lock of its position where the file is shared; pread, \
             pwrite: 8 bytes at its beginning; dup: dup and close of a descriptor; poll: of a pipe that holds a byte; lock: \
             F_SETLKW and its end of a byte that no other actor locks; create_unlink: a new file made, closed and removed, under a \
             name of the actor's own, in the directory of the run; stat, open_close: of /dev/null, which all share. object=own: a \
             file or a directory each; object=shared: one for all, a file opened once.",
    confounds: "As scaling.task. create_unlink: the file system decides, and object=own shares the file system, its \
                list of inodes and its journal. lock: the kernel visits the locks of the other actors on the same file.",
    sources: &[(
        "will-it-scale",
        "read1, 2, pread1 to 3, pwrite1 to 3: 4 KiB; open1 to 3, dup1, poll1; lock1, unlink1, unlink2: in /tmp; each task opens the \
             shared file itself; calls per second, without an interval",
    )],
    points: points!(
        quick "pread", own "read|pread|pwrite|dup|poll|lock|create_unlink", shared "read|pread|pwrite|dup|poll",
        "profile=quick: call=lock object=own tasks=processes cpus=1|2; call=lock object=shared tasks=processes cpus=2",
        "profile=standard: call=lock|create_unlink object=shared tasks=processes cpus=2|4|16|64|256|all",
        "profile=thorough: call=lock|create_unlink object=shared tasks=processes \
         cpus=2|4|8|16|32|64|128|256|512|1024|all",
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
        "call=poll: let t0 alone = whole(1, {counted[syscall.poll type=pipe descriptors=10 ready=last] - 9 / 490 \
         * (counted[syscall.poll type=pipe descriptors=500 ready=last] - counted[syscall.poll type=pipe descriptors=10 ready=last])})",
        "call=poll: let t1 alone = [syscall.poll type=pipe descriptors=10 ready=last] − 9 / 490 \
         × ([syscall.poll type=pipe descriptors=500 ready=last] − [syscall.poll type=pipe descriptors=10 ready=last])",
        "call=lock: let t0 alone = whole(2, {counted[syscall.lock.record]})",
        "call=lock: let t1 alone = [syscall.lock.record]",
        // A new file in a directory without others: no names to compare.
        "call=create_unlink: let t0 alone = whole(3, {18500 + counted[file.delete file_size=0B]})",
        "call=create_unlink: let t1 alone = [file.create file_size=0B] × 1 (×1.3: file.create fills a directory, whose names are \
         compared) + [file.delete file_size=0B]",
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
        "call=poll: let lines = 2 (×1.6: the reference of the file, taken and given back)",
        "call=lock: let lines = 5 (×1.6: in each call the lock of the file's list and its first entry, and the lock of another actor)",
        "call=create_unlink: let lines = 8 (×1.7: lock, times and children of the directory in three calls, and the list of inodes)",
        "call=create_unlink: let serial = 0.7 (×1.4: what is under the lock of the directory, of the three calls) × alone",
        "lines of a shared object",
        "call=read|pwrite|create_unlink: lock of a shared object",
        "call=create_unlink object=own cpus!=1|all: hardware list of the file system's inodes = {cpus - 1} × 2 (×1.7: its lock, at both \
         ends of an inode) × line_transfer",
        "call=create_unlink object=own cpus=all: hardware list of the file system's inodes = (cpus.allowed − 1) × 2 (×1.7: its lock, at \
         both ends of an inode) × line_transfer",
    ],
    evidence: &[
        "answers = 1: every call gave the bytes, the number or the inode that it must, and every file was new",
        "call=read: calls: read 1",
        "call=pread: calls: pread64 1",
        "call=pwrite: calls: pwrite64 1",
        "call=dup: calls: dup 1, close 1",
        "call=poll: calls: ppoll 1",
        "call=lock: calls: fcntl 2",
        "call=create_unlink: calls: openat 1, close 1, unlinkat 1",
        "call=lock|create_unlink object=own cpus!=1: objects.each = 1: every actor had a file or a directory of its own",
        "call=lock|create_unlink object=shared cpus!=1: objects = 1: all actors worked in one file or directory",
        "call=stat: calls: newfstatat 1",
        "call=open_close: calls: openat 1, close 1",
        "actors on their CPUs",
    ],
    bounds: &["floor", "call=lock: floors(2)", "call=create_unlink: floors(3)"],
    needs: |point| match point.required("call") {
        Ok(Call::CreateUnlink) => [needs(point), vec![Need::Directory]].concat(),
        _ => needs(point),
    },
    ..SCALING
};
