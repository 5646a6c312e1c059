//! Touches of files through a mapping, without a device.

use super::mappings::size_of;
use super::page_sequence::{PageSequence, unmap_pages};
use super::test_file::{self, LENGTH};
use crate::device_bytes::DeviceBytes;
use crate::repeat::repeat;
use crate::test_file::count_on_disk;
use measure::{Bench, CpuTime, Failure, Result, Timed, Work, choice, parameters};
use quantity::Bytes;
use sys::cachestat;
use sys::memory::page_size;
use sys::pages::{Advice, Pages, Sharing};
use sys::temporary::TemporaryFile;

/// Touches at this stride fault each, in spite of fault-around.
const FAR_APART: Bytes = Bytes::from_bytes(64 << 10);

parameters! {
    /// Reads of a mapped file.
    pub struct MappedRead {
        /// From one touch to the next.
        stride: Bytes,
        /// Of the writes that made the file, which determine its folios.
        fill_write: Bytes,
    }
}

/// Reads of a shared mapping at the stride of the point.
///
/// # Errors
/// When the file cannot be made or mapped.
pub fn read_mapped(bench: &mut Bench<'_>) -> Result<()> {
    let MappedRead { stride, fill_write } = bench.parameters()?;
    let file = test_file::cached(fill_write.bytes() as usize, bench.seed())?;
    let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared)?;
    let sequence = PageSequence::new(file.length(), stride.bytes() as usize);
    // With fault-around only batches of whole folios have a whole number of faults.
    let multiple_of = if stride == FAR_APART { 1 } else { FOLIO };
    bench.batches(Work {
        before: Some(&mut |n| sequence.reserve(n, || unmap_pages(&pages))),
        multiple_of,
        ..Work::new(&mut |n| {
            let mut correct = 0;
            for offset in sequence.take(n) {
                correct += u64::from(pages.read(offset) == Some(file.word(offset as u64 / 8)));
            }
            Ok(correct)
        })
    })
}

/// Pages of the largest folio made by writes of 1 MiB.
const FOLIO: u64 = 256;

/// MADV_DONTNEED of each page of a shared mapping and read of it.
///
/// # Errors
/// When the file cannot be made or mapped.
pub fn unmap_and_read(bench: &mut Bench<'_>) -> Result<()> {
    let file = test_file::cached(page_size(), bench.seed())?;
    let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared)?;
    let sequence = PageSequence::every_page(&pages);
    let is_right = |offset: usize| pages.read(offset) == Some(file.word(offset as u64 / 8));
    sequence.touch(
        bench,
        |n| {
            sequence.reserve(n, || {
                let mut all = (0..file.length()).step_by(page_size());
                Failure::unless(all.all(is_right), "a page of the file does not hold what was written to it")
            })
        },
        |offset| {
            pages.advise(offset..offset + page_size(), Advice::DontNeed)?;
            Ok(is_right(offset))
        },
    )
}

/// First writes to a private mapping.
///
/// # Errors
/// When the file cannot be made or mapped.
pub fn write_privately(bench: &mut Bench<'_>) -> Result<()> {
    let file = test_file::cached(page_size(), bench.seed())?;
    let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Private)?;
    let sequence = PageSequence::every_page(&pages).with_new_pages();
    sequence.touch(
        bench,
        |n| sequence.reserve(n, || unmap_pages(&pages)),
        |offset| {
            let adjacent = file.word(offset as u64 / 8 + 1);
            Ok(pages.write(offset, 1) && pages.read(offset + 8) == Some(adjacent))
        },
    )
}

/// Touches of a file that is cached, far enough apart that each is a fault.
///
/// # Errors
/// When the file cannot be made or mapped.
pub fn touch_cached(bench: &mut Bench<'_>) -> Result<()> {
    let file = test_file::cached(page_size(), bench.seed())?;
    touch(bench, &file, 16 * page_size(), &|offset| file.word(offset as u64 / 8))
}

/// Touches of a file without blocks, dropped from the cache before each lap.
///
/// # Errors
/// When the file cannot be made or mapped.
pub fn touch_sparse(bench: &mut Bench<'_>) -> Result<()> {
    let mut file = TemporaryFile::new(&std::env::temp_dir())?;
    file.stretch(LENGTH)?;
    touch(bench, &file, page_size(), &|_| 0)
}

/// Touches pages of a file; unmaps them, and drops those of a hole from the cache, when all are touched.
fn touch(
    bench: &mut Bench<'_>,
    file: &TemporaryFile,
    step: usize,
    word: &dyn Fn(usize) -> u64,
) -> Result<()> {
    let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared)?;
    pages.advise(0..file.length(), Advice::Random)?;
    let sequence = PageSequence::new(file.length(), step);
    let is_hole = word(0) == 0;
    sequence.touch(
        bench,
        |n| {
            sequence.reserve(n, || {
                unmap_pages(&pages)?;
                if is_hole { Ok(file.drop_cache()?) } else { Ok(()) }
            })
        },
        |offset| Ok(pages.read(offset) == Some(word(offset))),
    )
}

choice! {
    /// Whether the page of a file is in the page cache when it is mapped.
    pub enum PageCache {
        /// It is.
        Warm = "warm",
        /// It is not.
        Cold = "cold",
    }
}

parameters! {
    /// A mapping of a file of one page.
    pub struct OnePage {
        /// Whether the page is in the page cache.
        page_cache: PageCache,
    }
}

/// Maps a file of one page and reads it, timed from before the first to behind the second; unmaps it afterwards.
///
/// # Errors
/// When the file cannot be made, mapped or dropped from the cache.
pub fn map_one_page(bench: &mut Bench<'_>) -> Result<()> {
    let is_cold = bench.parameters::<OnePage>()?.page_cache == PageCache::Cold;
    let length = page_size();
    let file = test_file::on_device(length, bench.seed())?;
    count_on_disk(bench, &file)?;
    let (device, word) = (DeviceBytes::start(), file.word(0));
    let (mut mappings, mut cold) = (0_u64, 0_u64);
    bench.each_part(CpuTime::Process, &mut |clock| {
        if is_cold {
            file.drop_cache()?;
            cold += u64::from(cachestat::query(file.descriptor(), 0..length as u64)?.present == 0);
        }
        let start = clock.start();
        let page = Pages::of_file(file.descriptor(), length, Sharing::Shared)?;
        let correct = page.read(0) == Some(word);
        let ticks = clock.stop() - start;
        mappings += 1;
        Ok(Timed { ticks: Some(ticks), answers: u64::from(correct) })
    })?;
    device.count(bench, mappings as f64);
    if is_cold {
        bench.count("cache.emptied", cold as f64, mappings as f64);
    }
    Ok(())
}

/// Bytes between two touches, and the divisor of the touched part, as in lmbench.
const STEP: usize = 16 << 10;
const FRACTION: usize = 10;

/// Maps a file, reads in its first tenth, and unmaps it, as lmbench's lat_mmap.
///
/// # Errors
/// When the file cannot be made or mapped.
pub fn map_and_read(bench: &mut Bench<'_>) -> Result<()> {
    let size = size_of(bench.point());
    let file = test_file::cached(page_size(), bench.seed())?;
    repeat(bench, |_| {
        let pages = Pages::of_file(file.descriptor(), size.min(file.length()), Sharing::Shared)?;
        let mut touches = (0..size / FRACTION).step_by(STEP);
        Ok(touches.all(|offset| pages.read(offset) == Some(file.word(offset as u64 / 8))))
    })
}
