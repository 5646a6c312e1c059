//! A stream in windows: clock and counts are snapshotted together at window ends, and windows count once the rate is steady.

use crate::network::services::{BLOCK, Blocks, Counter, Counters};
use crate::network::session::Session;
use measure::Result;
use sys::clock::Clock;
use sys::descriptor::Descriptor;
use sys::usage::CpuClock;
use sys::{inet, tcp_info};

/// Windows of most trials.
pub const WINDOWS: usize = 15;

/// A mean rate within this factor of the second half's is steady: slow start doubles from window to window, preemption changes
/// the rate by less.
const STEADY: f64 = 2.5;

/// The least CPU share of both ends together in a window, where they share one CPU: the rest went to other programs. As the
/// gate of batches.
const MIN_SHARE: f64 = 0.95;

/// Windows kept at least.
const MIN_WINDOWS: usize = 3;

/// Counters of both ends at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Snapshot {
    ticks: i64,
    /// Bytes read by the program.
    pub bytes: u64,
    client_cpu: Option<i64>,
    server_cpu: Option<i64>,
    /// Bytes delivered to the program by the kernel's count; 0 without one.
    delivered: u64,
}

/// A stream from the first counted window to the last.
#[derive(Debug, Clone)]
pub struct Flow {
    /// Bytes per second in each window.
    pub rates: Vec<f64>,
    /// Windows before the rate was steady; `None` when it was not within the first quarter.
    pub warm_up: Option<usize>,
    /// The first and last counted snapshots.
    pub ends: [Snapshot; 2],
    /// Nanoseconds between them.
    pub nanos: f64,
    /// CPU share of both ends together in each counted window; `None` where it cannot be read.
    shares: Vec<Option<f64>>,
    /// Windows discarded because another program used the CPU.
    discarded: usize,
    /// Usage of a peer's source.
    peer: Option<Usage>,
}

/// CPU time of a source by its own clock.
#[derive(Debug, Clone, Copy)]
struct Usage {
    cpu_ns: f64,
    wall_ns: f64,
    bytes: f64,
}

/// Measures a stream.
pub struct Watch<'s> {
    clock: Clock,
    client: &'s Descriptor,
    server_cpu: Option<CpuClock>,
    is_tcp: bool,
}

/// Bytes that the kernel delivered to the program: received in order minus unread.
fn delivered(client: &Descriptor) -> Option<u64> {
    let came = tcp_info::read(client).ok()?.bytes_received;
    Some(came.saturating_sub(inet::unread(client).ok()?))
}

impl<'s> Watch<'s> {
    /// The stream of a session.
    pub fn new(session: &'s Session, is_tcp: bool) -> Self {
        Self { clock: Clock::select(), client: session.client(), server_cpu: session.server_clock(), is_tcp }
    }

    fn snapshot(&self, bytes: u64) -> Snapshot {
        let delivered = if self.is_tcp { delivered(self.client).unwrap_or(0) } else { 0 };
        Snapshot {
            client_cpu: CpuClock::THREAD.nanos(),
            server_cpu: self.server_cpu.and_then(|clock| clock.nanos()),
            delivered,
            bytes,
            ticks: self.clock.stop(),
        }
    }

    /// Receives for `spend_ns` in this many windows; `take` receives some and returns the total bytes so far, over all flows.
    ///
    /// # Errors
    /// When `take` fails.
    pub fn flow(&self, spend_ns: u64, windows: usize, take: &mut dyn FnMut() -> Result<u64>) -> Result<Flow> {
        let began = self.clock.moment();
        let window_ns = (spend_ns / windows.max(1) as u64) as f64;
        // A rough tick length suffices to end windows; the exact one is computed afterwards.
        let rough = {
            let start = self.clock.moment();
            let mut bytes = take()?;
            while self.clock.moment().nanos_since(start) < 1_000_000 {
                bytes = take()?;
            }
            std::hint::black_box(bytes);
            self.clock.nanos_per_tick(start, self.clock.moment())
        };
        let mut snapshots = vec![self.snapshot(take()?)];
        for _ in 0..windows {
            let start = snapshots.last().map_or(0, |snapshot| snapshot.ticks);
            let end = start + (window_ns / rough) as i64;
            let mut bytes = take()?;
            while self.clock.stop() < end {
                bytes = take()?;
            }
            snapshots.push(self.snapshot(bytes));
        }
        let nanos_per_tick = self.clock.nanos_per_tick(began, self.clock.moment());
        Ok(Flow::of(&snapshots, nanos_per_tick))
    }
}

