//! Major faults: the page comes from the disk.

use super::WAITS;
use crate::memory::workloads::source::{self, Emptied, count_bytes};
use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse, Timed};
use record::{Need, Profile};
use sys::memory::page_size;
use sys::temporary::bytes_from_devices;

/// One page at a time.
pub static MAJOR: Operation = Operation {
    id: "fault.file.major",
    area: Area::Memory,
    title: "touch of a page of a file that must come from the disk",
    one_iteration: "one read of a page that is neither mapped nor in the cache, whose random word must be right",
    method: "A temporary file of 16 MiB of random data is written, flushed and found on a device by its extents (FIEMAP). \
             Its cache alone is emptied (POSIX_FADV_DONTNEED) and found empty (mincore), and it is mapped with \
             MADV_RANDOM, so that the kernel reads no further than asked. Pages are touched at a stride or in random \
             order, each looked for in the cache before and timed alone. The file has no name, and takes at most a \
             64th of what is free.",
    confounds: "What is below the device is not emptied: a disk's own cache, or that of a virtual machine's host, which \
                no guest can drop. With the stride such a cache may read ahead by itself. R0 went to strides of 65 536 \
                pages, for which a file needs gigabytes.",
    sources: &[
        ("R0", "strides of 1 to 65 536 pages, of a sparse file (E21)"),
        ("R3", "random pages"),
        ("R1", "a file that was in the cache (E20)"),
        ("lmbench", "lat_pagefault after msync(MS_INVALIDATE)"),
    ],
    how: How::Each,
    gate: WAITS,
    rehearse: Rehearse::Nothing,
    spend_ns: 10_000_000,
    points: |profile| {
        let strides: &[u64] = match profile {
            Profile::Quick => &[1],
            Profile::Standard => &[1, 64],
            Profile::Thorough => &[1, 4, 16, 64],
        };
        let random = Point::only().with("access", "random");
        let stride = |pages: &u64| Point::only().with("access", "stride").with("pages", pages);
        std::iter::once(random)
            .chain(strides.iter().map(stride))
            .collect()
    },
    needs: |_| {
        vec![Need::Memory {
            bytes: 4 * source::LENGTH as u64,
        }]
    },
    predict: &[
        "page fault",
        "hardware read of the device = 70000 ns (×2: a read of 4 KiB at depth 1 from flash: 50 to 100 µs (specifications \
         of NVMe drives of 2016 to 2024 and of clouds' local disks))",
    ],
    // No read-ahead brings a gigabyte for a touch.
    evidence: &[
        "pages from a device",
        "device.bytes {0.999 * 4096}..1e9: the device gave at least a page per touch",
        "faults.major 0.99..1.01: the kernel waited for the disk once per touch",
    ],
    bounds: &["exceptions(1)"],
    headline: &[("access=random", "page fault, major")],
    run: |bench| each_page(bench),
    ..Operation::NEW
};

/// The page that is touched after `index`: 2 731 has no factor in common with a power of two and lies two thirds
/// of a file of 4 096 pages further, so that every page comes once and none beside the one before.
const SCATTER: usize = 2_731;

/// Offsets in bytes of the touches of a point, all different.
fn order(point: &Point, length: usize) -> Vec<usize> {
    let count = length / page_size();
    let step = match point.number("pages") {
        Ok(pages) => usize::try_from(pages).unwrap_or(1).max(1),
        Err(_) => SCATTER,
    };
    // A stride that does not reach through all pages begins anew one page further.
    let lap = if step == SCATTER {
        count
    } else {
        count.div_ceil(step)
    };
    let page = |index: usize| (index % lap * step + index / lap) % count.max(1);
    (0..count).map(|index| page(index) * page_size()).collect()
}

/// Touches one by one, after the cache was emptied.
fn each_page(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut file = Emptied::new(bench)?;
    let offsets = order(bench.point(), file.length());
    let earlier = bytes_from_devices();
    let mut touches = 0_u64;
    let begin = offsets.len() * usize::try_from(bench.seed() % 16).unwrap_or(0) / 16;
    let mut next = offsets
        .iter()
        .skip(begin)
        .chain(offsets.iter())
        .take(offsets.len());
    file.empty()?;
    bench.each_part(false, &mut |clock| {
        let offset = *next
            .next()
            .ok_or_else(|| Failure::Failed("no page is left to be touched".to_owned()))?;
        file.look(offset..offset + page_size())?;
        let start = clock.start();
        let right = file.touch(offset);
        let ticks = clock.stop() - start;
        touches += 1;
        Ok(Timed {
            ticks: Some(ticks),
            answers: u64::from(right),
        })
    })?;
    count_bytes(bench, earlier, touches);
    file.tell(bench);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_touches_every_page_once() {
        let points = (MAJOR.points)(Profile::Thorough);
        for point in points {
            let mut offsets = order(&point, source::LENGTH);
            offsets.sort_unstable();
            let pages = source::LENGTH / page_size();
            let all: Vec<usize> = (0..pages).map(|index| index * page_size()).collect();
            assert_eq!(offsets, all, "{}", point.text());
        }
    }
}
