//! The first screen: what it shows at each width, that it is one screen, and what stands out.

use crate::fixture::headline::labels;
use crate::fixture::{Frozen, frozen, headline, large};
use crate::golden::{COLOUR, PLAIN, golden, text};
use analysis::{BetweenRuns, Interval, MoreTime, Reason, Verdict};
use record::{Disturbance, DisturbanceKind, Fact, FactValue, Range, Unit};
use report::{Page, Style};

/// The screen on a terminal of this width that has 50 lines.
fn low_screen(run: &Frozen, width: usize) -> String {
    text(|out| {
        report::first_screen(&run.view(), &labels(), &mut Page::new(width, PLAIN, out).of_height(Some(50)))
    })
}

fn screen(run: &Frozen, width: usize, style: Style) -> String {
    text(|out| report::first_screen(&run.view(), &labels(), &mut Page::new(width, style, out)))
}

#[test]
fn at_each_width() {
    let run = headline();
    for width in [40, 80, 100, 140] {
        golden(&format!("first-screen-{width}.txt"), |out| {
            report::first_screen(&run.view(), &labels(), &mut Page::new(width, PLAIN, out))
        });
    }
    golden("first-screen-colour.txt", |out| {
        report::first_screen(&run.view(), &labels(), &mut Page::new(100, COLOUR, out))
    });
    let ascii = Style { ascii: true, ..PLAIN };
    golden("first-screen-ascii.txt", |out| {
        report::first_screen(&run.view(), &labels(), &mut Page::new(100, ascii, out))
    });
}

#[test]
fn it_is_one_screen_whatever_was_measured() {
    for run in [headline(), frozen(), large::large()] {
        for width in [20, 33, 60, 80, 100, 200] {
            let screen = low_screen(&run, width);
            // Three lines more name the next commands and the record.
            let lines = screen.lines().count();
            assert!(lines <= 47 || width < 100, "{lines}\n{screen}");
            let widest = screen.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(width), "{width}: {screen}");
        }
    }
}

#[test]
fn nothing_of_the_machine_is_cut_off_on_a_terminal_of_80_columns() {
    let head = screen(&headline(), 80, PLAIN);
    let (head, _) = head.split_once("trust:").unwrap();
    let words = head.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("KVM guest") && head.contains("1 min 20 s") && !head.contains('…'), "{head}");
}

/// A level of the caches that most trials do not find is skipped, which is said once, without a remedy.
#[test]
fn needs_of_skipped_rows_are_not_named_as_lost_trials() {
    let mut run = headline();
    let (need, remedy) = ("no further level".to_owned(), Some("expected".to_owned()));
    let row = &mut run.analysis.rows[0];
    (row.verdict, row.estimate) = (Verdict::Skipped, None);
    row.reasons = vec![Reason::Lost { need, remedy, trials: 9, all: 12 }];
    let screen = screen(&run, 200, PLAIN);
    assert!(!screen.contains("! 9 trials") && screen.contains("2 points skipped"), "{screen}");
}

#[test]
fn needs_that_were_lost_and_cached_loops_are_named_with_what_helps() {
    let mut run = headline();
    let lost = |trials| Reason::Lost {
        need: "no file can be written in /data: write: no space left on device".to_owned(),
        remedy: Some("free space there".to_owned()),
        trials,
        all: 12,
    };
    for (row, trials) in run.analysis.rows.iter_mut().zip([7, 9]) {
        (row.verdict, row.reasons) = (Verdict::Noisy, vec![lost(trials)]);
        row.notes.push(analysis::Note::CachedLoop);
    }
    let screen = screen(&run, 200, PLAIN);
    let line = "! 16 trials of 2 points skipped: no file can be written in /data: write: no space left on device \
                → free space there";
    assert!(screen.lines().any(|found| found == line), "{screen}");
    assert!(screen.contains("2 with trials skipped") && !screen.contains("too few trials"), "{screen}");
    assert!(
        screen.contains("! 2 points: the files are in a loop file, cached by the host of the loop"),
        "{screen}"
    );
}

