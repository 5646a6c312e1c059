//! Constants of a family of processors, and the numbers that identify its processors.

use super::arithmetic::Arithmetic;
use crate::constant::Constant;
use crate::identity::Identity;
use record::Unit;

/// Constants of a family, each published or assumed. Cycles are those of the core.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Family {
    /// Name of the design.
    pub name: &'static str,
    /// The numbers that identify its processors.
    pub members: &'static [Member],
    /// One iteration of an empty loop with its counter in a register: one taken branch.
    pub loop_cycles: Constant,
    /// A call and its return, one pair after another.
    pub call_cycles: Constant,
    /// Latency of an integer addition.
    pub add_cycles: Constant,
    /// Latency of a 64-bit integer multiplication.
    pub multiply_cycles: Constant,
    /// From a store to a load of the same place: what a counter in memory adds to each iteration. Designs
    /// that rename memory come near to 0 for an address that is simple enough.
    pub store_forward_cycles: Constant,
    /// Reading the time counter, without fences.
    pub counter_read_cycles: Constant,
    /// Reading it between fences: `lfence; rdtsc; lfence`, or `isb; mrs`.
    pub counter_fenced_cycles: Constant,
    /// `rdtscp`.
    pub rdtscp_cycles: Constant,
    /// `cpuid` on bare metal, leaf 0.
    pub cpuid_cycles: Constant,
    /// Entering and leaving the kernel: the hardware's share, without mitigations.
    pub syscall_cycles: Constant,
    /// Writing the register that holds the page table.
    pub address_space_switch_cycles: Constant,
    /// Load-to-use latency of the first level.
    pub l1_cycles: Constant,
    /// Load-to-use latency of the second level.
    pub l2_cycles: Constant,
    /// Load-to-use latency of the third level.
    pub l3_cycles: Constant,
    /// Latency of local memory, with few misses of the TLB, in nanoseconds.
    pub memory_ns: Constant,
    /// Instructions that the core renames or dispatches in a cycle.
    pub issue_width: Constant,
    /// Last-level cache of a server for each of its cores, which is what a guest can count on.
    pub l3_core_bytes: Constant,
    /// Core clock of a busy server where only the nominal one is reported, in hertz.
    pub turbo_hertz: Constant,
    /// Latency and throughput of arithmetic.
    pub arithmetic: Arithmetic,
}

/// The numbers that identify a processor; ranges include both ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Member {
    /// By CPUID.
    X86 {
        /// As CPUID spells it.
        vendor: &'static str,
        family: u32,
        models: (u32, u32),
        steppings: (u32, u32),
    },
    /// By the main identification register.
    Arm { implementer: u32, parts: &'static [u32] },
}

impl Member {
    pub(super) fn is(&self, identity: &Identity) -> bool {
        match (self, identity) {
            (
                Self::X86 { vendor: known, family: of, models, steppings },
                Identity::X86 { vendor, family, model, stepping },
            ) => {
                known == vendor
                    && of == family
                    && [(model, models), (stepping, steppings)]
                        .into_iter()
                        .all(|(number, (low, high))| (low..=high).contains(&number))
            }
            (Self::Arm { implementer: known, parts }, Identity::Arm { implementer, part }) => {
                known == implementer && parts.contains(part)
            }
            _ => false,
        }
    }
}

impl Family {
    /// Every constant with the last part of its key and its unit.
    pub fn constants(&self) -> Vec<(String, Unit, Constant)> {
        use Unit::{Bytes, Cycles, Hertz, Nanoseconds, One};
        let costs = [
            ("loop_cycles", Cycles, self.loop_cycles),
            ("call_cycles", Cycles, self.call_cycles),
            ("add_cycles", Cycles, self.add_cycles),
            ("multiply_cycles", Cycles, self.multiply_cycles),
            ("store_forward_cycles", Cycles, self.store_forward_cycles),
            ("counter_read_cycles", Cycles, self.counter_read_cycles),
            ("counter_fenced_cycles", Cycles, self.counter_fenced_cycles),
            ("rdtscp_cycles", Cycles, self.rdtscp_cycles),
            ("cpuid_cycles", Cycles, self.cpuid_cycles),
            ("syscall_cycles", Cycles, self.syscall_cycles),
            ("address_space_switch_cycles", Cycles, self.address_space_switch_cycles),
            ("l1_cycles", Cycles, self.l1_cycles),
            ("l2_cycles", Cycles, self.l2_cycles),
            ("l3_cycles", Cycles, self.l3_cycles),
            ("memory_ns", Nanoseconds, self.memory_ns),
            ("issue_width", One, self.issue_width),
            ("l3_core_bytes", Bytes, self.l3_core_bytes),
            ("turbo_hertz", Hertz, self.turbo_hertz),
        ];
        let costs = costs.map(|(name, unit, constant)| (name.to_owned(), unit, constant));
        let arithmetic = self.arithmetic.constants().map(|(name, constant)| (name, Cycles, constant));
        costs.into_iter().chain(arithmetic).collect()
    }
}
