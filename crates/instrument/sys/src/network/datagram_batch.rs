//! Several datagrams by one call (sendmmsg, recvmmsg).

use crate::descriptor::Descriptor;
use crate::{Error, Result};

/// Most datagrams of a call: the kernel takes no more (UIO_MAXIOV).
pub const MAX_DATAGRAMS: usize = 1024;

/// Datagrams of one length, each with a buffer of its own.
pub struct DatagramBatch {
    headers: Vec<libc::mmsghdr>,
    // The headers point to the vectors, and these into the buffers: neither grows.
    _vectors: Vec<libc::iovec>,
    buffers: Vec<u8>,
    bytes: usize,
}

impl DatagramBatch {
    /// `count` datagrams (1 to [`MAX_DATAGRAMS`]) of `bytes` bytes.
    pub fn new(count: usize, bytes: usize) -> Self {
        let (count, bytes) = (count.clamp(1, MAX_DATAGRAMS), bytes.max(1));
        let mut buffers = vec![0xa5; count * bytes];
        let mut vectors: Vec<libc::iovec> = buffers
            .chunks_mut(bytes)
            .map(|chunk| libc::iovec { iov_base: chunk.as_mut_ptr().cast(), iov_len: bytes })
            .collect();
        let headers = vectors.iter_mut().map(|vector| {
            // SAFETY: a header without a name, vectors and control data is made of zeros.
            let mut header: libc::mmsghdr = unsafe { std::mem::zeroed() };
            header.msg_hdr.msg_iov = vector;
            header.msg_hdr.msg_iovlen = 1;
            header
        });
        let headers = headers.collect();
        Self { headers, _vectors: vectors, buffers, bytes }
    }

    /// The datagrams.
    pub fn datagrams_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.buffers.chunks_mut(self.bytes)
    }

    /// The first `count` datagrams as they were received: how many bytes came of each, and its buffer.
    pub fn received(&self, count: usize) -> impl Iterator<Item = (usize, &[u8])> {
        let lengths = self.headers.iter().map(|header| header.msg_len as usize);
        lengths.zip(self.buffers.chunks(self.bytes)).take(count)
    }

    /// Sends all by one call; gives how many the kernel took.
    ///
    /// # Errors
    /// When it took none.
    #[inline(always)]
    pub fn send(&mut self, socket: &Descriptor) -> Result<usize> {
        let (headers, count) = (self.headers.as_mut_ptr(), self.headers.len() as libc::c_uint);
        // SAFETY: the headers name buffers that live as long as `self`.
        let sent = unsafe { libc::sendmmsg(socket.number(), headers, count, 0) };
        Error::check_errno("sendmmsg", sent).map(|sent| sent as usize)
    }

    /// Waits for a datagram and takes all that are there, as many as there are buffers, by one call; gives their number.
    ///
    /// # Errors
    /// When the socket is closed, or its time is over.
    #[inline(always)]
    pub fn receive(&mut self, socket: &Descriptor) -> Result<usize> {
        let (headers, count) = (self.headers.as_mut_ptr(), self.headers.len() as libc::c_uint);
        let flags = libc::MSG_WAITFORONE as _;
        // SAFETY: the headers name buffers that live as long as `self`; there is no time limit.
        let came = unsafe { libc::recvmmsg(socket.number(), headers, count, flags, std::ptr::null_mut()) };
        Error::check_errno("recvmmsg", came).map(|came| came as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inet::udp_pair;

    #[test]
    fn a_call_moves_a_datagram_for_each_buffer() {
        let pair = udp_pair(false).unwrap();
        let (mut out, mut into) = (DatagramBatch::new(5, 16), DatagramBatch::new(8, 16));
        for (number, datagram) in (1..).zip(out.datagrams_mut()) {
            datagram.fill(number);
        }
        assert_eq!(out.send(&pair.server).unwrap(), 5);
        assert_eq!(into.receive(&pair.client).unwrap(), 5);
        let right = (1..)
            .zip(into.received(5))
            .all(|(number, (came, bytes))| (came, bytes) == (16, &[number; 16][..]));
        assert!(right);
        pair.server.write_all(&[9]).unwrap();
        assert_eq!(into.receive(&pair.client).unwrap(), 1);
        assert_eq!(into.received(1).next().map(|(came, _)| came), Some(1));
    }
}
