//! One message to another process and one back, over everything that carries messages.

use super::exchange::{self, Expected, Object, hand_off};
use super::exchange::{EventCounters, Fifos, Pipes, PosixQueues, SystemVQueues, SystemVSemaphores};
use super::exchange::{UnixDatagrams, UnixStreams};
use measure::{Actors, Area, Operation, Placement, Point, core_cycles, term, told_cycles};
use record::{Bound, Formula, Prediction, Side, Term, Witness};

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

/// Both sides sleep once per round trip, or one preempts the other: on one CPU nothing else can happen.
const TWO: (f64, f64) = (1.95, 2.2);

/// Lengths of longer messages, in bytes: a page, and what a pipe holds.
const LENGTHS: [usize; 2] = [4 << 10, 64 << 10];

/// One byte at each placement, and longer messages on one CPU, where nothing overlaps.
fn lengths() -> Vec<Point> {
    let long = |bytes: &usize| {
        Point::only()
            .with("cpu", Placement::Same.name())
            .with("bytes", bytes)
    };
    let mut points = Point::placements();
    points.extend(LENGTHS.iter().map(long));
    points
}

const PIPE_OBJECT: Object = Object {
    part: Some("syscall.pipe.self"),
    calls: 2.0,
    cycles: 640.0,
    does: "descriptor, access check, lock, copy of a byte, wake-up check, time stamps: some 350 instructions a call",
};

/// A message over a Unix socket.
pub const UNIX_OBJECT: Object = Object {
    part: Some("syscall.unix.self"),
    calls: 2.0,
    cycles: 2_000.0,
    does: "two calls through the file layer; a buffer allocated, charged, filled, queued, announced; found, copied, taken off, given back, freed: some 2 400 instructions and 22 locked ones",
};

const EVENTFD_OBJECT: Object = Object {
    part: Some("syscall.eventfd.self"),
    calls: 2.0,
    cycles: 330.0,
    does: "two calls through the file layer, two locks, 8 bytes copied each way: some 370 instructions",
};

const SEMAPHORE_OBJECT: Object = Object {
    part: Some("syscall.semaphore.self"),
    calls: 2.0,
    cycles: 550.0,
    does: "operations copied and checked, id looked up, permission, lock, value, time stamp, look for waiters, twice: some 700 instructions",
};

const SYSTEM_V_QUEUE_OBJECT: Object = Object {
    part: None,
    calls: 2.0,
    cycles: 1_000.0,
    does: "id looked up, permission, message allocated, copied, charged, queued; found, taken off, copied, freed: some 1 100 instructions and 12 locked ones",
};

const POSIX_QUEUE_OBJECT: Object = Object {
    part: None,
    calls: 2.0,
    cycles: 1_200.0,
    does: "descriptor, message allocated, copied, put into the tree of priorities; taken out, time stamps, copied, freed: some 1 400 instructions and 12 locked ones",
};

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
    computed_prediction: |point| predict(point, &PIPE_OBJECT, "switch.process.eventfd"),
    computed_witnesses: |point| witnesses(point, &[("write", 2.0, 2.0), ("read", 2.0, 2.0)], TWO),
    computed_bounds: |point| bounds(point, &PIPE_OBJECT),
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
    computed_prediction: |point| predict(point, &PIPE_OBJECT, "switch.process.eventfd"),
    computed_witnesses: |point| witnesses(point, &[("write", 2.0, 2.0), ("read", 2.0, 2.0)], TWO),
    computed_bounds: |point| bounds(point, &PIPE_OBJECT),
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
    computed_prediction: |point| {
        let mut prediction = predict(point, &UNIX_OBJECT, "switch.process.eventfd");
        if point.placement() == Some(Placement::Same) {
            // Who takes a message wakes its sender, which waits for another and sleeps again.
            let for_nothing = hand_off(point, "switch.process.eventfd", 1.0);
            prediction.from_parts.push(for_nothing);
        }
        prediction
    },
    computed_witnesses: |point| {
        let long = point.get("bytes").is_some();
        let calls: &[_] = if long {
            &[("write", 2.0, 2.0), ("read", 2.0, 8.0)]
        } else {
            &[("write", 2.0, 2.0), ("read", 2.0, 2.0)]
        };
        woken_for_nothing(point, calls, if long { 8.0 } else { 4.2 })
    },
    computed_bounds: |point| bounds(point, &UNIX_OBJECT),
    run: exchange::round_trips::<UnixStreams>,
    ..ROUND_TRIP
};

