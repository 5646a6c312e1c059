//! Streams of bytes between two processes: pipes and stream sockets, as their two ends.

use crate::descriptor::Descriptor;
use crate::socket::unix_pair;
use crate::{Error, Result};
use rustix::net::SocketType;
use rustix::pipe::PipeFlags;

/// What carries the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// A pipe.
    Pipe,
    /// A pair of Unix stream sockets.
    UnixStream,
}

/// The end from which bytes come.
#[derive(Debug)]
pub struct ReadEnd(Descriptor);

/// The end into which bytes go.
#[derive(Debug)]
pub struct WriteEnd(Descriptor);

/// A new stream, closed on exec; bytes put into the writer come out of the reader.
///
/// # Errors
/// When no descriptor is left or the call is denied.
pub fn stream(carrier: Carrier) -> Result<(ReadEnd, WriteEnd)> {
    let (reader, writer) = match carrier {
        Carrier::Pipe => rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(Error::of("pipe2"))?,
        Carrier::UnixStream => unix_pair(SocketType::STREAM)?,
    };
    Ok((ReadEnd(reader.into()), WriteEnd(writer.into())))
}

impl WriteEnd {
    /// Puts in all of these bytes, by as many calls as it takes.
    ///
    /// # Errors
    /// When the other end is gone, or [`WriteEnd::refuse_to_wait`] was asked for and there is no room.
    #[inline(always)]
    pub fn send(&self, bytes: &[u8]) -> Result<()> {
        let mut left = bytes;
        while !left.is_empty() {
            let taken = Error::check("write", self.0.write(left))?;
            left = left.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    /// Lets calls fail that would have to wait for room.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn refuse_to_wait(&self) -> Result<()> {
        rustix::fs::fcntl_setfl(&self.0, rustix::fs::OFlags::NONBLOCK).map_err(Error::of("fcntl"))
    }
}

impl ReadEnd {
    /// Fills the buffer by as many calls as it takes; gives how many bytes came before the end of the stream.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn fill(&self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match Error::check("read", self.0.read(rest))? {
                0 => break,
                came => filled += came,
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn bytes_are_read_in_order_and_then_the_end() {
        for carrier in [Carrier::Pipe, Carrier::UnixStream] {
            let (reader, writer) = stream(carrier).unwrap();
            let sent: Vec<u8> = (0..=255).collect();
            writer.send(&sent).unwrap();
            writer.send(&sent[..7]).unwrap();
            drop(writer);
            let mut came = vec![0; 256];
            assert_eq!(reader.fill(&mut came).unwrap(), 256);
            assert_eq!(came, sent);
            assert_eq!(reader.fill(&mut came).unwrap(), 7, "{carrier:?}");
            assert_eq!(reader.fill(&mut came).unwrap(), 0);
        }
    }

    #[test]
    fn a_full_nonblocking_stream_fails_with_eagain() {
        for carrier in [Carrier::Pipe, Carrier::UnixStream] {
            let (_reader, writer) = stream(carrier).unwrap();
            writer.refuse_to_wait().unwrap();
            let refused = writer.send(&vec![1; 8 << 20]).unwrap_err();
            assert_eq!(refused.errno, libc::EAGAIN, "{carrier:?}");
        }
    }
}
