//! A queue that is kept full, from which completed requests are taken one by one.

use super::requests::{Request, Requests};
use crate::Result;

/// As many requests in flight as there are buffers.
#[derive(Debug)]
pub struct FullQueue<'r, 'f> {
    requests: &'r mut Requests,
    in_flight: Vec<Request<'f>>,
}

impl<'r, 'f> FullQueue<'r, 'f> {
    /// Fills the queue: the first requests are submitted by one call. `next` is as in [`Requests::run`].
    ///
    /// # Errors
    /// When the kernel refuses the call.
    pub fn fill(
        requests: &'r mut Requests,
        mut next: impl FnMut(usize, &mut [u8]) -> Request<'f>,
    ) -> Result<Self> {
        let mut in_flight = Vec::with_capacity(requests.depth());
        for slot in 0..requests.depth() {
            let request = next(slot, requests.buffer(slot));
            requests.put(&request, slot, true);
            in_flight.push(request);
        }
        requests.enter(in_flight.len() as u64, 0)?;
        Ok(Self { requests, in_flight })
    }

    /// Requests in flight: all of them, but for the one that is replaced.
    pub fn depth(&self) -> usize {
        self.in_flight.len()
    }

    /// Waits for a completed request, gives it to `is_right` as in [`Requests::run`], and submits the next one for its buffer; whether
    /// it was right.
    ///
    /// # Errors
    /// When the kernel refuses a call.
    pub fn replace_one(
        &mut self,
        mut next: impl FnMut(usize, &mut [u8]) -> Request<'f>,
        is_right: impl FnMut(usize, &Request<'f>, &[u8]) -> bool,
    ) -> Result<bool> {
        let (slot, right) = self.take_one(is_right)?;
        let request = next(slot, self.requests.buffer(slot));
        self.requests.put(&request, slot, true);
        if let Some(place) = self.in_flight.get_mut(slot) {
            *place = request;
        }
        self.requests.enter(1, 0)?;
        Ok(right)
    }

    /// Waits for all requests in flight; gives how many were right.
    ///
    /// # Errors
    /// When the kernel refuses a call.
    pub fn drain(mut self, mut is_right: impl FnMut(usize, &Request<'f>, &[u8]) -> bool) -> Result<u64> {
        let mut all = 0;
        for _ in 0..self.in_flight.len() {
            all += u64::from(self.take_one(&mut is_right)?.1);
        }
        Ok(all)
    }

    /// Waits for a completed request: its buffer, and whether it was right.
    fn take_one(
        &mut self,
        mut is_right: impl FnMut(usize, &Request<'f>, &[u8]) -> bool,
    ) -> Result<(usize, bool)> {
        // The kernel returns when one is complete, or where a signal came.
        let (slot, result) = loop {
            match self.requests.take() {
                Some(completed) => break completed,
                None => self.requests.enter(0, 1)?,
            }
        };
        let is_whole = result == self.requests.block() as u32;
        let right = match self.in_flight.get(slot) {
            Some(request) => is_right(slot, request, self.requests.buffer(slot)) && is_whole,
            None => false,
        };
        Ok((slot, right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryFile;
    use crate::uring::requests::Direction;

    #[test]
    fn every_request_is_taken_once_and_a_wrong_block_is_counted() {
        let requests = Requests::new(4096, 4);
        if !programs::can("io_uring", !requests.as_ref().is_err_and(|error| error.is_denied())) {
            return;
        }
        let mut requests = requests.unwrap();
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        file.fill(8 << 12, 4096, 3).unwrap();
        let mut made = 0_u64;
        let mut next = |_: usize, _: &mut [u8]| {
            made += 1;
            Request { file: file.descriptor(), direction: Direction::Read, offset: (made - 1) % 8 * 4096 }
        };
        let mut queue = FullQueue::fill(&mut requests, &mut next).unwrap();
        assert_eq!(queue.depth(), 4);
        let is_right = |_: usize, request: &Request<'_>, block: &[u8]| {
            // The block at 8192 is expected to hold that at 0.
            file.is_block(block, if request.offset == 8192 { 0 } else { request.offset })
        };
        let mut right = 0;
        for _ in 0..12 {
            right += u64::from(queue.replace_one(&mut next, is_right).unwrap());
        }
        right += queue.drain(is_right).unwrap();
        assert_eq!((made, right), (16, 14));
    }
}
