//! Timestamps of a new process or thread, and the CPU on which it started.

use super::children::{reap, resident, status_of};
use crate::shared_words::SharedWords;
use measure::{Bench, CpuTime, Failure, Result, Timed};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use sys::clock::Clock;
use sys::cpu;
use sys::posix as posix_locks;
use sys::process::create::{Fork, fork_then};
use sys::thread::posix;

/// What a child writes for its creator: the time, and its CPU plus one.
struct Page(SharedWords);

impl Page {
    /// Clears the last timestamp.
    fn clear(&self) {
        (0..2).for_each(|at| self.0.word(at).store(0, Ordering::SeqCst));
    }

    /// Writes the time and the CPU.
    #[inline(always)]
    fn write_timestamp(&self, clock: Clock) {
        let now = clock.stop();
        self.0.word(0).store(now.cast_unsigned(), Ordering::SeqCst);
        self.0.word(1).store(cpu::current().map_or(0, |cpu| u64::from(cpu) + 1), Ordering::SeqCst);
    }

    /// The time that was written; 0 for none.
    fn ticks(&self) -> i64 {
        self.0.word(0).load(Ordering::SeqCst).cast_signed()
    }

    /// The CPU that was written.
    fn cpu(&self) -> Option<u32> {
        u32::try_from(self.0.word(1).load(Ordering::SeqCst)).ok()?.checked_sub(1)
    }
}

/// The timestamps of one iteration.
#[derive(Debug, Clone, Copy)]
pub struct Timestamps {
    /// Before the call.
    pub before: i64,
    /// When the call returned.
    pub returned: i64,
    /// When the child ran.
    pub child: i64,
    /// When the child had been waited for.
    pub after: i64,
    /// Right answers besides the timestamps.
    pub answers: u64,
}

/// One iteration: creates a child that writes its timestamp, and waits for it. The child's timestamp is filled in after.
type Create<'m> = &'m mut dyn FnMut(Clock, &Page, &dyn Fn()) -> Result<Timestamps>;

/// Times a phase of each fork by the system-call instruction, with `fence` at both ends; the child first writes
/// `timestamps` timestamps, and exits.
pub fn forks(
    bench: &mut Bench<'_>,
    timestamps: u32,
    fence: impl Fn(),
    phase: fn(&Timestamps) -> i64,
) -> Result<()> {
    let _memory = resident(bench.point(), bench.seed())?;
    let mut turn = 0;
    let mut create = |clock: Clock, page: &Page, close: &dyn Fn()| {
        let status = status_of(&mut turn);
        let before = clock.start();
        fence();
        let child = fork_then(Fork::Clone, || {
            (0..timestamps).for_each(|_| page.write_timestamp(clock));
            status
        })?;
        fence();
        let returned = clock.stop();
        close();
        let answers = reap(child, status)?;
        Ok(Timestamps { before, returned, child: 0, after: clock.stop(), answers })
    };
    time(bench, CpuTime::WithChildren, &mut create, phase)
}

/// Times a phase of each pthread_create; the thread first writes its timestamp, and exits.
pub fn threads(bench: &mut Bench<'_>, phase: fn(&Timestamps) -> i64) -> Result<()> {
    let mut create = |clock: Clock, page: &Page, close: &dyn Fn()| {
        let before = clock.start();
        let returned = posix::create_and_join(&|| page.write_timestamp(clock), || {
            let returned = clock.stop();
            close();
            returned
        })?;
        Ok(Timestamps { before, returned, child: 0, after: clock.stop(), answers: 1 })
    };
    time(bench, CpuTime::Process, &mut create, phase)
}

/// Times a new thread that waits for a mutex: from just before its creator unlocks the mutex until the thread has it.
pub fn newborn_threads(bench: &mut Bench<'_>) -> Result<()> {
    let mut create = |clock: Clock, page: &Page, close: &dyn Fn()| {
        let mutex = Mutex::new(());
        let held = mutex.lock().map_err(|_| Failure::failed("a thread ended while it held the mutex"))?;
        let before = posix::create_and_join(
            &|| {
                let _held = mutex.lock();
                page.write_timestamp(clock);
            },
            || {
                close();
                let before = clock.start();
                drop(held);
                before
            },
        )?;
        Ok(Timestamps { before, returned: before, child: 0, after: clock.stop(), answers: 1 })
    };
    time(bench, CpuTime::Process, &mut create, |timestamps| timestamps.child - timestamps.before)
}

/// Times a new thread that waits for a condition: from just before its creator signals it until the thread has been woken, or has
/// found that it need not wait.
pub fn newborn_waits_for_condition(bench: &mut Bench<'_>) -> Result<()> {
    let (mutex, condition) = (posix_locks::Mutex::new()?, posix_locks::Condition::new()?);
    let is_signalled = AtomicBool::new(false);
    let wait = || {
        mutex.lock()?;
        while !is_signalled.load(Ordering::Relaxed) {
            condition.wait(&mutex)?;
        }
        mutex.unlock()
    };
    let signal = || {
        mutex.lock()?;
        is_signalled.store(true, Ordering::Relaxed);
        condition.signal()?;
        mutex.unlock()
    };
    let mut create = |clock: Clock, page: &Page, close: &dyn Fn()| {
        is_signalled.store(false, Ordering::Relaxed);
        let (before, signalled) = posix::create_and_join(
            &|| {
                if wait().is_ok() {
                    page.write_timestamp(clock);
                }
            },
            || {
                close();
                (clock.start(), signal())
            },
        )?;
        signalled?;
        Ok(Timestamps { before, returned: before, child: 0, after: clock.stop(), answers: 1 })
    };
    time(bench, CpuTime::Process, &mut create, |timestamps| timestamps.child - timestamps.before)
}

/// Times a phase of each iteration with a child that starts on the point's CPU.
///
/// For a child on another CPU the creator may use both CPUs during the call, and the scheduler chooses: iterations with
/// another choice are not samples.
fn time(bench: &mut Bench<'_>, cpu: CpuTime, create: Create<'_>, pick: fn(&Timestamps) -> i64) -> Result<()> {
    let page = Page(SharedWords::new(2)?);
    // The CPUs of creator and child, where they differ.
    let cpus = bench.cpu().zip(bench.peer_cpu()).filter(|_| bench.point().has_two_cpus());
    let (mut first, mut all) = (0.0, 0.0);
    bench.each_part(cpu, &mut |clock| {
        page.clear();
        cpus.map_or(Ok(()), |(own, other)| cpu::pin_to(&[own, other]))?;
        let mut timestamps = create(clock, &page, &|| {
            // It was pinned there before; if that is denied now, the count of migrations shows it.
            let _ = cpus.map(|(own, _)| cpu::pin(own));
        })?;
        timestamps.child = page.ticks();
        all += 1.0;
        first += f64::from(u8::from(timestamps.child < timestamps.returned));
        let in_order = timestamps.before < timestamps.child && timestamps.child < timestamps.after;
        Ok(Timed {
            ticks: cpus.is_none_or(|(_, other)| page.cpu() == Some(other)).then(|| pick(&timestamps)),
            answers: if in_order { timestamps.answers } else { 0 },
        })
    })?;
    // Whether the child runs first is the scheduler's choice: counted, without an expectation.
    bench.count("child.first", first, all);
    Ok(())
}
