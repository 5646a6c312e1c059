//! The server that accepts connections.

use super::remote::Peer;
use super::server::{Server, is_version_six, unreachable};
use crate::network::options::Options;
use crate::network::peer_services::ACCEPTS;
use crate::network::points::is_remote;
use crate::network::services::{self, Counter, Counters, Limits, Service};
use measure::{Bench, Failure};
use std::net::SocketAddr;
use std::time::Duration;
use sys::inet::{self, Listener};
use sys::process::Actor;
use sys::usage::CpuClock;

/// Polls until the server has seen the end of a connection: some ten seconds.
const MAX_POLLS: u32 = 50_000_000;

/// An accepting server, local or at a peer.
pub struct Acceptor {
    address: SocketAddr,
    counters: Counters<'static>,
    server: Server,
}

/// Queries of a peer's count of ended connections, each after a round trip and a pause.
const QUERIES: u32 = 2_000;

impl Acceptor {
    /// Accepts on the path of the point.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn new(bench: &Bench<'_>, service: Service) -> Result<Self, Failure> {
        if is_remote(bench.point()) {
            return Self::at_peer(bench, service);
        }
        Self::on(bench.peer_cpu(), is_version_six(bench), service)
    }

    /// Accepts on this machine, in a process on this CPU.
    ///
    /// # Errors
    /// When no process or port is available.
    pub fn on(cpu: Option<u32>, six: bool, service: Service) -> Result<Self, Failure> {
        sys::supervision::ignore_sigpipe();
        let listener = Listener::new(inet::loopback(six)).map_err(unreachable)?;
        let counters = Counters::new()?;
        let actor = Actor::serve(cpu, || {
            services::serve(service, listener.descriptor(), Limits::OF_A_TRIAL, &counters)
        })?;
        Ok(Self { address: listener.address(), counters, server: Server::Process(actor) })
    }

    /// Accepts in a session of the peer.
    fn at_peer(bench: &Bench<'_>, service: Service) -> Result<Self, Failure> {
        sys::supervision::ignore_sigpipe();
        let mut peer = Peer::open(bench.peer()?, &ACCEPTS, service, Options::MESSAGES)?;
        let address = peer.accepting_address()?;
        peer.start()?;
        Ok(Self { address, counters: Counters::new()?, server: Server::Peer(Box::new(peer)) })
    }

    /// Waits until it has seen `count` connections end.
    ///
    /// # Errors
    /// On timeout.
    pub fn until_ended(&mut self, count: u64) -> Result<(), Failure> {
        match &mut self.server {
            Server::Process(_) => {
                for _ in 0..MAX_POLLS {
                    if self.counters.get(Counter::Turns) >= count {
                        return Ok(());
                    }
                    sys::sleep::yield_cpu()?;
                }
            }
            Server::Peer(peer) => {
                for _ in 0..QUERIES {
                    peer.counts_into(&self.counters)?;
                    if self.counters.get(Counter::Turns) >= count {
                        return Ok(());
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        Err(Failure::Failed("timeout: the server did not see the connection end".to_owned()))
    }

    /// Ends the session of a peer; a local process ends when dropped.
    ///
    /// # Errors
    /// When the peer is gone.
    pub fn end(self) -> Result<(), Failure> {
        match self.server {
            Server::Process(_) => Ok(()),
            Server::Peer(peer) => peer.leave(),
        }
    }

    /// The listening address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its counters.
    pub fn counters(&self) -> &Counters<'static> {
        &self.counters
    }

    /// Its CPU time; `None` where it is on another machine.
    pub fn clock(&self) -> Option<CpuClock> {
        self.server.clock()
    }
}
