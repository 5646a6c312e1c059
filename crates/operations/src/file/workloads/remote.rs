//! Files on a remote file system: blocks read with the server's cache in a known state, and names.

use super::cached::read_next;
use super::device::{read_all, right};
use super::server::Server;
use super::stock::{Stock, refused};
use super::walk::Walk;
use super::{BLOCK, DEFAULT, DeviceBytes, TrialTime};
use measure::{Bench, Failure, Point};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use sys::clock::Clock;
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::names::{Folder, Name};
use sys::path::{self, Access};
use sys::temporary::TemporaryFile;
use sys::traffic;

/// Fewest and most reads of a trial that are timed one by one.
const READS: (usize, usize) = (8, 64);

/// Fewest and most passes over a file in a trial.
const PASSES: (usize, usize) = (1, 8);

/// Laps after which the kernel knows all pages to be in use.
const SETTLED: usize = 2;

/// Bytes of a remote and of a local file whose blocks are compared.
const COMPARED: u64 = 16 << 20;

/// Bytes that came over the network, around some work.
struct Traffic {
    before: Result<u64, String>,
}

impl Traffic {
    /// From now on.
    ///
    /// # Errors
    /// When no remote directory was named.
    fn begin(bench: &Bench<'_>) -> Result<Self, Failure> {
        let before = match bench.remote_directory()?.over_network {
            true => traffic::bytes_received()
                .ok_or_else(|| "the kernel does not tell what came over the network".to_owned()),
            false => Err("files of this kind of mount need not come over this machine's network".to_owned()),
        };
        Ok(Self { before })
    }

    /// Says how many bytes came for each that was asked for.
    fn tell(self, bench: &mut Bench<'_>, asked: f64) {
        let now = traffic::bytes_received().unwrap_or(0);
        match self.before {
            Ok(before) => bench.count("remote.bytes", now.saturating_sub(before) as f64, asked),
            Err(reason) => bench.cannot_count("remote.bytes", reason),
        }
    }
}

/// Whether the server's cache is emptied first.
fn is_emptied(bench: &Bench<'_>) -> bool {
    bench.point().get("server_cache") == Some("cold")
}

/// The next offsets of a walk, as many as a trial reads.
fn some(walk: &mut Walk, block: u64) -> Vec<u64> {
    // Large blocks take their time.
    let most = (READS.1 * BLOCK / block as usize * 16).clamp(READS.0, READS.1);
    (0..most.min(walk.count())).map(|_| walk.take()).collect()
}

/// A timed read of a block, which must be the file's.
fn timed(clock: Clock, file: &TemporaryFile, buffer: &mut Mapping, offset: u64) -> Result<f64, Failure> {
    let began = clock.moment();
    let read = direct::read_at(file.descriptor(), buffer.bytes_mut(), offset);
    let nanos = clock.moment().nanos_since(began) as f64;
    right(file, read, buffer.bytes_mut(), offset)?;
    Ok(nanos)
}

/// Brings the server's cache into the state that the point says: what was written is there, then each block is read
/// past the client's cache, or all of the server's cache is emptied.
fn prepare(
    bench: &Bench<'_>,
    stock: &Stock,
    server: &mut Server,
    past: &TemporaryFile,
    offsets: &[u64],
    buffer: &mut Mapping,
) -> Result<(), Failure> {
    if is_emptied(bench) {
        stock.file.flush()?;
        return server.empty();
    }
    for offset in offsets {
        timed(Clock::Kernel, past, buffer, *offset)?;
    }
    Ok(())
}

/// Past this end's cache.
pub fn read_past_the_cache(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let stock = Stock::remote(bench, bytes)?;
    let file = stock.again(CacheMode::Direct)?;
    one_by_one(bench, &stock, &file, &file).map(drop)
}

/// Through this end's cache, which was emptied.
pub fn read_uncached(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let stock = Stock::remote(bench, bytes)?;
    let emptied = match bench.point().get("access") {
        Some("sequential") => passes(bench, &stock)?,
        _ => {
            let file = stock.again(CacheMode::Cached)?;
            direct::will_read(file.descriptor(), false)?;
            one_by_one(bench, &stock, &file, &stock.again(CacheMode::Direct)?)?
        }
    };
    bench.count("cache.emptied", emptied, 1.0);
    Ok(())
}

