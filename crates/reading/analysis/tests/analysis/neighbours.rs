//! A neighbour who slows batches down, whom no probe sees: honest work is never contradicted, work that was left out is.

use crate::simulated::{analyst, normal, point, settings, trial, witness};
use crate::simulated::{assert_no_number, counted, row_of};
use analysis::{Broken, Cause, Reason, Row, Verdict};
use fastrand::Rng;
use record::{Breach, PlannedPoint, Role, Sampling, Series, Trial};

/// Duty, length of a stretch in nanoseconds, slow-down, and whether stretches are all of that length.
#[derive(Debug, Clone, Copy)]
struct Neighbour {
    duty: f64,
    stretch_ns: f64,
    slow_down: f64,
    is_regular: bool,
}

/// A core on which the neighbour comes and goes: when he does so next.
struct Core {
    neighbour: Neighbour,
    random: Rng,
    now_ns: f64,
    is_shared: bool,
    until_ns: f64,
}

impl Core {
    fn new(neighbour: Neighbour, seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let is_shared = random.f64() < neighbour.duty;
        let mut core = Self { neighbour, random, now_ns: 0.0, is_shared, until_ns: 0.0 };
        core.until_ns = core.stretch();
        core
    }

    /// Length of a stretch: exponential or nearly constant, of a mean that keeps the duty.
    fn stretch(&mut self) -> f64 {
        let Neighbour { duty, stretch_ns, .. } = self.neighbour;
        let mean = match self.is_shared {
            true => stretch_ns,
            false => stretch_ns * (1.0 - duty) / duty,
        };
        mean * match self.neighbour.is_regular {
            true => 0.9 + 0.2 * self.random.f64(),
            false => -(1.0 - self.random.f64()).ln(),
        }
    }

    /// Time that work takes which takes so long on a core of its own.
    fn works(&mut self, own_ns: f64) -> f64 {
        let (began, mut left) = (self.now_ns, own_ns);
        loop {
            let speed = if self.is_shared { 1.0 / self.neighbour.slow_down } else { 1.0 };
            let done = (self.until_ns - self.now_ns) * speed;
            if done >= left {
                self.now_ns += left / speed;
                return self.now_ns - began;
            }
            left -= done;
            self.now_ns = self.until_ns;
            self.is_shared = !self.is_shared;
            self.until_ns += self.stretch();
        }
    }
}

/// Time of a batch of n iterations.
type Work<'w> = &'w dyn Fn(u64) -> f64;

const N: u64 = 200;
const OVERHEAD_NS: f64 = 30.0;

/// 50 ns for each iteration: batches of 10, 20 and 40 µs.
fn honest(n: u64) -> f64 {
    50.0 * n as f64
}

/// Beyond 25 µs the rest is skipped.
fn gives_up(n: u64) -> f64 {
    honest(n).min(25_000.0)
}

/// The first is done, the others are answered from memory.
fn cached(_: u64) -> f64 {
    honest(N)
}

/// Each iteration goes through all that those before it have left.
fn growing(n: u64) -> f64 {
    honest(n) * (n as f64 / N as f64)
}

fn planned() -> PlannedPoint {
    let mut planned = point("target", "");
    let mut linearity = witness("linearity", 0.75, 1.33);
    linearity.breach = Breach::IfConsistent;
    planned.witnesses.push(linearity);
    planned.gate.cpu_share = None;
    planned
}

/// One trial of 32 triples, with probes of the core's width beside them if it has any.
fn trial_of(core: &mut Core, work: Work<'_>, round: u32, probes: bool) -> Trial {
    let mut series = Series::new(Role::Main, Sampling::Triples, N);
    // Others are measured meanwhile.
    let between_ns = 1e7 + 1e8 * core.random.f64();
    core.works(between_ns);
    for _ in 0..32 {
        for factor in [1, 2, 4] {
            core.works(700.0);
            let noise = (0.01 * normal(&mut core.random)).exp();
            let lasted = core.works(OVERHEAD_NS + work(factor * N) * noise);
            series.ticks.push((lasted * 2.0) as i64);
        }
        if probes {
            let chain = 1_000.0;
            series.probe.push(chain as i64);
            let shared = if core.is_shared { core.neighbour.slow_down } else { 1.0 };
            series.width.push((chain / 4.0 * shared) as i64);
        }
    }
    trial(&planned().id, round, 0.5, vec![series])
}

fn row(neighbour: Neighbour, work: Work<'_>, rounds: u32, probes: bool, seed: u64) -> Row {
    let mut planned = planned();
    planned.gate.shared_core = probes.then_some(1.16);
    let mut core = Core::new(neighbour, seed);
    let mut analyst = analyst(vec![planned.clone()], settings(0.03, 6));
    for round in 1..=rounds {
        analyst.add_trial(&trial_of(&mut core, work, round, probes));
        analyst.end_round(round);
    }
    analyst.row(&planned.id).unwrap()
}

