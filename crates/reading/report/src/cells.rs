//! What the cells of a row say. All views with columns take their texts from here, so that they agree.

use crate::style::Paint;
use crate::table::Cell;
use crate::thresholds::MOST_HALF_WIDTH;
use crate::wording::{count, joined};
use analysis::Interval;
use analysis::{Estimate, OutlyingTrials, Predicted, Row, Tier, Verdict};
use quantity::{Quantity, show, show_half_width, show_interval, show_ratio};
use record::{Range, Term};

/// Stands behind the name of a flawed method.
pub(crate) const FLAWED_MARK: char = '†';

/// A half width of this share of a value leaves it exactly two significant digits.
pub(crate) const TWO_DIGITS: f64 = 0.3;

/// The sign of a verdict; measured needs none.
pub(crate) fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Measured => "",
        Verdict::Noisy => "~",
        Verdict::Contradicted => "✗",
        Verdict::Skipped => "–",
        Verdict::Failed => "!",
    }
}

/// A verdict as a word with its sign.
pub(crate) fn signed_verdict(verdict: Verdict) -> String {
    format!("{} {}", mark(verdict), verdict.word()).trim_start().to_owned()
}

/// The paint of a verdict.
pub(crate) fn paint(verdict: Verdict) -> Paint {
    match verdict {
        Verdict::Measured => Paint::Plain,
        Verdict::Noisy => Paint::Warning,
        Verdict::Contradicted | Verdict::Failed => Paint::Bad,
        Verdict::Skipped => Paint::Faint,
    }
}

/// The name with the sign of a flawed method behind it, if it is one.
pub(crate) fn marked(name: &str, row: &Row) -> String {
    match row.point.flaw {
        Some(_) => format!("{name} {FLAWED_MARK}"),
        None => name.to_owned(),
    }
}

/// Half the interval, in the base unit, as far as digits are concerned.
pub(crate) fn half(interval: Option<Interval>) -> Option<f64> {
    interval.map(|interval| (interval.high - interval.low) / 2.0)
}

/// Half the interval that stands beside the value of a row, that of the next run: the value has its digits.
pub(crate) fn half_of(row: &Row) -> Option<f64> {
    half(row.next_run().or(row.estimate.as_ref()?.interval))
}

fn estimated(row: &Row, text: impl Fn(&Estimate, Quantity) -> Option<String>) -> String {
    let estimate = row.estimate.as_ref();
    estimate.and_then(|estimate| text(estimate, row.quantity())).unwrap_or_default()
}

/// The typical value, or the verdict's word where there is no number.
pub(crate) fn measured(row: &Row) -> String {
    match row.estimate {
        Some(_) => typical(row),
        None => row.verdict.word().to_owned(),
    }
}

/// The typical value, or the verdict's word, in the paint of the verdict.
pub(crate) fn measured_cell(row: &Row) -> Cell {
    Cell::new(measured(row), paint(row.verdict))
}

/// The sign of the verdict in its paint.
pub(crate) fn mark_cell(row: &Row) -> Cell {
    Cell::new(mark(row.verdict), paint(row.verdict))
}

/// The tier of the prediction.
pub(crate) fn tier_cell(row: &Row) -> Cell {
    Cell::new(tier(row), Paint::Faint)
}

/// The typical value, or nothing. Where it may lie between states and be the value of none, the value of each state.
pub(crate) fn typical(row: &Row) -> String {
    let states = row.undecided_states();
    estimated(row, |estimate, quantity| match states.is_empty() {
        true => Some(show(estimate.typical, half_of(row), quantity)),
        false => Some(alternatives(states.iter().map(|state| show(*state, None, quantity)))),
    })
}

/// Values of which a row may have any, their unit once where it is the same: `16.6 | 59.3 ns`.
pub(crate) fn alternatives(values: impl Iterator<Item = String>) -> String {
    let values: Vec<String> = values.collect();
    let unit = |value: &String| value.split_once(' ').map(|(_, unit)| unit.to_owned());
    let last = values.last().and_then(unit);
    let is_same = |value: &String| last.is_some() && unit(value) == last;
    let texts = values.iter().enumerate().map(|(index, value)| match value.split_once(' ') {
        Some((number, _)) if index + 1 < values.len() && values.iter().all(is_same) => number,
        _ => value.as_str(),
    });
    joined(texts, " | ")
}

