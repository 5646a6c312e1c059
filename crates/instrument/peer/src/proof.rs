//! Proofs that begin data connections: they name the session, and each is valid once.

use crate::{Key, Malformed, Transport};
use blake2::Blake2sMac256;
use blake2::digest::{KeyInit, Mac};
use std::collections::BTreeSet;

/// Bytes of a proof: the session, a counter, and the code that binds both to the session's key.
pub const PROOF_BYTES: usize = SESSION_BYTES + COUNTER_BYTES + CODE_BYTES;

/// Bytes of the answer to a proof, which are fewer.
pub const REPLY_BYTES: usize = CODE_BYTES;

/// Bytes of a session's number.
pub(crate) const SESSION_BYTES: usize = 8;
const COUNTER_BYTES: usize = 8;
const CODE_BYTES: usize = 32;

/// Proofs that a session may use up.
const MAX_PROOFS: usize = 1 << 16;

/// Makes and checks proofs of one session.
pub struct Proofs {
    key: Key,
    session: [u8; SESSION_BYTES],
    made: u64,
    used: BTreeSet<u64>,
}

/// Which side a code comes from: an answer is never a proof.
const FROM_CLIENT: &[u8] = b"c";
const FROM_SERVER: &[u8] = b"s";

fn code(key: &Key, parts: &[&[u8]]) -> Result<Blake2sMac256, Malformed> {
    let code = <Blake2sMac256 as KeyInit>::new_from_slice(key.bytes());
    let mut code = code.map_err(|_| Malformed("cryptography is unavailable"))?;
    parts.iter().for_each(|part| code.update(part));
    Ok(code)
}

impl Proofs {
    /// Proofs of the session with this number and key.
    ///
    /// # Errors
    /// When the cryptography does not work here.
    pub fn new(key: &Key, session: [u8; 8]) -> Result<Self, Malformed> {
        // Not the key itself, which secures the control connection.
        let own = code(key, &[b"oscope data", &session])?.finalize().into_bytes();
        Ok(Self { key: Key::from_bytes(own.into()), session, made: 0, used: BTreeSet::new() })
    }

    fn code(&self, from: &[u8], port: (Transport, u16), counted: &[u8]) -> Result<Blake2sMac256, Malformed> {
        let transport = match port.0 {
            Transport::Tcp => b"t",
            Transport::Udp => b"u",
            Transport::Accepted => b"a",
        };
        code(&self.key, &[from, transport, &port.1.to_be_bytes(), &self.session, counted])
    }

    /// A proof for this port that was not made before.
    ///
    /// # Errors
    /// When the cryptography does not work here.
    pub fn make(&mut self, port: (Transport, u16)) -> Result<[u8; PROOF_BYTES], Malformed> {
        self.made += 1;
        let counter = self.made.to_be_bytes();
        let code = self.code(FROM_CLIENT, port, &counter)?.finalize().into_bytes();
        let proof = [self.session.as_slice(), &counter, &code].concat();
        proof.try_into().map_err(|_| Malformed("a proof has another length"))
    }

    fn counter<'p>(&self, proof: &'p [u8; PROOF_BYTES]) -> Result<(&'p [u8], u64, &'p [u8]), Malformed> {
        let (session, rest) = proof.split_at(SESSION_BYTES);
        let (counter, code) = rest.split_at(COUNTER_BYTES);
        let number = counter.first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
        match number {
            Some(number) if session == self.session => Ok((counter, number, code)),
            _ => Err(Malformed("a data connection of another session")),
        }
    }

    /// Takes a proof that came to this port; gives the answer that proves this side.
    ///
    /// # Errors
    /// When it was not made with the session's key for this port, or was used before.
    pub fn accept(
        &mut self,
        proof: &[u8; PROOF_BYTES],
        port: (Transport, u16),
    ) -> Result<[u8; REPLY_BYTES], Malformed> {
        let (counter, number, code) = self.counter(proof)?;
        // Compared in constant time.
        let proved = self.code(FROM_CLIENT, port, counter)?.verify_slice(code);
        proved.map_err(|_| Malformed("a data connection with an invalid proof"))?;
        if self.used.len() >= MAX_PROOFS || !self.used.insert(number) {
            return Err(Malformed("a replayed proof"));
        }
        let reply = self.code(FROM_SERVER, port, counter)?.finalize().into_bytes();
        Ok(reply.into())
    }

    /// Whether this is the other side's answer to this proof.
    pub fn is_reply(&self, proof: &[u8; PROOF_BYTES], port: (Transport, u16), reply: &[u8]) -> bool {
        let counter = self.counter(proof).map(|(counter, ..)| counter);
        let code = counter.and_then(|counter| self.code(FROM_SERVER, port, counter));
        code.is_ok_and(|code| code.verify_slice(reply).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: (Transport, u16) = (Transport::Tcp, 7);

    fn proofs(key: u8, session: u8) -> Proofs {
        Proofs::new(&Key::from_bytes([key; 32]), [session; 8]).unwrap()
    }

    #[test]
    fn a_proof_is_valid_once() {
        let (mut client, mut server) = (proofs(1, 1), proofs(1, 1));
        let (first, second) = (client.make(PORT).unwrap(), client.make(PORT).unwrap());
        // In any order.
        for proof in [second, first] {
            let reply = server.accept(&proof, PORT).unwrap();
            assert!(client.is_reply(&proof, PORT, &reply));
            assert!(server.accept(&proof, PORT).is_err());
        }
        let reply = server.accept(&client.make(PORT).unwrap(), PORT).unwrap();
        assert!(!client.is_reply(&first, PORT, &reply));
        assert!(!client.is_reply(&first, PORT, &[]));
    }

    #[test]
    fn a_proof_is_valid_for_its_port_session_and_key_only() {
        let proof = proofs(1, 1).make(PORT).unwrap();
        for (mut server, port) in [
            (proofs(2, 1), PORT),
            (proofs(1, 2), PORT),
            (proofs(1, 1), (Transport::Tcp, 8)),
            (proofs(1, 1), (Transport::Udp, 7)),
        ] {
            assert!(server.accept(&proof, port).is_err(), "{port:?}");
        }
        for bit in 0..PROOF_BYTES * 8 {
            let mut changed = proof;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(proofs(1, 1).accept(&changed, PORT).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_reply_is_not_a_proof() {
        let (mut client, mut server) = (proofs(1, 1), proofs(1, 1));
        let proof = client.make(PORT).unwrap();
        let reply = server.accept(&proof, PORT).unwrap();
        let mut forged = proof;
        forged[SESSION_BYTES + COUNTER_BYTES..].copy_from_slice(&reply);
        assert!(proofs(1, 1).accept(&forged, PORT).is_err());
    }
}
