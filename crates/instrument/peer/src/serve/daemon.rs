//! The daemon: one loop over the listener, the unauthenticated clients, and the processes of the sessions.

use super::log::Log;
use super::settings::{Handover, Settings};
use super::unauthenticated::{Next, UnauthenticatedClient};
use crate::key::to_hex;
use crate::{Error, Key, Response, ServerHandshake, VERSIONS};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use sys::poll::{self, Entry};
use sys::remedies::{self, Context};
use sys::supervision;

/// Most connections accepted in one iteration, so that a flood of them does not starve the clients.
const MAX_ACCEPTS: usize = 32;

/// Most bytes kept of the standard error of a session's process.
const MAX_STDERR: usize = 1024;

/// Pause before the next accept when no descriptor is left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Longest wait while there are unauthenticated clients, whose timeout may expire.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Longest wait otherwise.
const IDLE_INTERVAL: Duration = Duration::from_secs(60);

/// A session's process.
struct SessionProcess {
    child: Child,
    from: SocketAddr,
    stderr: Vec<u8>,
}

/// A server that listens.
pub struct Daemon {
    listener: TcpListener,
    settings: Settings,
}

/// Everything that changes while a daemon serves.
struct Serving<'d> {
    settings: &'d Settings,
    listener: &'d TcpListener,
    start: &'d dyn Fn() -> Command,
    log: Log<'d>,
    unauthenticated: Vec<UnauthenticatedClient<'d>>,
    sessions: Vec<SessionProcess>,
    paused: Option<Instant>,
}

impl Daemon {
    /// Listens.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub fn bind(settings: Settings) -> Result<Self, Error> {
        let listener = TcpListener::bind(settings.listen);
        let listener = listener.map_err(|error| {
            let error = sys::Error::of_io("bind", &error);
            let why = remedies::sentence(error, Context::PeerControl);
            Error::local("cannot listen", format!("{}: {why}; --listen names the address", settings.listen))
        })?;
        let unblocked = listener.set_nonblocking(true);
        unblocked.map_err(|error| Error::local("cannot listen", error))?;
        Ok(Self { listener, settings })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the kernel does not report it.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        self.listener.local_addr().map_err(|error| Error::local("cannot listen", error))
    }

    /// Serves until it is stopped or its time is over; nothing of any session is left then. `start` gives the
    /// command that becomes a session's process: it must call [`super::session`].
    ///
    /// # Errors
    /// When the kernel refuses to wait.
    pub fn serve(
        &self,
        start: &dyn Fn() -> Command,
        stop: (i32, &dyn Fn() -> bool),
        write: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        let end = self.settings.lasting.and_then(|lasting| Instant::now().checked_add(lasting));
        let mut serving = Serving {
            settings: &self.settings,
            listener: &self.listener,
            start,
            log: Log::new(write),
            unauthenticated: Vec::new(),
            sessions: Vec::new(),
            paused: None,
        };
        let mut result = Ok(());
        while result.is_ok() && !(stop.1)() && end.is_none_or(|end| Instant::now() < end) {
            result = serving.serve_events(stop.0, end);
        }
        serving.sessions.iter_mut().for_each(|process| drop(process.end()));
        serving.log.conclude();
        result
    }
}

