//! The end of a process taken apart: exit until wait is back, and wait for one that has ended already.

use super::process_create::CREATE;
use super::workloads::children::{reap, status_of};
use super::workloads::stamps::forks;
use measure::{Operation, Timed};
use sys::process::create::wait_until_ended;
use sys::process::fork_exit;

const END: Operation = Operation {
    bounds: &["> 0.5 × [syscall.floor]: the parent leaves the kernel at least"],
    ..CREATE
};

/// From the child's last instruction until the parent knows.
pub static EXIT_WAIT: Operation = Operation {
    id: "process.end.exit_wait",
    title: "exit of a child until wait is back",
    one_iteration: "the end of one small child: from just before its exit until the parent's wait is back",
    method: "The child stamps the clock into a page that it shares with its parent and exits by the raw system call; \
             the parent, which waits meanwhile on the same CPU, stamps the clock when wait is back.",
    confounds: "A stamp that the child keeps in memory of its own never reaches the parent: the difference is then the \
                time since the machine was started (R4: exit took 99 days, E36).",
    sources: &[
        ("R4", "exit, 1.9e16 cycles: the stamp was lost with the child"),
        ("lmbench", "none: lat_proc exit is fork + exit + wait"),
    ],
    predict: &[
        "entries(2)",
        "software t0 release of a small process, switch, wait = 60000 cycles (×2.5: a third of fork, exit and wait: 13 to \
         33 µs on servers of 2015 to 2024 (lmbench, osbench)) × cycle_ns",
        "t1 floors(1)",
        "software t1 wait for a child that has ended = [process.end.wait]",
        "software t1 entries of the page tables released = own_pages(0.4)",
        "hand-offs(1)",
        "software t1 end of the task, of its files and signals = 8000 cycles (×2: do_exit, exit_files, exit_notify, the \
         parent woken: some 5000 instructions on cold lines) × cycle_ns",
        "software t1 35 areas of memory and their page tables = {35 * 900} cycles (×2: exit_mmap: unmap, free the area, \
         unlink its anon_vma; a page table freed for every second area) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the child stamped its moment before wait was back, and ended with the right status",
        "pages of the child",
        "calls: clone 1, wait4 1, exit_group 1",
        "a fork",
        "undisturbed",
    ],
    // The first stamp maps the page; the second is the last that the child does.
    run: |bench| forks(bench, 2, || (), |moments| moments.after - moments.child),
    ..END
};

/// wait for a zombie.
pub static WAIT: Operation = Operation {
    id: "process.end.wait",
    title: "wait for a child that has ended",
    one_iteration: "one wait4 for a child that is known to have ended, which must give its number and its status",
    method: "A child is made and exits; waitid with WNOWAIT tells when it has ended and leaves it there; only the \
             wait4 that follows is timed.",
    confounds: "What the child's end frees, its parent does not free: this is the zombie's number and task only.",
    sources: &[("stress-ng", "--zombie: makes them, and does not time wait")],
    predict: &[
        "entries(1)",
        "software t0 release of the task = 6000 cycles (×3: release_task and what its lists touch: some 2000 instructions) \
         × cycle_ns",
        "t1 floors(1)",
        "software t1 search for the child, its usage added, release of the task = 5000 cycles (×2: wait_task_zombie, \
         release_task, its entry in /proc: some 2500 instructions on cold lines) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: wait gave the number and the status of the child that had ended",
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
