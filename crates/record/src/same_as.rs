//! Predictions that only give a part another name: the part itself, or an exact multiple of it.

use crate::{Formula, PointId};

/// An exact multiple of a part, or an exact number.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Multiple<'a> {
    part: Option<&'a PointId>,
    factor: f64,
}

/// The part of which these terms are an exact multiple: they predict nothing that measuring the part did not say.
///
/// A number with a source, such as a count of instructions, is a claim that can be wrong, and makes a prediction; one
/// without is a change of units.
pub fn same_as<'f>(terms: impl IntoIterator<Item = &'f Formula>) -> Option<&'f PointId> {
    let sum = added(terms.into_iter().map(multiple), 1.0)?;
    sum.part.filter(|_| sum.factor > 0.0)
}

fn multiple(formula: &Formula) -> Option<Multiple<'_>> {
    match formula {
        Formula::Number { value, source, .. } if source.is_empty() => Some(Multiple {
            part: None,
            factor: *value,
        }),
        Formula::Number { .. } | Formula::Fact { .. } => None,
        Formula::Part { point } => Some(Multiple {
            part: Some(point),
            factor: 1.0,
        }),
        Formula::Sum { of } => added(of.iter().map(multiple), 1.0),
        Formula::Difference { from, less } => added([multiple(from), multiple(less)].into_iter(), -1.0),
        Formula::Product { of } => of.iter().map(multiple).try_fold(
            Multiple {
                part: None,
                factor: 1.0,
            },
            |all, next| {
                let next = next?;
                let one_part = all.part.is_none() || next.part.is_none();
                one_part.then_some(Multiple {
                    part: all.part.or(next.part),
                    factor: all.factor * next.factor,
                })
            },
        ),
        Formula::Quotient { of, by } => {
            let (of, by) = (multiple(of)?, multiple(by)?);
            by.part.is_none().then_some(Multiple {
                part: of.part,
                factor: of.factor / by.factor,
            })
        }
        // What stands where the best is not known is another way to the same number.
        Formula::First { of } => multiple(of.first()?),
        Formula::Maximum { of } | Formula::Minimum { of } => match of.as_slice() {
            [only] => multiple(only),
            _ => None,
        },
    }
}

/// The sum of multiples of one part, all but the first with this sign; zeros have no part.
fn added<'a>(all: impl Iterator<Item = Option<Multiple<'a>>>, sign: f64) -> Option<Multiple<'a>> {
    let mut sum: Option<Multiple<'_>> = None;
    for next in all {
        let next = next?;
        sum = Some(match sum {
            None => next,
            Some(sum) if next.factor == 0.0 => sum,
            Some(sum) if sum.factor == 0.0 => Multiple {
                factor: sign * next.factor,
                ..next
            },
            Some(sum) if sum.part == next.part => Multiple {
                factor: sum.factor + sign * next.factor,
                ..sum
            },
            Some(_) => return None,
        });
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(formulas: &[Formula]) -> Option<String> {
        same_as(formulas).map(ToString::to_string)
    }

    fn part(name: &str) -> Formula {
        Formula::part(name, "")
    }

    #[test]
    fn exact_multiples_of_one_part_are_the_same() {
        for formulas in [
            vec![part("a")],
            vec![part("a").times(2.0), part("a")],
            vec![part("a").over(Formula::exactly(2.0)), Formula::exactly(0.0)],
            vec![part("a").times(3.0).minus(part("a"))],
            vec![Formula::First {
                of: vec![part("a"), part("b").plus(part("c"))],
            }],
        ] {
            assert_eq!(same(&formulas), Some("a".to_owned()), "{formulas:?}");
        }
    }

    #[test]
    fn predictions_that_can_be_wrong_are_not() {
        for formulas in [
            vec![],
            vec![Formula::exactly(1.0)],
            vec![part("a"), part("b")],
            vec![part("a"), Formula::exactly(4.0)],
            vec![part("a").minus(part("a"))],
            vec![part("a").times(2.0).by(Formula::cited(1.5, 1.2, "counted"))],
            vec![part("a").by(Formula::fact("cpus.allowed"))],
            vec![part("a").over(part("b"))],
            vec![Formula::exactly(64.0).over(part("a"))],
            vec![part("a").by(part("b"))],
            vec![Formula::Maximum {
                of: vec![part("a"), part("b")],
            }],
        ] {
            assert_eq!(same(&formulas), None, "{formulas:?}");
        }
    }
}
