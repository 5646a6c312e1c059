//! Predictions become numbers: facts at once, parts from the trials of those parts.

use crate::rows::row::{NoValue, Predicted, Tier, Unpredicted};
use crate::thresholds::PREDICTING_HALF_WIDTH;
use record::{Lookup, PointId, Prediction, Range, Term, TermSide};
use std::collections::BTreeSet;

/// The predictions of a point from facts and from parts, and the terms that have no value.
#[derive(Debug, Default)]
pub(crate) struct Predictions {
    pub(crate) from_facts: Option<Predicted>,
    pub(crate) from_parts: Option<Predicted>,
    pub(crate) unpredicted: Vec<Unpredicted>,
}

/// Evaluates what is predicted of a point.
pub(crate) fn predict(target: &PointId, prediction: &Prediction, lookup: &dyn Lookup) -> Predictions {
    let facts = evaluate(Tier::Facts, &prediction.from_facts, target, lookup);
    let parts = evaluate(Tier::Parts, &prediction.from_parts, target, lookup);
    let unpredicted = [&facts, &parts].into_iter().filter_map(|tier| tier.as_ref().err()).flatten();
    Predictions {
        unpredicted: unpredicted.cloned().collect(),
        from_facts: facts.ok().flatten(),
        from_parts: parts.ok().flatten(),
    }
}

/// The sum of the terms of a tier, `None` without any; or the terms that have no value.
fn evaluate(
    tier: Tier,
    terms: &[Term],
    target: &PointId,
    lookup: &dyn Lookup,
) -> Result<Option<Predicted>, Vec<Unpredicted>> {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for term in terms {
        match value(tier, term, target, lookup) {
            Ok(range) => known.push((term.clone(), range)),
            Err(why) => unknown.push(Unpredicted { tier, term: term.name.clone(), why }),
        }
    }
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let (hardware, software) = (sum(&known, TermSide::Hardware), sum(&known, TermSide::Software));
    let (assumed, uncertain_parts) = (assumed(&known, lookup), uncertain_parts(&known, lookup));
    let total = known.iter().fold(Range::exactly(0.0), |sum, (_, range)| sum.plus(*range));
    let predicted = Predicted { tier, hardware, software, total, terms: known, assumed, uncertain_parts };
    Ok((!terms.is_empty()).then_some(predicted))
}

/// The facts of these terms that no publication gives.
fn assumed(terms: &[(Term, Range)], lookup: &dyn Lookup) -> Vec<String> {
    let facts = terms.iter().flat_map(|(term, _)| term.formula.facts());
    let assumed: BTreeSet<&str> = facts.filter(|key| lookup.is_assumed(key)).collect();
    assumed.into_iter().map(str::to_owned).collect()
}

/// The parts of these terms whose own values are not known well enough to predict anything.
fn uncertain_parts(terms: &[(Term, Range)], lookup: &dyn Lookup) -> Vec<PointId> {
    let parts: BTreeSet<&PointId> = terms.iter().flat_map(|(term, _)| term.formula.parts()).collect();
    let is_uncertain = |part: &&PointId| {
        lookup
            .part(part)
            .is_some_and(|range| (range.high - range.low) / 2.0 > PREDICTING_HALF_WIDTH * range.value.abs())
    };
    parts.into_iter().filter(is_uncertain).cloned().collect()
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
