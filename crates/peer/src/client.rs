//! The client's side of a session: connect, open a service, count, end; each step within a bound of time.

use crate::greeting::{Knock, Knocked};
use crate::secured::{Heard, Secured};
use crate::wire::Wire;
use crate::{
    Answer, Ask, Counts, Described, Error, PROOF_BYTES, PeerAddress, Proofs, REPLY_BYTES, Transport,
};
use serde_json::Value;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};
use sys::descriptor::Descriptor;
use sys::inet::{self, Destination};

/// Time for every step.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time for writing out all that waits in the cache of a machine, which may be much on a slow disk.
const WRITTEN_OUT: Duration = Duration::from_secs(60);

/// Time after which a datagram that was not answered is sent again, and how often it is.
const AGAIN: (Duration, u32) = (Duration::from_millis(250), 12);

/// How often a peer that closes at the door, where strangers crowd, is tried.
const TRIES: u32 = 3;

/// A session with a peer. When it is dropped, the peer ends everything that belongs to it.
#[derive(Debug)]
pub struct Client {
    wire: Wire,
    secured: Secured,
    proofs: Proofs,
    peer: SocketAddr,
    protocol: u16,
    port: Option<(Transport, u16)>,
}

/// The peer's counts, and this side's clock (CLOCK_MONOTONIC_RAW) around the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latched {
    /// Before it was asked, in nanoseconds.
    pub before_ns: u64,
    /// After it had answered.
    pub after_ns: u64,
    /// What it said.
    pub there: Counts,
}

fn now_ns() -> u64 {
    u64::try_from(sys::kernel_time::raw_nanos()).unwrap_or(0)
}

