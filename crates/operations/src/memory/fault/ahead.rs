//! A file that is read through a mapping from its start, cold: how far the kernel reads ahead of the faults.

use super::WAITS;
use super::major::MAJOR;
use crate::memory::workloads::source::{Emptied, count_bytes};
use measure::{Bench, Failure, Operation, Point, Timed};
use sys::memory::page_size;
use sys::pages::Advice;
use sys::temporary::bytes_from_devices;

/// The declaration.
pub static AHEAD: Operation = Operation {
    id: "fault.file.ahead",
    title: "a cold file read through a mapping, in order",
    one_iteration: "a read of every page of a file of 16 MiB that is not in the cache, whose random words must be right",
    method: "A file as for fault.file.major, mapped without advice or with MADV_SEQUENTIAL, and touched page by page \
             from its start. The kernel sees the order and reads ahead of the faults: most pages are in the cache when \
             they are touched, and what a page costs is the device's rate and not its latency.",
    confounds: "How far the kernel goes is \
                a setting of the device (read_ahead_kb, 128 as it is shipped); faults.major per iteration says how often it \
                waited.",
    sources: &[
        ("R0", "strides of one page, of a sparse file (E21)"),
        ("R2", "every 16 KiB, called a fault (E20)"),
    ],
    gate: WAITS,
    points: |_| {
        ["none", "sequential"]
            .map(|advice| Point::only().with("advice", advice))
            .to_vec()
    },
    predict: &[
        "t0 page fault",
        "software t1 4096 touches of pages in the cache = 4096 × [fault.file.minor stride=4KiB written=1MiB]",
        "hardware 16 MiB from the device = {16777216 / 1.2} ns (×2.5: 1.2 GB/s: one request of 128 KiB at a time from \
         flash (specifications of NVMe drives, clouds' local disks))",
    ],
    evidence: &[
        "pages from a device",
        "device.bytes {0.99 * 16777216}..{1.5 * 16777216}: the device gave all that was touched",
        "faults.major 0.5..1024 (noise): the kernel waited for the disk, and for most pages it did not",
    ],
    run,
    headline: &[],
    ..MAJOR
};

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut file = Emptied::new(bench)?;
    let advice = match bench.point().get("advice") {
        Some("sequential") => Advice::Sequential,
        _ => Advice::Normal,
    };
    let length = file.length();
    file.advise(advice)?;
    let (earlier, mut files) = (bytes_from_devices(), 0_u64);
    bench.each_part(false, &mut |clock| {
        file.empty()?;
        file.look(0..length)?;
        let start = clock.start();
        let right = (0..length).step_by(page_size()).all(|offset| file.touch(offset));
        let ticks = clock.stop() - start;
        files += 1;
        Ok(Timed {
            ticks: Some(ticks),
            answers: u64::from(right),
        })
    })?;
    count_bytes(bench, earlier, files);
    file.tell(bench);
    Ok(())
}
