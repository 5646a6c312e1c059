//! The journal: what is written is read, also when torn, old, foreign or in use.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use record::*;
use std::fs;
use std::path::PathBuf;

fn header() -> Header {
    Header {
        format: "oscope".to_owned(),
        schema: SCHEMA,
        program: "0.0.0".to_owned(),
        commit: None,
        started: "2026-01-01T00:00:00Z".to_owned(),
        arguments: vec!["run".to_owned()],
        boot: Some("0123456789".to_owned()),
    }
}

fn trial(round: u32) -> Trial {
    Trial {
        round,
        id: PointId::new("a.b", "n=1"),
        started_ns: 17,
        clock: "tsc".to_owned(),
        ns_per_tick: 0.1 + 0.2,
        core_hz: Some(3e9),
        clock_cost_ticks: 40.0,
        cpu_cost_ns: 200.0,
        cpu: Some(1),
        pinned: true,
        looks: None,
        waited_ns: None,
        attributes: Attributes::new(),
        series: vec![Series { ticks: vec![1, -2, 3], ..Series::new(Role::Main, Sampling::Triples, 7) }],
        evidence: vec![Evidence {
            counter: "answers".to_owned(),
            counted: Counted::Count { count: 49.0, iterations: 49.0 },
        }],
    }
}

fn lines() -> Vec<Line> {
    vec![
        Line::Header(header()),
        Line::Machine(Machine::default()),
        Line::Prediction {
            id: PointId::new("a.b", ""),
            prediction: Prediction {
                from_facts: vec![Term {
                    name: "all".to_owned(),
                    side: TermSide::Hardware,
                    formula: Formula::cited(2.5, 2.0, "nowhere").by(Formula::fact("clock.cycle_ns")),
                }],
                from_parts: Vec::new(),
            },
        },
        Line::Trial(Box::new(trial(1))),
        Line::Failure(TrialFailure {
            started_ns: 0,
            round: 1,
            id: PointId::new("c", ""),
            reason: "it broke".to_owned(),
            remedy: None,
        }),
        Line::Round(RoundEnd { round: 1, at_ns: 5 }),
        Line::Resumed { at: "2026-01-01T00:00:01Z".to_owned() },
        Line::End(End { reason: EndReason::Rounds, at_ns: 6, clock_drift: None }),
    ]
}

/// A folder and a journal with all lines in it, closed.
fn written() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let mut journal = Journal::create(&path).unwrap();
    for line in lines() {
        journal.append(&line).unwrap();
    }
    (folder, path)
}

#[test]
fn what_is_written_is_read() {
    let (_folder, path) = written();
    let record = Record::read(&path).unwrap();
    assert_eq!(record.header, header());
    assert_eq!(record.trials, [trial(1)]);
    assert_eq!(record.predictions.len(), 1);
    assert_eq!(record.failures.len(), 1);
    assert_eq!(record.rounds, [RoundEnd { round: 1, at_ns: 5 }]);
    assert_eq!(record.end.as_ref().unwrap().reason, EndReason::Rounds);
    assert_eq!(record.whole_bytes, fs::metadata(&path).unwrap().len());
}

#[test]
fn old_names_are_read_as_the_current_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let mut header = serde_json::to_string(&Line::Header(header())).unwrap();
    header.push('\n');
    let old = r#"{"line":"plan","settings":{"profile":"quick","budget_s":1,"precision":0.03,"least_rounds":4,
        "most_rounds":5,"seed":1,"cpu":0,"peer_cpu":1,"reference_methods":false},"points":[
        {"id":{"operation":"process.create.fork_wait","point":"resident_mib=16"},"revision":1,"area":"os","title":"t",
        "one_iteration":"o","quantity":"latency","estimator":{"is":"each"},
        "gate":{"cpu_share":null,"involuntary":false,"clock_change":null},"witnesses":[],
        "bounds":[{"lower":true,"because":"b",
        "formula":{"is":"part","point":{"operation":"syscall.getpid.raw","point":""}}}],
        "fit":{"parameter":"resident_mib","per_unit":false,"slope":"s","intercept":"i"},
        "beside":{"operation":"clock.frequency","point":"of=core"}}]}"#;
    let failure = r#"{"line":"failure","round":1,"id":{"operation":"call.procedure.alone"},"reason":"r"}"#;
    let lines = [old.replace('\n', " "), failure.to_owned(), String::new()];
    fs::write(&path, header + &lines.join("\n")).unwrap();
    let record = Record::read(&path).unwrap();
    let point = &record.plan.unwrap().points[0];
    assert_eq!(point.id, PointId::new("process.create.fork_wait", "resident=16MiB"));
    assert_eq!(point.bounds[0].formula, Formula::part("syscall.getpid", "method=raw"));
    assert_eq!(point.beside, Some(PointId::new("clock.frequency", "clock=core")));
    let fit = point.fit.as_ref().unwrap();
    assert_eq!((fit.parameter.as_str(), fit.unit), ("resident", 1 << 20));
    assert_eq!(record.failures[0].id, PointId::new("call.procedure.single", ""));
}

