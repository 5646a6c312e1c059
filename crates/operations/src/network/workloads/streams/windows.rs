//! A stream watched while it flows: clock and count are latched together at the ends of windows, and the first windows
//! count when the stream has found its pace.

use crate::network::workloads::services::{BLOCK, Blocks, Entry, Ledger};
use crate::network::workloads::session::Session;
use measure::Failure;
use sys::clock::Clock;
use sys::descriptor::Descriptor;
use sys::usage::CpuClock;
use sys::{inet, tcp_info};

/// Windows of a trial.
const WINDOWS: usize = 15;

/// A mean rate within this factor of what the second half of the windows have is the stream's pace: a slow start doubles
/// from one window to the next, while two processes that others push aside differ by less.
const PACE: f64 = 2.5;

/// Where both ends are on one CPU and wait for nothing but each other, what they do not use of a window somebody else had.
/// So much of it they must have had, as the gate asks of batches.
const OWN: f64 = 0.95;

/// Windows that are kept at least.
const LEAST: usize = 3;

/// Both ends at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Latch {
    ticks: i64,
    /// Bytes that the program has read.
    pub bytes: u64,
    near_cpu: Option<i64>,
    far_cpu: Option<i64>,
    /// Bytes that the kernel gave to the program by its own count; 0 where it keeps none.
    given: u64,
}

/// What a stream did from the first window that counts to the last.
#[derive(Debug, Clone)]
pub struct Flow {
    /// Bytes in a second in each window.
    pub rates: Vec<f64>,
    /// Windows before the stream had found its pace; `None` when it did not in the first quarter.
    pub warm_up: Option<usize>,
    /// The first and the last latch that count.
    pub ends: [Latch; 2],
    /// Nanoseconds between them.
    pub nanos: f64,
    /// Of each window that counts, the share that both ends had of one CPU; `None` where it cannot be read.
    shares: Vec<Option<f64>>,
    /// Windows that were set aside because somebody else had the CPU.
    set_aside: usize,
    /// What a peer's source has used for all that it sent.
    peer: Option<Usage>,
}

/// CPU time of a source, by its own clock.
#[derive(Debug, Clone, Copy)]
struct Usage {
    cpu_ns: f64,
    wall_ns: f64,
    bytes: f64,
}

/// Reads a stream.
pub struct Watch<'s> {
    clock: Clock,
    near: &'s Descriptor,
    far_cpu: Option<CpuClock>,
    is_tcp: bool,
}

/// Bytes that the kernel has given to a program: those that came in order, less those that wait.
fn given(near: &Descriptor) -> Option<u64> {
    let came = tcp_info::read(near).ok()?.bytes_received;
    Some(came.saturating_sub(inet::unread(near).ok()?))
}

impl<'s> Watch<'s> {
    /// The stream of a session.
    pub fn new(session: &'s Session, is_tcp: bool) -> Self {
        Self {
            clock: Clock::select(),
            near: session.near(),
            far_cpu: session.far_clock(),
            is_tcp,
        }
    }

    fn latch(&self, bytes: u64) -> Latch {
        let given = if self.is_tcp {
            given(self.near).unwrap_or(0)
        } else {
            0
        };
        Latch {
            near_cpu: CpuClock::THREAD.nanos(),
            far_cpu: self.far_cpu.and_then(|clock| clock.nanos()),
            given,
            bytes,
            ticks: self.clock.stop(),
        }
    }

    /// Takes from the stream for so long; `take` takes some and gives how many bytes were taken so far, at this end
    /// and wherever else the count goes on.
    ///
    /// # Errors
    /// When `take` fails.
    pub fn flow(
        &self,
        spend_ns: u64,
        take: &mut dyn FnMut() -> Result<u64, Failure>,
    ) -> Result<Flow, Failure> {
        let began = self.clock.moment();
        let window_ns = (spend_ns / WINDOWS as u64) as f64;
        // A rough length of a tick is enough to end windows; what they are divided by is found afterwards.
        let rough = {
            let start = self.clock.moment();
            let mut bytes = take()?;
            while self.clock.moment().nanos_since(start) < 1_000_000 {
                bytes = take()?;
            }
            std::hint::black_box(bytes);
            self.clock.nanos_per_tick(start, self.clock.moment())
        };
        let mut latches = vec![self.latch(take()?)];
        for _ in 0..WINDOWS {
            let start = latches.last().map_or(0, |latch| latch.ticks);
            let end = start + (window_ns / rough) as i64;
            let mut bytes = take()?;
            while self.clock.stop() < end {
                bytes = take()?;
            }
            latches.push(self.latch(bytes));
        }
        let nanos_per_tick = self.clock.nanos_per_tick(began, self.clock.moment());
        Ok(Flow::of(&latches, nanos_per_tick))
    }
}

