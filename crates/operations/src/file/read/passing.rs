//! Reads through the cache that leave nothing there, and the first read after a file was opened.

use super::device::{DEVICE, MOST, is_emptied, of, one_by_one_with, passes, right};
use crate::file::stock::Stock;
use crate::file::walk::{DEFAULT, Walk};
use crate::file::{BLOCK, DeviceBytes, size_of};
use measure::{Failure, Operation};
use sys::clock::Clock;
use sys::direct::{self, DONT_CACHE, Way};
use sys::memory::Mapping;

/// Through the cache, without staying there.
pub static DONTCACHE: Operation = Operation {
    id: "file.read.dontcache",
    title: "read of 4 KiB of a file through the cache without staying there",
    one_iteration: "one preadv2 of a block with RWF_DONTCACHE, whose first and last word must be what was written there",
    method: "As file.read.uncached, but with RWF_DONTCACHE (Linux 6.14): pages that a read brings into the cache are \
             dropped when they have been read. Nothing of the file may be in the cache afterwards.",
    confounds: "What is read ahead lies in the cache in large pieces, and the first read of a part of one drops all \
                of it: blocks of 4 KiB in order are read more than once, which device.bytes per byte asked shows. \
                Below the device nothing is emptied.",
    sources: &[
        ("fio", "uncached=1 since 3.39"),
        ("R0, R2", "F_NOCACHE of another kernel, the nearest relative"),
    ],
    points: |_| vec![of("sequential", "16MiB"), of("random", "64MiB")],
    predict: &[
        "t0 uncached read of a block",
        "software t1 an uncached read = [file.read.uncached order={order} bytes={bytes}]",
        "software t1 page dropped = path(500, 6) (×1.8: a page taken out of the index and the lists of the \
         cache, its buffers let go, given back) × cycle_ns",
    ],
    evidence: &[
        "blocks from the device(4096)",
        "cache.emptied = 1: nothing of it was in the cache before it was read",
        "cache.left 0..0.05: what was read did not stay in the cache",
    ],
    run: |bench| {
        let bytes = size_of(bench.point(), "bytes")?;
        let stock = Stock::on_disk(bench, bytes)?;
        knows_dontcache(&stock)?;
        if bench.point().get("order") == Some("sequential") {
            passes(bench, &stock, DONT_CACHE)?;
        } else {
            let file = stock.again(Way::Cached)?;
            direct::will_read(file.descriptor(), false)?;
            let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
            let emptied = is_emptied(&stock)?;
            one_by_one_with(bench, &file, &mut walk, (BLOCK, MOST), DONT_CACHE, &mut || Ok(()))?;
            bench.count("cache.emptied", emptied, 1.0);
        }
        let (left, pages) = stock.cached()?;
        bench.count("cache.left", left as f64, pages as f64);
        Ok(())
    },
    ..DEVICE
};

/// The first read after a file was opened.
pub static FIRST: Operation = Operation {
    id: "file.read.first",
    title: "opening a file and reading its first block, nothing of it in the cache",
    one_iteration: "one open of the file and one pread of a block of its, which must hold what was written there",
    method: "The file's cache is emptied before each iteration and found empty; then the file is opened by its place \
             below /proc and one block at a random place is read, without read-ahead: what a read costs that is the \
             first. Opening, reading ahead and looking for the place on the disk are in it, and in no other point.",
    confounds: "The file's own description (inode and extents) stays in the kernel's memory: no ordinary user can drop \
                that for one file alone.",
    sources: &[(
        "R0, R3",
        "in the mean of a whole file: start and steady reads in one number (E40)",
    )],
    points: |_| vec![of("random", "64MiB")],
    predict: &["first read of a file(1)"],
    evidence: &[
        "blocks from the device(2049)",
        "cache.emptied = 1: nothing of it was in the cache before it was opened",
    ],
    plot: None,
    run: |bench| {
        let bytes = size_of(bench.point(), "bytes")?;
        let stock = Stock::on_disk(bench, bytes)?;
        let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
        let mut buffer = Mapping::private(BLOCK)?;
        let (mut emptied, mut times) = (0.0, Vec::with_capacity(MOST));
        let clock = Clock::select();
        let device = DeviceBytes::begin();
        for _ in 0..MOST {
            emptied += is_emptied(&stock)?;
            let offset = walk.take();
            let began = clock.moment();
            let file = stock.again(Way::Cached)?;
            let read = direct::read_at(file.descriptor(), buffer.bytes_mut(), offset);
            times.push(clock.moment().nanos_since(began) as f64);
            right(&file, read, buffer.bytes_mut(), offset)?;
        }
        let count = times.len() as f64;
        device.tell(bench, count * BLOCK as f64);
        bench.count("cache.emptied", emptied, count);
        bench.count("answers", count, count);
        bench.values(times);
        Ok(())
    },
    ..DEVICE
};

fn knows_dontcache(stock: &Stock) -> Result<(), Failure> {
    let mut byte = [0; 8];
    let read = direct::read_at_with(stock.file.descriptor(), &mut byte, stock.range.start, DONT_CACHE);
    if read == 8 {
        return Ok(());
    }
    Err(Failure::skipped(
        "the kernel or the file system does not know RWF_DONTCACHE",
        "run on Linux 6.14 or newer, with --dir on ext4 or xfs",
    ))
}
