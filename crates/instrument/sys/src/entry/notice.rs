//! A system call that another thread answers: seccomp's user notification, by raw calls.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch};
use std::sync::atomic::{AtomicU64, Ordering};

/// The call that is answered: one that nothing else in a worker makes.
const ANSWERED: i64 = libc::SYS_getpgid;
/// The argument of the call that ends the answering.
const LAST: u32 = u32::MAX;

/// Numbers of <linux/seccomp.h>: requests of the kind '!', with the size of their structure coded in.
const RECEIVE: usize = 0xc050_2100;
const SEND: usize = 0xc018_2101;
const SET_FLAGS: usize = 0x4008_2104;
const SYNCHRONOUS: usize = 1;

#[repr(C)]
#[derive(Default)]
struct Notice {
    id: u64,
    task: u32,
    flags: u32,
    call: i32,
    architecture: u32,
    instruction: u64,
    arguments: [u64; 6],
}

#[repr(C)]
struct Answer {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

/// Where calls of the thread that made it wait for their answer.
#[derive(Debug)]
pub struct Listener(Descriptor);

impl Listener {
    /// Filters the calling thread for the rest of its life: [`call`] waits for an answer, everything else passes. Where `is_synchronous`,
    /// caller and answerer take their turns on one CPU (Linux 6.6).
    ///
    /// # Errors
    /// When the kernel has no such thing or does not allow it.
    pub fn install(is_synchronous: bool) -> Result<Self> {
        rustix::thread::set_no_new_privs(true).map_err(Error::in_call("prctl"))?;
        let statement = |code: u32, value: u32, yes: u8, no: u8| libc::sock_filter {
            code: code as u16,
            jt: yes,
            jf: no,
            k: value,
        };
        // The number of the call is the first word of what a filter reads.
        let mut filter = [
            statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
            statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, ANSWERED as u32, 0, 1),
            statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_USER_NOTIF, 0, 0),
            statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
        ];
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
        let (mode, flags) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
        let arguments = [mode as usize, flags as usize, &raw const program as usize];
        // SAFETY: the program and its statements live through the call.
        let listener =
            unsafe { Descriptor::from_syscall::<{ libc::SYS_seccomp }, _>(arguments) }.map(Self)?;
        if is_synchronous {
            // SAFETY: the request takes an integer.
            unsafe { listener.ask(SET_FLAGS, SYNCHRONOUS) }?;
        }
        Ok(listener)
    }

    unsafe fn ask(&self, request: usize, argument: usize) -> Result<()> {
        let arguments = [self.0.number() as usize, request, argument];
        // SAFETY: the caller vouches for the argument.
        unsafe { arch::try_syscall::<{ libc::SYS_ioctl }, _>(arguments) }.map(|_| ())
    }

    /// Waits for the next call and answers it with the number after its argument; whether others follow. Unless it is the last one,
    /// it is counted before its caller goes on.
    ///
    /// # Errors
    /// When the kernel refuses, or the caller is gone.
    pub fn answer(&self, answered: &AtomicU64) -> Result<bool> {
        let mut notice = Notice::default();
        // SAFETY: the structure is that of the request, and zero as it must be.
        unsafe { self.ask(RECEIVE, &raw mut notice as usize) }?;
        let [argument, ..] = notice.arguments;
        let counts = u64::from(argument != u64::from(LAST));
        answered.fetch_add(counts, Ordering::AcqRel);
        let answer = Answer { id: notice.id, value: argument as i64 + 1, error: 0, flags: 0 };
        // SAFETY: as above.
        let sent = unsafe { self.ask(SEND, &raw const answer as usize) };
        if sent.is_err() {
            answered.fetch_sub(counts, Ordering::AcqRel);
        }
        sent.map(|()| counts > 0)
    }
}

/// One call with this argument: gives what it is answered.
#[inline(always)]
pub fn call(argument: u32) -> isize {
    // SAFETY: the call takes an integer.
    unsafe { arch::syscall::<ANSWERED, _>([argument as usize]) }
}

/// The last call, after which nobody answers.
pub fn end() {
    let _ = call(LAST);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_answered_by_another_thread_until_the_last_one() {
        for is_synchronous in [false, true] {
            let (listener, answered) = (std::sync::OnceLock::new(), AtomicU64::new(0));
            std::thread::scope(|scope| {
                let answering = scope.spawn(|| {
                    let listener: &Result<Listener> = listener.wait();
                    while listener.as_ref().is_ok_and(|listener| listener.answer(&answered).unwrap()) {}
                });
                // The filter stays on its thread.
                let calling = scope.spawn(|| {
                    let installed = listener.get_or_init(|| Listener::install(is_synchronous));
                    let is_there = installed.is_ok();
                    if is_there {
                        assert_eq!((call(7), call(40)), (8, 41));
                        assert_eq!(answered.load(Ordering::Acquire), 2, "counted before the caller goes on");
                        end();
                    }
                    is_there
                });
                let is_allowed = calling.join().unwrap();
                answering.join().unwrap();
                if programs::can("answers to filtered calls", is_allowed) {
                    assert_eq!(answered.load(Ordering::Acquire), 2, "the last call is not counted");
                }
            });
        }
    }
}
