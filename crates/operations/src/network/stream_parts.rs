//! What streams should cost: a byte's copies, and its share of a segment's way.

use super::parts::{SEGMENT, TCP as TCP_PARTS, UDP as UDP_PARTS};
use super::points;
use measure::{Point, core_cycles, term, told_cycles};
use record::{Formula, Prediction, Side};

/// Nanoseconds for a byte of a stream: two copies, its share of a segment's way, and once from memory: more is on its way
/// than a second cache holds, so the receiver reads what has left it. The sender writes to pages that the receiver has just
/// given back, for the kernel hands out first what came back last: those are near.
pub fn byte_of_a_stream() -> Formula {
    TCP_PARTS
        .byte()
        .plus(TCP_PARTS.way().over(Formula::exactly(SEGMENT)))
        .plus(byte_from_memory())
}

/// Nanoseconds for a byte that is read from memory.
fn byte_from_memory() -> Formula {
    Formula::exactly(1e9).over(Formula::part(
        "memory.bandwidth.read",
        "method=widest size=128MiB cpus=1",
    ))
}

/// The same from facts: rep movsb between the second and the last cache, pages, and the way of a segment.
fn byte_from_facts() -> Formula {
    let copies = Formula::cited(
        2.0 / 8.0,
        2.0,
        "rep movsb from the second cache into pages that come from the last: 6 to 12 bytes a cycle, each way",
    );
    let page = Formula::cited(
        300.0 / 4096.0,
        2.0,
        "a page got, charged and given back: some 300 instructions and 6 locked ones",
    );
    copies
        .plus(page)
        .plus(TCP_PARTS.message.formula().over(Formula::exactly(SEGMENT)))
}

fn bandwidth(name: &str, nanos_of_a_byte: Formula) -> Vec<record::Term> {
    vec![term(
        Side::Software,
        name,
        Formula::exactly(1e9).over(nanos_of_a_byte),
    )]
}

/// T0 and T1 of a byte of a stream, in nanoseconds.
type Byte = (Formula, Formula);

/// A flow on each CPU: as many as there are CPUs, each as fast as one alone.
fn on_all_cpus() -> Byte {
    let cpus = || Formula::fact("cpus.allowed");
    let alone = Formula::part("network.bandwidth.tcp", &points::loopback_same().text());
    (
        told_cycles(byte_from_facts()).over(cpus()),
        Formula::exactly(1e9).over(alone).over(cpus()),
    )
}

/// Over a network: what one plain stream finds there.
fn as_one_flow() -> Prediction {
    let alone = Formula::part("network.bandwidth.tcp", &points::remote().text());
    Prediction {
        from_facts: Vec::new(),
        from_parts: vec![term(
            Side::Hardware,
            "one plain stream, which fills the link",
            alone,
        )],
    }
}

/// Several flows: each CPU that has one moves as much as a CPU with one flow does. Over a network nothing here knows of
/// they find what one flow finds, if that fills the link.
pub fn predict_flows(point: &Point) -> Prediction {
    if points::is_remote(point) {
        return as_one_flow();
    }
    let flows = point.number("flows").unwrap_or(1) as f64;
    let used = || Formula::Minimum {
        of: vec![Formula::exactly(flows), Formula::fact("cpus.allowed")],
    };
    let alone = Formula::part("network.bandwidth.tcp", &points::loopback_same().text());
    Prediction {
        from_facts: bandwidth(
            "copies, pages and segments on each CPU",
            told_cycles(byte_from_facts()).over(used()),
        ),
        from_parts: vec![term(
            Side::Software,
            "one flow on one CPU, on each CPU that has a flow",
            alone.by(used()),
        )],
    }
}

/// Nanoseconds for a byte whose line comes from another CPU, when one line takes so long.
fn from_another_cpu(line: Formula) -> Formula {
    let at_once = "twelve lines are on their way at once when a page is copied: the fill buffers of a first cache, ten to \
                   sixteen from Haswell to Golden Cove";
    line.by(Formula::cited(1.0 / 64.0 / 12.0, 1.4, at_once))
}

/// What one line takes from one CPU to the other, as measured.
fn line_between(point: &Point) -> Formula {
    let place = point.get("cpu").unwrap_or("other");
    Formula::part("ipc.cache_line.round_trip", &format!("cpu={place} method=cas")).times(0.5)
}

