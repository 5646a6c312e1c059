//! Flows beside the one that the worker reads: each a source and a process that takes from it, both on one CPU, or the
//! source at a peer.

use crate::network::workloads::options::Options;
use crate::network::workloads::services::{Blocks, Entry, Ledger, Method, Service, TORN};
use crate::network::workloads::session::accept_and_serve;
use measure::{Bench, Failure, Point};
use sys::descriptor::Descriptor;
use sys::process::{Actor, Ended, report_child_error};

/// One flow: who sends, and who takes and what that has counted.
struct Flow {
    source: Source,
    taker: Actor,
    taken: Ledger<'static>,
}

/// Who sends.
enum Source {
    /// A process beside this one, and what it has counted.
    Here(Actor, Ledger<'static>),
    /// A session of a peer, which is the first flow's, too, and counts for all; this end of the connection.
    There(Descriptor),
}

/// All flows beside.
pub struct Flows(Vec<Flow>);

/// What they did in all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Elsewhere {
    /// Bytes that came.
    pub received: u64,
    /// Bytes that were sent.
    pub sent: u64,
    /// Segments that were sent again.
    pub retransmissions: u64,
    /// Flows over which anything came.
    pub moved: u64,
}

impl Flows {
    /// A flow on each CPU but the worker's, where the point asks for all; where it asks for a number of flows, as many
    /// but one, on the CPUs after the worker's in turn; none otherwise. `others` are connections with a peer's sources,
    /// which are taken from instead of sources here.
    ///
    /// # Errors
    /// When a process cannot be made or there is no loopback interface.
    pub fn beside(bench: &Bench<'_>, options: Options, others: Vec<Descriptor>) -> Result<Self, Failure> {
        let wanted = match number(bench.point())? {
            Some(flows) => Some(flows.saturating_sub(1)),
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
        let flows = flows.map(|(near, cpu)| Flow::from(near, cpu, bench.seed()));
        flows.collect::<Result<_, _>>().map(Self)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Bytes that were taken so far.
    #[inline(always)]
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|flow| flow.taken.get(Entry::Bytes)).sum()
    }

    /// Ends them.
    ///
    /// # Errors
    /// When one was lost, or took a block that was not sent.
    pub fn end(self) -> Result<Elsewhere, Failure> {
        for flow in &self.0 {
            match &flow.source {
                Source::Here(_, sent) => sent.set(Entry::Stop, 1),
                Source::There(near) => sys::inet::shutdown_write(near)?,
            }
        }
        let mut all = Elsewhere::default();
        for flow in self.0 {
            if let Source::Here(source, sent) = flow.source {
                has_ended_well(source)?;
                all.sent += sent.get(Entry::Bytes);
                all.retransmissions += sent.get(Entry::Retransmissions);
            }
            has_ended_well(flow.taker)?;
            let received = flow.taken.get(Entry::Bytes);
            all.moved += u64::from(received > 0);
            all.received += received;
        }
        Ok(all)
    }
}

fn has_ended_well(actor: Actor) -> Result<(), Failure> {
    match actor.join()? {
        Ended::Exited(0) => Ok(()),
        ended => Err(Failure::Failed(format!(
            "a flow beside this one stopped: {ended:?}"
        ))),
    }
}

/// How many flows a point asks for; `None` where it asks for no number.
///
/// # Errors
/// When it is none.
pub fn number(point: &Point) -> Result<Option<usize>, Failure> {
    point
        .get("flows")
        .map(|_| point.number("flows").map(|flows| flows as usize))
        .transpose()
}

impl Flow {
    fn on(cpu: u32, seed: u64, options: Options) -> Result<Self, Failure> {
        let (sent, taken) = (Ledger::new()?, Ledger::new()?);
        let service = Service::Source {
            method: Method::Plain,
            seed,
        };
        let (source, address) = accept_and_serve(Some(cpu), service, options, false, &sent)?;
        let taker = Actor::serve(Some(cpu), || {
            let near = options.connect(address)?;
            take(&near, seed, &taken).inspect_err(|error| report_child_error(*error))
        })?;
        Ok(Self {
            source: Source::Here(source, sent),
            taker,
            taken,
        })
    }

    /// What a peer sends over a connection.
    fn from(near: Descriptor, cpu: u32, seed: u64) -> Result<Self, Failure> {
        let taken = Ledger::new()?;
        let taker = Actor::serve(Some(cpu), || {
            take(&near, seed, &taken).inspect_err(|error| report_child_error(*error))
        })?;
        Ok(Self {
            source: Source::There(near),
            taker,
            taken,
        })
    }
}

/// A block that is not what was sent (EBADMSG of asm-generic/errno.h).
const WRONG: sys::Error = sys::Error {
    call: "a block of another flow",
    errno: 74,
};

/// Takes blocks until there are no more; all must be right. Bytes count as they come: of a slow flow a block takes longer
/// than a window.
fn take(near: &Descriptor, seed: u64, ledger: &Ledger) -> sys::Result<()> {
    let mut blocks = Blocks::new(seed)?;
    loop {
        match blocks.take_and_tell(near, |came| ledger.add(Entry::Bytes, came as u64)) {
            Ok(true) => {}
            Ok(false) => return Err(WRONG),
            // Sources end after a whole block.
            Err(TORN) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}
