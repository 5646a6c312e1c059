//! Requests to one worker in the order in which they were posted, and the futex on which it sleeps.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::time::Duration;
use sys::futex::{self, Scope};

/// Requests that may wait. At the longest queue that a load below 1 has they are some hundreds.
const MAX_WAITING: u32 = 4_096;

/// Time after which a worker looks whether all is over.
const LOOK: Duration = Duration::from_millis(50);

/// A CPU that is not known.
const NO_CPU: u32 = u32::MAX;

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Request {
    /// When it was due, and when it was posted, on the monotonic clock.
    pub(super) due: i64,
    pub(super) posted: i64,
    /// Where it was posted.
    pub(super) cpu: Option<u32>,
}

/// A request as its worker gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) request: Request,
    /// Whether the worker slept until it was posted.
    pub(super) has_slept: bool,
}

#[derive(Default)]
struct Slot {
    due: AtomicI64,
    posted: AtomicI64,
    cpu: AtomicU32,
}

/// The requests of one worker; one other thread posts them.
#[repr(align(128))]
pub(super) struct Queue {
    slots: Vec<Slot>,
    /// How many were posted: the futex.
    posted: AtomicU32,
    taken: AtomicU32,
}

impl Queue {
    pub(super) fn new() -> Self {
        Self {
            slots: (0..MAX_WAITING).map(|_| Slot::default()).collect(),
            posted: AtomicU32::new(0),
            taken: AtomicU32::new(0),
        }
    }

    fn slot(&self, number: u32) -> Option<&Slot> {
        self.slots.get((number % MAX_WAITING) as usize)
    }

    /// Posts a request and wakes its worker; whether there was room for it.
    ///
    /// # Errors
    /// When the call is denied.
    pub(super) fn post(&self, request: Request) -> sys::Result<bool> {
        let number = self.posted.load(Ordering::Relaxed);
        if number.wrapping_sub(self.taken.load(Ordering::Acquire)) >= MAX_WAITING {
            return Ok(false);
        }
        if let Some(slot) = self.slot(number) {
            slot.due.store(request.due, Ordering::Relaxed);
            slot.posted.store(request.posted, Ordering::Relaxed);
            slot.cpu.store(request.cpu.unwrap_or(NO_CPU), Ordering::Relaxed);
        }
        self.posted.store(number.wrapping_add(1), Ordering::Release);
        self.wake()?;
        Ok(true)
    }

    /// Wakes the worker.
    ///
    /// # Errors
    /// When the call is denied.
    pub(super) fn wake(&self) -> sys::Result<()> {
        sys::Error::check("futex", futex::wake_one(&self.posted, Scope::Private)).map(|_| ())
    }

    /// The next request, for which the worker sleeps, or polls; `None` when there is none and all is over.
    ///
    /// # Errors
    /// When the call is denied.
    pub(super) fn take(&self, is_over: &AtomicBool, polls: bool) -> sys::Result<Option<Taken>> {
        let number = self.taken.load(Ordering::Relaxed);
        let mut has_slept = false;
        while self.posted.load(Ordering::Acquire) == number {
            if is_over.load(Ordering::Acquire) {
                return Ok(None);
            }
            if polls {
                has_slept = true;
                std::hint::spin_loop();
                continue;
            }
            match futex::wait_at_most(&self.posted, number, Scope::Private, LOOK) {
                0 => has_slept = true,
                futex::CHANGED | futex::TIMED_OUT | futex::INTERRUPTED => {}
                other => {
                    sys::Error::check("futex", other)?;
                }
            }
        }
        let request = self.slot(number).map(|slot| Request {
            due: slot.due.load(Ordering::Relaxed),
            posted: slot.posted.load(Ordering::Relaxed),
            cpu: Some(slot.cpu.load(Ordering::Relaxed)).filter(|&cpu| cpu != NO_CPU),
        });
        self.taken.store(number.wrapping_add(1), Ordering::Release);
        Ok(request.map(|request| Taken { request, has_slept }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(due: i64) -> Request {
        Request { due, posted: due + 1, cpu: Some(3) }
    }

    #[test]
    fn requests_are_taken_in_their_order_until_all_is_over() {
        let (queue, is_over) = (Queue::new(), AtomicBool::new(false));
        for due in 0..5 {
            assert!(queue.post(request(due)).unwrap());
        }
        is_over.store(true, Ordering::Release);
        for due in 0..5 {
            assert_eq!(
                queue.take(&is_over, false).unwrap(),
                Some(Taken { request: request(due), has_slept: false })
            );
        }
        assert_eq!(queue.take(&is_over, false).unwrap(), None);
    }

    #[test]
    fn a_full_queue_takes_no_request() {
        let queue = Queue::new();
        assert!((0..MAX_WAITING).all(|due| queue.post(request(i64::from(due))).unwrap()));
        assert!(!queue.post(request(0)).unwrap());
    }

    #[test]
    fn a_worker_that_sleeps_is_woken() {
        let (queue, is_over) = (Queue::new(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| (0..50).filter_map(|_| queue.take(&is_over, false).unwrap()).count());
            for due in 0..50 {
                std::thread::sleep(Duration::from_micros(100));
                assert!(queue.post(request(due)).unwrap());
            }
            assert_eq!(worker.join().unwrap(), 50);
        });
    }
}
