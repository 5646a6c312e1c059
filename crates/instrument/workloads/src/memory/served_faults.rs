//! Faults that a thread of the program serves: userfaultfd.

use super::page_sequence::PageSequence;
use super::pool::POOL;
use measure::{Bench, Result, Work};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::memory::page_size;
use sys::pages::{Advice, Pages};
use sys::usage::CpuClock;
use sys::userfault::Registration;

/// State shared by the two threads.
#[derive(Default)]
struct FaultServer {
    faults: AtomicU64,
    clock: OnceLock<CpuClock>,
    failure: OnceLock<sys::Error>,
}

impl FaultServer {
    /// Serves faults until one on the page behind the pool.
    fn serve(&self, registered: &Registration<'_>, content: &[u8]) {
        self.clock.get_or_init(CpuClock::of_calling_thread);
        loop {
            let served = registered
                .wait_for_fault()
                .and_then(|offset| registered.resolve(offset, content).map(|()| offset));
            match served {
                Ok(POOL) => return,
                Ok(_) => self.faults.fetch_add(1, Ordering::AcqRel),
                Err(error) => {
                    self.failure.get_or_init(|| error);
                    // The reader must not wait forever.
                    let _ = registered.unregister();
                    return;
                }
            };
        }
    }
}

/// Touches of pages that another thread supplies.
///
/// # Errors
/// Skipped where userfaultfd is denied.
pub fn touch_served(bench: &mut Bench<'_>) -> Result<()> {
    // A fault on the additional page ends the serving thread.
    let pages = Pages::anonymous(POOL + page_size())?;
    let registered = Registration::new(&pages)?;
    let word = bench.seed() | 1;
    let content: Vec<u8> = word.to_ne_bytes().into_iter().cycle().take(page_size()).collect();
    let server = FaultServer::default();
    let peer = bench.peer_cpu();
    let result = sys::thread::beside(
        peer,
        || server.serve(&registered, &content),
        || {
            let result = touch(bench, &pages, &server, word);
            std::hint::black_box(pages.read(POOL));
            result
        },
    )?;
    server.failure.get().map_or(result, |error| Err((*error).into()))
}

fn touch(bench: &mut Bench<'_>, pages: &Pages, server: &FaultServer, word: u64) -> Result<()> {
    // The first fault is served after the other thread has set its clock.
    let _ = pages.read(0);
    let sequence = PageSequence::new(POOL, page_size());
    let server_clock = server.clock.get().copied();
    let mut touched = 0;
    let faults = server.faults.load(Ordering::Acquire);
    bench.batches(Work {
        before: Some(&mut |n| sequence.reserve(n, || Ok(pages.advise(0..POOL, Advice::DontNeed)?))),
        cpu: std::iter::once(CpuClock::THREAD).chain(server_clock).collect(),
        ..Work::new(&mut |n| {
            let correct = sequence.take(n).filter(|offset| pages.read(*offset) == Some(word));
            let correct = correct.count() as u64;
            touched += n;
            Ok(correct)
        })
    })?;
    let faults = server.faults.load(Ordering::Acquire) - faults;
    bench.count("faults.served", faults as f64, touched as f64);
    Ok(())
}
