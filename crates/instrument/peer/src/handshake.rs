//! How a session begins, as two state machines: the handshake of the server, and that of the client.

use crate::greeting::{GREETING_BYTES, Greeting, VERSIONS};
use crate::key::from_hex;
use crate::secured::{Received, Secured};
use crate::{Error, Key, Malformed, Request, Response};

/// Most bytes of a handshake: the server keeps no more for an unauthenticated client.
const MAX_HANDSHAKE: usize = 1024;

/// What follows from the bytes of an unauthenticated client.
#[derive(Debug, PartialEq, Eq)]
pub enum ServerStep {
    /// Not a whole message yet.
    More,
    /// Send these bytes.
    Send(Vec<u8>),
    /// Send these bytes and close: the two ends have no version in common.
    Reject(Vec<u8>),
    /// It has proved that it knows the key, now, and requests a session.
    SessionRequested {
        /// Its program.
        program: String,
    },
}

/// How far a handshake has come, at either end.
enum State {
    Greeting(Vec<u8>),
    Secured(Box<Secured>),
    Done,
}

impl State {
    /// How many bytes may be read next.
    fn wanted(&self) -> usize {
        match self {
            Self::Greeting(bytes) => GREETING_BYTES - bytes.len(),
            Self::Secured(secured) => secured.wanted(),
            Self::Done => 0,
        }
    }
}

/// The server's end of the handshake: an unauthenticated client until it has proved itself.
pub struct ServerHandshake<'k> {
    key: &'k Key,
    versions: Greeting,
    state: State,
    taken: usize,
}

impl<'k> ServerHandshake<'k> {
    /// A client that must know this key.
    pub fn new(key: &'k Key) -> Self {
        Self { key, versions: VERSIONS, state: State::Greeting(Vec::new()), taken: 0 }
    }

    /// How many bytes may be read of it next.
    pub fn wanted(&self) -> usize {
        self.state.wanted().min(MAX_HANDSHAKE.saturating_sub(self.taken))
    }

    /// Takes bytes, at most as many as are wanted.
    ///
    /// # Errors
    /// When it is no client, or does not know the key; nothing is wanted afterwards.
    pub fn take(&mut self, bytes: &[u8]) -> Result<ServerStep, Malformed> {
        if bytes.len() > self.wanted() {
            self.state = State::Done;
            return Err(Malformed("more bytes than a handshake has"));
        }
        self.taken += bytes.len();
        let step = match std::mem::replace(&mut self.state, State::Done) {
            State::Greeting(before) => self.greeting([&before, bytes].concat()),
            State::Secured(secured) => self.secured(secured, bytes),
            State::Done => Err(Malformed("data after the end")),
        }?;
        if self.taken >= MAX_HANDSHAKE {
            self.state = State::Done;
            return Err(Malformed("a handshake that is too long"));
        }
        Ok(step)
    }

    fn greeting(&mut self, bytes: Vec<u8>) -> Result<ServerStep, Malformed> {
        let Some(whole) = bytes.first_chunk::<GREETING_BYTES>() else {
            self.state = State::Greeting(bytes);
            return Ok(ServerStep::More);
        };
        let own = self.versions.bytes();
        if self.versions.common(Greeting::parse(whole)?).is_none() {
            return Ok(ServerStep::Reject(own.to_vec()));
        }
        let secured = Secured::respond(self.key, &[*whole, own].concat())?;
        self.state = State::Secured(Box::new(secured));
        Ok(ServerStep::Send(own.to_vec()))
    }

    fn secured(&mut self, mut secured: Box<Secured>, bytes: &[u8]) -> Result<ServerStep, Malformed> {
        let step = match secured.take(bytes)? {
            Received::Incomplete => ServerStep::More,
            Received::Authenticated(answer) => ServerStep::Send(answer),
            Received::Message(message) => match serde_json::from_slice(&message) {
                Ok(Request::Session { program }) => ServerStep::SessionRequested { program },
                _ => return Err(Malformed("no request for a session")),
            },
        };
        self.state = State::Secured(secured);
        Ok(step)
    }

    /// The bytes of the response to the request for a session, which ends the handshake.
    ///
    /// # Errors
    /// When no session was requested.
    pub fn answer(&mut self, answer: &Response) -> Result<Vec<u8>, Malformed> {
        let State::Secured(mut secured) = std::mem::replace(&mut self.state, State::Done) else {
            return Err(Malformed("no session was requested"));
        };
        secured.seal(answer)
    }
}

