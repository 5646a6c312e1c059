//! Tables that are asked for alone, in every form, and that the reports' table fits on one screen and one page.

use crate::devtools::Browser;
use crate::fixture::{Frozen, headline, large, predicted_by_user};
use crate::golden::{PLAIN, golden, text};
use crate::shown;
use reference::SUMMARY_ROWS;
use report::{Form, ShownTable, Statistic};

const ALL: [Statistic; 4] = [Statistic::Minimum, Statistic::Mean, Statistic::Maximum, Statistic::Deviation];

fn table(run: &Frozen, which: ShownTable, statistics: &[Statistic], form: Form) -> String {
    text(|out| report::table(&run.view(), which, statistics, form, out))
}

/// A run in which every row of the reports' table has every number.
fn complete() -> Frozen {
    let mut run = predicted_by_user();
    let template = run.analysis.rows.iter().find(|row| row.estimate.is_some() && row.point.user.is_some());
    let template = template.unwrap().clone();
    run.analysis.rows = SUMMARY_ROWS
        .iter()
        .map(|summary| {
            let mut row = template.clone();
            row.point.id = record::PointId::new(summary.operation, summary.point);
            row
        })
        .collect();
    run
}

#[test]
fn reports_table_in_every_form() {
    let run = headline();
    let width = |width| Form::Terminal(width, PLAIN);
    for (name, form) in [
        ("reports-table-60.txt", width(60)),
        ("reports-table-100.txt", width(100)),
        ("reports-table.md", Form::Markdown),
        ("reports-table.tex", Form::Latex),
        ("reports-table.csv", Form::Csv),
    ] {
        golden(name, |out| report::table(&run.view(), ShownTable::Reports, &[], form, out));
    }
}

/// A run on a machine of many words, in which every row failed, each for a reason of its own.
fn troubled() -> Frozen {
    let mut run = complete();
    for fact in &mut run.machine.facts {
        if let record::FactValue::Text { text } = &mut fact.value {
            *text = text.repeat(40);
        }
    }
    for (index, row) in run.analysis.rows.iter_mut().enumerate() {
        row.estimate = None;
        row.verdict = analysis::Verdict::Skipped;
        row.reasons = vec![analysis::Reason::TooFew(index, 1000)];
    }
    run
}

#[test]
fn reports_table_is_one_screen_with_the_columns_of_the_reports() {
    for run in [headline(), predicted_by_user(), large::large(), complete(), troubled()] {
        let screen = table(&run, ShownTable::Reports, &[], Form::Terminal(100, PLAIN));
        assert!(screen.lines().count() <= 50, "{screen}");
        assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    }
    let screen = table(&complete(), ShownTable::Reports, &[], Form::Terminal(100, PLAIN));
    for column in ["hardware", "software", "predicted", "measured", "deviation"] {
        assert!(screen.contains(column), "{column}\n{screen}");
    }
}

#[test]
fn rows_that_were_not_measured_say_how_to_measure_them() {
    let mut run = headline();
    let screen = |run: &Frozen| table(run, ShownTable::Reports, &[], Form::Terminal(100, PLAIN));
    assert!(screen(&run).contains("oscope run table --peer HOST:PORT --remote-dir DIR"), "{}", screen(&run));
    run.analysis.rows.clear();
    let text = screen(&run);
    assert!(text.contains("30 rows not measured"), "{text}");
    let text = screen(&complete());
    assert!(!text.contains("not measured"), "{text}");
    let csv = table(&run, ShownTable::Reports, &[], Form::Csv);
    let lines = csv.lines().skip(1).filter(|line| line.contains(",not measured,"));
    assert_eq!(lines.filter(|line| line.contains(",oscope run table")).count(), 30);
}

#[test]
fn statistics_are_those_of_the_trials() {
    let run = headline();
    for (name, which, form) in [
        ("statistics.txt", ShownTable::Statistics, Form::Terminal(120, PLAIN)),
        ("statistics.csv", ShownTable::Statistics, Form::Csv),
        ("trials.txt", ShownTable::Trials, Form::Terminal(80, PLAIN)),
        ("trials.csv", ShownTable::Trials, Form::Csv),
    ] {
        golden(name, |out| report::table(&run.view(), which, &ALL, form, out));
    }
    let row = run.analysis.rows.iter().find(|row| row.trials.len() > 2).unwrap();
    let values: Vec<f64> = row.trials.iter().map(|trial| trial.typical).collect();
    let all = row.trial_statistics().unwrap();
    assert!(values.iter().all(|value| (all.minimum..=all.maximum).contains(value)));
    assert!(values.contains(&all.minimum) && values.contains(&all.maximum));
    let off: f64 = values.iter().map(|value| value - all.mean).sum();
    assert!(off.abs() < 1e-6 * all.mean.abs(), "{off}");
    let screen = table(&run, ShownTable::Reports, &ALL, Form::Terminal(200, PLAIN));
    assert!(["min", "mean", "max", "sd"].iter().all(|title| screen.contains(title)), "{screen}");
}

#[test]
fn reports_table_is_one_page_of_a_browser() {
    let page = table(&complete(), ShownTable::Reports, &[], Form::Html);
    shown::is_valid(&page);
    let Some(mut shown) = shown::opened(page.as_bytes()) else {
        return;
    };
    shown::suits_every_reader(&mut shown);
    let browser: &mut Browser = &mut shown.browser;
    assert_eq!(shown::printed_pages(browser), 1);
}

#[test]
fn reports_table_is_one_page_of_pdflatex() {
    if !programs::installed(&["pdflatex"]) {
        return;
    }
    for run in [headline(), complete()] {
        let tex = table(&run, ShownTable::Reports, &ALL, Form::Latex);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("table.tex"), tex).unwrap();
        let made = programs::command("pdflatex")
            .args(["-interaction=nonstopmode", "-halt-on-error", "table.tex"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&made.stdout).into_owned();
        assert!(made.status.success(), "{said}");
        assert!(said.contains("(1 page"), "{said}");
        assert!(!said.contains("Overfull"), "{said}");
    }
}
