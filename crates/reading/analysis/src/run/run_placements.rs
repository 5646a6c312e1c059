//! Where the host had the two CPUs of actors over a run, and how often it moved them.

use crate::rows::placement::is_one_placement;
use record::{Evidence, Trial};
use stats::order::median;

/// The placements of the CPUs of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunPlacements {
    /// The most frequent first.
    pub placements: Vec<RunPlacement>,
    /// Trials that were in another placement than the one before them: at least as often the host moved the CPUs.
    pub moves: usize,
}

/// A placement of the two CPUs of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunPlacement {
    /// The median time of a cache line from one CPU to the other and back, in nanoseconds.
    pub line_ns: f64,
    /// Share of the trials that were in it.
    pub share: f64,
}

impl RunPlacements {
    /// The time of a cache line in the most frequent placement, in nanoseconds.
    pub fn line_ns(&self) -> Option<f64> {
        self.placements.first().map(|placement| placement.line_ns)
    }
}

/// The time of a cache line between the two CPUs of a trial, and when it began; `None` where it has another pair of CPUs, or was
/// not probed.
pub(crate) fn line(trial: &Trial) -> Option<(u64, f64)> {
    let is_of_usual_pair = trial.id.parameter("cpu") == Some("other");
    let line = Evidence::find(&trial.evidence, "placement.line_ns").filter(|_| is_of_usual_pair)?;
    Some((trial.started_ns, line.per_iteration()?))
}

/// What the lines of all trials come to.
pub(crate) fn of_lines(lines: &[(u64, f64)]) -> RunPlacements {
    let mut by_length = lines.to_vec();
    by_length.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let mut groups: Vec<&[(u64, f64)]> =
        by_length.chunk_by(|(_, shorter), (_, longer)| is_one_placement(*shorter, *longer)).collect();
    let mut in_time: Vec<(u64, usize)> = groups
        .iter()
        .enumerate()
        .flat_map(|(group, lines)| lines.iter().map(move |(started_ns, _)| (*started_ns, group)))
        .collect();
    in_time.sort_unstable();
    let moves = in_time
        .windows(2)
        .filter(|pair| pair.first().map(|one| one.1) != pair.last().map(|one| one.1))
        .count();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let placements = groups.iter().filter_map(|group| {
        let line_ns = median(group.iter().map(|(_, line_ns)| *line_ns))?;
        Some(RunPlacement { line_ns, share: group.len() as f64 / lines.len() as f64 })
    });
    RunPlacements { placements: placements.collect(), moves }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tests::trial;
    use record::{Counted, PointId};

    fn placement(line_ns: f64, share: f64) -> RunPlacement {
        RunPlacement { line_ns, share }
    }

    #[test]
    fn placements_are_those_of_the_lines_and_moves_those_in_time() {
        let lines = [(30, 330.0), (10, 60.0), (20, 325.0), (40, 62.0), (50, 340.0)];
        let found = of_lines(&lines);
        assert_eq!(
            found,
            RunPlacements { placements: vec![placement(330.0, 0.6), placement(61.0, 0.4)], moves: 3 }
        );
        assert_eq!((found.line_ns(), of_lines(&[]).line_ns()), (Some(330.0), None));
        assert_eq!(
            of_lines(&lines[..1]),
            RunPlacements { placements: vec![placement(330.0, 1.0)], moves: 0 }
        );
    }

    #[test]
    fn only_the_pair_of_other_is_looked_at() {
        let probed = |point: &str| Trial {
            id: PointId::new("a.x", point),
            evidence: vec![Evidence {
                counter: "placement.line_ns".to_owned(),
                counted: Counted::Count { count: 61.0, iterations: 1.0 },
            }],
            ..trial(7)
        };
        assert_eq!(line(&probed("cpu=other")), Some((7, 61.0)));
        assert_eq!([line(&probed("cpu=sibling")), line(&probed(""))], [None, None]);
    }
}
