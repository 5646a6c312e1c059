//! Segments that are too many or missing, replies that are kept, packets that are dropped, bytes that were not moved
//! while the clock ran, connections that were none: what the witnesses of the network must catch.

use crate::{Caught, End, Sabotage};
use measure::{Bench, Failure, Point, Work};
use record::Profile;
use sys::inet;
use sys::tcp_info::{self, TcpInfo};
use workloads::network::messages::round_trips::tcp_with;
use workloads::network::options::{Congestion, Options};
use workloads::network::services::{ASK_USAGE, BLOCK, Blocks, Counter, Method, Service, fill, put};
use workloads::network::session::Session;
use workloads::network::streams::{Variant, stream};

fn on_one_cpu() -> Point {
    Point::only().with("path", "loopback").with("cpu", "same")
}

fn small(_: Profile) -> Vec<Point> {
    vec![on_one_cpu().with("bytes", "64B")]
}

fn plain(_: Profile) -> Vec<Point> {
    vec![on_one_cpu()]
}

/// Round trips by hand over a session; tells what TCP_INFO counted of them.
fn by_hand(
    bench: &mut Bench<'_>,
    session: &Session,
    once: &mut dyn FnMut(&Session) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let before = tcp_info::read(session.client())?;
    let mut turns = 0;
    let mut main = |n| {
        let mut right = 0;
        for _ in 0..n {
            right += u64::from(once(session)?);
        }
        turns += n;
        Ok(right)
    };
    bench.batches(Work {
        main: &mut main,
        before: None,
        control: None,
        multiple_of: 1,
        cpu: session.clocks(),
        side_by_side: false,
        others: None,
    })?;
    let after = tcp_info::read(session.client())?;
    let per = |pick: fn(&TcpInfo) -> u32| f64::from(pick(&after) - pick(&before));
    bench.count("segments.out", per(|info| info.data_segments_out), turns as f64);
    bench.count("segments.in", per(|info| info.data_segments_in), turns as f64);
    let remote = session.counters().get(Counter::Retransmissions);
    bench.count("retransmissions", f64::from(after.retransmissions) + remote as f64, 1.0);
    bench.count("no_delay", 1.0, 1.0);
    Ok(())
}

/// Two segments for one message.
pub static TWO_SEGMENTS: Sabotage = Sabotage {
    id: "sabotage.network.two_segments",
    of: "network.round_trip.tcp",
    points: small,
    mistake: "a message goes in two parts, each a segment of its own",
    caught_by: Caught::By("segments.out"),
    run: |bench| {
        let session = Session::tcp(bench, Service::EchoStream { bytes: 64 }, Options::MESSAGES)?;
        by_hand(bench, &session, &mut |session| {
            let (sent, mut came) = ([7; 64], [0; 64]);
            put(session.client(), &sent[..32])?;
            put(session.client(), &sent[32..])?;
            fill(session.client(), &mut came)?;
            Ok(came == sent)
        })
    },
    ..Sabotage::NEW
};

/// The answer is not taken from the network.
pub static REPLY_KEPT: Sabotage = Sabotage {
    id: "sabotage.network.reply_kept",
    of: "network.round_trip.tcp",
    points: small,
    mistake: "messages go one way, and the answer that counts is one that was kept",
    caught_by: Caught::By("segments.in"),
    run: |bench| {
        let session = Session::tcp(bench, Service::Confirm { bytes: 1 << 40 }, Options::MESSAGES)?;
        by_hand(bench, &session, &mut |session| {
            put(session.client(), &[7; 64])?;
            Ok(true)
        })
    },
    ..Sabotage::NEW
};

/// Nothing is sent again sooner than this (TCP_RTO_MIN of the kernel is 200 ms), and no round trip takes as long.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(100);

