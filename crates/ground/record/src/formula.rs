//! Predictions as data: expressions over named facts, constants and measured parts.
//!
//! A formula can be printed, written to the journal before the first trial, and evaluated from the
//! record. Times are in nanoseconds throughout.

use crate::{PointId, Range};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An expression. Leaves name where their number comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Formula {
    /// A published or reasoned number, uncertain by a factor of `within` either way.
    Number {
        /// The number.
        value: f64,
        /// Factor of uncertainty, at least 1.
        within: f64,
        /// Where it comes from.
        source: String,
    },
    /// A numeric fact of the machine, by its key.
    Fact {
        /// The fact's key.
        key: String,
    },
    /// What another point of the same run came out as.
    Part {
        /// The other point.
        point: PointId,
    },
    /// All of these one after another.
    Sum {
        /// The addends.
        of: Vec<Formula>,
    },
    /// The product of these.
    Product {
        /// The factors.
        of: Vec<Formula>,
    },
    /// The first less the second.
    Difference {
        /// What is subtracted from.
        from: Box<Formula>,
        /// What is subtracted.
        less: Box<Formula>,
    },
    /// The first divided by the second.
    Quotient {
        /// The dividend.
        of: Box<Formula>,
        /// The divisor.
        by: Box<Formula>,
    },
    /// The largest of these.
    Maximum {
        /// The candidates.
        of: Vec<Formula>,
    },
    /// The smallest of these.
    Minimum {
        /// The candidates.
        of: Vec<Formula>,
    },
    /// The first of these that has a value.
    First {
        /// The candidates, the best first.
        of: Vec<Formula>,
    },
}

/// Whether a term is the hardware's or the software's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TermSide {
    /// Base hardware performance.
    Hardware,
    /// Estimated software overhead.
    Software,
    /// Made of measured parts: divided as the predictions of these parts from facts are.
    Both,
}

impl TermSide {
    /// What it is called.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hardware => "hardware",
            Self::Software => "software",
            Self::Both => "hardware and software",
        }
    }
}

/// One of the disjoint parts of a prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Term {
    /// What it stands for, in a few words.
    pub name: String,
    /// Whether the hardware or the software causes it.
    pub side: TermSide,
    /// How much it is.
    pub formula: Formula,
}

/// What a point should cost, as far as it can be said before it is measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Prediction {
    /// T0: from facts and constants only. Empty when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from_facts: Vec<Term>,
    /// T1: from costs measured lower down in the same run. Empty when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from_parts: Vec<Term>,
}

/// Where a formula finds facts and parts.
pub trait Lookup {
    /// A numeric fact.
    fn fact(&self, key: &str) -> Option<Range>;
    /// What a point came out as, if it was measured in this run.
    fn part(&self, point: &PointId) -> Option<Range>;
    /// Whether a fact is an assumption; no publication gives it.
    fn is_assumed(&self, _key: &str) -> bool {
        false
    }
}

/// Why a formula has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unevaluated {
    /// The fact is unknown on this machine.
    Fact(String),
    /// The part was not measured in this run.
    Part(PointId),
    /// Division by zero, or not a finite number.
    Undefined,
}

impl fmt::Display for Unevaluated {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fact(key) => write!(formatter, "the fact {key} is unknown on this machine"),
            Self::Part(point) => write!(formatter, "{point} was not measured in this run"),
            Self::Undefined => write!(formatter, "the formula has no defined value"),
        }
    }
}

// Declarations are made of these by the hundred, and none is near a timed loop.
impl Formula {
    /// A number known exactly, such as a count.
    #[inline(never)]
    pub fn exactly(value: f64) -> Self {
        Self::Number { value, within: 1.0, source: String::new() }
    }

    /// A number from a named source, uncertain by a factor of `within`.
    #[inline(never)]
    pub fn cited(value: f64, within: f64, source: &str) -> Self {
        Self::Number { value, within, source: source.to_owned() }
    }

    /// A fact of the machine.
    #[inline(never)]
    pub fn fact(key: &str) -> Self {
        Self::Fact { key: key.to_owned() }
    }

    /// A measured part.
    #[inline(never)]
    pub fn part(operation: &str, point: &str) -> Self {
        Self::Part { point: PointId::new(operation, point) }
    }

    /// This formula `factor` times.
    #[inline(never)]
    pub fn times(self, factor: f64) -> Self {
        Self::Product { of: vec![Self::exactly(factor), self] }
    }

    /// This and another multiplied.
    #[inline(never)]
    pub fn by(self, other: Self) -> Self {
        Self::Product { of: vec![self, other] }
    }

