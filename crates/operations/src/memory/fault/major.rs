//! Major faults: the page comes from the disk.

use super::source::{self, on_disk};
use super::{Places, WAITS, at_least_floors, fault_from_facts, zero_page};
use measure::{
    Area, Bench, Failure, How, Operation, Point, Rehearse, Timed, Work, counted, linear, term, work_done,
};
use record::{Formula, Need, Prediction, Profile, Side, Term, Witness};
use sys::memory::page_size;
use sys::pages::{Advice, Pages, Sharing};
use sys::temporary::{TemporaryFile, bytes_from_devices};

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
    predict: |_| {
        let mut from_facts = fault_from_facts();
        from_facts.push(device());
        Prediction {
            from_facts,
            from_parts: vec![zero_page(), device()],
        }
    },
    witnesses: |_| {
        let mut all = evidence(1.0);
        all.extend(counted(
            "faults.major",
            0.99,
            1.01,
            "the kernel waited for the disk once per touch",
        ));
        all
    },
    bounds: |_| at_least_floors(1.0),
    run: |bench| each_page(bench, true),
    ..Operation::NEW
};

/// Page after page, with read-ahead.
pub static READ_AHEAD: Operation = Operation {
    id: "fault.file.read_ahead",
    title: "touch of page after page of a file on the disk, read ahead",
    one_iteration: "one read of the next page of a file that was not in the cache before the batch",
    method: "As fault.file.major, but the pages are touched one after another and the kernel may read ahead as it is \
             set up. Before each batch the cache is emptied and found empty, so that a batch begins cold; the slope \
             over its length is the cost of a page once the reading is under way.",
    confounds: "Faults per touch are few: most pages are there before they are touched, and are mapped by dozens. The \
                window of the read-ahead (read_ahead_kb of the device) decides; bytes from the device are counted for \
                all that was read, touched or not.",
    sources: &[
        ("R0", "stride 1, of a sparse file (E21)"),
        ("lmbench", "lat_mmap, in a part"),
    ],
    how: How::Slope,
    spend_ns: 20_000_000,
    points: |_| vec![Point::only()],
    predict: |_| {
        let source = "4 KiB of a stream at 1.5 GB/s: flash and virtual disks of clouds, 0.5 to 6 GB/s";
        let stream = term(
            Side::Hardware,
            "its share of the device's stream",
            Formula::cited(2_700.0, 3.0, source),
        );
        let touch = Formula::part("fault.file.minor", "stride=4KiB written=1MiB");
        let touch = term(Side::Software, "touch of a cached page", touch);
        Prediction {
            from_facts: vec![stream.clone()],
            from_parts: vec![stream, touch],
        }
    },
    witnesses: |_| {
        let mut all = evidence(1.0);
        all.retain(|witness| witness.counter != "samples");
        all.extend(linear());
        all.extend(counted(
            "faults.major",
            0.000_1,
            0.3,
            "the disk was waited for, and not for every page",
        ));
        all
    },
    bounds: |_| Vec::new(),
    run: stream,
    ..MAJOR
};

/// A read of 4 KiB from a device, at depth 1.
fn device() -> Term {
    let source = "a read of 4 KiB at depth 1 from flash: 50 to 100 µs (specifications of NVMe drives of 2016 to 2024 and of \
                  clouds' local disks)";
    term(
        Side::Hardware,
        "read of the device",
        Formula::cited(70_000.0, 2.0, source),
    )
}

/// What must be true of pages that come from a device.
fn evidence(touched: f64) -> Vec<Witness> {
    let page = 4096.0;
    let mut all = work_done("every page held its random word");
    all.extend(counted(
        "file.on_disk",
        1.0,
        1.0,
        "all of the file has extents of its own on a device",
    ));
    all.extend(counted(
        "cache.emptied",
        1.0,
        1.0,
        "the pages were not in the cache before they were touched",
    ));
    let proves = "the device gave at least a page per touch";
    all.extend(counted("device.bytes", touched * page * 0.999, f64::MAX, proves));
    all
}

