//! Figures of a point: per iteration, from pairs of batches of several boots, each with its noise floor.

use crate::thresholds::{ENOUGH_PAIRS, FEW_PAIRS, LEAST_UNDISTURBED};
use crate::windows::{COLUMNS, Columns, USER, Window, Windows};
use measure::counting::{Counted, CountedSeries};
use record::{PointId, Role, Skip};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A figure of a point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Per iteration: the median over the boots of the median over the pairs of a boot.
    pub value: f64,
    /// What boots, or the middle pairs of a boot, differ by: a smaller difference shows nothing.
    pub floor: f64,
}

impl Figure {
    /// Whether each iteration has the same whole number, which then depends on no number of iterations: what happens once in several
    /// of them would leave a fraction, or a spread.
    pub fn is_exact(self) -> bool {
        self.floor == 0.0 && self.value.fract() == 0.0
    }
}

/// What was counted of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointCount {
    /// The point.
    pub id: PointId,
    /// Iterations of the shorter batch.
    pub n: u64,
    /// Whether only the virtual clock counted it, by which a string instruction counts once per turn.
    #[serde(default)]
    pub by_clock: bool,
    /// Figures by their names: instructions, user, locked, ...
    pub figures: BTreeMap<String, Figure>,
    /// Instructions of an iteration of the control, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<f64>,
    /// Switches of the actors in an iteration.
    #[serde(default)]
    pub switches: f64,
    /// Functions of the kernel, per iteration.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub functions: BTreeMap<String, FunctionCount>,
}

/// What was counted of a function, per iteration of the point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionCount {
    /// In the order of [`COLUMNS`].
    pub columns: Columns,
    /// What boots differ by in its instructions.
    pub floor: f64,
}

/// A point that was not counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skipped {
    /// The point.
    pub id: PointId,
    /// Why, and what would help.
    #[serde(flatten)]
    pub why: Skip,
    /// Whether it failed; otherwise it cannot be counted.
    #[serde(default)]
    pub failed: bool,
}

/// One pair of batches: figures and functions per iteration.
#[derive(Debug, Clone, Default, PartialEq)]
struct Pair {
    figures: BTreeMap<String, f64>,
    functions: BTreeMap<String, Columns>,
    /// Whether neither an interrupt nor a kernel thread ran in it.
    is_undisturbed: bool,
}

/// Figures that are of a batch of n iterations and not per iteration: the working set of the path.
const DISTINCT: [&str; 4] = ["data_lines", "data_pages", "code_lines", "code_pages"];

/// What was counted of the point of this index by these boots; why not where a boot has not counted it.
pub fn point(
    index: usize,
    id: &PointId,
    boots: &[(Option<&Counted>, &Windows)],
) -> Result<PointCount, Box<Skipped>> {
    let skipped = |why: Skip, failed| Box::new(Skipped { id: id.clone(), why, failed });
    let failure = |reason: String| skipped(Skip { reason, remedy: String::new() }, true);
    let mut counted = Vec::new();
    for (result, windows) in boots {
        match result {
            Some(Counted::Batches { series, switches }) => counted.push((series, *switches, *windows)),
            Some(Counted::Skipped(why)) => return Err(skipped(why.clone(), false)),
            Some(Counted::Failed { reason }) => return Err(failure(reason.clone())),
            None => return Err(failure("the kernel ended before this point".to_owned())),
        }
    }
    let main = |series: &[CountedSeries], role| series.iter().find(|one| one.role == role).cloned();
    let of_boots: Vec<(CountedSeries, Vec<Pair>)> = counted
        .iter()
        .filter_map(|(series, _, windows)| {
            let series = main(series, Role::Main)?;
            let pairs = pairs(index, &series, windows);
            Some((series, pairs))
        })
        .collect();
    let Some((first, _)) = of_boots.first() else {
        return Err(failure("no batch was counted".to_owned()));
    };
    // Where boots found other numbers of iterations, only those with the first one's are comparable.
    let boots: Vec<&[Pair]> = of_boots
        .iter()
        .filter(|(series, _)| series.n == first.n)
        .map(|(_, pairs)| pairs.as_slice())
        .collect();
    let representatives: Vec<&Pair> = boots.iter().filter_map(|pairs| middle(pairs)).collect();
    let control = counted.iter().filter_map(|(series, _, windows)| {
        let series = main(series, Role::Control)?;
        let pairs = pairs(index, &series, windows);
        middle(&pairs)?.figures.get("instructions").copied()
    });
    let switches = counted.iter().map(|(_, switches, _)| *switches);
    Ok(PointCount {
        id: id.clone(),
        n: first.n,
        by_clock: representatives.iter().all(|pair| pair.functions.is_empty()),
        figures: figures(&boots),
        control: median(&control.collect::<Vec<_>>()),
        switches: median(&switches.collect::<Vec<_>>()).unwrap_or(0.0),
        functions: functions(&representatives),
    })
}

