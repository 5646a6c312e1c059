//! Tests of trials in which every iteration is timed.

use super::*;
use crate::settle_time::SettleTime;
use record::{PointId, Purpose, Request};

fn timing() -> Timing {
    let request = Request { seed: 1, ..crate::worker::request(Purpose::Trial, PointId::new("a.b", "")) };
    Timing::new(&request, None, SettleTime::zero())
}

/// The tail of a trial whose iterations take these times by their number, whatever the clock says.
fn tail(request: TailRequest, spend_ns: u64, ns: impl Fn(u64) -> i64) -> Tail {
    let mut timing = timing();
    let mut number = 0;
    let once: Once<'_> = &mut |_, _| {
        number += 1;
        Ok(Iteration { ns: Some(ns(number)), answers: 1 })
    };
    timing.every_one(request, CpuTime::Process, spend_ns, once).unwrap();
    *timing.series.pop().unwrap().tail.unwrap()
}

#[test]
fn every_iteration_after_the_warm_up_is_in_the_histogram() {
    let made = std::cell::Cell::new(0);
    let tail = tail(TailRequest::default(), 2_000_000, |number| {
        made.set(number);
        number as i64
    });
    assert_eq!(tail.service.total(), tail.iterations);
    assert_eq!(tail.iterations + WARM_UP, made.get());
    assert_eq!(tail.service.longest_ns, made.get());
    assert!(tail.looks.is_none() && tail.response.is_none());
}

#[test]
fn counters_are_read_around_every_iteration_that_is_looked_at() {
    let request = TailRequest { looks: true, ..TailRequest::default() };
    let looks = tail(request, 5_000_000, |number| number as i64).looks.unwrap();
    assert!(looks.iterations > 0 && looks.cost_ns > 0 && !looks.outliers.is_empty());
    assert!(looks.outliers.iter().all(|outlier| outlier.window_ns > 0));
}

#[test]
fn response_time_counts_from_when_an_iteration_was_due() {
    let request = TailRequest { rate: Some(1e4), looks: false };
    let mut kept = Kept::new(request, 1_000_000);
    // Ten are due in a millisecond. The third takes 350 µs: those after it begin late.
    let mut now = 0;
    while let Some(due) = kept.next_due(now) {
        let start = due.max(now);
        let ns = if kept.iterations == 2 { 350_000 } else { 10_000 };
        kept.add(&Iteration { ns: Some(ns), answers: 1 }, start, due);
        now = start + ns;
    }
    let tail = kept.tail(None);
    assert_eq!((tail.iterations, tail.unserved), (10, 0));
    let slow = |durations: &record::Durations| {
        durations.buckets().filter(|(ns, _)| *ns > 20_000).map(|(_, count)| count).sum::<u64>()
    };
    assert_eq!(slow(&tail.service), 1, "a closed view shows one slow iteration");
    assert_eq!(slow(&tail.response.unwrap()), 4, "three more waited for it");
}

#[test]
fn schedule_that_cannot_be_kept_says_how_many_never_began() {
    let request = TailRequest { rate: Some(1e4), looks: false };
    let mut kept = Kept::new(request, 1_000_000);
    let mut now = 0;
    while let Some(due) = kept.next_due(now) {
        let start = due.max(now);
        now = start + 500_000;
        kept.add(&Iteration { ns: Some(500_000), answers: 1 }, start, due);
    }
    let tail = kept.tail(None);
    assert_eq!((tail.iterations, tail.unserved), (4, 6));
    assert!(tail.behind_ns >= 1_000_000);
}
