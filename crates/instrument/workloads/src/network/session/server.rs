//! A running service: in a process of this machine, or in a session of a peer.

use crate::network::options::Options;
use crate::network::peer_services::ServiceRequest;
use crate::network::services::{self, Counters, Limits, Service};
use measure::{Bench, Failure, Result, choice};
use peer::{Client, Error, PeerAddress};
use record::PeerLink;
use std::net::{IpAddr, SocketAddr};
use sys::inet;
use sys::process::{Actor, Ended, report_child_error};
use sys::remedies::Context;
use sys::usage::CpuClock;

/// A running service and its counters; of a peer they are known at the end of the session.
pub struct Server {
    /// The counters.
    pub counters: Counters<'static>,
    /// Where it runs.
    pub host: Host,
}

/// Where a service runs.
pub enum Host {
    /// A local process.
    Process(Actor),
    /// A session of a peer.
    Peer(Box<Client>),
}

impl Server {
    /// A process on this CPU.
    ///
    /// # Errors
    /// When no process can be created.
    pub fn process(cpu: Option<u32>, act: impl FnOnce(&Counters<'_>) -> sys::Result<()>) -> Result<Self> {
        let counters = Counters::new()?;
        let actor = Actor::serve(cpu, || act(&counters))?;
        Ok(Self { counters, host: Host::Process(actor) })
    }

    /// A process on this CPU that accepts and serves one TCP connection; returns its address, too.
    ///
    /// # Errors
    /// When no process can be created or there is no loopback interface.
    pub fn accept_one(
        cpu: Option<u32>,
        service: Service,
        options: Options,
        six: bool,
    ) -> Result<(Self, SocketAddr)> {
        let listener = options.listen(six).map_err(unreachable(inet::loopback(six)))?;
        let server = Self::process(cpu, |counters| {
            let at = listener.accept()?;
            // Reported before the connection closes, at which the client gives up.
            services::serve(service, &at, Limits::OF_A_TRIAL, counters)
                .inspect_err(|error| report_child_error(*error))
        })?;
        Ok((server, listener.address()))
    }

    /// The service of a peer's session, once it is ready.
    ///
    /// # Errors
    /// When it failed.
    pub fn of_peer(mut client: Client) -> Result<Self> {
        client.start().map_err(failed)?;
        Ok(Self { counters: Counters::new()?, host: Host::Peer(Box::new(client)) })
    }

    /// Its CPU time; `None` at a peer.
    pub fn clock(&self) -> Option<CpuClock> {
        match &self.host {
            Host::Process(actor) => Some(CpuClock::of_process(actor.pid())),
            Host::Peer(_) => None,
        }
    }

    /// Waits for the end of the service and returns its counters.
    ///
    /// # Errors
    /// When it failed.
    pub fn join(self) -> Result<Counters<'static>> {
        match self.host {
            Host::Process(actor) => match actor.join()? {
                Ended::Exited(0) => {}
                ended => return Err(Failure::failed(format!("a process of the service failed: {ended:?}"))),
            },
            Host::Peer(mut client) => {
                let counts = client.stop().map_err(failed)?;
                self.counters.copy(counts.all_own());
                client.end().map_err(failed)?;
            }
        }
        Ok(self.counters)
    }
}

/// The failure of a peer: a need that is not met, where its data are not reached.
pub fn failed(error: Error) -> Failure {
    error.skip().map_or_else(|| Failure::failed(error.to_string()), Failure::Skipped)
}

/// The address of a peer.
///
/// # Errors
/// When its name cannot be resolved.
pub fn address(link: &PeerLink) -> Result<IpAddr> {
    let resolved = PeerAddress::from_link(link).and_then(|address| address.resolved()).map_err(failed)?;
    let first = resolved.first().map(SocketAddr::ip);
    first.ok_or_else(|| Failure::failed(format!("{}: no address", link.address)))
}

/// Opens a session of the peer for a service.
///
/// # Errors
/// When the peer cannot be reached, refuses or has no such service.
pub fn open(bench: &Bench<'_>, kind: &peer::Service, service: Service, options: Options) -> Result<Client> {
    sys::supervision::ignore_sigpipe();
    let link = bench.peer()?;
    if let Some(skip) = link.unreachable_data.get(kind.transport.name()) {
        return Err(Failure::Skipped(skip.clone()));
    }
    let address = PeerAddress::from_link(link).map_err(failed)?;
    let program = format!("oscope {}", env!("CARGO_PKG_VERSION"));
    let mut client = Client::connect(&address, &program).map_err(failed)?;
    let request = serde_json::to_value(ServiceRequest { service, options });
    let request = request.map_err(|error| Failure::failed(error.to_string()))?;
    client.open(kind.name, request).map_err(failed)?;
    Ok(client)
}

/// The failure of a call on a connection to this address.
pub fn unreachable(address: SocketAddr) -> impl Fn(sys::Error) -> Failure {
    move |error| Failure::of_call(error, Context::of_connection_to(address.ip()))
}

choice! {
    /// The version of the Internet Protocol.
    pub enum IpVersion {
        /// IPv4.
        Four = "4",
        /// IPv6.
        Six = "6",
    }
}

/// Whether the point uses IPv6.
pub fn is_version_six(bench: &Bench<'_>) -> bool {
    matches!(bench.point().optional("ip"), Ok(Some(IpVersion::Six)))
}
