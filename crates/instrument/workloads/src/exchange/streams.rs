//! Byte channels that are files: pipes, FIFOs, Unix sockets.

use super::mechanism::{Control, Endpoint, Exchange, Setting};
use measure::{Failure, Result};
use std::borrow::Borrow;
use std::path::Path;
use std::sync::Arc;
use sys::descriptor::Descriptor;
use sys::pipe::{ReadEnd, WriteEnd, fifo, pipe};
use sys::socket::{SocketPair, unix_datagram_pair, unix_stream_pair};

/// An endpoint that writes messages of one length to one file and reads them from another.
pub struct StreamEndpoint<D> {
    to: D,
    from: D,
    out: Vec<u8>,
    into: Vec<u8>,
}

impl<D: Borrow<Descriptor> + Send> StreamEndpoint<D> {
    fn new(to: D, from: D, setting: Setting) -> Self {
        let length = setting.bytes.max(1);
        // Not zero, since some processors store zeros faster (E60).
        let noise =
            (0..length).map(|index| (setting.seed.wrapping_mul(2 * index as u64 + 1) >> 32) as u8 | 1);
        Self { to, from, out: noise.collect(), into: vec![0; length] }
    }

    /// The word of a message.
    #[inline(always)]
    fn received(&self) -> sys::Result<u8> {
        match (self.into.first(), self.into.last()) {
            (Some(first), Some(last)) if first == last => Ok(*first),
            _ => Err(CORRUPT_MESSAGE),
        }
    }

    /// One task that reads what it wrote.
    fn control(mut self) -> impl Control {
        move |word| {
            self.send(word)?;
            self.receive()
        }
    }
}

impl StreamEndpoint<Descriptor> {
    /// One task that reads what it wrote, by two calls.
    fn control_by_halves(mut self) -> impl Control {
        move |word| {
            self.send(word)?;
            let half = self.into.len() / 2;
            let (first, second) = self.into.split_at_mut(half);
            self.from.read_all(first)?;
            self.from.read_all(second)?;
            self.received()
        }
    }
}

/// The error of a message that differs from what was sent.
const CORRUPT_MESSAGE: sys::Error = sys::Error { call: "read", errno: 0 };

impl<D: Borrow<Descriptor> + Send> Endpoint for StreamEndpoint<D> {
    /// The word is the first and the last byte of the message.
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        if let Some(last) = self.out.last_mut() {
            *last = word;
        }
        if let Some(first) = self.out.first_mut() {
            *first = word;
        }
        let mut sent = 0;
        while let Some(rest) = self.out.get(sent..).filter(|rest| !rest.is_empty()) {
            match sys::Error::check("write", self.to.borrow().write(rest))? {
                0 => return Err(CORRUPT_MESSAGE),
                more => sent += more,
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        let mut received = 0;
        while let Some(rest) = self.into.get_mut(received..).filter(|rest| !rest.is_empty()) {
            match sys::Error::check("read", self.from.borrow().read(rest))? {
                0 => return Err(CORRUPT_MESSAGE),
                more => received += more,
            }
        }
        self.received()
    }
}

/// Both endpoints over two connections and the control over a third, each made as its end to read from and its end to
/// write to.
fn over_pipes(
    make: &dyn Fn() -> Result<(ReadEnd, WriteEnd)>,
    setting: Setting,
) -> Result<Exchange<Pipe, impl Control>> {
    let [(their_input, to), (from, their_output), (own_input, own_output)] =
        [make()?, make()?, make()?].map(|(from, to)| (from.into_descriptor(), to.into_descriptor()));
    let initiator = StreamEndpoint::new(to, from, setting);
    let responder = StreamEndpoint::new(their_output, their_input, setting);
    Ok(([initiator, responder], StreamEndpoint::new(own_output, own_input, setting).control()))
}

/// Both endpoints over one pair of sockets, and the control over another.
fn over_sockets(
    make: &dyn Fn() -> sys::Result<SocketPair>,
    setting: Setting,
) -> Result<Exchange<Socket, impl Control>> {
    let (between, own) = (make()?, make()?);
    let ends = [between.client, between.server].map(Arc::new);
    let endpoints = ends.map(|end| StreamEndpoint::new(Arc::clone(&end), end, setting));
    Ok((endpoints, StreamEndpoint::new(own.client, own.server, setting).control()))
}

/// An endpoint that writes to one pipe and reads from another.
type Pipe = StreamEndpoint<Descriptor>;

/// An endpoint that reads and writes one socket.
type Socket = StreamEndpoint<Arc<Descriptor>>;

/// Two pipes.
pub fn pipes(setting: Setting) -> Result<Exchange<Pipe, impl Control>> {
    over_pipes(&|| Ok(pipe()?), setting)
}

/// Two pipes of one page each, with messages of two pages: each writer blocks on a full pipe, each reader on an empty one. The
/// control writes and reads a page at a time, with as many reads.
pub fn full_pipes(setting: Setting) -> Result<Exchange<Pipe, impl Control>> {
    let page = sys::memory::page_size();
    let setting = Setting { bytes: 2 * page, ..setting };
    let ([initiator, responder], _) = over_pipes(
        &|| {
            let (from, to) = pipe()?;
            to.set_capacity(page)?;
            Ok((from, to))
        },
        setting,
    )?;
    let (from, to) = pipe()?;
    let own = StreamEndpoint::new(to.into_descriptor(), from.into_descriptor(), setting);
    Ok(([initiator, responder], own.control_by_halves()))
}

/// Two FIFOs, whose names are removed before the first byte.
pub fn fifos(setting: Setting) -> Result<Exchange<Pipe, impl Control>> {
    over_pipes(&fifo_somewhere, setting)
}

/// A FIFO in the temporary folder, or in memory that nearly every system has.
fn fifo_somewhere() -> Result<(ReadEnd, WriteEnd)> {
    let mut last = String::new();
    for folder in [std::env::temp_dir(), Path::new("/dev/shm").to_owned()] {
        match fifo(&folder) {
            Ok(ends) => return Ok(ends),
            Err(error) => {
                last = format!("no FIFO can be made in {}: {error}", folder.display());
                // It would be left in the next folder, too.
                if error.call == "unlink" {
                    break;
                }
            }
        }
    }
    Err(Failure::skipped(last, "set TMPDIR to a folder that can be written to"))
}

/// A pair of Unix stream sockets.
pub fn unix_streams(setting: Setting) -> Result<Exchange<Socket, impl Control>> {
    over_sockets(&unix_stream_pair, setting)
}

/// A pair of Unix datagram sockets.
pub fn unix_datagrams(setting: Setting) -> Result<Exchange<Socket, impl Control>> {
    over_sockets(&unix_datagram_pair, setting)
}
