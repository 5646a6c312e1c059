//! Messages of which no two in a row begin alike, so that an answer that is old or kept is a wrong one.

/// Distance between the places in the noise at which messages begin: a cache line, so that all are aligned alike.
const STEP: usize = 64;

/// Messages before the first one comes again.
const DIFFERENT: usize = 61;

/// Noise, of which every message is a stretch.
pub struct Messages {
    noise: Vec<u8>,
    bytes: usize,
    turn: usize,
}

impl Messages {
    /// Messages of so many bytes, at least one, from this seed.
    pub fn new(bytes: usize, seed: u64) -> Self {
        let bytes = bytes.max(1);
        let room = bytes + STEP * DIFFERENT;
        let mut state = seed | 1;
        let mut random = move || {
            // Marsaglia's xorshift, which never gives zero (E60).
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8 | 1
        };
        let mut noise: Vec<u8> = (0..room).map(|_| random()).collect();
        // The first bytes count, and are none of those that have a meaning.
        for (turn, first) in noise.iter_mut().step_by(STEP).enumerate() {
            *first = (turn % DIFFERENT) as u8 + 1;
        }
        Self {
            noise,
            bytes,
            turn: 0,
        }
    }

    /// The next message.
    #[inline(always)]
    pub fn next(&mut self) -> &[u8] {
        self.turn = (self.turn + 1) % DIFFERENT;
        let start = self.turn * STEP;
        self.noise.get(start..start + self.bytes).unwrap_or_default()
    }

    /// Bytes of each.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_in_a_row_are_alike_and_none_asks_for_something() {
        for bytes in [1, 64, 5000] {
            let mut messages = Messages::new(bytes, 7);
            let mut last = Vec::new();
            for _ in 0..200 {
                let message = messages.next().to_vec();
                assert_eq!(message.len(), bytes);
                assert_ne!(message.first(), last.first());
                assert!(
                    message
                        .first()
                        .is_some_and(|&first| first < crate::network::workloads::services::TELL)
                );
                assert!(message.iter().all(|byte| *byte != 0));
                last = message;
            }
        }
    }
}