impl Flow {
    fn of(latches: &[Latch], nanos_per_tick: f64) -> Self {
        let pairs = latches.iter().zip(latches.iter().skip(1));
        let rate = |from: &Latch, to: &Latch| {
            let nanos = (to.ticks - from.ticks) as f64 * nanos_per_tick;
            (to.bytes - from.bytes) as f64 * 1e9 / nanos.max(1.0)
        };
        let mut rates: Vec<f64> = pairs.map(|(from, to)| rate(from, to)).collect();
        let warm_up = pace_found(&rates);
        let first = warm_up.unwrap_or(0);
        rates.drain(..first);
        let pairs = latches.iter().zip(latches.iter().skip(1)).skip(first);
        let shares = pairs.map(|(from, to)| from.share(to, nanos_per_tick)).collect();
        let nothing = Latch {
            ticks: 0,
            bytes: 0,
            near_cpu: None,
            far_cpu: None,
            given: 0,
        };
        let ends = [latches.get(first), latches.last()].map(|latch| latch.copied().unwrap_or(nothing));
        let nanos = (ends[1].ticks - ends[0].ticks) as f64 * nanos_per_tick;
        Self {
            rates,
            warm_up,
            ends,
            nanos,
            shares,
            set_aside: 0,
            peer: None,
        }
    }

    /// Takes what a peer's source says of its CPU time, where the clock of this end cannot see it.
    pub fn take_usage_of_a_peer(&mut self, ledger: &Ledger<'_>) {
        let [cpu_ns, wall_ns, bytes] =
            [Entry::CpuNanos, Entry::Nanos, Entry::Bytes].map(|entry| ledger.get(entry) as f64);
        self.peer = (wall_ns > 0.0 && bytes > 0.0).then_some(Usage {
            cpu_ns,
            wall_ns,
            bytes,
        });
    }

    /// Sets windows aside in which somebody else had a part of the CPU that both ends share; the best few stay, whatever
    /// they had. Only for ends that never wait for a clock or a wire.
    pub fn set_shared_aside(&mut self) {
        let Some(shares) = self.shares.iter().copied().collect::<Option<Vec<f64>>>() else {
            return;
        };
        let mut sorted = shares.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let least = sorted.get(LEAST - 1).map_or(0.0, |&share| share.min(OWN));
        let before = self.rates.len();
        let mut shares = shares.into_iter();
        self.rates
            .retain(|_| shares.next().is_some_and(|share| share >= least));
        self.set_aside = before - self.rates.len();
    }

    /// Counts what came before the first latch as if it had come after it (E41).
    pub fn count_from_the_beginning(&mut self) {
        let early = self.ends[0].bytes as f64 * 1e9 / self.nanos.max(1.0);
        self.ends[0].bytes = 0;
        self.rates.iter_mut().for_each(|rate| *rate += early);
    }

    /// Bytes between the ends.
    pub fn bytes(&self) -> f64 {
        self.ends[1].bytes.saturating_sub(self.ends[0].bytes) as f64
    }

    /// Bytes between the ends as the kernel counted them.
    pub fn given(&self) -> f64 {
        self.ends[1].given.saturating_sub(self.ends[0].given) as f64
    }

    /// CPU time of the near and of the far end between the ends, in nanoseconds; `None` where it cannot be read.
    fn cpu(&self) -> [Option<f64>; 2] {
        let [from, to] = self.ends;
        let between = |from: Option<i64>, to: Option<i64>| Some((to? - from?) as f64);
        [
            between(from.near_cpu, to.near_cpu),
            between(from.far_cpu, to.far_cpu),
        ]
    }

    /// The share of a CPU that the near and the far end had; `None` where it cannot be read.
    pub fn cpu_shares(&self) -> [Option<f64>; 2] {
        let [near, far] = self.cpu().map(|cpu| Some(cpu? / self.nanos.max(1.0)));
        let there = || self.peer.map(|usage| usage.cpu_ns / usage.wall_ns);
        [near, far.or_else(there)]
    }

    /// CPU time of the near and of the far end for a byte, in nanoseconds; `None` where it cannot be read.
    pub fn cpu_of_a_byte(&self) -> [Option<f64>; 2] {
        let [near, far] = self.cpu().map(|cpu| Some(cpu? / self.bytes()));
        let there = || self.peer.map(|usage| usage.cpu_ns / usage.bytes);
        [near, far.or_else(there)]
    }
}

impl Latch {
    /// Which share of the time from here to another latch both ends had the CPU together.
    fn share(&self, to: &Self, nanos_per_tick: f64) -> Option<f64> {
        let used = to.near_cpu? - self.near_cpu? + to.far_cpu? - self.far_cpu?;
        let nanos = (to.ticks - self.ticks) as f64 * nanos_per_tick;
        Some(used as f64 / nanos.max(1.0))
    }
}

