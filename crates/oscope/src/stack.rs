//! Room on the stack: where the limit on it (`ulimit -s`) is below what a command takes, the kernel would end the program
//! without a word.

use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

/// Bytes of stack that every command has, whatever the limit: the usual one.
const ROOM: usize = 8 << 20;

/// Time until a thread that was joined is gone from the kernel's list, in steps of a millisecond.
const STEPS: u32 = 100;

/// Does work where it has room: on this thread, if the limit on its stack allows it, otherwise on one with a stack of its
/// own; on this one after all where no thread can be started.
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match sys::limits::stack() {
        Some(limit) if limit < ROOM as u64 => on_own_stack(work),
        _ => work(),
    }
}

fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut done) = (Some(work), None);
    let result = thread::scope(|scope| {
        thread::Builder::new()
            .stack_size(ROOM)
            .spawn_scoped(scope, || done = work.take().map(|work| work()))
            .map(thread::ScopedJoinHandle::join)
    });
    wait_until_alone();
    match (done, work, result) {
        (Some(done), ..) => done,
        (None, Some(work), _) => work(),
        (None, None, Ok(Err(panic))) => resume_unwind(panic),
        (None, None, _) => resume_unwind(Box::new("the thread ended without a result")),
    }
}

/// Waits until this process has one thread again: the kernel refuses a new user namespace to others (unshare(2)).
fn wait_until_alone() {
    for _ in 0..STEPS {
        if std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count) <= 1 {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_has_more_stack_than_a_limit_leaves() {
        /// A frame of 64 KiB for each level.
        fn deep(levels: usize) -> usize {
            let frame = std::hint::black_box([levels as u8; 64 << 10]);
            if levels == 0 { 0 } else { deep(levels - 1) + usize::from(frame[levels] == levels as u8) }
        }
        // Four MiB, more than the stack of a test's thread.
        assert_eq!(on_own_stack(|| deep(64)), 64);
        assert_eq!(with_room(|| 7), 7);
    }
}
