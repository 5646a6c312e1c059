//! What was measured between every two CPUs: the groups that were found, and a map of all pairs.

use crate::View;
use crate::document::{Block, Matrix};
use crate::style::Paint;
use crate::wording::many;
use analysis::Pairs;
use quantity::{Quantity, show, show_percent, show_ratio};

/// Fewest CPUs that have a map: the pairs of fewer are a sentence.
const LEAST_MAPPED: usize = 3;

/// Groups that are named before it is said how many more there are.
const MOST_NAMED: usize = 4;

/// The pairs of CPUs of a run under a heading; `None` without one.
pub(crate) fn pairs(view: &View<'_>) -> Option<Block> {
    Block::part("pairs of CPUs", blocks(view))
}

/// The pairs of CPUs of a run.
pub(crate) fn blocks(view: &View<'_>) -> Vec<Block> {
    view.analysis.pairs.iter().flat_map(of_point).collect()
}

/// What the first screen says of the ways of a cache line between three CPUs or more.
pub(crate) fn brief(view: &View<'_>) -> Vec<String> {
    brief_of(&view.analysis.pairs)
}

fn brief_of(all: &[Pairs]) -> Vec<String> {
    let ways = all.iter().filter(|pairs| pairs.quantity != Quantity::Ratio);
    let ways = ways.filter(|pairs| pairs.cpus.len() >= LEAST_MAPPED);
    let lines = ways.flat_map(distances).map(|line| format!("cache line between CPUs: {line}"));
    let mut lines: Vec<String> = lines.collect();
    if let Some(last) = lines.last_mut() {
        last.push_str("; map: oscope report --full");
    }
    lines
}

fn of_point(pairs: &Pairs) -> Vec<Block> {
    let lines = match pairs.quantity {
        Quantity::Ratio => vec![cores(pairs)],
        _ => distances(pairs),
    };
    let mut blocks: Vec<Block> =
        lines.into_iter().map(|line| Block::text(format!("{}: {line}", pairs.of.operation))).collect();
    let known = pairs.known();
    if known < 1.0 {
        let text =
            format!("{} of the pairs were measured; more rounds measure more of them", show_percent(known));
        blocks.push(Block::Text(text, Paint::Faint));
    }
    blocks.extend((pairs.cpus.len() >= LEAST_MAPPED).then(|| Block::Matrix(map(pairs))));
    blocks
}

/// Which CPUs share a core, beside what the kernel reports.
fn cores(pairs: &Pairs) -> String {
    let reported = match pairs.reported_threads {
        Some(1) => "the kernel reports one thread per core".to_owned(),
        Some(threads) => format!("the kernel reports {threads} threads per core"),
        None => "the kernel does not report the threads of a core".to_owned(),
    };
    let most = pairs.ends().map_or_else(String::new, |(_, most)| show_ratio(most));
    match pairs.levels.first() {
        None => format!(
            "no two of {} slow each other down ({most} at most): each is a core of its own; {reported}",
            many(pairs.cpus.len(), "CPU")
        ),
        Some(level) => {
            let groups = level.groups.iter().filter(|group| group.len() > 1);
            format!(
                "{} are threads of one core each (up to {most} slower beside each other); {reported}",
                named(groups.map(|group| numbers(pairs, group)).collect())
            )
        }
    }
}

/// The groups of each level with their distances; where there is none, the distances of all.
fn distances(pairs: &Pairs) -> Vec<String> {
    let time = |ns: f64| show(ns, None, Quantity::Latency);
    if pairs.levels.is_empty() {
        let ends = pairs.ends().filter(|(low, high)| low < high);
        let values = match (ends, pairs.ends()) {
            (Some((low, high)), _) => format!("{} to {}", time(low), time(high)),
            (None, Some((only, _))) => time(only),
            (None, None) => return Vec::new(),
        };
        return vec![format!("{}, {values}; no groups among them", many(pairs.cpus.len(), "CPU"))];
    }
    let levels = pairs.levels.iter().map(|level| {
        let groups = level.groups.iter().map(|group| numbers(pairs, group)).collect();
        format!(
            "{} within {}, {} between them: {}",
            many(level.groups.len(), "group"),
            time(level.within),
            time(level.between),
            named(groups)
        )
    });
    levels.collect()
}

