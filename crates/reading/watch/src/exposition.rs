//! A watch in Prometheus' text format 0.0.4, which also node_exporter's textfile collector reads.
//!
//! The format knows no metrics of type info, so facts are gauges whose value is 1; and no native histograms, which need
//! protobuf, so histograms have the buckets 1, 2, 5 of each factor of ten.

use crate::channel::Channel;
use crate::condition::Reason;
use crate::cost::Used;
use crate::state::Watch;
use quantity::Quantity;
use report::{metric_label, point_labels};
use std::fmt::Write;

/// Nanoseconds in a second.
const NS: f64 = 1e9;

/// Seconds that the gauges of channels look back.
const WINDOW_S: f64 = 300.0;

/// A document that grows.
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &str, value: f64) {
        let braces = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
        let _ = writeln!(self.0, "{name}{braces} {value}");
    }

    fn family(&mut self, name: &str, kind: &str, help: &str, values: Vec<(String, f64)>) {
        if values.is_empty() {
            return;
        }
        self.head(name, kind, help);
        values.into_iter().for_each(|(labels, value)| self.value(name, &labels, value));
    }
}

/// The document. `facts` are the labels of the machine.
pub fn exposition(watch: &Watch, facts: &[(&str, String)]) -> String {
    let mut text = Text(String::new());
    histograms(watch, &mut text);
    gauges(watch, &mut text);
    events(watch, &mut text);
    let labels: Vec<String> = facts.iter().map(|(name, value)| metric_label(name, value)).collect();
    text.family(
        "oscope_watch_machine_info",
        "gauge",
        "The machine that is watched; always 1.",
        vec![(labels.join(","), 1.0)],
    );
    text.0
}

fn histograms(watch: &Watch, text: &mut Text) {
    let name = "oscope_watch_latency_seconds";
    let latencies = watch.channels.iter().filter(|channel| channel.spec.quantity == Quantity::Latency);
    let read: Vec<&Channel> = latencies.filter(|channel| channel.readings > 0).collect();
    if read.is_empty() {
        return;
    }
    text.head(name, "histogram", "Samples of a channel since the watch began.");
    for channel in read {
        let labels = labels(channel);
        let mut sum = 0;
        for (bound, count) in Channel::bounds().zip(&channel.histogram) {
            sum += count;
            text.value(&format!("{name}_bucket"), &format!("{labels},le=\"{}\"", bound / NS), sum as f64);
        }
        let all = channel.histogram.iter().sum::<u64>() as f64;
        text.value(&format!("{name}_bucket"), &format!("{labels},le=\"+Inf\""), all);
        text.value(&format!("{name}_sum"), &labels, channel.sum / NS);
        text.value(&format!("{name}_count"), &labels, all);
    }
}

/// A gauge of a channel.
type Gauge = (&'static str, &'static str, fn(&Channel, f64) -> Option<f64>);

/// The gauges of channels; those whose name ends with a unit are of latencies only.
const GAUGES: [Gauge; 6] = [
    ("oscope_watch_median_seconds", "Median of the last five minutes.", |channel, from_s| {
        Some(channel.window(from_s)?.median / NS)
    }),
    ("oscope_watch_p99_seconds", "99th percentile of the last five minutes.", |channel, from_s| {
        Some(channel.window(from_s)?.p99 / NS)
    }),
    ("oscope_watch_level_seconds", "The usual median, which changes are relative to.", |channel, _| {
        Some(channel.level()? / NS)
    }),
    (
        "oscope_watch_change_ratio",
        "Newest readings relative to the level; 1 within the threshold.",
        |channel, _| channel.level().map(|_| channel.shifted.unwrap_or(1.0)),
    ),
    ("oscope_watch_shared_ratio", "Share of the time for which others had the core.", |channel, from_s| {
        Some(channel.window(from_s)?.shared)
    }),
    ("oscope_watch_age_seconds", "Time since the last reading.", |channel, from_s| {
        // A reading that is newer than the last look at the clock.
        Some((from_s + WINDOW_S - channel.last()?.0).max(0.0))
    }),
];

