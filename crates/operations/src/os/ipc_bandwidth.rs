//! Bytes per second from one process to another, over pipes and Unix stream sockets, and within one task.

use super::byte_stream;
use super::exchange::{hand_off, hand_off_from_facts};
use measure::{Actors, Area, Operation, Placement, Point, core_cycles, counted, linear};
use measure::{measured_cycle, placed, term, undisturbed, work_done};
use quantity::Quantity;
use record::{Bound, Formula, Origin, Prediction, Profile, Side, Term, Witness};
use sys::stream::Carrier;

const STREAM: Operation = Operation {
    area: Area::Os,
    one_iteration: "one message of that many bytes read whole, while the other process keeps writing",
    quantity: Quantity::Bandwidth,
    method: "One process writes messages of random bytes without pause, the other reads them whole. A batch begins \
             and ends when a message has been read, and holds at least half a MiB: clock and count stop at the same \
             place (E41). Each message carries its number, which is looked at when it arrives, as is one word of the \
             rest; the last is compared byte by byte. In the end the reader reads what is left, and both must have \
             counted the same.",
    confounds: "With cpu=same writing and reading add up, and each side runs until the buffer is full or empty; on two \
                CPUs they overlap, and how often they wait for each other is the machine's mood. The messages stay \
                in the caches.",
    actors: Actors::TwoProcesses,
    points: stream_points,
    payload_bytes: |point| point.number("bytes").ok(),
    computed_witnesses: stream_witnesses,
    computed_bounds: |_| no_faster_than_the_core(64.0),
    spend_ns: 20_000_000,
    revision: 2,
    ..Operation::NEW
};

/// From process to process over a pipe.
pub static PIPE: Operation = Operation {
    id: "ipc.bandwidth.pipe",
    title: "bytes over a pipe to another process",
    sources: &[
        ("lmbench", "bw_pipe: 64 KiB messages, unpinned"),
        ("stress-ng", "--pipe: bytes and switches as assumed"),
    ],
    computed_prediction: |point| stream_prediction(point, Carrier::Pipe),
    run: |bench| byte_stream::between(bench, Carrier::Pipe),
    ..STREAM
};

/// From process to process over Unix stream sockets.
pub static UNIX_STREAM: Operation = Operation {
    id: "ipc.bandwidth.unix_stream",
    title: "bytes over a Unix stream socket to another process",
    sources: &[("lmbench", "bw_unix: 64 KiB messages, unpinned")],
    computed_prediction: |point| stream_prediction(point, Carrier::UnixStream),
    run: |bench| byte_stream::between(bench, Carrier::UnixStream),
    ..STREAM
};

const ALONE: Operation = Operation {
    area: Area::Os,
    one_iteration: "one message written and read back by the same task",
    quantity: Quantity::Bandwidth,
    method: "A task writes a message of random bytes and reads it back, each whole; nobody waits. Number, one word and \
             the last message are looked at as between processes.",
    confounds: "The kernel's pages for the bytes are the same ones every time, and near.",
    points: |_| {
        [4096, 65_536]
            .map(|bytes| Point::only().with("bytes", bytes))
            .to_vec()
    },
    payload_bytes: |point| point.number("bytes").ok(),
    computed_witnesses: |_| {
        let mut all = work_done("every message came back with its number");
        all.extend(linear());
        all.extend(measure::calls(&[("write", 1.0), ("read", 1.0)]));
        all.extend(undisturbed());
        all
    },
    computed_bounds: |_| no_faster_than_the_core(32.0),
    ..Operation::NEW
};

/// Through a pipe and back.
pub static PIPE_SELF: Operation = Operation {
    id: "ipc.bandwidth.pipe.self",
    title: "bytes through a pipe and back in one task",
    sources: &[("lmbench", "none: bw_pipe is between processes only")],
    computed_prediction: |point| alone_prediction(point, Carrier::Pipe),
    run: |bench| byte_stream::alone(bench, Carrier::Pipe),
    ..ALONE
};