/// A file on a disk that is mapped, whose cache can be emptied.
struct Emptied {
    file: TemporaryFile,
    pages: Pages,
    looked: f64,
    empty: f64,
}

impl Emptied {
    fn new(bench: &mut Bench<'_>, advice: Option<Advice>) -> Result<Self, Failure> {
        let file = on_disk(bench.seed())?;
        source::describe(bench, &file);
        let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared)?;
        if let Some(advice) = advice {
            pages.advise(0..file.length(), advice)?;
        }
        Ok(Self {
            file,
            pages,
            looked: 0.0,
            empty: 0.0,
        })
    }

    fn empty(&mut self) -> Result<(), Failure> {
        self.pages.advise(0..self.pages.length(), Advice::DontNeed)?;
        Ok(self.file.drop_cache()?)
    }

    /// Looks whether a range is in the cache.
    fn look(&mut self, range: std::ops::Range<usize>) -> Result<(), Failure> {
        self.looked += 1.0;
        self.empty += f64::from(u8::from(self.pages.resident(range)? == 0));
        Ok(())
    }

    #[inline(always)]
    fn touch(&self, offset: usize) -> bool {
        self.pages.read(offset) == Some(self.file.word(offset as u64 / 8))
    }
}

/// Says what the device gave since an earlier reading.
fn count_bytes(bench: &mut Bench<'_>, earlier: Option<u64>, touches: u64) {
    match bytes_from_devices().zip(earlier) {
        Some((now, earlier)) => bench.count("device.bytes", (now - earlier) as f64, touches as f64),
        None => bench.cannot_count("device.bytes", "/proc/self/io does not tell".to_owned()),
    }
}

/// The page that is touched after `index`: 2 731 has no factor in common with a power of two and lies two thirds
/// of a file of 4 096 pages further, so that every page comes once and none beside the one before.
const SCATTER: usize = 2_731;

/// Offsets in bytes of the touches of a point, all different.
pub fn order(point: &Point, length: usize) -> Vec<usize> {
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

/// Touches one by one; the cache is emptied before them only if `empties`.
pub fn each_page(bench: &mut Bench<'_>, empties: bool) -> Result<(), Failure> {
    let mut file = Emptied::new(bench, Some(Advice::Random))?;
    let offsets = order(bench.point(), file.file.length());
    let earlier = bytes_from_devices();
    let mut touches = 0_u64;
    let begin = offsets.len() * usize::try_from(bench.seed() % 16).unwrap_or(0) / 16;
    let mut next = offsets
        .iter()
        .skip(begin)
        .chain(offsets.iter())
        .take(offsets.len());
    if empties {
        file.empty()?;
    }
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
    bench.count("cache.emptied", file.empty, file.looked);
    Ok(())
}

/// Pages in the shortest batch: several windows of the usual read-ahead (128 KiB).
const BATCH: u64 = 128;

fn stream(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let file = Emptied::new(bench, None)?;
    let places = Places::new(file.file.length(), page_size());
    let earlier = bytes_from_devices();
    let file = std::cell::RefCell::new(file);
    let busy = || Failure::Failed("a batch began before the last one ended".to_owned());
    let mut touches = 0;
    let mut before = |n| {
        let mut file = file.try_borrow_mut().map_err(|_| busy())?;
        file.empty()?;
        let all = 0..file.pages.length();
        file.look(all)?;
        places.need(n, || Ok(()))
    };
    let mut main = |n| {
        let file = file.try_borrow().map_err(|_| busy())?;
        touches += n;
        Ok(places.take(n).map(|offset| u64::from(file.touch(offset))).sum())
    };
    bench.batches(Work {
        before: Some(&mut before),
        multiple_of: BATCH,
        ..Work::alone(&mut main)
    })?;
    count_bytes(bench, earlier, touches);
    let file = file.into_inner();
    bench.count("cache.emptied", file.empty, file.looked);
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
