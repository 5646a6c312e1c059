//! Remote files: block reads with the server's cache in a known state, and directory operations.

use super::access_pattern::{Access, AccessPattern};
use super::cached::read_next;
use super::device::read_all;
use super::server::Server;
use super::test_file::{TestFile, write_error};
use super::{BLOCK, DEFAULT, DeviceBytes, TrialTime, report, timed_read, touched};
use measure::{Bench, Failure, Parameters, Point, Result, choice, parameters};
use quantity::Bytes;
use stats::order::median;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use sys::clock::Clock;
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::names::{Folder, Name};
use sys::nfs_requests;
use sys::path;
use sys::temporary::TemporaryFile;
use sys::traffic;

/// Minimum and maximum individually timed reads of a trial.
const READS: (usize, usize) = (8, 64);

/// Minimum and maximum passes over a file in a trial.
const PASSES: (usize, usize) = (1, 8);

/// Laps until the kernel marks all pages active.
const WARM_UP_LAPS: usize = 2;

/// Opens that would send requests if the file were not delegated.
const OPENS: usize = 4;

/// Bytes of the compared remote and local files.
const COMPARED: u64 = 16 << 20;

/// Bytes received over the network.
struct Traffic {
    before: Result<u64, &'static str>,
}

impl Traffic {
    /// Starts counting.
    ///
    /// # Errors
    /// When no remote directory was named.
    fn start(bench: &Bench<'_>) -> Result<Self> {
        let before = match bench.remote_directory()?.over_network {
            true => traffic::bytes_received().ok_or("the kernel does not count received bytes"),
            false => Err("this kind of mount may not use this machine's network"),
        };
        Ok(Self { before })
    }

    /// Counts the bytes received per requested byte.
    fn count(self, bench: &mut Bench<'_>, requested: f64) {
        let now = traffic::bytes_received().unwrap_or(0);
        let bytes = self.before.map(|before| now.saturating_sub(before) as f64);
        bench.try_count("remote.bytes", bytes, requested);
    }
}

choice! {
    /// What the server's cache holds.
    pub enum ServerCache {
        /// Nothing.
        Cold = "cold",
        /// All that is read.
        Warm = "warm",
    }
}

parameters! {
    /// Reads of a remote file.
    pub struct RemoteRead {
        /// The order.
        access: Access,
        /// Of the file.
        file_size: Bytes,
        /// Of one read.
        block: Bytes = Bytes::from_bytes(DEFAULT),
        /// What the server's cache holds.
        server_cache: ServerCache,
    }
}

parameters! {
    /// Reads of a remote file from the client's cache.
    pub struct CachedRemoteRead {
        /// The order.
        access: Access,
        /// Of the file.
        file_size: Bytes,
    }
}

parameters! {
    /// Reads of a remote and a local file.
    pub struct AlternatingRead {
        /// The order of blocks.
        access: Access = Access::Random,
        /// Of one read.
        block: Bytes,
        /// What the server's cache holds.
        server_cache: ServerCache,
    }
}

/// The offsets that a trial reads.
fn trial_offsets(pattern: &mut AccessPattern, block: u64) -> Vec<u64> {
    // Fewer reads of large blocks.
    let maximum = (READS.1 * BLOCK / block as usize * 16).clamp(READS.0, READS.1);
    (0..maximum.min(pattern.len())).map(|_| pattern.next_offset()).collect()
}

/// Brings the server's cache into the state of the point: reads each block with O_DIRECT, or drops the server's cache.
fn prepare(
    test_file: &TestFile,
    cache: ServerCache,
    server: &mut Server,
    direct: &TemporaryFile,
    offsets: &[u64],
    buffer: &mut Mapping,
) -> Result<()> {
    if cache == ServerCache::Cold {
        test_file.file.flush()?;
        return server.drop_cache();
    }
    for offset in offsets {
        timed_read(Clock::Kernel, direct, buffer, *offset)?;
    }
    Ok(())
}

/// O_DIRECT.
pub fn read_direct(bench: &mut Bench<'_>) -> Result<()> {
    let read: RemoteRead = bench.parameters()?;
    let test_file = TestFile::remote(bench, read.file_size.bytes())?;
    let file = test_file.reopen(CacheMode::Direct)?;
    time_each(bench, read, &test_file, &file, &file).map(drop)
}

/// Cold client cache.
pub fn read_uncached(bench: &mut Bench<'_>) -> Result<()> {
    let read: RemoteRead = bench.parameters()?;
    let test_file = TestFile::remote(bench, read.file_size.bytes())?;
    let emptied = match read.access {
        Access::Sequential => passes(bench, &test_file, read.server_cache)?,
        Access::Random => {
            let file = test_file.reopen(CacheMode::Cached)?;
            direct::will_read(file.descriptor(), false)?;
            time_each(bench, read, &test_file, &file, &test_file.reopen(CacheMode::Direct)?)?
        }
    };
    bench.count("cache.emptied", emptied, 1.0);
    Ok(())
}