#[test]
fn rows_give_way_where_there_is_much_else_to_say() {
    let mut run = large::large();
    run.analysis.more_time = MoreTime { points: 309, seconds: 2023.0, trials: 300.0, beyond: 119 };
    run.plan.left_out =
        vec!["points with path=remote were left out: start `oscope serve` elsewhere".to_owned(); 8];
    for row in run.analysis.rows.iter_mut().step_by(5) {
        (row.verdict, row.reasons) = (Verdict::Noisy, vec![Reason::States]);
    }
    let whole = low_screen(&large::large(), 100);
    let screen = low_screen(&run, 100);
    assert!((40..=47).contains(&screen.lines().count()), "{screen}");
    let rows = |screen: &str| screen.lines().filter(|line| line.ends_with('×')).count();
    assert!(rows(&screen) < rows(&whole) && rows(&screen) >= 12, "{screen}");
    assert!(screen.contains("other points: oscope report --full"), "{screen}");
}

#[test]
fn rows_that_are_named_below_and_two_of_each_area_stay() {
    let mut run = headline();
    run.plan.left_out = vec!["points with path=remote were left out".to_owned(); 30];
    let (whole, low) = (screen(&run, 120, PLAIN), low_screen(&run, 120));
    assert!(whole.lines().count() > low.lines().count(), "a pipe has every row: {whole}");
    for name in ["load from 16 KiB", "file write 4 KiB + fsync", "TCP round trip, 1 B", "hand-off, other CPU"]
    {
        let is_row = |line: &str| line.starts_with(name);
        assert!(!whole.lines().any(is_row) || low.lines().any(is_row), "{name}: {low}");
    }
    assert!(low.lines().any(|line| line.starts_with("file write 4 KiB + fsync")), "{low}");
}

#[test]
fn legend_says_from_which_runs_the_interval_of_the_next_one_is_known() {
    let mut run = headline();
    let earlier = Some(BetweenRuns { deviation: 0.01, freedom: 9.0, records: 5 });
    let screen_with = |run: &Frozen, words: &str| {
        let text = screen(run, 400, PLAIN);
        assert!(text.contains(&format!("± of the next run ({words}), and why")), "{text}");
    };
    screen_with(&run, "by runs on other machines");
    run.analysis.rows[0].by_earlier_runs = earlier;
    screen_with(&run, "by earlier runs, here or on other machines");
    run.analysis.rows.iter_mut().for_each(|row| row.by_earlier_runs = earlier);
    screen_with(&run, "by earlier runs here");
}

#[test]
fn every_noisy_row_is_counted_with_its_reason() {
    let mut run = headline();
    let rows = run.analysis.rows.iter_mut();
    for (row, reason) in rows.zip([Reason::States, Reason::States, Reason::OtherTasks(0.2)]) {
        (row.verdict, row.reasons) = (Verdict::Noisy, vec![reason]);
    }
    let count = |verdict| run.analysis.rows.iter().filter(|row| row.verdict == verdict).count();
    let [noisy, measured, skipped] = [Verdict::Noisy, Verdict::Measured, Verdict::Skipped].map(count);
    let screen = screen(&run, 200, PLAIN);
    let line = screen.lines().find(|line| line.starts_with("trust: ")).unwrap();
    let tried = run.analysis.rows.len() - skipped;
    let (head, reasons) = line.split_once("; ").unwrap();
    let of_this_run = format!("{measured} of {tried} measured (± 3 % in this run, ");
    let in_the_next = head.split_once(&of_this_run).and_then(|(_, next)| next.strip_suffix(" in the next)"));
    let in_the_next: usize = in_the_next.unwrap().parse().unwrap();
    assert!(in_the_next < measured, "the interval of the next run is the wider one: {line}");
    assert!(line.contains("2 in several states") && line.contains("1 disturbed by other tasks"), "{line}");
    let reasons = reasons.split("; ").next().unwrap().split(", ");
    let said = reasons.filter_map(|reason| reason.split(' ').next()?.parse::<usize>().ok());
    assert_eq!(said.sum::<usize>(), noisy, "{line}");
}

