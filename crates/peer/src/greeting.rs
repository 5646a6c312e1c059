//! How a session begins, as two state machines: the stranger as the server sees it, and the client that knocks.

use crate::hello::{HELLO_BYTES, Hello, VERSIONS};
use crate::key::from_hex;
use crate::secured::{Heard, Secured};
use crate::{Answer, Ask, Error, Key, Malformed};

/// Longest message of a greeting, in bytes: a stranger makes the server keep no more.
const MOST_GREETING: usize = 1024;

/// What bytes of a stranger meant.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Not enough of them yet.
    More,
    /// These bytes are the answer.
    Say(Vec<u8>),
    /// These are the last: the two sides have no version in common.
    Part(Vec<u8>),
    /// It has proved that it knows the key, now, and asks for a session.
    Asks {
        /// Its program.
        program: String,
    },
}

enum State {
    Hello(Vec<u8>),
    Secured(Box<Secured>),
    Over,
}

/// A stranger, until it has proved itself.
pub struct Greeting<'k> {
    key: &'k Key,
    speaks: Hello,
    state: State,
    taken: usize,
}

impl std::fmt::Debug for Greeting<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Greeting({} bytes taken)", self.taken)
    }
}

impl<'k> Greeting<'k> {
    /// A stranger who must know this key.
    pub fn new(key: &'k Key) -> Self {
        Self::of_versions(key, VERSIONS)
    }

    /// The same for a server that speaks these versions.
    pub fn of_versions(key: &'k Key, speaks: Hello) -> Self {
        Self {
            key,
            speaks,
            state: State::Hello(Vec::new()),
            taken: 0,
        }
    }

    /// How many bytes may be read of it next.
    pub fn wanted(&self) -> usize {
        match &self.state {
            State::Hello(bytes) => HELLO_BYTES - bytes.len(),
            State::Secured(secured) => secured
                .wanted()
                .min(MOST_GREETING - self.taken.min(MOST_GREETING)),
            State::Over => 0,
        }
    }

    /// Takes bytes, at most as many as are wanted.
    ///
    /// # Errors
    /// When it is no client, or does not know the key; nothing is wanted afterwards.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Step, Malformed> {
        if bytes.len() > self.wanted() {
            self.state = State::Over;
            return Err(Malformed("it says more than a greeting"));
        }
        self.taken += bytes.len();
        let step = match std::mem::replace(&mut self.state, State::Over) {
            State::Hello(before) => self.hello([&before, bytes].concat()),
            State::Secured(secured) => self.secured(secured, bytes),
            State::Over => Err(Malformed("it goes on after its end")),
        }?;
        if self.taken >= MOST_GREETING {
            self.state = State::Over;
            return Err(Malformed("its greeting has no end"));
        }
        Ok(step)
    }

    fn hello(&mut self, bytes: Vec<u8>) -> Result<Step, Malformed> {
        let Some(whole) = bytes.first_chunk::<HELLO_BYTES>() else {
            self.state = State::Hello(bytes);
            return Ok(Step::More);
        };
        let own = self.speaks.bytes();
        if self.speaks.common(Hello::parse(whole)?).is_none() {
            return Ok(Step::Part(own.to_vec()));
        }
        let secured = Secured::await_other(self.key, &[*whole, own].concat())?;
        self.state = State::Secured(Box::new(secured));
        Ok(Step::Say(own.to_vec()))
    }

    fn secured(&mut self, mut secured: Box<Secured>, bytes: &[u8]) -> Result<Step, Malformed> {
        let step = match secured.take(bytes)? {
            Heard::Nothing => Step::More,
            Heard::Proved(answer) => Step::Say(answer),
            Heard::Message(message) => match serde_json::from_slice(&message) {
                Ok(Ask::Session { program }) => Step::Asks { program },
                _ => return Err(Malformed("it asks for no session")),
            },
        };
        self.state = State::Secured(secured);
        Ok(step)
    }

    /// The bytes of the answer to who asked for a session; the greeting is over with it.
    ///
    /// # Errors
    /// When nobody asked.
    pub fn answer(&mut self, answer: &Answer) -> Result<Vec<u8>, Malformed> {
        let State::Secured(mut secured) = std::mem::replace(&mut self.state, State::Over) else {
            return Err(Malformed("nobody asked for a session"));
        };
        let text = serde_json::to_vec(answer).map_err(|_| Malformed("an answer has no text"))?;
        secured.say(&text)
    }
}

/// What the server's bytes meant to the client.
#[derive(Debug, PartialEq, Eq)]
pub enum Knocked {
    /// Not enough of them yet.
    More,
    /// These bytes are next.
    Say(Vec<u8>),
    /// A session, with its own key.
    Session {
        /// Its number.
        session: [u8; 8],
        /// Its key.
        key: Key,
    },
}

