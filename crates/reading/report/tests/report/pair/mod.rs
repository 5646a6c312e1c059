//! The frozen run and a later one, compared.
#![allow(dead_code, reason = "each test file uses its own share")]

use crate::fixture::{Frozen, frozen};
use analysis::{Compare, Comparison, Limits, compare};
use record::FactValue;
use report::{ComparedRecord, ComparedView};

/// The same run on a machine with another kernel, where one operation got slower, one faster, one was changed and
/// one was not tried.
pub fn later() -> Frozen {
    let mut run = frozen();
    let rows = &mut run.analysis.rows;
    rows.pop();
    let factors = [1.25, 0.4, 1.0, 1.002];
    for (row, factor) in rows.iter_mut().filter(|row| row.trials.len() >= 6).zip(factors) {
        let scale = |value: &mut f64| *value *= factor;
        row.trials.iter_mut().for_each(|trial| scale(&mut trial.typical));
        scale(&mut row.estimate.as_mut().unwrap().typical);
    }
    let last = rows.iter_mut().rfind(|row| row.estimate.is_some()).unwrap();
    last.point.revision += 1;
    let kernel = run.machine.facts.iter_mut().find(|fact| fact.key == "kernel.release");
    kernel.unwrap().value = FactValue::Text { text: "6.19.1".to_owned() };
    run.plan.settings.cpu = Some(3);
    run
}

pub fn compared(first: &Frozen, second: &Frozen) -> Comparison {
    fn side(run: &Frozen) -> Compare<'_> {
        Compare { machine: &run.machine, plan: &run.plan, analysis: &run.analysis, period: None }
    }
    compare(&side(first), &side(second), &Limits::default())
}

pub fn compared_record<'a>(name: &'a str, run: &'a Frozen) -> ComparedRecord<'a> {
    ComparedRecord { name, header: &run.header, machine: &run.machine, plan: &run.plan, environment: None }
}

/// Shows the comparison, with all points or those that changed.
pub fn shown(all: bool, show: impl FnOnce(&ComparedView<'_>)) {
    let (first, second) = (frozen(), later());
    let others = [(compared_record("after.jsonl", &second), compared(&first, &second))];
    show(&ComparedView {
        first: compared_record("before.jsonl", &first),
        others: &others,
        all,
        labels: &[],
        most: usize::MAX,
    });
}