impl Client {
    /// Begins a session; `program` is this program's name and version.
    ///
    /// # Errors
    /// When nobody listens there, it is no peer, speaks other versions, has another key, or is busy.
    pub fn connect(address: &PeerAddress, program: &str) -> Result<Self, Error> {
        let deadline = Instant::now() + PATIENCE;
        let mut last = Error::Address(address.address.clone());
        for resolved in address.resolved()? {
            for _ in 0..TRIES {
                match Self::greet(resolved, address, program, deadline) {
                    // At the door among many strangers, one may be let go for no fault of its own.
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
            why: error.to_string(),
        })?;
        // A question waits for its answer: nothing is gained by waiting for more to send.
        let _ = stream.set_nodelay(true);
        let mut wire = Wire { stream };
        let (mut knock, hello) = Knock::new(&address.key, program);
        wire.send(&hello, deadline, "before it said which protocol it speaks")?;
        let (session, key) = loop {
            let mut buffer = vec![0; knock.wanted()];
            let came = wire.receive(&mut buffer, deadline, "before it said which protocol it speaks");
            let came = came.map_err(|error| match error {
                Error::Closed(_) if knock.is_greeted() => Error::WrongKey,
                other => other,
            })?;
            match knock.take(buffer.get(..came).unwrap_or_default())? {
                Knocked::More => {}
                Knocked::Say(bytes) => wire.send(&bytes, deadline, "while the session began")?,
                Knocked::Session { session, key } => break (session, key),
            }
        };
        let (secured, first) = Secured::begin(&key, &session).map_err(Error::Foreign)?;
        wire.send(&first, deadline, "while the session began")?;
        let mut client = Self {
            wire,
            secured,
            proofs: Proofs::new(&key, session).map_err(Error::Foreign)?,
            peer: at,
            protocol: knock.protocol(),
            port: None,
        };
        match client.heard(deadline, "while the session began")? {
            Heard::Proved(_) => Ok(client),
            _ => Err(Error::Crossed),
        }
    }

    /// Reads until something was meant.
    fn heard(&mut self, deadline: Instant, during: &'static str) -> Result<Heard, Error> {
        loop {
            let mut buffer = vec![0; self.secured.wanted()];
            let came = self.wire.receive(&mut buffer, deadline, during)?;
            let bytes = buffer.get(..came).unwrap_or_default();
            match self.secured.take(bytes).map_err(Error::Foreign)? {
                Heard::Nothing => {}
                heard => return Ok(heard),
            }
        }
    }

    fn ask(&mut self, ask: &Ask, during: &'static str) -> Result<Answer, Error> {
        self.ask_within(ask, PATIENCE, during)
    }

    fn ask_within(&mut self, ask: &Ask, time: Duration, during: &'static str) -> Result<Answer, Error> {
        let deadline = Instant::now() + time;
        let text = serde_json::to_vec(ask).map_err(|error| Error::here("a question has no text", error))?;
        let bytes = self.secured.say(&text).map_err(Error::Foreign)?;
        self.wire.send(&bytes, deadline, during)?;
        let Heard::Message(message) = self.heard(deadline, during)? else {
            return Err(Error::Crossed);
        };
        match serde_json::from_slice(&message) {
            Ok(Answer::Refused { reason }) => Err(Error::Refused(reason)),
            Ok(Answer::Failed { reason }) => Err(Error::Failed(reason)),
            Ok(answer) => Ok(answer),
            Err(_) => Err(Error::Crossed),
        }
    }

    /// The version of the protocol that is spoken.
    pub fn protocol(&self) -> u16 {
        self.protocol
    }

    /// The address of the control connection's other end.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// What the peer says of itself.
    ///
    /// # Errors
    /// When it is gone or slow.
    pub fn describe(&mut self) -> Result<Described, Error> {
        match self.ask(&Ask::Describe, "when it was asked what it is")? {
            Answer::Described(described) => Ok(*described),
            _ => Err(Error::Crossed),
        }
    }

    /// Lets the peer get a service ready; what was open before is closed. Data connections come next, then
    /// [`Client::start`].
    ///
    /// # Errors
    /// When it has no such service, or is gone or slow.
    pub fn open(&mut self, service: &str, parameters: Value) -> Result<(), Error> {
        let service = service.to_owned();
        let ask = Ask::Open { service, parameters };
        match self.ask(&ask, "when a service was to be opened")? {
            Answer::Opened { transport, port } => {
                self.port = Some((transport, port));
                Ok(())
            }
            _ => Err(Error::Crossed),
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
    pub fn door(&self) -> Result<SocketAddr, Error> {
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
        const DURING: &str = "while a data connection began";
        let port = self.port(Transport::Tcp)?;
        let deadline = Instant::now() + PATIENCE;
        let stream = connected_by_loss(self.at(port.1)).map_err(|error| {
            let error = std::io::Error::from_raw_os_error(error.errno);
            Error::here("no data connection to the peer", error)
        })?;
        let _ = stream.set_nodelay(true);
        let proof = self.proofs.make(port).map_err(Error::Foreign)?;
        let mut wire = Wire { stream };
        wire.send(&proof, deadline, DURING)?;
        let mut reply = [0; REPLY_BYTES];
        let mut filled = 0;
        while let Some(rest) = reply.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            filled += wire.receive(rest, deadline, DURING)?;
        }
        if !self.proofs.is_reply(&proof, port, &reply) {
            return Err(Error::Foreign(crate::Malformed(
                "a data connection is not the peer's",
            )));
        }
        let unbounded = wire
            .stream
            .set_read_timeout(None)
            .and_then(|()| wire.stream.set_write_timeout(None));
        unbounded.map_err(|error| Error::here("a data connection", error))?;
        Ok(Descriptor::from(OwnedFd::from(wire.stream)))
    }

    /// A socket for datagrams that is connected with the opened service, proved by both ends; blocking. A late
    /// answer to a proof that was sent twice may still come.
    ///
    /// # Errors
    /// When it cannot be made, or no proof is answered.
    pub fn data_udp(&mut self) -> Result<Descriptor, Error> {
        let port = self.port(Transport::Udp)?;
        let failed = |error| Error::here("no datagrams to the peer", error);
        // From the address of the control connection, which the peer knows.
        let mut own = self.wire.stream.local_addr().map_err(failed)?;
        own.set_port(0);
        let socket = UdpSocket::bind(own).map_err(failed)?;
        socket.connect(self.at(port.1)).map_err(failed)?;
        socket.set_read_timeout(Some(AGAIN.0)).map_err(failed)?;
        let mut sent: Vec<[u8; PROOF_BYTES]> = Vec::new();
        for _ in 0..AGAIN.1 {
            let proof = self.proofs.make(port).map_err(Error::Foreign)?;
            sent.push(proof);
            socket.send(&proof).map_err(failed)?;
            let mut reply = [0; REPLY_BYTES + 1];
            let came = socket.recv(&mut reply).unwrap_or(0);
            let reply = reply.get(..came).unwrap_or_default();
            if sent.iter().any(|proof| self.proofs.is_reply(proof, port, reply)) {
                socket.set_read_timeout(None).map_err(failed)?;
                return Ok(Descriptor::from(OwnedFd::from(socket)));
            }
        }
        Err(Error::Late("to a datagram; is UDP filtered between the two?"))
    }

    /// The barrier: afterwards the service is ready for data.
    ///
    /// # Errors
    /// When it could not begin, or the peer is gone or slow.
    pub fn start(&mut self) -> Result<u64, Error> {
        match self.ask(&Ask::Start, "when the service was to begin")? {
            Answer::Started { clock_ns } => Ok(clock_ns),
            _ => Err(Error::Crossed),
        }
    }

    /// How far the service is, with both clocks.
    ///
    /// # Errors
    /// When it failed, or the peer is gone or slow.
    pub fn counts(&mut self) -> Result<Latched, Error> {
        let before_ns = now_ns();
        match self.ask(&Ask::Counts, "when it was asked for its counts")? {
            Answer::Counts(there) => Ok(Latched {
                before_ns,
                after_ns: now_ns(),
                there,
            }),
            _ => Err(Error::Crossed),
        }
    }

    /// Waits for the end of the service, which comes when its connections are closed; a service that has not
    /// ended soon is ended.
    ///
    /// # Errors
    /// When it failed, or the peer is gone or slow.
    pub fn stop(&mut self) -> Result<Counts, Error> {
        match self.ask(&Ask::Stop, "when the service was to end")? {
            Answer::Stopped(counts) => Ok(counts),
            _ => Err(Error::Crossed),
        }
    }

    /// Lets the peer write out what waits in its page cache, and drop it.
    ///
    /// # Errors
    /// When it was not started with leave to do that, or cannot.
    pub fn drop_caches(&mut self) -> Result<(), Error> {
        match self.ask_within(&Ask::DropCaches, WRITTEN_OUT, "when it was to drop its cache")? {
            Answer::Done => Ok(()),
            _ => Err(Error::Crossed),
        }
    }

    /// How many bytes the peer's machine has read from its devices since it started.
    ///
    /// # Errors
    /// When it cannot tell, is too old to know the question, or is gone or slow.
    pub fn device_bytes(&mut self) -> Result<u64, Error> {
        match self.ask(&Ask::DeviceBytes, "when it was asked what it read from devices")? {
            Answer::DeviceBytes { bytes } => Ok(bytes),
            _ => Err(Error::Crossed),
        }
    }

    /// Ends the session, and hears that it is over.
    ///
    /// # Errors
    /// When the peer is gone or slow; the session is over all the same.
    pub fn end(mut self) -> Result<(), Error> {
        match self.ask(&Ask::End, "when the session was to end")? {
            Answer::Done => Ok(()),
            _ => Err(Error::Crossed),
        }
    }
}
/// A connection that never paces by a clock: that is decided before it begins.
fn connected_by_loss(to: SocketAddr) -> sys::Result<TcpStream> {
    let socket = inet::tcp_socket(to.is_ipv6())?;
    inet::set_patience(&socket, u32::try_from(PATIENCE.as_millis()).unwrap_or(u32::MAX))?;
    // Where the kernel allows no other, it is as the system has it.
    let _ = inet::control_by_loss(&socket);
    inet::connect(&socket, &Destination::from(to))?;
    Ok(TcpStream::from(OwnedFd::from(socket)))
}
