//! A running service, in a process of its own.

use super::data_listener::DataConnections;
use super::settings::Bounds;
use crate::counters::SharedCounters;
use crate::service::READY;
use crate::{Counts, Error, Service, Session, Transport};
use serde_json::Value;
use std::io::{PipeReader, Read, Write};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};
use sys::poll::{self, Entry};
use sys::process::Actor;

/// Timeout for a service to be ready.
const READY_TIMEOUT: Duration = Duration::from_secs(5);

/// Time for a service to end after its connections have: less than a client waits. One without connections of its
/// own cannot know that it should.
fn end_timeout(transport: Transport) -> Duration {
    match transport {
        Transport::Tcp => Duration::from_secs(3),
        Transport::Udp | Transport::Accepted => Duration::ZERO,
    }
}

/// Most bytes of the report of a service.
const MAX_REPORT: usize = 1024;

/// A service, its process and its counters. The process is killed when this is dropped.
pub(super) struct RunningService {
    // Dropped before the counters, so that no process counts in memory that is unmapped.
    _actor: Actor,
    report: PipeReader,
    received: Vec<u8>,
    over: bool,
    end_timeout: Duration,
    counters: SharedCounters,
}

/// What a service is given.
pub(super) struct ServiceInput<'a> {
    pub(super) service: &'a Service,
    pub(super) parameters: &'a Value,
    pub(super) data: DataConnections,
    pub(super) bounds: Bounds,
    pub(super) until: Instant,
}

impl RunningService {
    /// Starts the service and waits until it is ready.
    pub(super) fn start(work: ServiceInput<'_>) -> Result<Self, Error> {
        let counters = SharedCounters::new()?;
        let pipe = std::io::pipe();
        let (report, writer) = pipe.map_err(|error| Error::local("no pipe to the service", error))?;
        let end_timeout = end_timeout(work.service.transport);
        let actor = Actor::spawn(None, || act(work, &counters, writer))?;
        let mut running =
            Self { _actor: actor, report, received: Vec::new(), over: false, end_timeout, counters };
        running.read_report(READY_TIMEOUT, |received| received.first() == Some(&READY));
        match running.received.first() {
            Some(&READY) => Ok(running),
            _ => Err(running
                .failure()
                .unwrap_or(Error::Failed("the service was not ready in time".to_owned()))),
        }
    }

    /// Reads its report until that is enough, the service has ended, or the time is over.
    fn read_report(&mut self, wait: Duration, is_enough: impl Fn(&[u8]) -> bool) {
        let deadline = Instant::now() + wait;
        while !self.over && !is_enough(&self.received) {
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
                Ok(came) => self.received.extend(buffer.iter().take(came)),
            }
            self.over |= self.received.len() > MAX_REPORT;
        }
    }

    /// Why it failed, if it is over and has.
    fn failure(&self) -> Option<Error> {
        let report = self.received.strip_prefix(&[READY]).unwrap_or(&self.received);
        let ended_well = report == [DONE] || !self.over;
        let text = match report {
            [] => "the service was killed: it had used up its time or its memory".to_owned(),
            report => String::from_utf8_lossy(report).into_owned(),
        };
        (!ended_well).then_some(Error::Failed(text))
    }

    /// Its counts so far.
    pub(super) fn counts(&mut self) -> Result<Counts, Error> {
        self.read_report(Duration::ZERO, |_| false);
        self.failure().map_or_else(|| Ok(self.counters.read()), Err)
    }

    /// Waits for its end; a service that still runs then is killed.
    pub(super) fn stop(mut self) -> Result<Counts, Error> {
        self.read_report(self.end_timeout, |_| false);
        self.failure().map_or_else(|| Ok(self.counters.read()), Err)
    }
}

/// Written by a service that has ended without an error.
const DONE: u8 = b'.';

/// The service's process.
fn act(work: ServiceInput<'_>, counters: &SharedCounters, report: std::io::PipeWriter) -> i32 {
    let left = work.until.saturating_duration_since(Instant::now());
    sys::limits::end_after(u32::try_from(left.as_secs()).unwrap_or(u32::MAX).max(1));
    let mut session = Session {
        parameters: work.parameters,
        connections: work.data.connections,
        socket: work.data.socket,
        listener: work.data.listener,
        until: work.until,
        counters,
        max_bytes: work.bounds.bytes,
        report: &report,
    };
    let result = (work.service.run)(&mut session);
    let text = match &result {
        Ok(()) => vec![DONE],
        // The client adds that it was the peer that failed.
        Err(Error::Failed(reason)) => reason.clone().into_bytes(),
        Err(error) => error.to_string().into_bytes(),
    };
    // The session may have ended.
    let _ = (&report).write_all(text.get(..text.len().min(MAX_REPORT / 2)).unwrap_or(&text));
    i32::from(result.is_err())
}
