//! Ten simulated machines: the levels that the curve of each shows, and those that it hides.

use stats::plateaus::{Plateau, Shape, plateaus};

/// As the operation that looks for levels has it.
const SHAPE: Shape = Shape { flat: 1.25, long: 1.45, step: 1.5 };

/// How a cache loses what does not fit.
#[derive(Clone, Copy)]
enum Loses {
    /// At once: least recently used, every set filled alike.
    Sharply,
    /// Pages at random places fill its sets unevenly: from an eighth below its size to an eighth above.
    Unevenly,
    /// By chance: of a set of size S a share C / S is held.
    ByChance,
}

struct Cache {
    kib: f64,
    ns: f64,
    loses: Loses,
}

fn cache(kib: f64, ns: f64, loses: Loses) -> Cache {
    Cache { kib, ns, loses }
}

impl Cache {
    /// The share of the loads in a working set that it serves.
    fn holds(&self, kib: f64) -> f64 {
        let relative = kib / self.kib;
        match self.loses {
            Sharply => f64::from(relative <= 1.0),
            Unevenly => (1.0 - (relative - 0.85) / 0.3).clamp(0.0, 1.0),
            ByChance => (1.0 / relative).min(1.0).powi(4),
        }
    }
}

/// A machine: caches, memory in ns, and how noisy it is.
struct Machine {
    caches: Vec<Cache>,
    memory: f64,
    /// Noise only adds: a share of each sample, and of one in twenty a multiple.
    noise: f64,
}

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as f64 / f64::from(1_u32 << 31)
}

impl Machine {
    fn latency(&self, kib: f64) -> f64 {
        let mut left = 1.0;
        let mut sum = 0.0;
        for cache in &self.caches {
            // What the caches before it hold it never sees.
            let served = (cache.holds(kib) - (1.0 - left)).max(0.0);
            sum += served * cache.ns;
            left -= served;
        }
        sum + left * self.memory
    }

    /// The curve as a sweep takes it: the least of three samples, what a larger set does faster taken as noise.
    fn curve(&self, seed: &mut u64) -> Vec<(f64, f64)> {
        let mut curve = Vec::new();
        let mut kib = 4.0_f64;
        while kib <= 65_536.0 {
            let samples = (0..3).map(|_| {
                let spike = if random(seed) < 0.05 { 4.0 } else { 1.0 };
                self.latency(kib) * (1.0 + self.noise * random(seed) * spike)
            });
            curve.push((kib, samples.fold(f64::INFINITY, f64::min)));
            kib = if kib < 4_096.0 {
                (kib * 1.05).ceil()
            } else if kib < 16_384.0 {
                kib * 1.19
            } else {
                kib * 1.42
            };
        }
        let mut least = f64::INFINITY;
        for pair in curve.iter_mut().rev() {
            least = least.min(pair.1);
            pair.1 = least;
        }
        curve
    }
}

/// Every level has its latency within 5 %, the first its size within 5 % and the others within `loose`.
fn assert_found(name: &str, machine: &Machine, expected: &[(Option<f64>, f64)], loose: f64) {
    for seed in 1..20 {
        let found = plateaus(&machine.curve(&mut { seed }), SHAPE);
        let what = format!("{name}, seed {seed}: {found:?}");
        assert_eq!(found.len(), expected.len(), "{what}");
        for (level, (plateau, (size, ns))) in found.iter().zip(expected).enumerate() {
            let Plateau { height, edge, .. } = plateau;
            let within = 1.05 + machine.noise;
            assert!(height / ns < within && ns / height < within, "{what}");
            let within = if level == 0 { 1.05 } else { loose };
            match (edge, size) {
                (Some(edge), Some(size)) => {
                    assert!(edge / size < within && size / edge < within, "{what}");
                }
                (edge, size) => assert_eq!(edge.is_some(), size.is_some(), "{what}"),
            }
        }
    }
}

use Loses::{ByChance, Sharply, Unevenly};

#[test]
fn three_caches_of_a_desktop() {
    let caches = vec![cache(32.0, 1.2, Sharply), cache(256.0, 3.5, Sharply), cache(8192.0, 12.0, Sharply)];
    let machine = Machine { caches, memory: 65.0, noise: 0.0 };
    let expected = [(Some(32.0), 1.2), (Some(256.0), 3.5), (Some(8192.0), 12.0), (None, 65.0)];
    assert_found("desktop", &machine, &expected, 1.15);
}

#[test]
fn base_pages_at_random_places() {
    let caches =
        vec![cache(48.0, 1.7, Sharply), cache(2048.0, 5.3, Unevenly), cache(16_384.0, 36.0, Unevenly)];
    let machine = Machine { caches, memory: 120.0, noise: 0.02 };
    let expected = [(Some(48.0), 1.7), (Some(2048.0), 5.3), (Some(16_384.0), 36.0), (None, 120.0)];
    assert_found("random places", &machine, &expected, 1.15);
}

#[test]
fn no_third_cache() {
    let caches = vec![cache(32.0, 2.0, Sharply), cache(512.0, 7.0, Unevenly)];
    let machine = Machine { caches, memory: 110.0, noise: 0.03 };
    let expected = [(Some(32.0), 2.0), (Some(512.0), 7.0), (None, 110.0)];
    assert_found("no third cache", &machine, &expected, 1.15);
}

