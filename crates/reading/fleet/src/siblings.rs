//! Which machines are of one type: by what is known about them, and by what was measured where that disagrees.

use crate::scale::scale;
use crate::table::{Fleet, Machine, Text};
use crate::thresholds::{
    LEAST_DIVIDED, LEAST_PART, LEAST_VOTES, LEAST_VOTES_SHARE, PART_GAP, PART_MACHINES, PART_RATIO,
    SAME_MEMORY, USUAL_SHARE,
};
use quantity::{Bytes, show_bytes};
use stats::order::median;
use std::collections::{BTreeMap, BTreeSet};

/// Facts that make a type; beside them the size of memory.
const TYPE_FACTS: [&str; 5] =
    ["processor.architecture", "processor.model", "cpus.online", "cpus.packages", "environment.hypervisor"];

/// How often a type is divided at most.
const MOST_DIVISIONS: usize = 3;

/// A fact in which some machines differ from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferingFact {
    /// Its key.
    pub key: String,
    /// Its value here; `None` where it is unknown.
    pub here: Option<String>,
    /// Its value with the others.
    pub others: Option<String>,
}

/// Machines that should cost the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    /// What it is called: the processor, its CPUs, the memory, and what else it differs in.
    pub name: String,
    /// Its machines, as indices.
    pub machines: Vec<usize>,
    /// Where a type of equal facts was divided by its results: how many points divide it so, and the facts in which this
    /// part differs from the other.
    pub divided: Option<(usize, Vec<DifferingFact>)>,
}

/// All types, the largest first; every machine is in one of them.
pub fn types(fleet: &Fleet) -> Vec<Type> {
    let mut by_facts: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for (index, machine) in fleet.machines.iter().enumerate() {
        let facts = TYPE_FACTS.map(|key| machine.facts.get(key).map_or("", |value| &**value));
        by_facts.entry(facts.to_vec()).or_default().push(index);
    }
    let alike = by_facts.into_values().flat_map(|machines| by_memory(fleet, machines));
    let mut types: Vec<Type> = alike.flat_map(|machines| divided(fleet, machines)).collect();
    types.sort_by_key(|one| (std::cmp::Reverse(one.machines.len()), one.name.clone()));
    types
}

/// The machines in groups of about the same memory.
fn by_memory(fleet: &Fleet, mut machines: Vec<usize>) -> Vec<Vec<usize>> {
    machines.sort_by(|a, b| memory_bytes(fleet, *a).total_cmp(&memory_bytes(fleet, *b)));
    machines
        .chunk_by(|a, b| memory_bytes(fleet, *b) <= memory_bytes(fleet, *a) * SAME_MEMORY)
        .map(<[usize]>::to_vec)
        .collect()
}

/// The memory of a machine, 0 where it is unknown.
fn memory_bytes(fleet: &Fleet, index: usize) -> f64 {
    fleet.machines.get(index).and_then(|machine| machine.memory_bytes).unwrap_or(0.0)
}

