//! Predictions that only give a part another name: the part itself, or an exact multiple of it.

use crate::{Formula, PointId};

/// A sum of exact multiples of parts, and an exact number.
#[derive(Debug, Clone, PartialEq, Default)]
struct Linear<'a> {
    parts: Vec<(&'a PointId, f64)>,
    number: f64,
}

impl<'a> Linear<'a> {
    fn plus(mut self, other: Self, factor: f64) -> Self {
        for (part, times) in other.parts {
            match self.parts.iter_mut().find(|(known, _)| *known == part) {
                Some((_, sum)) => *sum += factor * times,
                None => self.parts.push((part, factor * times)),
            }
        }
        self.parts.retain(|(_, times)| *times != 0.0);
        self.number += factor * other.number;
        self
    }

    fn times(self, factor: f64) -> Self {
        Self::default().plus(self, factor)
    }

    fn is_number(&self) -> bool {
        self.parts.is_empty()
    }
}

/// The part of which these terms are an exact multiple: they predict nothing that measuring the part did not say.
///
/// A number with a source, such as a count of instructions, is a claim that can be wrong, and makes a prediction; one
/// without is a change of units.
pub fn same_as<'f>(terms: impl IntoIterator<Item = &'f Formula>) -> Option<&'f PointId> {
    let sum = sum(terms.into_iter().map(linear))?;
    match sum.parts.as_slice() {
        [(part, times)] if times.is_sign_positive() && sum.number == 0.0 => Some(part),
        _ => None,
    }
}

fn linear(formula: &Formula) -> Option<Linear<'_>> {
    match formula {
        Formula::Number { value, source, .. } if source.is_empty() => {
            Some(Linear { number: *value, ..Linear::default() })
        }
        // A term that is exactly zero says nothing, whatever its source.
        Formula::Number { value: 0.0, .. } => Some(Linear::default()),
        Formula::Number { .. } | Formula::Fact { .. } => None,
        Formula::Part { point } => Some(Linear { parts: vec![(point, 1.0)], ..Linear::default() }),
        Formula::Sum { of } => sum(of.iter().map(linear)),
        Formula::Difference { from, less } => Some(linear(from)?.plus(linear(less)?, -1.0)),
        Formula::Product { of } => product(of),
        Formula::Quotient { of, by } => {
            let by = linear(by)?;
            by.is_number().then_some(linear(of)?.times(1.0 / by.number))
        }
        // What stands where the best is not known is another way to the same number.
        Formula::First { of } => linear(of.first()?),
        Formula::Maximum { of } | Formula::Minimum { of } => {
            let mut forms = of.iter().map(linear);
            let first = forms.next()??;
            forms.all(|form| form.as_ref() == Some(&first)).then_some(first)
        }
    }
}

fn sum<'a>(all: impl Iterator<Item = Option<Linear<'a>>>) -> Option<Linear<'a>> {
    let mut all = all;
    all.try_fold(Linear::default(), |sum, next| Some(sum.plus(next?, 1.0)))
}

/// Of numbers and at most one factor with parts; a factor of zero makes it zero, whatever the others are.
fn product(of: &[Formula]) -> Option<Linear<'_>> {
    let factors: Vec<_> = of.iter().map(linear).collect();
    if factors.contains(&Some(Linear::default())) {
        return Some(Linear::default());
    }
    factors.into_iter().try_fold(None, |product, factor| {
        let factor = factor?;
        Some(Some(match product {
            None => factor,
            Some(product) if factor.is_number() => Linear::times(product, factor.number),
            Some(product) if product.is_number() => factor.times(product.number),
            Some(_) => return None,
        }))
    })?
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

    fn six() -> Formula {
        Formula::exactly(2.0).by(Formula::exactly(3.0))
    }

    #[test]
    fn exact_multiples_of_one_part_are_the_same() {
        for formulas in [
            vec![part("a")],
            vec![part("a").times(2.0), part("a")],
            vec![part("a").over(Formula::exactly(2.0)), Formula::exactly(0.0)],
            vec![part("a").times(3.0).minus(part("a"))],
            vec![Formula::First { of: vec![part("a"), part("b").plus(part("c"))] }],
            vec![Formula::Maximum { of: vec![part("a")] }],
            vec![Formula::Minimum { of: vec![part("a"), part("a")] }],
            vec![part("b"), part("a").minus(part("b"))],
            vec![part("a"), part("b").times(0.0)],
            vec![part("a").by(Formula::exactly(2.0))],
            vec![part("a"), Formula::exactly(4.0).minus(Formula::exactly(4.0))],
            vec![part("a"), six().minus(Formula::exactly(6.0))],
            vec![part("a"), Formula::cited(3.0, 1.2, "counted").times(0.0)],
            vec![part("a"), Formula::fact("family.l2_cycles").times(0.0)],
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
            vec![part("c"), part("a").by(part("b"))],
            vec![part("a").by(six()).minus(part("a").times(6.0))],
            vec![part("a").times(6.0).minus(part("a").times(2.0).by(Formula::exactly(3.0)))],
            vec![part("a").times(3.0).over(Formula::exactly(4.0)).minus(part("a").times(0.75))],
            vec![Formula::exactly(0.5).by(part("a").plus(part("a")).times(3.0)).minus(part("a").times(3.0))],
            vec![Formula::Maximum { of: vec![part("a"), part("b")] }],
        ] {
            assert_eq!(same(&formulas), None, "{formulas:?}");
        }
    }
}
