//! The daemon: one loop over the door, the strangers at it, and the processes of the sessions.

use super::stranger::{Next, Stranger};
use super::{Handover, Log, Settings};
use crate::key::to_hex;
use crate::{Answer, Error, Greeting, Key, VERSIONS};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use sys::lifeline;
use sys::poll::{self, Entry};

/// Connections that are accepted in one turn, so that strangers who come in crowds do not keep out the others.
const AT_ONCE: usize = 32;

/// Most that is kept of what a session's process says at its end.
const MOST_COMPLAINT: usize = 1024;

/// Time for which nobody is accepted when no descriptor is left.
const PAUSE: Duration = Duration::from_millis(50);

/// Longest wait while there are strangers, whose time may be over without a word from anybody.
const TURN: Duration = Duration::from_millis(500);

/// Longest wait while there are none.
const QUIET: Duration = Duration::from_secs(60);

/// A session's process.
#[derive(Debug)]
struct Hosted {
    child: Child,
    from: SocketAddr,
    complaint: Vec<u8>,
}

/// A server that listens.
#[derive(Debug)]
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
    strangers: Vec<Stranger<'d>>,
    hosted: Vec<Hosted>,
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
            Error::here(
                "cannot listen",
                format!("{}: {error}; name another address with --listen", settings.listen),
            )
        })?;
        let unblocked = listener.set_nonblocking(true);
        unblocked.map_err(|error| Error::here("cannot listen", error))?;
        Ok(Self { listener, settings })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the kernel does not tell.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        self.listener
            .local_addr()
            .map_err(|error| Error::here("cannot listen", error))
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
        let end = self
            .settings
            .lasting
            .and_then(|lasting| Instant::now().checked_add(lasting));
        let mut serving = Serving {
            settings: &self.settings,
            listener: &self.listener,
            start,
            log: Log::new(write),
            strangers: Vec::new(),
            hosted: Vec::new(),
            paused: None,
        };
        let is_over = || end.is_some_and(|end| Instant::now() >= end);
        let mut result = Ok(());
        while result.is_ok() && !(stop.1)() && !is_over() {
            result = serving.turn(stop.0, end);
        }
        serving.hosted.iter_mut().for_each(|hosted| drop(hosted.end()));
        serving.log.conclude();
        result
    }
}

