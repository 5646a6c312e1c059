//! The user's wish to stop: the first signal sets a flag, the second ends the program.

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by SIGINT and SIGTERM.
#[derive(Debug)]
pub struct Interrupt {
    pub(super) flag: Arc<AtomicBool>,
    /// Readable from the first signal on, so that a wait ends. Where it is denied, a signal that comes just before a
    /// wait is seen after it.
    pub(super) self_pipe: Option<UnixStream>,
}

impl Interrupt {
    /// Catches SIGINT and SIGTERM: the first sets the flag, a second ends the program at once.
    /// Fails when the handlers cannot be installed.
    pub fn catch() -> std::io::Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            let status = crate::Exit::Interrupted as i32;
            signal_hook::flag::register_conditional_shutdown(signal, status, Arc::clone(&flag))?;
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
        }
        Ok(Self { flag, self_pipe: Self::self_pipe().ok() })
    }

    fn self_pipe() -> std::io::Result<UnixStream> {
        let (reader, writer) = UnixStream::pair()?;
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
        }
        Ok(reader)
    }

    /// Whether a signal has come.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// What becomes readable with the first signal, for `wait_readable`.
    pub fn descriptor(&self) -> i32 {
        self.self_pipe.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }
}
