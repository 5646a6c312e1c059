//! Rows that are off their predictions, each with the likely reason, from contrasts between the rows of the run.

use crate::deviations::ingredients::{Share, shares};
use crate::deviations::interposition::Interposition;
use crate::deviations::measured_parts::{beside_parts, published};
use crate::deviations::other_point::{cheaper_point, other_point};
use crate::deviations::ratio::{decides, significant_ratio, within_factor};
use crate::rows::core_use::CoreState;
use crate::rows::deviation::{Deviation, Ingredient, LikelyReason};
use crate::rows::note::Note;
use crate::rows::row::{Row, Verdict};
use crate::thresholds::{AGREEING_OPERATIONS, AGREEING_POINTS, AGREEING_SHARE, NAMED_DEVIATION};
use crate::verdicts::known_values::Values;
use record::{Machine, PointId, Range};
use stats::order::median;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Points that are named for a further run.
const MOST_TO_RUN: usize = 3;

/// The same rows; each that is off its prediction, or whose prediction only renames a part, with a note that says why.
pub(crate) fn explained(rows: Vec<Row>, machine: &Machine) -> Vec<Row> {
    let typical = rows.iter().filter_map(|row| Some((row.point.id.clone(), Range::exactly(row.typical()?))));
    let made_of = MadeOf::new(&rows, &Values::new(machine, typical));
    let under = Interposition::new(machine, &rows);
    let notes: Vec<Option<Note>> = rows.iter().map(|row| note(row, &rows, (&made_of, &under))).collect();
    let rows = rows.into_iter().zip(notes);
    rows.map(|(row, note)| Row { notes: row.notes.into_iter().chain(note).collect(), ..row }).collect()
}

fn note(row: &Row, rows: &[Row], (made_of, under): (&MadeOf, &Interposition)) -> Option<Note> {
    if let Some(part) = row.same_as() {
        return Some(Note::SameAs(part.clone()));
    }
    let states = row.undecided_states();
    if !states.is_empty() {
        // The median is the value of none of them.
        let predicted = row.predicted()?.total.value;
        let factors = row.factors_of(predicted).into_iter().filter(|factor| *factor > 0.0);
        let ratio = factors.max_by(|one, other| one.ln().abs().total_cmp(&other.ln().abs()))?;
        return other_state(row).map(|reason| Note::Deviation(Deviation { ratio, reason }));
    }
    if decides(row).is_some_and(|ratio| ratio.ln().abs() <= NAMED_DEVIATION.ln()) {
        return None;
    }
    let Some(ratio) = significant_ratio(row) else {
        // A prediction that is this uncertain may still be wrong by what can be named.
        let ratio =
            decides(row).filter(|ratio| row.verdict == Verdict::Measured && !within_factor(*ratio, 1.0))?;
        let reason = other_point(row, rows)
            .or_else(|| under.slows_calls(row))
            .or_else(|| cheaper_point(row, rows))
            .or_else(|| beside_parts(row))
            .or_else(|| under.slows_software(row))
            .or_else(|| published(row, rows))?;
        return Some(Note::Deviation(Deviation { ratio, reason }));
    };
    let reason = shared_core(row, ratio)
        .or_else(|| other_state(row))
        .or_else(|| switches(row, ratio))
        .or_else(|| other_point(row, rows))
        .or_else(|| under.slows_calls(row))
        .or_else(|| made_of.shared(row, ratio))
        .or_else(|| cheaper_point(row, rows))
        .or_else(|| beside_parts(row))
        .or_else(|| made_of.untested(row, rows))
        .or_else(|| under.slows_software(row))
        .or_else(|| published(row, rows))
        .unwrap_or(LikelyReason::Unexplained);
    Some(Note::Deviation(Deviation { ratio, reason }))
}

