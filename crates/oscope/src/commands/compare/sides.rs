//! Several records on each side.

use super::judged::show_and_judge;
use super::subjects::{Subject, analysed};
use crate::Operations;
use crate::arguments::Compare as Arguments;
use crate::exit::{Exit, nothing, usage};
use analysis::{Analysis, Limits};
use report::ComparedRecord;

pub(super) fn run(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    let paths = [arguments.records.as_slice(), &arguments.with].concat();
    let (analysed, _) = analysed(operations, &paths, &[], &arguments.only, &arguments.history)?;
    let (first, second) = analysed.split_at(arguments.records.len());
    let names = match arguments.label.as_slice() {
        [] => [first, second].map(name),
        [one, other] => [one.clone(), other.clone()],
        more => return Err(usage(format!("two sides need two labels, not {}", more.len()))),
    };
    let limits = Limits { least: arguments.least.unwrap_or(Limits::default().least), ..Limits::default() };
    let [before, after] = [first, second].map(|side| {
        let runs = side.iter().map(|(subject, analysis)| subject.compare(analysis));
        runs.collect::<Vec<_>>()
    });
    let comparison = analysis::compare_runs(&before, &after, do_alternate(first, second), &limits);
    let (Some(comparison), Some((one, _)), Some((other, _))) = (comparison, first.first(), second.first())
    else {
        return Err(nothing("each side needs a record"));
    };
    let [one, other] = [(one, &names[0]), (other, &names[1])]
        .map(|(subject, name)| ComparedRecord { name, ..subject.compared_record() });
    let unfinished = second.iter().find_map(|(subject, _)| subject.unfinished);
    show_and_judge(operations, arguments, one, &[(other, comparison)], &[unfinished])
}

/// What a side is called: its first record, and how many more it has.
fn name(side: &[(Subject, Analysis)]) -> String {
    let first = side.first().map_or("", |(subject, _)| subject.name.as_str());
    match side.len().saturating_sub(1) {
        0 => first.to_owned(),
        more => format!("{first} and {more} more"),
    }
}

/// Whether the runs of both sides alternate: each pair is over before the next begins, whichever of the pair is first.
fn do_alternate(first: &[(Subject, Analysis)], second: &[(Subject, Analysis)]) -> bool {
    let starts = |side: &[(Subject, Analysis)]| -> Vec<String> {
        side.iter().map(|(subject, _)| subject.started().to_owned()).collect()
    };
    alternate(&starts(first), &starts(second))
}

fn alternate(first: &[String], second: &[String]) -> bool {
    let pairs: Vec<(&String, &String)> =
        first.iter().zip(second).map(|(one, other)| (one.min(other), one.max(other))).collect();
    first.len() == second.len()
        && first.len() > 1
        && pairs.windows(2).all(|two| match two {
            [(_, ended), (next, _)] => ended < next,
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_alternate_where_each_pair_is_over_before_the_next() {
        let times = |times: &[u32]| times.iter().map(|time| format!("{time:02}")).collect::<Vec<_>>();
        for (first, second, expected) in [
            (&[1, 4, 5][..], &[2, 3, 6][..], true),
            (&[1, 3], &[2, 4], true),
            (&[1, 2], &[3, 4], false),
            (&[1], &[2], false),
            (&[1, 3], &[2], false),
        ] {
            assert_eq!(alternate(&times(first), &times(second)), expected, "{first:?} {second:?}");
        }
    }
}