/// Individually timed reads with the server's cache prepared; `direct` is open with O_DIRECT.
fn time_each(
    bench: &mut Bench<'_>,
    read: RemoteRead,
    test_file: &TestFile,
    file: &TemporaryFile,
    direct: &TemporaryFile,
) -> Result<f64> {
    let block = read.block.bytes();
    let mut buffer = touched(block as usize)?;
    let mut pattern = AccessPattern::of_file(bench, read.access.into(), test_file, block);
    pattern.start_at_random(bench.seed());
    let offsets = trial_offsets(&mut pattern, block);
    let mut server = Server::connect(bench);
    prepare(test_file, read.server_cache, &mut server, direct, &offsets, &mut buffer)?;
    let emptied = f64::from(u8::from(test_file.drop_cache()?));
    server.start();
    let mut times = Vec::with_capacity(offsets.len());
    let time = TrialTime::start(bench, READS);
    let traffic = Traffic::start(bench)?;
    for offset in offsets {
        if time.allows(times.len()) {
            times.push(timed_read(time.clock, file, &mut buffer, offset)?);
        }
    }
    count(bench, server, traffic, times.len() as f64 * block as f64);
    report(bench, times);
    Ok(emptied)
}

/// Counts the bytes over the network and from the server's devices per requested byte.
fn count(bench: &mut Bench<'_>, server: Server, traffic: Traffic, requested: f64) {
    traffic.count(bench, requested);
    server.count(bench, requested);
}

/// Sequential passes over the whole range, each with a cold client cache; a value is the time per block of a pass. Returns
/// the share of passes that started cold.
fn passes(bench: &mut Bench<'_>, test_file: &TestFile, cache: ServerCache) -> Result<f64> {
    let mut buffer = touched(BLOCK)?;
    let blocks = (test_file.bytes() / DEFAULT) as f64;
    let mut server = Server::connect(bench);
    // A cold server cache is warm after one pass.
    let mut maximum = PASSES.0;
    if cache == ServerCache::Cold {
        test_file.file.flush()?;
        server.drop_cache()?;
    } else {
        test_file.fill_cache()?;
        maximum = PASSES.1;
    }
    let (mut cold, mut values) = (0.0, Vec::new());
    server.start();
    let time = TrialTime::start(bench, (PASSES.0, maximum));
    let traffic = Traffic::start(bench)?;
    while time.allows(values.len()) {
        let file = test_file.reopen(CacheMode::Cached)?;
        cold += f64::from(u8::from(test_file.drop_cache()?));
        let start = time.clock.moment();
        read_all(test_file, &file, &mut buffer, 0)?;
        values.push(time.clock.moment().nanos_since(start) as f64 / blocks);
    }
    let passes = report(bench, values);
    count(bench, server, traffic, passes * blocks * BLOCK as f64);
    Ok(cold / passes)
}

/// Warm client cache.
pub fn read_cached(bench: &mut Bench<'_>) -> Result<()> {
    let CachedRemoteRead { access, file_size } = bench.parameters()?;
    let test_file = TestFile::remote(bench, file_size.bytes())?;
    let mut buffer = Mapping::private(BLOCK)?;
    let mut pattern = AccessPattern::of_file(bench, access.into(), &test_file, DEFAULT);
    let mut done = 0;
    test_file.fill_cache()?;
    if test_file.cached_pages()?.0 == 0 {
        return Err(Failure::skipped(
            "the client does not cache the file: no page of it was in the page cache after a read",
            "mount it with a client cache (9p: cache=loose, SMB: cache=strict, FUSE: without direct_io)",
        ));
    }
    // The second and third read of a page move it between LRU lists: done here, so that the first batches do not cost more.
    for _ in 0..WARM_UP_LAPS * pattern.len() {
        direct::read_at(test_file.file.descriptor(), buffer.bytes_mut(), pattern.next_offset());
    }
    let (before, pages) = test_file.cached_pages()?;
    let (device, traffic) = (DeviceBytes::start(), Traffic::start(bench)?);
    // Not checked before each batch: with single pages the check takes longer than a batch and evicts the processor's caches.
    bench.slope(&mut |n| {
        done += n;
        Ok(read_next(&test_file.file, &mut pattern, buffer.bytes_mut(), n))
    })?;
    let requested = (done * DEFAULT) as f64;
    traffic.count(bench, requested);
    device.count(bench, requested);
    let after = test_file.cached_pages()?.0;
    bench.count("cache.full", (before + after) as f64 / 2.0, pages as f64);
    Ok(())
}

/// Time of a trial, from which its timeout follows: large files take seconds to write and to read.
pub fn spend_ns(point: &Point) -> u64 {
    let bytes = RemoteRead::read(point).map_or(0, |read| read.file_size.bytes());
    if bytes > LARGE { 20_000_000_000 } else { 12_000_000 }
}

/// Files that are larger take seconds.
const LARGE: u64 = 64 << 20;

