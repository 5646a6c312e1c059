//! Scheduling, processes, threads and the programs that they execute.

use crate::remedies::conditions::Condition;
use crate::remedies::row::{ANY, DENIED, Row};
use libc::{EACCES, EAGAIN, EINVAL, ENOMEM, ENOSPC, ENOSYS, EPERM, ETXTBSY, EUSERS};

/// Calls that make processes and threads.
const PROCESSES: &[&str] =
    &["fork", "vfork", "clone", "clone3", "pthread_create", "posix_spawn", "start a worker"];

/// Calls that set how the scheduler treats a process.
const SCHEDULER: &[&str] = &["sched_setscheduler", "setpriority"];

pub(super) const ROWS: &[Row] = &[
    // Scheduling.
    Row {
        calls: &["sched_setscheduler"],
        errnos: &[EPERM],
        condition: Some(Condition::NoRealTimeBudget),
        meaning: "the control group {found} has no real-time budget",
        remedy: "give the group a budget (cpu.rt_runtime_us), start from the root group, or lift the limit: \
                 sysctl kernel.sched_rt_runtime_us=-1",
        ..ANY
    },
    Row {
        calls: SCHEDULER,
        errnos: DENIED,
        condition: Some(Condition::NiceInUserNamespace),
        meaning: "CAP_SYS_NICE in a namespace of users is not enough",
        remedy: "run as root outside of the namespace, or raise the limits before it is entered (ulimit -r, ulimit -e)",
        ..ANY
    },
    Row {
        calls: &["sched_setscheduler"],
        errnos: &[EPERM],
        condition: Some(Condition::MayNice),
        meaning: "the process has CAP_SYS_NICE, and its control group has no real-time budget or a seccomp filter denies it",
        remedy: "start from the root control group, lift the limit (sysctl kernel.sched_rt_runtime_us=-1), or run outside of \
                 the sandbox",
        ..ANY
    },
    Row {
        calls: &["sched_setscheduler"],
        errnos: &[EPERM],
        meaning: "a real-time policy needs CAP_SYS_NICE or a limit on real-time priorities of at least the priority",
        remedy: "run as root, or raise the limit: ulimit -r 99 (LimitRTPRIO=, docker --cap-add sys_nice)",
        ..ANY
    },
    Row {
        calls: &["setpriority"],
        errnos: DENIED,
        condition: Some(Condition::MayNice),
        meaning: "the process has CAP_SYS_NICE, and a seccomp filter denies the call",
        remedy: "run outside of the sandbox",
        ..ANY
    },
    Row {
        calls: &["setpriority"],
        errnos: DENIED,
        meaning: "a nice value below the current one needs CAP_SYS_NICE or a limit that allows it",
        remedy: "run as root, or raise the limit: ulimit -e 40 (LimitNICE=, docker --cap-add sys_nice)",
        ..ANY
    },
    Row {
        calls: &["sched_setaffinity"],
        errnos: &[EINVAL],
        meaning: "none of the CPUs may be used: they are offline, or outside of the cpuset",
        remedy: "name CPUs that `taskset -cp $$` lists by --cpu and --peer-cpu, or bring them online",
        ..ANY
    },
    Row {
        calls: &["sched_getaffinity"],
        errnos: &[EINVAL],
        meaning: "the kernel refuses a CPU set of every size, up to 65536 CPUs",
        remedy: "run where sched_getaffinity is served by the machine's own kernel (no emulator, no sandbox)",
        ..ANY
    },
    Row {
        calls: &["sched_setaffinity", "sched_getaffinity"],
        errnos: &[EPERM, EACCES, ENOSYS],
        meaning: "the call is denied or absent here",
        remedy: "run where {call} is allowed (no seccomp filter, no emulator)",
        ..ANY
    },
    // Processes and threads.
    Row {
        calls: PROCESSES,
        errnos: &[EAGAIN],
        condition: Some(Condition::GroupOfProcessesFull),
        meaning: "the control group may have no more processes: {found}",
        remedy: "raise the limit pids.max (docker --pids-limit, systemd TasksMax=)",
        ..ANY
    },
    Row {
        calls: PROCESSES,
        errnos: &[EAGAIN],
        condition: Some(Condition::UserProcesses),
        meaning: "this user may have no more processes: {found} at most",
        remedy: "raise the limit: ulimit -u (LimitNPROC=), or end other processes of this user",
        ..ANY
    },
    Row {
        calls: PROCESSES,
        errnos: &[EAGAIN],
        meaning: "a limit on processes is reached",
        remedy: "raise the limit: pids.max of the control group, ulimit -u, sysctl kernel.threads-max and kernel.pid_max",
        ..ANY
    },
    Row {
        calls: PROCESSES,
        errnos: &[ENOMEM],
        meaning: "there is no memory for another process, or its PID namespace is ending",
        remedy: "free memory, or raise the limit on memory (memory.max, ulimit -v, sysctl vm.overcommit_memory=0)",
        ..ANY
    },
    Row {
        calls: &["unshare", "clone", "clone3"],
        errnos: &[ENOSPC, EUSERS],
        meaning: "a limit on namespaces is reached",
        remedy: "raise the limit: sysctl user.max_user_namespaces, user.max_net_namespaces and their like",
        ..ANY
    },
    Row {
        calls: &["unshare", "setns", "mount", "umount"],
        errnos: DENIED,
        meaning: "this process may not make namespaces or mounts",
        remedy: "run as root, or allow namespaces of users (sysctl kernel.unprivileged_userns_clone=1, \
                 kernel.apparmor_restrict_unprivileged_userns=0, no seccomp filter)",
        ..ANY
    },
    // Programs.
    Row {
        calls: &["execveat", "memfd_create"],
        errnos: &[EPERM, EACCES, ENOSYS],
        meaning: "files in memory cannot be executed here",
        remedy: "allow it (sysctl vm.memfd_noexec=0), or run outside of the sandbox",
        ..ANY
    },
    Row {
        calls: &["execve", "start a worker"],
        errnos: DENIED,
        meaning: "the program may not be executed: its mode, a file system mounted with noexec, or a security module",
        remedy: "run it from a file system that allows programs (mount -o exec), and let this user execute it (chmod +x)",
        ..ANY
    },
    Row {
        calls: &["execve", "execveat", "start a worker"],
        errnos: &[ETXTBSY],
        meaning: "a process has the program open for writing",
        remedy: "run again when the program is written",
        is_fault: true,
        ..ANY
    },
];
