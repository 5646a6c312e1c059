//! The difference of two kernels: exact, or not shown.

use crate::figures::{Figure, FunctionCount, PointCount};
use crate::taken::KernelCount;
use crate::thresholds::{FLOORS, MIN_EQUAL, OTHER_BATCH, RENAMED, SMALLEST};
use record::PointId;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// Figures whose change makes a path a changed one. Instructions come first: by them a change is ordered.
const JUDGED: [&str; 17] = [
    "instructions",
    "string_bytes",
    "locked",
    "serialising",
    "indirect_calls",
    "calls",
    "loads",
    "stores",
    "syscalls",
    "exceptions",
    "cr3_writes",
    "tlb_invalidations",
    "hlt",
    "port_io",
    "mmio",
    "wrmsr",
    "rdmsr",
];

/// A change of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Change {
    /// Before.
    pub from: f64,
    /// After.
    pub to: f64,
    /// What shows nothing.
    pub floor: f64,
}

impl Change {
    fn new(from: Figure, to: Figure) -> Self {
        Self { from: from.value, to: to.value, floor: FLOORS * (from.floor + to.floor) }
    }

    /// What was added.
    pub fn by(self) -> f64 {
        self.to - self.from
    }

    /// What was added, of what was there.
    pub fn share(self) -> f64 {
        if self.from == 0.0 { f64::INFINITY } else { self.by() / self.from }
    }

    /// Whether it is more than the floors. Counts are sums of whole numbers: less than this is the arithmetic's own.
    pub fn is_shown(self) -> bool {
        const ROUNDING: f64 = 1e-9;
        self.by().abs() > self.floor + ROUNDING * self.from.abs().max(1.0)
    }
}

/// A path that changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedPoint {
    /// The point.
    pub id: PointId,
    /// Its instructions, whether they changed or not.
    pub instructions: Change,
    /// Other figures that changed, by their names.
    #[serde(serialize_with = "with_names")]
    pub others: Vec<(&'static str, Change)>,
    /// The functions that changed, those with the largest change first. A name that changed as well has both.
    #[serde(serialize_with = "with_names")]
    pub functions: Vec<(String, Change)>,
    /// Whether only the virtual clock counted it, which sees no functions.
    pub by_clock: bool,
}

/// Changes as objects with a name.
fn with_names<N: Serialize, S: Serializer>(changes: &[(N, Change)], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct NamedChange<'a, N> {
        name: &'a N,
        #[serde(flatten)]
        change: Change,
    }
    to.collect_seq(changes.iter().map(|(name, change)| NamedChange { name, change: *change }))
}

/// The difference of two kernels.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Difference {
    /// Paths that changed, those with the largest share first.
    pub changed: Vec<ChangedPoint>,
    /// Points that are equal to the instruction, with a floor of 0.
    pub equal: usize,
    /// Points whose difference is below their floor, with the largest floor as a share of the count.
    pub within: Vec<(PointId, f64)>,
    /// Points that only the first has.
    pub lost: Vec<PointId>,
    /// Points that only the second has.
    pub added: Vec<PointId>,
    /// Points that the plugin counted in one and the virtual clock in the other.
    pub by_other_means: Vec<PointId>,
}

impl Difference {
    /// Points that were compared.
    pub fn compared(&self) -> usize {
        self.changed.len() + self.equal + self.within.len()
    }
}

/// The difference from one kernel to another.
pub fn difference(from: &KernelCount, to: &KernelCount) -> Difference {
    let of_second: BTreeMap<&PointId, &PointCount> =
        to.points.iter().map(|point| (&point.id, point)).collect();
    let mut found = Difference::default();
    for before in &from.points {
        match of_second.get(&before.id) {
            None => found.lost.push(before.id.clone()),
            Some(after) => compare(before, after, &mut found),
        }
    }
    let of_first: BTreeSet<&PointId> = from.points.iter().map(|point| &point.id).collect();
    found.added.extend(to.points.iter().map(|point| &point.id).filter(|id| !of_first.contains(id)).cloned());
    let weight = |point: &ChangedPoint| point.instructions.share().abs();
    found.changed.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    found
}

