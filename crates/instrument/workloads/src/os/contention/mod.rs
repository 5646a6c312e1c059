//! Threads on several CPUs that enter a critical section under one lock, again and again.

mod each_section;
pub mod futex;
mod locks;
pub mod queue;
pub(in crate::os) mod section;

use crate::os::scaling::cpus;
use crate::os::scaling::object::{Object, Tasks};
use crate::os::scaling::pool::{self, LEAST_EACH, Plan};
pub use locks::Lock;
use locks::{Reader, Spin, Ticket, Writer};
use measure::{Bench, Point, Result, choice, parameters};
use section::{Section, turns_in};
use sys::posix::{Mutex, ReadWriteLock, Semaphore};

choice! {
    /// Which lock.
    pub enum LockType {
        /// A mutex of the C library.
        Mutex = "mutex",
        /// A mutex with priority inheritance.
        Pi = "pi",
        /// A reader-writer lock, taken for writing.
        Write = "rwlock_write",
        /// The same, taken for reading.
        Read = "rwlock_read",
        /// A spin lock: test, then test-and-set.
        Spin = "spin",
        /// A ticket lock.
        Ticket = "ticket",
        /// A POSIX semaphore.
        Semaphore = "semaphore",
    }
}

parameters! {
    /// A contended lock.
    pub struct Contended {
        /// Which.
        lock: LockType,
        /// Nanoseconds of work in the critical section.
        critical: u64,
    }
}

/// Nanoseconds of the shortest batch of a lock whose waiters sleep: some wake-ups of another CPU, also in a virtual machine.
const MIN_BATCH_NS: u64 = 250_000;

/// Nanoseconds of an empty section whose lock is free: a lower estimate, so that a batch is not shorter.
const EMPTY_SECTION_NS: u64 = 20;

/// Whether waiters for the lock of a point sleep: their share of a CPU says nothing then.
pub fn sleeps(point: &Point) -> bool {
    !matches!(point.required("lock"), Ok(LockType::Spin | LockType::Ticket))
}

/// The same section by one thread.
pub fn alone(point: &Point) -> Point {
    let text = point.text();
    let pairs = text.split(' ').map(|pair| if pair.starts_with("cpus=") { "cpus=1" } else { pair });
    Point::parse(&pairs.collect::<Vec<_>>().join(" ")).unwrap_or_default()
}

/// A semaphore of one: who takes it excludes all others.
fn free_semaphore() -> Result<Semaphore> {
    let semaphore = Semaphore::new(false)?;
    semaphore.post()?;
    Ok(semaphore)
}

/// Times critical sections of the point under one lock of all its threads.
///
/// # Errors
/// When a thread or a lock cannot be made, or a lock fails.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    match bench.parameters::<Contended>()?.lock {
        LockType::Mutex => contend(bench, true, || Ok(Mutex::new()?)),
        LockType::Pi => contend(bench, true, || Ok(Mutex::priority_inheriting()?)),
        LockType::Write => contend(bench, true, || Ok(Writer(ReadWriteLock::new()?))),
        LockType::Read => contend(bench, true, || Ok(Reader(ReadWriteLock::new()?))),
        LockType::Spin => contend(bench, true, || Ok(Spin::default())),
        LockType::Ticket => contend(bench, true, || Ok(Ticket::default())),
        LockType::Semaphore => contend(bench, true, free_semaphore),
    }
}

/// Times critical sections of the point under locks made by `make`: one of all threads if it is shared, else one of each.
///
/// # Errors
/// When a thread or a lock cannot be made, or a lock fails.
pub fn contend<L: Lock>(
    bench: &mut Bench<'_>,
    is_shared: bool,
    make: impl Fn() -> Result<L> + Sync,
) -> Result<()> {
    let critical = bench.parameters::<Contended>()?.critical;
    let turns = turns_in(critical);
    let cpus = cpus(bench)?;
    if bench.is_rehearsal() || cpus.len() < 2 {
        let section = Section::new(make()?, turns);
        return beside_idle_thread(|| bench.slope(&mut |n| Ok(section.operate(n)?)));
    }
    if bench.times_every_iteration() {
        return each_section::each_section(bench, &cpus, &Section::new(make()?, turns));
    }
    let least_each = match sleeps(bench.point()) {
        true => MIN_BATCH_NS / ((critical + EMPTY_SECTION_NS) * cpus.len() as u64),
        false => 0,
    };
    let plan = Plan { tasks: Tasks::Threads, is_shared, least_each: least_each.max(LEAST_EACH) };
    pool::run(bench, &cpus, plan, &|| Ok(Box::new(Section::new(make()?, turns))))
}

/// Does something while there is another thread, which sleeps: with one thread the C library takes locks without atomic operations.
fn beside_idle_thread<T>(act: impl FnOnce() -> Result<T>) -> Result<T> {
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let sleep = move || {
        // An error: the sender was dropped.
        let _ = ended.recv();
    };
    sys::thread::beside(None, sleep, move || {
        let result = act();
        drop(end);
        result
    })?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two threads did all sections, and how many updates are there.
    fn updates_of_two<L: Lock>(lock: L) -> Option<f64> {
        let section = Section::new(lock, 10);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert_eq!(section.operate(2_000), Ok(2_000)));
            }
        });
        let evidence = section.evidence(4_000);
        evidence.iter().find(|(counter, ..)| *counter == "updates").map(|(_, count, _)| *count)
    }

    #[test]
    fn exclusive_locks_lose_no_update_of_two_threads() {
        assert_eq!(updates_of_two(Mutex::new().unwrap()), Some(4_000.0));
        assert_eq!(updates_of_two(Mutex::priority_inheriting().unwrap()), Some(4_000.0));
        assert_eq!(updates_of_two(Writer(ReadWriteLock::new().unwrap())), Some(4_000.0));
        assert_eq!(updates_of_two(Reader(ReadWriteLock::new().unwrap())), None);
        assert_eq!(updates_of_two(Spin::default()), Some(4_000.0));
        assert_eq!(updates_of_two(Ticket::default()), Some(4_000.0));
        assert_eq!(updates_of_two(free_semaphore().unwrap()), Some(4_000.0));
    }

    #[test]
    fn the_point_of_one_cpu_has_the_same_section() {
        let point = Point::parse("lock=spin critical=100 cpus=4").unwrap();
        assert_eq!(alone(&point).text(), "lock=spin critical=100 cpus=1");
    }

    #[test]
    fn longer_sections_have_more_turns() {
        assert_eq!(turns_in(0), 0);
        assert!(turns_in(100_000) > turns_in(100));
    }
}
