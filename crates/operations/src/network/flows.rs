//! Flows beside the one that the worker reads: each a source and a process that takes from it, both on one CPU.

use super::Options;
use super::far::{self, BLOCK, Blocks, Entry, Ledger, Limits, Method, Service};
use super::session::unreachable;
use measure::{Bench, Failure};
use sys::process::{Actor, Ended, confess};

/// One flow: who sends, who takes, and what each has counted.
struct Flow {
    source: Actor,
    taker: Actor,
    sent: Ledger<'static>,
    taken: Ledger<'static>,
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
    /// but one, on the CPUs after the worker's in turn; none otherwise.
    ///
    /// # Errors
    /// When a process cannot be made or there is no loopback interface.
    pub fn beside(bench: &Bench<'_>, options: Options) -> Result<Self, Failure> {
        let wanted = match bench.point().get("flows") {
            Some(_) => Some(bench.point().number("flows")?.saturating_sub(1) as usize),
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
        let flows = cpus.into_iter().cycle().take(wanted);
        let flows = flows.map(|cpu| Flow::on(cpu, bench.seed(), options));
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
            flow.sent.set(Entry::Stop, 1);
        }
        let mut all = Elsewhere::default();
        for flow in self.0 {
            for actor in [flow.source, flow.taker] {
                let ended = actor.join()?;
                if ended != Ended::Exited(0) {
                    return Err(Failure::Failed(format!(
                        "a flow beside this one stopped: {ended:?}"
                    )));
                }
            }
            let received = flow.taken.get(Entry::Bytes);
            all.moved += u64::from(received > 0);
            all.received += received;
            all.sent += flow.sent.get(Entry::Bytes);
            all.retransmissions += flow.sent.get(Entry::Retransmissions);
        }
        Ok(all)
    }
}

impl Flow {
    fn on(cpu: u32, seed: u64, options: Options) -> Result<Self, Failure> {
        let listener = options.listen(false).map_err(unreachable)?;
        let (sent, taken) = (Ledger::new()?, Ledger::new()?);
        let service = Service::Source {
            method: Method::Plain,
            seed,
        };
        let source = Actor::serve(Some(cpu), || {
            let at = listener.accept()?;
            far::serve(service, &at, Limits::OF_A_TRIAL, &sent).inspect_err(|error| confess(*error))
        })?;
        let taker = Actor::serve(Some(cpu), || {
            let near = options.connect(listener.address())?;
            take(&near, seed, &taken).inspect_err(|error| confess(*error))
        })?;
        Ok(Self {
            source,
            taker,
            sent,
            taken,
        })
    }
}

/// A block that is not what was sent (EBADMSG of asm-generic/errno.h).
const WRONG: sys::Error = sys::Error {
    call: "a block of another flow",
    errno: 74,
};

/// Takes blocks until there are no more; all must be right.
fn take(near: &sys::descriptor::Descriptor, seed: u64, ledger: &Ledger) -> sys::Result<()> {
    let mut blocks = Blocks::new(seed)?;
    loop {
        match blocks.take(near) {
            Ok(true) => {}
            Ok(false) => return Err(WRONG),
            // Sources end after a whole block.
            Err(far::TORN) => return Ok(()),
            Err(error) => return Err(error),
        }
        ledger.add(Entry::Bytes, BLOCK as u64);
    }
}
