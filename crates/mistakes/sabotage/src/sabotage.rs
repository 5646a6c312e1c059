//! What a sabotage is: a right operation with one mistake, and what must catch it.

use measure::{Bench, Failure, Operation, Result};

/// What must become of an operation with a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A witness or a bound contradicts it.
    Contradicted,
    /// It gives no trial.
    Failed,
    /// The gate leaves nothing of it: there is no number.
    Starved,
    /// A witness says that it was not quiet, which a neighbour can cause, too: the number is marked.
    Noisy,
}

/// What catches a sabotage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caught {
    /// The witness of this counter.
    By(&'static str),
    /// Something else, which gives a reason with these words.
    Words(&'static str),
}

/// A right operation with one mistake built in.
pub struct Sabotage {
    /// Its id.
    pub id: &'static str,
    /// The right operation, and the point at which both are measured, as they are typed.
    pub of: &'static str,
    /// The mistake, in a sentence; codes are those of the list of mistakes in `reference`.
    pub mistake: &'static str,
    /// What must become of it.
    pub end: End,
    /// What must catch it.
    pub caught_by: Caught,
    /// Whether it needs a second CPU.
    pub second_cpu: bool,
    /// Whether it needs a directory on a remote file system, and a peer on its server.
    pub remote: bool,
    /// Does it, with the mistake.
    pub run: fn(&mut Bench<'_>) -> Result<()>,
}

impl Sabotage {
    /// What most have in common.
    pub(crate) const NEW: Self = Self {
        id: "",
        of: "",
        mistake: "",
        end: End::Contradicted,
        caught_by: Caught::Words(""),
        second_cpu: false,
        remote: false,
        run: |_| Err(Failure::failed("there is nothing to run")),
    };

    /// The id of the right operation, and the text of the point.
    pub fn right(&self) -> (&'static str, &'static str) {
        self.of.split_once(' ').unwrap_or((self.of, ""))
    }

    /// Its id and its point, as they are typed.
    pub fn name(&self) -> String {
        format!("{} {}", self.id, self.right().1).trim_end().to_owned()
    }

    /// The card of the right operation with this run instead of its own; `None` when no operation has the id. It predicts nothing:
    /// what was counted for a prediction was counted for the id of the right one.
    pub(crate) fn operation(&self) -> Option<Operation> {
        let right = operations::find(self.right().0)?;
        Some(Operation {
            id: self.id,
            title: self.mistake,
            headline: &[],
            predict: &[],
            run: self.run,
            ..*right
        })
    }
}

/// Tells counts of one iteration each: mostly what the mistake does not touch.
pub(crate) fn count_all(bench: &mut Bench<'_>, counts: &[(&str, f64)]) {
    counts.iter().for_each(|(counter, count)| bench.count(counter, *count, 1.0));
}

/// Ends a run that times nothing itself: tells counts of one iteration each, and gives values.
pub(crate) fn give(bench: &mut Bench<'_>, counts: &[(&str, f64)], values: Vec<f64>) -> Result<()> {
    count_all(bench, counts);
    bench.values(values);
    Ok(())
}

/// Times iterations, each of which says whether its answer is right.
pub(crate) fn time(bench: &mut Bench<'_>, mut once: impl FnMut() -> Result<bool>) -> Result<()> {
    bench.slope(&mut |n| repeat(n, &mut once))
}

/// Does iterations; gives how many of them say that their answer is right.
pub(crate) fn repeat(n: u64, mut once: impl FnMut() -> Result<bool>) -> Result<u64> {
    let mut right = 0;
    for _ in 0..n {
        right += u64::from(once()?);
    }
    Ok(right)
}
