//! Why a row is off its prediction, in words: a line for tables, and the whole reasoning.

use crate::wording::{count, few, joined, many, some_joined};
use analysis::{CallsBeyond, Deviation, Ingredient, Interposer, LikelyReason, Row};
use quantity::{Quantity, show, show_percent, show_ratio};
use record::{Machine, PointId};

/// Points that a line names; the whole reasoning names more.
const NAMED_BRIEFLY: usize = 1;
const NAMED: usize = 6;

/// The factor and the reason in a line.
pub(crate) fn brief(deviation: &Deviation, quantity: Quantity) -> String {
    let why = why(deviation, quantity).map_or_else(String::new, |why| format!(", {why}"));
    format!("{}{why}", show_ratio(deviation.ratio))
}

/// The reason in a line, without the factor; `None` where nothing is known.
pub(crate) fn why(deviation: &Deviation, quantity: Quantity) -> Option<String> {
    Some(match &deviation.reason {
        LikelyReason::SharedCore(slowdown) => {
            format!("likely the shared core: {} while shared", show_ratio(*slowdown))
        }
        LikelyReason::OtherState(mode) => {
            format!("one state ({}) is within what was predicted", show(mode.at, None, quantity))
        }
        LikelyReason::Switches { counted, expected } => {
            format!("likely {} switches instead of {expected}", count(*counted))
        }
        LikelyReason::Shared { ingredients, factor, others, .. } => {
            let (name, others) = (ingredients.first().map(name), names(others, NAMED_BRIEFLY));
            let factor = show_ratio(*factor);
            let factor = factor.trim_end_matches('×');
            format!("likely {} × {factor}, as for {others}", name.unwrap_or_default())
        }
        LikelyReason::OtherPoint { other, measured, predicted, terms } => {
            let [measured, predicted] = [measured, predicted].map(|value| show(*value, None, quantity));
            let of = quoted(terms).map_or_else(String::new, |terms| format!(" for {terms}"));
            format!("[{}] is as predicted; they differ by {measured} instead of {predicted}{of}", other.point)
        }
        LikelyReason::CheaperPoint { other, by, predicted } => {
            let by = show(*by, None, quantity);
            let predicted =
                predicted.map(|predicted| format!(" instead of {}", show(predicted, None, quantity)));
            format!("[{}] costs {by} less{}", other.point, predicted.unwrap_or_default())
        }
        LikelyReason::Parts { parts, rest, predicted, terms } => {
            beside_parts([*parts, *rest, *predicted], terms, quantity)
        }
        LikelyReason::UnknownParts { point, .. } => format!(
            "a guess from facts and constants; its parts would tell → oscope run '{point}' --with-parts"
        ),
        LikelyReason::Published { point, other_points: false } if !point.point.is_empty() => format!(
            "a guess from facts and constants; its other points would tell → oscope run '{}'",
            point.operation
        ),
        LikelyReason::Published { .. } => {
            "a guess from facts and constants; other machines would tell → oscope report machines".to_owned()
        }
        LikelyReason::Untested { run, .. } => format!("undecided → {}", command(run)),
        LikelyReason::RunsUnder { interposers, point, .. } => {
            format!("likely {}, not proven → {}", under(interposers), without(interposers, point))
        }
        LikelyReason::Unexplained => return None,
    })
}

/// The factor and the whole reasoning.
pub(crate) fn text(deviation: &Deviation, quantity: Quantity) -> String {
    let off = format!("{} its prediction", show_ratio(deviation.ratio));
    let reasoning = match &deviation.reason {
        LikelyReason::SharedCore(slowdown) => format!(
            "it was measured on shared cores, where it costs {} of what it costs on quiet ones",
            show_ratio(*slowdown)
        ),
        LikelyReason::OtherState(mode) => format!(
            "its samples have several states, and one of them, {} with {} of the samples, lies within the prediction",
            show(mode.at, None, quantity),
            show_percent(mode.share)
        ),
        LikelyReason::Switches { counted, expected } => format!(
            "{} switches were counted per iteration, the prediction is of {expected}",
            count(*counted)
        ),
        LikelyReason::Shared { ingredients, factor, others, against, remaining } => {
            shared(ingredients, *factor, (others, *against), *remaining)
        }
        LikelyReason::Untested { ingredient, run } => {
            let (name, command) = (name(ingredient), command(run));
            format!(
                "its largest ingredient is {name}; the points that would show whether that is off are too noisy \
                 → {command} --profile thorough"
            )
        }
        LikelyReason::UnknownParts { point, parts } => format!(
            "the prediction is from facts and constants alone, because {} {} not measured in this run, or not well \
             enough ({}) → oscope run '{point}' --with-parts",
            many(parts.len(), "part"),
            if parts.len() == 1 { "was" } else { "were" },
            names(parts, NAMED)
        ),
        LikelyReason::OtherPoint { .. }
        | LikelyReason::CheaperPoint { .. }
        | LikelyReason::Parts { .. }
        | LikelyReason::Published { .. } => why(deviation, quantity).unwrap_or_default(),
        LikelyReason::RunsUnder { interposers, point, calls } => {
            let calls = calls.as_ref().map_or_else(String::new, |calls| calls_beyond(calls, quantity));
            format!("likely {}{calls}, not proven → {}", under(interposers), without(interposers, point))
        }
        LikelyReason::Unexplained => {
            "none of its ingredients is off by the same factor in other points, and no counter explains it"
                .to_owned()
        }
    };
    format!("{off}: {reasoning}")
}