#[test]
fn run_that_skipped_many_points_is_not_good() {
    let mut run = headline();
    for (at, row) in run.analysis.rows.iter_mut().enumerate() {
        let verdict = if at < 4 { Verdict::Measured } else { Verdict::Skipped };
        (row.verdict, row.reasons) = (verdict, Vec::new());
    }
    let line = |run: &Frozen| {
        let screen = screen(run, 200, PLAIN);
        screen.lines().find(|line| line.starts_with("trust: ")).unwrap_or_default().to_owned()
    };
    assert!(line(&run).starts_with("trust: fair, 4 of 4 measured"), "{}", line(&run));
    run.analysis.rows.truncate(4);
    assert!(line(&run).starts_with("trust: good, 4 of 4 measured"), "{}", line(&run));
}

#[test]
fn cores_that_cost_less_while_shared_are_not_said_to_slow_anything() {
    let mut run = headline();
    run.analysis.slowdown = Some(0.96);
    assert!(screen(&run, 200, PLAIN).contains("(no slower then)"));
    run.analysis.slowdown = Some(1.38);
    assert!(screen(&run, 200, PLAIN).contains("(1.38× slower then)"));
}

#[test]
fn a_cache_that_is_not_there_is_found_without_a_working_set_beyond_it() {
    let mut run = headline();
    let found =
        "load from 4 MiB costs 120 ns, as memory does on this family: the cache is smaller than reported";
    run.machine.facts.retain(|fact| fact.key != "cache.last.size" && fact.key != "family.memory_ns");
    for (key, value, unit) in [
        ("cache.last.size", 480.0 * 1024.0 * 1024.0, Unit::Bytes),
        ("family.memory_ns", 76.2, Unit::Nanoseconds),
    ] {
        assert!(!screen(&run, 200, PLAIN).contains(found));
        run.machine.facts.push(Fact {
            key: key.to_owned(),
            value: FactValue::Number { value, unit },
            source: "test".to_owned(),
            within: None,
            assumed: false,
        });
    }
    let whole = screen(&run, 200, PLAIN);
    assert!(whole.contains(found), "{whole}");
}

#[test]
fn a_run_that_measured_elsewhere_too_says_so() {
    let mut run = headline();
    run.plan.environments = vec![record::Environment { name: "bwrap".to_owned(), ..Default::default() }];
    let shown = screen(&run, 100, PLAIN);
    assert!(shown.contains("these values are native; measured in bwrap, too: oscope compare"), "{shown}");
}

#[test]
fn bandwidths_have_signs_of_their_own() {
    let screen = screen(&headline(), 100, PLAIN);
    let of = |label: &str| screen.lines().find(|line| line.starts_with(label)).unwrap();
    assert!(of("read 128 MiB, one CPU").contains('■') && !of("read 128 MiB, one CPU").contains('●'));
    assert!(of("fork + exit + wait").contains('●'));
    assert!(screen.contains("■ □ ▣ bandwidth (time of 4 KiB);"));
}

#[test]
fn the_sample_in_the_readme_is_what_the_program_prints() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../README.md")).unwrap();
    let shown: String = screen(&headline(), 100, PLAIN)
        .lines()
        .map(|line| format!("    {line}").trim_end().to_owned() + "\n")
        .collect();
    assert!(readme.contains(&shown), "put this into the README:\n{shown}");
}

#[test]
fn a_run_of_something_else_is_not_shown_by_its_few_points_of_the_headline() {
    let run = large::large();
    let id = &run.analysis.rows[3].point.id;
    let one = [report::Label { operation: &id.operation, point: &id.point, label: "the only one" }];
    let screen = text(|out| report::first_screen(&run.view(), &one, &mut Page::new(100, PLAIN, out)));
    assert!(screen.lines().filter(|line| line.ends_with('×')).count() > 20, "{screen}");
}

#[test]
fn points_that_are_not_of_the_headline_keep_their_names() {
    let screen = screen(&frozen(), 120, PLAIN);
    assert!(screen.contains("syscall.getppid") && !screen.contains("system call (getppid)"), "{screen}");
}

