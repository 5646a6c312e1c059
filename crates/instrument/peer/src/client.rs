//! The client's side of a session: connect, open a service, count, end; each step has a timeout.

use crate::counters::now_ns;
use crate::handshake::{ClientHandshake, ClientStep};
use crate::secured::{Received, Secured};
use crate::wire::Wire;
use crate::{
    Counts, Description, Error, Malformed, PROOF_BYTES, PeerAddress, Proofs, REPLY_BYTES, Request, Response,
    Service, Transport,
};
use serde_json::Value;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};
use sys::descriptor::Descriptor;
use sys::inet::{self, Destination};
use sys::remedies::{self, Context};

/// Timeout of every step.
const STEP_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for a data connection to be made: the control connection is open, so that the other end answers within a round
/// trip, or after the segment that the kernel sends again after a second.
const DATA_TIMEOUT: Duration = Duration::from_secs(3);

/// Timeout for writing back all dirty pages of a machine, which may be many on a slow disk.
const WRITE_BACK_TIMEOUT: Duration = Duration::from_secs(60);

/// Retry interval of a datagram that was not answered, and the retry limit.
const DATAGRAM_RETRY: (Duration, u32) = (Duration::from_millis(250), 12);

/// Retry limit for a peer that closes the connection because too many unauthenticated clients are connected.
const MAX_ATTEMPTS: u32 = 3;

/// A session with a peer. When it is dropped, the peer ends everything that belongs to it.
pub struct Client {
    wire: Wire,
    secured: Secured,
    proofs: Proofs,
    peer: SocketAddr,
    port: Option<(Transport, u16)>,
}

/// The peer's counts, and this side's clock (CLOCK_MONOTONIC_RAW) around the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountsSnapshot {
    /// Before it was asked, in nanoseconds.
    pub before_ns: u64,
    /// After it had answered.
    pub after_ns: u64,
    /// The peer's counts.
    pub remote: Counts,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Client({})", self.peer)
    }
}

impl Client {
    /// Begins a session; `program` is this program's name and version.
    ///
    /// # Errors
    /// When nothing listens there, it is no peer, speaks other versions, has another key, or is busy.
    pub fn connect(address: &PeerAddress, program: &str) -> Result<Self, Error> {
        let deadline = Instant::now() + STEP_TIMEOUT;
        let mut last = Error::InvalidAddress(address.address.clone());
        for resolved in address.resolved()? {
            for _ in 0..MAX_ATTEMPTS {
                match Self::greet(resolved, address, program, deadline) {
                    // A peer with too many unauthenticated clients drops the oldest, which may be this one.
                    Err(error @ (Error::Closed(_) | Error::WrongKey)) => last = error,
                    Err(error @ Error::Unreachable { .. }) => {
                        last = error;
                        break;
                    }
                    other => return other,
                }
            }
        }
        Err(last)
    }

    fn greet(at: SocketAddr, address: &PeerAddress, program: &str, deadline: Instant) -> Result<Self, Error> {
        let left = deadline.saturating_duration_since(Instant::now());
        let stream = TcpStream::connect_timeout(&at, left.max(Duration::from_millis(1)));
        let stream = stream.map_err(|error| Error::Unreachable {
            address: address.address.clone(),
            why: remedies::sentence(sys::Error::of_io("connect", &error), Context::PeerControl),
        })?;
        // A request waits for its response: Nagle's algorithm would only delay it.
        let _ = stream.set_nodelay(true);
        let mut wire = Wire { stream };
        let (mut handshake, greeting) = ClientHandshake::new(&address.key, program);
        wire.send(&greeting, deadline, "before it sent its protocol versions")?;
        let (session, key) = loop {
            let came = wire.receive(handshake.wanted(), deadline, "before it sent its protocol versions");
            let came = came.map_err(|error| match error {
                Error::Closed(_) if handshake.has_server_greeting() => Error::WrongKey,
                other => other,
            })?;
            match handshake.take(&came)? {
                ClientStep::More => {}
                ClientStep::Send(bytes) => wire.send(&bytes, deadline, "while starting the session")?,
                ClientStep::Session { session, key } => break (session, key),
            }
        };
        let (secured, first) = Secured::initiate(&key, &session)?;
        wire.send(&first, deadline, "while starting the session")?;
        let mut client = Self { wire, secured, proofs: Proofs::new(&key, session)?, peer: at, port: None };
        match client.receive_message(deadline, "while starting the session")? {
            Received::Authenticated(_) => Ok(client),
            _ => Err(Error::UnexpectedResponse),
        }
    }

    /// Reads until a whole message was received.
    fn receive_message(&mut self, deadline: Instant, during: &'static str) -> Result<Received, Error> {
        loop {
            let came = self.wire.receive(self.secured.wanted(), deadline, during)?;
            match self.secured.take(&came)? {
                Received::Incomplete => {}
                received => return Ok(received),
            }
        }
    }