/// Packets that are dropped.
pub static DROPPED: Sabotage = Sabotage {
    id: "sabotage.network.dropped",
    of: "network.round_trip.tcp",
    points: small,
    mistake: "every tenth answer is dropped with even odds where it arrives, until one was, and sent again",
    caught_by: Caught::By("retransmissions"),
    run: |bench| {
        let session = Session::tcp(bench, Service::EchoStream { bytes: 64 }, Options::MESSAGES)?;
        let (mut turn, mut is_done) = (0_u64, bench.is_rehearsal());
        by_hand(bench, &session, &mut |session| {
            turn += 1;
            let drops = !is_done && turn.is_multiple_of(10);
            if drops {
                inet::drop_half_of_packets(session.client(), true)?;
            }
            let began = std::time::Instant::now();
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
};

/// Nagle on.
pub static NAGLE: Sabotage = Sabotage {
    id: "sabotage.network.nagle",
    of: "network.round_trip.tcp",
    points: small,
    mistake: "small segments wait for the acknowledgement of earlier ones: TCP_NODELAY is not set",
    caught_by: Caught::By("no_delay"),
    run: |bench| {
        let options = Options { no_delay: false, congestion: Congestion::ByLoss };
        tcp_with(bench, options)
    },
    ..Sabotage::NEW
};

/// Bytes from before the clock.
pub static EARLY: Sabotage = Sabotage {
    id: "sabotage.network.before_clock",
    of: "network.bandwidth.tcp",
    points: plain,
    mistake: "bytes count that came before the clock was started (E41)",
    caught_by: Caught::By("bytes.counted_per_given"),
    run: |bench| {
        let counts_early = true;
        stream(bench, Variant { counts_early, ..Variant::CORRECT })
    },
    ..Sabotage::NEW
};

/// A stream that never finds its pace.
pub static RAMP: Sabotage = Sabotage {
    id: "sabotage.network.ramp",
    of: "network.bandwidth.tcp",
    points: plain,
    mistake: "the stream grows faster over the whole trial, and its warm-up is taken for it (E24)",
    end: End::Noisy,
    caught_by: Caught::By("steady"),
    run: |bench| {
        let mut pause_ns = 4_000_000.0_f64;
        let mut before_block = || {
            std::thread::sleep(std::time::Duration::from_nanos(pause_ns as u64));
            pause_ns *= 0.9;
        };
        let variant = Variant { before_block: Some(&mut before_block), ..Variant::CORRECT };
        stream(bench, variant)
    },
    ..Sabotage::NEW
};

/// Another method.
pub static COPIED: Sabotage = Sabotage {
    id: "sabotage.network.copied",
    of: "network.bandwidth.tcp",
    points: |_| vec![on_one_cpu().with("method", "zerocopy")],
    mistake: "blocks are written as ever, and MSG_ZEROCOPY is claimed (E59)",
    caught_by: Caught::By("zerocopy.copied"),
    run: |bench| {
        let variant = Variant { method: Some(Method::Plain), ..Variant::CORRECT };
        stream(bench, variant)
    },
    ..Sabotage::NEW
};

/// One flow for four.
pub static ONE_FLOW: Sabotage = Sabotage {
    id: "sabotage.network.one_flow",
    of: "network.bandwidth.flows",
    points: |_| vec![Point::only().with("path", "loopback").with("flows", 4)],
    mistake: "four flows are asked for, three never move a byte, and the rate is given as that of four",
    caught_by: Caught::By("flows.moved"),
    run: |bench| {
        let (method, seed) = (Method::Plain, bench.seed());
        let session = Session::tcp(bench, Service::Source { method, seed }, Options::MESSAGES)?;
        let mut blocks = Blocks::new(seed)?;
        let mut right = 0;
        for _ in 0..100 {
            right += u32::from(blocks.take(session.client())?);
        }
        session.ask_to_end()?;
        let received = 100 * BLOCK as u64 + blocks.drain(session.client())?;
        let sent = session.join()?.get(Counter::Bytes);
        bench.count("answers", f64::from(right), 100.0);
        bench.count("bytes.received_per_sent", received as f64, sent as f64);
        bench.count("flows.moved", 1.0, 4.0);
        bench.count("steady", 1.0, 1.0);
        bench.count("retransmissions", 0.0, 1.0);
        bench.values(vec![1e9; 15]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Datagrams counted twice.
pub static COUNTED_TWICE: Sabotage = Sabotage {
    id: "sabotage.network.counted_twice",
    of: "network.bandwidth.udp",
    points: |_| vec![on_one_cpu().with("bytes", "1472B")],
    mistake: "every datagram is counted where it is sent and where it arrives (E62)",
    caught_by: Caught::By("datagrams.received_per_sent"),
    run: |bench| {
        let session = Session::udp(bench, Service::Datagrams { bytes: 1_472 })?;
        let mut buffer = [0; 1_472];
        for _ in 0..100 {
            session.client().read_all(&mut buffer)?;
        }
        session.counters().set(Counter::Stop, 1);
        let sent = session.join()?.get(Counter::Turns) as f64;
        bench.count("answers", 100.0, 100.0);
        bench.count("datagrams.received_per_sent", sent + 100.0, sent);
        bench.count("steady", 1.0, 1.0);
        bench.values(vec![1e9; 15]);
        Ok(())
    },
    ..Sabotage::NEW
};

/// One connection for all.
pub static REUSED: Sabotage = Sabotage {
    id: "sabotage.network.reused",
    of: "network.connection.first_byte",
    points: plain,
    mistake: "the first connection is kept and used again, and each use counts as one that was made",
    caught_by: Caught::By("connections.accepted"),
    run: |bench| {
        let session = Session::tcp(bench, Service::EchoStream { bytes: 1 }, Options::MESSAGES)?;
        let mut made = 0;
        bench.each_part_beside(session.server_clock(), &mut |clock| {
            let began = clock.start();
            put(session.client(), &[5])?;
            fill(session.client(), &mut [0])?;
            made += 1;
            Ok(measure::Timed { ticks: Some(clock.stop() - began), answers: 1 })
        })?;
        bench.count("connections.accepted", 1.0, f64::from(made));
        bench.count("established", 1.0, 1.0);
        bench.count("retransmissions", 0.0, 1.0);
        Ok(())
    },
    ..Sabotage::NEW
};

/// A listener without room.
pub static CROWDED: Sabotage = Sabotage {
    id: "sabotage.network.crowded",
    of: "network.connection.connect",
    points: plain,
    mistake: "nobody accepts, and connections are dropped that wait behind others",
    caught_by: Caught::By("listen.dropped"),
    run: |bench| {
        let crowded = inet::Listener::with_room(inet::loopback(false), 0)?;
        let mut waiting = Vec::new();
        let soon = std::time::Duration::from_millis(1);
        bench.each_part(false, &mut |clock| {
            let began = clock.start();
            waiting.extend(std::net::TcpStream::connect_timeout(&crowded.address(), soon));
            let ticks = Some(clock.stop() - began);
            Ok(measure::Timed { ticks, answers: 1 })
        })?;
        bench.count("connections.accepted", 1.0, 1.0);
        bench.count("established", 1.0, 1.0);
        bench.count("retransmissions", 0.0, 1.0);
        bench.count("listen.dropped", inet::dropped(crowded.descriptor())? as f64, 1.0);
        Ok(())
    },
    ..Sabotage::NEW
};

/// A socket that never connects.
pub static UNCONNECTED: Sabotage = Sabotage {
    id: "sabotage.network.unconnected",
    of: "network.connection.connect",
    points: plain,
    mistake: "the socket is made and never connected",
    caught_by: Caught::By("established"),
    run: |bench| {
        let (mut made, mut established) = (0, 0);
        bench.each_part(false, &mut |clock| {
            let began = clock.start();
            let socket = inet::tcp_socket(false)?;
            let ticks = Some(clock.stop() - began);
            made += 1;
            established += u32::from(tcp_info::read(&socket)?.state == 1);
            Ok(measure::Timed { ticks, answers: 1 })
        })?;
        bench.count("connections.accepted", 1.0, 1.0);
        bench.count("established", f64::from(established), f64::from(made));
        bench.count("retransmissions", 0.0, 1.0);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Pairs of messages that are sent.
const PAIRS: u64 = 6;

/// Two messages at a read.
pub static READ_IN_PAIRS: Sabotage = Sabotage {
    id: "sabotage.network.read_in_pairs",
    of: "network.acknowledge.paced",
    points: plain,
    mistake: "the program at the other end reads two messages at a time, and each is said to be read by itself",
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
        let sent = times.len() as f64;
        bench.count("answers", sent, sent);
        bench.count("messages.read", read, sent);
        bench.values(times);
        Ok(())
    },
    ..Sabotage::NEW
};
