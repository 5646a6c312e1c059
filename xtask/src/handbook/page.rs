//! The page of one operation.

use super::prediction;
use super::words::{
    HEAD, actors, expectation, for_point, gate, how, need, points, quantity, rehearsal, table, trigger,
};
use measure::{How, Operation, Point};
use record::{Fit, Origin, Plot, PointId, Profile, Scale, Witness};
use std::collections::BTreeMap;

/// All that a declaration says, and which of its points are primitives.
pub fn page(operation: &Operation, primitives: &BTreeMap<PointId, usize>) -> String {
    let point = representative(operation);
    let mut out = format!(
        "{HEAD}# {}\n\n`{}` · area {} · revision {} · {}\n\n",
        operation.title,
        operation.id,
        operation.area.name(),
        operation.revision,
        quantity(operation.quantity)
    );
    if let Some(method) = flawed::method(operation.id) {
        let (wrong, right) = (method.wrong, method.right_point());
        out += &format!("> **Flawed method: do not rely on its number.** {wrong} Right is `{right}`.\n\n");
    }
    out += &format!("**One iteration:** {}.\n\n", operation.one_iteration);
    out += &primitives_of(operation, primitives);
    out += &section("Method", operation.method);
    let measured = !operation.is_of_the_run();
    if measured {
        out += &how_table(operation, &point);
    }
    out += &section("What confounds it", operation.confounds);
    if measured {
        out += &section("Points", &points_table(operation));
        out += &section("Prediction", &prediction::section(operation, &point));
        out += &section("Evidence", &witnesses(&operation.witnesses_at(&point), &point));
        out += &section("Bounds", &bounds(operation, &point));
    }
    out += &section("Who measured it, and how", &sources(operation));
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// A sentence for each point that others are predicted from and that nothing measured predicts.
fn primitives_of(operation: &Operation, primitives: &BTreeMap<PointId, usize>) -> String {
    let own = primitives.iter().filter(|(point, _)| point.operation == operation.id);
    own.map(|(point, users)| {
        format!("**Primitive:** `{point}` is measured for T1 of {users} operations; no measured part predicts it.\n\n")
    })
    .collect()
}

fn section(title: &str, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("## {title}\n\n{}\n\n", text.trim_end())
}

/// The point whose prediction has the most to show: the first with the most terms.
fn representative(operation: &Operation) -> Point {
    let points = operation.points_of(Profile::Standard).into_iter().rev();
    points
        .max_by_key(|point| {
            let prediction = operation.prediction_at(point);
            prediction.from_facts.len() + prediction.from_parts.len()
        })
        .unwrap_or_default()
}

fn how_table(operation: &Operation, point: &Point) -> String {
    let needs: Vec<String> = operation.all_needs(point).iter().map(need).collect();
    let mut rows = vec![
        ("actors", actors(operation.actors).to_owned()),
        ("samples", how(operation.how)),
        ("trigger", trigger(&operation.planned(point).gate) + &for_point(point)),
        ("set aside", set_aside(operation, point)),
        ("rehearsal", rehearsal(operation.rehearse).to_owned()),
        (
            "timed per trial",
            quantity::duration_words(std::time::Duration::from_nanos(operation.spend_at(point))),
        ),
    ];
    let settle_time = operation.settle_time_at(point);
    if !settle_time.is_zero() {
        let text = format!("{}{}", quantity::duration_words(settle_time), for_point(point));
        rows.push(("settle time", text));
    }
    if !needs.is_empty() {
        rows.push(("needs", format!("{}{}", needs.join(", "), for_point(point))));
    }
    let rows = rows.into_iter().map(|(name, text)| vec![name.to_owned(), text]);
    table(&["", "how it is done"], rows) + "\n"
}

/// What sets batches aside; placements differ in it.
fn set_aside(operation: &Operation, point: &Point) -> String {
    if operation.how == How::Values {
        return "nothing: there are no batches".to_owned();
    }
    let causes = gate(&operation.planned(point).gate);
    match point.placement() {
        None => causes,
        Some(_) => format!("{causes}{}", for_point(point)),
    }
}

fn points_table(operation: &Operation) -> String {
    let profiles =
        [("quick", Profile::Quick), ("standard", Profile::Standard), ("thorough", Profile::Thorough)];
    let rows = profiles.map(|(name, profile)| {
        let count = operation.points_of(profile).len().to_string();
        vec![name.to_owned(), count, points(&operation.points_of(profile))]
    });
    let fit = operation.fit.map(|fit| line_of_sweep(&fit())).unwrap_or_default();
    let plot = operation.plot.map(|plot| axes(&plot())).unwrap_or_default();
    table(&["profile", "points", "which"], rows) + &fit + &plot
}

/// How the sweep is drawn.
fn axes(plot: &Plot) -> String {
    let scale = match plot.scale {
        Scale::Linear => "linear",
        Scale::Logarithmic => "logarithmic",
    };
    let marks = plot
        .marks
        .as_ref()
        .map_or_else(String::new, |by| format!("; the places that `{by}` finds are marked on it"));
    format!("\nThe points are drawn over `{}` ({}) on a {scale} axis{marks}.\n", plot.along, plot.axis)
}

fn line_of_sweep(fit: &Fit) -> String {
    let of = if fit.per_unit { "value × parameter" } else { "value" };
    format!(
        "\nThe points lie on a line over `{}` ({of} = intercept + slope × parameter): its slope is the cost *{}*, \
         its intercept the cost *{}*.\n",
        fit.parameter, fit.slope, fit.intercept
    )
}

fn witnesses(witnesses: &[Witness], point: &Point) -> String {
    if witnesses.is_empty() {
        return "No witness is declared.\n".to_owned();
    }
    let rows = witnesses.iter().map(|witness| {
        let origin = match witness.origin {
            Origin::Trial => "each trial",
            Origin::Rehearsal => "rehearsal",
        };
        let kind = if witness.positive { "the work was done" } else { "nothing disturbed it" };
        vec![
            format!("`{}`", witness.counter),
            origin.to_owned(),
            expectation(witness.low, witness.high),
            kind.to_owned(),
            witness.proves.clone(),
            report::consequence(witness.breach).to_owned(),
        ]
    });
    let head = ["counter", "counted in", "expected per iteration", "shows that", "because", "if broken"];
    format!("What must be true{}:\n\n{}", for_point(point), table(&head, rows))
}

fn bounds(operation: &Operation, point: &Point) -> String {
    let rows = operation.bounds_at(point).into_iter().map(|bound| {
        let limit = if bound.lower { "smaller" } else { "larger" };
        vec![limit.to_owned(), format!("`{}`", bound.formula), bound.because]
    });
    table(&["no result", "than", "because"], rows)
}

fn sources(operation: &Operation) -> String {
    let rows = operation.sources.iter();
    let rows = rows.map(|(who, how)| vec![(*who).to_owned(), (*how).to_owned()]);
    table(&["who", "how"], rows)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    measure::parameters! {
        /// How often.
        struct MadeUp {
            /// Times.
            n: u64,
        }
    }

    const MADE_UP: Operation = Operation {
        id: "made.up",
        title: "a made-up operation",
        one_iteration: "one thing",
        method: "It is done.",
        confounds: "Nothing.",
        sources: &[("R0, 3.1", "by hand | in vain")],
        points: &["n=1|2"],
        parameters: measure::takes::<MadeUp>,
        predict: &["n=2: hardware t0 work = 80 cycles (×1.6: a made-up manual) × cycle_ns"],
        evidence: &["answers = 1: it was done", "linear"],
        bounds: &["> 1 ns: it takes time"],
        ..Operation::NEW
    };

    #[test]
    fn a_page_says_what_the_declaration_says() {
        let text = page(&MADE_UP, &BTreeMap::new());
        for part in [
            "# a made-up operation\n\n`made.up` · area cpu · revision 1 · latency",
            "**One iteration:** one thing.",
            "| standard | 2 | `n=1\\|2` |",
            "for the point `n=2`",
            "| work | hardware | `80 × clock.cycle_ns` |",
            "| 80 | 1.6 | a made-up manual |",
            "| `answers` | each trial | exactly 1 | the work was done | it was done |",
            "| smaller | `1` | it takes time |",
            "| R0, 3.1 | by hand \\| in vain |",
        ] {
            assert!(text.contains(part), "{part:?} is not in:\n{text}");
        }
        assert!(!text.contains("Flawed method"));
    }

    #[test]
    fn points_that_others_are_predicted_from_are_primitives() {
        let primitives =
            BTreeMap::from([(PointId::new("made.up", "n=1"), 2), (PointId::new("made.part", ""), 1)]);
        let text = page(&MADE_UP, &primitives);
        assert!(text.contains("**Primitive:** `made.up n=1` is measured for T1 of 2 operations"), "{text}");
        assert!(!text.contains("made.part"));
    }

    #[test]
    fn a_flawed_method_warns_first() {
        let flawed = flawed::methods().next().unwrap();
        let text = page(&flawed.card, &BTreeMap::new());
        let warning = text.find(&format!("do not rely on its number.** {}", flawed.wrong)).unwrap();
        assert!(warning < text.find("**One iteration").unwrap());
    }
}
