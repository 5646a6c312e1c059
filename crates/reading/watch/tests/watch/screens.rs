//! The screen at several sizes, and the lines where there is none.

use crate::scene::{Machine, Plant, watched};
use report::{Paint, Style};
use watch::{
    Action, Conditions, OtherShare, ScreenSettings, Usual, Watch, json_event, json_interval, plain_interval,
    screen,
};

fn with_hog() -> Watch {
    let mut machine = Machine::new(7);
    let others = vec![OtherShare { cpu: Some(1), share: 0.6, name: Some("hog\x1b[31m".to_owned()) }];
    let conditions = Conditions { others, pressure: [Some(0.3), None, Some(0.0)], ..Conditions::default() };
    let factors = vec![("os", 2.5)];
    machine.plants.push(Plant { from_s: 700.0, to_s: 1_400.0, conditions, factors });
    watched(&mut machine, 900.0).0
}

fn settings(width: usize, height: usize) -> ScreenSettings {
    let style = Style { colour: false, ascii: false };
    ScreenSettings { width, height, style, time_base_s: 300.0, is_paused: false, has_keys: true }
}

#[test]
fn screen_of_80_by_24_holds_channels_event_and_keys() {
    let lines = screen(&with_hog(), &settings(80, 24));
    println!("{}", lines.join("\n"));
    assert_eq!(lines.len(), 24);
    let text = lines.join("\n");
    for expected in [
        "fsync",
        "neighbour: hog",
        "goes on",
        "q quit",
        "costs 0.",
        "(budget 1 %), writes",
        "wake-ups/s",
        "2.5",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(!text.contains('\x1b'));
}

#[test]
fn a_watch_that_is_held_back_says_what_is_read_next_and_when() {
    let mut machine = Machine::new(7);
    let conditions = Conditions { pressure: [Some(0.9), None, None], ..Conditions::default() };
    machine.plants.push(Plant { from_s: 0.0, to_s: 1_400.0, conditions, factors: Vec::new() });
    let watch = watched(&mut machine, 3.0).0;
    let lines = screen(&watch, &settings(80, 24));
    let next: Vec<&String> = lines.iter().filter(|line| line.contains("read next, within")).collect();
    assert_eq!(next.len(), 1, "{lines:?}");
    assert_eq!(lines[2], "tasks wait for: CPU 90 %, memory –, disk –; a quarter of the budget");
    let line = plain_interval(&watch, 0.0);
    assert!(line.contains("nothing read, the next reading within"), "{line}");
    assert!(line.ends_with("; tasks wait for CPUs: a quarter of the budget"), "{line}");
}

#[test]
fn every_size_is_kept() {
    let watch = with_hog();
    for (width, height) in [(1, 1), (20, 3), (40, 10), (80, 24), (200, 60), (1_000, 200)] {
        let lines = screen(&watch, &settings(width, height));
        assert!(lines.len() <= height, "{width}×{height}");
        let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= width, "{width}×{height}: {widest}");
    }
}

#[test]
fn narrow_screens_leave_out_whole_columns_from_the_right() {
    let watch = with_hog();
    for (width, last) in [(80, "shared"), (50, "change"), (40, "p99"), (31, "median")] {
        let lines = screen(&watch, &settings(width, 15));
        println!("{}", lines.join("\n"));
        assert!(lines[4].ends_with(last), "{width}: {lines:?}");
        let channels = lines[5..].iter().filter(|line| line.contains(" ns") || line.contains(" µs"));
        let ends: Vec<&String> = channels.collect();
        assert!(ends.len() >= 7 && ends.iter().all(|line| !line.ends_with('…')), "{ends:?}");
    }
}

#[test]
fn marks_stand_where_events_began_and_letters_beyond_the_threshold_are_warnings() {
    let mut watch = with_hog();
    let row = |watch: &Watch, settings: &ScreenSettings| {
        let lines = screen(watch, settings);
        println!("{}", lines.join("\n"));
        let marks = lines.iter().find(|line| line.starts_with("events ")).unwrap().clone();
        let strip =
            lines.iter().find(|line| line.contains("system call") && line.contains('▃')).unwrap().clone();
        (marks, strip)
    };
    let (marks, strip) = row(&watch, &settings(80, 24));
    // The hog came 200 seconds before the end: at a third of the strip, from where on the letters are higher.
    let at = 6 + marks.chars().skip(6).position(|letter| letter == 'n').unwrap();
    assert_eq!(marks.chars().skip(6).filter(|letter| *letter != ' ').count(), 1, "{marks}");
    let first = strip.chars().position(|letter| letter == '▆').unwrap();
    assert!(first.abs_diff(at) <= 1, "{at} {first}");
    // After the hog its letters are warnings, and the rest of the line is not.
    watch.channels[0].shifted = None;
    let style = Style { colour: true, ascii: false };
    let (_, strip) = row(&watch, &ScreenSettings { style, ..settings(80, 24) });
    let warning = style.paint("x", Paint::Warning);
    let (begin, _) = warning.split_once('x').unwrap();
    assert!(strip.contains(&format!("{begin}▆")) && strip.starts_with("system call"), "{strip:?}");
    assert!(!strip.contains(&format!("{begin}▃")), "{strip:?}");
}

