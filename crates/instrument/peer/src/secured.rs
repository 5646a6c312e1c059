//! An authenticated connection as a state machine: a handshake, then encrypted messages of any number of frames.

use crate::frame::{FrameBuffer, MAX_FRAME, MAX_MESSAGE, frame};
use crate::noise::{HANDSHAKE_BYTES, NoiseHandshake, Sealed, TAG_BYTES};
use crate::{Key, Malformed};
use serde::Serialize;

/// Most of a message in one frame, besides the byte that says whether more follows.
const MAX_PIECE: usize = MAX_FRAME - TAG_BYTES - 1;

/// Marks the last frame of a message, and one that is not.
const LAST: u8 = 0;
const MORE: u8 = 1;

enum State {
    /// Waits for the other side's part of the handshake.
    Handshaking(Box<NoiseHandshake>),
    /// Both sides are authenticated.
    Established(Sealed),
    /// Malformed input was received: no more is accepted.
    Failed,
}

/// One end of a connection that a key secures. Bytes go in by [`Secured::take`], which returns what the other end
/// sent.
pub struct Secured {
    state: State,
    initiator: bool,
    frames: FrameBuffer,
    assembled: Vec<u8>,
}

/// What was received.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// Not a whole message yet.
    Incomplete,
    /// The handshake is over; these bytes, if any, go to the other side.
    Authenticated(Vec<u8>),
    /// A whole message.
    Message(Vec<u8>),
}

impl Secured {
    /// The side that begins, and its first bytes.
    ///
    /// # Errors
    /// When the cryptography does not work here.
    pub fn initiate(key: &Key, context: &[u8]) -> Result<(Self, Vec<u8>), Malformed> {
        let mut handshake = NoiseHandshake::new(true, key, context)?;
        let first = frame(&handshake.write_message()?);
        Ok((Self::handshaking(true, handshake), first))
    }

    /// The side that waits for the other's first bytes.
    ///
    /// # Errors
    /// When the cryptography does not work here.
    pub fn respond(key: &Key, context: &[u8]) -> Result<Self, Malformed> {
        NoiseHandshake::new(false, key, context).map(|handshake| Self::handshaking(false, handshake))
    }

    fn handshaking(initiator: bool, handshake: NoiseHandshake) -> Self {
        Self {
            state: State::Handshaking(Box::new(handshake)),
            initiator,
            frames: FrameBuffer::new(HANDSHAKE_BYTES, HANDSHAKE_BYTES),
            assembled: Vec::new(),
        }
    }

    /// How many bytes may be read for it next; none after malformed input.
    pub fn wanted(&self) -> usize {
        match self.state {
            State::Failed => 0,
            _ => self.frames.wanted(),
        }
    }

