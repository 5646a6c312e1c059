//! Calls that interrupt the other CPUs of an address space, while threads of it run there.

use crate::barrier::Count;
use crate::threads::{MAX_POLLS, Threads};
use measure::{Bench, Failure, Result, choice, parameters};
use sys::memory::page_size;
use sys::memory_barrier;
use sys::pages::{Advice, Pages};

choice! {
    /// What the main thread calls.
    pub enum Call {
        /// A page is mapped with its memory and unmapped.
        Munmap = "munmap",
        /// A page is made read-only and writable again.
        Mprotect = "mprotect",
        /// A page is freed and written again.
        DontNeed = "dontneed",
        /// A barrier on the CPUs that run a thread of the process.
        Expedited = "membarrier_expedited",
        /// A barrier on all CPUs, after a grace period.
        Global = "membarrier_global",
    }
}

parameters! {
    /// A call while other CPUs run threads of the same memory.
    pub struct Shootdown {
        /// What is called.
        call: Call,
        /// How many other CPUs.
        others: u64,
    }
}

/// Does the call once; whether the page had the content that it must.
type Once = Box<dyn FnMut(u64) -> sys::Result<bool>>;

fn once(call: Call) -> Result<Once> {
    let mut page = Pages::anonymous(page_size())?;
    page.advise(0..page_size(), Advice::PopulateWrite)?;
    Ok(match call {
        Call::Munmap => Box::new(|_| Pages::populated(page_size()).map(|page| page.read(0) == Some(0))),
        Call::Mprotect => Box::new(move |turn| {
            page.protect_and_unprotect()?;
            Ok(page.write(0, turn))
        }),
        Call::DontNeed => Box::new(move |turn| {
            page.advise(0..page_size(), Advice::DontNeed)?;
            Ok(page.read(0) == Some(0) && page.write(0, turn | 1))
        }),
        Call::Expedited => {
            memory_barrier::register_private_expedited()?;
            Box::new(|_| memory_barrier::private_expedited().map(|()| true))
        }
        Call::Global => Box::new(|_| memory_barrier::global().map(|()| true)),
    })
}

/// Times the call of the point while the other CPUs run threads.
///
/// # Errors
/// When there are fewer other CPUs, a thread cannot be made, or a call fails.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let mut once = once(bench.parameters::<Shootdown>()?.call)?;
    beside_threads(bench, &mut once)
}

/// Times a call, given the number of the iteration, while the other CPUs of the point run threads.
///
/// # Errors
/// As [`run`].
pub fn beside_threads(bench: &mut Bench<'_>, once: &mut dyn FnMut(u64) -> sys::Result<bool>) -> Result<()> {
    let others = bench.parameters::<Shootdown>()?.others;
    let mut iterations = 0;
    let mut work = |n: u64| {
        iterations += n;
        let mut right = 0;
        for turn in 0..n {
            right += u64::from(once(turn)?);
        }
        Ok(right)
    };
    if bench.is_rehearsal() || others == 0 {
        return bench.slope(&mut work);
    }
    let cpus = other_cpus(bench, others)?;
    let (threads, stop) = (Threads::new(cpus.len()), Count::default());
    let before = function_calls(&cpus);
    sys::thread::beside_all(
        &cpus,
        |index, pinned| {
            if threads.ready(pinned.map_err(Failure::from)).is_some() {
                run_until(&threads, index, &stop);
            }
        },
        || stop.set(1),
        || {
            let result = threads.wait().and_then(|()| threads.batches(bench, 1, &mut work));
            stop.set(1);
            result
        },
    )??;
    let received = function_calls(&cpus).zip(before).map(|(after, before)| after - before);
    let why = "/proc/interrupts has no row for function call interrupts";
    bench.try_count("interrupts.function_call", received.ok_or(why), iterations as f64);
    Ok(())
}

/// Other CPUs than that of the caller, of other cores first.
fn other_cpus(bench: &Bench<'_>, count: u64) -> Result<Vec<u32>> {
    let all = sys::cpu::allowed_before_pinning()?;
    let own = bench.cpu();
    let others = all.into_iter().filter(|&cpu| Some(cpu) != own);
    let spread = sys::cpu::spread_over_cores(&own.into_iter().chain(others).collect::<Vec<_>>());
    let cpus: Vec<u32> = spread.into_iter().filter(|&cpu| Some(cpu) != own).take(count as usize).collect();
    if cpus.len() as u64 == count {
        return Ok(cpus);
    }
    let reason = format!("{count} other CPUs are needed, {} are allowed", cpus.len());
    Err(Failure::skipped(&reason, "run on a machine with more CPUs, or allow more (taskset, cpuset)"))
}

/// What a thread on another CPU does until it is stopped.
fn run_until(threads: &Threads, index: usize, stop: &Count) {
    for _ in 0..MAX_POLLS {
        if stop.get() != 0 {
            return;
        }
        threads.barrier.arrive(index);
        std::hint::spin_loop();
    }
}

/// Function call interrupts that these CPUs received: the row CAL on x86, an IPI row on other architectures. On x86 it contains
/// those of TLB shootdowns.
fn function_calls(cpus: &[u32]) -> Option<f64> {
    received(&std::fs::read_to_string("/proc/interrupts").ok()?, cpus)
}

fn received(text: &str, cpus: &[u32]) -> Option<f64> {
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next()?.split_whitespace().collect();
    let row = lines.find(|line| line.trim_end().ends_with("Function call interrupts"))?;
    let numbers: Vec<&str> = row.split_whitespace().skip(1).collect();
    cpus.iter()
        .map(|cpu| {
            let column = heads.iter().position(|head| head.strip_prefix("CPU") == Some(&cpu.to_string()))?;
            numbers.get(column)?.parse::<f64>().ok()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const X86: &str = "            CPU0       CPU2       \n  0:  9  9  IO-APIC   2-edge      timer\n\
        CAL:    80    63   Function call interrupts\nTLB:    35   34   TLB shootdowns\n";
    const ARM: &str = "           CPU0       CPU1       \nIPI0:  1  2       Rescheduling interrupts\n\
        IPI1:       100        200       Function call interrupts\n";

    #[test]
    fn interrupts_are_counted_in_the_columns_of_the_cpus() {
        assert_eq!(received(X86, &[2]), Some(63.0));
        assert_eq!(received(X86, &[0, 2]), Some(143.0));
        assert_eq!(received(ARM, &[1]), Some(200.0));
        // No column, and no row: it is not known.
        assert_eq!(received(X86, &[1]), None);
        assert_eq!(received("CPU0\nLOC: 7 Local timer interrupts\n", &[0]), None);
    }

    #[test]
    fn every_call_gives_a_right_answer() {
        for &call in Call::ALL {
            let mut once = once(call).unwrap();
            assert_eq!((once(0), once(7)), (Ok(true), Ok(true)), "{}", call.name());
        }
    }
}