fn gauges(watch: &Watch, text: &mut Text) {
    let now_s = watch.elapsed_s();
    for (name, help, value) in GAUGES {
        let is_time = name.ends_with("_seconds") && !name.contains("_age_");
        let channels =
            watch.channels.iter().filter(|channel| !is_time || channel.spec.quantity == Quantity::Latency);
        let values = channels
            .filter_map(|channel| Some((labels(channel), value(channel, now_s - WINDOW_S)?)))
            .filter(|(_, value)| value.is_finite());
        text.family(name, "gauge", help, values.collect());
    }
    let each = |value: fn(&Channel) -> u64| {
        watch.channels.iter().map(|channel| (labels(channel), value(channel) as f64)).collect()
    };
    let readings = each(|channel| channel.readings);
    text.family("oscope_watch_readings_total", "counter", "Trials of a channel that were read.", readings);
    let failures = each(|channel| channel.failures);
    text.family("oscope_watch_failures_total", "counter", "Trials of a channel that gave nothing.", failures);
    let verdicts = watch.channels.iter().filter_map(|channel| {
        Some((format!("{},verdict=\"{}\"", labels(channel), channel.verdict()?.word()), 1.0))
    });
    let help = "Verdict of the newest trial of a channel; always 1.";
    text.family("oscope_watch_verdict_info", "gauge", help, verdicts.collect());
    own(watch, text);
    let pressure = ["cpu", "memory", "io"].iter().zip(watch.conditions.pressure);
    let pressure = pressure.filter_map(|(name, share)| Some((format!("resource=\"{name}\""), share?)));
    text.family(
        "oscope_watch_pressure_ratio",
        "gauge",
        "Share of the time in which some task waited.",
        pressure.collect(),
    );
    let beat = vec![(String::new(), watch.now.unix_s().floor())];
    text.family("oscope_watch_timestamp_seconds", "gauge", "When this was written.", beat);
}

/// What the watch costs.
fn own(watch: &Watch, text: &mut Text) {
    let budget = &watch.budget;
    let own = vec![
        ("kind=\"used\"".to_owned(), budget.used_share()),
        ("kind=\"budget\"".to_owned(), watch.settings.budget),
    ];
    text.family("oscope_watch_cpu_ratio", "gauge", "Share of one CPU that the watch uses, and may use.", own);
    let held_back = vec![(String::new(), f64::from(u8::from(budget.is_held_back())))];
    text.family(
        "oscope_watch_held_back",
        "gauge",
        "1 while the watch reads less because tasks wait for CPUs.",
        held_back,
    );
    let Used { written_bytes, wakeups, .. } = watch.recent.total();
    let help = "Bytes that the watch and its workers wrote.";
    text.family("oscope_watch_written_bytes_total", "counter", help, vec![(String::new(), written_bytes)]);
    let help = "Times that a task of the watch was woken up.";
    text.family("oscope_watch_wakeups_total", "counter", help, vec![(String::new(), wakeups)]);
}

fn events(watch: &Watch, text: &mut Text) {
    let reason = |reason: Reason| format!("reason=\"{}\"", reason.word());
    let active = Reason::ALL.map(|one| {
        let is_open = watch.events().any(|event| event.ended.is_none() && event.reason == one);
        (reason(one), f64::from(u8::from(is_open)))
    });
    text.family(
        "oscope_watch_event_active",
        "gauge",
        "1 while an event of this reason goes on.",
        active.to_vec(),
    );
    let counts =
        Reason::ALL.map(|one| (reason(one), watch.event_counts.get(&one).copied().unwrap_or(0) as f64));
    text.family("oscope_watch_events_total", "counter", "Events since the watch began.", counts.to_vec());
}

fn labels(channel: &Channel) -> String {
    point_labels(&channel.spec.id, &channel.spec.area)
}
