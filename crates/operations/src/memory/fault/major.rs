//! Major faults: the page is read from a device.

use super::WAITS;
use crate::memory::workloads::test_file::{self, ColdFile, count_bytes};
use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse, Timed};
use record::{Need, Profile};
use sys::memory::page_size;
use sys::temporary::bytes_from_devices;

/// One page per fault.
pub static MAJOR: Operation = Operation {
    id: "fault.file.major",
    area: Area::Memory,
    title: "major fault: one 4 KiB page of a file from the device",
    one_iteration: "one read of a page that is neither mapped nor cached; its random word must be correct",
    method: "A temporary file of 16 MiB of random data is written and flushed; its extents (FIEMAP) prove that it is on a \
             device. Its page cache alone is dropped (POSIX_FADV_DONTNEED) and checked (mincore), and it is mapped \
             with MADV_RANDOM, which disables readahead. Pages are touched at a stride or in random order, each checked \
             to be uncached and timed individually. The file is unnamed and takes at most 1/64 of the free space.",
    confounds: "Caches below the device are not dropped: the disk's own, or that of a virtual machine's host. They may read \
                ahead at a stride. R0 used strides up to 65 536 pages, which needs a file of gigabytes.",
    sources: &[
        ("R0", "strides of 1 to 65 536 pages in a sparse file (E21)"),
        ("R3", "random pages"),
        ("R1", "a cached file (E20)"),
        ("lmbench", "lat_pagefault after msync(MS_INVALIDATE)"),
    ],
    how: How::Each,
    gate: WAITS,
    rehearse: Rehearse::Nothing,
    spend_ns: 10_000_000,
    points: |profile| {
        Point::all(match profile {
            Profile::Quick => "access=random; access=stride stride=4KiB",
            Profile::Standard => "access=random; access=stride stride=4KiB|256KiB",
            Profile::Thorough => "access=random; access=stride stride=4KiB|16KiB|64KiB|256KiB",
        })
    },
    needs: |_| {
        vec![Need::Memory {
            bytes: 4 * test_file::LENGTH as u64,
        }]
    },
    predict: &[
        "page fault",
        "hardware t1 read of the device = [file.read.direct access=sequential bytes=64MiB]",
        "hardware t0 read of the device = 70000 ns (×2: a read of 4 KiB at depth 1 from flash: 50 to 100 µs (specifications \
         of NVMe drives of 2016 to 2024 and of clouds' local disks))",
    ],
    // No readahead reads a gigabyte for one touch.
    evidence: &[
        "pages from a device",
        "device.bytes {0.999 * 4096}..1e9: the device read at least a page per touch",
        "faults.major 0.99..1.01: one major fault per touch",
    ],
    bounds: &["exceptions(1)"],
    headline: &[("access=random", "page fault, major")],
    run: |bench| each_page(bench),
    ..Operation::NEW
};

/// Step in pages of the pseudo-random order: odd, so that every page comes once, and two thirds of a file of 4 096 pages,
/// so that no page follows its neighbour.
const SCATTER: usize = 2_731;

/// The distinct offsets that a point touches, in bytes.
fn order(point: &Point, length: usize) -> Vec<usize> {
    let count = length / page_size();
    let step = match point.size("stride") {
        Ok(bytes) => (bytes as usize / page_size()).max(1),
        Err(_) => SCATTER,
    };
    // Each lap of a stride starts one page further.
    let lap = if step == SCATTER {
        count
    } else {
        count.div_ceil(step)
    };
    let page = |index: usize| (index % lap * step + index / lap) % count.max(1);
    (0..count).map(|index| page(index) * page_size()).collect()
}

/// Touches timed individually, with a cold page cache.
fn each_page(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut file = ColdFile::new(bench)?;
    let offsets = order(bench.point(), file.length());
    let before = bytes_from_devices();
    let mut touches = 0_u64;
    let first = offsets.len() * usize::try_from(bench.seed() % 16).unwrap_or(0) / 16;
    let mut next = offsets
        .iter()
        .skip(first)
        .chain(offsets.iter())
        .take(offsets.len());
    file.drop_cache()?;
    bench.each_part(false, &mut |clock| {
        let offset = *next
            .next()
            .ok_or_else(|| Failure::Failed("more touches than pages".to_owned()))?;
        file.check_cold(offset..offset + page_size())?;
        let start = clock.start();
        let correct = file.touch(offset);
        let ticks = clock.stop() - start;
        touches += 1;
        Ok(Timed {
            ticks: Some(ticks),
            answers: u64::from(correct),
        })
    })?;
    count_bytes(bench, before, touches);
    file.count_cold(bench);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_access_pattern_touches_every_page_once() {
        let points = (MAJOR.points)(Profile::Thorough);
        for point in points {
            let mut offsets = order(&point, test_file::LENGTH);
            offsets.sort_unstable();
            let pages = test_file::LENGTH / page_size();
            let all: Vec<usize> = (0..pages).map(|index| index * page_size()).collect();
            assert_eq!(offsets, all, "{}", point.text());
        }
    }
}
