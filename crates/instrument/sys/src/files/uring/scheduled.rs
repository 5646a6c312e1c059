//! Requests by a schedule that is fixed beforehand: each is due at a time of its own, whatever became of those before.

use super::requests::{Done, Request, Requests};
use crate::Result;
use crate::kernel_time::raw_nanos;

/// When requests are due, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// The first.
    pub start: i64,
    /// From one to the next.
    pub interval_ns: f64,
    /// After this time none begins.
    pub end: i64,
}

impl Schedule {
    /// When the request of this number is due, counted from 0.
    pub fn due(&self, number: u64) -> i64 {
        self.start + (number as f64 * self.interval_ns) as i64
    }
}

impl Requests {
    /// Makes `count` requests, none before it is due; one that is due while all buffers are in use waits for the first completion.
    /// The program never sleeps, so that no wake-up delays a request or a completion. `next` and `is_right` are as in
    /// [`Requests::run`].
    ///
    /// # Errors
    /// When the kernel refuses the call. A request that fails is not right.
    pub fn run_scheduled<'f>(
        &mut self,
        count: u64,
        schedule: &Schedule,
        mut next: impl FnMut(usize, &mut [u8]) -> Request<'f>,
        mut is_right: impl FnMut(usize, &Request<'f>, &[u8]) -> bool,
    ) -> Result<Done> {
        let mut free: Vec<usize> = (0..self.depth()).rev().collect();
        let mut in_flight: Vec<Option<Request<'f>>> = vec![None; self.depth()];
        let (mut done, mut begun, mut ended) = (Done::default(), 0, 0);
        loop {
            let now = raw_nanos();
            let is_over = begun == count || now >= schedule.end;
            if is_over && begun == ended {
                return Ok(done);
            }
            let mut fresh = 0;
            while !is_over && begun < count && schedule.due(begun) <= now {
                let Some(slot) = free.pop() else { break };
                let request = next(slot, self.buffer(slot));
                self.put(&request, slot, true);
                if let Some(place) = in_flight.get_mut(slot) {
                    *place = Some(request);
                }
                begun += 1;
                fresh += 1;
            }
            done.deepest = done.deepest.max((begun - ended) as u32);
            self.enter(fresh, 0)?;
            done.calls += 1;
            while let Some((slot, result)) = self.take() {
                ended += 1;
                let is_whole = result == self.block() as u32;
                let Some(request) = in_flight.get_mut(slot).and_then(Option::take) else { continue };
                done.right += u64::from(is_right(slot, &request, self.buffer(slot)) && is_whole);
                free.push(slot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryFile;
    use crate::uring::requests::Direction;

    #[test]
    fn no_request_begins_before_it_is_due_and_none_after_the_end() {
        let requests = Requests::new(4096, 2);
        if !programs::can("io_uring", !requests.as_ref().is_err_and(|error| error.is_denied())) {
            return;
        }
        let mut requests = requests.unwrap();
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        file.fill(8 << 12, 4096, 3).unwrap();
        let start = raw_nanos();
        let schedule = Schedule { start, interval_ns: 200_000.0, end: start + 60_000_000_000 };
        let mut begun = Vec::new();
        let read = |number: u64| Request {
            file: file.descriptor(),
            direction: Direction::Read,
            offset: number % 8 * 4096,
        };
        let done = requests
            .run_scheduled(
                16,
                &schedule,
                |_, _| {
                    begun.push(raw_nanos());
                    read(begun.len() as u64 - 1)
                },
                |_, request, block| file.is_block(block, request.offset),
            )
            .unwrap();
        assert_eq!((done.right, begun.len()), (16, 16));
        assert!(begun.iter().zip(0..).all(|(&began, number)| began >= schedule.due(number)));
        let over = Schedule { end: start, ..schedule };
        assert_eq!(requests.run_scheduled(16, &over, |_, _| read(0), |_, _, _| true).unwrap().right, 0);
    }
}