#[test]
fn a_torn_last_line_is_left_out_wherever_it_is_torn() {
    let (_folder, path) = written();
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for cut in ends[0]..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let record = Record::read(&path).unwrap();
        let kept = ends.iter().filter(|&&end| end <= cut).count();
        assert_eq!(record.whole_bytes as usize, ends[kept - 1], "cut at {cut}");
    }
}

#[test]
fn going_on_cuts_off_what_is_torn_and_appends() {
    let (_folder, path) = written();
    let mut whole = fs::read(&path).unwrap();
    whole.extend_from_slice(b"{\"line\":\"trial\",\"rou");
    fs::write(&path, &whole).unwrap();
    let (mut journal, record) = Journal::resume(&path).unwrap();
    assert_eq!(record.trials.len(), 1);
    journal.append(&Line::Trial(Box::new(trial(2)))).unwrap();
    drop(journal);
    assert_eq!(Record::read(&path).unwrap().trials, [trial(1), trial(2)]);
}

#[test]
fn a_file_with_something_in_it_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    fs::write(&path, "poem").unwrap();
    assert!(matches!(Journal::create(&path), Err(JournalError::Occupied { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "poem");
    fs::write(&path, "").unwrap();
    assert!(Journal::create(&path).is_ok(), "an empty file, as mktemp makes it, is fine");
}

#[test]
fn two_runs_do_not_write_to_one_record() {
    let (_folder, path) = written();
    let (_first, _) = Journal::resume(&path).unwrap();
    assert!(matches!(Journal::resume(&path), Err(JournalError::Busy { .. })));
}

#[test]
fn other_files_are_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other");
    let newer = serde_json::to_string(&Line::Header(Header { schema: SCHEMA + 1, ..header() })).unwrap();
    for (text, words) in [
        ("", "no complete first line"),
        ("no newline", "no complete first line"),
        ("text\n", "not JSON"),
        ("{\"a\":1}\n", "does not say"),
        (&format!("{newer}\n"), "use a newer oscope"),
    ] {
        fs::write(&path, text).unwrap();
        let error = Record::read(&path).unwrap_err().to_string();
        assert!(error.contains(words), "{text:?}: {error}");
    }
    let (_folder, path) = written();
    let mut whole = fs::read(&path).unwrap();
    whole.extend_from_slice(b"{\"line\":\"poem\"}\n");
    fs::write(&path, &whole).unwrap();
    let error = Record::read(&path).unwrap_err().to_string();
    assert!(error.contains("(byte "), "{error}");
}

#[test]
fn lines_of_the_first_schema_stay_readable() {
    // Written by the first version; never change this text.
    let old = concat!(
        r#"{"line":"header","format":"oscope","schema":1,"program":"0.1.0","commit":null,"#,
        r#""started":"2026-11-21T00:00:00Z","arguments":[]}"#,
        "\n",
        r#"{"line":"trial","round":1,"id":{"operation":"x"},"started_ns":1,"clock":"tsc","ns_per_tick":0.5,"#,
        r#""core_hz":null,"clock_cost_ticks":1.0,"cpu_cost_ns":1.0,"cpu":null,"pinned":false,"#,
        r#""series":[{"role":"main","sampling":"singles","n":1,"ticks":[5]}],"#,
        r#""evidence":[{"counter":"answers","is":"count","count":1.0,"iterations":1.0}]}"#,
        "\n",
    );
    let record = Record::read_from(old.as_bytes(), std::path::Path::new("old")).unwrap();
    assert_eq!(record.trials[0].series[0].ticks, [5]);
    assert_eq!(record.trials[0].id.point, "");
}

#[test]
fn a_witness_of_an_older_record_is_broken_by_other_work_alone() {
    let older =
        r#"{"counter":"answers","origin":"trial","low":1.0,"high":1.0,"positive":true,"proves":"done"}"#;
    let witness: Witness = serde_json::from_str(older).unwrap();
    assert_eq!(witness.breach, Breach::OtherWork);
    assert_eq!(serde_json::to_string(&witness).unwrap(), older);
    let noise = Witness { breach: Breach::Noise, ..witness };
    let written = serde_json::to_string(&noise).unwrap();
    assert_eq!(serde_json::from_str::<Witness>(&written).unwrap(), noise);
}

/// A blind run of one point with a trial, a rehearsal, a failure and a prediction of it.
fn blind_record() -> (Record, PointId) {
    let id = PointId::new("a.b", "n=1");
    let plan = r#"{"line":"plan","settings":{"profile":"quick","budget_s":1,"precision":0.03,"least_rounds":4,
        "most_rounds":5,"seed":1,"cpu":0,"peer_cpu":1,"reference_methods":false,"blind":true},"points":[
        {"id":{"operation":"a.b","point":"n=1"},"revision":1,"area":"os","title":"t",
        "one_iteration":"o","quantity":"latency","estimator":{"is":"each"},
        "gate":{"cpu_share":null,"involuntary":false,"clock_change":null},"witnesses":[]}]}"#;
    let mut record = Record::new(header());
    record.add(serde_json::from_str(plan).unwrap());
    let prediction = Prediction { from_facts: Vec::new(), from_parts: Vec::new() };
    record.add(Line::Prediction { id: id.clone(), prediction });
    record.add(Line::Trial(Box::new(trial(1))));
    record.add(Line::Rehearsal(Rehearsal { id: id.clone(), evidence: Vec::new() }));
    record.add(Line::Failure(TrialFailure {
        started_ns: 0,
        round: 1,
        id: id.clone(),
        reason: "it broke".to_owned(),
        remedy: None,
    }));
    (record, id)
}