    /// This and another added.
    #[inline(never)]
    pub fn plus(self, other: Self) -> Self {
        Self::Sum { of: vec![self, other] }
    }

    /// This less another.
    #[inline(never)]
    pub fn minus(self, other: Self) -> Self {
        Self::Difference { from: Box::new(self), less: Box::new(other) }
    }

    /// This divided by another.
    #[inline(never)]
    pub fn over(self, other: Self) -> Self {
        Self::Quotient { of: Box::new(self), by: Box::new(other) }
    }

    /// The value, with the interval that follows from its leaves.
    ///
    /// # Errors
    /// When a fact is unknown, a part was not measured, or the value is not finite.
    pub fn evaluate(&self, lookup: &dyn Lookup) -> Result<Range, Unevaluated> {
        let range = match self {
            Self::Number { value, within, .. } => {
                let (small, large) = (value / within, value * within);
                Range { low: small.min(large), value: *value, high: small.max(large) }
            }
            Self::Fact { key } => lookup.fact(key).ok_or_else(|| Unevaluated::Fact(key.clone()))?,
            Self::Part { point } => lookup.part(point).ok_or_else(|| Unevaluated::Part(point.clone()))?,
            Self::Sum { of } => fold(of, lookup, Range::plus)?,
            Self::Product { of } => fold(of, lookup, |a, b| a.corners(b, |x, y| x * y))?,
            Self::Difference { from, less } => from.evaluate(lookup)?.minus(less.evaluate(lookup)?),
            Self::Quotient { of, by } => of.evaluate(lookup)?.corners(by.evaluate(lookup)?, |x, y| x / y),
            Self::Maximum { of } => fold(of, lookup, |a, b| a.each(b, f64::max))?,
            Self::Minimum { of } => fold(of, lookup, |a, b| a.each(b, f64::min))?,
            Self::First { of } => {
                let mut all = of.iter().map(|formula| formula.evaluate(lookup));
                // What the best one lacks is said where none has a value.
                let best = all.next().unwrap_or(Err(Unevaluated::Undefined));
                best.or_else(|lacks| all.find_map(Result::ok).ok_or(lacks))?
            }
        };
        if range.low.is_finite() && range.value.is_finite() && range.high.is_finite() {
            Ok(range)
        } else {
            Err(Unevaluated::Undefined)
        }
    }

    /// Its numbers, facts and parts, from left to right.
    pub fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::Number { .. } | Self::Fact { .. } | Self::Part { .. } => vec![self],
            Self::Sum { of }
            | Self::Product { of }
            | Self::Maximum { of }
            | Self::Minimum { of }
            | Self::First { of } => of.iter().flat_map(Self::leaves).collect(),
            Self::Difference { from: a, less: b } | Self::Quotient { of: a, by: b } => {
                [a.leaves(), b.leaves()].concat()
            }
        }
    }

    /// The same, to be replaced.
    pub fn leaves_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Number { .. } | Self::Fact { .. } | Self::Part { .. } => vec![self],
            Self::Sum { of }
            | Self::Product { of }
            | Self::Maximum { of }
            | Self::Minimum { of }
            | Self::First { of } => of.iter_mut().flat_map(Self::leaves_mut).collect(),
            Self::Difference { from: a, less: b } | Self::Quotient { of: a, by: b } => {
                a.leaves_mut().into_iter().chain(b.leaves_mut()).collect()
            }
        }
    }

    /// Where its numbers come from, each once.
    pub fn sources(&self) -> Vec<&str> {
        let leaves = self.leaves().into_iter();
        let sources = leaves.filter_map(|leaf| match leaf {
            Self::Number { source, .. } if !source.is_empty() => Some(source.as_str()),
            _ => None,
        });
        let mut all: Vec<&str> = sources.collect();
        all.dedup();
        all
    }

    /// The facts whose values this formula needs.
    pub fn facts(&self) -> Vec<&str> {
        let leaves = self.leaves().into_iter();
        let facts = leaves.filter_map(|leaf| match leaf {
            Self::Fact { key } => Some(key.as_str()),
            _ => None,
        });
        facts.collect()
    }

    /// The points whose results this formula needs.
    pub fn parts(&self) -> Vec<&PointId> {
        let leaves = self.leaves().into_iter();
        let parts = leaves.filter_map(|leaf| match leaf {
            Self::Part { point } => Some(point),
            _ => None,
        });
        parts.collect()
    }
}

fn fold(
    of: &[Formula],
    lookup: &dyn Lookup,
    combine: impl Fn(Range, Range) -> Range,
) -> Result<Range, Unevaluated> {
    let mut all = of.iter().map(|formula| formula.evaluate(lookup));
    let first = all.next().ok_or(Unevaluated::Undefined)??;
    all.try_fold(first, |sum, next| Ok(combine(sum, next?)))
}

