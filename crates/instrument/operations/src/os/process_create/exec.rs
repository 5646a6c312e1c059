//! Processes that execute a program: the smallest static one, a dynamically linked one, and a shell.

use super::CREATE;
use measure::{Failure, Operation, takes};
use sys::process::create::{Fork, Stack, fork_then, vfork_then};
use workloads::os::programs::{Execution, exec_or_report, run};

const EXEC: Operation = Operation {
    confounds: "program=static is a program of 133 bytes in a sealed memfd; its exit status depends on its number of arguments. \
                program=dynamic is true and false alternately, found on PATH, with the system's dynamic linker and \
                C library (see the machine's description). The environment is empty.",
    spend_ns: 16_000_000,
    parameters: takes::<Execution>,
    ..CREATE
};

const BY_VFORK: [&str; 5] = [
    "a program ended",
    "made.vfork 0.99..1.01: one process was created by the declared method",
    "a program was executed",
    "program=static: calls: clone3 1, execveat 1, exit_group 1, wait4 1",
    "undisturbed",
];

/// fork and exec.
pub static FORK_EXEC: Operation = Operation {
    id: "process.create.fork_exec",
    title: "fork + exec of a program + wait",
    one_iteration: "one fork, exec of a program, its exit with the expected status, and wait",
    method: "fork of a small parent, execve (execveat for the memfd) and wait, by the system-call instruction. Parent and child \
             share one CPU.",
    sources: &[
        ("lmbench", "lat_proc exec: fork + execve of /tmp/hello + wait"),
        ("stress-ng", "--exec: of itself, by all kinds of exec and many at once; operations per second"),
        (
            "osbench",
            "launch_programs: 100 forks and execs of itself, then 100 waits; the best of five seconds",
        ),
        ("perf bench", "syscall execve: fork, execve of /bin/true and waitpid"),
        ("UnixBench", "execl: a chain of execs without a fork"),
        ("libMicro", "exec: one fork and a chain of 128 execs"),
    ],
    points: &["program=static|dynamic"],
    predict: &[
        "a new program(180000)",
        "software t1 the same by vfork = [process.create.vfork_exec program={program}]",
        "software t1 fork beyond vfork = [process.create.fork_wait resident=0B] − \
         [process.create.vfork_wait resident=0B]",
    ],
    evidence: &[
        "a program ended",
        "made.fork 0.99..1.01: one process was created by the declared method",
        "a program was executed",
        "program=static: calls: clone 1, execveat 1, exit_group 1, wait4 1",
        "undisturbed",
    ],
    run: |bench| {
        run(bench, &mut |(program, arguments, failed)| {
            Ok(fork_then(Fork::Clone, || exec_or_report(program, arguments, failed))?)
        })
    },
    ..EXEC
};

/// vfork and exec.
pub static VFORK_EXEC: Operation = Operation {
    id: "process.create.vfork_exec",
    title: "vfork + exec of a program + wait",
    one_iteration: "one vfork, exec of a program, its exit with the expected status, and wait",
    method: "clone3 with CLONE_VM and CLONE_VFORK and a stack of its own, execve (execveat for the memfd), wait. Parent and \
             child share one CPU.",
    sources: &[("stress-ng", "--exec --exec-fork-method vfork")],
    points: &["program=static|dynamic"],
    predict: &[
        "a new program(50000)",
        "program=static: software t1 vfork, exit, wait = [process.create.vfork_wait resident=0B]",
        "program=static: software t1 new memory, the image, its faults and its release = \
         cold_path({counted[process.create.vfork_exec program=static] - 11 * 4096 \
         - counted[process.create.vfork_wait resident=0B]}) × cycle_ns",
        "program=static: software t1 pages cleared or copied = 11 × clear_page × cycle_ns",
        // What a dynamic program does beyond the smallest one, counted on one of glibc 2.36.
        "program=dynamic: software t1 vfork and exec of the smallest program = [process.create.vfork_exec program=static]",
        "program=dynamic: t1 floors(27)",
        "program=dynamic: software t1 the linker's instructions = 112675 cycles (×2: 112 675 instructions of true, counted \
         by single steps; one a cycle on cold code) × cycle_ns",
        "program=dynamic: software t1 faults = 46 (×1.5: copies on write and pages of files around the fault, counted) \
         × [fault.copy_on_write]",
        "program=dynamic: software t1 calls for maps and files = 15 (×1.5: mmap, openat, mprotect, close, counted) × 0.5 × \
         [mapping.mmap_munmap bytes=4KiB]",
        "architecture=x86_64 program=dynamic: hardware t1 CPUID by the linker = [trap.cpuid] × 68 (×1.3: counted by single \
         steps of true, glibc 2.36, Intel)",
    ],
    evidence: &BY_VFORK,
    run: |bench| {
        let mut stack = Stack::new()?;
        run(bench, &mut |(program, arguments, failed)| {
            Ok(vfork_then(&mut stack, || exec_or_report(program, arguments, failed))?)
        })
    },
    ..EXEC
};

