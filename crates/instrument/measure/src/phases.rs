//! The work of a rehearsal, in phases whose difference is that of its iterations alone.

use crate::Failure;
use crate::work::{Batch, Before};
use sys::trace::Stage;

/// Iterations of the shorter phase of a rehearsal.
pub(crate) const REHEARSED: u64 = 8;

/// The same where two actors alternate: a call that straddles the end of a phase counts for less.
pub(crate) const REHEARSED_ALTERNATING: u64 = 48;

/// Does the work in phases that the tracer distinguishes: once untraced, then n and 2 n iterations, and where instructions
/// are counted the same once more by single steps.
///
/// # Errors
/// When the work fails, or an answer is wrong.
pub(crate) fn rehearse(
    stage: &Stage<'_>,
    instructions: bool,
    (least, multiple_of): (u64, u64),
    before: Before<'_>,
    main: Batch<'_>,
) -> Result<(), Failure> {
    let n = least.next_multiple_of(multiple_of);
    // Untraced by phase: what happens once (lazy binding, first faults) belongs to no iteration.
    before(n)?;
    main(n)?;
    two_phases(stage, [1, 2], n, before, main)?;
    if instructions {
        let n = 2_u64.next_multiple_of(multiple_of);
        stage.step(true);
        let result = two_phases(stage, [3, 4], n, before, main);
        stage.step(false);
        result?;
    }
    stage.leave_note(&format!("ok {n} {}", 2_u64.next_multiple_of(multiple_of)));
    Ok(())
}

/// The same for iterations that are timed individually, `each` of them at a time.
pub(crate) fn rehearse_each(
    stage: &Stage<'_>,
    each: u64,
    main: &mut dyn FnMut() -> Result<u64, Failure>,
) -> Result<(), Failure> {
    rehearse(stage, false, (REHEARSED.max(2 * each), each), &mut |_| Ok(()), &mut |n| {
        (0..n / each).try_fold(0, |done, _| main().map(|answers| done + answers))
    })
}

fn two_phases(
    stage: &Stage<'_>,
    phases: [u64; 2],
    n: u64,
    before: Before<'_>,
    main: Batch<'_>,
) -> Result<(), Failure> {
    for (phase, n) in phases.into_iter().zip([n, 2 * n]) {
        before(n)?;
        let answers = phase_of(stage, phase, n, main)?;
        if answers != n {
            return Err(Failure::failed(format!(
                "{answers} of {n} rehearsed iterations gave the right answer"
            )));
        }
    }
    Ok(())
}

/// One phase. Never inlined: both phases run the same instructions around the work, so that their difference is
/// the work's alone.
#[inline(never)]
fn phase_of(stage: &Stage<'_>, phase: u64, n: u64, main: Batch<'_>) -> Result<u64, Failure> {
    stage.enter(phase);
    let answers = main(n);
    stage.enter(0);
    answers
}
