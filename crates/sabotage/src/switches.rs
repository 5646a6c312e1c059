//! Switches that do not happen, or happen elsewhere: what `switches`, `switches.voluntary` and the gate
//! must catch.

use crate::placement::another_cpu;
use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Point, Work};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use sys::pipe::{ReadEnd, WriteEnd, pipe};
use sys::usage::CpuClock;

/// Both sides of a ping-pong by one task.
pub static ALONE: Sabotage = Sabotage {
    id: "sabotage.switches.alone",
    of: "ipc.pipe.round_trip",
    points: |_| vec![Point::only().with("cpu", "same")],
    mistake: "one task does both sides: every call is made, and nobody hands the CPU over (E39)",
    caught_by: Caught::By("switches"),
    run: |bench| {
        let (reader, writer) = pipe()?;
        bench.slope(&mut |n| {
            for _ in 0..2 * n {
                writer.write_byte(1)?;
                reader.read_byte()?;
            }
            Ok(n)
        })
    },
    ..Sabotage::NEW
};

/// Two round trips at once.
pub static TWO_AT_ONCE: Sabotage = Sabotage {
    id: "sabotage.switches.two_at_once",
    of: "ipc.pipe.round_trip",
    points: |_| vec![Point::only().with("cpu", "same")],
    mistake: "the second byte is sent before the first came back: a wake-up finds its peer awake (E54)",
    caught_by: Caught::By("switches"),
    run: |bench| {
        let cpu = bench.peer_cpu();
        with_echo(bench, cpu, |bench, to, from| {
            exchange(bench, 2, &mut |n| {
                for _ in 0..n / 2 {
                    to.write_byte(1)?;
                    to.write_byte(1)?;
                    from.read_byte()?;
                    from.read_byte()?;
                }
                Ok(n)
            })
        })
    },
    ..Sabotage::NEW
};

/// A partner on another CPU than declared.
pub static OTHER_CPU: Sabotage = Sabotage {
    id: "sabotage.switches.other_cpu",
    of: "ipc.pipe.round_trip",
    points: |_| vec![Point::only().with("cpu", "same")],
    mistake: "the partner is on another CPU, and the same one is claimed (E38)",
    caught_by: Caught::By("actors.cpus"),
    second_cpu: true,
    run: |bench| {
        let cpu = Some(another_cpu(bench)?);
        with_echo(bench, cpu, |bench, to, from| {
            exchange(bench, 1, &mut |n| {
                for _ in 0..n {
                    to.write_byte(1)?;
                    from.read_byte()?;
                }
                Ok(n)
            })
        })
    },
    ..Sabotage::NEW
};

/// A thread in the place of the other process.
pub static THREAD: Sabotage = Sabotage {
    id: "sabotage.switches.thread",
    of: "ipc.pipe.round_trip",
    points: |_| vec![Point::only().with("cpu", "same")],
    mistake: "the partner is a thread: every call and every switch is made, and no address space changes",
    caught_by: Caught::By("actors.processes"),
    run: |bench| {
        let cpu = bench.peer_cpu();
        with_echo(bench, cpu, |bench, to, from| {
            exchange(bench, 1, &mut |n| {
                let mut right = 0;
                for _ in 0..n {
                    to.write_byte(1)?;
                    right += u64::from(from.read_byte()? == 1);
                }
                Ok(right)
            })
        })
    },
    ..Sabotage::NEW
};

/// A reply that was kept from an earlier turn.
pub static REPLY_KEPT: Sabotage = Sabotage {
    id: "sabotage.switches.reply_kept",
    of: "ipc.pipe.round_trip",
    points: |_| vec![Point::only().with("cpu", "same")],
    mistake: "two messages are in flight, and every answer is that to the message before",
    caught_by: Caught::By("answers"),
    run: |bench| {
        let cpu = bench.peer_cpu();
        with_echo(bench, cpu, |bench, to, from| {
            to.write_byte(100)?;
            exchange(bench, 1, &mut |n| {
                let mut right = 0;
                for turn in 0..n {
                    let word = 4 + (turn % 64) as u8;
                    to.write_byte(word)?;
                    right += u64::from(from.read_byte()? == word);
                }
                Ok(right)
            })
        })
    },
    ..Sabotage::NEW
};

