//! The client of an echo service: messages sent, echoes compared byte by byte.

use super::Messages;
use crate::network::services::{ASK_USAGE, Counter, Counters, fill, put};
use measure::{Failure, Result};
use sys::descriptor::Descriptor;
use sys::usage::Usage;

/// Whether the transport keeps message boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// It does not: a message may arrive in parts.
    Stream,
    /// A message arrives whole or not at all.
    Datagrams,
}

/// Sends messages and checks their echoes.
pub struct Echo<'s> {
    connection: &'s Descriptor,
    framing: Framing,
    messages: Messages,
    reply: Vec<u8>,
    turns: u64,
}

impl<'s> Echo<'s> {
    /// Messages of `bytes` bytes over a connection.
    pub fn new(connection: &'s Descriptor, framing: Framing, bytes: usize, seed: u64) -> Self {
        let messages = Messages::new(bytes, seed);
        Self { connection, framing, reply: vec![1; messages.bytes()], messages, turns: 0 }
    }

    /// `n` round trips; returns the number of correct echoes.
    pub fn round_trips(&mut self, n: u64) -> Result<u64> {
        let mut correct = 0;
        for _ in 0..n {
            let message = self.messages.next_message();
            send(self.connection, self.framing, message)?;
            receive(self.connection, self.framing, &mut self.reply)?;
            correct += u64::from(self.reply == message);
        }
        self.turns += n;
        Ok(correct)
    }

    /// Sends a message and receives nothing: each later reply is that of the message before the last.
    pub fn send_one(&mut self) -> Result<()> {
        Ok(send(self.connection, self.framing, self.messages.next_message())?)
    }

    /// Round trips so far.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// One more round trip, which requests the server's usage.
    pub fn usage(&mut self, counters: &Counters) -> Result<Usage> {
        let mut request = self.messages.next_message().to_vec();
        if let Some(first) = request.first_mut() {
            *first = ASK_USAGE;
        }
        send(self.connection, self.framing, &request)?;
        receive(self.connection, self.framing, &mut self.reply)?;
        self.turns += 1;
        Failure::unless(self.reply == request, "the server's reply differs from the request")?;
        Ok(Usage {
            voluntary: counters.get(Counter::Voluntary).cast_signed(),
            involuntary: counters.get(Counter::Involuntary).cast_signed(),
            ..Usage::default()
        })
    }
}

/// Sends a message.
#[inline(always)]
pub fn send(at: &Descriptor, framing: Framing, message: &[u8]) -> sys::Result<()> {
    match framing {
        Framing::Stream => put(at, message),
        Framing::Datagrams => at.write_all(message),
    }
}

/// Receives a message of this length.
#[inline(always)]
pub fn receive(at: &Descriptor, framing: Framing, into: &mut [u8]) -> Result<()> {
    match framing {
        Framing::Datagrams => Ok(at.read_all(into)?),
        Framing::Stream if fill(at, into)? == into.len() => Ok(()),
        Framing::Stream => Err(Failure::failed("the server ended the connection")),
    }
}