/// posix_spawn.
pub static SPAWN: Operation = Operation {
    id: "process.create.posix_spawn",
    title: "posix_spawn of a program + wait",
    one_iteration: "one posix_spawn of a program, its exit with the expected status, and wait",
    method: "posix_spawn of the C library without attributes and file actions, wait. The child shares the parent's memory; a \
             library that forks instead is contradicted by the rehearsal (E59).",
    sources: &[
        ("osbench", "none: launch_programs forks"),
        ("stress-ng", "--spawn, --exec --exec-fork-method spawn"),
    ],
    points: &["program=static resident=0B|64MiB; program=dynamic resident=0B"],
    predict: &[
        "a new program(60000)",
        "resident=0B: software t1 vfork, exec, wait = [process.create.vfork_exec program={program}]",
        "resident=0B: t1 floors(128)",
        // Two more pages are cleared or copied than by vfork and exec.
        "resident=0B: software t1 a stack mapped, touched and unmapped; 61 signal actions read and set = \
         cold_path({counted[process.create.posix_spawn program=static resident=0B] \
         - counted[process.create.vfork_exec program=static] - 128 * counted[syscall.floor] - 2 * 4096}) × cycle_ns",
        "resident=1MiB..: software t1 the same with a small parent = \
         [process.create.posix_spawn program=static resident=0B]",
    ],
    evidence: &[
        "a program ended",
        "made.vfork 0.99..1.01: the child shared its parent's memory until exec",
        "made.program 0.99..1.01: one program was executed",
        "calls.execve 0.99..1.01: one execve",
        "undisturbed",
    ],
    headline: &[("program=static resident=0B", "spawn + exec + wait")],
    run: |bench| run(bench, &mut |(program, arguments, _)| program.spawn(arguments).map_err(without_path)),
    ..EXEC
};

/// The memfd has a path below /proc only.
fn without_path(error: sys::Error) -> Failure {
    if error.is_missing() && !std::path::Path::new("/proc/self/fd").exists() {
        return Failure::skipped("without /proc the program in memory has no path", "mount /proc");
    }
    error.into()
}

/// A shell that runs one built-in command.
pub static SHELL: Operation = Operation {
    id: "process.create.shell",
    title: "sh -c of a built-in + wait",
    one_iteration: "one vfork, exec of sh -c 'exit N', its exit with that status, and wait",
    method: "As process.create.vfork_exec, with sh -c 'exit N', N from 1 to 8; sh is found on PATH.",
    confounds: "The cost depends on the shell (dash, bash, busybox).",
    sources: &[
        ("lmbench", "lat_proc shell: fork + sh -c a program"),
        ("UnixBench", "shell1, shell8: one or eight scripts at once that sort, count and search a file"),
        ("libMicro", "system: sh -c 'A=$$'"),
    ],
    predict: &[
        "a new program(50000)",
        "software t1 a dynamic program = [process.create.vfork_exec program=dynamic]",
        "t1 floors(19)",
        "software t1 set-up of the shell = 90000 cycles (×2: 88 220 instructions of dash beyond those of true, counted by \
         single-stepping; one per cycle on cold code) × cycle_ns",
        "software t1 page faults of the shell = {15 * 2500} cycles (×2: 15 faults beyond those of true, copies on write) × cycle_ns",
    ],
    evidence: &BY_VFORK,
    run: VFORK_EXEC.run,
    ..EXEC
};
