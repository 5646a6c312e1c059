//! Locks that several threads want at the same time: of the C library, and of atomic operations.

use crate::threads::MAX_POLLS;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use sys::posix::{Mutex, ReadWriteLock, Semaphore};

/// A lock around a critical section.
pub trait Lock: Send + Sync + 'static {
    /// Whether it excludes all others: readers exclude writers only.
    const IS_EXCLUSIVE: bool = true;

    /// Takes it.
    ///
    /// # Errors
    /// When the library refuses, or it stays taken for many seconds.
    fn lock(&self) -> sys::Result<()>;

    /// Gives it back.
    ///
    /// # Errors
    /// When the library refuses.
    fn unlock(&self) -> sys::Result<()>;
}

impl Lock for Mutex {
    #[inline(always)]
    fn lock(&self) -> sys::Result<()> {
        Self::lock(self)
    }

    #[inline(always)]
    fn unlock(&self) -> sys::Result<()> {
        Self::unlock(self)
    }
}

/// A reader-writer lock, taken for writing.
pub(super) struct Writer(pub ReadWriteLock);

impl Lock for Writer {
    #[inline(always)]
    fn lock(&self) -> sys::Result<()> {
        self.0.write()
    }

    #[inline(always)]
    fn unlock(&self) -> sys::Result<()> {
        self.0.unlock()
    }
}

/// A reader-writer lock, taken for reading.
pub(super) struct Reader(pub ReadWriteLock);

impl Lock for Reader {
    const IS_EXCLUSIVE: bool = false;

    #[inline(always)]
    fn lock(&self) -> sys::Result<()> {
        self.0.read()
    }

    #[inline(always)]
    fn unlock(&self) -> sys::Result<()> {
        self.0.unlock()
    }
}

/// A semaphore that holds one while nobody is in the section.
impl Lock for Semaphore {
    #[inline(always)]
    fn lock(&self) -> sys::Result<()> {
        self.wait()
    }

    #[inline(always)]
    fn unlock(&self) -> sys::Result<()> {
        self.post()
    }
}

/// Polls a condition; an error where it stays false for many seconds.
#[inline(always)]
fn poll(condition: impl Fn() -> bool) -> sys::Result<()> {
    for _ in 0..MAX_POLLS {
        if condition() {
            return Ok(());
        }
        spin_loop();
    }
    Err(sys::Error { call: "lock of atomic operations", errno: 0 })
}

/// A spin lock: a waiter reads the word until it is free, then tries to swap it.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Spin(AtomicBool);

impl Lock for Spin {
    #[inline(always)]
    fn lock(&self) -> sys::Result<()> {
        while self.0.swap(true, Ordering::Acquire) {
            poll(|| !self.0.load(Ordering::Relaxed))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn unlock(&self) -> sys::Result<()> {
        self.0.store(false, Ordering::Release);
        Ok(())
    }
}

/// A ticket lock: waiters enter in the order in which they came. Both words are in one cache line.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Ticket {
    next: AtomicU64,
    serving: AtomicU64,
}

impl Lock for Ticket {
    #[inline(always)]
    fn lock(&self) -> sys::Result<()> {
        let own = self.next.fetch_add(1, Ordering::Relaxed);
        poll(|| self.serving.load(Ordering::Acquire) == own)
    }

    #[inline(always)]
    fn unlock(&self) -> sys::Result<()> {
        self.serving.store(self.serving.load(Ordering::Relaxed) + 1, Ordering::Release);
        Ok(())
    }
}