#[test]
fn what_stands_out_is_said_with_its_size() {
    let screen = screen(&headline(), 400, PLAIN);
    for said in [
        "What is slow, and why:",
        "file write 4 KiB + fsync 3.9 ms: about 16× its prediction (249 µs), about 23× the slowest of 5 other machines",
        "signal, sent and handled 3.02 µs: 3.39× its prediction (890 ns), as on 5 other machines",
        ", so the prediction is off",
        "hand-off, other CPU costs 19–27× process switch, same CPU (1.12× its prediction): another CPU takes over",
    ] {
        assert!(screen.contains(said), "{said}\n{screen}");
    }
}

#[test]
fn a_prediction_that_other_machines_meet_is_not_off() {
    let mut run = headline();
    let row = run.analysis.rows.iter_mut().find(|row| row.point.id.operation == "signal.deliver.self");
    let total = Range { low: 1_190.0, value: 1_200.0, high: 1_210.0 };
    row.unwrap().from_facts.as_mut().unwrap().total = total;
    let screen = screen(&run, 400, PLAIN);
    let said = "its prediction (1.200 µs), as on 5 other machines (1.0–3.0 µs)\n";
    assert!(screen.contains(said), "{screen}");
}

#[test]
fn points_with_too_few_trials_decide_nothing() {
    let mut run = headline();
    let rows = &mut run.analysis.rows;
    rows.iter_mut().filter_map(|row| row.estimate.as_mut()).for_each(|estimate| estimate.interval = None);
    let screen = screen(&run, 400, PLAIN);
    let said = "What is slow is not decided: every point has too few trials.\n";
    assert!(screen.contains(said) && !screen.contains("! "), "{screen}");
}

#[test]
fn what_is_slow_and_undecided_names_the_run_that_would_decide() {
    let mut run = headline();
    let row = run.analysis.rows.iter_mut().find(|row| row.point.id.operation == "process.create.fork_wait");
    let row = row.unwrap();
    row.point.id.operation = "made.up".to_owned();
    row.notes.clear();
    (row.verdict, row.reasons) = (Verdict::Noisy, vec![Reason::TooWide { half: 0.6, precision: 0.03 }]);
    let estimate = row.estimate.as_mut().unwrap();
    estimate.typical = 400_000.0;
    estimate.interval =
        estimate.interval.map(|interval| Interval { low: 70_000.0, high: 600_000.0, ..interval });
    let screen = screen(&run, 400, PLAIN);
    let said = "not decided (wider than ± 3 %) → oscope run 'made.up resident=0B' --profile thorough";
    assert!(screen.contains(said), "{screen}");
}

#[test]
fn predictions_that_are_off_stand_apart_from_what_is_slow() {
    let mut run = headline();
    let whole = screen(&run, 400, PLAIN);
    let (slow, unlike) =
        whole.split_once("Not slow, but far from the prediction or from other machines:\n").unwrap();
    let slow = slow.split_once("What is slow, and why:\n").unwrap().1;
    assert!(
        slow.contains("! file write 4 KiB + fsync") && !slow.contains("so the prediction is off"),
        "{whole}"
    );
    assert!(unlike.contains("- signal, sent and handled") && !unlike.contains("! "), "{whole}");
    run.analysis.rows.retain(|row| row.point.id.operation == "signal.deliver.self");
    let alone = screen(&run, 400, PLAIN);
    assert!(alone.contains("Nothing stands out as slow.\n"), "{alone}");
}

#[test]
fn a_row_beyond_its_interval_or_without_a_value_has_no_mark_on_the_scale() {
    let screen = screen(&headline(), 140, PLAIN);
    let line = |label: &str| screen.lines().find(|line| line.starts_with(label)).unwrap();
    assert!(line("clock_gettime").contains('●'));
    assert!(
        line("file read 4 KiB, O_DIRECT").contains("skipped")
            && !line("file read 4 KiB, O_DIRECT").contains('●')
    );
    assert!(line("file create").contains("contradicted") && line("file create").contains('✗'));
}

