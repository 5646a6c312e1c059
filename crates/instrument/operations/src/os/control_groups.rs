//! What levels of control groups cost: fork, page fault and pipe in nested groups of version 2.

use super::process_create::CREATE;
use measure::{Actors, Operation, takes};
use record::Need;
use sys::process::fork_exit;
use workloads::exchange::{pipes, round_trips_by};
use workloads::group_levels::{Nested, in_groups};
use workloads::memory::anonymous_pages::{touch, write};
use workloads::memory::page_sequence::unmap_pages;
use workloads::memory::pool::POOL;
use workloads::os::child_lifetimes::create_and_wait;

const POINTS: &[&str] = &["levels=1|8|32"];

const CONFOUNDS: &str = "Each group has the controllers that the group around all of them passes on: memory, cpu and pids as root under \
                         systemd, and none where version 1 has them. Without any, each level still has times of its own and, where \
                         the kernel has it, pressure (PSI). Most of the kernel's charges are made for 32 to 64 pages at once.";

/// fork.
pub static FORK: Operation = Operation {
    id: "cgroup.fork_wait",
    title: "fork + exit + wait of one child in nested control groups",
    one_iteration: "one fork, exit of the child, and wait, in the innermost of levels= groups",
    method: "As process.create.fork_wait without resident memory. Before the first batch the process moves into the innermost group; \
             afterwards its level is read from /proc/self/cgroup, and it goes back.",
    confounds: CONFOUNDS,
    sources: &[("Linux selftests", "cgroup/test_core.c: nested groups; no times")],
    parameters: takes::<Nested>,
    points: POINTS,
    predict: &[
        "t0 a small process",
        "software t1 the same without further groups = [process.create.fork_wait resident=0B]",
        "software levels = {levels} × path(900, 20) (×2.5: pressure changed at each of some six changes of a task's state, a process \
         counted and uncounted) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the right child exited with the right status",
        "cgroup.levels = {levels}: the parent was in the innermost group",
        "switches 0.9..4 (if consistent): the parent blocked and the child ran",
        "forked child",
    ],
    needs: |_| vec![Need::Directory],
    run: |bench| in_groups(bench, |bench| create_and_wait(bench, fork_exit)),
    spend_ns: 20_000_000,
    ..CREATE
};

/// A page fault.
pub static FAULT: Operation = Operation {
    id: "cgroup.fault",
    title: "first write to an anonymous 4 KiB page in nested control groups",
    one_iteration: "one write to an untouched page, read back, in the innermost of levels= groups",
    method: "As fault.anonymous.write, in groups as cgroup.fork_wait.",
    confounds: CONFOUNDS,
    sources: &[("will-it-scale", "page_fault1, without groups")],
    parameters: takes::<Nested>,
    points: POINTS,
    predict: &[
        "page fault",
        "cleared page",
        "software t1 page allocated and mapped = new_page × cycle_ns",
        "hardware t1 page cleared at fill bandwidth = page_cleared",
        "software levels = {levels} × 4 cycles (×3: a charge of 64 pages at each level, and its statistics, flushed seldom) × cycle_ns",
    ],
    evidence: &[
        "one fault per touch",
        "cgroup.levels = {levels}: the process was in the innermost group",
        "calls: none",
    ],
    bounds: &["exceptions(1)"],
    needs: |_| vec![Need::Directory, Need::Memory { bytes: 4 * POOL as u64 }],
    run: |bench| {
        in_groups(bench, |bench| {
            touch(bench, unmap_pages, |_, _| Ok(()), |pages, offset| Ok(write(pages, offset)))
        })
    },
    ..super::COMMON
};

/// Round trips of the shortest batch: the first two of one and of two differ from those that follow, by a quarter at 32 levels.
const LEAST: u64 = 8;

/// A pipe.
pub static PIPE: Operation = Operation {
    id: "cgroup.pipe",
    title: "round trip over two pipes, 1 byte, in nested control groups",
    one_iteration: "one message to the other process and one back, both in the innermost of levels= groups",
    method: "As ipc.pipe.round_trip on one CPU, in groups as cgroup.fork_wait.",
    confounds: CONFOUNDS,
    sources: &[("perf bench", "sched pipe -G a,b: between two groups")],
    actors: Actors::TwoProcesses,
    parameters: takes::<Nested>,
    points: &["cpu=same levels=1|8|32"],
    predict: &[
        "t0 round trip of messages(pipe_message)",
        "software t1 the same without further groups = [ipc.pipe.round_trip cpu=same]",
        "software levels = {levels} × path(500, 4) (×2.5: of two switches, at each level the pressure changed four times, and with the \
         controller of the CPU an entity queued and chosen) × cycle_ns",
    ],
    evidence: &[
        "exchange of processes(1.95, 2.2)",
        "cgroup.levels = {levels}: this process was in the innermost group, and has started the other one there",
        "linear",
        "calls of both sides: write 2, read 2",
    ],
    bounds: &["calls of a message([syscall.pipe.self])"],
    needs: |_| vec![Need::Directory],
    run: |bench| in_groups(bench, |bench| round_trips_by(bench, LEAST, pipes)),
    ..super::COMMON
};
