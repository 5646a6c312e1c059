//! What a sabotage is: a right operation with one mistake, and what must catch it.

use measure::{Bench, Failure, Operation, Point};
use record::Profile;

/// What must become of an operation with a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A witness or a bound speaks against it.
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
    /// The id of the right operation.
    pub of: &'static str,
    /// The one point at which it is measured, which is one of the right operation's.
    pub points: fn(Profile) -> Vec<Point>,
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
    pub run: fn(&mut Bench<'_>) -> Result<(), Failure>,
}

impl Sabotage {
    /// What most have in common.
    pub(crate) const NEW: Self = Self {
        id: "",
        of: "",
        points: |_| vec![Point::only()],
        mistake: "",
        end: End::Contradicted,
        caught_by: Caught::Words(""),
        second_cpu: false,
        remote: false,
        run: |_| Err(Failure::Failed("there is nothing to run".to_owned())),
    };

    /// The text of its point.
    pub fn point(&self) -> String {
        (self.points)(Profile::Quick).first().map(Point::text).unwrap_or_default()
    }

    /// The declaration of the right operation with this run instead of its own; `None` when no operation
    /// has the id.
    pub(crate) fn operation(&self) -> Option<Operation> {
        let right = operations::find(self.of)?;
        Some(Operation {
            id: self.id,
            title: self.mistake,
            points: self.points,
            headline: &[],
            run: self.run,
            ..*right
        })
    }
}
