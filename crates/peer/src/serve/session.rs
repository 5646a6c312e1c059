//! The process of one session: it answers the client's questions, and ends with the client or with the daemon.

use super::Handover;
use super::doors::Doors;
use super::running::{Running, Work};
use crate::key::from_hex;
use crate::proof::SESSION_BYTES;
use crate::secured::Heard;
use crate::wire::Wire;
use crate::{Answer, Ask, Described, Error, Key, Malformed, Proofs, Secured, Service};
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

impl std::fmt::Debug for Peer<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Peer({}, {} services)", self.program, self.services.len())
    }
}

/// Most that the daemon's line may hold, in bytes.
const MOST_HANDOVER: u64 = 4096;

/// Time for the client to begin its session, and to take an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time in which a question must be whole that has begun.
const WHOLE: Duration = Duration::from_secs(10);

/// Descriptors of one session: data connections, and what belongs to the process itself.
const MOST_DESCRIPTORS: u64 = super::doors::MOST_CONNECTIONS as u64 + 128;

/// Longest wait, in milliseconds, where some time may be over without a word from anybody.
const TURN: i32 = 1000;

/// What the client has opened.
enum Stage<'a> {
    /// Nothing.
    Idle,
    /// A service whose data connections come in.
    Opened {
        service: &'a Service,
        parameters: Value,
        doors: Doors,
    },
    /// A service at work.
    Running(Running),
}

struct Conversation<'a> {
    peer: &'a Peer<'a>,
    handover: Handover,
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
    let heard = std::io::stdin().lock().take(MOST_HANDOVER).read_line(&mut line);
    heard.map_err(|error| Error::here("the daemon cannot be heard", error))?;
    let handover: Handover = serde_json::from_str(&line).map_err(|_| {
        Error::here(
            "no session was handed over",
            "this command is for `oscope serve` only",
        )
    })?;
    if !sys::lifeline::die_with_standard_input() {
        return Ok(());
    }
    bound(&handover)?;
    let control = std::io::stdout().as_fd().try_clone_to_owned();
    let stream = TcpStream::from(control.map_err(|error| Error::here("no connection", error))?);
    converse(peer, handover, stream)
}

fn bound(handover: &Handover) -> Result<(), Error> {
    let bounds = &handover.bounds;
    limits::end_after(bounds.seconds);
    for (resource, most) in [
        (Resource::CoreDump, 0),
        (Resource::Memory, bounds.memory),
        (Resource::Descriptors, MOST_DESCRIPTORS),
        (Resource::CpuSeconds, u64::from(bounds.seconds)),
    ] {
        limits::lower(resource, most)?;
    }
    Ok(())
}

fn converse(peer: &Peer<'_>, handover: Handover, stream: TcpStream) -> Result<(), Error> {
    let failed = |error| Error::here("no connection", error);
    stream.set_nonblocking(false).map_err(failed)?;
    let own = stream.local_addr().map_err(failed)?;
    let key = Key::parse(&handover.key)?;
    let number: [u8; SESSION_BYTES] = from_hex(&handover.session).ok_or(Error::Crossed)?;
    let mut secured = Secured::await_other(&key, &number).map_err(Error::Foreign)?;
    let mut wire = Wire { stream };
    let mut conversation = Conversation {
        peer,
        proofs: Proofs::new(&key, number).map_err(Error::Foreign)?,
        own,
        until: Instant::now() + Duration::from_secs(u64::from(handover.bounds.seconds)),
        handover,
        stage: Stage::Idle,
    };
    let mut deadline = Some(Instant::now() + PATIENCE);
    loop {
        let heard = hear(&mut wire, &mut secured, &mut conversation, deadline)?;
        deadline = match heard {
            Heard::Nothing => deadline.or(Some(Instant::now() + WHOLE)),
            Heard::Proved(answer) => {
                wire.send(&answer, Instant::now() + PATIENCE, "while the session began")?;
                None
            }
            Heard::Message(message) => {
                let ask = serde_json::from_slice(&message);
                let ask = ask.map_err(|_| Error::Foreign(Malformed("a question is none")))?;
                let answer = conversation.answer(&ask);
                say(&mut wire, &mut secured, &answer)?;
                if ask == Ask::End {
                    return Ok(());
                }
                None
            }
        };
    }
}

fn say(wire: &mut Wire, secured: &mut Secured, answer: &Answer) -> Result<(), Error> {
    let text = serde_json::to_vec(answer).map_err(|error| Error::here("an answer has no text", error))?;
    let bytes = secured.say(&text).map_err(Error::Foreign)?;
    wire.send(&bytes, Instant::now() + PATIENCE, "while it was answered")
}

/// Waits for bytes of the client and takes them; sees to data connections meanwhile.
fn hear(
    wire: &mut Wire,
    secured: &mut Secured,
    conversation: &mut Conversation<'_>,
    deadline: Option<Instant>,
) -> Result<Heard, Error> {
    loop {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Error::Late("with the rest of a question"));
        }
        let mut entries = vec![Entry::reading(wire.stream.as_raw_fd())];
        let mut turn = if deadline.is_some() { TURN } else { -1 };
        if let Stage::Opened { doors, .. } = &conversation.stage {
            entries.extend(doors.entries());
            turn = TURN;
        }
        // While a service is at work, nothing here wakes up beside it.
        poll::wait(&mut entries, turn)?;
        if let Stage::Opened { doors, .. } = &mut conversation.stage {
            doors.serve(&mut conversation.proofs);
        }
        if entries.first().is_some_and(Entry::is_ready) {
            let mut buffer = vec![0; secured.wanted()];
            let came = wire.receive(
                &mut buffer,
                Instant::now() + PATIENCE,
                "and did not end its session",
            )?;
            return secured
                .take(buffer.get(..came).unwrap_or_default())
                .map_err(Error::Foreign);
        }
    }
}

