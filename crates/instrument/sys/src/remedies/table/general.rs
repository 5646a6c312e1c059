//! Calls that a setting of the kernel denies, and error numbers whose meaning hardly depends on the call.

use crate::remedies::conditions::Condition;
use crate::remedies::row::{ANY, DENIED, FAULT, Row};
use libc::{
    EACCES, EAFNOSUPPORT, EAGAIN, ECONNABORTED, ECONNRESET, EINPROGRESS, EINVAL, ENODEV, ENOENT, ENOPROTOOPT,
    ENOSPC, ENOSYS, ENXIO, EOPNOTSUPP, EPERM, EPIPE, EPROTONOSUPPORT, ETIMEDOUT,
};

/// Calls that wait for another end, and give up after a timeout with EAGAIN.
const WAITING: &[&str] = &[
    "read", "write", "recvfrom", "recvmsg", "sendto", "sendmsg", "accept", "accept4", "connect", "sendfile",
    "poll",
];

/// The errors of something that the kernel does not have.
const ABSENT: &[i32] = &[ENOSYS, EOPNOTSUPP, EAFNOSUPPORT, EPROTONOSUPPORT, ENOPROTOOPT];

pub(super) const ROWS: &[Row] = &[
    // Calls that a setting of the kernel denies.
    Row {
        calls: &["io_uring_setup"],
        errnos: DENIED,
        condition: Some(Condition::Sysctl("kernel/io_uring_disabled", "0")),
        meaning: "io_uring is denied (kernel.io_uring_disabled is {found})",
        remedy: "sysctl kernel.io_uring_disabled=0",
        ..ANY
    },
    Row {
        calls: &["io_uring_setup", "io_uring_enter"],
        errnos: &[EPERM, EACCES, ENOSYS],
        meaning: "io_uring is denied or absent here",
        remedy: "use Linux 5.4 or later with CONFIG_IO_URING, and no seccomp filter against it (docker's default has one)",
        ..ANY
    },
    Row {
        calls: &["userfaultfd"],
        errnos: DENIED,
        condition: Some(Condition::Sysctl("vm/unprivileged_userfaultfd", "1")),
        meaning: "userfaultfd is denied to this user (vm.unprivileged_userfaultfd is {found})",
        remedy: "run as root, or sysctl vm.unprivileged_userfaultfd=1; let seccomp pass userfaultfd",
        ..ANY
    },
    Row {
        calls: &["perf_event_open"],
        errnos: DENIED,
        condition: Some(Condition::Sysctl("kernel/perf_event_paranoid", "2 1 0 -1")),
        meaning: "counters are denied to this user (kernel.perf_event_paranoid is {found})",
        remedy: "run as root, or sysctl kernel.perf_event_paranoid=2",
        ..ANY
    },
    Row {
        calls: &["perf_event_open"],
        errnos: &[ENOENT],
        meaning: "this kernel has no such probes",
        remedy: "use a kernel with CONFIG_UPROBE_EVENTS",
        ..ANY
    },
    Row {
        calls: &["bpf"],
        errnos: DENIED,
        meaning: "BPF programs that trace are denied to this user",
        remedy: "run as root, or with CAP_BPF and CAP_PERFMON (setcap, docker --cap-add), and let seccomp pass bpf",
        ..ANY
    },
    Row {
        calls: &["bpf"],
        errnos: &[EINVAL, ENOENT],
        meaning: "this kernel has no such BPF programs, or nothing of that name to attach them to",
        remedy: "use Linux 5.1 or later with CONFIG_BPF_SYSCALL, CONFIG_BPF_EVENTS and CONFIG_HAVE_SYSCALL_TRACEPOINTS",
        ..ANY
    },
    Row {
        calls: &["ptrace"],
        errnos: DENIED,
        condition: Some(Condition::Sysctl("kernel/yama/ptrace_scope", "0 1")),
        meaning: "tracing is denied (kernel.yama.ptrace_scope is {found})",
        remedy: "run as root, or sysctl kernel.yama.ptrace_scope=1 (3 lasts until the machine is booted)",
        ..ANY
    },
    // Anything.
    Row {
        errnos: DENIED,
        meaning: "the call is denied here",
        remedy: "run where {call} is allowed (no seccomp filter, no security module against it, or as root)",
        ..ANY
    },
    Row {
        errnos: ABSENT,
        meaning: "the call is absent here: this kernel, or the emulator or sandbox in its place, does not have it",
        remedy: "run on a kernel that has {call}, outside of an emulator or sandbox (seccomp)",
        ..ANY
    },
    Row {
        errnos: &[ENODEV, ENXIO],
        meaning: "there is no such device",
        remedy: "load its module, or run on a machine that has it",
        ..ANY
    },
    Row {
        calls: WAITING,
        errnos: &[EAGAIN, ETIMEDOUT, EINPROGRESS],
        meaning: "the other end did not answer in time",
        remedy: "run again with less load; over a network, look for lost packets and a firewall between the two",
        ..FAULT
    },
    Row {
        errnos: &[EAGAIN],
        meaning: "a limit of this user or control group is reached",
        remedy: "raise the limit on processes, locked memory or signals (ulimit -a, pids.max)",
        ..ANY
    },
    Row {
        errnos: &[ENOSPC],
        meaning: "a table of the kernel or a file system is full",
        remedy: "free what holds it (df, ipcs), or raise the limit that `man 2 {call}` names",
        ..ANY
    },
    Row {
        errnos: &[ECONNRESET, EPIPE, ECONNABORTED],
        meaning: "the other end closed the connection",
        remedy: "look whether the process at the other end was killed (dmesg), and run again",
        ..FAULT
    },
    Row {
        errnos: &[EINVAL],
        meaning: "the kernel refuses an argument of this call",
        remedy: "run on a newer kernel, outside of an emulator or sandbox that answers in its place",
        ..FAULT
    },
];
