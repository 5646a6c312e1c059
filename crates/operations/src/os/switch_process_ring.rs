//! Switches in a ring of processes, each with a buffer: the switch, and what it costs to fill the cache again.

use super::token_ring::Ring;
use measure::{Actors, Area, Bench, Failure, How, Operation, Point, Work};
use quantity::Quantity;
use record::{Gate, Need, Plot, Profile};
use std::cell::RefCell;
use sys::pipe::pipe;

const RING: Operation = Operation {
    area: Area::Os,
    actors: Actors::TwoProcesses,
    gate: Gate {
        involuntary: false,
        ..Operation::GATE
    },
    needs: |_| vec![Need::Pinning],
    evidence: &["token ring"],
    spend_ns: 20_000_000,
    ..Operation::NEW
};

/// A switch in a ring, with what it drags along.
pub static SWITCH: Operation = Operation {
    id: "switch.process.ring",
    title: "switch to the next of many processes",
    one_iteration: "one round of the token; the value is that of one switch, less the system calls and the reading \
                    of a hot buffer",
    method: "A byte goes round a ring of processes over as many pipes, all on one CPU; each reads the whole of a \
             buffer of its own (bytes) when it has the byte, and the sum must be right. In turns with it one task \
             makes the same system calls on a pipe of its own and reads its buffer as often, which is hot then. The \
             difference, divided by the switches that the kernel counted for all processes, is what lmbench calls a \
             context switch: with bytes=0B the switch, otherwise the switch and the refill of the cache.",
    confounds: "With two processes and no buffer it is switch.process.pipe. With more, what the kernel keeps of each \
                process is cold as well, and beyond six the kernel has no tag of the TLB left for each. In a larger \
                ring a process that was woken may take the CPU from the one that woke it, which must then run once \
                more to wait: more switches than hops were seen (1.2 for each), so a division by hops overstates \
                each. The buffers \
                are read from front to back, so the prefetcher helps; a program that jumps about pays more.",
    sources: &[
        (
            "lmbench",
            "lat_ctx: 2 to 96 processes × 0 to 64 KiB, unpinned, divided by the assumed number of switches (E53)",
        ),
        ("hbench:OS", "lat_ctx with a warm cache, cache effects taken off"),
    ],
    how: How::SlopeLessControl { per: "switches" },
    points: switch_points,
    plot: Some(|| Plot::logarithmic("processes", "processes in the ring", Quantity::Count)),
    predict: &[
        "let lines = 80 (×1.6: task, stacks, address space, pipes, files of a process that has not run for a while: some 80 \
         cache lines) × family.l2_cycles",
        "let pages = 12 (×1.6: code, stack, heap and library of a small program: a dozen pages, walked anew when the TLB has \
         lost them) × table_walk",
        "processes=3..6: let cold = lines",
        // The kernel can tell six processes apart in the TLB (TLB_NR_DYN_ASIDS in arch/x86/include/asm/tlbflush.h).
        "processes=7..: let cold = lines + pages",
        "hand-offs between processes(1)",
        "bytes=0B: software t1 switch between two processes = [switch.process.pipe cpu=same]",
        "processes=3..: hardware t0 what is cold of a process = cold × cycle_ns",
        "processes=3.. bytes=0B: hardware t1 what is cold of a process = cold × cycle_ns",
        "bytes!=0B processes=..6: hardware t0 refill = refill × cycle_ns",
        "bytes!=0B processes=7..: hardware t0 refill = (refill + {bytes / 4KiB} × table_walk) × cycle_ns",
        "bytes!=0B: software t1 the ring without buffers = [switch.process.ring processes={processes} bytes=0B]",
        "bytes!=0B: hardware t1 refill = [switch.process.refill processes={processes} bytes={bytes}]",
    ],
    evidence: &[
        "token ring",
        "switches {0.98 * processes}..{2.1 * processes} (if consistent): the CPU went to every process of the ring, some of \
         which it was taken from before they waited",
    ],
    bounds: &["least of a switch"],
    run: |bench| run(bench, false),
    ..RING
};

/// The same divided as lmbench divides.
pub static ASSUMED: Operation = Operation {
    id: "switch.process.ring.assumed",
    title: "switch in a ring, by assumed switches",
    one_iteration: "one round of the token; the value is divided by the processes",
    method: "As switch.process.ring; divided by the hops of the token, of which each is assumed to be one switch.",
    confounds: "The more often the scheduler lets the woken process run at once, the larger it is.",
    sources: &[("lmbench", "lat_ctx divides by the processes in the ring (E53)")],
    reference: Some(measure::Reference {
        wrong: "a process from which the one that it woke takes the CPU must run once more before it waits: a hop is \
                then two switches, and the cost of both is called one",
        right: (SWITCH.id, "processes=16 bytes=0B"),
    }),
    how: How::SlopeLessControl { per: "visits" },
    points: |_| Point::all("processes=16 bytes=0B"),
    run: |bench| run(bench, false),
    ..RING
};

