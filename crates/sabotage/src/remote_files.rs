//! Remote files that do not come from where they are said to: what `remote.bytes`,
//! `server.device_bytes` and `disk.server_per_local` must catch.

use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Point};
use peer::{Client, PeerAddress};
use sys::direct;
use sys::temporary::TemporaryFile;

/// Bytes of the file, and of a block.
const LENGTH: u64 = 256 << 10;
const BLOCK: usize = 4096;

/// The seed of the file's data.
const SEED: u64 = 0x05c0_9e5e_ed00_0001;

fn point(server: &str) -> Vec<Point> {
    let text = format!("access=random bytes=16MiB server_cache={server}");
    Point::parse(&text).into_iter().collect()
}

/// A remote file of this worker, which the run removes.
fn remote(bench: &Bench<'_>) -> Result<TemporaryFile, Failure> {
    let name = format!("file{}", std::process::id());
    let mut file = TemporaryFile::create(&bench.remote_directory()?.folder.join(name), SEED)?;
    file.fill(LENGTH as usize, 1 << 16, SEED)?;
    file.flush()?;
    Ok(file)
}

/// Nanoseconds of the read of each block of a file.
fn times(file: &TemporaryFile) -> Vec<f64> {
    let (clock, mut block) = (sys::clock::Clock::select(), [0; BLOCK]);
    let offsets = (0..LENGTH).step_by(BLOCK);
    let timed = offsets.map(|offset| {
        let began = clock.moment();
        direct::read_at(file.descriptor(), &mut block, offset);
        clock.moment().nanos_since(began) as f64
    });
    timed.collect()
}

/// Times every block of a file.
fn timed(bench: &mut Bench<'_>, file: &TemporaryFile) {
    bench.count("answers", 1.0, 1.0);
    bench.values(times(file));
}

/// This machine's cache.
pub static OWN_CACHE: Sabotage = Sabotage {
    id: "sabotage.remote_files.own_cache",
    of: "file.remote.read.direct",
    points: |_| point("warm"),
    mistake: "this machine's cache has the blocks that are said to come from the file server",
    caught_by: Caught::By("remote.bytes"),
    remote: true,
    run: |bench| {
        let file = remote(bench)?;
        let mut block = [0; BLOCK];
        for offset in (0..LENGTH).step_by(BLOCK) {
            direct::read_at(file.descriptor(), &mut block, offset);
        }
        let before = sys::traffic::bytes_received().unwrap_or(0);
        timed(bench, &file);
        let now = sys::traffic::bytes_received().unwrap_or(0);
        bench.count("remote.bytes", (now - before) as f64, LENGTH as f64);
        bench.cannot_count("server.device_bytes", "nobody was asked".to_owned());
        Ok(())
    },
    ..Sabotage::NEW
};

/// The server's cache.
pub static SERVER_WARM: Sabotage = Sabotage {
    id: "sabotage.remote_files.server_warm",
    of: "file.remote.read.direct",
    points: |_| point("cold"),
    mistake: "the file server's cache is left as it is, and called empty",
    caught_by: Caught::By("server.device_bytes"),
    remote: true,
    run: |bench| {
        let file = remote(bench)?;
        let failed = |error: peer::Error| Failure::Failed(error.to_string());
        let address = PeerAddress::of(bench.peer()?).map_err(failed)?;
        let mut client = Client::connect(&address, "saboteur").map_err(failed)?;
        let before = client.device_bytes().map_err(failed)?;
        file.drop_cache()?;
        timed(bench, &file);
        let now = client.device_bytes().map_err(failed)?;
        bench.count("server.device_bytes", (now - before) as f64, LENGTH as f64);
        bench.count("remote.bytes", 1.0, 1.0);
        client.end().map_err(failed)
    },
    ..Sabotage::NEW
};

/// A disk at the server that is another one.
pub static OTHER_DISK: Sabotage = Sabotage {
    id: "sabotage.remote_files.other_disk",
    of: "file.remote.penalty",
    points: |_| Point::parse("block=4KiB server_cache=cold").into_iter().collect(),
    mistake: "the server's disk takes 10 ms longer than the local one, and the difference is called that of the network (E44)",
    caught_by: Caught::By("disk.server_per_local"),
    remote: true,
    run: |bench| {
        let file = remote(bench)?;
        let here = times(&file);
        let longest = here.iter().copied().fold(0.0, f64::max);
        bench.count("disk.server_per_local", 1e7, longest);
        for counter in ["answers", "remote.bytes", "server.device_bytes"] {
            bench.count(counter, 1.0, 1.0);
        }
        bench.values(here.into_iter().map(|time| time + 1e7).collect());
        Ok(())
    },
    ..Sabotage::NEW
};