/// The first window that counts; `None` when no window of the first quarter has the stream's pace. It has it when the mean
/// of half of all windows from there on is that of the second half: means, since single windows of two processes that wait
/// for each other differ. Of those that have it, windows before the first that lies within those of the second half were
/// still on the way.
fn pace_found(rates: &[f64]) -> Option<usize> {
    let half = rates.len() / 2;
    let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let later = rates.get(rates.len() - half..)?;
    let pace = mean(later);
    let has_it = |first: usize| {
        let early = rates.get(first..first + half).map_or(0.0, mean);
        early > 0.0 && early <= pace * PACE && early >= pace / PACE
    };
    let (low, high) = later.iter().fold((f64::MAX, 0.0_f64), |(low, high), rate| {
        (low.min(*rate), high.max(*rate))
    });
    let is_within = |first: &usize| rates.get(*first).is_some_and(|rate| (low..=high).contains(rate));
    let having_it: Vec<usize> = (0..=half / 2).filter(|first| has_it(*first)).collect();
    having_it
        .iter()
        .find(|first| is_within(first))
        .or(having_it.first())
        .copied()
}

/// What is told of every stream when it is over: both ends have counted the same, and its pace.
pub fn tell(bench: &mut measure::Bench<'_>, flow: &Flow, received: u64, sent: u64) {
    bench.count("bytes.received_per_sent", received as f64, sent as f64);
    tell_pace(bench, flow);
}

/// The pace, where nobody counts what was sent.
pub fn tell_pace(bench: &mut measure::Bench<'_>, flow: &Flow) {
    if flow.given() > 0.0 {
        bench.count("bytes.counted_per_given", flow.bytes(), flow.given());
    }
    bench.count("steady", f64::from(u8::from(flow.warm_up.is_some())), 1.0);
    bench.count("windows.set_aside", flow.set_aside as f64, 1.0);
    bench.count("warm_up.windows", flow.warm_up.unwrap_or(WINDOWS) as f64, 1.0);
}

/// Asks a source to end, and reads what is still on its way; gives how many bytes came in all.
///
/// # Errors
/// When the connection fails.
pub fn end(session: &Session, blocks: &mut Blocks) -> Result<u64, Failure> {
    session.ask_to_end()?;
    let taken = blocks.taken() * BLOCK as u64;
    Ok(taken + blocks.drain(session.near())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_found_after_a_ramp_and_never_where_there_is_none() {
        let steady = [10.0, 9.0, 11.0, 10.0, 10.0, 9.5];
        assert_eq!(pace_found(&steady), Some(0));
        assert_eq!(pace_found(&[1.0, 1.0, 1.0, 10.0, 10.0, 11.0, 10.0, 9.0]), Some(1));
        assert_eq!(pace_found(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]), None);
        assert_eq!(pace_found(&[]), None);
        let slowly = [
            4.8, 4.8, 5.9, 7.9, 8.0, 7.9, 7.5, 7.4, 6.6, 7.3, 7.8, 8.0, 7.2, 7.2, 7.7,
        ];
        assert_eq!(pace_found(&slowly), Some(3));
        let mut faster_at_first = slowly.map(|rate| 10.0 - rate);
        faster_at_first[3] = 2.0;
        assert_eq!(pace_found(&faster_at_first), Some(3));
    }

    #[test]
    fn windows_that_somebody_else_had_are_set_aside_but_for_a_few() {
        let latch = |window: i64, cpu: i64| Latch {
            ticks: window * 1_000,
            bytes: window as u64,
            near_cpu: Some(cpu / 2),
            far_cpu: Some(cpu / 2),
            given: 0,
        };
        let flow = |shares: &[i64]| {
            let mut cpu = 0;
            let mut latches = vec![latch(0, 0)];
            for (window, share) in (1..).zip(shares) {
                cpu += share;
                latches.push(latch(window, cpu));
            }
            let mut flow = Flow::of(&latches, 1.0);
            flow.set_shared_aside();
            (flow.rates.len(), flow.set_aside)
        };
        assert_eq!(flow(&[1_000, 980, 400, 1_000, 990, 100]), (4, 2));
        assert_eq!(flow(&[400, 300, 200, 100, 100, 100]), (3, 3));
        assert_eq!(flow(&[1_000; 6]), (6, 0));
    }

    #[test]
    fn rates_are_bytes_over_time_between_latches() {
        let latch = |ticks: i64, bytes: u64| Latch {
            ticks,
            bytes,
            near_cpu: Some(ticks),
            far_cpu: Some(2 * ticks),
            given: bytes + 5,
        };
        let flow = Flow::of(&[latch(0, 0), latch(1_000, 4_000), latch(3_000, 12_000)], 2.0);
        assert_eq!(flow.rates, [2e9, 2e9]);
        assert!((flow.nanos - 6_000.0).abs() < 1e-9 && (flow.bytes() - 12_000.0).abs() < 1e-9);
        assert_eq!(
            (flow.given(), flow.cpu()),
            (12_000.0, [Some(3_000.0), Some(6_000.0)])
        );
    }
}
