//! What the other end of a measurement does: services over a descriptor that is connected or listens already.
//!
//! A service knows nothing of who runs it: on this machine it is a process beside the worker, elsewhere a session of a
//! server. Each is bounded in bytes and turns; how long one call may wait is for whoever owns the descriptor to set
//! ([`sys::inet::set_timeout`]). What it did it writes into a [`Ledger`] as it goes.

mod accept;
mod confirm;
mod datagrams;
mod echo;
mod ledger;
mod source;

pub use accept::connections;
pub use ledger::{Entry, Ledger, letters, name};
pub use source::{BLOCK, Blocks, Method};

use serde::{Deserialize, Serialize};
use sys::descriptor::Descriptor;

/// What the other end does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Service {
    /// Sends back every message of so many bytes on a stream, until the stream ends.
    EchoStream {
        /// Bytes of a message.
        bytes: u32,
    },
    /// Sends back every datagram, until one says that it was the last.
    EchoDatagrams {
        /// Bytes of the longest.
        bytes: u32,
    },
    /// Reads a stream and answers every so many bytes by the last of them.
    Confirm {
        /// Bytes between two answers.
        bytes: u64,
    },
    /// Sends numbered blocks without pause, until the other end is gone.
    Source {
        /// How they are handed to the kernel.
        method: Method,
        /// Seed of what they hold.
        seed: u64,
    },
    /// Sends numbered datagrams of so many bytes without pause.
    Datagrams {
        /// Bytes of each.
        bytes: u32,
    },
    /// Takes connections one after the other, and on each sends back one message of so many bytes and waits for its
    /// end. The descriptor listens.
    Accept {
        /// Bytes of the message; none is waited for when it is 0.
        bytes: u32,
    },
}

impl Service {
    /// Whether it serves one connection of TCP.
    fn is_stream(self) -> bool {
        matches!(
            self,
            Self::EchoStream { .. } | Self::Confirm { .. } | Self::Source { .. }
        )
    }
}

/// What a service may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes read and written in all.
    pub bytes: u64,
    /// Messages, or connections.
    pub turns: u64,
}

impl Limits {
    /// What no trial on this machine reaches in the time that it is given.
    pub const OF_A_TRIAL: Self = Self {
        bytes: 1 << 42,
        turns: 1 << 32,
    };
}

/// The longest message that a service sends back, in bytes.
pub const LONGEST: u32 = 1 << 20;

/// Drops where the kernel does not count them.
pub const UNCOUNTED: u64 = u64::MAX;

/// First byte of a message that asks for the usage of the service to be written into the ledger.
pub const TELL: u8 = 254;

/// First byte of a datagram that ends the service.
pub const QUIT: u8 = 255;

/// Does it until it is asked to end, the other end is gone, or the limits are reached.
///
/// # Errors
/// When the kernel refuses a call, or the other end stops in the middle of a message.
pub fn serve(service: Service, at: &Descriptor, limits: Limits, ledger: &Ledger) -> sys::Result<()> {
    if service.is_stream() {
        // Evidence, which may be missing.
        let name = sys::inet::congestion_control(at).unwrap_or_default();
        ledger.set(Entry::Congestion, letters(&name));
    }
    match service {
        Service::EchoStream { bytes } => echo::stream(at, bytes, limits, ledger),
        Service::EchoDatagrams { bytes } => echo::datagrams(at, bytes, limits, ledger),
        Service::Confirm { bytes } => confirm::stream(at, bytes, limits, ledger),
        Service::Source { method, seed } => source::stream(at, method, seed, limits, ledger),
        Service::Datagrams { bytes } => datagrams::stream(at, bytes, limits, ledger),
        Service::Accept { bytes } => {
            let mut accept = || {
                ledger.set(Entry::Dropped, sys::inet::dropped(at).unwrap_or(UNCOUNTED));
                sys::inet::accept(at)
            };
            connections(&mut accept, bytes, limits, ledger)
        }
    }
}

/// The error of a stream that ended in the middle of a message.
pub const TORN: sys::Error = sys::Error {
    call: "read",
    errno: 0,
};

/// Fills the buffer by as many calls as it takes; gives how many bytes came before the end of the stream.
///
/// # Errors
/// When the kernel refuses.
#[inline(always)]
pub fn fill(from: &Descriptor, buffer: &mut [u8]) -> sys::Result<usize> {
    fill_and_tell(from, buffer, |_| ())
}

/// The same, and tells how many bytes each call brought as they come.
///
/// # Errors
/// When the kernel refuses.
#[inline(always)]
pub fn fill_and_tell(from: &Descriptor, buffer: &mut [u8], tell: impl Fn(usize)) -> sys::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match sys::Error::check("read", from.read(rest))? {
            0 => break,
            came => {
                filled += came;
                tell(came);
            }
        }
    }
    Ok(filled)
}