#[test]
fn a_limit_on_cpu_time_is_said_beside_the_cpus() {
    let mut run = headline();
    assert!(!screen(&run, 200, PLAIN).contains("limited to"));
    run.machine.facts.push(Fact {
        key: "limit.cpus".to_owned(),
        value: FactValue::Number { value: 0.5, unit: Unit::One },
        source: "cpu.max".to_owned(),
        within: None,
        assumed: false,
    });
    let screen = screen(&run, 200, PLAIN);
    let first = screen.lines().next().unwrap_or_default();
    assert!(first.contains("CPUs, limited to 0.500 CPUs, "), "{first}");
    if let Some(limit) = run.machine.facts.last_mut() {
        limit.value = FactValue::Number { value: 2.0, unit: Unit::One };
    }
    assert!(!self::screen(&run, 200, PLAIN).contains("limited to"), "all of two CPUs");
}

#[test]
fn what_more_time_would_do_is_said_with_the_budget() {
    let mut run = headline();
    run.analysis.more_time = MoreTime { points: 12, seconds: 237.0, trials: 40.0, beyond: 1 };
    let offered = |run: &Frozen, command: &str| {
        let screen = screen(run, 200, PLAIN);
        // What is spent (1 min 20 s) and what is to come make the budget.
        let offer = format!(
            "12 points would be narrow after about 4 min 50 s more (oscope run --resume RECORD {command}"
        );
        assert!(
            screen.contains(&offer) && screen.contains(", of which 1 min 20 s are spent); 1 other would not"),
            "{screen}"
        );
    };
    offered(&run, "--budget 370s");
    // A run that is resumed may have as many rounds again.
    run.plan.settings.most_rounds = run.analysis.rounds + 39;
    offered(&run, "--budget 370s");
}

#[test]
fn offer_of_more_time_names_the_budget_also_where_the_last_one_was_higher() {
    let mut run = headline();
    run.analysis.more_time = MoreTime { points: 12, seconds: 237.0, trials: 40.0, beyond: 0 };
    (run.plan.settings.budget_s, run.plan.settings.most_rounds) = (3_600.0, run.analysis.rounds + 40);
    let screen = screen(&run, 200, PLAIN);
    let offer = "after about 4 min 50 s more (oscope run --resume RECORD --budget 370s, of which";
    assert!(screen.contains(offer), "{screen}");
}

#[test]
fn run_of_counted_rounds_is_offered_more_rounds() {
    let mut run = headline();
    run.analysis.more_time = MoreTime { points: 12, seconds: 237.0, trials: 39.2, beyond: 1 };
    let done = run.analysis.rounds;
    let settings = &mut run.plan.settings;
    (settings.least_rounds, settings.most_rounds, settings.budget_s) = (done, done, record::UNLIMITED_S);
    let offer = |command: &str| {
        format!("12 points would be narrow after about 40 more rounds ({command}); 1 other would not")
    };
    let more_rounds = format!("oscope run --resume RECORD --rounds {}", done + 40);
    assert!(screen(&run, 200, PLAIN).contains(&offer(&more_rounds)), "{}", screen(&run, 200, PLAIN));
    // A run that was interrupted has them still to come.
    (run.plan.settings.least_rounds, run.plan.settings.most_rounds) = (done + 50, done + 50);
    let resumed = offer("oscope run --resume RECORD");
    assert!(screen(&run, 200, PLAIN).contains(&resumed), "{}", screen(&run, 200, PLAIN));
}

#[test]
fn what_disturbed_the_cpus_of_the_run_is_on_the_screen() {
    let mut run = headline();
    let [from, to] = ["43", "50"].map(|second| format!("2026-01-01T15:23:{second}Z"));
    let kind = DisturbanceKind::OtherProgram { cpu: None, share: 0.52, name: Some("stress-ng".to_owned()) };
    run.analysis.disturbances = vec![Disturbance { from_ns: 0, to_ns: 7_000_000_000, from, to, kind }];
    let screen = screen(&run, 200, PLAIN);
    assert!(
        screen.contains("! the program stress-ng used 52 % of one CPU from 15:23:43 to 15:23:50 UTC"),
        "{screen}"
    );
}

