//! The user's wish to stop: the first signal sets a flag, another one ends the program. One that comes within a second is the same
//! wish: `timeout` sends its signal to the command and then to the group that the command is in.

use crate::exit::{Exit, usage};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How long after the first signal another one is the same wish.
const SAME_WISH: Duration = Duration::from_secs(1);

/// Set by SIGINT and SIGTERM.
#[derive(Debug, Default)]
pub struct Interrupt {
    pub(super) flag: Arc<AtomicBool>,
    /// Readable from the first signal on, so that a wait ends. Where it is denied, a signal that comes just before a
    /// wait is seen after it.
    pub(super) self_pipe: Option<UnixStream>,
    /// Whether another signal ends the program.
    pub(super) ends: Arc<AtomicBool>,
    pub(super) seen: OnceLock<()>,
}

impl Interrupt {
    /// Catches SIGINT and SIGTERM: the first sets the flag, one that comes a second after it was seen ends the program at once.
    pub fn catch() -> anyhow::Result<Self> {
        let [flag, ends] =
            register_flags().map_err(|error| usage(format!("signals cannot be caught: {error}")))?;
        Ok(Self { flag, self_pipe: register_self_pipe().ok(), ends, seen: OnceLock::new() })
    }

    /// Whether a signal has come.
    pub fn is_set(&self) -> bool {
        let is_set = self.flag.load(Ordering::Relaxed);
        if is_set {
            self.seen.get_or_init(|| self.end_by_another());
        }
        is_set
    }

    /// From a second from now on another signal ends the program; at once where no thread can be made to wait for that.
    fn end_by_another(&self) {
        let ends = Arc::clone(&self.ends);
        let wait = move || {
            std::thread::sleep(SAME_WISH);
            ends.store(true, Ordering::Relaxed);
        };
        let waits = std::thread::Builder::new().name("interrupt".to_owned()).spawn(wait);
        if waits.is_err() {
            self.ends.store(true, Ordering::Relaxed);
        }
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

/// What the first signal sets, and what lets another one end the program.
fn register_flags() -> std::io::Result<[Arc<AtomicBool>; 2]> {
    let [is_set, ends] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(&ends))?;
        flag::register(signal, Arc::clone(&is_set))?;
    }
    Ok([is_set, ends])
}

fn register_self_pipe() -> std::io::Result<UnixStream> {
    let (reader, writer) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    Ok(reader)
}
