//! The near end of an echo: messages sent, answers compared byte by byte.

use super::Messages;
use crate::network::workloads::services::{Entry, Ledger, TELL, fill, put};
use measure::Failure;
use sys::descriptor::Descriptor;
use sys::usage::Usage;

/// Whether messages have limits of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// They have none: each may come in pieces.
    Stream,
    /// Each comes whole or not at all.
    Datagrams,
}

/// One end that sends messages and wants them back.
pub struct Echo<'s> {
    at: &'s Descriptor,
    kind: Kind,
    messages: Messages,
    into: Vec<u8>,
    turns: u64,
}

impl<'s> Echo<'s> {
    /// Messages of so many bytes over a connection.
    pub fn new(at: &'s Descriptor, kind: Kind, bytes: usize, seed: u64) -> Self {
        let messages = Messages::new(bytes, seed);
        Self {
            at,
            kind,
            into: vec![1; messages.bytes()],
            messages,
            turns: 0,
        }
    }

    /// So many round trips; gives how many messages came back as they went, byte by byte.
    pub fn round_trips(&mut self, n: u64) -> Result<u64, Failure> {
        let mut right = 0;
        for _ in 0..n {
            let message = self.messages.next();
            send(self.at, self.kind, message)?;
            receive(self.at, self.kind, &mut self.into)?;
            right += u64::from(self.into == message);
        }
        self.turns += n;
        Ok(right)
    }

    /// Round trips so far.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// One more round trip, which asks the far end for its usage.
    pub fn usage(&mut self, ledger: &Ledger) -> Result<Usage, Failure> {
        let mut question = self.messages.next().to_vec();
        if let Some(first) = question.first_mut() {
            *first = TELL;
        }
        send(self.at, self.kind, &question)?;
        receive(self.at, self.kind, &mut self.into)?;
        self.turns += 1;
        if self.into != question {
            return Err(Failure::Failed(
                "the far end answered another question".to_owned(),
            ));
        }
        Ok(Usage {
            voluntary: ledger.get(Entry::Voluntary).cast_signed(),
            involuntary: ledger.get(Entry::Involuntary).cast_signed(),
            ..Usage::default()
        })
    }
}

/// Sends a message.
#[inline(always)]
pub fn send(at: &Descriptor, kind: Kind, message: &[u8]) -> sys::Result<()> {
    match kind {
        Kind::Stream => put(at, message),
        Kind::Datagrams => at.write_all(message),
    }
}

/// Takes a message of this length.
#[inline(always)]
pub fn receive(at: &Descriptor, kind: Kind, into: &mut [u8]) -> Result<(), Failure> {
    match kind {
        Kind::Datagrams => Ok(at.read_all(into)?),
        Kind::Stream if fill(at, into)? == into.len() => Ok(()),
        Kind::Stream => Err(Failure::Failed("the far end ended the connection".to_owned())),
    }
}
