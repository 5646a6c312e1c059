//! Switches that do not happen, or happen elsewhere: what `switches`, `switches.voluntary` and the gate
//! must catch.

use crate::placement::another_cpu;
use crate::sabotage::repeat;
use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Result, Work};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use sys::pipe::{ReadEnd, WriteEnd, pipe};
use sys::usage::CpuClock;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.switches.alone",
        of: "ipc.pipe.round_trip cpu=same",
        mistake: "one task does both sides: every call is made, and there is no context switch (E39)",
        caught_by: Caught::By("switches"),
        run: |bench| {
            let (reader, writer) = pipe()?;
            bench.slope(&mut |n| hop(2 * n, &writer, &reader).map(|()| n))
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.switches.two_at_once",
        of: "ipc.pipe.round_trip cpu=same",
        mistake: "the second byte is sent before the first came back: a wake-up finds its peer awake (E54)",
        caught_by: Caught::By("switches"),
        run: |bench| {
            let mut is_first = false;
            round_trips(bench, bench.peer_cpu(), |to, from| {
                is_first = !is_first;
                for _ in 0..2 {
                    if is_first { to.write_byte(1) } else { from.read_byte().map(drop) }?;
                }
                Ok(true)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.switches.other_cpu",
        of: "ipc.pipe.round_trip cpu=same",
        mistake: "the partner is on another CPU, and the same one is claimed (E38)",
        caught_by: Caught::By("actors.cpus"),
        second_cpu: true,
        run: |bench| {
            let cpu = Some(another_cpu(bench)?);
            round_trips(bench, cpu, |to, from| hop(1, to, from).map(|()| true))
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.switches.thread",
        of: "ipc.pipe.round_trip cpu=same",
        mistake: "the partner is a thread: every call and every switch is made, and no address space changes",
        caught_by: Caught::By("actors.processes"),
        run: |bench| {
            round_trips(bench, bench.peer_cpu(), |to, from| {
                to.write_byte(1)?;
                Ok(from.read_byte()? == 1)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.switches.reply_kept",
        of: "ipc.pipe.round_trip cpu=same",
        mistake: "two messages are in flight: every reply answers the message before",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let mut words = (4..68).cycle();
            let mut earlier = Some(100);
            round_trips(bench, bench.peer_cpu(), |to, from| {
                earlier.take().map_or(Ok(()), |word| to.write_byte(word))?;
                let word = words.next().unwrap_or(4);
                to.write_byte(word)?;
                Ok(from.read_byte()? == word)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.switches.spinning",
        of: "switch.thread.futex cpu=other",
        mistake: "both sides spin on the word instead of sleeping: there is no wake-up",
        caught_by: Caught::By("switches"),
        second_cpu: true,
        run: |bench| {
            let (ping, pong) = (AtomicU32::new(0), AtomicU32::new(0));
            sys::thread::beside(
                bench.peer_cpu(),
                || {
                    for turn in 1..LAST {
                        if !watch(&ping, turn) {
                            return;
                        }
                        pong.store(turn, Ordering::Release);
                    }
                },
                || {
                    let mut turn = 0;
                    let result = bench.batches(Work {
                        control: Some(&mut |n| {
                            (0..n).for_each(|_| std::hint::spin_loop());
                            Ok(n)
                        }),
                        cpu: vec![CpuClock::PROCESS],
                        ..Work::new(&mut |n| {
                            for _ in 0..n {
                                turn += 1;
                                ping.store(turn, Ordering::Release);
                                watch(&pong, turn);
                            }
                            Ok(n)
                        })
                    });
                    ping.store(LAST, Ordering::Release);
                    result
                },
            )?
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.switches.nobody_to_yield_to",
        of: "switch.process.yield cpu=same",
        mistake: "the partner sleeps all the time: every yield returns without a switch (E53)",
        caught_by: Caught::By("switches"),
        run: |bench| {
            let yields = |n, times| {
                let taken = (0..times * n).filter(|_| sys::sleep::yield_cpu().is_ok());
                Ok(taken.count() as u64 / times)
            };
            bench.batches(Work { control: Some(&mut |n| yields(n, 2)), ..Work::new(&mut |n| yields(n, 3)) })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.switches.sleeps_in_a_call",
        of: "syscall.pipe.self",
        mistake: "every 16th iteration sleeps for a microsecond outside the rehearsal",
        caught_by: Caught::By("switches.voluntary"),
        run: |bench| {
            let rehearsal = bench.is_rehearsal();
            let (reader, writer) = pipe()?;
            bench.slope(&mut |n| {
                for turn in 0..n {
                    hop(1, &writer, &reader)?;
                    if !rehearsal && turn % 16 == 0 {
                        std::thread::sleep(Duration::from_micros(1));
                    }
                }
                Ok(n)
            })
        },
        ..Sabotage::NEW
    },
];

/// Sends a byte into one end and takes it from the other, this many times.
pub(crate) fn hop(times: u64, to: &WriteEnd, from: &ReadEnd) -> Result<()> {
    for _ in 0..times {
        to.write_byte(1)?;
        from.read_byte()?;
    }
    Ok(())
}

/// Times an even number of round trips to an echo on a CPU; `once` says whether the answer was right.
fn round_trips(
    bench: &mut Bench<'_>,
    cpu: Option<u32>,
    mut once: impl FnMut(&WriteEnd, &ReadEnd) -> Result<bool>,
) -> Result<()> {
    with_echo(bench, cpu, |bench, to, from| {
        bench.batches(Work {
            multiple_of: 2,
            cpu: vec![CpuClock::PROCESS],
            ..Work::new(&mut |n| repeat(n, || once(to, from)))
        })
    })
}

/// A thread that sends every byte back, while `lead` uses the two ends.
pub(crate) fn with_echo(
    bench: &mut Bench<'_>,
    cpu: Option<u32>,
    lead: impl FnOnce(&mut Bench<'_>, &WriteEnd, &ReadEnd) -> Result<()>,
) -> Result<()> {
    let (their_input, to) = pipe()?;
    let (from, their_output) = pipe()?;
    sys::thread::beside(
        cpu,
        move || {
            while let Ok(byte) = their_input.read_byte() {
                if byte == QUIT || their_output.write_byte(byte).is_err() {
                    return;
                }
            }
        },
        || {
            let result = lead(bench, &to, &from);
            let ended = to.write_byte(QUIT);
            result.and(ended.map_err(Failure::from))
        },
    )?
}

/// The byte that ends the echo.
const QUIT: u8 = 3;

/// The value that ends the partner; no batch comes so far.
const LAST: u32 = u32::MAX;

/// Spins until the word holds `turn`; false when it is over.
fn watch(word: &AtomicU32, turn: u32) -> bool {
    // Some seconds: a partner that is gone must not be waited for.
    for _ in 0..1_000_000_000_u64 {
        match word.load(Ordering::Acquire) {
            LAST => return false,
            now if now == turn => return true,
            _ => std::hint::spin_loop(),
        }
    }
    false
}
