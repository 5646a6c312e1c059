//! What an exhibit is.

use super::wrong_statistics::WrongStatistic;

/// A point of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExhibitPoint {
    /// The operation.
    pub operation: &'static str,
    /// The point; empty for the only one.
    pub point: &'static str,
}

/// How an error is shown.
#[derive(Debug, Clone, Copy)]
pub enum Demonstration {
    /// A flawed method; what is wrong with it and which point is right stands in the plan.
    Method(ExhibitPoint),
    /// A result that is right for itself, and wrong for what it is taken for.
    Mistaken {
        /// What was measured.
        wrong: ExhibitPoint,
        /// What it is taken for.
        right: ExhibitPoint,
    },
    /// The batches of right points, read wrongly.
    Read {
        /// The points.
        of: &'static [ExhibitPoint],
        /// What is made of their batches.
        statistic: WrongStatistic,
    },
}

/// On which side of the right result the error is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Above it.
    High,
    /// Below it.
    Low,
    /// It depends on the machine.
    Either,
}

/// A published figure that holds the mistake: report, section, operation and parameters as the table of figures names them.
pub type PublishedCase = (&'static str, &'static str, &'static str, &'static str);

/// One exhibit.
#[derive(Debug, Clone, Copy)]
pub struct Exhibit {
    /// A word to choose it by.
    pub name: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// The mistakes' codes, the chief one first.
    pub codes: &'static [&'static str],
    /// How it is shown.
    pub demonstration: Demonstration,
    /// What was done, in a sentence.
    pub procedure: &'static str,
    /// What is wrong with it, in a sentence; empty where the plan says it.
    pub flaw: &'static str,
    /// What to do instead, in a sentence.
    pub remedy: &'static str,
    /// On which side the error is expected.
    pub expected: Expected,
    /// On which machines the error does not show, to follow "it does not show".
    pub not_visible_where: &'static str,
    /// Published figures that hold it.
    pub published: &'static [PublishedCase],
}

impl Exhibit {
    /// The points without which it cannot be shown, apart from those that the plan adds beside a flawed method.
    pub fn spots(&self) -> Vec<ExhibitPoint> {
        match self.demonstration {
            Demonstration::Method(spot) => vec![spot],
            Demonstration::Mistaken { wrong, right } => vec![wrong, right],
            Demonstration::Read { of, .. } => of.to_vec(),
        }
    }
}

pub(super) const fn spot(operation: &'static str, point: &'static str) -> ExhibitPoint {
    ExhibitPoint { operation, point }
}

pub(super) const fn method(operation: &'static str, point: &'static str) -> Demonstration {
    Demonstration::Method(spot(operation, point))
}

pub(super) const fn mistaken(
    wrong: (&'static str, &'static str),
    right: (&'static str, &'static str),
) -> Demonstration {
    Demonstration::Mistaken { wrong: spot(wrong.0, wrong.1), right: spot(right.0, right.1) }
}
