//! One byte written into a pipe and read back by the same task: the system calls of a ping-pong, no switch.

use measure::{Area, Bench, Failure, Operation, calls, core_cycles, counted, linear, term, told_cycles};
use measure::{no_new_pages, undisturbed, work_done};
use record::{Bound, Formula, Prediction, Side, Witness};
use sys::pipe::pipe;

/// Write and read of one byte by one task.
pub static OPERATION: Operation = Operation {
    id: "syscall.pipe.self",
    area: Area::Os,
    title: "write and read one byte of a pipe in one task",
    one_iteration: "one write of one byte and one read of it",
    method: "A task writes a byte into a pipe and reads it back; nobody waits, nobody is woken. It is what a \
             ping-pong between two tasks costs without the switches.",
    confounds: "The pipe keeps its page between iterations, so no page is allocated.",
    sources: &[(
        "lmbench",
        "lat_pipe measures the round trip only, and does not take these calls apart",
    )],
    computed_prediction: |_| Prediction {
        from_facts: vec![
            term(
                Side::Hardware,
                "enter and leave the kernel twice",
                told_cycles(super::syscall::entry_cycles().times(2.0)),
            ),
            term(
                Side::Software,
                "two calls through the file layer and the pipe",
                told_cycles(work(2.0 * 80.0)),
            ),
        ],
        from_parts: vec![
            term(
                Side::Hardware,
                "two floors of a system call",
                Formula::part("syscall.floor", "").times(2.0),
            ),
            term(
                Side::Software,
                "two calls through the file layer and the pipe",
                core_cycles(work(0.0)),
            ),
        ],
    },
    computed_witnesses: witnesses,
    computed_bounds: |_| {
        vec![Bound {
            lower: true,
            formula: Formula::part("syscall.floor", "").times(2.0),
            because: "it enters and leaves the kernel twice".to_owned(),
        }]
    },
    run,
    ..Operation::NEW
};

/// Cycles of the file layer and the pipe for both calls, and of so much dispatch besides.
fn work(dispatch: f64) -> Formula {
    Formula::cited(
        640.0 + dispatch,
        1.5,
        "descriptor, access check, lock, copy of a byte, wake-up check, time stamps: some 350 instructions a call",
    )
}

fn witnesses(_: &measure::Point) -> Vec<Witness> {
    let mut all = work_done("the byte that was written came back");
    all.extend(linear());
    all.extend(calls(&[("write", 1.0), ("read", 1.0)]));
    all.extend(counted("switches.voluntary", 0.0, 0.001, "nobody had to wait"));
    all.extend(undisturbed());
    all.extend(no_new_pages());
    all
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let (reader, writer) = pipe()?;
    bench.slope(&mut |n| {
        let mut right = 0;
        for turn in 0..n {
            let byte = turn as u8;
            writer.write_byte(byte)?;
            right += u64::from(reader.read_byte()? == byte);
        }
        Ok(right)
    })
}
