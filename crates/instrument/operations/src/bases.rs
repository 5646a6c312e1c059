//! What cards of other crates start from: the common parts of cards, and the cards of right methods that others get wrong.

pub use crate::cpu::call_procedure::{CALL, in_loops, with_instructions};
pub use crate::cpu::clock_read::{COUNTER, KERNEL, read_counter, read_kernel};
pub use crate::cpu::loop_iteration::{INSTRUCTIONS, ITERATIONS, Iterations, LOOP, repeat};
pub use crate::file::contention::CONTENTION;
pub use crate::file::read::cached::plot as plot_of_reads;
pub use crate::file::{COMMON as FILE, DEVICE};
pub use crate::memory::COMMON as MEMORY;
pub use crate::memory::fault::file::MINOR as MINOR_FAULT;
pub use crate::memory::fault::major::MAJOR as MAJOR_FAULT;
pub use crate::memory::stride::STRIDE;
pub use crate::network::COMMON as NETWORK;
pub use crate::network::connection::{AT_SERVER, CONNECTION};
pub use crate::os::COMMON as OS;
pub use crate::os::process_create::fork_timestamps::TIMESTAMPED as FORK;
pub use crate::os::switch_process_ring::{RING, SWITCH as RING_SWITCH};
pub use crate::os::syscall::CARD as SYSCALL;
pub use crate::os::syscall::int80::entry as interrupt_entry;
pub use crate::os::thread_create::timestamps::TIMESTAMPED as THREAD;
pub use crate::os::wakeup_latency::WAKE_UP;