/// Through a pair of Unix stream sockets and back.
pub static UNIX_STREAM_SELF: Operation = Operation {
    id: "ipc.bandwidth.unix_stream.self",
    title: "bytes through a Unix stream socket and back in one task",
    sources: &[("lmbench", "none: bw_unix is between processes only")],
    computed_prediction: |point| alone_prediction(point, Carrier::UnixStream),
    run: |bench| byte_stream::alone(bench, Carrier::UnixStream),
    ..ALONE
};

/// Bytes that a pipe holds before its writer waits (pipe(7)), and that a Unix socket does (a send buffer of 208 KiB,
/// of which overhead takes some).
const PIPE_HOLDS: f64 = 65_536.0;
const SOCKET_HOLDS: f64 = 163_840.0;

fn stream_points(profile: Profile) -> Vec<Point> {
    let sizes: &[u64] = if profile == Profile::Thorough {
        &[1024, 4096, 16_384, 65_536, 1 << 20]
    } else {
        &[4096, 65_536]
    };
    let places = |bytes: u64| {
        let all = Placement::ALL.into_iter();
        // Far places are asked for with the size that every tool has.
        all.filter(move |place| bytes == 65_536 || *place == Placement::Same)
    };
    sizes
        .iter()
        .flat_map(|&bytes| {
            places(bytes).map(move |place| Point::only().with("bytes", bytes).with("cpu", place.name()))
        })
        .collect()
}

fn stream_witnesses(point: &Point) -> Vec<Witness> {
    let mut all = work_done("every message came whole, with its number and the right word");
    let proves = "both sides counted the same bytes";
    all.extend(counted("bytes.received_per_sent", 1.0, 1.0, proves));
    for (counter, low, high, proves) in [
        (
            "calls.write",
            0.85,
            1.15,
            "the other process writes each message by one call",
        ),
        (
            "calls.read",
            0.85,
            1e4,
            "each message is read by at least one call",
        ),
    ] {
        all.push(Witness {
            counter: counter.to_owned(),
            origin: Origin::Rehearsal,
            low,
            high,
            positive: true,
            proves: proves.to_owned(),
            breach: record::Breach::OtherWork,
        });
    }
    all.extend(placed(point));
    all.extend(undisturbed());
    all
}

/// `copied` bytes in a cycle: what no core passes.
fn no_faster_than_the_core(copied: f64) -> Vec<Bound> {
    vec![Bound {
        lower: false,
        formula: Formula::exactly(copied * 1e9).over(measured_cycle()),
        because: format!("no core copies a payload at more than {copied} bytes in a cycle here"),
    }]
}

/// Nanoseconds for the bytes of a message as one bandwidth.
fn bandwidth(bytes: f64, name: &str, side: Side, nanos: Formula) -> Vec<Term> {
    vec![term(side, name, Formula::exactly(bytes * 1e9).over(nanos))]
}

fn bytes_of(point: &Point) -> f64 {
    point.number("bytes").unwrap_or(4096) as f64
}

/// Cycles to copy so many bytes twice, in and out, and to care for the pages on the way.
fn copies(bytes: f64) -> Formula {
    let copy = if bytes > NEAREST {
        let far = "rep movsb between buffers in the second cache: some 12 bytes a cycle, each way";
        Formula::cited(2.0 / 12.0, 1.8, far)
    } else {
        let near = "rep movsb in the first cache: some 20 bytes a cycle with its start, each way";
        Formula::cited(2.0 / 20.0, 1.6, near)
    };
    let page = Formula::cited(
        250.0,
        1.8,
        "a page of the carrier entered, filled, handed on and left: some 500 instructions",
    );
    let made = Formula::cited(
        350.0,
        1.6,
        "a page allocated, charged and freed (page_bench01: 220 cycles without the charge)",
    );
    let pages = bytes / 4096.0;
    copy.times(bytes)
        .plus(page.times(pages))
        .plus(made.times((pages - KEPT_PAGES).max(0.0)))
}

/// Bytes up to which two buffers and the carrier's pages fit the first cache of any core.
const NEAREST: f64 = 8_192.0;

/// Pages that a pipe keeps for its next message (tmp_page in fs/pipe.c).
const KEPT_PAGES: f64 = 2.0;

