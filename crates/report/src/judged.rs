//! The part of the JSON document that judges: reference methods, the accuracy of predictions, answers.

use analysis::{Accuracy, Agreement, Answer, Contrast, Direction, Finding};
use record::{PointId, Range};
use serde::Serialize;

/// A reference method beside the right one.
#[derive(Serialize)]
pub(crate) struct JsonContrast<'a> {
    method: &'a PointId,
    problem: &'a str,
    /// In the base unit of both.
    gave: Option<f64>,
    right: Option<&'a PointId>,
    right_gave: Option<f64>,
    /// Wrong divided by right.
    factor: Option<Range>,
    /// `above`, `below` or `undecided`.
    direction: &'static str,
    unit: &'static str,
}

impl<'a> From<&'a Contrast> for JsonContrast<'a> {
    fn from(contrast: &'a Contrast) -> Self {
        Self {
            method: &contrast.method,
            problem: &contrast.wrong,
            gave: contrast.gave,
            right: contrast.right.as_ref(),
            right_gave: contrast.right_gave,
            factor: contrast.factor,
            direction: match contrast.direction {
                Direction::Above => "above",
                Direction::Below => "below",
                Direction::Undecided => "undecided",
            },
            unit: contrast.quantity.contract_unit(),
        }
    }
}

/// How well the predictions did.
#[derive(Serialize)]
pub(crate) struct JsonAccuracy<'a> {
    from_parts: Option<JsonAgreement<'a>>,
    from_facts: Option<JsonAgreement<'a>>,
}

#[derive(Serialize)]
struct JsonAgreement<'a> {
    points: usize,
    /// Factors either way: 1 is exact. Null where it is infinite.
    median_factor: f64,
    ninth_decile_factor: f64,
    limit: f64,
    within_limit: usize,
    worst: Vec<JsonRatio<'a>>,
}

#[derive(Serialize)]
struct JsonRatio<'a> {
    #[serde(flatten)]
    id: &'a PointId,
    /// Measured divided by predicted.
    ratio: f64,
}

impl<'a> From<&'a Accuracy> for JsonAccuracy<'a> {
    fn from(accuracy: &'a Accuracy) -> Self {
        Self {
            from_parts: accuracy.from_parts.as_ref().map(JsonAgreement::from),
            from_facts: accuracy.from_facts.as_ref().map(JsonAgreement::from),
        }
    }
}

impl<'a> From<&'a Agreement> for JsonAgreement<'a> {
    fn from(agreement: &'a Agreement) -> Self {
        let worst = agreement.worst.iter();
        Self {
            points: agreement.points,
            median_factor: agreement.median,
            ninth_decile_factor: agreement.ninth_decile,
            limit: agreement.limit,
            within_limit: agreement.within,
            worst: worst.map(|(id, ratio)| JsonRatio { id, ratio: *ratio }).collect(),
        }
    }
}

/// A question with its answer.
#[derive(Serialize)]
pub(crate) struct JsonAnswer<'a> {
    id: &'a str,
    question: &'a str,
    /// `decided`, `undecided` (no difference can be told) or `untested`.
    finding: &'static str,
    sentence: &'a str,
    remedy: Option<&'a str>,
    leaves_open: &'a str,
    /// A ratio, or a slope in this unit per unit of the parameter.
    value: Option<Range>,
    unit: Option<&'static str>,
    points: &'a [PointId],
}

impl<'a> From<&'a Answer> for JsonAnswer<'a> {
    fn from(answer: &'a Answer) -> Self {
        let (finding, value) = match answer.finding {
            Finding::Decided(range) => ("decided", Some(range)),
            Finding::Undecided(range) => ("undecided", Some(range)),
            Finding::Untested => ("untested", None),
        };
        Self {
            id: answer.question.id,
            question: answer.question.asks,
            finding,
            sentence: &answer.sentence,
            remedy: answer.remedy.as_deref(),
            leaves_open: answer.leaves_open,
            value,
            unit: answer.quantity.map(quantity::Quantity::contract_unit),
            points: &answer.points,
        }
    }
}