/// Reads timed alone, after the server's cache was prepared: `past` goes past this end's cache.
fn one_by_one(
    bench: &mut Bench<'_>,
    stock: &Stock,
    file: &TemporaryFile,
    past: &TemporaryFile,
) -> Result<f64, Failure> {
    let bytes = bench.point().size("bytes")?;
    let block = bench.point().size("block").unwrap_or(DEFAULT);
    let mut buffer = Mapping::private(block as usize)?;
    buffer.touch(1);
    let mut walk = Walk::new(bench.point(), stock.range.start, bytes, block, bench.seed())?;
    walk.begin_at(bench.seed());
    let offsets = some(&mut walk, block);
    let mut server = Server::of(bench);
    prepare(bench, stock, &mut server, past, &offsets, &mut buffer)?;
    let emptied = f64::from(u8::from(stock.empty()?));
    server.begin();
    let mut times = Vec::with_capacity(offsets.len());
    let time = TrialTime::begin(bench, READS);
    let traffic = Traffic::begin(bench)?;
    for offset in offsets {
        if time.is_left(times.len()) {
            times.push(timed(time.clock, file, &mut buffer, offset)?);
        }
    }
    tell(bench, server, traffic, times.len() as f64 * block as f64);
    give(bench, times);
    Ok(emptied)
}

/// Says what came over the network and from the server's devices for so many bytes.
fn tell(bench: &mut Bench<'_>, server: Server, traffic: Traffic, asked: f64) {
    traffic.tell(bench, asked);
    server.tell(bench, asked);
}

/// Gives values, each of which was right.
fn give(bench: &mut Bench<'_>, values: Vec<f64>) {
    let count = values.len() as f64;
    bench.count("answers", count, count);
    bench.values(values);
}

/// Passes over the whole range in order, each after this end's cache was emptied, and one before that is not timed; a
/// value is the time of a block in a pass. Gives the share of passes that began with an empty cache.
fn passes(bench: &mut Bench<'_>, stock: &Stock) -> Result<f64, Failure> {
    let mut buffer = Mapping::private(BLOCK)?;
    buffer.touch(1);
    let blocks = (stock.range.end - stock.range.start) / DEFAULT;
    let mut server = Server::of(bench);
    // What was emptied once is full after one pass.
    let mut most = PASSES.0;
    if is_emptied(bench) {
        stock.file.flush()?;
        server.empty()?;
    } else {
        stock.fetch()?;
        most = PASSES.1;
    }
    let (mut emptied, mut values) = (0.0, Vec::new());
    server.begin();
    let time = TrialTime::begin(bench, (PASSES.0, most));
    let traffic = Traffic::begin(bench)?;
    while time.is_left(values.len()) {
        let file = stock.again(CacheMode::Cached)?;
        emptied += f64::from(u8::from(stock.empty()?));
        let began = time.clock.moment();
        read_all(stock, &file, &mut buffer, 0)?;
        values.push(time.clock.moment().nanos_since(began) as f64 / blocks as f64);
    }
    let passes = values.len() as f64;
    tell(bench, server, traffic, passes * blocks as f64 * BLOCK as f64);
    give(bench, values);
    Ok(emptied / passes)
}

/// From this end's cache.
pub fn read_cached(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let stock = Stock::remote(bench, bytes)?;
    let mut buffer = Mapping::private(BLOCK)?;
    let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
    let mut done = 0;
    stock.fetch()?;
    // The kernel moves each page between its lists when it is read for the second and the third time: were that to happen
    // within the batches, the first ones would cost more than those behind.
    for _ in 0..SETTLED * walk.count() {
        direct::read_at(stock.file.descriptor(), buffer.bytes_mut(), walk.take());
    }
    let (before, pages) = stock.cached()?;
    let (device, traffic) = (DeviceBytes::begin(), Traffic::begin(bench)?);
    // Not looked at before each batch: where the cache is made of single pages, a look takes longer than a batch and
    // leaves the processor's caches full of other things.
    bench.slope(&mut |n| {
        done += n;
        Ok(read_next(&stock.file, &mut walk, buffer.bytes_mut(), n))
    })?;
    let asked = (done * DEFAULT) as f64;
    traffic.tell(bench, asked);
    device.tell(bench, asked);
    let after = stock.cached()?.0;
    bench.count("cache.full", (before + after) as f64 / 2.0, pages as f64);
    Ok(())
}

