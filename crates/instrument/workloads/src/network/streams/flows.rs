//! Flows besides the worker's: each a source and a receiver process, both on one CPU, or the source at a peer.

use super::Stream;
use crate::network::options::Options;
use crate::network::services::{Blocks, Counter, Counters, Method, Service, TRUNCATED};
use crate::network::session::Server;
use measure::{Bench, Result};
use sys::descriptor::Descriptor;
use sys::process::report_child_error;

/// One flow: its source, and its receiver, a process on a CPU of its own.
struct Flow {
    source: Source,
    receiver: Server,
}

/// The sender of a flow.
enum Source {
    /// A local process.
    Local(Server),
    /// The session of the peer that also serves the first flow and counts for all; the client's end.
    Peer(Descriptor),
}

/// All flows besides the worker's.
pub struct Flows(Vec<Flow>);

/// Totals over these flows.
#[derive(Debug, Clone, Copy, Default)]
pub struct FlowTotals {
    /// Bytes received.
    pub received: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Segments retransmitted.
    pub retransmissions: u64,
    /// Flows that transferred anything.
    pub moved: u64,
}

impl Flows {
    /// With cpus=all a flow on each CPU but the worker's; with flows=n n − 1 flows, round-robin on the CPUs after the worker's;
    /// otherwise none. `others` are connections to a peer's sources, used instead of local ones.
    ///
    /// # Errors
    /// When a process cannot be created or there is no loopback interface.
    pub fn start(bench: &Bench<'_>, options: Options, others: Vec<Descriptor>) -> Result<Self> {
        let wanted = match bench.parameters::<Stream>()?.flows {
            Some(flows) => Some((flows as usize).saturating_sub(1)),
            None if bench.point().on_all_cpus() => None,
            None => Some(0),
        };
        if wanted == Some(0) {
            return Ok(Self(Vec::new()));
        }
        let own = bench.cpu().or_else(sys::cpu::current);
        let mut cpus = sys::cpu::allowed_before_pinning()?;
        cpus.retain(|cpu| Some(*cpu) != own);
        let wanted = wanted.unwrap_or(cpus.len());
        cpus.extend(own);
        let cpus = cpus.into_iter().cycle().take(wanted);
        if others.is_empty() {
            let flows = cpus.map(|cpu| Flow::on(cpu, bench.seed(), options));
            return flows.collect::<Result<_, _>>().map(Self);
        }
        let flows = others.into_iter().zip(cpus);
        let flows = flows.map(|(client, cpu)| Flow::from(client, cpu, bench.seed()));
        flows.collect::<Result<_, _>>().map(Self)
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Bytes received so far.
    #[inline(always)]
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|flow| flow.receiver.counters.get(Counter::Bytes)).sum()
    }

    /// Stops them.
    ///
    /// # Errors
    /// When one failed or received a wrong block.
    pub fn end(self) -> Result<FlowTotals> {
        for flow in &self.0 {
            match &flow.source {
                Source::Local(source) => source.counters.set(Counter::Stop, 1),
                Source::Peer(client) => sys::inet::shutdown_write(client)?,
            }
        }
        let mut totals = FlowTotals::default();
        for flow in self.0 {
            if let Source::Local(source) = flow.source {
                let sent = source.join()?;
                totals.sent += sent.get(Counter::Bytes);
                totals.retransmissions += sent.get(Counter::Retransmissions);
            }
            let received = flow.receiver.join()?.get(Counter::Bytes);
            totals.moved += u64::from(received > 0);
            totals.received += received;
        }
        Ok(totals)
    }
}

impl Flow {
    fn on(cpu: u32, seed: u64, options: Options) -> Result<Self> {
        let service = Service::Source { method: Method::Plain, seed };
        let (source, address) = Server::accept_one(Some(cpu), service, options, false)?;
        let receiver = Server::process(Some(cpu), |received| {
            receive_blocks(&options.connect(address)?, seed, received)
        })?;
        Ok(Self { source: Source::Local(source), receiver })
    }

    /// A flow from a peer over a connection.
    fn from(client: Descriptor, cpu: u32, seed: u64) -> Result<Self> {
        let receiver = Server::process(Some(cpu), |received| receive_blocks(&client, seed, received))?;
        Ok(Self { source: Source::Peer(client), receiver })
    }
}

/// A block with wrong content (EBADMSG of asm-generic/errno.h).
const WRONG_BLOCK: sys::Error = sys::Error { call: "a block of a parallel flow", errno: 74 };

/// Receives blocks until the end of the stream; all must be correct. Bytes count as they arrive: a block of a slow flow takes
/// longer than a window. An error is reported before the connection closes, at which the source gives up.
///
/// # Errors
/// When a block is wrong or a read fails.
pub fn receive_blocks(client: &Descriptor, seed: u64, counters: &Counters<'_>) -> sys::Result<()> {
    let mut blocks = Blocks::new(seed)?;
    let ended = loop {
        match blocks.take_and_count(client, |came| counters.add(Counter::Bytes, came as u64)) {
            Ok(true) => {}
            Ok(false) => break WRONG_BLOCK,
            // Sources end after a whole block.
            Err(TRUNCATED) => return Ok(()),
            Err(error) => break error,
        }
    };
    report_child_error(ended);
    Err(ended)
}
