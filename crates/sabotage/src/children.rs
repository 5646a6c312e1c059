//! Children and threads that were not made, or not once: what `children.faults`, `switches` and
//! `calls.exit` must catch.

use crate::{Caught, Sabotage};
use measure::Point;
use sys::thread;

/// No child at all.
pub static NO_CHILD: Sabotage = Sabotage {
    id: "sabotage.children.none",
    of: "process.create.fork_wait",
    points: |_| vec![Point::only().with("resident", "0B")],
    mistake: "no child is made, and one is claimed",
    caught_by: Caught::By("children.faults"),
    run: |bench| bench.each(true, &mut || Ok(1)),
    ..Sabotage::NEW
};

/// A thread for a child.
pub static THREAD: Sabotage = Sabotage {
    id: "sabotage.children.thread",
    of: "process.create.fork_wait",
    points: |_| vec![Point::only().with("resident", "0B")],
    mistake: "a thread is made where a process is declared",
    caught_by: Caught::By("children.faults"),
    run: |bench| bench.each(true, &mut || Ok(thread::create_and_join().map(|()| 1)?)),
    ..Sabotage::NEW
};

/// No thread at all.
pub static NO_THREAD: Sabotage = Sabotage {
    id: "sabotage.children.no_thread",
    of: "thread.create.join",
    mistake: "no thread is made, and one is claimed",
    caught_by: Caught::By("switches"),
    run: |bench| bench.each(false, &mut || Ok(1)),
    ..Sabotage::NEW
};

/// Two threads for one.
pub static TWO_THREADS: Sabotage = Sabotage {
    id: "sabotage.children.two_threads",
    of: "thread.create.join",
    mistake: "two threads are made where one is declared",
    caught_by: Caught::By("calls.exit"),
    run: |bench| {
        bench.each(false, &mut || {
            thread::create_and_join()?;
            Ok(thread::create_and_join().map(|()| 1)?)
        })
    },
    ..Sabotage::NEW
};
