//! Which points a round tries: those that can become narrow in the time that is left, and then sharper than asked.

use analysis::{LEAST_OF_A_ROUND, Needs};

/// All needs are looked at again when a run is longer by this factor: those of a point that was not tried change only with
/// what the run knows of the core's clock and of quiet cores.
const AGAIN: f64 = 1.2;

/// An interval that is narrow enough becomes sharper when that takes less than its share of the time of one that is not.
const NOT_ASKED: f64 = 3.0;

/// Share of a run after which a trial is a late one.
const LATE_FROM: f64 = 2.0 / 3.0;

/// Share of a run's time that late trials may take.
const LATE_SHARE: f64 = 0.1;

/// What each point of a plan needs, and how long its trials take.
pub(super) struct Allocation {
    needs: Vec<Needs>,
    /// What the last trial of each point took, in nanoseconds, from asking to the answer; zero before its first.
    pub(super) trial_ns: Vec<f64>,
    /// When each point was tried last, in nanoseconds since the run began; zero before its first trial.
    tried_ns: Vec<f64>,
    /// What late trials took so far.
    late_ns: f64,
    looked_ns: f64,
}

impl Allocation {
    /// For this number of points.
    pub(super) fn new(points: usize) -> Self {
        let unknown = Needs { to_close: 1.0, to_sharpen: 1.0, ..Needs::default() };
        Self {
            needs: vec![unknown; points],
            trial_ns: vec![0.0; points],
            tried_ns: vec![0.0; points],
            late_ns: 0.0,
            looked_ns: 0.0,
        }
    }

    /// A trial of a point took this long, and is over now.
    pub(super) fn took(&mut self, index: usize, ns: f64, now_ns: u64) {
        if let (Some(took), Some(tried)) = (self.trial_ns.get_mut(index), self.tried_ns.get_mut(index)) {
            (*took, *tried) = (ns, now_ns as f64);
        }
    }

    /// The points that need no further trial and were last tried before the last third of the run, which is now: those
    /// tried longest ago first, as many as fit into what is left of the time for late trials.
    pub(super) fn late(&mut self, now_ns: u64) -> Vec<usize> {
        let now_ns = now_ns as f64;
        let mut early: Vec<(usize, f64)> = (0..)
            .zip(self.needs.iter().zip(&self.tried_ns))
            .filter(|(_, (needs, tried))| needs.is_narrow && **tried < LATE_FROM * now_ns)
            .map(|(index, (_, tried))| (index, *tried))
            .collect();
        early.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let mut late = Vec::new();
        for (index, _) in early {
            let trial_ns = self.trial_ns.get(index).copied().unwrap_or_default();
            if self.late_ns + trial_ns > LATE_SHARE * now_ns {
                break;
            }
            self.late_ns += trial_ns;
            late.push(index);
        }
        late
    }

    /// Narrow points to try with these in a round, those tried longest ago first. A trial finds caches and free pages as the
    /// trials before it left them: alone, a page fault became a third cheaper from trial to trial (docs/NEXT_RUN.md).
    pub(super) fn company(&self, tried: &[usize]) -> Vec<usize> {
        let narrow = self.needs.iter().enumerate().filter(|(_, needs)| needs.is_narrow);
        let mut others: Vec<usize> =
            narrow.map(|(index, _)| index).filter(|index| !tried.contains(index)).collect();
        let tried_ns = |index: &usize| self.tried_ns.get(*index).copied().unwrap_or_default();
        others.sort_by(|one, other| tried_ns(one).total_cmp(&tried_ns(other)));
        others.truncate(LEAST_OF_A_ROUND.saturating_sub(tried.len()));
        others
    }

    /// The points to look at again after those were tried: all from time to time.
    pub(super) fn stale(&mut self, tried: Vec<usize>, now_ns: u64) -> Vec<usize> {
        let now_ns = now_ns as f64;
        if now_ns < AGAIN * self.looked_ns {
            return tried;
        }
        self.looked_ns = now_ns;
        self.all()
    }

    /// Takes in what these points need.
    pub(super) fn update(&mut self, places: &[usize], needs: Vec<Needs>) {
        for (&place, new) in places.iter().zip(needs) {
            if let Some(old) = self.needs.get_mut(place) {
                *old = new;
            }
        }
    }

    /// All points, by their place in the plan.
    pub(super) fn all(&self) -> Vec<usize> {
        (0..self.needs.len()).collect()
    }

    /// How many trials each point is likely to need still.
    pub(super) fn to_close(&self) -> Vec<f64> {
        self.needs.iter().map(|needs| needs.to_close).collect()
    }

    /// How many points would be measured if the run ended now.
    pub(super) fn measured(&self) -> usize {
        self.needs.iter().filter(|needs| needs.is_measured).count()
    }

    /// The points that need another trial.
    pub(super) fn open(&self) -> Vec<usize> {
        let open = self.needs.iter().enumerate();
        open.filter(|(_, needs)| needs.to_close > 0.0).map(|(index, _)| index).collect()
    }

    /// Of the open points those for which the least rounds that are left fit into the time.
    pub(super) fn for_least(&self, rounds: u32, left_ns: f64) -> Vec<usize> {
        let costs = self.open().into_iter().map(|index| {
            let cost = f64::from(rounds) * self.trial_ns.get(index).copied().unwrap_or_default();
            (index, cost, cost)
        });
        within(costs.collect(), left_ns)
    }

