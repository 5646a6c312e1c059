//! Requests of a queue that is kept full, each timed by itself.

use super::Load;
use measure::{Bench, CpuTime, Failure, Result, Timed};
use std::cell::RefCell;
use sys::uring::full_queue::FullQueue;
use sys::uring::requests::{Request, Requests};

/// Requests before those that are timed one by one, per queue depth: those that filled the queue came together.
const LEAD_IN: u64 = 4;

impl<'f> Load<'f> {
    /// Keeps the queue full, and times each request by itself; gives how many were right, and how many were in flight.
    pub(super) fn run_individually(
        &mut self,
        bench: &mut Bench<'_>,
        requests: &mut Requests,
    ) -> Result<(u64, u32)> {
        self.latencies = Some(Vec::new());
        bench.keep_own_schedule();
        let lead_in = LEAD_IN * requests.depth() as u64;
        let load = RefCell::new(self);
        let next = |slot: usize, buffer: &mut [u8]| load.borrow_mut().next(slot, buffer);
        let completed = |slot: usize, request: &Request<'f>, block: &[u8]| {
            load.borrow_mut().completed(slot, request, block)
        };
        let (mut unused, mut queue, mut correct) = (Some(requests), None, 0);
        bench.each_part(CpuTime::Process, &mut |clock| {
            if let Some(requests) = unused.take() {
                load.borrow_mut().clock = clock;
                let full = queue.insert(FullQueue::fill(requests, next)?);
                for _ in 0..lead_in {
                    correct += u64::from(full.replace_one(next, completed)?);
                }
            }
            let queue = queue.as_mut().ok_or_else(|| Failure::failed("there is no queue"))?;
            let right = u64::from(queue.replace_one(next, completed)?);
            correct += right;
            let mut load = load.borrow_mut();
            let ticks = load.latencies.as_mut().and_then(|latencies| {
                let last = latencies.last().map(|ticks| *ticks as i64);
                latencies.clear();
                last
            });
            Ok(Timed { ticks, answers: right })
        })?;
        let Some(queue) = queue else { return Ok((0, 0)) };
        let depth = queue.depth() as u32;
        Ok((correct + queue.drain(completed)?, depth))
    }
}