impl Flow {
    fn of(snapshots: &[Snapshot], nanos_per_tick: f64) -> Self {
        let pairs = snapshots.iter().zip(snapshots.iter().skip(1));
        let rates = pairs.map(|(from, to)| {
            let nanos = (to.ticks - from.ticks) as f64 * nanos_per_tick;
            (to.bytes - from.bytes) as f64 * 1e9 / nanos.max(1.0)
        });
        let mut rates: Vec<f64> = rates.collect();
        let warm_up = first_steady(&rates);
        let first = warm_up.unwrap_or(0);
        rates.drain(..first);
        let pairs = snapshots.iter().zip(snapshots.iter().skip(1)).skip(first);
        let shares = pairs.map(|(from, to)| from.share(to, nanos_per_tick)).collect();
        let ends =
            [snapshots.get(first), snapshots.last()].map(|snapshot| snapshot.copied().unwrap_or_default());
        let nanos = (ends[1].ticks - ends[0].ticks) as f64 * nanos_per_tick;
        Self { rates, warm_up, ends, nanos, shares, discarded: 0, peer: None }
    }

    /// Sets the CPU time that a peer's source reports.
    pub fn set_peer_usage(&mut self, counters: &Counters<'_>) {
        let [cpu_ns, wall_ns, bytes] =
            [Counter::CpuNanos, Counter::Nanos, Counter::Bytes].map(|entry| counters.get(entry) as f64);
        self.peer = (wall_ns > 0.0 && bytes > 0.0).then_some(Usage { cpu_ns, wall_ns, bytes });
    }

    /// Discards windows in which other programs used the CPU that both ends share; keeps at least the best few. Only for ends that
    /// never wait for a timer or a wire.
    pub fn discard_shared(&mut self) {
        let Some(shares) = self.shares.iter().copied().collect::<Option<Vec<f64>>>() else {
            return;
        };
        let mut sorted = shares.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let least = sorted.get(MIN_WINDOWS - 1).map_or(0.0, |&share| share.min(MIN_SHARE));
        let before = self.rates.len();
        let mut shares = shares.into_iter();
        self.rates.retain(|_| shares.next().is_some_and(|share| share >= least));
        self.discarded = before - self.rates.len();
    }

    /// Counts bytes received before the first snapshot as if after it (E41).
    pub fn count_from_the_beginning(&mut self) {
        let early = self.ends[0].bytes as f64 * 1e9 / self.nanos.max(1.0);
        self.ends[0].bytes = 0;
        self.rates.iter_mut().for_each(|rate| *rate += early);
    }

    /// Bytes between the ends.
    pub fn bytes(&self) -> f64 {
        self.ends[1].bytes.saturating_sub(self.ends[0].bytes) as f64
    }

    /// Bytes between the ends by the kernel's count.
    pub fn delivered(&self) -> f64 {
        self.ends[1].delivered.saturating_sub(self.ends[0].delivered) as f64
    }

    /// CPU time of client and server between the ends in nanoseconds; `None` where it cannot be read.
    fn cpu(&self) -> [Option<f64>; 2] {
        let [from, to] = self.ends;
        [(from.client_cpu, to.client_cpu), (from.server_cpu, to.server_cpu)]
            .map(|(from, to)| Some((to? - from?) as f64))
    }

    /// CPU shares of client and server; `None` where they cannot be read.
    pub fn cpu_shares(&self) -> [Option<f64>; 2] {
        self.cpu_per(self.nanos.max(1.0), |usage| usage.wall_ns)
    }

    /// CPU time per byte of client and server in nanoseconds; `None` where it cannot be read.
    pub fn cpu_per_byte(&self) -> [Option<f64>; 2] {
        self.cpu_per(self.bytes(), |usage| usage.bytes)
    }

    /// CPU time of client and server per unit; that of a peer by what its source reports.
    fn cpu_per(&self, units: f64, of_peer: fn(&Usage) -> f64) -> [Option<f64>; 2] {
        let [client, server] = self.cpu().map(|cpu| Some(cpu? / units));
        [client, server.or_else(|| self.peer.map(|usage| usage.cpu_ns / of_peer(&usage)))]
    }
}

impl Snapshot {
    /// CPU share of both ends together from this snapshot to another.
    fn share(&self, to: &Self, nanos_per_tick: f64) -> Option<f64> {
        let used = to.client_cpu? - self.client_cpu? + to.server_cpu? - self.server_cpu?;
        let nanos = (to.ticks - self.ticks) as f64 * nanos_per_tick;
        Some(used as f64 / nanos.max(1.0))
    }
}

