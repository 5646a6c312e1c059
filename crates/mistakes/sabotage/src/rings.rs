//! Rings that are shorter than claimed, buffers that are read in part, bytes that were not moved, and a cache line that is not
//! handed over: what `visits`, `answers`, `bytes.received_per_sent` and `line.handed_back` must catch.

use crate::sabotage::repeat;
use crate::switches::{hop, with_echo};
use crate::{Caught, Sabotage};
use measure::{Bench, Result, Work};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::footprint::Footprint;
use sys::pipe::{Carrier, pipe, stream};
use sys::usage::CpuClock;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.rings.short",
        of: "switch.process.ring processes=8 bytes=0B",
        mistake: "a ring of two processes does four times as many rounds, and eight processes are claimed",
        caught_by: Caught::By("visits"),
        run: |bench| {
            let cpu = bench.cpu();
            with_echo(bench, cpu, |bench, to, from| {
                let (reader, writer) = pipe()?;
                let mut rounds = 0;
                alternate(
                    bench,
                    &mut |n| {
                        rounds += n;
                        hop(4 * n, to, from).map(|()| n)
                    },
                    &mut |n| hop(8 * n, &writer, &reader).map(|()| n),
                )?;
                bench.count("visits", 2.0 * rounds as f64, rounds as f64);
                Ok(())
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.rings.half_a_buffer",
        of: "switch.process.refill processes=16 bytes=16KiB",
        mistake: "only the first half of each buffer is read outside the rehearsal",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let own = Footprint::new(16 << 10, bench.seed())?;
            let share = if bench.is_rehearsal() { 1 } else { 2 };
            let sum = |bytes: &[u8]| bytes.iter().fold(0_u64, |sum, &byte| sum + u64::from(byte));
            let whole = sum(own.bytes());
            let (reader, writer) = pipe()?;
            alternate(
                bench,
                &mut |n| {
                    repeat(n, || {
                        hop(16, &writer, &reader)?;
                        let read = sum(own.bytes().get(..own.length() / share).unwrap_or_default());
                        Ok(std::hint::black_box(read) == whole)
                    })
                },
                &mut |n| hop(16 * n, &writer, &reader).map(|()| n),
            )
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.rings.counted_twice",
        of: "ipc.bandwidth.pipe bytes=4KiB cpu=same",
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
    },
    Sabotage {
        id: "sabotage.rings.line_stays",
        of: "ipc.cache_line.round_trip cpu=other method=cas",
        mistake: "one thread takes both turns: the cache line never changes its owner",
        caught_by: Caught::By("line.handed_back"),
        second_cpu: true,
        run: |bench| {
            let (word, mut turns) = (AtomicU64::new(0), 0);
            bench.slope(&mut |n| {
                for _ in 0..2 * n {
                    let swapped =
                        word.compare_exchange(turns, turns + 1, Ordering::AcqRel, Ordering::Acquire);
                    turns += u64::from(swapped.is_ok());
                }
                Ok(n)
            })?;
            bench.count("line.handed_back", 0.0, (turns / 2) as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
];

type Batch<'w> = &'w mut dyn FnMut(u64) -> Result<u64>;

fn alternate(bench: &mut Bench<'_>, main: Batch<'_>, control: Batch<'_>) -> Result<()> {
    if bench.is_rehearsal() {
        return bench.slope(main);
    }
    bench.batches(Work { control: Some(control), cpu: vec![CpuClock::PROCESS], ..Work::new(main) })
}