/// The pairs of a series: by the plugin's windows, or else by the virtual clock.
fn pairs(index: usize, series: &CountedSeries, windows: &Windows) -> Vec<Pair> {
    let window = |pair, n| windows.get(&(index, series.role == Role::Main, pair, n));
    let pairs = series.pairs.iter().enumerate().map(|(pair, [shorter, longer])| {
        match (window(pair, series.n), window(pair, 4 * series.n)) {
            (Some(shorter), Some(longer)) => Pair::of_windows(shorter, longer, series.n),
            _ => Pair {
                figures: [("instructions".to_owned(), (longer - shorter) as f64 / (3 * series.n) as f64)]
                    .into(),
                ..Pair::default()
            },
        }
    });
    let pairs: Vec<Pair> = pairs.collect();
    let undisturbed: Vec<Pair> = pairs.iter().filter(|pair| pair.is_undisturbed).cloned().collect();
    if undisturbed.len() >= LEAST_UNDISTURBED { undisturbed } else { pairs }
}

impl Pair {
    fn of_windows(shorter: &Window, longer: &Window, n: u64) -> Self {
        let per = |longer: f64, shorter: f64| (longer - shorter) / (3 * n) as f64;
        let difference = |longer: &Columns, shorter: &Columns| {
            let mut columns = *longer;
            columns.iter_mut().zip(shorter).for_each(|(longer, shorter)| *longer = per(*longer, *shorter));
            columns
        };
        let names = longer.functions.keys().chain(shorter.functions.keys());
        let zero = Columns::default();
        let functions: BTreeMap<String, Columns> = names
            .map(|name| {
                let of = |window: &Window| window.functions.get(name).copied().unwrap_or(zero);
                (name.clone(), difference(&of(longer), &of(shorter)))
            })
            .collect();
        let total = difference(&longer.sum(|_| true), &shorter.sum(|_| true));
        let user = functions.get(USER).map_or(0.0, |columns| columns[0]);
        let mut figures: BTreeMap<String, f64> =
            COLUMNS.iter().zip(total).map(|(name, value)| ((*name).to_owned(), value)).collect();
        figures.insert("user".to_owned(), user);
        figures.insert("kernel".to_owned(), total[0] - user);
        figures.insert("deferred".to_owned(), per(longer.deferred, shorter.deferred));
        for (name, count) in &longer.events {
            let less = shorter.events.get(name).copied().unwrap_or(0.0);
            let value = if DISTINCT.contains(&name.as_str()) { less } else { per(*count, less) };
            figures.insert(name.clone(), value);
        }
        let is_undisturbed = [shorter, longer].iter().all(|window| {
            window.deferred == 0.0 && window.events.get("interrupts").is_none_or(|count| *count == 0.0)
        });
        Self { figures, functions, is_undisturbed }
    }
}

/// The pair with the median number of instructions.
fn middle(pairs: &[Pair]) -> Option<&Pair> {
    let mut sorted: Vec<&Pair> = pairs.iter().collect();
    let of = |pair: &Pair| pair.figures.get("instructions").copied().unwrap_or(0.0);
    sorted.sort_by(|a, b| of(a).total_cmp(&of(b)));
    sorted.get(sorted.len() / 2).copied()
}

/// The median, which is one of the values: no mean of two counts was ever counted.
fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

/// What values differ by.
fn spread(values: &[f64]) -> f64 {
    let (low, high) =
        values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
    (high - low).max(0.0)
}

/// What the middle of the pairs of a boot differ by: a tick falls into one pair of five at most.
fn spread_of_middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quarter = sorted.len() / 4;
    spread(sorted.get(quarter..sorted.len() - quarter).unwrap_or_default())
}

fn figures(boots: &[&[Pair]]) -> BTreeMap<String, Figure> {
    let names: std::collections::BTreeSet<&String> =
        boots.iter().flat_map(|pairs| pairs.iter()).flat_map(|pair| pair.figures.keys()).collect();
    let figures = names.into_iter().map(|name| {
        let values = |pairs: &[Pair]| -> Vec<f64> {
            pairs.iter().filter_map(|pair| pair.figures.get(name)).copied().collect()
        };
        let medians: Vec<f64> = boots.iter().filter_map(|pairs| median(&values(pairs))).collect();
        let within = boots.iter().map(|pairs| spread_of_middle(&values(pairs)));
        let value = median(&medians).unwrap_or(0.0);
        let pairs: usize = boots.iter().map(|pairs| pairs.len()).sum();
        let least = if pairs < ENOUGH_PAIRS { FEW_PAIRS * value.abs() } else { 0.0 };
        (name.clone(), Figure { value, floor: within.fold(spread(&medians).max(least), f64::max) })
    });
    figures.collect()
}

