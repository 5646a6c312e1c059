//! The server's part of a measurement: services over a connected or listening descriptor.
//!
//! A service runs in a process on this machine or in a session of a peer. It is bounded in bytes and turns; the owner of
//! the descriptor sets the timeout of a call ([`sys::inet::set_timeout`]). It updates [`Counters`] as it runs.

mod accept;
mod confirm;
mod counters;
mod echo;
mod http;
mod messages;
mod source;

pub use accept::{connections, transfers};
pub use counters::{Counter, Counters, letters, name};
pub use http::{MAX_REQUEST, REQUEST, body_of, serve_file};
pub use messages::{ASK_USAGE, Limits, MAX_MESSAGE, QUIT, TRUNCATED, UNCOUNTED, fill, fill_and_count, put};
pub use source::{BLOCK, Blocks, Method};

use serde::{Deserialize, Serialize};
use sys::descriptor::Descriptor;
use sys::{kernel_time, poll};

/// A service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Service {
    /// Echoes messages of `bytes` bytes on a stream, until it ends.
    EchoStream {
        /// Bytes of a message.
        bytes: u32,
    },
    /// Echoes datagrams until a control message ends it.
    EchoDatagrams {
        /// Bytes of a datagram at most.
        bytes: u32,
    },
    /// Reads a stream and confirms every `bytes` bytes by the last of them.
    Confirm {
        /// Bytes of a transfer.
        bytes: u64,
    },
    /// Sends blocks continuously until the client is gone.
    Source {
        /// The system call used.
        method: Method,
        /// Seed of the content.
        seed: u64,
    },
    /// Sends numbered datagrams continuously.
    Datagrams {
        /// Bytes of a datagram.
        bytes: u32,
        /// Datagrams that a call sends; one by write without.
        #[serde(default)]
        batch: u32,
        /// Whether a write has them all, and the kernel makes the datagrams (UDP_SEGMENT).
        #[serde(default)]
        segmented: bool,
    },
    /// Reads messages of `bytes` bytes and answers none: the kernel acknowledges each at once.
    Acknowledge {
        /// Bytes of a message.
        bytes: u32,
    },
    /// Accepts connections sequentially, echoes one message on each and waits for its end. The descriptor listens.
    Accept {
        /// Bytes of the message; 0 for none.
        bytes: u32,
    },
    /// Accepts connections sequentially, and on each confirms every `bytes` bytes by the last of them. The descriptor listens.
    AcceptTransfers {
        /// Bytes of a transfer.
        bytes: u64,
    },
}

impl Service {
    /// Whether it serves one TCP connection.
    pub fn is_stream(self) -> bool {
        matches!(
            self,
            Self::EchoStream { .. } | Self::Acknowledge { .. } | Self::Confirm { .. } | Self::Source { .. }
        )
    }
}

/// Runs a service until stopped, the client is gone, or the limits are reached.
///
/// # Errors
/// When a call fails, or the client stops within a message.
pub fn serve(service: Service, at: &Descriptor, limits: Limits, counters: &Counters) -> sys::Result<()> {
    if service.is_stream() {
        // Optional evidence.
        let name = sys::inet::congestion_control(at).unwrap_or_default();
        counters.set(Counter::Congestion, letters(&name));
    }
    match service {
        Service::EchoStream { bytes } => echo::stream(at, bytes, limits, counters),
        Service::Acknowledge { bytes } => echo::none(at, bytes, limits, counters),
        Service::EchoDatagrams { bytes } => echo::datagrams(at, bytes, limits, counters),
        Service::Confirm { bytes } => confirm::stream(at, bytes, limits, counters),
        Service::Source { method, seed } => source::stream(at, method, seed, limits, counters),
        Service::Datagrams { bytes, batch, segmented: true } => {
            source::segmented_datagrams(at, (bytes, batch), limits, counters)
        }
        Service::Datagrams { bytes, batch: 0 | 1, .. } => source::datagrams(at, bytes, limits, counters),
        Service::Datagrams { bytes, batch, .. } => {
            source::datagram_batches(at, (bytes, batch), limits, counters)
        }
        Service::Accept { bytes } => connections(&mut || accept_at(at, counters), bytes, limits, counters),
        Service::AcceptTransfers { bytes } => {
            transfers(&mut || accept_at(at, counters), bytes, limits, counters)
        }
    }
}

/// Accepts the next connection, and records how many were dropped so far.
fn accept_at(listening: &Descriptor, counters: &Counters) -> sys::Result<Descriptor> {
    let dropped = sys::inet::dropped(listening).unwrap_or(UNCOUNTED);
    counters.set(Counter::Dropped, dropped);
    timed_accept(listening.number(), &mut || sys::inet::accept(listening), counters)
}

