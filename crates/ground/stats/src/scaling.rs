//! How the work of several workers grows with their number: the share that is done one after the other, and the share that
//! each worker pays for every other one.
//!
//! With n workers an operation of each takes y(n) = 1 + σ (n − 1) + κ n (n − 1) times as long as by one alone: σ is Amdahl's
//! serial share, κ the coherence of Gunther's universal scalability law ("Guerrilla Capacity Planning", 2007, chapter 4). The
//! work of all in the time of one is then n / y(n).

/// The time of an operation of each of n workers, as a multiple of that of one alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slowing {
    /// The number of workers, at least 2.
    pub workers: f64,
    /// The multiple.
    pub times: f64,
    /// Half of its interval.
    pub half: f64,
}

/// A share with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The share.
    pub value: f64,
    /// Half of its interval.
    pub half: f64,
}

impl Share {
    /// The least that it may be.
    pub fn low(self) -> f64 {
        self.value - self.half
    }

    /// The most that it may be.
    pub fn high(self) -> f64 {
        self.value + self.half
    }
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    /// The serial share σ. Below 0 more workers make each other faster.
    pub serial: Share,
    /// The coherence κ; `None` where it is not different from 0, or there are too few numbers of workers.
    pub coherence: Option<Share>,
}

/// Fewest numbers of workers from which both shares can be distinguished: two leave nothing to see an error by.
const LEAST_FOR_BOTH: usize = 3;

impl Scaling {
    /// The work of this number of workers in the time in which one does 1.
    pub fn work(&self, workers: f64) -> f64 {
        let coherence = self.coherence.map_or(0.0, |share| share.value);
        workers / (1.0 + self.serial.value * (workers - 1.0) + coherence * workers * (workers - 1.0))
    }

    /// The number of workers from which more of them do less, and its least and most; `None` where there is none.
    pub fn most_workers(&self) -> Option<[f64; 3]> {
        let coherence = self.coherence.filter(|share| share.low() > 0.0)?;
        let at = |serial: f64, coherence: f64| ((1.0 - serial).max(0.0) / coherence).sqrt();
        Some([
            at(self.serial.high(), coherence.high()),
            at(self.serial.value, coherence.value),
            at(self.serial.low(), coherence.low()),
        ])
    }
}

/// The shares by least squares, each number of workers with the weight of its interval; `None` without one. The half widths come
/// from those of the multiples, and are wider where the curve lies further from them than they allow.
pub fn scaling(slowings: &[Slowing]) -> Option<Scaling> {
    let usable: Vec<Slowing> = slowings
        .iter()
        .copied()
        .filter(|one| one.workers >= 2.0 && one.times.is_finite() && one.half > 0.0)
        .collect();
    let simple = serial_alone(&usable)?;
    if usable.len() < LEAST_FOR_BOTH {
        return Some(simple);
    }
    let both = serial_and_coherence(&usable);
    Some(both.filter(|both| both.coherence.is_some_and(|share| share.low() > 0.0)).unwrap_or(simple))
}

fn weight(one: &Slowing) -> f64 {
    one.half.powi(-2)
}

/// By how much half widths grow where the curve misses multiples by more than their own: with `free` multiples more than shares.
fn misfit(slowings: &[Slowing], fitted: &Scaling, free: usize) -> f64 {
    let squares = slowings.iter().map(|one| {
        let residual = one.times - one.workers / fitted.work(one.workers);
        weight(one) * residual * residual
    });
    if free == 0 { 1.0 } else { (squares.sum::<f64>() / free as f64).sqrt().max(1.0) }
}

fn serial_alone(slowings: &[Slowing]) -> Option<Scaling> {
    let (mut squares, mut products) = (0.0, 0.0);
    for one in slowings {
        let others = one.workers - 1.0;
        squares += weight(one) * others * others;
        products += weight(one) * others * (one.times - 1.0);
    }
    let value = products / squares;
    let fitted = Scaling { serial: Share { value, half: 0.0 }, coherence: None };
    let half = squares.powf(-0.5) * misfit(slowings, &fitted, slowings.len().saturating_sub(1));
    (value.is_finite() && half.is_finite())
        .then_some(Scaling { serial: Share { value, half }, coherence: None })
}

