//! Page faults that are not what they are called: what `faults.major`, `faults.minor`, `file.on_disk`,
//! `cache.emptied`, `device.bytes`, `pages.kept` and `pages.resident` must catch.

use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Point, Timed, Work};
use std::path::Path;
use sys::memory::page_size;
use sys::pages::{Advice, Pages, Sharing};
use sys::process::{Actor, Ended};
use sys::temporary::{TemporaryFile, bytes_from_devices};

/// Bytes of the files and of the memory.
const LENGTH: usize = 16 << 20;

fn random(_: record::Profile) -> Vec<Point> {
    vec![Point::only().with("access", "random")]
}

/// What a false major fault is made of.
struct False {
    file: TemporaryFile,
    /// Whether the cache is emptied before a touch.
    empties: bool,
    /// What is said of its place on a device; `None`: what the kernel says.
    claimed: Option<f64>,
    /// What is said of the cache; `None`: what mincore says.
    emptied: Option<f64>,
}

/// Touches pages of the file one by one and gives all the evidence that the right operation gives.
fn touch(bench: &mut Bench<'_>, made: &False) -> Result<(), Failure> {
    let (file, page) = (&made.file, page_size());
    let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared)?;
    pages.advise(0..LENGTH, Advice::Random)?;
    let mapped = file.extents().map_or(0, |extents| extents.mapped);
    let on_disk = (mapped as f64 / LENGTH as f64).min(1.0);
    bench.count("file.on_disk", made.claimed.unwrap_or(on_disk), 1.0);
    pages.advise(0..LENGTH, Advice::DontNeed)?;
    if made.empties {
        file.drop_cache()?;
    }
    let (mut index, mut empty) = (0, 0.0);
    let earlier = bytes_from_devices();
    bench.each_part(false, &mut |clock| {
        let offset = index * 67 % (LENGTH / page) * page;
        index += 1;
        empty += f64::from(u8::from(pages.resident(offset..offset + page)? == 0));
        let start = clock.start();
        let _ = pages.read(offset);
        let ticks = clock.stop() - start;
        Ok(Timed { ticks: Some(ticks), answers: 1 })
    })?;
    let bytes = bytes_from_devices().zip(earlier).map_or(0, |(now, earlier)| now - earlier);
    bench.count("device.bytes", bytes as f64, index as f64);
    bench.count("cache.emptied", made.emptied.unwrap_or(empty / index as f64), 1.0);
    Ok(())
}

fn written() -> Result<TemporaryFile, Failure> {
    let mut file = TemporaryFile::new(&std::env::temp_dir())?;
    file.fill(LENGTH, page_size(), 1)?;
    file.flush()?;
    Ok(file)
}

fn hole(directory: &Path) -> Result<TemporaryFile, Failure> {
    let mut file = TemporaryFile::new(directory)?;
    file.stretch(LENGTH)?;
    Ok(file)
}

/// A file of which nothing was written.
pub static SPARSE: Sabotage = Sabotage {
    id: "sabotage.pages.sparse",
    of: "fault.file.major",
    points: random,
    mistake: "the file is a hole that lies nowhere on the disk (E21)",
    caught_by: Caught::By("file.on_disk"),
    run: |bench| {
        let file = hole(&std::env::temp_dir())?;
        touch(bench, &False { file, empties: true, claimed: None, emptied: None })
    },
    ..Sabotage::NEW
};

/// The same, and the check of the extents forgotten.
pub static NOTHING_READ: Sabotage = Sabotage {
    id: "sabotage.pages.nothing_read",
    of: "fault.file.major",
    points: random,
    mistake: "the file is a hole and is said to be on the disk: nothing is read from the device (E21)",
    caught_by: Caught::By("device.bytes"),
    run: |bench| {
        let file = hole(&std::env::temp_dir())?;
        touch(bench, &False { file, empties: true, claimed: Some(1.0), emptied: None })
    },
    ..Sabotage::NEW
};

/// A file in memory.
pub static IN_MEMORY: Sabotage = Sabotage {
    id: "sabotage.pages.in_memory",
    of: "fault.file.major",
    points: random,
    mistake: "the file is on tmpfs, which is called a disk",
    caught_by: Caught::By("file.on_disk"),
    run: |bench| {
        let mut file = TemporaryFile::new(Path::new("/dev/shm"))?;
        file.fill(LENGTH, page_size(), 1)?;
        touch(bench, &False { file, empties: true, claimed: None, emptied: None })
    },
    ..Sabotage::NEW
};

/// A cache that still holds the file.
pub static CACHE_FULL: Sabotage = Sabotage {
    id: "sabotage.pages.cache_full",
    of: "fault.file.major",
    points: random,
    mistake: "the cache was not emptied and is said to be: every fault is minor (E20)",
    caught_by: Caught::By("faults.major"),
    run: |bench| {
        let file = written()?;
        touch(bench, &False { file, empties: false, claimed: None, emptied: Some(1.0) })
    },
    ..Sabotage::NEW
};

