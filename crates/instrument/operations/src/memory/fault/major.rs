//! Major faults: the page is read from a device.

use super::WAITS;
use measure::{How, Operation, Parameters, Point, Rehearse, takes};
use quantity::Quantity;
use record::{Need, Plot};
use workloads::memory::cold_pages::{FileSize, FileTouch, touch_each};
use workloads::memory::test_file;

/// The size of the file of a point.
fn file_size(point: &Point) -> Option<FileSize> {
    FileTouch::read(point).ok()?.file_size
}

/// One page per fault.
pub static MAJOR: Operation = Operation {
    id: "fault.file.major",
    revision: 2,
    title: "major fault: one 4 KiB page of a file from the device",
    one_iteration: "one read of a page that is neither mapped nor cached; its random word must be correct",
    method: "A temporary file of 16 MiB of random data is written and flushed; its extents (FIEMAP) prove that it is on a \
             device. Its page cache alone is dropped (POSIX_FADV_DONTNEED) and checked (mincore), and it is mapped \
             with MADV_RANDOM, which disables readahead. Pages are touched at a stride or in random order, each checked \
             to be uncached and timed individually. The file is unnamed and takes at most 1/64 of the free space. file_size=n: \
             the last n bytes of the run's test file in --dir instead. file_size=largest (thorough profile): a file of up to \
             16 GiB, and at most a quarter of the free space. Each lap of a stride starts at another offset within it.",
    confounds: "Caches below the device are not dropped: the disk's own, or that of a virtual machine's host. They may read \
                ahead at a stride. A file within one track of a disk has no long seeks: compare the sizes.",
    sources: &[
        (
            "R0, 4.4.1",
            "strides of 1 to 65 536 pages through 1 GB made by ftruncate, after purge (perhaps E21)",
        ),
        (
            "R3, 4.3.1",
            "a stride with a random offset on page, in a file of 16 GB, after 150 MB in /tmp were found to be in memory; \
             40 MB are named, too",
        ),
        (
            "R1, 3 Fig 11",
            "a character at every 1 MB of a file of 33 MB: perhaps minor faults only, it says (E20)",
        ),
        ("lmbench", "lat_pagefault after msync(MS_INVALIDATE)"),
    ],
    how: How::Each,
    gate: WAITS,
    rehearse: Rehearse::Nothing,
    spend_ns: 10_000_000,
    // The first trial writes the file.
    spend_of: Some(|point| match file_size(point) {
        Some(FileSize::Largest) => 30_000_000_000,
        _ => 10_000_000,
    }),
    parameters: takes::<FileTouch>,
    points: &[
        "profile=quick: access=random; access=stride stride=4KiB",
        "profile=standard: access=random; access=stride stride=4KiB|256KiB; access=random file_size=256MiB; \
         access=stride stride=4KiB|1MiB|16MiB file_size=256MiB",
        "profile=thorough: access=random; access=stride stride=4KiB|16KiB|64KiB|256KiB; \
         access=random file_size=256MiB|1GiB|largest; access=stride stride=4KiB|1MiB|16MiB file_size=256MiB; \
         access=stride stride=4KiB|16KiB|64KiB|256KiB|1MiB|4MiB|16MiB|64MiB|256MiB file_size=1GiB",
    ],
    plot: Some(|| Plot::logarithmic("stride", "distance of two pages", Quantity::Size)),
    needs: |point| match file_size(point) {
        Some(_) => vec![Need::Directory],
        None => vec![Need::Memory { bytes: 4 * test_file::LENGTH as u64 }],
    },
    predict: &[
        "page fault",
        "hardware t1 read of the device = [file.read.direct access=sequential file_size=64MiB]",
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
    run: touch_each,
    ..crate::memory::COMMON
};

#[cfg(test)]
mod tests {
    use super::*;
    use record::Profile;
    use sys::memory::page_size;
    use workloads::memory::cold_pages::offset_of;

    #[test]
    fn every_access_pattern_touches_every_page_once() {
        for point in MAJOR.points_of(Profile::Thorough) {
            let pages = test_file::LENGTH / page_size();
            let stride = FileTouch::read(&point).unwrap().stride;
            let touches = (0..pages).map(|touch| offset_of(stride, test_file::LENGTH, touch));
            let mut offsets: Vec<usize> = touches.collect();
            offsets.sort_unstable();
            let all: Vec<usize> = (0..pages).map(|index| index * page_size()).collect();
            assert_eq!(offsets, all, "{}", point.text());
        }
    }
}
