//! What every point declares of its cost and its evidence, as JSON lines: two revisions are compared by their difference.
//!
//! Formulas are shown in a normal form, and with a value for made-up facts and parts.

use measure::Operation;
use record::{Formula, Lookup, Origin, PointId, Profile, Range, Term};
use serde_json::{Value, json};

/// Facts and parts whose values follow from their names.
struct MadeUp;

fn made_up(name: &str) -> Range {
    let sum = name.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    Range::exactly(1.0 + (sum % 1_000_003) as f64 / 1_000.0)
}

impl Lookup for MadeUp {
    fn fact(&self, key: &str) -> Option<Range> {
        Some(made_up(key))
    }

    fn part(&self, point: &PointId) -> Option<Range> {
        Some(made_up(&point.to_string()))
    }
}

/// Sums in sums and products in products are one; a factor of one is none; a product divides once, at its end.
fn normal(formula: &Formula) -> Formula {
    let all = |of: &[Formula]| of.iter().map(normal).collect::<Vec<_>>();
    match formula {
        Formula::Sum { of } => {
            let of: Vec<Formula> = all(of)
                .into_iter()
                .flat_map(|one| match one {
                    Formula::Sum { of } => of,
                    other => vec![other],
                })
                .filter(|one| *one != Formula::exactly(0.0))
                .collect();
            match <[Formula; 1]>::try_from(of) {
                Ok([only]) => only,
                Err(of) => Formula::Sum { of },
            }
        }
        Formula::Product { of } => {
            let (mut factors, mut divisors) = (Vec::new(), Vec::new());
            for one in all(of) {
                take_factor(one, &mut factors, &mut divisors);
            }
            quotient(factors, divisors)
        }
        Formula::Quotient { of, by } => {
            let (mut factors, mut divisors) = (Vec::new(), Vec::new());
            take_factor(normal(of), &mut factors, &mut divisors);
            take_factor(normal(by), &mut divisors, &mut factors);
            quotient(factors, divisors)
        }
        Formula::Difference { from, less } => {
            Formula::Difference { from: Box::new(normal(from)), less: Box::new(normal(less)) }
        }
        Formula::Maximum { of } => Formula::Maximum { of: all(of) },
        Formula::Minimum { of } => Formula::Minimum { of: all(of) },
        Formula::First { of } => Formula::First { of: all(of) },
        leaf => leaf.clone(),
    }
}

fn take_factor(formula: Formula, factors: &mut Vec<Formula>, divisors: &mut Vec<Formula>) {
    match formula {
        Formula::Product { of } => of.into_iter().for_each(|one| take_factor(one, factors, divisors)),
        Formula::Quotient { of, by } => {
            take_factor(*of, factors, divisors);
            take_factor(*by, divisors, factors);
        }
        one if one == Formula::exactly(1.0) => {}
        other => factors.push(other),
    }
}

fn quotient(factors: Vec<Formula>, divisors: Vec<Formula>) -> Formula {
    let product = |mut of: Vec<Formula>| match (of.len(), of.pop()) {
        (_, None) => Formula::exactly(1.0),
        (1, Some(only)) => only,
        (_, Some(last)) => {
            of.push(last);
            Formula::Product { of }
        }
    };
    if divisors.is_empty() { product(factors) } else { product(factors).over(product(divisors)) }
}

/// A number that has a source.
fn cited(leaf: &Formula) -> Option<Value> {
    match leaf {
        Formula::Number { value, within, source } if !source.is_empty() => {
            Some(json!([value, within, source]))
        }
        _ => None,
    }
}

fn shown(formula: &Formula) -> Value {
    let normal = normal(formula);
    let numbers: Vec<Value> = normal.leaves().into_iter().filter_map(cited).collect();
    let value = formula.evaluate(&MadeUp).map_or_else(
        |none| none.to_string(),
        |range| format!("{:.8e} {:.8e} {:.8e}", range.low, range.value, range.high),
    );
    json!([normal.to_string(), value, numbers])
}

fn terms(terms: &[Term]) -> Vec<Value> {
    let one = |term: &Term| json!([format!("{:?}", term.side), term.name, shown(&term.formula)]);
    terms.iter().map(one).collect()
}

fn lines(operation: &Operation, profile: Profile) {
    for point in operation.points_of(profile) {
        let id = operation.point_id(&point).to_string();
        let prediction = operation.prediction_at(&point);
        for (tier, terms) in [("T0", terms(&prediction.from_facts)), ("T1", terms(&prediction.from_parts))] {
            for term in terms {
                println!("{}", json!([id, tier, term]));
            }
        }
        for witness in operation.witnesses_at(&point) {
            let origin = if witness.origin == Origin::Trial { "trial" } else { "rehearsal" };
            let limits = format!("{:.8e} {:.8e}", witness.low, witness.high);
            let breach = format!("{:?}", witness.breach);
            let all = json!([witness.counter, origin, limits, witness.positive, breach, witness.proves]);
            println!("{}", json!([id, "witness", all]));
        }
        for bound in operation.bounds_at(&point) {
            let all = json!([bound.lower, shown(&bound.formula), bound.because]);
            println!("{}", json!([id, "bound", all]));
        }
    }
}

fn main() {
    for operation in flawed::all_operations() {
        for profile in [Profile::Quick, Profile::Standard, Profile::Thorough] {
            lines(operation, profile);
        }
    }
}