impl Serving<'_> {
    /// Waits for events and handles them.
    fn serve_events(&mut self, stop_fd: i32, end: Option<Instant>) -> Result<(), Error> {
        let paused = self.paused.is_some_and(|until| Instant::now() < until);
        let listener = if paused { -1 } else { self.listener.as_raw_fd() };
        let mut entries = vec![Entry::reading(stop_fd), Entry::reading(listener)];
        entries.extend(self.unauthenticated.iter().map(|client| match client.is_sending() {
            true => Entry::writing(client.stream.as_raw_fd()),
            false => Entry::reading(client.stream.as_raw_fd()),
        }));
        entries.extend(self.sessions.iter().map(SessionProcess::entry));
        let wait =
            match (paused, self.unauthenticated.is_empty() && !self.log.has_suppressed() && stop_fd >= 0) {
                (true, _) => ACCEPT_PAUSE,
                (false, false) => POLL_INTERVAL,
                // Sessions are at work, which nothing here should disturb.
                (false, true) => end.map_or(IDLE_INTERVAL, |end| {
                    end.saturating_duration_since(Instant::now()).min(IDLE_INTERVAL)
                }),
            };
        poll::wait(&mut entries, i32::try_from(wait.as_millis()).unwrap_or(i32::MAX))
            .map_err(|error| Error::local("the server cannot wait", error))?;
        let ready: Vec<bool> = entries.iter().map(Entry::is_ready).collect();
        let of_clients = ready.get(2..2 + self.unauthenticated.len()).unwrap_or_default().to_vec();
        let of_sessions = ready.get(2 + self.unauthenticated.len()..).unwrap_or_default().to_vec();
        // First the known connections, then new ones.
        self.serve_sessions(&of_sessions);
        self.serve_clients(&of_clients);
        if ready.get(1) == Some(&true) {
            self.accept();
        }
        self.log.turn(Instant::now());
        Ok(())
    }

    fn serve_sessions(&mut self, ready: &[bool]) {
        let mut ended = Vec::new();
        for (index, process) in self.sessions.iter_mut().enumerate() {
            if ready.get(index) == Some(&true) && process.read_stderr() {
                ended.push(index);
            }
        }
        for index in ended.into_iter().rev() {
            let mut process = self.sessions.swap_remove(index);
            if let Some(reason) = process.end() {
                let text = format!("session of {}: {reason}", process.from);
                self.log.line(Instant::now(), &text);
            }
        }
    }

    fn serve_clients(&mut self, ready: &[bool]) {
        let mut kept = Vec::new();
        let handshake_timeout = self.settings.handshake_timeout;
        for (index, mut client) in std::mem::take(&mut self.unauthenticated).into_iter().enumerate() {
            let next = match ready.get(index) {
                Some(true) => client.advance(),
                _ => Next::Keep,
            };
            match next {
                Next::Keep if client.since.elapsed() < handshake_timeout => kept.push(client),
                Next::Keep => self.log_drop(&client, "handshake timed out"),
                Next::Drop(reason) => self.log_drop(&client, reason),
                Next::StartSession => self.start_session(client),
            }
        }
        self.unauthenticated = kept;
    }

    fn log_drop(&mut self, client: &UnauthenticatedClient<'_>, reason: &str) {
        self.log.line(Instant::now(), &format!("{}: {reason}", client.from));
    }

    fn accept(&mut self) {
        for _ in 0..MAX_ACCEPTS {
            match self.listener.accept() {
                Ok((stream, from)) => {
                    let key = &self.settings.key;
                    if let Ok(client) = UnauthenticatedClient::new(stream, from, ServerHandshake::new(key)) {
                        self.unauthenticated.push(client);
                    }
                    self.drop_oldest(self.settings.max_unauthenticated);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error)
                    if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => {}
                Err(_) => {
                    // No descriptor or no memory is left: the oldest unauthenticated client is dropped, and new ones must wait.
                    self.paused = Some(Instant::now() + ACCEPT_PAUSE);
                    self.drop_oldest(self.unauthenticated.len().saturating_sub(1));
                    break;
                }
            }
        }
    }

    /// Unauthenticated clients are in the order in which they connected.
    fn drop_oldest(&mut self, max: usize) {
        while self.unauthenticated.len() > max && !self.unauthenticated.is_empty() {
            let oldest = self.unauthenticated.remove(0);
            self.log_drop(&oldest, "dropped: too many unauthenticated clients");
        }
    }

    /// Makes a session for an authenticated client, or tells it why not.
    fn start_session(&mut self, mut client: UnauthenticatedClient<'_>) {
        let made = if self.sessions.len() >= self.settings.max_sessions {
            Err(format!("it has {} sessions already; try again later", self.sessions.len()))
        } else {
            self.spawn(&mut client)
        };
        match made {
            Ok(process) => self.sessions.push(process),
            Err(reason) => {
                self.log_drop(&client, &reason);
                let _ = client.answer(&Response::Refused { reason });
            }
        }
    }

    fn spawn(&self, client: &mut UnauthenticatedClient<'_>) -> Result<SessionProcess, String> {
        let (handover, mut process) =
            self.process(client).map_err(|error| format!("no session could be made: {error}"))?;
        let answer = Response::Session { session: handover.session, key: handover.key };
        match client.answer(&answer) {
            Ok(()) => Ok(process),
            Err(reason) => {
                process.end();
                Err(reason.to_owned())
            }
        }
    }

    /// A process for the session, with its connection and its key.
    fn process(
        &self,
        client: &UnauthenticatedClient<'_>,
    ) -> Result<(Handover, SessionProcess), Box<dyn std::error::Error>> {
        let mut session = [0; 8];
        sys::random::fill(&mut session)?;
        let handover = Handover {
            session: to_hex(&session),
            key: Key::generate()?.text(),
            client: client.from,
            protocol: VERSIONS.highest,
            bounds: self.settings.bounds,
            allow_drop_caches: self.settings.allow_drop_caches,
        };
        let line = serde_json::to_string(&handover)? + "\n";
        let control = client.stream.try_clone()?;
        let child = (self.start)()
            .stdin(Stdio::piped())
            .stdout(Stdio::from(OwnedFd::from(control)))
            .stderr(Stdio::piped())
            // Of its own group, so that it can be ended with whatever it has started.
            .process_group(0)
            .spawn()?;
        let mut process = SessionProcess { child, from: client.from, stderr: Vec::new() };
        // A pipe takes a line of this length at once. It stays open: the session ends when it is closed.
        let sent = process.child.stdin.as_mut().map_or(Ok(()), |input| input.write_all(line.as_bytes()));
        if let Err(error) = sent {
            process.end();
            return Err(error.into());
        }
        Ok((handover, process))
    }
}

impl SessionProcess {
    fn entry(&self) -> Entry {
        Entry::reading(self.child.stderr.as_ref().map_or(-1, AsRawFd::as_raw_fd))
    }

    /// Reads its standard error; gives whether it has ended.
    fn read_stderr(&mut self) -> bool {
        let mut buffer = [0; 512];
        let came = match self.child.stderr.as_mut().map(|stderr| stderr.read(&mut buffer)) {
            Some(Ok(came)) => came,
            Some(Err(error)) if error.kind() == ErrorKind::Interrupted => return false,
            _ => 0,
        };
        let room = MAX_STDERR.saturating_sub(self.stderr.len());
        self.stderr.extend(buffer.iter().take(came.min(room)));
        came == 0
    }

    /// Ends it with all that it has started; gives what went wrong, if something did.
    fn end(&mut self) -> Option<String> {
        supervision::kill_group(self.child.id());
        let status = self.child.wait();
        let text = String::from_utf8_lossy(&self.stderr);
        let text = text.lines().next().unwrap_or_default().trim();
        match status {
            _ if !text.is_empty() => Some(text.to_owned()),
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("its process ended with {status}")),
            Err(error) => Some(format!("its process cannot be waited for: {error}")),
        }
    }
}
