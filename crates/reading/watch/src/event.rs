//! Events: what happened around the channels, and which of them it moved.

use crate::condition::{Condition, Reason};
use crate::moment::Moment;
use crate::thresholds::NEAR_S;
use std::collections::VecDeque;

/// Events that are remembered.
const MOST_EVENTS: usize = 256;

/// A channel that an event moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// Its place among the channels.
    pub channel: usize,
    /// By what its readings are multiplied.
    pub factor: f64,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Counted from the first event of the watch.
    pub number: u64,
    /// Its reason.
    pub reason: Reason,
    /// The figures of the reason.
    pub detail: String,
    /// When it began.
    pub began: Moment,
    /// When it ended, if it has.
    pub ended: Option<Moment>,
    /// When its condition was last seen.
    last: Moment,
    /// Whether it is seen in channels alone: it lasts as long as they are off their levels.
    is_of_channels: bool,
    /// Whether what it moved became better.
    is_of_better: bool,
    /// What it moved.
    pub effects: Vec<Effect>,
}

/// What happened, the oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Events {
    all: VecDeque<Event>,
    count: u64,
}

impl Events {
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.all.iter()
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Event> {
        self.all.iter().find(|event| event.number == number)
    }

    /// A condition is seen now: part of its open event, or a new one, whose number it gives.
    pub(crate) fn see(&mut self, condition: Condition, now: Moment) -> Option<u64> {
        let open =
            self.all.iter_mut().find(|event| event.ended.is_none() && event.reason == condition.reason);
        if let Some(open) = open {
            (open.last, open.is_of_channels) = (now, false);
            return None;
        }
        Some(self.begin(condition, now, false))
    }

    fn begin(&mut self, condition: Condition, now: Moment, is_of_channels: bool) -> u64 {
        if self.all.len() == MOST_EVENTS {
            self.all.pop_front();
        }
        self.count += 1;
        let Condition { reason, detail } = condition;
        let ended = reason.is_momentary().then_some(now);
        let number = self.count;
        let effects = Vec::new();
        let event = Event {
            number,
            reason,
            detail,
            began: now,
            ended,
            last: now,
            is_of_channels,
            is_of_better: false,
            effects,
        };
        self.all.push_back(event);
        number
    }

    /// A channel has left its level: an effect of the event that explains it best, or an event of its own. Gives the number
    /// of the event where this is new to it.
    pub(crate) fn moved(
        &mut self,
        (channel, area): (usize, &str),
        (factor, is_better): (f64, bool),
        fallback: Condition,
        now: Moment,
    ) -> Option<u64> {
        if let Some(effect) = self.open_effect(channel) {
            effect.factor = factor;
            return None;
        }
        // No disturbance makes anything better: what is, is an event of its own, with all others that are.
        let is_open_to = |event: &Event| {
            let is_near = now.since_s(event.last) <= NEAR_S;
            is_near && event.is_of_better == is_better && event.reason.explains(area)
        };
        let explaining = self.all.iter_mut().filter(|event| is_open_to(event)).min_by_key(|event| {
            // What is counted explains better than what is only seen in channels; of a disk's channel, the disk best.
            let is_own = area == "file" && event.reason == Reason::Disk;
            (!is_own, event.reason)
        });
        let effect = Effect { channel, factor };
        if let Some(event) = explaining.filter(|event| event.reason <= fallback.reason) {
            let known = event.effects.iter().any(|old| old.channel == channel);
            event.effects.retain(|old| old.channel != channel);
            event.effects.push(effect);
            return (!known).then_some(event.number);
        }
        let number = self.begin(fallback, now, true);
        if let Some(event) = self.all.back_mut() {
            event.is_of_better = is_better;
            event.effects.push(effect);
        }
        Some(number)
    }

    fn open_effect(&mut self, channel: usize) -> Option<&mut Effect> {
        let open = self.all.iter_mut().filter(|event| event.ended.is_none());
        open.flat_map(|event| &mut event.effects).find(|effect| effect.channel == channel)
    }

    /// Ends the events whose condition is absent for long enough, and whose channels are back; gives their numbers.
    pub(crate) fn end(&mut self, is_shifted: impl Fn(usize) -> bool, now: Moment) -> Vec<u64> {
        let mut ended = Vec::new();
        for event in self.all.iter_mut().filter(|event| event.ended.is_none()) {
            if event.is_of_channels && event.effects.iter().any(|effect| is_shifted(effect.channel)) {
                event.last = now;
            } else if now.since_s(event.last) >= NEAR_S {
                event.ended = Some(event.last);
                ended.push(event.number);
            }
        }
        ended
    }
}