impl Serving<'_> {
    /// Waits for whatever comes first, and sees to it.
    fn turn(&mut self, bell: i32, end: Option<Instant>) -> Result<(), Error> {
        let paused = self.paused.is_some_and(|until| Instant::now() < until);
        let door = if paused { -1 } else { self.listener.as_raw_fd() };
        let mut entries = vec![Entry::reading(bell), Entry::reading(door)];
        entries.extend(self.strangers.iter().map(|stranger| match stranger.is_sending() {
            true => Entry::writing(stranger.stream.as_raw_fd()),
            false => Entry::reading(stranger.stream.as_raw_fd()),
        }));
        entries.extend(self.hosted.iter().map(Hosted::entry));
        let wait = match (
            paused,
            self.strangers.is_empty() && !self.log.is_behind() && bell >= 0,
        ) {
            (true, _) => PAUSE,
            (false, false) => TURN,
            // Sessions are at work, which nothing here should disturb.
            (false, true) => end.map_or(QUIET, |end| {
                end.saturating_duration_since(Instant::now()).min(QUIET)
            }),
        };
        poll::wait(&mut entries, i32::try_from(wait.as_millis()).unwrap_or(i32::MAX))
            .map_err(|error| Error::here("the server cannot wait", error))?;
        let ready: Vec<bool> = entries.iter().map(Entry::is_ready).collect();
        let of_strangers = ready
            .get(2..2 + self.strangers.len())
            .unwrap_or_default()
            .to_vec();
        let of_hosted = ready.get(2 + self.strangers.len()..).unwrap_or_default().to_vec();
        // First those who are known, then those who come.
        self.hear_hosted(&of_hosted);
        self.hear_strangers(&of_strangers);
        if ready.get(1) == Some(&true) {
            self.accept();
        }
        self.log.turn(Instant::now());
        Ok(())
    }

    fn hear_hosted(&mut self, ready: &[bool]) {
        let mut ended = Vec::new();
        for (index, hosted) in self.hosted.iter_mut().enumerate() {
            if ready.get(index) == Some(&true) && hosted.hear() {
                ended.push(index);
            }
        }
        for index in ended.into_iter().rev() {
            let mut hosted = self.hosted.swap_remove(index);
            if let Some(reason) = hosted.end() {
                let text = format!("session of {}: {reason}", hosted.from);
                self.log.say(Instant::now(), &text);
            }
        }
    }

    fn hear_strangers(&mut self, ready: &[bool]) {
        let mut stay = Vec::new();
        let patience = self.settings.patience;
        for (index, mut stranger) in std::mem::take(&mut self.strangers).into_iter().enumerate() {
            let next = match ready.get(index) {
                Some(true) => stranger.moves(),
                _ => Next::Stays,
            };
            match next {
                Next::Stays if stranger.since.elapsed() < patience => stay.push(stranger),
                Next::Stays => self.part(&stranger, "it did not prove itself in time"),
                Next::Goes(reason) => self.part(&stranger, reason),
                Next::Asks => self.host(stranger),
            }
        }
        self.strangers = stay;
    }

    fn part(&mut self, stranger: &Stranger<'_>, reason: &str) {
        self.log
            .say(Instant::now(), &format!("{}: {reason}", stranger.from));
    }

    fn accept(&mut self) {
        for _ in 0..AT_ONCE {
            match self.listener.accept() {
                Ok((stream, from)) => {
                    let key = &self.settings.key;
                    if let Ok(stranger) = Stranger::new(stream, from, Greeting::new(key)) {
                        self.strangers.push(stranger);
                    }
                    self.let_oldest_go(self.settings.strangers);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::Interrupted | ErrorKind::ConnectionAborted
                    ) => {}
                Err(_) => {
                    // No descriptor or no memory is left: strangers go, and who comes must wait.
                    self.paused = Some(Instant::now() + PAUSE);
                    self.let_oldest_go(self.strangers.len().saturating_sub(1));
                    break;
                }
            }
        }
    }

    /// Strangers are kept in the order in which they came.
    fn let_oldest_go(&mut self, most: usize) {
        while self.strangers.len() > most && !self.strangers.is_empty() {
            let oldest = self.strangers.remove(0);
            self.part(&oldest, "it had to go, because too many came after it");
        }
    }

    /// Makes a session for who has proved itself, or says why not.
    fn host(&mut self, mut stranger: Stranger<'_>) {
        let made = if self.hosted.len() >= self.settings.sessions {
            Err(format!(
                "it has {} sessions already; try again later",
                self.hosted.len()
            ))
        } else {
            self.spawn(&mut stranger)
        };
        match made {
            Ok(hosted) => self.hosted.push(hosted),
            Err(reason) => {
                self.part(&stranger, &reason);
                let _ = stranger.answer(&Answer::Refused { reason });
            }
        }
    }

    fn spawn(&self, stranger: &mut Stranger<'_>) -> Result<Hosted, String> {
        let failed = |error: &dyn std::fmt::Display| format!("no session could be made: {error}");
        let (key, mut session) = (Key::generate().map_err(|error| failed(&error))?, [0; 8]);
        sys::limits::random(&mut session).map_err(|error| failed(&error))?;
        let handover = Handover {
            session: to_hex(&session),
            key: key.text(),
            client: stranger.from,
            protocol: VERSIONS.highest,
            bounds: self.settings.bounds,
            allow_drop_caches: self.settings.allow_drop_caches,
        };
        let mut line = serde_json::to_vec(&handover).map_err(|error| failed(&error))?;
        line.push(b'\n');
        let control = stranger.stream.try_clone().map_err(|error| failed(&error))?;
        let child = (self.start)()
            .stdin(Stdio::piped())
            .stdout(Stdio::from(OwnedFd::from(control)))
            .stderr(Stdio::piped())
            // Of its own group, so that it can be ended with whatever it has started.
            .process_group(0)
            .spawn();
        let mut hosted = Hosted {
            child: child.map_err(|error| failed(&error))?,
            from: stranger.from,
            complaint: Vec::new(),
        };
        // A pipe takes a line of this length at once. It stays open: it is the session's life line.
        let told = hosted
            .child
            .stdin
            .as_mut()
            .map_or(Ok(()), |input| input.write_all(&line));
        let answer = Answer::Session {
            session: handover.session,
            key: handover.key,
        };
        let told = told.map_err(|error| failed(&error));
        match told.and_then(|()| stranger.answer(&answer).map_err(str::to_owned)) {
            Ok(()) => Ok(hosted),
            Err(reason) => {
                hosted.end();
                Err(reason)
            }
        }
    }
}

impl Hosted {
    fn entry(&self) -> Entry {
        Entry::reading(self.child.stderr.as_ref().map_or(-1, AsRawFd::as_raw_fd))
    }

    /// Reads what it says; gives whether it is over.
    fn hear(&mut self) -> bool {
        let mut buffer = [0; 512];
        let came = match self.child.stderr.as_mut().map(|stderr| stderr.read(&mut buffer)) {
            Some(Ok(came)) => came,
            Some(Err(error)) if error.kind() == ErrorKind::Interrupted => return false,
            _ => 0,
        };
        let room = MOST_COMPLAINT.saturating_sub(self.complaint.len());
        self.complaint.extend(buffer.iter().take(came.min(room)));
        came == 0
    }

    /// Ends it with all that it has started; gives what went wrong, if something did.
    fn end(&mut self) -> Option<String> {
        lifeline::kill_group(self.child.id());
        let status = self.child.wait();
        let text = String::from_utf8_lossy(&self.complaint);
        let text = text.lines().next().unwrap_or_default().trim();
        match status {
            _ if !text.is_empty() => Some(text.to_owned()),
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("its process ended with {status}")),
            Err(error) => Some(format!("its process cannot be waited for: {error}")),
        }
    }
}
