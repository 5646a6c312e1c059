//! Round trips of a message between two processes, by IPC object.

use measure::{Actors, Operation, takes};
use workloads::exchange::{
    self, Messages, event_counters, fifos, pipes, posix_queues, record_locks, system_v_queues,
    system_v_semaphores, unix_datagrams, unix_streams,
};

const ROUND_TRIP: Operation = Operation {
    one_iteration: "one byte to the other process and one back",
    confounds: "On another CPU it costs up to ten times as much, because an idle CPU must be woken. Tools that do not pin report \
                either.",
    actors: Actors::TwoProcesses,
    parameters: takes::<Messages>,
    points: crate::placements::PLACEMENTS,
    evidence: &[
        "exchange of processes(1.95, 2.2)",
        "cpu=same: linear",
        "calls of both sides: write 2, read 2",
    ],
    revision: 2,
    ..super::COMMON
};

/// One byte at each placement; on one CPU also a page and the capacity of a pipe.
const LENGTHS: &[&str] =
    &["cpu=same|other|sibling|node; cpu=other idle=busy|polling; cpu=same bytes=4KiB|64KiB"];

/// Round trip over two pipes.
pub static PIPE: Operation = Operation {
    id: "ipc.pipe.round_trip",
    revision: 3,
    title: "round trip over two pipes, 1 byte unless bytes=",
    one_iteration: "one message to the other process and one back",
    method: "Two processes and two pipes. On one CPU nothing overlaps: the round trip is four system calls and two switches. \
             On two CPUs each side is woken from idle. Without bytes= a message is one byte.",
    sources: &[
        ("lmbench", "lat_pipe, unpinned"),
        ("perf bench", "sched pipe: four bytes"),
        ("UnixBench", "context1: a long, eight bytes"),
        (
            "R2, 3.6",
            "reads and writes over two pipes, two context switches by its count; pinning is not mentioned (E38)",
        ),
        ("libMicro", "pipe -x pipe -m mp -s 1; -x sock, tcp and fifo likewise"),
        ("will-it-scale", "context_switch1: one byte, each of the two ways counted"),
    ],
    points: LENGTHS,
    predict: &[
        "t0 round trip of messages(pipe_message)",
        "bytes!=*: software t1 system calls of both sides = 2 × [syscall.pipe.self]",
        "bytes=*: software t1 the messages within one task = {2 * bytes} bytes × 1e9 ns/s / \
         [ipc.bandwidth.pipe.self bytes={bytes}]",
        "t1 two hand-offs",
        "t0 copies of messages",
    ],
    bounds: &["calls of a message([syscall.pipe.self])"],
    tail: &["cpu=same|other"],
    headline: &[("cpu=same", "pipe round trip, same CPU")],
    channels: &[("cpu=other", "pipe, to another CPU")],
    run: |bench| exchange::round_trips(bench, pipes),
    ..ROUND_TRIP
};

/// Round trip over two FIFOs.
pub static FIFO: Operation = Operation {
    id: "ipc.fifo.round_trip",
    title: "round trip over two FIFOs, 1 byte",
    method: "As ipc.pipe.round_trip, over FIFOs in the temporary directory, which are unlinked before the first byte.",
    sources: &[("lmbench", "lat_fifo, unpinned; leaves a process running")],
    predict: &["t0 round trip of messages(pipe_message)", "t1 calls and hand-offs([syscall.pipe.self])"],
    bounds: &["calls of a message([syscall.pipe.self])"],
    run: |bench| exchange::round_trips(bench, fifos),
    ..ROUND_TRIP
};

/// Round trip over Unix stream sockets.
pub static UNIX_STREAM: Operation = Operation {
    id: "ipc.unix_stream.round_trip",
    title: "round trip over a Unix stream socket pair, 1 byte unless bytes=",
    one_iteration: "one message to the other process and one back",
    method: "Two processes and two connected Unix stream sockets (socketpair). Without bytes= a message is one byte; longer \
             ones may need several reads. A read releases the sender's buffer and wakes the sender, which waits for the \
             answer and sleeps again: three to four switches are counted.",
    sources: &[("lmbench", "lat_unix, unpinned"), ("UnixBench", "none")],
    points: LENGTHS,
    predict: &[
        "t0 round trip of messages(unix_message)",
        "bytes!=*: software t1 system calls of both sides = 2 × [syscall.unix.self]",
        "bytes=*: software t1 the messages within one task = {2 * bytes} bytes × 1e9 ns/s / \
         [ipc.bandwidth.unix_stream.self bytes={bytes}]",
        "t1 two hand-offs",
        "t0 copies of messages",
        // A read wakes the sender, which waits for the answer and sleeps again.
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
    tail: &["cpu=same|other"],
    run: |bench| exchange::round_trips(bench, unix_streams),
    ..ROUND_TRIP
};

/// Round trip over Unix datagram sockets.
pub static UNIX_DATAGRAM: Operation = Operation {
    id: "ipc.unix_datagram.round_trip",
    title: "round trip over a Unix datagram socket pair, 1 byte",
    method: "Two processes and two connected Unix datagram sockets (socketpair).",
    sources: &[("lmbench", "none: lat_unix is for streams")],
    predict: &["t0 round trip of messages(unix_message)", "t1 calls and hand-offs([syscall.unix.self])"],
    evidence: &["exchange of processes(1.6, 4.2)", "calls of both sides: write 2, read 2"],
    // Datagrams are received without the lock that orders a stream.
    bounds: &["floors(4)"],
    run: |bench| exchange::round_trips(bench, unix_datagrams),
    ..ROUND_TRIP
};

/// Round trip over event counters.
pub static EVENTFD: Operation = Operation {
    id: "ipc.eventfd.round_trip",
    title: "round trip over two eventfds",
    one_iteration: "one number added to an eventfd, and one read from the other",
    method: "Two processes and two eventfds; the number is the message.",
    sources: &[("lmbench", "none"), ("libuv, tokio", "wake their event loops like this")],
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 system calls = 2 × 330 cycles (×1.6: two calls through the file layer, two locks, \
         8 bytes copied each way: some 370 instructions) × cycle_ns",
        "software t1 system calls of both sides = 2 × [syscall.eventfd.self]",
        "software t1 two hand-offs = 2 × [switch.process.pipe {placement}]",
    ],
    bounds: &["calls of a message([syscall.eventfd.self])"],
    tail: &["cpu=same|other"],
    run: |bench| exchange::round_trips(bench, event_counters),
    ..ROUND_TRIP
};