/// What the measured parts make of a time, and how the rest stands to what was published of it.
fn beside_parts([parts, rest, predicted]: [f64; 3], terms: &[String], quantity: Quantity) -> String {
    let [parts, shown_rest] = [parts, rest.abs()].map(|value| show(value, None, quantity));
    match quoted(terms) {
        _ if rest < 0.0 => {
            format!("its parts, measured in this run, cost {parts} alone: {shown_rest} more than the whole")
        }
        Some(terms) if predicted > 0.0 => format!(
            "its parts, measured in this run, make {parts}; the rest, {shown_rest}, is {} the {} published for {terms}",
            show_ratio(rest / predicted),
            show(predicted, None, quantity)
        ),
        _ => format!(
            "its parts, measured in this run, make {parts}; their combination costs {shown_rest} more"
        ),
    }
}

/// What a run was under.
fn under(interposers: &[Interposer]) -> String {
    let names = interposers.iter().map(|one| match one {
        Interposer::SeccompFilter => "the seccomp filter".to_owned(),
        Interposer::Tracer => "the tracer".to_owned(),
        Interposer::Library { files, by } => format!("{files}, preloaded by {by},"),
    });
    format!("{} that this run was under", joined(names, " and "))
}

/// What a run was under, and what each of them is passed by; `None` where it was under nothing. Of a row, that which it passes.
pub fn run_under(machine: &Machine, row: Option<&Row>) -> Option<String> {
    let passes = |one: &Interposer| {
        let is_library = matches!(one, Interposer::Library { .. });
        is_library || row.is_none_or(|row| row.system_calls().is_some())
    };
    let found: Vec<Interposer> = analysis::interposers(machine).into_iter().filter(passes).collect();
    let names = found.iter().map(|one| match one {
        Interposer::SeccompFilter => "a seccomp filter, which every system call passes".to_owned(),
        Interposer::Tracer => "a tracer, which may stop every system call".to_owned(),
        Interposer::Library { files, by } => format!("{files}, preloaded by {by}"),
    });
    let names = some_joined(names, "; ")?;
    let point = row.map_or_else(|| PointId::new("POINT", ""), |row| row.point.id.clone());
    Some(format!("{names} → {}", without(&found, &point)))
}

/// What shows whether that is the reason: workers without a variable, beside those with it, or else another run.
fn without(interposers: &[Interposer], point: &PointId) -> String {
    let variables = interposers.iter().filter_map(|one| match one {
        Interposer::Library { by, .. } if !by.starts_with('/') => Some(format!(" -u {by}")),
        _ => None,
    });
    let unset: Vec<String> = variables.collect();
    match unset.len() == interposers.len() {
        true => format!("oscope run '{point}' --versus without='env{}'", unset.concat()),
        false => {
            let it = if interposers.len() == 1 { "it" } else { "them" };
            format!("oscope run '{point}' without {it}, then oscope compare")
        }
    }
}

/// What system calls cost beyond their prediction where each passes a filter or a tracer.
fn calls_beyond(calls: &CallsBeyond, quantity: Quantity) -> String {
    let (ns, like) = (show(calls.ns, None, quantity), &calls.like);
    format!(
        " ({} of an iteration, and [{like}] costs {ns} more than predicted)",
        many(calls.count as usize, "system call")
    )
}

/// The names of terms in quotation marks; `None` without any.
fn quoted(terms: &[String]) -> Option<String> {
    let name = |term: &String| format!("\u{201c}{}\u{201d}", term.split(',').next().unwrap_or_default());
    some_joined(terms.iter().map(name), " and ")
}