/// Sharing the core slows the point by what it is off.
fn shared_core(row: &Row, ratio: f64) -> Option<LikelyReason> {
    let core = row.core.filter(|core| core.state == CoreState::Shared)?;
    let slowdown = core.slowdown.filter(|slowdown| !within_factor(*slowdown, 1.0))?;
    // A larger value is a slower point for a latency only.
    let factor = match row.quantity() {
        quantity::Quantity::Bandwidth => slowdown.recip(),
        _ => slowdown,
    };
    within_factor(factor, ratio).then_some(LikelyReason::SharedCore(slowdown))
}

/// Another state of the samples lies within the prediction.
fn other_state(row: &Row) -> Option<LikelyReason> {
    let predicted = row.predicted()?.total;
    let within = row.modes.iter().find(|mode| (predicted.low..=predicted.high).contains(&mode.at))?;
    Some(LikelyReason::OtherState(*within))
}

/// As many more switches as the row costs more, or as many less.
fn switches(row: &Row, ratio: f64) -> Option<LikelyReason> {
    row.notes.iter().find_map(|note| match *note {
        Note::Switches { counted, expected }
            if within_factor(counted / expected, ratio) && !within_factor(ratio, 1.0) =>
        {
            Some(LikelyReason::Switches { counted, expected })
        }
        _ => None,
    })
}

/// What an ingredient would have to be multiplied by for a point to be as predicted.
#[derive(Debug, Clone)]
struct Needed {
    id: PointId,
    factor: f64,
}

/// Which rows are made of which ingredients.
struct MadeOf {
    shares: HashMap<PointId, Vec<Share>>,
    needed: BTreeMap<Ingredient, Vec<Needed>>,
}

impl MadeOf {
    fn new(rows: &[Row], values: &Values<'_>) -> Self {
        let (mut of, mut needed) = (HashMap::new(), BTreeMap::<Ingredient, Vec<Needed>>::new());
        for row in rows {
            // What is the same as a part says nothing that the part does not.
            let Some(predicted) = row.predicted().filter(|_| row.same_as().is_none()) else {
                continue;
            };
            let found = shares(predicted, values);
            if let Some(ratio) = decides(row) {
                for (ingredient, share) in &found {
                    let (id, factor) = (row.point.id.clone(), 1.0 + (ratio - 1.0) / share);
                    needed.entry(ingredient.clone()).or_default().push(Needed { id, factor });
                }
            }
            of.insert(row.point.id.clone(), found);
        }
        Self { shares: of, needed }
    }

    fn shares(&self, row: &Row) -> &[Share] {
        self.shares.get(&row.point.id).map_or(&[], Vec::as_slice)
    }

    /// The ingredient on which the most other points agree that it is off by the factor that this row needs.
    fn shared(&self, row: &Row, ratio: f64) -> Option<LikelyReason> {
        let candidates = self.shares(row).iter().filter_map(|(ingredient, share)| {
            let contrast = self.contrast(&row.point.id, ingredient)?;
            let own = 1.0 + (ratio - 1.0) / share;
            let remaining = ratio / (1.0 + (contrast.factor - 1.0) * share);
            within_factor(own, contrast.factor).then_some((ingredient, contrast, remaining))
        });
        let candidates: Vec<(&Ingredient, Contrast, f64)> = candidates.collect();
        let (_, best, remaining) = candidates
            .iter()
            .max_by_key(|(_, contrast, _)| (contrast.others.len(), std::cmp::Reverse(contrast.against)))?;
        // What occurs in the same points cannot be kept apart.
        let same = candidates.iter().filter(|(_, contrast, _)| contrast.others == best.others);
        Some(LikelyReason::Shared {
            ingredients: same.map(|(ingredient, ..)| (*ingredient).clone()).collect(),
            factor: best.factor,
            others: best.others.clone(),
            against: best.against,
            remaining: *remaining,
        })
    }