fn alone_prediction(point: &Point, carrier: Carrier) -> Prediction {
    let bytes = bytes_of(point);
    let pair = "two calls through the file layer and the pipe: some 350 instructions each";
    let calls = Formula::cited(800.0, 1.6, pair).plus(super::syscall::entry_cycles().times(2.0));
    let mut more = copies(bytes);
    if carrier == Carrier::UnixStream {
        more = more.plus(Formula::cited(
            2_000.0,
            1.8,
            "credentials, a buffer made, charged, queued, told of, taken and freed: 2 000 instructions beyond a pipe",
        ));
    }
    let told = measure::told_cycles(calls.plus(more.clone()));
    let parts = Formula::part("syscall.pipe.self", "").plus(core_cycles(more));
    Prediction {
        from_facts: bandwidth(bytes, "calls and two copies", Side::Software, told),
        from_parts: bandwidth(bytes, "calls for one byte and two copies", Side::Software, parts),
    }
}

/// Switches on one CPU for a message. Where a message fills the carrier it is two each time it is full. Where many
/// fit, the scheduler decides: at the one end the reader is let in at each message, which makes two, at the other
/// when the carrier is full; the number lies in the middle, and how far off it may be is the way to both ends.
fn switches(bytes: f64, holds: f64) -> Formula {
    let when_full = 2.0 * bytes / holds;
    if bytes >= holds {
        return Formula::exactly(when_full);
    }
    let middle = (2.0 * when_full).sqrt();
    let source = "between a switch to the reader and back for each message and two for each time that the carrier is full";
    Formula::cited(middle, 2.0 / middle, source)
}

/// A stream as its parts: what one task does, and on one CPU the switches.
fn stream_prediction(point: &Point, carrier: Carrier) -> Prediction {
    let bytes = bytes_of(point);
    let (alone, holds) = match carrier {
        Carrier::UnixStream => (&UNIX_STREAM_SELF, SOCKET_HOLDS),
        Carrier::Pipe => (&PIPE_SELF, PIPE_HOLDS),
    };
    let near = if bytes < 65_536.0 { 4096 } else { 65_536 };
    let one_byte = Formula::exactly(1e9).over(Formula::part(alone.id, &format!("bytes={near}")));
    let copied = one_byte.times(bytes);
    let cycles = Formula::cited(1_000.0, 1.8, "two calls").plus(copies(bytes));
    let told = measure::told_cycles(cycles);
    let (facts, parts) = if point.placement() == Some(Placement::Same) {
        let switch = Formula::part("switch.process.pipe", "cpu=same");
        (told, copied.plus(switch.by(switches(bytes, holds))))
    } else {
        let turns = (carrier == Carrier::Pipe && bytes >= holds).then_some(2.0 * bytes / holds);
        on_two_cpus(point, turns, told, copied)
    };
    Prediction {
        from_facts: bandwidth(bytes, "calls, copies and lines moved", Side::Software, facts),
        from_parts: bandwidth(
            bytes,
            "the same in one task, switches, lines moved",
            Side::Software,
            parts,
        ),
    }
}

/// T0 and T1 on two CPUs: every line of the carrier goes from one to the other. Both sides work at once, unless a message
/// fills a pipe: whoever writes wakes the reader when it is full, and whoever reads the writer when it has read what it
/// asked for (`pipe_write`, `pipe_read`), so that they take turns and wake each other so many times.
fn on_two_cpus(point: &Point, turns: Option<f64>, told: Formula, copied: Formula) -> (Formula, Formula) {
    let place = point.get("cpu").unwrap_or("other");
    let at_once = "eight lines are on their way at once when a page is copied";
    let line = Formula::part("ipc.cache_line.round_trip", &format!("cpu={place} method=cas"));
    let lines = || Formula::cited(bytes_of(point) / 64.0 / 8.0, 1.6, at_once);
    let far = lines().by(measure::told_cycles(Formula::fact("family.l3_cycles").times(1.5)));
    let measured = lines().by(line.times(0.5));
    let Some(turns) = turns else {
        return (told.times(0.5).plus(far), copied.times(0.5).plus(measured));
    };
    let woken = hand_off_from_facts(point, true).into_iter();
    let woken = woken.fold(told.plus(far), |all, term| all.plus(term.formula.times(turns)));
    (
        woken,
        copied
            .plus(measured)
            .plus(hand_off(point, "switch.process.pipe", turns).formula),
    )
}