/// Half the interval of the next run as a share of the value, rounded up; a dash where there are too few trials for an interval,
/// and where no state is decided, as it would be a share of the value of none.
pub(crate) fn half_width(row: &Row) -> String {
    estimated(row, |_, _| Some(half_or_dash(of_one_value(row, row.next_run_half_width()))))
}

/// The same of this run alone.
pub(crate) fn half_width_of_run(row: &Row) -> String {
    estimated(row, |estimate, _| Some(half_or_dash(of_one_value(row, estimate.half_width()))))
}

/// A share of the value of a row; `None` where it has several.
fn of_one_value(row: &Row, share: Option<f64>) -> Option<f64> {
    share.filter(|_| row.undecided_states().is_empty())
}

fn half_or_dash(half: Option<f64>) -> String {
    match half {
        None => "–".to_owned(),
        Some(half) if half > MOST_HALF_WIDTH => format!("> {}", show_half_width(MOST_HALF_WIDTH)),
        Some(half) => show_half_width(half),
    }
}

/// Both ends of the interval.
pub(crate) fn interval(row: &Row) -> String {
    estimated(row, |estimate, quantity| {
        estimate.interval.map(|interval| show_interval(interval.low, interval.high, quantity))
    })
}

/// The best value, as exact as the typical one. It is that of the median trial, and where no state is decided of none.
pub(crate) fn best(row: &Row) -> String {
    let is_of_one = row.undecided_states().is_empty();
    estimated(row, |estimate, quantity| is_of_one.then(|| show(estimate.best, half_of(row), quantity)))
}

/// The standard deviation across trials, with two significant digits. Where a few trials far from the others make it, the
/// robust one and their number.
pub(crate) fn deviation(row: &Row) -> String {
    estimated(row, |estimate, quantity| match row.outlying_trials() {
        Some(OutlyingTrials { trials: 1, deviation }) => {
            Some(format!("{} + 1 outlier", spread(deviation, quantity)))
        }
        Some(OutlyingTrials { trials, deviation }) => {
            Some(format!("{} + {trials} outliers", spread(deviation, quantity)))
        }
        None => Some(spread(estimate.deviation?, quantity)),
    })
}

/// A standard deviation in two significant digits.
fn spread(deviation: f64, quantity: Quantity) -> String {
    show(deviation, Some(deviation * TWO_DIGITS), quantity)
}

/// How many trials count.
pub(crate) fn trials(row: &Row) -> String {
    estimated(row, |estimate, _| Some(count(estimate.trials as f64)))
}

/// A predicted value: two significant digits, more where its own interval allows it, so that the ratio
/// can be checked by eye. Nothing is said of an exact zero.
pub(crate) fn range(range: Range, quantity: Quantity) -> String {
    if is_nothing(range) {
        return "–".to_owned();
    }
    show(range.value, Some(half_of_range(range)), quantity)
}

/// Half of what a predicted value may be off, as far as its digits are concerned.
pub(crate) fn half_of_range(range: Range) -> f64 {
    let half = (range.high - range.low) / 2.0;
    half.min(range.value.abs() * TWO_DIGITS)
}

/// Whether a predicted value is exactly zero.
pub(crate) fn is_nothing(range: Range) -> bool {
    range.low == 0.0 && range.high == 0.0
}

/// A part of the prediction that is compared with.
fn predicted(row: &Row, part: impl Fn(&Predicted) -> Range) -> String {
    let predicted = row.predicted();
    predicted.map_or_else(String::new, |predicted| range(part(predicted), row.quantity()))
}

/// The hardware's part of the prediction.
pub(crate) fn hardware(row: &Row) -> String {
    predicted(row, |predicted| predicted.hardware)
}

/// The software's part of the prediction.
pub(crate) fn software(row: &Row) -> String {
    predicted(row, |predicted| predicted.software)
}

/// The whole prediction.
pub(crate) fn total(row: &Row) -> String {
    predicted(row, |predicted| predicted.total)
}

/// Whose a term is.
pub(crate) fn side(term: &Term) -> &'static str {
    term.side.word()
}

/// From where the prediction that is compared with is.
pub(crate) fn tier(row: &Row) -> &'static str {
    match row.predicted().map(|predicted| predicted.tier) {
        None => "",
        Some(Tier::Facts) => "T0",
        Some(Tier::Parts) => "T1",
    }
}

/// What the signs of the tiers mean.
pub(crate) const TIERS: &str = "predicted = hardware + software: T1 from parts measured in this run, T0 from facts \
    and constants alone; ratio = measured / predicted";

