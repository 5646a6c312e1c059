//! A watch: its channels, its budget, and what happened.

use crate::budget::Budget;
use crate::channel::{Channel, ChannelSpec, NoReading, Reading};
use crate::condition::{Condition, Conditions, Reason};
use crate::cost::{Recent, Used};
use crate::event::{Event, Events};
use crate::level::{Level, Shift};
use crate::moment::Moment;
use crate::thresholds::{CLOCK_CHANGE, PAUSE_S};
use quantity::{Quantity, show};
use std::collections::BTreeMap;

/// Thresholds to choose from by a key.
const THRESHOLD_STEPS: [f64; 4] = [0.05, 0.1, 0.2, 0.5];

/// What the user sets.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchSettings {
    /// Share of one CPU's time that the watch may use.
    pub budget: f64,
    /// Least change of a channel that is of interest, as a share.
    pub threshold: f64,
}

/// What is new after something was taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// An event began, or moved another channel.
    Began(u64),
    /// An event ended.
    Ended(u64),
}

/// All that a watch has seen.
#[derive(Debug, Clone)]
pub struct Watch {
    /// What the user sets.
    pub settings: WatchSettings,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The budget.
    pub budget: Budget,
    /// The newest conditions.
    pub conditions: Conditions,
    /// When it began.
    pub began: Moment,
    /// The newest moment.
    pub now: Moment,
    /// What it used.
    pub(crate) recent: Recent,
    /// Events by reason.
    pub event_counts: BTreeMap<Reason, u64>,
    /// The clock of the core, in hertz.
    clock: Level,
    events: Events,
}

impl Watch {
    /// A watch that begins now.
    pub fn new(channels: Vec<ChannelSpec>, settings: WatchSettings, now: Moment) -> Self {
        let budget = Budget::new(settings.budget, channels.iter().map(|channel| channel.needs), 0.0);
        Self {
            budget,
            channels: channels.into_iter().map(Channel::new).collect(),
            settings,
            conditions: Conditions::default(),
            began: now,
            now,
            recent: Recent::default(),
            event_counts: BTreeMap::new(),
            clock: Level::default(),
            events: Events::default(),
        }
    }

    /// Seconds since it began.
    pub fn elapsed_s(&self) -> f64 {
        self.now.since_s(self.began)
    }

    /// This much has been used in all so far.
    pub(crate) fn account(&mut self, used: Used) {
        self.budget.account(self.elapsed_s(), used.cpu_ns);
        self.recent.account(self.elapsed_s(), used);
    }

    /// Takes the next larger threshold, or the next smaller one.
    pub(crate) fn step_threshold(&mut self, is_up: bool) {
        let now = self.settings.threshold;
        let next = match is_up {
            true => THRESHOLD_STEPS.into_iter().find(|step| *step > now * 1.001),
            false => THRESHOLD_STEPS.into_iter().rev().find(|step| *step < now * 0.999),
        };
        self.settings.threshold = next.unwrap_or(now);
    }