/// What follows from the server's bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum ClientStep {
    /// Not a whole message yet.
    More,
    /// Send these bytes.
    Send(Vec<u8>),
    /// A session, with its own key.
    Session {
        /// Its number.
        session: [u8; 8],
        /// Its key.
        key: Key,
    },
}

/// The client's end of the handshake.
pub struct ClientHandshake<'k> {
    key: &'k Key,
    program: &'k str,
    versions: Greeting,
    protocol: u16,
    state: State,
}

impl<'k> ClientHandshake<'k> {
    /// A client with this key and name; its first bytes are those of its greeting.
    pub fn new(key: &'k Key, program: &'k str) -> (Self, Vec<u8>) {
        let state = State::Greeting(Vec::new());
        (Self { key, program, versions: VERSIONS, protocol: 0, state }, VERSIONS.bytes().to_vec())
    }

    /// The version of the protocol that both speak, once the greeting was received.
    pub fn protocol(&self) -> u16 {
        self.protocol
    }

    /// Whether the server's greeting was received, so that an end now means another key.
    pub fn has_server_greeting(&self) -> bool {
        matches!(self.state, State::Secured(_))
    }

    /// How many bytes may be read next.
    pub fn wanted(&self) -> usize {
        self.state.wanted()
    }

    /// Takes bytes, at most as many as are wanted.
    ///
    /// # Errors
    /// When the server speaks other versions, refuses, or is none.
    pub fn take(&mut self, bytes: &[u8]) -> Result<ClientStep, Error> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Greeting(before) => self.greeting([&before, bytes].concat()),
            State::Secured(secured) => self.secured(secured, bytes),
            State::Done => Err(Error::NotAPeer(Malformed("data after the end"))),
        }
    }

    fn greeting(&mut self, bytes: Vec<u8>) -> Result<ClientStep, Error> {
        let Some(whole) = bytes.first_chunk::<GREETING_BYTES>() else {
            self.state = State::Greeting(bytes);
            return Ok(ClientStep::More);
        };
        let theirs = Greeting::parse(whole)?;
        self.protocol = self.versions.common(theirs).ok_or(Error::NoCommonVersion(theirs))?;
        let context = [self.versions.bytes(), *whole].concat();
        let (secured, first) = Secured::initiate(self.key, &context)?;
        self.state = State::Secured(Box::new(secured));
        Ok(ClientStep::Send(first))
    }

    fn secured(&mut self, mut secured: Box<Secured>, bytes: &[u8]) -> Result<ClientStep, Error> {
        let step = match secured.take(bytes).map_err(|_| Error::WrongKey)? {
            Received::Incomplete => ClientStep::More,
            Received::Authenticated(_) => {
                let program = self.program.to_owned();
                ClientStep::Send(secured.seal(&Request::Session { program })?)
            }
            Received::Message(message) => return granted(&message),
        };
        self.state = State::Secured(secured);
        Ok(step)
    }
}

