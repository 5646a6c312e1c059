//! Components of variance: how much of the spread of values is between groups, between the members of a group, and
//! within a member.

use crate::normal::chi_square_above;
use crate::spread::{deviation, mean};

/// A member of a group: a value, and the variance that it has by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// The value.
    pub value: f64,
    /// The variance of the value, known from its own samples.
    pub variance: f64,
}

/// A standard deviation with an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Component {
    /// The estimate; 0 where the variance came out negative.
    pub deviation: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The components of a nested sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Components {
    /// Between groups; `None` with fewer than three.
    pub between_groups: Option<Component>,
    /// Between the members of a group, beyond what each varies by itself; `None` where fewer than three degrees of freedom
    /// are left.
    pub between_members: Option<Component>,
    /// Within a member: the root of the mean of the known variances.
    pub within: f64,
}

/// Fewer degrees of freedom than this tell nothing.
const LEAST_FREEDOM: f64 = 2.0;

/// A mean square and its degrees of freedom.
#[derive(Debug, Clone, Copy)]
struct MeanSquare {
    value: f64,
    freedom: f64,
}

impl MeanSquare {
    /// How far the expected mean square may lie below and above, as shares of the one seen.
    fn shares(self, level: f64) -> (f64, f64) {
        let tail = (1.0 - level) / 2.0;
        let below = 1.0 - self.freedom / chi_square_above(tail, self.freedom);
        let above = self.freedom / chi_square_above(1.0 - tail, self.freedom) - 1.0;
        (below, above)
    }

    /// The component that is this expected mean square less another, divided by `count`, with an interval of this level.
    ///
    /// Graybill and Wang, "Confidence intervals on nonnegative linear combinations of variances", 1980, extended to
    /// differences without the cross terms (Burdick and Graybill, "Confidence Intervals on Variance Components", 1992,
    /// section 3.3), which makes it a little wider.
    fn less(self, other: Self, count: f64, level: f64) -> Component {
        let (below, above) = self.shares(level);
        let (other_below, other_above) = other.shares(level);
        let difference = self.value - other.value;
        let low = difference - (below * self.value).hypot(other_above * other.value);
        let high = difference + (above * self.value).hypot(other_below * other.value);
        let [low, deviation, high] =
            [low, difference, high].map(|variance| (variance / count).max(0.0).sqrt());
        Component { deviation, low, high }
    }
}

/// The components of these groups, each with an interval that contains it with a probability of about `level`, where the
/// components are normal; `None` without a value.
///
/// Groups of unequal size are weighed alike, by their means (Thomas and Hultquist, "Interval estimation for the
/// unbalanced case of the one-way random effects model", 1978).
pub fn components(groups: &[Vec<Member>], level: f64) -> Option<Components> {
    let groups: Vec<&Vec<Member>> = groups.iter().filter(|group| !group.is_empty()).collect();
    let within = mean(groups.iter().copied().flatten().map(|member| member.variance))?;
    let members = among_members(&groups);
    let between_members = members
        .filter(|square| square.freedom >= LEAST_FREEDOM)
        .map(|square| less_known(square, within, 1.0, level));
    let means: Vec<f64> = groups.iter().filter_map(|group| mean_of(group)).collect();
    let each: f64 = groups.iter().map(|group| 1.0 / group.len() as f64).sum();
    let count = groups.len() as f64 / each;
    let between_groups = deviation(&means).filter(|_| means.len() > 2).map(|deviation| {
        let square = MeanSquare { value: deviation * deviation * count, freedom: (means.len() - 1) as f64 };
        // Without repetitions all that is known of a member is what it varies by itself.
        match members.filter(|square| square.freedom >= LEAST_FREEDOM) {
            Some(members) => square.less(members, count, level),
            None => less_known(square, within, count, level),
        }
    });
    Some(Components { between_groups, between_members, within: within.sqrt() })
}

/// The component that is left of a mean square beyond a known variance, divided by `count`.
fn less_known(square: MeanSquare, known: f64, count: f64, level: f64) -> Component {
    let (below, above) = square.shares(level);
    let values = [square.value * (1.0 - below), square.value, square.value * (1.0 + above)];
    let [low, deviation, high] = values.map(|value| (value - known).max(0.0).sqrt() / count.sqrt());
    Component { deviation, low, high }
}

fn mean_of(group: &[Member]) -> Option<f64> {
    mean(group.iter().map(|member| member.value))
}

