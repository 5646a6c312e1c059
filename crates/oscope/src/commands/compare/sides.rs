//! The sides of a comparison: each is one run, or several.

use super::subjects::{self, Subject, analysed, names};
use crate::arguments::Compare as Arguments;
use crate::exit::usage;
use crate::notice::notice;
use crate::{Operations, baselines, records, select};
use analysis::{Analysis, Compare};
use report::ComparedRecord;
use std::path::PathBuf;

/// The runs of a side, under one name.
pub(super) struct ComparedRuns {
    name: String,
    runs: Vec<(Subject, Analysis)>,
}

impl ComparedRuns {
    /// One run, which has a name.
    fn alone(run: (Subject, Analysis)) -> Self {
        Self { name: run.0.name.clone(), runs: vec![run] }
    }

    /// Its first run by the name of the side.
    pub(super) fn compared_record(&self) -> Option<ComparedRecord<'_>> {
        let (first, _) = self.runs.first()?;
        Some(ComparedRecord { name: &self.name, ..first.compared_record() })
    }

    pub(super) fn runs(&self) -> Vec<Compare<'_>> {
        self.runs.iter().map(|(subject, analysis)| subject.compare(analysis)).collect()
    }

    /// Why one of its runs has not ended by itself.
    pub(super) fn unfinished(&self) -> Option<&'static str> {
        self.runs.iter().find_map(|(subject, _)| subject.unfinished)
    }

    /// Whether the runs of both sides alternate: each pair is over before the next begins, whichever of the pair is first.
    pub(super) fn does_alternate_with(&self, other: &Self) -> bool {
        let [first, second] = [self, other].map(|side| {
            let starts = side.runs.iter().map(|(subject, _)| subject.started().to_owned());
            starts.collect::<Vec<_>>()
        });
        alternate(&first, &second)
    }
}

/// A record that is named more than once.
fn twice(records: &[PathBuf]) -> Option<&PathBuf> {
    let same = |path: &PathBuf| records.iter().filter(|other| *other == path).count();
    records.iter().find(|path| same(path) > 1)
}

/// The side that others are compared with, then the others; and whether all are of one run.
pub(super) fn sides(
    operations: Operations,
    arguments: &Arguments,
) -> anyhow::Result<(Vec<ComparedRuns>, bool)> {
    if let Some(at) = arguments.at {
        let [folder] = arguments.records.as_slice() else {
            return Err(usage("with --at, name the one directory that 'oscope watch --keep' wrote"));
        };
        let mut around = subjects::around(folder, at, arguments.window)?;
        if !arguments.only.is_empty() {
            let named = around.iter_mut().map(|(subject, analysis)| (subject.name.as_str(), analysis));
            select::keep(operations, &arguments.only, &mut named.collect::<Vec<_>>())?;
        }
        return Ok((around.into_iter().map(ComparedRuns::alone).collect(), false));
    }
    let records = records_of_sides(arguments)?;
    if let Some(twice) = twice(&records.concat()) {
        notice!("oscope: {} is compared with itself, which shows no change", twice.display());
    }
    if let [alone] = records.as_slice() {
        // It is compared with its environments, or with the newest record.
        let (runs, paired) =
            analysed(operations, alone, &arguments.label, &arguments.only, &arguments.history)?;
        return Ok((runs.into_iter().map(ComparedRuns::alone).collect(), paired));
    }
    let names = names_of_sides(arguments, &records)?;
    let of_runs = records.iter().zip(&names).flat_map(|(side, name)| vec![name.clone(); side.len()]);
    let of_runs: Vec<String> = of_runs.collect();
    let (runs, paired) =
        analysed(operations, &records.concat(), &of_runs, &arguments.only, &arguments.history)?;
    let mut runs = runs.into_iter();
    let sides = records.iter().zip(names);
    let sides =
        sides.map(|(records, name)| ComparedRuns { name, runs: runs.by_ref().take(records.len()).collect() });
    Ok((sides.collect(), paired))
}

/// The records of each side: those of the baseline or of --with together, others each by itself.
fn records_of_sides(arguments: &Arguments) -> anyhow::Result<Vec<Vec<PathBuf>>> {
    let Arguments { records, with, baseline, .. } = arguments;
    let alone = records.iter().map(|record| vec![record.clone()]);
    let sides = match baseline {
        None if with.is_empty() => alone.collect(),
        None => vec![records.clone(), with.clone()],
        Some(name) => {
            let others = match (records.is_empty(), with.is_empty()) {
                (true, true) => vec![vec![records::newest()?]],
                (true, false) => vec![with.clone()],
                (false, true) => alone.collect(),
                (false, false) => {
                    return Err(usage("--baseline names the first side: no records stand before --with"));
                }
            };
            std::iter::once(baselines::saved(name)?).chain(others).collect()
        }
    };
    sides.iter().try_for_each(|side: &Vec<PathBuf>| records::are_distinct(side))?;
    Ok(sides)
}

/// What the sides are called: as the user says, or by the baseline, or by their first records.
fn names_of_sides(arguments: &Arguments, sides: &[Vec<PathBuf>]) -> anyhow::Result<Vec<String>> {
    let firsts: Vec<PathBuf> = sides.iter().filter_map(|side| side.first()).cloned().collect();
    let names = names(&firsts, &arguments.label)?;
    if !arguments.label.is_empty() {
        return Ok(names);
    }
    let sides = names.into_iter().zip(sides).enumerate();
    let named = sides.map(|(at, (name, side))| match (&arguments.baseline, side.len()) {
        (Some(baseline), 1) if at == 0 => baseline.clone(),
        (Some(baseline), runs) if at == 0 => format!("{baseline} ({runs} runs)"),
        (_, 0 | 1) => name,
        (_, runs) => format!("{name} and {} more", runs - 1),
    });
    Ok(named.collect())
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
