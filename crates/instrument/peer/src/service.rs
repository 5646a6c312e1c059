//! What a peer does for its client: services, and what one is given when it runs.

use crate::counters::{Lane, SharedCounters};
use crate::{Error, Transport};
use serde_json::Value;
use std::io::Write;
use std::net::{IpAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};
use sys::descriptor::Descriptor;

/// One thing that a peer does. It runs in a process of its own, which dies with its session.
#[derive(Debug, Clone, Copy)]
pub struct Service {
    /// Its name, stable for ever: `echo.tcp`.
    pub name: &'static str,
    /// How its data are carried.
    pub transport: Transport,
    /// Does it, until its connections end. It must call [`Session::ready`] before it waits for data.
    pub run: fn(&mut Session<'_>) -> Result<(), Error>,
}

/// What a running service is given.
#[derive(Debug)]
pub struct Session<'a> {
    /// What the client sent; it is not trusted.
    pub parameters: &'a Value,
    /// Proved connections, for [`Transport::Tcp`]; blocking, with TCP_NODELAY, and nothing waits in them.
    pub connections: Vec<Descriptor>,
    /// The socket that is connected with the proved address, for [`Transport::Udp`]; blocking.
    pub socket: Option<Descriptor>,
    /// Where the client will connect, for [`Transport::Accepted`].
    pub listener: Option<ClientListener>,
    /// When it must be over, or is killed.
    pub until: Instant,
    pub(crate) counters: &'a SharedCounters,
    pub(crate) max_bytes: u64,
    pub(crate) report: &'a std::io::PipeWriter,
}

impl Session<'_> {
    /// Reports that the service is ready: the client may begin.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn ready(&self) -> Result<(), Error> {
        let mut report = self.report;
        let written = report.write_all(&[READY]);
        written.map_err(|error| Error::local("the session is gone", error))
    }

    /// Keeps the calling actor on the CPU that the client asks for by the parameter `cpu`, or on the last that may
    /// be used, as the client does. Gives which; `None` where that is denied.
    pub fn pin(&self) -> Option<u32> {
        let asked = self.parameters.get("cpu").and_then(Value::as_u64);
        let asked = asked.and_then(|cpu| u32::try_from(cpu).ok());
        let cpu = asked.or_else(|| nth_from_last(0))?;
        sys::cpu::pin(cpu).ok().map(|()| cpu)
    }

    /// Keeps the calling actor, a thread of its own, on the CPU of its turn: the first on the last that may be used, the
    /// next on the one before it. Gives which; `None` where that is denied.
    pub fn pin_actor(&self, actor: usize) -> Option<u32> {
        let cpu = nth_from_last(actor)?;
        sys::cpu::pin(cpu).ok().map(|()| cpu)
    }

    /// The counters of one of its actors, numbered from 0.
    ///
    /// # Errors
    /// When there are more actors than lanes (64).
    pub fn lane(&self, actor: usize) -> Result<Lane<'_>, Error> {
        let lane = self.counters.lane(actor, self.max_bytes);
        lane.ok_or_else(|| Error::Failed("a service has at most 64 actors".to_owned()))
    }

    /// Most bytes that all its actors may move together.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// The time that is left.
    pub fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

/// A CPU that the calling thread may use, counted backwards from the last, again and again.
fn nth_from_last(turn: usize) -> Option<u32> {
    let allowed = sys::cpu::allowed().ok()?;
    allowed.iter().rev().cycle().nth(turn).copied()
}

/// Written by [`Session::ready`].
pub(crate) const READY: u8 = b'r';

/// A port to which the client connects, for services that measure just that.
#[derive(Debug)]
pub struct ClientListener {
    pub(crate) listener: TcpListener,
    pub(crate) client: IpAddr,
}

impl ClientListener {
    /// The next connection of the client; connections of others are closed.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn accept(&self) -> Result<Descriptor, Error> {
        loop {
            match self.listener.accept() {
                Ok((stream, from)) if from.ip() == self.client => {
                    return Ok(Descriptor::from(OwnedFd::from(stream)));
                }
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::local("accept", error)),
            }
        }
    }

    /// The number of the descriptor that is listened on, for services that accept by calls of their own; they
    /// must close what does not come from [`ClientListener::client`].
    pub fn number(&self) -> i32 {
        std::os::fd::AsRawFd::as_raw_fd(&self.listener)
    }

    /// The only address from which connections may come.
    pub fn client(&self) -> IpAddr {
        self.client
    }
}
