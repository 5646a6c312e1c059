//! How long a run is likely to take still.

use analysis::LEAST_OF_A_ROUND;

/// What is known of it before a trial.
#[derive(Clone, Copy)]
pub struct TimeLeft<'a> {
    /// Trials that each point was likely to need when the round began; none where it is closed.
    pub to_go: &'a [f64],
    /// What the last trial of each point took, in nanoseconds; zero before its first.
    pub trial_ns: &'a [f64],
    /// The round that is going on, from 1.
    pub round: u32,
    /// Rounds after which the run ends.
    pub most_rounds: u32,
    /// The points of the round in their order.
    pub order: &'a [usize],
    /// How many of them have had their trial.
    pub tried: usize,
    /// What is left of the budget.
    pub budget_ns: f64,
}

impl TimeLeft<'_> {
    /// Nanoseconds until the run ends; `None` before the first trial. The budget bounds all but the first round.
    pub fn nanoseconds(&self) -> Option<f64> {
        let usual = self.usual_ns()?;
        let (done, waiting) = self.order.split_at(self.tried.min(self.order.len()));
        let need_ns = |(index, &to_go): (usize, &f64)| {
            let is_done = done.contains(&index);
            let rounds = self.most_rounds.saturating_sub(self.round) + u32::from(!is_done);
            let trials = if is_done { to_go - 1.0 } else { to_go };
            trials.clamp(0.0, f64::from(rounds)) * self.cost_ns(index, usual)
        };
        let need: f64 = self.to_go.iter().enumerate().map(need_ns).sum();
        let need = need + self.company_ns();
        let least = match self.round {
            1 => waiting.iter().map(|&index| self.cost_ns(index, usual)).sum(),
            _ => 0.0,
        };
        Some(need.min(self.budget_ns).max(least))
    }

    /// What the trials of others take with which few points are tried.
    fn company_ns(&self) -> f64 {
        let closed = self.to_go.iter().zip(self.trial_ns).filter(|(to_go, _)| **to_go <= 0.0);
        let costs: Vec<f64> = closed.map(|(_, took)| *took).filter(|took| *took > 0.0).collect();
        let others = LEAST_OF_A_ROUND.saturating_sub(self.to_go.len() - costs.len()).min(costs.len());
        let most = self.to_go.iter().fold(0.0_f64, |most, to_go| most.max(*to_go));
        let rounds = most.min(f64::from(self.most_rounds.saturating_sub(self.round)));
        rounds * others as f64 * costs.iter().sum::<f64>() / costs.len().max(1) as f64
    }

    /// What a trial of a point takes, where it is known, else what is usual.
    fn cost_ns(&self, index: usize, usual: f64) -> f64 {
        self.trial_ns.get(index).copied().filter(|known| *known > 0.0).unwrap_or(usual)
    }

    /// Mean of what trials took, for points that had none yet.
    fn usual_ns(&self) -> Option<f64> {
        let known = self.trial_ns.iter().filter(|took| **took > 0.0);
        let count = known.clone().count();
        (count > 0).then(|| known.sum::<f64>() / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::TimeLeft;

    const THIRD_ROUND: TimeLeft<'static> = TimeLeft {
        to_go: &[4.0, 0.0, 2.0],
        trial_ns: &[10.0, 1_000.0, 30.0],
        round: 3,
        most_rounds: 100,
        order: &[2, 0],
        tried: 1,
        budget_ns: 1e6,
    };

    #[test]
    fn time_is_that_of_the_trials_that_open_points_need() {
        let alone = TimeLeft { trial_ns: &[10.0, 0.0, 30.0], ..THIRD_ROUND };
        assert_eq!(alone.nanoseconds(), Some(4.0 * 10.0 + 30.0));
        // Four further rounds have the point that is closed, too.
        assert_eq!(THIRD_ROUND.nanoseconds(), Some(4.0 * 10.0 + 30.0 + 4.0 * 1_000.0));
    }

    #[test]
    fn budget_and_rounds_end_it_earlier() {
        let budget_ns = 12.0;
        assert_eq!(TimeLeft { budget_ns, ..THIRD_ROUND }.nanoseconds(), Some(12.0));
        // One point is still to be tried, the other one has been.
        let most_rounds = 3;
        assert_eq!(TimeLeft { most_rounds, ..THIRD_ROUND }.nanoseconds(), Some(10.0));
    }

    #[test]
    fn first_round_is_finished_whatever_the_budget_at_the_usual_cost_of_a_trial() {
        let first = TimeLeft {
            to_go: &[6.0; 4],
            trial_ns: &[0.0, 20.0, 0.0, 40.0],
            round: 1,
            order: &[1, 3, 0, 2],
            tried: 2,
            budget_ns: 5.0,
            ..THIRD_ROUND
        };
        assert_eq!(first.nanoseconds(), Some(60.0));
        assert_eq!(TimeLeft { trial_ns: &[0.0; 4], ..first }.nanoseconds(), None);
    }
}
