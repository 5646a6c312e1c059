//! Byte channels that are files: pipes, FIFOs, Unix sockets.

use super::mechanism::{Endpoint, Endpoints, Mechanism, Setting, SingleTask};
use measure::Failure;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sys::descriptor::Descriptor;
use sys::pipe::{ReadEnd, WriteEnd, fifo, pipe};
use sys::socket::{SocketPair, unix_datagram_pair, unix_stream_pair};

/// A file that can be written to or read from.
pub trait FileEnd: Send {
    /// Its descriptor.
    fn descriptor(&self) -> &Descriptor;
}

impl FileEnd for ReadEnd {
    fn descriptor(&self) -> &Descriptor {
        ReadEnd::descriptor(self)
    }
}

impl FileEnd for WriteEnd {
    fn descriptor(&self) -> &Descriptor {
        WriteEnd::descriptor(self)
    }
}

impl FileEnd for Arc<Descriptor> {
    fn descriptor(&self) -> &Descriptor {
        self
    }
}

/// An endpoint that writes messages of one length to one file and reads them from another.
pub struct StreamEndpoint<W: FileEnd, R: FileEnd> {
    to: W,
    from: R,
    out: Vec<u8>,
    into: Vec<u8>,
}

impl<W: FileEnd, R: FileEnd> StreamEndpoint<W, R> {
    fn new(to: W, from: R, setting: Setting) -> Self {
        // Not zero, since some processors store zeros faster (E60).
        let noise = |index: usize| (setting.seed.wrapping_mul(2 * index as u64 + 1) >> 32) as u8 | 1;
        let length = setting.bytes.max(1);
        Self { to, from, out: (0..length).map(noise).collect(), into: vec![0; length] }
    }
}

/// The error of a message that differs from what was sent.
const CORRUPT_MESSAGE: sys::Error = sys::Error { call: "read", errno: 0 };

impl<W: FileEnd, R: FileEnd> Endpoint for StreamEndpoint<W, R> {
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
            match sys::Error::check("write", self.to.descriptor().write(rest))? {
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
            match sys::Error::check("read", self.from.descriptor().read(rest))? {
                0 => return Err(CORRUPT_MESSAGE),
                more => received += more,
            }
        }
        match (self.into.first(), self.into.last()) {
            (Some(first), Some(last)) if first == last => Ok(*first),
            _ => Err(CORRUPT_MESSAGE),
        }
    }
}

impl<W: FileEnd, R: FileEnd> SingleTask for StreamEndpoint<W, R> {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.send(word)?;
        self.receive()
    }
}

/// Makes two connected file ends.
type Make<'m> = &'m dyn Fn() -> Result<(ReadEnd, WriteEnd), Failure>;

fn over_pipes<M>(make: Make<'_>, setting: Setting) -> Result<Endpoints<M>, Failure>
where
    M: Mechanism<
            Endpoint = StreamEndpoint<WriteEnd, ReadEnd>,
            SingleTask = StreamEndpoint<WriteEnd, ReadEnd>,
        >,
{
    let (their_input, to) = make()?;
    let (from, their_output) = make()?;
    let (own_input, own_output) = make()?;
    Ok(Endpoints {
        initiator: StreamEndpoint::new(to, from, setting),
        answer: StreamEndpoint::new(their_output, their_input, setting),
        control: StreamEndpoint::new(own_output, own_input, setting),
    })
}

fn over_sockets<M>(
    make: &dyn Fn() -> sys::Result<SocketPair>,
    setting: Setting,
) -> Result<Endpoints<M>, Failure>
where
    M: Mechanism<Endpoint = Socket, SingleTask = Socket>,
{
    let (between, own) = (make()?, make()?);
    let [client, server] = [between.client, between.server].map(Arc::new);
    Ok(Endpoints {
        initiator: StreamEndpoint::new(Arc::clone(&client), client, setting),
        answer: StreamEndpoint::new(Arc::clone(&server), server, setting),
        control: StreamEndpoint::new(Arc::new(own.client), Arc::new(own.server), setting),
    })
}

/// An endpoint that reads and writes one socket.
type Socket = StreamEndpoint<Arc<Descriptor>, Arc<Descriptor>>;

/// Two pipes.
pub struct Pipes;

impl Mechanism for Pipes {
    type Endpoint = StreamEndpoint<WriteEnd, ReadEnd>;
    type SingleTask = Self::Endpoint;

    fn endpoints(setting: Setting) -> Result<Endpoints<Self>, Failure> {
        over_pipes(&|| Ok(pipe()?), setting)
    }
}

/// Two FIFOs, whose names are removed before the first byte.
pub struct Fifos;

impl Mechanism for Fifos {
    type Endpoint = StreamEndpoint<WriteEnd, ReadEnd>;
    type SingleTask = Self::Endpoint;

    fn endpoints(setting: Setting) -> Result<Endpoints<Self>, Failure> {
        over_pipes(&fifo_somewhere, setting)
    }
}

/// Folders in which a FIFO may be made: the temporary one, and memory that nearly every system has.
fn folders() -> [PathBuf; 2] {
    [std::env::temp_dir(), Path::new("/dev/shm").to_owned()]
}

fn fifo_somewhere() -> Result<(ReadEnd, WriteEnd), Failure> {
    let mut last = None;
    for folder in folders() {
        match fifo(&folder) {
            Ok(ends) => return Ok(ends),
            Err(error) => {
                last = Some(format!("no FIFO can be made in {}: {error}", folder.display()));
                // It would be left in the next folder, too.
                if error.call == "unlink" {
                    break;
                }
            }
        }
    }
    Err(Failure::skipped(last.unwrap_or_default(), "set TMPDIR to a folder that can be written to"))
}

/// A pair of Unix stream sockets.
pub struct UnixStreams;

impl Mechanism for UnixStreams {
    type Endpoint = Socket;
    type SingleTask = Self::Endpoint;

    fn endpoints(setting: Setting) -> Result<Endpoints<Self>, Failure> {
        over_sockets(&unix_stream_pair, setting)
    }
}

/// A pair of Unix datagram sockets.
pub struct UnixDatagrams;

impl Mechanism for UnixDatagrams {
    type Endpoint = Socket;
    type SingleTask = Self::Endpoint;

    fn endpoints(setting: Setting) -> Result<Endpoints<Self>, Failure> {
        over_sockets(&unix_datagram_pair, setting)
    }
}
