//! The end that accepts connections.

use super::remote::Peer;
use super::{Far, is_version_six, unreachable};
use crate::network::points::is_remote;
use crate::network::workloads::options::Options;
use crate::network::workloads::peer_services::ACCEPTS;
use crate::network::workloads::services::{self, Entry, Ledger, Limits, Service};
use measure::{Bench, Failure};
use std::net::SocketAddr;
use std::time::Duration;
use sys::inet::{self, Listener};
use sys::process::Actor;
use sys::usage::CpuClock;

/// How long the other process may take to see the end of a connection, in looks: some ten seconds.
const LOOKS: u32 = 50_000_000;

/// A process that accepts connections.
pub struct Acceptor {
    address: SocketAddr,
    ledger: Ledger<'static>,
    far: Far,
}

/// How often a peer is asked how many connections it has seen end, each time a round trip and a pause later.
const QUESTIONS: u32 = 2_000;

impl Acceptor {
    /// Accepts where the point's path leads.
    ///
    /// # Errors
    /// When there is no way to it.
    pub fn new(bench: &Bench<'_>, service: Service) -> Result<Self, Failure> {
        if is_remote(bench.point()) {
            return Self::there(bench, service);
        }
        Self::on(bench.peer_cpu(), is_version_six(bench), service)
    }

    /// Accepts on this machine, in a process on this CPU.
    ///
    /// # Errors
    /// When no process or port can be had.
    pub fn on(cpu: Option<u32>, six: bool, service: Service) -> Result<Self, Failure> {
        sys::supervision::ignore_sigpipe();
        let listener = Listener::new(inet::loopback(six)).map_err(unreachable)?;
        let ledger = Ledger::new()?;
        let actor = Actor::serve(cpu, || {
            services::serve(service, listener.descriptor(), Limits::OF_A_TRIAL, &ledger)
        })?;
        Ok(Self {
            address: listener.address(),
            ledger,
            far: Far::Here(actor),
        })
    }

    /// Accepts in a session of the peer.
    fn there(bench: &Bench<'_>, service: Service) -> Result<Self, Failure> {
        sys::supervision::ignore_sigpipe();
        let mut peer = Peer::open(bench.peer()?, &ACCEPTS, service, Options::MESSAGES)?;
        let address = peer.accepting_address()?;
        peer.start()?;
        Ok(Self {
            address,
            ledger: Ledger::new()?,
            far: Far::There(Box::new(peer)),
        })
    }

    /// Waits until it has seen so many connections end.
    ///
    /// # Errors
    /// When it never does.
    pub fn until_ended(&mut self, count: u64) -> Result<(), Failure> {
        match &mut self.far {
            Far::Here(_) => {
                for _ in 0..LOOKS {
                    if self.ledger.get(Entry::Turns) >= count {
                        return Ok(());
                    }
                    sys::sleep::yield_cpu()?;
                }
            }
            Far::There(peer) => {
                for _ in 0..QUESTIONS {
                    peer.counts_into(&self.ledger)?;
                    if self.ledger.get(Entry::Turns) >= count {
                        return Ok(());
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        Err(Failure::Failed(
            "the other process never saw the connection end".to_owned(),
        ))
    }

    /// Ends the session of a peer; the kernel ends a process of this machine when it is let go.
    ///
    /// # Errors
    /// When the peer is gone.
    pub fn end(self) -> Result<(), Failure> {
        match self.far {
            Far::Here(_) => Ok(()),
            Far::There(peer) => peer.leave(),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has counted.
    pub fn ledger(&self) -> &Ledger<'static> {
        &self.ledger
    }

    /// Its CPU time; `None` where it is on another machine.
    pub fn clock(&self) -> Option<CpuClock> {
        self.far.clock()
    }
}