#[test]
fn points_that_an_interrupted_run_has_not_tried_are_counted_and_not_listed() {
    let mut run = headline();
    let row = run.analysis.rows.iter_mut().find(|row| row.point.id.operation == "syscall.getppid");
    let row = row.unwrap();
    (row.estimate, row.verdict, row.reasons) = (None, Verdict::Skipped, vec![Reason::NotTried]);
    let screen = screen(&run, 200, PLAIN);
    assert!(screen.contains("1 point not tried: the run ended first"), "{screen}");
    assert!(!screen.contains("(getppid)"), "{screen}");
}

#[test]
fn run_that_was_interrupted_says_so_first() {
    let mut run = headline();
    if let Some(end) = &mut run.end {
        end.reason = record::EndReason::Interrupted;
    }
    for width in [60, 100] {
        let screen = screen(&run, width, PLAIN);
        let begin: Vec<&str> = screen.lines().take(3).collect();
        assert!(begin.join("\n").contains("interrupted after 1 min 20 s"), "{screen}");
    }
}

#[test]
fn the_duration_gives_way_to_the_machine() {
    let screen = screen(&headline(), 90, PLAIN);
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines[0].ends_with("KVM guest") && lines[1].ends_with("  1 min 20 s"), "{screen}");
}

#[test]
fn predictions_of_the_user_have_a_column_and_a_sign() {
    let mut run = headline();
    assert!(!screen(&run, 140, PLAIN).contains("user's"));
    let row = run.analysis.rows.iter_mut().find(|row| row.point.id.operation == "signal.deliver.self");
    row.unwrap().point.user = Some(record::UserPrediction {
        typical: 30_200.0,
        hardware: None,
        software: None,
        because: String::new(),
    });
    let whole = screen(&run, 140, PLAIN);
    let heading = whole.lines().find(|line| line.contains("measured  ")).unwrap();
    assert!(heading.ends_with("ratio   user's"), "{whole}");
    let line = whole.lines().find(|line| line.starts_with("signal, sent")).unwrap();
    assert!(line.contains('△') && line.ends_with("3.39×    0.10×"), "{line}");
    assert!(whole.contains("△ by the user;"), "{whole}");
    let narrow = screen(&run, 60, PLAIN);
    assert!(narrow.contains("0.10×") && narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
}

/// A run in which nothing has room: states, all signs, both tiers, predictions of the user.
fn crowded(has_user: bool) -> Frozen {
    let mut run = headline();
    run.analysis.core_hz = Some(4.19e9);
    run.analysis.reference_hz = Some(4.19e9);
    run.analysis.highest_hz = Some(4.19e9);
    run.analysis.clock_range = Some([3.9e9, 4.1e9, 4.19e9]);
    let facts = run.analysis.rows[0].from_facts.clone().unwrap();
    run.analysis.rows[0].from_parts = Some(analysis::Predicted { tier: analysis::Tier::Parts, ..facts });
    run.analysis.rows[0].estimate.as_mut().unwrap().clock_share = Some(1.0);
    let row = run.analysis.rows.iter_mut().find(|row| row.point.id.operation == "file.write.fsync").unwrap();
    (row.verdict, row.reasons) = (Verdict::Noisy, vec![Reason::States]);
    row.modes =
        vec![analysis::Mode { at: 88_123.0, share: 0.45 }, analysis::Mode { at: 3_212_345.0, share: 0.55 }];
    let estimate = row.estimate.as_mut().unwrap();
    estimate.interval = estimate.interval.map(|interval| Interval { high: 9e6, ..interval });
    for row in run.analysis.rows.iter_mut().filter(|_| has_user) {
        let user =
            record::UserPrediction { typical: 30.2, hardware: None, software: None, because: String::new() };
        row.point.user = Some(user);
    }
    run
}

/// Every text of a cell that a line has, none of them cut or joined to another.
#[test]
fn no_number_is_cut_and_no_columns_are_joined_at_any_width() {
    for (has_user, has_cycles) in [(false, false), (false, true), (true, false), (true, true)] {
        let run = crowded(has_user);
        for width in [30, 40, 60, 80, 100, 120] {
            let view = report::View { has_cycles, ..run.view() };
            let screen =
                text(|out| report::first_screen(&view, &labels(), &mut Page::new(width, PLAIN, out)));
            assert!(screen.lines().all(|line| line.chars().count() <= width), "{screen}");
            let table = screen
                .split_once("measured")
                .unwrap()
                .1
                .split_once(" of the next run")
                .map_or(&*screen, |both| both.0);
            let lines: Vec<&str> = table.lines().filter(|line| !line.trim().is_empty()).collect();
            assert!(!lines.concat().contains('…'), "{width}: {screen}");
            let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let row = lines
                .iter()
                .find(|line| line.contains("88.1 µs | 3.21 ms"))
                .unwrap_or_else(|| panic!("{width}: {screen}"));
            let words = words(row);
            assert!(words.contains(&"°~".to_owned()), "{width}: {row}");
            // It would be a share of the value of neither state.
            assert!(!row.contains('%'), "{width}: {row}");
            let all = screen.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(has_cycles && width <= 40, all.contains("no room for cycles"), "{screen}");
            // With room for it, a column is whole.
            let joined = words.join(" ");
            for (is_asked, whole) in [
                (width >= 100 || (width >= 60 && !has_user && !has_cycles), "0.35 | 12.9×"),
                (has_cycles && width >= 60, "211 kcyc | 7.71 Mcyc"),
                (has_user && width >= 100, "2918 | 106 369×"),
            ] {
                assert!(!is_asked || joined.contains(whole), "{width}: {whole}: {screen}");
            }
        }
    }
}

#[test]
fn ratios_are_those_of_each_state_where_none_is_decided() {
    let run = crowded(false);
    let row = run.analysis.rows.iter().find(|row| row.point.id.operation == "file.write.fsync").unwrap();
    let explained = text(|out| report::explain_row(row, &mut Page::new(100, PLAIN, out)));
    for said in [
        "typical        88.1 µs | 3.21 ms",
        "states         88.1 µs (45 %), 3.21 ms (55 %)",
        "prediction     0.35 | 12.9× its prediction of 249 µs",
        "measured / predicted 0.35 | 12.9×",
        "counted        12 trials",
    ] {
        assert!(explained.contains(said), "{said}: {explained}");
    }
    assert!(!explained.contains("best "), "{explained}");
    let screen = screen(&run, 200, PLAIN);
    let said = "! file write 4 KiB + fsync 88.1 µs | 3.21 ms: 0.35 | 12.9× its prediction (249 µs)";
    assert!(screen.contains(said), "{screen}");
    let view = run.view();
    let markdown = text(|out| report::markdown(&view, out));
    assert!(markdown.contains("0.35 | 12.9×") || markdown.contains("0.35 \\| 12.9×"), "{markdown}");
}

#[test]
fn a_second_state_that_does_not_move_the_median_is_named() {
    let mut run = headline();
    let row = run.analysis.rows.iter_mut().find(|row| row.point.id.operation == "syscall.getppid").unwrap();
    row.modes = vec![analysis::Mode { at: 158.0, share: 0.85 }, analysis::Mode { at: 198.0, share: 0.15 }];
    (row.verdict, row.reasons) = (Verdict::Measured, Vec::new());
    let row = row.clone();
    let whole = screen(&run, 140, PLAIN);
    let line = whole.lines().find(|line| line.starts_with("system call (getppid)")).unwrap();
    assert!(line.contains("% states"), "{line}");
    let explained = text(|out| report::explain_answer(&row, &mut Page::new(100, PLAIN, out)));
    assert!(explained.contains("states         158 ns (85 %), 198 ns (15 %)"), "{explained}");
}

#[test]
fn points_that_a_blind_run_hides_are_no_rows() {
    let mut run = headline();
    run.plan.settings.blind = true;
    let screen = screen(&run, 140, PLAIN);
    assert!(screen.contains("No point was measured."), "{screen}");
    assert!(!screen.contains("other points"), "{screen}");
}
