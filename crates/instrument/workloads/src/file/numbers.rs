//! A file of numbers, one on each line, read line by line: all of it, or up to a number that is looked for.

use super::access_pattern::Access;
use super::test_file::{check_memory, io_write_error};
use measure::{Bench, CpuTime, Failure, Result, Timed, parameters};
use quantity::Bytes;
use record::Directory;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

/// A file with the numbers from 0 on, removed when dropped.
struct Numbers {
    path: PathBuf,
    count: u64,
}

impl Numbers {
    /// As many lines as fit into `bytes` bytes, at least one.
    fn create(directory: &Directory, bytes: u64) -> Result<Self> {
        check_memory(directory, 1, bytes)?;
        let path = directory.folder.join(format!("numbers{}", std::process::id()));
        let (mut text, mut count) = (String::new(), 0_u64);
        while text.is_empty() || (text.len() + count.to_string().len()) < bytes as usize {
            text += &format!("{count}\n");
            count += 1;
        }
        fs::write(&path, text).map_err(io_write_error("write"))?;
        Ok(Self { path, count })
    }

    /// Opens the file and reads lines up to this number; whether it was found in its place.
    fn finds(&self, number: u64) -> Result<bool> {
        let failed = |error| Failure::failed(format!("the file of numbers cannot be read: {error}"));
        let reader = BufReader::new(File::open(&self.path).map_err(failed)?);
        for (place, line) in reader.lines().enumerate() {
            if line.map_err(failed)?.parse() == Ok(number) {
                return Ok(place as u64 == number);
            }
        }
        Ok(false)
    }
}

impl Drop for Numbers {
    fn drop(&mut self) {
        // The folder is removed at the end of the run in any case.
        let _ = fs::remove_file(&self.path);
    }
}

parameters! {
    /// Reads of numbers in lines.
    pub struct NumbersRead {
        /// Whether the wanted line is the last, or a random one.
        access: Access,
        /// Of the file.
        bytes: Bytes,
    }
}

/// Reads to the last line, or to a random one.
pub fn run(bench: &mut Bench<'_>, directory: &Directory) -> Result<()> {
    let NumbersRead { access, bytes } = bench.parameters()?;
    let numbers = Numbers::create(directory, bytes.bytes())?;
    let is_random = access == Access::Random;
    let mut state = bench.seed() | 1;
    bench.each_part(CpuTime::Process, &mut |clock| {
        // Knuth's linear congruential generator (MMIX).
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let wanted = if is_random { (state >> 33) % numbers.count } else { numbers.count - 1 };
        let before = clock.start();
        let found = numbers.finds(wanted)?;
        let ticks = Some(clock.stop() - before);
        Ok(Timed { ticks, answers: u64::from(found) })
    })
}
