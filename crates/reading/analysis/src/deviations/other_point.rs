//! A point whose sibling is as predicted: the deviation is of the parameter in which the two differ.

use crate::deviations::ratio::{decides, within_factor};
use crate::rows::deviation::LikelyReason;
use crate::rows::row::{Predicted, Row, Tier};
use crate::thresholds::EXPLAINED_SHARE;
use quantity::Quantity;
use record::PointId;

/// The point of the same operation that differs in one parameter and is as predicted, if what the two differ by is most of the
/// deviation.
pub(crate) fn other_point(row: &Row, rows: &[Row]) -> Option<LikelyReason> {
    if row.quantity() != Quantity::Latency {
        return None;
    }
    let (own, predicted) = (row.estimate.as_ref()?, row.predicted()?);
    let deviation = own.typical - predicted.total.value;
    let candidates = rows.iter().filter(|other| is_sibling(row, other) && is_variant(row, other));
    let found = candidates.filter_map(|other| {
        decides(other)?;
        let theirs = other.estimate.as_ref()?;
        let their_prediction = match predicted.tier {
            Tier::Facts => other.from_facts.as_ref()?,
            Tier::Parts => other.from_parts.as_ref()?,
        };
        let ratio = their_prediction.ratio(other).filter(|ratio| within_factor(*ratio, 1.0))?;
        let are_disjoint = own.ends().0 > theirs.ends().1 || own.ends().1 < theirs.ends().0;
        let measured = own.typical - theirs.typical;
        let expected = predicted.total.value - their_prediction.total.value;
        let share = (measured - expected) / deviation;
        // What this point has beside the other one costs something.
        let has_more = expected > 0.0;
        (are_disjoint && has_more && share.is_finite() && share >= EXPLAINED_SHARE).then(|| {
            let terms = own_terms(predicted, their_prediction);
            let reason = LikelyReason::OtherPoint {
                other: other.point.id.clone(),
                measured,
                predicted: expected,
                terms,
            };
            (ratio.ln().abs(), reason)
        })
    });
    found.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, reason)| reason)
}

/// The cheapest point of the same operation that has a larger size in one parameter, such as larger pages, if it costs less by
/// most of the deviation. No such size is an amount of work.
pub(crate) fn cheaper_point(row: &Row, rows: &[Row]) -> Option<LikelyReason> {
    let own = row.estimate.as_ref().filter(|_| row.quantity() == Quantity::Latency)?;
    let deviation = row.residual().filter(|residual| *residual > 0.0)?;
    let candidates =
        rows.iter().filter(|other| is_sibling(row, other) && has_larger_size(&other.point.id, &row.point.id));
    let found = candidates.filter_map(|other| {
        let theirs = other.estimate.as_ref()?;
        let by = own.typical - theirs.typical;
        (own.ends().0 > theirs.ends().1 && by >= EXPLAINED_SHARE * deviation).then_some((by, other))
    });
    let (by, other) = found.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let predicted = row.predicted().zip(other.predicted());
    let predicted = predicted.map(|(own, theirs)| own.total.value - theirs.total.value);
    Some(LikelyReason::CheaperPoint { other: other.point.id.clone(), by, predicted })
}

/// Whether the first point differs from the second in one parameter, which is a larger size.
fn has_larger_size(other: &PointId, own: &PointId) -> bool {
    let differing: Vec<(&str, &str)> =
        other.pairs().zip(own.pairs()).filter(|(one, own)| one != own).collect();
    let size = |value: &str| quantity::parse_bytes(value).ok().map(|bytes| bytes.bytes());
    match differing.as_slice() {
        [(other_pair, own_pair)] if other.pairs().count() == own.pairs().count() => {
            matches!((other_pair.split_once('='), own_pair.split_once('=')), (Some((name, one)), Some((own_name, own)))
                if name == own_name && size(one).is_some() && size(one) > size(own))
        }
        _ => false,
    }
}

/// Whether two points are of one operation, measured in one environment by methods that are both right or both flawed.
fn is_sibling(row: &Row, other: &Row) -> bool {
    other.point.id.operation == row.point.id.operation
        && other.point.id.environment == row.point.id.environment
        && other.point.flaw == row.point.flaw
}

