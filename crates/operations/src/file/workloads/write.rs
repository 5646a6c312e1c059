//! Writes of blocks over those of a file: into its cache, and until they are on the device.

use super::stock::refused;
use super::target::{LENGTH, Target};
use super::walk::Walk;
use super::{BLOCK, DEFAULT, RIGHT_DATA, TrialTime, opened_again};
use measure::{Bench, Failure, Point, Work};
use sys::cachestat;
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

/// Blocks over those that are in the cache.
pub fn write_into_the_cache(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let piece = bench.point().size("fill_write")? as usize;
    let mut target = Target::new(bench, piece, false)?;
    let mut walk = Walk::new(bench.point(), 0, LENGTH, DEFAULT, bench.seed())?;
    target.file.compose(target.buffer.bytes_mut(), LENGTH);
    let mut main = |n| {
        let mut right = 0;
        for _ in 0..n {
            let offset = walk.take();
            target.mark(offset);
            let written = direct::write_at(target.file.descriptor(), target.buffer.bytes_mut(), offset);
            right += u64::from(written == BLOCK as isize);
        }
        Ok(right)
    };
    bench.batches(Work::alone(&mut main))?;
    let file = opened_again(&target.file, CacheMode::Cached)?;
    target.tell(bench, &file)
}

/// Timed writes of a trial, at most, and fewest.
const WRITES: (usize, usize) = (5, 48);

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    Direct,
    All,
    Data,
    Alone,
}

/// Writes and syncs, each timed alone.
pub fn write_and_wait(bench: &mut Bench<'_>, sync: Sync) -> Result<(), Failure> {
    let mut target = Target::new(bench, BLOCK, true)?;
    let way = match sync {
        Sync::Direct => CacheMode::Direct,
        _ => CacheMode::Cached,
    };
    let file = opened_again(&target.file, way)?;
    if sync == Sync::Direct {
        target.file.drop_cache()?;
    }
    let random = Point::only().with("access", bench.point().get("access").unwrap_or("random"));
    let mut walk = Walk::new(&random, 0, LENGTH, DEFAULT, bench.seed())?;
    let (mut times, mut waiting, mut left) = (Vec::new(), 0, 0);
    let time = TrialTime::begin(bench, WRITES);
    while time.is_left(times.len()) {
        let offset = walk.take();
        if sync == Sync::Alone {
            for offset in (0..bench.point().size("bytes")?).step_by(BLOCK) {
                target.compose(offset);
                write(&file, &mut target.buffer, offset)?;
            }
            waiting += target.waiting()?;
        } else {
            target.compose(offset);
        }
        let began = time.clock.moment();
        if sync != Sync::Alone {
            write(&file, &mut target.buffer, offset)?;
        }
        match sync {
            Sync::Direct => {}
            Sync::Data => direct::sync_data(file.descriptor())?,
            Sync::All | Sync::Alone => direct::sync_all(file.descriptor())?,
        }
        times.push(time.clock.moment().nanos_since(began) as f64);
        left += target.waiting()?;
    }
    let count = times.len() as f64;
    bench.count("answers", count, count);
    if sync == Sync::Direct {
        let cached = cachestat::of(file.descriptor(), 0..LENGTH)?;
        bench.count("cache.left", cached.present as f64, count);
    }
    bench.count("pages.waiting", waiting as f64, count);
    bench.count("pages.left", left as f64, count);
    target.tell(bench, &file)?;
    bench.values(times);
    Ok(())
}

fn write(file: &TemporaryFile, buffer: &mut Mapping, offset: u64) -> Result<(), Failure> {
    let written = direct::write_at(file.descriptor(), buffer.bytes_mut(), offset);
    match sys::Error::check("pwrite64", written).map_err(refused)? {
        BLOCK => Ok(()),
        _ => Err(Failure::Failed(RIGHT_DATA.to_owned())),
    }
}
