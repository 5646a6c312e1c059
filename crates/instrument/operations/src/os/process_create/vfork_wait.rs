//! Process creation by clone3, with a copy of the memory, and by vfork, without.

use super::CREATE;
use measure::Operation;
use sys::process::create::{Fork, Stack, fork_then, vfork_then};
use workloads::os::child_lifetimes::create_and_wait;

/// clone3 that copies the memory, as fork does.
pub static CLONE3_WAIT: Operation = Operation {
    id: "process.create.clone3_wait",
    title: "clone3 (as fork) + exit + wait of one child",
    one_iteration: "one clone3 without flags, exit of the child, and wait",
    method: "As process.create.fork_wait with a small parent, by clone3.",
    confounds: "Sandboxes from before 2021 deny clone3 with ENOSYS; the row is then skipped.",
    sources: &[(
        "stress-ng",
        "--clone: microseconds from clone to the start of the child, with random flags, up to 8192 at once",
    )],
    predict: &["a small process", "software t1 the same by fork = [process.create.fork_wait resident=0B]"],
    evidence: &[
        "answers = 1: the right child exited with the right status",
        "pages of the child",
        "calls: clone3 1, wait4 1, exit_group 1",
        "a fork",
        "undisturbed",
    ],
    run: |bench| create_and_wait(bench, |status| fork_then(Fork::Clone3, || status)),
    ..CREATE
};

/// vfork: the child shares the parent's memory, and the parent is suspended.
pub static VFORK_WAIT: Operation = Operation {
    id: "process.create.vfork_wait",
    title: "vfork + exit + wait of one child",
    one_iteration: "one vfork, exit of the child, and wait",
    method: "As process.create.fork_wait, by clone3 with CLONE_VM and CLONE_VFORK and a stack of its own: no memory is copied, \
             and the parent is suspended until the child exits.",
    confounds: "The cost must not depend on resident=.",
    sources: &[
        (
            "stress-ng",
            "--vfork: vfork, _exit, waitpid; --vforkmany: nanoseconds to the start of each child of a chain",
        ),
        ("osbench", "none: create_processes forks"),
    ],
    points: &["resident=0B|64MiB"],
    predict: &[
        "entries(3)",
        "software t0 create, run, exit and reap a process without memory of its own = 50000 cycles (×2: a fifth to a third of \
         fork with a small parent (stress-ng --vfork against --fork)) × cycle_ns",
        "resident=0B: software t1 a task created, exited and waited for = [thread.create.raw]",
        "resident=0B: software t1 process beyond thread = 15000 cycles (×2: tables of files, signals and \
         handlers copied and freed, SIGCHLD, a zombie reaped: some 8000 instructions on cold lines) × cycle_ns",
        "resident=1MiB..: software t1 the same with a small parent = [process.create.vfork_wait resident=0B]",
    ],
    evidence: &[
        "answers = 1: the right child exited with the right status",
        "switches 0.9..4 (if consistent): the parent blocked and the child ran",
        "calls: clone3 1, wait4 1, exit_group 1",
        "made.vfork 0.99..1.01: one process was created by vfork",
        "made.fork -0.01..0.01 (quiet): no process was forked",
        "undisturbed",
    ],
    run: |bench| {
        let mut stack = Stack::new()?;
        create_and_wait(bench, |status| vfork_then(&mut stack, || status))
    },
    ..CREATE
};
