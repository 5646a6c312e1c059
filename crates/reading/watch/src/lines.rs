//! A watch as lines: words where there is no terminal, JSON for programs.

use crate::channel::Channel;
use crate::event::Event;
use crate::state::Watch;
use quantity::{Quantity, duration_words, show, show_change, show_percent};
use report::printable;
use serde_json::{Value, json};
use std::time::Duration;

/// An event in words: its reason, its figures, how long it lasted.
pub(crate) fn event_words(event: &Event) -> String {
    let lasted = match event.ended {
        Some(ended) if ended == event.began => String::new(),
        Some(ended) => format!(" (for {})", words(ended.since_s(event.began))),
        None => " (goes on)".to_owned(),
    };
    format!("{}: {}{lasted}", event.reason.word().replace('_', " "), printable(&event.detail))
}

/// What an event moved, in words.
pub(crate) fn effects(watch: &Watch, event: &Event) -> String {
    let effects = event.effects.iter().filter_map(|effect| {
        let channel = watch.channels.get(effect.channel)?;
        Some(format!("{} {}", channel.spec.label, show_change(effect.factor)))
    });
    effects.collect::<Vec<_>>().join(", ")
}

/// Seconds in words.
pub(crate) fn words(seconds: f64) -> String {
    duration_words(Duration::from_secs_f64(seconds.max(0.0)))
}

/// One line of the last seconds: the median of each channel, with its change, and what goes on.
pub fn plain_interval(watch: &Watch, interval_s: f64) -> String {
    let from_s = watch.elapsed_s() - interval_s;
    let channels = watch.channels.iter().map(|channel| {
        let Some(window) = channel.window(from_s) else { return format!("{} not read", channel.spec.label) };
        let quantity = channel.spec.quantity;
        let usual = channel.spec.usual.filter(|usual| usual.is_outside(window.median));
        let usual = usual.map(|usual| format!("usual {}", usual.range(quantity)));
        let remarks: Vec<String> = channel.shifted.map(show_change).into_iter().chain(usual).collect();
        let remarks = if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join(", ")) };
        format!("{} {}{remarks}", channel.spec.label, show(window.median, None, quantity))
    });
    let channels = match watch.channels.iter().all(|channel| channel.window(from_s).is_none()) {
        true => format!("nothing read{}", next_reading(watch)),
        false => channels.collect::<Vec<_>>().join(", "),
    };
    let open: Vec<&str> =
        watch.events().filter(|event| event.ended.is_none()).map(|event| event.reason.word()).collect();
    let open = if open.is_empty() { String::new() } else { format!(" [{}]", open.join(", ")) };
    let held_back =
        if watch.budget.is_held_back() { "; tasks wait for CPUs: a quarter of the budget" } else { "" };
    format!("{}{open} {channels}; {}{held_back}", watch.now.time_of_day(), cost(watch))
}

/// What the watch costs, and what it may cost.
pub(crate) fn cost(watch: &Watch) -> String {
    let [used, budget] = [watch.budget.used_share(), watch.settings.budget].map(show_percent);
    let rates = watch.recent.rates().map_or_else(String::new, |(written, wakeups)| {
        let written = show(written.round(), None, Quantity::Bandwidth);
        format!(", writes {written}, {wakeups:.0} wake-ups/s")
    });
    format!("costs {used} of one CPU (budget {budget}){rates}")
}

/// When the next channel is read, if it waits for the budget; why none is read, if all rest.
fn next_reading(watch: &Watch) -> String {
    match watch.budget.next() {
        None => ": channels rest while tasks wait for memory or disks, and after they wrote".to_owned(),
        Some((_, wait_s)) if wait_s < 1.0 => String::new(),
        Some((_, wait_s)) => format!(", the next reading within {}", words(wait_s.ceil())),
    }
}

/// The same as JSON.
pub fn json_interval(watch: &Watch, interval_s: f64) -> String {
    let from_s = watch.elapsed_s() - interval_s;
    let channels: Vec<Value> = watch.channels.iter().map(|channel| json_channel(channel, from_s)).collect();
    let [cpu, memory, disk] = watch.conditions.pressure;
    let open: Vec<u64> =
        watch.events().filter(|event| event.ended.is_none()).map(|event| event.number).collect();
    json!({
        "line": "interval",
        "unix_s": watch.now.unix_s(),
        "interval_s": interval_s,
        "cpu_share": watch.budget.used_share(),
        "budget_share": watch.settings.budget,
        "written_bytes_per_s": watch.recent.rates().map(|(written, _)| written),
        "wakeups_per_s": watch.recent.rates().map(|(_, wakeups)| wakeups),
        "held_back": watch.budget.is_held_back(),
        "pressure": { "cpu": cpu, "memory": memory, "io": disk },
        "open_events": open,
        "channels": channels,
    })
    .to_string()
}

fn json_channel(channel: &Channel, from_s: f64) -> Value {
    let window = channel.window(from_s);
    json!({
        "operation": channel.spec.id.operation,
        "point": channel.spec.id.point,
        "quantity": channel.spec.quantity.contract_name(),
        "unit": channel.spec.quantity.contract_unit(),
        "readings": window.map_or(0, |window| window.readings),
        "median": window.map(|window| window.median),
        "p99": window.map(|window| window.p99),
        "shared_share": window.map(|window| window.shared),
        "level": channel.level(),
        "change": channel.shifted,
        "usual": channel.spec.usual.map(|usual| json!({
            "median": usual.median, "low": usual.low, "high": usual.high, "readings": usual.readings,
        })),
        "failure": channel.failure.as_ref().map(|failure| &failure.why),
    })
}

/// An event as JSON: a line when it begins or moves another channel, and one when it ends.
pub fn json_event(watch: &Watch, event: &Event) -> String {
    let effects: Vec<Value> = event
        .effects
        .iter()
        .filter_map(|effect| {
            let id = &watch.channels.get(effect.channel)?.spec.id;
            Some(json!({ "operation": id.operation, "point": id.point, "factor": effect.factor }))
        })
        .collect();
    json!({
        "line": "event",
        "event": event.number,
        "reason": event.reason.word(),
        "detail": event.detail,
        "began_unix_s": event.began.unix_s(),
        "ended_unix_s": event.ended.map(|ended| ended.unix_s()),
        "effects": effects,
    })
    .to_string()
}

/// A line of what happened, in words.
pub fn plain_event(watch: &Watch, event: &Event) -> String {
    let moved = effects(watch, event);
    let moved = if moved.is_empty() { String::new() } else { format!("; {moved}") };
    format!("{} event {}: {}{moved}", watch.now.time_of_day(), event.number, event_words(event))
}
