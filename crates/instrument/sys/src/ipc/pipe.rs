//! Pipes, FIFOs and one-way Unix streams as their two ends, read and written by raw system calls.

use crate::descriptor::Descriptor;
use crate::socket::unix_stream_pair;
use crate::{Error, Result};
use rustix::fs::{self, Mode, OFlags};
use rustix::pipe::PipeFlags;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

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

/// A new pipe, closed on exec.
///
/// # Errors
/// When no descriptor is left.
pub fn pipe() -> Result<(ReadEnd, WriteEnd)> {
    let ends = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(Error::in_call("pipe2"))?;
    Ok((ReadEnd(ends.0.into()), WriteEnd(ends.1.into())))
}

/// A new stream of bytes, closed on exec.
///
/// # Errors
/// When no descriptor is left or the call is denied.
pub fn stream(carrier: Carrier) -> Result<(ReadEnd, WriteEnd)> {
    match carrier {
        Carrier::Pipe => pipe(),
        Carrier::UnixStream => unix_stream_pair().map(|pair| (ReadEnd(pair.client), WriteEnd(pair.server))),
    }
}

/// A new FIFO in this folder, opened at both ends. Its name is removed at once.
///
/// # Errors
/// When the folder cannot be written to, or no descriptor is left.
pub fn fifo(folder: &Path) -> Result<(ReadEnd, WriteEnd)> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let name = folder.join(format!("oscope-fifo-{}-{number}", std::process::id()));
    fs::mkfifoat(fs::CWD, &name, Mode::RUSR | Mode::WUSR).map_err(Error::in_call("mkfifo"))?;
    let open = |how| {
        let opened = fs::open(&name, how | OFlags::CLOEXEC, Mode::empty());
        opened.map(Descriptor::from).map_err(Error::in_call("open"))
    };
    // An end by itself would wait for the other one: a descriptor for both goes first.
    let ends = open(OFlags::RDWR).and_then(|both| {
        let ends = (ReadEnd(open(OFlags::RDONLY)?), WriteEnd(open(OFlags::WRONLY)?));
        drop(both);
        Ok(ends)
    });
    let unlinked = fs::unlink(&name).map_err(Error::in_call("unlink"));
    ends.and_then(|ends| unlinked.map(|()| ends))
}

impl WriteEnd {
    /// Writes one byte.
    ///
    /// # Errors
    /// When the reader is gone.
    #[inline(always)]
    pub fn write_byte(&self, byte: u8) -> Result<()> {
        self.0.write_all(&[byte])
    }

    /// Writes all of these bytes, by as many calls as it takes.
    ///
    /// # Errors
    /// When the other end is gone, or [`WriteEnd::refuse_to_wait`] was called and there is no room.
    #[inline(always)]
    pub fn send(&self, bytes: &[u8]) -> Result<()> {
        self.0.write_repeatedly(bytes)
    }

    /// Lets calls fail that would have to wait for room.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn refuse_to_wait(&self) -> Result<()> {
        fs::fcntl_setfl(&self.0, OFlags::NONBLOCK).map_err(Error::in_call("fcntl"))
    }

    /// Lets the pipe hold this many bytes and no more; the kernel rounds up to whole pages.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn set_capacity(&self, bytes: usize) -> Result<()> {
        rustix::pipe::fcntl_setpipe_size(&self.0, bytes).map_err(Error::in_call("fcntl")).map(|_| ())
    }

    /// The descriptor.
    pub fn descriptor(&self) -> &Descriptor {
        &self.0
    }

    /// The descriptor, for those who use ends of all kinds.
    pub fn into_descriptor(self) -> Descriptor {
        self.0
    }
}

impl ReadEnd {
    /// Reads one byte.
    ///
    /// # Errors
    /// When the writer is gone (errno 0: end of file).
    #[inline(always)]
    pub fn read_byte(&self) -> Result<u8> {
        let mut byte = [0];
        self.0.read_all(&mut byte).map(|()| byte[0])
    }

    /// Fills the buffer by as many calls as it takes; gives how many bytes came before the end of the stream.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn fill(&self, buffer: &mut [u8]) -> Result<usize> {
        self.0.read_repeatedly(buffer)
    }

    /// The descriptor.
    pub fn descriptor(&self) -> &Descriptor {
        &self.0
    }

    /// The descriptor, for those who use ends of all kinds.
    pub fn into_descriptor(self) -> Descriptor {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifo_carries_bytes_and_leaves_no_name() {
        let folder = std::env::temp_dir().join(format!("oscope-fifo-test-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let (reader, writer) = fifo(&folder).unwrap();
        let left = std::fs::read_dir(&folder).unwrap().count();
        std::fs::remove_dir(&folder).unwrap();
        writer.write_byte(7).unwrap();
        assert_eq!((reader.read_byte().unwrap(), left), (7, 0));
        drop(writer);
        assert_eq!(reader.read_byte().unwrap_err().errno, 0, "the end of the file");
    }

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
    fn a_pipe_of_one_page_holds_one_page() {
        let (_reader, writer) = pipe().unwrap();
        let page = crate::memory::page_size();
        writer.set_capacity(page).unwrap();
        writer.refuse_to_wait().unwrap();
        writer.send(&vec![1; page]).unwrap();
        assert_eq!(writer.write_byte(1).unwrap_err().errno, libc::EAGAIN);
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
