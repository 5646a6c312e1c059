//! A file of numbers read line by line, and a "random access" that scans it.

use crate::method::FlawedMethod;
use measure::{Bench, CpuTime, Failure, How, Operation, Rehearse, Result, Timed, parameters, takes};
use operations::bases::FILE;
use quantity::{Bytes, Quantity};
use record::{Directory, Need, Plot};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use workloads::file::Access;
use workloads::test_file::{check_memory, io_write_error};

/// In a local directory.
pub static LOCAL: FlawedMethod = FlawedMethod {
    wrong: "a scan from the beginning is not random access: it reads the same offsets as the sequential case (E17)",
    right: ("file.read.cached", "access=random file_size=64KiB"),
    card: Operation {
        id: "file.read.numbers",
        title: "a file of numbers read line by line, or scanned for a random one (wrong)",
        one_iteration: "open of a file, its lines read up to the last or to a random number, close",
        method: "A file holds the numbers from 0 on, one on each line, about n bytes in all. access=sequential reads all lines by the \
                 buffered reader of Rust's standard library. access=random scans from the first line to a random number. The \
                 file was just written and is cached.",
        confounds: "Up to 8 KiB both are one read and some work in the library. As many searches as the file has lines (R2, 6.3) take a time \
                    that grows with the square of the size.",
        sources: &[(
            "R2, 6.2",
            "files of 20 B to 11 KB after purge, all lines, or a search for each of n random numbers",
        )],
        how: How::Each,
        rehearse: Rehearse::Nothing,
        parameters: takes::<NumbersRead>,
        points: &[
            "profile!=thorough: access=sequential|random file_size=20B|11KiB",
            "profile=thorough: access=sequential|random file_size=20B|140B|890B|3890B|11KiB",
        ],
        plot: Some(|| Plot::logarithmic("file_size", "size of the file", Quantity::Size)),
        predict: &[
            "access=sequential: let share = 1",
            "access=random: let share = 0.5",
            "t0 floors(4)",
            "software t0 open, status, close = path(4000, 30) (×2: a name looked up, a file allocated, opened by its file system; closed, \
             freed) × cycle_ns",
            "software t1 open and close = 2 × [syscall.open_close.read]",
            "software t1 reads = {1 + file_size / 8192} × [file.read.cached access=sequential file_size=64KiB]",
            "software line found, copied, parsed = share × {file_size / 4.5 * 150} cycles (×2: a line of 4 or 5 bytes found, \
             copied to an allocated string, parsed, freed) × cycle_ns",
        ],
        evidence: &["answers = 1: the number was found on its own line", "undisturbed"],
        bounds: &["floors(3)"],
        run: |bench| run(bench, bench.directory()?),
        ..FILE
    },
};

/// In a remote directory.
pub static REMOTE: FlawedMethod = FlawedMethod {
    wrong: "the client's cache serves the reads, and only open contacts the server (E22): no penalty per block follows from it",
    right: ("file.remote.read.direct", "access=random file_size=16MiB server_cache=warm"),
    card: Operation {
        id: "file.remote.read.numbers",
        title: "a remote file of numbers read line by line, or scanned for a random one (wrong)",
        method: "As file.read.numbers, with the file in the remote directory.",
        confounds: "What is cached at the client, and whether an open asks the server, depends on the file system and its mount options.",
        sources: &[("R2, 6.3", "the same over NFS, called the network penalty")],
        needs: |_| vec![Need::RemoteDirectory],
        predict: &[],
        run: |bench| run(bench, bench.remote_directory()?),
        ..LOCAL.card
    },
};

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
    struct NumbersRead {
        /// Whether the wanted line is the last, or a random one.
        access: Access,
        /// Of the file.
        file_size: Bytes,
    }
}

/// Reads to the last line, or to a random one.
fn run(bench: &mut Bench<'_>, directory: &Directory) -> Result<()> {
    let NumbersRead { access, file_size } = bench.parameters()?;
    let numbers = Numbers::create(directory, file_size.bytes())?;
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