    /// What the other points say of an ingredient, if enough of them agree that it is off.
    fn contrast(&self, id: &PointId, ingredient: &Ingredient) -> Option<Contrast> {
        let others = self.needed.get(ingredient)?.iter().filter(|one| one.id != *id);
        let others: Vec<&Needed> = others.collect();
        let factor = median(others.iter().map(|one| one.factor))?;
        let (agree, against): (Vec<&Needed>, Vec<&Needed>) =
            others.iter().partition(|one| within_factor(one.factor, factor));
        let operations: BTreeSet<&str> = agree
            .iter()
            .map(|one| one.id.operation.as_str())
            .filter(|operation| *operation != id.operation)
            .collect();
        let is_enough = agree.len() >= AGREEING_POINTS && operations.len() >= AGREEING_OPERATIONS;
        let is_agreed = agree.len() as f64 >= AGREEING_SHARE * others.len() as f64;
        let is_off = !within_factor(factor, 1.0);
        (is_enough && is_agreed && is_off).then(|| Contrast {
            factor,
            others: agree.iter().map(|one| one.id.clone()).collect(),
            against: against.len(),
        })
    }

    /// The noisy points of other operations that would decide about the largest ingredient of this row, if they are enough.
    fn untested(&self, row: &Row, rows: &[Row]) -> Option<LikelyReason> {
        let (ingredient, _) = self.shares(row).first()?;
        let own_operation = &row.point.id.operation;
        let noisy = rows.iter().filter(|other| {
            other.verdict == Verdict::Noisy
                && decides(other).is_none()
                && self.shares(other).iter().any(|(one, _)| one == ingredient)
        });
        let mut run: Vec<&PointId> = noisy.map(|other| &other.point.id).collect();
        run.retain(|id| id.operation != *own_operation);
        let mut known: Vec<&PointId> =
            self.needed.get(ingredient).into_iter().flatten().map(|one| &one.id).collect();
        known.retain(|id| id.operation != *own_operation);
        let operations: BTreeSet<&str> = run.iter().chain(&known).map(|id| id.operation.as_str()).collect();
        let is_enough = run.len() + known.len() >= AGREEING_POINTS && operations.len() >= AGREEING_OPERATIONS;
        (is_enough && known.len() < AGREEING_POINTS).then(|| LikelyReason::Untested {
            ingredient: ingredient.clone(),
            run: run.into_iter().take(MOST_TO_RUN).cloned().collect(),
        })
    }
}

/// What other points say of an ingredient.
struct Contrast {
    factor: f64,
    others: Vec<PointId>,
    against: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::fixtures::row;
    use crate::deviations::fixtures::measured;
    use crate::rows::core_use::CoreUse;
    use quantity::Quantity;

    #[test]
    fn a_shared_core_that_costs_twice_explains_twice_the_time_or_half_the_bandwidth() {
        for (quantity, ratio, is_explained) in [
            (Quantity::Latency, 2.0, true),
            (Quantity::Latency, 0.5, false),
            (Quantity::Bandwidth, 2.0, false),
            (Quantity::Bandwidth, 0.5, true),
        ] {
            let (state, slowdown) = (CoreState::Shared, Some(2.0));
            let core = Some(CoreUse { state, quiet_share: None, slowdown, untriggered: None });
            let row = Row { core, ..row("a", "", quantity, (0.0, 0.0, 0.0)) };
            let expected = is_explained.then_some(LikelyReason::SharedCore(2.0));
            assert_eq!(shared_core(&row, ratio), expected, "{quantity:?} {ratio}");
        }
    }

    #[test]
    fn switches_explain_a_ratio_that_is_that_of_their_counts() {
        for (counted, ratio, is_explained) in [(4.0, 2.0, true), (4.0, 3.0, false), (2.0, 1.0, false)] {
            let notes = vec![Note::Switches { counted, expected: 2.0 }];
            let expected = is_explained.then_some(LikelyReason::Switches { counted, expected: 2.0 });
            assert_eq!(switches(&Row { notes, ..Row::default() }, ratio), expected, "{counted} {ratio}");
        }
    }

    fn pace() -> Ingredient {
        Ingredient::Number("pace".to_owned())
    }

    /// An id from operation and point.
    fn id((operation, point): (&str, &str)) -> PointId {
        PointId::new(operation, point)
    }

