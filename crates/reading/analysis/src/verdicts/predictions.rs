//! Predictions become numbers: facts at once, parts from the trials of those parts.

use crate::rows::row::{NoValue, Predicted, Row, Tier, Unpredicted};
use record::{Lookup, PointId, Prediction, Range, Term, TermSide};
use std::collections::BTreeSet;

/// Gives a row its predictions, or the reasons why it has none.
pub(crate) fn fill(row: &mut Row, prediction: &Prediction, lookup: &dyn Lookup) {
    row.from_facts = tier(Tier::Facts, &prediction.from_facts, row, lookup);
    row.from_parts = tier(Tier::Parts, &prediction.from_parts, row, lookup);
}

/// All terms of one tier; `None` without terms or when one of them has no value.
fn tier(tier: Tier, terms: &[Term], row: &mut Row, lookup: &dyn Lookup) -> Option<Predicted> {
    let mut known = Vec::new();
    for term in terms {
        match value(tier, term, &row.point.id, lookup) {
            Ok(range) => known.push((term.clone(), range)),
            Err(why) => row.unpredicted.push(Unpredicted { tier, term: term.name.clone(), why }),
        }
    }
    if known.is_empty() || known.len() < terms.len() {
        return None;
    }
    let (hardware, software) = (sum(&known, TermSide::Hardware), sum(&known, TermSide::Software));
    let assumed = assumed(&known, lookup);
    Some(Predicted { tier, hardware, software, total: hardware.plus(software), terms: known, assumed })
}

/// The facts of these terms that no publication gives.
fn assumed(terms: &[(Term, Range)], lookup: &dyn Lookup) -> Vec<String> {
    let facts = terms.iter().flat_map(|(term, _)| term.formula.facts());
    let assumed: BTreeSet<&str> = facts.filter(|key| lookup.is_assumed(key)).collect();
    assumed.into_iter().map(str::to_owned).collect()
}

fn value(tier: Tier, term: &Term, target: &PointId, lookup: &dyn Lookup) -> Result<Range, NoValue> {
    let parts = term.formula.parts();
    if parts.contains(&target) {
        return Err(NoValue::FromItself);
    }
    if let (Tier::Facts, Some(part)) = (tier, parts.first()) {
        return Err(NoValue::MeasuredPart((*part).clone()));
    }
    term.formula.evaluate(lookup).map_err(NoValue::Unevaluated)
}

fn sum(terms: &[(Term, Range)], side: TermSide) -> Range {
    let of_side = terms.iter().filter(|(term, _)| term.side == side);
    of_side.fold(Range::exactly(0.0), |sum, (_, range)| sum.plus(*range))
}
