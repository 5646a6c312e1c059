//! Signals to oneself: installed, delivered, counted by their handler, and put back as they were.

use crate::memory::{Mapping, page_size};
use crate::{Error, Result, arch, process};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How often a handler of this module has run.
static HANDLED: AtomicU64 = AtomicU64::new(0);

/// The address at which protection faults are expected; 0 when none are.
static GUARDED: AtomicUsize = AtomicUsize::new(0);

/// How often handlers have run in this process.
pub fn handled() -> u64 {
    HANDLED.load(Ordering::Relaxed)
}

extern "C" fn count(_signal: libc::c_int) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

/// The signal that is installed and delivered: nobody else's in a worker.
const SIGNAL: libc::c_int = libc::SIGUSR1;

/// A handler that counts, for as long as this lives; then what was there before is put back.
#[derive(Debug)]
pub struct Handler {
    signal: libc::c_int,
    before: libc::sigaction,
}

fn action(handler: libc::sighandler_t, flags: libc::c_int) -> libc::sigaction {
    // SAFETY: the structure is integers and an optional pointer, for which zero is a value.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler;
    action.sa_flags = flags;
    action
}

fn install(signal: libc::c_int, new: &libc::sigaction) -> Result<libc::sigaction> {
    let mut before = action(libc::SIG_DFL, 0);
    // SAFETY: both structures are valid; the handlers given here call only what a handler may.
    Error::check_errno("sigaction", unsafe { libc::sigaction(signal, new, &raw mut before) })?;
    Ok(before)
}

impl Handler {
    /// Counts the signal that [`Handler::send`] sends.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn counting() -> Result<Self> {
        let counting: extern "C" fn(libc::c_int) = count;
        Self::of(SIGNAL, action(counting as libc::sighandler_t, 0))
    }

    fn of(signal: libc::c_int, action: libc::sigaction) -> Result<Self> {
        let before = install(signal, &action)?;
        Ok(Self { signal, before })
    }

    /// The kernel's record of what is installed.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn installed(&self) -> Result<Installed> {
        let mut current = [0; 4];
        exchange(self.signal, None, &mut current)?;
        Ok(Installed(current))
    }

    /// Installs the same handler once more, by one system call; gives what the kernel says was installed before.
    ///
    /// # Errors
    /// When the call is denied.
    #[inline(always)]
    pub fn install_again(&self, installed: &Installed) -> Result<Installed> {
        let mut current = [0; 4];
        exchange(self.signal, Some(&installed.0), &mut current)?;
        Ok(Installed(current))
    }

    /// Sends the signal to this process, which handles it before the call returns; gives the number of times that
    /// the handler has run.
    ///
    /// # Errors
    /// When the call is denied.
    #[inline(always)]
    pub fn send(&self, own: usize) -> Result<u64> {
        ask_kill(own, self.signal as usize)?;
        Ok(handled())
    }
}

/// Handler, flags, way back and mask, as the kernel keeps them on x86-64 and AArch64.
#[derive(Debug, PartialEq, Eq)]
pub struct Installed([usize; 4]);

#[inline(always)]
fn exchange(signal: libc::c_int, new: Option<&[usize; 4]>, current: &mut [usize; 4]) -> Result<()> {
    let new = new.map_or(0, |new| new.as_ptr() as usize);
    let arguments = [signal as usize, new, current.as_mut_ptr() as usize, MASK_BYTES];
    // SAFETY: what is installed is what the library had installed; `current` is as long as the kernel's record.
    unsafe { arch::try_syscall::<{ libc::SYS_rt_sigaction }, _>(arguments) }.map(|_| ())
}

/// Bytes of the kernel's set of signals.
const MASK_BYTES: usize = 8;

impl Drop for Handler {
    fn drop(&mut self) {
        let _ = install(self.signal, &self.before);
    }
}

/// The bit of SIGUSR1 in a set of signals.
pub const USER_SIGNAL: u64 = 1 << (libc::SIGUSR1 - 1);

/// Sets which signals the calling thread blocks, by one `rt_sigprocmask`; gives which ones it blocked before.
///
/// # Errors
/// When the call is denied.
#[inline(always)]
pub fn exchange_mask(blocked: u64) -> Result<u64> {
    let mut before = 0_u64;
    let (new, old) = (&raw const blocked as usize, &raw mut before as usize);
    // SAFETY: both sets live through the call.
    unsafe {
        arch::try_syscall::<{ libc::SYS_rt_sigprocmask }, _>([
            libc::SIG_SETMASK as usize,
            new,
            old,
            MASK_BYTES,
        ])
    }?;
    Ok(before)
}

/// Which signals the calling thread blocks.
///
/// # Errors
/// When the call is denied.
pub fn blocked() -> Result<u64> {
    let mut blocked = 0_u64;
    let arguments = [libc::SIG_BLOCK as usize, 0, &raw mut blocked as usize, MASK_BYTES];
    // SAFETY: the set lives through the call, and without a new one nothing changes.
    unsafe { arch::try_syscall::<{ libc::SYS_rt_sigprocmask }, _>(arguments) }?;
    Ok(blocked)
}

/// The number of this process, for [`Handler::send`] and [`probe`].
pub fn own_number() -> usize {
    usize::try_from(process::getpid()).unwrap_or(0)
}

