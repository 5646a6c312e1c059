//! Noise, as it is used here: `NNpsk0`, a fresh secret for every connection, bound to a key that both know.

use crate::{Key, Malformed};
use snow::{Builder, HandshakeState, TransportState};

/// The protocol's name in Noise's own terms.
const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";

/// Bytes of each of the two messages of the handshake: a public key and a tag.
pub(crate) const HANDSHAKE_BYTES: usize = 48;

/// Bytes by which what is sealed is longer.
pub(crate) const TAG_BYTES: usize = 16;

/// The other end has another key, or none.
const WRONG_KEY: Malformed = Malformed("it does not know the key");

/// One side of a handshake.
pub(crate) struct NoiseHandshake(HandshakeState);

impl NoiseHandshake {
    /// Begins; `context` is what both ends have sent in clear text, which the handshake authenticates.
    pub(crate) fn new(initiator: bool, key: &Key, context: &[u8]) -> Result<Self, Malformed> {
        let begun = PATTERN.parse().and_then(|pattern| {
            let builder = Builder::new(pattern).psk(0, key.bytes())?.prologue(context)?;
            if initiator { builder.build_initiator() } else { builder.build_responder() }
        });
        begun.map(Self).map_err(|_| Malformed("cryptography is unavailable"))
    }

    /// The next message of this side.
    pub(crate) fn write_message(&mut self) -> Result<Vec<u8>, Malformed> {
        let mut message = vec![0; HANDSHAKE_BYTES];
        let length = self.0.write_message(&[], &mut message).map_err(|_| WRONG_KEY)?;
        message.truncate(length);
        Ok(message)
    }

    /// Takes the next message of the other side.
    pub(crate) fn read_message(&mut self, message: &[u8]) -> Result<(), Malformed> {
        let mut nothing = [0; HANDSHAKE_BYTES];
        match self.0.read_message(message, &mut nothing) {
            Ok(0) => Ok(()),
            _ => Err(WRONG_KEY),
        }
    }

    /// After both messages: the encryption of everything that follows.
    pub(crate) fn finish(self) -> Result<Sealed, Malformed> {
        self.0.into_transport_mode().map(Sealed).map_err(|_| WRONG_KEY)
    }
}

/// Encrypts and decrypts messages between two authenticated ends; each once and in order.
pub(crate) struct Sealed(TransportState);

impl Sealed {
    /// Seals a plain text of at most 65 519 bytes.
    pub(crate) fn seal(&mut self, plain: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut sealed = vec![0; plain.len() + TAG_BYTES];
        let length = self.0.write_message(plain, &mut sealed);
        sealed.truncate(length.map_err(|_| Malformed("a message that is too long"))?);
        Ok(sealed)
    }

    /// Opens what the other side has sealed.
    pub(crate) fn open(&mut self, sealed: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut plain = vec![0; sealed.len()];
        let length = self.0.read_message(sealed, &mut plain);
        plain.truncate(length.map_err(|_| Malformed("a message was changed, repeated or left out"))?);
        Ok(plain)
    }
}
