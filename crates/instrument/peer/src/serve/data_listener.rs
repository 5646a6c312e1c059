//! The listener for the data connections of a service: only connections that prove to belong to the session are accepted.

use crate::proof::{PROOF_BYTES, Proofs};
use crate::service::ClientListener;
use crate::{Error, Malformed, Transport};
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};
use sys::descriptor::Descriptor;
use sys::poll::Entry;

/// Timeout for the proof of a data connection.
const PROOF_TIMEOUT: Duration = Duration::from_secs(5);

/// Most unproved data connections at a time.
const MAX_CANDIDATES: usize = 16;

/// Most data connections of one service.
pub(super) const MAX_CONNECTIONS: usize = 512;

/// A connection that has not proved itself.
struct Candidate {
    stream: TcpStream,
    bytes: Vec<u8>,
    since: Instant,
}

/// What data come in by.
enum Socket {
    Tcp(TcpListener),
    Udp(UdpSocket),
    /// Connections wait in the kernel for the service.
    Accepted(TcpListener),
}

/// The port of one opened service.
pub(super) struct DataListener {
    socket: Socket,
    port: (Transport, u16),
    client: IpAddr,
    candidates: Vec<Candidate>,
    proved: Vec<TcpStream>,
    connected: bool,
}

/// The accepted data connections.
#[derive(Default)]
pub(super) struct DataConnections {
    pub(super) connections: Vec<Descriptor>,
    pub(super) socket: Option<Descriptor>,
    pub(super) listener: Option<ClientListener>,
}

impl DataListener {
    /// Opens another port at this address, whose own port does not matter, for data of this client.
    pub(super) fn open(transport: Transport, own: SocketAddr, client: IpAddr) -> Result<Self, Error> {
        let failed = |error| Error::local("no port for data", error);
        // With the scope that an address of one link has.
        let mut at = own;
        at.set_port(0);
        let (socket, bound) = match transport {
            Transport::Tcp | Transport::Accepted => {
                let listener = TcpListener::bind(at).map_err(failed)?;
                listener.set_nonblocking(true).map_err(failed)?;
                let bound = listener.local_addr();
                if transport == Transport::Tcp {
                    // Where the kernel allows no other, connections are as the system has them.
                    let _ = sys::inet::control_by_loss(&listener);
                    (Socket::Tcp(listener), bound)
                } else {
                    (Socket::Accepted(listener), bound)
                }
            }
            Transport::Udp => {
                let socket = UdpSocket::bind(at).map_err(failed)?;
                socket.set_nonblocking(true).map_err(failed)?;
                let bound = socket.local_addr();
                (Socket::Udp(socket), bound)
            }
        };
        let port = (transport, bound.map_err(failed)?.port());
        Ok(Self { socket, port, client, candidates: Vec::new(), proved: Vec::new(), connected: false })
    }

    pub(super) fn port(&self) -> (Transport, u16) {
        self.port
    }

    /// What to wait for.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let listener = match &self.socket {
            Socket::Accepted(_) => -1,
            Socket::Tcp(listener) => listener.as_raw_fd(),
            Socket::Udp(socket) => socket.as_raw_fd(),
        };
        let candidates = self.candidates.iter().map(|candidate| candidate.stream.as_raw_fd());
        [listener].into_iter().chain(candidates).map(Entry::reading).collect()
    }

    /// Handles whatever came; nothing is waited for. A connection that does not prove itself is closed.
    pub(super) fn serve(&mut self, proofs: &mut Proofs) {
        match &self.socket {
            Socket::Accepted(_) => {}
            Socket::Tcp(_) => self.serve_connections(proofs),
            Socket::Udp(_) => self.serve_datagrams(proofs),
        }
    }

    fn serve_connections(&mut self, proofs: &mut Proofs) {
        for mut candidate in std::mem::take(&mut self.candidates) {
            match candidate.advance(proofs, self.port) {
                Ok(false) if candidate.since.elapsed() < PROOF_TIMEOUT => self.candidates.push(candidate),
                Ok(true) if self.proved.len() < MAX_CONNECTIONS => self.proved.push(candidate.stream),
                _ => {}
            }
        }
        let Socket::Tcp(listener) = &self.socket else {
            return;
        };
        for _ in 0..MAX_CANDIDATES {
            let Ok((stream, _)) = listener.accept() else {
                break;
            };
            // What is written goes at once; a service may want it otherwise.
            let _ = stream.set_nodelay(true);
            if stream.set_nonblocking(true).is_ok() {
                self.candidates.push(Candidate { stream, bytes: Vec::new(), since: Instant::now() });
            }
            if self.candidates.len() > MAX_CANDIDATES {
                self.candidates.remove(0);
            }
        }
    }

    fn serve_datagrams(&mut self, proofs: &mut Proofs) {
        let Socket::Udp(socket) = &self.socket else {
            return;
        };
        let mut datagram = [0; PROOF_BYTES + 1];
        for _ in 0..MAX_CANDIDATES {
            let Ok((length, from)) = socket.recv_from(&mut datagram) else {
                break;
            };
            let proof = datagram.first_chunk().filter(|_| length == PROOF_BYTES);
            let Some(proof) = proof.filter(|_| from.ip() == self.client) else {
                continue;
            };
            let Ok(reply) = proofs.accept(proof, self.port) else {
                continue;
            };
            if !self.connected {
                self.connected = socket.connect(from).is_ok();
            }
            if self.connected {
                // A reply that is lost is asked for again.
                let _ = socket.send(&reply);
            }
        }
    }

    /// Closes the listener and hands over the accepted connections.
    pub(super) fn close(self) -> Result<DataConnections, Error> {
        let failed = |error| Error::local("data cannot be waited for", error);
        let mut accepted = DataConnections::default();
        for stream in self.proved {
            stream.set_nonblocking(false).map_err(failed)?;
            accepted.connections.push(OwnedFd::from(stream).into());
        }
        match self.socket {
            Socket::Accepted(listener) => {
                listener.set_nonblocking(false).map_err(failed)?;
                accepted.listener = Some(ClientListener { listener, client: self.client });
            }
            Socket::Udp(socket) if self.connected => {
                // What came before it was connected, or twice, is not for the service.
                while socket.recv(&mut [0; 64]).is_ok() {}
                socket.set_nonblocking(false).map_err(failed)?;
                accepted.socket = Some(OwnedFd::from(socket).into());
            }
            _ => {}
        }
        Ok(accepted)
    }
}

impl Candidate {
    /// Reads on; gives whether it has proved itself.
    fn advance(&mut self, proofs: &mut Proofs, port: (Transport, u16)) -> Result<bool, Malformed> {
        const CLOSED: Malformed = Malformed("a data connection was closed");
        let mut buffer = [0; PROOF_BYTES];
        let wanted = PROOF_BYTES - self.bytes.len();
        match self.stream.read(buffer.get_mut(..wanted).unwrap_or_default()) {
            Ok(0) => return Err(CLOSED),
            Ok(came) => self.bytes.extend(buffer.iter().take(came)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => return Err(CLOSED),
        }
        let Some(proof) = self.bytes.first_chunk::<PROOF_BYTES>() else {
            return Ok(false);
        };
        let reply = proofs.accept(proof, port)?;
        match self.stream.write(&reply) {
            Ok(sent) if sent == reply.len() => Ok(true),
            _ => Err(CLOSED),
        }
    }
}
