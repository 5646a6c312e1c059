//! Segments that are too many or missing, kept replies, dropped packets, bytes that were not moved while the clock ran, and
//! connections that were not made: what the witnesses of the network must catch.

use crate::sabotage::{count_all, give, repeat};
use crate::shares::move_stream;
use crate::{Caught, End, Sabotage};
use measure::{Bench, CpuTime, Result, Timed, Work};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use sys::inet::{self, Listener};
use sys::tcp_info::{self, TcpInfo};
use workloads::network::messages::loaded::{self, Ahead, StreamBeside};
use workloads::network::messages::round_trips::{self, tcp_with};
use workloads::network::options::{Congestion, Options};
use workloads::network::services::{ASK_USAGE, Counter, Method, Service, fill, put};
use workloads::network::session::Session;
use workloads::network::shared_port::connect_to_first;
use workloads::network::streams::datagrams::{Receiving, deliver};
use workloads::network::streams::{Variant, stream};

/// Round trips by hand to a service; tells what TCP_INFO counted of them.
fn by_hand(
    bench: &mut Bench<'_>,
    service: Service,
    once: &mut dyn FnMut(&Session) -> Result<bool>,
) -> Result<()> {
    let session = Session::tcp(bench, service, Options::MESSAGES)?;
    let before = tcp_info::read(session.client())?;
    let mut turns = 0;
    bench.batches(Work {
        cpu: session.clocks(),
        ..Work::new(&mut |n| {
            turns += n;
            repeat(n, || once(&session))
        })
    })?;
    let after = tcp_info::read(session.client())?;
    for (name, pick) in [
        ("segments.out", (|info| info.data_segments_out) as fn(&TcpInfo) -> u32),
        ("segments.in", |info| info.data_segments_in),
    ] {
        bench.count(name, f64::from(pick(&after) - pick(&before)), turns as f64);
    }
    let remote = session.counters().get(Counter::Retransmissions);
    let retransmissions = f64::from(after.retransmissions) + remote as f64;
    count_all(bench, &[("retransmissions", retransmissions), ("no_delay", 1.0)]);
    Ok(())
}