/// A client, until it has its session.
pub struct Knock<'k> {
    key: &'k Key,
    program: &'k str,
    speaks: Hello,
    protocol: u16,
    state: State,
}

impl std::fmt::Debug for Knock<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Knock({})", self.program)
    }
}

impl<'k> Knock<'k> {
    /// A client with this key and name; its first bytes are those of its hello.
    pub fn new(key: &'k Key, program: &'k str) -> (Self, Vec<u8>) {
        Self::of_versions(key, program, VERSIONS)
    }

    /// The same for a client that speaks these versions.
    pub fn of_versions(key: &'k Key, program: &'k str, speaks: Hello) -> (Self, Vec<u8>) {
        let knock = Self {
            key,
            program,
            speaks,
            protocol: 0,
            state: State::Hello(Vec::new()),
        };
        (knock, speaks.bytes().to_vec())
    }

    /// The version of the protocol that both speak, once the hello is heard.
    pub fn protocol(&self) -> u16 {
        self.protocol
    }

    /// Whether the server's hello was heard, so that an end now means another key.
    pub fn is_greeted(&self) -> bool {
        matches!(self.state, State::Secured(_))
    }

    /// How many bytes may be read next.
    pub fn wanted(&self) -> usize {
        match &self.state {
            State::Hello(bytes) => HELLO_BYTES - bytes.len(),
            State::Secured(secured) => secured.wanted(),
            State::Over => 0,
        }
    }

    /// Takes bytes, at most as many as are wanted.
    ///
    /// # Errors
    /// When the server speaks other versions, refuses, or is none.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Knocked, Error> {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Hello(before) => self.hello([&before, bytes].concat()),
            State::Secured(secured) => self.secured(secured, bytes),
            State::Over => Err(Error::Foreign(Malformed("it goes on after its end"))),
        }
    }

    fn hello(&mut self, bytes: Vec<u8>) -> Result<Knocked, Error> {
        let Some(whole) = bytes.first_chunk::<HELLO_BYTES>() else {
            self.state = State::Hello(bytes);
            return Ok(Knocked::More);
        };
        let theirs = Hello::parse(whole).map_err(Error::Foreign)?;
        self.protocol = self.speaks.common(theirs).ok_or(Error::Versions(theirs))?;
        let context = [self.speaks.bytes(), *whole].concat();
        let (secured, first) = Secured::begin(self.key, &context).map_err(Error::Foreign)?;
        self.state = State::Secured(Box::new(secured));
        Ok(Knocked::Say(first))
    }

    fn secured(&mut self, mut secured: Box<Secured>, bytes: &[u8]) -> Result<Knocked, Error> {
        let step = match secured.take(bytes).map_err(|_| Error::WrongKey)? {
            Heard::Nothing => Knocked::More,
            Heard::Proved(_) => {
                let program = self.program.to_owned();
                let ask = serde_json::to_vec(&Ask::Session { program });
                let ask = ask.map_err(|error| Error::here("a question has no text", error))?;
                Knocked::Say(secured.say(&ask).map_err(Error::Foreign)?)
            }
            Heard::Message(message) => return granted(&message),
        };
        self.state = State::Secured(secured);
        Ok(step)
    }
}