    fn request(&mut self, request: &Request, during: &'static str) -> Result<Response, Error> {
        let timeout = match request {
            Request::DropCaches => WRITE_BACK_TIMEOUT,
            _ => STEP_TIMEOUT,
        };
        let deadline = Instant::now() + timeout;
        let bytes = self.secured.seal(request)?;
        self.wire.send(&bytes, deadline, during)?;
        let Received::Message(message) = self.receive_message(deadline, during)? else {
            return Err(Error::UnexpectedResponse);
        };
        match serde_json::from_slice(&message) {
            Ok(Response::Refused { reason }) => Err(Error::Refused(reason)),
            Ok(Response::Failed { reason }) => Err(Error::Failed(reason)),
            Ok(answer) => Ok(answer),
            Err(_) => Err(Error::UnexpectedResponse),
        }
    }

    /// The peer's description of itself.
    ///
    /// # Errors
    /// When it is gone or slow.
    pub fn describe(&mut self) -> Result<Description, Error> {
        match self.request(&Request::Describe, "while describing itself")? {
            Response::Description(described) => Ok(*described),
            _ => Err(Error::UnexpectedResponse),
        }
    }

    /// Lets the peer get a service ready; what was open before is closed. Data connections come next, then
    /// [`Client::start`].
    ///
    /// # Errors
    /// When it has no such service, or is gone or slow.
    pub fn open(&mut self, service: &str, parameters: Value) -> Result<(), Error> {
        let request = Request::Open { service: service.to_owned(), parameters };
        match self.request(&request, "while opening a service")? {
            Response::Opened { transport, port } => {
                self.port = Some((transport, port));
                Ok(())
            }
            _ => Err(Error::UnexpectedResponse),
        }
    }

    fn port(&self, transport: Transport) -> Result<(Transport, u16), Error> {
        let fitting = self.port.filter(|port| port.0 == transport);
        fitting.ok_or_else(|| Error::Refused("no service that is opened takes such connections".to_owned()))
    }

    /// Where the service accepts connections by itself.
    ///
    /// # Errors
    /// When the opened service does not.
    pub fn accepting_address(&self) -> Result<SocketAddr, Error> {
        let (_, port) = self.port(Transport::Accepted)?;
        Ok(self.at(port))
    }

    fn at(&self, port: u16) -> SocketAddr {
        let mut at = self.peer;
        at.set_port(port);
        at
    }

    /// A new connection to the opened service, proved by both ends; blocking, without
    /// Nagle's algorithm (TCP_NODELAY) at both ends, its congestion controlled by loss, and nothing waits in it.
    ///
    /// # Errors
    /// When it cannot be made or proved.
    pub fn data_tcp(&mut self) -> Result<Descriptor, Error> {
        const DURING: &str = "while opening a data connection";
        let port = self.port(Transport::Tcp)?;
        let deadline = Instant::now() + STEP_TIMEOUT;
        let (transport, number) = port;
        let stream = connect_with_loss_control(self.at(number)).map_err(|error| Error::DataPort {
            transport,
            port: number,
            error,
        })?;
        let _ = stream.set_nodelay(true);
        let proof = self.proofs.make(port)?;
        let mut wire = Wire { stream };
        wire.send(&proof, deadline, DURING)?;
        let mut reply = Vec::new();
        while reply.len() < REPLY_BYTES {
            reply.extend(wire.receive(REPLY_BYTES - reply.len(), deadline, DURING)?);
        }
        if !self.proofs.is_reply(&proof, port, &reply) {
            return Err(Malformed("a data connection to another server").into());
        }
        let unbounded = wire.stream.set_read_timeout(None).and_then(|()| wire.stream.set_write_timeout(None));
        unbounded.map_err(|error| Error::local("a data connection", error))?;
        Ok(Descriptor::from(OwnedFd::from(wire.stream)))
    }

