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
