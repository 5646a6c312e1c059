//! Runs of oscope on one machine notice each other: the first listens at a name that the kernel forgets with its process.

use std::io::{ErrorKind, Read, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};

/// The abstract name at which a run listens, in its network namespace.
const NAME: &[u8] = b"oscope/run";

/// Other runs that are remembered at most.
const MOST_OTHERS: usize = 8;

/// Longest greeting: a process number.
const MOST_GREETING: usize = 16;

/// What is known of other runs.
pub(super) struct OtherRuns {
    name: Vec<u8>,
    listener: Option<UnixListener>,
    others: Vec<OtherRun>,
}

struct OtherRun {
    stream: UnixStream,
    pid: Option<u32>,
}

impl OtherRuns {
    /// Listens, or tells the run that does.
    pub(super) fn new() -> Self {
        Self::at(NAME)
    }

    fn at(name: &[u8]) -> Self {
        let mut runs = Self { name: name.to_vec(), listener: None, others: Vec::new() };
        runs.join();
        runs
    }

    /// The processes of the runs that measure now; `None` for one that did not say its own.
    pub(super) fn present(&mut self) -> Vec<Option<u32>> {
        if self.listener.is_none() && self.others.is_empty() {
            self.join();
        }
        self.accept();
        self.others.retain_mut(OtherRun::is_there);
        self.others.iter().map(|other| other.pid).collect()
    }

    /// Where this is denied, runs do not notice each other.
    fn join(&mut self) {
        let Ok(address) = SocketAddr::from_abstract_name(&self.name) else { return };
        match UnixListener::bind_addr(&address) {
            Ok(listener) => self.listener = listener.set_nonblocking(true).ok().map(|()| listener),
            Err(_) => self.others.extend(UnixStream::connect_addr(&address).ok().and_then(OtherRun::greet)),
        }
    }

    fn accept(&mut self) {
        while self.others.len() < MOST_OTHERS
            && let Some(Ok((stream, _))) = self.listener.as_ref().map(UnixListener::accept)
        {
            self.others.extend(OtherRun::greet(stream));
        }
    }
}

impl OtherRun {
    /// Tells it the number of this process. The connection stays until one of both ends.
    fn greet(mut stream: UnixStream) -> Option<Self> {
        stream.set_nonblocking(true).ok()?;
        stream.write_all(format!("{}\n", std::process::id()).as_bytes()).ok()?;
        Some(Self { stream, pid: None })
    }

    fn is_there(&mut self) -> bool {
        let mut greeting = [0; MOST_GREETING];
        match self.stream.read(&mut greeting) {
            Ok(0) => false,
            Ok(length) => {
                let text = String::from_utf8_lossy(greeting.get(..length).unwrap_or_default()).into_owned();
                self.pid = text.trim().parse().ok().or(self.pid);
                true
            }
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_notice_each_other_until_one_ends_and_then_the_other_listens() {
        let name = format!("oscope/test/{}", std::process::id());
        let own = Some(std::process::id());
        let mut first = OtherRuns::at(name.as_bytes());
        assert_eq!(first.present(), []);
        let mut second = OtherRuns::at(name.as_bytes());
        assert_eq!(first.present(), [own]);
        assert_eq!(second.present(), [own]);
        drop(first);
        assert_eq!(second.present(), []);
        assert_eq!(second.present(), []);
        let mut third = OtherRuns::at(name.as_bytes());
        assert_eq!([second.present(), third.present()], [[own], [own]]);
        drop(second);
        assert_eq!(third.present(), []);
    }
}
