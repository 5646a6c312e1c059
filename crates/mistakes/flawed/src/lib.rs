//! Flawed methods of measuring, as others published them, each beside the right operation.
//!
//! The instrument knows none of this: a program offers them beside the right operations ([`all_operations`]).
#![forbid(unsafe_code)]

mod cpu;
mod file;
mod memory;
mod method;
mod network;
mod os;

pub use method::FlawedMethod;

use measure::Operation;
use std::sync::LazyLock;

/// Every flawed method.
static ALL: &[&FlawedMethod] = &[
    &cpu::repeated::RDTSC_CPUID,
    &cpu::repeated::GETTIMEOFDAY,
    &cpu::single::CLOCK,
    &cpu::repeated::UNOPTIMISED,
    &cpu::single::LOOP,
    &cpu::repeated::ALIASED,
    &cpu::single::CALL,
    &cpu::single::SUBTRACTED,
    &cpu::single::CPUID,
    &os::int80::GETCWD_WRONG,
    &os::creation::FORK_EITHER,
    &os::creation::FORK_CPUID,
    &os::creation::THREAD_EITHER,
    &os::switches::UNPINNED,
    &os::switches::ONE_WAY,
    &os::switches::FORK_WAIT_STAMP,
    &os::switches::FORK_PIPE_STAMP,
    &os::switches::WRITTEN_STAMP,
    &os::switches::YIELD_UNPINNED,
    &os::switches::RING_ASSUMED,
    &os::switches::FAILED_SEMAPHORE,
    &os::switches::THREADS_UNPINNED,
    &os::switches::ASSUMED,
    &os::switches::NEWBORN_WAITS,
    &os::switches::NEWBORN,
    &os::switches::MAXIMUM,
    &memory::latency::SHORT_CYCLE,
    &memory::latency::TIMED,
    &memory::latency::INTEGERS,
    &memory::line_size::EIGHT_ACCESSES,
    &memory::bandwidth::WORDS,
    &memory::unoptimised::READ,
    &memory::unoptimised::WRITE,
    &memory::bandwidth::ZEROS,
    &memory::bandwidth::CACHED,
    &memory::bandwidth::SMALL_COPY,
    &memory::counted_lines::READ,
    &memory::counted_lines::WRITE,
    &memory::faults::CACHED,
    &memory::faults::SPARSE,
    &memory::faults::FAULT_AROUND,
    &network::TWO_WRITES,
    &network::PEAK,
    &network::EARLY,
    &network::FIRST_DATA,
    &network::NO_BARRIER,
    &network::ACCEPT_WITH_WAIT,
    &file::reads::NO_WINDOW,
    &file::reads::WARM_CACHE,
    &file::reads::SPARSE,
    &file::reads::WITH_OPEN,
    &file::numbers::LOCAL,
    &file::numbers::REMOTE,
];

/// Every flawed method, in the order of their areas.
pub fn methods() -> impl Iterator<Item = &'static FlawedMethod> {
    ALL.iter().copied()
}

/// The flawed method with this id.
pub fn method(id: &str) -> Option<&'static FlawedMethod> {
    methods().find(|method| method.card.id == id)
}

/// Every right operation, each followed by the flawed methods whose right one it is.
pub fn all_operations() -> &'static [&'static Operation] {
    static LIST: LazyLock<Vec<&'static Operation>> = LazyLock::new(|| {
        let beside = |id| methods().filter(move |method| method.right.0 == id).map(|method| &method.card);
        operations::ALL.iter().flat_map(|&right| std::iter::once(right).chain(beside(right.id))).collect()
    });
    &LIST
}

/// Any operation with this id, right or flawed.
pub fn find(id: &str) -> Option<&'static Operation> {
    all_operations().iter().copied().find(|operation| operation.id == id)
}
