//! A proved connection as a state machine: a handshake, then sealed messages of any number of frames.

use crate::frame::{Inbox, MOST_FRAME, MOST_MESSAGE, frame};
use crate::noise::{HANDSHAKE_BYTES, Handshake, Sealed, TAG_BYTES};
use crate::{Key, Malformed};

/// Most of a message in one frame, besides the byte that says whether more follows.
const PIECE: usize = MOST_FRAME - TAG_BYTES - 1;

/// Marks the last frame of a message, and one that is not.
const LAST: u8 = 0;
const MORE: u8 = 1;

#[derive(Debug)]
enum State {
    /// Waits for the other side's part of the handshake.
    Shaking(Box<Handshake>),
    /// Both sides are proved.
    Open(Sealed),
    /// Malformed input came: nothing is taken any more.
    Dead,
}

/// One side of a connection that a key secures. Bytes go in by [`Secured::take`], and what it returns is what the
/// other side means.
#[derive(Debug)]
pub struct Secured {
    state: State,
    initiator: bool,
    inbox: Inbox,
    assembled: Vec<u8>,
}

/// What bytes meant.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// Not enough of them yet.
    Nothing,
    /// The handshake is over; these bytes, if any, go to the other side.
    Proved(Vec<u8>),
    /// A whole message.
    Message(Vec<u8>),
}

impl Secured {
    /// The side that begins, and its first bytes.
    ///
    /// # Errors
    /// When the cryptography does not work here.
    pub fn begin(key: &Key, context: &[u8]) -> Result<(Self, Vec<u8>), Malformed> {
        let mut handshake = Handshake::new(true, key, context)?;
        let first = frame(&handshake.say()?);
        Ok((Self::waiting(true, handshake), first))
    }

    /// The side that waits for the other's first bytes.
    ///
    /// # Errors
    /// When the cryptography does not work here.
    pub fn await_other(key: &Key, context: &[u8]) -> Result<Self, Malformed> {
        Handshake::new(false, key, context).map(|handshake| Self::waiting(false, handshake))
    }

    fn waiting(initiator: bool, handshake: Handshake) -> Self {
        Self {
            state: State::Shaking(Box::new(handshake)),
            initiator,
            inbox: Inbox::new(HANDSHAKE_BYTES, HANDSHAKE_BYTES),
            assembled: Vec::new(),
        }
    }

    /// How many bytes may be read for it next; none after malformed input.
    pub fn wanted(&self) -> usize {
        match self.state {
            State::Dead => 0,
            _ => self.inbox.wanted(),
        }
    }

