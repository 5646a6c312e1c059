//! Semaphores, mutexes, reader-writer locks and condition variables of POSIX, as the C library makes them, in memory that two actors share.

use crate::{Error, Result, memory::Mapping};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Memory of an object of the C library, in a page that children made by fork share.
#[derive(Debug)]
struct Shared<T>(Mapping, PhantomData<T>);

impl<T> Shared<T> {
    fn new() -> Result<Self> {
        Ok(Self(Mapping::shared(size_of::<T>())?, PhantomData))
    }

    #[inline(always)]
    fn at(&self) -> *mut T {
        self.0.start().cast()
    }
}

/// What the library gave: zero, or the number of an error.
#[inline(always)]
fn check(call: &'static str, result: libc::c_int) -> Result<()> {
    if result == 0 { Ok(()) } else { Err(Error { call, errno: result }) }
}

/// A POSIX semaphore in a shared page: for threads, or for a process and its children.
#[derive(Debug)]
pub struct Semaphore(Shared<libc::sem_t>);

impl Semaphore {
    /// A semaphore that holds nothing.
    ///
    /// # Errors
    /// When there is no memory left, or the library offers none.
    pub fn new(between_processes: bool) -> Result<Self> {
        let semaphore = Self(Shared::new()?);
        // SAFETY: the page is ours, zero-filled and large enough, and stays where it is.
        let made = unsafe { libc::sem_init(semaphore.0.at(), libc::c_int::from(between_processes), 0) };
        Error::check_errno("sem_init", made).map(|_| semaphore)
    }

    /// Adds one.
    ///
    /// # Errors
    /// When the library refuses.
    #[inline(always)]
    pub fn post(&self) -> Result<()> {
        // SAFETY: the semaphore is initialised; the library synchronises what it does to it.
        Error::check_errno("sem_post", unsafe { libc::sem_post(self.0.at()) }).map(|_| ())
    }

    /// Takes one; sleeps while there is none.
    ///
    /// # Errors
    /// When the library refuses.
    #[inline(always)]
    pub fn wait(&self) -> Result<()> {
        // SAFETY: as above.
        Error::check_errno("sem_wait", unsafe { libc::sem_wait(self.0.at()) }).map(|_| ())
    }

    /// How much it holds.
    pub fn value(&self) -> i32 {
        let mut value = 0;
        // SAFETY: as above, and `value` is valid for writing.
        unsafe { libc::sem_getvalue(self.0.at(), &raw mut value) };
        value
    }
}

/// A mutex, between threads. It is never destroyed: the library keeps nothing of it
/// outside its own memory.
#[derive(Debug)]
pub struct Mutex(Shared<libc::pthread_mutex_t>);

impl Mutex {
    /// A mutex with default attributes that nobody holds.
    ///
    /// # Errors
    /// When there is no memory left, or the library refuses.
    pub fn new() -> Result<Self> {
        let mutex = Self(Shared::new()?);
        // SAFETY: the page is ours, zero-filled and large enough, and stays where it is.
        let made = unsafe { libc::pthread_mutex_init(mutex.0.at(), std::ptr::null()) };
        check("pthread_mutex_init", made).map(|()| mutex)
    }

    /// A mutex whose holder inherits the priority of its waiters: FUTEX_LOCK_PI where it is contended.
    ///
    /// # Errors
    /// When there is no memory left, or the library or the kernel refuses.
    pub fn priority_inheriting() -> Result<Self> {
        let mutex = Self(Shared::new()?);
        let mut attributes = MaybeUninit::<libc::pthread_mutexattr_t>::uninit();
        let attributes = attributes.as_mut_ptr();
        // SAFETY: the attributes are initialised before they are used and destroyed after; the page is as in `new`.
        unsafe {
            check("pthread_mutexattr_init", libc::pthread_mutexattr_init(attributes))?;
            let set = libc::pthread_mutexattr_setprotocol(attributes, libc::PTHREAD_PRIO_INHERIT);
            let made = check("pthread_mutexattr_setprotocol", set).and_then(|()| {
                check("pthread_mutex_init", libc::pthread_mutex_init(mutex.0.at(), attributes))
            });
            libc::pthread_mutexattr_destroy(attributes);
            made.map(|()| mutex)
        }
    }

    /// Takes it; sleeps while another thread holds it.
    ///
    /// # Errors
    /// When the library refuses.
    #[inline(always)]
    pub fn lock(&self) -> Result<()> {
        // SAFETY: the mutex is initialised. It guards no data, so nothing depends on who holds it.
        check("pthread_mutex_lock", unsafe { libc::pthread_mutex_lock(self.0.at()) })
    }

    /// Gives it back. Only for the thread that holds it: the library may refuse others, or wake a waiter.
    ///
    /// # Errors
    /// When the library refuses.
    #[inline(always)]
    pub fn unlock(&self) -> Result<()> {
        // SAFETY: as above.
        check("pthread_mutex_unlock", unsafe { libc::pthread_mutex_unlock(self.0.at()) })
    }
}

/// A reader-writer lock with default attributes, between threads. It is never destroyed, as a mutex.
#[derive(Debug)]
pub struct ReadWriteLock(Shared<libc::pthread_rwlock_t>);

