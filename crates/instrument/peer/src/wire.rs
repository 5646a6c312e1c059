//! Bytes over a connection, each step with a deadline.

use crate::Error;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connection that is waited for no longer than until a deadline.
pub(crate) struct Wire {
    pub(crate) stream: TcpStream,
}

/// The shortest timeout that the kernel accepts.
const MIN_TIMEOUT: Duration = Duration::from_millis(1);

fn left(deadline: Instant, during: &'static str) -> Result<Option<Duration>, Error> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Error::TimedOut(during));
    }
    Ok(Some(left.max(MIN_TIMEOUT)))
}

impl Wire {
    /// Sends all of these bytes.
    pub(crate) fn send(
        &mut self,
        bytes: &[u8],
        deadline: Instant,
        during: &'static str,
    ) -> Result<(), Error> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let wait = left(deadline, during)?;
            self.stream.set_write_timeout(wait).map_err(|error| Error::local("send", error))?;
            match self.stream.write(rest) {
                Ok(sent) => rest = rest.get(sent..).unwrap_or_default(),
                Err(error) => ended(&error, during)?,
            }
        }
        Ok(())
    }

    /// Receives at least one byte, and as many as are wanted at most.
    pub(crate) fn receive(
        &mut self,
        wanted: usize,
        deadline: Instant,
        during: &'static str,
    ) -> Result<Vec<u8>, Error> {
        let mut buffer = vec![0; wanted];
        loop {
            let wait = left(deadline, during)?;
            self.stream.set_read_timeout(wait).map_err(|error| Error::local("receive", error))?;
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(Error::Closed(during)),
                Ok(came) => {
                    buffer.truncate(came);
                    return Ok(buffer);
                }
                Err(error) => ended(&error, during)?,
            }
        }
    }
}

/// Errors that mean that the other end is gone; those that mean nothing are passed over.
fn ended(error: &std::io::Error, during: &'static str) -> Result<(), Error> {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(()),
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted => {
            Err(Error::Closed(during))
        }
        _ => Err(Error::local("the connection to the peer", error)),
    }
}