/// The functions of the boot with the median total, each with what boots differ by in it.
fn functions(boots: &[&Pair]) -> BTreeMap<String, FunctionCount> {
    let mut sorted = boots.to_vec();
    let of = |pair: &Pair| pair.figures.get("instructions").copied().unwrap_or(0.0);
    sorted.sort_by(|a, b| of(a).total_cmp(&of(b)));
    let Some(middle) = sorted.get(sorted.len() / 2) else { return BTreeMap::new() };
    let counts = middle.functions.iter().map(|(name, columns)| {
        let values = boots.iter().map(|pair| pair.functions.get(name).map_or(0.0, |columns| columns[0]));
        (name.clone(), FunctionCount { columns: *columns, floor: spread(&values.collect::<Vec<_>>()) })
    });
    counts.filter(|(_, count)| count.columns.iter().any(|column| *column != 0.0)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A boot of a point with an iteration of 10 user and `kernel` instructions, 7 around each batch, a tick in the pair `tick`.
    fn boot(kernel: f64, tick: Option<usize>) -> (Counted, Windows) {
        let n = 100;
        let mut windows = Windows::new();
        for (pair, n) in (0..5).flat_map(|pair| [(pair, n), (pair, 4 * n)]) {
            let late = if tick == Some(pair) && n > 100 { 6_000.0 } else { 0.0 };
            let columns = |instructions: f64| {
                let mut columns = Columns::default();
                columns[0] = instructions;
                columns
            };
            let window = Window {
                events: [("syscalls".to_owned(), n as f64), ("data_lines".to_owned(), 25.0)].into(),
                functions: [
                    (USER.to_owned(), columns(10.0 * n as f64 + 7.0)),
                    ("vfs_write".to_owned(), columns(kernel * n as f64 + late)),
                ]
                .into(),
                deferred: late,
            };
            windows.insert((0, true, pair, n), window);
        }
        let series = CountedSeries { role: Role::Main, n, pairs: vec![[0, 0]; 5], is_of_parts: false };
        (Counted::Batches { series: vec![series], switches: 0.0 }, windows)
    }

    #[test]
    fn few_pairs_have_no_floor_of_0() {
        let (Counted::Batches { mut series, .. }, windows) = boot(990.0, None) else { panic!() };
        series[0].pairs.truncate(1);
        let few = (Counted::Batches { series, switches: 0.0 }, windows);
        assert_eq!(counted(&[few]).unwrap().figures["instructions"], Figure { value: 1_000.0, floor: 5.0 });
    }

    fn counted(boots: &[(Counted, Windows)]) -> Result<PointCount, Box<Skipped>> {
        let boots: Vec<_> = boots.iter().map(|(counted, windows)| (Some(counted), windows)).collect();
        point(0, &PointId::new("syscall.write", ""), &boots)
    }

    #[test]
    fn point_is_counted_exactly_in_spite_of_a_tick() {
        let point = counted(&[boot(316.0, None), boot(316.0, Some(2)), boot(316.0, Some(0))]).unwrap();
        assert_eq!(point.figures["instructions"], Figure { value: 326.0, floor: 0.0 });
        assert_eq!((point.figures["user"].value, point.figures["kernel"].value), (10.0, 316.0));
        assert_eq!((point.figures["syscalls"].value, point.figures["data_lines"].value), (1.0, 25.0));
        assert_eq!(point.functions["vfs_write"].columns[0], 316.0);
        assert!(!point.by_clock);
    }

    #[test]
    fn floor_is_what_boots_differ_by() {
        let point = counted(&[boot(316.0, None), boot(318.0, None), boot(317.0, None)]).unwrap();
        assert_eq!(point.figures["instructions"], Figure { value: 327.0, floor: 2.0 });
        assert_eq!(point.functions["vfs_write"].floor, 2.0);
    }

    #[test]
    fn totals_of_the_clock_stand_where_there_is_no_plugin() {
        let (_, none) = (0, Windows::new());
        let series =
            CountedSeries { role: Role::Main, n: 100, pairs: vec![[1_000, 3_700]; 5], is_of_parts: true };
        let counted = Counted::Batches { series: vec![series], switches: 2.0 };
        let point = point(0, &PointId::new("a.b", ""), &[(Some(&counted), &none)]).unwrap();
        assert_eq!(point.figures["instructions"].value, 9.0);
        assert!(point.by_clock && point.switches == 2.0);
    }

    #[test]
    fn point_that_a_boot_has_not_counted_is_skipped_for_its_reason() {
        let failed = (Counted::Failed { reason: "denied".into() }, Windows::new());
        assert!(counted(&[boot(1.0, None), failed]).unwrap_err().failed);
        let none = Windows::new();
        let lost = point(0, &PointId::new("a.b", ""), &[(None, &none)]).unwrap_err();
        assert!(lost.why.reason.contains("ended before"));
    }
}