/// Round trip over System V semaphores.
pub static SEMAPHORE: Operation = Operation {
    id: "ipc.sysv_semaphore.round_trip",
    title: "round trip over two System V semaphores",
    one_iteration: "one semop that posts a semaphore, and one that waits for the other",
    method: "Two processes and two System V semaphores in an IPC namespace of their own, so none is left over. The word is in \
             a shared page, so every answer is checked.",
    sources: &[
        ("lmbench", "lat_sem, unpinned, half of the round trip: 1.5 to 4.2 µs from run to run"),
        ("stress-ng", "--sem-sysv: processes that take and give back one semaphore, operations per second"),
        ("rt-tests", "svsematest: one way, between two threads or processes: minimum, mean and maximum"),
    ],
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 system calls = 2 × 550 cycles (×1.6: operations copied and checked, id looked up, \
         permission, lock, value, timestamp, check for waiters, twice: some 700 instructions) × cycle_ns",
        "t1 calls and hand-offs([syscall.semaphore.self])",
    ],
    evidence: &["exchange of processes(1.95, 2.2)", "cpu=same: linear", "calls of both sides: semop 4"],
    bounds: &["calls of a message([syscall.semaphore.self])"],
    run: |bench| exchange::round_trips(bench, system_v_semaphores),
    ..ROUND_TRIP
};

/// Round trip over System V message queues.
pub static SYSTEM_V_QUEUE: Operation = Operation {
    id: "ipc.sysv_queue.round_trip",
    title: "round trip over two System V message queues, 1 byte",
    method: "Two processes and two System V message queues in an IPC namespace of their own, so none is left over.",
    sources: &[("stress-ng", "--msg: messages per second, one way"), ("lmbench", "none")],
    predict: &[
        "hand-offs between processes(2)",
        "floors(4)",
        "software system calls = 2 × 1000 cycles (×1.6: id looked up, permission, message allocated, \
         copied, charged, queued; found, dequeued, copied, freed: some 1 100 instructions and 12 locked \
         ones) × cycle_ns",
        "t1 two hand-offs",
    ],
    evidence: &[
        "exchange of processes(1.95, 2.2)",
        "cpu=same: linear",
        "calls of both sides: msgsnd 2, msgrcv 2",
    ],
    bounds: &["calls of a round trip"],
    run: |bench| exchange::round_trips(bench, system_v_queues),
    ..ROUND_TRIP
};

/// Round trip over POSIX message queues.
pub static POSIX_QUEUE: Operation = Operation {
    id: "ipc.posix_queue.round_trip",
    title: "round trip over two POSIX message queues, 1 byte",
    method: "Two processes and two POSIX message queues, which are unlinked before the first message.",
    sources: &[
        ("stress-ng", "--mq: messages per second, one way"),
        ("rt-tests", "pmqtest: one way, between two threads: minimum, mean and maximum"),
        ("lmbench", "none"),
    ],
    predict: &[
        "hand-offs between processes(2)",
        "floors(4)",
        "software system calls = 2 × 1200 cycles (×1.6: descriptor, message allocated, copied, inserted into \
         the priority tree; removed, timestamps, copied, freed: some 1 400 instructions and 12 \
         locked ones) × cycle_ns",
        "t1 two hand-offs",
    ],
    evidence: &[
        "exchange of processes(1.95, 2.2)",
        "cpu=same: linear",
        "calls of both sides: mq_timedsend 2, mq_timedreceive 2",
    ],
    bounds: &["calls of a round trip"],
    run: |bench| exchange::round_trips(bench, posix_queues),
    ..ROUND_TRIP
};

/// Round trip over record locks.
pub static RECORD_LOCK: Operation = Operation {
    id: "ipc.record_lock.round_trip",
    title: "round trip over record locks of a file (fcntl)",
    one_iteration: "one hand-over of a record lock to the other process and one back",
    method: "Two processes and three bytes of a file in memory. Each unlocks a byte for which the other one waits in fcntl(F_SETLKW), \
             and then waits for the byte that the other one has. A word in shared memory is the message.",
    confounds: "All locks of all files go through one list of the kernel while they wait. On another CPU it costs up to ten times as \
                much, because an idle CPU must be woken.",
    sources: &[("lmbench", "lat_fcntl: two processes over two locks, unpinned, half of the round trip")],
    predict: &["t0 round trip of messages(record_message)", "t1 calls and hand-offs([syscall.lock.record])"],
    evidence: &["exchange of processes(1.6, 4.2)", "calls of both sides: fcntl 4"],
    bounds: &["floors(4)"],
    revision: 1,
    run: |bench| exchange::round_trips(bench, record_locks),
    ..ROUND_TRIP
};
