//! Dependent loads in a cycle through a working set.

use super::bandwidth::beyond_caches;
use super::{LINE, WorkingSet, working_set};
use measure::{Bench, Failure, Parameters, Point, Result, Work, choice, parameters};
use quantity::Bytes;
use sys::chase::{Cycle, LOADS, Order};
use sys::huge::huge_bytes_of;
use sys::memory::{Mapping, page_size};

/// The working set of a point in bytes.
pub fn size_of(point: &Point) -> u64 {
    WorkingSet::read(point).map_or(0, |set| set.bytes.bytes())
}

choice! {
    /// The pages of memory.
    pub enum PageSize {
        /// Base pages of x86-64.
        Base = "4KiB",
        /// Huge pages of x86-64.
        Huge = "2MiB",
    }
}

parameters! {
    /// Dependent loads in random order.
    pub struct RandomLoads {
        /// The pages.
        page_size: PageSize,
        /// Of the working set.
        bytes: Bytes,
    }
}

choice! {
    /// The direction of loads at a stride.
    pub enum Direction {
        /// Up.
        Forward = "forward",
        /// Down.
        Backward = "backward",
    }
}

parameters! {
    /// Dependent loads at a stride.
    pub struct StridedLoads {
        /// From one load to the next.
        stride: Bytes,
        /// Their direction.
        access: Direction,
        /// Of the working set.
        bytes: Bytes,
    }
}

/// Loads in a random cycle through all lines of the working set, on the pages of the point.
///
/// # Errors
/// When there is no memory.
pub fn random_cycle(bench: &mut Bench<'_>) -> Result<()> {
    on_pages(bench, |bench, mapping, start, size| {
        let order = Order::Random(bench.seed());
        let cycle = Cycle::link(mapping, start, size / LINE, LINE, order);
        walk(bench, cycle, size / LINE)
    })
}

/// Bytes of the working set in a rehearsal, which counts instructions.
pub(super) const REHEARSED: usize = 64 << 10;

/// The working set of a trial in bytes; smaller in a rehearsal.
fn working_set(bench: &Bench<'_>) -> usize {
    let size = usize::try_from(size_of(bench.point())).unwrap_or(usize::MAX);
    if bench.is_rehearsal() { size.min(REHEARSED) } else { size }
}

/// Calls `work` with memory on the pages of the point, its start and its size; counts huge pages.
fn on_pages(
    bench: &mut Bench<'_>,
    work: impl FnOnce(&mut Bench<'_>, &mut Mapping, usize, usize) -> Result<()>,
) -> Result<()> {
    let size = working_set(bench);
    if bench.parameters::<RandomLoads>()?.page_size == PageSize::Huge {
        let (mut memory, length) = working_set::huge(size, bench.seed())?;
        let (mapping, start) = memory.parts_mut();
        work(bench, mapping, start, size)?;
        working_set::count_huge(bench, memory.huge_bytes(), length);
    } else {
        let mut mapping = Mapping::private(size)?;
        mapping.touch(bench.seed());
        work(bench, &mut mapping, 0, size)?;
        working_set::count_huge(bench, huge_bytes_of(&mapping), size);
    }
    Ok(())
}

/// Walks a cycle once, which counts its lines and warms the caches, and then in batches.
///
/// # Errors
/// When there is no cycle.
pub fn walk(bench: &mut Bench<'_>, cycle: Option<Cycle<'_>>, lines: usize) -> Result<()> {
    let mut cycle =
        cycle.ok_or_else(|| Failure::failed("the point needs at least two lines (bytes=128B)"))?;
    bench.count("lines.visited", cycle.distinct() as f64, lines as f64);
    bench.batches(Work { multiple_of: LOADS, ..Work::new(&mut |n| Ok(cycle.walk(n / LOADS))) })
}

/// The same through a working set that no cache of this machine holds much of, on huge pages where available.
///
/// # Errors
/// Skipped where that is more than a quarter of the available memory.
pub fn cycle_beyond_caches(bench: &mut Bench<'_>) -> Result<()> {
    let size = beyond_caches::working_set(bench, REHEARSED)?;
    let mut mapping = Mapping::large(size)?;
    mapping.touch(bench.seed());
    let start = mapping.large_start(size);
    let cycle = Cycle::link(&mut mapping, start, size / LINE, LINE, Order::Random(bench.seed()));
    walk(bench, cycle, size / LINE)?;
    beyond_caches::count_caches(bench, size);
    Ok(())
}

/// Pages whose node is queried.
const QUERIED: usize = 64;

/// The same on memory that a thread on another node touched first.
///
/// # Errors
/// When there is no memory, or the kernel does not tell the node of a page.
pub fn remote_cycle(bench: &mut Bench<'_>) -> Result<()> {
    let size = usize::try_from(size_of(bench.point())).unwrap_or(usize::MAX);
    let mut mapping = Mapping::private(size)?;
    let seed = bench.seed();
    sys::thread::beside(bench.peer_cpu(), || mapping.touch(seed), || ())?;
    let here = sys::numa::current_node()?;
    let step = (size / QUERIED).next_multiple_of(page_size()) / 8;
    let (mut queried, mut remote) = (0.0, 0.0);
    for word in mapping.words().iter().step_by(step.max(1)) {
        queried += 1.0;
        remote += f64::from(u8::from(sys::numa::node_of(word)? != here));
    }
    let cycle = Cycle::link(&mut mapping, 0, size / LINE, LINE, Order::Random(seed));
    walk(bench, cycle, size / LINE)?;
    bench.count("pages.remote", remote, queried);
    Ok(())
}

/// Loads in a cycle at the stride of the point, in its order.
///
/// # Errors
/// When the point has no stride, or there is no memory.
pub fn cycle_at_stride(bench: &mut Bench<'_>) -> Result<()> {
    let StridedLoads { stride, access, .. } = bench.parameters()?;
    let order = match access {
        Direction::Backward => Order::Backward,
        Direction::Forward => Order::Forward,
    };
    strided_cycle(bench, stride.bytes() as usize, order)
}

/// Loads in a cycle at a stride, in this order.
///
/// # Errors
/// When there is no memory.
pub fn strided_cycle(bench: &mut Bench<'_>, stride: usize, order: Order) -> Result<()> {
    let size = working_set(bench);
    let mut mapping = Mapping::private(size)?;
    mapping.touch(bench.seed());
    let links = size / stride.max(1);
    let cycle = Cycle::link(&mut mapping, 0, links, stride, order);
    walk(bench, cycle, links)
}
