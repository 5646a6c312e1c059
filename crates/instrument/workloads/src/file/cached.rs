//! Reads of cached blocks, of holes, and of lines.

use super::access_pattern::{AccessPattern, FileRead, Order};
use super::test_file::{TestFile, write_error};
use super::{BLOCK, DEFAULT, DeviceBytes, WRONG_DATA};
use measure::{Bench, Failure, Result, Work};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use sys::cachestat;
use sys::direct;
use sys::memory::Mapping;
use sys::pages::{Pages, Sharing};
use sys::temporary::TemporaryFile;

/// One pread per block.
pub fn read_blocks(bench: &mut Bench<'_>) -> Result<()> {
    let FileRead { access, file_size, stride } = bench.parameters()?;
    read_blocks_of(bench, Order::new(access, stride)?, file_size.bytes())
}

/// The same in random order, of a file of this length.
///
/// # Errors
/// When there is no test file, or its cache cannot be filled.
pub fn read_blocks_at_random(bench: &mut Bench<'_>, bytes: u64) -> Result<()> {
    read_blocks_of(bench, Order::Random, bytes)
}

fn read_blocks_of(bench: &mut Bench<'_>, order: Order, bytes: u64) -> Result<()> {
    let test_file = TestFile::with_length(bench, bytes)?;
    let mut buffer = Mapping::private(BLOCK)?;
    let mut pattern = AccessPattern::of_file(bench, order, &test_file, DEFAULT);
    test_file.fill_cache()?;
    batches(bench, &test_file, &mut |n| Ok(read_next(&test_file.file, &mut pattern, buffer.bytes_mut(), n)))
}

/// Reads the next blocks; returns the number of correct ones.
#[inline(always)]
pub fn read_next(file: &TemporaryFile, pattern: &mut AccessPattern, block: &mut [u8], n: u64) -> u64 {
    let mut correct = 0;
    for _ in 0..n {
        let offset = pattern.next_offset();
        let read = direct::read_at(file.descriptor(), block, offset);
        correct += u64::from(read == BLOCK as isize && file.is_block(block, offset));
    }
    correct
}

/// Blocks copied out of a populated mapping.
pub fn copy_mapped_blocks(bench: &mut Bench<'_>) -> Result<()> {
    let FileRead { access, file_size, stride } = bench.parameters()?;
    let test_file = TestFile::with_length(bench, file_size.bytes())?;
    let mut buffer = Mapping::private(BLOCK)?;
    let mut pattern = AccessPattern::of_file(bench, Order::new(access, stride)?, &test_file, DEFAULT);
    let pages = Pages::of_file(test_file.file.descriptor(), test_file.range.end as usize, Sharing::Shared)?;
    test_file.fill_cache()?;
    for offset in test_file.range.clone().step_by(BLOCK) {
        pages.read(offset as usize);
    }
    batches(bench, &test_file, &mut |n| {
        let (file, block) = (&test_file.file, buffer.bytes_mut());
        let mut correct = 0;
        for _ in 0..n {
            let offset = pattern.next_offset();
            let copied = pages.copy_out(offset as usize, block);
            correct += u64::from(copied && file.is_block(block, offset));
        }
        Ok(correct)
    })
}

/// Batches of reads of blocks, with the cache of the file checked before each.
fn batches(
    bench: &mut Bench<'_>,
    test_file: &TestFile,
    main: &mut dyn FnMut(u64) -> Result<u64>,
) -> Result<()> {
    batches_of_cached(
        bench,
        &|| test_file.cached_pages().map(|(present, pages)| present as f64 / pages as f64),
        1,
        &|blocks| blocks * BLOCK as f64,
        main,
    )
}

/// Batches of reads, with the cached share of the file checked before each; `requested` are the bytes of iterations.
fn batches_of_cached(
    bench: &mut Bench<'_>,
    cached: &dyn Fn() -> Result<f64>,
    multiple_of: u64,
    requested: &dyn Fn(f64) -> f64,
    main: &mut dyn FnMut(u64) -> Result<u64>,
) -> Result<()> {
    let (mut full, mut checks, mut iterations) = (0.0, 0.0, 0.0);
    let device = DeviceBytes::start();
    bench.batches(Work {
        before: Some(&mut |n| {
            full += cached()?;
            checks += 1.0;
            iterations += n as f64;
            Ok(())
        }),
        multiple_of,
        ..Work::new(main)
    })?;
    device.count(bench, requested(iterations));
    bench.count("cache.full", full, checks);
    Ok(())
}