/// Blocks of a remote and of a local file, alternating; the difference of their times.
pub fn read_alternating(bench: &mut Bench<'_>) -> Result<()> {
    let AlternatingRead { access, block, server_cache } = bench.parameters()?;
    let block = block.bytes();
    let remote = TestFile::remote(bench, COMPARED)?;
    let direct = remote.reopen(CacheMode::Direct)?;
    let (local_part, mode) = if server_cache == ServerCache::Cold {
        (TestFile::on_device(bench, COMPARED)?, CacheMode::Direct)
    } else {
        let local_part = TestFile::with_length(bench, COMPARED)?;
        local_part.fill_cache()?;
        (local_part, CacheMode::Cached)
    };
    let local = local_part.reopen(mode)?;
    let mut pattern = AccessPattern::new(access.into(), 0, COMPARED, block, bench.seed());
    pattern.start_at_random(bench.seed());
    let offsets = trial_offsets(&mut pattern, block);
    let in_remote: Vec<u64> = offsets.iter().map(|offset| offset + remote.range.start).collect();
    let mut buffer = touched(block as usize)?;
    let mut server = Server::connect(bench);
    prepare(&remote, server_cache, &mut server, &direct, &in_remote, &mut buffer)?;
    server.start();
    let mut values = Vec::with_capacity(offsets.len());
    let (mut at_server, mut here) = (Vec::new(), Vec::new());
    let time = TrialTime::start(bench, READS);
    let traffic = Traffic::start(bench)?;
    for (remote_offset, offset) in in_remote.into_iter().zip(offsets) {
        if time.allows(values.len()) {
            let remote = timed_read(time.clock, &direct, &mut buffer, remote_offset)?;
            if server_cache == ServerCache::Cold {
                // The same block from the server's cache: what is saved is the server's disk.
                at_server.push(remote - timed_read(time.clock, &direct, &mut buffer, remote_offset)?);
            }
            let local = timed_read(time.clock, &local, &mut buffer, offset + local_part.range.start)?;
            here.push(local);
            values.push(remote - local);
        }
    }
    count(bench, server, traffic, values.len() as f64 * block as f64);
    // How much longer a block takes from the server's disk than from the local one: unequal disks would be taken for the
    // network (E44).
    if let Some((at_server, here)) = median(&at_server).zip(median(&here)) {
        bench.count("disk.server_per_local", at_server.max(0.0), here);
    }
    report(bench, values);
    Ok(())
}

/// Lookups of missing names.
pub fn look_up_missing(bench: &mut Bench<'_>) -> Result<()> {
    let folder = Folder::open(&bench.remote_directory()?.folder)?;
    let seed = bench.seed();
    let mut next = 0;
    time_calls(bench, &mut || {
        next += 1;
        let name = Name::new("absent", seed.wrapping_add(next));
        Ok(folder.stat(&name).is_err_and(|error| error.is_missing()))
    })
}

/// Opens and closes a file by its absolute path.
pub fn open_and_close(bench: &mut Bench<'_>) -> Result<()> {
    let path = bench.remote_directory()?.folder.clone();
    let folder = Folder::open(&path)?;
    let name = Name::new("opened", u64::from(std::process::id()));
    folder.create(&name, &[1; 4096]).map_err(write_error)?;
    let absolute = path.join(format!("opened{}", std::process::id()));
    let absolute = CString::new(absolute.as_os_str().as_bytes())
        .map_err(|_| Failure::failed("the path of the directory contains a NUL byte"))?;
    let mut once = || Ok(path::open_and_close(&absolute, path::Access::Read).is_ok());
    let result = refuse_delegated(&path, &mut once).and_then(|()| time_calls(bench, &mut once));
    // A client may close it later than this process did, and an SMB server removes no open file: then it goes with the
    // folder at the end of the run.
    let _ = folder.remove(&name);
    result
}

/// Skips a file that the server delegated to this client, which then opens it without asking.
fn refuse_delegated(path: &Path, once: &mut dyn FnMut() -> Result<bool>) -> Result<()> {
    // The first open takes the delegation.
    once()?;
    let before = nfs_requests::opens(path);
    for _ in 0..OPENS {
        once()?;
    }
    if before.is_none() || nfs_requests::opens(path) != before {
        return Ok(());
    }
    Err(Failure::skipped(
        format!(
            "the server delegated the file to this client: {OPENS} opens sent no OPEN request (NFSv4 delegation)"
        ),
        "mount it with vers=3, or forbid delegations on the server (sysctl fs.leases-enable=0)",
    ))
}

/// Times each call of `once`.
fn time_calls(bench: &mut Bench<'_>, once: &mut dyn FnMut() -> Result<bool>) -> Result<()> {
    let (mut times, mut correct) = (Vec::with_capacity(READS.1), 0);
    // The first call is a warm-up.
    once()?;
    let traffic = Traffic::start(bench)?;
    let time = TrialTime::start(bench, READS);
    while time.allows(times.len()) {
        let start = time.clock.moment();
        correct += u64::from(once()?);
        times.push(time.clock.moment().nanos_since(start) as f64);
    }
    let count = times.len() as f64;
    traffic.count(bench, count);
    bench.count("answers", correct as f64, count);
    bench.values(times);
    Ok(())
}
