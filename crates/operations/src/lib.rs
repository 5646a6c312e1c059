//! One file per operation or close family, and one list.
//!
//! To add an operation, write a file like its neighbours and put its declarations into [`ALL`]; the
//! list, the handbook, the plan and the tests follow from that.
#![forbid(unsafe_code)]

mod cpu;
mod os;

use measure::Operation;

/// Every operation, in the order in which it is shown.
pub static ALL: &[&Operation] = &[
    &cpu::clock_read::RDTSC,
    &cpu::clock_read::RDTSC_LFENCE,
    &cpu::clock_read::RDTSCP,
    &cpu::clock_read::RDTSC_CPUID,
    &cpu::clock_read::MONOTONIC,
    &cpu::clock_read::MONOTONIC_RAW,
    &cpu::clock_read::MONOTONIC_COARSE,
    &cpu::clock_read::MONOTONIC_SYSCALL,
    &cpu::clock_read::GETTIMEOFDAY,
    &cpu::clock_frequency::OPERATION,
    &cpu::loop_iteration::OPERATION,
    &cpu::loop_known_cost::OPERATION,
    &cpu::call_procedure::OPERATION,
    &os::syscall::FLOOR,
    &os::syscall::GETPPID,
    &os::syscall::GETPID_RAW,
    &os::syscall::GETPID_LIBC,
    &os::syscall_pipe::OPERATION,
    &os::process_create::FORK_WAIT,
    &os::thread_create::JOIN,
    &os::switch_thread_futex::OPERATION,
    &os::switch_process_pipe::OPERATION,
    &os::switch_process_ring::SWITCH,
    &os::switch_process_ring::ASSUMED,
    &os::switch_process_ring::REFILL,
    &os::ipc_pipe::ROUND_TRIP,
    &os::ipc_cache_line::ROUND_TRIP,
    &os::ipc_bandwidth::PIPE_SELF,
    &os::ipc_bandwidth::UNIX_STREAM_SELF,
    &os::ipc_bandwidth::PIPE,
    &os::ipc_bandwidth::UNIX_STREAM,
    &os::wakeup_latency::LATENCY,
    &os::wakeup_latency::MAXIMUM,
    &os::sleep_late::NANOSLEEP,
    &os::sleep_late::CLOCK_NANOSLEEP,
    &os::sleep_late::SELECT,
    &os::sleep_late::POLL,
    &os::sleep_late::EPOLL,
    &os::sleep_late::TIMERFD,
    &os::sleep_late::FUTEX,
    &os::noise_gaps::OPERATION,
];

/// The operation with this id.
pub fn find(id: &str) -> Option<&'static Operation> {
    ALL.iter().copied().find(|operation| operation.id == id)
}
