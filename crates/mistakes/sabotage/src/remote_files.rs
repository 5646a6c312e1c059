//! Remote files that do not come from where it is claimed: what `remote.bytes`, `server.device_bytes` and
//! `disk.server_per_local` must catch.

use crate::files::read_times;
use crate::sabotage::give;
use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Result};
use peer::{Client, PeerAddress};
use sys::temporary::TemporaryFile;

/// Bytes of the file.
const LENGTH: u64 = 256 << 10;

/// The seed of the file's data.
const SEED: u64 = 0x05c0_9e5e_ed00_0001;

/// A remote file of this worker, which the run removes.
fn remote(bench: &Bench<'_>) -> Result<TemporaryFile> {
    let name = format!("file{}", std::process::id());
    let mut file = TemporaryFile::create(&bench.remote_directory()?.folder.join(name), SEED)?;
    file.fill(LENGTH as usize, 1 << 16, SEED)?;
    file.flush()?;
    Ok(file)
}

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.remote_files.own_cache",
        of: "file.remote.read.direct access=random file_size=16MiB server_cache=warm",
        mistake: "the blocks are in this machine's cache, and are claimed to come from the file server",
        caught_by: Caught::By("remote.bytes"),
        remote: true,
        run: |bench| {
            let file = remote(bench)?;
            read_times(&file, LENGTH);
            let before = sys::traffic::bytes_received().unwrap_or(0);
            give(bench, &[("answers", 1.0)], read_times(&file, LENGTH))?;
            let now = sys::traffic::bytes_received().unwrap_or(0);
            bench.count("remote.bytes", (now - before) as f64, LENGTH as f64);
            bench.cannot_count("server.device_bytes", "nobody was asked".to_owned());
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.remote_files.server_warm",
        of: "file.remote.read.direct access=random file_size=16MiB server_cache=cold",
        mistake: "the file server's cache was not emptied and is claimed to be",
        caught_by: Caught::By("server.device_bytes"),
        remote: true,
        run: |bench| {
            let file = remote(bench)?;
            let failed = |error: peer::Error| Failure::Failed(error.to_string());
            let address = PeerAddress::from_link(bench.peer()?).map_err(failed)?;
            let mut client = Client::connect(&address, "saboteur").map_err(failed)?;
            let before = client.device_bytes().map_err(failed)?;
            file.drop_cache()?;
            give(bench, &[("answers", 1.0)], read_times(&file, LENGTH))?;
            let now = client.device_bytes().map_err(failed)?;
            bench.count("server.device_bytes", (now - before) as f64, LENGTH as f64);
            bench.count("remote.bytes", 1.0, 1.0);
            client.end().map_err(failed)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.remote_files.other_disk",
        of: "file.remote.penalty block=4KiB server_cache=cold",
        mistake: "the server's disk takes 10 ms longer than the local one, and the difference is attributed to the network (E44)",
        caught_by: Caught::By("disk.server_per_local"),
        remote: true,
        run: |bench| {
            let file = remote(bench)?;
            let here = read_times(&file, LENGTH);
            let longest = here.iter().copied().fold(0.0, f64::max);
            bench.count("disk.server_per_local", 1e7, longest);
            let counts = [("answers", 1.0), ("remote.bytes", 1.0), ("server.device_bytes", 1.0)];
            give(bench, &counts, here.into_iter().map(|time| time + 1e7).collect())
        },
        ..Sabotage::NEW
    },
];
