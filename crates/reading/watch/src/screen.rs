//! The screen of a watch: a line for each channel with its strip over time, and what happened.

use crate::channel::Channel;
use crate::event::Event;
use crate::lines::{cost, effects, event_words, words};
use crate::state::Watch;
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

/// Columns of what stands beside a strip.
const LABEL: usize = 22;
const VALUE: usize = 8;
const SHARED: usize = 6;
const USUAL: usize = 14;
/// Narrowest screen that has a column for what is usual; on others it stands in that of the change.
const LEAST_WIDE: usize = 96;
/// Shortest strip that shows something.
const LEAST_STRIP: usize = 8;

/// Lines of the head, and of the channels' heading.
const HEAD_LINES: usize = 4;

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
    let mut lines = head(watch, settings);
    let room = height.saturating_sub(usize::from(settings.has_keys));
    let channels = watch.channels.iter().take(room.saturating_sub(lines.len()));
    lines.extend(channels.map(|channel| channel_line(watch, channel, settings)));
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
        let keys = "q quit   space pause   + - time base";
        lines.push(style.paint(&cut_end(keys, width), Paint::Faint));
    }
    lines
}

fn head(watch: &Watch, settings: &ScreenSettings) -> Vec<String> {
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
    let pressure = format!("tasks wait for: {}", pressure.collect::<Vec<_>>().join(", "));
    let strip = strip_width(watch, width);
    let base = duration_words(Duration::from_secs_f64(settings.time_base_s));
    let heading = format!(
        "{:<LABEL$} {:<strip$} {:>VALUE$} {:>VALUE$} {} {:>SHARED$}",
        "channel",
        cut_end(&format!("last {base}"), strip),
        "median",
        "p99",
        change_cells(watch, width, if is_merged(watch, width) { "usual, change" } else { "change" }, "usual"),
        "shared"
    );
    vec![
        style.paint(&cut_end(&first, width), Paint::Strong),
        cut_end(&cost(watch), width),
        cut_end(&pressure, width),
        style.paint(&cut_end(&heading, width), Paint::Strong),
    ]
    .into_iter()
    .take(HEAD_LINES.min(settings.height))
    .collect()
}

fn strip_width(watch: &Watch, width: usize) -> usize {
    let change = change_cells(watch, width, "", "").chars().count();
    width.saturating_sub(LABEL + 2 * VALUE + change + SHARED + 5).max(LEAST_STRIP)
}

/// Whether any channel has a history.
fn has_usual(watch: &Watch) -> bool {
    watch.channels.iter().any(|channel| channel.spec.usual.is_some())
}

/// Whether there is no room for what is usual beside the change.
fn is_merged(watch: &Watch, width: usize) -> bool {
    has_usual(watch) && width < LEAST_WIDE
}

/// The columns of what is usual and of the change; where they are merged, what is usual unless there is a change.
fn change_cells(watch: &Watch, width: usize, change: &str, usual: &str) -> String {
    let usual = cut_end(usual, USUAL);
    match has_usual(watch) {
        false => format!("{change:>VALUE$}"),
        true if is_merged(watch, width) && change.is_empty() => format!("{usual:>USUAL$}"),
        true if is_merged(watch, width) => format!("{change:>USUAL$}"),
        true => format!("{usual:>USUAL$} {change:>VALUE$}"),
    }
}

fn channel_line(watch: &Watch, channel: &Channel, settings: &ScreenSettings) -> String {
    let ScreenSettings { width, style, time_base_s, .. } = *settings;
    let label = format!("{:<LABEL$}", cut_end(&channel.spec.label, LABEL));
    let strip = strip_width(watch, width);
    let now_s = watch.elapsed_s();
    let from_s = now_s - time_base_s;
    let Some(window) = channel.window(from_s) else {
        let why = channel.failure.clone().unwrap_or_else(|| why_unread(watch, channel));
        return cut_end(&format!("{label} {why}"), width);
    };
    // The newest reading is at the right end, where it would be the first beyond it.
    let letters: String = channel
        .strip(from_s, now_s + time_base_s / strip as f64 / 2.0, strip)
        .into_iter()
        .map(|factor| factor.map_or(' ', |factor| letter(factor, style)))
        .collect();
    let change = channel.shifted.map_or_else(String::new, show_change);
    let usual = channel.spec.usual.map_or_else(String::new, |usual| usual.range(channel.spec.quantity));
    let change = change_cells(watch, width, &change, &usual);
    let value = |value| show(value, None, channel.spec.quantity);
    let figures = format!(
        "{:>VALUE$} {:>VALUE$} {change} {:>SHARED$}",
        value(window.median),
        value(window.p99),
        show_percent(window.shared)
    );
    let line = format!("{label} {letters} {figures}");
    let paint = if channel.shifted.is_some() { Paint::Warning } else { Paint::Plain };
    style.paint(&cut_end(&line, width), paint)
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
    let line = format!("{} {}{moved}", event.began.time_of_day(), event_words(event));
    let paint = if event.ended.is_none() { Paint::Warning } else { Paint::Plain };
    settings.style.paint(&cut_end(&line, settings.width), paint)
}