    /// What happened, the oldest first.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.events.iter()
    }

    /// The event of this number, if it is remembered.
    pub fn event(&self, number: u64) -> Option<&Event> {
        self.events.get(number)
    }

    /// Time has passed; `expected_s` of it in ways that the watch knows of.
    pub(crate) fn pass(&mut self, now: Moment, expected_s: f64) -> Vec<Change> {
        let before = std::mem::replace(&mut self.now, now);
        let asleep_s = now.asleep_s(before);
        let halted_s = now.since_s(before) - asleep_s - expected_s;
        let mut changes = Vec::new();
        let seconds = |seconds: f64| show(seconds * 1e9, None, Quantity::Latency);
        if asleep_s >= PAUSE_S {
            changes.extend(self.see(Reason::Suspended, format!("for {}", seconds(asleep_s))));
        }
        if halted_s >= PAUSE_S {
            changes.extend(
                self.see(Reason::Halted, format!("this watch did not run for {}", seconds(halted_s))),
            );
        }
        if let Some(step) = now.step_s(before) {
            let direction = if step > 0.0 { "forward" } else { "back" };
            changes
                .extend(self.see(Reason::ClockStep, format!("set {direction} by {}", seconds(step.abs()))));
        }
        changes
    }

    fn see(&mut self, reason: Reason, detail: String) -> Option<Change> {
        let number = self.events.see(Condition { reason, detail }, self.now)?;
        *self.event_counts.entry(reason).or_default() += 1;
        Some(Change::Began(number))
    }

    /// Takes in what the kernel counted.
    pub(crate) fn surround(&mut self, conditions: Conditions) -> Vec<Change> {
        let mut changes = Vec::new();
        if !self.conditions.online.is_empty() && self.conditions.online != conditions.online {
            let [before, after] = [&self.conditions, &conditions].map(|conditions| conditions.online.len());
            changes.extend(self.see(Reason::Cpus, format!("{before} CPUs online, now {after}")));
        }
        for Condition { reason, detail } in conditions.events() {
            changes.extend(self.see(reason, detail));
        }
        self.budget.press(conditions.pressure);
        self.conditions = conditions;
        let channels = &self.channels;
        let is_shifted =
            |channel: usize| channels.get(channel).is_some_and(|channel| channel.shifted.is_some());
        let ended = self.events.end(is_shifted, self.now);
        changes.extend(ended.into_iter().map(Change::Ended));
        changes
    }

    /// Takes in what a worker read of a channel, or why it read nothing; gives whether the channel should be read again soon.
    pub(crate) fn read(&mut self, channel: usize, read: Result<Reading, NoReading>) -> (Vec<Change>, bool) {
        let (at_s, threshold) = (self.elapsed_s(), self.settings.threshold);
        let Some(read_channel) = self.channels.get_mut(channel) else { return (Vec::new(), false) };
        let reading = match read {
            Ok(reading) => reading,
            Err(failure) => {
                read_channel.fail(failure);
                return (Vec::new(), false);
            }
        };
        let shift = read_channel.add(at_s, &reading, threshold);
        let area = read_channel.spec.area.clone();
        let is_better = matches!(shift, Shift::Shifted(factor) if read_channel.is_better(factor));
        let mut changes = Vec::new();
        let before_hz = self.clock.value();
        if let Some(hz) = reading.core_hz
            && let Shift::Shifted(_) = self.clock.add(hz, at_s, CLOCK_CHANGE)
            && let Some(before_hz) = before_hz
        {
            let [before, now] = [before_hz, hz].map(|hz| show(hz, None, Quantity::Frequency));
            changes.extend(self.see(Reason::Clock, format!("core clock {before}, now {now}")));
        }
        if let Shift::Shifted(factor) = shift {
            let fallback = match area.as_str() {
                _ if is_better => Condition { reason: Reason::Unknown, detail: FASTER.to_owned() },
                "network" => Condition { reason: Reason::Network, detail: "nothing else changed".to_owned() },
                "file" => Condition { reason: Reason::Disk, detail: "its channel alone changed".to_owned() },
                _ => Condition { reason: Reason::Unknown, detail: NOT_SEEN.to_owned() },
            };
            if let Some(number) = self.events.moved((channel, &area), (factor, is_better), fallback, self.now)
            {
                if let Some(event) = self.events.get(number).filter(|event| event.began == self.now) {
                    *self.event_counts.entry(event.reason).or_default() += 1;
                }
                changes.push(Change::Began(number));
            }
        }
        (changes, shift == Shift::Suspected)
    }
}

/// What is said where nothing was counted that explains a change.
const NOT_SEEN: &str =
    "nothing counted here explains it; a guest of the same host, or a program between two readings";

/// What is said of a channel that became better: no condition explains that, but the end of one that was there before.
const FASTER: &str = "better than before; its level may have been found beside a disturbance";