impl fmt::Display for Formula {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { value, .. } if value.abs() >= 1e6 => write!(out, "{value:e}"),
            Self::Number { value, .. } => write!(out, "{value}"),
            Self::Fact { key } => write!(out, "{key}"),
            Self::Part { point } => write!(out, "[{point}]"),
            Self::Sum { of } => list(out, of, "(", " + ", ")"),
            Self::Product { of } => list(out, of, "", " × ", ""),
            Self::Difference { from, less } => write!(out, "({from} − {less})"),
            Self::Quotient { of, by } if matches!(**by, Self::Product { .. } | Self::Quotient { .. }) => {
                write!(out, "{of} / ({by})")
            }
            Self::Quotient { of, by } => write!(out, "{of} / {by}"),
            Self::Maximum { of } => list(out, of, "max(", ", ", ")"),
            Self::Minimum { of } => list(out, of, "min(", ", ", ")"),
            Self::First { of } => list(out, of, "(", " or else ", ")"),
        }
    }
}

fn list(out: &mut fmt::Formatter<'_>, of: &[Formula], open: &str, between: &str, close: &str) -> fmt::Result {
    out.write_str(open)?;
    for (index, formula) in of.iter().enumerate() {
        if index > 0 {
            out.write_str(between)?;
        }
        write!(out, "{formula}")?;
    }
    out.write_str(close)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    struct Known;

    impl Lookup for Known {
        fn fact(&self, key: &str) -> Option<Range> {
            (key == "cycle").then_some(Range { low: 0.5, value: 0.5, high: 1.0 })
        }

        fn part(&self, point: &PointId) -> Option<Range> {
            (point.operation == "floor").then_some(Range { low: 90.0, value: 100.0, high: 110.0 })
        }
    }

    #[test]
    fn a_formula_is_evaluated_with_its_uncertainty() {
        let formula =
            Formula::part("floor", "").plus(Formula::cited(20.0, 2.0, "table").by(Formula::fact("cycle")));
        let range = formula.evaluate(&Known).unwrap();
        assert_eq!(range, Range { low: 95.0, value: 110.0, high: 150.0 });
        assert_eq!(formula.to_string(), "([floor] + 20 × cycle)");
        assert_eq!(formula.parts(), [&PointId::new("floor", "")]);
        assert_eq!(formula.sources(), ["table"]);
    }

    #[test]
    fn a_difference_is_as_uncertain_as_both() {
        let range =
            Formula::part("floor", "").minus(Formula::cited(50.0, 1.1, "x")).evaluate(&Known).unwrap();
        assert!(
            (range.low - 35.0).abs() < 1e-9 && (range.high - (110.0 - 50.0 / 1.1)).abs() < 1e-9,
            "{range:?}"
        );
    }

    #[test]
    fn what_is_unknown_is_named() {
        let unknown = Formula::fact("speed").evaluate(&Known).unwrap_err();
        assert!(unknown.to_string().contains("speed"));
        let part = Formula::part("missing", "n=1").evaluate(&Known).unwrap_err();
        assert_eq!(part, Unevaluated::Part(PointId::new("missing", "n=1")));
        let undefined = Formula::exactly(1.0).over(Formula::exactly(0.0)).evaluate(&Known);
        assert_eq!(undefined, Err(Unevaluated::Undefined));
        assert_eq!(Formula::Sum { of: Vec::new() }.evaluate(&Known), Err(Unevaluated::Undefined));
    }

    #[test]
    fn of_several_the_first_that_is_known_stands() {
        let (missing, known) = (Formula::part("missing", ""), Formula::part("floor", ""));
        let first = |of: Vec<Formula>| Formula::First { of };
        let both = first(vec![missing.clone(), known.clone(), Formula::exactly(7.0)]);
        assert_eq!(both.evaluate(&Known), known.evaluate(&Known));
        assert_eq!(both.to_string(), "([missing] or else [floor] or else 7)");
        assert_eq!(both.parts().len(), 2);
        let lacks = first(vec![missing.clone(), Formula::fact("speed")]).evaluate(&Known);
        assert_eq!(lacks, missing.evaluate(&Known));
        assert_eq!(first(Vec::new()).evaluate(&Known), Err(Unevaluated::Undefined));
    }

    #[test]
    fn a_divisor_of_several_factors_is_bracketed() {
        let by = Formula::fact("a").by(Formula::fact("b"));
        assert_eq!(Formula::exactly(1.0).over(by).to_string(), "1 / (a × b)");
    }
}
