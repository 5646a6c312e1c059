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
    &os::syscall::GETTID,
    &os::syscall::GETUID,
    &os::syscall::GETPPID_INTERRUPT,
    &os::syscall::GETCWD_RAW,
    &os::syscall::GETCWD_LIBC,
    &os::syscall::GETCWD_WRONG,
    &os::syscall::WRITE_NULL,
    &os::syscall::READ_ZERO,
    &os::syscall::FSTAT,
    &os::syscall::STAT,
    &os::syscall::OPEN_CLOSE_READ,
    &os::syscall::OPEN_CLOSE_WRITE,
    &os::syscall::PROBE,
    &os::syscall::SCHED_YIELD,
    &os::syscall::NANOSLEEP_ZERO,
    &os::syscall::LOCK_PROCESS,
    &os::syscall::LOCK_OPEN_FILE,
    &os::syscall::NOP,
    &os::syscall::SELECT,
    &os::syscall::POLL,
    &os::syscall::EPOLL,
    &os::syscall::INSTALL,
    &os::syscall::DELIVER,
    &os::syscall::PROTECTION_FAULT,
    &os::syscall_pipe::OPERATION,
    &os::syscall::EVENTFD,
    &os::syscall::UNIX,
    &os::syscall::FUTEX,
    &os::syscall::SEMAPHORE,
    &os::syscall::POSIX_SEMAPHORE,
    &os::process_create::FORK_WAIT,
    &os::thread_create::JOIN,
    &os::switch_thread::FUTEX,
    &os::switch_thread::SEMAPHORE,
    &os::switch_thread::CONDITION,
    &os::switch_thread::MUTEX,
    &os::switch_thread::PIPE,
    &os::switch_process::PIPE,
    &os::switch_process::EVENTFD,
    &os::switch_process::UNIX,
    &os::switch_process::FUTEX,
    &os::switch_process::SEMAPHORE,
    &os::switch_process::YIELD,
    &os::switch_reference::FORK_WAIT_STAMP,
    &os::switch_reference::ONE_WAY,
    &os::switch_reference::UNPINNED,
    &os::switch_reference::YIELD_UNPINNED,
    &os::switch_reference::FAILED_SEMAPHORE,
    &os::switch_reference::ASSUMED,
    &os::ipc_round_trip::PIPE,
    &os::ipc_round_trip::FIFO,
    &os::ipc_round_trip::UNIX_STREAM,
    &os::ipc_round_trip::UNIX_DATAGRAM,
    &os::ipc_round_trip::EVENTFD,
    &os::ipc_round_trip::SEMAPHORE,
    &os::ipc_round_trip::SYSTEM_V_QUEUE,
    &os::ipc_round_trip::POSIX_QUEUE,
    &os::noise_gaps::OPERATION,
];

/// The operation with this id.
pub fn find(id: &str) -> Option<&'static Operation> {
    ALL.iter().copied().find(|operation| operation.id == id)
}
