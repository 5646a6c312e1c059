//! A connection that has not proved itself: little memory, little time, and never waited for.

use crate::greeting::{Greeting, Step};
use crate::{Answer, Malformed};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

/// A stranger at the door.
#[derive(Debug)]
pub(super) struct Stranger<'k> {
    pub(super) stream: TcpStream,
    pub(super) from: SocketAddr,
    pub(super) since: Instant,
    greeting: Greeting<'k>,
    unsent: Vec<u8>,
    parting: bool,
}

/// What became of it.
#[derive(Debug)]
pub(super) enum Next {
    /// It stays.
    Stays,
    /// It has proved itself, and asks for a session.
    Asks,
    /// It goes, for this reason.
    Goes(&'static str),
}

/// Most bytes that a stranger can make the server keep for it: every read is within a greeting.
const MOST_READ: usize = 1024;

const GONE: &str = "it went away before it had proved itself";

impl<'k> Stranger<'k> {
    pub(super) fn new(stream: TcpStream, from: SocketAddr, greeting: Greeting<'k>) -> std::io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            from,
            since: Instant::now(),
            greeting,
            unsent: Vec::new(),
            parting: false,
        })
    }

    /// Whether something waits to be sent to it.
    pub(super) fn is_sending(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Moves on after something came, or went.
    pub(super) fn moves(&mut self) -> Next {
        if self.is_sending() {
            return self.send();
        }
        let mut buffer = [0; MOST_READ];
        let wanted = self.greeting.wanted().min(MOST_READ);
        let came = match self.stream.read(buffer.get_mut(..wanted).unwrap_or_default()) {
            Ok(0) => return Next::Goes(GONE),
            Ok(came) => came,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                return Next::Stays;
            }
            Err(_) => return Next::Goes(GONE),
        };
        match self.greeting.take(buffer.get(..came).unwrap_or_default()) {
            Ok(Step::More) => Next::Stays,
            Ok(Step::Say(bytes)) => {
                self.unsent = bytes;
                self.send()
            }
            Ok(Step::Part(bytes)) => {
                (self.unsent, self.parting) = (bytes, true);
                self.send()
            }
            Ok(Step::Asks { .. }) => Next::Asks,
            Err(Malformed(reason)) => Next::Goes(reason),
        }
    }

    fn send(&mut self) -> Next {
        match self.stream.write(&self.unsent) {
            Ok(sent) => drop(self.unsent.drain(..sent)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => return Next::Goes(GONE),
        }
        if self.parting && !self.is_sending() {
            return Next::Goes("it speaks other versions of the protocol");
        }
        Next::Stays
    }

    /// Answers who has asked; the answer is shorter than any socket's buffer, and is not waited for.
    pub(super) fn answer(&mut self, answer: &Answer) -> Result<(), &'static str> {
        let bytes = self.greeting.answer(answer).map_err(|Malformed(reason)| reason)?;
        match self.stream.write(&bytes) {
            Ok(sent) if sent == bytes.len() => Ok(()),
            _ => Err(GONE),
        }
    }
}