/// Blocks of a sparse file.
pub fn read_hole(bench: &mut Bench<'_>) -> Result<()> {
    let FileRead { access, file_size, stride } = bench.parameters()?;
    let bytes = file_size.bytes();
    let mut file = TemporaryFile::new(&bench.directory()?.path)?;
    file.stretch(bytes as usize)?;
    let mut buffer = Mapping::private(BLOCK)?;
    let mut pattern = AccessPattern::new(Order::new(access, stride)?, 0, bytes, DEFAULT, bench.seed());
    // The cache is dropped after each lap.
    let mut left = 0;
    let count = pattern.len() as u64;
    let device = DeviceBytes::start();
    bench.batches(Work {
        before: Some(&mut |n| {
            if left < n {
                file.drop_cache()?;
                left = count;
            }
            left = left.saturating_sub(n);
            Ok(())
        }),
        ..Work::new(&mut |n| {
            let block = buffer.bytes_mut();
            let mut correct = 0;
            for _ in 0..n {
                let read = direct::read_at(file.descriptor(), block, pattern.next_offset());
                correct += u64::from(read == BLOCK as isize && block.iter().all(|&byte| byte == 0));
            }
            Ok(correct)
        })
    })?;
    device.count(bench, bytes as f64);
    Ok(())
}

/// Bytes of a line with its newline.
const LINE: usize = 64;

/// Bytes of the file.
const LENGTH: usize = 1 << 20;

/// Bytes per read call.
const PIECE: usize = 8 << 10;

/// A line: its number in eight digits, then random digits.
fn line(file: &TemporaryFile, number: usize) -> [u8; LINE] {
    let mut line = [b'\n'; LINE];
    let digits = b"0123456789abcdef";
    let words =
        [number as u64, file.word(number as u64), file.word(number as u64 + 1), file.word(number as u64 + 2)];
    for (index, place) in line.iter_mut().take(LINE - 1).enumerate() {
        let word = words.get(index / 8 % words.len()).copied().unwrap_or(0);
        let digit = (word >> (28 - 4 * (index % 8))) & 15;
        *place = digits.get(digit as usize).copied().unwrap_or(b'0');
    }
    line
}

/// Lines through the buffered reader of the standard library.
pub fn read_lines(bench: &mut Bench<'_>) -> Result<()> {
    let file = TemporaryFile::new(&bench.directory()?.path)?;
    let lines = LENGTH / LINE;
    let text: Vec<u8> = (0..lines).flat_map(|number| line(&file, number)).collect();
    file.descriptor().write_all(&text).map_err(write_error)?;
    file.flush()?;
    // The same file as the library's type.
    let opened = File::open(format!("/proc/self/fd/{}", file.descriptor().number()));
    let opened = opened.map_err(|error| Failure::failed(format!("the file cannot be reopened: {error}")))?;
    let mut reader = BufReader::with_capacity(PIECE, opened);
    let (mut bytes, mut number) = (Vec::with_capacity(2 * LINE), 0);
    let first: Vec<[u8; 8]> =
        (0..lines).map(|number| line(&file, number).first_chunk().copied().unwrap_or_default()).collect();
    let mut main = |n: u64| {
        let mut correct = 0;
        for _ in 0..n {
            bytes.clear();
            let read = reader.read_until(b'\n', &mut bytes);
            correct +=
                u64::from(read.is_ok_and(|read| read == LINE) && bytes.first_chunk() == first.get(number));
            number += 1;
            if number == lines {
                number = 0;
                let back = reader.seek(SeekFrom::Start(0));
                back.map_err(|_| Failure::failed(WRONG_DATA))?;
            }
        }
        Ok(correct)
    };
    batches_of_cached(
        bench,
        &|| {
            let present = cachestat::query(file.descriptor(), 0..LENGTH as u64)?.present;
            Ok(present as f64 * sys::memory::page_size() as f64 / LENGTH as f64)
        },
        (PIECE / LINE) as u64,
        &|_| LENGTH as f64,
        &mut main,
    )
}
