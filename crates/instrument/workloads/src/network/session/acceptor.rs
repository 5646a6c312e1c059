//! The server that accepts connections.

use super::server::{Host, Server, failed, is_version_six, open, unreachable};
use crate::network::options::Options;
use crate::network::peer_services::ACCEPTS;
use crate::network::points::is_remote;
use crate::network::services::{self, Counter, Counters, Limits, Service};
use measure::{Bench, CpuTime, Failure, Result, Timed};
use std::time::Duration;
use sys::clock::Clock;
use sys::inet::{self, Destination, Listener};

/// Polls until a local server has seen the end of a connection: some ten seconds.
const MAX_POLLS: u32 = 50_000_000;

/// Queries of a peer's count of ended connections, each after a round trip and a pause.
const QUERIES: u32 = 2_000;

/// An accepting server, local or at a peer.
pub struct Acceptor {
    to: Destination,
    server: Server,
}

impl Acceptor {
    /// Accepts on the path of the point.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn new(bench: &Bench<'_>, service: Service) -> Result<Self> {
        if !is_remote(bench.point()) {
            return Self::on(bench.peer_cpu(), is_version_six(bench), service);
        }
        let peer = open(bench, &ACCEPTS, service, Options::MESSAGES)?;
        let address = peer.accepting_address().map_err(failed)?;
        Ok(Self { to: address.into(), server: Server::of_peer(peer)? })
    }

    /// Accepts on this machine, in a process on this CPU.
    ///
    /// # Errors
    /// When no process or port is available.
    pub fn on(cpu: Option<u32>, six: bool, service: Service) -> Result<Self> {
        let address = inet::loopback(six);
        let listener = Listener::new(address).map_err(unreachable(address))?;
        Self::serving(listener.address().into(), cpu, |counters| {
            services::serve(service, listener.descriptor(), Limits::OF_A_TRIAL, counters)
        })
    }

    /// What `act` accepts in a process on this CPU, which listens there.
    ///
    /// # Errors
    /// When no process can be created.
    pub fn serving(
        to: Destination,
        cpu: Option<u32>,
        act: impl FnOnce(&Counters<'_>) -> sys::Result<()>,
    ) -> Result<Self> {
        sys::supervision::ignore_sigpipe();
        Ok(Self { to, server: Server::process(cpu, act)? })
    }

    /// Times connections one after the other; `once` makes one and closes it, which the server sees before the next one.
    ///
    /// # Errors
    /// When a connection fails.
    pub fn each(
        &mut self,
        bench: &mut Bench<'_>,
        once: &mut dyn FnMut(Clock, &Destination) -> Result<Timed>,
    ) -> Result<()> {
        let to = self.to.clone();
        // The first connection is a barrier: the server is accepting.
        once(Clock::select(), &to).map_err(first_failed)?;
        let mut made = 1;
        self.until_ended(made)?;
        bench.each_part(CpuTime::with(self.server.clock()), &mut |clock| {
            let timed = once(clock, &to)?;
            made += 1;
            self.until_ended(made)?;
            Ok(timed)
        })
    }

    /// Waits until it has seen `count` connections end.
    ///
    /// # Errors
    /// On timeout.
    pub fn until_ended(&mut self, count: u64) -> Result<()> {
        let counters = &self.server.counters;
        match &mut self.server.host {
            Host::Process(_) => {
                for _ in 0..MAX_POLLS {
                    if counters.get(Counter::Turns) >= count {
                        return Ok(());
                    }
                    sys::sleep::yield_cpu()?;
                }
            }
            Host::Peer(peer) => {
                for _ in 0..QUERIES {
                    counters.copy(peer.counts().map_err(failed)?.remote.all_own());
                    if counters.get(Counter::Turns) >= count {
                        return Ok(());
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        Err(Failure::failed("timeout: the server did not see the connection end"))
    }

    /// Ends the session of a peer; a local process ends when dropped.
    ///
    /// # Errors
    /// When the peer is gone.
    pub fn end(self) -> Result<()> {
        match self.server.host {
            Host::Process(_) => Ok(()),
            Host::Peer(peer) => peer.end().map_err(failed),
        }
    }

    /// Where it listens.
    pub fn destination(&self) -> &Destination {
        &self.to
    }

    /// Its counters.
    pub fn counters(&self) -> &Counters<'static> {
        &self.server.counters
    }
}

/// Names the first connection in its failure.
fn first_failed(failure: Failure) -> Failure {
    match failure {
        Failure::Failed(reason) => Failure::failed(format!("the first connection: {reason}")),
        skipped => skipped,
    }
}