/// What a type is called, by the facts of one of its machines.
fn name(machine: &Machine) -> String {
    let [model, architecture, cpus, hypervisor] =
        ["processor.model", "processor.architecture", "cpus.online", "environment.hypervisor"]
            .map(|key| machine.facts.get(key).map(|value| &**value));
    let model = model.or(architecture).unwrap_or("unknown processor");
    let cpus = cpus.map(|cpus| format!("{cpus} CPUs"));
    let memory = machine.memory_bytes.map(|bytes| show_bytes(Bytes::from_bytes(bytes as u64)));
    let guest = hypervisor.filter(|name| *name != "none").map(|name| format!("{name} guest"));
    let parts = [Some(model.to_owned()), cpus, memory, guest];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The type of these machines, or its parts where the results fall into two groups that are apart.
fn divided(fleet: &Fleet, machines: Vec<usize>) -> Vec<Type> {
    let name = machines.first().and_then(|first| fleet.machines.get(*first)).map(name).unwrap_or_default();
    let whole = Type { name, machines, divided: None };
    let mut types = vec![whole];
    for _ in 0..MOST_DIVISIONS {
        let before = types.len();
        types = types.into_iter().flat_map(|one| divide(fleet, one)).collect();
        if types.len() == before {
            break;
        }
    }
    types
}

fn divide(fleet: &Fleet, whole: Type) -> Vec<Type> {
    let Some((upper, votes)) = division(fleet, &whole.machines) else {
        return vec![whole];
    };
    let (upper, lower): (Vec<usize>, Vec<usize>) =
        whole.machines.iter().partition(|machine| upper.binary_search(machine).is_ok());
    let (usual_above, usual_below) = (usual_facts(fleet, &upper), usual_facts(fleet, &lower));
    let parts = [
        (lower, differing_facts(&usual_below, &usual_above), "the faster part"),
        (upper, differing_facts(&usual_above, &usual_below), "the slower part"),
    ];
    parts
        .map(|(machines, facts, word)| {
            let differs = match facts.first() {
                Some(fact) => format!("{} {}", fact.key, fact.here.as_deref().unwrap_or("unknown")),
                None => word.to_owned(),
            };
            Type { name: format!("{}, {differs}", whole.name), machines, divided: Some((votes, facts)) }
        })
        .into()
}

/// The machines that cost more in most points that divide them, sorted, and how many points do so.
fn division(fleet: &Fleet, machines: &[usize]) -> Option<(Vec<usize>, usize)> {
    if machines.len() < LEAST_DIVIDED {
        return None;
    }
    // A division is the same, whichever part costs more in a point.
    let mut votes: BTreeMap<Vec<usize>, (usize, Vec<usize>)> = BTreeMap::new();
    let mut columns = 0;
    for column in 0..fleet.columns.len() {
        let levels: Option<Vec<(usize, f64)>> =
            machines.iter().map(|index| Some((*index, fleet.level(*index, column)?.log_cost))).collect();
        let Some(levels) = levels else { continue };
        columns += 1;
        if let Some(upper) = gap(levels) {
            let upper = sorted(upper);
            let (above, below): (Vec<usize>, Vec<usize>) =
                machines.iter().partition(|machine| upper.binary_search(machine).is_ok());
            // The key is the part that has the first machine.
            let with_first = if above.iter().min() < below.iter().min() { above } else { below };
            let entry = votes.entry(sorted(with_first)).or_insert((0, upper));
            entry.0 += 1;
        }
    }
    let least = LEAST_VOTES.max((f64::from(columns) * LEAST_VOTES_SHARE).ceil() as usize);
    let (count, upper) = votes.into_values().max_by_key(|(count, _)| *count)?;
    (count >= least).then_some((upper, count))
}

fn sorted(mut machines: Vec<usize>) -> Vec<usize> {
    machines.sort_unstable();
    machines
}

/// The machines above the widest gap, if these lie in two groups that are far apart.
fn gap(mut levels: Vec<(usize, f64)>) -> Option<Vec<usize>> {
    levels.sort_by(|a, b| a.1.total_cmp(&b.1));
    let least = PART_MACHINES.max((levels.len() as f64 * LEAST_PART).ceil() as usize);
    let gaps = levels.windows(2).enumerate().filter_map(|(at, pair)| match pair {
        [below, above] => Some((at + 1, above.1 - below.1)),
        _ => None,
    });
    let inner = gaps.filter(|(at, _)| *at >= least && levels.len() - at >= least);
    let (at, widest) = inner.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (lower, upper) = levels.split_at_checked(at)?;
    let [lower_costs, upper_costs]: [Vec<f64>; 2] =
        [lower, upper].map(|part| part.iter().map(|(_, cost)| *cost).collect());
    let within = scale(&lower_costs)?.deviation.max(scale(&upper_costs)?.deviation);
    let apart = median(upper_costs)? - median(lower_costs)?;
    (widest > within * PART_GAP && apart > PART_RATIO.ln())
        .then(|| upper.iter().map(|(machine, _)| *machine).collect())
}

/// For each fact the value that is usual with some machines: `None` where it is usually unknown. Facts without a usual
/// value are absent.
pub(crate) type UsualFacts = BTreeMap<Text, Option<Text>>;

/// What is usual with these machines.
pub(crate) fn usual_facts(fleet: &Fleet, machines: &[usize]) -> UsualFacts {
    let mut counts: BTreeMap<&Text, BTreeMap<&Text, usize>> = BTreeMap::new();
    for machine in machines.iter().filter_map(|index| fleet.machines.get(*index)) {
        for (key, value) in &machine.facts {
            *counts.entry(key).or_default().entry(value).or_default() += 1;
        }
    }
    let least = machines.len() as f64 * USUAL_SHARE;
    let usual = counts.into_iter().filter_map(|(key, values)| {
        let known: usize = values.values().sum();
        let (value, count) = values.into_iter().max_by_key(|(_, count)| *count)?;
        if count as f64 >= least {
            Some((key.clone(), Some(value.clone())))
        } else {
            ((machines.len() - known) as f64 >= least).then(|| (key.clone(), None))
        }
    });
    usual.collect()
}

/// The facts whose usual value here is not that of the others.
pub(crate) fn differing_facts(here: &UsualFacts, others: &UsualFacts) -> Vec<DifferingFact> {
    let keys: BTreeSet<&Text> = here.keys().chain(others.keys()).collect();
    let differing = keys.into_iter().filter_map(|key| {
        let (own, usual) = (here.get(key)?.as_ref(), others.get(key)?.as_ref());
        (own != usual && !is_of_the_run(key)).then(|| DifferingFact {
            key: key.to_string(),
            here: own.map(|text| text.to_string()),
            others: usual.map(|text| text.to_string()),
        })
    });
    differing.collect()
}

/// Whether a fact is of the run and not of the machine.
fn is_of_the_run(key: &str) -> bool {
    const OF_RUN: [&str; 5] = ["scheduler.", "quiet.", "memory.free", "memory.available", "memory.cached"];
    OF_RUN.iter().any(|begin| key.starts_with(begin))
}
