//! The parts of a declaration in words.

use measure::{Actors, Area, How, Point, Rehearse};
use quantity::{Bytes, Quantity, show_bytes, show_percent};
use record::{Gate, Need};

/// Points beyond this many are not listed one by one.
const LISTED: usize = 12;

/// Text that can stand in a cell of a table.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// The heading of an area.
pub fn area_title(area: Area) -> &'static str {
    match area {
        Area::Cpu => "Processor (`cpu`)",
        Area::Os => "Services of the kernel (`os`)",
        Area::Memory => "Memory (`memory`)",
        Area::Network => "Network (`network`)",
        Area::File => "Files (`file`)",
    }
}

/// What is measured, and in which unit a record keeps it.
pub fn quantity(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Latency => "latency, in ns",
        Quantity::Bandwidth => "bandwidth, in bytes per second",
        Quantity::Size => "size, in bytes",
        Quantity::Count => "count",
        Quantity::Frequency => "frequency, in Hz",
        Quantity::Ratio => "ratio",
    }
}

pub fn actors(actors: Actors) -> &'static str {
    match actors {
        Actors::One => "one thread",
        Actors::TwoThreads => "two threads of one process",
        Actors::TwoProcesses => "two processes",
        Actors::Children => "one process, and children that it makes and waits for",
    }
}

/// How samples are made.
pub fn how(how: How) -> String {
    match how {
        How::Slope => "slope over batches of n, 2n and 4n iterations".to_owned(),
        How::SlopeLessControl { per } => format!(
            "slope over batches of n, 2n and 4n iterations, less that of the control, divided by the counted `{per}`"
        ),
        How::Each => "every iteration timed by itself".to_owned(),
        How::Values => "values of the operation's own, which are no times of iterations".to_owned(),
    }
}

/// What sets batches aside.
pub fn gate(gate: &Gate) -> String {
    let share = gate.cpu_share.map(|share| {
        format!(
            "batches whose actors had a CPU for less than {}",
            show_percent(share)
        )
    });
    let involuntary = gate
        .involuntary
        .then(|| "batches with an involuntary switch of the main actor".to_owned());
    let causes: Vec<String> = [share, involuntary].into_iter().flatten().collect();
    if causes.is_empty() {
        "nothing".to_owned()
    } else {
        causes.join("; ")
    }
}

/// When samples are taken.
pub fn trigger(gate: &Gate) -> String {
    match gate.shared_core {
        Some(factor) => {
            format!("a quiet core: probes at most {factor} times as long as while nobody else uses it")
        }
        None => "none: samples are taken whatever the state of the core".to_owned(),
    }
}

/// What the rehearsal looks at.
pub fn rehearsal(rehearse: Rehearse) -> &'static str {
    match rehearse {
        Rehearse::Calls => "system calls per iteration",
        Rehearse::CallsAndInstructions => "system calls and instructions per iteration",
        Rehearse::Nothing => "none: the operation watches time itself",
    }
}

/// What a point needs.
pub fn need(need: &Need) -> String {
    match need {
        Need::SecondCpu => "a second CPU".to_owned(),
        Need::SiblingCpu => "a CPU that shares the core of the first".to_owned(),
        Need::RemoteCpu => "a CPU on another memory node".to_owned(),
        Need::Peer => "a peer (`oscope serve` on another machine)".to_owned(),
        Need::RemoteDirectory => "a directory on a mounted remote file system (`--remote-dir`)".to_owned(),
        Need::ServerCache => {
            "a peer on the file server that may empty the cache there (`oscope serve --allow-drop-caches`)"
                .to_owned()
        }
        Need::Directory => "a directory for its files (`--dir`)".to_owned(),
        Need::Pinning => "the right to choose its CPU".to_owned(),
        Need::Memory { bytes } => format!("{} of memory", show_bytes(Bytes::from_bytes(*bytes))),
        Need::Architecture { name } => format!("a processor of the architecture {name}"),
    }
}

/// The points by name; of a long sweep its ends.
pub fn points(points: &[Point]) -> String {
    let name = |point: &Point| match point.text().as_str() {
        "" => "the operation itself".to_owned(),
        text => format!("`{text}`"),
    };
    let mut names: Vec<String> = points.iter().map(name).collect();
    if names.len() > LISTED {
        names.splice(LISTED - 2..names.len() - 1, ["…".to_owned()]);
    }
    names.join(", ")
}

/// Counts at and above this stand for "no limit".
const UNLIMITED: f64 = 1e9;

/// What a witness expects.
pub fn expectation(low: f64, high: f64) -> String {
    match (plain(low), plain(high)) {
        _ if low == 0.0 && high == 0.0 => "none".to_owned(),
        (low, high) if low == high => format!("exactly {low}"),
        (low, _) if high >= UNLIMITED => format!("at least {low}"),
        (_, high) if low <= 0.0 => format!("at most {high}"),
        (low, high) => format!("{low} to {high}"),
    }
}

/// A declared number without the dust of binary fractions.
fn plain(value: f64) -> String {
    ((value * 1e6).round() / 1e6).to_string()
}

/// On which side of a bound no result is.
pub fn bound_limits(lower: bool) -> &'static str {
    if lower { "smaller" } else { "larger" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_in_words() {
        for (low, high, expected) in [
            (1.0, 1.0, "exactly 1"),
            (0.0, 0.0, "none"),
            (-0.01, 0.01, "at most 0.01"),
            (17.0 + 2.99, 17.0 + 3.01, "19.99 to 20.01"),
            (2_000.0, 1e9, "at least 2000"),
        ] {
            assert_eq!(expectation(low, high), expected);
        }
    }

    #[test]
    fn long_sweeps_show_their_ends() {
        let many: Vec<Point> = (0..40).map(|n| Point::only().with("n", n)).collect();
        let text = points(&many);
        assert_eq!(text.split(", ").count(), LISTED);
        assert!(
            text.starts_with("`n=0`, ") && text.ends_with(", …, `n=39`"),
            "{text}"
        );
        assert_eq!(points(&[Point::only()]), "the operation itself");
    }

    #[test]
    fn a_gate_names_its_causes() {
        let none = Gate {
            cpu_share: None,
            involuntary: false,
            shared_core: None,
        };
        assert_eq!(gate(&none), "nothing");
        let both = Gate {
            cpu_share: Some(0.97),
            involuntary: true,
            ..none
        };
        assert!(gate(&both).contains("97 %; batches with an involuntary"));
        assert!(trigger(&none).starts_with("none"));
        let triggered = Gate {
            shared_core: Some(1.08),
            ..none
        };
        assert!(trigger(&triggered).contains("1.08 times") && gate(&triggered) == "nothing");
    }
}