/// What the reading of a buffer costs more because others ran.
pub static REFILL: Operation = Operation {
    id: "switch.process.refill",
    title: "refill the cache after a switch",
    one_iteration: "one round of the token; the value is that of one visit, less the switch and the reading of a hot \
                    buffer",
    method: "The ring of switch.process.ring. In turns with rounds at which every process reads its buffer, rounds at \
             which nobody does, after which the first process reads its own as often as there are processes. Both \
             make the same switches and read as many bytes; the difference, divided by the visits that the processes \
             counted, is what cold caches cost: the buffer that has gone to a farther cache, its pages that the TLB \
             has lost, and what the buffers push out of the nearest cache of the kernel's own.",
    confounds: "Where all buffers fit the nearest cache it is close to nothing. A buffer that is itself larger than \
                the nearest cache is never hot there, neither in the ring nor alone. A sequential sum is what the \
                prefetcher does best.",
    sources: &[
        ("lmbench", "lat_ctx -s: not told apart from the switch"),
        ("hbench:OS", "lat_ctx2: the difference of two rings"),
    ],
    how: How::SlopeLessControl { per: "visits" },
    points: |profile| {
        switch_points(profile)
            .into_iter()
            .filter(|point| buffer(point) > 0)
            .collect()
    },
    predict: &[
        "processes=..6: hardware lines and pages that others pushed out = refill × cycle_ns",
        "processes=7..: hardware lines and pages that others pushed out = (refill + {bytes / 4KiB} × table_walk) × cycle_ns",
    ],
    bounds: &[
        "< {(bytes / 64 + 1000) * 200} ns (×2: a miss of every cache takes 80 to 400 ns): it is less than to fetch every line \
         of the buffer and of the kernel's path from memory, one by one",
    ],
    run: |bench| run(bench, true),
    ..RING
};

/// Processes and buffers: those that lmbench's tables have, and the largest ring.
fn switch_points(profile: Profile) -> Vec<Point> {
    Point::of_profile(
        profile,
        "processes=2|8|16|96 bytes=0B; processes=2|16 bytes=16KiB; processes=16|96 bytes=64KiB",
        "processes=2|8|16|96 bytes=0B; processes=2|16 bytes=16KiB; processes=16|96 bytes=64KiB; processes=4|24|32|64 bytes=0B; \
         processes=2 bytes=64KiB; processes=8 bytes=16KiB|64KiB; processes=96 bytes=16KiB",
    )
}

fn members(point: &Point) -> u64 {
    point.number("processes").unwrap_or(2)
}

/// Bytes that each process reads.
fn buffer(point: &Point) -> u64 {
    point.size("bytes").unwrap_or(0)
}

fn run(bench: &mut Bench<'_>, refill: bool) -> Result<(), Failure> {
    let (members, touch) = (members(bench.point()), buffer(bench.point()) > 0);
    let bytes = usize::try_from(buffer(bench.point())).unwrap_or(0);
    let ring = Ring::start(bench, usize::try_from(members).unwrap_or(2), bytes)?;
    let cpu = ring.cpu();
    let ring = RefCell::new(ring);
    let (reader, writer) = pipe()?;
    let mut main = |n| ring.borrow_mut().rounds(n, touch);
    if bench.is_rehearsal() {
        bench.slope(&mut main)?;
        return ring.into_inner().stop();
    }
    let mut calls_alone = |n| {
        let (ring, mut right) = (ring.borrow(), 0);
        for _ in 0..n {
            for _ in 0..members {
                writer.write_byte(1)?;
                right += u64::from(reader.read_byte()? == 1 && ring.touch_own(u64::from(touch)));
            }
        }
        Ok(right / members)
    };
    let mut without_touching = |n| {
        let (mut ring, mut right) = (ring.borrow_mut(), 0);
        for _ in 0..n {
            right += ring.rounds(1, false)? * u64::from(ring.touch_own(members));
        }
        Ok(right)
    };
    let mut others = || Ok(ring.borrow().counts()?.others);
    bench.batches(Work {
        main: &mut main,
        before: None,
        control: Some(if refill {
            &mut without_touching
        } else {
            &mut calls_alone
        }),
        side_by_side: false,
        multiple_of: 1,
        cpu,
        others: Some(&mut others),
    })?;
    let ring = ring.into_inner();
    let (counts, rounds) = (ring.counts()?, ring.rounds_so_far());
    bench.count("visits", counts.visits as f64, rounds as f64);
    ring.stop()
}