/// On two CPUs both ends work at once, and every line goes from one to the other.
fn on_two_cpus(point: &Point) -> Byte {
    let far = told_cycles(Formula::fact("family.l3_cycles").times(1.5));
    (
        told_cycles(byte_from_facts())
            .times(0.5)
            .plus(from_another_cpu(far)),
        byte_of_a_stream()
            .times(0.5)
            .plus(from_another_cpu(line_between(point))),
    )
}

/// The copy into the kernel and its pages fall away, and each page is looked up instead.
fn by_sendfile() -> Byte {
    let page = Formula::cited(
        200.0 / 4096.0,
        1.8,
        "a page found in the file's tree, held, put into a pipe and taken out, linked to the segment: some 300 instructions",
    );
    let half = TCP_PARTS.byte().times(0.5).plus(core_cycles(page));
    (
        told_cycles(byte_from_facts()).times(0.6),
        half.plus(TCP_PARTS.way().over(Formula::exactly(SEGMENT))),
    )
}

/// Copied after all: pages pinned and let go in addition, and the word of the kernel taken.
fn by_zero_copy() -> Byte {
    let pins = Formula::cited(
        150.0 / 4096.0,
        1.8,
        "a page of the program found and held, and let go: some 200 instructions and 2 locked ones",
    );
    (
        told_cycles(byte_from_facts()).times(1.1),
        byte_of_a_stream().plus(core_cycles(pins)),
    )
}

/// Of a stream over TCP.
pub fn predict_tcp(point: &Point) -> Prediction {
    if points::is_remote(point) {
        // What bounds a stream there is a link that nothing here knows of; another method finds the same.
        let is_plain = point.get("method").is_none();
        return if is_plain {
            Prediction::default()
        } else {
            as_one_flow()
        };
    }
    let (facts, parts) = if point.on_all_cpus() {
        on_all_cpus()
    } else if !points::is_on_one_cpu(point) {
        on_two_cpus(point)
    } else {
        match point.get("method") {
            Some("sendfile") => by_sendfile(),
            Some("zerocopy") => by_zero_copy(),
            _ => (told_cycles(byte_from_facts()), byte_of_a_stream()),
        }
    };
    Prediction {
        from_facts: bandwidth("copies, pages and segments", facts),
        from_parts: bandwidth("the same in one task, a byte and a segment", parts),
    }
}

/// Of datagrams. How many are lost nothing here says: there is no T1.
pub fn predict_udp(point: &Point) -> Prediction {
    let bytes = points::bytes(point);
    let datagram = UDP_PARTS
        .way()
        .over(Formula::exactly(bytes))
        .plus(UDP_PARTS.byte());
    let message = UDP_PARTS.message.formula().over(Formula::exactly(bytes));
    Prediction {
        from_facts: bandwidth("a datagram's way, nothing lost", told_cycles(message)),
        from_parts: bandwidth(
            "a datagram's way and its bytes by one task, nothing lost",
            datagram,
        ),
    }
}

/// Of the CPU time of one end.
pub fn predict_cost(point: &Point) -> Prediction {
    let end = point.get("end").unwrap_or("receiver");
    if points::is_remote(point) {
        let here = points::loopback().with("cpu", "other").with("end", end);
        let same = Formula::part("network.bandwidth.tcp.cpu", &here.text());
        return Prediction {
            from_facts: Vec::new(),
            from_parts: vec![term(
                Side::Software,
                "the same end of a stream within this machine",
                same,
            )],
        };
    }
    // Each end copies once, the receiver from memory; the way of a segment is the sender's, which carries it into the
    // receiver's queue.
    let mib = (1 << 20) as f64;
    let sends = end == "sender";
    let way = |way: Formula| way.times(if sends { 0.75 } else { 0.25 } * mib / SEGMENT);
    let copies = "one copy of the two, and its pages";
    let copy = TCP_PARTS.byte().times(0.5 * mib);
    let mut from_parts = vec![term(Side::Software, copies, copy)];
    if !sends {
        let read = byte_from_memory().times(mib);
        from_parts.push(term(Side::Hardware, "read from memory", read));
    }
    if sends && !points::is_on_one_cpu(point) {
        // The pages to which the sender copies are those that the receiver has just read and given back.
        let lines = from_another_cpu(line_between(point)).times(mib);
        from_parts.push(term(Side::Hardware, "lines that the other CPU has read", lines));
    }
    from_parts.push(term(
        Side::Software,
        "this end's part of a segment's way",
        way(TCP_PARTS.way()),
    ));
    let told = told_cycles(byte_from_facts()).times(0.5 * mib);
    Prediction {
        from_facts: vec![term(
            Side::Software,
            "half of the copies, pages and segments",
            told,
        )],
        from_parts,
    }
}
