//! Objects that carry bytes and are files: pipes, FIFOs, Unix sockets.

use super::{Alone, Mechanism, Setting, Side, Sides};
use measure::Failure;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sys::descriptor::Descriptor;
use sys::pipe::{ReadEnd, WriteEnd, fifo, pipe};
use sys::socket::{Connected, unix_datagram_pair, unix_stream_pair};

/// An end that can be written to or read from.
pub trait End: Send {
    /// Its descriptor.
    fn descriptor(&self) -> &Descriptor;
}

impl End for ReadEnd {
    fn descriptor(&self) -> &Descriptor {
        ReadEnd::descriptor(self)
    }
}

impl End for WriteEnd {
    fn descriptor(&self) -> &Descriptor {
        WriteEnd::descriptor(self)
    }
}

impl End for Arc<Descriptor> {
    fn descriptor(&self) -> &Descriptor {
        self
    }
}

/// A side that writes to one end and reads from another, messages of one length.
pub struct Ends<W: End, R: End> {
    to: W,
    from: R,
    out: Vec<u8>,
    into: Vec<u8>,
}

impl<W: End, R: End> Ends<W, R> {
    fn new(to: W, from: R, setting: Setting) -> Self {
        // Not zero, since some processors store zeros faster (E60).
        let noise = |index: usize| (setting.seed.wrapping_mul(2 * index as u64 + 1) >> 32) as u8 | 1;
        let length = setting.bytes.max(1);
        Self {
            to,
            from,
            out: (0..length).map(noise).collect(),
            into: vec![0; length],
        }
    }
}

/// The error of a message that came back otherwise than it was sent.
const TORN: sys::Error = sys::Error {
    call: "read",
    errno: 0,
};

impl<W: End, R: End> Side for Ends<W, R> {
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
                0 => return Err(TORN),
                more => sent += more,
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        let mut come = 0;
        while let Some(rest) = self.into.get_mut(come..).filter(|rest| !rest.is_empty()) {
            match sys::Error::check("read", self.from.descriptor().read(rest))? {
                0 => return Err(TORN),
                more => come += more,
            }
        }
        match (self.into.first(), self.into.last()) {
            (Some(first), Some(last)) if first == last => Ok(*first),
            _ => Err(TORN),
        }
    }
}

impl<W: End, R: End> Alone for Ends<W, R> {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.send(word)?;
        self.receive()
    }
}

/// What gives two connected ends.
type Make<'m> = &'m dyn Fn() -> Result<(ReadEnd, WriteEnd), Failure>;

fn one_way<M>(make: Make<'_>, setting: Setting) -> Result<Sides<M>, Failure>
where
    M: Mechanism<Side = Ends<WriteEnd, ReadEnd>, Alone = Ends<WriteEnd, ReadEnd>>,
{
    let (their_input, to) = make()?;
    let (from, their_output) = make()?;
    let (own_input, own_output) = make()?;
    Ok(Sides {
        lead: Ends::new(to, from, setting),
        answer: Ends::new(their_output, their_input, setting),
        alone: Ends::new(own_output, own_input, setting),
    })
}

fn both_ways<M>(make: &dyn Fn() -> sys::Result<Connected>, setting: Setting) -> Result<Sides<M>, Failure>
where
    M: Mechanism<Side = Socket, Alone = Socket>,
{
    let (between, own) = (make()?, make()?);
    let [near, far] = [between.near, between.far].map(Arc::new);
    Ok(Sides {
        lead: Ends::new(Arc::clone(&near), near, setting),
        answer: Ends::new(Arc::clone(&far), far, setting),
        alone: Ends::new(Arc::new(own.near), Arc::new(own.far), setting),
    })
}

/// A socket that is both written to and read from.
type Socket = Ends<Arc<Descriptor>, Arc<Descriptor>>;

/// Two pipes.
pub struct Pipes;

impl Mechanism for Pipes {
    type Side = Ends<WriteEnd, ReadEnd>;
    type Alone = Self::Side;

    fn sides(setting: Setting) -> Result<Sides<Self>, Failure> {
        one_way(&|| Ok(pipe()?), setting)
    }
}

/// Two FIFOs, whose names are removed before the first byte.
pub struct Fifos;

impl Mechanism for Fifos {
    type Side = Ends<WriteEnd, ReadEnd>;
    type Alone = Self::Side;

    fn sides(setting: Setting) -> Result<Sides<Self>, Failure> {
        one_way(&fifo_somewhere, setting)
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
            Err(error) => last = Some(format!("no FIFO can be made in {}: {error}", folder.display())),
        }
    }
    Err(Failure::skipped(
        last.unwrap_or_default(),
        "set TMPDIR to a folder that can be written to",
    ))
}

/// A pair of Unix stream sockets.
pub struct UnixStreams;

impl Mechanism for UnixStreams {
    type Side = Socket;
    type Alone = Self::Side;

    fn sides(setting: Setting) -> Result<Sides<Self>, Failure> {
        both_ways(&unix_stream_pair, setting)
    }
}

/// A pair of Unix datagram sockets.
pub struct UnixDatagrams;

impl Mechanism for UnixDatagrams {
    type Side = Socket;
    type Alone = Self::Side;

    fn sides(setting: Setting) -> Result<Sides<Self>, Failure> {
        both_ways(&unix_datagram_pair, setting)
    }
}