#[test]
fn a_blind_record_hides_what_is_not_predicted() {
    let (mut record, id) = blind_record();
    let mut hidden = record.clone();
    assert_eq!(hidden.hide_unpredicted(), 1);
    assert!(hidden.trials.is_empty() && hidden.rehearsals.is_empty());
    assert!(hidden.failures.is_empty() && hidden.predictions.is_empty());
    let plan = hidden.plan.unwrap();
    assert!(plan.hides(&id));
    assert!(!plan.hides(&PointId::new("a.b", "n=2")) && !plan.hides(&PointId::new("c.d", "n=1")));
    assert!(plan.points[0].skip.as_ref().unwrap().reason.contains("blind"));
    // Once predicted, or in a run that is not blind, everything is there.
    let mut open = record.clone();
    open.plan.as_mut().unwrap().settings.blind = false;
    let plan = record.plan.as_mut().unwrap();
    plan.points[0].user =
        Some(UserPrediction { typical: 1.0, hardware: None, software: None, because: String::new() });
    assert!(!plan.hides(&id));
    for mut record in [record, open] {
        assert_eq!(record.hide_unpredicted(), 0);
        let left = [record.trials.len(), record.rehearsals.len(), record.failures.len()];
        assert_eq!((left, record.predictions.len()), ([1; 3], 1));
    }
}

fn summary(at: u64) -> Summary {
    let row = SummaryRow {
        id: PointId::new("a.b", "n=1"),
        quantity: quantity::Quantity::Latency,
        revision: 2,
        verdict: "measured".to_owned(),
        typical: Some(0.1 + 0.2),
        interval: Some((0.29, 1.0 / 3.0)),
        trials: 12,
        core_hz: Some(3e9),
    };
    Summary::new(&header().started, at, Some(0.9), vec![row])
}

/// A record that ends with a summary.
fn summarized() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let mut journal = Journal::create(&path).unwrap();
    lines().iter().for_each(|line| journal.append(line).unwrap());
    let at = journal.end().unwrap();
    journal.append(&Line::Summary(summary(at))).unwrap();
    (folder, path)
}

