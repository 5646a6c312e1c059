//! A service at work in a process of its own.

use super::Bounds;
use super::doors::Through;
use crate::latch::Latch;
use crate::service::{Door, READY};
use crate::{Counts, Error, Service, Session, Transport};
use serde_json::Value;
use std::io::{PipeReader, Read, Write};
use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};
use sys::descriptor::Descriptor;
use sys::poll::{self, Entry};
use sys::process::Actor;

/// Time for a service to be ready.
const SETTING_UP: Duration = Duration::from_secs(5);

/// Time for a service to end after its connections have: less than a client waits. One without connections of its
/// own cannot know that it should.
fn ending(transport: Transport) -> Duration {
    match transport {
        Transport::Tcp => Duration::from_secs(3),
        Transport::Udp | Transport::Accepted => Duration::ZERO,
    }
}

/// Most that a service may say of its failure.
const MOST_SAID: usize = 1024;

/// A service, its process and its counters. The process is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Running {
    // Before the latch, so that nobody counts in memory that is gone.
    _actor: Actor,
    report: PipeReader,
    said: Vec<u8>,
    over: bool,
    ending: Duration,
    latch: Latch,
}

/// What a service is given.
pub(super) struct Work<'a> {
    pub(super) service: &'a Service,
    pub(super) parameters: &'a Value,
    pub(super) through: Through,
    pub(super) client: IpAddr,
    pub(super) bounds: Bounds,
    pub(super) until: Instant,
}

impl Running {
    /// Starts the service and waits until it is ready.
    pub(super) fn start(work: Work<'_>) -> Result<Self, Error> {
        let latch = Latch::new()?;
        let pipe = std::io::pipe();
        let (report, writer) = pipe.map_err(|error| Error::here("no pipe to the service", error))?;
        let ending = ending(work.service.transport);
        let actor = Actor::spawn(None, || act(work, &latch, writer))?;
        let mut running = Self {
            _actor: actor,
            report,
            said: Vec::new(),
            over: false,
            ending,
            latch,
        };
        running.hear(SETTING_UP, |said| said.first() == Some(&READY));
        match running.said.first() {
            Some(&READY) => Ok(running),
            _ => Err(running
                .failure()
                .unwrap_or(Error::Failed("the service was not ready in time".to_owned()))),
        }
    }

    /// Takes what it says, until that is enough, it is over, or the time is.
    fn hear(&mut self, wait: Duration, is_enough: impl Fn(&[u8]) -> bool) {
        let deadline = Instant::now() + wait;
        while !self.over && !is_enough(&self.said) {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut entries = [Entry::reading(self.report.as_raw_fd())];
            let _ = poll::wait(&mut entries, i32::try_from(left.as_millis()).unwrap_or(i32::MAX));
            if !entries.iter().any(Entry::is_ready) {
                if left.is_zero() {
                    return;
                }
                continue;
            }
            let mut buffer = [0; 256];
            match self.report.read(&mut buffer) {
                Ok(0) | Err(_) => self.over = true,
                Ok(came) => self.said.extend(buffer.iter().take(came)),
            }
            self.over |= self.said.len() > MOST_SAID;
        }
    }

    /// Why it failed, if it is over and has.
    fn failure(&self) -> Option<Error> {
        let said = self.said.strip_prefix(&[READY]).unwrap_or(&self.said);
        let ended_well = said == [DONE] || !self.over;
        let text = match said {
            [] => "the service was killed: it had used up its time or its memory".to_owned(),
            said => String::from_utf8_lossy(said).into_owned(),
        };
        (!ended_well).then_some(Error::Failed(text))
    }

    /// How far it is.
    pub(super) fn counts(&mut self) -> Result<Counts, Error> {
        self.hear(Duration::ZERO, |_| false);
        self.failure().map_or_else(|| Ok(self.latch.read()), Err)
    }

    /// Waits for its end; a service that still runs then is killed.
    pub(super) fn stop(mut self) -> Result<Counts, Error> {
        self.hear(self.ending, |_| false);
        self.failure().map_or_else(|| Ok(self.latch.read()), Err)
    }
}

/// Said by a service that has come to its end.
const DONE: u8 = b'.';

/// The service's process.
fn act(work: Work<'_>, latch: &Latch, report: std::io::PipeWriter) -> i32 {
    let left = work.until.saturating_duration_since(Instant::now());
    sys::limits::end_after(u32::try_from(left.as_secs()).unwrap_or(u32::MAX).max(1));
    let descriptors = work.through.connections.into_iter().map(OwnedFd::from);
    let (listener, client) = (work.through.listener, work.client);
    let mut session = Session {
        parameters: work.parameters,
        connections: descriptors.map(Descriptor::from).collect(),
        socket: work.through.socket.map(OwnedFd::from).map(Descriptor::from),
        door: listener.map(|listener| Door { listener, client }),
        until: work.until,
        latch,
        most_bytes: work.bounds.bytes,
        report: &report,
    };
    let result = (work.service.run)(&mut session);
    let said = match &result {
        Ok(()) => vec![DONE],
        // The client says by itself that it was the peer that failed.
        Err(Error::Failed(reason)) => reason.clone().into_bytes(),
        Err(error) => error.to_string().into_bytes(),
    };
    // Nobody may be left to hear it.
    let _ = (&report).write_all(said.get(..said.len().min(MOST_SAID / 2)).unwrap_or(&said));
    i32::from(result.is_err())
}