    /// These rows are made of one ingredient, and these points need it multiplied by these factors.
    fn made_of(rows: &[Row], known: &[(PointId, f64)]) -> MadeOf {
        let shares = rows.iter().map(|row| (row.point.id.clone(), vec![(pace(), 1.0)])).collect();
        let needed = known.iter().map(|(id, factor)| Needed { id: id.clone(), factor: *factor }).collect();
        MadeOf { shares, needed: BTreeMap::from([(pace(), needed)]) }
    }

    #[test]
    fn three_points_that_agree_on_a_factor_of_two_other_operations_are_a_contrast() {
        let operations = [("b", "x"), ("b", "y"), ("c", "x"), ("c", "y")].map(id);
        for (factors, expected) in [
            (vec![1.3, 1.3, 1.3], Some((1.3, 3, 0))),
            (vec![1.2, 1.2, 1.2], None),
            (vec![0.5, 0.5, 0.5, 2.0], Some((0.5, 3, 1))),
            (vec![0.0, 0.0, 0.0], None),
            (vec![-1.0, -1.0, -1.0], None),
            (vec![1.3, 1.3], None),
        ] {
            let known: Vec<(PointId, f64)> = operations.iter().cloned().zip(factors.clone()).collect();
            let found = made_of(&[], &known).contrast(&id(("a", "x")), &pace());
            let found = found.map(|found| (found.factor, found.others.len(), found.against));
            assert_eq!(found, expected, "{factors:?}");
        }
    }

    /// A value of this point that is too uncertain to decide.
    fn noisy((operation, point): (&str, &str)) -> Row {
        Row { verdict: Verdict::Noisy, ..measured(operation, point, (100.0, 200.0, 300.0)) }
    }

    #[test]
    fn points_to_run_are_the_first_noisy_ones_that_decide_nothing_yet() {
        let exact = measured("e", "x", (199.0, 200.0, 201.0));
        let exact_noisy = Row { verdict: Verdict::Noisy, ..measured("d", "x", (199.0, 200.0, 201.0)) };
        let wide = Row { verdict: Verdict::Measured, ..noisy(("f", "x")) };
        let mut rows = vec![measured("a", "x", (199.0, 200.0, 201.0)), exact, exact_noisy, wide];
        rows.extend([("a", "y"), ("b", "x"), ("c", "x"), ("g", "x"), ("h", "x")].map(noisy));
        let made_of = made_of(&rows, &[]);
        rows.insert(1, noisy(("other", "x")));
        let run = [("b", "x"), ("c", "x"), ("g", "x")].map(id).to_vec();
        let expected = LikelyReason::Untested { ingredient: pace(), run };
        assert_eq!(made_of.untested(&rows[0], &rows), Some(expected));
    }

    #[test]
    fn points_are_run_where_they_make_three_of_two_other_operations() {
        let (b, c) = (("b", "x"), ("c", "x"));
        let known_c = [("c", "x"), ("c", "y"), ("d", "x")];
        for (run, known, is_untested) in [
            (vec![b, ("b", "y"), ("b", "z")], &known_c[..0], false),
            (vec![b, c], &known_c[..0], false),
            (vec![b, ("b", "y"), c], &known_c[..0], true),
            (vec![b], &known_c[..2], true),
            (vec![b], &known_c, false),
            (vec![b, c], &[("a", "y")], false),
        ] {
            let own = measured("a", "x", (199.0, 200.0, 201.0));
            let rows: Vec<Row> = std::iter::once(own).chain(run.iter().copied().map(noisy)).collect();
            let needed: Vec<(PointId, f64)> = known.iter().map(|&known| (id(known), 2.0)).collect();
            let found = made_of(&rows, &needed).untested(&rows[0], &rows);
            let to_run = run.iter().copied().map(id).collect();
            let expected = LikelyReason::Untested { ingredient: pace(), run: to_run };
            assert_eq!(found, is_untested.then_some(expected), "{run:?} {known:?}");
        }
    }
}
