//! Calls on one page of memory, or on the end of the data segment, that map and unmap nothing else.

use super::MAPPING;
use measure::{Operation, choice, parameters, takes};
use sys::memory::page_size;
use sys::memory_file;
use sys::pages::{Advice, Pages, Sharing};
use sys::program_break::ProgramBreak;
use workloads::repeat::{repeat, repeat_and_check};

const RAW: &str = "By the system-call instruction, in a loop.";

/// Common to one call.
const SHORT: Operation = Operation {
    method: RAW,
    parameters: Operation::NEW.parameters,
    points: Operation::NEW.points,
    needs: |_| Vec::new(),
    predict: &["floors(1)", "handler(1)"],
    bounds: &["floor"],
    ..MAPPING
};

/// Common to two calls.
const SHORT_PAIR: Operation =
    Operation { predict: &["floors(2)", "handler(2)"], bounds: &["floors(2)"], ..SHORT };

/// A page that has been written.
fn written_page() -> sys::Result<Pages> {
    let page = Pages::anonymous(page_size())?;
    page.write(0, 1);
    Ok(page)
}

/// brk.
pub static BRK: Operation = Operation {
    id: "mapping.brk",
    title: "brk up by a page and back",
    one_iteration: "one brk that moves the end of the data segment up by a page, untouched, and one that moves it back",
    confounds: "malloc moves it by 128 KiB or more at a time, and the pages are touched: see fault.anonymous.write.",
    sources: &[
        ("will-it-scale", "brk1: each of the two calls counted"),
        ("stress-ng", "--brk: nanoseconds per page more and per page less, touches untimed"),
        ("UnixBench", "none"),
    ],
    evidence: &[
        "answers = 1: the end was where it should be after both calls",
        "calls: brk 2",
        "undisturbed",
        "no new pages",
    ],
    run: |bench| {
        let end = ProgramBreak::current()?;
        let page = page_size();
        repeat(bench, |_| end.grow_and_shrink(page))
    },
    ..SHORT_PAIR
};

/// mlock.
pub static MLOCK: Operation = Operation {
    id: "mapping.mlock_munlock",
    title: "mlock + munlock of a resident page",
    one_iteration: "one mlock of a page that is in memory, and one munlock",
    confounds: "A page that is absent is faulted in first. The limit on locked memory (ulimit -l) must allow one page.",
    sources: &[
        ("libMicro", "none"),
        ("stress-ng", "--mlock: nanoseconds per mlock and per munlock, of a page of each of many mappings"),
    ],
    evidence: &[
        "answers = 1: both calls succeeded every time",
        "calls: mlock 1, munlock 1",
        "undisturbed",
        "no new pages",
    ],
    run: |bench| {
        let page = written_page()?;
        repeat(bench, |_| page.lock_and_unlock().map(|()| true))
    },
    ..SHORT_PAIR
};

/// mincore.
pub static MINCORE: Operation = Operation {
    id: "mapping.mincore",
    title: "mincore of a resident page",
    one_iteration: "one mincore of a page that is in memory, which must report it",
    confounds: "It walks the page table; each further page adds an entry.",
    sources: &[("stress-ng", "--mincore: nanoseconds per call")],
    evidence: &[
        "answers = 1: the page was reported every time",
        "calls: mincore 1",
        "undisturbed",
        "no new pages",
    ],
    run: |bench| {
        let page = written_page()?;
        repeat(bench, |_| page.is_first_resident())
    },
    ..SHORT
};

/// msync.
pub static MSYNC: Operation = Operation {
    id: "mapping.msync.memory_file",
    title: "store + msync(MS_SYNC) of a page of a file in memory",
    one_iteration: "one store into a shared mapping of a file in memory, and one msync, which has no device to write to",
    confounds: "The call alone. On a file system with a device it is an fsync of the range: see file.sync.",
    sources: &[
        (
            "libMicro",
            "msync -s -w -f FILE; without options a private mapping of /dev/zero, which nothing writes",
        ),
        ("stress-ng", "--msync: of a file, also with MS_INVALIDATE, operations per second"),
    ],
    evidence: &[
        "answers = 1: the word was there after every call",
        "calls: msync 1",
        "undisturbed",
        "no new pages",
    ],
    run: |bench| {
        let file = memory_file::open("synchronized", &vec![0; page_size()])?;
        let page = Pages::of_file(&file, page_size(), Sharing::Shared)?;
        page.write(0, 1);
        repeat(bench, |turn| {
            let written = page.write(0, turn);
            page.synchronize().map(|()| written)
        })
    },
    ..SHORT
};

choice! {
    /// What is advised.
    pub enum PageAdvice {
        /// To free the page when memory is short.
        Free = "free",
        /// To reclaim it first.
        Cold = "cold",
    }
}

parameters! {
    /// Advice on a page.
    pub struct Advised {
        /// Which.
        advice: PageAdvice,
    }
}

/// madvise.
pub static MADVISE: Operation = Operation {
    id: "mapping.madvise",
    title: "store + madvise of one page, by advice",
    one_iteration: "one store to a page of private memory, and one madvise of it",
    method: "By the system-call instruction, in a loop. advice=free: MADV_FREE, which marks the page clean, so that the next store \
             marks it dirty again; advice=cold: MADV_COLD, which takes it from the list of active pages. The page stays mapped.",
    confounds: "Pages on their way to a list of the kernel's (per-CPU batches) may make some calls slower. MADV_DONTNEED frees the page: \
                see fault.dontneed.call.",
    sources: &[
        ("stress-ng", "--madvise: random advice on a mapping"),
        ("jemalloc", "MADV_FREE of freed pages, where configured"),
    ],
    parameters: takes::<Advised>,
    points: &["advice=free|cold"],
    evidence: &[
        "answers = 1: the word was there, and after every batch the page was in memory",
        "calls: madvise 1",
        "undisturbed",
        "no new pages",
    ],
    run: |bench| {
        let advice = match bench.parameters::<Advised>()?.advice {
            PageAdvice::Free => Advice::Free,
            PageAdvice::Cold => Advice::Cold,
        };
        let page = written_page()?;
        let all = 0..page.length();
        repeat_and_check(
            bench,
            |turn| {
                let written = page.write(0, turn | 1);
                page.advise(all.clone(), advice).map(|()| written)
            },
            || page.is_first_resident(),
        )
    },
    ..SHORT
};
