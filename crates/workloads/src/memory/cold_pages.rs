//! Pages of a mapped file that are read from its device when they are touched.

use super::test_file::ColdFile;
use crate::device_bytes::DeviceBytes;
use crate::test_file::TestFile;
use measure::{Bench, CpuTime, Failure, Point, Result, Timed};
use sys::memory::page_size;
use sys::pages::Advice;

/// The value of `bytes` for a file as large as the disk allows.
pub const LARGEST: &str = "largest";

/// Its most bytes, as in R3.
const MOST: u64 = 16 << 30;

/// The file of a point.
fn cold_file(bench: &mut Bench<'_>) -> Result<ColdFile> {
    match bench.point().get("bytes") {
        None => ColdFile::new(bench),
        Some(LARGEST) => ColdFile::of_run(TestFile::as_large_as_allowed(bench, MOST)?),
        Some(_) => {
            let bytes = bench.point().size("bytes")?;
            ColdFile::of_run(TestFile::on_device(bench, bytes)?)
        }
    }
}

/// A step through `count` places that comes to all of them, and whose multiples stay far apart: near the golden section of
/// the count, and odd, where the count is a power of two.
fn scattered(count: usize) -> usize {
    (count as f64 * 0.618_033_988_749_895) as usize | 1
}

/// The offset of a touch in bytes: distinct for as many touches as the file has pages. Each lap of a stride begins at another
/// place within it.
pub fn offset_of(point: &Point, length: usize, touch: usize) -> usize {
    let count = (length / page_size()).max(1);
    let page = match point.size("stride") {
        Ok(bytes) => {
            let step = (bytes as usize / page_size()).clamp(1, count);
            let (lap, place) = (touch / (count / step).max(1), touch % (count / step).max(1));
            place * step + lap * scattered(step) % step
        }
        Err(_) => touch % count * scattered(count) % count,
    };
    page * page_size()
}

/// Touches of a file that is not cached, each timed individually.
///
/// # Errors
/// When the file cannot be made, or its cache not be dropped.
pub fn touch_each(bench: &mut Bench<'_>) -> Result<()> {
    let mut file = cold_file(bench)?;
    let (point, length) = (bench.point(), file.length());
    let count = length / page_size();
    let device = DeviceBytes::start();
    let mut touches = 0_u64;
    let first = count * usize::try_from(bench.seed() % 16).unwrap_or(0) / 16;
    file.drop_cache()?;
    bench.each_part(CpuTime::Process, &mut |clock| {
        if touches as usize >= count {
            return Err(Failure::failed("more touches than pages"));
        }
        let offset = offset_of(point, length, (first + touches as usize) % count);
        file.check_cold(offset..offset + page_size())?;
        let start = clock.start();
        let correct = file.touch(offset);
        let ticks = clock.stop() - start;
        touches += 1;
        Ok(Timed { ticks: Some(ticks), answers: u64::from(correct) })
    })?;
    device.count(bench, touches as f64);
    file.count_cold(bench);
    Ok(())
}

/// Passes over a file that is not cached, in order, with the advice of the point.
///
/// # Errors
/// When the file cannot be made, or its cache not be dropped.
pub fn read_in_order(bench: &mut Bench<'_>) -> Result<()> {
    let mut file = ColdFile::new(bench)?;
    let advice = match bench.point().get("advice") {
        Some("sequential") => Advice::Sequential,
        _ => Advice::Normal,
    };
    let length = file.length();
    file.advise(advice)?;
    let (device, mut files) = (DeviceBytes::start(), 0_u64);
    bench.each_part(CpuTime::Process, &mut |clock| {
        file.drop_cache()?;
        file.check_cold(0..length)?;
        let start = clock.start();
        let correct = (0..length).step_by(page_size()).all(|offset| file.touch(offset));
        let ticks = clock.stop() - start;
        files += 1;
        Ok(Timed { ticks: Some(ticks), answers: u64::from(correct) })
    })?;
    device.count(bench, files as f64);
    file.count_cold(bench);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_touches_stay_far_from_recent_ones() {
        let point = Point::only().with("access", "random");
        let page = |touch| offset_of(&point, 256 << 20, touch) / page_size();
        for touch in 64..4096 {
            let near = (1..=32).filter(|back| page(touch).abs_diff(page(touch - back)) < 64);
            assert_eq!(near.count(), 0, "touch {touch}");
        }
    }
}
