//! The near end of a service that a peer runs.

use crate::network::workloads::options::Options;
use crate::network::workloads::peer_services::Asked;
use crate::network::workloads::services::{Ledger, Service};
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
/// When its name is not known.
pub fn address(link: &PeerLink) -> Result<IpAddr, Failure> {
    let resolved = PeerAddress::of(link)
        .and_then(|address| address.resolved())
        .map_err(failed)?;
    let first = resolved.first().map(SocketAddr::ip);
    first.ok_or_else(|| Failure::Failed(format!("{}: no address", link.address)))
}

/// Longest that the near end waits for an answer, in milliseconds: a peer that is gone says nothing.
const PATIENCE_MS: u32 = 10_000;

impl Peer {
    /// Begins a session for a service.
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
        let asked = serde_json::to_value(Asked { service, options });
        let asked = asked.map_err(|error| Failure::Failed(error.to_string()))?;
        client.open(kind.name, asked).map_err(failed)?;
        Ok(Self(client))
    }

    /// A stream to the service.
    ///
    /// # Errors
    /// When none can be made.
    pub fn stream(&mut self, options: Options) -> Result<Descriptor, Failure> {
        let near = self.0.data_tcp().map_err(failed)?;
        options.choose_for(&near)?;
        inet::set_timeout(&near, PATIENCE_MS)?;
        Ok(near)
    }

    /// A socket for datagrams to the service.
    ///
    /// # Errors
    /// When none can be made.
    pub fn datagrams(&mut self) -> Result<Descriptor, Failure> {
        let near = self.0.data_udp().map_err(failed)?;
        inet::set_timeout(&near, PATIENCE_MS)?;
        Ok(near)
    }

    /// Where it accepts connections.
    ///
    /// # Errors
    /// When the service does not.
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

    /// Copies what the service has counted so far.
    ///
    /// # Errors
    /// When it failed.
    pub fn counts_into(&mut self, ledger: &Ledger<'_>) -> Result<(), Failure> {
        let counts = self.0.counts().map_err(failed)?;
        ledger.copy(counts.remote.all_own());
        Ok(())
    }

    /// Ends the session, and with it a service that would not end by itself.
    ///
    /// # Errors
    /// When the peer is gone.
    pub fn leave(self) -> Result<(), Failure> {
        self.0.end().map_err(failed)
    }

    /// Waits for the end of the service, copies what it has counted, and ends the session.
    ///
    /// # Errors
    /// When it failed.
    pub fn end_into(mut self, ledger: &Ledger<'_>) -> Result<(), Failure> {
        let counts = self.0.stop().map_err(failed)?;
        ledger.copy(counts.all_own());
        self.0.end().map_err(failed)
    }
}