/// The same, seen by looking.
pub static CACHE_SEEN: Sabotage = Sabotage {
    id: "sabotage.pages.cache_seen",
    of: "fault.file.major",
    points: random,
    mistake: "the cache was not emptied before the touches (E20)",
    caught_by: Caught::By("cache.emptied"),
    run: |bench| {
        let file = written()?;
        touch(bench, &False { file, empties: false, claimed: None, emptied: None })
    },
    ..Sabotage::NEW
};

/// Pages that were touched before.
pub static TOUCHED: Sabotage = Sabotage {
    id: "sabotage.pages.touched",
    of: "fault.anonymous.write",
    mistake: "the pages were touched before the batch: there is no fault",
    caught_by: Caught::By("faults.minor"),
    run: |bench| {
        let pages = Pages::populated(LENGTH)?;
        let mut index = 0;
        bench.slope(&mut |n| {
            let mut right = 0;
            for _ in 0..n {
                index += 1;
                right += u64::from(pages.write(index * page_size() % LENGTH, 1));
            }
            Ok(right)
        })
    },
    ..Sabotage::NEW
};

/// Fault-around.
pub static FAULT_AROUND: Sabotage = Sabotage {
    id: "sabotage.pages.fault_around",
    of: "fault.file.minor",
    points: |_| vec![Point::only().with("stride", "64KiB").with("fill_write", "4KiB")],
    mistake: "every page is touched and each is taken for a fault, where one fault maps sixteen (E20)",
    caught_by: Caught::By("faults.minor"),
    run: |bench| {
        let file = written()?;
        let pages = Pages::of_file(file.descriptor(), LENGTH, Sharing::Shared)?;
        let mut place = 0;
        let mut main = |n: u64| {
            for _ in 0..n {
                place = (place + page_size()) % LENGTH;
                let _ = pages.read(place);
            }
            Ok(n)
        };
        let mut refresh = |_| Ok(pages.advise(0..LENGTH, Advice::DontNeed)?);
        bench.batches(Work { before: Some(&mut refresh), multiple_of: 64, ..Work::new(&mut main) })
    },
    ..Sabotage::NEW
};

/// A child that is gone.
pub static CHILD_GONE: Sabotage = Sabotage {
    id: "sabotage.pages.child_gone",
    of: "fault.copy_on_write",
    mistake: "the child has ended before its parent writes: nothing is copied",
    caught_by: Caught::By("pages.kept"),
    run: |bench| {
        let pages = Pages::anonymous(LENGTH)?;
        let (mut children, mut kept, mut next) = (0.0, 0.0, LENGTH);
        let place = std::cell::Cell::new(0);
        let mut before = |n: u64| {
            let needed = usize::try_from(n).unwrap_or(LENGTH) * page_size();
            if next + needed > LENGTH {
                pages.advise(0..LENGTH, Advice::PopulateWrite)?;
                // It has nothing to look at: it ends at once.
                let ended = Actor::spawn(None, || 1)?.join()?;
                kept += f64::from(u8::from(ended == Ended::Exited(0)));
                children += 1.0;
                next = 0;
            }
            place.set(next);
            next += needed;
            Ok(())
        };
        let mut main = |n: u64| {
            let offsets = (place.get()..LENGTH).step_by(page_size());
            let first = offsets.take(usize::try_from(n).unwrap_or(0));
            Ok(first.map(|offset| u64::from(pages.write(offset, 1))).sum())
        };
        bench.batches(Work { before: Some(&mut before), ..Work::new(&mut main) })?;
        bench.count("pages.kept", kept, children);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Untouched memory.
pub static UNTOUCHED: Sabotage = Sabotage {
    id: "sabotage.pages.untouched",
    of: "mapping.munmap.touched",
    points: |_| vec![Point::only().with("bytes", "4KiB")],
    mistake: "the memory was never touched before it is unmapped: there is no page to give back",
    caught_by: Caught::By("pages.resident"),
    run: |bench| {
        let kept = std::cell::RefCell::new(None);
        let (mut resident, mut expected) = (0, 0);
        let mut before = |n: u64| {
            let length = (usize::try_from(n).unwrap_or(1) + 1) * page_size();
            let pages = Pages::anonymous(length)?;
            resident += pages.resident(0..length)?;
            expected += length / page_size();
            kept.replace(Some(pages));
            Ok(())
        };
        let mut main = |n| {
            let mut pages = kept.borrow_mut();
            for _ in 0..n {
                pages.as_mut().map_or(Ok(()), |pages| pages.unmap_front(page_size()))?;
            }
            Ok(n)
        };
        bench.batches(Work { before: Some(&mut before), ..Work::new(&mut main) })?;
        bench.count("pages.resident", resident as f64, expected as f64);
        Ok(())
    },
    ..Sabotage::NEW
};
