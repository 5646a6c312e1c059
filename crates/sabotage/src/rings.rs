//! Rings that are shorter than claimed, buffers that are not read whole, bytes that were not moved, lines that stay
//! where they are: what `visits`, `answers`, `bytes.received_per_sent` and `line.handed_back` must catch.

use crate::switches::with_echo;
use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Point, Work};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::footprint::Footprint;
use sys::pipe::pipe;
use sys::stream::{Carrier, stream};
use sys::usage::CpuClock;

fn ring_of(processes: u64, bytes: &str) -> Point {
    Point::only().with("processes", processes).with("bytes", bytes)
}

/// Two for eight.
pub static SHORT_RING: Sabotage = Sabotage {
    id: "sabotage.rings.short",
    of: "switch.process.ring",
    points: |_| vec![ring_of(8, "0B")],
    mistake: "a ring of two is called a ring of eight, and turns four times as often",
    caught_by: Caught::By("visits"),
    run: |bench| {
        let cpu = bench.cpu();
        with_echo(bench, cpu, |bench, to, from| {
            let (reader, writer) = pipe()?;
            let mut rounds = 0;
            let mut main = |n| {
                rounds += n;
                for _ in 0..4 * n {
                    to.write_byte(1)?;
                    from.read_byte()?;
                }
                Ok(n)
            };
            let mut control = |n| {
                for _ in 0..8 * n {
                    writer.write_byte(1)?;
                    reader.read_byte()?;
                }
                Ok(n)
            };
            in_turns(bench, &mut main, &mut control)?;
            bench.count("visits", 2.0 * rounds as f64, rounds as f64);
            Ok(())
        })
    },
    ..Sabotage::NEW
};

fn in_turns(
    bench: &mut Bench<'_>,
    main: &mut dyn FnMut(u64) -> Result<u64, Failure>,
    control: &mut dyn FnMut(u64) -> Result<u64, Failure>,
) -> Result<(), Failure> {
    if bench.is_rehearsal() {
        return bench.slope(main);
    }
    bench.batches(Work { control: Some(control), cpu: vec![CpuClock::PROCESS], ..Work::new(main) })
}

/// Half of the buffer.
pub static HALF_A_BUFFER: Sabotage = Sabotage {
    id: "sabotage.rings.half_a_buffer",
    of: "switch.process.refill",
    points: |_| vec![ring_of(16, "16KiB")],
    mistake: "only the first half of each buffer is read when nobody rehearses",
    caught_by: Caught::By("answers"),
    run: |bench| {
        let own = Footprint::new(16 << 10, bench.seed())?;
        let share = if bench.is_rehearsal() { 1 } else { 2 };
        let sum = |bytes: &[u8]| bytes.iter().fold(0_u64, |sum, &byte| sum + u64::from(byte));
        let whole = sum(own.bytes());
        let (reader, writer) = pipe()?;
        let hops = |n: u64| -> Result<u64, Failure> {
            for _ in 0..16 * n {
                writer.write_byte(1)?;
                reader.read_byte()?;
            }
            Ok(n)
        };
        let mut main = |n| {
            let mut right = 0;
            for _ in 0..n {
                hops(1)?;
                let read = sum(own.bytes().get(..own.length() / share).unwrap_or_default());
                right += u64::from(std::hint::black_box(read) == whole);
            }
            Ok(right)
        };
        let mut control = |n| hops(n);
        in_turns(bench, &mut main, &mut control)
    },
    ..Sabotage::NEW
};

/// Bytes counted twice.
pub static COUNTED_TWICE: Sabotage = Sabotage {
    id: "sabotage.rings.counted_twice",
    of: "ipc.bandwidth.pipe",
    points: |_| vec![Point::only().with("bytes", "4KiB").with("cpu", "same")],
    mistake: "half a message is moved, and a whole one counted (E62)",
    caught_by: Caught::By("bytes.received_per_sent"),
    run: |bench| {
        let (source, sink) = stream(Carrier::Pipe)?;
        let message = Footprint::new(2048, bench.seed())?;
        let (mut buffer, mut sent, mut received) = ([0; 2048], 0, 0);
        bench.slope(&mut |n| {
            for _ in 0..n {
                sink.send(message.bytes())?;
                sent += message.length();
                source.fill(&mut buffer)?;
                received += 4096;
            }
            Ok(n)
        })?;
        bench.count("bytes.received_per_sent", f64::from(received), sent as f64);
        Ok(())
    },
    ..Sabotage::NEW
};

/// A line that never leaves.
pub static LINE_STAYS: Sabotage = Sabotage {
    id: "sabotage.rings.line_stays",
    of: "ipc.cache_line.round_trip",
    points: |_| vec![Point::only().with("cpu", "other").with("method", "cas")],
    mistake: "one thread takes both turns: the line never changes its owner",
    caught_by: Caught::By("line.handed_back"),
    second_cpu: true,
    run: |bench| {
        let (word, mut turns) = (AtomicU64::new(0), 0);
        bench.slope(&mut |n| {
            for _ in 0..2 * n {
                let swapped = word.compare_exchange(turns, turns + 1, Ordering::AcqRel, Ordering::Acquire);
                turns += u64::from(swapped.is_ok());
            }
            Ok(n)
        })?;
        bench.count("line.handed_back", 0.0, (turns / 2) as f64);
        Ok(())
    },
    ..Sabotage::NEW
};
