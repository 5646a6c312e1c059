//! Pages of a mapped file that are read from its device when they are touched.

use super::test_file::ColdFile;
use crate::device_bytes::DeviceBytes;
use crate::test_file::TestFile;
use measure::{Bench, CpuTime, Failure, Result, Timed, Value, choice, parameters};
use quantity::Bytes;
use sys::clock::Clock;
use sys::memory::page_size;
use sys::pages::Advice;

/// Bytes of the largest file at most, as in R3, 4.3.1.
const MOST: u64 = 16 << 30;

choice! {
    /// The order of touches.
    pub enum TouchOrder {
        /// Far from each other.
        Random = "random",
        /// At a stride.
        Stride = "stride",
    }
}

/// The size of a file that is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSize {
    /// This.
    Bytes(Bytes),
    /// As much as the disk allows.
    Largest,
}

impl Value for FileSize {
    fn parse(text: &str) -> Option<Self> {
        if text == "largest" { Some(Self::Largest) } else { Bytes::parse(text).map(Self::Bytes) }
    }

    fn expected() -> String {
        format!("largest or {}", Bytes::expected())
    }
}

parameters! {
    /// Touches of a mapped file.
    pub struct FileTouch {
        /// Their order.
        access: TouchOrder,
        /// From one touch to the next, with `access=stride`.
        stride: Option<Bytes> = None,
        /// Of the file; a small one of the worker without.
        file_size: Option<FileSize> = None,
    }
}

impl FileTouch {
    fn file(self, bench: &mut Bench<'_>) -> Result<ColdFile> {
        match self.file_size {
            None => ColdFile::new(bench),
            Some(FileSize::Largest) => ColdFile::of_run(TestFile::as_large_as_allowed(bench, MOST)?),
            Some(FileSize::Bytes(bytes)) => ColdFile::of_run(TestFile::on_device(bench, bytes.bytes())?),
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
pub fn offset_of(stride: Option<Bytes>, length: usize, touch: usize) -> usize {
    let count = (length / page_size()).max(1);
    let page = match stride {
        Some(stride) => {
            let step = (stride.bytes() as usize / page_size()).clamp(1, count);
            let (lap, place) = (touch / (count / step).max(1), touch % (count / step).max(1));
            place * step + lap * scattered(step) % step
        }
        None => touch % count * scattered(count) % count,
    };
    page * page_size()
}

/// Touches of a file that is not cached, each timed individually.
///
/// # Errors
/// When the file cannot be made, or its cache not be dropped.
pub fn touch_each(bench: &mut Bench<'_>) -> Result<()> {
    let touches_of: FileTouch = bench.parameters()?;
    let mut file = touches_of.file(bench)?;
    let length = file.length();
    let count = length / page_size();
    let device = DeviceBytes::start();
    let mut touches = 0_u64;
    let first = count * usize::try_from(bench.seed() % 16).unwrap_or(0) / 16;
    file.drop_cache()?;
    bench.each_part(CpuTime::Process, &mut |clock| {
        if touches as usize >= count {
            return Err(Failure::failed("more touches than pages"));
        }
        let offset = offset_of(touches_of.stride, length, (first + touches as usize) % count);
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

choice! {
    /// The advice on the order that the kernel gets.
    pub enum AdviceName {
        /// Nothing.
        None = "none",
        /// MADV_SEQUENTIAL.
        Sequential = "sequential",
    }
}

parameters! {
    /// Passes over a mapped file.
    pub struct MappedPasses {
        /// The advice on the order that the kernel gets.
        advice: AdviceName,
    }
}

/// Passes over a file that is not cached, in order, with the advice of the point.
///
/// # Errors
/// When the file cannot be made, or its cache not be dropped.
pub fn read_in_order(bench: &mut Bench<'_>) -> Result<()> {
    let mut file = ColdFile::new(bench)?;
    let advice = match bench.parameters::<MappedPasses>()?.advice {
        AdviceName::Sequential => Advice::Sequential,
        AdviceName::None => Advice::Normal,
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

parameters! {
    /// Touches at a stride while the kernel reads ahead.
    pub struct StridedTouches {
        /// From one touch to the next.
        stride: Bytes,
        /// Of the file.
        file_size: Bytes,
    }
}

/// Touches of a pass at most, as in R0, 4.4.1.
const MAX_TOUCHES: usize = 100;

/// Passes of a trial: at least, and at most.
const PASSES: (usize, usize) = (2, 20);

/// Passes over a file that is not cached, at a stride from its beginning, mapped without advice; a value is the mean of a pass.
///
/// # Errors
/// When the file cannot be made, or its cache not be dropped.
pub fn touch_with_readahead(bench: &mut Bench<'_>) -> Result<()> {
    let StridedTouches { stride, file_size } = bench.parameters()?;
    let mut file = ColdFile::of_run(TestFile::on_device(bench, file_size.bytes())?)?;
    file.advise(Advice::Normal)?;
    let (length, stride) = (file.length(), (stride.bytes() as usize).max(page_size()));
    let touches = (length / stride).clamp(1, MAX_TOUCHES);
    let (clock, device) = (Clock::select(), DeviceBytes::start());
    let (began, spend) = (clock.moment(), i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX));
    let (mut means, mut correct) = (Vec::new(), 0_u64);
    let (least, most) = PASSES;
    bench.watched_for(touches as f64, || {
        while means.len() < least || means.len() < most && clock.moment().nanos_since(began) < spend {
            file.drop_all()?;
            file.check_cold(0..length)?;
            let start = clock.moment();
            let right = (0..touches).filter(|touch| file.touch(touch * stride)).count();
            means.push(clock.moment().nanos_since(start) as f64 / touches as f64);
            correct += right as u64;
        }
        Ok(())
    })?;
    let all = (means.len() * touches) as f64;
    bench.count("answers", correct as f64, all);
    device.count(bench, all);
    file.count_cold(bench);
    bench.values(means);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_touches_stay_far_from_recent_ones() {
        let pages = (0..4096).map(|touch| offset_of(None, 256 << 20, touch) / page_size());
        let pages: Vec<usize> = pages.collect();
        for touch in 64..pages.len() {
            let near = (1..=32).filter(|back| pages[touch].abs_diff(pages[touch - back]) < 64);
            assert_eq!(near.count(), 0, "touch {touch}");
        }
    }
}