impl<'a> Conversation<'a> {
    fn answer(&mut self, ask: &Ask) -> Answer {
        let answered = match ask {
            Ask::Session { .. } => Err(Error::Refused("this is a session already".to_owned())),
            Ask::Describe => Ok(Answer::Described(Box::new(self.described()))),
            Ask::Open { service, parameters } => self.open(service, parameters),
            Ask::Start => self.start(),
            Ask::Counts => match &mut self.stage {
                Stage::Running(running) => running.counts().map(Answer::Counts),
                _ => Err(Error::Refused("no service is running".to_owned())),
            },
            Ask::Stop => match std::mem::replace(&mut self.stage, Stage::Idle) {
                Stage::Running(running) => running.stop().map(Answer::Stopped),
                _ => Err(Error::Refused("no service is running".to_owned())),
            },
            Ask::DropCaches => self.drop_caches(),
            Ask::DeviceBytes => device_bytes(),
            Ask::End => {
                self.stage = Stage::Idle;
                Ok(Answer::Done)
            }
            Ask::Unknown => Err(Error::Refused(format!(
                "{} does not know this question; use a newer oscope there",
                self.peer.program
            ))),
        };
        answered.unwrap_or_else(|error| match error {
            Error::Refused(reason) => Answer::Refused { reason },
            Error::Failed(reason) => Answer::Failed { reason },
            other => Answer::Failed {
                reason: other.to_string(),
            },
        })
    }

    fn described(&self) -> Described {
        Described {
            program: self.peer.program.to_owned(),
            protocol: self.handover.protocol,
            services: self
                .peer
                .services
                .iter()
                .map(|service| service.name.to_owned())
                .collect(),
            drops_caches: self.handover.allow_drop_caches,
            machine: (self.peer.describe)(),
        }
    }

    fn open(&mut self, name: &str, parameters: &Value) -> Result<Answer, Error> {
        // What was open before is closed first.
        self.stage = Stage::Idle;
        let found = self.peer.services.iter().find(|service| service.name == name);
        let service = *found.ok_or_else(|| self.no_such(name))?;
        let doors = Doors::open(service.transport, self.own, self.handover.client.ip())?;
        let (transport, port) = doors.port();
        let parameters = parameters.clone();
        self.stage = Stage::Opened {
            service,
            parameters,
            doors,
        };
        Ok(Answer::Opened { transport, port })
    }

    fn no_such(&self, name: &str) -> Error {
        let shown: String = name
            .chars()
            .filter(|letter| !letter.is_control())
            .take(64)
            .collect();
        let known: Vec<&str> = self.peer.services.iter().map(|service| service.name).collect();
        Error::Refused(format!(
            "{} has no service {shown}, but {}; use one version of oscope at both ends",
            self.peer.program,
            known.join(", ")
        ))
    }

    fn start(&mut self) -> Result<Answer, Error> {
        let Stage::Opened {
            service,
            parameters,
            mut doors,
        } = std::mem::replace(&mut self.stage, Stage::Idle)
        else {
            return Err(Error::Refused("no service is opened".to_owned()));
        };
        doors.serve(&mut self.proofs);
        let running = Running::start(Work {
            service,
            parameters: &parameters,
            through: doors.close()?,
            client: self.handover.client.ip(),
            bounds: self.handover.bounds,
            until: self.until,
        })?;
        self.stage = Stage::Running(running);
        let clock_ns = u64::try_from(sys::kernel_time::raw_nanos()).unwrap_or(0);
        Ok(Answer::Started { clock_ns })
    }

    fn drop_caches(&self) -> Result<Answer, Error> {
        if !self.handover.allow_drop_caches {
            let reason = "it was not allowed to drop its page cache; start it with --allow-drop-caches";
            return Err(Error::Refused(reason.to_owned()));
        }
        // What was not written out yet stays in the cache.
        sys::direct::sync_everything();
        let dropped = std::fs::write("/proc/sys/vm/drop_caches", "3");
        dropped.map(|()| Answer::Done).map_err(|error| {
            Error::Refused(format!(
                "/proc/sys/vm/drop_caches: {error}; only root of the machine may do that"
            ))
        })
    }
}

/// The kernel's counters of its memory, of which one counts KiB that it has read from block devices.
const COUNTERS: &str = "/proc/vmstat";

fn device_bytes() -> Result<Answer, Error> {
    let refused = |why: &str| Error::Refused(format!("{COUNTERS}: {why}"));
    let text = std::fs::read_to_string(COUNTERS).map_err(|error| refused(&error.to_string()))?;
    let line = text.lines().find_map(|line| line.strip_prefix("pgpgin "));
    let kib: Option<u64> = line.and_then(|number| number.trim().parse().ok());
    let bytes = kib.and_then(|kib| kib.checked_mul(1024));
    let bytes = bytes.ok_or_else(|| refused("it does not count what is read from devices"))?;
    Ok(Answer::DeviceBytes { bytes })
}