impl ReadWriteLock {
    /// A lock that nobody holds.
    ///
    /// # Errors
    /// When there is no memory left, or the library refuses.
    pub fn new() -> Result<Self> {
        let lock = Self(Shared::new()?);
        // SAFETY: the page is ours, zero-filled and large enough, and stays where it is.
        let made = unsafe { libc::pthread_rwlock_init(lock.0.at(), std::ptr::null()) };
        check("pthread_rwlock_init", made).map(|()| lock)
    }

    /// Takes it for reading; sleeps while a writer holds it.
    ///
    /// # Errors
    /// When the library refuses.
    #[inline(always)]
    pub fn read(&self) -> Result<()> {
        // SAFETY: the lock is initialised. It guards no data, so nothing depends on who holds it.
        check("pthread_rwlock_rdlock", unsafe { libc::pthread_rwlock_rdlock(self.0.at()) })
    }

    /// Takes it for writing; sleeps while another thread holds it.
    ///
    /// # Errors
    /// When the library refuses.
    #[inline(always)]
    pub fn write(&self) -> Result<()> {
        // SAFETY: as above.
        check("pthread_rwlock_wrlock", unsafe { libc::pthread_rwlock_wrlock(self.0.at()) })
    }

    /// Gives it back. Only for a thread that holds it.
    ///
    /// # Errors
    /// When the library refuses.
    #[inline(always)]
    pub fn unlock(&self) -> Result<()> {
        // SAFETY: as above.
        check("pthread_rwlock_unlock", unsafe { libc::pthread_rwlock_unlock(self.0.at()) })
    }
}

/// A condition variable with default attributes, between threads.
#[derive(Debug)]
pub struct Condition(Shared<libc::pthread_cond_t>);

impl Condition {
    /// A condition for which nobody waits.
    ///
    /// # Errors
    /// When there is no memory left, or the library refuses.
    pub fn new() -> Result<Self> {
        let condition = Self(Shared::new()?);
        // SAFETY: the page is ours, zero-filled and large enough, and stays where it is.
        let made = unsafe { libc::pthread_cond_init(condition.0.at(), std::ptr::null()) };
        check("pthread_cond_init", made).map(|()| condition)
    }

    /// Wakes one waiter, if there is any.
    ///
    /// # Errors
    /// When the library refuses.
    #[inline(always)]
    pub fn signal(&self) -> Result<()> {
        // SAFETY: the condition is initialised; the library synchronises what it does to it.
        check("pthread_cond_signal", unsafe { libc::pthread_cond_signal(self.0.at()) })
    }

    /// Gives the mutex back, sleeps until it is signalled, and takes the mutex again. It may come back without
    /// a signal. Only for the thread that holds the mutex.
    ///
    /// # Errors
    /// When the library refuses.
    #[inline(always)]
    pub fn wait(&self, mutex: &Mutex) -> Result<()> {
        // SAFETY: both are initialised; the mutex guards no data.
        check("pthread_cond_wait", unsafe { libc::pthread_cond_wait(self.0.at(), mutex.0.at()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Actor, Ended};
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn posts_are_counted_and_waits_take_them() {
        let semaphore = Semaphore::new(false).unwrap();
        semaphore.post().unwrap();
        semaphore.post().unwrap();
        semaphore.wait().unwrap();
        assert_eq!(semaphore.value(), 1);
    }

    #[test]
    fn a_semaphore_is_shared_with_a_child() {
        let (there, back) = (Semaphore::new(true).unwrap(), Semaphore::new(true).unwrap());
        let actor = Actor::spawn(None, || {
            let answered = there.wait().and_then(|()| back.post());
            i32::from(answered.is_err())
        });
        there.post().unwrap();
        back.wait().unwrap();
        assert_eq!(actor.unwrap().join().unwrap(), Ended::Exited(0));
    }

    #[test]
    fn readers_share_a_lock_and_a_writer_waits_for_them() {
        let (lock, written) = (ReadWriteLock::new().unwrap(), AtomicU32::new(0));
        lock.read().unwrap();
        lock.read().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                lock.write().unwrap();
                written.store(1, Ordering::Release);
                lock.unlock().unwrap();
            });
            lock.unlock().unwrap();
            assert_eq!(written.load(Ordering::Acquire), 0);
            lock.unlock().unwrap();
        });
        assert_eq!(written.load(Ordering::Acquire), 1);
    }

    #[test]
    fn a_priority_inheriting_mutex_excludes_other_threads() {
        let (mutex, count) = (Mutex::priority_inheriting().unwrap(), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        mutex.lock().unwrap();
                        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                        mutex.unlock().unwrap();
                    }
                });
            }
        });
        assert_eq!(count.load(Ordering::Relaxed), 2_000);
    }

    #[test]
    fn a_condition_wakes_its_waiter_with_the_mutex_held() {
        let (mutex, condition, turn) = (Mutex::new().unwrap(), Condition::new().unwrap(), AtomicU32::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                mutex.lock().unwrap();
                turn.store(1, Ordering::Relaxed);
                condition.signal().unwrap();
                mutex.unlock().unwrap();
            });
            mutex.lock().unwrap();
            while turn.load(Ordering::Relaxed) == 0 {
                condition.wait(&mutex).unwrap();
            }
            mutex.unlock().unwrap();
        });
        assert_eq!(turn.load(Ordering::Relaxed), 1);
    }
}
