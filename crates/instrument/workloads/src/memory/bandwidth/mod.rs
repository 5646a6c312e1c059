//! Blocks of memory read, written, copied, computed or filled, by one thread or by one on every CPU; and the same as other tools do it.

pub mod beyond_caches;
pub mod load_curve;
pub mod loaded;
pub mod single;
mod spec;
mod thread_pool;

use measure::{Bench, Point, Result};
use record::Need;
use single::run_single;
use spec::{ALL_TOGETHER, REHEARSED};
pub use spec::{BLOCK, MEMORY, MemoryBlocks, Spec};
use sys::bandwidth::{Action, Method};

/// What a point needs: the memory of one CPU, or of all together.
pub fn needs(point: &Point) -> Vec<Need> {
    let size = Spec::read(point, Action::Read).map_or(0, |spec| spec.size);
    if point.on_all_cpus() {
        let bytes = if size as u64 >= MEMORY { ALL_TOGETHER } else { size };
        return vec![Need::SecondCpu, Need::Pinning, Need::Memory { bytes: bytes as u64 }];
    }
    vec![Need::Memory { bytes: size as u64 }]
}

/// The point with the instructions of a block of 1 KiB; without them for the library, whose code is unknown.
pub fn with_instructions(point: &Point, action: Action) -> Point {
    let method = Spec::read(point, action).ok().map(|spec| spec.method);
    let own = method.filter(|method| *method != Method::Library && !point.on_all_cpus());
    let declared = own.and_then(|method| sys::bandwidth::declared(action, method, REHEARSED));
    match declared {
        Some(declared) => point.clone().with("instructions", declared.instructions),
        None => point.clone(),
    }
}

/// Processes blocks by the method of the point.
///
/// # Errors
/// Skipped where the processor lacks the instructions of the method.
pub fn run(bench: &mut Bench<'_>, action: Action) -> Result<()> {
    let spec = Spec::read(bench.point(), action)?;
    if bench.is_rehearsal() {
        let blocks = spec.rehearsed(action).blocks(action, bench.seed())?;
        return run_single(bench, blocks, REHEARSED * action.parts());
    }
    if bench.point().on_all_cpus() {
        return thread_pool::all_cpus(bench, spec, action);
    }
    let blocks = spec.blocks(action, bench.seed())?;
    run_single(bench, blocks, spec.size)
}