/// Round trip over Unix datagram sockets.
pub static UNIX_DATAGRAM: Operation = Operation {
    id: "ipc.unix_datagram.round_trip",
    title: "round trip of one byte over a pair of Unix datagram sockets",
    method: "Two processes and two connected Unix datagram sockets (socketpair).",
    sources: &[("lmbench", "lat_unix measures streams only")],
    computed_prediction: |point| predict(point, &UNIX_OBJECT, "switch.process.eventfd"),
    computed_witnesses: |point| woken_for_nothing(point, &[("write", 2.0, 2.0), ("read", 2.0, 2.0)], 4.2),
    // A datagram is found without the lock that keeps a stream in order.
    computed_bounds: |_| exchange_floors(4.0),
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
    computed_prediction: |point| predict(point, &EVENTFD_OBJECT, "switch.process.pipe"),
    computed_witnesses: |point| witnesses(point, &[("write", 2.0, 2.0), ("read", 2.0, 2.0)], TWO),
    computed_bounds: |point| bounds(point, &EVENTFD_OBJECT),
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
    computed_prediction: |point| predict(point, &SEMAPHORE_OBJECT, "switch.process.eventfd"),
    computed_witnesses: |point| witnesses(point, &[("semop", 4.0, 4.0)], TWO),
    computed_bounds: |point| bounds(point, &SEMAPHORE_OBJECT),
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
    computed_prediction: |point| predict(point, &SYSTEM_V_QUEUE_OBJECT, "switch.process.eventfd"),
    computed_witnesses: |point| witnesses(point, &[("msgsnd", 2.0, 2.0), ("msgrcv", 2.0, 2.0)], TWO),
    computed_bounds: |point| bounds(point, &SYSTEM_V_QUEUE_OBJECT),
    run: exchange::round_trips::<SystemVQueues>,
    ..ROUND_TRIP
};

/// Round trip over POSIX message queues.
pub static POSIX_QUEUE: Operation = Operation {
    id: "ipc.posix_queue.round_trip",
    title: "round trip of one byte over two POSIX message queues",
    method: "Two processes and two POSIX message queues, whose names are removed before the first message.",
    sources: &[("stress-ng", "--mq: messages per second"), ("lmbench", "none")],
    computed_prediction: |point| predict(point, &POSIX_QUEUE_OBJECT, "switch.process.eventfd"),
    computed_witnesses: |point| {
        let calls = &[("mq_timedsend", 2.0, 2.0), ("mq_timedreceive", 2.0, 2.0)];
        witnesses(point, calls, TWO)
    },
    computed_bounds: |point| bounds(point, &POSIX_QUEUE_OBJECT),
    run: exchange::round_trips::<PosixQueues>,
    ..ROUND_TRIP
};

/// Two messages and two hand-offs, those as another mechanism has them, and the bytes.
fn predict(point: &Point, object: &Object, hand_off_of: &str) -> Prediction {
    let mut from_facts = exchange::round_trip_from_facts(point, object);
    let mut from_parts = object.messages(2.0).from_parts;
    from_parts.push(hand_off(point, hand_off_of, 2.0));
    if let Some(bytes) = bytes(point) {
        from_facts.push(copies(bytes, told_cycles));
        from_parts.push(copies(bytes, core_cycles));
    }
    Prediction {
        from_facts,
        from_parts,
    }
}

fn bytes(point: &Point) -> Option<f64> {
    point.number("bytes").ok().map(|bytes| bytes as f64)
}

/// Every byte is copied into the kernel and out of it, there and back; every page of it is got and given back.
fn copies(bytes: f64, cycles: fn(Formula) -> Formula) -> Term {
    let byte = Formula::cited(
        0.1,
        2.0,
        "rep movsb between memory in the second cache: 8 to 16 bytes a cycle",
    );
    let page = Formula::cited(
        300.0,
        2.0,
        "a page got from the list of its CPU, charged, and given back: some 300 instructions and 6 locked ones",
    );
    let of_page = page.times(2.0 / 4096.0);
    let formula = byte.times(4.0).plus(of_page).times(bytes);
    term(Side::Software, "copies, and pages for them", cycles(formula))
}

fn witnesses(
    point: &Point,
    calls: &'static [(&'static str, f64, f64)],
    switches: (f64, f64),
) -> Vec<Witness> {
    let all = Expected {
        calls,
        switches,
        processes: 2,
        linear: true,
    };
    exchange::expected(point, &all)
}

/// Of Unix sockets: taking a message gives its buffer back to the sender, which is woken for that although it
/// waits for the answer, or not, as its sleep falls. So the cost is not quite proportional.
fn woken_for_nothing(point: &Point, calls: &'static [(&'static str, f64, f64)], most: f64) -> Vec<Witness> {
    let all = Expected {
        calls,
        switches: (1.6, most),
        processes: 2,
        linear: false,
    };
    exchange::expected(point, &all)
}

/// On one CPU both sides' calls are made one after another; on two those of one side at least are.
fn bounds(point: &Point, object: &Object) -> Vec<Bound> {
    let same = point.placement() == Some(Placement::Same);
    object.at_least(if same { 2.0 } else { 1.0 })
}

fn exchange_floors(calls: f64) -> Vec<Bound> {
    super::syscall::at_least_floors(calls)
}
