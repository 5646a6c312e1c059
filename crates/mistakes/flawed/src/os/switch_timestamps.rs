//! Switches between processes as they are often measured: by timestamps of both, and without pinning.

use measure::{Bench, Result, Work};
use sys::clock::{Clock, Moment};
use sys::pipe::{ReadEnd, WriteEnd, pipe};
use sys::process::{Actor, Ended};
use sys::sleep::yield_cpu;
use sys::usage::CpuClock;
use workloads::shared_words::SharedWords;

/// Timestamps of a trial.
const TIMESTAMPS: usize = 24;

/// Round trips over two pipes, neither process pinned; two iterations are one of them.
///
/// # Errors
/// When the other process cannot be made or is lost.
pub fn round_trips_unpinned(bench: &mut Bench<'_>) -> Result<()> {
    sys::cpu::unpin()?;
    let (their_input, to) = pipe()?;
    let (from, their_output) = pipe()?;
    let partner = Actor::spawn(None, move || i32::from(!echo(&their_input, &their_output)))?;
    let cpu = vec![CpuClock::THREAD, CpuClock::of_process(partner.pid())];
    time_round_trips(bench, cpu, &to, &from)
}

/// The same between two threads.
///
/// # Errors
/// When the other thread cannot be made or is lost.
pub fn thread_round_trips_unpinned(bench: &mut Bench<'_>) -> Result<()> {
    sys::cpu::unpin()?;
    let (their_input, to) = pipe()?;
    let (from, their_output) = pipe()?;
    sys::thread::beside(
        None,
        move || {
            echo(&their_input, &their_output);
        },
        || {
            let result = time_round_trips(bench, vec![CpuClock::PROCESS], &to, &from);
            // The other thread ends when its pipe is closed.
            drop(to);
            result
        },
    )?
}

/// Sends every byte back until the pipe is closed; false when a byte could not be sent.
fn echo(input: &ReadEnd, output: &WriteEnd) -> bool {
    while let Ok(byte) = input.read_byte() {
        if output.write_byte(byte).is_err() {
            return false;
        }
    }
    true
}

/// Batches of round trips, of which two iterations are one.
fn time_round_trips(bench: &mut Bench<'_>, cpu: Vec<CpuClock>, to: &WriteEnd, from: &ReadEnd) -> Result<()> {
    bench.batches(Work {
        multiple_of: 2,
        cpu,
        ..Work::new(&mut |n| {
            let mut right = 0;
            for turn in 0..n / 2 {
                let byte = turn as u8;
                to.write_byte(byte)?;
                right += 2 * u64::from(from.read_byte()? == byte);
            }
            Ok(right)
        })
    })
}

/// From before a write to a pipe until another process has read the byte and the clock.
///
/// # Errors
/// When the other process cannot be made or is lost.
pub fn one_way(bench: &mut Bench<'_>) -> Result<()> {
    let (their_input, to) = pipe()?;
    let (from, their_output) = pipe()?;
    let page = SharedWords::new(1)?;
    let clock = Clock::select();
    let their_page = &page;
    let partner = Actor::spawn(bench.peer_cpu(), move || {
        while let Ok(byte) = their_input.read_byte() {
            their_page.set(0, clock.stop().cast_unsigned());
            if their_output.write_byte(byte).is_err() {
                return 1;
            }
        }
        0
    })?;
    timestamps(bench, clock, &mut || {
        let before = clock.start();
        to.write_byte(1)?;
        let answered = from.read_byte()? == 1;
        Ok(answered.then(|| page.get(0).cast_signed() - before))
    })?;
    // It holds ends of both pipes and would never see them close: end it.
    drop(partner);
    Ok(())
}

/// From before the wait for a forked child until the child has read the clock.
///
/// # Errors
/// When the other process cannot be made or is lost.
pub fn fork_until_child_runs(bench: &mut Bench<'_>) -> Result<()> {
    let page = SharedWords::new(1)?;
    let clock = Clock::select();
    let cpu = bench.cpu();
    timestamps(bench, clock, &mut || {
        let child = Actor::spawn(cpu, || {
            page.set(0, clock.stop().cast_unsigned());
            0
        })?;
        let before = clock.start();
        let ended = child.join()?;
        Ok((ended == Ended::Exited(0)).then(|| page.get(0).cast_signed() - before))
    })
}

/// From before a write to a pipe and a wait until a newly forked child has read the byte and the clock.
///
/// # Errors
/// When the other process cannot be made or is lost.
pub fn write_until_newborn_reads(bench: &mut Bench<'_>) -> Result<()> {
    let (page, clock, cpu) = (SharedWords::new(1)?, Clock::select(), bench.cpu());
    timestamps(bench, clock, &mut || {
        let (input, output) = pipe()?;
        let child = Actor::spawn(cpu, || {
            let came = input.read_byte();
            page.set(0, clock.stop().cast_unsigned());
            i32::from(came.is_err())
        })?;
        let before = clock.start();
        output.write_byte(1)?;
        let ended = child.join()?;
        Ok((ended == Ended::Exited(0)).then(|| page.get(0).cast_signed() - before))
    })
}

/// From right after a write to a pipe until just before a newly forked child reads the pipe.
///
/// # Errors
/// When the other process cannot be made or is lost.
pub fn written_until_newborn_would_read(bench: &mut Bench<'_>) -> Result<()> {
    let (page, clock, cpu) = (SharedWords::new(1)?, Clock::select(), bench.cpu());
    timestamps(bench, clock, &mut || {
        let (input, output) = pipe()?;
        let child = Actor::spawn(cpu, || {
            page.set(0, clock.stop().cast_unsigned());
            i32::from(input.read_byte().is_err())
        })?;
        output.write_byte(1)?;
        let before = clock.start();
        let ended = child.join()?;
        Ok((ended == Ended::Exited(0)).then(|| page.get(0).cast_signed() - before))
    })
}

/// sched_yield beside another process that yields, neither pinned.
///
/// # Errors
/// When the other process cannot be made or is lost.
pub fn yields_unpinned(bench: &mut Bench<'_>) -> Result<()> {
    sys::cpu::unpin()?;
    let page = SharedWords::new(1)?;
    let partner = Actor::spawn(None, || {
        while page.get(0) == 0 && yield_cpu().is_ok() {}
        0
    })?;
    bench.slope(&mut |n| Ok((0..n).filter(|_| yield_cpu().is_ok()).count() as u64))?;
    page.set(0, 1);
    partner.join()?;
    Ok(())
}

/// Samples differences of timestamps, in nanoseconds; a missing timestamp is a missing answer.
fn timestamps(
    bench: &mut Bench<'_>,
    clock: Clock,
    once: &mut dyn FnMut() -> Result<Option<i64>>,
) -> Result<()> {
    let began: Moment = clock.moment();
    once()?;
    let ticks = bench.watched(|| (0..TIMESTAMPS).map(|_| once()).collect::<Result<Vec<_>, _>>())?;
    let scale = clock.nanos_per_tick(began, clock.moment());
    let samples: Vec<f64> = ticks.into_iter().flatten().map(|ticks| ticks as f64 * scale).collect();
    bench.count("answers", samples.len() as f64, TIMESTAMPS as f64);
    let cpus = sys::process::cpus_of_actors().map(|cpus| cpus.len() as f64);
    bench.try_count("actors.cpus", cpus.ok_or("/proc does not show the last CPU of a task"), 1.0);
    bench.values(samples);
    Ok(())
}
