//! Frames: two bytes of length, most significant first, then as many bytes.

use crate::Malformed;

/// Longest body that a frame can have: what Noise allows.
pub(crate) const MAX_FRAME: usize = u16::MAX as usize;

/// Longest message, of as many frames as it takes, in bytes.
pub const MAX_MESSAGE: usize = 256 << 10;

const LENGTH_BYTES: usize = 2;

/// Collects the bytes of one frame; it never wants more than that frame.
pub struct FrameBuffer {
    bytes: Vec<u8>,
    min: usize,
    max: usize,
}

impl FrameBuffer {
    /// Takes frames with bodies of `min` to `max` bytes.
    pub fn new(min: usize, max: usize) -> Self {
        Self { bytes: Vec::new(), min, max }
    }

    fn body(&self) -> Option<usize> {
        let length = self.bytes.first_chunk::<LENGTH_BYTES>()?;
        Some(usize::from(u16::from_be_bytes(*length)))
    }

    /// How many bytes are wanted next.
    pub fn wanted(&self) -> usize {
        let whole = LENGTH_BYTES + self.body().unwrap_or(0);
        whole.saturating_sub(self.bytes.len())
    }

    /// Takes bytes, at most as many as are wanted; gives a body when it is whole.
    ///
    /// # Errors
    /// When a length is out of bounds, or there are more bytes than were wanted.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
        if bytes.len() > self.wanted() {
            return Err(Malformed("more bytes than were wanted"));
        }
        self.bytes.extend_from_slice(bytes);
        match self.body() {
            Some(length) if length < self.min || length > self.max => {
                Err(Malformed("a frame length out of bounds"))
            }
            Some(_) if self.wanted() == 0 => {
                let body = self.bytes.split_off(LENGTH_BYTES);
                self.bytes.clear();
                Ok(Some(body))
            }
            _ => Ok(None),
        }
    }
}

/// A frame with this body, of at most [`MAX_FRAME`] bytes.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len()).unwrap_or(u16::MAX);
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend(body.iter().take(MAX_FRAME));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_reassembled_from_any_fragments() {
        let sent = [frame(b"one"), frame(&[7; 300]), frame(b"last")].concat();
        for step in [1, 2, 3, 64, 1000] {
            let mut frames = FrameBuffer::new(1, 300);
            let (mut at, mut bodies) = (0, Vec::new());
            while at < sent.len() {
                let next = step.min(frames.wanted()).min(sent.len() - at);
                bodies.extend(frames.take(&sent[at..at + next]).unwrap());
                at += next;
            }
            assert_eq!(bodies, [b"one".to_vec(), vec![7; 300], b"last".to_vec()]);
        }
    }

    #[test]
    fn lengths_out_of_bounds_are_rejected_before_the_body() {
        assert!(FrameBuffer::new(1, 10).take(&[0, 11]).is_err());
        assert!(FrameBuffer::new(1, 10).take(&[0, 0]).is_err());
        assert!(FrameBuffer::new(1, 10).take(&[0, 1, 2]).is_err());
    }
}
