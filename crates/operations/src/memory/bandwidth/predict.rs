//! What the methods should reach: bytes in a cycle near the core, lines under way beyond, and sums of times.

use super::points::point;
use super::{MEMORY, Spec};
use measure::{Point, measured_cycle, term};
use record::{Bound, Formula, Prediction, Side};
use sys::bandwidth::{Action, Content, Method};

/// Where a working set lies on most machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    First,
    Second,
    Last,
    Memory,
}

fn level(size: usize) -> Level {
    match size {
        0..=0x8000 => Level::First,
        0x8001..=0x8_0000 => Level::Second,
        0x8_0001..=0x200_0000 => Level::Last,
        _ => Level::Memory,
    }
}

/// No method passes what the ports between core and first cache carry.
pub(super) fn bounds(point: &Point) -> Vec<Bound> {
    let cpus = if point.on_all_cpus() {
        Formula::fact("cpus.allowed")
    } else {
        Formula::exactly(1.0)
    };
    vec![Bound {
        lower: false,
        formula: Formula::exactly(128.0 * 1e9).over(measured_cycle()).by(cpus),
        because: "no core loads more than two vectors of 64 bytes in a cycle, or stores more than that"
            .to_owned(),
    }]
}

/// The bytes of a vector of the widest kind.
fn vector() -> Formula {
    Formula::fact("processor.vector_bytes")
}

/// A vector's stores in a cycle: two of 32 bytes or one of 64.
fn widest_stores() -> Formula {
    let of = vec![vector().times(2.0), Formula::exactly(64.0)];
    Formula::Minimum { of }
}

/// Bytes that a method moves in a cycle of the core, in the first cache.
fn first_cache(action: Action, method: Method) -> Formula {
    let loads = |bytes: f64| Formula::cited(2.5 * bytes, 1.3, "two or three loads in a cycle, by processor");
    let stores = |bytes: f64| {
        Formula::cited(
            2.0 * bytes,
            1.2,
            "two stores to one line in a cycle (one before 2019)",
        )
    };
    let string =
        "rep stosb or movsb of 16 KiB in the first cache, its start included (Zen 5: 38 bytes a cycle)";
    match (action, method) {
        (_, Method::Loop) => {
            Formula::cited(8.0, 1.2, "a turn takes a cycle: one addition waits for the other")
        }
        (_, Method::String | Method::Library) => Formula::cited(38.0, 1.5, string),
        (Action::Read, Method::Unrolled) => loads(8.0),
        (Action::Read, Method::Vector128) => loads(16.0),
        (Action::Read, Method::Vector256) => loads(32.0),
        (Action::Read, _) => {
            let two = "two loads of the widest vectors in a cycle (Zen 5: 1.9)";
            vector().by(Formula::cited(1.9, 1.25, two))
        }
        (_, Method::Unrolled) => stores(8.0),
        (_, Method::Vector128) => stores(16.0),
        _ => widest_stores().by(Formula::cited(0.95, 1.2, "a line in a cycle (Zen 5: 61 bytes)")),
    }
}

/// The same where the second cache holds the working set, which methods of the core's own width do not reach.
fn second_cache(action: Action) -> Formula {
    let (share, source) = match action {
        Action::Read => (
            46.0,
            "Zen 5: 206 GB/s at 4.5 GHz; Golden Cove has a path of 64 bytes",
        ),
        Action::Write => (
            40.0,
            "Zen 5: 55; where each line comes in and goes out by one path, half of 64",
        ),
        Action::Copy => (23.0, "Zen 5: 105 GB/s at 4.5 GHz"),
        Action::Fill => (39.0, "rep stosb on a Zen 5: 176 GB/s at 4.5 GHz"),
    };
    Formula::cited(share, 1.6, source)
}

/// Lines that one core has under way while it goes straight on.
fn lines_under_way() -> Formula {
    let source =
        "48 entries in the second cache's queue of Golden Cove; 105 lines by 44 GB/s and 153 ns on a Zen 5";
    Formula::cited(70.0, 1.5, source)
}

/// Lines under way and the time of each as bytes per second.
fn by_latency(nanos: Formula) -> Formula {
    lines_under_way().times(64.0 * 1e9).over(nanos)
}

fn rate_of(action: &str, method: &str, size: u64) -> Formula {
    let of = format!("memory.bandwidth.{action}");
    Formula::part(&of, &point(method, size, "1").text())
}

/// One after the other: half the harmonic mean.
fn after_each_other(one: Formula, other: Formula) -> Formula {
    let time = Formula::exactly(1.0)
        .over(one)
        .plus(Formula::exactly(1.0).over(other));
    Formula::exactly(1.0).over(time)
}

/// What a store costs beyond a load where the line comes from far and goes back there.
fn stored(read: Formula) -> Formula {
    let source = "each line comes and goes: 28 to 32 GB/s written where 42 to 45 are read (Zen 5)";
    read.by(Formula::cited(0.68, 1.4, source))
}