    /// Takes bytes, at most as many as are wanted.
    ///
    /// # Errors
    /// When an honest side with the same key would not have sent them; nothing is taken afterwards.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Received, Malformed> {
        let received = self.receive(bytes);
        if received.is_err() {
            self.state = State::Failed;
        }
        received
    }

    fn receive(&mut self, bytes: &[u8]) -> Result<Received, Malformed> {
        if matches!(self.state, State::Failed) {
            return Err(Malformed("data after the end"));
        }
        let Some(body) = self.frames.take(bytes)? else {
            return Ok(Received::Incomplete);
        };
        match std::mem::replace(&mut self.state, State::Failed) {
            State::Handshaking(handshake) => {
                self.complete_handshake(*handshake, &body).map(Received::Authenticated)
            }
            State::Established(mut sealed) => {
                let plain = sealed.open(&body)?;
                self.state = State::Established(sealed);
                self.assemble(&plain)
            }
            State::Failed => Err(Malformed("data after the end")),
        }
    }

    fn complete_handshake(
        &mut self,
        mut handshake: NoiseHandshake,
        body: &[u8],
    ) -> Result<Vec<u8>, Malformed> {
        handshake.read_message(body)?;
        let answer = match self.initiator {
            true => Vec::new(),
            false => frame(&handshake.write_message()?),
        };
        self.state = State::Established(handshake.finish()?);
        self.frames = FrameBuffer::new(TAG_BYTES + 1, MAX_FRAME);
        Ok(answer)
    }

    fn assemble(&mut self, plain: &[u8]) -> Result<Received, Malformed> {
        let (mark, piece) = plain.split_first().ok_or(Malformed("an empty message"))?;
        if self.assembled.len() + piece.len() > MAX_MESSAGE {
            return Err(Malformed("a message that is too long"));
        }
        self.assembled.extend_from_slice(piece);
        match *mark {
            LAST => Ok(Received::Message(std::mem::take(&mut self.assembled))),
            MORE if !piece.is_empty() => Ok(Received::Incomplete),
            _ => Err(Malformed("an unknown frame mark")),
        }
    }

    /// The bytes of a message for the other side, in JSON.
    pub(crate) fn seal(&mut self, message: &impl Serialize) -> Result<Vec<u8>, Malformed> {
        let text = serde_json::to_vec(message).map_err(|_| Malformed("a message cannot be serialized"))?;
        self.seal_message(&text)
    }

    /// The bytes of a message for the other side.
    ///
    /// # Errors
    /// When it is longer than [`MAX_MESSAGE`], or the handshake is not complete.
    pub fn seal_message(&mut self, message: &[u8]) -> Result<Vec<u8>, Malformed> {
        let State::Established(sealed) = &mut self.state else {
            return Err(Malformed("a message before the handshake, or after the end"));
        };
        if message.len() > MAX_MESSAGE {
            return Err(Malformed("a message that is too long"));
        }
        let mut pieces: Vec<&[u8]> = message.chunks(MAX_PIECE).collect();
        let last = pieces.pop().unwrap_or_default();
        let marked = pieces.into_iter().map(|piece| (MORE, piece)).chain([(LAST, last)]);
        let mut bytes = Vec::new();
        for (mark, piece) in marked {
            bytes.extend(frame(&sealed.seal(&[&[mark], piece].concat())?));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives all bytes, no more at a time than are wanted; the last result.
    fn give(to: &mut Secured, bytes: &[u8], step: usize) -> Result<Received, Malformed> {
        let (mut at, mut received) = (0, Received::Incomplete);
        while at < bytes.len() {
            let next = step.min(to.wanted().max(1)).min(bytes.len() - at);
            received = to.take(&bytes[at..at + next])?;
            at += next;
        }
        Ok(received)
    }

    fn pair(one: &Key, other: &Key) -> Result<(Secured, Secured), Malformed> {
        let (mut client, first) = Secured::initiate(one, b"context")?;
        let mut server = Secured::respond(other, b"context")?;
        let Received::Authenticated(answer) = give(&mut server, &first, 7)? else {
            panic!("no answer");
        };
        assert_eq!(give(&mut client, &answer, 7)?, Received::Authenticated(Vec::new()));
        Ok((client, server))
    }

    #[test]
    fn messages_of_every_length_round_trip() {
        let key = Key::generate().unwrap();
        let (mut client, mut server) = pair(&key, &key).unwrap();
        for length in [0, 1, 1000, MAX_PIECE, MAX_PIECE + 1, MAX_MESSAGE] {
            let message: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let bytes = client.seal_message(&message).unwrap();
            assert_eq!(give(&mut server, &bytes, 5000).unwrap(), Received::Message(message.clone()));
            let bytes = server.seal_message(&message).unwrap();
            assert_eq!(give(&mut client, &bytes, 70_000).unwrap(), Received::Message(message));
        }
        assert!(client.seal_message(&vec![0; MAX_MESSAGE + 1]).is_err());
    }

    #[test]
    fn other_keys_and_other_contexts_are_rejected() {
        let (one, other) = (Key::from_bytes([1; 32]), Key::from_bytes([2; 32]));
        assert!(pair(&one, &other).is_err());
        let (_, first) = Secured::initiate(&one, b"versions 1").unwrap();
        let mut server = Secured::respond(&one, b"versions 2").unwrap();
        assert!(give(&mut server, &first, 99).is_err());
        assert_eq!(server.wanted(), 0);
    }

    #[test]
    fn replayed_modified_and_dropped_frames_are_rejected() {
        let key = Key::generate().unwrap();
        for attack in 0..3 {
            let (mut client, mut server) = pair(&key, &key).unwrap();
            let first = client.seal_message(b"first").unwrap();
            let mut second = client.seal_message(b"second").unwrap();
            if attack != 2 {
                give(&mut server, &first, 99).unwrap();
            }
            match attack {
                0 => second = first,
                1 => second[9] ^= 1,
                _ => {}
            }
            assert!(give(&mut server, &second, 99).is_err());
            assert!(server.seal_message(b"x").is_err());
        }
    }

    #[test]
    fn an_unbounded_message_is_rejected() {
        let key = Key::generate().unwrap();
        let (mut client, mut server) = pair(&key, &key).unwrap();
        let State::Established(sealed) = &mut client.state else {
            panic!("not open");
        };
        let piece = [vec![MORE], vec![0; 60_000]].concat();
        let frames: Vec<_> = (0..5).map(|_| frame(&sealed.seal(&piece).unwrap())).collect();
        let taken = frames.iter().map(|frame| give(&mut server, frame, 70_000));
        assert_eq!(taken.filter(Result::is_ok).count(), 4);
    }
}
