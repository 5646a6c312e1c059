//! A pipe written and read by one task: the system calls of half a round trip, without the switch.

use measure::{Area, Bench, Failure, Operation};
use sys::pipe::pipe;

/// Write and read of one byte by one task.
pub static OPERATION: Operation = Operation {
    id: "syscall.pipe.self",
    area: Area::Os,
    title: "pipe write + read of 1 byte by one task",
    one_iteration: "one write of one byte and one read of it",
    method: "A task writes a byte to a pipe and reads it back, by the system-call instruction: half a round trip without the \
             switch.",
    confounds: "The pipe keeps its page between iterations, so no page is allocated.",
    sources: &[("lmbench", "lat_pipe: the round trip only")],
    predict: &["reference path(2)"],
    evidence: &[
        "answers = 1: the byte that was written came back",
        "linear",
        "calls: write 1, read 1",
        "switches.voluntary 0..0.001: the task never blocked",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["> 2 × [syscall.floor]: it enters and leaves the kernel twice"],
    run,
    ..Operation::NEW
};

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