/// Whether two points differ in one parameter that is a word: another method, another CPU. That a larger size costs more says
/// nothing.
fn is_variant(row: &Row, other: &Row) -> bool {
    let [own, theirs] = [row, other].map(|row| row.point.id.pairs().collect::<Vec<&str>>());
    let only = |these: &[&str], those: &[&str]| -> Vec<String> {
        these.iter().filter(|pair| !those.contains(pair)).map(|pair| (*pair).to_owned()).collect()
    };
    let (own, theirs) = (only(&own, &theirs), only(&theirs, &own));
    let (own, theirs) = match (own.as_slice(), theirs.as_slice()) {
        ([own], [theirs]) => (own.split_once('='), theirs.split_once('=')),
        ([own], []) => (own.split_once('='), own.split_once('=')),
        ([], [theirs]) => (theirs.split_once('='), theirs.split_once('=')),
        _ => return false,
    };
    let is_word = |value: &str| !value.starts_with(|first: char| first.is_ascii_digit());
    matches!((own, theirs), (Some((name, one)), Some((other_name, other)))
        if name == other_name && is_word(one) && is_word(other))
}

/// The names of the terms that only the first of two predictions has.
fn own_terms(predicted: &Predicted, other: &Predicted) -> Vec<String> {
    let names = predicted.terms.iter().map(|(term, _)| &term.name);
    names.filter(|name| other.terms.iter().all(|(term, _)| term.name != **name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::fixtures::row;
    use record::{Formula, Range, Term, TermSide};

    /// A row of this value, predicted as these terms.
    fn predicted(point: &str, typical: f64, terms: &[(&str, f64)]) -> Row {
        let zero = Range::exactly(0.0);
        let total = Range::exactly(terms.iter().map(|(_, value)| value).sum());
        let terms = terms.iter().map(|(name, value)| {
            let formula = Formula::exactly(*value);
            (Term { name: (*name).to_owned(), side: TermSide::Software, formula }, Range::exactly(*value))
        });
        let from_facts = Some(Predicted {
            tier: Tier::Facts,
            hardware: zero,
            software: total,
            total,
            terms: terms.collect(),
            assumed: Vec::new(),
            uncertain_parts: Vec::new(),
        });
        Row { from_facts, ..row("call", point, Quantity::Latency, (typical * 0.99, typical, typical * 1.01)) }
    }

    #[test]
    fn what_only_one_of_two_points_has_is_its_deviation() {
        let libc = predicted("method=libc", 163.0, &[("kernel", 110.0), ("library", 2.0)]);
        let raw = predicted("method=raw", 116.0, &[("kernel", 110.0)]);
        let expected = LikelyReason::OtherPoint {
            other: raw.point.id.clone(),
            measured: 47.0,
            predicted: 2.0,
            terms: vec!["library".to_owned()],
        };
        assert_eq!(other_point(&libc, &[libc.clone(), raw.clone()]), Some(expected));
        let both = [libc.clone(), raw.clone()];
        assert_eq!(other_point(&raw, &both), None, "the other is off itself");
        let as_slow = predicted("method=raw", 160.0, &[("kernel", 160.0)]);
        assert_eq!(other_point(&libc, &[as_slow]), None, "the difference is no part of the deviation");
    }

    #[test]
    fn larger_pages_that_cost_less_by_half_of_the_deviation_are_a_contrast() {
        let own = predicted("page_size=4KiB bytes=64MiB", 158.0, &[("memory", 69.0)]);
        let by = |typical: f64| {
            let other = predicted("page_size=2MiB bytes=64MiB", typical, &[("memory", 59.0)]);
            cheaper_point(&own, &[own.clone(), other])
        };
        let expected = LikelyReason::CheaperPoint {
            other: PointId::new("call", "page_size=2MiB bytes=64MiB"),
            by: 49.0,
            predicted: Some(10.0),
        };
        assert_eq!(by(109.0), Some(expected));
        assert_eq!(by(115.0), None, "less than half of it");
        for other in
            ["page_size=4KiB bytes=16MiB", "page_size=2MiB bytes=16MiB", "page_size=none bytes=64MiB"]
        {
            let other = predicted(other, 10.0, &[("memory", 10.0)]);
            assert_eq!(cheaper_point(&own, &[other]), None, "not one larger size");
        }
    }

    #[test]
    fn variants_differ_in_one_word() {
        for (one, other, expected) in [
            ("method=libc", "method=raw", true),
            ("cpu=other", "cpu=other idle=busy", true),
            ("bytes=4KiB", "bytes=64KiB", false),
            ("cpu=same method=a", "cpu=other method=b", false),
            ("method=a", "cpu=other", false),
            ("", "", false),
        ] {
            let [one, other] = [one, other].map(|point| predicted(point, 1.0, &[]));
            assert_eq!(is_variant(&one, &other), expected, "{:?}", one.point.id);
        }
    }
}
