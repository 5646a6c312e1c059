//! Creating processes: fork, vfork, clone3, posix_spawn, and executing a program in the new one.

pub mod exec;
pub mod fork_huge;
pub mod fork_stamps;
pub mod fork_wait;
mod programs;
pub mod vfork_wait;

use measure::{Failure, Operation, Point, core_cycles, term, told_cycles};
use record::{Formula, Gate, Need, Side, Term};
use sys::memory::Mapping;

/// The gate of operations that make processes: a part of that work is charged to nobody.
pub(super) const GATE: Gate = Gate {
    cpu_share: Some(0.9),
    involuntary: false,
    ..Operation::GATE
};

/// Touched memory of the parent that a point asks for, in MiB; 0 where it asks for none.
pub(super) fn resident_mib(point: &Point) -> u64 {
    point.number("resident_mib").unwrap_or(0)
}

/// The memory that a point's parent needs, and as much again for page tables and copies.
pub(super) fn memory_needs(point: &Point) -> Vec<Need> {
    vec![Need::Memory {
        bytes: 3 * (resident_mib(point) << 20),
    }]
}

/// The parent's touched memory on base pages, each page unlike the others; `None` for a parent without.
pub(super) fn resident(point: &Point, seed: u64) -> Result<Option<Mapping>, Failure> {
    let bytes = usize::try_from(resident_mib(point) << 20).unwrap_or(usize::MAX);
    if bytes == 0 {
        return Ok(None);
    }
    let mut memory = Mapping::private(bytes)?;
    memory.touch(seed);
    Ok(Some(memory))
}

/// An exit status for this turn: it differs from the last one, and from that of a child that went wrong.
pub(super) fn status_of(turn: &mut i32) -> i32 {
    *turn = (*turn + 1) % 50;
    *turn
}

/// Cycles of the hardware to enter and leave the kernel so many times, for T0.
pub(super) fn entries(times: f64) -> Term {
    let cycles = super::syscall::entry_cycles().times(times);
    term(Side::Hardware, "enter and leave the kernel", told_cycles(cycles))
}

/// So many floors of a system call, for T1.
pub(super) fn floors(times: f64) -> Term {
    let floor = Formula::part("syscall.floor", "").times(times);
    term(Side::Hardware, "floors of the system calls", floor)
}

/// So many hand-offs of the CPU between tasks on one CPU, for T1.
pub(super) fn hand_offs(times: f64) -> Term {
    let one = Formula::part("switch.thread.futex", "cpu=same");
    term(Side::Software, "hand-offs of the CPU", one.times(times))
}

/// What another point of the same run cost, for T1.
pub(super) fn part(name: &str, operation: &str, point: &str) -> Term {
    term(Side::Software, name, Formula::part(operation, point))
}

/// Work of the kernel in cycles, for T0.
pub(super) fn told(name: &str, cycles: f64, within: f64, source: &str) -> Term {
    let formula = Formula::cited(cycles, within, source);
    term(Side::Software, name, told_cycles(formula))
}

/// Work of the kernel in cycles, for T1.
pub(super) fn reasoned(name: &str, cycles: f64, within: f64, source: &str) -> Term {
    let formula = Formula::cited(cycles, within, source);
    term(Side::Software, name, core_cycles(formula))
}

/// What fork, exit and wait cost more for 64 resident MiB of the parent, for T1.
pub(super) fn cost_of_pages() -> Formula {
    let of = |size| Formula::part("process.create.fork_wait", size);
    of("resident_mib=64").minus(of("resident_mib=0"))
}

/// A share of what the pages cost that a small process has anyway, for T1.
pub(super) fn pages_of_a_small_process(what: &str, share: f64) -> Term {
    let pages = Formula::cited(
        80.0 / 16_384.0 * share,
        1.6,
        "324 KiB of a worker's own pages (RssAnon), of 64 MiB",
    );
    let name = format!("entries of the page tables {what}");
    term(Side::Software, &name, cost_of_pages().by(pages))
}

/// Cycles to make a task: some 5000 instructions on cold data and 10 KB of task_struct copied.
pub(super) fn copy_of_a_task() -> Term {
    reasoned(
        "copy of the task",
        8_000.0,
        2.0,
        "copy_process: some 5000 instructions on cold lines, 10 KB of task_struct, a kernel stack, a number",
    )
}

/// Cycles to end a task and to free it.
pub(super) fn end_of_a_task() -> Term {
    reasoned(
        "end of the task",
        4_000.0,
        2.0,
        "do_exit and release_task: some 3000 instructions on cold lines",
    )
}