#[inline(always)]
fn ask_kill(pid: usize, signal: usize) -> Result<()> {
    // SAFETY: the call takes integers; the signal is 0 or has a handler.
    unsafe { arch::try_syscall::<{ libc::SYS_kill }, _>([pid, signal]) }.map(|_| ())
}

/// Asks by the C library whether a signal may be sent to a process, without sending one.
///
/// # Errors
/// When there is no such process, or it belongs to another.
#[inline(always)]
pub fn probe(pid: usize) -> Result<()> {
    let pid = libc::pid_t::try_from(pid).unwrap_or(libc::pid_t::MAX);
    // SAFETY: the call takes integers, and signal 0 is none.
    Error::check_errno("kill", unsafe { libc::kill(pid, 0) }).map(|_| ())
}

/// A page that may not be written, and the handler of the faults that writing it causes.
#[derive(Debug)]
pub struct ProtectedPage {
    page: Mapping,
    _handler: Handler,
}

/// Counts a fault and lets the program go on behind the instruction that caused it.
extern "C" fn skip(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel gives a valid structure; of a protection fault it holds the address.
    let address = unsafe { (*info).si_addr() } as usize;
    if GUARDED.load(Ordering::Relaxed) == address && address != 0 {
        HANDLED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: only `ProtectedPage::write` touches that page, so the context is that of its instruction.
        unsafe { arch::skip_protected_write(context) };
        return;
    }
    // A fault elsewhere: it kills when the instruction is tried again.
    // SAFETY: the default action needs no handler.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

impl ProtectedPage {
    /// A page that may be read only. The handler of protection faults that the runtime installed is put back
    /// afterwards; faults elsewhere still kill.
    ///
    /// # Errors
    /// When there is no memory, or a call is denied.
    pub fn new() -> Result<Self> {
        let page = Mapping::private(page_size())?;
        // SAFETY: the range is ours; nothing but `write` touches it.
        let protected = unsafe { libc::mprotect(page.start().cast(), page.length(), libc::PROT_READ) };
        Error::check_errno("mprotect", protected)?;
        GUARDED.store(page.start() as usize, Ordering::Relaxed);
        let skipping: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = skip;
        let handler = Handler::of(libc::SIGSEGV, action(skipping as libc::sighandler_t, libc::SA_SIGINFO))?;
        Ok(Self { page, _handler: handler })
    }

    /// Tries to write into the page; gives the number of times that handlers have run.
    #[inline(always)]
    pub fn write(&self) -> u64 {
        // SAFETY: the write faults, and the handler, which is installed as long as this lives, skips it.
        unsafe { arch::write_protected(self.page.start() as usize) };
        handled()
    }
}

impl Drop for ProtectedPage {
    fn drop(&mut self) {
        GUARDED.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Actor, Ended};

    /// In a process of its own: handlers and their count belong to the whole process.
    fn alone(act: impl FnOnce() -> bool) -> bool {
        let actor = Actor::spawn(None, || i32::from(act()));
        actor.unwrap().join().unwrap() == Ended::Exited(1)
    }

    #[test]
    fn every_signal_sent_is_handled_before_the_call_returns() {
        assert!(alone(|| {
            let handler = Handler::counting().unwrap();
            let before = handled();
            (1..=100).all(|sent| handler.send(own_number()) == Ok(before + sent))
        }));
    }

    #[test]
    fn masks_are_exchanged() {
        let before = blocked().unwrap();
        assert_eq!(exchange_mask(before | USER_SIGNAL), Ok(before));
        assert_eq!(exchange_mask(before), Ok(before | USER_SIGNAL));
        assert_eq!(blocked(), Ok(before));
    }

    #[test]
    fn what_was_installed_before_is_put_back() {
        assert!(alone(|| {
            let first = Handler::counting().unwrap();
            let installed = first.installed().unwrap();
            let again = first.install_again(&installed);
            let is_same = again.as_ref() == Ok(&installed) && installed.0[0] != 0;
            drop(first);
            let found = install(SIGNAL, &action(libc::SIG_DFL, 0)).unwrap();
            is_same && found.sa_sigaction == libc::SIG_DFL
        }));
    }

    #[test]
    fn writes_into_a_protected_page_are_counted_and_change_nothing() {
        assert!(alone(|| {
            let page = ProtectedPage::new().unwrap();
            let before = handled();
            let counted = (1..=100).all(|tried| page.write() == before + tried);
            counted && page.page.words()[0].load(Ordering::Relaxed) == 0
        }));
    }

    #[test]
    fn a_fault_elsewhere_still_kills() {
        let actor = Actor::spawn(None, || {
            let (_guard, other) = (ProtectedPage::new(), ProtectedPage::new().unwrap());
            GUARDED.store(1, Ordering::Relaxed);
            i32::from(other.write() > 0)
        });
        assert_eq!(actor.unwrap().join().unwrap(), Ended::Killed(libc::SIGSEGV));
    }

    #[test]
    fn a_process_may_ask_for_itself() {
        assert_eq!(probe(own_number()), Ok(()));
        assert!(probe(usize::try_from(i32::MAX).unwrap()).is_err());
    }
}
