//! Kernel and hardware counters by `perf_event_open`, each proven to count before it is believed.
//!
//! An ordinary user who excludes the kernel can open the counter of context switches, and it reads zero
//! for ever. So every counter first counts something known.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch, poll};

/// What can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Context switches.
    Switches,
    /// Moves to another CPU.
    Migrations,
    /// Instructions in user mode, by the hardware.
    Instructions,
    /// Core cycles in user mode, by the hardware.
    Cycles,
}

/// Why a counter cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// The kernel refused it.
    #[error("{0}")]
    Refused(Error),
    /// It opened, but did not count what is known to have happened.
    #[error("the counter opens but does not count")]
    Dead,
}

/// A counter of the calling thread that has been seen to count.
#[derive(Debug)]
pub struct Counter(Descriptor);

/// `struct perf_event_attr` in its second published size (72 bytes, Linux 2.6.33), from include/uapi/linux/perf_event.h.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Attributes {
    pub kind: u32,
    pub size: u32,
    pub config: u64,
    pub sample_period: u64,
    pub sample_type: u64,
    pub read_format: u64,
    pub flags: u64,
    pub wakeup_events: u32,
    pub breakpoint_type: u32,
    /// Of a breakpoint, or of the path of a probed file.
    pub address: u64,
    /// Of a breakpoint, or the offset in a probed file.
    pub length: u64,
}

/// The kind of hardware breakpoints.
pub(crate) const BREAKPOINT: u32 = 5;
pub(crate) const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const CLOSE_ON_EXEC: usize = 8;

impl Attributes {
    /// Opens an event of the calling thread, on any CPU.
    pub(crate) fn open(self) -> Result<Descriptor> {
        let attributes = Self { size: size_of::<Self>() as u32, ..self };
        let arguments = [&raw const attributes as usize, 0, usize::MAX, usize::MAX, CLOSE_ON_EXEC];
        // SAFETY: the structure is valid and says its size; the other arguments are integers.
        unsafe { Descriptor::from_syscall::<{ libc::SYS_perf_event_open }, _>(arguments) }
    }
}

impl Event {
    /// `type` and `config` of the event.
    fn code(self) -> (u32, u64) {
        match self {
            Self::Switches => (1, 3),
            Self::Migrations => (1, 4),
            Self::Cycles => (0, 0),
            Self::Instructions => (0, 1),
        }
    }

    /// Does something of this kind; gives how often at least. `None` when it cannot be provoked.
    fn provoke(self) -> Option<u64> {
        match self {
            Self::Switches => {
                // A sleep of a millisecond; where it is denied, nothing is counted.
                let _ = poll::wait(&mut [], 1);
                Some(1)
            }
            Self::Migrations => None,
            Self::Instructions | Self::Cycles => Some(arch::dependent_adds(200).min(10_000)),
        }
    }
}

impl Counter {
    /// Opens a counter for the calling thread and proves that it counts.
    ///
    /// # Errors
    /// When the kernel refuses it, or it stays at zero while something is known to happen.
    pub fn open(event: Event) -> Result<Self, Unusable> {
        let counter = Self::open_unproven(event).map_err(Unusable::Refused)?;
        let before = counter.read().map_err(Unusable::Refused)?;
        let Some(least) = event.provoke() else {
            // Migrations cannot be provoked without moving: they are believed when switches, which need the same rights,
            // are counted.
            return Self::open(Event::Switches).map(|_| counter);
        };
        let after = counter.read().map_err(Unusable::Refused)?;
        if after.saturating_sub(before) >= least { Ok(counter) } else { Err(Unusable::Dead) }
    }

    fn open_unproven(event: Event) -> Result<Self> {
        let (kind, config) = event.code();
        // Events of the hardware are those of kind 0.
        let flags = if kind == 0 { EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR } else { 0 };
        Attributes { kind, config, flags, ..Attributes::default() }.open().map(Self)
    }

    /// The count so far.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.0.read_all(&mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }
}
