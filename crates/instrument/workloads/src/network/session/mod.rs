//! A client in the worker and a server on the path of the point.

mod acceptor;
mod server;

pub use acceptor::Acceptor;
pub use server::{IpVersion, Server, address, unreachable};

use super::options::{self, Options};
use super::peer_services::{DATAGRAMS, FLOWS, STREAMS};
use super::services::{self, Counter, Counters, Limits, Service};
use crate::network::points::is_remote;
use measure::{Bench, Result};
use peer::Client;
use server::{Host, failed, is_version_six, open};
use sys::descriptor::Descriptor;
use sys::inet;
use sys::usage::CpuClock;

/// A running service and the connection to it.
pub struct Session {
    client: Descriptor,
    server: Server,
}

/// Payload of the largest segment over loopback: MTU 65 536 minus headers and timestamps.
pub const SEGMENT: f64 = 65_484.0;

/// Timeout of a reply of a peer in milliseconds.
const TIMEOUT_MS: u32 = 10_000;

/// A TCP connection to the service of a peer.
fn stream(peer: &mut Client, options: Options) -> Result<Descriptor> {
    let client = peer.data_tcp().map_err(failed)?;
    options.apply_to(&client)?;
    inet::set_timeout(&client, TIMEOUT_MS)?;
    Ok(client)
}

impl Session {
    /// Connects by TCP to a service.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn tcp(bench: &Bench<'_>, service: Service, options: Options) -> Result<Self> {
        if is_remote(bench.point()) {
            let mut peer = open(bench, &STREAMS, service, options)?;
            let client = stream(&mut peer, options)?;
            return Ok(Self { client, server: Server::of_peer(peer)? });
        }
        sys::supervision::ignore_sigpipe();
        let (server, address) =
            Server::accept_one(bench.peer_cpu(), service, options, is_version_six(bench))?;
        let client = options.connect(address).map_err(unreachable(address))?;
        Ok(Self { client, server })
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
    ) -> Result<(Self, Vec<Descriptor>)> {
        if count < 2 || !is_remote(bench.point()) {
            return Self::tcp(bench, service, options).map(|session| (session, Vec::new()));
        }
        let mut peer = open(bench, &FLOWS, service, options)?;
        let client = stream(&mut peer, options)?;
        let others = (1..count).map(|_| stream(&mut peer, options)).collect::<Result<_, _>>()?;
        Ok((Self { client, server: Server::of_peer(peer)? }, others))
    }

    /// Exchanges UDP datagrams with a service.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn udp(bench: &Bench<'_>, service: Service) -> Result<Self> {
        if is_remote(bench.point()) {
            let mut peer = open(bench, &DATAGRAMS, service, Options::MESSAGES)?;
            let client = peer.data_udp().map_err(failed)?;
            inet::set_timeout(&client, TIMEOUT_MS)?;
            return Ok(Self { client, server: Server::of_peer(peer)? });
        }
        let six = is_version_six(bench);
        let pair = inet::udp_pair(six).map_err(unreachable(inet::loopback(six)))?;
        let server = Server::process(bench.peer_cpu(), |counters| {
            services::serve(service, &pair.server, Limits::OF_A_TRIAL, counters)
        })?;
        Ok(Self { client: pair.client, server })
    }

    /// The client's end of the connection.
    pub fn client(&self) -> &Descriptor {
        &self.client
    }

    /// The service's counters; of a peer only after the end of the session.
    pub fn counters(&self) -> &Counters<'static> {
        &self.server.counters
    }

    /// Whether the service runs at a peer.
    pub fn is_remote(&self) -> bool {
        matches!(self.server.host, Host::Peer(_))
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
    pub fn ask_to_end(&self) -> Result<()> {
        match self.server.host {
            Host::Process(_) => self.counters().set(Counter::Stop, 1),
            Host::Peer(_) => inet::shutdown_write(&self.client)?,
        }
        Ok(())
    }

    /// Waits for the end of the service and returns its counters.
    ///
    /// # Errors
    /// When it failed.
    pub fn join(self) -> Result<Counters<'static>> {
        let Self { client, server } = self;
        // A peer's service ends with its connection.
        if matches!(server.host, Host::Peer(_)) {
            drop(client);
        }
        server.join()
    }

    /// The same, and counts the congestion control of both ends.
    ///
    /// # Errors
    /// As [`Session::join`].
    pub fn join_and_count(self, bench: &mut Bench<'_>) -> Result<Counters<'static>> {
        let client = options::congestion_of(&self.client);
        let counters = self.join()?;
        options::count_congestion(bench, client, &counters);
        Ok(counters)
    }
}
