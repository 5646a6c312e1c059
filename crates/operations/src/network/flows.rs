//! Flows beside the one that the worker reads: for every other CPU a source and a process that takes from it, both on
//! that CPU.

use super::Options;
use super::far::{self, BLOCK, Blocks, Entry, Ledger, Limits, Method, Service};
use super::session::unreachable;
use measure::{Bench, Failure};
use sys::inet::{self, Listener};
use sys::process::{Actor, Ended};

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
}

impl Flows {
    /// A flow on each CPU but the worker's, where the point asks for all; none otherwise.
    ///
    /// # Errors
    /// When a process cannot be made or there is no loopback interface.
    pub fn beside(bench: &Bench<'_>, options: Options) -> Result<Self, Failure> {
        if !bench.point().on_all_cpus() {
            return Ok(Self(Vec::new()));
        }
        let own = bench.cpu().or_else(sys::cpu::current);
        let others = sys::cpu::allowed_before_pinning()?.into_iter();
        let flows = others
            .filter(|cpu| Some(*cpu) != own)
            .map(|cpu| Flow::on(cpu, bench.seed(), options));
        flows.collect::<Result<_, _>>().map(Self)
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
            all.received += flow.taken.get(Entry::Bytes);
            all.sent += flow.sent.get(Entry::Bytes);
            all.retransmissions += flow.sent.get(Entry::Retransmissions);
        }
        Ok(all)
    }
}

impl Flow {
    fn on(cpu: u32, seed: u64, options: Options) -> Result<Self, Failure> {
        let listener = Listener::new(inet::loopback(false)).map_err(unreachable)?;
        let (sent, taken) = (Ledger::new()?, Ledger::new()?);
        let service = Service::Source {
            method: Method::Plain,
            seed,
        };
        let source = Actor::spawn(Some(cpu), || {
            let served = listener.accept().and_then(|at| {
                options.choose_for(&at)?;
                far::serve(service, &at, Limits::OF_A_TRIAL, &sent)
            });
            i32::from(served.is_err())
        })?;
        let taker = Actor::spawn(Some(cpu), || {
            let all_right = inet::connected(listener.address()).and_then(|near| take(&near, seed, &taken));
            i32::from(all_right != Ok(true))
        })?;
        Ok(Self {
            source,
            taker,
            sent,
            taken,
        })
    }
}

/// Takes blocks until there are no more; whether all were right.
fn take(near: &sys::descriptor::Descriptor, seed: u64, ledger: &Ledger) -> sys::Result<bool> {
    let mut blocks = Blocks::new(seed)?;
    let mut all_right = true;
    loop {
        match blocks.take(near) {
            Ok(right) => all_right &= right,
            // Sources end after a whole block.
            Err(far::TORN) => return Ok(all_right),
            Err(error) => return Err(error),
        }
        ledger.add(Entry::Bytes, BLOCK as u64);
    }
}