/// Rows of this work beside neighbours of all kinds, with and without a gate that sees the core.
fn beside_all(work: Work<'_>, mut judge: impl FnMut(Neighbour, Row)) {
    let mut seed = 0;
    for duty in [0.1, 0.3, 0.5, 0.7, 0.9] {
        for stretch_ns in [5e4, 1e5, 3e5, 1e6, 1e7, 1e9] {
            for slow_down in [1.1, 1.5, 2.0] {
                for is_regular in [false, true] {
                    for (rounds, probes) in [(3, false), (4, true), (8, true)] {
                        seed += 1;
                        let neighbour = Neighbour { duty, stretch_ns, slow_down, is_regular };
                        judge(neighbour, row(neighbour, work, rounds, probes, seed));
                    }
                }
            }
        }
    }
}

#[test]
fn correct_work_beside_a_neighbour_is_never_contradicted() {
    let mut broken = 0;
    beside_all(&honest, |neighbour, row| {
        assert_ne!(row.verdict, Verdict::Contradicted, "{neighbour:?}: {:?}", row.reasons);
        assert!(row.estimate.is_some(), "{neighbour:?}: {:?}", row.reasons);
        broken += row.witnesses[1].broken;
    });
    assert!(broken > 0, "no neighbour has bent the proportion of any trial");
}

#[test]
fn work_that_does_not_grow_with_the_iterations_is_contradicted_beside_any_neighbour() {
    for work in [&gives_up as Work<'_>, &cached, &growing] {
        let (mut all, mut missed) = (0, 0);
        beside_all(work, |neighbour, row| {
            assert_ne!(row.verdict, Verdict::Measured, "{neighbour:?}");
            all += 1;
            missed += usize::from(row.verdict != Verdict::Contradicted);
        });
        assert!(100 * missed < all, "{missed} of {all}");
    }
}

/// A second witness, which is broken in some rounds of twelve.
fn broken_in(breach: Breach, low: f64, rounds: &'static [u32], count: f64) -> Row {
    let mut planned = point("target", "");
    let mut second = witness("steady", low, 1.0);
    second.breach = breach;
    planned.witnesses.push(second);
    row_of(planned, 12, move |trial| {
        let steady = if rounds.contains(&trial.round) { count } else { 1.0 };
        trial.evidence.push(counted("steady", steady));
    })
}

#[test]
fn a_witness_of_noise_that_every_trial_breaks_gives_a_noisy_number_that_names_it() {
    let row = broken_in(Breach::Noise, 1.0, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 0.0);
    assert_eq!(row.verdict, Verdict::Noisy);
    assert_eq!(row.estimate.unwrap().trials, 12);
    let broken = Broken { witness: row.witnesses[1].witness.clone(), counted: 0.0, broken: 12, read: 12 };
    assert_eq!(broken.witness.counter, "steady");
    assert_eq!(row.reasons, [Reason::Noise(broken)]);
}

#[test]
fn trials_that_break_a_witness_of_noise_are_set_aside_where_enough_others_hold() {
    let rare = broken_in(Breach::Noise, 1.0, &[2, 9], 0.0);
    assert_eq!(rare.verdict, Verdict::Measured, "{:?}", rare.reasons);
    assert_eq!(rare.estimate.unwrap().trials, 10);
    assert_eq!(rare.set_aside[0].cause, Cause::Witness("steady".to_owned()));
    let often = broken_in(Breach::Noise, 1.0, &[2, 5, 8, 9, 11], 0.0);
    assert_eq!(often.verdict, Verdict::Noisy);
    assert_eq!(often.estimate.unwrap().trials, 7);
}

#[test]
fn trials_contradict_by_a_timed_witness_only_when_they_agree() {
    let all: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let agree = broken_in(Breach::IfConsistent, 0.9, all, 0.5);
    assert_eq!(agree.verdict, Verdict::Contradicted);
    assert_no_number(&agree);
    // The interval of 12 trials leaves two at either end.
    let nearly = broken_in(Breach::IfConsistent, 0.9, &all[..10], 0.5);
    assert_eq!(nearly.verdict, Verdict::Contradicted);
    let differ = broken_in(Breach::IfConsistent, 0.9, &all[..9], 0.5);
    assert_eq!(differ.verdict, Verdict::Noisy);
    assert_eq!(differ.estimate.unwrap().trials, 12);
}

#[test]
fn starved_trials_do_not_count_for_timed_witnesses() {
    let mut planned = point("target", "");
    let mut second = witness("steady", 0.9, 1.0);
    second.breach = Breach::IfConsistent;
    planned.witnesses.push(second);
    let row = row_of(planned, 12, |trial| {
        trial.evidence.push(counted("steady", 0.5));
        // Another task had the CPU nearly all the time.
        trial.series[0].cpu_ns.iter_mut().for_each(|time| *time /= 10);
    });
    assert_eq!(row.verdict, Verdict::Noisy);
    assert_eq!((row.witnesses[1].read, row.estimate), (0, None));
    assert!(matches!(row.reasons[..], [Reason::Starved(..)]));
}