#[test]
fn a_summary_is_read_without_the_lines_between() {
    let (_folder, path) = summarized();
    let read = Summarized::read(&path).unwrap().unwrap();
    assert_eq!(read.header, header());
    assert_eq!(read.summary.rows, summary(read.summary.at).rows);
    // The whole record reads as without it.
    assert_eq!(Record::read(&path).unwrap().trials, [trial(1)]);
    // What lies between may be anything: it is not read.
    let text = fs::read_to_string(&path).unwrap();
    let (begin, _) = text.split_once("{\"line\":\"prediction\"").unwrap();
    let end = text.lines().last().unwrap();
    let between = read.summary.at as usize - begin.len();
    fs::write(&path, format!("{begin}{}\n{end}\n", "x".repeat(between - 1))).unwrap();
    assert!(Summarized::read(&path).unwrap().is_some());
}

/// What a summarized record with these lines says of its other end and of its settings.
fn of_beginning(lines: &[Line]) -> (Option<PeerEnd>, Option<Settings>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let mut journal = Journal::create(&path).unwrap();
    lines.iter().for_each(|line| journal.append(line).unwrap());
    let at = journal.end().unwrap();
    journal.append(&Line::Summary(summary(at))).unwrap();
    let read = Summarized::read(&path).unwrap().unwrap();
    (read.peer, read.settings)
}

#[test]
fn settings_and_the_other_end_are_read_with_a_summary() {
    let settings = Settings { seed: 7, cpu: Some(3), ..Settings::default() };
    // Longer than what is read of it.
    let points: Vec<PlannedPoint> =
        (0..2000).map(|number| PlannedPoint::new(PointId::new("a.b", &format!("n={number}")))).collect();
    let plan = Line::Plan(Plan { settings: settings.clone(), points, ..Plan::default() });
    let peer = PeerEnd {
        address: "192.0.2.7:4000".to_owned(),
        program: "oscope".to_owned(),
        protocol: 1,
        drops_caches: false,
        machine: Machine::default(),
    };
    let start = [Line::Header(header()), Line::Machine(Machine::default())];
    let with = |more: &[Line]| of_beginning(&[&start[..], more].concat());
    let other_end = Line::Peer(peer.clone());
    assert_eq!(with(std::slice::from_ref(&plan)), (None, Some(settings.clone())));
    assert_eq!(with(&[other_end.clone(), plan]), (Some(peer.clone()), Some(settings)));
    assert_eq!(with(&[other_end.clone(), other_end]), (Some(peer), None));
    assert_eq!(with(&[]), (None, None));
}

#[test]
fn a_summary_that_does_not_fit_its_record_does_not_count() {
    let (_folder, path) = summarized();
    let whole = fs::read_to_string(&path).unwrap();
    let does_not_count = |text: String| {
        fs::write(&path, text).unwrap();
        assert_eq!(Summarized::read(&path).unwrap(), None);
    };
    // A number of it was changed.
    does_not_count(whole.replace("0.29", "0.28"));
    // Lines were taken out before it, or added behind it, or it is torn.
    let round = whole.lines().find(|line| line.contains("\"round\"") && line.contains("at_ns")).unwrap();
    does_not_count(whole.replace(&format!("{round}\n"), ""));
    does_not_count(format!("{whole}{round}\n"));
    does_not_count(whole.trim_end().to_owned());
    // A record without one.
    let (_folder, path) = written();
    assert_eq!(Summarized::read(&path).unwrap(), None);
    assert!(matches!(Summarized::read(&path.with_extension("none")), Err(JournalError::File { .. })));
}

/// The error of the record with this content.
fn refused(path: &std::path::Path, content: impl AsRef<[u8]>) -> JournalError {
    fs::write(path, content).unwrap();
    Record::read(path).unwrap_err()
}

#[test]
fn a_changed_digit_is_damage_at_its_line_and_byte() {
    let (_folder, path) = summarized();
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == b'\n').collect();
    for digit in (0..whole.len()).filter(|at| whole[*at].is_ascii_digit()) {
        let mut changed = whole.clone();
        changed[digit] = if whole[digit] == b'9' { b'8' } else { whole[digit] + 1 };
        let before = ends.iter().filter(|end| **end < digit).count();
        let begins = if before == 0 { 0 } else { ends[before - 1] + 1 };
        match refused(&path, &changed) {
            JournalError::Damaged { line, at, .. } => {
                assert_eq!((line, at), (before as u64 + 1, begins as u64), "byte {digit}");
            }
            other => panic!("byte {digit}: {other}"),
        }
    }
}