/// Blocks of a remote and of a local file, alternating; the difference of their times.
pub fn read_alternating(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let block = bench.point().size("block")?;
    let remote = Stock::remote(bench, COMPARED)?;
    let past = remote.again(CacheMode::Direct)?;
    let (here, local) = if is_emptied(bench) {
        let here = Stock::on_disk(bench, COMPARED)?;
        let local = here.again(CacheMode::Direct)?;
        (here, local)
    } else {
        let here = Stock::of(bench, COMPARED)?;
        here.fetch()?;
        let local = here.again(CacheMode::Cached)?;
        (here, local)
    };
    let order = Point::only().with("access", "random");
    let mut walk = Walk::new(&order, 0, COMPARED, block, bench.seed())?;
    walk.begin_at(bench.seed());
    let offsets = some(&mut walk, block);
    let in_remote: Vec<u64> = offsets.iter().map(|offset| offset + remote.range.start).collect();
    let mut buffer = Mapping::private(block as usize)?;
    buffer.touch(1);
    let mut server = Server::of(bench);
    prepare(bench, &remote, &mut server, &past, &in_remote, &mut buffer)?;
    server.begin();
    let mut values = Vec::with_capacity(offsets.len());
    let time = TrialTime::begin(bench, READS);
    let traffic = Traffic::begin(bench)?;
    for (there, offset) in in_remote.into_iter().zip(offsets) {
        if time.is_left(values.len()) {
            let remote = timed(time.clock, &past, &mut buffer, there)?;
            let local = timed(time.clock, &local, &mut buffer, offset + here.range.start)?;
            values.push(remote - local);
        }
    }
    tell(bench, server, traffic, values.len() as f64 * block as f64);
    give(bench, values);
    Ok(())
}

/// Names that are not there.
pub fn look_up_missing(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let folder = Folder::open(&bench.remote_directory()?.folder)?;
    let seed = bench.seed();
    let mut next = 0;
    each(bench, &mut || {
        next += 1;
        let name = Name::new("absent", seed.wrapping_add(next));
        Ok(folder.stat(&name).is_err_and(|error| error.is_missing()))
    })
}

/// A file opened and closed by its whole path.
pub fn open_and_close(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let path = &bench.remote_directory()?.folder;
    let folder = Folder::open(path)?;
    let name = Name::new("opened", u64::from(std::process::id()));
    folder.create(&name, &[1; 4096]).map_err(refused)?;
    let whole = path.join(format!("opened{}", std::process::id()));
    let whole = CString::new(whole.as_os_str().as_bytes())
        .map_err(|_| Failure::Failed("the directory's name has a zero in it".to_owned()))?;
    let result = each(bench, &mut || {
        Ok(path::open_and_close(&whole, Access::Read).is_ok())
    });
    folder.remove(&name)?;
    result
}

/// Times what it is given time and again, each time alone.
fn each(bench: &mut Bench<'_>, once: &mut dyn FnMut() -> Result<bool, Failure>) -> Result<(), Failure> {
    let (mut times, mut right) = (Vec::with_capacity(READS.1), 0);
    // What is asked first is not what is asked time and again.
    once()?;
    let traffic = Traffic::begin(bench)?;
    let time = TrialTime::begin(bench, READS);
    while time.is_left(times.len()) {
        let began = time.clock.moment();
        right += u64::from(once()?);
        times.push(time.clock.moment().nanos_since(began) as f64);
    }
    let count = times.len() as f64;
    traffic.tell(bench, count);
    bench.count("answers", right as f64, count);
    bench.values(times);
    Ok(())
}