fn shared(
    ingredients: &[Ingredient],
    factor: f64,
    (others, against): (&[PointId], usize),
    remaining: f64,
) -> String {
    let several = " (they occur in the same points and cannot be separated)";
    let apart = if ingredients.len() > 1 { several } else { "" };
    let against = match against {
        0 => String::new(),
        some => format!(", against {}", many(some, "point")),
    };
    let (likely, [factor, remaining]) =
        (joined(ingredients.iter().map(name), " or "), [factor, remaining].map(show_ratio));
    let (count, named) = (many(others.len(), "other point"), names(others, NAMED));
    format!(
        "likely {likely}{apart}: the same factor, {factor}, explains {count} ({named}){against}; with it this point \
         is at {remaining} of its prediction"
    )
}

/// What an ingredient is called.
fn name(ingredient: &Ingredient) -> String {
    match ingredient {
        Ingredient::Part(point) => format!("[{point}]"),
        Ingredient::Fact(key) => key.clone(),
        Ingredient::Number(source) => format!("\u{201c}{source}\u{201d}"),
    }
}

/// The first of these points, and how many there are more.
fn names(points: &[PointId], most: usize) -> String {
    few(&points.iter().map(ToString::to_string).collect::<Vec<_>>(), most)
}

fn command(run: &[PointId]) -> String {
    format!("oscope run {}", joined(run.iter().map(|point| format!("'{point}'")), " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::{Judged, Mode};
    use record::{Fact, FactValue, Witness};

    fn both(reason: LikelyReason) -> [String; 2] {
        let deviation = Deviation { ratio: 2.0, reason };
        [brief(&deviation, Quantity::Latency), text(&deviation, Quantity::Latency)]
    }

    fn point(id: &str) -> PointId {
        PointId::new(id, "cpu=same")
    }

    fn shared(ingredients: Vec<Ingredient>, against: usize) -> LikelyReason {
        LikelyReason::Shared {
            ingredients,
            factor: 1.9,
            others: ["a", "b", "c"].map(point).to_vec(),
            against,
            remaining: 1.05,
        }
    }

    #[test]
    fn a_shared_ingredient_is_named_with_its_witnesses() {
        let [brief, text] = both(shared(vec![Ingredient::Part(point("wake"))], 0));
        assert_eq!(brief, "2.00×, likely [wake cpu=same] × 1.90, as for a cpu=same and 2 more");
        assert_eq!(
            text,
            "2.00× its prediction: likely [wake cpu=same]: the same factor, 1.90×, explains 3 other points (a cpu=same, \
             b cpu=same, c cpu=same); with it this point is at 1.05× of its prediction"
        );
        let two =
            vec![Ingredient::Fact("family.cycles".to_owned()), Ingredient::Number("counted".to_owned())];
        let [_, text] = both(shared(two, 1));
        assert!(
            text.contains("family.cycles or \u{201c}counted\u{201d} (they occur in the same points"),
            "{text}"
        );
        assert!(text.contains(", against 1 point;"), "{text}");
    }

    #[test]
    fn measured_parts_and_points_say_where_the_deviation_lies() {
        let parts = |rest, predicted, terms: &[&str]| {
            let terms = terms.iter().map(|term| (*term).to_owned()).collect();
            both(LikelyReason::Parts { parts: 1400.0, rest, predicted, terms })[0].clone()
        };
        assert_eq!(
            parts(420.0, 144.0, &["handler, of 4 KiB"]),
            "2.00×, its parts, measured in this run, make 1.40 µs; the rest, 420 ns, is 2.92× the 144 ns published for \
             “handler”"
        );
        assert!(parts(420.0, 0.0, &[]).ends_with("; their combination costs 420 ns more"));
        assert!(
            parts(-420.0, 144.0, &["handler"]).ends_with("cost 1.40 µs alone: 420 ns more than the whole")
        );
        let (other, terms) = (PointId::new("a", "method=raw"), vec!["C library".to_owned()]);
        let [brief, _] = both(LikelyReason::OtherPoint { other, measured: 47.0, predicted: 1.9, terms });
        assert_eq!(
            brief,
            "2.00×, [method=raw] is as predicted; they differ by 47.0 ns instead of 1.90 ns for “C library”"
        );
        let other = PointId::new("a", "page_size=2MiB");
        let [brief, _] = both(LikelyReason::CheaperPoint { other, by: 49.0, predicted: Some(10.2) });
        assert_eq!(brief, "2.00×, [page_size=2MiB] costs 49.0 ns less instead of 10.2 ns");
    }

    #[test]
    fn predictions_from_published_numbers_name_the_run_that_would_tell() {
        let own = PointId::new("a.b", "n=1");
        let unknown = LikelyReason::UnknownParts { point: own.clone(), parts: vec![point("part")] };
        let [brief, text] = both(unknown);
        assert!(brief.ends_with("its parts would tell → oscope run 'a.b n=1' --with-parts"), "{brief}");
        assert!(
            text.contains("because 1 part was not measured in this run, or not well enough (part"),
            "{text}"
        );
        for (other_points, expected) in [(false, "oscope run 'a.b'"), (true, "oscope report machines")] {
            let [brief, _] = both(LikelyReason::Published { point: own.clone(), other_points });
            assert!(brief.ends_with(expected), "{brief}");
        }
    }

    #[test]
    fn what_a_run_was_under_is_a_fact_of_rows_that_pass_it() {
        let fact = |value: &str| Fact {
            key: "environment.seccomp".to_owned(),
            value: FactValue::Text { text: value.to_owned() },
            source: String::new(),
            within: None,
            assumed: false,
        };
        let machine = |value: &str| Machine { facts: vec![fact(value)] };
        let expected = "a seccomp filter, which every system call passes → oscope run 'POINT' without it, then oscope compare";
        assert_eq!(run_under(&machine("filter"), None).as_deref(), Some(expected));
        assert_eq!(run_under(&machine("off"), None), None);
        let witness = Witness { counter: "calls".to_owned(), ..Witness::default() };
        let calls = |counted: f64| Row {
            witnesses: vec![Judged { witness: witness.clone(), counted: Some(counted), ..Judged::default() }],
            ..Row::default()
        };
        assert!(run_under(&machine("filter"), Some(&calls(1.0))).is_some());
        assert_eq!(run_under(&machine("filter"), Some(&calls(0.0))), None);
    }

    #[test]
    fn what_a_run_was_under_is_named_with_the_command_that_would_prove_it() {
        let library = |by: &str| Interposer::Library { files: "/lib/a.so".to_owned(), by: by.to_owned() };
        for (interposers, expected) in [
            (
                vec![Interposer::SeccompFilter],
                "likely the seccomp filter that this run was under, not proven → oscope run 'a cpu=same' without it, \
                 then oscope compare",
            ),
            (
                vec![Interposer::SeccompFilter, Interposer::Tracer],
                "likely the seccomp filter and the tracer that this run was under, not proven → oscope run 'a cpu=same' \
                 without them, then oscope compare",
            ),
            (
                vec![library("LD_PRELOAD")],
                "likely /lib/a.so, preloaded by LD_PRELOAD, that this run was under, not proven → oscope run 'a \
                 cpu=same' --versus without='env -u LD_PRELOAD'",
            ),
            (
                vec![library("/etc/ld.so.preload")],
                "likely /lib/a.so, preloaded by /etc/ld.so.preload, that this run was under, not proven → oscope run \
                 'a cpu=same' without it, then oscope compare",
            ),
        ] {
            let reason = LikelyReason::RunsUnder { interposers, point: point("a"), calls: None };
            assert_eq!(
                both(reason),
                [format!("2.00×, {expected}"), format!("2.00× its prediction: {expected}")]
            );
        }
        let calls = Some(CallsBeyond { count: 2.0, like: point("call"), ns: 104.0 });
        let interposers = vec![Interposer::SeccompFilter];
        let [_, text] = both(LikelyReason::RunsUnder { interposers, point: point("a"), calls });
        let expected = "(2 system calls of an iteration, and [call cpu=same] costs 104 ns more than predicted), not proven";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn other_reasons_say_what_was_measured() {
        let mode = Mode { at: 812.0, share: 0.3 };
        let run = vec![point("a"), point("b")];
        let ingredient = Ingredient::Number("counted".to_owned());
        let switches = LikelyReason::Switches { counted: 3.9, expected: 2.0 };
        for (reason, expected) in [
            (LikelyReason::SharedCore(1.9), ["1.90× while shared", "on shared cores"]),
            (LikelyReason::OtherState(mode), ["812", "30 % of the samples"]),
            (switches, ["3.90 switches instead of 2", "3.90 switches were counted"]),
            (
                LikelyReason::Untested { ingredient, run },
                ["undecided → oscope run 'a cpu=same' 'b cpu=same'", "too noisy → oscope run"],
            ),
            (LikelyReason::Unexplained, ["2.00×", "none of its ingredients"]),
        ] {
            for (text, expected) in both(reason).iter().zip(expected) {
                assert!(text.starts_with("2.00×") && text.contains(expected), "{text}");
            }
        }
    }
}
