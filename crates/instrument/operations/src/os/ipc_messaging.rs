//! Messages among groups of senders and receivers, as hackbench sends them.

use measure::value::Cpus;
use measure::{Actors, How, Operation, takes};
use record::Need;
use workloads::os::messaging::{self, Messaging};

/// 100-byte messages of every sender of a group to every receiver of it.
pub static MESSAGING: Operation = Operation {
    id: "ipc.messaging",
    title: "100-byte message among groups of senders and receivers",
    one_iteration: "one message of 100 bytes, written by a sender and read by a receiver; on several CPUs the time between two \
                    messages of all tasks together",
    method: "Each group has as many senders as receivers (descriptors=); each receiver reads one pipe or one Unix stream \
             socket, to which every sender of the group writes. A round is one futex wake of all senders; each writes one \
             message to every receiver in each of 100 loops; the last receiver that has all its messages ends the \
             round. A value is the time of a round divided by its messages; making and ending the tasks is not timed. Each message carries the number of its sender and its own number, \
             at both ends; a receiver compares them with the last message of that sender. cpus=1: all tasks on one CPU; \
             cpus=all: where the scheduler puts them.",
    confounds: "How many messages a task moves before another one runs is the scheduler's choice: a receiver that is woken may \
                preempt its sender, or wait until the sender's slice ends. switches.tasks in the record is the switches of \
                all tasks per message. With cpus=all the scheduler may leave all \
                tasks on one CPU (actors.cpus in the record); CPUs that are threads of one core share it, and other programs on these \
                CPUs make a message slower.",
    sources: &[
        (
            "hackbench",
            "groups of 20 senders and 20 receivers, seconds for 100 loops; no message is verified, and ends of tasks are within \
             the time",
        ),
        ("perf bench", "sched messaging: the same, seconds without an interval"),
    ],
    actors: Actors::Children,
    how: How::Values,
    spend_ns: 150_000_000,
    parameters: takes::<Messaging>,
    points: &[
        "profile=quick: channel=pipe tasks=processes groups=1 descriptors=20 cpus=1",
        "profile=standard: channel=pipe|unix tasks=processes|threads groups=1 descriptors=20 cpus=1; \
         channel=pipe|unix tasks=processes groups=1 descriptors=20 cpus=all",
        "profile=thorough: channel=pipe|unix tasks=processes|threads groups=1|10 descriptors=20 cpus=1|all",
    ],
    needs: |point| match point.cpus() {
        Some(Cpus::Count(1)) | None => vec![Need::Pinning],
        _ => vec![Need::SecondCpu, Need::Pinning],
    },
    predict: &[
        "let t0 alone = whole(2, {counted[syscall.{channel}.self]})",
        "let t1 alone = [syscall.{channel}.self]",
        // A task runs until its slice ends or, of a receiver, until its messages do: after 1 000 to 6 000 messages of a sender
        // each of 20 receivers runs once.
        "let switches = 0.02 (×5: a sender writes for a slice of 0.7 to 3 ms (sched(7), base_slice_ns), some 1 000 to 6 000 \
         messages, then 20 receivers read theirs)",
        "cpus=1: software write and read of a message = alone",
        "cpus=1: software t0 switches = switches × (tables + scheduler) × cycle_ns",
        "cpus=1 tasks=processes: software t1 switches = switches × [switch.process.pipe cpu=same]",
        "cpus=1 tasks=threads: software t1 switches = switches × [switch.thread.pipe cpu=same]",
        "cpus=all: software t0 write and read of a message = alone / cpus.allowed",
        "cpus=all: software t1 the messages of one CPU = [ipc.messaging channel={channel} tasks={tasks} groups={groups} \
         descriptors={descriptors} cpus=1] / cpus.allowed",
        // Either side may find the other one asleep on its own CPU.
        "cpus=all: software t0 wake-ups of other CPUs = switches × (idle_exit + wake_up_exits) / cpus.allowed",
        "cpus=all: software t1 wake-ups of other CPUs = switches × [switch.process.pipe cpu=other] / cpus.allowed",
    ],
    evidence: &[
        "answers = 1: every message arrived whole, and followed the last one of its sender",
        "bytes.received_per_sent = 1: both sides counted the same bytes",
        "tasks.working = 1: every sender wrote, and every receiver read",
        // What a task does at the end of a phase of the rehearsal may be counted in the next one.
        "calls.write 0.95..1.05: one write per message",
        "calls.read 0.95..1.05: one read per message",
        "cpus=1: actors.cpus = 1: all tasks were on one CPU",
        "tasks=processes: processes({2 * groups * descriptors + 1})",
        "tasks=threads: threads",
        "undisturbed",
    ],
    bounds: &[
        "cpus=1: floors(2)",
        "cpus=all: > 2 × [syscall.floor] / cpus.allowed: each message is a write and a read, at best on all CPUs at once",
    ],
    run: messaging::run,
    ..super::COMMON
};
