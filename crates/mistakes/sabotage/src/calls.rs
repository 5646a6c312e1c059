//! Other system calls than declared: what `calls` and `calls.NAME` must catch.

use crate::sabotage::time;
use crate::{Caught, Sabotage};
use measure::{CpuTime, Failure};
use std::process::{Command, Stdio};
use sys::process;
use sys::timer::Timer;
use workloads::os::random::{find, request_by};
use workloads::os::timers::{create_and_delete, set_and_stop};

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.calls.cached",
        of: "syscall.getpid method=raw",
        mistake: "the process id is cached: no system call is made (E01)",
        caught_by: Caught::By("calls.getpid"),
        run: |bench| {
            let kept = process::getpid();
            time(bench, || Ok(std::hint::black_box(kept) == kept))
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.error_path",
        of: "syscall.getppid method=raw",
        mistake: "another call is made, and its error is taken for an answer (E02)",
        caught_by: Caught::By("calls.getppid"),
        run: |bench| time(bench, || Ok(process::unknown_call() < 0)),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.unasked",
        of: "syscall.getppid method=raw",
        mistake: "every iteration makes one more call, an unrequested fallback (E59)",
        caught_by: Caught::By("calls"),
        run: |bench| {
            let own = process::getpid();
            time(bench, || Ok(process::getppid() > -1 && process::getpid() == own))
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.every_second",
        of: "syscall.getppid method=raw",
        mistake: "every second iteration does nothing, and is counted",
        caught_by: Caught::By("calls.getppid"),
        run: |bench| {
            let mut turn = 0_u32;
            time(bench, || {
                turn = turn.wrapping_add(1);
                Ok(turn.is_multiple_of(2) || process::getppid() > -1)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.buffered_random",
        of: "syscall.getrandom",
        mistake: "a buffer of random bytes is filled for every fourth request only",
        caught_by: Caught::By("calls.getrandom"),
        run: |bench| {
            let (mut words, mut turn) = (sys::random::words_from_kernel()?, 0_u64);
            time(bench, || {
                turn += 1;
                if turn.is_multiple_of(4) {
                    words = sys::random::words_from_kernel()?;
                }
                words = words.map(|word| word.rotate_left(1));
                Ok(words != [0; 2])
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.vdso_without_state",
        of: "random.getrandom method=vdso bytes=16B",
        mistake: "the state has another length than the vDSO wants, so that it makes the system call",
        caught_by: Caught::By("calls"),
        run: |bench| {
            let mut random = find()?.with_wrong_length();
            request_by(bench, |bytes| random.fill(bytes))
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.timer_never_set",
        of: "syscall.timer_settime",
        mistake: "the timer is stopped each time and never set",
        caught_by: Caught::By("answers"),
        run: |bench| set_and_stop(bench, 0),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.timers_kept",
        of: "syscall.timer_create_delete",
        mistake: "a timer is deleted only when the next one is made",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let mut kept = None;
            create_and_delete(bench, || {
                let timer = Timer::of_alarm()?;
                let number = timer.number();
                kept = Some(timer);
                Ok(number)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.advised_page_gone",
        of: "mapping.madvise advice=cold",
        mistake: "the page is freed, so that each store faults",
        caught_by: Caught::By("faults.minor"),
        run: |bench| {
            let page = sys::pages::Pages::anonymous(4096)?;
            time(bench, || {
                let written = page.write(0, 1);
                page.advise(0..page.length(), sys::pages::Advice::DontNeed)?;
                Ok(written)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.spawned",
        of: "process.create.fork_wait resident=0B",
        mistake: "the child is made by posix_spawn, which shares the parent's memory and loads another program (E59)",
        caught_by: Caught::By("calls"),
        run: |bench| {
            bench.each(CpuTime::WithChildren, &mut || {
                let status = Command::new("true").stdin(Stdio::null()).status();
                let status = status.map_err(|error| Failure::failed(format!("true: {error}")))?;
                Ok(u64::from(status.success()))
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.waited_twice",
        of: "process.create.fork_wait resident=0B",
        mistake: "the parent waits once more for a child that is gone",
        caught_by: Caught::By("calls.wait4"),
        run: |bench| {
            bench.each(CpuTime::WithChildren, &mut || {
                let child = process::fork_exit(0)?;
                let reaped = process::wait_for(child)?.0 == child;
                Ok(u64::from(reaped && process::wait_for(child).is_err()))
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.calls.forked_by_library",
        of: "process.create.fork_wait resident=0B",
        mistake: "the C library's fork is timed, and what the child does before it ends",
        caught_by: Caught::By("calls"),
        run: |bench| {
            bench.each(CpuTime::WithChildren, &mut || {
                let ended = process::Actor::spawn(None, || 5)?.join()?;
                Ok(u64::from(ended == process::Ended::Exited(5)))
            })
        },
        ..Sabotage::NEW
    },
];
