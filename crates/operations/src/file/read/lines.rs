//! Reading a file line by line, as programs do.

use crate::file::{COMMON, DeviceBytes, RIGHT_DATA};
use measure::{Bench, Failure, Operation, Point, Work};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use sys::cachestat;
use sys::temporary::TemporaryFile;

/// Bytes of a line, its end included.
const LINE: usize = 64;

/// Bytes of the file.
const LENGTH: usize = 1 << 20;

/// Bytes that are read by one call.
const PIECE: usize = 8 << 10;

/// Line by line.
pub static LINES: Operation = Operation {
    id: "file.read.lines",
    title: "one line of 64 bytes of a file that is in the cache",
    one_iteration: "one line of 64 bytes read through a buffer of 8 KiB, its number compared",
    method: "A file of 1 MiB without a name holds lines of 63 random hexadecimal digits, which begin with their \
             number. It is read from its beginning to its end, time and again, by the buffered reader of Rust's \
             standard library: a read of 8 KiB for every 128 lines, and for each line the search for its end and a \
             copy.",
    confounds: "It is the library that is measured as much as the kernel: other libraries search and copy otherwise, and \
                longer lines cost more. R2 read lines where blocks were meant.",
    sources: &[
        ("R2", "read of a file line by line, reported as read of a block"),
        ("lmbench", "none"),
    ],
    predict: &[
        "software end of the line found, line copied = 50 cycles (×1.7: a buffer asked for its bytes (10), \
         the end looked for 32 bytes at a time (25), 64 bytes copied to a vector that has room (35), \
         position kept (10), eight digits compared (20): 100 instructions at two a cycle) × cycle_ns",
        "t0 cached read of a block({64 / 4096})",
        "software t1 its share of a block = {64 / 4096} × [file.read.cached order=sequential bytes=1MiB]",
    ],
    evidence: &[
        "answers = 1: every line was whole and had its number",
        "blocks from the cache",
        "calls.read 0..0.2 (quiet): a call brings many lines",
    ],
    bounds: &[
        "> {64 / 4096 / 2} × [file.read.cached order=sequential bytes=1MiB]: its bytes are read from the \
         cache, by calls for two blocks",
    ],
    points: |_| vec![Point::only()],
    run,
    ..COMMON
};

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

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let file = TemporaryFile::new(&bench.directory()?.path)?;
    let lines = LENGTH / LINE;
    let text: Vec<u8> = (0..lines).flat_map(|number| line(&file, number)).collect();
    file.descriptor()
        .write_all(&text)
        .map_err(crate::file::stock::refused)?;
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
