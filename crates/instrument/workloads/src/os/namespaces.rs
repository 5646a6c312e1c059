//! Namespaces that are left for new ones, or entered.

use measure::{Bench, Failure, Point, Result, Work, choice, parameters};
use std::time::Duration;
use sys::namespaces::{Namespace, NamespaceKind};

choice! {
    /// What a namespace separates.
    pub enum Separated {
        /// Host names.
        Uts = "uts",
        /// Queues and semaphores.
        Ipc = "ipc",
        /// Mounts.
        Mount = "mount",
        /// The network.
        Net = "net",
        /// Process numbers.
        Pid = "pid",
        /// The root of control groups.
        Cgroup = "cgroup",
        /// Clocks.
        Time = "time",
    }
}

parameters! {
    /// Namespaces of one kind.
    pub struct Spaces {
        /// Which.
        kind: Separated,
    }
}

/// Namespaces of the network that the kernel may still have to free: it does so in a thread of its own, after a grace period.
const MAX_PENDING: u64 = 64;
/// Choice: some grace periods, in which the kernel frees all that are pending.
const FREED_AFTER: Duration = Duration::from_millis(200);

impl Separated {
    /// As the kernel names it.
    pub fn namespace(self) -> NamespaceKind {
        match self {
            Self::Uts => NamespaceKind::UTS,
            Self::Ipc => NamespaceKind::IPC,
            Self::Mount => NamespaceKind::MOUNT,
            Self::Net => NamespaceKind::NET,
            Self::Pid => NamespaceKind::PID,
            Self::Cgroup => NamespaceKind::CGROUP,
            Self::Time => NamespaceKind::TIME,
        }
    }
}

/// Whether the kernel waits at a point: for a grace period, or for its own thread on the same CPU.
pub fn waits(point: &Point) -> bool {
    point.required("kind").is_ok_and(|kind| matches!(kind, Separated::Mount | Separated::Pid))
}

/// The own namespace of a kind.
fn current(kind: NamespaceKind) -> Result<Namespace> {
    kind.current().map_err(|error| match error.is_missing() {
        true => Failure::skipped(
            "/proc/self/ns has no namespace of this kind",
            "mount /proc, and run a kernel with namespaces of this kind",
        ),
        false => error.into(),
    })
}

/// Leaves the namespace of the point's kind for a new one in each iteration.
///
/// # Errors
/// Skipped without the right to make namespaces.
pub fn unshare(bench: &mut Bench<'_>) -> Result<()> {
    let kind = bench.parameters::<Spaces>()?.kind;
    unshare_by(bench, kind, kind.namespace())
}

/// The same with new ones of the kind `made`: at the end of each batch the number of the namespace of the point's kind must change.
///
/// # Errors
/// Skipped without the right to make namespaces.
pub fn unshare_by(bench: &mut Bench<'_>, kind: Separated, made: NamespaceKind) -> Result<()> {
    let watched = kind.namespace();
    let own = current(watched)?;
    // The kernel makes no namespace of process numbers for one whose children would be in another already.
    let is_nested = kind == Separated::Pid;
    let go_back = || if is_nested { own.enter() } else { Ok(()) };
    let mut pending = 0;
    bench.batches(Work {
        before: Some(&mut |n| {
            pending += if kind == Separated::Net { n } else { 0 };
            if pending > MAX_PENDING {
                std::thread::sleep(FREED_AFTER);
                pending = n;
            }
            Ok(())
        }),
        at_most: if kind == Separated::Net { MAX_PENDING } else { u64::MAX },
        ..Work::new(&mut |n| {
            for _ in 1..n {
                go_back()?;
                made.unshare()?;
            }
            go_back()?;
            let before = watched.number()?;
            made.unshare()?;
            Ok(if watched.number()? == before { 0 } else { n })
        })
    })
}

/// Enters a second namespace of the point's kind and the own one alternately.
///
/// # Errors
/// Skipped without the right to make namespaces.
pub fn enter(bench: &mut Bench<'_>) -> Result<()> {
    let kind = bench.parameters::<Spaces>()?.kind.namespace();
    let own = current(kind)?;
    kind.unshare()?;
    enter_alternately(bench, kind, &[own, current(kind)?])
}

/// The loop itself: the two must have different numbers, and after each batch the current one must have that of the last.
///
/// # Errors
/// When a call is denied.
pub fn enter_alternately(bench: &mut Bench<'_>, kind: NamespaceKind, both: &[Namespace; 2]) -> Result<()> {
    let numbers = both.each_ref().map(Namespace::number);
    let [mut next, mut last] = [0, 1];
    bench.slope(&mut |n| {
        for _ in 0..n {
            both[next].enter()?;
            std::mem::swap(&mut next, &mut last);
        }
        let is_entered = kind.number()? == Some(numbers[last]) && numbers[0] != numbers[1];
        Ok(if is_entered { n } else { 0 })
    })
}
