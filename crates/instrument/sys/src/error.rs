//! The error of a system call.

use libc::{
    EACCES, EAGAIN, ECONNREFUSED, ECONNRESET, EMFILE, ENFILE, ENOBUFS, ENOENT, ENOMEM, ENOSPC, ENOSYS, EPERM,
    EPIPE, ETIMEDOUT,
};
use std::fmt;

/// What a system call gives.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Which call failed, and with which error number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error {
    /// The system call or library function.
    pub call: &'static str,
    /// The kernel's error number.
    pub errno: i32,
}

impl Error {
    /// What an untimed call of this name gave, for `map_err`.
    pub fn in_call<E: Into<std::io::Error>>(call: &'static str) -> impl Fn(E) -> Self {
        move |error| Self { call, errno: error.into().raw_os_error().unwrap_or(0) }
    }

    /// The error that the last library call of this thread left behind.
    pub(crate) fn last(call: &'static str) -> Self {
        let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
        Self { call, errno }
    }

    /// What a function of the C library gave, of which a negative value is an error with the thread's `errno`.
    #[inline(always)]
    pub(crate) fn check_errno<T: Default + PartialOrd>(call: &'static str, result: T) -> Result<T> {
        if result < T::default() { Err(Self::last(call)) } else { Ok(result) }
    }

    /// A call that ended by a timeout of the caller.
    pub fn timed_out(call: &'static str) -> Self {
        Self { call, errno: ETIMEDOUT }
    }

    /// What the standard library gave in this call; its own timeouts have no number of the kernel.
    pub fn of_io(call: &'static str, error: &std::io::Error) -> Self {
        match error.raw_os_error() {
            None if error.kind() == std::io::ErrorKind::TimedOut => Self::timed_out(call),
            number => Self { call, errno: number.unwrap_or(0) },
        }
    }

    /// The error in the result of a raw system call, if it is one.
    ///
    /// # Errors
    /// The error that the kernel gave.
    #[inline(always)]
    pub fn check(call: &'static str, result: isize) -> Result<usize, Self> {
        usize::try_from(result).map_err(|_| Self { call, errno: i32::try_from(-result).unwrap_or(0) })
    }

    /// Whether the call is forbidden or absent here, rather than wrong.
    pub fn is_denied(&self) -> bool {
        matches!(self.errno, EPERM | EACCES | ENOSYS)
    }

    /// Whether something that was named does not exist.
    pub fn is_missing(&self) -> bool {
        self.errno == ENOENT
    }

    /// Whether the other end of a connection is closed.
    pub fn is_gone(&self) -> bool {
        matches!(self.errno, EPIPE | ECONNRESET)
    }

    /// Whether a datagram found no room or no reader.
    pub fn is_lost(&self) -> bool {
        matches!(self.errno, ENOBUFS | EAGAIN | ECONNREFUSED)
    }

    /// Whether a limit on processes, files or memory stands in the way.
    pub fn is_limit(&self) -> bool {
        matches!(self.errno, EAGAIN | EMFILE | ENFILE | ENOMEM | ENOSPC)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.errno == 0 {
            return write!(out, "{}: ended early (end of file, closed or interrupted)", self.call);
        }
        let text = std::io::Error::from_raw_os_error(self.errno).to_string();
        let words = text.split(" (os error").next().unwrap_or_default().to_lowercase();
        write!(out, "{}: {} (errno {})", self.call, words, self.errno)
    }
}

impl std::error::Error for Error {}