fn granted(message: &[u8]) -> Result<Knocked, Error> {
    match serde_json::from_slice(message) {
        Ok(Answer::Session { session, key }) => {
            let session = from_hex(&session).ok_or(Error::Crossed)?;
            let key = Key::parse(&key).map_err(|_| Error::Crossed)?;
            Ok(Knocked::Session { session, key })
        }
        Ok(Answer::Refused { reason }) => Err(Error::Refused(reason)),
        _ => Err(Error::Crossed),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;
    use crate::key::to_hex;

    fn key() -> Key {
        Key::from_bytes([9; 32])
    }

    /// Gives all bytes to a stranger, some at a time.
    fn give(to: &mut Greeting<'_>, bytes: &[u8], step: usize) -> Result<Step, Malformed> {
        let (mut at, mut last) = (0, Step::More);
        while at < bytes.len() {
            let next = step.min(to.wanted().max(1)).min(bytes.len() - at);
            last = to.take(&bytes[at..at + next])?;
            at += next;
        }
        Ok(last)
    }

    /// A whole greeting, so many bytes at a time; what the client comes to.
    fn meet(
        client: &mut Knock<'_>,
        hello: Vec<u8>,
        server: &mut Greeting<'_>,
        step: usize,
    ) -> Result<Knocked, Error> {
        let mut bytes = hello;
        for _ in 0..4 {
            let said = match give(server, &bytes, step).map_err(Error::Foreign)? {
                Step::Say(bytes) | Step::Part(bytes) => bytes,
                Step::Asks { program } => {
                    assert_eq!(program, "oscope test");
                    let answer = Answer::Session {
                        session: to_hex(&[5; 8]),
                        key: Key::from_bytes([6; 32]).text(),
                    };
                    server.answer(&answer).unwrap()
                }
                Step::More => panic!("nothing is said"),
            };
            let (mut at, mut heard) = (0, Knocked::More);
            while at < said.len() {
                let next = step.min(client.wanted()).min(said.len() - at);
                heard = client.take(&said[at..at + next])?;
                at += next;
            }
            match heard {
                Knocked::Say(next) => bytes = next,
                other => return Ok(other),
            }
        }
        panic!("the greeting has no end");
    }

    #[test]
    fn who_knows_the_key_gets_a_session() {
        for step in [1, 5, 1000] {
            let key = key();
            let (mut client, hello) = Knock::new(&key, "oscope test");
            let mut server = Greeting::new(&key);
            let expected = Knocked::Session {
                session: [5; 8],
                key: Key::from_bytes([6; 32]),
            };
            assert_eq!(meet(&mut client, hello, &mut server, step), Ok(expected));
            assert_eq!(client.protocol(), 1);
        }
    }

    #[test]
    fn who_does_not_is_refused() {
        let (right, wrong) = (key(), Key::from_bytes([8; 32]));
        let (mut client, hello) = Knock::new(&wrong, "oscope test");
        let refused = meet(&mut client, hello, &mut Greeting::new(&right), 1000);
        assert_eq!(
            refused,
            Err(Error::Foreign(Malformed("it does not know the key")))
        );
    }

    #[test]
    fn versions_that_do_not_meet_are_named() {
        let key = key();
        for (own, theirs, said) in [((1, 1), (2, 3), "protocol 2..3, this"), ((4, 5), (2, 3), "2..3")] {
            let hello = |(lowest, highest)| Hello { lowest, highest };
            let (mut client, first) = Knock::of_versions(&key, "oscope test", hello(own));
            let mut server = Greeting::of_versions(&key, hello(theirs));
            let error = meet(&mut client, first, &mut server, 1000).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
            assert_eq!(server.wanted(), 0);
        }
        let hello = |(lowest, highest)| Hello { lowest, highest };
        let (mut client, first) = Knock::of_versions(&key, "oscope test", hello((1, 3)));
        meet(
            &mut client,
            first,
            &mut Greeting::of_versions(&key, hello((2, 9))),
            7,
        )
        .unwrap();
        assert_eq!(client.protocol(), 3);
    }

    #[test]
    fn what_a_server_heard_before_gets_nobody_in() {
        let key = key();
        let (mut client, hello) = Knock::new(&key, "oscope test");
        let mut first = Greeting::new(&key);
        let mut heard = vec![hello];
        loop {
            match give(&mut first, heard.last().unwrap(), 1000).unwrap() {
                Step::Say(said) => match client.take(&said[..said.len().min(client.wanted())]) {
                    Ok(Knocked::More) => match client.take(&said[2..]).unwrap() {
                        Knocked::Say(next) => heard.push(next),
                        other => panic!("{other:?}"),
                    },
                    Ok(Knocked::Say(next)) => heard.push(next),
                    other => panic!("{other:?}"),
                },
                Step::Asks { .. } => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(heard.len(), 3);
        let mut second = Greeting::new(&key);
        let replayed: Vec<_> = heard.iter().map(|bytes| give(&mut second, bytes, 1000)).collect();
        assert!(replayed[0].is_ok() && replayed[1].is_ok(), "{replayed:?}");
        assert!(replayed[2].is_err(), "{replayed:?}");
    }

    #[test]
    fn a_greeting_without_end_is_cut_off() {
        let key = key();
        let (mut client, hello) = Knock::new(&key, "oscope test");
        let mut server = Greeting::new(&key);
        let Step::Say(said) = give(&mut server, &hello, 1000).unwrap() else {
            panic!("no hello");
        };
        let Knocked::Say(first) = client.take(&said).unwrap() else {
            panic!("no handshake");
        };
        give(&mut server, &first, 1000).unwrap();
        let endless = [[0xff, 0xff].as_slice(), &[0; 5000]].concat();
        assert!(give(&mut server, &endless, 1).is_err());
        assert!(server.taken <= MOST_GREETING);
        assert_eq!(server.wanted(), 0);
    }
}
