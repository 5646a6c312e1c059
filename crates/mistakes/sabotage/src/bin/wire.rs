//! A wire between two network devices that holds each frame for a given time, for the tests.
//!
//! `wire NEAR FAR` makes both devices, prints `ready`, and carries frames from one to the other until its standard
//! input ends. Its commands are `hold NANOSECONDS` and `report`: it answers with how many frames went each way since it
//! was asked last, and the median of the time that it held them, in nanoseconds. Its own clock is the truth: to wake
//! takes time, too.
#![forbid(unsafe_code)]

use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use sys::descriptor::Descriptor;
use sys::poll::{self, Entry};

/// Longest frame: 64 KiB of payload, since nothing cuts it on this wire, and its header.
const LONGEST: usize = (64 << 10) + 64;

/// Frames that wait at most; more are lost, as on any wire.
const ROOM: usize = 1024;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.as_slice() {
        [near, far] => carry(near, far),
        _ => Err("usage: wire NEAR FAR".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("wire: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Frames of one direction.
#[derive(Default)]
struct Direction {
    waiting: VecDeque<(Instant, Vec<u8>)>,
    held_ns: Vec<u64>,
}

impl Direction {
    /// Takes all frames that are there.
    fn take(&mut self, from: &Descriptor, buffer: &mut [u8]) {
        while let Ok(came @ 1..) = usize::try_from(from.read(buffer)) {
            if self.waiting.len() < ROOM {
                let frame = buffer.get(..came).unwrap_or_default();
                self.waiting.push_back((Instant::now(), frame.to_vec()));
            }
        }
    }

    /// Gives all frames whose time has come.
    fn give(&mut self, to: &Descriptor, hold: Duration) {
        while let Some((came, frame)) = self.waiting.front() {
            if came.elapsed() < hold {
                return;
            }
            // A device that is not up takes nothing, as a plug that is pulled.
            let _ = to.write(frame);
            self.held_ns.push(u64::try_from(came.elapsed().as_nanos()).unwrap_or(u64::MAX));
            self.waiting.pop_front();
        }
    }

    /// When the next one must go.
    fn due(&self, hold: Duration) -> Option<Duration> {
        let (came, _) = self.waiting.front()?;
        Some(hold.saturating_sub(came.elapsed()))
    }

    /// Frames since it was asked last, and the median of their times.
    fn report(&mut self) -> String {
        let mut held = std::mem::take(&mut self.held_ns);
        held.sort_unstable();
        let middle = held.get(held.len() / 2).copied().unwrap_or(0);
        format!("{} {middle}", held.len())
    }
}

fn carry(near: &str, far: &str) -> Result<(), String> {
    let [near, far] = [near, far].map(|name| sys::interface::tap(name).map_err(|error| error.to_string()));
    let ends = [near?, far?];
    say("ready");
    let (mut forward, mut backward) = (Direction::default(), Direction::default());
    let (mut hold, mut buffer) = (Duration::ZERO, vec![0; LONGEST]);
    let mut orders = std::io::stdin().lock();
    let [near, far] = &ends;
    loop {
        let due = [forward.due(hold), backward.due(hold)].into_iter().flatten().min();
        let mut entries = [near.number(), far.number(), 0].map(Entry::reading);
        poll::wait_finely(&mut entries, due).map_err(|error| error.to_string())?;
        forward.take(near, &mut buffer);
        backward.take(far, &mut buffer);
        forward.give(far, hold);
        backward.give(near, hold);
        if entries.last().is_some_and(Entry::is_ready) {
            let mut order = String::new();
            if orders.read_line(&mut order).map_err(|error| error.to_string())? == 0 {
                return Ok(());
            }
            match order.split_whitespace().collect::<Vec<_>>().as_slice() {
                ["report"] => say(&format!("{} {}", forward.report(), backward.report())),
                ["hold", nanos] => {
                    hold = Duration::from_nanos(nanos.parse().map_err(|_| format!("{nanos}: no time"))?);
                    say("ok");
                }
                _ => return Err(format!("`{}` is not understood", order.trim())),
            }
        }
    }
}

fn say(line: &str) {
    let mut output = std::io::stdout().lock();
    // Who listened is gone: then standard input ends, too.
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}
