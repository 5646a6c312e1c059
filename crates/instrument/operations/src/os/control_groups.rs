//! What levels of control groups cost: fork, page fault, pipe and cached read in nested groups that have one controller, or none.

use super::process_create::CREATE;
use measure::{Actors, Operation, takes};
use record::Need;
use sys::process::fork_exit;
use workloads::exchange::{pipes, round_trips_by};
use workloads::file::cached::read_blocks_at_random;
use workloads::group_levels::{Nested, in_groups};
use workloads::memory::anonymous_pages::{touch, write};
use workloads::memory::page_sequence::unmap_pages;
use workloads::memory::pool::POOL;
use workloads::os::child_lifetimes::create_and_wait;

const CONFOUNDS: &str = "The groups are in the hierarchy that has the controller: that of version 2, or where version 1 has it, its own \
                         (mount shows which; systemd.unified_cgroup_hierarchy=1 moves all to version 2). In version 2 each level has \
                         times of its own and, where the kernel has it, pressure (PSI), also without a controller; in version 1 none. \
                         Most of the kernel's charges of memory are made for 32 to 64 pages at once.";

/// What shows that the work was done in the groups of the point.
const LEVELS: &str = "cgroup.levels = {levels}: this process was in the innermost group";
const NO_CONTROLLER: &str = "controller=none: cgroup.controllers = 0: the innermost group has no controller";
const CONTROLLER: &str =
    "controller=cpu|memory|pids|io: cgroup.controllers 1..3: the innermost group has the controller";
const CHARGED: &str = "controller=memory|pids: cgroup.charged 1..1000000000000: memory or processes were charged to the innermost group";

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
    points: &[
        "controller=none levels=1|8|32; controller=memory|pids levels=32",
        "profile=thorough: controller=cpu|io levels=32; controller=cpu|memory|pids levels=8",
    ],
    predict: &[
        "t0 a small process",
        "software t1 the same without further groups = [process.create.fork_wait resident=0B]",
        "controller=none: software levels = {levels} × path(900, 20) (×2.5: pressure changed at each of some six changes of a task's \
         state, a process counted and uncounted) × cycle_ns",
        "controller=cpu: software levels = {levels} × path(900, 12) (×3: at some four switches and the fork, an entity queued, chosen \
         and accounted at each level) × cycle_ns",
        "controller=memory: software levels = {levels} × path(150, 8) (×3: some four charges of 64 pages and their statistics, page tables \
         and objects of the kernel included) × cycle_ns",
        "controller=pids: software levels = {levels} × path(12, 2) (×2: a locked addition and a locked subtraction) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the right child exited with the right status",
        LEVELS,
        NO_CONTROLLER,
        CONTROLLER,
        CHARGED,
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
    points: &[
        "controller=none levels=1|8|32; controller=memory levels=32",
        "profile=thorough: controller=memory levels=1|8; controller=cpu|pids|io levels=32",
    ],
    predict: &[
        "page fault",
        "cleared page",
        "software t1 page allocated and mapped = new_page × cycle_ns",
        "hardware t1 page cleared at fill bandwidth = page_cleared",
        "controller=memory: software levels = {levels} × 4 cycles (×3: a charge of 64 pages at each level, and its statistics, flushed \
         seldom) × cycle_ns",
    ],
    evidence: &[
        "one fault per touch",
        LEVELS,
        NO_CONTROLLER,
        CONTROLLER,
        // More than the kernel's own memory of a process, and pages that it charges in advance: 64 for each CPU.
        "controller=memory: cgroup.charged 4000000..1000000000000: the pages were charged to the innermost group",
        "controller=pids: cgroup.charged 1..10: the process was counted in the innermost group",
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
    points: &[
        "cpu=same controller=none levels=1|8|32; cpu=same controller=cpu levels=32",
        "profile=thorough: cpu=same controller=cpu levels=1|8; cpu=same controller=memory|pids|io levels=32",
    ],
    predict: &[
        "t0 round trip of messages(pipe_message)",
        "software t1 the same without further groups = [ipc.pipe.round_trip cpu=same]",
        "controller=none: software levels = {levels} × path(500, 4) (×2.5: of two switches, at each level the pressure changed four \
         times) × cycle_ns",
        "controller=cpu: software levels = {levels} × path(700, 8) (×3: of two switches, at each level an entity queued, chosen and \
         accounted) × cycle_ns",
    ],
    evidence: &[
        "exchange of processes(1.95, 2.2)",
        "cgroup.levels = {levels}: this process was in the innermost group, and has started the other one there",
        NO_CONTROLLER,
        CONTROLLER,
        CHARGED,
        "linear",
        "calls of both sides: write 2, read 2",
    ],
    bounds: &["calls of a message([syscall.pipe.self])"],
    needs: |_| vec![Need::Directory],
    run: |bench| in_groups(bench, |bench| round_trips_by(bench, LEAST, pipes)),
    ..super::COMMON
};

/// Bytes of the file that is read.
const READ_BYTES: u64 = 1 << 20;

/// A read of the page cache.
pub static READ: Operation = Operation {
    id: "cgroup.read",
    title: "one 4 KiB `pread`, page cache hit, in nested control groups",
    one_iteration: "one pread of a 4 KiB block, first and last word checked, in the innermost of levels= groups",
    method: "As file.read.cached access=random file_size=1MiB, in groups as cgroup.fork_wait. The file is read into the cache in the \
             innermost group, to which its pages are charged if they were in no cache before.",
    confounds: CONFOUNDS,
    sources: &[("fio", "psync, bs=4k, pre_read=1, cgroup=NAME: one group of version 1")],
    parameters: takes::<Nested>,
    points: &["controller=memory levels=32", "profile=thorough: controller=none|io levels=32"],
    predict: &[
        "t0 cached read of a block(1)",
        // No level is charged for a hit.
        "software t1 the same without further groups = [file.read.cached access=random file_size=1MiB]",
    ],
    evidence: &[
        "answers = 1: every block had the expected content",
        "blocks from the cache",
        LEVELS,
        NO_CONTROLLER,
        CONTROLLER,
        CHARGED,
        "calls: pread64 1",
    ],
    bounds: &["floor", "copy of a block"],
    needs: |_| vec![Need::Directory],
    run: |bench| in_groups(bench, |bench| read_blocks_at_random(bench, READ_BYTES)),
    ..super::COMMON
};