fn granted(message: &[u8]) -> Result<ClientStep, Error> {
    match serde_json::from_slice(message) {
        Ok(Response::Session { session, key }) => {
            let session = from_hex(&session).ok_or(Error::UnexpectedResponse)?;
            let key = Key::parse(&key).map_err(|_| Error::UnexpectedResponse)?;
            Ok(ClientStep::Session { session, key })
        }
        Ok(Response::Refused { reason }) => Err(Error::Refused(reason)),
        _ => Err(Error::UnexpectedResponse),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::to_hex;

    fn key() -> Key {
        Key::from_bytes([9; 32])
    }

    /// Gives all bytes to the server's handshake, `step` at a time.
    fn give(to: &mut ServerHandshake<'_>, bytes: &[u8], step: usize) -> Result<ServerStep, Malformed> {
        let (mut at, mut last) = (0, ServerStep::More);
        while at < bytes.len() {
            let next = step.min(to.wanted().max(1)).min(bytes.len() - at);
            last = to.take(&bytes[at..at + next])?;
            at += next;
        }
        Ok(last)
    }

    /// A whole handshake, `step` bytes at a time; the client's result.
    fn complete(
        client: &mut ClientHandshake<'_>,
        greeting: Vec<u8>,
        server: &mut ServerHandshake<'_>,
        step: usize,
    ) -> Result<ClientStep, Error> {
        let mut bytes = greeting;
        for _ in 0..4 {
            let sent = match give(server, &bytes, step).map_err(Error::NotAPeer)? {
                ServerStep::Send(bytes) | ServerStep::Reject(bytes) => bytes,
                ServerStep::SessionRequested { program } => {
                    assert_eq!(program, "oscope test");
                    let answer =
                        Response::Session { session: to_hex(&[5; 8]), key: Key::from_bytes([6; 32]).text() };
                    server.answer(&answer).unwrap()
                }
                ServerStep::More => panic!("nothing is sent"),
            };
            let (mut at, mut step_taken) = (0, ClientStep::More);
            while at < sent.len() {
                let next = step.min(client.wanted()).min(sent.len() - at);
                step_taken = client.take(&sent[at..at + next])?;
                at += next;
            }
            match step_taken {
                ClientStep::Send(next) => bytes = next,
                other => return Ok(other),
            }
        }
        panic!("the handshake has no end");
    }

    #[test]
    fn the_right_key_gets_a_session() {
        for step in [1, 5, 1000] {
            let key = key();
            let (mut client, greeting) = ClientHandshake::new(&key, "oscope test");
            let mut server = ServerHandshake::new(&key);
            let expected = ClientStep::Session { session: [5; 8], key: Key::from_bytes([6; 32]) };
            assert_eq!(complete(&mut client, greeting, &mut server, step), Ok(expected));
            assert_eq!(client.protocol(), 1);
        }
    }

    #[test]
    fn another_key_is_rejected() {
        let (right, wrong) = (key(), Key::from_bytes([8; 32]));
        let (mut client, greeting) = ClientHandshake::new(&wrong, "oscope test");
        let refused = complete(&mut client, greeting, &mut ServerHandshake::new(&right), 1000);
        assert_eq!(refused, Err(Error::NotAPeer(Malformed("it does not know the key"))));
    }

    #[test]
    fn disjoint_versions_are_named() {
        let key = key();
        for (own, theirs, step, expected) in [
            ((1, 1), (2, 3), 1000, Err("protocol 2..3, this")),
            ((4, 5), (2, 3), 1000, Err("2..3")),
            ((1, 3), (2, 9), 7, Ok(3)),
        ] {
            let [own, versions] = [own, theirs].map(|(lowest, highest)| Greeting { lowest, highest });
            let mut client = ClientHandshake { versions: own, ..ClientHandshake::new(&key, "oscope test").0 };
            let mut server = ServerHandshake { versions, ..ServerHandshake::new(&key) };
            let completed = complete(&mut client, own.bytes().to_vec(), &mut server, step);
            match (completed, expected) {
                (Ok(_), Ok(version)) => assert_eq!(client.protocol(), version),
                (Err(error), Err(text)) => {
                    assert!(error.to_string().contains(text), "{error}");
                    assert_eq!(server.wanted(), 0);
                }
                (completed, _) => panic!("{own:?} {theirs:?}: {}", completed.is_ok()),
            }
        }
    }

    #[test]
    fn a_replayed_handshake_is_rejected() {
        let key = key();
        let (mut client, greeting) = ClientHandshake::new(&key, "oscope test");
        let mut first = ServerHandshake::new(&key);
        let mut recorded = vec![greeting];
        loop {
            match give(&mut first, recorded.last().unwrap(), 1000).unwrap() {
                ServerStep::Send(sent) => match client.take(&sent[..sent.len().min(client.wanted())]) {
                    Ok(ClientStep::More) => match client.take(&sent[2..]).unwrap() {
                        ClientStep::Send(next) => recorded.push(next),
                        other => panic!("{other:?}"),
                    },
                    Ok(ClientStep::Send(next)) => recorded.push(next),
                    other => panic!("{other:?}"),
                },
                ServerStep::SessionRequested { .. } => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(recorded.len(), 3);
        let mut second = ServerHandshake::new(&key);
        let replayed: Vec<_> = recorded.iter().map(|bytes| give(&mut second, bytes, 1000)).collect();
        assert!(replayed[0].is_ok() && replayed[1].is_ok(), "{replayed:?}");
        assert!(replayed[2].is_err(), "{replayed:?}");
    }

    #[test]
    fn an_unbounded_handshake_is_rejected() {
        let key = key();
        let (mut client, greeting) = ClientHandshake::new(&key, "oscope test");
        let mut server = ServerHandshake::new(&key);
        let ServerStep::Send(sent) = give(&mut server, &greeting, 1000).unwrap() else {
            panic!("no greeting");
        };
        let ClientStep::Send(first) = client.take(&sent).unwrap() else {
            panic!("no handshake");
        };
        give(&mut server, &first, 1000).unwrap();
        let endless = [[0xff, 0xff].as_slice(), &[0; 5000]].concat();
        assert!(give(&mut server, &endless, 1).is_err());
        assert!(server.taken <= MAX_HANDSHAKE);
        assert_eq!(server.wanted(), 0);
    }
}