    /// Takes bytes, at most as many as are wanted.
    ///
    /// # Errors
    /// When an honest side with the same key would not have sent them; nothing is taken afterwards.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Heard, Malformed> {
        let heard = self.understand(bytes);
        if heard.is_err() {
            self.state = State::Dead;
        }
        heard
    }

    fn understand(&mut self, bytes: &[u8]) -> Result<Heard, Malformed> {
        if matches!(self.state, State::Dead) {
            return Err(Malformed("it goes on after its end"));
        }
        let Some(body) = self.inbox.take(bytes)? else {
            return Ok(Heard::Nothing);
        };
        match std::mem::replace(&mut self.state, State::Dead) {
            State::Shaking(handshake) => self.shake(*handshake, &body).map(Heard::Proved),
            State::Open(mut sealed) => {
                let plain = sealed.open(&body)?;
                self.state = State::Open(sealed);
                self.assemble(&plain)
            }
            State::Dead => Err(Malformed("it goes on after its end")),
        }
    }

    fn shake(&mut self, mut handshake: Handshake, body: &[u8]) -> Result<Vec<u8>, Malformed> {
        handshake.hear(body)?;
        let answer = match self.initiator {
            true => Vec::new(),
            false => frame(&handshake.say()?),
        };
        self.state = State::Open(handshake.finish()?);
        self.inbox = Inbox::new(TAG_BYTES + 1, MOST_FRAME);
        Ok(answer)
    }

    fn assemble(&mut self, plain: &[u8]) -> Result<Heard, Malformed> {
        let (mark, piece) = plain.split_first().ok_or(Malformed("a message is empty"))?;
        if self.assembled.len() + piece.len() > MOST_MESSAGE {
            return Err(Malformed("a message is longer than any may be"));
        }
        self.assembled.extend_from_slice(piece);
        match *mark {
            LAST => Ok(Heard::Message(std::mem::take(&mut self.assembled))),
            MORE if !piece.is_empty() => Ok(Heard::Nothing),
            _ => Err(Malformed("a frame has an unknown mark")),
        }
    }

    /// The bytes of a message for the other side.
    ///
    /// # Errors
    /// When it is longer than [`MOST_MESSAGE`], or the sides are not proved.
    pub fn say(&mut self, message: &[u8]) -> Result<Vec<u8>, Malformed> {
        let State::Open(sealed) = &mut self.state else {
            return Err(Malformed(
                "nothing can be said before the handshake, or after the end",
            ));
        };
        if message.len() > MOST_MESSAGE {
            return Err(Malformed("a message is longer than any may be"));
        }
        let mut pieces: Vec<&[u8]> = message.chunks(PIECE).collect();
        let last = pieces.pop().unwrap_or_default();
        let marked = |mark: u8, piece: &[u8]| [&[mark], piece].concat();
        let mut bytes = Vec::new();
        for piece in pieces {
            bytes.extend(frame(&sealed.seal(&marked(MORE, piece))?));
        }
        bytes.extend(frame(&sealed.seal(&marked(LAST, last))?));
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    /// Gives all bytes, no more at a time than are wanted; the last thing heard.
    fn give(to: &mut Secured, bytes: &[u8], step: usize) -> Result<Heard, Malformed> {
        let (mut at, mut heard) = (0, Heard::Nothing);
        while at < bytes.len() {
            let next = step.min(to.wanted().max(1)).min(bytes.len() - at);
            heard = to.take(&bytes[at..at + next])?;
            at += next;
        }
        Ok(heard)
    }

    fn pair(one: &Key, other: &Key) -> Result<(Secured, Secured), Malformed> {
        let (mut client, first) = Secured::begin(one, b"context")?;
        let mut server = Secured::await_other(other, b"context")?;
        let Heard::Proved(answer) = give(&mut server, &first, 7)? else {
            panic!("no answer");
        };
        assert_eq!(give(&mut client, &answer, 7)?, Heard::Proved(Vec::new()));
        Ok((client, server))
    }

    #[test]
    fn what_is_said_is_heard_whatever_its_length() {
        let key = Key::generate().unwrap();
        let (mut client, mut server) = pair(&key, &key).unwrap();
        for length in [0, 1, 1000, PIECE, PIECE + 1, MOST_MESSAGE] {
            let message: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let bytes = client.say(&message).unwrap();
            assert_eq!(
                give(&mut server, &bytes, 5000).unwrap(),
                Heard::Message(message.clone())
            );
            let bytes = server.say(&message).unwrap();
            assert_eq!(
                give(&mut client, &bytes, 70_000).unwrap(),
                Heard::Message(message)
            );
        }
        assert!(client.say(&vec![0; MOST_MESSAGE + 1]).is_err());
    }

    #[test]
    fn other_keys_and_other_contexts_are_refused() {
        let (one, other) = (Key::from_bytes([1; 32]), Key::from_bytes([2; 32]));
        assert!(pair(&one, &other).is_err());
        let (_, first) = Secured::begin(&one, b"versions 1").unwrap();
        let mut server = Secured::await_other(&one, b"versions 2").unwrap();
        assert!(give(&mut server, &first, 99).is_err());
        assert_eq!(server.wanted(), 0);
    }

    #[test]
    fn what_is_repeated_changed_or_left_out_is_refused() {
        let key = Key::generate().unwrap();
        for mischief in 0..3 {
            let (mut client, mut server) = pair(&key, &key).unwrap();
            let first = client.say(b"first").unwrap();
            let mut second = client.say(b"second").unwrap();
            if mischief != 2 {
                give(&mut server, &first, 99).unwrap();
            }
            match mischief {
                0 => second = first,
                1 => second[9] ^= 1,
                _ => {}
            }
            assert!(give(&mut server, &second, 99).is_err());
            assert!(server.say(b"x").is_err());
        }
    }

    #[test]
    fn a_message_without_end_is_refused() {
        let key = Key::generate().unwrap();
        let (mut client, mut server) = pair(&key, &key).unwrap();
        let State::Open(sealed) = &mut client.state else {
            panic!("not open");
        };
        let piece = [vec![MORE], vec![0; 60_000]].concat();
        let frames: Vec<_> = (0..5).map(|_| frame(&sealed.seal(&piece).unwrap())).collect();
        let taken = frames.iter().map(|frame| give(&mut server, frame, 70_000));
        assert_eq!(taken.filter(Result::is_ok).count(), 4);
    }
}