/// Waits until a connection is ready, and records how long it takes to accept it, with the wait and without.
///
/// # Errors
/// When the connection cannot be accepted.
pub fn timed_accept(
    listening: i32,
    accept: &mut dyn FnMut() -> sys::Result<Descriptor>,
    counters: &Counters,
) -> sys::Result<Descriptor> {
    let began = kernel_time::raw_nanos();
    poll::wait(&mut [poll::Entry::reading(listening)], -1)?;
    let before = kernel_time::raw_nanos();
    let connection = accept()?;
    let after = kernel_time::raw_nanos();
    for (counter, start) in [(Counter::AcceptNanos, before), (Counter::AcceptWaitNanos, began)] {
        counters.set(counter, u64::try_from(after - start).unwrap_or(0));
    }
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sys::inet::{shutdown_write, tcp_pair, udp_pair};

    /// Runs a service on a thread while `client` uses the connection.
    fn with_service(
        service: Service,
        limits: Limits,
        client: impl FnOnce(&Descriptor),
    ) -> (sys::Result<()>, Counters<'static>) {
        let pair = match service {
            Service::EchoDatagrams { .. } => udp_pair(false).unwrap(),
            _ => tcp_pair(false).unwrap(),
        };
        let counters = Counters::new().unwrap();
        let ended = std::thread::scope(|scope| {
            let server = scope.spawn(|| {
                let ended = serve(service, &pair.server, limits, &counters);
                let _ = shutdown_write(&pair.server);
                ended
            });
            client(&pair.client);
            server.join().unwrap()
        });
        (ended, counters)
    }

    const FEW: Limits = Limits { bytes: 1 << 20, turns: 3 };

    #[test]
    fn stream_is_echoed_until_it_ends() {
        let (ended, counters) = with_service(Service::EchoStream { bytes: 5 }, FEW, |client| {
            for word in 1..=2 {
                let (sent, mut came) = ([word; 5], [0; 5]);
                put(client, &sent).unwrap();
                assert_eq!(fill(client, &mut came).unwrap(), 5);
                assert_eq!(came, sent);
            }
            shutdown_write(client).unwrap();
        });
        assert_eq!((ended, counters.get(Counter::Turns)), (Ok(()), 2));
    }

    #[test]
    fn services_stop_at_their_limits() {
        let (ended, counters) = with_service(Service::EchoStream { bytes: 1 }, FEW, |client| {
            put(client, &[1; 9]).unwrap();
            let mut came = [0; 9];
            assert_eq!(fill(client, &mut came).unwrap(), 3);
        });
        assert_eq!((ended, counters.get(Counter::Turns)), (Ok(()), 3));
        let method = Method::Plain;
        let (ended, counters) = with_service(Service::Source { method, seed: 1 }, FEW, |client| {
            let mut came = vec![0; 4 << 20];
            assert_eq!(fill(client, &mut came).unwrap(), 3 * BLOCK);
        });
        assert_eq!((ended, counters.get(Counter::Bytes)), (Ok(()), 3 * BLOCK as u64));
    }

    #[test]
    fn truncated_message_is_an_error() {
        let (ended, _) = with_service(Service::EchoStream { bytes: 5 }, FEW, |client| {
            put(client, &[1; 3]).unwrap();
            shutdown_write(client).unwrap();
        });
        assert_eq!(ended, Err(TRUNCATED));
    }

    #[test]
    fn datagrams_are_echoed_until_quit() {
        let (ended, counters) = with_service(Service::EchoDatagrams { bytes: 8 }, FEW, |client| {
            client.write_all(&[7; 8]).unwrap();
            let mut came = [0; 8];
            client.read_all(&mut came).unwrap();
            assert_eq!(came, [7; 8]);
            client.write_all(&[QUIT]).unwrap();
        });
        assert_eq!((ended, counters.get(Counter::Turns)), (Ok(()), 1));
    }

    #[test]
    fn transfer_is_confirmed_by_its_last_byte() {
        let (ended, counters) = with_service(Service::Confirm { bytes: 300_000 }, FEW, |client| {
            for last in [7, 9] {
                let mut bytes = vec![1; 300_000];
                bytes[299_999] = last;
                put(client, &bytes).unwrap();
                let mut answer = [0];
                client.read_all(&mut answer).unwrap();
                assert_eq!(answer, [last]);
            }
            shutdown_write(client).unwrap();
        });
        assert_eq!((ended, counters.get(Counter::Bytes)), (Ok(()), 600_000));
    }

    #[test]
    fn every_method_sends_the_same_blocks() {
        for &method in Method::ALL {
            let mut blocks = Blocks::new(5).unwrap();
            let (ended, counters) = with_service(Service::Source { method, seed: 5 }, FEW, |client| {
                for _ in 0..3 {
                    assert!(blocks.take(client).unwrap(), "{method:?}");
                }
                assert_eq!(client.read(&mut [0]), 0, "{method:?}");
            });
            assert_eq!((ended, counters.get(Counter::Turns)), (Ok(()), 3), "{method:?}");
        }
    }

    #[test]
    fn services_round_trip_through_json() {
        let service = Service::Source { method: Method::ZeroCopy, seed: 3 };
        let text = serde_json::to_string(&service).unwrap();
        assert_eq!(serde_json::from_str::<Service>(&text).unwrap(), service);
    }
}
