//! Phases of process exit: exit until wait returns, and wait for a zombie.

use super::process_create::CREATE;
use super::workloads::children::{reap, status_of};
use super::workloads::timestamps::forks;
use measure::{Operation, Timed};
use sys::process::create::wait_until_ended;
use sys::process::fork_exit;

const END: Operation = Operation {
    bounds: &["> 0.5 × [syscall.floor]: the parent returns from the kernel"],
    ..CREATE
};

/// From the child's last instruction until the parent's wait returns.
pub static EXIT_WAIT: Operation = Operation {
    id: "process.end.exit_wait",
    title: "exit of a child until wait returns",
    one_iteration: "one small child, from just before its exit until the parent's wait returns",
    method: "The child writes a clock read to a shared page and exits, by the system-call instruction; the parent, which waits \
             on the same CPU, reads the clock when wait returns.",
    confounds: "A timestamp in the child's private memory never reaches the parent: the difference is then the uptime (R4: exit \
                took 99 days, E36).",
    sources: &[
        ("R4", "exit, 1.9e16 cycles: the timestamp was lost with the child"),
        ("lmbench", "none: lat_proc exit is fork + exit + wait"),
    ],
    predict: &[
        "entries(2)",
        "t1 floors(1)",
        "software t1 end of the process, hand-off, wait = kernel({counted[process.end.exit_wait] - counted[syscall.floor]})",
    ],
    evidence: &[
        "answers = 1: the child's timestamp was there before wait returned, and it exited with the right status",
        "pages of the child",
        "calls: clone 1, wait4 1, exit_group 1",
        "a fork",
        "undisturbed",
    ],
    // The first timestamp faults the page in; the second is the child's last action.
    run: |bench| forks(bench, 2, || (), |timestamps| timestamps.after - timestamps.child),
    ..END
};

/// wait for a zombie.
pub static WAIT: Operation = Operation {
    id: "process.end.wait",
    title: "one wait for a zombie",
    one_iteration: "one wait4 for an exited child, which must give its pid and its status",
    method: "A child exits; waitid with WNOWAIT waits for that without reaping it; only the following wait4 is timed.",
    confounds: "The exit frees the child's memory: the wait frees its pid and task only.",
    sources: &[("stress-ng", "--zombie: creates zombies, wait untimed")],
    predict: &[
        "entries(1)",
        "software t0 release of the task = 6000 cycles (×3: release_task and what its lists touch: some 2000 instructions) \
         × cycle_ns",
        "t1 floors(1)",
        "software t1 lookup of the child, sum of its usage, release of the task = \
         cold_path({counted[process.end.wait] - counted[syscall.floor]}) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: wait gave the pid and the status of the exited child",
        "pages of the child",
        "calls: clone 1, waitid 1, wait4 1, exit_group 1",
        "undisturbed",
    ],
    run: |bench| {
        let mut turn = 0;
        bench.each_part(true, &mut |clock| {
            let status = status_of(&mut turn);
            let child = fork_exit(status)?;
            wait_until_ended(child)?;
            let before = clock.start();
            let answers = reap(child, status)?;
            let ticks = Some(clock.stop() - before);
            Ok(Timed { ticks, answers })
        })
    },
    ..END
};
