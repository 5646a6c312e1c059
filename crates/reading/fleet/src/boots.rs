//! Which runs are of one machine, by the boots that they ran in and when.
//!
//! The identity of a boot is drawn at random when a kernel starts. Two boots that are up at the same time are two machines; one
//! boot is one machine, whatever its records are called.

use crate::problems::Problem;
use crate::table::Text;
use crate::taken::{IDENTITY, Taken, difference};
use std::collections::BTreeMap;

/// The name of a boot's identity among facts.
pub(crate) const BOOT: &str = "boot";

/// Starts are recorded in whole seconds.
const RESOLUTION: f64 = 1.0;

/// Facts that a user sets without a new boot: records that differ in them may have names of their own for it.
const SETTINGS: [&str; 6] = [
    "cpus.allowed",
    "limit.cpus",
    "environment.container",
    "power.governor",
    "power.boost",
    "memory.transparent_huge_pages",
];

/// When each boot was up, as far as the runs in it show.
pub(crate) struct Boots(BTreeMap<Text, (f64, f64)>);

impl Boots {
    pub(crate) fn from_runs(runs: &[Taken]) -> Self {
        let mut spans: BTreeMap<Text, (f64, f64)> = BTreeMap::new();
        for run in runs.iter().map(|taken| &taken.run) {
            if let (Some(boot), Some(span)) = (&run.boot, run.span) {
                let known = spans.entry(boot.clone()).or_insert(span);
                *known = (known.0.min(span.0), known.1.max(span.1));
            }
        }
        Self(spans)
    }

    /// Whether a run is of another machine than these: its boot was up while another one of theirs was.
    pub(crate) fn exclude(&self, runs: &[Taken], taken: &Taken) -> bool {
        let Some(own) = self.span(taken) else {
            return false;
        };
        let others = runs.iter().filter(|other| other.run.boot != taken.run.boot);
        others.filter_map(|other| self.span(other)).any(|other| overlap(own, other))
    }

    /// When the boot of a run was up.
    fn span(&self, taken: &Taken) -> Option<(f64, f64)> {
        self.0.get(taken.run.boot.as_ref()?).copied()
    }
}

fn overlap(one: (f64, f64), other: (f64, f64)) -> bool {
    one.0.max(other.0) + RESOLUTION < one.1.min(other.1)
}

/// Machines of several names that are one, made one, unless they ran at the same time or differ in their settings.
pub(crate) fn joined(
    machines: Vec<(String, Vec<Taken>)>,
    problems: &mut Vec<Problem>,
) -> Vec<(String, Vec<Taken>)> {
    let mut by_boot: BTreeMap<Text, Vec<usize>> = BTreeMap::new();
    for (place, (_, runs)) in machines.iter().enumerate() {
        for boot in runs.iter().filter_map(|taken| taken.run.boot.as_ref()) {
            let places = by_boot.entry(boot.clone()).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
    }
    let mut machines: Vec<Option<(String, Vec<Taken>)>> = machines.into_iter().map(Some).collect();
    for places in by_boot.into_values().filter(|places| places.len() > 1) {
        // What an earlier boot joined already is there no more.
        let mut alike: Vec<(String, Vec<Taken>)> =
            places.iter().filter_map(|place| machines.get_mut(*place)?.take()).collect();
        let is_joined = are_repetitions(&alike);
        let names = alike.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        if is_joined {
            let runs = alike.iter_mut().flat_map(|(_, runs)| std::mem::take(runs)).collect();
            alike = names.first().map(|name| (name.clone(), runs)).into_iter().collect();
        }
        if names.len() > 1 {
            problems.push(Problem::OneBoot { names, is_joined });
        }
        for (place, machine) in places.iter().zip(alike) {
            if let Some(free) = machines.get_mut(*place) {
                *free = Some(machine);
            }
        }
    }
    machines.into_iter().flatten().collect()
}

/// Whether the runs of these names may be repetitions of one another.
fn are_repetitions(machines: &[(String, Vec<Taken>)]) -> bool {
    let runs: Vec<&Taken> = machines.iter().flat_map(|(_, runs)| runs).collect();
    let Some(first) = runs.first() else {
        return false;
    };
    let are_equal = runs.iter().all(|other| {
        difference(&IDENTITY, first, other).is_none() && difference(&SETTINGS, first, other).is_none()
    });
    are_equal && overlapping(runs.into_iter()).is_none()
}

/// Two runs that were made at the same time.
fn overlapping<'t>(runs: impl Iterator<Item = &'t Taken>) -> Option<[&'t Taken; 2]> {
    let mut timed: Vec<(&Taken, (f64, f64))> =
        runs.filter_map(|taken| Some((taken, taken.run.span?))).collect();
    timed.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
    timed.windows(2).find_map(|pair| match pair {
        [(one, first), (other, second)] if overlap(*first, *second) => Some([*one, *other]),
        _ => None,
    })
}

/// Names what is doubtful about the times of runs that count as those of one machine.
pub(crate) fn times(machines: &[(String, Vec<Taken>)], problems: &mut Vec<Problem>) {
    let mut rebooted = Vec::new();
    for (name, runs) in machines {
        if let Some(pair) = overlapping(runs.iter()) {
            let is_one_boot = pair.iter().all(|taken| taken.run.boot.is_some());
            let files = pair.map(|taken| taken.run.file.clone());
            problems.push(Problem::Overlap { name: name.clone(), files, is_one_boot });
        }
        let mut boots = runs.iter().filter_map(|taken| taken.run.boot.as_ref());
        let first = boots.next();
        if boots.any(|boot| Some(boot) != first) {
            rebooted.push(name.clone());
        }
    }
    if !rebooted.is_empty() {
        problems.push(Problem::Boots { names: rebooted });
    }
}
