//! What a question is, and how it may be answered.

/// One side of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// What it is, in words that can begin a sentence.
    pub words: &'static str,
    /// The operation.
    pub operation: &'static str,
    /// The point; empty for the only one.
    pub point: &'static str,
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Derivation {
    /// How many times as long one takes as the other; of a latency and a rate, the latter as the time of 4 KiB.
    Ratio {
        /// The one.
        of: Operand,
        /// The other.
        to: Operand,
    },
    /// The slope of the line through a sweep.
    Slope {
        /// The operation.
        operation: &'static str,
        /// The parameters that the sweep holds fixed.
        fixed: &'static str,
        /// What the slope is the cost of: `one more argument`.
        words: &'static str,
    },
    /// What the line through a sweep over sizes says of a cost: what it is whatever the size, and for each byte.
    CostSplit(CostSplit),
    /// Which of several methods is the fastest.
    Fastest(Fastest),
    /// Whether a cache is as large as the machine says.
    ReportedSize(ReportedSize),
    /// How much of the memory that it may have something holds.
    CacheCapacity {
        /// The point that says how much it holds; its parameter `limit` says how much it may have, in bytes or as
        /// `machine` for the memory of the whole machine.
        held: Operand,
    },
    /// Whether huge pages are huge for the processor, too.
    HugePageBacking {
        /// How many huge pages its first translation cache reaches.
        huge: Operand,
        /// How many base pages.
        base: Operand,
    },
}

/// Points of an operation that differ in one parameter, by which the fastest is named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fastest {
    /// The operation; its quantity is a rate.
    pub operation: &'static str,
    /// The parameter that names the method.
    pub by: &'static str,
    /// The other parameters; of several groups the first decides.
    pub holds: &'static [&'static str],
    /// How the sentence about each of them begins: `on one CPU`.
    pub among: &'static [&'static str],
    /// By method, how many bytes the bus to memory carries at most for each byte that counts, and why; an empty
    /// name stands for all others.
    pub traffic: &'static [(&'static str, f64, &'static str)],
}

/// A sweep over sizes whose line has two parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostSplit {
    /// The operation.
    pub operation: &'static str,
    /// The parameters that the sweep holds fixed.
    pub fixed: &'static str,
    /// What costs the intercept, in words that can begin a sentence: `a request`.
    pub once: &'static str,
    /// A size for which both parts are given.
    pub bytes: f64,
}

/// The size of a cache that was found, and which one the machine calls it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportedSize {
    /// The point that found it.
    pub found: Operand,
    /// The cache, as facts name it: `l1d`.
    pub cache: &'static str,
    /// Measured and reported size agree within this share, the accuracy of the method.
    pub close: f64,
}

/// A question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    /// A word for scripts.
    pub id: &'static str,
    /// The question.
    pub asks: &'static str,
    /// The derivations in which it may be answered, each with what that way leaves open; the best that the plan
    /// allows is taken.
    pub derivations: &'static [(Derivation, &'static str)],
}

/// A question's answer by the ratio of two values, with what that leaves open.
pub(super) const fn ratio(of: Operand, to: Operand, leaves_open: &'static str) -> (Derivation, &'static str) {
    (Derivation::Ratio { of, to }, leaves_open)
}

/// A question's answer by the slope of a sweep, with what that leaves open.
pub(super) const fn slope(
    operation: &'static str,
    fixed: &'static str,
    words: &'static str,
    leaves_open: &'static str,
) -> (Derivation, &'static str) {
    (Derivation::Slope { operation, fixed, words }, leaves_open)
}

pub(super) const fn side(words: &'static str, operation: &'static str, point: &'static str) -> Operand {
    Operand { words, operation, point }
}
