//! A connection that has not proved itself: bounded memory, bounded time, and never waited for.

use crate::handshake::{ServerHandshake, ServerStep};
use crate::{Malformed, Response};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

/// A client before its handshake is complete.
pub(super) struct UnauthenticatedClient<'k> {
    pub(super) stream: TcpStream,
    pub(super) from: SocketAddr,
    pub(super) since: Instant,
    handshake: ServerHandshake<'k>,
    unsent: Vec<u8>,
    closing: bool,
}

/// What to do with it next.
pub(super) enum Next {
    /// It is kept.
    Keep,
    /// It has proved itself and requests a session.
    StartSession,
    /// It is dropped, for this reason.
    Drop(&'static str),
}

/// Most bytes of one read; a whole handshake is no longer.
const MAX_READ: usize = 1024;

const CLOSED: &str = "closed before authentication";

impl<'k> UnauthenticatedClient<'k> {
    pub(super) fn new(
        stream: TcpStream,
        from: SocketAddr,
        handshake: ServerHandshake<'k>,
    ) -> std::io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, from, since: Instant::now(), handshake, unsent: Vec::new(), closing: false })
    }

    /// Whether something waits to be sent to it.
    pub(super) fn is_sending(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Reads or writes what is possible now, and goes on.
    pub(super) fn advance(&mut self) -> Next {
        if self.is_sending() {
            return self.send();
        }
        let mut buffer = [0; MAX_READ];
        let wanted = self.handshake.wanted().min(MAX_READ);
        let came = match self.stream.read(buffer.get_mut(..wanted).unwrap_or_default()) {
            Ok(0) => return Next::Drop(CLOSED),
            Ok(came) => came,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                return Next::Keep;
            }
            Err(_) => return Next::Drop(CLOSED),
        };
        match self.handshake.take(buffer.get(..came).unwrap_or_default()) {
            Ok(ServerStep::More) => Next::Keep,
            Ok(ServerStep::Send(bytes)) => {
                self.unsent = bytes;
                self.send()
            }
            Ok(ServerStep::Reject(bytes)) => {
                (self.unsent, self.closing) = (bytes, true);
                self.send()
            }
            Ok(ServerStep::SessionRequested { .. }) => Next::StartSession,
            Err(Malformed(reason)) => Next::Drop(reason),
        }
    }

    fn send(&mut self) -> Next {
        match self.stream.write(&self.unsent) {
            Ok(sent) => drop(self.unsent.drain(..sent)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => return Next::Drop(CLOSED),
        }
        if self.closing && !self.is_sending() {
            return Next::Drop("no protocol version in common");
        }
        Next::Keep
    }

    /// Responds to the request for a session; the response is shorter than any socket's buffer, and is not waited for.
    pub(super) fn answer(&mut self, answer: &Response) -> Result<(), &'static str> {
        let bytes = self.handshake.answer(answer).map_err(|Malformed(reason)| reason)?;
        match self.stream.write(&bytes) {
            Ok(sent) if sent == bytes.len() => Ok(()),
            _ => Err(CLOSED),
        }
    }
}
