//! One message to another process and one back, over everything that carries messages.

use crate::exchange::{self, EventCounters, Fifos, Pipes, PosixQueues, SystemVQueues, SystemVSemaphores};
use crate::exchange::{UnixDatagrams, UnixStreams};
use measure::{Actors, Area, Operation, Point};

const ROUND_TRIP: Operation = Operation {
    area: Area::Os,
    one_iteration: "send one byte, take the byte that the other process sends back",
    confounds: "Placement is everything: another CPU costs up to ten times as much because a sleeping CPU must be \
                woken. Unpinned, the scheduler chooses, and tools report either.",
    actors: Actors::TwoProcesses,
    points: |_| Point::placements(),
    revision: 2,
    ..Operation::NEW
};

/// One byte at each placement, and on one CPU, where nothing overlaps, a page and what a pipe holds.
fn lengths() -> Vec<Point> {
    Point::all("cpu=same|other|sibling|node; cpu=same bytes=4KiB|64KiB")
}

/// Round trip over two pipes.
pub static PIPE: Operation = Operation {
    id: "ipc.pipe.round_trip",
    revision: 3,
    title: "round trip over two pipes",
    one_iteration: "write a message, read the message that the other process sends back",
    method: "Two processes and two pipes. On one CPU nothing overlaps: the round trip is four system calls and two \
             switches. On two CPUs each side is woken from idle. Messages have one byte where the point says nothing.",
    sources: &[
        ("lmbench", "lat_pipe, unpinned"),
        ("perf bench", "sched pipe: four bytes"),
        ("UnixBench", "context1: four bytes"),
        (
            "R2",
            "round trips over pipes, unpinned, called a context switch (E38)",
        ),
    ],
    points: |_| lengths(),
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 what the calls do = 2 × pipe_message × cycle_ns",
        "software t1 the calls of both sides, by one task = 2 × [syscall.pipe.self]",
        "software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
        "copies of messages",
    ],
    evidence: &[
        "every word came back",
        "cpu=same: linear",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: write 2, read 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    bounds: &["calls of a message([syscall.pipe.self])"],
    headline: &[("cpu=same", "pipe round trip, same CPU")],
    run: exchange::round_trips::<Pipes>,
    ..ROUND_TRIP
};

/// Round trip over two FIFOs.
pub static FIFO: Operation = Operation {
    id: "ipc.fifo.round_trip",
    title: "round trip of one byte over two FIFOs",
    method: "As ipc.pipe.round_trip, over pipes that were made with mkfifo in the temporary folder; their names are \
             removed before the first byte.",
    sources: &[("lmbench", "lat_fifo, unpinned; it leaves a process behind")],
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 what the calls do = 2 × pipe_message × cycle_ns",
        "software t1 the calls of both sides, by one task = 2 × [syscall.pipe.self]",
        "software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
    ],
    evidence: &[
        "every word came back",
        "cpu=same: linear",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: write 2, read 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    bounds: &["calls of a message([syscall.pipe.self])"],
    run: exchange::round_trips::<Fifos>,
    ..ROUND_TRIP
};

/// Round trip over Unix stream sockets.
pub static UNIX_STREAM: Operation = Operation {
    id: "ipc.unix_stream.round_trip",
    title: "round trip over a pair of Unix stream sockets",
    one_iteration: "write a message, read the message that the other process sends back",
    method: "Two processes and two connected Unix stream sockets (socketpair). Messages have one byte where the point \
             says nothing; longer ones may need several reads. When a message is taken its buffer is given back to the \
             sender, which is woken for that although it waits for the answer: three to four switches are counted.",
    sources: &[("lmbench", "lat_unix, unpinned"), ("UnixBench", "none")],
    points: |_| lengths(),
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 what the calls do = 2 × unix_message × cycle_ns",
        "software t1 the calls of both sides, by one task = 2 × [syscall.unix.self]",
        "software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
        "copies of messages",
        // Who takes a message wakes its sender, which waits for another and sleeps again.
        "cpu=same: software t1 a hand-off = [switch.process.eventfd cpu=same]",
    ],
    evidence: &[
        "every word came back",
        "bytes!=*: switches of both sides(1.6, 4.2)",
        "bytes!=*: calls of both sides: write 2, read 2",
        "bytes=*: switches of both sides(1.6, 8)",
        "bytes=*: calls of both sides: write 2, read 2..8",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    bounds: &["calls of a message([syscall.unix.self])"],
    run: exchange::round_trips::<UnixStreams>,
    ..ROUND_TRIP
};