fn compare(before: &PointCount, after: &PointCount, found: &mut Difference) {
    // One that has no plugin counts the turns of strings: the two are no counts of the same.
    if before.by_clock != after.by_clock {
        found.by_other_means.push(before.id.clone());
        return;
    }
    let changes: Vec<(&'static str, Change)> = JUDGED
        .iter()
        .filter_map(|name| {
            let (from, to) = (before.figures.get(*name)?, after.figures.get(*name)?);
            let mut change = Change::new(*from, *to);
            if before.n != after.n && !(from.is_exact() && to.is_exact()) {
                change.floor = change.floor.max(OTHER_BATCH * from.value.max(to.value));
            }
            Some((*name, change))
        })
        .collect();
    let Some((_, instructions)) = changes.first().copied() else {
        found.lost.push(before.id.clone());
        return;
    };
    // Of a path whose instructions vary by themselves, other figures do so too, and not all of it is seen in a few boots.
    let is_judged = instructions.floor == 0.0 || instructions.is_shown();
    let shown: Vec<_> = changes.into_iter().filter(|(_, change)| is_judged && change.is_shown()).collect();
    if shown.is_empty() {
        match instructions.floor == 0.0 && instructions.by() == 0.0 {
            true => found.equal += 1,
            false => found.within.push((before.id.clone(), instructions.floor / instructions.from.max(1.0))),
        }
        return;
    }
    found.changed.push(ChangedPoint {
        id: before.id.clone(),
        instructions,
        others: shown.into_iter().filter(|(name, _)| *name != "instructions").collect(),
        functions: functions(before, after),
        by_clock: before.by_clock,
    });
}

/// The functions that changed. One that vanished and one that came with the same count and nearly the same name are one.
fn functions(before: &PointCount, after: &PointCount) -> Vec<(String, Change)> {
    let names: BTreeSet<&String> = before.functions.keys().chain(after.functions.keys()).collect();
    let figure = |count: Option<&FunctionCount>| {
        count.map_or(Figure::default(), |count| Figure { value: count.columns[0], floor: count.floor })
    };
    let mut changes: Vec<(String, Change)> = names
        .into_iter()
        .map(|name| {
            let change = Change::new(figure(before.functions.get(name)), figure(after.functions.get(name)));
            (name.clone(), change)
        })
        .filter(|(_, change)| change.is_shown() && change.by().abs() >= SMALLEST)
        .collect();
    fold_renamed(&mut changes);
    changes.sort_by(|(_, a), (_, b)| b.by().abs().total_cmp(&a.by().abs()));
    changes
}

/// Makes one of two functions of which one vanished and the other came: one name contains the other, or the counts are equal.
fn fold_renamed(changes: &mut Vec<(String, Change)>) {
    let gone: Vec<usize> =
        (0..changes.len()).filter(|at| changes.get(*at).is_some_and(|(_, one)| one.to == 0.0)).collect();
    let mut removed = BTreeSet::new();
    for at in gone {
        let Some((old, from)) = changes.get(at).cloned() else { continue };
        let new = changes.iter().position(|(name, to)| {
            let is_near = (to.to - from.from).abs() <= RENAMED * from.from;
            let is_alike = name.contains(&old) || old.contains(name.as_str());
            to.from == 0.0
                && (is_alike && is_near || to.to == from.from && from.from >= MIN_EQUAL)
                && !name.contains(" → ")
        });
        if let Some((name, change)) = new.and_then(|new| changes.get_mut(new)) {
            *name = format!("{old} → {name}");
            change.from = from.from;
            change.floor = change.floor.max(from.floor);
            removed.insert(at);
        }
    }
    let mut at = 0;
    changes.retain(|(_, change)| {
        at += 1;
        !removed.contains(&(at - 1)) && change.is_shown()
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::windows::Columns;

    fn point(id: &str, instructions: f64, floor: f64, functions: &[(&str, f64)]) -> PointCount {
        let functions = functions.iter().map(|(name, count)| {
            let mut columns = Columns::default();
            columns[0] = *count;
            ((*name).to_owned(), FunctionCount { columns, floor: 0.0 })
        });
        PointCount {
            id: PointId::new(id, ""),
            n: 512,
            by_clock: false,
            figures: [
                ("instructions".to_owned(), Figure { value: instructions, floor }),
                ("locked".to_owned(), Figure { value: 4.0, floor: 0.0 }),
            ]
            .into(),
            control: None,
            switches: 0.0,
            functions: functions.collect(),
        }
    }

    fn kernel(points: Vec<PointCount>) -> KernelCount {
        let text = r#"{"format":"oscope-count","schema":1,"name":"k","release":"6.1","version":"","architecture":"x86_64",
            "emulator":"","features":"","options":"","cpus":1,"seeds":[1,2,3],"points":[],"skipped":[]}"#;
        KernelCount { points, ..serde_json::from_str(text).unwrap() }
    }

    #[test]
    fn difference_is_exact_or_not_shown() {
        let before = kernel(vec![
            point("a.equal", 326.0, 0.0, &[]),
            point("a.one_more", 2_906.0, 0.0, &[("step_into", 100.0), ("path", 9.0)]),
            point("a.noisy", 225_000.0, 170.0, &[]),
            point("a.lost", 1.0, 0.0, &[]),
        ]);
        let after = kernel(vec![
            point("a.equal", 326.0, 0.0, &[]),
            point("a.one_more", 2_907.0, 0.0, &[("step_into", 101.0), ("path", 9.0)]),
            point("a.noisy", 225_200.0, 150.0, &[]),
            point("a.new", 1.0, 0.0, &[]),
        ]);
        let found = difference(&before, &after);
        assert_eq!((found.equal, found.compared()), (1, 3));
        assert_eq!(found.lost, [PointId::new("a.lost", "")]);
        assert_eq!(found.added, [PointId::new("a.new", "")]);
        assert_eq!(found.within[0].0, PointId::new("a.noisy", ""));
        let [changed] = found.changed.as_slice() else { panic!("{found:?}") };
        assert_eq!((changed.instructions.by(), changed.functions.len()), (1.0, 1));
        assert_eq!(changed.functions[0].0, "step_into");
    }

    #[test]
    fn counts_of_the_plugin_and_of_the_clock_are_not_compared() {
        let before = kernel(vec![point("a.b", 326.0, 0.0, &[])]);
        let mut after = before.clone();
        after.points[0].by_clock = true;
        let found = difference(&before, &after);
        assert_eq!((found.by_other_means.len(), found.compared(), found.lost.len()), (1, 0, 0));
    }

    #[test]
    fn change_of_another_figure_is_a_change() {
        let before = kernel(vec![point("a.b", 326.0, 0.0, &[])]);
        let mut after = before.clone();
        after.points[0].figures.insert("locked".into(), Figure { value: 5.0, floor: 0.0 });
        let found = difference(&before, &after);
        assert_eq!(found.changed[0].others[0].0, "locked");
        assert_eq!(found.changed[0].instructions.by(), 0.0);
    }

    #[test]
    fn renamed_function_is_one() {
        let before = kernel(vec![point(
            "a.b",
            100.0,
            0.0,
            &[("cgroup_rstat_updated", 40.0), ("old", 35.0), ("x", 3.0)],
        )]);
        let after = kernel(vec![point(
            "a.b",
            101.0,
            0.0,
            &[("__cgroup_rstat_updated", 41.0), ("new", 35.0), ("y", 3.0)],
        )]);
        let found = difference(&before, &after);
        let names: Vec<&str> = found.changed[0].functions.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["x", "y", "cgroup_rstat_updated → __cgroup_rstat_updated"]);
    }

    #[test]
    fn counts_over_other_numbers_of_iterations_differ_by_more_than_a_percent_or_are_whole() {
        let changed = |from: f64, to: f64, n: u64| {
            let before = kernel(vec![point("a.b", from, 0.0, &[])]);
            let mut after = kernel(vec![point("a.b", to, 0.0, &[])]);
            after.points[0].n = n;
            difference(&before, &after).changed.len()
        };
        assert_eq!([changed(1_000.25, 1_009.25, 512), changed(1_000.25, 1_009.25, 1_024)], [1, 0]);
        assert_eq!([changed(1_000.25, 1_011.0, 1_024), changed(1_000.0, 1_001.0, 1_024)], [1, 1]);
    }
}
