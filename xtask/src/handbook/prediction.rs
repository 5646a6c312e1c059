//! What a page says of a prediction: both tiers as formulas, and where each number comes from.

use super::words::{for_point, table};
use measure::{Operation, Point};
use record::{Formula, PointId, Profile, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The prediction of a point.
pub fn section(operation: &Operation, point: &Point) -> String {
    let prediction = operation.prediction_at(point);
    let (facts, parts) = (&prediction.from_facts, &prediction.from_parts);
    if facts.is_empty() && parts.is_empty() {
        return "Nothing is predicted.\n".to_owned();
    }
    let unit = match operation.quantity.contract_unit() {
        "1" => "plain numbers",
        unit => unit,
    };
    let mut out = format!("Each tier is the sum of its terms, in {unit}{}.\n\n", for_point(point));
    out += &tier("T0, from facts and constants", facts);
    out += &tier("T1, from parts measured in the same run", parts);
    if let Some(part) = record::same_as(parts.iter().map(|term| &term.formula)) {
        out += &format!("T1 is the same as `{part}` and predicts nothing of its own: there is no ratio.\n\n");
    }
    out + &leaves(facts.iter().chain(parts))
}

/// The points that other operations' T1 takes from the run and that have no T1 themselves, each with the number of these
/// operations.
pub fn primitives(operations: &[&Operation]) -> BTreeMap<PointId, usize> {
    let mut users: BTreeMap<PointId, BTreeSet<&str>> = BTreeMap::new();
    let mut predicted = BTreeSet::new();
    for operation in operations {
        for point in operation.points_of(Profile::Standard) {
            let terms = operation.prediction_at(&point).from_parts;
            if !terms.is_empty() {
                predicted.insert(operation.point_id(&point));
            }
            for part in terms.iter().flat_map(|term| term.formula.parts()) {
                users.entry(part.clone()).or_default().insert(operation.id);
            }
        }
    }
    let users = users.into_iter().filter(|(point, _)| !predicted.contains(point));
    users.map(|(point, users)| (point, users.len())).collect()
}

fn tier(title: &str, terms: &[Term]) -> String {
    let rows = terms
        .iter()
        .map(|term| vec![term.name.clone(), term.side.word().to_owned(), format!("`{}`", term.formula)]);
    match table(&["term", "side", "formula"], rows).as_str() {
        "" => format!("{title}: none.\n\n"),
        rows => format!("{title}:\n\n{rows}\n"),
    }
}

/// Where the numbers of the formulas come from.
fn leaves<'t>(terms: impl Iterator<Item = &'t Term>) -> String {
    let (mut numbers, mut facts, mut parts) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for leaf in terms.flat_map(|term| term.formula.leaves()) {
        match leaf {
            Formula::Number { value, within, source } if !source.is_empty() => {
                let row = vec![value.to_string(), within.to_string(), source.clone()];
                if !numbers.contains(&row) {
                    numbers.push(row);
                }
            }
            Formula::Fact { key } => {
                facts.insert(format!("`{key}`"));
            }
            Formula::Part { point } => {
                parts.insert(format!("`{point}`"));
            }
            _ => {}
        }
    }
    let numbers = table(&["number", "within a factor of", "source"], numbers);
    let facts = sentence("Facts of the machine", &facts);
    let parts = sentence("Points measured in the same run", &parts);
    [numbers, facts, parts].iter().filter(|text| !text.is_empty()).map(|text| format!("{text}\n")).collect()
}

fn sentence(start: &str, names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("{start}: {}.\n", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::TermSide;

    fn term(formula: Formula) -> Term {
        Term { name: "all".to_owned(), side: TermSide::Hardware, formula }
    }

    #[test]
    fn every_leaf_is_named_once() {
        let source = Formula::cited(80.0, 1.6, "a manual");
        let formula = source
            .clone()
            .plus(Formula::fact("clock.cycle_ns"))
            .minus(Formula::part("syscall.floor", "").times(2.0))
            .over(source);
        let text = leaves([term(formula)].iter());
        assert_eq!(text.matches("a manual").count(), 1, "{text}");
        assert!(text.contains("`clock.cycle_ns`") && text.contains("`syscall.floor`"), "{text}");
    }

    #[test]
    fn nothing_predicted_is_said() {
        assert!(section(&Operation::NEW, &Point::only()).contains("Nothing is predicted"));
    }
}