#[test]
fn a_third_cache_larger_than_the_sweep() {
    let caches =
        vec![cache(48.0, 1.7, Sharply), cache(2048.0, 5.3, Sharply), cache(266_240.0, 40.0, Sharply)];
    let machine = Machine { caches, memory: 130.0, noise: 0.02 };
    let expected = [(Some(48.0), 1.7), (Some(2048.0), 5.3), (None, 40.0)];
    assert_found("large third cache", &machine, &expected, 1.15);
}

/// Of a cache that is shared the effective size is found: where half of the loads are served (on a logarithmic
/// scale), whatever its full size is.
#[test]
fn a_third_cache_of_which_neighbours_take_most() {
    let caches =
        vec![cache(48.0, 0.9, Sharply), cache(1024.0, 3.2, Unevenly), cache(9_000.0, 12.0, ByChance)];
    let machine = Machine { caches, memory: 160.0, noise: 0.05 };
    for seed in 1..20 {
        let found = plateaus(&machine.curve(&mut { seed }), SHAPE);
        assert_eq!(found.len(), 4, "{found:?}");
        let effective = found[2].edge.unwrap_or(0.0);
        assert!((7_000.0..14_000.0).contains(&effective), "{found:?}");
    }
}

/// A victim cache holds what the one before it let go: both sizes add up, and the curve ends at the sum.
#[test]
fn a_victim_cache_adds_to_the_one_before() {
    let caches =
        vec![cache(32.0, 0.9, Sharply), cache(512.0, 3.0, Unevenly), cache(8192.0 + 512.0, 11.0, Unevenly)];
    let machine = Machine { caches, memory: 90.0, noise: 0.02 };
    let expected = [(Some(32.0), 0.9), (Some(512.0), 3.0), (Some(8704.0), 11.0), (None, 90.0)];
    assert_found("victim", &machine, &expected, 1.15);
}

/// The same program on a big core and on a little one: each finds its own.
#[test]
fn a_big_core_and_a_little_one() {
    let big = vec![cache(128.0, 0.9, Sharply), cache(16_384.0, 5.0, Unevenly)];
    let little = vec![cache(64.0, 1.4, Sharply), cache(4096.0, 6.5, Unevenly)];
    let big = Machine { caches: big, memory: 105.0, noise: 0.02 };
    let little = Machine { caches: little, memory: 125.0, noise: 0.02 };
    assert_found("big", &big, &[(Some(128.0), 0.9), (Some(16_384.0), 5.0), (None, 105.0)], 1.15);
    assert_found("little", &little, &[(Some(64.0), 1.4), (Some(4096.0), 6.5), (None, 125.0)], 1.15);
}

/// Huge pages of the guest on small ones of its host: from the reach of the TLB on a sixteenth of a walk is
/// added to every load. It is no level.
#[test]
fn splintered_huge_pages_are_no_level() {
    let caches =
        vec![cache(48.0, 0.9, Sharply), cache(1024.0, 3.2, Unevenly), cache(12_288.0, 12.0, Unevenly)];
    let machine = Machine { caches, memory: 150.0, noise: 0.01 };
    for seed in 1..20 {
        let mut curve = machine.curve(&mut { seed });
        for (kib, ns) in &mut curve {
            *ns += match *kib {
                kib if kib > 8192.0 => 20.0 / 16.0,
                kib if kib > 384.0 => 1.6 / 16.0,
                _ => 0.0,
            };
        }
        let found = plateaus(&curve, SHAPE);
        assert_eq!(found.len(), 4, "{found:?}");
        let edges: Vec<f64> = found.iter().filter_map(|plateau| plateau.edge).collect();
        for (edge, size) in edges.iter().zip([48.0, 1024.0, 12_288.0]) {
            assert!(edge / size < 1.15 && size / edge < 1.15, "{found:?}");
        }
    }
}

/// Two of fifteen ways of the last cache are allotted to the machine: it has what they hold.
#[test]
fn a_share_of_the_ways_is_what_there_is() {
    let caches = vec![
        cache(48.0, 1.7, Sharply),
        cache(2048.0, 5.3, Unevenly),
        cache(61_440.0 * 2.0 / 15.0, 30.0, Unevenly),
    ];
    let machine = Machine { caches, memory: 125.0, noise: 0.03 };
    let expected = [(Some(48.0), 1.7), (Some(2048.0), 5.3), (Some(8192.0), 30.0), (None, 125.0)];
    assert_found("ways", &machine, &expected, 1.15);
}

#[test]
fn noise_invents_no_level() {
    let caches =
        vec![cache(32.0, 1.2, Sharply), cache(1024.0, 4.0, Unevenly), cache(16_384.0, 20.0, Unevenly)];
    let machine = Machine { caches, memory: 100.0, noise: 0.15 };
    let expected = [(Some(32.0), 1.2), (Some(1024.0), 4.0), (Some(16_384.0), 20.0), (None, 100.0)];
    assert_found("noise", &machine, &expected, 1.2);
}
