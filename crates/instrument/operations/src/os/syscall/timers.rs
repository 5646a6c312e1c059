//! POSIX timers: made and deleted, set and stopped.

use super::CARD;
use measure::Operation;
use sys::timer::Timer;
use workloads::os::timers::{HOUR_NS, create_and_delete, set_and_stop};

/// A timer made and deleted.
pub static CREATE_DELETE: Operation = Operation {
    id: "syscall.timer_create_delete",
    title: "timer_create + timer_delete of a POSIX timer",
    one_iteration: "one timer_create of the monotonic clock and one timer_delete",
    method: "Both by the system-call instruction, in a loop. The timer would send SIGALRM and is never set. After each batch its last \
             number must name no timer.",
    confounds: "The timer holds a queued signal, which counts for the user's limit (ulimit -i). It is freed after a grace period of \
                RCU, in part after the call. Other timers of the process lengthen the search for a number.",
    sources: &[("stress-ng", "none: --timer creates one timer")],
    predict: &[
        "floors(2)",
        "software a timer and its signal allocated, numbered, linked = path(900, 14) (×1.8: two objects of slabs, cleared and charged \
         to the user, a number searched in a table, two locks) × cycle_ns",
        "software the timer found, unlinked, handed to RCU = path(700, 12) (×1.8: found by its number, its clock stopped, two locks, \
         references given back) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every timer was deleted, and after each batch the last number named none",
        "calls: timer_create 1, timer_delete 1",
        "undisturbed loop",
    ],
    bounds: &["floors(2)", "less than a tick"],
    run: |bench| create_and_delete(bench, Timer::create_and_delete),
    ..CARD
};

/// A timer set and stopped.
pub static SET: Operation = Operation {
    id: "syscall.timer_settime",
    title: "one timer_settime that sets or stops a POSIX timer",
    one_iteration: "one timer_settime, which must give the time that was left of the setting before",
    method: "timer_settime by the system-call instruction, alternating between an hour and 0, which stops the timer.",
    confounds: "Where the timer is the first of its CPU to expire, the hardware's timer is programmed as well; an hour is behind the tick.",
    sources: &[("stress-ng", "none: --timer sets one periodic timer once and counts its expirations")],
    predict: &[
        "floors(1)",
        "software the timer found, stopped, and queued half of the times = path(450, 6) (×1.8: found by its number, two clock reads, a \
         queue sorted by time under its lock, two copies) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: an hour was left of each setting, and nothing of a stopped timer",
        "calls: timer_settime 1",
        "undisturbed loop",
    ],
    bounds: &["floor", "less than a tick"],
    run: |bench| set_and_stop(bench, HOUR_NS),
    ..CARD
};
