//! What a record says afterwards, and taking it up again.

use super::*;

#[test]
fn the_record_says_all_that_the_run_knew() {
    let mut executor = Simulated::new();
    let (_, analysis, record) = run(&plan(8, 8), &mut executor);
    let again = analysis::analyse(&record);
    let [read_again, measured] = [&again, &analysis]
        .map(|analysis| analysis.rows.iter().map(|row| row.estimate.clone()).collect::<Vec<_>>());
    assert_eq!(read_again, measured);
    assert_eq!(again.rounds, 8);
}

#[test]
fn taking_up_again_tries_only_what_the_round_in_flight_lacks() {
    let plan = plan(12, 100);
    let mut executor = Simulated { interrupt_after: 23, ..Simulated::new() };
    let (_, _, record) = run(&plan, &mut executor);
    let done = CompletedWork::in_record(&record);
    let before: BTreeSet<(u32, PointId)> =
        record.trials.iter().map(|trial| (trial.round, trial.id.clone())).collect();
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::create(&folder.path().join("more")).unwrap();
    let mut recorder = Recorder::new(journal, Analyst::from_record(&record, &plan), Vec::new());
    let mut more = Simulated::new();
    assert_eq!(supervise(&plan, &mut more, &mut recorder, done), EndReason::Narrow);
    assert!(more.asked.iter().all(|(purpose, ..)| *purpose == Purpose::Trial), "rehearsed already");
    let first_round: Vec<&PointId> =
        more.asked.iter().take(4 - before.len() % 4).map(|(_, _, id)| id).collect();
    let in_flight = record.rounds.len() as u32 + 1;
    assert!(
        first_round.iter().all(|id| !before.contains(&(in_flight, (*id).clone()))),
        "no trial twice in a round"
    );
    let least = recorder.analyst.rows().iter().map(|row| row.estimate.as_ref().unwrap().trials).min();
    assert!(least >= Some(12), "{least:?}");
}
