//! What an odd machine is a sign of: no cause is named that the record speaks against.

use crate::machines::{Fault, Made, fleet_of, imports};
use fleet::{Cause, Import, Survey, survey};
use record::PointId;

/// What a second task on the same core does: all that a core does alone costs more.
fn slow_core(id: &PointId) -> f64 {
    if id.family() == "arithmetic" { 1.3 } else { 1.0 }
}

fn slow_calls(id: &PointId) -> f64 {
    if id.family() == "syscall" { 1.3 } else { 1.0 }
}

/// The imports of a fleet in which the third machine has this fault in its last run, or in all.
fn with_fault(seed: u64, runs: usize, fault: Fault) -> Vec<Import> {
    let made = Made { machines: 20, runs, seed, ..Made::default() };
    imports(&made, |machine| (machine == 2).then_some(fault))
}

/// Lets the third machine run at this share of the clock.
fn clocked(mut all: Vec<Import>, share: Option<f64>) -> Vec<Import> {
    for import in &mut all {
        let own = if import.machine == "node0002" { share } else { share.map(|_| 1.0) };
        import.rows.iter_mut().for_each(|row| row.core_hz = own.map(|share| 3e9 * share));
    }
    all
}

/// The cause that is named first for the third machine.
fn cause(survey: &Survey) -> Cause {
    let mut odd = survey.types.iter().flat_map(|of| &of.odd);
    odd.find(|odd| odd.machine == 2).unwrap().signs[0].cause.clone()
}

#[test]
fn a_slow_core_at_the_clock_of_its_siblings_is_no_sign_of_a_lower_clock() {
    for seed in 0..5 {
        for (runs, share) in [(1, 1.0), (1, 0.99), (3, 1.0)] {
            let found = cause(&survey(&fleet_of(clocked(with_fault(seed, runs, slow_core), Some(share)))));
            let Cause::NotTheClock { here, siblings } = found else { panic!("{found:?}") };
            assert!((here / 3e9 / share - 1.0).abs() < 1e-5 && (siblings / 3e9 - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn a_slow_core_at_a_lower_clock_is_a_sign_of_it_and_without_a_clock_nothing_is_said_of_it() {
    let lower = survey(&fleet_of(clocked(with_fault(1, 2, slow_core), Some(1.0 / 1.3))));
    assert!(matches!(cause(&lower), Cause::LowerClock { here, siblings } if siblings > here * 1.29));
    let unknown = survey(&fleet_of(clocked(with_fault(1, 2, slow_core), None)));
    assert_eq!(cause(&unknown), Cause::UnknownClock);
}

#[test]
fn a_cause_is_not_named_whose_facts_are_those_of_the_siblings() {
    let causes = |facts: &[(&str, &str)]| {
        let mut all = with_fault(1, 2, slow_calls);
        for import in &mut all {
            facts.iter().for_each(|(key, value)| _ = import.facts.insert((*key).into(), (*value).into()));
            if import.machine == "node0002" {
                import.facts.insert("mitigation.all".into(), "on".into());
            }
        }
        cause(&survey(&fleet_of(all)))
    };
    // The kernel is known everywhere, and the same; of the mitigations nothing is known elsewhere.
    assert_eq!(causes(&[]), Cause::OneOf(vec!["a mitigation", "a seccomp filter"]));
    let alike = [("mitigation.all", "on"), ("environment.seccomp", "off")];
    assert_eq!(causes(&alike), Cause::OneOf(vec![]));
    // The same mode of filtering may hide another filter.
    let filtered = [("mitigation.all", "off"), ("environment.seccomp", "filter")];
    assert_eq!(causes(&filtered), Cause::OneOf(vec!["a mitigation", "a seccomp filter"]));
}
