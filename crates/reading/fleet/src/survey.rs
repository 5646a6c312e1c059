//! All that is found out about a fleet.

use crate::choice::{Chosen, OddRun, choose};
use crate::odd::{Lie, OddPoint, machine_lies, odd_points};
use crate::scale::scale;
use crate::siblings::{DifferingFact, Type, differing_facts, types, usual_facts};
use crate::signs::{Patient, Sign, signs};
use crate::spread::{Spread, spreads};
use crate::table::{Fleet, Machine, Quality};
use crate::thresholds::{DISTANCE_BY_RUN, WORSE_DEVIATIONS, WORSE_QUALITY};
use crate::versus::{TypeChange, changes};
use crate::whole::{Whole, whole};
use stats::order::median;
use std::collections::BTreeSet;

/// Whether an odd machine is to be looked at, or its measurement to be made again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Suspect {
    /// The machine: it was measured as well as its siblings.
    Machine,
    /// The measurement: more of its points are noisy than with its siblings, or its cores were shared for longer.
    Measurement {
        /// Its own quality.
        own: Quality,
        /// That of the median sibling.
        siblings: Quality,
    },
    /// One run alone: the others are like the siblings.
    Run(usize),
}

/// A machine that is not like its siblings.
#[derive(Debug, Clone, PartialEq)]
pub struct OddMachine {
    /// Which.
    pub machine: usize,
    /// The points in which it is odd, the furthest away first.
    pub points: Vec<OddPoint>,
    /// How it lies as a whole, where that is odd.
    pub whole: Option<Whole>,
    /// What to look at.
    pub suspect: Suspect,
    /// Facts in which it differs from its siblings.
    pub facts: Vec<DifferingFact>,
    /// What the pattern is a sign of.
    pub signs: Vec<Sign>,
}

impl OddMachine {
    /// Whether it costs less than its siblings in everything in which it is odd.
    pub fn is_only_faster(&self) -> bool {
        self.points.iter().all(|point| point.ratio < 1.0) && self.whole.is_none_or(|whole| whole.ratio < 1.0)
    }
}

/// What is found out about a type.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeSurvey {
    /// The type.
    pub of: Type,
    /// Each point over its machines.
    pub spreads: Vec<Spread>,
    /// Machines that are not like the others, the oddest first.
    pub odd: Vec<OddMachine>,
    /// Runs that are not like the other runs of their machine.
    pub odd_runs: Vec<OddRun>,
    /// Whether there are enough machines to say which are odd.
    pub is_judged: bool,
    /// Against the first type: what each point costs here. Empty for the first.
    pub changes: Vec<TypeChange>,
}

/// All that is found out about a fleet.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// The types, the largest first.
    pub types: Vec<TypeSurvey>,
}

/// Compares the machines of a fleet with each other, and the runs of each machine.
pub fn survey(fleet: &Fleet) -> Survey {
    let types = types(fleet);
    let lies: Vec<Vec<Lie>> = types.iter().map(|of| machine_lies(fleet, &of.machines)).collect();
    let mut chosen = choose(fleet, &types, &lies);
    let first = types.first().cloned();
    let types = types.into_iter().enumerate().map(|(index, of)| {
        let lies = lies.get(index).map_or(&[][..], Vec::as_slice);
        survey_type(fleet, of, (lies, chosen.remove(&index).unwrap_or_default()), first.as_ref())
    });
    Survey { types: types.collect() }
}

fn survey_type(
    fleet: &Fleet,
    of: Type,
    (lies, chosen): (&[Lie], Chosen),
    first: Option<&Type>,
) -> TypeSurvey {
    let odd = odd_machines(fleet, &of, lies, &chosen);
    let points = odd.iter().flat_map(|odd| odd.points.iter().map(|point| (odd.machine, point.column)));
    let wholes = odd.iter().filter(|odd| odd.whole.is_some());
    let all = wholes.flat_map(|odd| (0..fleet.columns.len()).map(|column| (odd.machine, column)));
    let excluded: BTreeSet<(usize, usize)> = points.chain(all).collect();
    TypeSurvey {
        spreads: spreads(fleet, &of.machines, &excluded),
        is_judged: !lies.is_empty(),
        odd,
        odd_runs: chosen.runs,
        changes: first
            .filter(|first| **first != of)
            .map_or_else(Vec::new, |first| changes(fleet, first, &of)),
        of,
    }
}

