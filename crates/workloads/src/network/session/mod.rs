//! A client in the worker and a server on the path of the point.

mod acceptor;
mod remote;
mod server;

pub use acceptor::Acceptor;
pub use remote::address;
pub use server::unreachable;

use super::options::{self, Options};
use super::peer_services::{DATAGRAMS, FLOWS, STREAMS};
use super::services::{self, Counter, Counters, Limits, Service};
use crate::network::points::is_remote;
use measure::{Bench, Failure};
use remote::Peer;
use server::{Server, is_version_six};
use std::net::SocketAddr;
use sys::descriptor::Descriptor;
use sys::inet;
use sys::process::{Actor, Ended, report_child_error};
use sys::usage::CpuClock;

/// A running service and the connection to it.
pub struct Session {
    client: Descriptor,
    counters: Counters<'static>,
    server: Server,
}

/// Payload of the largest segment over loopback: MTU 65 536 minus headers and timestamps.
pub const SEGMENT: f64 = 65_484.0;

/// Starts a process on this CPU that accepts and serves one TCP connection; returns its address.
///
/// # Errors
/// When no process can be created or there is no loopback interface.
pub fn accept_and_serve(
    cpu: Option<u32>,
    service: Service,
    options: Options,
    six: bool,
    counters: &Counters<'_>,
) -> Result<(Actor, SocketAddr), Failure> {
    let listener = options.listen(six).map_err(unreachable)?;
    let actor = Actor::serve(cpu, || {
        let at = listener.accept()?;
        // Reported before the connection closes, at which the client gives up.
        services::serve(service, &at, Limits::OF_A_TRIAL, counters)
            .inspect_err(|error| report_child_error(*error))
    })?;
    Ok((actor, listener.address()))
}

impl Session {
    /// Connects by TCP to a service.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn tcp(bench: &Bench<'_>, service: Service, options: Options) -> Result<Self, Failure> {
        sys::supervision::ignore_sigpipe();
        if is_remote(bench.point()) {
            let mut peer = Peer::open(bench.peer()?, &STREAMS, service, options)?;
            let client = peer.stream(options)?;
            return Self::at_peer(peer, client);
        }
        let counters = Counters::new()?;
        let six = is_version_six(bench);
        let (actor, address) = accept_and_serve(bench.peer_cpu(), service, options, six, &counters)?;
        let client = options.connect(address).map_err(unreachable)?;
        let server = Server::Process(actor);
        Ok(Self { client, counters, server })
    }

    /// Connects to a source with `count` parallel flows; returns the other connections, too. Locally the other flows have
    /// their own sources, and none are returned.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn flows(
        bench: &Bench<'_>,
        service: Service,
        options: Options,
        count: usize,
    ) -> Result<(Self, Vec<Descriptor>), Failure> {
        if count < 2 || !is_remote(bench.point()) {
            return Self::tcp(bench, service, options).map(|session| (session, Vec::new()));
        }
        sys::supervision::ignore_sigpipe();
        let mut peer = Peer::open(bench.peer()?, &FLOWS, service, options)?;
        let client = peer.stream(options)?;
        let others = (1..count).map(|_| peer.stream(options)).collect::<Result<_, _>>()?;
        Ok((Self::at_peer(peer, client)?, others))
    }

    /// A started session of a peer.
    fn at_peer(mut peer: Peer, client: Descriptor) -> Result<Self, Failure> {
        peer.start()?;
        let (counters, server) = (Counters::new()?, Server::Peer(Box::new(peer)));
        Ok(Self { client, counters, server })
    }

    /// Exchanges UDP datagrams with a service.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn udp(bench: &Bench<'_>, service: Service) -> Result<Self, Failure> {
        if is_remote(bench.point()) {
            let mut peer = Peer::open(bench.peer()?, &DATAGRAMS, service, Options::MESSAGES)?;
            let client = peer.datagrams()?;
            return Self::at_peer(peer, client);
        }
        let six = is_version_six(bench);
        let inet = inet::udp_pair(six).map_err(unreachable)?;
        let counters = Counters::new()?;
        let actor = Actor::serve(bench.peer_cpu(), || {
            services::serve(service, &inet.server, Limits::OF_A_TRIAL, &counters)
        })?;
        Ok(Self { client: inet.client, counters, server: Server::Process(actor) })
    }

    /// The client's end of the connection.
    pub fn client(&self) -> &Descriptor {
        &self.client
    }

    /// The service's counters; of a peer only after the end of the session.
    pub fn counters(&self) -> &Counters<'static> {
        &self.counters
    }

    /// Whether the service runs at a peer.
    pub fn is_remote(&self) -> bool {
        matches!(self.server, Server::Peer(_))
    }

    /// CPU time of the local ends.
    pub fn clocks(&self) -> Vec<CpuClock> {
        [CpuClock::THREAD].into_iter().chain(self.server_clock()).collect()
    }

    /// CPU time of the server; `None` at a peer.
    pub fn server_clock(&self) -> Option<CpuClock> {
        self.server.clock()
    }

    /// Stops a sending service after its current block.
    ///
    /// # Errors
    /// When the connection is lost.
    pub fn ask_to_end(&self) -> Result<(), Failure> {
        match self.server {
            Server::Process(_) => self.counters.set(Counter::Stop, 1),
            Server::Peer(_) => inet::shutdown_write(&self.client)?,
        }
        Ok(())
    }

    /// Waits for the end of the service and returns its counters.
    ///
    /// # Errors
    /// When it failed.
    pub fn join(self) -> Result<Counters<'static>, Failure> {
        let Self { client, counters, server } = self;
        match server {
            Server::Process(actor) => match actor.join()? {
                Ended::Exited(0) => Ok(counters),
                ended => Err(Failure::Failed(format!("the server stopped: {ended:?}"))),
            },
            Server::Peer(peer) => {
                drop(client);
                peer.end_into(&counters)?;
                Ok(counters)
            }
        }
    }

    /// The same, and counts the congestion control of both ends.
    ///
    /// # Errors
    /// As [`Session::join`].
    pub fn join_and_count(self, bench: &mut Bench<'_>) -> Result<Counters<'static>, Failure> {
        let client = options::congestion_of(&self.client);
        let counters = self.join()?;
        options::count_congestion(bench, client, &counters);
        Ok(counters)
    }
}
