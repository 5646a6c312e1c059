//! Reads of blocks that are in the kernel's cache, of holes, and of lines.

use super::stock::{Stock, refused};
use super::walk::Walk;
use super::{BLOCK, DEFAULT, DeviceBytes, RIGHT_DATA};
use measure::{Bench, Failure, Work};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use sys::cachestat;
use sys::direct;
use sys::memory::Mapping;
use sys::pages::{Pages, Sharing};
use sys::temporary::TemporaryFile;

/// Blocks by a call for each.
pub fn read_blocks(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let stock = Stock::of(bench, bytes)?;
    let mut buffer = Mapping::private(BLOCK)?;
    let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
    stock.fetch()?;
    batches(bench, &stock, &mut |n| {
        Ok(read_next(&stock.file, &mut walk, buffer.bytes_mut(), n))
    })
}

/// Reads the next blocks; how many were right.
#[inline(always)]
pub fn read_next(file: &TemporaryFile, walk: &mut Walk, block: &mut [u8], n: u64) -> u64 {
    let mut right = 0;
    for _ in 0..n {
        let offset = walk.take();
        let read = direct::read_at(file.descriptor(), block, offset);
        right += u64::from(read == BLOCK as isize && file.is_block(block, offset));
    }
    right
}

/// Blocks copied out of a mapping, all of which was touched before.
pub fn copy_mapped_blocks(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let stock = Stock::of(bench, bytes)?;
    let mut buffer = Mapping::private(BLOCK)?;
    let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
    let pages = Pages::of_file(stock.file.descriptor(), stock.range.end as usize, Sharing::Shared)?;
    stock.fetch()?;
    for offset in stock.range.clone().step_by(BLOCK) {
        pages.read(offset as usize);
    }
    batches(bench, &stock, &mut |n| {
        let (file, block) = (&stock.file, buffer.bytes_mut());
        let mut right = 0;
        for _ in 0..n {
            let offset = walk.take();
            let copied = pages.copy_out(offset as usize, block);
            right += u64::from(copied && file.is_block(block, offset));
        }
        Ok(right)
    })
}

/// Batches of reads of what was fetched.
fn batches(
    bench: &mut Bench<'_>,
    stock: &Stock,
    main: &mut dyn FnMut(u64) -> Result<u64, Failure>,
) -> Result<(), Failure> {
    let (mut full, mut looked, mut blocks) = (0.0, 0.0, 0.0);
    let mut before = |n: u64| {
        let (present, pages) = stock.cached()?;
        full += present as f64 / pages as f64;
        looked += 1.0;
        blocks += n as f64;
        Ok(())
    };
    let bytes = DeviceBytes::begin();
    bench.batches(Work {
        before: Some(&mut before),
        ..Work::alone(main)
    })?;
    bytes.tell(bench, blocks * BLOCK as f64);
    bench.count("cache.full", full, looked);
    Ok(())
}

/// Blocks of a file that is a hole.
pub fn read_hole(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let mut file = TemporaryFile::new(&bench.directory()?.path)?;
    file.stretch(bytes as usize)?;
    let mut buffer = Mapping::private(BLOCK)?;
    let mut walk = Walk::new(bench.point(), 0, bytes, DEFAULT, bench.seed())?;
    // The whole file is read before it is forgotten again.
    let mut left = 0;
    let count = walk.count() as u64;
    let mut before = |n: u64| {
        if left < n {
            file.drop_cache()?;
            left = count;
        }
        left = left.saturating_sub(n);
        Ok(())
    };
    let mut main = |n| {
        let block = buffer.bytes_mut();
        let mut right = 0;
        for _ in 0..n {
            let read = direct::read_at(file.descriptor(), block, walk.take());
            right += u64::from(read == BLOCK as isize && block.iter().all(|&byte| byte == 0));
        }
        Ok(right)
    };
    let device = DeviceBytes::begin();
    bench.batches(Work {
        before: Some(&mut before),
        ..Work::alone(&mut main)
    })?;
    device.tell(bench, bytes as f64);
    Ok(())
}

/// Bytes of a line, its end included.
const LINE: usize = 64;

/// Bytes of the file.
const LENGTH: usize = 1 << 20;

/// Bytes that are read by one call.
const PIECE: usize = 8 << 10;

/// The line of this number: 63 digits of a random number, the first eight of which tell its own.
fn line(file: &TemporaryFile, number: usize) -> [u8; LINE] {
    let mut line = [b'\n'; LINE];
    let digits = b"0123456789abcdef";
    let words = [
        number as u64,
        file.word(number as u64),
        file.word(number as u64 + 1),
        file.word(number as u64 + 2),
    ];
    for (index, place) in line.iter_mut().take(LINE - 1).enumerate() {
        let word = words.get(index / 8 % words.len()).copied().unwrap_or(0);
        let digit = (word >> (28 - 4 * (index % 8))) & 15;
        *place = digits.get(digit as usize).copied().unwrap_or(b'0');
    }
    line
}

/// Lines of a file, by the buffered reader of the standard library.
pub fn read_lines(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let file = TemporaryFile::new(&bench.directory()?.path)?;
    let lines = LENGTH / LINE;
    let text: Vec<u8> = (0..lines).flat_map(|number| line(&file, number)).collect();
    file.descriptor().write_all(&text).map_err(refused)?;
    file.flush()?;
    // The library's own type, of the same file.
    let opened = File::open(format!("/proc/self/fd/{}", file.descriptor().number()));
    let opened =
        opened.map_err(|error| Failure::Failed(format!("the file cannot be opened again: {error}")))?;
    let mut reader = BufReader::with_capacity(PIECE, opened);
    let (mut bytes, mut number) = (Vec::with_capacity(2 * LINE), 0);
    let first: Vec<[u8; 8]> = (0..lines)
        .map(|number| line(&file, number).first_chunk().copied().unwrap_or_default())
        .collect();
    let mut main = |n: u64| {
        let mut right = 0;
        for _ in 0..n {
            bytes.clear();
            let read = reader.read_until(b'\n', &mut bytes);
            right +=
                u64::from(read.is_ok_and(|read| read == LINE) && bytes.first_chunk() == first.get(number));
            number += 1;
            if number == lines {
                number = 0;
                let back = reader.seek(SeekFrom::Start(0));
                back.map_err(|_| Failure::Failed(RIGHT_DATA.to_owned()))?;
            }
        }
        Ok(right)
    };
    let (mut full, mut looked) = (0.0, 0.0);
    let mut before = |_| {
        let present = cachestat::of(file.descriptor(), 0..LENGTH as u64)?.present;
        full += present as f64 * sys::memory::page_size() as f64 / LENGTH as f64;
        looked += 1.0;
        Ok(())
    };
    let device = DeviceBytes::begin();
    bench.batches(Work {
        before: Some(&mut before),
        multiple_of: (PIECE / LINE) as u64,
        ..Work::alone(&mut main)
    })?;
    device.tell(bench, LENGTH as f64);
    bench.count("cache.full", full, looked);
    Ok(())
}