#[test]
fn a_damaged_record_is_not_resumed_and_stays_as_it_is() {
    let (_folder, path) = summarized();
    let changed = fs::read_to_string(&path).unwrap().replace("0.29", "0.28");
    fs::write(&path, &changed).unwrap();
    assert!(matches!(Journal::resume(&path), Err(JournalError::Damaged { line: 9, .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), changed);
}

#[test]
fn missing_and_added_lines_are_damage() {
    let (_folder, path) = summarized();
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let error = |content: String| refused(&path, content).to_string();
    // A line without its checksum, the first line as well.
    let begin = |line: &str| line.find(",\"crc32\"").unwrap();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.contains("resumed")) {
        let bare = format!("{}}}\n", &line[..begin(line)]);
        let error = error(whole.replace(line, &bare));
        assert!(error.contains(&format!("damaged at line {} ", at + 1)), "{error}");
    }
    // A line that was taken out, or is there twice: the summary knows where it was written.
    let round = lines.iter().find(|line| line.contains("\"line\":\"round\"")).unwrap();
    for changed in ["".to_owned(), format!("{round}{round}")] {
        let error = error(whole.replace(round, &changed));
        assert!(error.contains("lines before it were taken out or added"), "{error}");
    }
    // Every line anew, as a program does that edits records: no checksum, no statement.
    let anew = lines.iter().map(|line| format!("{}}}\n", &line[..begin(line)]));
    fs::write(&path, anew.collect::<String>()).unwrap();
    assert_eq!(Record::read(&path).unwrap().trials, [trial(1)]);
}

#[test]
fn a_record_of_an_older_program_is_read_and_resumed() {
    let (_folder, path) = written();
    let text = fs::read_to_string(&path).unwrap();
    let bare = |line: &str| format!("{}}}\n", line.split_once(",\"crc32\"").unwrap().0);
    let old: String = text.lines().map(bare).collect();
    fs::write(&path, &old).unwrap();
    let (mut journal, _) = Journal::resume(&path).unwrap();
    journal.append(&Line::Resumed { at: "2026-01-01T00:00:02Z".to_owned() }).unwrap();
    journal.append(&Line::Trial(Box::new(trial(2)))).unwrap();
    drop(journal);
    assert_eq!(Record::read(&path).unwrap().trials, [trial(1), trial(2)]);
    // And an older program resumes a record of this one.
    let later = [Line::Resumed { at: String::new() }, Line::Trial(Box::new(trial(2)))];
    let later: String = later.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
    fs::write(&path, text + &later).unwrap();
    assert_eq!(Record::read(&path).unwrap().trials, [trial(1), trial(2)]);
}

#[test]
fn a_second_record_in_a_file_is_refused_with_its_place() {
    let (_folder, path) = written();
    let whole = fs::read_to_string(&path).unwrap();
    let other = whole.replace("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    // Of the same run, of another, and of an older program.
    let bare: String =
        whole.lines().map(|line| format!("{}}}\n", line.split_once(",\"crc32\"").unwrap().0)).collect();
    for (first, second) in [(&whole, &whole), (&bare, &bare)] {
        match refused(&path, format!("{first}{second}")) {
            JournalError::SecondHeader { line, at, .. } => {
                assert_eq!((line, at), (first.lines().count() as u64 + 1, first.len() as u64));
            }
            error => panic!("{error}"),
        }
        assert!(matches!(Journal::resume(&path), Err(JournalError::SecondHeader { .. })));
    }
    assert!(matches!(refused(&path, format!("{whole}{other}")), JournalError::Damaged { .. }));
}

#[test]
fn a_line_of_a_newer_program_is_not_called_damaged() {
    let (_folder, path) = written();
    let mut whole = fs::read_to_string(&path).unwrap();
    whole.push_str("{\"line\":\"poem\",\"crc32\":\"54491798\"}\n");
    let error = refused(&path, whole).to_string();
    assert!(error.contains("a newer oscope may have written it"), "{error}");
}

#[test]
fn only_a_regular_file_or_a_character_device_becomes_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for (path, what) in [(folder.path(), "a directory"), (&socket, "a socket")] {
        let error = Journal::create(path).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("a record needs a regular file"), "{error}");
    }
    assert!(Journal::create(std::path::Path::new("/dev/null")).is_ok());
}