/// Writes all of these bytes, by as many calls as it takes.
///
/// # Errors
/// When the kernel refuses.
#[inline(always)]
pub fn put(to: &Descriptor, bytes: &[u8]) -> sys::Result<()> {
    let mut left = bytes;
    while !left.is_empty() {
        match sys::Error::check("write", to.write(left))? {
            0 => return Err(TORN),
            taken => left = left.get(taken..).unwrap_or_default(),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use sys::inet::{shutdown_write, tcp_pair, udp_pair};

    /// Serves the far end on a thread while `near` talks to the other one.
    fn beside(
        service: Service,
        limits: Limits,
        near: impl FnOnce(&Descriptor),
    ) -> (sys::Result<()>, Ledger<'static>) {
        let pair = match service {
            Service::EchoDatagrams { .. } => udp_pair(false).unwrap(),
            _ => tcp_pair(false).unwrap(),
        };
        let ledger = Ledger::new().unwrap();
        let ended = std::thread::scope(|scope| {
            let far = scope.spawn(|| {
                let ended = serve(service, &pair.far, limits, &ledger);
                let _ = shutdown_write(&pair.far);
                ended
            });
            near(&pair.near);
            far.join().unwrap()
        });
        (ended, ledger)
    }

    const FEW: Limits = Limits {
        bytes: 1 << 20,
        turns: 3,
    };

    #[test]
    fn a_stream_comes_back_as_it_went_until_it_ends() {
        let (ended, ledger) = beside(Service::EchoStream { bytes: 5 }, FEW, |near| {
            for word in 1..=2 {
                let (sent, mut came) = ([word; 5], [0; 5]);
                put(near, &sent).unwrap();
                assert_eq!(fill(near, &mut came).unwrap(), 5);
                assert_eq!(came, sent);
            }
            shutdown_write(near).unwrap();
        });
        assert_eq!((ended, ledger.get(Entry::Turns)), (Ok(()), 2));
    }

    #[test]
    fn no_service_goes_beyond_its_limits() {
        let (ended, ledger) = beside(Service::EchoStream { bytes: 1 }, FEW, |near| {
            put(near, &[1; 9]).unwrap();
            let mut came = [0; 9];
            assert_eq!(fill(near, &mut came).unwrap(), 3);
        });
        assert_eq!((ended, ledger.get(Entry::Turns)), (Ok(()), 3));
        let method = Method::Plain;
        let (ended, ledger) = beside(Service::Source { method, seed: 1 }, FEW, |near| {
            let mut came = vec![0; 4 << 20];
            assert_eq!(fill(near, &mut came).unwrap(), 3 * BLOCK);
        });
        assert_eq!((ended, ledger.get(Entry::Bytes)), (Ok(()), 3 * BLOCK as u64));
    }

    #[test]
    fn a_message_that_is_cut_off_is_an_error() {
        let (ended, _) = beside(Service::EchoStream { bytes: 5 }, FEW, |near| {
            put(near, &[1; 3]).unwrap();
            shutdown_write(near).unwrap();
        });
        assert_eq!(ended, Err(TORN));
    }

    #[test]
    fn datagrams_come_back_until_one_is_the_last() {
        let (ended, ledger) = beside(Service::EchoDatagrams { bytes: 8 }, FEW, |near| {
            near.write_all(&[7; 8]).unwrap();
            let mut came = [0; 8];
            near.read_all(&mut came).unwrap();
            assert_eq!(came, [7; 8]);
            near.write_all(&[QUIT]).unwrap();
        });
        assert_eq!((ended, ledger.get(Entry::Turns)), (Ok(()), 1));
    }

    #[test]
    fn a_transfer_is_confirmed_by_its_last_byte() {
        let (ended, ledger) = beside(Service::Confirm { bytes: 300_000 }, FEW, |near| {
            for last in [7, 9] {
                let mut bytes = vec![1; 300_000];
                bytes[299_999] = last;
                put(near, &bytes).unwrap();
                let mut answer = [0];
                near.read_all(&mut answer).unwrap();
                assert_eq!(answer, [last]);
            }
            shutdown_write(near).unwrap();
        });
        assert_eq!((ended, ledger.get(Entry::Bytes)), (Ok(()), 600_000));
    }

    #[test]
    fn every_method_sends_the_same_blocks() {
        for method in Method::ALL {
            let mut blocks = Blocks::new(5).unwrap();
            let (ended, ledger) = beside(Service::Source { method, seed: 5 }, FEW, |near| {
                for _ in 0..3 {
                    assert!(blocks.take(near).unwrap(), "{method:?}");
                }
                assert_eq!(near.read(&mut [0]), 0, "{method:?}");
            });
            assert_eq!((ended, ledger.get(Entry::Turns)), (Ok(()), 3), "{method:?}");
        }
    }

    #[test]
    fn services_are_read_back_from_text() {
        let service = Service::Source {
            method: Method::ZeroCopy,
            seed: 3,
        };
        let text = serde_json::to_string(&service).unwrap();
        assert_eq!(serde_json::from_str::<Service>(&text).unwrap(), service);
    }
}
