//! Children from their creation until they have been waited for, each timed individually.

use super::children::{reap, resident, resident_bytes, status_of};
use measure::{Bench, CpuTime, Failure, Result, Timed};
use sys::huge::{HugeMapping, huge_page_size};
use sys::pipe::pipe;
use sys::process::create::wait_until_ended;
use sys::process::{Actor, Ended, fork_exit};

/// Children that `create` makes, with the status that each must exit with, of a parent with the memory of the point.
///
/// # Errors
/// When there is no memory or no child.
pub fn create_and_wait(bench: &mut Bench<'_>, create: impl FnMut(i32) -> sys::Result<i32>) -> Result<()> {
    let _memory = resident(bench.point(), bench.seed())?;
    each_child(bench, create)
}

fn each_child(bench: &mut Bench<'_>, mut create: impl FnMut(i32) -> sys::Result<i32>) -> Result<()> {
    let mut turn = 0;
    bench.each(CpuTime::WithChildren, &mut || {
        let status = status_of(&mut turn);
        reap(create(status)?, status)
    })
}

/// The same of a parent whose memory is on huge pages.
///
/// # Errors
/// Skipped where the kernel gives none.
pub fn fork_on_huge_pages(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = usize::try_from(resident_bytes(bench.point())).unwrap_or(usize::MAX);
    let none = || {
        Failure::skipped(
            "the kernel gave no huge pages for this memory",
            "allow them (/sys/kernel/mm/transparent_hugepage/enabled: madvise or always), and free memory",
        )
    };
    let page = huge_page_size().filter(|page| bytes.is_multiple_of(*page)).ok_or_else(none)?;
    let mut memory = HugeMapping::touched(bytes, page, bench.seed())?;
    if memory.huge_bytes() != Some(bytes) {
        return Err(none());
    }
    each_child(bench, fork_exit)?;
    let huge = memory.huge_bytes().map(|huge| huge as f64);
    bench.try_count("resident.huge", huge.ok_or("/proc/self/smaps cannot be read"), bytes as f64);
    Ok(())
}

/// The wait for children that have exited, alone.
///
/// # Errors
/// When no child can be made.
pub fn wait_for_zombies(bench: &mut Bench<'_>) -> Result<()> {
    let mut turn = 0;
    bench.each_part(CpuTime::WithChildren, &mut |clock| {
        let status = status_of(&mut turn);
        let child = fork_exit(status)?;
        wait_until_ended(child)?;
        let before = clock.start();
        let answers = reap(child, status)?;
        let ticks = Some(clock.stop() - before);
        Ok(Timed { ticks, answers })
    })
}

/// What is timed of the death of a child by SIGKILL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillPhase {
    /// The call of kill.
    Call,
    /// From the call until the parent has waited for the child.
    UntilReaped,
}

/// A phase of SIGKILL to a child that waits for input.
///
/// # Errors
/// When no child can be made.
pub fn kill(bench: &mut Bench<'_>, phase: KillPhase) -> Result<()> {
    let cpu = bench.cpu();
    bench.each_part(CpuTime::WithChildren, &mut |clock| {
        let (started, report) = pipe()?;
        let (empty, _open) = pipe()?;
        let child = Actor::spawn(cpu, || {
            let waited = report.write_byte(1).and_then(|()| empty.read_byte());
            i32::from(waited.is_ok())
        })?;
        // A child that ends before it writes leaves nobody waiting.
        drop(report);
        started.read_byte()?;
        let before = clock.start();
        child.kill()?;
        let called = clock.stop();
        let ended = child.join()?;
        let end = if phase == KillPhase::Call { called } else { clock.stop() };
        let ticks = Some(end - before);
        Ok(Timed { ticks, answers: u64::from(ended == Ended::BY_KILL) })
    })
}
