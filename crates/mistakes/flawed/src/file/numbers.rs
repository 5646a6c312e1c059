//! A file of numbers read line by line, and a "random access" that scans it.

use crate::method::FlawedMethod;
use measure::{Bench, CpuTime, Failure, How, Operation, Rehearse, Result, Timed, choice, parameters, takes};
use operations::bases::FILE;
use quantity::{Bytes, Quantity};
use record::{Directory, Gate, Need, Plot};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use sys::cachestat;
use sys::direct::CacheMode;
use sys::temporary::TemporaryFile;
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
                 file was just written and is cached. page_cache=cold: the file was synced and its pages were dropped before each \
                 iteration (in the report between tests). As in the report, searches=lines: an iteration has as many \
                 searches, each for another random number, as the file has lines.",
        confounds: "Up to 8 KiB both are one read and some work in the library. searches=lines: the time grows with the square of the \
                    number of lines, and only the first search waits for the device.",
        sources: &[(
            "R2, 6.2",
            "files of 20 B to 11 KB after purge, all lines, or a search for each of n random numbers",
        )],
        how: How::Each,
        // A cold file is waited for.
        gate: Gate { cpu_share: None, involuntary: false, ..Operation::GATE },
        rehearse: Rehearse::Nothing,
        parameters: takes::<NumbersRead>,
        points: &[
            "profile!=thorough: access=sequential|random file_size=20B|11KiB",
            "profile!=thorough: page_cache=cold access=sequential file_size=20B|11390B; \
             page_cache=cold access=random searches=lines file_size=20B|890B",
            "profile=thorough: access=sequential|random file_size=20B|140B|890B|3890B|11KiB; \
             page_cache=cold access=sequential file_size=20B|65B|140B|290B|890B|1890B|3890B|6390B|8890B|11390B; \
             page_cache=cold access=random searches=lines file_size=20B|65B|140B|290B|890B|1890B|3890B|6390B|8890B|11390B",
        ],
        plot: Some(|| Plot::logarithmic("file_size", "size of the file", Quantity::Size)),
        predict: &[
            "access=sequential: let share = 1",
            "access=random: let share = 0.5",
            // Lines of two to five bytes each: numbers below 10, 100, 1000, and above.
            "searches=lines: let times = {min(10, file_size / 2) + max(0, min(90, (file_size - 20) / 3)) + max(0, min(900, (file_size - 290) / 4)) \
             + max(0, (file_size - 3890) / 5)}",
            "searches!=lines: let times = 1",
            "t0 floors(4)",
            "page_cache=cold: hardware t0 read of the device = device_read",
            "page_cache=cold: hardware t1 read of the device = [file.read.direct access=random file_size=64MiB]",
            "software t0 open, status, close = times × path(4000, 30) (×2: a name looked up, a file allocated, opened by its file system; closed, \
             freed) × cycle_ns",
            "software t1 open and close = times × 2 × [syscall.open_close.read]",
            "software t1 reads = times × {1 + file_size / 8192} × [file.read.cached access=sequential file_size=64KiB]",
            "software line found, copied, parsed = times × share × {file_size / 4.5 * 150} cycles (×2: a line of 4 or 5 bytes found, \
             copied to an allocated string, parsed, freed) × cycle_ns",
        ],
        evidence: &[
            "answers = 1: every number was found on its own line",
            "page_cache=cold: cache.emptied = 1: nothing was cached before the first line",
            "page_cache!=cold: migrations = 0 (quiet, if consistent): the main actor was not migrated",
            "page_cache!=cold: faults.major = 0 (noise): no page was read from the disk",
        ],
        bounds: &["floors(3)"],
        run: |bench| run(bench, bench.directory()?),
        ..FILE
    },
};

/// In a remote directory.
pub static REMOTE: FlawedMethod = FlawedMethod {
    wrong: "unless page_cache=cold, the client's cache serves the reads, and only open contacts the server (E22): no penalty per block follows from it",
    right: ("file.remote.read.direct", "access=random file_size=16MiB server_cache=warm"),
    card: Operation {
        id: "file.remote.read.numbers",
        title: "a remote file of numbers read line by line, or scanned for a random one (wrong)",
        method: "As file.read.numbers, with the file in the remote directory.",
        needs: |_| vec![Need::RemoteDirectory],
        confounds: "What is cached at the client, and whether an open asks the server, depends on the file system and its mount options.",
        sources: &[("R2, 6.3", "the same over NFS; what it adds is called the network penalty")],
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

    /// Syncs the file and drops its pages; whether none is left.
    fn drop_cache(&self) -> Result<bool> {
        let file = TemporaryFile::open_to_read(&self.path, CacheMode::Cached, 0)?;
        file.flush()?;
        file.drop_cache()?;
        Ok(cachestat::query(file.descriptor(), 0..file.length() as u64)?.present == 0)
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

choice! {
    /// What the page cache holds of the file, if not all of it.
    enum PageCache {
        /// Nothing.
        Cold = "cold",
    }
}

choice! {
    /// The searches of an iteration, if not one.
    enum Searches {
        /// As many as the file has lines.
        Lines = "lines",
    }
}

parameters! {
    /// Reads of numbers in lines.
    struct NumbersRead {
        /// Whether the wanted line is the last, or a random one.
        access: Access,
        /// Of the file.
        file_size: Bytes,
        /// What the page cache holds of it.
        page_cache: Option<PageCache> = None,
        /// Of an iteration.
        searches: Option<Searches> = None,
    }
}

/// Reads to the last line, or to random ones.
fn run(bench: &mut Bench<'_>, directory: &Directory) -> Result<()> {
    let NumbersRead { access, file_size, page_cache, searches } = bench.parameters()?;
    let numbers = Numbers::create(directory, file_size.bytes())?;
    let searches = if searches.is_some() { numbers.count } else { 1 };
    let mut state = bench.seed() | 1;
    let (mut iterations, mut cold) = (0_u64, 0_u64);
    bench.each_part(CpuTime::Process, &mut |clock| {
        iterations += 1;
        if page_cache.is_some() {
            cold += u64::from(numbers.drop_cache()?);
        }
        let mut found = 0;
        let before = clock.start();
        for _ in 0..searches {
            // Knuth's linear congruential generator (MMIX).
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = (state >> 33) % numbers.count;
            let wanted = if access == Access::Random { random } else { numbers.count - 1 };
            found += u64::from(numbers.finds(wanted)?);
        }
        let ticks = Some(clock.stop() - before);
        Ok(Timed { ticks, answers: u64::from(found == searches) })
    })?;
    if page_cache.is_some() {
        bench.count("cache.emptied", cold as f64, iterations as f64);
    }
    Ok(())
}