/// A store past the caches: nothing comes, and the line goes.
fn stored_past(read: Formula) -> Formula {
    let source = "only one way is used: 44 GB/s where 42 to 45 are read (Zen 5)";
    read.by(Formula::cited(1.0, 1.5, source))
}

/// Beyond the second cache, from how fast it is read and, for a copy, written in two ways.
fn far(action: Action, method: Method, read: Formula, written: Formula, past: Formula) -> Formula {
    match (action, method) {
        (Action::Read, _) => read,
        (Action::Write, Method::NonTemporal) => past,
        (Action::Write, _) => written,
        (Action::Fill, _) => past,
        (
            Action::Copy,
            Method::NonTemporal | Method::NonTemporalPrefetch | Method::String | Method::Library,
        ) => after_each_other(read, past),
        (Action::Copy, _) => after_each_other(read, written),
    }
}

/// Zeros that the hardware recognises: twice as fast where it does.
fn of_content(formula: Formula, content: Content) -> Formula {
    if content == Content::Random {
        return formula;
    }
    let source = "98 GB/s of zeros where 44 of other words are written (Zen 5); the same elsewhere";
    formula.by(Formula::cited(1.4, 1.6, source))
}

/// How much faster all CPUs are than one.
fn of_all(size: usize, one: Formula) -> Formula {
    let all = one.by(Formula::fact("cpus.allowed"));
    if level(size) == Level::First {
        return all;
    }
    let source = "two CPUs read 1.1 to 2 times what one does, by where they lie (Zen 5)";
    let most = "eight channels of DDR5-4800, less a fifth";
    let of = vec![
        all.by(Formula::cited(0.8, 1.35, source)),
        Formula::cited(2.5e11, 2.0, most),
    ];
    Formula::Minimum { of }
}

/// What a point should reach.
pub(super) fn predict(at: &Point, action: Action) -> Prediction {
    let spec = Spec::of(at, action);
    let Some(method) = spec.method else {
        return Prediction::default();
    };
    let (mut told, mut parts) = one_cpu(action, method, spec);
    if at.on_all_cpus() {
        told = of_all(spec.size, told);
        let name = |words: &str| format!("memory.bandwidth.{words}");
        let id = name(match action {
            Action::Read => "read",
            Action::Write => "write",
            Action::Copy => "copy",
            Action::Fill => "fill",
        });
        let single = point(at.get("method").unwrap_or_default(), spec.size as u64, "1");
        parts = Some(of_all(spec.size, Formula::part(&id, &single.text())));
    }
    let name = "what the method moves";
    let terms = |formula| vec![term(Side::Hardware, name, formula)];
    Prediction {
        from_facts: terms(told),
        from_parts: parts.map(terms).unwrap_or_default(),
    }
}

/// For one CPU: from facts, and from parts where there are any.
fn one_cpu(action: Action, method: Method, spec: Spec) -> (Formula, Option<Formula>) {
    let told_hz = || Formula::exactly(1e9).over(Formula::fact("clock.cycle_ns"));
    let measured_hz = || Formula::exactly(1e9).over(measured_cycle());
    let near = |bytes: Formula| (bytes.clone().by(told_hz()), Some(bytes.by(measured_hz())));
    match level(spec.size) {
        Level::First => near(first_cache(action, method)),
        Level::Second => near(Formula::Minimum {
            of: vec![first_cache(action, method), second_cache(action)],
        }),
        at => {
            let nanos = if at == Level::Last {
                Formula::fact("family.l3_cycles").by(Formula::fact("clock.cycle_ns"))
            } else {
                Formula::fact("family.memory_ns")
            };
            let (read, core) = (by_latency(nanos), first_cache(action, method));
            let limited = |formula, hertz| Formula::Minimum {
                of: vec![formula, core.clone().by(hertz)],
            };
            let all = far(
                action,
                method,
                read.clone(),
                stored(read.clone()),
                stored_past(read),
            );
            let told = of_content(limited(all, told_hz()), spec.content);
            let parts = from_parts(action, method, spec.size);
            (
                told,
                Some(of_content(limited(parts, measured_hz()), spec.content)),
            )
        }
    }
}

/// Beyond the second cache from what was measured: latency for the widest read, that read for the rest.
fn from_parts(action: Action, method: Method, size: usize) -> Formula {
    let is_memory = size as u64 == MEMORY;
    let latency = if is_memory {
        "pages=4KiB size=64MiB"
    } else {
        "pages=4KiB size=4MiB"
    };
    let is_first = (action, method) == (Action::Read, Method::Widest);
    if is_first {
        return by_latency(Formula::part("memory.latency", latency));
    }
    let read = rate_of("read", "widest", size as u64);
    let written = if (action, method) == (Action::Write, Method::Widest) {
        stored(read.clone())
    } else {
        rate_of("write", "widest", size as u64)
    };
    let past = if is_memory && (action, method) != (Action::Write, Method::NonTemporal) {
        rate_of("write", "nontemporal", size as u64)
    } else {
        stored_past(read.clone())
    };
    far(action, method, read, written, past)
}