/// Round trip over Unix datagram sockets.
pub static UNIX_DATAGRAM: Operation = Operation {
    id: "ipc.unix_datagram.round_trip",
    title: "round trip of one byte over a pair of Unix datagram sockets",
    method: "Two processes and two connected Unix datagram sockets (socketpair).",
    sources: &[("lmbench", "lat_unix measures streams only")],
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 what the calls do = 2 × unix_message × cycle_ns",
        "software t1 the calls of both sides, by one task = 2 × [syscall.unix.self]",
        "software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
    ],
    evidence: &[
        "every word came back",
        "switches of both sides(1.6, 4.2)",
        "calls of both sides: write 2, read 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    // A datagram is found without the lock that keeps a stream in order.
    bounds: &["floors(4)"],
    run: exchange::round_trips::<UnixDatagrams>,
    ..ROUND_TRIP
};

/// Round trip over event counters.
pub static EVENTFD: Operation = Operation {
    id: "ipc.eventfd.round_trip",
    title: "round trip over two event counters (eventfd)",
    one_iteration: "add to one counter, take what the other process has added to a second one",
    method: "Two processes and two event counters; the number that is added is the message.",
    sources: &[
        ("lmbench", "none"),
        ("libuv, tokio", "wake their event loops like this"),
    ],
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 what the calls do = 2 × 330 cycles (×1.6: two calls through the file layer, two locks, \
         8 bytes copied each way: some 370 instructions) × cycle_ns",
        "software t1 the calls of both sides, by one task = 2 × [syscall.eventfd.self]",
        "software t1 two hand-offs = 2 × [switch.process.pipe cpu={cpu}]",
    ],
    evidence: &[
        "every word came back",
        "cpu=same: linear",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: write 2, read 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    bounds: &["calls of a message([syscall.eventfd.self])"],
    run: exchange::round_trips::<EventCounters>,
    ..ROUND_TRIP
};

/// Round trip over System V semaphores.
pub static SEMAPHORE: Operation = Operation {
    id: "ipc.sysv_semaphore.round_trip",
    title: "round trip over two System V semaphores",
    one_iteration: "add one to a semaphore, take one that the other process adds to a second one",
    method: "Two processes and two System V semaphores in an IPC namespace of their own, so that none is left behind. \
             What is said lies in a shared page beside them, so that every answer is checked.",
    sources: &[
        ("lmbench", "lat_sem, unpinned: 1.5 to 4.2 µs from run to run"),
        ("stress-ng", "--sem-sysv: operations per second"),
    ],
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 what the calls do = 2 × 550 cycles (×1.6: operations copied and checked, id looked up, \
         permission, lock, value, time stamp, look for waiters, twice: some 700 instructions) × cycle_ns",
        "software t1 the calls of both sides, by one task = 2 × [syscall.semaphore.self]",
        "software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
    ],
    evidence: &[
        "every word came back",
        "cpu=same: linear",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: semop 4",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    bounds: &["calls of a message([syscall.semaphore.self])"],
    run: exchange::round_trips::<SystemVSemaphores>,
    ..ROUND_TRIP
};

/// Round trip over System V message queues.
pub static SYSTEM_V_QUEUE: Operation = Operation {
    id: "ipc.sysv_queue.round_trip",
    title: "round trip of one byte over two System V message queues",
    method: "Two processes and two System V message queues in an IPC namespace of their own, so that none is left \
             behind.",
    sources: &[("stress-ng", "--msg: messages per second"), ("lmbench", "none")],
    predict: &[
        "hand-offs between processes(2)",
        "floors(4)",
        "software what the calls do = 2 × 1000 cycles (×1.6: id looked up, permission, message allocated, \
         copied, charged, queued; found, taken off, copied, freed: some 1 100 instructions and 12 locked \
         ones) × cycle_ns",
        "software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
    ],
    evidence: &[
        "every word came back",
        "cpu=same: linear",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: msgsnd 2, msgrcv 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    bounds: &[
        "cpu=same: > 4 × [syscall.floor]: these calls are made one after another",
        "cpu!=same: > 2 × [syscall.floor]: these calls are made one after another",
    ],
    run: exchange::round_trips::<SystemVQueues>,
    ..ROUND_TRIP
};

/// Round trip over POSIX message queues.
pub static POSIX_QUEUE: Operation = Operation {
    id: "ipc.posix_queue.round_trip",
    title: "round trip of one byte over two POSIX message queues",
    method: "Two processes and two POSIX message queues, whose names are removed before the first message.",
    sources: &[("stress-ng", "--mq: messages per second"), ("lmbench", "none")],
    predict: &[
        "hand-offs between processes(2)",
        "floors(4)",
        "software what the calls do = 2 × 1200 cycles (×1.6: descriptor, message allocated, copied, put into \
         the tree of priorities; taken out, time stamps, copied, freed: some 1 400 instructions and 12 \
         locked ones) × cycle_ns",
        "software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
    ],
    evidence: &[
        "every word came back",
        "cpu=same: linear",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: mq_timedsend 2, mq_timedreceive 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    bounds: &[
        "cpu=same: > 4 × [syscall.floor]: these calls are made one after another",
        "cpu!=same: > 2 × [syscall.floor]: these calls are made one after another",
    ],
    run: exchange::round_trips::<PosixQueues>,
    ..ROUND_TRIP
};