const ECHO: Service = Service::EchoStream { bytes: 64 };

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.network.one_connection",
        of: "network.round_trip.tcp.among path=loopback bytes=64B connections=10",
        mistake: "the connections are made, and every message goes over the first one",
        caught_by: Caught::By("connections.used"),
        run: |bench| round_trips::among(bench, &round_trips::connect(10)?, 0),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.stream_ended",
        of: "network.round_trip.loaded path=loopback cpu=other protocol=tcp bytes=64B",
        mistake: "the stream ends before the timed round trips begin",
        caught_by: Caught::By("stream.moved"),
        second_cpu: true,
        run: |bench| {
            let stream = StreamBeside::start(bench)?;
            stream.stop()?;
            loaded::round_trips(bench, &stream, Ahead::None)?;
            loaded::count_bytes(bench, stream)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.sent_ahead",
        of: "network.round_trip.loaded path=loopback cpu=other protocol=tcp bytes=64B",
        mistake: "a message is sent ahead, so that each reply may be there before its own message is sent",
        caught_by: Caught::By("echoes.correct"),
        second_cpu: true,
        run: |bench| {
            let stream = StreamBeside::start(bench)?;
            loaded::round_trips(bench, &stream, Ahead::One)?;
            loaded::count_bytes(bench, stream)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.two_segments",
        of: "network.round_trip.tcp path=loopback cpu=same bytes=64B",
        mistake: "a message is sent as two segments",
        caught_by: Caught::By("segments.out"),
        run: |bench| {
            by_hand(bench, ECHO, &mut |session| {
                let (sent, mut came) = ([7; 64], [0; 64]);
                put(session.client(), &sent[..32])?;
                put(session.client(), &sent[32..])?;
                fill(session.client(), &mut came)?;
                Ok(came == sent)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.reply_kept",
        of: "network.round_trip.tcp path=loopback cpu=same bytes=64B",
        mistake: "messages get no reply, and a kept reply is counted",
        caught_by: Caught::By("segments.in"),
        run: |bench| {
            by_hand(bench, Service::Confirm { bytes: 1 << 40 }, &mut |session| {
                put(session.client(), &[7; 64])?;
                Ok(true)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.dropped",
        of: "network.round_trip.tcp path=loopback cpu=same bytes=64B",
        mistake: "half of the packets of every tenth reply are dropped, until one was retransmitted",
        caught_by: Caught::By("retransmissions"),
        run: |bench| {
            let (mut turn, mut is_done) = (0_u64, bench.is_rehearsal());
            by_hand(bench, ECHO, &mut |session| {
                turn += 1;
                let drops = !is_done && turn.is_multiple_of(10);
                if drops {
                    inet::drop_half_of_packets(session.client(), true)?;
                }
                let began = Instant::now();
                // Each requests the server's retransmissions.
                let (sent, mut came) = ([ASK_USAGE; 64], [0; 64]);
                put(session.client(), &sent)?;
                fill(session.client(), &mut came)?;
                if drops {
                    inet::drop_half_of_packets(session.client(), false)?;
                    is_done = began.elapsed() > AGAIN;
                }
                Ok(came == sent)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.nagle",
        of: "network.round_trip.tcp path=loopback cpu=same bytes=64B",
        mistake: "small segments wait for the acknowledgement of earlier ones: TCP_NODELAY is not set",
        caught_by: Caught::By("no_delay"),
        run: |bench| tcp_with(bench, Options { no_delay: false, congestion: Congestion::ByLoss }),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.before_clock",
        of: "network.bandwidth.tcp path=loopback cpu=same",
        mistake: "bytes are counted that arrived before the clock was started (E41)",
        caught_by: Caught::By("bytes.counted_per_given"),
        run: |bench| stream(bench, Variant { counts_early: true, ..Variant::CORRECT }),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.ramp",
        of: "network.bandwidth.tcp path=loopback cpu=same",
        mistake: "the stream speeds up over the whole trial: only its warm-up is measured (E24)",
        end: End::Noisy,
        caught_by: Caught::By("steady"),
        run: |bench| {
            let mut pause_ns = 4_000_000.0_f64;
            stream(
                bench,
                Variant {
                    before_block: Some(&mut || {
                        std::thread::sleep(Duration::from_nanos(pause_ns as u64));
                        pause_ns *= 0.9;
                    }),
                    ..Variant::CORRECT
                },
            )
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.copied",
        of: "network.bandwidth.tcp path=loopback cpu=same method=zerocopy",
        mistake: "blocks are copied by write, and MSG_ZEROCOPY is claimed (E59)",
        caught_by: Caught::By("zerocopy.copied"),
        run: |bench| stream(bench, Variant { method: Some(Method::Plain), ..Variant::CORRECT }),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.one_flow",
        of: "network.bandwidth.flows path=loopback flows=4",
        mistake: "one of four flows moves data, and its rate is claimed as that of four",
        caught_by: Caught::By("flows.moved"),
        run: |bench| {
            move_stream(bench)?;
            bench.count("flows.moved", 1.0, 4.0);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.counted_twice",
        of: "network.bandwidth.udp path=loopback cpu=same bytes=1472B",
        mistake: "every datagram is counted where it is sent and where it arrives (E62)",
        caught_by: Caught::By("datagrams.received_per_sent"),
        run: |bench| {
            let session =
                Session::udp(bench, Service::Datagrams { bytes: 1_472, batch: 1, segmented: false })?;
            let mut buffer = [0; 1_472];
            for _ in 0..100 {
                session.client().read_all(&mut buffer)?;
            }
            session.counters().set(Counter::Stop, 1);
            let sent = session.join()?.get(Counter::Turns) as f64;
            bench.count("datagrams.received_per_sent", sent + 100.0, sent);
            give(bench, &[("answers", 1.0), ("steady", 1.0)], vec![1e9; 15])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.reused",
        of: "network.connection.first_byte path=loopback cpu=same",
        mistake: "one connection is reused, and each use is counted as a new connection",
        caught_by: Caught::By("connections.accepted"),
        run: |bench| {
            let session = Session::tcp(bench, Service::EchoStream { bytes: 1 }, Options::MESSAGES)?;
            let mut made = 0;
            bench.each_part(CpuTime::with(session.server_clock()), &mut |clock| {
                let began = clock.start();
                put(session.client(), &[5])?;
                fill(session.client(), &mut [0])?;
                made += 1;
                Ok(Timed { ticks: Some(clock.stop() - began), answers: 1 })
            })?;
            bench.count("connections.accepted", 1.0, f64::from(made));
            count_all(bench, &[("established", 1.0), ("retransmissions", 0.0)]);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.crowded",
        of: "network.connection.connect path=loopback cpu=same",
        mistake: "no connection is accepted: the listen queue overflows and drops connections",
        caught_by: Caught::By("listen.dropped"),
        run: |bench| {
            let crowded = Listener::with_room(inet::loopback(false), 0)?;
            let mut waiting = Vec::new();
            let soon = Duration::from_millis(1);
            bench.each_part(CpuTime::Process, &mut |clock| {
                let began = clock.start();
                waiting.extend(TcpStream::connect_timeout(&crowded.address(), soon));
                let ticks = Some(clock.stop() - began);
                Ok(Timed { ticks, answers: 1 })
            })?;
            let dropped = inet::dropped(crowded.descriptor())? as f64;
            count_all(bench, &[("connections.accepted", 1.0), ("established", 1.0)]);
            count_all(bench, &[("retransmissions", 0.0), ("listen.dropped", dropped)]);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.unconnected",
        of: "network.connection.connect path=loopback cpu=same",
        mistake: "the socket is made and never connected",
        caught_by: Caught::By("established"),
        run: |bench| {
            let (mut made, mut established) = (0, 0);
            bench.each_part(CpuTime::Process, &mut |clock| {
                let began = clock.start();
                let socket = inet::tcp_socket(false)?;
                let ticks = Some(clock.stop() - began);
                made += 1;
                established += u32::from(tcp_info::read(&socket)?.state == 1);
                Ok(Timed { ticks, answers: 1 })
            })?;
            bench.count("established", f64::from(established), f64::from(made));
            count_all(bench, &[("connections.accepted", 1.0), ("retransmissions", 0.0)]);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.one_by_one",
        of: "network.bandwidth.udp path=loopback cpu=same bytes=1472B batch=16",
        mistake: "every call sends one datagram, and sixteen are claimed",
        caught_by: Caught::By("datagrams.sent_per_call"),
        run: |bench| {
            let service = Service::Datagrams { bytes: 1_472, batch: 1, segmented: false };
            deliver(bench, service, Receiving::Several(16), |bench, flow| bench.values(flow.rates.clone()))
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.received_singly",
        of: "network.bandwidth.udp path=loopback cpu=same bytes=1472B batch=32 offload=segment",
        mistake: "UDP_GRO is not set: the kernel makes datagrams of a write, and each has a read of its own",
        caught_by: Caught::By("datagrams.received_per_call"),
        run: |bench| {
            let service = Service::Datagrams { bytes: 1_472, batch: 32, segmented: true };
            deliver(bench, service, Receiving::Single, |bench, flow| bench.values(flow.rates.clone()))
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.other_port",
        of: "network.connection.shared_port path=loopback acceptors=2",
        mistake: "the second acceptor listens on a port of its own: the first one gets every connection",
        caught_by: Caught::By("acceptors.used"),
        run: |bench| {
            let listeners = [0; 2].map(|_| Listener::sharing(inet::loopback(false)));
            let [first, second] = listeners;
            connect_to_first(bench, vec![first?, second?])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.all_to_one",
        of: "network.connection.shared_port path=loopback acceptors=4",
        mistake: "three of four acceptors listen on ports of their own: one gets four times its share",
        caught_by: Caught::By("acceptors.most_per_mean"),
        run: |bench| {
            let listeners = (0..4).map(|_| Listener::sharing(inet::loopback(false)));
            connect_to_first(bench, listeners.collect::<sys::Result<_>>()?)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.network.read_in_pairs",
        of: "network.acknowledge.paced path=loopback cpu=same",
        mistake: "the server reads two messages at a time, and one at a time is claimed",
        caught_by: Caught::By("messages.read"),
        run: |bench| {
            let session = Session::tcp(bench, Service::Acknowledge { bytes: 2 }, Options::MESSAGES)?;
            let clock = sys::clock::Clock::select();
            let mut times = Vec::new();
            for _ in 0..2 * PAIRS {
                let began = clock.moment();
                put(session.client(), &[7])?;
                times.push(clock.moment().nanos_since(began) as f64);
            }
            inet::shutdown_write(session.client())?;
            let read = session.join()?.get(Counter::Turns) as f64;
            bench.count("messages.read", read, times.len() as f64);
            give(bench, &[("answers", 1.0)], times)
        },
        ..Sabotage::NEW
    },
];

/// Nothing is sent again sooner than this (TCP_RTO_MIN of the kernel is 200 ms), and no round trip takes as long.
const AGAIN: Duration = Duration::from_millis(100);

/// Pairs of messages that are sent.
const PAIRS: u64 = 6;