    /// The points that can become narrow in the time that is left, or sharper where they are narrow: as many as possible.
    /// Those come first that need least in all (what was not asked for counts more), what they took already included: what does not become narrow by more trials
    /// (processes of several states) must not keep the time from others. All of them where none has room.
    pub(super) fn for_rest(&self, left_ns: f64) -> Vec<usize> {
        let possible =
            self.needs.iter().zip(&self.trial_ns).enumerate().filter_map(|(index, (needs, trial_ns))| {
                let next = [(needs.to_close, 1.0), (needs.to_sharpen, NOT_ASKED)];
                let (next, weight) = next.into_iter().find(|(next, _)| *next > 0.0)?;
                Some((index, weight * (needs.made + next) * trial_ns, next * trial_ns))
            });
        let all: Vec<_> = possible.collect();
        let fitting = within(all.clone(), left_ns);
        match fitting.is_empty() {
            true => all.into_iter().map(|(index, ..)| index).collect(),
            false => fitting,
        }
    }
}

/// As many of the points, each with its rank and its need, as their needs together leave room for, by their rank.
fn within(mut points: Vec<(usize, f64, f64)>, left: f64) -> Vec<usize> {
    points.sort_by(|(_, one, _), (_, other, _)| one.total_cmp(other));
    let mut sum = 0.0;
    let fitting = points.into_iter().take_while(|(.., need)| {
        sum += need;
        sum <= left
    });
    fitting.map(|(index, ..)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points with trials made, to close and to sharpen, each trial of which takes a nanosecond.
    fn allocation(points: &[[f64; 3]]) -> Allocation {
        let mut allocation = Allocation::new(points.len());
        let needs = points.iter().map(|&[made, to_close, to_sharpen]| {
            let is_narrow = made > 0.0 && to_close == 0.0;
            Needs { made, to_close, to_sharpen, is_narrow, is_measured: is_narrow }
        });
        let places: Vec<usize> = (0..points.len()).collect();
        allocation.update(&places, needs.collect());
        places.iter().for_each(|&place| allocation.took(place, 1.0, 1));
        allocation
    }

    #[test]
    fn points_that_need_least_come_first() {
        let open = allocation(&[[0.0, 50.0, 90.0], [0.0, 10.0, 90.0], [0.0, 1e3, 1e4], [0.0, 30.0, 90.0]]);
        assert_eq!(open.for_rest(95.0), [1, 3, 0]);
        assert_eq!(open.for_rest(40.0), [1, 3]);
        assert_eq!(open.for_rest(2_000.0).len(), 4);
        assert_eq!(open.for_least(2, 5.0), [0, 1]);
    }

    #[test]
    fn what_took_many_trials_already_comes_after_what_may_become_sharper() {
        let mixed = allocation(&[[500.0, 10.0, 90.0], [12.0, 0.0, 20.0], [12.0, 0.0, 0.0]]);
        assert_eq!(mixed.for_rest(25.0), [1]);
        assert_eq!(mixed.for_rest(35.0), [1, 0]);
        assert_eq!(mixed.open(), [0]);
    }

    #[test]
    fn time_that_is_enough_for_no_point_goes_to_all() {
        assert_eq!(
            allocation(&[[12.0, 50.0, 90.0], [12.0, 0.0, 70.0], [12.0, 0.0, 0.0]]).for_rest(5.0),
            [0, 1]
        );
    }

    #[test]
    fn points_that_closed_early_are_tried_late_within_a_tenth_of_the_run() {
        let mut four = allocation(&[[12.0, 0.0, 9.0], [12.0, 0.0, 0.0], [12.0, 5.0, 9.0], [0.0, 0.0, 0.0]]);
        four.took(1, 3.0, 45);
        four.took(0, 3.0, 40);
        // What is open is tried anyway, and what was never tried is no early point.
        assert_eq!(four.late(70), [0, 1]);
        // Six of ten nanoseconds are spent: there is room for one more.
        assert_eq!(four.late(100), [0]);
        assert_eq!(four.late(100), [0; 0]);
        // From two thirds of the run on a trial is late.
        four.took(0, 3.0, 400);
        four.took(1, 3.0, 399);
        assert_eq!(four.late(600), [1]);
    }

    #[test]
    fn few_points_are_tried_with_those_tried_longest_ago() {
        let mut many = allocation(&[[12.0, 0.0, 0.0]; 20]);
        (0..20).for_each(|index| many.took(index, 3.0, 100 - index as u64));
        let company = many.company(&[19, 3]);
        assert_eq!(company, [18, 17, 16, 15, 14, 13, 12, 11, 10, 9]);
        assert!(many.company(&(0..12).collect::<Vec<_>>()).is_empty());
        // What is open is tried when it is worth it, and what was never tried does not become narrow so.
        assert!(allocation(&[[12.0, 5.0, 9.0], [0.0; 3]]).company(&[]).is_empty());
    }

    #[test]
    fn all_points_are_looked_at_again_when_the_run_is_longer_by_a_fifth() {
        let mut three = allocation(&[[0.0; 3]; 3]);
        assert_eq!(three.stale(vec![1], 1_000), [0, 1, 2]);
        assert_eq!(three.stale(vec![1], 1_100), [1]);
        assert_eq!(three.stale(vec![1], 1_200), [0, 1, 2]);
    }
}
