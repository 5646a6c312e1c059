//! The process of one session: it responds to the client's requests, and ends with the client or with the daemon.

use super::data_listener::DataListener;
use super::running_service::{RunningService, ServiceInput};
use super::settings::Handover;
use crate::counters::now_ns;
use crate::key::from_hex;
use crate::proof::SESSION_BYTES;
use crate::secured::Received;
use crate::wire::Wire;
use crate::{Description, Error, Key, Malformed, Proofs, Request, Response, Secured, Service};
use record::Machine;
use serde_json::Value;
use std::io::{BufRead, Read};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};
use sys::limits::{self, Resource};
use sys::poll::{self, Entry};

/// What a peer can do, and how it describes itself.
pub struct Peer<'a> {
    /// Its program: `oscope 0.1.0`.
    pub program: &'a str,
    /// Its services.
    pub services: &'a [&'a Service],
    /// Its machine.
    pub describe: &'a dyn Fn() -> Machine,
}

/// Most that the daemon's line may hold, in bytes.
const MAX_HANDOVER: u64 = 4096;

/// Timeout for the client to begin its session, and to take a response.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeout for the rest of a request that has begun.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Descriptors of one session: data connections, and what belongs to the process itself.
const MAX_DESCRIPTORS: u64 = super::data_listener::MAX_CONNECTIONS as u64 + 128;

/// Longest wait, in milliseconds, while a timeout may expire.
const POLL_MS: i32 = 1000;

/// What the client has opened.
enum Stage<'a> {
    /// Nothing.
    Idle,
    /// A service whose data connections come in.
    Opened { service: &'a Service, parameters: Value, data_listener: DataListener },
    /// A service at work.
    RunningService(RunningService),
}

struct ClientSession<'a> {
    peer: &'a Peer<'a>,
    handover: Handover,
    wire: Wire,
    secured: Secured,
    proofs: Proofs,
    own: SocketAddr,
    until: Instant,
    stage: Stage<'a>,
}

/// Runs the session that the daemon hands over by standard input (one line) and standard output (the client's
/// connection).
///
/// # Errors
/// When the session ends otherwise than by the client's wish: a sentence for the daemon's log.
pub fn session(peer: &Peer<'_>) -> Result<(), Error> {
    let mut line = String::new();
    let received = std::io::stdin().lock().take(MAX_HANDOVER).read_line(&mut line);
    received.map_err(|error| Error::local("the daemon cannot be read from", error))?;
    let handover: Handover = serde_json::from_str(&line)
        .map_err(|_| Error::local("no session was handed over", "this command is for `oscope serve` only"))?;
    if !sys::supervision::exit_when_stdin_closes() {
        return Ok(());
    }
    bound(&handover)?;
    let control = std::io::stdout().as_fd().try_clone_to_owned();
    let stream = TcpStream::from(control.map_err(|error| Error::local("no connection", error))?);
    serve_session(peer, handover, stream)
}

fn bound(handover: &Handover) -> Result<(), Error> {
    let bounds = &handover.bounds;
    limits::end_after(bounds.seconds);
    for (resource, most) in [
        (Resource::Core, 0),
        (Resource::As, bounds.memory),
        (Resource::Nofile, MAX_DESCRIPTORS),
        (Resource::Cpu, u64::from(bounds.seconds)),
    ] {
        limits::lower(resource, most)?;
    }
    Ok(())
}

fn serve_session(peer: &Peer<'_>, handover: Handover, stream: TcpStream) -> Result<(), Error> {
    let failed = |error| Error::local("no connection", error);
    stream.set_nonblocking(false).map_err(failed)?;
    let own = stream.local_addr().map_err(failed)?;
    let key = Key::parse(&handover.key)?;
    let number: [u8; SESSION_BYTES] = from_hex(&handover.session).ok_or(Error::UnexpectedResponse)?;
    let mut session = ClientSession {
        peer,
        wire: Wire { stream },
        secured: Secured::respond(&key, &number)?,
        proofs: Proofs::new(&key, number)?,
        own,
        until: Instant::now() + Duration::from_secs(u64::from(handover.bounds.seconds)),
        handover,
        stage: Stage::Idle,
    };
    let mut deadline = Some(Instant::now() + CLIENT_TIMEOUT);
    loop {
        deadline = match session.receive(deadline)? {
            Received::Incomplete => deadline.or(Some(Instant::now() + REQUEST_TIMEOUT)),
            Received::Authenticated(answer) => {
                session.send(&answer, "while starting the session")?;
                None
            }
            Received::Message(message) => {
                let request = serde_json::from_slice(&message);
                let request = request.map_err(|_| Malformed("an unreadable request"))?;
                let response = session.respond(&request);
                let response = session.secured.seal(&response)?;
                session.send(&response, "while receiving a response")?;
                if request == Request::End {
                    return Ok(());
                }
                None
            }
        };
    }
}