    /// A socket for datagrams that is connected with the opened service, proved by both ends; blocking. A late
    /// answer to a proof that was sent twice may still come.
    ///
    /// # Errors
    /// When it cannot be made, or no proof is answered.
    pub fn data_udp(&mut self) -> Result<Descriptor, Error> {
        let port = self.port(Transport::Udp)?;
        let failed = |error| Error::local("no datagrams to the peer", error);
        // From the address of the control connection, which the peer knows.
        let mut own = self.wire.stream.local_addr().map_err(failed)?;
        own.set_port(0);
        let socket = UdpSocket::bind(own).map_err(failed)?;
        socket.connect(self.at(port.1)).map_err(failed)?;
        socket.set_read_timeout(Some(DATAGRAM_RETRY.0)).map_err(failed)?;
        let mut sent: Vec<[u8; PROOF_BYTES]> = Vec::new();
        let mut last = sys::Error::timed_out("recvfrom");
        for _ in 0..DATAGRAM_RETRY.1 {
            let proof = self.proofs.make(port)?;
            sent.push(proof);
            let mut reply = [0; REPLY_BYTES + 1];
            let came = socket.send(&proof).and_then(|_| socket.recv(&mut reply));
            let came = came.unwrap_or_else(|error| {
                // A firewall that rejects is heard of here; one that drops is a timeout.
                last = sys::Error::of_io("recvfrom", &error);
                0
            });
            let reply = reply.get(..came).unwrap_or_default();
            if sent.iter().any(|proof| self.proofs.is_reply(proof, port, reply)) {
                socket.set_read_timeout(None).map_err(failed)?;
                return Ok(Descriptor::from(OwnedFd::from(socket)));
            }
        }
        let (transport, number) = port;
        Err(Error::DataPort { transport, port: number, error: last })
    }

    /// Whether a data connection to a service can be made, which is opened for that and not started: a firewall may let the
    /// control connection pass and no other. Connections that the service accepts by itself are not tried.
    ///
    /// # Errors
    /// When it cannot.
    pub fn probe_data(&mut self, service: &Service) -> Result<(), Error> {
        self.open(service.name, Value::Null)?;
        match service.transport {
            Transport::Tcp => self.data_tcp().map(drop),
            Transport::Udp => self.data_udp().map(drop),
            Transport::Accepted => Ok(()),
        }
    }

    /// The barrier: afterwards the service is ready for data.
    ///
    /// # Errors
    /// When it could not begin, or the peer is gone or slow.
    pub fn start(&mut self) -> Result<u64, Error> {
        match self.request(&Request::Start, "while starting the service")? {
            Response::Started { clock_ns } => Ok(clock_ns),
            _ => Err(Error::UnexpectedResponse),
        }
    }

    /// How far the service is, with both clocks.
    ///
    /// # Errors
    /// When it failed, or the peer is gone or slow.
    pub fn counts(&mut self) -> Result<CountsSnapshot, Error> {
        let before_ns = now_ns();
        match self.request(&Request::Counts, "while reading its counters")? {
            Response::Counts(remote) => Ok(CountsSnapshot { before_ns, after_ns: now_ns(), remote }),
            _ => Err(Error::UnexpectedResponse),
        }
    }

    /// Waits for the end of the service, which comes when its connections are closed; a service that has not
    /// ended soon is ended.
    ///
    /// # Errors
    /// When it failed, or the peer is gone or slow.
    pub fn stop(&mut self) -> Result<Counts, Error> {
        match self.request(&Request::Stop, "while stopping the service")? {
            Response::Stopped(counts) => Ok(counts),
            _ => Err(Error::UnexpectedResponse),
        }
    }

    /// Lets the peer write out what waits in its page cache, and drop it.
    ///
    /// # Errors
    /// When it was not started with leave to do that, or cannot.
    pub fn drop_caches(&mut self) -> Result<(), Error> {
        self.request_done(&Request::DropCaches, "while dropping its page cache")
    }

    /// A request whose response holds no result.
    fn request_done(&mut self, request: &Request, during: &'static str) -> Result<(), Error> {
        match self.request(request, during)? {
            Response::Done => Ok(()),
            _ => Err(Error::UnexpectedResponse),
        }
    }

    /// How many bytes the peer's machine has read from its devices since it started.
    ///
    /// # Errors
    /// When it does not count them, is too old to know the request, or is gone or slow.
    pub fn device_bytes(&mut self) -> Result<u64, Error> {
        match self.request(&Request::DeviceBytes, "while reading its device counters")? {
            Response::DeviceBytes { bytes } => Ok(bytes),
            _ => Err(Error::UnexpectedResponse),
        }
    }

    /// Ends the session, and waits for the peer to confirm.
    ///
    /// # Errors
    /// When the peer is gone or slow; the session is over all the same.
    pub fn end(mut self) -> Result<(), Error> {
        self.request_done(&Request::End, "while ending the session")
    }
}

/// A connection with loss-based congestion control, never paced: that must be set before it begins.
fn connect_with_loss_control(to: SocketAddr) -> sys::Result<TcpStream> {
    let socket = inet::tcp_socket(to.is_ipv6())?;
    inet::set_timeout(&socket, u32::try_from(DATA_TIMEOUT.as_millis()).unwrap_or(u32::MAX))?;
    // Where the kernel allows no other, it is as the system has it.
    let _ = inet::control_by_loss(&socket);
    inet::connect(&socket, &Destination::from(to))?;
    Ok(TcpStream::from(OwnedFd::from(socket)))
}
