//! Page faults that are not as claimed: what `faults.major`, `faults.minor`, `file.on_disk`, `cache.emptied`, `device.bytes`,
//! `pages.kept` and `pages.resident` must catch. Huge pages that are not made or not split: `huge.made` and `huge.split`.

use crate::files::{filled, share_on_disk, sparse, written};
use crate::sabotage::{count_all, time};
use crate::{Caught, Sabotage};
use measure::{Bench, CpuTime, Result, Timed, Work};
use std::path::Path;
use sys::memory::{Mapping, page_size};
use sys::pages::{Advice, Pages, Sharing};
use sys::process::{Actor, Ended, getppid};
use sys::temporary::{TemporaryFile, bytes_from_devices};
use workloads::memory::huge_changes::{collapse_by, split_by};

/// Bytes of memory that can be touched, page by page: more than a trial does.
const FRESH: usize = 1 << 30;

/// Bytes of the files and of the memory.
const LENGTH: usize = 16 << 20;

/// Touches pages of a file one by one, and gives all the evidence that the right operation gives; some of it is claimed, not
/// counted.
fn touch(
    bench: &mut Bench<'_>,
    file: &TemporaryFile,
    empties_cache: bool,
    claimed: &[(&str, f64)],
) -> Result<()> {
    let page = page_size();
    let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared)?;
    pages.advise(0..LENGTH, Advice::Random)?;
    let on_disk = share_on_disk(file);
    pages.advise(0..LENGTH, Advice::DontNeed)?;
    if empties_cache {
        file.drop_cache()?;
    }
    let (mut index, mut empty) = (0, 0.0);
    let earlier = bytes_from_devices();
    bench.each_part(CpuTime::Process, &mut |clock| {
        let offset = index * 67 % (LENGTH / page) * page;
        index += 1;
        empty += f64::from(u8::from(pages.resident(offset..offset + page)? == 0));
        let start = clock.start();
        let _ = pages.read(offset);
        let ticks = clock.stop() - start;
        Ok(Timed { ticks: Some(ticks), answers: 1 })
    })?;
    let bytes = bytes_from_devices().zip(earlier).map_or(0, |(now, earlier)| now - earlier);
    let counted = [
        ("file.on_disk", on_disk),
        ("device.bytes", bytes as f64 / index as f64),
        ("cache.emptied", empty / index as f64),
    ];
    let kept: Vec<_> =
        counted.into_iter().filter(|(counter, _)| !claimed.iter().any(|(name, _)| name == counter)).collect();
    count_all(bench, &kept);
    count_all(bench, claimed);
    Ok(())
}