/// The mean square among the members of a group, pooled over the groups.
fn among_members(groups: &[&Vec<Member>]) -> Option<MeanSquare> {
    let squares = groups.iter().filter_map(|group| {
        let centre = mean_of(group)?;
        let squares = group.iter().map(|member| (member.value - centre).powi(2));
        Some(squares.sum::<f64>())
    });
    let sum: f64 = squares.sum();
    let freedom: usize = groups.iter().map(|group| group.len() - 1).sum();
    (freedom > 0).then(|| MeanSquare { value: sum / freedom as f64, freedom: freedom as f64 })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A nested sample with these standard deviations; group `g` has `members(g)` members.
    fn sample(
        random: &mut fastrand::Rng,
        groups: usize,
        members: impl Fn(usize) -> usize,
        [between, among, within]: [f64; 3],
    ) -> Vec<Vec<Member>> {
        let mut sample = vec![Vec::new(); groups];
        for (index, group) in sample.iter_mut().enumerate() {
            let centre = 3.0 + between * normal(random);
            for _ in 0..members(index) {
                let value = centre + among * normal(random) + within * normal(random);
                group.push(Member { value, variance: within * within });
            }
        }
        sample
    }

    /// A sum of twelve uniform numbers: a normal one, nearly.
    fn normal(random: &mut fastrand::Rng) -> f64 {
        (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
    }

    /// How often of 1000 times the interval of either component contains the truth.
    fn coverage(groups: usize, members: impl Fn(usize) -> usize, truth: [f64; 3]) -> (usize, usize) {
        let mut random = fastrand::Rng::with_seed(11);
        let mut seen = (0, 0);
        for _ in 0..1000 {
            let found = components(&sample(&mut random, groups, &members, truth), 0.95).unwrap();
            let between = found.between_groups.unwrap();
            seen.0 += usize::from((between.low..=between.high).contains(&truth[0]));
            let among = found.between_members;
            seen.1 += usize::from(among.is_none_or(|among| (among.low..=among.high).contains(&truth[1])));
        }
        seen
    }

    #[test]
    fn known_members_leave_the_deviation_of_the_means_to_the_groups() {
        // One degree of freedom among members is too few: what they vary by themselves, nothing, is taken off.
        let groups: [Vec<Member>; 3] = [&[1.0, 3.0][..], &[4.0], &[9.0]]
            .map(|values| values.iter().map(|&value| Member { value, variance: 0.0 }).collect());
        let found = components(&groups, 0.95).unwrap();
        assert_eq!(found.between_members, None);
        let between = found.between_groups.unwrap();
        assert!((between.deviation - 13_f64.sqrt()).abs() < 1e-9, "{between:?}");
        assert!(between.low < between.deviation && between.deviation < between.high, "{between:?}");
    }

    /// By hand, with tabled quantiles of chi-square: 12.8325 and 0.8312 for 5 degrees of freedom, 23.3367 and 4.4038 for 12.
    #[test]
    fn ends_of_the_intervals_are_those_of_the_tables() {
        let groups = [10.0, 13.0, 17.0, 24.0, 26.0, 30.0]
            .map(|mean| [-1.0, 0.0, 1.0].map(|off| Member { value: mean + off, variance: 0.25 }).to_vec());
        let found = components(&groups, 0.95).unwrap();
        for (component, expected) in [
            (found.between_groups.unwrap(), [4.8805, 7.8528, 19.3033]),
            (found.between_members.unwrap(), [0.514_02, 0.866_03, 1.573_19]),
        ] {
            let ends = [component.low, component.deviation, component.high];
            for (end, tabled) in ends.into_iter().zip(expected) {
                assert!((end / tabled - 1.0).abs() < 0.03, "{component:?}, not {expected:?}");
            }
        }
        assert_eq!(found.within, 0.5);
    }

    #[test]
    fn intervals_cover_the_truth() {
        let designs: [(usize, [f64; 3]); 4] = [
            (50, [0.02, 0.01, 0.005]),
            (20, [0.01, 0.01, 0.01]),
            (200, [0.003, 0.01, 0.002]),
            (10, [0.02, 0.004, 0.002]),
        ];
        for (groups, truth) in designs {
            for members in [2, 5] {
                let (between, among) = coverage(groups, |_| members, truth);
                assert!((930..=980).contains(&between), "{groups} × {members} {truth:?}: {between}");
                assert!((930..=985).contains(&among), "{groups} × {members} {truth:?}: {among}");
            }
        }
        // Groups of unequal size.
        let (between, among) = coverage(40, |group| 1 + group % 4, [0.02, 0.01, 0.005]);
        assert!((930..=980).contains(&between), "{between}");
        assert!((930..=985).contains(&among), "{among}");
    }

    #[test]
    fn groups_of_one_member_are_apart_from_what_the_member_varies_by_itself() {
        let (between, _) = coverage(40, |_| 1, [0.02, 0.0, 0.005]);
        assert!((930..=980).contains(&between), "{between}");
    }

    #[test]
    fn too_few_have_no_component() {
        let one = Member { value: 1.0, variance: 0.25 };
        assert_eq!(components(&[], 0.95), None);
        let found = components(&[vec![one], vec![one]], 0.95).unwrap();
        assert_eq!((found.between_groups, found.between_members), (None, None));
        assert_eq!(found.within, 0.5);
    }
}