#[test]
fn keys_step_the_threshold() {
    let mut machine = Machine::new(3);
    machine.actions = vec![Action::ThresholdDown; 5];
    assert_eq!(watched(&mut machine, 60.0).0.settings.threshold, 0.05);
    machine = Machine::new(3);
    machine.actions = vec![Action::ThresholdUp; 5];
    let watch = watched(&mut machine, 60.0).0;
    assert_eq!(watch.settings.threshold, 0.5);
    let lines = screen(&watch, &settings(80, 24));
    assert!(lines[3].contains("3 readings in a row beyond ±50 %"), "{lines:?}");
    assert!(lines[23].contains("t T threshold"), "{lines:?}");
}

#[test]
fn ascii_screens_have_no_other_letters_in_their_strips() {
    let watch = with_hog();
    let style = Style { colour: false, ascii: true };
    let lines = screen(&watch, &ScreenSettings { style, ..settings(100, 30) });
    let strips = lines.iter().filter(|line| line.starts_with("system call"));
    assert!(strips.clone().count() == 1 && strips.clone().all(|line| line.contains('%')), "{lines:?}");
    assert!(!lines.join("").contains(['▃', '▆']), "{lines:?}");
}

#[test]
fn lines_hold_the_open_event_and_json_parses() {
    let watch = with_hog();
    let line = plain_interval(&watch, 60.0);
    for channel in &watch.channels {
        // A channel without a reading is named, too.
        assert!(line.contains(&channel.spec.label), "{line}");
    }
    assert!(line.contains("[neighbour]") && line.contains("system call") && !line.contains('\x1b'), "{line}");
    let interval: serde_json::Value = serde_json::from_str(&json_interval(&watch, 60.0)).unwrap();
    assert_eq!(interval["channels"].as_array().unwrap().len(), 8);
    assert!(interval["channels"][0]["median"].as_f64().unwrap() > 100.0);
    let event = watch.events().next().unwrap();
    let event: serde_json::Value = serde_json::from_str(&json_event(&watch, event)).unwrap();
    assert_eq!((event["reason"].as_str(), event["event"].as_u64()), (Some("neighbour"), Some(1)));
    assert!(event["effects"].as_array().unwrap().len() >= 2, "{event}");
}

#[test]
fn usual_range_stands_beside_the_present_level() {
    let mut watch = with_hog();
    let median = 60.0;
    let usual = Usual { median, low: 58.0, high: 61.5, readings: 2_000 };
    watch.channels[0].spec.usual = Some(usual);
    watch.channels[4].spec.usual = Some(Usual { median: 4.0, low: 3.9, high: 4.2, readings: 2_000 });
    for (width, heading) in [(80, "usual, change"), (120, "usual   change")] {
        let lines = screen(&watch, &settings(width, 24));
        println!("{}", lines.join("\n"));
        assert!(lines[4].contains(heading) && lines.iter().all(|line| line.chars().count() <= width));
        // The system call has changed; of the other one nothing but its range is shown.
        let of = |label: &str| lines.iter().find(|line| line.starts_with(label)).unwrap();
        assert!(of("load, L2").contains("3.90–4.20 ns"), "{lines:?}");
        assert_eq!(of("system call").contains("58.0–61.5 ns"), width > 80, "{lines:?}");
        assert!(of("system call").contains('×'), "{lines:?}");
    }
    let line = plain_interval(&watch, 60.0);
    assert!(line.contains("usual 58.0–61.5 ns)") && !line.contains("3.90–4.20"), "{line}");
    let interval: serde_json::Value = serde_json::from_str(&json_interval(&watch, 60.0)).unwrap();
    assert_eq!(interval["channels"][0]["usual"]["high"].as_f64(), Some(61.5));
    assert!(interval["channels"][1]["usual"].is_null());
}
