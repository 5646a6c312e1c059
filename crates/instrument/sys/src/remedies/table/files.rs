//! Files, memory, and tables of a fixed size.

use crate::remedies::conditions::Condition;
use crate::remedies::context::Context;
use crate::remedies::row::{ANY, DENIED, FAULT, Row};
use libc::{EAGAIN, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOBUFS, ENOLCK, ENOMEM, ENOSPC, EROFS, ESTALE};

/// Calls that fill a file system.
const WRITING: &[&str] = &[
    "openat",
    "open",
    "write",
    "pwrite64",
    "ftruncate",
    "fallocate",
    "fsync",
    "fdatasync",
    "linkat",
    "mkdir",
    "mkfifo",
    "mknodat",
    "renameat2",
    "unlink",
    "unlinkat",
    "sendfile",
];

pub(super) const ROWS: &[Row] = &[
    // Tables of a fixed size.
    Row {
        calls: &["semget"],
        errnos: &[ENOSPC],
        meaning: "the limit on semaphores (System V) is reached",
        remedy: "remove unused ones (ipcs -s, ipcrm), or raise the limit: sysctl kernel.sem",
        ..ANY
    },
    Row {
        calls: &["msgget"],
        errnos: &[ENOSPC],
        meaning: "the limit on message queues (System V) is reached",
        remedy: "remove unused ones (ipcs -q, ipcrm), or raise the limit: sysctl kernel.msgmni",
        ..ANY
    },
    Row {
        calls: &["mq_open"],
        errnos: &[EMFILE, ENOSPC, ENOMEM],
        meaning: "a limit on POSIX message queues is reached",
        remedy: "raise the limits: ulimit -q, sysctl fs.mqueue.queues_max, ulimit -n",
        ..ANY
    },
    Row {
        calls: &["pipe2"],
        errnos: &[ENFILE],
        meaning: "the limit on the memory of pipes of this user, or on open files of the machine, is reached",
        remedy: "raise the limits: sysctl fs.pipe-user-pages-hard and fs.file-max",
        ..ANY
    },
    Row {
        calls: &["epoll_ctl"],
        errnos: &[ENOSPC],
        meaning: "the limit on watched files of this user is reached",
        remedy: "raise the limit: sysctl fs.epoll.max_user_watches",
        ..ANY
    },
    // Files.
    Row {
        errnos: &[EMFILE],
        condition: Some(Condition::OpenFiles),
        meaning: "this process may have {found} open files",
        remedy: "raise the limit above {found}: ulimit -n, LimitNOFILE=, docker --ulimit nofile=",
        ..ANY
    },
    Row {
        errnos: &[EMFILE],
        meaning: "the limit on open files of this process is reached",
        remedy: "raise the limit: ulimit -n, LimitNOFILE=, docker --ulimit nofile=",
        ..ANY
    },
    Row {
        errnos: &[ENFILE],
        meaning: "the limit on open files of the whole machine is reached",
        remedy: "end programs that hold many files, or raise the limit: sysctl fs.file-max",
        ..ANY
    },
    Row {
        contexts: &[Context::TestFile],
        errnos: &[ENOSPC],
        meaning: "the file system is full",
        remedy: "free space or inodes (df, df -i), or name a writable directory with free space with --dir or --remote-dir",
        ..ANY
    },
    Row {
        contexts: &[Context::TestFile],
        errnos: &[EDQUOT],
        meaning: "the quota of this user is used up",
        remedy: "free space (quota -s), or name a writable directory with free space with --dir or --remote-dir",
        ..ANY
    },
    Row {
        contexts: &[Context::TestFile],
        errnos: &[EFBIG],
        meaning: "a limit on the size of files is reached",
        remedy: "raise the limit: ulimit -f unlimited (LimitFSIZE=), or name a directory on another file system with --dir",
        ..ANY
    },
    Row {
        contexts: &[Context::TestFile],
        errnos: &[EROFS],
        meaning: "the file system is mounted read-only",
        remedy: "name a writable directory with free space with --dir or --remote-dir",
        ..ANY
    },
    Row {
        contexts: &[Context::TestFile],
        calls: WRITING,
        errnos: DENIED,
        meaning: "this user may not write there",
        remedy: "name a writable directory with --dir or --remote-dir",
        ..ANY
    },
    Row {
        calls: WRITING,
        errnos: &[ENOSPC, EDQUOT],
        meaning: "the file system is full, or the quota of this user is used up",
        remedy: "free space or inodes (df, df -i), or name another directory with --dir or TMPDIR",
        ..ANY
    },
    Row {
        calls: WRITING,
        errnos: &[EROFS],
        meaning: "the file system is mounted read-only",
        remedy: "name a writable directory with --dir or TMPDIR",
        ..ANY
    },
    Row {
        calls: WRITING,
        errnos: &[EFBIG],
        meaning: "a limit on the size of files is reached",
        remedy: "raise the limit: ulimit -f unlimited (LimitFSIZE=)",
        ..ANY
    },
    Row {
        errnos: &[ENOLCK],
        meaning: "no more locks, or the file server has none",
        remedy: "end programs that hold locks (lslocks); on NFS start the lock manager, or mount with local_lock=all",
        ..ANY
    },
    Row {
        errnos: &[ESTALE],
        meaning: "the file server no longer knows the file",
        remedy: "mount the file system again, and run again",
        ..FAULT
    },
    Row {
        errnos: &[EIO],
        meaning: "the device or the file server reports an error",
        remedy: "read the kernel's log (dmesg); a device that reports errors is not measured",
        ..FAULT
    },
    // Memory.
    Row {
        calls: &["io_uring_setup", "mlock", "mlock2", "io_uring_register"],
        errnos: &[ENOMEM, EAGAIN],
        meaning: "the limit on locked memory is reached",
        remedy: "raise the limit: ulimit -l (LimitMEMLOCK=, docker --ulimit memlock=-1)",
        ..ANY
    },
    Row {
        errnos: &[ENOMEM],
        condition: Some(Condition::AddressSpace),
        meaning: "the address space of this process is limited to {found}",
        remedy: "raise the limit: ulimit -v unlimited (LimitAS=)",
        ..ANY
    },
    Row {
        errnos: &[ENOMEM],
        condition: Some(Condition::StrictCommit),
        meaning: "the kernel commits no more memory than it has (vm.overcommit_memory is 2)",
        remedy: "free memory, or lift the limit: sysctl vm.overcommit_memory=0",
        ..ANY
    },
    Row {
        errnos: &[ENOMEM],
        meaning: "there is no memory left, or a limit on memory or mappings is reached",
        remedy: "free memory, or raise the limit: memory.max of the control group, sysctl vm.max_map_count",
        ..ANY
    },
    Row {
        errnos: &[ENOBUFS],
        meaning: "the kernel has no buffers for sockets left",
        remedy: "raise the limit: sysctl net.core.optmem_max, net.core.wmem_max, net.ipv4.tcp_mem",
        ..ANY
    },
];
