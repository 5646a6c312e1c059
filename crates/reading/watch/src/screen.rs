//! The screen of a watch: a line for each channel with its strip over time, and what happened.

use crate::channel::Channel;
use crate::columns::{Columns, labels, shared};
use crate::condition::Reason;
use crate::event::Event;
use crate::lines::{cost, effects, event_words, words};
use crate::state::Watch;
use crate::thresholds::CONSECUTIVE;
use quantity::{duration_words, show, show_change, show_percent};
use report::{Paint, Style, cut_end};
use std::time::Duration;

/// Seconds that a strip is long, to choose from.
pub const TIME_BASES_S: [f64; 6] = [60.0, 300.0, 1_800.0, 10_800.0, 43_200.0, 86_400.0];

/// Letters of a strip: each stands for a value relative to the level up to this factor; the last for all above.
const LETTERS: [(f64, char, char); 7] = [
    (0.75, '▁', '_'),
    (0.9, '▂', ','),
    (1.11, '▃', '-'),
    (1.34, '▄', '+'),
    (2.0, '▅', '*'),
    (4.0, '▆', '%'),
    (10.0, '▇', '#'),
];
const LAST_LETTER: (char, char) = ('█', '@');

/// Lines of the head, and of the channels' heading.
const HEAD_LINES: usize = 5;

/// How a screen is shown.
#[derive(Debug, Clone, Copy)]
pub struct ScreenSettings {
    /// Columns.
    pub width: usize,
    /// Lines.
    pub height: usize,
    /// Colour and letters.
    pub style: Style,
    /// Seconds that a strip is long.
    pub time_base_s: f64,
    /// Whether nothing is read.
    pub is_paused: bool,
    /// Whether keys are read.
    pub has_keys: bool,
}

/// The lines of the screen: at most `height`, none wider than `width`.
pub fn screen(watch: &Watch, settings: &ScreenSettings) -> Vec<String> {
    let ScreenSettings { width, height, style, .. } = *settings;
    let columns = Columns::fit(watch, width);
    let mut lines = head(watch, settings, &columns);
    let room = height.saturating_sub(usize::from(settings.has_keys));
    let labels = labels(&watch.channels, columns.label);
    let channels = watch.channels.iter().zip(&labels).take(room.saturating_sub(lines.len()));
    lines.extend(channels.map(|(channel, label)| channel_line(watch, (channel, label), settings, &columns)));
    if room > lines.len() {
        lines.push(mark_line(watch, settings, &columns));
    }
    let free = room.saturating_sub(lines.len() + 2);
    if free > 0 {
        lines.push(String::new());
        let events: Vec<&Event> = watch.events().rev().take(free).collect();
        let title = if events.is_empty() { "no event so far" } else { "events, the newest first (UTC)" };
        lines.push(style.paint(&cut_end(title, width), Paint::Strong));
        lines.extend(events.into_iter().map(|event| event_line(watch, event, settings)));
    }
    lines.truncate(room);
    if settings.has_keys {
        while lines.len() < room {
            lines.push(String::new());
        }
        let keys = "q quit   space pause   + - time base   t T threshold";
        lines.push(style.paint(&cut_end(keys, width), Paint::Faint));
    }
    lines
}

fn head(watch: &Watch, settings: &ScreenSettings, columns: &Columns) -> Vec<String> {
    let ScreenSettings { width, style, .. } = *settings;
    let state = if settings.is_paused { "  PAUSED" } else { "" };
    let first = format!(
        "oscope watch  {} UTC, for {}{state}",
        watch.now.time_of_day(),
        duration_words(Duration::from_secs_f64(watch.elapsed_s().max(0.0).round())),
    );
    let pressure = ["CPU", "memory", "disk"].iter().zip(watch.conditions.pressure);
    let pressure = pressure.map(|(name, share)| {
        let share = share.map_or_else(|| "–".to_owned(), show_percent);
        format!("{name} {share}")
    });
    let held_back = if watch.budget.is_held_back() { "; a quarter of the budget" } else { "" };
    let pressure = format!("tasks wait for: {}{held_back}", pressure.collect::<Vec<_>>().join(", "));
    let threshold = show_percent(watch.settings.threshold);
    let trigger = format!("event: {CONSECUTIVE} readings in a row beyond ±{threshold} of the level");
    let base = duration_words(Duration::from_secs_f64(settings.time_base_s));
    vec![
        style.paint(&cut_end(&first, width), Paint::Strong),
        cut_end(&cost(watch), width),
        cut_end(&pressure, width),
        cut_end(&trigger, width),
        style.paint(&cut_end(&columns.heading(&format!("last {base}")), width), Paint::Strong),
    ]
    .into_iter()
    .take(HEAD_LINES.min(settings.height))
    .collect()
}