fn temporary(make: fn(&Path, usize) -> Result<TemporaryFile>) -> Result<TemporaryFile> {
    make(&std::env::temp_dir(), LENGTH)
}

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.faults.fresh_pages",
        of: "syscall.getppid method=raw",
        mistake: "every 16th iteration touches a page that was never touched (E14)",
        caught_by: Caught::By("faults.minor"),
        run: |bench| {
            let mut memory = Mapping::private(FRESH)?;
            let mut pages = memory.bytes_mut().chunks_mut(page_size());
            bench.slope(&mut |n| {
                for turn in 0..n {
                    getppid();
                    if turn % 16 == 0
                        && let Some(first) = pages.next().and_then(|page| page.first_mut())
                    {
                        *first = 1;
                    }
                }
                Ok(n)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.pages.sparse",
        of: "fault.file.major access=random",
        mistake: "the file is sparse: it has no blocks on the disk (E21)",
        caught_by: Caught::By("file.on_disk"),
        run: |bench| touch(bench, &temporary(sparse)?, true, &[]),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.pages.nothing_read",
        of: "fault.file.major access=random",
        mistake: "the file is sparse and is claimed to be on the disk: nothing is read from the device (E21)",
        caught_by: Caught::By("device.bytes"),
        run: |bench| touch(bench, &temporary(sparse)?, true, &[("file.on_disk", 1.0)]),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.pages.in_memory",
        of: "fault.file.major access=random",
        mistake: "the file is on tmpfs, and is claimed to be on a disk",
        caught_by: Caught::By("file.on_disk"),
        run: |bench| touch(bench, &filled(Path::new("/dev/shm"), LENGTH)?, true, &[]),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.pages.cache_full",
        of: "fault.file.major access=random",
        mistake: "the cache was not emptied and is claimed to be: every fault is minor (E20)",
        caught_by: Caught::By("faults.major"),
        run: |bench| touch(bench, &temporary(written)?, false, &[("cache.emptied", 1.0)]),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.pages.cache_seen",
        of: "fault.file.major access=random",
        mistake: "the cache was not emptied before the touches (E20)",
        caught_by: Caught::By("cache.emptied"),
        run: |bench| touch(bench, &temporary(written)?, false, &[]),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.pages.touched",
        of: "fault.anonymous.write",
        mistake: "the pages were touched before the batch: there is no fault",
        caught_by: Caught::By("faults.minor"),
        run: |bench| {
            let pages = Pages::populated(LENGTH)?;
            let mut index = 0;
            time(bench, || {
                index += 1;
                Ok(pages.write(index * page_size() % LENGTH, 1))
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.pages.fault_around",
        of: "fault.file.minor stride=64KiB fill_write=4KiB",
        mistake: "every page is touched and counted as a fault, where one fault maps sixteen (E20)",
        caught_by: Caught::By("faults.minor"),
        run: |bench| {
            let file = temporary(written)?;
            let pages = Pages::of_file(file.descriptor(), LENGTH, Sharing::Shared)?;
            let mut place = 0;
            bench.batches(Work {
                before: Some(&mut |_| Ok(pages.advise(0..LENGTH, Advice::DontNeed)?)),
                multiple_of: 64,
                ..Work::new(&mut |n| {
                    for _ in 0..n {
                        place = (place + page_size()) % LENGTH;
                        let _ = pages.read(place);
                    }
                    Ok(n)
                })
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
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
            bench.batches(Work {
                before: Some(&mut before),
                ..Work::new(&mut |n| {
                    let offsets = (place.get()..LENGTH).step_by(page_size());
                    let first = offsets.take(usize::try_from(n).unwrap_or(0));
                    Ok(first.map(|offset| u64::from(pages.write(offset, 1))).sum())
                })
            })?;
            bench.count("pages.kept", kept, children);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.pages.untouched",
        of: "mapping.munmap.touched bytes=4KiB",
        mistake: "the memory was never touched before it is unmapped: there is no page to give back",
        caught_by: Caught::By("pages.resident"),
        run: |bench| {
            let kept = std::cell::RefCell::new(None);
            let (mut resident, mut expected) = (0, 0);
            bench.batches(Work {
                before: Some(&mut |n| {
                    let length = (usize::try_from(n).unwrap_or(1) + 1) * page_size();
                    let pages = Pages::anonymous(length)?;
                    resident += pages.resident(0..length)?;
                    expected += length / page_size();
                    kept.replace(Some(pages));
                    Ok(())
                }),
                ..Work::new(&mut |n| {
                    let mut pages = kept.borrow_mut();
                    for _ in 0..n {
                        pages.as_mut().map_or(Ok(()), |pages| pages.unmap_front(page_size()))?;
                    }
                    Ok(n)
                })
            })?;
            bench.count("pages.resident", resident as f64, expected as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.pages.advised_only",
        of: "mapping.collapse",
        mistake: "MADV_HUGEPAGE is called, which makes no huge page of base pages that are written",
        caught_by: Caught::By("huge.made"),
        run: |bench| collapse_by(bench, Advice::HugePage),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.pages.whole",
        of: "mapping.split",
        mistake: "the base page is advised and not freed: the huge page stays whole",
        caught_by: Caught::By("huge.split"),
        run: |bench| split_by(bench, Advice::Normal),
        ..Sabotage::NEW
    },
];