/// Yields with nobody to yield to.
pub static NOBODY_TO_YIELD_TO: Sabotage = Sabotage {
    id: "sabotage.switches.nobody_to_yield_to",
    of: "switch.process.yield",
    points: |_| vec![Point::only().with("cpu", "same")],
    mistake: "the partner sleeps all the time: every yield comes back to who made it (E53)",
    caught_by: Caught::By("switches"),
    run: |bench| {
        let mut main = |n| {
            let taken = (0..3 * n).filter(|_| sys::sleep::yield_cpu().is_ok());
            Ok(taken.count() as u64 / 3)
        };
        let mut control = |n| {
            let taken = (0..2 * n).filter(|_| sys::sleep::yield_cpu().is_ok());
            Ok(taken.count() as u64 / 2)
        };
        bench.batches(Work { control: Some(&mut control), ..Work::new(&mut main) })
    },
    ..Sabotage::NEW
};

fn exchange(
    bench: &mut Bench<'_>,
    multiple_of: u64,
    main: &mut dyn FnMut(u64) -> Result<u64, Failure>,
) -> Result<(), Failure> {
    bench.batches(Work { multiple_of, cpu: vec![CpuClock::PROCESS], ..Work::new(main) })
}

/// A thread that sends every byte back, while `lead` uses the two ends.
pub(crate) fn with_echo(
    bench: &mut Bench<'_>,
    cpu: Option<u32>,
    lead: impl FnOnce(&mut Bench<'_>, &WriteEnd, &ReadEnd) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (their_input, to) = pipe()?;
    let (from, their_output) = pipe()?;
    let echo = move || {
        while let Ok(byte) = their_input.read_byte() {
            if byte == QUIT || their_output.write_byte(byte).is_err() {
                return;
            }
        }
    };
    sys::thread::beside(cpu, echo, || {
        let result = lead(bench, &to, &from);
        let ended = to.write_byte(QUIT);
        result.and(ended.map_err(Failure::from))
    })?
}

/// The byte that ends the echo.
const QUIT: u8 = 3;

/// A partner that spins.
pub static SPINNING: Sabotage = Sabotage {
    id: "sabotage.switches.spinning",
    of: "switch.thread.futex",
    points: |_| vec![Point::only().with("cpu", "other")],
    mistake: "both sides watch the word instead of sleeping: nobody is woken",
    caught_by: Caught::By("switches"),
    second_cpu: true,
    run: |bench| {
        let (ping, pong) = (AtomicU32::new(0), AtomicU32::new(0));
        let answer = || {
            for turn in 1..LAST {
                if !watch(&ping, turn) {
                    return;
                }
                pong.store(turn, Ordering::Release);
            }
        };
        sys::thread::beside(bench.peer_cpu(), answer, || {
            let mut turn = 0;
            let mut main = |n| {
                for _ in 0..n {
                    turn += 1;
                    ping.store(turn, Ordering::Release);
                    watch(&pong, turn);
                }
                Ok(n)
            };
            let mut control = |n| {
                (0..n).for_each(|_| std::hint::spin_loop());
                Ok(n)
            };
            let result = bench.batches(Work {
                control: Some(&mut control),
                cpu: vec![CpuClock::PROCESS],
                ..Work::new(&mut main)
            });
            ping.store(LAST, Ordering::Release);
            result
        })?
    },
    ..Sabotage::NEW
};

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

/// A call that waits where nobody may wait.
pub static SLEEPS_IN_A_CALL: Sabotage = Sabotage {
    id: "sabotage.switches.sleeps_in_a_call",
    of: "syscall.pipe.self",
    mistake: "every 16th iteration sleeps for a microsecond when it is not watched",
    caught_by: Caught::By("switches.voluntary"),
    run: |bench| {
        let rehearsal = bench.is_rehearsal();
        let (reader, writer) = pipe()?;
        bench.slope(&mut |n| {
            for turn in 0..n {
                writer.write_byte(1)?;
                reader.read_byte()?;
                if !rehearsal && turn % 16 == 0 {
                    std::thread::sleep(Duration::from_micros(1));
                }
            }
            Ok(n)
        })
    },
    ..Sabotage::NEW
};
