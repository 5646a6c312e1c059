//! Which machines and runs are called odd: three tests of a whole fleet, which share one error.
//!
//! A machine is tested by its points and as a whole, against the machines of its type; a run by its points, against the other
//! runs of its machine. Each test chooses among all that it tests in the fleet, whatever their type (Benjamini and Hochberg), at
//! its part of [`FALSE_SHARE`], so that at most this share of all that is called odd is so by chance.

use crate::odd::{Lie, Members, OddPoint, lies, odd_points, p_value};
use crate::siblings::Type;
use crate::table::{Fleet, Level, Machine};
use crate::thresholds::{FALSE_SHARE, LEAST_SIBLINGS};
use crate::whole::whole_p_values;
use stats::discoveries::discoveries;
use std::collections::{BTreeMap, BTreeSet};

/// A run that is not like the other runs of its machine.
#[derive(Debug, Clone, PartialEq)]
pub struct OddRun {
    /// The machine.
    pub machine: usize,
    /// Which of its runs.
    pub run: usize,
    /// The points in which it is odd, the furthest away first.
    pub points: Vec<OddPoint>,
}

impl OddRun {
    /// Whether it costs less than the other runs in everything in which it is odd.
    pub fn is_only_faster(&self) -> bool {
        self.points.iter().all(|point| point.ratio < 1.0)
    }
}

/// What is called odd in a type.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// Places of machines that are odd in single points.
    pub(crate) by_points: BTreeSet<usize>,
    /// Places of machines that are odd as wholes.
    pub(crate) as_wholes: BTreeSet<usize>,
    /// The odd runs of its machines.
    pub(crate) runs: Vec<OddRun>,
    /// How many of the machines tested by points, of all types, were chosen: a share.
    pub(crate) share: f64,
}

/// What is called odd, by the place of the type.
pub(crate) fn choose(fleet: &Fleet, types: &[Type], lies: &[Vec<Lie>]) -> BTreeMap<usize, Chosen> {
    let (mut by_points, mut as_wholes, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, (of, lies)) in types.iter().zip(lies).enumerate() {
        let wholes = whole_p_values(of.machines.len(), lies);
        as_wholes.extend(wholes.into_iter().enumerate().map(|(place, p)| ((kind, place), p)));
        for (place, index) in of.machines.iter().enumerate() {
            by_points.push(((kind, place), p_value(lies, place)));
            let machine = fleet.machines.get(*index);
            let of_runs = machine.map(|machine| run_p_values(machine, fleet.columns.len()));
            let of_runs = of_runs.into_iter().flatten().enumerate();
            runs.extend(of_runs.map(|(run, p)| ((kind, *index, run), p)));
        }
    }
    let (by_points, as_wholes, runs) = (Test::new(by_points), Test::new(as_wholes), Test::new(runs));
    let tests = [by_points.is_made(), as_wholes.is_made(), runs.is_made()];
    let rate = FALSE_SHARE / tests.iter().filter(|is_made| **is_made).count().max(1) as f64;
    let (odd, share) = by_points.chosen(rate);
    let mut chosen: BTreeMap<usize, Chosen> =
        (0..types.len()).map(|kind| (kind, Chosen { share, ..Chosen::default() })).collect();
    for (kind, place) in odd {
        chosen.entry(kind).or_default().by_points.insert(place);
    }
    for (kind, place) in as_wholes.chosen(rate).0 {
        chosen.entry(kind).or_default().as_wholes.insert(place);
    }
    let (odd, share) = runs.chosen(rate);
    for (kind, machine, run) in odd {
        let of = fleet.machines.get(machine);
        let points = of.map(|of| odd_points(&run_lies(of, fleet.columns.len()), run, share));
        let points = points.unwrap_or_default();
        if !points.is_empty() {
            chosen.entry(kind).or_default().runs.push(OddRun { machine, run, points });
        }
    }
    chosen
}

/// What a test finds of each member that it tests.
struct Test<K> {
    members: Vec<K>,
    p_values: Vec<f64>,
}

impl<K: Clone> Test<K> {
    /// Those that have a probability.
    fn new(members: Vec<(K, f64)>) -> Self {
        let (members, p_values) = members.into_iter().filter(|(_, p)| p.is_finite()).unzip();
        Self { members, p_values }
    }

    /// Whether anything is tested.
    fn is_made(&self) -> bool {
        !self.members.is_empty()
    }

    /// Those chosen at this rate, and which share of all they are.
    fn chosen(&self, rate: f64) -> (Vec<K>, f64) {
        let found = self.members.iter().zip(discoveries(&self.p_values, rate));
        let found = found.filter(|(_, is_found)| *is_found).map(|(member, _)| member.clone());
        let found: Vec<K> = found.collect();
        let share = found.len() as f64 / self.members.len().max(1) as f64;
        (found, share)
    }
}

/// For each run of a machine the probability that it is as far from the other runs as it is; none of too few runs.
fn run_p_values(machine: &Machine, columns: usize) -> Vec<f64> {
    if machine.runs.len() < LEAST_SIBLINGS {
        return Vec::new();
    }
    let lies = run_lies(machine, columns);
    (0..machine.runs.len()).map(|run| p_value(&lies, run)).collect()
}

/// How the runs of a machine lie.
fn run_lies(machine: &Machine, columns: usize) -> Vec<Lie> {
    lies(&Members {
        count: machine.runs.len(),
        columns,
        level: &|run, column| {
            let value = (*machine.runs.get(run)?.values.get(column)?)?;
            Some(Level { log_cost: value.log_cost.into(), variance: value.variance.into(), runs: 1 })
        },
        repeats: &|_| None,
    })
}
