//! Which trials a run asks for, and in which order.

use super::*;

#[test]
fn every_round_tries_every_point_once_in_another_order() {
    let mut executor = Simulated::new();
    let (reason, ..) = run(&plan(12, 12), &mut executor);
    assert_eq!(reason, EndReason::Rounds);
    let trials: Vec<_> = executor.asked.iter().filter(|(purpose, ..)| *purpose == Purpose::Trial).collect();
    assert_eq!(trials.len(), 4 * 12);
    let orders: Vec<Vec<&PointId>> =
        trials.chunks(4).map(|round| round.iter().map(|(_, _, id)| id).collect()).collect();
    for order in &orders {
        assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 4);
    }
    assert!(orders.iter().collect::<BTreeSet<_>>().len() > 3, "the order is shuffled");
}

#[test]
fn every_point_is_rehearsed_once_before_its_first_trial() {
    let mut executor = Simulated::new();
    run(&plan(12, 12), &mut executor);
    for planned in plan(1, 1).points {
        let of_point: Vec<Purpose> = executor
            .asked
            .iter()
            .filter(|(_, _, id)| *id == planned.id)
            .map(|(purpose, ..)| *purpose)
            .collect();
        assert_eq!(of_point[0], Purpose::Rehearsal);
        assert_eq!(of_point.iter().filter(|purpose| **purpose == Purpose::Rehearsal).count(), 1);
    }
}

#[test]
fn points_that_are_measured_together_are_asked_for_once_in_a_round() {
    let mut executor = Simulated::new();
    executor.together = Some(("e.x", vec![50, 60, 70]));
    let mut plan = plan(6, 6);
    plan.points.extend([50, 60, 70].map(|cost| point("e.x", cost)));
    let (_, analysis, record) = run(&plan, &mut executor);
    let asked =
        executor.asked.iter().filter(|(purpose, _, id)| *purpose == Purpose::Trial && id.operation == "e.x");
    assert_eq!(asked.count(), 6);
    for cost in [50, 60] {
        let id = PointId::new("e.x", &format!("cost={cost}"));
        assert_eq!(record.trials.iter().filter(|trial| trial.id == id).count(), 6);
    }
    let absent = analysis.rows.last().unwrap();
    assert_eq!(absent.verdict, Verdict::Skipped);
    let [Reason::Unmet(_, remedy)] = &absent.reasons[..] else { panic!("{:?}", absent.reasons) };
    assert_eq!(remedy.as_deref(), Some("look elsewhere"));
}

#[test]
fn a_point_that_stays_open_alone_is_tried_among_others() {
    let mut plan = plan(6, 60);
    plan.points = (10..30).map(|cost| point("a.x", cost)).chain([point("wide.x", 10)]).collect();
    let mut executor = Simulated::new();
    run(&plan, &mut executor);
    let trials = executor.asked.iter().filter(|(purpose, ..)| *purpose == Purpose::Trial);
    let wide: Vec<usize> =
        (0..).zip(trials).filter_map(|(at, (.., id))| (id.operation == "wide.x").then_some(at)).collect();
    assert!(wide.len() > 20, "{wide:?}");
    // It has any place among the twelve of a round.
    let rounds = wide.chunks(10).map(|ten| (ten[ten.len() - 1] - ten[0]) as f64 / (ten.len() - 1) as f64);
    assert!(rounds.clone().all(|between| between > 10.0), "{:?}", rounds.collect::<Vec<_>>());
}

#[test]
fn planned_skips_are_never_tried() {
    let mut plan = plan(6, 6);
    plan.points[2].skip = Some(Skip { reason: "no".to_owned(), remedy: "yes".to_owned() });
    let mut executor = Simulated::new();
    let (_, analysis, _) = run(&plan, &mut executor);
    assert!(executor.asked.iter().all(|(_, _, id)| id.operation != "c.x"));
    assert_eq!(analysis.rows[2].verdict, Verdict::Skipped);
}

#[test]
fn a_point_that_breaks_every_worker_fails_and_the_run_goes_on() {
    let mut executor = Simulated { broken: Some("b.x"), ..Simulated::new() };
    let (reason, analysis, _) = run(&plan(12, 100), &mut executor);
    assert_eq!(reason, EndReason::Narrow);
    let verdicts: Vec<Verdict> = analysis.rows.iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts, [Verdict::Measured, Verdict::Failed, Verdict::Measured, Verdict::Measured]);
    let [Reason::Failed(Failure::Reported(why), ..)] = &analysis.rows[1].reasons[..] else {
        panic!("{:?}", analysis.rows[1].reasons)
    };
    assert!(why.contains("signal 11"), "{why}");
    let tried = executor.asked.iter().filter(|(_, _, id)| id.operation == "b.x").count();
    assert!(tried <= 4, "it is not tried for ever: {tried}");
}
