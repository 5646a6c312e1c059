//! The part of the JSON document that judges: reference methods, the accuracy of predictions, answers.

use crate::{answers, closing};
use analysis::{
    Accuracy, Agreement, Answer, Closer, Contrast, Direction, Factors, Finding, Row, UserAccuracy,
    UserComparison,
};
use record::{PointId, Range, UserPrediction};
use serde::Serialize;
use std::collections::BTreeMap;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<JsonContest>,
}

/// The user's own predictions: geometric means of the factors between measured and predicted, either way.
#[derive(Serialize)]
struct JsonContest {
    points: usize,
    mean_factor: f64,
    against_shown: Option<JsonDuel>,
    against_facts: Option<JsonDuel>,
}

#[derive(Serialize)]
struct JsonDuel {
    points: usize,
    user_mean_factor: f64,
    oscope_mean_factor: f64,
    user_closer: usize,
    oscope_closer: usize,
}

impl From<&UserAccuracy> for JsonContest {
    fn from(contest: &UserAccuracy) -> Self {
        let duel = |duel: &UserComparison| JsonDuel {
            points: duel.points,
            user_mean_factor: duel.user,
            oscope_mean_factor: duel.program,
            user_closer: duel.user_closer,
            oscope_closer: duel.program_closer,
        };
        Self {
            points: contest.points,
            mean_factor: contest.mean,
            against_shown: contest.shown.as_ref().map(duel),
            against_facts: contest.from_facts.as_ref().map(duel),
        }
    }
}

/// What the user predicted of a row.
#[derive(Serialize)]
pub(crate) struct JsonUser<'a> {
    #[serde(flatten)]
    said: &'a UserPrediction,
    /// Measured divided by it.
    ratio: Option<f64>,
    /// `user`, `oscope` or `tied`; null where one of the two is missing, or the number is noisy.
    closer: Option<&'static str>,
}

impl<'a> JsonUser<'a> {
    /// That of a row, if there is one.
    pub(crate) fn of(row: &'a Row) -> Option<Self> {
        Some(Self {
            said: row.point.user.as_ref()?,
            ratio: row.user_ratio(),
            closer: row.closer().map(Closer::word),
        })
    }
}

#[derive(Serialize)]
struct JsonAgreement<'a> {
    #[serde(flatten)]
    all: JsonFactors,
    areas: BTreeMap<&'a str, JsonFactors>,
    worst: Vec<JsonRatio<'a>>,
    /// Points that are left out, by why.
    left_out: BTreeMap<&'static str, usize>,
}

#[derive(Serialize)]
struct JsonFactors {
    points: usize,
    /// Factors either way: 1 is exact. Null where it is infinite.
    median_factor: f64,
    ninth_decile_factor: f64,
    /// Shares of the points.
    within_1_25: f64,
    within_1_5: f64,
}

impl From<&Factors> for JsonFactors {
    fn from(factors: &Factors) -> Self {
        let [within_1_25, within_1_5] = factors.within;
        Self {
            points: factors.points,
            median_factor: factors.median,
            ninth_decile_factor: factors.ninth_decile,
            within_1_25,
            within_1_5,
        }
    }
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
            user: accuracy.user.as_ref().map(JsonContest::from),
        }
    }
}

impl<'a> From<&'a Agreement> for JsonAgreement<'a> {
    fn from(agreement: &'a Agreement) -> Self {
        let worst = agreement.worst.iter();
        let areas = agreement.areas.iter();
        let left_out = agreement.left_out.iter();
        Self {
            all: JsonFactors::from(&agreement.all),
            areas: areas.map(|(area, factors)| (area.as_str(), JsonFactors::from(factors))).collect(),
            left_out: left_out.map(|(why, count)| (closing::left_out(*why), *count)).collect(),
            worst: worst.map(|(id, ratio)| JsonRatio { id, ratio: *ratio }).collect(),
        }
    }
}

/// A question with its answer.
#[derive(Serialize)]
pub(crate) struct JsonAnswer<'a> {
    id: &'a str,
    question: &'a str,
    /// `decided`, `undecided` (no measurable difference) or `untested`.
    finding: &'static str,
    sentence: String,
    remedy: Option<String>,
    leaves_open: &'a str,
    /// A ratio, or a slope in this unit per unit of the parameter.
    value: Option<Range>,
    unit: Option<&'static str>,
    points: &'a [PointId],
}

impl<'a> From<&'a Answer> for JsonAnswer<'a> {
    fn from(answer: &'a Answer) -> Self {
        let finding = match answer.finding {
            Finding::Decided(_) => "decided",
            Finding::Undecided(_) => "undecided",
            Finding::Untested(_) => "untested",
        };
        Self {
            id: answer.question.id,
            question: answer.question.asks,
            finding,
            sentence: answers::sentence(answer),
            remedy: answers::remedy(answer),
            leaves_open: answer.leaves_open,
            value: answer.finding.range(),
            unit: answer.quantity.map(quantity::Quantity::contract_unit),
            points: &answer.points,
        }
    }
}
