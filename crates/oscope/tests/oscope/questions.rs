//! The questions name points that there are.

use record::Profile;

/// Whether an operation has this point, by its id and its text.
fn exists(id: &str, text: &str) -> bool {
    let found = flawed::find(id);
    found.is_some_and(|operation| {
        let points = operation.points_of(Profile::Quick);
        points.iter().any(|point| point.text() == text)
    })
}

#[test]
fn every_question_can_be_answered_in_some_way() {
    for question in analysis::questions() {
        let possible = question.derivations.iter().any(|(way, _)| match way {
            analysis::Derivation::Ratio { of, to }
            | analysis::Derivation::HugePageBacking { huge: of, base: to } => {
                [of, to].iter().all(|side| exists(side.operation, side.point))
            }
            analysis::Derivation::Slope { operation, .. } => {
                flawed::find(operation).is_some_and(|operation| {
                    let points = operation.points_of(Profile::Standard);
                    points.iter().filter(|point| operation.planned(point).fit.is_some()).count() >= 3
                })
            }
            analysis::Derivation::CostSplit(of) => flawed::find(of.operation).is_some_and(|operation| {
                let points = operation.points_of(Profile::Standard);
                let is_of = |point: &&measure::Point| {
                    operation.planned(point).fit.is_some() && point.text().contains(of.fixed)
                };
                points.iter().filter(is_of).count() >= 3
            }),
            analysis::Derivation::CacheCapacity { held } => exists(held.operation, held.point),
            analysis::Derivation::ReportedSize(of) => exists(of.found.operation, of.found.point),
            analysis::Derivation::Fastest(of) => flawed::find(of.operation).is_some_and(|operation| {
                let points = operation.points_of(Profile::Standard);
                let decides = |point: &&measure::Point| {
                    let id = operation.point_id(point);
                    let own = id.parameter(of.by).unwrap_or_default();
                    of.holds.first().map(|holds| format!("{}={own} {holds}", of.by)) == Some(point.text())
                };
                points.iter().filter(decides).count() >= 2
            }),
        });
        assert!(possible, "{}", question.id);
    }
}
