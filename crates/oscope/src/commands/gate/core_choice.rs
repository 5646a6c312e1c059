//! The CPU on which a command runs where none is named: the one whose core is quiet most of the time.

use crate::placement::Cpus;
use analysis::quiet_ratio;
use machine::{Live, cpu_classes};
use oscope_trigger::{CoreTrigger, Look, QUIET};
use std::time::Duration;

/// CPUs that are tried at most: each takes some 15 ms.
const MOST_TRIED: usize = 16;

/// Looks at each.
const LOOKS: usize = 48;

/// Pause between two looks: together they cover ten milliseconds.
const PAUSE: Duration = Duration::from_micros(200);

/// What was found of a CPU.
#[derive(Debug, Clone, PartialEq)]
struct Tried {
    cpu: u32,
    ratios: Vec<f64>,
    /// How long the looks took with their pauses: other programs make it longer.
    took: Duration,
}

/// The quietest of these CPUs; among equal ones the last, as for a run.
pub(super) fn quietest_cpu(allowed: &[u32]) -> anyhow::Result<u32> {
    let live = Live::machine();
    let usual = Cpus::choose(&live, allowed, (None, None), None)?.main;
    // Cores of several classes differ in width, so that their ratios cannot be compared.
    let is_uniform = cpu_classes(&live).len() < 2;
    let candidates: &[u32] = if is_uniform { allowed } else { &[] };
    let tried: Vec<Tried> =
        candidates.iter().rev().take(MOST_TRIED).filter_map(|&cpu| try_cpu(cpu)).collect();
    sys::cpu::pin_to(allowed)?;
    let Some(cpu) = best(&tried).or(usual) else {
        anyhow::bail!("no CPU can be chosen for the command: name one (--cpu)");
    };
    Ok(cpu)
}

fn try_cpu(cpu: u32) -> Option<Tried> {
    sys::cpu::pin(cpu).ok()?;
    let mut trigger = CoreTrigger::new();
    let began = std::time::Instant::now();
    let looks: Vec<Look> = (0..LOOKS)
        .map(|_| {
            std::thread::sleep(PAUSE);
            trigger.look()
        })
        .collect();
    Some(Tried { cpu, ratios: looks.iter().filter_map(Look::ratio).collect(), took: began.elapsed() })
}

/// The CPU with most quiet looks in its time.
fn best(tried: &[Tried]) -> Option<u32> {
    let quiet = QUIET * quiet_ratio(tried.iter().map(|one| one.ratios.as_slice()))?;
    let rate = |one: &Tried| {
        let count = one.ratios.iter().filter(|ratio| **ratio <= quiet).count();
        // A tenth more or less is chance.
        (count as f64 / one.took.as_secs_f64().max(1e-9)).ln() / 0.1
    };
    // The first of equal ones: they are tried from the last CPU on.
    let mut found: Option<(f64, u32)> = None;
    for one in tried {
        let rate = rate(one).floor();
        if found.is_none_or(|(most, _)| rate > most) {
            found = Some((rate, one.cpu));
        }
    }
    found.map(|(_, cpu)| cpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(cpu: u32, ratio: f64, took_ms: u64) -> Tried {
        Tried { cpu, ratios: vec![ratio; LOOKS], took: Duration::from_millis(took_ms) }
    }

    #[test]
    fn cpu_with_a_quiet_core_and_without_other_programs_is_chosen() {
        assert_eq!(best(&[]), None);
        assert_eq!(best(&[tried(1, 1.5, 10), tried(0, 1.0, 10)]), Some(0));
        assert_eq!(best(&[tried(1, 1.0, 50), tried(0, 1.0, 10)]), Some(0));
        assert_eq!(best(&[tried(1, 1.0, 10), tried(0, 1.0, 10)]), Some(1));
    }
}