/// The moments at which the strips begin and end: the newest reading is at the right end, where it would be the first beyond it.
fn strip_times(watch: &Watch, settings: &ScreenSettings, columns: &Columns) -> (f64, f64) {
    let now_s = watch.elapsed_s();
    (now_s - settings.time_base_s, now_s + settings.time_base_s / columns.strip.max(1) as f64 / 2.0)
}

fn channel_line(
    watch: &Watch,
    (channel, label): (&Channel, &str),
    settings: &ScreenSettings,
    columns: &Columns,
) -> String {
    let ScreenSettings { width, style, .. } = *settings;
    let (from_s, to_s) = strip_times(watch, settings, columns);
    let Some(window) = channel.window(from_s) else {
        let why = channel.failure.as_ref().map(|failure| failure.why.clone());
        let why = why.unwrap_or_else(|| why_unread(watch, channel));
        return cut_end(&format!("{label:<0$} {why}", columns.label), width);
    };
    let factors = channel.strip(from_s, to_s, columns.strip);
    let letters: String =
        factors.iter().map(|factor| factor.map_or(' ', |factor| letter(factor, style))).collect();
    let value = |value| show(value, None, channel.spec.quantity);
    let figures = [
        value(window.median),
        value(window.p99),
        channel.spec.usual.map_or_else(String::new, |usual| usual.range(channel.spec.quantity)),
        channel.shifted.map_or_else(String::new, show_change),
        shared(window.shared),
    ];
    let line = cut_end(&columns.line(label, &letters, figures), width);
    if channel.shifted.is_some() {
        return style.paint(&line, Paint::Warning);
    }
    let threshold = watch.settings.threshold;
    let beyond =
        factors.iter().map(|factor| factor.is_some_and(|factor| channel.is_beyond(factor, threshold)));
    paint_letters(&line, columns.label + 1, &beyond.collect::<Vec<bool>>(), style)
}

/// The line with those letters in the colour of a warning that are meant, counted from a column on.
fn paint_letters(line: &str, from: usize, are_meant: &[bool], style: Style) -> String {
    let is_meant = |column: usize| {
        column.checked_sub(from).and_then(|column| are_meant.get(column)).copied().unwrap_or(false)
    };
    let letters: Vec<(bool, char)> =
        line.chars().enumerate().map(|(column, letter)| (is_meant(column), letter)).collect();
    let runs = letters.chunk_by(|one, next| one.0 == next.0).map(|run| {
        let text: String = run.iter().map(|(_, letter)| letter).collect();
        let paint =
            if run.first().is_some_and(|(is_meant, _)| *is_meant) { Paint::Warning } else { Paint::Plain };
        style.paint(&text, paint)
    });
    runs.collect()
}

/// The line below the strips: a letter where an event began, of several that which explains a change best.
fn mark_line(watch: &Watch, settings: &ScreenSettings, columns: &Columns) -> String {
    let (from_s, to_s) = strip_times(watch, settings, columns);
    let mut marks: Vec<Option<Reason>> = vec![None; columns.strip];
    for event in watch.events() {
        let at_s = event.began.since_s(watch.began);
        let column = ((at_s - from_s) / (to_s - from_s) * columns.strip as f64).floor();
        if column >= 0.0
            && let Some(mark) = marks.get_mut(column as usize)
        {
            *mark = Some(mark.map_or(event.reason, |reason| reason.min(event.reason)));
        }
    }
    let marks: String = marks.into_iter().map(|mark| mark.map_or(' ', Reason::mark)).collect();
    cut_end(format!("{:<1$} {marks}", "events", columns.label).trim_end(), settings.width)
}

/// Why nothing was read of a channel in the time that is shown.
fn why_unread(watch: &Watch, channel: &Channel) -> String {
    match watch.budget.next() {
        Some((next, wait_s))
            if watch.channels.get(next).is_some_and(|one| one.spec.id == channel.spec.id) =>
        {
            format!("read next, within {}", words(wait_s.ceil().max(1.0)))
        }
        _ if channel.readings > 0 => "no reading in this time".to_owned(),
        _ => "not read yet".to_owned(),
    }
}

fn letter(factor: f64, style: Style) -> char {
    let found = LETTERS.iter().find(|(up_to, ..)| factor <= *up_to);
    let (letter, plain) = found.map_or(LAST_LETTER, |(_, letter, plain)| (*letter, *plain));
    if style.ascii { plain } else { letter }
}

fn event_line(watch: &Watch, event: &Event, settings: &ScreenSettings) -> String {
    let moved = effects(watch, event);
    let moved = if moved.is_empty() { String::new() } else { format!("; {moved}") };
    let (time, mark) = (event.began.time_of_day(), event.reason.mark());
    let line = format!("{time} {mark} {}{moved}", event_words(event));
    let paint = if event.ended.is_none() { Paint::Warning } else { Paint::Plain };
    settings.style.paint(&cut_end(&line, settings.width), paint)
}
