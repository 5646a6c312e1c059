//! What a prediction is made of, and how much of it hangs on each ingredient.

use crate::rows::deviation::Ingredient;
use crate::rows::row::Predicted;
use crate::thresholds::INGREDIENT_SHARE;
use record::{Formula, Lookup};
use std::collections::BTreeSet;

/// An ingredient of a prediction and the share of the prediction that is in proportion to it.
pub(crate) type Share = (Ingredient, f64);

/// The ingredients that make up much of a prediction and enter it in proportion, the largest first.
pub(crate) fn shares(predicted: &Predicted, lookup: &dyn Lookup) -> Vec<Share> {
    let leaves = predicted.terms.iter().flat_map(|(term, _)| term.formula.leaves());
    let ingredients: BTreeSet<Ingredient> = leaves.filter_map(ingredient_of_leaf).collect();
    let mut shares = Vec::new();
    for ingredient in ingredients {
        let totals = [1.0, 2.0, 3.0].map(|factor| scaled_total(predicted, &ingredient, factor, lookup));
        let [Some(once), Some(twice), Some(thrice)] = totals else { continue };
        let share = (twice - once) / once;
        let is_straight = ((thrice - twice) - (twice - once)).abs() <= 1e-6 * once.abs();
        if is_straight && share >= INGREDIENT_SHARE {
            shares.push((ingredient, share));
        }
    }
    shares.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    shares
}

/// A prediction with this ingredient multiplied; `None` where a term has no value.
fn scaled_total(
    predicted: &Predicted,
    ingredient: &Ingredient,
    factor: f64,
    lookup: &dyn Lookup,
) -> Option<f64> {
    let mut total = 0.0;
    for (term, _) in &predicted.terms {
        total += scaled(&term.formula, ingredient, factor).evaluate(lookup).ok()?.value;
    }
    Some(total)
}

fn ingredient_of_leaf(leaf: &Formula) -> Option<Ingredient> {
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
        if ingredient_of_leaf(leaf).as_ref() == Some(ingredient) {
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
            uncertain_parts: Vec::new(),
        };
        let machine = Machine::default();
        let part = (PointId::new("a.part", ""), Range::exactly(value));
        shares(&predicted, &Values::new(&machine, std::iter::once(part)))
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
        let [cited, uncited] = ["a book", ""].map(|source| Formula::Number {
            value: 2.0,
            within: 1.0,
            source: source.to_owned(),
        });
        let fact = Formula::Fact { key: "cache.l1d.bytes".to_owned() };
        for (leaf, expected) in [
            (cited, Some(Ingredient::Number("a book".to_owned()))),
            (uncited, None),
            (fact, Some(Ingredient::Fact("cache.l1d.bytes".to_owned()))),
            (part(), Some(Ingredient::Part(PointId::new("a.part", "")))),
        ] {
            assert_eq!(ingredient_of_leaf(&leaf), expected);
        }
    }
}