impl ClientSession<'_> {
    fn send(&mut self, bytes: &[u8], during: &'static str) -> Result<(), Error> {
        self.wire.send(bytes, Instant::now() + CLIENT_TIMEOUT, during)
    }

    /// Waits for bytes of the client and takes them; serves data connections meanwhile.
    fn receive(&mut self, deadline: Option<Instant>) -> Result<Received, Error> {
        loop {
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(Error::TimedOut("with the rest of a request"));
            }
            let mut entries = vec![Entry::reading(self.wire.stream.as_raw_fd())];
            let mut wait_ms = if deadline.is_some() { POLL_MS } else { -1 };
            if let Stage::Opened { data_listener, .. } = &self.stage {
                entries.extend(data_listener.entries());
                wait_ms = POLL_MS;
            }
            // While a service is at work, nothing here wakes up beside it.
            poll::wait(&mut entries, wait_ms)?;
            if let Stage::Opened { data_listener, .. } = &mut self.stage {
                data_listener.serve(&mut self.proofs);
            }
            if entries.first().is_some_and(Entry::is_ready) {
                let deadline = Instant::now() + CLIENT_TIMEOUT;
                let came =
                    self.wire.receive(self.secured.wanted(), deadline, "without ending its session")?;
                return Ok(self.secured.take(&came)?);
            }
        }
    }

    fn respond(&mut self, request: &Request) -> Response {
        let response = match request {
            Request::Session { .. } => Err(Error::Refused("this is a session already".to_owned())),
            Request::Describe => Ok(Response::Description(Box::new(self.description()))),
            Request::Open { service, parameters } => self.open(service, parameters),
            Request::Start => self.start(),
            Request::Counts => match &mut self.stage {
                Stage::RunningService(running) => running.counts().map(Response::Counts),
                _ => Err(Error::Refused("no service is running".to_owned())),
            },
            Request::Stop => match std::mem::replace(&mut self.stage, Stage::Idle) {
                Stage::RunningService(running) => running.stop().map(Response::Stopped),
                _ => Err(Error::Refused("no service is running".to_owned())),
            },
            Request::DropCaches => self.drop_caches(),
            Request::DeviceBytes => device_bytes(),
            Request::End => {
                self.stage = Stage::Idle;
                Ok(Response::Done)
            }
            Request::Unknown => Err(Error::Refused(format!(
                "{} does not know this request; use a newer oscope there",
                self.peer.program
            ))),
        };
        response.unwrap_or_else(|error| match error {
            Error::Refused(reason) => Response::Refused { reason },
            Error::Failed(reason) => Response::Failed { reason },
            other => Response::Failed { reason: other.to_string() },
        })
    }

    fn description(&self) -> Description {
        Description {
            program: self.peer.program.to_owned(),
            protocol: self.handover.protocol,
            services: self.peer.services.iter().map(|service| service.name.to_owned()).collect(),
            drops_caches: self.handover.allow_drop_caches,
            machine: (self.peer.describe)(),
        }
    }

    fn open(&mut self, name: &str, parameters: &Value) -> Result<Response, Error> {
        // What was open before is closed first.
        self.stage = Stage::Idle;
        let found = self.peer.services.iter().find(|service| service.name == name);
        let service = *found.ok_or_else(|| self.no_such(name))?;
        let data_listener = DataListener::open(service.transport, self.own, self.handover.client.ip())?;
        let (transport, port) = data_listener.port();
        let parameters = parameters.clone();
        self.stage = Stage::Opened { service, parameters, data_listener };
        Ok(Response::Opened { transport, port })
    }

    fn no_such(&self, name: &str) -> Error {
        let shown: String = name.chars().filter(|letter| !letter.is_control()).take(64).collect();
        let known: Vec<&str> = self.peer.services.iter().map(|service| service.name).collect();
        Error::Refused(format!(
            "{} has no service {shown}, but {}; use one version of oscope at both ends",
            self.peer.program,
            known.join(", ")
        ))
    }

    fn start(&mut self) -> Result<Response, Error> {
        let Stage::Opened { service, parameters, mut data_listener } =
            std::mem::replace(&mut self.stage, Stage::Idle)
        else {
            return Err(Error::Refused("no service is opened".to_owned()));
        };
        data_listener.serve(&mut self.proofs);
        let running = RunningService::start(ServiceInput {
            service,
            parameters: &parameters,
            data: data_listener.close()?,
            bounds: self.handover.bounds,
            until: self.until,
        })?;
        self.stage = Stage::RunningService(running);
        Ok(Response::Started { clock_ns: now_ns() })
    }

    fn drop_caches(&self) -> Result<Response, Error> {
        if !self.handover.allow_drop_caches {
            let reason = "it was not allowed to drop its page cache; start it with --allow-drop-caches";
            return Err(Error::Refused(reason.to_owned()));
        }
        // What was not written out yet stays in the cache.
        sys::direct::sync_everything();
        let dropped = std::fs::write("/proc/sys/vm/drop_caches", "3");
        dropped.map(|()| Response::Done).map_err(|error| {
            Error::Refused(format!("/proc/sys/vm/drop_caches: {error}; only root of the machine may do that"))
        })
    }
}

/// The kernel's counters of its memory, of which one counts KiB that it has read from block devices.
const COUNTERS: &str = "/proc/vmstat";

fn device_bytes() -> Result<Response, Error> {
    let text = std::fs::read_to_string(COUNTERS);
    let text = text.map_err(|error| Error::Refused(format!("{COUNTERS}: {error}")))?;
    let line = text.lines().find_map(|line| line.strip_prefix("pgpgin "));
    let kib: Option<u64> = line.and_then(|number| number.trim().parse().ok());
    match kib.and_then(|kib| kib.checked_mul(1024)) {
        Some(bytes) => Ok(Response::DeviceBytes { bytes }),
        None => Err(Error::Refused(format!("{COUNTERS}: it does not count what is read from devices"))),
    }
}