/// A factor; nothing of one that is unknown or infinite.
pub(crate) fn factor(factor: Option<f64>) -> String {
    factor.filter(|factor| factor.is_finite()).map(show_ratio).unwrap_or_default()
}

/// A factor in two digits: `1.5×`, `0.47×`, `21×`.
pub(crate) fn factor_of_two_digits(factor: f64) -> String {
    match factor < 1.0 {
        // A share would be read as one of the value.
        true => show_ratio(factor),
        false => show(factor, Some(factor * TWO_DIGITS), Quantity::Ratio),
    }
}

/// Measured divided by predicted; of undecided states that of each: `0.73 | 6.70×`.
pub(crate) fn ratio(row: &Row) -> String {
    row.predicted().map(|predicted| factors(row, predicted.total.value)).unwrap_or_default()
}

/// Measured divided by a value.
pub(crate) fn factors(row: &Row, value: f64) -> String {
    let factors: Vec<String> = row.factors_of(value).into_iter().map(|one| factor(Some(one))).collect();
    let last = factors.len().saturating_sub(1);
    let texts = factors.iter().enumerate().map(|(index, text)| match index == last {
        true => text.as_str(),
        false => text.trim_end_matches('×'),
    });
    joined(texts.filter(|text| !text.is_empty()), " | ")
}

/// Whether the user predicted any of these.
pub(crate) fn has_user<'r>(rows: impl IntoIterator<Item = &'r Row>) -> bool {
    rows.into_iter().any(|row| row.point.user.is_some())
}

/// What the user predicted.
pub(crate) fn user(row: &Row) -> String {
    let user = row.point.user.as_ref();
    user.map_or_else(String::new, |user| show(user.typical, None, row.quantity()))
}

/// Measured divided by what the user predicted.
pub(crate) fn user_ratio(row: &Row) -> String {
    let user = row.point.user.as_ref();
    user.map(|user| factors(row, user.typical)).unwrap_or_default()
}

/// Who was closer.
pub(crate) fn closer(row: &Row) -> &'static str {
    row.closer().map_or("", analysis::Closer::word)
}

/// What the user said besides the whole: hardware and software apart, and why.
pub(crate) fn user_words(row: &Row) -> Option<String> {
    let user = row.point.user.as_ref()?;
    let text = |value: f64| show(value, None, row.quantity());
    let both = user
        .hardware
        .zip(user.software)
        .map(|(hardware, software)| format!(" = {} hardware + {} software", text(hardware), text(software)));
    let because = (!user.because.is_empty()).then(|| format!(", because: {}", user.because));
    let closer = row.closer().map(|closer| format!("; closer: {}", closer.word()));
    let all: String = [both, because, closer].into_iter().flatten().collect();
    Some(format!("{}{all}", text(user.typical)))
}

/// Measured less predicted; nothing where there is no one value.
pub(crate) fn residual(row: &Row) -> String {
    let residual = row.residual().filter(|_| row.undecided_states().is_empty());
    residual.map(|residual| show(residual, half_of(row), row.quantity())).unwrap_or_default()
}

/// `default`, or `flawed` for a method that is kept to be compared with the right one.
pub(crate) fn method(row: &Row) -> &'static str {
    if row.point.flaw.is_some() { "flawed" } else { "default" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::TrialValue;

    fn deviation_of(values: &[f64]) -> String {
        let trials = values.iter().map(|&typical| TrialValue { round: 1, typical, best: 0.0 }).collect();
        let estimate = Estimate { deviation: Some(16.18), ..Estimate::default() };
        deviation(&Row { trials, estimate: Some(estimate), ..Row::default() })
    }

    #[test]
    fn alternatives_name_their_unit_once_where_it_is_one() {
        let text = |values: &[&str]| alternatives(values.iter().map(|value| (*value).to_owned()));
        assert_eq!(text(&["16.6 ns", "59.3 ns"]), "16.6 | 59.3 ns");
        assert_eq!(text(&["940 ns", "1.20 µs"]), "940 ns | 1.20 µs");
        assert_eq!(text(&["3", "5"]), "3 | 5");
    }

    #[test]
    fn deviation_that_outliers_make_is_shown_without_them() {
        assert_eq!(deviation_of(&[15.5, 15.6, 15.4, 15.7, 15.3, 90.0]), "0.22 ns + 1 outlier");
        assert_eq!(deviation_of(&[15.5, 15.6, 15.4, 15.7, 15.3, 90.0, 80.0]), "0.30 ns + 2 outliers");
        assert_eq!(deviation_of(&[15.5, 40.0, 4.0]), "16 ns");
    }
}
