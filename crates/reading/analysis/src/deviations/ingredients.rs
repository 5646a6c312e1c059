//! What a prediction is made of, and how much of it hangs on each ingredient.

use crate::rows::deviation::Ingredient;
use crate::rows::row::Predicted;
use record::{Formula, Lookup};
use std::collections::BTreeSet;

/// An ingredient that makes up less of a prediction than this cannot explain what it is off by.
const LEAST_SHARE: f64 = 0.3;

/// An ingredient of a prediction and the share of the prediction that is in proportion to it.
pub(crate) type Share = (Ingredient, f64);

/// The ingredients that make up much of a prediction and enter it in proportion, the largest first.
pub(crate) fn shares(predicted: &Predicted, lookup: &dyn Lookup) -> Vec<Share> {
    let formulas = || predicted.terms.iter().map(|(term, _)| &term.formula);
    let all: BTreeSet<Ingredient> = formulas().flat_map(Formula::leaves).filter_map(of_leaf).collect();
    let total = |ingredient: &Ingredient, factor: f64| {
        let values = formulas().map(|formula| scaled(formula, ingredient, factor).evaluate(lookup));
        let values: Option<Vec<f64>> = values.map(|range| Some(range.ok()?.value)).collect();
        Some(values?.iter().sum::<f64>())
    };
    let share = |ingredient: Ingredient| {
        let [once, twice, thrice] = [1.0, 2.0, 3.0].map(|factor| total(&ingredient, factor));
        let (once, twice, thrice) = (once?, twice?, thrice?);
        let share = (twice - once) / once;
        let is_straight = ((thrice - twice) - (twice - once)).abs() <= 1e-6 * once.abs();
        (is_straight && share >= LEAST_SHARE).then_some((ingredient, share))
    };
    let mut shares: Vec<Share> = all.into_iter().filter_map(share).collect();
    shares.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    shares
}

fn of_leaf(leaf: &Formula) -> Option<Ingredient> {
    match leaf {
        Formula::Number { source, .. } if !source.is_empty() => Some(Ingredient::Number(source.clone())),
        Formula::Fact { key } => Some(Ingredient::Fact(key.clone())),
        Formula::Part { point } => Some(Ingredient::Part(point.clone())),
        _ => None,
    }
}

/// The formula with this ingredient multiplied.
fn scaled(formula: &Formula, ingredient: &Ingredient, factor: f64) -> Formula {
    let mut scaled = formula.clone();
    for leaf in scaled.leaves_mut() {
        if of_leaf(leaf).as_ref() == Some(ingredient) {
            *leaf = leaf.clone().times(factor);
        }
    }
    scaled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::Tier;
    use crate::verdicts::known_values::Values;
    use record::{Machine, PointId, Range, Term, TermSide};

    fn part() -> Formula {
        Formula::Part { point: PointId::new("a.part", "") }
    }

    /// The shares of a prediction that is this formula, where the part has this value.
    fn shares_of(formula: Formula, value: f64) -> Vec<Share> {
        let term = Term { name: String::new(), side: TermSide::Software, formula };
        let nothing = Range::exactly(0.0);
        let predicted = Predicted {
            tier: Tier::Parts,
            hardware: nothing,
            software: nothing,
            total: nothing,
            terms: vec![(term, nothing)],
            assumed: Vec::new(),
        };
        let machine = Machine::default();
        let part = (PointId::new("a.part", ""), Range::exactly(value));
        shares(&predicted, &Values::of(&machine, std::iter::once(part)))
    }

    #[test]
    fn only_what_enters_in_proportion_has_a_share() {
        let twice = Formula::Sum { of: vec![part(), part()] };
        assert_eq!(shares_of(twice, 1e-4), [(Ingredient::Part(PointId::new("a.part", "")), 1.0)]);
        let squared = Formula::Product { of: vec![part(), part()] };
        assert_eq!(shares_of(squared.clone(), 1e-4), []);
        assert_eq!(shares_of(squared, 1e4), []);
    }

    #[test]
    fn facts_parts_and_cited_numbers_are_ingredients() {
        let number = |source: &str| Formula::Number { value: 2.0, within: 1.0, source: source.to_owned() };
        let fact = Formula::Fact { key: "cache.l1d.bytes".to_owned() };
        assert_eq!(of_leaf(&number("a book")), Some(Ingredient::Number("a book".to_owned())));
        assert_eq!(of_leaf(&number("")), None);
        assert_eq!(of_leaf(&fact), Some(Ingredient::Fact("cache.l1d.bytes".to_owned())));
        assert_eq!(of_leaf(&part()), Some(Ingredient::Part(PointId::new("a.part", ""))));
    }
}
