//! Why a row is off its prediction, as far as the run has measured it.

use record::PointId;
use stats::modes::Mode;

/// A row that is off its prediction: by more than the uncertainty of both, or by a factor with a reason that can be named.
#[derive(Debug, Clone, PartialEq)]
pub struct Deviation {
    /// Measured divided by predicted.
    pub ratio: f64,
    /// Why, as far as it can be said.
    pub reason: LikelyReason,
}

/// What a prediction is made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ingredient {
    /// A part that was measured in the same run.
    Part(PointId),
    /// A fact of the machine, by its key.
    Fact(String),
    /// A number, by its source.
    Number(String),
}

/// What stands between the processes of a run and the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interposer {
    /// A filter that each system call passes.
    SeccompFilter,
    /// A tracer, which may stop a process at its system calls.
    Tracer,
    /// Libraries that are loaded before all others.
    Library {
        /// Their files.
        files: String,
        /// The variable or the file that names them.
        by: String,
    },
}

/// What the system calls of a point cost beyond their prediction, if each costs as much more as the cheapest one.
#[derive(Debug, Clone, PartialEq)]
pub struct CallsBeyond {
    /// Calls per iteration.
    pub count: f64,
    /// The point of the cheapest call.
    pub like: PointId,
    /// What that costs more than predicted, in nanoseconds.
    pub ns: f64,
}

/// The likely reason of a deviation, by what was measured. None of them is proven.
#[derive(Debug, Clone, PartialEq)]
pub enum LikelyReason {
    /// The estimate is that of shared cores, and sharing slows the point by this factor.
    SharedCore(f64),
    /// The samples have another state that lies within the prediction.
    OtherState(Mode),
    /// Another count of switches per iteration than the evidence allows at least.
    Switches {
        /// What was counted.
        counted: f64,
        /// What the prediction is of.
        expected: f64,
    },
    /// The predictions of other points are off by the same ingredient, by the same factor.
    Shared {
        /// The ingredient, and those that occur in the same points, so that they cannot be kept apart.
        ingredients: Vec<Ingredient>,
        /// The factor that brings the other points to their predictions: the median over them.
        factor: f64,
        /// The other points that agree with it.
        others: Vec<PointId>,
        /// Other points with the ingredient that do not.
        against: usize,
        /// Measured divided by predicted with that factor.
        remaining: f64,
    },
    /// Another point of the operation, which differs in one parameter, is as predicted: what this point costs more or less
    /// is of that parameter.
    OtherPoint {
        /// The other point.
        other: PointId,
        /// What the two differ by, in the base unit.
        measured: f64,
        /// What they should differ by.
        predicted: f64,
        /// The terms that only the prediction of this point has.
        terms: Vec<String>,
    },
    /// Another point of the operation, which has a larger size in one parameter, costs less: what that parameter costs is most of
    /// the deviation.
    CheaperPoint {
        /// The other point.
        other: PointId,
        /// What it costs less, in the base unit.
        by: f64,
        /// What it should cost less; `None` where it is not predicted.
        predicted: Option<f64>,
    },
    /// The measured parts of the prediction, and what the whole costs beside them.
    Parts {
        /// What the measured parts come to, in the base unit.
        parts: f64,
        /// What the whole costs more than they do; negative where it costs less.
        rest: f64,
        /// What was predicted for the rest from constants.
        predicted: f64,
        /// The terms of the rest.
        terms: Vec<String>,
    },
    /// The prediction is from facts and constants, because parts were not measured in the run, or not well enough.
    UnknownParts {
        /// The point itself: a run with its parts would tell.
        point: PointId,
        /// The parts.
        parts: Vec<PointId>,
    },
    /// The prediction is from facts and constants, and no part of the point can be measured alone.
    Published {
        /// The point itself.
        point: PointId,
        /// Whether the run measured other points of the operation.
        other_points: bool,
    },
    /// The points that share the largest ingredient are too noisy to decide.
    Untested {
        /// The ingredient.
        ingredient: Ingredient,
        /// The points that would decide it.
        run: Vec<PointId>,
    },
    /// The record names what its processes ran under, which may slow the point.
    RunsUnder {
        /// What they ran under.
        interposers: Vec<Interposer>,
        /// The point itself: a run without these would tell.
        point: PointId,
        /// What the calls of the point cost beyond their prediction, where each of them passes it.
        calls: Option<CallsBeyond>,
    },
    /// Nothing that was measured explains it.
    Unexplained,
}