fn serial_and_coherence(slowings: &[Slowing]) -> Option<Scaling> {
    let mut sums = [0.0; 5];
    for one in slowings {
        let (a, b) = (one.workers - 1.0, one.workers * (one.workers - 1.0));
        let more = [a * a, a * b, b * b, a * (one.times - 1.0), b * (one.times - 1.0)];
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += weight(one) * more);
    }
    let [aa, ab, bb, ay, by] = sums;
    let determinant = aa * bb - ab * ab;
    let (serial, coherence) = ((bb * ay - ab * by) / determinant, (aa * by - ab * ay) / determinant);
    let without = |value| Share { value, half: 0.0 };
    let fitted = Scaling { serial: without(serial), coherence: Some(without(coherence)) };
    let factor = misfit(slowings, &fitted, slowings.len() - 2);
    let share = |value, variance: f64| Share { value, half: (variance / determinant).sqrt() * factor };
    let (serial, coherence) = (share(serial, bb), share(coherence, aa));
    let is_found =
        [serial.value, serial.half, coherence.value, coherence.half].iter().all(|one| one.is_finite());
    is_found.then_some(Scaling { serial, coherence: Some(coherence) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Numbers between −1 and 1 that are nearly normal, scaled so that 95 % lie within.
    fn noise(random: &mut fastrand::Rng) -> f64 {
        ((0..12).map(|_| random.f64()).sum::<f64>() - 6.0) / 1.96
    }

    /// A curve with these shares, each multiple off by noise within `half` of it.
    fn curve(
        serial: f64,
        coherence: f64,
        counts: &[f64],
        half: f64,
        random: &mut fastrand::Rng,
    ) -> Vec<Slowing> {
        let one = |&workers: &f64| {
            let times = 1.0 + serial * (workers - 1.0) + coherence * workers * (workers - 1.0);
            let half = half * times;
            Slowing { workers, times: times + half * noise(random), half }
        };
        counts.iter().map(one).collect()
    }

    const COUNTS: [f64; 6] = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

    #[test]
    fn shares_of_simulated_curves_are_within_their_intervals() {
        let mut random = fastrand::Rng::with_seed(7);
        for (serial, coherence) in [(0.0, 0.0), (0.05, 0.0), (0.05, 0.001), (0.3, 0.02), (-0.02, 0.0)] {
            let (mut serial_hits, mut coherence_hits) = (0, 0);
            for _ in 0..200 {
                let found = scaling(&curve(serial, coherence, &COUNTS, 0.02, &mut random)).unwrap();
                serial_hits += u32::from((found.serial.value - serial).abs() <= found.serial.half);
                let value = found.coherence.map_or(0.0, |share| share.value);
                let half = found.coherence.map_or(0.0, |share| share.half);
                coherence_hits += u32::from((value - coherence).abs() <= half);
            }
            assert!(serial_hits >= 180, "{serial} {coherence}: {serial_hits}");
            assert!(coherence_hits >= 180, "{serial} {coherence}: {coherence_hits}");
        }
    }

    #[test]
    fn two_workers_give_a_serial_share_and_no_coherence() {
        let found = scaling(&[Slowing { workers: 2.0, times: 1.4, half: 0.1 }]).unwrap();
        assert!((found.serial.value - 0.4).abs() < 1e-12 && (found.serial.half - 0.1).abs() < 1e-12);
        assert_eq!((found.coherence, found.most_workers()), (None, None));
        assert!((found.work(2.0) - 2.0 / 1.4).abs() < 1e-12);
    }

    #[test]
    fn more_workers_do_less_beyond_the_number_that_the_shares_give() {
        let mut random = fastrand::Rng::with_seed(3);
        let found = scaling(&curve(0.1, 0.01, &COUNTS, 0.01, &mut random)).unwrap();
        let [low, value, high] = found.most_workers().unwrap();
        let truth = (0.9_f64 / 0.01).sqrt();
        assert!(low < truth && truth < high && (value / truth - 1.0).abs() < 0.1, "{low} {value} {high}");
        assert!(found.work(value) > found.work(value * 1.5) && found.work(value) > found.work(value / 1.5));
    }

    #[test]
    fn curve_that_no_shares_describe_has_wide_intervals() {
        let slowings = [2.0, 4.0, 8.0].map(|workers| Slowing {
            workers,
            times: if workers == 4.0 { 9.0 } else { 1.0 },
            half: 0.01,
        });
        let found = scaling(&slowings).unwrap();
        assert!(found.serial.half > 0.5 && found.coherence.is_none(), "{found:?}");
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        assert_eq!(scaling(&[]), None);
        let without_interval = Slowing { workers: 2.0, times: 1.0, half: 0.0 };
        assert_eq!(scaling(&[without_interval]), None);
        assert_eq!(scaling(&[Slowing { workers: 1.0, times: 1.0, half: 0.1 }]), None);
    }
}
