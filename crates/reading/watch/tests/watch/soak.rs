//! Long watches, and machines that sleep, stop, lose a CPU or a disk.

use crate::scene::{CHANNELS, Machine, Plant, watched};
use watch::{Conditions, DiskUse, OtherShare, Reason};

fn reasons(began: &[(f64, Reason)]) -> Vec<Reason> {
    began.iter().map(|(_, reason)| *reason).collect()
}

#[test]
fn day_stays_within_its_budget_and_reads_every_channel() {
    let mut machine = Machine::new(1);
    let (watch, seen) = watched(&mut machine, 86_400.0);
    let used = watch.budget.used_share();
    assert!((0.008..=0.0101).contains(&used), "{used}");
    assert!(watch.channels.iter().all(|channel| channel.readings > 1_500), "{}", machine.trials);
    // What is not used for the counters and for looks is used for readings.
    let costs_ms =
        CHANNELS.iter().zip(&watch.channels).map(|((.., ms), channel)| ms * channel.readings as f64);
    assert!(costs_ms.sum::<f64>() > 0.85 * used * 86_400e3, "{} trials", machine.trials);
    assert_eq!(seen.began, []);
}

#[test]
fn sleep_stop_step_and_lost_cpu_are_named_and_the_watch_goes_on() {
    let mut machine = Machine::new(2);
    machine.suspend = Some((600.0, 3_600.0));
    machine.halt = Some((5_000.0, 40.0));
    machine.step = Some((6_000.0, -7_200.0));
    machine.offline_from_s = Some(7_000.0);
    let (watch, seen) = watched(&mut machine, 9_000.0);
    assert_eq!(reasons(&seen.began), [Reason::Suspended, Reason::Halted, Reason::ClockStep, Reason::Cpus]);
    let details: Vec<&str> = watch.events().map(|event| event.detail.as_str()).collect();
    assert!(details[0].contains("3 600 s") || details[0].contains("3600 s"), "{details:?}");
    assert!(details[2].starts_with("set back by"), "{details:?}");
    assert!(watch.channels.iter().all(|channel| channel.last().unwrap().0 > 8_900.0));
}

#[test]
fn full_disk_is_a_failure_of_its_channel_alone() {
    let mut machine = Machine::new(3);
    machine.full_from_s = Some(1_000.0);
    let (watch, seen) = watched(&mut machine, 2_000.0);
    let failed: Vec<usize> =
        (0..watch.channels.len()).filter(|&at| watch.channels[at].failures > 0).collect();
    assert_eq!((failed, seen.began), (vec![7], vec![]));
    assert_eq!(
        watch.channels[7].failure.as_ref().map(|failure| failure.why.as_str()),
        Some("no space left on device")
    );
}

#[test]
fn planted_neighbours_are_named_within_ten_seconds() {
    let other = OtherShare { cpu: Some(1), share: 0.6, name: Some("hog".to_owned()) };
    let disk = DiskUse { name: "vda".to_owned(), request_ms: Some(45.0), requests_per_s: 3.0 };
    for (conditions, factors, expected) in [
        (Conditions { others: vec![other], ..Conditions::default() }, vec![("os", 2.0)], Reason::Neighbour),
        (Conditions { quota: (10, 6), ..Conditions::default() }, vec![("os", 1.0)], Reason::Throttled),
        (Conditions { steal: vec![(1, 0.3)], ..Conditions::default() }, vec![("os", 1.5)], Reason::Steal),
        (Conditions { disk: Some(disk), ..Conditions::default() }, vec![("file", 40.0)], Reason::Disk),
    ] {
        let found = (0..10).filter(|&seed| {
            let mut machine = Machine::new(seed);
            let (conditions, factors) = (conditions.clone(), factors.clone());
            machine.plants.push(Plant { from_s: 900.0, to_s: 960.0, conditions, factors });
            let (_, seen) = watched(&mut machine, 990.0);
            seen.began.first().is_some_and(|(at_s, reason)| *reason == expected && *at_s <= 910.0)
        });
        assert_eq!(found.count(), 10, "{expected:?}");
    }
}

#[test]
fn a_change_that_nothing_explains_is_seen_within_seconds() {
    // What a channel writes has a rate, so that its second and third reading take eight seconds.
    for (area, factor, median_s, last_s) in [("memory", 1.8, 12.0, 25.0), ("file", 6.0, 15.0, 25.0)] {
        let mut after: Vec<f64> = (0..40)
            .map(|seed| {
                let mut machine = Machine::new(seed);
                let from_s = 900.0 + seed as f64 / 3.0;
                let (conditions, factors) = (Conditions::default(), vec![(area, factor)]);
                machine.plants.push(Plant { from_s, to_s: from_s + 60.0, conditions, factors });
                let (_, seen) = watched(&mut machine, 1_000.0);
                seen.began.first().map_or(f64::INFINITY, |(at_s, _)| at_s - from_s)
            })
            .collect();
        after.sort_by(f64::total_cmp);
        println!("{area}: median {:.1} s, last {:.1} s", after[20], after[39]);
        assert!(after[20] < median_s && after[39] < last_s, "{area}: {after:?}");
    }
}

#[test]
fn change_without_a_counted_condition_is_unknown_and_that_of_a_disk_alone_is_the_disk() {
    for (area, expected) in [("memory", Reason::Unknown), ("file", Reason::Disk)] {
        let mut machine = Machine::new(4);
        let conditions = Conditions::default();
        machine.plants.push(Plant { from_s: 900.0, to_s: 1_200.0, conditions, factors: vec![(area, 1.8)] });
        let (watch, seen) = watched(&mut machine, 1_300.0);
        assert_eq!(reasons(&seen.began), [expected]);
        let event = watch.events().next().unwrap();
        assert!(event.ended.is_some(), "{event:?}");
        let moved = watch.channels.iter().filter(|channel| channel.spec.area == area).count();
        assert_eq!(event.effects.len(), moved);
        assert!(event.effects.iter().all(|effect| (1.5..2.1).contains(&effect.factor)), "{event:?}");
    }
}

#[test]
fn a_neighbour_does_not_explain_what_became_faster() {
    let mut machine = Machine::new(5);
    let other = OtherShare { cpu: Some(1), share: 0.6, name: Some("hog".to_owned()) };
    let hog = Conditions { others: vec![other], ..Conditions::default() };
    machine.plants.push(Plant { from_s: 0.0, to_s: 3_000.0, conditions: hog, factors: vec![] });
    machine.plants.push(Plant {
        from_s: 0.0,
        to_s: 900.0,
        conditions: Conditions::default(),
        factors: vec![("memory", 3.0)],
    });
    let (watch, seen) = watched(&mut machine, 2_400.0);
    assert_eq!(reasons(&seen.began), [Reason::Neighbour, Reason::Unknown]);
    let faster = watch.events().nth(1).unwrap();
    assert!(faster.effects.iter().all(|effect| effect.factor < 0.5) && faster.ended.is_some(), "{faster:?}");
    assert!(watch.channels.iter().all(|channel| channel.shifted.is_none()));
}
