//! Echo requests (ping): to a host that answers in its kernel, without a program.

use crate::descriptor::Descriptor;
use crate::{Error, Result};
use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto, socket_with};
use std::net::Ipv4Addr;

/// A socket that sends echo requests to one address and takes the answers.
#[derive(Debug)]
pub struct Echo {
    socket: Descriptor,
    /// Bytes of the internet header before an answer, which a raw socket shows.
    header: usize,
    id: u16,
    sequence: u16,
    request: Vec<u8>,
    answer: Vec<u8>,
}

/// Types of ICMP messages (linux/icmp.h), and the option that chooses among them.
const REQUEST: u8 = 8;
const REPLY: u8 = 0;
const SOL_RAW: libc::c_int = 255;
const ICMP_FILTER: libc::c_int = 1;

/// Bytes before the content of an echo: type, code, sum, id, number.
const HEAD: usize = 8;

/// Bytes of an internet header without options.
const INTERNET_HEADER: usize = 20;

/// Foreign answers that a raw socket may show before ours.
const FOREIGN: usize = 64;

fn socket(kind: SocketType) -> Result<Descriptor> {
    let made = socket_with(AddressFamily::INET, kind, SocketFlags::CLOEXEC, Some(ipproto::ICMP));
    made.map(Descriptor::from).map_err(Error::in_call("socket"))
}

/// The internet's sum of these bytes (RFC 1071).
fn sum(bytes: &[u8]) -> u16 {
    let pairs = bytes.chunks(2).map(|pair| {
        let second = pair.get(1).copied().unwrap_or(0);
        u32::from(u16::from_be_bytes([pair.first().copied().unwrap_or(0), second]))
    });
    let all: u32 = pairs.sum();
    let folded = (all & 0xffff) + (all >> 16);
    !(((folded & 0xffff) + (folded >> 16)) as u16)
}

impl Echo {
    /// Requests with `bytes` bytes of content to this address. An ordinary user may where the group is within
    /// net.ipv4.ping_group_range; otherwise root may by a raw socket.
    ///
    /// # Errors
    /// When neither is allowed, or there is no such address.
    pub fn new(to: Ipv4Addr, bytes: usize, id: u16) -> Result<Self> {
        let (socket, header) = match socket(SocketType::DGRAM) {
            Ok(socket) => (socket, 0),
            Err(_) => (socket(SocketType::RAW)?, INTERNET_HEADER),
        };
        if header > 0 {
            // Everything but replies is kept from a raw socket, our own requests above all.
            crate::inet::set(&socket, (SOL_RAW, ICMP_FILTER), &!(1_u32 << REPLY))?;
        }
        let address = std::net::SocketAddr::from((to, 0));
        crate::inet::connect(&socket, &address.into())?;
        let mut request = vec![0; HEAD + bytes];
        if let Some(first) = request.first_mut() {
            *first = REQUEST;
        }
        Ok(Self { socket, header, id, sequence: 0, answer: vec![0; header + HEAD + bytes], request })
    }

    /// Sends a request that must be answered within this time. Later ones wait without a timeout, which would be a timer of
    /// the kernel within what is timed.
    ///
    /// # Errors
    /// When nothing answers (EAGAIN), or the kernel refuses.
    pub fn expect_answer(&mut self, milliseconds: u32) -> Result<()> {
        crate::inet::set_timeout(&self.socket, milliseconds)?;
        self.once(&[])?;
        crate::inet::set_timeout(&self.socket, 0)
    }

    /// One request with this content and its answer; whether the answer is ours, with the same content.
    ///
    /// # Errors
    /// When the kernel refuses, or nothing arrives within the socket's timeout.
    #[inline(always)]
    pub fn once(&mut self, content: &[u8]) -> Result<bool> {
        self.sequence = self.sequence.wrapping_add(1);
        let (id, sequence) = (self.id.to_be_bytes(), self.sequence.to_be_bytes());
        let head = [REQUEST, 0, 0, 0, id[0], id[1], sequence[0], sequence[1]];
        for (to, from) in self.request.iter_mut().zip(head.iter().chain(content)) {
            *to = *from;
        }
        let sum = sum(&self.request).to_be_bytes();
        for (to, from) in self.request.iter_mut().skip(2).zip(sum) {
            *to = from;
        }
        self.socket.write_all(&self.request)?;
        for _ in 0..FOREIGN {
            let came = Error::check("read", self.socket.read(&mut self.answer))?;
            let message = self.answer.get(self.header..came).unwrap_or_default();
            // The kernel puts an id of its own into what goes by a datagram socket.
            let is_ours = message.first() == Some(&REPLY)
                && message.get(6..8) == Some(&sequence)
                && (self.header == 0 || message.get(4..6) == Some(&id));
            if is_ours {
                return Ok(message.get(HEAD..) == Some(content));
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_example_in_rfc_1071() {
        assert_eq!(sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
        let odd = [1, 2, 3];
        assert_eq!(sum(&odd), !0x0402);
    }

    #[test]
    fn this_machine_answers_with_what_was_sent() {
        match Echo::new(Ipv4Addr::LOCALHOST, 56, 7) {
            Ok(mut echo) => {
                echo.expect_answer(10_000).unwrap();
                for word in 1..5 {
                    assert!(echo.once(&[word; 56]).unwrap());
                }
            }
            Err(error) => assert!(error.is_denied(), "{error}"),
        }
    }
}
