//! When requests are due, and what their messenger and their workers do.

use sys::random::word;

/// What the messenger and the workers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conduct {
    /// The messenger posts each request when it is due, and a worker without one sleeps.
    OpenLoop,
    /// It posts each request when it is due and the one before is done.
    AfterAnswer,
    /// A worker without a request polls its queue, and says that it slept.
    Polling,
}

/// When requests are due.
pub(super) struct Schedule {
    pub(super) seed: u64,
    /// Nanoseconds between two requests in the mean.
    pub(super) mean_ns: f64,
    pub(super) began: i64,
    pub(super) end: i64,
    pub(super) conduct: Conduct,
}

impl Schedule {
    /// The time from one request to the next: exponentially distributed, so that each worker has arrivals without memory.
    pub(super) fn gap_ns(&self, number: u64) -> f64 {
        let uniform = (word(self.seed, 2 * number) >> 11) as f64 / (1_u64 << 53) as f64;
        -(1.0 - uniform).ln() * self.mean_ns
    }

    /// Which worker gets it.
    pub(super) fn worker(&self, number: u64, workers: usize) -> usize {
        (word(self.seed, 2 * number + 1) % workers as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_have_the_mean_of_the_schedule_whatever_the_seed() {
        for seed in 0..5 {
            let schedule = Schedule { seed, mean_ns: 1_000.0, began: 0, end: 0, conduct: Conduct::OpenLoop };
            let gaps: Vec<f64> = (0..20_000).map(|number| schedule.gap_ns(number)).collect();
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            assert!((mean / 1_000.0 - 1.0).abs() < 0.03 && gaps.iter().all(|gap| *gap >= 0.0), "{mean}");
            let first = (0..20_000).filter(|&number| schedule.worker(number, 2) == 0).count();
            assert!((9_500..10_500).contains(&first), "{first}");
        }
    }
}
