//! The client of a service at a peer.

use crate::network::options::Options;
use crate::network::peer_services::ServiceRequest;
use crate::network::services::{Counters, Service};
use measure::Failure;
use peer::{Client, Error, PeerAddress};
use record::PeerLink;
use std::net::{IpAddr, SocketAddr};
use sys::descriptor::Descriptor;
use sys::inet;

/// A session of a peer that runs a service.
pub struct Peer(Client);

fn failed(error: Error) -> Failure {
    Failure::Failed(error.to_string())
}

/// The address of a peer.
///
/// # Errors
/// When its name cannot be resolved.
pub fn address(link: &PeerLink) -> Result<IpAddr, Failure> {
    let resolved = PeerAddress::of(link).and_then(|address| address.resolved()).map_err(failed)?;
    let first = resolved.first().map(SocketAddr::ip);
    first.ok_or_else(|| Failure::Failed(format!("{}: no address", link.address)))
}

/// Timeout of a reply in milliseconds.
const TIMEOUT_MS: u32 = 10_000;

impl Peer {
    /// Opens a session for a service.
    ///
    /// # Errors
    /// When the peer cannot be reached, refuses or has no such service.
    pub fn open(
        link: &PeerLink,
        kind: &peer::Service,
        service: Service,
        options: Options,
    ) -> Result<Self, Failure> {
        let address = PeerAddress::of(link).map_err(failed)?;
        let program = format!("oscope {}", env!("CARGO_PKG_VERSION"));
        let mut client = Client::connect(&address, &program).map_err(failed)?;
        let request = serde_json::to_value(ServiceRequest { service, options });
        let request = request.map_err(|error| Failure::Failed(error.to_string()))?;
        client.open(kind.name, request).map_err(failed)?;
        Ok(Self(client))
    }

    /// A TCP connection to the service.
    ///
    /// # Errors
    /// When it cannot be established.
    pub fn stream(&mut self, options: Options) -> Result<Descriptor, Failure> {
        let client = self.0.data_tcp().map_err(failed)?;
        options.apply_to(&client)?;
        inet::set_timeout(&client, TIMEOUT_MS)?;
        Ok(client)
    }

    /// A UDP socket to the service.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn datagrams(&mut self) -> Result<Descriptor, Failure> {
        let client = self.0.data_udp().map_err(failed)?;
        inet::set_timeout(&client, TIMEOUT_MS)?;
        Ok(client)
    }

    /// The address where the service accepts connections.
    ///
    /// # Errors
    /// When it does not accept any.
    pub fn accepting_address(&self) -> Result<SocketAddr, Failure> {
        self.0.accepting_address().map_err(failed)
    }

    /// Waits until the service is ready.
    ///
    /// # Errors
    /// When it failed.
    pub fn start(&mut self) -> Result<(), Failure> {
        self.0.start().map(drop).map_err(failed)
    }

    /// Copies the service's counters.
    ///
    /// # Errors
    /// When it failed.
    pub fn counts_into(&mut self, counters: &Counters<'_>) -> Result<(), Failure> {
        let counts = self.0.counts().map_err(failed)?;
        counters.copy(counts.remote.all_own());
        Ok(())
    }

    /// Ends the session and its service.
    ///
    /// # Errors
    /// When the peer is gone.
    pub fn leave(self) -> Result<(), Failure> {
        self.0.end().map_err(failed)
    }

    /// Waits for the end of the service, copies its counters, and ends the session.
    ///
    /// # Errors
    /// When it failed.
    pub fn end_into(mut self, counters: &Counters<'_>) -> Result<(), Failure> {
        let counts = self.0.stop().map_err(failed)?;
        counters.copy(counts.all_own());
        self.0.end().map_err(failed)
    }
}
