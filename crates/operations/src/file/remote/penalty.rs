//! What a block of a remote file costs more than the same of a local one, read in turn.

use super::{CONFOUNDS, EMPTIED, READS, REMOTE, SERVER, Server, Traffic, WARM, is_emptied, prepare, some};
use crate::file::read::device::right;
use crate::file::size_of;
use crate::file::stock::Stock;
use crate::file::walk::Walk;
use measure::{Bench, Failure, Operation, Point};
use quantity::Quantity;
use record::{Fit, Need, Plot, Profile};
use sys::clock::Clock;
use sys::direct::{self, Way};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

/// Bytes of both files that are read of.
const BYTES: u64 = 16 << 20;

/// The difference.
pub static PENALTY: Operation = Operation {
    id: "file.remote.penalty",
    title: "what a block of a remote file costs more than one of a local file",
    one_iteration: "one pread of a block of the remote file past this machine's cache, and one of the same block of a \
                    local file; the difference of their times",
    method: "Blocks at random places of a remote and of a local file are read in turn, each timed alone and checked; a \
             value is the difference of a pair. server=warm: the remote block lies in the file server's cache, the \
             local one in this machine's. No block is larger than what every protocol brings by one request. server=emptied: the remote block lies on the server's disk, the local one is \
             read past the cache from this machine's. The line through the sizes tells what a request costs whatever \
             it brings, and what each byte costs on its way.",
    confounds: CONFOUNDS,
    sources: &[(
        "R0, R1, R2",
        "the ratio of remote to local reads of 4 KiB to 16 MiB, caches not under control",
    )],
    points: |profile| {
        let blocks: &[&str] = match profile {
            Profile::Quick => &["4KiB", "16KiB", "64KiB"],
            _ => &["4KiB", "8KiB", "16KiB", "32KiB", "64KiB"],
        };
        let of = |block: &str, server| Point::only().with("block", block).with(SERVER, server);
        let mut all: Vec<Point> = blocks.iter().map(|block| of(block, WARM)).collect();
        all.push(of("4KiB", EMPTIED));
        all
    },
    needs: |point| {
        let mut all = (REMOTE.needs)(point);
        all.push(Need::Directory);
        all
    },
    fit: Some(|| Fit {
        parameter: "block".to_owned(),
        per_unit: false,
        slope: "a byte".to_owned(),
        intercept: "a request".to_owned(),
    }),
    plot: Some(|| Plot::logarithmic("block", "bytes of a block", Quantity::Size)),
    predict: &[
        "request to the server({block} bytes)",
        // Beyond what the disks cost at both ends, the server goes through its cache.
        "server=emptied: software t1 the server's cache = [file.read.cached order=random bytes=16MiB]",
    ],
    evidence: &["blocks from the server"],
    run,
    ..REMOTE
};

/// A timed read of a block, which must be the file's.
fn timed(clock: Clock, file: &TemporaryFile, buffer: &mut Mapping, offset: u64) -> Result<f64, Failure> {
    let began = clock.moment();
    let read = direct::read_at(file.descriptor(), buffer.bytes_mut(), offset);
    let nanos = clock.moment().nanos_since(began) as f64;
    right(file, read, buffer.bytes_mut(), offset)?;
    Ok(nanos)
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let block = size_of(bench.point(), "block")?;
    let order = Point::only().with("order", "random");
    let remote = Stock::remote(bench, BYTES)?;
    let past = remote.again(Way::Direct)?;
    let here = match is_emptied(bench.point()) {
        true => Stock::on_disk(bench, BYTES)?,
        false => Stock::of(bench, BYTES)?,
    };
    let local = match is_emptied(bench.point()) {
        true => here.again(Way::Direct)?,
        false => here.again(Way::Cached)?,
    };
    let mut walk = Walk::new(&order, 0, BYTES, block, bench.seed())?;
    walk.begin_at(bench.seed());
    let shifted = |offsets: &[u64], by: u64| offsets.iter().map(|offset| offset + by).collect::<Vec<_>>();
    let offsets = some(&mut walk, block as usize);
    let far = shifted(&offsets, remote.range.start);
    let near = shifted(&offsets, here.range.start);
    let mut buffer = Mapping::private(block as usize)?;
    buffer.touch(1);
    if !is_emptied(bench.point()) {
        here.fetch()?;
    }
    let mut server = Server::of(bench);
    prepare(bench, &remote, &mut server, &past, &far, &mut buffer)?;
    server.begin();
    let (clock, spend) = (
        Clock::select(),
        i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX),
    );
    let (first, mut values) = (clock.moment(), Vec::with_capacity(offsets.len()));
    let traffic = Traffic::begin(bench)?;
    for (there, here) in far.into_iter().zip(near) {
        if values.len() >= READS.0 && clock.moment().nanos_since(first) > spend {
            break;
        }
        let remote = timed(clock, &past, &mut buffer, there)?;
        values.push(remote - timed(clock, &local, &mut buffer, here)?);
    }
    let count = values.len() as f64;
    traffic.tell(bench, count * block as f64);
    server.tell(bench, count * block as f64);
    bench.count("answers", count, count);
    bench.values(values);
    Ok(())
}