/// The first of some names, and how many more there are.
fn named(names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMED);
    let mut shown: Vec<String> = names.into_iter().take(MOST_NAMED).collect();
    shown.extend((more > 0).then(|| format!("{more} more")));
    shown.join(", ")
}

/// The numbers of CPUs: `{0–7, 64}`.
fn numbers(pairs: &Pairs, group: &[usize]) -> String {
    let numbers = group.iter().filter_map(|&at| pairs.cpus.get(at).copied());
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => spans.push((number, number)),
        }
    }
    let spans = spans.into_iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    });
    format!("{{{}}}", spans.collect::<Vec<_>>().join(", "))
}

/// The map: each value as a share between the least and the largest, by ratio.
fn map(pairs: &Pairs) -> Matrix {
    let (low, high) = pairs.ends().unwrap_or((1.0, 1.0));
    let share = |value: f64| ((value / low).ln() / (high / low).ln()).clamp(0.0, 1.0);
    let cell = |one: usize, other: usize| {
        let value = pairs.value(one, other)?;
        Some((if high > low { share(value) } else { 0.0 }, show(value, None, pairs.quantity)))
    };
    let places = 0..pairs.cpus.len();
    let ends = [low, high].map(|end| show(end, None, pairs.quantity));
    Matrix {
        title: format!("{}, CPU by CPU", pairs.of.operation),
        names: pairs.cpus.iter().map(u32::to_string).collect(),
        cells: places.clone().map(|one| places.clone().map(|other| cell(one, other)).collect()).collect(),
        ends,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::PointId;
    use std::collections::BTreeMap;

    fn of_cpus(cpus: &[u32]) -> Pairs {
        Pairs {
            of: PointId::new("pairs.core", ""),
            quantity: Quantity::Ratio,
            cpus: cpus.to_vec(),
            values: BTreeMap::from([((0, 1), 1.02)]),
            levels: Vec::new(),
            reported_threads: Some(1),
        }
    }

    #[test]
    fn numbers_that_follow_each_other_are_a_span() {
        let pairs = of_cpus(&[0, 1, 2, 3, 8, 9, 12]);
        for (group, expected) in
            [(&[0, 1, 2, 3][..], "{0–3}"), (&[0, 1], "{0, 1}"), (&[0, 2, 4, 5, 6], "{0, 2, 8, 9, 12}")]
        {
            assert_eq!(numbers(&pairs, group), expected);
        }
    }

    #[test]
    fn the_first_screen_names_groups_of_three_cpus_and_more_by_their_distance() {
        let of = |quantity, cpus: &[u32], levels| Pairs { quantity, levels, ..of_cpus(cpus) };
        assert!(brief_of(&[of(Quantity::Latency, &[0, 1], Vec::new())]).is_empty(), "two are a row");
        assert!(brief_of(&[of(Quantity::Ratio, &[0, 1, 2], Vec::new())]).is_empty(), "no way");
        let level = analysis::Level { groups: vec![vec![0, 1], vec![2, 3]], within: 40.0, between: 140.0 };
        let found = brief_of(&[of(Quantity::Latency, &[0, 1, 2, 3], vec![level])]);
        let [line] = found.as_slice() else { panic!("{found:?}") };
        assert!(line.contains("2 groups within 40") && line.contains("{0, 1}, {2, 3}"), "{line}");
        assert!(line.ends_with("oscope report --full"), "{line}");
    }

    #[test]
    fn cores_are_named_beside_what_the_kernel_reports() {
        let separate = cores(&of_cpus(&[0, 1]));
        assert!(separate.contains("no two of 2 CPUs") && separate.contains("1.02×"), "{separate}");
        let level = analysis::Level { groups: vec![vec![0, 1]], within: 1.0, between: 2.0 };
        let together = cores(&Pairs { levels: vec![level], ..of_cpus(&[0, 1]) });
        assert!(together.starts_with("{0, 1} are threads of one core"), "{together}");
        assert!(together.contains("the kernel reports one thread per core"));
    }
}
