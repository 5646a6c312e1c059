//! Messages whose beginnings differ from one to the next, so that a stale echo is detected.

/// Bytes between the starts of consecutive messages in the noise: a cache line, so that all have the same alignment.
const STEP: usize = 64;

/// Distinct messages.
const DISTINCT: usize = 61;

/// Noise, of which every message is a slice.
pub struct Messages {
    noise: Vec<u8>,
    bytes: usize,
    turn: usize,
}

impl Messages {
    /// Messages of `bytes` bytes, at least one.
    pub fn new(bytes: usize, seed: u64) -> Self {
        let bytes = bytes.max(1);
        let length = bytes + STEP * DISTINCT;
        let mut state = seed | 1;
        let noise = (0..length).map(|_| {
            // Marsaglia's xorshift, which never gives zero (E60).
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8 | 1
        });
        let mut noise: Vec<u8> = noise.collect();
        // The first byte is a counter and none of the control bytes.
        for (turn, first) in noise.iter_mut().step_by(STEP).enumerate() {
            *first = (turn % DISTINCT) as u8 + 1;
        }
        Self { noise, bytes, turn: 0 }
    }

    /// The next message.
    #[inline(always)]
    pub fn next_message(&mut self) -> &[u8] {
        self.turn = (self.turn + 1) % DISTINCT;
        let start = self.turn * STEP;
        self.noise.get(start..start + self.bytes).unwrap_or_default()
    }

    /// Bytes of a message.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_messages_differ_and_none_is_a_control_message() {
        for bytes in [1, 64, 5000] {
            let mut messages = Messages::new(bytes, 7);
            let mut last = Vec::new();
            for _ in 0..200 {
                let message = messages.next_message().to_vec();
                assert_eq!(message.len(), bytes);
                assert_ne!(message.first(), last.first());
                assert!(message.first().is_some_and(|&first| first < crate::network::services::ASK_USAGE));
                assert!(message.iter().all(|byte| *byte != 0));
                last = message;
            }
        }
    }
}