fn odd_machines(fleet: &Fleet, of: &Type, lies: &[Lie], chosen: &Chosen) -> Vec<OddMachine> {
    let usual = usual_facts(fleet, &of.machines);
    let found = of.machines.iter().enumerate().filter_map(|(place, machine)| {
        let points = match chosen.by_points.contains(&place) {
            true => odd_points(lies, place, chosen.share),
            false => Vec::new(),
        };
        let whole = chosen.as_wholes.contains(&place).then(|| whole(lies, place)).flatten();
        if points.is_empty() && whole.is_none() {
            return None;
        }
        Some(OddMachine {
            machine: *machine,
            suspect: suspect(fleet, of, *machine, lies, &points),
            facts: differing_facts(&usual_facts(fleet, &[*machine]), &usual),
            signs: signs(
                &Patient { fleet, siblings: &of.machines, usual: &usual, machine: *machine, place },
                lies,
            ),
            points,
            whole,
        })
    });
    let mut found: Vec<OddMachine> = found.collect();
    found.sort_by(|a, b| weight(b, lies.len()).total_cmp(&weight(a, lies.len())));
    found
}

/// How odd: the sum of what its odd points are off, or of what all are off as a whole.
fn weight(odd: &OddMachine, columns: usize) -> f64 {
    let points: f64 = odd.points.iter().map(|point| point.ratio.ln().abs()).sum();
    points.max(odd.whole.map_or(0.0, |whole| whole.ratio.ln().abs() * columns as f64))
}

fn suspect(fleet: &Fleet, of: &Type, machine: usize, lies: &[Lie], points: &[OddPoint]) -> Suspect {
    let siblings = of.machines.iter().filter_map(|index| fleet.machines.get(*index));
    let all: Vec<Quality> = siblings.map(Machine::quality).collect();
    let noisy: Vec<f64> = all.iter().map(|one| one.noisy_share).collect();
    let shared: Vec<f64> = all.iter().filter_map(|one| Some(1.0 - one.quiet_share?)).collect();
    let Some(own) = fleet.machines.get(machine).map(Machine::quality) else {
        return Suspect::Machine;
    };
    if is_worse(own.noisy_share, &noisy) || own.quiet_share.is_some_and(|own| is_worse(1.0 - own, &shared)) {
        let siblings = Quality {
            noisy_share: median(&noisy).unwrap_or_default(),
            quiet_share: median(&shared).map(|shared| 1.0 - shared),
        };
        return Suspect::Measurement { own, siblings };
    }
    single_run(fleet, machine, lies, points).map_or(Suspect::Machine, Suspect::Run)
}

/// Whether a share of what was disturbed is far above that of the siblings.
fn is_worse(own: f64, all: &[f64]) -> bool {
    let (Some(usual), Some(spread)) = (median(all), scale(all)) else {
        return false;
    };
    own - usual > WORSE_QUALITY.max(spread.deviation * WORSE_DEVIATIONS)
}

/// The run without which the machine would be like its siblings in most of the points in which it is odd.
fn single_run(fleet: &Fleet, machine: usize, lies: &[Lie], points: &[OddPoint]) -> Option<usize> {
    let machine = fleet.machines.get(machine)?;
    let count = machine.runs.len();
    if count < 2 || points.is_empty() {
        return None;
    }
    (0..count).find(|run| {
        let explained = points.iter().filter(|point| explains(machine, *run, lies, point));
        explained.count() * 2 > points.len()
    })
}

/// Whether a point is odd because of one run: without it, little of the distance is left.
fn explains(machine: &Machine, run: usize, lies: &[Lie], point: &OddPoint) -> bool {
    let others = machine.runs.iter().enumerate().filter(|(other, _)| *other != run);
    let costs = others.filter_map(|(_, run)| Some(f64::from((*run.values.get(point.column)?)?.log_cost)));
    let usual = lies.iter().find(|lie| lie.column == point.column).map(|lie| lie.median);
    let (Some(cost), Some(usual)) = (stats::spread::mean(costs), usual) else {
        return false;
    };
    (cost - usual).abs() < point.ratio.ln().abs() / DISTANCE_BY_RUN
}
