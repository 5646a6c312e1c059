//! The user's wish to stop: the first signal sets a flag, another one ends the program. One that comes within a second is the same
//! wish: `timeout` sends its signal to the command and then to the group that the command is in.

use crate::exit::{Exit, usage};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long after the first signal another one is the same wish.
const SAME_WISH: Duration = Duration::from_secs(1);

/// Set by SIGINT and SIGTERM.
#[derive(Debug)]
pub struct Interrupt {
    pub(super) flag: Arc<AtomicBool>,
    /// Readable from the first signal on, so that a wait ends. Where it is denied, a signal that comes just before a
    /// wait is seen after it.
    pub(super) self_pipe: Option<UnixStream>,
}

impl Interrupt {
    /// Catches SIGINT and SIGTERM: the first sets the flag, one that comes a second later ends the program at once.
    pub fn catch() -> anyhow::Result<Self> {
        let flag = register_flag().map_err(|error| usage(format!("signals cannot be caught: {error}")))?;
        Ok(Self { flag, self_pipe: register_self_pipe().ok() })
    }

    /// Whether a signal has come.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// What is set by a signal.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// What becomes readable with the first signal, for `wait_readable`.
    pub fn descriptor(&self) -> i32 {
        self.self_pipe.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }
}

fn register_flag() -> std::io::Result<Arc<AtomicBool>> {
    let is_set = Arc::new(AtomicBool::new(false));
    // Where no thread can wait for the second, another signal ends the program from the first one on.
    let ends = ends_a_second_after_the_first().unwrap_or_else(|_| Arc::clone(&is_set));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(&ends))?;
        flag::register(signal, Arc::clone(&is_set))?;
    }
    Ok(is_set)
}

/// A flag that is set a second after the first signal.
fn ends_a_second_after_the_first() -> std::io::Result<Arc<AtomicBool>> {
    let ends = Arc::new(AtomicBool::new(false));
    let mut signals = register_self_pipe()?;
    let flag = Arc::clone(&ends);
    let wait = move || {
        if signals.read_exact(&mut [0]).is_ok() {
            std::thread::sleep(SAME_WISH);
            flag.store(true, Ordering::Relaxed);
        }
    };
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(wait)?;
    Ok(ends)
}

fn register_self_pipe() -> std::io::Result<UnixStream> {
    let (reader, writer) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    Ok(reader)
}