/// The first counted window; `None` when none of the first quarter is steady. A window is steady when the mean of half of all
/// windows from it on equals that of the second half: means, since single windows of two alternating processes vary. Of the
/// steady ones the first within the range of the second half counts.
fn first_steady(rates: &[f64]) -> Option<usize> {
    let half = rates.len() / 2;
    let later = rates.get(rates.len() - half..)?;
    let rate = mean(later);
    let (low, high) =
        later.iter().fold((f64::MAX, 0.0_f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
    let steady = (0..=half / 2).filter(|first| {
        let early = rates.get(*first..first + half).map_or(0.0, mean);
        early > 0.0 && early <= rate * STEADY && early >= rate / STEADY
    });
    let steady: Vec<usize> = steady.collect();
    steady
        .iter()
        .find(|first| rates.get(**first).is_some_and(|rate| (low..=high).contains(rate)))
        .or(steady.first())
        .copied()
}

fn mean(rates: &[f64]) -> f64 {
    rates.iter().sum::<f64>() / rates.len().max(1) as f64
}

/// Counts of every stream at its end: bytes of both ends, and its rate.
pub fn count(bench: &mut measure::Bench<'_>, flow: &Flow, received: u64, sent: u64) {
    bench.count("bytes.received_per_sent", received as f64, sent as f64);
    count_rate(bench, flow);
}

/// The steadiness of the rate, where sent bytes are not counted.
pub fn count_rate(bench: &mut measure::Bench<'_>, flow: &Flow) {
    if flow.delivered() > 0.0 {
        bench.count("bytes.counted_per_given", flow.bytes(), flow.delivered());
    }
    bench.count("steady", f64::from(u8::from(flow.warm_up.is_some())), 1.0);
    bench.count("windows.set_aside", flow.discarded as f64, 1.0);
    bench.count("warm_up.windows", flow.warm_up.unwrap_or(WINDOWS) as f64, 1.0);
}

/// Stops a source and drains the stream; returns all bytes received.
///
/// # Errors
/// When the connection fails.
pub fn end(session: &Session, blocks: &mut Blocks) -> Result<u64> {
    session.ask_to_end()?;
    let taken = blocks.taken() * BLOCK as u64;
    Ok(taken + blocks.drain(session.client())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_rate_is_found_after_a_ramp_only() {
        let steady = [10.0, 9.0, 11.0, 10.0, 10.0, 9.5];
        assert_eq!(first_steady(&steady), Some(0));
        assert_eq!(first_steady(&[1.0, 1.0, 1.0, 10.0, 10.0, 11.0, 10.0, 9.0]), Some(1));
        assert_eq!(first_steady(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]), None);
        assert_eq!(first_steady(&[]), None);
        let slowly = [4.8, 4.8, 5.9, 7.9, 8.0, 7.9, 7.5, 7.4, 6.6, 7.3, 7.8, 8.0, 7.2, 7.2, 7.7];
        assert_eq!(first_steady(&slowly), Some(3));
        let mut faster_at_first = slowly.map(|rate| 10.0 - rate);
        faster_at_first[3] = 2.0;
        assert_eq!(first_steady(&faster_at_first), Some(3));
    }

    #[test]
    fn windows_of_other_programs_are_discarded_except_a_few() {
        for (shares, expected) in [
            ([1_000, 980, 400, 1_000, 990, 100], (4, 2)),
            ([400, 300, 200, 100, 100, 100], (3, 3)),
            ([1_000; 6], (6, 0)),
        ] {
            let mut cpu = 0;
            let snapshots = (0..).zip(std::iter::once(0).chain(shares)).map(|(window, share)| {
                cpu += share;
                Snapshot {
                    ticks: window * 1_000,
                    bytes: window as u64,
                    client_cpu: Some(cpu / 2),
                    server_cpu: Some(cpu / 2),
                    delivered: 0,
                }
            });
            let mut flow = Flow::of(&snapshots.collect::<Vec<_>>(), 1.0);
            flow.discard_shared();
            assert_eq!((flow.rates.len(), flow.discarded), expected);
        }
    }

    #[test]
    fn rates_are_bytes_over_time_between_snapshots() {
        let snapshots = [(0, 0), (1_000, 4_000), (3_000, 12_000)].map(|(ticks, bytes)| Snapshot {
            ticks,
            bytes,
            client_cpu: Some(ticks),
            server_cpu: Some(2 * ticks),
            delivered: bytes + 5,
        });
        let flow = Flow::of(&snapshots, 2.0);
        assert_eq!(flow.rates, [2e9, 2e9]);
        assert!((flow.nanos - 6_000.0).abs() < 1e-9 && (flow.bytes() - 12_000.0).abs() < 1e-9);
        assert_eq!((flow.delivered(), flow.cpu()), (12_000.0, [Some(3_000.0), Some(6_000.0)]));
    }
}
